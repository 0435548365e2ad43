// SPDX-License-Identifier: Apache-2.0
// The catalog of modelled GPUs, and what their times are made of.
#include "profiler/predict/gpu_time.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace profiler {
namespace {

TEST(ModelledGpu, TheCatalogIsSound) {
  std::set<std::string> keys;
  for (const ModelledGpu& gpu : modelled_gpus()) {
    EXPECT_TRUE(keys.insert(gpu.key).second) << gpu.key << " stands there twice";
    EXPECT_GT(gpu.peak_flop_per_s(), 4e12) << gpu.key;
    EXPECT_LT(gpu.peak_flop_per_s(), 2e13) << gpu.key;
    EXPECT_GE(gpu.sustained_hz(), gpu.base_hz);
    EXPECT_LE(gpu.sustained_hz(), gpu.boost_hz);
    EXPECT_FALSE(gpu.library.tiles.empty());
    EXPECT_GE(gpu.l2_bytes, int64_t{2} << 20);
  }
  EXPECT_NEAR(modelled_gpu("v100")->peak_flop_per_s(), 15.7e12, 0.05e12) << "the data sheet's figure";
  EXPECT_NEAR(modelled_gpu("t4")->peak_flop_per_s(), 8.1e12, 0.05e12);
}

TEST(ModelledGpu, ByKeyInAnyCase) {
  EXPECT_EQ(modelled_gpu("V100")->name, "Tesla V100 SXM2");
  const auto unknown = modelled_gpu("v10");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, engine::ErrorKind::usage);
  EXPECT_NE(unknown.error().message.find("did you mean \"v100\"? There are: m40,"), std::string::npos)
      << unknown.error().message;
}

TEST(GpuTime, IsItsLaunchAndTheLongestOfItsLimits) {
  const ModelledGpu v100 = *modelled_gpu("v100");
  for (const GpuProduct& p : {GpuProduct{1, 1, 1}, GpuProduct{512, 8, 500000}, GpuProduct{8448, 48000, 2816},
                              GpuProduct{4096, 1, 4096, true}}) {
    const GpuTime t = product_time(v100, p);
    EXPECT_DOUBLE_EQ(t.ns, t.launch_ns + std::max({t.compute_ns, t.dram_ns, t.l2_ns}));
    const double once = 4 * (static_cast<double>(p.rows * p.depth) + static_cast<double>(p.depth * p.columns) +
                             static_cast<double>(p.rows * p.columns));
    EXPECT_GE(t.dram_bytes, once) << "each operand at least once";
    EXPECT_GE(t.l2_bytes, t.dram_bytes);
    EXPECT_GE(t.ns,
              roof_time(v100, 2.0 * static_cast<double>(p.rows * p.columns) * static_cast<double>(p.depth), once).ns);
  }
  EXPECT_EQ(product_time(v100, {1, 1, 1}).limit(), GpuLimit::launch);
  EXPECT_EQ(product_time(v100, {8192, 8192, 8192}).limit(), GpuLimit::arithmetic);
  EXPECT_EQ(stream_time(v100, 1e9, 0).limit(), GpuLimit::dram);
  EXPECT_EQ(stream_time(v100, 0, 0, 3).ns, 3 * stream_time(v100, 0, 0).ns);
}

TEST(GpuTime, ADeepNarrowProductIsSplit) {
  const GpuTime t = product_time(*modelled_gpu("v100"), {128, 128, 1 << 20});
  EXPECT_NE(t.how.find("parts"), std::string::npos)
      << "one tile alone would leave 79 of 80 multiprocessors idle: " << t.how;
}

TEST(GpuTime, ExtentsBeyondAllMemoryAreCountedWithoutWrapping) {
  const GpuTime t = product_time(*modelled_gpu("m40"), {int64_t{1} << 40, int64_t{1} << 20, int64_t{1} << 40});
  EXPECT_GT(t.ns, 1e20);
  EXPECT_TRUE(std::isfinite(t.ns));
}

}  // namespace
}  // namespace profiler
