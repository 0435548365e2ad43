// SPDX-License-Identifier: Apache-2.0
// The table of ONNX operators we can read. To add one: write its function, declare it here, add its
// line in operators.cpp.
#pragma once

#include <span>
#include <string_view>

#include "engine/onnx/node_context.h"

namespace engine::onnx {

/// Appends what the node computes and sets the output. Reads every attribute the operator has.
using Convert = void (*)(NodeContext&);

struct Operator {
  std::string_view name;
  Convert convert;
};

/// Sorted by name.
std::span<const Operator> operators();
/// Null for an operator we have not.
const Operator* find_operator(std::string_view domain, std::string_view name);

// convert_constant.cpp: folded at import, nothing runs
void convert_constant(NodeContext&);
void convert_constant_of_shape(NodeContext&);
void convert_identity(NodeContext&);
void convert_dropout(NodeContext&);
void convert_shape(NodeContext&);

// convert_math.cpp
void convert_add(NodeContext&);
void convert_gemm(NodeContext&);
void convert_matmul(NodeContext&);
void convert_mul(NodeContext&);
void convert_reduce_sum(NodeContext&);
void convert_relu(NodeContext&);
void convert_sigmoid(NodeContext&);
void convert_softmax(NodeContext&);
void convert_sub(NodeContext&);
void convert_sum(NodeContext&);

// convert_shape.cpp
/// Two extents: the axes before `axis`, and those from it on. Fails when a product overflows.
Shape flat_shape(NodeContext&, const Shape& shape, int64_t axis);
void convert_expand(NodeContext&);
void convert_flatten(NodeContext&);
void convert_reshape(NodeContext&);
void convert_slice(NodeContext&);
void convert_squeeze(NodeContext&);
void convert_transpose(NodeContext&);
void convert_unsqueeze(NodeContext&);

// convert_vision.cpp
void convert_average_pool(NodeContext&);
void convert_batch_normalization(NodeContext&);
void convert_conv(NodeContext&);
void convert_global_average_pool(NodeContext&);
void convert_max_pool(NodeContext&);

}  // namespace engine::onnx
