// SPDX-License-Identifier: Apache-2.0
// Samples in bounded memory: what is merged keeps its sums.
#include "profiler/gpu/samples.h"

#include <gtest/gtest.h>

namespace profiler {
namespace {

GpuSamples handed_out(const SampleStore& store, size_t figures) {
  GpuSamples samples;
  samples.figures.resize(figures);
  store.hand_out(samples);
  return samples;
}

TEST(SampleStore, FewSamplesStayAsTheyCame) {
  SampleStore store(2, 8);
  store.add(100, 200, {50, 100});
  store.add(200, 400, {50, 100});
  store.add(400, 400, {9, 9});  // no time in it
  store.add(500, 600, {9});     // not of this store
  const GpuSamples s = handed_out(store, 2);
  EXPECT_EQ(s.merged, 1);
  EXPECT_EQ(s.start_ns, (std::vector<int64_t>{100, 200}));
  EXPECT_EQ(s.end_ns, (std::vector<int64_t>{200, 400}));
  EXPECT_EQ(s.figures[0].values, (std::vector<double>{0.5, 0.25}));
  EXPECT_EQ(s.figures[1].values, (std::vector<double>{1, 0.5}));
}

TEST(SampleStore, WhatIsMergedKeepsItsSumsWhateverTheirNumber) {
  for (const size_t most : {1u, 2u, 7u, 8u}) {
    for (int count = 1; count <= 70; ++count) {
      SampleStore store(1, most);
      for (int i = 0; i < count; ++i) store.add(10 * i, 10 * i + 10, {static_cast<double>(i)});
      const GpuSamples s = handed_out(store, 1);
      ASSERT_LE(s.start_ns.size(), most);
      EXPECT_EQ(s.start_ns.front(), 0);
      EXPECT_EQ(s.end_ns.back(), 10 * count);
      double sum = 0;
      for (size_t i = 0; i < s.start_ns.size(); ++i) {
        if (i > 0) {
          EXPECT_EQ(s.start_ns[i], s.end_ns[i - 1]);
        }
        if (i + 1 < s.start_ns.size()) {
          EXPECT_EQ(s.end_ns[i] - s.start_ns[i], 10 * s.merged) << "all but the last are full";
        }
        sum += s.figures[0].values[i] * static_cast<double>(s.end_ns[i] - s.start_ns[i]);
      }
      ASSERT_NEAR(sum, count * (count - 1) / 2.0, 1e-6) << most << ", " << count;
    }
  }
}

/// A gap is no part of a mean.
TEST(SampleStore, GapsCountForNothing) {
  SampleStore store(1, 1);
  store.add(0, 100, {100});
  store.add(900, 1000, {300});
  const GpuSamples s = handed_out(store, 1);
  ASSERT_EQ(s.start_ns.size(), 1u);
  EXPECT_EQ(s.figures[0].values[0], 2) << "400 in 200 ns";
}

}  // namespace
}  // namespace profiler
