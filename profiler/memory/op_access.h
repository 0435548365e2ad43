// SPDX-License-Identifier: Apache-2.0
// How an op walks its operands: once, twice, as a GEMM that re-reads them, or as a chain of loads. Found by the op's
// type name and, what is the kernel's choice, by its facts.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "profiler/capture/capture.h"

namespace profiler {

/// Convolutions, matrix multiplications and their gradients.
bool is_matrix_product(std::string_view op_type);

/// How often the op must walk its largest inputs: 2 for batch norm, else 1. Batch norm needs the statistics of all of x
/// (of dy x in the gradient) first.
int sweeps_over_inputs(std::string_view op_type);

/// How many threads share the op, as seen. In a capture without that figure: 1 for a kernel of a single thread, else
/// the threads of the run.
int threads_of(const Capture&, const OpRecord&);

/// Multiply-adds of a GEMM and the two operands they read; nothing for other ops or fewer than two inputs. Attention
/// and recurrent layers hold several GEMMs: the sum of their multiply-adds. Their operands are keys and values, or the
/// weights of x and of the states. That is no bound of the op.
struct MatrixAccess {
  double multiply_adds = 0;
  uint32_t operands[2] = {0, 0};  ///< indices into Capture::operands()
  double element_bytes = 4;
  double window_reuse = 1;  ///< R: products each element of the image takes part in per filter; 1: no window
  /// How often the second operand is read as a whole where it does not stay: once per step of a recurrent layer.
  double passes = 1;
  /// Whether nothing can move less than lower_bound_bytes(). Not where a kernel transforms its operands (Winograd's
  /// filtering) and multiplies what it made: of those products alone the figure speaks.
  bool bounds_op = true;

  /// Bytes the two operands must cross into a memory of `capacity_bytes`: 2 macs / sqrt(R S)
  /// elements. Sources: Smith, Lowery, van de Geijn 2019 (arXiv 1702.02017), leading term; Chen,
  /// Han, Wang 2020 (arXiv 1911.05662) for R.
  double lower_bound_bytes(double capacity_bytes) const;
};
std::optional<MatrixAccess> matrix_access(const Capture&, const OpRecord&);

/// The weights U that a convolution, or its gradient by the input, multiplies with in Winograd's filtering. There are
/// (m + 2)^2 of them in place of each 3 x 3 (Lavin and Gray 2015, arXiv 1509.09308).
struct TransformedWeights {
  uint32_t operand = 0;  ///< index into Capture::operands() of the weights they were made from
  double bytes = 0;
  bool each_step = false;  ///< made again in each step, as where a step changes weights; else once, before the first
};
/// `prepared`: prepares_weights(), which looks at all ops.
std::optional<TransformedWeights> transformed_weights(const Capture&, const OpRecord&, bool prepared);

/// FLOPs of direct sums over all taps, as a convolution is defined, where Winograd's filtering computed fewer; nothing
/// for other ops.
std::optional<double> direct_flops(const Capture&, const OpRecord&);

/// Whether kernels transform and pack weights once, before the first step. Not where a step may change them, nor in
/// eager mode: its ops do not know what stays as it is.
bool prepares_weights(const Capture&);

/// Dependent loads (pointer_chase): each holds the address of the next. One is under way at a time, on one thread. Each
/// goes to another line until all lines were loaded.
struct ChainAccess {
  static constexpr double kLineBytes = 64;
  uint32_t operand = 0;  ///< index into Capture::operands()
  double loads = 0;
  double load_bytes = 8;  ///< of one load
  double lines = 0;       ///< distinct ones it comes by
  double footprint_bytes() const { return lines * kLineBytes; }
};
/// Nothing for other ops, and where the capture does not say how many loads there are.
std::optional<ChainAccess> chain_access(const Capture&, const OpRecord&);

}  // namespace profiler
