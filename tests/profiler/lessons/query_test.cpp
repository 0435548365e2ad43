// SPDX-License-Identifier: Apache-2.0
// Queries of lessons: values, units, filters, and what is refused.
#include "profiler/lessons/query.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <sstream>

#include "profiler/analysis/analyze.h"
#include "profiler/analysis/tables/tables.h"
#include "profiler/sweep/sweep.h"
#include "tests/support/sample_capture.h"

namespace profiler {
namespace {

QueryResults two_runs() {
  const auto rows = QuerySource::Json::parse(R"({"ops": [
      {"op": "a/conv", "type": "conv2d", "time_ns": 3000000, "flops": 10, "verdict": "DRAM"},
      {"op": "b/conv", "type": "conv2d", "time_ns": 1000000, "flops": 20, "verdict": "L2"},
      {"op": "c", "type": "relu", "time_ns": null, "flops": 0, "verdict": ""}],
    "step_ns": 8000000, "points": [{"batch": "8", "step_ns": 5}], "origin": {"value": 7, "origin": "measured"}, "stored": "1.400390625"})");
  return {{"small", document_source(rows)}};
}

std::string shown(const std::string& query) {
  const auto value = evaluate(query, two_runs());
  return value ? value->shown() : "! " + value.error().message;
}

TEST(Query, ComputesWithFiguresAndKeepsTheirUnits) {
  EXPECT_EQ(shown("small.step_ns"), "8.00 ms");
  EXPECT_EQ(shown("small.ops[a/conv].time_ns / small.step_ns * 2"), "0.75x");
  EXPECT_EQ(shown("small.ops[type=conv2d].time_ns.sum"), "4.00 ms");
  EXPECT_EQ(shown("small.ops[type=conv2d, op=b/conv].time_ns * 2"), "2.00 ms");
  EXPECT_EQ(shown("small.ops.flops.count"), "3");
  EXPECT_EQ(shown("max(small.ops.flops.max, 2 + 3 * (4 - 1))"), "20 FLOP");
  EXPECT_EQ(shown("small.ops[b/conv].verdict"), "L2");
  EXPECT_EQ(shown("small.points[batch=8].step_ns"), "5 ns");
  EXPECT_EQ(shown("small.origin"), "7");
  EXPECT_EQ(shown("small.stored"), "1.400390625");
  EXPECT_EQ(shown("small.stored * 2"), "2.8");
  EXPECT_DOUBLE_EQ(evaluate("-3 - 2 * 2", {})->number(), -7);
  EXPECT_EQ(shown("1024 * 123 / 1000"), "125.952") << "arithmetic of the text is no factor";
  EXPECT_EQ(shown("5064 * 4"), "20256");
  EXPECT_EQ(shown("small.step_ns / small.step_ns"), "1x");
}

TEST(Query, IsUnknownWhereOneOfItsFiguresIs) {
  EXPECT_EQ(shown("small.ops[c].time_ns"), "–");
  EXPECT_EQ(shown("small.ops.time_ns.sum"), "–");
  EXPECT_EQ(shown("small.step_ns / 0"), "–");
}

TEST(Query, RefusesWhatItCannotAnswer) {
  const auto refused = [](const std::string& query, const std::string& why) {
    const std::string text = shown(query);
    EXPECT_TRUE(text.starts_with("! ") && text.find(why) != std::string::npos) << query << ": " << text;
  };
  refused("small.ops[type=conv2d].time_ns", "2 rows match");
  refused("small.ops[type=pool].time_ns", "no row matches");
  refused("small.nothing", "has no \"nothing\"");
  refused("other.step_ns", "no result");
  refused("small.step_ns +", "a number or a name is missing");
  refused("small.step_ns)", "unexpected");
  refused("(small.step_ns", "parenthesis");
  refused("small.ops[", "bracket");
  refused("small.ops[a/conv].verdict * 2", "text cannot be computed with");
  refused("system(1)", "there is no function");
  refused(std::string(100, '(') + "1", "too many parentheses");
  refused(std::string(2000, '1'), "bytes");
}

TEST(Query, IsCheckedBeforeAnythingRan) {
  const QueryKinds kinds{{"machine", SourceKind::machine},
                         {"small", SourceKind::capture},
                         {"grow", SourceKind::sweep},
                         {"bits", SourceKind::document}};
  for (const char* good : {"small.step_ns / machine.peak_flop_per_s", "small.ops[type=conv2d].share_ratio.sum",
                           "grow.knee", "grow.points[batch=8].L3_L2_bytes", "bits.formats[dtype=f16].value",
                           "small.types.time_ns.max", "small.ops.count"})
    EXPECT_EQ(query_fault(good, kinds), "") << good;
  for (const char* bad : {"smal.step_ns", "small.knee", "grow.step_ns", "small.ops.colour", "small.ops.time_ns.total",
                          "small.step_ns.sum", "small", "small.ops", "1 +", "machine.colour"})
    EXPECT_NE(query_fault(bad, kinds), "") << bad;
  EXPECT_NE(query_fault("small.step_n", kinds).find("did you mean \"step_ns\""), std::string::npos);
}

