// SPDX-License-Identifier: Apache-2.0
// Roofs and points in closed form.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "profiler/analysis/roofline.h"
#include "profiler/analysis/verdict/limits.h"
#include "profiler/base/origin.h"
#include "tests/support/op_lab.h"

namespace profiler {
namespace {

using tests::OpLab;

const Roof* roof_of(const Roofline& r, const std::string& level) {
  const auto at = std::find_if(r.roofs.begin(), r.roofs.end(), [&](const Roof& x) { return x.level == level; });
  return at == r.roofs.end() ? nullptr : &*at;
}

TEST(Roofline, TriadSitsUnderTheDramRoof) {
  OpLab lab;
  const int64_t n = 256 * OpLab::kMiB;
  const double flops = 2.0 * n / 4, ns = 4.0 * n / 20 / 0.9;
  lab.op("scaled_add", {lab.tensor(n), lab.tensor(n)}, {lab.tensor(n)}, flops, ns);
  const auto capture = lab.finish();
  const Roofline r = roofline(*capture, model_traffic(*capture));
  ASSERT_EQ(r.points.size(), 4u) << "one per level";
  const RooflinePoint& dram = r.points[0];
  EXPECT_EQ(dram.level, "DRAM");
  EXPECT_DOUBLE_EQ(dram.intensity, flops / (4.0 * n));
  EXPECT_NEAR(dram.flop_per_s / dram.attainable, 0.9, 1e-6);
  EXPECT_NEAR(dram.winnable_ns, 0.1 * ns, 1e-3 * ns);
  const Roof* roof = roof_of(r, "DRAM");
  ASSERT_NE(roof, nullptr);
  EXPECT_NEAR(roof->value, 20e9, 1) << "traffic with fills, whatever the mix";
  EXPECT_NEAR(roof->low, 0.98 * 20e9, 1);
  EXPECT_NEAR(dram.attainable, dram.intensity * roof->value, 1);
}

TEST(Roofline, ComputeRoofCapsWhatIsAttainable) {
  OpLab lab;
  const int64_t n = 1024, bytes = n * n * 4;
  const double flops = 2.0 * n * n * n;
  const OpLab::Options square{.shape = {n, n}};
  lab.op("matmul", {lab.tensor(bytes, square), lab.tensor(bytes, square)}, {lab.tensor(bytes, square)}, flops,
         flops / 100);
  const auto capture = lab.finish();
  const Roofline r = roofline(*capture, model_traffic(*capture));
  EXPECT_TRUE(std::isnan(r.points[0].intensity)) << "12 MiB stay in the L3: no DRAM bytes";
  EXPECT_NEAR(r.points[0].attainable, 200e9, 1);
  EXPECT_NEAR(r.points[0].winnable_ns, flops / 200, 1);
  const Roof* peak = roof_of(r, "");
  ASSERT_NE(peak, nullptr);
  EXPECT_DOUBLE_EQ(peak->value, 200e9);
  EXPECT_EQ(peak->threads, 2);
  EXPECT_EQ(peak->dtype, engine::DType::float32);
}

TEST(Roofline, OpsWithoutFlopsAreCountedNotPlotted) {
  OpLab lab;
  lab.op("copy", {lab.tensor(64)}, {lab.tensor(64)});
  lab.op("relu", {lab.tensor(64)}, {lab.tensor(64)}, 16);
  const auto capture = lab.finish();
  const Roofline r = roofline(*capture, model_traffic(*capture));
  EXPECT_EQ(r.ops_without_flops, 1);
  for (const RooflinePoint& p : r.points) EXPECT_EQ(p.op, 1u);
}

TEST(Roofline, DotsUseTheBytesThatAreKnownBest) {
  OpLab lab;
  const int64_t n = 256 * OpLab::kMiB;
  const double flops = 2.0 * n / 4;
  lab.op("scaled_add", {lab.tensor(n), lab.tensor(n)}, {lab.tensor(n)}, flops, 4.0 * n / 20 / 0.9);
  TrafficSource source;
  source.origin = Origin::simulated;
  source.links = {{"DRAM", "L3", 32.0 * OpLab::kMiB}};
  source.records = {{.op = 0, .link = 0, .read_bytes = 6.0 * n, .written_bytes = 2.0 * n}};
  lab.builder().add_traffic(source);
  const auto capture = lab.finish();
  const Roofline r = roofline(*capture, model_traffic(*capture));
  ASSERT_EQ(r.points.size(), 4u);
  EXPECT_EQ(r.points[0].origin, Origin::simulated);
  EXPECT_DOUBLE_EQ(r.points[0].intensity, flops / (8.0 * n));
  EXPECT_NEAR(r.points[0].attainable, r.points[0].intensity * 20e9, 1) << "dot and roof speak of the same bytes";
  EXPECT_EQ(r.points[1].origin, Origin::modelled);
  EXPECT_DOUBLE_EQ(r.points[1].intensity, flops / (4.0 * n));
}

TEST(Roofline, UnprobedMachineHasNoRoofsAndCompulsoryIntensity) {
  OpLab lab;
  Machine& m = lab.builder().machine();
  m.probed_at.clear();
  m.levels.clear();
  m.compute.clear();
  m.bandwidth.clear();
  lab.op("relu", {lab.tensor(64)}, {lab.tensor(64)}, 16);
  const auto capture = lab.finish();
  const Roofline r = roofline(*capture, model_traffic(*capture));
  EXPECT_TRUE(r.roofs.empty());
  ASSERT_EQ(r.points.size(), 1u);
  EXPECT_EQ(r.points[0].level, "compulsory");
  EXPECT_DOUBLE_EQ(r.points[0].intensity, 16.0 / 128);
  EXPECT_TRUE(std::isnan(r.points[0].attainable));
  EXPECT_TRUE(std::isnan(r.points[0].winnable_ns));
}

TEST(Limits, TrafficBandwidthCountsTheFillsOfStores) {
  Machine m;
  m.probed_at = "x";
  const auto roof = [](AccessMix mix, double value) {
    return BandwidthRoof{"DRAM", mix, 1, {value, value, value, 5}, 0};
  };
  m.bandwidth = {roof(AccessMix::read, 16e9), roof(AccessMix::copy, 14e9), roof(AccessMix::write, 10e9)};
  EXPECT_DOUBLE_EQ(*traffic_bandwidth(m, "DRAM", false, 100, 0, 1), 16e9);
  // A copy of 100 bytes: 100 read + 100 filled + 100 written back; the probe named 200 of the 300.
  EXPECT_DOUBLE_EQ(*traffic_bandwidth(m, "DRAM", false, 200, 100, 1), 14e9 * 1.5);
  EXPECT_DOUBLE_EQ(*traffic_bandwidth(m, "DRAM", false, 100, 100, 1), 10e9 * 2) << "a fill";
  EXPECT_DOUBLE_EQ(*traffic_bandwidth(m, "DRAM", true, 100, 100, 1), 14e9) << "next to the core bytes are as named";
  EXPECT_DOUBLE_EQ(*traffic_bandwidth(m, "DRAM", false, 200, 100, 1, true), 14e9 * 1.5)
      << "without a roof of their own, stores past caches have the others'";
  m.bandwidth.push_back(roof(AccessMix::copy_past, 18e9));
  EXPECT_DOUBLE_EQ(*traffic_bandwidth(m, "DRAM", false, 100, 100, 1, true), 18e9) << "no fills";
  EXPECT_FALSE(traffic_bandwidth(m, "L2", false, 100, 0, 1).has_value());
  EXPECT_FALSE(traffic_bandwidth(m, "DRAM", false, 100, 0, 2).has_value());
  EXPECT_FALSE(traffic_bandwidth(m, "DRAM", false, 0, 0, 1).has_value());
}

}  // namespace
}  // namespace profiler
