// SPDX-License-Identifier: Apache-2.0
// A/A and planted slowdowns with the noise measured between processes on a busy machine; sentences, bytes, per sample.
#include "profiler/compare/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "profiler/compare/judge.h"
#include "profiler/compare/words.h"
#include "profiler/machine/roofs_trust.h"
#include "tests/support/op_lab.h"
#include "tests/support/sample_capture.h"

namespace profiler {
namespace {

using tests::SampleOps;

std::shared_ptr<const Analyzed> sample() {
  static const auto analyzed = analyze(tests::sample_capture());
  return analyzed;
}

/// `count` processes of the sample, `factor` times slower in one op. Noise as measured on mlp with one thread, 15 other
/// programs running on 2 cores: 2 % for ops over 100 us, 8 % below, 2 % common to a process.
CompareSide simulated(std::mt19937& random, int count, OpId slow = kNoOp, double factor = 1) {
  const ProcessTimes truth = process_times(*sample()->capture);
  CompareSide side{"sample", sample(), {}};
  std::normal_distribution<double> noise(0, 1);
  for (int i = 0; i < count; ++i) {
    ProcessTimes times = truth;
    const double common = std::exp(0.02 * noise(random));
    times.step_ns = 0;
    for (OpId op = 0; op < times.op_ns.size(); ++op) {
      double& ns = times.op_ns[op];
      if (std::isnan(ns)) continue;
      ns *= common * std::exp((ns > 1e5 ? 0.02 : 0.08) * noise(random)) * (op == slow ? factor : 1);
      times.step_ns += ns;
    }
    side.processes.push_back(times);
  }
  return side;
}

bool called(const Change& change) {
  return change.verdict == ChangeClass::faster || change.verdict == ChangeClass::slower;
}

TEST(Comparison, ARunAgainstItselfIsTheSame) {
  std::mt19937 random(5);
  int same = 0, called_any = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Comparison c = compare(simulated(random, 14), simulated(random, 14));
    same += c.total.change.verdict == ChangeClass::same;
    bool any = called(c.total.change);
    for (const CompareRow& row : c.rows) any = any || called(row.change);
    called_any += any;
  }
  EXPECT_GE(same, 198);
  EXPECT_LE(called_any, 2);
}

/// Eager against static: no op is slower, and what is between them is.
TEST(Comparison, WhatPassesBetweenOpsHasARowAndIsSaid) {
  std::mt19937 random(5);
  const CompareSide before = simulated(random, 14);
  CompareSide after = simulated(random, 14);
  for (ProcessTimes& process : after.processes) process.step_ns *= 1.4;
  const Comparison c = compare(before, after);
  EXPECT_GT(c.between_ratio(), 0.8);
  EXPECT_NE(c.sentence.find("nearly all of it between ops"), std::string::npos) << c.sentence;
  const Table table = compare_table(c);
  EXPECT_EQ(std::get<std::string>(table.rows[1][0]), "(between ops)");
  EXPECT_EQ(table.rows.size(), c.rows.size() + 2);
  EXPECT_EQ(table.row_ops.size(), table.rows.size());
  EXPECT_EQ(compare_table(compare(before, before)).rows.size(), c.rows.size() + 1) << "none where nothing changed";
}

/// Sides of one process each, whose steps scattered so much; `load` beside the second.
Comparison single(double factor, double noise, double load) {
  std::mt19937 random(7);
  CompareSide before = simulated(random, 1), after = simulated(random, 1);
  for (double& ns : after.processes[0].op_ns) ns *= factor;
  after.processes[0].step_ns *= factor;
  for (CompareSide* side : {&before, &after}) {
    side->processes[0].step_noise = noise;
    side->processes[0].op_noise.assign(side->processes[0].op_ns.size(), noise);
  }
  after.processes[0].foreign_load_ratio = load;
  return compare(before, after);
}

TEST(Comparison, SingleProcessesAreJudgedByTheirScatterAndNotByTheLoad) {
  EXPECT_EQ(single(2.8, 0.01, 0.0).total.change.verdict, ChangeClass::slower);
  const Comparison clean = single(2.8, 0.01, 0.7);
  EXPECT_EQ(clean.total.change.verdict, ChangeClass::slower) << "a load that did nothing to the steps";
  EXPECT_TRUE(std::ranges::any_of(clean.rows, [](const CompareRow& row) { return called(row.change); }));
  EXPECT_EQ(std::ranges::count(clean.notes, "Background load: 70 % of the processors beside 1 of 2 processes."), 1)
      << "said once";
  for (const double load : {0.0, 0.7}) {
    const Comparison scattered = single(2.8, 0.8, load);
    EXPECT_EQ(scattered.total.change.verdict, ChangeClass::unsure);
    EXPECT_NE(scattered.sentence.find("one process each, with a noise of 80.0 % from process to process (assumed)."),
              std::string::npos)
        << scattered.sentence;
    for (const CompareRow& row : scattered.rows) EXPECT_FALSE(called(row.change)) << row.name;
  }
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(single(2.8, unknown, 0.7).total.change.verdict, ChangeClass::unsure)
      << "one step beside a load: what it did is unknown";
}

TEST(Comparison, ASideThatWaitedForItsProcessorsIsTrustedLess) {
  std::mt19937 random(7);
  const auto sides = [&](int processes, double queued, double load) {
    CompareSide before = simulated(random, processes), after = simulated(random, processes);
    for (CompareSide* side : {&before, &after}) {
      for (ProcessTimes& process : side->processes)
        process.step_noise = 0.01, process.op_noise.assign(process.op_ns.size(), 0.01);
    }
    for (ProcessTimes& process : after.processes) {
      for (double& ns : process.op_ns) ns *= 1.7;
      process.step_ns *= 1.7, process.queued_ratio = queued, process.foreign_load_ratio = load;
    }
    return compare(before, after);
  };
  for (const int processes : {1, 10}) {
    EXPECT_EQ(sides(processes, 0.1, 0.96).total.change.verdict, ChangeClass::slower) << "below the threshold";
    EXPECT_EQ(sides(processes, 0.48, 0.05).total.change.verdict, ChangeClass::slower) << "nobody else held a processor";
    const Comparison waited = sides(processes, 0.48, 0.96);
    EXPECT_EQ(waited.total.change.verdict, ChangeClass::unsure)
        << "it may be the waiting alone, however many processes met it";
    for (const CompareRow& row : waited.rows) EXPECT_FALSE(called(row.change)) << row.name;
    EXPECT_TRUE(std::ranges::any_of(waited.notes, [](const std::string& note) {
      return note.starts_with("After: threads of ") && note.find("48 % of a step") != std::string::npos;
    }));
  }
}

/// Waiting counts once: as the noise of single processes, or as an error common to several.
TEST(Comparison, WaitingOfSingleProcessesIsTheirNoiseAlone) {
  const auto width = [](double before_queued, double after_queued) {
    std::mt19937 random(7);
    CompareSide before = simulated(random, 1), after = simulated(random, 1);
    before.processes[0].queued_ratio = before_queued, after.processes[0].queued_ratio = after_queued;
    before.processes[0].foreign_load_ratio = after.processes[0].foreign_load_ratio = 0.96;
    before.processes[0].step_noise = after.processes[0].step_noise = 0.01;
    const Change change = compare(before, after).total.change;
    return std::log(change.high / change.low);
  };
  EXPECT_NEAR(width(0, 0.48), width(0.48, 0.48), 1e-9);
  EXPECT_GT(width(0, 0.48), 2 * width(0, 0));
}

TEST(Comparison, PairsOfRoundsCancelWhatSlowedBoth) {
  std::mt19937 random(11);
  std::normal_distribution<double> noise(0, 1);
  // A neighbour that makes whole rounds up to several times as long.
  const auto rounds = [&](double factor, bool in_turn) {
    CompareSide before = simulated(random, 10), after = simulated(random, 10);
    for (size_t i = 0; i < 10; ++i) {
      const double slow = std::exp(0.5 * noise(random));
      before.processes[i].step_ns *= slow, after.processes[i].step_ns *= slow * factor;
      before.processes[i].began_ns = static_cast<double>(2 * i),
      after.processes[i].began_ns = static_cast<double>(in_turn ? 2 * i + 1 : 100 + i);
    }
    return compare(before, after).total.change;
  };
  int found = 0, unpaired = 0, false_ones = 0;
  for (int trial = 0; trial < 200; ++trial) {
    found += rounds(1.15, true).verdict == ChangeClass::slower;
    unpaired += rounds(1.15, false).verdict == ChangeClass::slower;
    false_ones += called(rounds(1, true));
  }
  EXPECT_GE(found, 195);
  EXPECT_LE(unpaired, 10) << "one side after the other has no pairs";
  EXPECT_LE(false_ones, 3) << "of 200 equal runs";
}

TEST(Comparison, HowProcessesRanDecidesTheTestAndNotWhichNoiseIsSmaller) {
  std::mt19937 random(3);
  for (const bool alike : {true, false}) {
    CompareSide before = simulated(random, 6), after = simulated(random, 6);
    std::vector<double> from, to;
    for (size_t i = 0; i < 6; ++i) {
      const double swing = i % 2 == 0 ? 1.1 : 0.9;
      before.processes[i].step_ns = 1e6 * swing, after.processes[i].step_ns = 1e6 * (alike ? swing : 2 - swing) * 1.001;
      before.processes[i].began_ns = static_cast<double>(2 * i),
      after.processes[i].began_ns = static_cast<double>(2 * i + 1);
      from.push_back(before.processes[i].step_ns), to.push_back(after.processes[i].step_ns);
    }
    const double paired = judge_pairs(from, to).noise, apart = judge_change(from, to).noise;
    EXPECT_EQ(paired < apart, alike) << "either may be the smaller";
    EXPECT_DOUBLE_EQ(compare(before, after).total.change.noise, paired);
    for (size_t i = 0; i < 6; ++i) after.processes[i].began_ns = static_cast<double>(100 + i);
    EXPECT_DOUBLE_EQ(compare(before, after).total.change.noise, apart);
  }
}

TEST(Comparison, ARunThatComputesNothingIsNoFasterRun) {
  CaptureBuilder builder = tests::sample_builder();
  builder.run().device = "null";
  auto capture = builder.finish();
  ASSERT_TRUE(capture.ok());
  std::mt19937 random(5);
  const CompareSide before = simulated(random, 3), after = side_of("empty", analyze(*std::move(capture)));
  EXPECT_NE(compare(before, after).sentence.find("empty computed nothing"), std::string::npos)
      << compare(before, after).sentence;
  EXPECT_NE(compare(after, before).sentence.find("empty computed nothing"), std::string::npos);
  EXPECT_EQ(compare(after, after).sentence.find("computed nothing"), std::string::npos)
      << "two of a kind can be compared";
}

TEST(Comparison, AFivePercentSlowdownOfOneOpIsFoundAndNamed) {
  std::mt19937 random(6);
  int found = 0, named = 0, others = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const Comparison c = compare(simulated(random, 20), simulated(random, 20, SampleOps::conv_weight_gradient, 1.05));
    for (const CompareRow& row : c.rows) {
      const bool planted = row.match.after == std::vector<OpId>{SampleOps::conv_weight_gradient};
      found += planted && row.change.verdict == ChangeClass::slower;
      others += !planted && called(row.change);
      if (planted)
        named += c.sentence.find(row.name + " takes ") != std::string::npos &&
                 c.sentence.find("at the same bytes") != std::string::npos;
    }
  }
  EXPECT_GE(found, 90);
  EXPECT_EQ(found, named);
  EXPECT_LE(others, 1);
}

