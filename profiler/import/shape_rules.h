// SPDX-License-Identifier: Apache-2.0
// What shapes in a trace tell: FLOPs and compulsory bytes of the ops whose inputs PyTorch records, and shapes in few
// words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tensor/dtype.h"

namespace profiler {

/// One call as a trace has it; texts are JSON as PyTorch writes them, empty: not recorded.
struct ShapedCall {
  std::string_view name;                            ///< "aten::addmm"
  std::string_view dimensions;                      ///< "[[512],[141,512],[512,512],[],[]]"
  std::string_view types;                           ///< "[\"float\",\"float\",\"float\",\"Scalar\",\"Scalar\"]"
  std::string_view constants;                       ///< "Concrete Inputs": "[\"\",\"\",\"\",\"[2, 2]\",..]"
  std::string_view around_name, around_dimensions;  ///< of the call it was made by
};

/// FLOPs of one call; not known where the trace does not say enough.
struct ShapeCost {
  bool known = false;
  double flops = 0;
};

/// A tensor that a call reads or writes.
struct ShapedOperand {
  std::vector<int64_t> shape;
  engine::DType dtype = engine::DType::float32;
  bool output = false;
};

/// Calls that touch no element: views, allocations, questions.
bool touches_nothing(std::string_view name);

/// Matrix multiplications (mm, addmm, bmm, baddbmm, linear, matmul): 2 x m x k x n per matrix. Convolutions: 2 x
/// outputs x the weight's extents per output. The output's shape is recorded (gradients) or follows from recorded
/// strides. Attention: both GEMMs, over all pairs. Sums, differences, products and quotients of elements: 1 per
/// element. Calls that compute nothing (views, allocations, copies, fills, embeddings): 0, by their name alone. All
/// else: unknown, also where other calls are inside.
ShapeCost cost_of_call(const ShapedCall&);

/// What the call has to read and write once each; empty: the trace does not say enough.
std::vector<ShapedOperand> operands_of_call(const ShapedCall&);

/// "[141,512] [512,512] c10::BFloat16"; inputs that are no tensors are left out.
std::string shapes_in_words(std::string_view dimensions, std::string_view types);

/// "[[141, 512], [], [3]]" -> {{141,512},{},{3}}; lists of tensors (one level deeper) are flattened; nothing where it
/// is none.
std::vector<std::vector<int64_t>> parse_dimensions(std::string_view json);

}  // namespace profiler
