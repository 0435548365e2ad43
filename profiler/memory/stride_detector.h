// SPDX-License-Identifier: Apache-2.0
// StrideDetector: runs of lines at a constant distance, as a stride prefetcher sees them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace profiler {

/// Processors tell runs apart by the instruction; which one it was is not known here. So a line continues a run where
/// the lines one and two steps back are among the last kKept of its tensor. That also finds interleaved runs.
class StrideDetector {
 public:
  static constexpr size_t kKept = 16;
  /// The step, in lines, of the run that `line` continues as its third or later: the shortest such step, of two the
  /// ascending one. 0: none, or the line is among the last itself.
  int64_t see(uint32_t line, uint32_t tensor) {
    if (held(line, tensor)) return 0;
    int64_t step = 0;
    for (size_t i = 0; i < count_; ++i) {
      if (last_[i].tensor != tensor) continue;
      const int64_t d = int64_t{line} - last_[i].line;
      const bool nearer = step == 0 || magnitude(d) < magnitude(step) || (d > 0 && d == -step);
      if (nearer && held(int64_t{last_[i].line} - d, tensor)) step = d;
    }
    last_[next_] = {line, tensor};
    next_ = (next_ + 1) % kKept;
    count_ = count_ < kKept ? count_ + 1 : kKept;
    return step;
  }

 private:
  struct Seen {
    uint32_t line = 0, tensor = 0;
  };
  static int64_t magnitude(int64_t d) { return d < 0 ? -d : d; }
  bool held(int64_t line, uint32_t tensor) const {
    for (size_t i = 0; i < count_; ++i) {
      if (last_[i].line == line && last_[i].tensor == tensor) return true;
    }
    return false;
  }

  std::array<Seen, kKept> last_ = {};
  size_t count_ = 0, next_ = 0;
};

}  // namespace profiler