TEST(Comparison, AShiftCommonToAProcessDoesNotHideAnOp) {
  // 9 % from process to process, as neighbours on the same core make it, and 1 % of the op's own. Three ops: what one
  // gains must not be put on the others as a loss.
  std::mt19937 random(9);
  int found = 0, others = 0, shifted = 0;
  for (int trial = 0; trial < 100; ++trial) {
    std::normal_distribution<double> noise(0, 1);
    std::vector<OpSamples> ops(3);
    for (size_t i = 0; i < ops.size(); ++i) ops[i].share = std::array{0.5, 0.3, 0.2}[i];
    for (int p = 0; p < 24; ++p) {
      const double common = std::exp(0.09 * noise(random));
      for (size_t i = 0; i < ops.size(); ++i) {
        const bool after = p % 2 == 1;
        (after ? ops[i].after : ops[i].before)
            .push_back(1e6 * common * std::exp(0.01 * noise(random)) * (after && i == 0 ? 1.05 : 1));
      }
    }
    const OpJudgements judged = judge_ops(ops, {});
    shifted += judged.shift.has_value();
    found += judged.changes[0].verdict == ChangeClass::slower;
    for (size_t i = 1; i < ops.size(); ++i) others += called(judged.changes[i]);
  }
  EXPECT_GE(shifted, 98);
  EXPECT_GE(found, 95);
  EXPECT_LE(others, 2);
}

