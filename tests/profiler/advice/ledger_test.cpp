// SPDX-License-Identifier: Apache-2.0
// What was tried is read as it was written, damaged lines are counted, and rules are held against what came of them.
#include "profiler/advice/ledger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include "profiler/analysis/step_shares.h"
#include "tests/support/op_lab.h"
#include "tests/support/temporary_folder.h"

namespace profiler {
namespace {

AdviceTrial trial(const std::string& rule, ChangeClass verdict, double predicted = 0.4, double obtained = 0.3) {
  AdviceTrial t;
  t.tried_at = "2026-01-02T03:04:05+00:00";
  t.machine = "Lab \"CPU\"";
  t.workload = "MLP";
  t.command = "tensortide run mlp --batch 4";
  t.rule = rule;
  t.option = "batch", t.before = "4", t.value = "16";
  t.work_ratio = 4;
  t.captured_step_ns = 1000, t.predicted_gain_ns = 1000 * predicted;
  t.step_ns = 2000, t.obtained_gain_ns = 2000 * obtained, t.obtained_low_ns = 2000 * (obtained - 0.1),
  t.obtained_high_ns = 2000 * (obtained + 0.1);
  t.probability = 0.001;
  t.pairs = 5;
  t.verdict = verdict;
  return t;
}

TEST(Ledger, ReadsWhatWasAppended) {
  tests::TemporaryFolder folder;
  const auto file = folder / "tensortide" / "advice.jsonl";
  EXPECT_TRUE(read_ledger(file)->trials.empty()) << "none yet";
  ASSERT_TRUE(append_trial(file, trial("memory-bound", ChangeClass::faster)).ok());
  AdviceTrial unknown = trial("fuse", ChangeClass::unsure);
  unknown.predicted_gain_ns = std::numeric_limits<double>::quiet_NaN();
  ASSERT_TRUE(append_trial(file, unknown).ok());
  const auto ledger = read_ledger(file);
  ASSERT_TRUE(ledger.ok());
  ASSERT_EQ(ledger->trials.size(), 2u);
  const AdviceTrial& t = ledger->trials[0];
  EXPECT_EQ(t.machine, "Lab \"CPU\"");
  EXPECT_EQ(t.rule, "memory-bound");
  EXPECT_EQ(t.value, "16");
  EXPECT_EQ(t.pairs, 5);
  EXPECT_EQ(t.verdict, ChangeClass::faster);
  EXPECT_DOUBLE_EQ(t.predicted_ratio(), 0.4);
  EXPECT_DOUBLE_EQ(t.obtained_ratio(), 0.3);
  EXPECT_DOUBLE_EQ(t.obtained_high_ns, 800);
  EXPECT_TRUE(std::isnan(ledger->trials[1].predicted_gain_ns)) << "unknown stays unknown";
  EXPECT_EQ(ledger->unreadable, 0);
}

TEST(Ledger, ATrialIsFoundAgainByItsCapture) {
  tests::OpLab lab;
  lab.builder().run().command = "tensortide run mlp --batch 4";
  lab.op("relu", {lab.tensor(4096)}, {lab.tensor(4096)}, 0, 1e6);
  const auto capture = lab.finish();
  RunFinding finding;
  finding.rule = "memory-bound";
  finding.change = RunChange::of_run("batch", "4", "16", 4);
  std::vector<AdviceTrial> trials(3, trial("memory-bound", ChangeClass::faster));
  EXPECT_EQ(trial_of(trials, *capture, finding), nullptr) << "of another capture of the same command";
  for (AdviceTrial& t : trials) t.captured_step_ns = median_step_ns(*capture);
  trials[2].value = "8";
  EXPECT_EQ(trial_of(trials, *capture, finding), &trials[1]) << "the newest of this change";
  trials[1].command = "tensortide run mlp --batch 4 --threads 2";
  EXPECT_EQ(trial_of(trials, *capture, finding), &trials[0]);
  finding.change.reset();
  EXPECT_EQ(trial_of(trials, *capture, finding), nullptr);
}

TEST(Ledger, DamagedLinesAreCountedAndTheOthersKept) {
  tests::TemporaryFolder folder;
  const auto file = folder / "advice.jsonl";
  ASSERT_TRUE(append_trial(file, trial("memory-bound", ChangeClass::same)).ok());
  std::ofstream(file, std::ios::app) << "{\"rule\": 3}\nnot json\n[]\n\n{\"rule\": \"x\", \"verdict\": \"PERHAPS\"}\n";
  ASSERT_TRUE(append_trial(file, trial("fuse", ChangeClass::slower)).ok());
  const auto ledger = read_ledger(file);
  ASSERT_TRUE(ledger.ok());
  EXPECT_EQ(ledger->trials.size(), 2u);
  EXPECT_EQ(ledger->unreadable, 4);
}

TEST(Ledger, EveryFieldIsNeeded) {
  tests::TemporaryFolder folder;
  const auto file = folder / "advice.jsonl";
  ASSERT_TRUE(append_trial(file, trial("memory-bound", ChangeClass::faster)).ok());
  const std::string whole = tests::read_bytes(file);
  int fields = 0;
  for (size_t at = whole.find("\":"); at != std::string::npos; at = whole.find("\":", at + 1)) {
    std::string broken = whole;
    if (whole.substr(0, at).ends_with("_saved_bytes")) continue;  // earlier versions did not write them
    broken.insert(at, "_");
    std::ofstream(file, std::ios::trunc) << broken;
    EXPECT_EQ(read_ledger(file)->unreadable, 1) << broken;
    ++fields;
  }
  EXPECT_GE(fields, 19);
}

TEST(Ledger, LinesOfEarlierVersionsAreRead) {
  tests::TemporaryFolder folder;
  const auto file = folder / "advice.jsonl";
  ASSERT_TRUE(append_trial(file, trial("memory-bound", ChangeClass::faster)).ok());
  std::string line = tests::read_bytes(file);
  for (const char* key : {"\"obtained_saved_bytes\":0.0,", "\"predicted_saved_bytes\":0.0,"}) {
    ASSERT_NE(line.find(key), std::string::npos) << line;
    line.erase(line.find(key), std::string(key).size());
  }
  std::ofstream(file, std::ios::trunc) << line;
  const auto ledger = read_ledger(file);
  ASSERT_EQ(ledger->trials.size(), 1u);
  EXPECT_FALSE(ledger->trials[0].for_memory());
  std::ofstream(file, std::ios::trunc) << line.insert(1, "\"predicted_saved_bytes\":\"much\",");
  EXPECT_EQ(read_ledger(file)->unreadable, 1);
}

TEST(Ledger, AdviceForMemoryIsRightWhereItFreedHalfOfItWhateverTheTime) {
  tests::TemporaryFolder folder;
  const auto file = folder / "advice.jsonl";
  for (const double freed : {600e6, 400e6}) {
    AdviceTrial t = trial("activations-kept", ChangeClass::slower, -0.3, -0.25);
    t.predicted_saved_bytes = 1e9, t.obtained_saved_bytes = freed;
    ASSERT_TRUE(append_trial(file, t).ok());
  }
  const auto ledger = read_ledger(file);
  ASSERT_EQ(ledger->trials.size(), 2u);
  EXPECT_TRUE(ledger->trials[0].right());
  EXPECT_FALSE(ledger->trials[1].right());
  const auto records = advice_records(ledger->trials);
  EXPECT_EQ(records[0].right, 1);
  EXPECT_EQ(records[0].wrong, 1);
  EXPECT_DOUBLE_EQ(records[0].kept_ratio, 0.5);
  const Table table = trials_table(*ledger);
  const auto saved = std::ranges::find(table.columns, "saved_bytes", &Column::key);
  EXPECT_EQ(std::get<double>(table.rows[0][static_cast<size_t>(saved - table.columns.begin())]), 400e6)
      << "the newest first";
}

TEST(Ledger, RefusesWhatIsNoFile) {
  tests::TemporaryFolder folder;
  EXPECT_FALSE(read_ledger(folder.path()).ok()) << "a folder";
  EXPECT_FALSE(append_trial(folder.path(), trial("fuse", ChangeClass::same)).ok());
  EXPECT_FALSE(append_trial({}, trial("fuse", ChangeClass::same)).ok()) << "no home";
}

TEST(Ledger, RulesAreRightWhereItBecameFasterAndUndecidedTrialsCountForNeither) {
  const std::vector<AdviceTrial> trials{
      trial("memory-bound", ChangeClass::faster, 0.4, 0.2), trial("memory-bound", ChangeClass::faster, 0.4, 0.4),
      trial("memory-bound", ChangeClass::same, 0.4, 0.0), trial("memory-bound", ChangeClass::unsure, 0.4, 0.1),
      trial("idle-cores", ChangeClass::slower, 0.4, -0.4)};
  const auto records = advice_records(trials);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].rule, "memory-bound");
  EXPECT_EQ(records[0].trials, 4);
  EXPECT_EQ(records[0].right, 2);
  EXPECT_EQ(records[0].wrong, 1);
  EXPECT_DOUBLE_EQ(records[0].kept_ratio, 0.5) << "of 0.5, 1 and 0";
  EXPECT_EQ(records[1].rule, "idle-cores");
  EXPECT_EQ(records[1].wrong, 1);
  EXPECT_EQ(records[2].rule, "all");
  EXPECT_EQ(records[2].trials, 5);
  EXPECT_EQ(record_text(records, "memory-bound"), "right in 2 of 3 trials");
  EXPECT_EQ(record_text(records, "fuse"), "");
  const AdviceLedger ledger{trials, 0};
  EXPECT_EQ(advice_table(ledger).rows.size(), 3u);
  EXPECT_EQ(std::get<std::string>(trials_table(ledger).rows[0][1]), "idle-cores") << "newest first";
}

}  // namespace
}  // namespace profiler
