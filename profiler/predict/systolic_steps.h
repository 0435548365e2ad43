// SPDX-License-Identifier: Apache-2.0
// A systolic array run cycle by cycle, register by register, with its weights in place.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/result.h"

namespace profiler {

/// rows x columns processing elements (PEs), one multiply-add per cycle each. They hold weights [rows, columns] and
/// compute out [m, columns] = input [m, rows] x weights. Values are whole numbers, so results are exact.
///
/// Loading takes `rows` cycles: a row of weights enters from above in each and moves down with those before. Then input
/// row i enters PE row r from the left in cycle i + r and moves right. Its product is added to the sum that moves down.
/// Column c puts out row i in cycle i + rows - 1 + c. After loading that takes m + rows + columns - 2 cycles.
class SystolicSteps {
 public:
  /// Fails (usage) for extents below 1, and beyond 1024 a side or 65536 input rows. Also where all steps together would
  /// look at more than 2^31 PEs.
  static engine::Result<SystolicSteps> make(int64_t rows, int64_t columns, int64_t m);

  /// One clock cycle; false, without one, when all results are out.
  bool step();

  bool loading() const { return cycle_ < rows_; }
  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  int64_t m() const { return m_; }
  int64_t cycle() const { return cycle_; }  ///< cycles that ran, of loading too
  int64_t computing_cycles() const { return cycle_ < rows_ ? 0 : cycle_ - rows_; }
  int64_t multiply_adds() const { return multiply_adds_; }
  // What a PE holds after the last cycle.
  int64_t weight(int64_t row, int64_t column) const { return weights_[at(row, column)]; }
  int64_t input(int64_t row, int64_t column) const { return inputs_[at(row, column)].value; }
  int64_t sum(int64_t row, int64_t column) const { return sums_[at(row, column)]; }
  /// Whether the PE did a multiply-add in the last cycle.
  bool worked(int64_t row, int64_t column) const { return inputs_[at(row, column)].valid; }
  int64_t working() const;  ///< PEs that did

  /// What memory holds, and how often each element was read from it.
  int64_t input_value(int64_t i, int64_t row) const { return 3 * ((i * 7 + row * 5) % 11) - 13 + i % 3; }
  int64_t weight_value(int64_t row, int64_t column) const { return 2 * ((row * 3 + column * 13) % 17) - 15; }
  const std::vector<int>& input_reads() const { return input_reads_; }    ///< [m, rows]
  const std::vector<int>& weight_reads() const { return weight_reads_; }  ///< [rows, columns]
  const std::vector<int64_t>& output() const { return output_; }          ///< [m, columns]
  /// Results that equal those of three nested loops.
  bool output_is_right() const;

  /// Multiply-adds done over those that all PEs could do in the cycles so far, loading left out or not.
  double used_ratio(bool with_loading) const;

 private:
  struct Moving {
    int64_t value = 0;
    bool valid = false;
  };
  SystolicSteps(int64_t rows, int64_t columns, int64_t m);
  size_t at(int64_t row, int64_t column) const { return static_cast<size_t>(row * columns_ + column); }
  void load_row();
  void compute();

  int64_t rows_, columns_, m_;
  int64_t cycle_ = 0, multiply_adds_ = 0, results_ = 0;
  std::vector<int64_t> weights_, sums_, output_;
  std::vector<Moving> inputs_;
  std::vector<int> input_reads_, weight_reads_;
};

}  // namespace profiler