TEST(Comparison, OneProcessEachFindsLargeChangesOnly) {
  CompareSide before = side_of("a", sample()), after = side_of("b", sample());
  EXPECT_EQ(compare(before, after).total.change.verdict, ChangeClass::unsure);
  EXPECT_TRUE(compare(before, after).total.change.noise_assumed);
  for (double& ns : after.processes[0].op_ns) ns *= 3;
  after.processes[0].step_ns *= 3;
  const Comparison c = compare(before, after);
  EXPECT_EQ(c.total.change.verdict, ChangeClass::slower);
  EXPECT_EQ(c.sentence.find("3 times slower"), 0u) << c.sentence;
  EXPECT_TRUE(c.total.change.noise_assumed);
}

TEST(Comparison, WhatIsCommonToAllOpsIsNotPutOnOne) {
  std::mt19937 random(8);
  const CompareSide before = simulated(random, 10);
  CompareSide after = before;
  for (ProcessTimes& times : after.processes) {
    times.step_ns *= 1.12;
    for (double& ns : times.op_ns) ns *= 1.12;
  }
  const Comparison c = compare(before, after);
  EXPECT_EQ(c.total.change.verdict, ChangeClass::slower);
  EXPECT_NEAR(c.total.change.ratio, 1.12, 1e-9);
}

