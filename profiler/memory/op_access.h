// SPDX-License-Identifier: Apache-2.0
// How an op walks its operands: once, twice, or as a matrix product that re-reads them. Found by
// the op's type name.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "profiler/model/capture.h"

namespace profiler {

/// Convolutions, matrix products and their gradients.
bool is_matrix_product(std::string_view op_type);

/// How often the op must walk its largest inputs: 2 for batch norm, which needs the statistics of
/// all of x (of dy x in the gradient) before it can use any of it; else 1.
int sweeps_over_inputs(std::string_view op_type);

/// Whether the kernel writes past the caches: our kernels say so in their name ("own copy (AVX-512,
/// non-temporal stores)").
bool stores_past_caches(std::string_view kernel);

/// Multiply-adds of a matrix product and the two operands they read; nothing for other ops or fewer
/// than two inputs.
struct MatrixAccess {
  double multiply_adds = 0;
  uint32_t operands[2] = {0, 0};  ///< indices into Capture::operands()
  double element_bytes = 4;
  double window_reuse =
      1;  ///< R: products each element of the image takes part in per filter; 1: no window

  /// Bytes the two operands must cross into a memory of `capacity_bytes`: 2 macs / sqrt(R S)
  /// elements. Sources: Smith, Lowery, van de Geijn 2019 (arXiv 1702.02017), leading term; Chen,
  /// Han, Wang 2020 (arXiv 1911.05662) for R.
  double lower_bound_bytes(double capacity_bytes) const;
};
std::optional<MatrixAccess> matrix_access(const Capture&, const OpRecord&);

}  // namespace profiler
