// SPDX-License-Identifier: Apache-2.0
// tensortide compare as a user meets it: two runs, repeats, exit codes, other graphs and batches, wrong usage.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/app/cli/process.h"

namespace {

using nlohmann::json;
using test::fresh_folder;
using test::parsed;
using test::tensortide;

constexpr const char* kSmall = "run mlp --set input=16 --mode inference --threads 1 --steps 5 --warmup 1 --no-probe";

/// Records a capture and gives back its path.
std::string record(const std::filesystem::path& folder, const std::string& name, const std::string& more = "",
                   const char* hidden = "16") {
  const std::string file = (folder / name).string();
  const auto outcome = tensortide(fmt::format("{} --set hidden={} {} -o {}", kSmall, hidden, more, file));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return file;
}

TEST(CompareCommand, NamesALayerThatDoesFarMore) {
  // So much more that it is called on a busy machine, too, where single processes are assumed to differ by a factor of
  // e.
  const auto folder = fresh_folder();
  const std::string a = record(folder, "a.tide", "--set output=16"),
                    b = record(folder, "b.tide", "--set output=131072");
  const auto text = tensortide(fmt::format("compare {} {} --fail-on slower", a, b));
  EXPECT_EQ(text.exit_code, 1) << text.out << text.err;
  EXPECT_NE(text.out.find("times slower: fc2/linear takes"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("Set differently: output 16 → 131072."), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("How decided: one process each; "), std::string::npos);
  EXPECT_LT(text.out.find("\nTimes are lower quartiles (Q1) of the steps of a process"), text.out.find("Before (Q1)"))
      << "before the times: " << text.out;
  EXPECT_NE(text.out.find("After (Q1)"), std::string::npos);
  const auto back = tensortide(fmt::format("compare {} {} --fail-on slower --json", b, a));
  EXPECT_EQ(back.exit_code, 0) << "faster is not slower";
  const json document = parsed(back.out);
  EXPECT_EQ(document["failed"], false);
  const json& c = document["comparisons"][0];
  EXPECT_EQ(c["step"]["verdict"], "FASTER");
  EXPECT_EQ(c["step"]["origin"], "measured");
  EXPECT_EQ(c["times"].get<std::string>().find("are lower quartiles"), 0u) << c["times"];
  EXPECT_EQ(c["bytes"][0]["link"], "compulsory");
  EXPECT_EQ(c["ops"]["rows"].size(), 4u) << "the step and three ops";
  EXPECT_EQ(tensortide(fmt::format("compare {} {} --fail-on changed", b, a)).exit_code, 1);
}

TEST(CompareCommand, RepeatsAreRunInTurnAndKept) {
  const auto folder = fresh_folder();
  const std::string a = record(folder, "a.tide"), b = record(folder, "b.tide");
  const auto outcome = tensortide(fmt::format("compare {} {} --repeat 3 --json", a, b));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("repeat 3 of 3"), std::string::npos);
  const json step = parsed(outcome.out)["comparisons"][0]["step"];
  EXPECT_EQ(step["before_processes"], 3);
  EXPECT_EQ(step["after_processes"], 3);
  EXPECT_EQ(step["noise_assumed"], false);
  EXPECT_TRUE(std::filesystem::exists(folder / "a.repeats" / "0002.tide"));
  // A later comparison finds them; given by hand they are the same samples.
  const json later = parsed(tensortide(fmt::format("compare {} {} --json", a, b)).out);
  EXPECT_EQ(later["comparisons"][0]["step"]["ratio"], step["ratio"]);
  const json by_hand = parsed(
      tensortide(fmt::format("compare {0}/a.repeats/*.tide --against {0}/b.repeats/*.tide --json", folder.string()))
          .out);
  EXPECT_EQ(by_hand["comparisons"][0]["step"]["ratio"], step["ratio"]);
}

TEST(CompareCommand, BatchesPerSampleAndSeveralRunsAgainstTheFirst) {
  const auto folder = fresh_folder();
  const std::string a = record(folder, "a.tide", "--batch 4"), b = record(folder, "b.tide", "--batch 64"),
                    c = record(folder, "c.tide", "--batch 4 --dtype bf16");
  const json document = parsed(tensortide(fmt::format("compare {} {} {} --json", a, b, c)).out);
  ASSERT_EQ(document["comparisons"].size(), 2u);
  EXPECT_EQ(document["comparisons"][0]["per_sample"], true);
  EXPECT_EQ(document["comparisons"][1]["per_sample"], false);
  EXPECT_LT(document["comparisons"][0]["bytes"][0]["after_bytes"],
            document["comparisons"][0]["bytes"][0]["before_bytes"])
      << "weights are read once for more samples";
  const auto csv = tensortide(fmt::format("compare {} {} --format csv", a, b));
  EXPECT_EQ(csv.out.find("op,type,match,verdict,"), 0u) << csv.out.substr(0, 100);
}

TEST(CompareCommand, UnrelatedNetworksHaveNoAnswerToFailOn) {
  const auto folder = fresh_folder();
  const std::string a = record(folder, "a.tide"), b = (folder / "b.tide").string();
  ASSERT_EQ(
      tensortide(fmt::format("run stream --set n=1000 --threads 1 --steps 2 --warmup 0 --no-probe -o {}", b)).exit_code,
      0);
  const json c = parsed(tensortide(fmt::format("compare {} {} --json", a, b)).out)["comparisons"][0];
  EXPECT_EQ(c["matched"]["different_work"], true);
  EXPECT_EQ(c["sentence"].get<std::string>().find(
                "Different workloads: mlp before, stream after. Few ops match (0 of 3 before, 0 of 1 after)"),
            0u)
      << c["sentence"];
  EXPECT_EQ(c["step"]["verdict"], "different work");
  const auto judged = tensortide(fmt::format("compare {} {} --fail-on slower", a, b));
  EXPECT_EQ(judged.exit_code, 3);
  EXPECT_NE(judged.err.find("do different work: few ops match (0 of 3 before, 0 of 1 after)"), std::string::npos)
      << judged.err;
}

TEST(CompareCommand, WrongUsageIsSaid) {
  const auto folder = fresh_folder();
  const std::string a = record(folder, "a.tide"), b = record(folder, "b.tide"),
                    other = record(folder, "c.tide", "", "16,16");
  const auto said = [&](const std::string& arguments, int code, const std::string& words) {
    const auto outcome = tensortide("compare " + arguments);
    EXPECT_EQ(outcome.exit_code, code) << arguments;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  };
  said(a, 2, "nothing to be compared with");
  said(a + " " + a, 2, "given twice");
  said(a + " " + (folder / "absent.tide").string(), 3, "absent.tide");
  said(fmt::format("{} {} --against {}", a, other, b), 3, "is no repeat of");
  said(fmt::format("{} --against {} --repeat 3", a, b), 2, "--repeat");
  said(fmt::format("{} {} --repeat 1", a, b), 2, "out of range");
  said(fmt::format("{} {} --repeat 5..3", a, b), 2, "out of range");
  said(fmt::format("{} {} --margin 0", a, b), 2, "--margin");
  said(fmt::format("{} {} --fail-on never", a, b), 2, "--fail-on");
  std::filesystem::create_directory(folder / "b.repeats");
  std::filesystem::copy_file(other, folder / "b.repeats" / "0000.tide");
  said(a + " " + b, 3, "is no repeat of");
  std::ofstream(folder / "b.repeats" / "notes.txt") << "mine";
  said(fmt::format("{} {} --repeat 2", a, b), 3, "holds notes.txt, which is no repeat");
  EXPECT_TRUE(std::filesystem::exists(folder / "b.repeats" / "notes.txt"));
  EXPECT_TRUE(std::filesystem::exists(folder / "b.repeats" / "0000.tide"));
}

}  // namespace
