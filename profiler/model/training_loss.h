// SPDX-License-Identifier: Apache-2.0
// The loss of a training run as a series of its capture: one value per step that was read.
#pragma once

#include <optional>
#include <string_view>

#include "profiler/model/capture.h"

namespace profiler {

inline constexpr std::string_view kLossName = "loss", kLossGroup = "training";

/// What the steps put out, warm-up steps included: each of them trains. Computed by the run in its number format.
struct TrainingLoss {
  double first = 0, last = 0;
  size_t steps = 0;  ///< all that ran up to `last`
  size_t values = 0; ///< those of them whose loss was read; on GPUs the last alone
};

/// Nothing: the run did not train, or another program recorded it.
std::optional<TrainingLoss> training_loss(const Capture&);

}  // namespace profiler
