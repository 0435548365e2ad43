// SPDX-License-Identifier: Apache-2.0
// Trying findings: the command and its change in words, pairs of real processes, and what cannot be tried.
#include "app/base/trial.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "app/base/child_run.h"
#include "app/base/fit_trial.h"
#include "app/base/untraced_run.h"
#include "profiler/analysis/analyze.h"
#include "profiler/store/capture_file.h"
#include "tests/support/op_lab.h"
#include "tests/support/temporary_folder.h"

namespace app {
namespace {

using profiler::RunChange;
using Words = std::vector<std::string>;

const std::filesystem::path kProgram = std::filesystem::path(TENSORTIDE_BINARY_DIR) / "bin" / "tensortide";
constexpr const char* kCommand =
    "tensortide run mlp --batch 2 --mode inference --threads 1 --set input=16 --set 'hidden=16,16'";

/// A batch far above the largest, and a limit above the memory asked about, are explained where they are shown.
TEST(FitTrial, SaysWhatTheLimitHoldsAndWhyTheLargerBatchIsSoLarge) {
  Fit fit;
  fit.available_bytes = 300e6, fit.largest = 14381, fit.refused = 14382;
  FitTrial trial;
  trial.ran = trial.above_refused = true;
  trial.overhead_bytes = 539e6, trial.limit_bytes = 839e6, trial.peak_bytes = 336e6;
  trial.above = 42220, trial.above_message = "too large";
  EXPECT_EQ(
      trial_words(fit, trial),
      "Tried under a limit of 839 MB. It holds the 300 MB asked about, and 539 MB that a process needs beside its "
      "plan (measured).\n"
      "Batch 14381 ran, with 336 MB of resident memory.\n"
      "Batch 42220 was tried above it, not 14382: its plan is so large that those 539 MB cannot hide it.\n"
      "Batch 42220 was refused: too large");
  trial.above = 14382;
  EXPECT_EQ(trial_words(fit, trial).find("was tried above it"), std::string::npos) << "nothing to explain";
}

/// A capture whose one op is bound by its weights, as if recorded by `command`: "weights-reread" proposes four times
/// the batch.
std::filesystem::path write_capture(const tests::TemporaryFolder& folder, const std::string& command,
                                    const std::string& source = "") {
  tests::OpLab lab(1);
  profiler::RunInfo& run = lab.builder().run();
  run.workload = "mlp";
  run.title = "Multi-layer perceptron";
  run.arguments = {{"batch", "2"}};
  run.command = command;
  run.source = source;
  const int64_t w = 64 * tests::OpLab::kMiB;
  lab.op("linear", {lab.tensor(4096), lab.tensor(w, {.role = engine::Role::weight, .persistent = true})},
         {lab.tensor(4096)}, 1e3, static_cast<double>(w) / 20 / 0.97);
  const auto file = folder / "captured.tide";
  EXPECT_TRUE(profiler::save_capture(*lab.finish(), file).ok());
  return file;
}

TrialOptions options(const tests::TemporaryFolder& folder, const std::filesystem::path& capture) {
  return {.capture = capture,
          .finding = 0,
          .change = {},
          .pairs = kFewestPairs,
          .output = {},
          .program = kProgram,
          .ledger = folder / "advice.jsonl"};
}

const std::atomic<bool> kGoOn{false};

TEST(Trial, CommandsAreSplitAsAShellWould) {
  const auto words = words_of_command(kCommand);
  ASSERT_TRUE(words.ok()) << words.error().message;
  EXPECT_EQ(*words, (Words{"run", "mlp", "--batch", "2", "--mode", "inference", "--threads", "1", "--set", "input=16",
                           "--set", "hidden=16,16"}));
  EXPECT_EQ(*words_of_command("tensortide run 'it'\\''s.onnx'"), (Words{"run", "it's.onnx"}));
  EXPECT_FALSE(words_of_command("tensortide run 'open").ok());
  EXPECT_FALSE(words_of_command("rm -rf x").ok()) << "only what is ours";
  EXPECT_FALSE(words_of_command("").ok());
}

TEST(Trial, RepeatsOfARunAreTimedAlone) {
  EXPECT_EQ(timed_alone({"run", "mlp", "--collect", "ops,simulate,cupti,pm_sampling,hit_rates", "--batch", "4"}),
            (Words{"run", "mlp", "--collect", "ops,cupti", "--batch", "4", "--no-cupti-cost"}))
      << "what CUPTI costs is the recorded run's to tell: a repeat would be two processes";
  EXPECT_EQ(timed_alone({"run", "mlp", "--collect=cupti", "--no-cupti-cost"}),
            (Words{"run", "mlp", "--collect=cupti", "--no-cupti-cost"}));
  EXPECT_EQ(timed_alone({"run", "--simulate-limit", "5", "mlp", "--simulate-limit=7", "--collect=simulate"}),
            (Words{"run", "mlp", "--collect=ops"}));
  EXPECT_EQ(timed_alone({"run", "mlp", "--collect=simulate,perf"}), (Words{"run", "mlp", "--collect=ops"}));
  EXPECT_EQ(timed_alone({"run", "mlp", "--collect"}), (Words{"run", "mlp", "--collect"}));
}

TEST(Trial, CuptiIsHeldAgainstTheSameRunWithoutIt) {
  EXPECT_EQ(untraced_words({"run", "mlp", "--collect", "ops,cupti", "--batch", "4"}),
            (Words{"run", "mlp", "--batch", "4", "--steps", "20"}));
  EXPECT_EQ(untraced_words({"run", "mlp", "--collect=cupti", "--steps=7"}), (Words{"run", "mlp", "--steps", "7"}));
  EXPECT_EQ(untraced_words({"run", "mlp", "--steps", "500", "--batch", "4"}),
            (Words{"run", "mlp", "--batch", "4", "--steps", "20"}))
      << "enough for a median";
  EXPECT_FALSE(untraced_run("tensortide run mlp", false).ok())
      << "this is no tensortide: it would start the tests again";
}

TEST(Trial, AChangeTakesThePlaceOfWhatTheCommandSaid) {
  const Words words{"run", "mlp", "--batch", "2", "--set", "dtype=f32", "--set", "input=16", "--threads=2"};
  EXPECT_EQ(*changed_words(words, RunChange::of_run("batch", "2", "8", 4)),
            (Words{"run", "mlp", "--set", "dtype=f32", "--set", "input=16", "--threads=2", "--batch", "8"}));
  EXPECT_EQ(*changed_words(words, RunChange::of_run("dtype", "f32", "bf16")),
            (Words{"run", "mlp", "--batch", "2", "--set", "input=16", "--threads=2", "--dtype", "bf16"}));
  EXPECT_EQ(*changed_words(words, RunChange::of_run("threads", "2", "1")),
            (Words{"run", "mlp", "--batch", "2", "--set", "dtype=f32", "--set", "input=16", "--threads", "1"}));
  EXPECT_EQ(changed_words(words, RunChange::of_workload("checkpointing", "none", "sqrt"))->back(),
            "checkpointing=sqrt");
  EXPECT_EQ(changed_words(words, RunChange::of_workload("overlap", "off", "on"))->back(), "overlap=on")
      << "a parameter of data_pipeline, no option";
  EXPECT_EQ(RunChange::of_workload("overlap", "off", "on").flag(), "--set overlap=on");
  const auto winograd = *changed_words(words, RunChange::of_run("winograd", "auto", "off"));
  EXPECT_EQ((Words{winograd.end() - 2, winograd.end()}), (Words{"--winograd", "off"}));
}

TEST(Trial, RunsPairsOfProcessesAndRemembersWhatCameOfThem) {
  tests::TemporaryFolder folder;
  TrialOptions o = options(folder, write_capture(folder, kCommand));
  o.output = folder / "changed.tide";
  std::vector<std::string> stages;
  std::vector<bool> changed_sides;
  int steps_seen = 0;
  const auto done = try_finding(
      o,
      [&](const TrialProgress& p) {
        if (p.steps == nullptr) stages.push_back(p.stage), changed_sides.push_back(p.changed);
        steps_seen += p.steps != nullptr ? p.steps->recent_steps : 0;
      },
      kGoOn);
  ASSERT_TRUE(done.ok()) << done.error().message;
  const profiler::AdviceTrial& t = done->trial;
  EXPECT_EQ(t.rule, "weights-reread");
  EXPECT_EQ(t.pairs, kFewestPairs);
  EXPECT_EQ(t.work_ratio, 4);
  EXPECT_NEAR(t.predicted_ratio(), 0.75, 0.01);
  EXPECT_GT(t.step_ns, 0);
  EXPECT_LE(t.obtained_low_ns, t.obtained_gain_ns);
  EXPECT_GE(t.obtained_high_ns, t.obtained_gain_ns);
  // Alternating, so that a drift does not favour one side.
  const std::string a = "without the change", b = "with --batch 8";
  EXPECT_EQ(stages, (Words{a, b, b, a, a, b}));
  EXPECT_EQ(changed_sides, (std::vector<bool>{false, true, true, false, false, true}));
  EXPECT_GE(steps_seen, 6 * 3) << "steps of the processes are passed on while they run";
  const auto changed = profiler::open_capture(o.output);
  ASSERT_TRUE(changed.ok()) << changed.error().message;
  EXPECT_EQ((*changed)->run().arguments.at("batch"), "8");
  EXPECT_EQ((*changed)->run().arguments.at("hidden"), "16,16");
  const auto ledger = profiler::read_ledger(o.ledger);
  ASSERT_EQ(ledger->trials.size(), 1u);
  EXPECT_EQ(ledger->trials[0].verdict, t.verdict);
}

TEST(Trial, AUsersOwnChangeIsPredictedFromTheRoofsAndJudged) {
  tests::TemporaryFolder folder;
  const auto file = folder / "run.tide";
  const Words run{"run",        "mlp", "--batch",  "512",      "--mode",     "training",
                  "--threads",  "1",   "--set",    "input=64", "--set",      "hidden=64,64,64,64",
                  "--steps",    "5",   "--warmup", "1",        "--no-probe", "-o",
                  file.string()};
  const auto recorded = run_child(kProgram, run, kGoOn);
  ASSERT_TRUE(recorded.ok());
  ASSERT_EQ(recorded->end, ChildOutcome::End::done) << recorded->message;
  TrialOptions o = options(folder, file);
  o.change = "checkpointing=sqrt";
  o.output = folder / "changed.tide";
  const auto done = try_finding(o, nullptr, kGoOn);
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(done->trial.rule, profiler::kOwnChange);
  EXPECT_EQ(done->trial.before, "none");
  EXPECT_EQ(done->trial.work_ratio, 1);
  ASSERT_EQ(done->finding.evidence.size(), 2u);
  EXPECT_LT(done->finding.evidence[1].value, done->finding.evidence[0].value)
      << "less memory is what checkpointing is for";
  const auto changed = profiler::open_capture(o.output);
  ASSERT_TRUE(changed.ok());
  EXPECT_EQ((*changed)->run().arguments.at("checkpointing"), "sqrt");
  const auto ledger = profiler::read_ledger(o.ledger);
  ASSERT_EQ(ledger->trials.size(), 1u);
  EXPECT_TRUE(profiler::advice_records(ledger->trials).empty()) << "no rule of ours gave this advice";

  const auto refusal = [&](const std::string& change) {
    o.change = change;
    const auto tried = try_finding(o, nullptr, kGoOn);
    return tried.ok() ? std::string() : tried.error().message;
  };
  EXPECT_NE(refusal("checkpoint=sqrt").find("did you mean \"checkpointing\""), std::string::npos);
  EXPECT_NE(refusal("checkpointing").find("name=value"), std::string::npos);
  EXPECT_NE(refusal("batch=512").find("is 512 already"), std::string::npos);
  EXPECT_NE(refusal("transfer=pageable").find("how NVIDIA's GPUs are given bytes"), std::string::npos)
      << refusal("transfer=pageable");
}

TEST(Trial, CheckpointingIsProposedForMemoryAndJudgedByIt) {
  tests::TemporaryFolder folder;
  const auto file = folder / "run.tide";
  const Words run{"run",        "mlp",      "--batch",    "512",
                  "--mode",     "training", "--threads",  "1",
                  "--set",      "input=32", "--set",      "hidden=32,32,32,32,32,32,32,32,32,32,32,32,32,32,32",
                  "--steps",    "5",        "--warmup",   "1",
                  "--no-probe", "-o",       file.string()};
  const auto recorded = run_child(kProgram, run, kGoOn);
  ASSERT_TRUE(recorded.ok());
  ASSERT_EQ(recorded->end, ChildOutcome::End::done) << recorded->message;
  const auto list = profiler::findings(*profiler::analyze(*profiler::open_capture(file)));
  const auto kept = std::ranges::find(list, "activations-kept", &profiler::RunFinding::rule);
  ASSERT_NE(kept, list.end());
  EXPECT_GT(kept->saved_bytes, 0);
  EXPECT_LT(kept->gain_ns, 0) << "it costs a forward pass";
  ASSERT_TRUE(kept->change);
  EXPECT_EQ(kept->change->flag(), "--set checkpointing=sqrt");
  TrialOptions o = options(folder, file);
  o.finding = static_cast<int>(kept - list.begin()) + 1;
  const auto done = try_finding(o, nullptr, kGoOn);
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_TRUE(done->trial.for_memory());
  EXPECT_DOUBLE_EQ(done->trial.predicted_saved_bytes, kept->saved_bytes);
  EXPECT_TRUE(done->trial.right()) << done->trial.obtained_saved_bytes << " of " << kept->saved_bytes;
  EXPECT_LT(done->trial.kept(), 2);
}

TEST(Trial, HowBusyTheMachineWasIsTheMostAnyProcessSawOrUnknown) {
  tests::TemporaryFolder folder;
  // A program that takes no time: it hands out captures that say what they are told to.
  const auto load_of_trial = [&](const std::vector<double>& loads) {
    for (size_t i = 0; i < 2 * static_cast<size_t>(kFewestPairs); ++i) {
      tests::OpLab lab(1);
      lab.op("relu", {lab.tensor(64)}, {lab.tensor(64)}, 1e3, 1e6);
      lab.builder().honesty().foreign_load_ratio = loads[i % loads.size()];
      EXPECT_TRUE(profiler::save_capture(*lab.finish(), folder / ("answer" + std::to_string(i) + ".tide")).ok());
    }
    TrialOptions o = options(folder, write_capture(folder, kCommand));
    o.program = folder / "program.sh";
    std::ofstream(o.program)
        << "#!/bin/sh\ncd '" << folder.path().string() << "'\nn=$(ls taken* 2>/dev/null | wc -l)\n: > taken$n\n"
        << "while [ $# -gt 1 ]; do [ \"$1\" = -o ] && cp answer$n.tide \"$2\"; shift; done\nexit 0\n";
    std::filesystem::permissions(o.program, std::filesystem::perms::owner_all);
    const auto done = try_finding(o, nullptr, kGoOn);
    EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.error().message);
    for (int i = 0; i < 2 * kFewestPairs; ++i) std::filesystem::remove(folder / ("taken" + std::to_string(i)));
    return done.ok() ? done->foreign_load_ratio : -1;
  };
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(load_of_trial({unknown}))) << "nobody knew: that is no load of 0";
  EXPECT_EQ(load_of_trial({0.02, unknown, 0.3}), 0.3);
  EXPECT_EQ(load_of_trial({unknown, 0.0}), 0.0);
}

