// SPDX-License-Identifier: Apache-2.0
// Tables: every name gives one, rows match columns, rolled-up rows add up, keys end in units.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "profiler/analysis/analyze.h"
#include "profiler/analysis/tables/ops_table.h"
#include "profiler/analysis/tables/tables.h"
#include "profiler/base/origin.h"
#include "profiler/base/row_origin.h"
#include "profiler/base/table.h"
#include "tests/support/op_lab.h"
#include "tests/support/sample_capture.h"
#include "tests/support/sample_gpu_capture.h"

namespace profiler {
namespace {

size_t column(const Table& t, const std::string& key) {
  for (size_t i = 0; i < t.columns.size(); ++i) {
    if (t.columns[i].key == key) return i;
  }
  ADD_FAILURE() << "no column " << key << " in " << t.name;
  return 0;
}

double number(const Table& t, size_t row, const std::string& key) {
  const Cell& cell = t.rows[row][column(t, key)];
  return std::holds_alternative<double>(cell) ? std::get<double>(cell) : std::nan("");
}

std::string text(const Table& t, size_t row, const std::string& key) {
  return std::get<std::string>(t.rows[row][column(t, key)]);
}

double sum(const Table& t, const std::string& key) {
  double total = 0;
  for (size_t row = 0; row < t.rows.size(); ++row) {
    const double value = number(t, row, key);
    total += std::isnan(value) ? 0 : value;
  }
  return total;
}

TEST(Tables, EveryNameGivesAWellFormedTable) {
  TrafficSource simulated;
  simulated.origin = Origin::simulated;
  simulated.links = {{"DRAM", "L3", 1e6}};
  simulated.records = {{.op = 0, .link = 0, .read_bytes = 8, .written_bytes = 0},
                       {.op = 0, .tensor = 0, .link = 0, .read_bytes = 8, .written_bytes = 0}};
  const auto a = analyze(*CaptureBuilder::with_traffic(*tests::sample_capture(), simulated)),
             gpu = analyze(tests::sample_gpu_capture());
  for (const TableEntry& entry : table_catalog()) {
    const std::string name = entry.name;
    const auto table = table_by_name(entry.without_ops ? *gpu : *a, name, OpsBy::op);
    ASSERT_TRUE(table.ok()) << name;
    EXPECT_EQ(table->name, name);
    EXPECT_NE(entry.help, std::string()) << name;
    // Those of fusion need a graph that could be fused: tests/profiler/analysis/fusion_ledger_test.cpp; that of a
    // loader: tests/profiler/record/side_lanes_test.cpp; those of collectives: .../gpu/collectives_test.cpp; what
    // a step puts out: tests/profiler/record; the process's memory: .../analysis/reuse_test.cpp;
    // tokens: .../analysis/tokens_test.cpp; values: tests/profiler/record/value_reader_test.cpp.
    const bool elsewhere = name == "fusion" || name == "fused_ops" || name == "pipeline" || name == "communication" ||
                           name == "collectives" || name == "ranges" || name == "results" || name == "latency" ||
                           name == "divergence" || name == "versions" || name == "process_memory" || name == "tokens" ||
                           name == "values";
    EXPECT_TRUE(!table->rows.empty() || elsewhere) << name;
    for (const auto& row : table->rows) EXPECT_EQ(row.size(), table->columns.size()) << name;
    EXPECT_TRUE(table->row_ops.empty() || table->row_ops.size() == table->rows.size()) << name;
  }
}

TEST(Tables, RooflineSaysPerRowHowItsBytesAreKnown) {
  TrafficSource simulated;
  simulated.origin = Origin::simulated;
  simulated.links = {{"DRAM", "L3", 1e6}};
  simulated.records = {{.op = 0, .link = 0, .read_bytes = 6e8, .written_bytes = 2e8}};
  tests::OpLab lab;
  const int64_t n = 256 * tests::OpLab::kMiB;
  lab.op("scaled_add", {lab.tensor(n), lab.tensor(n)}, {lab.tensor(n)}, 2.0 * n / 4, 6e7);
  lab.builder().add_traffic(simulated);
  const Table t = *table_by_name(*analyze(lab.finish()), "roofline", OpsBy::op);
  EXPECT_EQ(text(t, 0, "bytes_origin"), "simulated");
  EXPECT_EQ(text(t, 1, "bytes_origin"), "modelled");
  tests::OpLab small;  // stays in L1 from step to step
  small.op("scaled_add", {small.tensor(4096), small.tensor(4096)}, {small.tensor(4096)}, 2048, 6e4);
  const Table none = *table_by_name(*analyze(small.finish()), "roofline", OpsBy::op);
  EXPECT_EQ(text(none, 0, "bytes_origin"), "none") << "nothing comes from DRAM, so nothing has an origin";
  EXPECT_TRUE(std::isnan(number(none, 0, "intensity_flop_per_byte")));
  EXPECT_EQ(text(none, none.rows.size() - 1, "bytes_origin"), "modelled") << "registers are filled from L1";
  tests::OpLab kept;  // modelled to come from DRAM, simulated not to
  kept.op("scaled_add", {kept.tensor(n), kept.tensor(n)}, {kept.tensor(n)}, 2.0 * n / 4, 6e7);
  simulated.records = {{.op = 0, .link = 0, .read_bytes = 0, .written_bytes = 0}};
  kept.builder().add_traffic(simulated);
  EXPECT_EQ(text(*table_by_name(*analyze(kept.finish()), "roofline", OpsBy::op), 0, "bytes_origin"), "none")
      << "the best known bytes are none";
  for (const char* key : {"intensity_flop_per_byte", "attainable_flop_per_s", "winnable_ns"}) {
    EXPECT_EQ(row_origin_key(t, t.columns[column(t, key)]), "bytes_origin") << key;
  }
  EXPECT_EQ(origin_name(t, t.columns[column(t, "time_ns")]), "measured");
  EXPECT_NE(to_text(t).find("per row"), std::string::npos) << to_text(t);
  const Table traffic = *table_by_name(*analyze(tests::sample_capture()), "traffic", OpsBy::op);
  EXPECT_EQ(origin_name(traffic, traffic.columns[column(traffic, "modelled_read_bytes")]), "modelled");
}

TEST(Tables, OpsShowTheBestKnownBytesAndSaySo) {
  const int64_t n = 256 * tests::OpLab::kMiB;
  const auto rows_of = [&](bool both, OpsBy by) {
    TrafficSource simulated;
    simulated.origin = Origin::simulated;
    simulated.links = {{"DRAM", "L3", 1e6}};
    simulated.records = {{.op = 0, .link = 0, .read_bytes = 6e8, .written_bytes = 2e8}};
    if (both) simulated.records.push_back({.op = 1, .link = 0, .read_bytes = 3e8, .written_bytes = 1e8});
    tests::OpLab lab;
    for (int i = 0; i < 2; ++i) lab.op("scaled_add", {lab.tensor(n), lab.tensor(n)}, {lab.tensor(n)}, 2.0 * n / 4, 6e7);
    lab.builder().add_traffic(simulated);
    return ops_table(*analyze(lab.finish()), by);
  };
  const Table some = rows_of(false, OpsBy::op);
  EXPECT_EQ(text(some, 0, "bytes_origin"), "simulated");
  EXPECT_EQ(number(some, 0, "dram_bytes"), 8e8);
  EXPECT_DOUBLE_EQ(number(some, 0, "amplification_ratio"), 8e8 / (3.0 * n));
  EXPECT_EQ(text(some, 1, "bytes_origin"), "modelled");
  EXPECT_EQ(number(some, 1, "dram_bytes"), 4.0 * n);
  const Table mixed = rows_of(false, OpsBy::type), all = rows_of(true, OpsBy::type);
  EXPECT_EQ(text(mixed, 0, "bytes_origin"), "modelled") << "sources are not mixed in one figure";
  EXPECT_EQ(number(mixed, 0, "dram_bytes"), 8.0 * n);
  EXPECT_EQ(text(all, 0, "bytes_origin"), "simulated");
  EXPECT_EQ(number(all, 0, "dram_bytes"), 12e8);
  EXPECT_EQ(origin_name(all, all.columns[column(all, "dram_bytes")]), "per row");
}

TEST(Tables, NumericKeysEndInTheirUnitAndColumnsAreExplained) {
  const auto a = analyze(tests::sample_capture());
  for (const std::string& name : table_names()) {
    const auto table = table_by_name(*a, name, OpsBy::op);
    for (const Column& c : table->columns) {
      EXPECT_FALSE(c.help.empty()) << name << "." << c.key;
      if (c.quantity == Quantity::text) continue;
      const auto ends = [&](const char* unit) { return c.key.ends_with(unit); };
      EXPECT_TRUE(ends("_ns") || ends("_bytes") || ends("flops") || ends("_per_s") || ends("_ratio") ||
                  ends("_count") || ends("_per_byte") || c.key == "count" || c.key == "bytes")
          << name << "." << c.key;
    }
  }
}

TEST(Tables, EveryEntrySaysWhyItHasNoRows) {
  const auto with_ops = analyze(tests::sample_capture()), without = analyze(*CaptureBuilder().finish());
  for (const TableEntry& entry : table_catalog()) {
    for (const auto& analyzed : {with_ops, without}) {
      EXPECT_FALSE(why_empty(entry, *analyzed).empty()) << entry.name;
      EXPECT_NE(entry.make == nullptr, entry.together == nullptr) << entry.name << ": one way to make its rows";
      const TableText text = entry.text(*analyzed, OpsBy::op);
      EXPECT_EQ(to_csv(text.table), to_csv(entry.table(*analyzed, OpsBy::op))) << entry.name;
      for (const std::string& sentence : text.sentences) EXPECT_FALSE(sentence.empty()) << entry.name;
    }
    EXPECT_EQ(why_empty(entry, *without).find("no ops were recorded") != std::string::npos, !entry.without_ops)
        << entry.name;
  }
}

TEST(Tables, UnknownNameNamesTheNearestAndListsTheValidOnes) {
  const auto a = analyze(tests::sample_capture());
  const auto table = table_by_name(*a, "opps", OpsBy::op);
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().kind, engine::ErrorKind::usage);
  EXPECT_NE(table.error().message.find("did you mean \"ops\"?"), std::string::npos);
  EXPECT_NE(table.error().message.find("verdicts"), std::string::npos);
}

TEST(Tables, EveryRollUpAddsUpToTheSameStep) {
  const auto a = analyze(tests::sample_capture());
  const Table by_op = ops_table(*a, OpsBy::op);
  for (const OpsBy by : {OpsBy::type, OpsBy::kernel, OpsBy::phase}) {
    const Table t = ops_table(*a, by);
    EXPECT_LT(t.rows.size(), by_op.rows.size());
    for (const char* key :
         {"time_ns", "flops", "compulsory_bytes", "dram_bytes", "l3_bytes", "l1_bytes", "share_ratio"}) {
      EXPECT_NEAR(sum(t, key), sum(by_op, key), 1e-9 * sum(by_op, key)) << key;
    }
    EXPECT_DOUBLE_EQ(sum(t, "calls_count"), tests::SampleOps::count - 1.0) << "the view is no call";
  }
}

TEST(Tables, KernelsOfAGpuAreRowsWithTheirOwnTime) {
  const Table t = ops_table(*analyze(tests::sample_gpu_capture()), OpsBy::kernel);
  std::map<std::string, std::pair<double, double>> rows;  // calls, ns
  for (size_t row = 0; row < t.rows.size(); ++row)
    rows[text(t, row, "kernel")] = {number(t, row, "calls_count"), number(t, row, "time_ns")};
  EXPECT_EQ(rows.size(), t.rows.size()) << "a row per name";
  EXPECT_EQ(rows.at("gemm"), (std::pair{1.0, 30e3}));
  EXPECT_EQ(rows.at("relu"), (std::pair{1.0, 20e3}));
  double calls = 0, ns = 0;
  for (const auto& [name, figures] : rows) calls += figures.first, ns += figures.second;
  EXPECT_EQ(calls, 6) << "kernels, copies and the memset";
  EXPECT_EQ(ns, 78e3);
}

TEST(Tables, LayersIncludeWhatIsInside) {
  tests::OpLab lab;
  lab.op("relu", {lab.tensor(400)}, {lab.tensor(400)}, 100, 1e6, 0, "net.a");
  lab.op("relu", {lab.tensor(400)}, {lab.tensor(400)}, 10, 2e6, 0, "net.a.inner");
  lab.op("relu", {lab.tensor(400)}, {lab.tensor(400)}, 1, 4e6, 0, "net.b");
  lab.op("relu", {lab.tensor(400)}, {lab.tensor(400)}, 1000, 8e6, 0, "");
  const Table t = ops_table(*analyze(lab.finish()), OpsBy::layer);
  ASSERT_EQ(t.rows.size(), 5u);
  const std::vector<std::tuple<std::string, double, double>> expected{
      {"net", 1, 111}, {"net.a", 2, 110}, {"net.a.inner", 3, 10}, {"net.b", 2, 1}, {"(no layer)", 1, 1000}};
  for (size_t row = 0; row < expected.size(); ++row) {
    EXPECT_EQ(text(t, row, "layer"), std::get<0>(expected[row]));
    EXPECT_DOUBLE_EQ(number(t, row, "depth_count"), std::get<1>(expected[row]));
    EXPECT_DOUBLE_EQ(number(t, row, "flops"), std::get<2>(expected[row]));
  }
  EXPECT_DOUBLE_EQ(number(t, 0, "time_ns"), 7e6);
}

TEST(Tables, OpsByNameParse) {
  EXPECT_EQ(parse_ops_by("layer"), OpsBy::layer);
  EXPECT_EQ(parse_ops_by("phase"), OpsBy::phase);
  EXPECT_FALSE(parse_ops_by("colour").has_value());
}

TEST(Tables, UnknownBytesAreEmptyCellsNotZero) {
  tests::OpLab lab;
  lab.builder().machine().probed_at.clear();
  lab.op("relu", {lab.tensor(400)}, {lab.tensor(400)}, 100);
  const auto a = analyze(lab.finish());
  const Table t = ops_table(*a, OpsBy::op);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(t.rows[0][column(t, "dram_bytes")]));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(t.rows[0][column(t, "roof_ratio")]));
  EXPECT_DOUBLE_EQ(number(t, 0, "compulsory_bytes"), 800);
  const Table traffic = traffic_table(*a, {});
  EXPECT_TRUE(std::holds_alternative<std::monostate>(traffic.rows[0][column(traffic, "modelled_read_bytes")]));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(traffic.rows[0][column(traffic, "measured_read_bytes")]));
}

