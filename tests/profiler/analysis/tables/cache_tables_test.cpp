// SPDX-License-Identifier: Apache-2.0
// Compulsory, bound, modelled, simulated and measured bytes side by side; unknown is empty; layer conditions and lower
// bounds by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "profiler/analysis/analyze.h"
#include "profiler/analysis/tables/ops_table.h"
#include "profiler/analysis/tables/tables.h"
#include "profiler/base/origin.h"
#include "profiler/base/table.h"
#include "profiler/capture/capture.h"
#include "profiler/memory/step_simulation.h"
#include "profiler/memory/traffic_bounds.h"
#include "tests/support/op_lab.h"
#include "tests/support/sample_capture.h"

namespace profiler {
namespace {

using tests::OpLab;
constexpr int64_t kBig = int64_t{1} << 20;

size_t column(const Table& table, std::string_view key) {
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].key == key) return i;
  }
  ADD_FAILURE() << "no column " << key;
  return 0;
}
double number(const Table& table, size_t row, std::string_view key) {
  const double* value = std::get_if<double>(&table.rows.at(row)[column(table, key)]);
  return value == nullptr ? NAN : *value;
}
std::string text(const Table& table, size_t row, std::string_view key) {
  const auto* value = std::get_if<std::string>(&table.rows.at(row)[column(table, key)]);
  return value == nullptr ? "" : *value;
}

/// A stream over 1 MiB arrays on 32 KiB and 64 KiB caches, and an op nobody knows.
std::shared_ptr<const Capture> simulated_lab() {
  OpLab lab;
  const auto a = lab.tensor(kBig, {.role = Role::weight}), c = lab.tensor(kBig);
  lab.op("relu", {a}, {c}, 1e6);
  lab.op("telepathy", {a}, {c}, 1e6);
  const auto plain = lab.finish();
  CacheConfig config;
  for (const char* level : {"32KiB/8/64:lru", "64KiB/8/64:lru"})
    config.levels.push_back(*parse_cache_level(level, "L" + std::to_string(config.levels.size() + 1)));
  auto source = simulate_step(plain, {.config = config});
  EXPECT_TRUE(source.ok());
  return *CaptureBuilder::with_traffic(*plain, *source);
}

TEST(CacheTables, SideBySideWithAmplification) {
  const auto analyzed = analyze(simulated_lab());
  const Table t = cache_table(*analyzed);
  ASSERT_EQ(t.rows.size(), 6u) << "two ops, three links";
  EXPECT_EQ(text(t, 0, "link"), "DRAM->L2");
  EXPECT_EQ(number(t, 0, "compulsory_bytes"), 2.0 * kBig);
  EXPECT_EQ(number(t, 0, "simulated_bytes"), 3.0 * kBig) << "the lines of the store are fetched first";
  EXPECT_EQ(number(t, 0, "write_allocate_bytes"), 1.0 * kBig);
  EXPECT_DOUBLE_EQ(number(t, 0, "amplification_ratio"), 1.5);
  EXPECT_EQ(number(t, 0, "misses_count"), 2.0 * kBig / 64);
  EXPECT_EQ(text(t, 0, "best"), "simulated");
  EXPECT_TRUE(std::isnan(number(t, 0, "measured_bytes")));
  EXPECT_TRUE(std::isnan(number(t, 0, "lower_bound_bytes"))) << "no bound is known of an elementwise op";
  EXPECT_TRUE(std::isnan(number(t, 3, "simulated_bytes"))) << "unknown is not 0";
  EXPECT_NE(text(t, 3, "note").find("telepathy"), std::string::npos);
  EXPECT_EQ(text(t, 3, "best"), "modelled") << "the model's bytes are still there";
  const Table tensors = cache_tensors_table(*analyzed);
  double read = 0;
  for (size_t r = 0; r < tensors.rows.size(); ++r)
    read += text(tensors, r, "link") == "DRAM->L2" ? number(tensors, r, "simulated_read_bytes") : 0;
  EXPECT_EQ(read, 2.0 * kBig);
}

