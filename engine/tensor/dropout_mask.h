// SPDX-License-Identifier: Apache-2.0
// DropoutMask: which elements a dropout keeps: a function of seed, draw and position, the same on every device and
// thread count.
#pragma once

#include <cstdint>

namespace engine {

class DropoutMask {
 public:
  constexpr DropoutMask(double ratio, int64_t seed, int64_t draw)
      : threshold_(static_cast<uint64_t>(ratio * 4294967296.0)), factor_(ratio < 1 ? 1 / (1 - ratio) : 0) {
    const uint64_t key = mixed(mixed(static_cast<uint64_t>(seed)) ^ static_cast<uint64_t>(draw));
    first_ = static_cast<uint32_t>(key);
    second_ = static_cast<uint32_t>(key >> 32);
  }

  /// Whether the element at this row-major position is kept.
  constexpr bool keeps(uint64_t position) const {
    const auto low = static_cast<uint32_t>(position), high = static_cast<uint32_t>(position >> 32);
    return scrambled(scrambled(low + first_) ^ (second_ + high * 0x9e3779b9u)) >= threshold_;
  }
  /// What kept elements are multiplied by: 1 / (1 - ratio), so that their mean stays.
  constexpr double factor() const { return factor_; }

 private:
  /// Source: S. Vigna, splitmix64.c (public domain): the output function.
  static constexpr uint64_t mixed(uint64_t z) {
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// Source: A. Appleby, MurmurHash3 (public domain): fmix32, a bijection.
  static constexpr uint32_t scrambled(uint32_t h) {
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return h ^ (h >> 16);
  }

  uint64_t threshold_;
  double factor_;
  uint32_t first_ = 0, second_ = 0;
};

}  // namespace engine
