// SPDX-License-Identifier: Apache-2.0
// Figures of devices beside each other: origins, unknowns with their reason, data sheets by all their names.
#include "profiler/predict/device_figures.h"

#include <gtest/gtest.h>

#include <cmath>

#include "profiler/machine/gpu_data_sheet.h"

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

/// Sold with two memories: neither is the one, and both are known.
TEST(DeviceFigures, AMemoryThatVersionsHaveIsNamed) {
  EXPECT_EQ(specified_gpu("v100")->of(DeviceTrait::memory).note, "there are versions with 16 GiB and 32 GiB");
  EXPECT_EQ(specified_gpu("RTX 4090")->of(DeviceTrait::memory).value, 24.0 * (1 << 30));
}

TEST(DeviceFigures, OfADataSheetAreAllThatItStates) {
  size_t lanes = 0;
  for (const GpuDataSheet& sheet : gpu_data_sheets()) {
    const auto gpu = specified_gpu(sheet.name);
    ASSERT_TRUE(gpu.ok()) << sheet.name;
    const auto expect = [&](DeviceTrait trait, double stated) {
      const DeviceFigure& figure = gpu->of(trait);
      if (stated > 0) EXPECT_EQ(figure.value, stated) << sheet.name << " " << key_of(trait);
      else EXPECT_TRUE(std::isnan(figure.value)) << sheet.name << " " << key_of(trait);
    };
    expect(DeviceTrait::units, sheet.multiprocessors);
    expect(DeviceTrait::lanes, sheet.lanes);
    expect(DeviceTrait::clock, sheet.boost_hz);
    expect(DeviceTrait::second_cache, sheet.l2_bytes);
    expect(DeviceTrait::memory, sheet.memory_bytes);
    expect(DeviceTrait::bandwidth, sheet.memory_bytes_per_s);
    expect(DeviceTrait::arithmetic, sheet.f32_flop_per_s);
    lanes += sheet.lanes > 0 ? 1 : 0;
  }
  EXPECT_GT(lanes, 0u) << "nothing was compared";
}

TEST(DeviceFigures, WhatASpecifiedGpuLacksHasAReasonAndNoSource) {
  size_t unknown = 0;
  for (const std::string& name : specified_gpus()) {
    const auto gpu = specified_gpu(name);
    ASSERT_TRUE(gpu.ok()) << name << ": " << gpu.error().message;
    EXPECT_NE(gpu->sources, "") << name;
    for (const DeviceFigure& figure : gpu->figures) {
      if (figure.value > 0) continue;
      ++unknown;
      EXPECT_TRUE(std::isnan(figure.value)) << name;
      EXPECT_TRUE(figure.note == "no source states it" || figure.note == "a GPU has no third level" ||
                  figure.note.starts_with("there are versions with "))
          << name << ": " << figure.note;
    }
  }
  EXPECT_GT(unknown, 0u);
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