TEST(Tables, MemoryRowsAreTheSumOfTheirRoles) {
  const Table t = memory_table(*analyze(tests::sample_capture()));
  for (size_t row = 0; row < t.rows.size(); ++row) {
    double roles = 0;
    for (const char* role : {"input", "weight", "activation", "gradient", "optimizer_state", "workspace"}) {
      roles += number(t, row, std::string(role) + "_bytes");
    }
    EXPECT_DOUBLE_EQ(number(t, row, "live_bytes"), roles);
  }
}

TEST(Tables, ATensorThatNoOpUsesHasNoLife) {
  CaptureBuilder builder = tests::sample_builder();
  for (const bool first : {true, false}) {
    TensorRecord t;
    t.name = builder.intern(first ? "no first" : "no last"), t.shape = {1}, t.strides = {1};
    (first ? t.first_op : t.last_op) = kNoOp;
    builder.add_tensor(t);
  }
  const auto analyzed = analyze(*builder.finish());
  for (const TableEntry& entry : table_catalog()) ASSERT_TRUE(table_by_name(*analyzed, entry.name, OpsBy::op).ok());
  const Table table = tensors_table(*analyzed);
  const size_t lives = column(table, "lives");
  for (size_t row = table.rows.size() - 2; row < table.rows.size(); ++row)
    EXPECT_TRUE(std::holds_alternative<std::monostate>(table.rows[row][lives])) << text(table, row, "tensor");
}

}  // namespace
}  // namespace profiler
