// SPDX-License-Identifier: Apache-2.0
// Versions: layers of one step that compute the same from the same tensors, by other code or in another data type.
#pragma once

#include <string>
#include <vector>

#include "profiler/analysis/analyze.h"
#include "profiler/base/table.h"

namespace profiler {

/// One layer, as all others of its group.
struct Version {
  std::string layer;                             ///< outermost name: "simd256"
  std::vector<OpId> ops;                         ///< views left out
  TensorId result = kNoTensor;                   ///< what it puts out
  engine::DType dtype = engine::DType::float32;  ///< of its arithmetic
  double time_ns = 0;                            ///< sum of the ops' medians; NaN: not timed
  double speed_up = 0;                           ///< the first version's time / this one's; NaN: unknown
  double library_ratio = 0;              ///< the fastest library version's time / this one's; NaN: there is none
  double flop_per_s = 0;                 ///< of its matrix multiplications, else of all its ops; NaN: unknown
  double tensors = 0, tensor_bytes = 0;  ///< that its ops write and that own bytes (exact)
  double distance = 0;       ///< norm of its result less the first version's / that norm, of kept values; NaN: not kept
  double largest_error = 0;  ///< largest difference / largest magnitude of the first version's; NaN: not kept
  std::string library;       ///< "OpenBLAS 0.3.21"; empty: its kernels are Tensortide's own
};
/// Groups of two or more layers that read the same tensors from outside and put out results of the same shape. In the
/// order of the step: the first of a group is what the others are held against.
std::vector<std::vector<Version>> versions(const Analyzed&);

Table versions_table(const Analyzed&);
/// "threaded is 41.2 times as fast as naive, and reaches 83 % of the library's speed (OpenBLAS 0.3.21). ..."
std::vector<std::string> versions_sentences(const Analyzed&);

}  // namespace profiler
