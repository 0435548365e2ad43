// SPDX-License-Identifier: Apache-2.0
// What shapes in a trace tell: FLOPs of the products whose inputs PyTorch records, and shapes in few words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace profiler {

/// FLOPs of one call; not known where the trace does not say enough.
struct ShapeCost {
  bool known = false;
  double flops = 0;
};

/// `dimensions` and `types` are JSON as PyTorch writes them; empty: not recorded. Matrix products (mm, addmm, bmm, baddbmm,
/// linear, matmul): 2 x m x k x n per matrix. Calls that compute nothing (views, allocations): 0. All else: unknown.
ShapeCost cost_of_call(std::string_view name, std::string_view dimensions, std::string_view types);

/// "[141,512] [512,512] c10::BFloat16"; inputs that are no tensors are left out.
std::string shapes_in_words(std::string_view dimensions, std::string_view types);

/// "[[141, 512], [], [3]]" -> {{141,512},{},{3}}; lists of tensors (one level deeper) are flattened; nothing where it is none.
std::vector<std::vector<int64_t>> parse_dimensions(std::string_view json);

}  // namespace profiler
