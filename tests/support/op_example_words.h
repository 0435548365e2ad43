// SPDX-License-Identifier: Apache-2.0
// Short words for writing the examples of an op family; op_examples.cpp lists the families.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/op_examples.h"

namespace test {

using engine::Attributes;
using engine::DType;
using engine::Fill;
using engine::Shape;
using engine::Strides;
using engine::TensorType;
using Ints = std::vector<int64_t>;

inline constexpr Fill kNormal{Fill::Kind::normal, 0, 1};
inline constexpr Fill kPositive{Fill::Kind::uniform, 0.5, 2};
inline constexpr Fill kUnit{Fill::Kind::uniform, 0.05, 0.95};

inline Operand rows(Shape shape, Fill fill = kNormal) {
  return {TensorType::contiguous(DType::float64, std::move(shape)), fill};
}
inline Operand nhwc(Shape shape) { return {TensorType::channels_last(DType::float64, std::move(shape)), kNormal}; }
inline Operand strided(Shape shape, Strides strides) {
  return {{DType::float64, std::move(shape), std::move(strides)}, kNormal};
}
/// Whole numbers in [0, end).
inline Operand integers(Shape shape, DType dtype, double end) {
  return {TensorType::contiguous(dtype, std::move(shape)), {Fill::Kind::integers, 0, end}};
}

inline void add(std::vector<OpExample>& table, std::string op, std::vector<OpExample> examples) {
  for (OpExample& example : examples) {
    example.op = op;
    table.push_back(std::move(example));
  }
}

/// One entry; the op's name is filled in by add().
inline OpExample on(std::string label, std::vector<Operand> inputs, Attributes attributes = {}) {
  return {{}, std::move(label), std::move(inputs), std::move(attributes)};
}

// One function per family; its file is op_examples_<family>.cpp.
void add_cache(std::vector<OpExample>& table);
void add_casting(std::vector<OpExample>& table);
void add_fused(std::vector<OpExample>& table);
void add_math(std::vector<OpExample>& table);
void add_reduce(std::vector<OpExample>& table);
void add_loss_scaling(std::vector<OpExample>& table);
void add_indexing(std::vector<OpExample>& table);
void add_convolution_nd(std::vector<OpExample>& table);
void add_dropout(std::vector<OpExample>& table);
void add_recurrent(std::vector<OpExample>& table);
void add_attention(std::vector<OpExample>& table);
void add_norms(std::vector<OpExample>& table);
void add_quantized(std::vector<OpExample>& table);
void add_optimizers(std::vector<OpExample>& table);
void add_ladder(std::vector<OpExample>& table);
void add_linear_algebra(std::vector<OpExample>& table);
void add_probes(std::vector<OpExample>& table);
void add_tangents(std::vector<OpExample>& table);

}  // namespace test