TEST(Trial, SaysWhyACaptureCannotBeTried) {
  tests::TemporaryFolder folder;
  const auto refusal = [&](const std::filesystem::path& capture, int finding = 0, int pairs = kFewestPairs) {
    TrialOptions o = options(folder, capture);
    o.finding = finding, o.pairs = pairs;
    const auto done = try_finding(o, nullptr, kGoOn);
    return done.ok() ? std::string() : done.error().message;
  };
  EXPECT_NE(refusal(folder / "none.tide").find("none.tide"), std::string::npos);
  EXPECT_NE(refusal(write_capture(folder, kCommand), 99).find("there is no finding 99; there are 1 to"),
            std::string::npos);
  EXPECT_NE(refusal(write_capture(folder, kCommand), 0, 1).find("[--pairs] 1"), std::string::npos);
  EXPECT_NE(refusal(write_capture(folder, "python train.py")).find("cannot be run again"), std::string::npos);
  EXPECT_NE(refusal(write_capture(folder, kCommand, "PyTorch (Kineto) trace")).find("another tool"), std::string::npos);
  // The child's own refusal comes through.
  EXPECT_NE(refusal(write_capture(folder, "tensortide run nosuch --batch 2")).find("nosuch"), std::string::npos);
  EXPECT_TRUE(profiler::read_ledger(folder / "advice.jsonl")->trials.empty())
      << "nothing is remembered of trials that were none";
}