TEST(Comparison, BatchesAreComparedPerSample) {
  tests::OpLab small, large;
  for (auto [lab, batch] : {std::pair(&small, 1), std::pair(&large, 4)}) {
    lab->builder().run().arguments["batch"] = std::to_string(batch);
    lab->op("relu", {lab->tensor(4096 * batch)}, {lab->tensor(4096 * batch)}, 100.0 * batch, 1e6 * batch);
  }
  const Comparison c = compare(side_of("1", analyze(small.finish())), side_of("4", analyze(large.finish())));
  EXPECT_TRUE(c.per_sample);
  EXPECT_NEAR(c.rows[0].change.ratio, 1, 1e-6);
  EXPECT_EQ(c.rows[0].compulsory.before, 8192);
  EXPECT_EQ(c.rows[0].compulsory.after, 8192);
  EXPECT_EQ(c.rows[0].after_flops, 100);
}

TEST(Comparison, BytesThatChangeExplainTheTime) {
  tests::OpLab before, after;
  before.op("relu", {before.tensor(64 << 20)}, {before.tensor(64 << 20)}, 0, 1e6);
  after.op("relu", {after.tensor(256 << 20)}, {after.tensor(256 << 20)}, 0, 4e6);
  const Comparison c = compare(side_of("small", analyze(before.finish())), side_of("large", analyze(after.finish())));
  EXPECT_EQ(c.rows[0].compulsory.after, 4 * c.rows[0].compulsory.before);
  EXPECT_NE(c.sentence.find("times the bytes"), std::string::npos) << c.sentence;
  ASSERT_FALSE(c.rows[0].notes.empty());
  EXPECT_NE(c.rows[0].notes[0].find("result f32 16777216 → f32 67108864"), std::string::npos) << c.rows[0].notes[0];
}

TEST(Comparison, RepeatsMustBeOfTheSameGraph) {
  CompareSide side = side_of("sample", sample());
  EXPECT_TRUE(add_repeat(side, "again", *tests::sample_capture()).ok());
  EXPECT_EQ(side.processes.size(), 2u);
  tests::OpLab lab;
  lab.op("relu", {lab.tensor(64)}, {lab.tensor(64)});
  const auto refused = add_repeat(side, "other", *lab.finish());
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("is no repeat of sample"), std::string::npos);
  EXPECT_EQ(side.processes.size(), 2u);
}

TEST(Comparison, TheTableHoldsTheStepAndEveryOpThatRuns) {
  const Comparison c = compare(side_of("a", sample()), side_of("b", sample()));
  const Table table = compare_table(c);
  ASSERT_EQ(table.rows.size(), 1 + SampleOps::count - 1) << "the view has no row";
  ASSERT_EQ(table.row_ops.size(), table.rows.size());
  for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size());
  double shares = 0;
  for (const CompareRow& row : c.rows) shares += row.share;
  EXPECT_GT(shares, 0.8);
  EXPECT_LE(shares, 1 + 1e-9);
}

