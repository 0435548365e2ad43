// SPDX-License-Identifier: Apache-2.0
// Data sheets of GPUs: found by the names of drivers, and never where a trace contradicts them.
#include "profiler/machine/gpu_data_sheet.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace profiler {
namespace {

const GpuDataSheet* found(std::string_view name) { return find_data_sheet({.name = name}); }

TEST(GpuDataSheets, EveryRowHasItsFiguresAndNamesOfItsOwn) {
  std::set<std::string> drivers;
  ASSERT_GE(gpu_data_sheets().size(), 27u);
  for (const GpuDataSheet& sheet : gpu_data_sheets()) {
    if (sheet.kind != "gpu") {
      EXPECT_TRUE(sheet.drivers.empty()) << sheet.name << ": traces of GPUs take no roofs from it";
      EXPECT_GT(std::fmax(sheet.bf16_flop_per_s, sheet.operations_per_s), 1e11) << sheet.name;
      EXPECT_FALSE(sheet.sources.empty()) << sheet.name;
      continue;
    }
    EXPECT_GT(sheet.memory_bytes_per_s, 1e11) << sheet.name;
    EXPECT_GT(sheet.f32_flop_per_s, 1e12) << sheet.name;
    EXPECT_FALSE(sheet.sources.empty()) << sheet.name;
    EXPECT_TRUE(std::isnan(sheet.f16_flop_per_s) || sheet.f16_flop_per_s >= sheet.f32_flop_per_s) << sheet.name;
    for (const GpuDataSheet& other : gpu_data_sheets())
      EXPECT_TRUE(&other == &sheet ||
                  std::ranges::find(other.drivers, plain_gpu_name(sheet.name)) == other.drivers.end())
          << sheet.name << " is what drivers call " << other.name;
    EXPECT_EQ(named_data_sheet(sheet.name), &sheet);
    for (const std::string& driver : sheet.drivers) {
      EXPECT_EQ(plain_gpu_name(driver), driver);
      const bool first = drivers.insert(driver).second;
      const NamedGpu said{
          .name = driver,
          .multiprocessors = sheet.multiprocessors,
          .memory_bytes = std::isnan(sheet.memory_bytes) ? -1 : static_cast<int64_t>(sheet.memory_bytes)};
      EXPECT_EQ(find_data_sheet(said), &sheet) << driver << ": what a trace says of it tells it from its namesakes";
      if (first) continue;
      EXPECT_EQ(found(driver), nullptr) << driver << ": the name alone says nothing";
      EXPECT_EQ(named_data_sheet(driver), nullptr) << driver;
    }
  }
}

/// Vendors round, and some name another clock: 1.5 %.
TEST(GpuDataSheets, PeaksAreUnitsTimesClockTimesTwo) {
  int worked_out = 0;
  for (const GpuDataSheet& sheet : gpu_data_sheets()) {
    if (std::isnan(sheet.worked_out_flop_per_s())) continue;
    ++worked_out;
    EXPECT_NEAR(sheet.worked_out_flop_per_s() / sheet.f32_flop_per_s, 1, 0.015) << sheet.name;
  }
  EXPECT_GE(worked_out, 19);
  const GpuDataSheet* const card = found("NVIDIA GeForce RTX 3090");
  ASSERT_NE(card, nullptr);
  EXPECT_EQ(card->memory_bytes, 24.0 * (1 << 30)) << "vendors write GB of what are GiB";
  EXPECT_EQ(card->units(), 10496);
  EXPECT_EQ(card->worked_out_flop_per_s(), 2 * 10496 * 1.695e9);
}

TEST(GpuDataSheets, NamesAsDriversGiveThem) {
  EXPECT_EQ(plain_gpu_name("NVIDIA GeForce RTX 4090"), "rtx 4090");
  const std::pair<const char*, const char*> names[] = {{"NVIDIA H100 80GB HBM3", "H100 SXM5"},
                                                       {"NVIDIA A100-SXM4-80GB", "A100 SXM4 80GB"},
                                                       {"NVIDIA A100 80GB PCIe", "A100 PCIe 80GB"},
                                                       {"Tesla V100-SXM2-16GB", "Tesla V100 SXM2 16GB"},
                                                       {"Tesla V100-DGXS-32GB", "Tesla V100 SXM2 32GB"},
                                                       {"NVIDIA H100 PCIe", "H100 PCIe"},
                                                       {"Tesla T4", "T4"},
                                                       {"AMD Instinct MI300X", "Instinct MI300X"}};
  for (const auto& [driver, name] : names) {
    ASSERT_NE(found(driver), nullptr) << driver;
    EXPECT_EQ(found(driver)->name, name);
  }
  for (const char* other : {"NVIDIA H100 NVL MIG 1g.12gb", "NVIDIA GeForce RTX 4090 Laptop GPU", "A100", "",
                            "Tesla V100-DGXS-64GB", "NVIDIA GeForce RTX 3060"})
    EXPECT_EQ(found(other), nullptr) << other;
}

TEST(GpuDataSheets, WhatTheTraceSaysMustNotContradictThem) {
  const NamedGpu whole{.name = "NVIDIA H100 80GB HBM3",
                       .compute_major = 9,
                       .compute_minor = 0,
                       .multiprocessors = 132,
                       .memory_bytes = 85'018'279'936};
  EXPECT_NE(find_data_sheet(whole), nullptr);
  NamedGpu slice = whole;
  slice.multiprocessors = 16;
  EXPECT_EQ(find_data_sheet(slice), nullptr) << "a part of a GPU (MIG)";
  slice = whole;
  slice.memory_bytes = 10'000'000'000;
  EXPECT_EQ(find_data_sheet(slice), nullptr);
  slice = whole;
  slice.compute_major = 8;
  EXPECT_EQ(find_data_sheet(slice), nullptr);
}

}  // namespace
}  // namespace profiler
