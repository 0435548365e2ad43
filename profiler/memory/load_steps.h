// SPDX-License-Identifier: Apache-2.0
// LoadSteps: how far the loops of a description step from one load to the next.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "engine/kernels/core/access.h"

namespace profiler {

/// How an op's loads of one tensor step: those in loops that step farther than a line and more times than processors
/// follow streams. Fewer steps come back to the same pages, one stream in each. 32 streams: what Intel's streamer keeps
/// since Sandy Bridge (Intel 64 and IA-32 Architectures Optimization Reference Manual, on data prefetching).
class LoadSteps {
 public:
  static constexpr int64_t kFollowedStreams = 32;
  void add(int64_t iterations, const engine::AccessStream& s, uint64_t line) {
    if (s.kind != engine::AccessKind::load) return;
    const auto step = s.stride < 0 ? uint64_t{0} - static_cast<uint64_t>(s.stride) : static_cast<uint64_t>(s.stride),
               loads = static_cast<uint64_t>(iterations);
    loads_ += loads;
    if (step <= line || iterations <= kFollowedStreams) return;
    Far& far = far_[static_cast<size_t>(std::bit_width(step) - 1)];
    far.loads += loads;
    far.least = far.least == 0 ? step : std::min(far.least, step);
  }
  /// Part of all loads whose steps are as far as this.
  double far_ratio(uint64_t least) const {
    uint64_t far = 0;
    for (const Far& f : far_) far += f.least >= least ? f.loads : 0;
    return loads_ > 0 ? static_cast<double>(far) / static_cast<double>(loads_) : 0;
  }
  /// hears(step in bytes, its part of all loads), by powers of two of the step.
  void each_far(auto hears) const {
    for (const Far& f : far_) {
      if (f.loads > 0) hears(static_cast<double>(f.least), static_cast<double>(f.loads) / static_cast<double>(loads_));
    }
  }

 private:
  struct Far {
    uint64_t loads = 0, least = 0;
  };
  uint64_t loads_ = 0;
  std::array<Far, 64> far_ = {};
};

}  // namespace profiler
