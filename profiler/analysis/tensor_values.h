// SPDX-License-Identifier: Apache-2.0
// What was in each tensor of a step: range, NaN, infinities, a histogram; and the op that made the first NaN.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "profiler/base/table.h"
#include "profiler/capture/capture.h"

namespace profiler {

inline constexpr size_t kHistogramBins = 16;

/// Counts of values between the least and the largest one, in bins of equal width.
struct ValueHistogram {
  double least = 0, most = 0;  ///< NaN: no finite value
  std::array<int64_t, kHistogramBins> counts{};
  int64_t values = 0;                ///< counted: all kept finite ones
  int64_t nans = 0, infinities = 0;  ///< among the kept ones
};
ValueHistogram histogram_of(const ResultRecord&);

/// Elements that are NaN; -1: unknown, since not all are kept and some are not finite.
int64_t nan_count(const ResultRecord&);
/// Of each tensor the op that made it; kNoOp: it is there before the step.
std::vector<OpId> makers(const Capture&);

/// Ops that put out NaN or infinity although all their operands were finite, in the order of the ops. An op that reads
/// a tensor whose values are not known is none: that one may hold them.
std::vector<OpId> first_not_finite(const Capture&);

/// Why there are no values; empty: there are.
std::string no_values_words(const Capture&);
std::vector<std::string> values_sentences(const Capture&);
Table values_table(const Capture&);

}  // namespace profiler
