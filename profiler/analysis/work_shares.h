// SPDX-License-Identifier: Apache-2.0
// Shares of a step's work that people quote of networks: matrix multiplication, and the number of activations.
#pragma once

#include <string>

#include "profiler/analysis/analyze.h"

namespace profiler {

/// What matrix multiplications and convolutions do of a step. NaN: unknown.
struct MatrixShare {
  size_t ops = 0;          ///< that are one; a fused op counts where one of its members is one
  double flops = 0;        ///< theirs (exact)
  double flops_ratio = 0;  ///< of all FLOPs
  double time_ratio = 0;   ///< of the time of all ops
};
MatrixShare matrix_share(const Analyzed&);
/// "Matrix multiplications and convolutions do 99.2 % of the FLOPs in 87 % of the ops' time."; empty: nothing to say.
std::string matrix_share_words(const Analyzed&);

/// Elements of all activations that forward ops of a step write; views and overwritten operands count once. NaN: an
/// imported trace.
double activation_count(const Capture&);

}  // namespace profiler