TEST(CacheTables, MissesInStepsBeyondWhatPrefetchersFollowStandBesideAll) {
  const auto far = [](std::vector<StridedMisses> strided, bool known = true) {
    CaptureBuilder b = tests::sample_builder();
    TrafficSource source;
    source.origin = Origin::simulated;
    source.links = {{"DRAM", "L1", 32768}};
    source.records = {
        {.op = tests::SampleOps::conv, .link = 0, .read_bytes = 64e3, .written_bytes = 0, .hits = 0, .misses = 1000}};
    source.strided = std::move(strided);
    source.strided_known = known;
    b.add_traffic(source);
    const Table t = cache_table(*analyze(*b.finish()));
    for (size_t r = 0; r < t.rows.size(); ++r) {
      if (number(t, r, "misses_count") == 1000) return number(t, r, "far_misses_count");
    }
    return -1.0;
  };
  constexpr double kFar = 1 << 20;
  EXPECT_EQ(far({{tests::SampleOps::conv, 0, 128, 300}, {tests::SampleOps::conv, 0, kFar, 200}}), 200);
  EXPECT_EQ(far({{tests::SampleOps::conv, 0, 128, 300}}), 0);
  EXPECT_EQ(far({}), 0) << "none are far";
  EXPECT_TRUE(std::isnan(far({}, false))) << "steps are not known: recorded before they were kept";
}

TEST(CacheTables, WithoutASimulationTheTableSaysHowToGetOne) {
  const auto analyzed = analyze(tests::sample_capture());
  const Table t = cache_table(*analyzed);
  ASSERT_GT(t.rows.size(), 0u);
  EXPECT_TRUE(std::isnan(number(t, 0, "simulated_bytes")));
  EXPECT_GT(number(t, 0, "modelled_bytes"), -1);
  EXPECT_FALSE(t.columns[column(t, "simulated_bytes")].help.empty());
  EXPECT_TRUE(cache_tensors_table(*analyzed).rows.empty());
  EXPECT_TRUE(table_by_name(*analyzed, "cache", OpsBy::op).ok());
  EXPECT_TRUE(table_by_name(*analyzed, "cache_tensors", OpsBy::op).ok());
}

TEST(CacheTables, TrafficByRoleHasTheSimulatedOpsAndTheirShare) {
  const auto analyzed = analyze(simulated_lab());
  const Table t = traffic_table(*analyzed, {});
  bool seen = false;
  for (size_t r = 0; r < t.rows.size(); ++r) {
    if (!text(t, r, "link").starts_with("L2->") || text(t, r, "role") != "weight") continue;
    seen = true;
    EXPECT_EQ(number(t, r, "simulated_read_bytes"), 1.0 * kBig);
    EXPECT_DOUBLE_EQ(number(t, r, "simulated_share_ratio"), 0.5) << "one of two ops that read it";
  }
  EXPECT_TRUE(seen);
}

TEST(CacheTables, LayerConditionIsWordedForEachCase) {
  const auto worded = [](int64_t stride, double capacity) {
    CaptureBuilder b = tests::sample_builder();
    b.set_attributes(tests::SampleOps::conv,
                     {{"stride", std::vector<int64_t>{stride, stride}}, {"padding", std::vector<int64_t>{1, 1, 1, 1}}});
    TrafficSource source;
    source.origin = Origin::simulated;
    source.links = {{"DRAM", "L1", capacity}};
    source.records = {{.op = tests::SampleOps::conv, .link = 0, .read_bytes = 1e6, .written_bytes = 0}};
    b.add_traffic(source);
    const Table t = cache_table(*analyze(*b.finish()));
    for (size_t r = 0; r < t.rows.size(); ++r) {
      if (!text(t, r, "layer_condition").empty()) return text(t, r, "layer_condition");
    }
    return std::string("none");
  };
  EXPECT_EQ(worded(1, 32.0 * (1 << 20)), "met: 2.25 KiB of rows fit in half of 32 MiB");
  EXPECT_EQ(worded(1, 2048), "broken: 2.25 KiB of rows exceed half of 2 KiB, the image is read 3 times");
  EXPECT_EQ(
      worded(3, 2048),
      "not needed: 2.25 KiB of rows exceed half of 2 KiB, but no two windows share a row: the image is read once");
}

