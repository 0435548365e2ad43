// SPDX-License-Identifier: Apache-2.0
// Copies in which each axis of the result has its own table of sources (pad, tile, nearest resize): which stretch of x
// goes to which of y. Computed by mapped_copy-inl.h, whose threads share the rows, described by mapped_copy_access.cpp.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "engine/kernels/core/visitor_loops.h"

namespace engine::loops {

/// Inner axes whose elements lie side by side in y are one row of stretches, up to so many bytes; around it, axis by
/// axis. Offsets in bytes, from the first elements of x and y.
class MappedCopy {
 public:
  /// sources[a][i]: which element of axis a of x stands at i in y; below 0: none does. Strides in elements of
  /// `element_bytes`. y has elements.
  MappedCopy(std::span<const int64_t> x_strides, std::span<const int64_t> y_strides,
             const std::vector<std::vector<int64_t>>& sources, int64_t element_bytes)
      : element_bytes_(element_bytes) {
    for (size_t a = 0; a < sources.size(); ++a) {
      Axis axis{y_strides[a] * element_bytes, {}};
      for (const int64_t source : sources[a])
        axis.from.push_back(source < 0 ? kMissing : source * x_strides[a] * element_bytes);
      if (axis.from.size() > 1 || axis.from[0] != 0) axes_.push_back(std::move(axis));
    }
    std::ranges::stable_sort(axes_, std::ranges::greater{}, &Axis::stride);
    runs_ = {{0, 0, 1}};
    while (!axes_.empty() && axes_.back().stride == row_elements_ * element_bytes &&
           row_elements_ * element_bytes < kRowBytes) {
      const Axis axis = std::move(axes_.back());
      axes_.pop_back();
      row_elements_ *= static_cast<int64_t>(axis.from.size());
      runs_ = merged(axis);
    }
    for (const Axis& axis : axes_) rows_ *= static_cast<int64_t>(axis.from.size());
  }

  int64_t rows() const { return rows_; }
  int64_t elements() const { return rows_ * row_elements_; }
  int64_t element_bytes() const { return element_bytes_; }

  /// Row number `number` of y. visitor.copy(from, to, elements), visitor.missing(to, elements).
  template <class Visitor>
  void row(int64_t number, Visitor& visitor) const {
    int64_t to = 0, from = 0;
    for (size_t a = axes_.size(); a-- > 0;) {
      const auto extent = static_cast<int64_t>(axes_[a].from.size());
      const int64_t at = number % extent;
      number /= extent;
      to += at * axes_[a].stride;
      const int64_t step = axes_[a].from[static_cast<size_t>(at)];
      from = from == kMissing || step == kMissing ? kMissing : from + step;
    }
    for (const Run& run : runs_) {
      if (from == kMissing || run.from == kMissing) visitor.missing(to + run.to, run.count);
      else visitor.copy(from + run.from, to + run.to, run.count);
    }
  }

 private:
  static constexpr int64_t kRowBytes = 16 * 1024, kMissing = std::numeric_limits<int64_t>::min();
  struct Axis {
    int64_t stride = 0;         ///< in y
    std::vector<int64_t> from;  ///< in x, or kMissing
  };
  /// Elements of y side by side that are copied from x, from beside one another too, or are all missing.
  struct Run {
    int64_t to = 0, from = 0, count = 0;
  };

  /// runs_ once for each element of `axis`, those that continue one another joined.
  std::vector<Run> merged(const Axis& axis) const {
    std::vector<Run> result;
    for (size_t i = 0; i < axis.from.size(); ++i) {
      for (Run run : runs_) {
        run.to += static_cast<int64_t>(i) * axis.stride;
        run.from = run.from == kMissing || axis.from[i] == kMissing ? kMissing : run.from + axis.from[i];
        if (!result.empty()) {
          Run& last = result.back();
          const bool continues = last.from == kMissing
                                     ? run.from == kMissing
                                     : run.from != kMissing && run.from == last.from + last.count * element_bytes_;
          if (continues && run.to == last.to + last.count * element_bytes_) {
            last.count += run.count;
            continue;
          }
        }
        result.push_back(run);
      }
    }
    return result;
  }

  int64_t element_bytes_;
  std::vector<Axis> axes_;  ///< outermost first; what is inside of them is one row of runs_
  std::vector<Run> runs_;
  int64_t rows_ = 1, row_elements_ = 1;
};

}  // namespace engine::loops
