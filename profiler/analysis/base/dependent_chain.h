// SPDX-License-Identifier: Apache-2.0
// Chains of dependent operations inside an op: how many wait for one another, and how many there are in all.
#pragma once

#include <optional>

#include "profiler/capture/capture.h"

namespace profiler {

struct DependentChain {
  double in_a_row = 0;         ///< operations of which each needs the one before (exact)
  double in_all = 0;           ///< of all chains together (exact)
  const char* operation = "";  ///< "load", "multiply-add"
};
/// Of pointer chases (accesses) and chains of multiply-adds (rounds, elements); nothing for other ops.
std::optional<DependentChain> dependent_chain(const Capture&, const OpRecord&);

/// Multiply-adds that one thread does one after the other: rounds, for each group of vectors that are in flight at
/// once. Vectors are those of the probe. 0: the op is no chain of multiply-adds.
double multiply_adds_in_a_row(const Capture&, const OpRecord&, int threads);

}  // namespace profiler