TEST(Comparison, TheProcessIsItsOpsAndWhatPassesOutside) {
  const ProcessTimes times = process_times(*tests::sample_capture());
  double sum = 0;
  for (const double ns : times.op_ns) sum += std::isnan(ns) ? 0 : ns;
  EXPECT_TRUE(std::isnan(times.op_ns[SampleOps::flatten]));
  EXPECT_GE(times.step_ns, sum);
  EXPECT_LT(times.step_ns, 1.5 * sum);
}

TEST(Comparison, ChangesInWords) {
  EXPECT_EQ(change_words(1.052), "+5.2 %");
  EXPECT_EQ(change_words(0.95), "−5.0 %");
  EXPECT_EQ(change_words(2.5), "2.5x");
  EXPECT_EQ(change_words(0.25), "0.25x");
  EXPECT_EQ(change_words(std::nan("")), "–");
}

TEST(Comparison, TheHeadlineIsOneShortLine) {
  const auto headline = [](double ratio, ChangeClass verdict) {
    tests::OpLab one, other;
    for (tests::OpLab* lab : {&one, &other}) lab->op("relu", {lab->tensor(4096)}, {lab->tensor(4096)}, 0, 1e6, 0, "a");
    Comparison c = compare(side_of("a", analyze(one.finish())), side_of("b", analyze(other.finish())));
    c.total.change.ratio = ratio;
    c.total.change.verdict = verdict;
    return comparison_headline(c);
  };
  EXPECT_EQ(headline(0.9, ChangeClass::unsure), "10 % faster, not certain");
  EXPECT_EQ(headline(1.002, ChangeClass::unsure), "About the same time, not certain");
  EXPECT_EQ(headline(0.9, ChangeClass::faster), "10 % faster");
  EXPECT_EQ(headline(1.25, ChangeClass::slower), "25 % slower");
  EXPECT_EQ(headline(4, ChangeClass::slower), "4 times slower");
  EXPECT_EQ(headline(1.01, ChangeClass::same), "The same time");
}

TEST(Comparison, DifferentWorkIsSaid) {
  tests::OpLab one, other;
  for (const char* type : {"conv2d", "relu", "matmul"})
    one.op(type, {one.tensor(4096)}, {one.tensor(4096)}, 0, 1e6, 0, "a");
  for (const char* type : {"softmax", "lstm", "gather"})
    other.op(type, {other.tensor(4096)}, {other.tensor(4096)}, 0, 2e6, 0, "b");
  other.builder().machine().foreign_load_ratio = 0.5;
  const Comparison c = compare(side_of("a", analyze(one.finish())), side_of("b", analyze(other.finish())));
  EXPECT_TRUE(c.different_work());
  EXPECT_EQ(c.before_ops, 3u);
  EXPECT_EQ(c.after_matched, 0u);
  EXPECT_EQ(c.sentence,
            "Few ops match (0 of 3 before, 0 of 3 after), so the totals compare different work: the step takes 3.00 ms "
            "before and 6.00 ms after.");
  EXPECT_TRUE(std::ranges::any_of(
      c.notes, [](const std::string& n) { return n.starts_with("After: Roofs measured on a busy machine"); }));
}

TEST(Comparison, InferenceAgainstTrainingIsTheSameWorkAndMore) {
  tests::OpLab one, other;
  for (tests::OpLab* lab : {&one, &other}) {
    for (const char* type : {"conv2d", "matmul"})
      lab->op(type, {lab->tensor(4096)}, {lab->tensor(4096)}, 0, 1e6, 0, "net");
  }
  for (int i = 0; i < 6; ++i) other.op("grad", {other.tensor(4096)}, {other.tensor(4096)}, 0, 1e6, 0, "net");
  const Comparison c = compare(side_of("a", analyze(one.finish())), side_of("b", analyze(other.finish())));
  EXPECT_EQ(c.before_matched, 2u);
  EXPECT_EQ(c.after_matched, 2u);
  EXPECT_FALSE(c.different_work()) << "all of the one stands in the other";
}