TEST(CacheTables, AmplificationIsOfTheBestKnownBytesAsInTheWindow) {
  const auto row = [](std::shared_ptr<const Capture> capture) {
    const Table t = traffic_table(*analyze(std::move(capture)), {});
    for (size_t r = 0; r < t.rows.size(); ++r) {
      if (text(t, r, "link").starts_with("L2->") && text(t, r, "role") == "activation") {
        return std::pair(number(t, r, "amplification_ratio") *
                             (number(t, r, "compulsory_read_bytes") + number(t, r, "compulsory_written_bytes")),
                         text(t, r, "amplification_origin"));
      }
    }
    return std::pair(kUnknownBytes, std::string("none"));
  };
  OpLab lab(1);
  lab.op("relu", {lab.tensor(kBig)}, {lab.tensor(kBig)});
  const auto capture = lab.finish();
  EXPECT_EQ(row(capture).second, "modelled");
  TrafficSource s;
  s.origin = Origin::simulated;
  s.links = {{"L2", "L1", 32768}};
  s.records = {{.op = 0, .link = 0, .read_bytes = 5e6, .written_bytes = 1e6},
               {.op = 0, .tensor = 0, .link = 0, .read_bytes = 5e6, .written_bytes = 0},
               {.op = 0, .tensor = 1, .link = 0, .read_bytes = 0, .written_bytes = 1e6}};
  const auto simulated = *CaptureBuilder::with_traffic(*capture, s);
  EXPECT_DOUBLE_EQ(row(simulated).first, 6e6);
  EXPECT_EQ(row(simulated).second, "simulated");
  s.origin = Origin::measured;
  s.records[0].read_bytes = s.records[1].read_bytes = 7e6;
  EXPECT_DOUBLE_EQ(row(*CaptureBuilder::with_traffic(*simulated, s)).first, 8e6);
  EXPECT_EQ(row(*CaptureBuilder::with_traffic(*simulated, s)).second, "measured");
  s.records.resize(1);  // counted, but not whose bytes they were
  EXPECT_EQ(row(*CaptureBuilder::with_traffic(*simulated, s)).second, "simulated");
}

TEST(TrafficBounds, AProductsLeastTrafficIsTheTheoremsOrTheCompulsoryOne) {
  OpLab lab;
  const OpLab::Options square{.shape = {512, 512}, .strides = {512, 1}};
  const int64_t bytes = 4 * 512 * 512;
  const auto a = lab.tensor(bytes, square), b = lab.tensor(bytes, square), c = lab.tensor(bytes, square);
  const OpId op = lab.op("matmul", {a, b}, {c}, 2.0 * 512 * 512 * 512);
  const auto capture = lab.finish();
  const TrafficBounds small = traffic_bounds(*capture, capture->ops()[op], 32768);
  EXPECT_DOUBLE_EQ(small.compulsory(), 3.0 * bytes);
  EXPECT_DOUBLE_EQ(small.lower_bound, 2.0 * 512 * 512 * 512 / std::sqrt(8192.0) * 4 + bytes);
  EXPECT_DOUBLE_EQ(traffic_bounds(*capture, capture->ops()[op], 1e12).lower_bound, 3.0 * bytes);
  EXPECT_TRUE(std::isnan(traffic_bounds(*capture, capture->ops()[op], kUnknownBytes).lower_bound));
}

TEST(TrafficBounds, RowsOfAWindowStayInHalfOfACacheOrAreReadAgain) {
  CaptureBuilder b = tests::sample_builder();
  b.set_attributes(tests::SampleOps::conv,
                   {{"stride", std::vector<int64_t>{1, 1}}, {"padding", std::vector<int64_t>{1, 1, 1, 1}}});
  const auto capture = *b.finish();
  const auto condition = layer_condition(*capture, capture->ops()[tests::SampleOps::conv]);
  ASSERT_TRUE(condition);
  EXPECT_EQ(condition->rows_bytes, 3.0 * 64 * 3 * 4) << "three rows of 64 floats in three channels";
  EXPECT_TRUE(condition->met(2 * 2304));
  EXPECT_FALSE(condition->met(2 * 2304 - 1));
  EXPECT_EQ(condition->read_bytes(100), 3 * condition->image_bytes);
  EXPECT_EQ(condition->read_bytes(1e9), condition->image_bytes);
  EXPECT_FALSE(layer_condition(*capture, capture->ops()[tests::SampleOps::relu]));
  EXPECT_FALSE(layer_condition(*tests::sample_capture(), tests::sample_capture()->ops()[tests::SampleOps::conv]))
      << "an older capture holds no strides";
}

}  // namespace
}  // namespace profiler
