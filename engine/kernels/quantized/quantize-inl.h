// SPDX-License-Identifier: Apache-2.0
// Quantisation of f32 with one scale for all, over memory that is plain (quantized.cpp) or, in a test, notes each
// access.
#pragma once

#include <algorithm>

#include "engine/kernels/core/parallel.h"
#include "engine/kernels/core/scalar_memory.h"
#include "engine/kernels/quantized/quantize_loops.h"
#include "engine/tensor/quantization.h"

namespace engine::cpu {

/// 1.5 * 2^52: a double plus it is rounded to the nearest integer, ties to even.
inline constexpr double kRound = 6755399441055744.0;

/// quantized() to one of the 256 integers from `low` on, without a call per element: adding and taking away 1.5 * 2^52
/// rounds to the nearest integer, ties to even.
[[gnu::always_inline]] inline uint8_t quantized_byte(double value, double zero, double low) {
  constexpr double kFar = 4096;
  const double held = value > -kFar ? (value < kFar ? value : kFar) : -kFar;  // NaN goes down
  const double rounded = held + kRound - kRound + zero;
  return static_cast<uint8_t>(static_cast<int32_t>(std::min(std::max(rounded, low), low + 255)));
}

struct Quantization {
  double scale = 1, zero = 0, low = 0;  ///< low: the least of the 256 integers

  /// `count` elements, split over the threads.
  template <class M = ScalarMemory>
  void run(const float* from, int64_t count, uint8_t* to, int threads) const {
    const double by = scale, offset = zero, least = low;
    parallel_parts(threads, count, 64, count, [=](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        M::store(quantized_byte(steps_of(static_cast<double>(M::load(from + i)), by), offset, least), to + i);
    });
  }
};

/// The parts of quantize_loops.h.
template <class M = ScalarMemory>
struct DynamicQuantizationParts : loops::Computes {
  const float* x;
  int64_t count;
  uint8_t* y;
  float* scale;
  uint8_t* zero_point;
  int threads;
  DynamicRange found{};

  void range() {
    float low = 0, high = 0;
    for (int64_t i = 0; i < count; ++i) {
      const float value = M::load(x + i);
      low = std::min(low, value);
      high = std::max(high, value);
    }
    found = dynamic_range(static_cast<double>(low), static_cast<double>(high));
  }
  void keep() const {
    M::store(found.scale, scale);
    M::store(static_cast<uint8_t>(found.zero_point), zero_point);
  }
  void quantize() const {
    Quantization{static_cast<double>(found.scale), static_cast<double>(found.zero_point)}.template run<M>(x, count, y,
                                                                                                          threads);
  }
};

}  // namespace engine::cpu
