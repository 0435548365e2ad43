// SPDX-License-Identifier: Apache-2.0
// Which convolutions of a step ran by Winograd's minimal filtering.
#pragma once

#include <cstddef>
#include <string>

#include "profiler/capture/capture.h"

namespace profiler {

/// Ops of a step by the tiles they were computed in, as their kernels' facts say it.
struct WinogradOps {
  size_t of_2 = 0;          ///< F(2x2, 3x3)
  size_t of_4 = 0;          ///< F(4x4, 3x3)
  double flops = 0;         ///< computed by them
  double direct_flops = 0;  ///< of direct sums in their place; NaN: a record does not say
  size_t count() const { return of_2 + of_4; }
};
WinogradOps winograd_ops(const Capture&);

/// "16 ops ran by Winograd's minimal filtering: 12 by F(4x4, 3x3), 4 by F(2x2, 3x3); they compute 724 MFLOP, direct
/// sums 2.3 GFLOP". Empty: none did.
std::string winograd_words(const WinogradOps&);

}  // namespace profiler
