// SPDX-License-Identifier: Apache-2.0
// FifoLines: a fully associative FIFO cache of lines, asked beside a level for which of its misses are of capacity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

namespace profiler {

class FifoLines {
 public:
  explicit FifoLines(size_t lines) : queue_(lines) {}
  /// Whether the line is missing; then it comes in, where it may.
  bool misses(uint32_t line, bool allocate) {
    if (held_.contains(line)) return false;
    if (!allocate) return true;
    if (held_.size() == queue_.size()) held_.erase(queue_[next_]);
    held_.insert(line);
    queue_[next_] = line;
    next_ = (next_ + 1) % queue_.size();
    return true;
  }

 private:
  std::vector<uint32_t> queue_;  // in the order they came, from next_ on
  std::unordered_set<uint32_t> held_;
  size_t next_ = 0;
};

}  // namespace profiler
