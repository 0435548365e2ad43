// SPDX-License-Identifier: Apache-2.0
// What shapes in a trace tell: FLOPs and compulsory bytes of the ops whose inputs PyTorch records, and shapes in few
// words.
#pragma once

#include <cstdint>
#include <optional>
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
  std::string_view outputs{}, output_types{};       ///< as dimensions and types; of ONNX Runtime alone
  /// The dtype of tensors in lists, of which traces record "TensorList" alone; none: unknown.
  std::optional<engine::DType> list_dtype{};
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

/// What the shapes of a call tell.
struct ShapeFacts {
  ShapeCost cost;
  /// Whether `operands` are all bytes that it has to read and write once each. Known without any: it touches none.
  bool bytes_known = false;
  std::vector<ShapedOperand> operands;
};

/// Matrix multiplications (mm, addmm, bmm, baddbmm, linear, matmul): 2 x m x k x n per matrix. Convolutions: 2 x
/// outputs x the weight's extents per output. The output's shape is recorded (gradients) or follows from recorded
/// strides. Attention: both GEMMs, over all pairs; five in the backward pass. Elementwise ops, reductions, pooling,
/// norms, losses, optimisers: as the engine's ops of that kind count (known_aten()). Calls that compute nothing (views,
/// allocations, copies, fills, embeddings): 0, by their name alone, and so nodes of autograd, whose ops are recorded.
/// All else: unknown, also where other calls are inside.
ShapeFacts facts_of_call(const ShapedCall&);

/// A shape by which other calls tell the dtype of a call's list. It is that of the joined list, else of the list's
/// first tensor. Nothing: the call has no list of tensors.
std::optional<std::vector<int64_t>> shape_of_list(const ShapedCall&);
/// The dtype of a call's tensor of that shape; nothing: it has none.
std::optional<engine::DType> dtype_of_shape(const ShapedCall&, const std::vector<int64_t>& shape);

/// Whether a rule asks for the constants of calls of this name.
bool rules_need_constants(std::string_view name);

/// "[141,512] [512,512] c10::BFloat16"; inputs that are no tensors are left out.
std::string shapes_in_words(std::string_view dimensions, std::string_view types);

/// "[[141, 512], [], [3]]" -> {{141,512},{},{3}}; lists of tensors (one level deeper) are flattened; nothing where it
/// is none.
std::vector<std::vector<int64_t>> parse_dimensions(std::string_view json);

/// Bytes of all tensors of a call together; -1: its shapes or types are not recorded.
int64_t bytes_of_inputs(std::string_view dimensions, std::string_view types);

}  // namespace profiler
