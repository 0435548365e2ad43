// SPDX-License-Identifier: Apache-2.0
// The rule by which a dynamic loss scale grows and shrinks, for references and kernels alike.
#pragma once

#include <cstdint>

namespace engine {

/// What is kept from step to step.
struct LossScale {
  float scale = 65536;
  int32_t streak = 0;   ///< steps without overflow since the scale last changed
  int32_t skipped = 0;  ///< steps with overflow so far
};

struct LossScaleRule {
  double growth_factor = 2, backoff_factor = 0.5;
  int64_t growth_interval = 2000;  ///< 0: the scale stays as it is
};

/// The state after a step in which an overflow was found, or was not.
constexpr LossScale next_loss_scale(LossScale state, bool found, const LossScaleRule& rule) {
  if (found && state.skipped < INT32_MAX) ++state.skipped;
  if (rule.growth_interval <= 0) return state;
  if (found) {
    state.scale *= static_cast<float>(rule.backoff_factor);
    state.streak = 0;
  } else if (++state.streak >= rule.growth_interval) {
    const float grown = state.scale * static_cast<float>(rule.growth_factor);
    if (grown - grown == 0) state.scale = grown;  // finite
    state.streak = 0;
  }
  return state;
}

}  // namespace engine
