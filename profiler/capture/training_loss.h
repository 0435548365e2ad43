// SPDX-License-Identifier: Apache-2.0
// The loss of a training run as a series of its capture: one value per step that was read.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "profiler/capture/capture.h"

namespace profiler {

inline constexpr std::string_view kLossName = "loss", kLossGroup = "training";
/// A series of the same group: one value, 1, at the end of the first step whose loss was read and is NaN or infinite.
inline constexpr std::string_view kLossFailedName = "loss failed";

/// What the steps put out, warm-up steps included: each of them trains. Computed by the run in its number format.
struct TrainingLoss {
  double first = std::numeric_limits<double>::quiet_NaN(), last = first;  ///< finite; NaN: where `values` is 0
  size_t steps = 0;                                                       ///< all that ran up to `last`
  size_t values = 0;  ///< those of them whose loss was read and is finite; on GPUs only the last step's is read
  /// After 1, 2, 5, 10, 20, 50, ... steps, where every step's loss was read: runs that took other numbers of steps
  /// compare by these.
  struct After {
    size_t steps = 0;
    double loss = 0;
  };
  std::vector<After> after = {};
  std::optional<uint32_t> failed_step = {};  ///< index of the first step whose loss was read and is not finite
};

/// Nothing: no loss is in the capture. Then the run did not train, was killed before its end, or another program
/// recorded it. Or its loss could not be read, which a note reports.
std::optional<TrainingLoss> training_loss(const Capture&);

}  // namespace profiler
