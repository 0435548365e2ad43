// SPDX-License-Identifier: Apache-2.0
// Parts of pooling (pooling_loops.h, pooling_3d_loops.h) without vectors of their own. A test compiles them over a
// memory that notes each access.
#pragma once

#include <limits>

#include "engine/kernels/core/scalar_memory.h"
#include "engine/kernels/pooling/pooling_loops.h"

namespace engine::cpu {

/// Adds each dy to the pixel its index names (any of the sample; others are left out). M: ScalarMemory, or what stands
/// for it.
template <class M = ScalarMemory>
class MaxPoolGradParts : public loops::Computes {
 public:
  MaxPoolGradParts(const loops::ScatterShape& shape, const float* dy, const int32_t* indices, float* dx)
      : s_(shape), dy_(dy), indices_(indices), dx_(dx) {}

  void clear(int64_t sample, int64_t pixel, loops::Range channels) const {
    M::fill(dx_ + (sample * s_.inputs + pixel) * s_.channels + channels.begin, channels.size(), 0.0F);
  }
  void scatter(int64_t sample, int64_t pixel, loops::Range channels) const {
    const int64_t from = (sample * s_.outputs + pixel) * s_.channels;
    float* const dx = dx_ + sample * s_.inputs * s_.channels;
    for (int64_t c = channels.begin; c < channels.end; ++c) {
      const int64_t index = M::load(indices_ + from + c);
      if (index < 0 || index >= s_.inputs) continue;
      const float dy = M::load(dy_ + from + c);
      M::store(M::load(dx + index * s_.channels + c) + dy, dx + index * s_.channels + c);
    }
  }

 private:
  loops::ScatterShape s_;
  const float* dy_;
  const int32_t* indices_;
  float* dx_;
};

/// The largest of one voxel's window: a NaN wins, and the first of equals.
template <class M = ScalarMemory>
struct MaxOfVolume {
  int64_t channels;

  void take(const float* x, int32_t here, bool first, float* best, int32_t* index) const {
    if (first) {
      M::copy(x, channels, best);
      M::fill(index, channels, here);
      return;
    }
    for (int64_t c = 0; c < channels; ++c) {
      const float value = M::load(x + c), before = M::load(best + c);
      const int32_t at = M::load(index + c);
      const bool wins = value > before || (value != value && before == before);
      M::store(wins ? value : before, best + c);
      M::store(wins ? here : at, index + c);
    }
  }
  /// Dilated past all inputs.
  void nothing(float* best, int32_t* index) const {
    M::fill(best, channels, -std::numeric_limits<float>::infinity());
    M::fill(index, channels, int32_t{-1});
  }
};

}  // namespace engine::cpu