TEST(Trial, StoppedBeforeTheFirstPairNothingIsLearnt) {
  tests::TemporaryFolder folder;
  const std::atomic<bool> stop{true};
  const auto done = try_finding(options(folder, write_capture(folder, kCommand)), nullptr, stop);
  ASSERT_FALSE(done.ok());
  EXPECT_NE(done.error().message.find("stopped"), std::string::npos);
}

/// One pair has no scatter: whatever it says, it says with certainty.
TEST(Trial, StoppedBeforeTheFewestPairsNothingIsSaid) {
  tests::TemporaryFolder folder;
  tests::OpLab lab(5);
  lab.op("relu", {lab.tensor(64)}, {lab.tensor(64)}, 1e3, 1e6);
  ASSERT_TRUE(profiler::save_capture(*lab.finish(), folder / "answer.tide").ok());
  for (const int stopped_in : {2, 3}) {
    TrialOptions o = options(folder, write_capture(folder, kCommand));
    o.change = "threads=2";
    o.program = folder / "program.sh";
    std::ofstream(o.program) << "#!/bin/sh\ncd '" << folder.path().string()
                             << "'\nwhile [ $# -gt 1 ]; do [ \"$1\" = -o ] && cp answer.tide \"$2\"; shift; done\n";
    std::filesystem::permissions(o.program, std::filesystem::perms::owner_all);
    std::atomic<bool> stop = false;
    const auto done = try_finding(
        o, [&](const TrialProgress& p) { stop = stop || p.pair == stopped_in; }, stop);
    ASSERT_FALSE(done.ok()) << stopped_in;
    EXPECT_NE(done.error().message.find("stopped after"), std::string::npos) << done.error().message;
  }
  TrialOptions nothing = options(folder, write_capture(folder, kCommand));
  nothing.change = "device=null";
  const auto done = try_finding(nothing, nullptr, kGoOn);
  ASSERT_FALSE(done.ok());
  EXPECT_NE(done.error().message.find("computes nothing"), std::string::npos) << done.error().message;
}

}  // namespace
}  // namespace app
