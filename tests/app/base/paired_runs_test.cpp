// SPDX-License-Identifier: Apache-2.0
// Children in turn: their order, how a round ends, what failing and stopping do. The child is a script that copies a
// capture.
#include "app/base/paired_runs.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "app/base/rerun.h"
#include "app/base/trial.h"
#include "profiler/store/capture_file.h"
#include "tests/support/sample_capture.h"
#include "tests/support/temporary_folder.h"

namespace app {
namespace {

namespace fs = std::filesystem;
using engine::Result;

class PairedRunsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(profiler::save_capture(*tests::sample_capture(), folder / "sample.tide").ok());
    script("cp '" + (folder / "sample.tide").string() + "' \"$out\"");
    runs = {.program = folder / "child"};
    for (const char* name : {"a", "b"}) {
      runs.sides.push_back(
          {.words = {"run", name},
           .output = [this, name](int round) { return folder / (name + std::to_string(round) + ".tide"); },
           .refusal = std::string(name) + " cannot: "});
    }
    runs.ended = [this](size_t side, const std::shared_ptr<const profiler::Capture>& capture) -> Result<void> {
      order += static_cast<char>('a' + side);
      EXPECT_FALSE(capture->ops().empty());
      return {};
    };
  }
  /// `$side` is the workload, `$out` the file that is asked for.
  void script(const std::string& body) {
    { std::ofstream(folder / "child") << "#!/bin/sh\nside=$2\nfor out; do :; done\n" << body << "\n"; }
    fs::permissions(folder / "child", fs::perms::owner_all);
  }
  const tests::TemporaryFolder folder;
  PairedRuns runs;
  std::string order;
  std::atomic<bool> stop = false;
};

TEST_F(PairedRunsTest, SidesTakeTurnsForwardsAndBackwards) {
  runs.least = runs.most = 4;
  std::string started;
  runs.starts = [&](size_t side, int round) { started += std::to_string(side) + std::to_string(round) + " "; };
  ASSERT_TRUE(runs.run(stop).ok());
  EXPECT_EQ(order, "abbaabba");
  EXPECT_EQ(started, "00 10 11 01 02 12 13 03 ");
  EXPECT_TRUE(fs::exists(folder / "b3.tide"));
}

TEST_F(PairedRunsTest, EnoughIsAskedFromTheLeastRoundOn) {
  runs.least = 2, runs.most = 9;
  int asked = 0;
  runs.enough = [&] { return ++asked == 2; };
  ASSERT_TRUE(runs.run(stop).ok());
  EXPECT_EQ(order, "abbaab");
}

TEST_F(PairedRunsTest, ARefusalEndsAllInTheSidesWords) {
  script("echo '{\"error\":{\"message\":\"no such layer\"}}' >&2; exit 2");
  runs.most = 5;
  const Result<void> refused = runs.run(stop);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "a cannot: no such layer");
}

TEST_F(PairedRunsTest, WhatFailsIsAResultToWhoeverAsksForIt) {
  std::vector<ChildOutcome> outcomes;
  runs.failed = [&](const ChildOutcome& outcome) {
    outcomes.push_back(outcome);
    return Result<void>();
  };
  script("test $side = a && exit 3; kill -9 $$");
  ASSERT_TRUE(runs.run(stop).ok());
  script("exit 0");  // and no capture
  ASSERT_TRUE(runs.run(stop).ok());
  ASSERT_EQ(outcomes.size(), 4u);
  EXPECT_EQ(outcomes[0].message, "exit code 3");
  EXPECT_EQ(outcomes[1].end, ChildOutcome::End::killed);
  EXPECT_EQ(outcomes[1].signal, 9);
  EXPECT_EQ(outcomes[2].end, ChildOutcome::End::refused);
  EXPECT_NE(outcomes[2].message.find("a0.tide"), std::string::npos) << outcomes[2].message;
  EXPECT_EQ(order, "");
}

TEST_F(PairedRunsTest, StoppingRemovesHalfARunAndNoOlderFile) {
  script("echo half > \"$out\"; touch '" + (folder / "started").string() + "'; exec sleep 600");
  for (const bool older : {false, true}) {
    fs::remove(folder / "started");
    if (older) std::ofstream(folder / "a0.tide") << "older";
    stop = false;
    runs.most = 3;
    std::thread stopper([&] {
      while (!fs::exists(folder / "started")) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      stop = true;
    });
    EXPECT_TRUE(runs.run(stop).ok());
    stopper.join();
    EXPECT_EQ(fs::exists(folder / "a0.tide"), older);
    EXPECT_EQ(order, "");
  }
}

TEST_F(PairedRunsTest, NothingIsWrittenThroughALink) {
  std::ofstream(folder / "precious") << "mine";
  fs::create_symlink(folder / "precious", folder / "a0.tide");
  ASSERT_TRUE(runs.run(stop).ok());
  EXPECT_EQ(fs::file_size(folder / "precious"), 4u);
  EXPECT_FALSE(fs::is_symlink(folder / "a0.tide"));
}

TEST(RepeatWords, ReplaceWhatARecordedCommandSaysOfItself) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(repeat_words(
                {"run", "mlp", "-o", "x.tide", "--progress=none", "--no-probe", "--json", "--collect", "ops,simulate"},
                "/r.tide"),
            (Words{"run", "mlp", "--collect", "ops", "--no-probe", "--progress", "json", "-o", "/r.tide"}));
  EXPECT_EQ(repeat_words({"run", "mlp", "--output=x", "--batch", "4"}, "/r.tide"),
            (Words{"run", "mlp", "--batch", "4", "--no-probe", "--progress", "json", "-o", "/r.tide"}));
}

}  // namespace
TEST(WordsToCollect, TheRecordedCommandGetsOneCollectorMore) {
  profiler::RunInfo run;
  run.workload = "mlp";
  run.device = "cpu";
  const auto words = [](const char* command) {
    return fmt::format("{}", fmt::join(with_collector(words_of_command(command).value(), "simulate"), " "));
  };
  run.command = "tensortide run mlp";
  EXPECT_EQ(words("tensortide run mlp --set batch=4 -o a.tide"), "run mlp --set batch=4 --collect ops,simulate");
  EXPECT_EQ(words("tensortide run mlp --collect ops,perf --steps 3"), "run mlp --steps 3 --collect ops,perf,simulate");
  EXPECT_EQ(words("tensortide run mlp --collect=simulate"), "run mlp --collect simulate");
  EXPECT_EQ(cannot_collect(run, "simulate"), "");
  run.device = "null";
  EXPECT_NE(cannot_collect(run, "simulate"), "");
  run.device = "cpu", run.command.clear();
  EXPECT_NE(cannot_collect(run, "simulate").find("command"), std::string::npos);
  run.command = "tensortide run mlp", run.source = "PyTorch (Kineto) trace";
  EXPECT_NE(cannot_collect(run, "simulate").find("Another tool"), std::string::npos);
}

}  // namespace app
