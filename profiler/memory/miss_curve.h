// SPDX-License-Identifier: Apache-2.0
// MissCurve: the misses of fully associative LRU caches of every size, from all lines or from a sample of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/memory/sampled_distance.h"
#include "profiler/memory/stack_distance.h"

namespace profiler {

/// Misses of a fully associative LRU cache of that size.
struct CurvePoint {
  int64_t cache_bytes = 0;
  uint64_t misses = 0;          ///< first uses included
  double miss_ratio = 0;        ///< of all accesses to lines
  double miss_ratio_error = 0;  ///< SampledDistance::miss_ratio_error(); 0: exact
};

struct MissCurve {
  std::vector<CurvePoint> points;  ///< ascending, four sizes per doubling, up to all lines that were touched
  uint64_t accesses = 0;           ///< accesses to lines
  uint64_t distinct_bytes = 0;     ///< lines touched; estimated where sampled
  /// Smallest cache whose capacity misses (without first uses) are at most 5 % of the accesses; -1: unknown.
  int64_t working_set_bytes = -1;
  double rate = 1;             ///< share of the lines followed; 1: all, and the curve is exact
  uint64_t sampled_lines = 0;  ///< followed; all of them at rate 1
  bool sampled() const { return rate < 1; }
  double mean_error() const;  ///< of the miss ratio, over the points
  double largest_error() const;
};

MissCurve curve_of(const StackDistance&, int line_bytes);
MissCurve curve_of(const SampledDistance&, int line_bytes);

/// "1/100 of the lines, 4592 of about 459200: miss ratios ± 0.0041 on average, ± 0.077 at most"; empty where the curve
/// is exact.
std::string sampling_text(const MissCurve&);

/// How to sample accesses to about this many lines (0: unknown). A hundredth of them, more where those are few, at most
/// as many at a time as fit in 30 MB.
SampledDistance::Options usual_sample(uint64_t lines, int line_bytes);

}  // namespace profiler
