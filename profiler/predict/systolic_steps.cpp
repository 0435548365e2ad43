// SPDX-License-Identifier: Apache-2.0
// One clock cycle of every register.
#include "profiler/predict/systolic_steps.h"

#include <fmt/format.h>

#include <algorithm>

namespace profiler {

engine::Result<SystolicSteps> SystolicSteps::make(int64_t rows, int64_t columns, int64_t m) {
  constexpr int64_t kLargestSide = 1024, kMostRows = 65536;
  if (rows < 1 || columns < 1 || rows > kLargestSide || columns > kLargestSide) {
    return engine::usage_error(
        fmt::format("[systolic] an array of {} x {}: give 1 to {} a side", rows, columns, kLargestSide));
  }
  if (m < 1 || m > kMostRows)
    return engine::usage_error(fmt::format("[systolic] {} rows of input: give 1 to {}", m, kMostRows));
  // Each element is looked at in each cycle: some ten seconds.
  constexpr int64_t kMostUpdates = int64_t{1} << 31;
  if (const int64_t updates = rows * columns * (m + 2 * rows + columns); updates > kMostUpdates) {
    return engine::usage_error(
        fmt::format("[systolic] {} x {} elements and {} rows of input take {} updates, at most {} are stepped: give "
                    "fewer rows",
                    rows, columns, m, updates, kMostUpdates));
  }
  return SystolicSteps(rows, columns, m);
}

SystolicSteps::SystolicSteps(int64_t rows, int64_t columns, int64_t m)
    : rows_(rows),
      columns_(columns),
      m_(m),
      weights_(static_cast<size_t>(rows * columns)),
      sums_(weights_.size()),
      output_(static_cast<size_t>(m * columns)),
      inputs_(weights_.size()),
      input_reads_(static_cast<size_t>(m * rows)),
      weight_reads_(weights_.size()) {}

/// All rows move down by one; the next one, from the last to the first, enters above.
void SystolicSteps::load_row() {
  for (int64_t row = rows_ - 1; row > 0; --row) {
    for (int64_t column = 0; column < columns_; ++column) weights_[at(row, column)] = weights_[at(row - 1, column)];
  }
  const int64_t entering = rows_ - 1 - cycle_;
  for (int64_t column = 0; column < columns_; ++column) {
    weights_[at(0, column)] = weight_value(entering, column);
    ++weight_reads_[at(entering, column)];
  }
}

/// From the far corner, so that a neighbour still holds what it held before this cycle.
void SystolicSteps::compute() {
  const int64_t now = cycle_ - rows_;
  for (int64_t row = rows_ - 1; row >= 0; --row) {
    for (int64_t column = columns_ - 1; column >= 0; --column) {
      Moving& here = inputs_[at(row, column)];
      if (column > 0) {
        here = inputs_[at(row, column - 1)];
      } else {
        const int64_t i = now - row;
        here = {};
        if (i >= 0 && i < m_) {
          here = {input_value(i, row), true};
          ++input_reads_[static_cast<size_t>(i * rows_ + row)];
        }
      }
      const int64_t above = row > 0 ? sums_[at(row - 1, column)] : 0;
      sums_[at(row, column)] = above + (here.valid ? here.value * weights_[at(row, column)] : 0);
      if (!here.valid) continue;
      ++multiply_adds_;
      if (row < rows_ - 1) continue;
      output_[static_cast<size_t>((now - row - column) * columns_ + column)] = sums_[at(row, column)];
      ++results_;
    }
  }
}

bool SystolicSteps::step() {
  if (results_ == m_ * columns_) return false;
  if (loading()) {
    load_row();
  } else {
    compute();
  }
  ++cycle_;
  return true;
}

int64_t SystolicSteps::working() const {
  return static_cast<int64_t>(std::ranges::count(inputs_, true, &Moving::valid));
}

bool SystolicSteps::output_is_right() const {
  for (int64_t i = 0; i < m_; ++i) {
    for (int64_t column = 0; column < columns_; ++column) {
      int64_t sum = 0;
      for (int64_t row = 0; row < rows_; ++row) sum += input_value(i, row) * weight_value(row, column);
      if (output_[static_cast<size_t>(i * columns_ + column)] != sum) return false;
    }
  }
  return true;
}

double SystolicSteps::used_ratio(bool with_loading) const {
  const int64_t cycles = with_loading ? cycle_ : computing_cycles();
  return static_cast<double>(multiply_adds_) / static_cast<double>(std::max<int64_t>(1, cycles * rows_ * columns_));
}

}  // namespace profiler