struct ForeignOp {
  std::string type, shapes;
  Phase phase = Phase::forward;
  int64_t ns = 0;  ///< 0: never timed
};

/// A trace of another tool: no operands, an op's shapes in its name.
CompareSide foreign(const std::vector<ForeignOp>& ops) {
  CaptureBuilder builder;
  builder.run().source = "PyTorch (Kineto) trace";
  builder.run().workload = "trace.json";
  builder.add_track({});
  int64_t now = 0;
  for (const ForeignOp& op : ops) {
    const std::string suffix = op.phase == Phase::forward ? "" : " (backward)";
    const OpId id = builder.add_op({.name = builder.intern(op.type + op.shapes + suffix),
                                    .type = builder.intern(op.type),
                                    .phase = op.phase,
                                    .flops = std::nan("")},
                                   {});
    Activity a;
    a.start_ns = now, a.duration_ns = op.ns, a.op = id, a.step = 0;
    if (op.ns > 0) builder.add_activity(a);
    now += op.ns;
  }
  builder.add_step({0, 0, now, true, false});
  auto capture = builder.finish();
  EXPECT_TRUE(capture.ok()) << (capture.ok() ? "" : capture.error().message);
  return side_of("trace", analyze(*capture));
}

TEST(Comparison, ATraceWithoutShapesIsHeldAgainstTheSumOverShapes) {
  const CompareSide whole = foreign({{"aten::conv", "", Phase::forward, 5'700'000},
                                     {"aten::conv", "", Phase::backward, 9'000'000},
                                     {"aten::add", "", Phase::forward, 1'000'000}});
  const CompareSide shaped = foreign({{"aten::conv", " [32,3,224,224] float", Phase::forward, 600'000},
                                      {"aten::conv", " [32,64,56,56] float", Phase::forward, 2'250'000},
                                      {"aten::conv", " [8] float", Phase::forward, 0},
                                      {"aten::conv", " [32,64,56,56] float", Phase::backward, 90'000'000},
                                      {"aten::add", "", Phase::forward, 1'000'000}});
  for (const bool turned : {false, true}) {
    const Comparison c = turned ? compare(shaped, whole) : compare(whole, shaped);
    ASSERT_EQ(c.rows.size(), 3u);
    const CompareRow& conv = c.rows[0];
    EXPECT_EQ(conv.match.kind, MatchKind::summed);
    EXPECT_EQ(conv.name, "aten::conv, all shapes");
    EXPECT_EQ(conv.type, turned ? "3 → 1 op" : "1 → 3 ops");
    EXPECT_NEAR(conv.change.ratio, turned ? 2 : 0.5, 1e-6) << "all shapes, of which one was never timed";
    EXPECT_FALSE(conv.different_work);
    ASSERT_EQ(conv.notes.size(), 1u);
    EXPECT_EQ(conv.notes[0], fmt::format("the trace {} does not distinguish its shapes, so the sums over all shapes "
                                         "are compared",
                                         turned ? "after" : "before"));
    EXPECT_EQ(c.rows[1].name, "aten::conv, all shapes (backward)");
    EXPECT_NEAR(c.rows[1].change.ratio, turned ? 0.1 : 10, 1e-6);
    EXPECT_EQ(c.rows[2].match.kind, MatchKind::matched) << "no trace knows shapes of this one";
    EXPECT_EQ(turned ? c.before_matched : c.after_matched, 5u);
    EXPECT_FALSE(c.total.different_work);
  }
}

TEST(Comparison, DifferentWorkHasNoVerdict) {
  // Calls on the host match, but take no time.
  const CompareSide one = foreign({{"aten::eq", "", Phase::forward, 1'000'000},
                                   {"aten::a", "", Phase::forward, 2'000'000},
                                   {"aten::view", "", Phase::forward, 0},
                                   {"aten::slice", "", Phase::forward, 0}});
  const CompareSide other = foreign({{"aten::eq", " [1,141]", Phase::forward, 90'000'000},
                                     {"aten::c", "", Phase::forward, 180'000'000},
                                     {"aten::view", "", Phase::forward, 0},
                                     {"aten::slice", "", Phase::forward, 0}});
  const Comparison c = compare(one, other);
  ASSERT_TRUE(c.different_work());
  for (const CompareRow* row : {&c.total, &c.rows[0]}) {
    EXPECT_NEAR(row->change.ratio, 90, 1) << row->name;
    EXPECT_EQ(row->change.verdict, ChangeClass::unsure) << row->name;
    EXPECT_EQ(verdict_words(*row), "different work") << row->name;
  }
  EXPECT_EQ(std::get<std::string>(compare_table(c).rows[0][3]), "different work");
  EXPECT_EQ(
      c.sentence.find("Few ops match (33 % of the ops' time before, 33 % after), so the totals compare different work"),
      0u)
      << c.sentence;
}

TEST(Comparison, WorkloadsOfOtherNamesAreSaidFirst) {
  const auto made = [](const std::string& workload, double wide) {
    tests::OpLab lab;
    lab.builder().run().workload = workload;
    lab.op("matmul", {lab.tensor(4096)}, {lab.tensor(4096)}, 1e6, 1e6, 0, "fc1");
    lab.op("matmul", {lab.tensor(4096)}, {lab.tensor(4096)}, wide * 1e6, wide * 1e6, 0, "fc2");
    lab.op("relu", {lab.tensor(4096)}, {lab.tensor(4096)}, 0, 1e6, 0, "act");
    return side_of(workload, analyze(lab.finish()));
  };
  const Comparison c = compare(made("mlp", 1), made("data_pipeline", 300));
  EXPECT_TRUE(c.sentence.starts_with("Different workloads: mlp before, data_pipeline after. ")) << c.sentence;
  EXPECT_EQ(c.sentence.find("fc2"), std::string::npos) << c.sentence;
  ASSERT_EQ(c.rows.size(), 3u);
  EXPECT_FALSE(c.rows[0].different_work) << "the same FLOPs under the same name";
  EXPECT_EQ(verdict_words(c.rows[1]), "different work");
  EXPECT_FALSE(c.rows[2].different_work) << "no FLOPs, the same bytes";
  EXPECT_EQ(c.before_matched, 2u);
  // The same of one workload, as with another setting, or of model files: judged.
  EXPECT_TRUE(compare(made("mlp", 1), made("mlp", 300)).workloads.empty());
  EXPECT_EQ(verdict_words(compare(made("mlp", 1), made("mlp", 300)).rows[1]), "SLOWER");
  const Comparison files = compare(made("old/net.onnx", 1), made("new/net2.onnx", 300));
  EXPECT_TRUE(files.sentence.starts_with("Different workloads: net.onnx before, net2.onnx after. ")) << files.sentence;
  EXPECT_EQ(verdict_words(files.rows[1]), "SLOWER");
  EXPECT_TRUE(compare(made("old/net.onnx", 1), made("new/net.onnx", 1)).workloads.empty());
}

TEST(Comparison, ModelFilesAreToldApartByTheirContent) {
  const auto made = [](const std::string& workload, const std::string& content) {
    tests::OpLab lab;
    lab.builder().run().workload = workload;
    if (!content.empty()) lab.builder().run().arguments["content"] = content;
    lab.op("matmul", {lab.tensor(4096)}, {lab.tensor(4096)}, 1e6, 1e6, 0, "fc1");
    return side_of(workload, analyze(lab.finish()));
  };
  const auto notes = [](const CompareSide& a, const CompareSide& b) {
    return fmt::format("{}", fmt::join(comparison_notes(compare(a, b), a, b), "\n"));
  };
  const CompareSide one = made("net.onnx", "xxh3:1"), two = made("net.onnx", "xxh3:2"), old = made("net.onnx", ""),
                    renamed = made("copy.onnx", "xxh3:1");
  EXPECT_EQ(compare(one, two).workloads, "net.onnx before, another file of that name after");
  EXPECT_NE(notes(one, two).find("content xxh3:1 → xxh3:2"), std::string::npos) << notes(one, two);
  EXPECT_TRUE(compare(one, one).workloads.empty());
  EXPECT_TRUE(compare(one, renamed).workloads.empty()) << "the same file under another name";
  EXPECT_TRUE(compare(one, old).workloads.empty()) << "nobody knows better than the name";
  EXPECT_EQ(notes(one, old).find("content"), std::string::npos) << notes(one, old);
  EXPECT_EQ(notes(old, two).find("content"), std::string::npos) << notes(old, two);
}

}  // namespace
}  // namespace profiler
