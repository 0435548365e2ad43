// SPDX-License-Identifier: Apache-2.0
// How a scattered update meets what stands at its place: what references and kernels of scatter share.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace engine::ops {

/// replace: of updates with equal places the last one (in row-major order) stays.
enum class ScatterReduction : uint8_t { replace, add, multiply, max, min };
/// "none", "add", "mul", "max", "min".
std::optional<ScatterReduction> parse_scatter_reduction(std::string_view);

/// What stands at a place that held `old` once `update` has met it. max and min are NaN when one of the two is.
template <class T>
T scattered(ScatterReduction reduction, T old, T update) {
  switch (reduction) {
    case ScatterReduction::replace: return update;
    case ScatterReduction::add: return old + update;
    case ScatterReduction::multiply: return old * update;
    case ScatterReduction::max: return old > update || old != old ? old : update;
    case ScatterReduction::min: return old < update || old != old ? old : update;
  }
  return update;
}

}  // namespace engine::ops
