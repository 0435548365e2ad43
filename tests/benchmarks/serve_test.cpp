// SPDX-License-Identifier: Apache-2.0
// The comparison's children answer, and refuse what makes no sense. No figure is judged here.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "tests/benchmarks/serve_cases.h"

namespace benchmarks {
namespace {

std::vector<std::string> ask(const std::string& lines) {
  auto devices = make_devices(1, /*measure=*/false);
  EXPECT_TRUE(devices.ok());
  std::istringstream in(lines);
  std::ostringstream out;
  serve(in, out, "us", [&](CaseText& text) { return make_case(*devices, text); });
  std::istringstream answers(out.str());
  std::vector<std::string> result;
  for (std::string line; std::getline(answers, line);) result.push_back(line);
  return result;
}

TEST(Serve, AnswersAboutPrepareRunDrop) {
  const auto answers = ask("about\nprepare gemm m=8 n=8 k=8\nrun 1 3\ndrop 1\nrun 1 1\n");
  ASSERT_EQ(answers.size(), 5u);
  EXPECT_EQ(answers[0], "about us");
  EXPECT_TRUE(answers[1].starts_with("ready 1 1 op: ")) << answers[1];
  ASSERT_TRUE(answers[2].starts_with("ns ")) << answers[2];
  EXPECT_GT(std::stod(answers[2].substr(3)), 0);
  EXPECT_EQ(answers[3], "dropped 1");
  EXPECT_EQ(answers[4], "no case 1");
}

TEST(Serve, KnowsEveryCase) {
  const std::vector<std::string> cases = {"gemm m=4 n=5 k=6 rung=own",
                                          "linear batch=2 in=8 out=3",
                                          "conv batch=1 channels=3 out=4 kernel=3 stride=2 image=8",
                                          "conv batch=1 channels=3 out=4 kernel=3 stride=2 image=8 pass=data",
                                          "conv batch=1 channels=3 out=4 kernel=3 stride=2 image=8 pass=weights",
                                          "elementwise bytes=4096 op=relu",
                                          "elementwise bytes=4096 op=add",
                                          "elementwise bytes=400 op=sigmoid",
                                          "chain bytes=8192",
                                          "softmax rows=3 columns=7",
                                          "layer_norm rows=3 columns=7",
                                          "attention batch=1 heads=2 length=4 depth=8",
                                          "lstm steps=2 batch=3 inputs=4 hidden=5",
                                          "net name=mlp batch=2",
                                          "net name=mlp batch=2 mode=gradients",
                                          "net name=mlp batch=2 mode=gradients tracing=on",
                                          "overhead kind=replay",
                                          "overhead kind=eager",
                                          "overhead kind=recording",
                                          "trace kind=on",
                                          "trace kind=off",
                                          "peak",
                                          "copy bytes=65536"};
  std::string lines;
  for (size_t i = 0; i < cases.size(); ++i) lines += "prepare " + cases[i] + "\nrun " + std::to_string(i + 1) + " 1\n";
  const auto answers = ask(lines);
  ASSERT_EQ(answers.size(), 2 * cases.size());
  for (size_t i = 0; i < cases.size(); ++i) {
    EXPECT_TRUE(answers[2 * i].starts_with("ready ")) << cases[i] << ": " << answers[2 * i];
    EXPECT_TRUE(answers[2 * i + 1].starts_with("ns ")) << cases[i] << ": " << answers[2 * i + 1];
  }
}

TEST(Serve, GradientsOfANetLeaveOutTheUpdates) {
  const auto answers = ask("prepare net name=mlp batch=2\nprepare net name=mlp batch=2 mode=gradients\n");
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_TRUE(answers[0].starts_with("ready 1 5 ops")) << answers[0];
  EXPECT_EQ(answers[1].find("sgd"), std::string::npos) << answers[1];
}

TEST(Serve, TheOwnRungIsOwn) {
  const auto answers = ask("prepare gemm m=256 n=256 k=256 rung=own\n");
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_NE(answers[0].find("own"), std::string::npos) << answers[0];
}

TEST(Serve, RefusesNonsense) {
  const auto answers =
      ask("\n"
          "prepare\n"
          "prepare dance m=1\n"
          "prepare gemm m=8 n=8\n"
          "prepare gemm m=8 n=8 k=-8\n"
          "prepare gemm m=8 n=8 k=9999999999999999999999\n"
          "prepare gemm m=8 n=8 k=8 colour=red\n"
          "prepare gemm m=8 m=8 n=8 k=8\n"
          "prepare gemm m 8\n"
          "prepare gemm m=8 n=8 k=8 rung=golden\n"
          "prepare gemm m=16777216 n=16777216 k=16777216\n"
          "prepare elementwise bytes=4096 op=quux\n"
          "run 7 1\n"
          "run one 1\n"
          "drop -1\n"
          "hello\n");
  ASSERT_EQ(answers.size(), 16u);
  for (const std::string& answer : answers) EXPECT_TRUE(answer.starts_with("no")) << answer;
  const auto repeats = ask("prepare peak\nrun 1 0\nrun 1 x\nrun 1 99999999999\n");
  ASSERT_EQ(repeats.size(), 4u);
  for (size_t i = 1; i < repeats.size(); ++i) EXPECT_TRUE(repeats[i].starts_with("no")) << repeats[i];
}

}  // namespace
}  // namespace benchmarks
