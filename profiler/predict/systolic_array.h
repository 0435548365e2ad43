// SPDX-License-Identifier: Apache-2.0
// A systolic array at work: cycles and accesses of its on-chip memories for one GEMM, by closed forms.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/base/result.h"

namespace profiler {

/// Which operand stays in the processing elements while the other two stream through.
enum class Dataflow : uint8_t { output_stationary, weight_stationary, input_stationary };
std::string_view name(Dataflow);  ///< "os", "ws", "is"
std::optional<Dataflow> parse_dataflow(std::string_view);

/// rows x columns processing elements, one multiply-add per cycle each.
struct SystolicArray {
  int64_t rows = 0, columns = 0;
  Dataflow dataflow = Dataflow::weight_stationary;
};

/// What out (m x n) = input (m x k) times weights (k x n) costs. Counts are whole numbers, exact up to 2^53.
struct SystolicWork {
  double folds = 0;   ///< times the array is filled: the GEMM is larger than the array
  double cycles = 0;  ///< of the array, memories never late
  double input_reads = 0, weight_reads = 0, output_writes = 0;  ///< words, on-chip memory to and from the array
  double mapped_ratio = 0;  ///< processing elements that have work, mean over the folds
  double used_ratio = 0;    ///< multiply-adds done / multiply-adds the array could do in these cycles
};

/// Folds one after the other, nothing overlapped. The array has R rows and C columns; one element and one multiply-add
/// take one cycle. os: ceil(m/R) ceil(n/C) folds of R + C + k - 2 cycles (skewed operands in; each result drains down
/// its column). ws: ceil(k/R) ceil(n/C) folds of 2 R + C + m - 2 cycles (R to load the weights, then inputs skewed
/// through). is: ceil(k/R) ceil(m/C) folds of 2 R + C + n - 2 cycles. A stationary operand is read once, a streaming
/// one once per fold that needs it. Partial sums of folds over k are written once per fold. Source of the model:
/// Samajdar et al. 2018, "SCALE-Sim: Systolic CNN Accelerator Simulator" (arXiv 1811.02883). tests/profiler/predict
/// compares it with the golden reports of scalesim-project/SCALE-Sim. These give the number of the last cycle, counted
/// from zero: one less. Fails (usage) for extents below 1 and for arrays beyond 2^20 a side.
engine::Result<SystolicWork> systolic_work(const SystolicArray&, int64_t m, int64_t n, int64_t k);

}  // namespace profiler