TEST(Query, StandsInTextInBraces) {
  EXPECT_EQ(with_values("It takes {small.step_ns}, \\{not this\\}, {nobody.knows}.", two_runs()),
            "It takes 8.00 ms, {not this}, –.");
  const auto places = queries_in("a {b} \\{c} {d.e}");
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[1].query, "d.e");
  EXPECT_TRUE(queries_in("a { without end").empty());
}

/// Each name and column that the catalog promises is one of the tables of a capture.
TEST(Query, CatalogNamesWhatCapturesHave) {
  const auto analyzed = analyze(tests::sample_capture());
  const auto source = capture_source(analyzed);
  int columns = 0;
  for (const QueryName& name : query_names()) {
    if (name.kind != SourceKind::capture) continue;
    ASSERT_NE(source->find(name.name), nullptr) << name.name;
    const auto table = table_by_name(*analyzed, name.name, OpsBy::op);
    if (*name.columns == '\0' || !table) continue;
    std::set<std::string> keys;
    for (const Column& column : table->columns) keys.insert(column.key);
    std::istringstream all(name.columns);
    for (std::string column; all >> column; ++columns) {
      if (column.ends_with("_bytes") && !keys.contains(column)) continue;  // levels that this machine has not got
      EXPECT_TRUE(keys.contains(column)) << name.name << "." << column;
    }
  }
  EXPECT_GT(columns, 50);
  const QueryResults results{{"run", source}};
  EXPECT_GT(evaluate("run.step_ns", results)->number(), 0);
  EXPECT_GT(evaluate("run.ops.flops.sum", results)->number(), 0);
}

TEST(Query, TensorsAreThoseOfTheTable) {
  const auto analyzed = analyze(tests::sample_capture());
  const auto source = capture_source(analyzed);
  const Table table = tensors_table(*analyzed);
  EXPECT_EQ(*source->find("tensors"), QuerySource::Json::parse(to_json(table)));
  EXPECT_EQ(source->find("tensors")->size(), analyzed->capture->tensors().size()) << "views, too";
  double bytes = 0;
  for (const TensorRecord& t : analyzed->capture->tensors())
    bytes += t.alias_of == kNoTensor ? static_cast<double>(t.size_bytes) : 0;
  EXPECT_EQ(evaluate("run.tensors.stored_bytes.sum", QueryResults{{"run", source}})->number(), bytes);
}

TEST(Query, LossesOfASweepHaveAllTheirDigits) {
  auto sweep = std::make_shared<Sweep>();
  sweep->request.axes = {{"batch", {"8"}}};
  SweepPoint point;
  point.outcome = PointOutcome::measured;
  SweepSample sample;
  sample.losses = {{1, 2.302585093}, {5, 0.1234567891}};
  point.samples = {sample};
  sweep->points = {point};
  const QueryResults results{{"grow", sweep_source(sweep)}};
  EXPECT_DOUBLE_EQ(evaluate("grow.losses[steps_count=5].loss", results)->number(), 0.1234567891);
  EXPECT_DOUBLE_EQ(evaluate("grow.losses.loss_most.max", results)->number(), 2.302585093);
}

TEST(Query, AnswersMoveWithTheMachine) {
  const auto machine_of = [](double peak, int64_t l2) {
    Machine machine;
    machine.compute.push_back({engine::DType::float32, 2, {peak, peak, peak, 3}, ""});
    machine.bandwidth.push_back({"DRAM", AccessMix::read, 2, {1e10, 1e10, 1e10, 3}, 0});
    MemoryLevel level;
    level.name = "L2";
    level.specified_size_bytes = l2;
    machine.levels.push_back(level);
    return QueryResults{{"machine", machine_source(machine)}};
  };
  const QueryResults slow = machine_of(1e11, 1 << 20), fast = machine_of(4e11, 2 << 20);
  EXPECT_DOUBLE_EQ(evaluate("machine.ridge_flop_per_byte", slow)->number(), 10);
  EXPECT_DOUBLE_EQ(evaluate("machine.ridge_flop_per_byte", fast)->number(), 40);
  EXPECT_EQ(evaluate("machine.levels[L2].size_bytes", slow)->shown(), "1 MiB");
  EXPECT_EQ(evaluate("machine.levels[L2].size_bytes", fast)->shown(), "2 MiB");
  EXPECT_FALSE(evaluate("machine.memory_bytes", slow)->known());
}

}  // namespace
}  // namespace profiler
