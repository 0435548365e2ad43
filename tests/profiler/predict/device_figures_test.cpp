// SPDX-License-Identifier: Apache-2.0
// Figures of devices beside each other: origins, unknowns with their reason, data sheets by all their names.
#include "profiler/predict/device_figures.h"

#include <gtest/gtest.h>

#include <cmath>

namespace profiler {
namespace {

TEST(DeviceFigures, OfAModelledGpuAreThoseOfItsDataSheet) {
  const DeviceFigures v100 = *specified_gpu("v100");
  EXPECT_EQ(v100.of(DeviceTrait::units).value, 80);
  EXPECT_EQ(v100.of(DeviceTrait::lanes).value, 64);
  EXPECT_DOUBLE_EQ(v100.of(DeviceTrait::clock).value, 1.53e9);
  EXPECT_DOUBLE_EQ(v100.of(DeviceTrait::arithmetic).value, 2 * 80 * 64 * 1.53e9);
  EXPECT_EQ(v100.of(DeviceTrait::arithmetic).origin, Origin::specified);
  EXPECT_TRUE(std::isnan(v100.of(DeviceTrait::last_cache).value));
  EXPECT_NE(v100.of(DeviceTrait::last_cache).note, "");
  EXPECT_NE(v100.sources, "");
}

TEST(DeviceFigures, EverySpecifiedGpuHasBandwidthOrSaysWhyNot) {
  for (const std::string& name : specified_gpus()) {
    const auto gpu = specified_gpu(name);
    ASSERT_TRUE(gpu.ok()) << name << ": " << gpu.error().message;
    EXPECT_TRUE(gpu->of(DeviceTrait::bandwidth).value > 0 || !gpu->of(DeviceTrait::bandwidth).note.empty()) << name;
    EXPECT_NE(gpu->sources, "") << name;
  }
  const auto none = specified_gpu("v1000");
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().message.find("v100"), std::string::npos) << none.error().message;
}

TEST(DeviceFigures, OfAProcessorAreMeasuredWhereAProbeRan) {
  Machine machine;
  machine.info.model = "Test CPU";
  machine.info.cores = 4;
  machine.info.vector_bits = 256;
  machine.info.caches = {{.name = "L1d", .size_bytes = 32768}};
  DeviceFigures bare = processor_figures(machine, kUnknown);
  EXPECT_EQ(bare.of(DeviceTrait::lanes).value, 8);
  EXPECT_EQ(bare.of(DeviceTrait::first_cache).value, 32768);
  EXPECT_EQ(bare.of(DeviceTrait::first_cache).origin, Origin::specified);
  EXPECT_TRUE(std::isnan(bare.of(DeviceTrait::clock).value));
  EXPECT_TRUE(std::isnan(bare.of(DeviceTrait::bandwidth).value));
  EXPECT_NE(bare.of(DeviceTrait::bandwidth).note.find("probe"), std::string::npos);
  machine.bandwidth.push_back({.level = "DRAM", .threads = 1, .bytes_per_s = {10e9, 9e9, 11e9, 5}});
  machine.bandwidth.push_back({.level = "DRAM", .threads = 4, .bytes_per_s = {30e9, 29e9, 31e9, 5}});
  const DeviceFigures probed = processor_figures(machine, 3e9);
  EXPECT_EQ(probed.of(DeviceTrait::bandwidth).value, 30e9);
  EXPECT_EQ(probed.of(DeviceTrait::bandwidth).origin, Origin::measured);
  EXPECT_EQ(shown(DeviceTrait::clock, probed.of(DeviceTrait::clock).value), "3 GHz");
}

TEST(DeviceFigures, ARecordedGpuIsCompletedByItsDataSheet) {
  const DeviceFigures gpu = recorded_gpu(
      {.name = "Tesla V100-SXM2-16GB", .compute_major = 7, .compute_minor = 0, .multiprocessors = 80}, "a.json");
  EXPECT_EQ(gpu.what, "GPU recorded in a.json");
  EXPECT_EQ(gpu.of(DeviceTrait::units).note, "as the trace states");
  EXPECT_EQ(gpu.of(DeviceTrait::bandwidth).value, 900e9);
  const DeviceFigures unheard = recorded_gpu({.name = "GPU nobody knows"}, "a.json");
  EXPECT_TRUE(std::isnan(unheard.of(DeviceTrait::bandwidth).value));
  EXPECT_NE(unheard.of(DeviceTrait::bandwidth).note, "");
}

TEST(DeviceFigures, BesideEachOtherEveryFigureHasItsOrigin) {
  const std::vector<DeviceFigures> both{*specified_gpu("p100"), *specified_gpu("v100")};
  const Table table = beside_table(both);
  EXPECT_EQ(table.rows.size(), kDeviceTraits);
  for (const auto& row : table.rows) {
    ASSERT_EQ(row.size(), table.columns.size());
    for (const size_t origin : {size_t{2}, size_t{4}}) EXPECT_FALSE(std::get<std::string>(row[origin]).empty());
  }
  const std::vector<std::string> sentences = beside_sentences(both);
  ASSERT_FALSE(sentences.empty());
  EXPECT_NE(sentences[0].find("1.23x the memory bandwidth"), std::string::npos) << sentences[0];
}

}  // namespace
}  // namespace profiler
