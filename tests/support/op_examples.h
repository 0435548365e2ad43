// SPDX-License-Identifier: Apache-2.0
// Examples of every op: operands and attributes, awkward shapes and layouts among them. Conformance and gradient tests
// and the backends' own tests walk them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/graph/op.h"
#include "engine/tensor/random.h"

namespace test {

struct Operand {
  engine::TensorType type;  ///< floating operands are float64 here; make_operands() gives them another dtype
  engine::Fill fill;
};

struct OpExample {
  std::string op;
  std::string label;  ///< "stride 2, padding 1"
  std::vector<Operand> inputs;
  engine::Attributes attributes;
};

/// All examples, those of one op together.
const std::vector<OpExample>& op_examples();
std::vector<OpExample> examples_of(std::string_view op);

/// `type` with `dtype` in place of float64; integer types as they are.
engine::TensorType with_dtype(engine::TensorType type, engine::DType dtype);
/// Tensors for an example, filled, with exactly its strides (in storages of their own).
std::vector<engine::Tensor> make_operands(const OpExample&, engine::DType dtype = engine::DType::float64,
                                          uint64_t seed = 1);

/// One call of an op on the host: infers, allocates, runs the reference. In-place outputs overwrite a copy of their
/// operand, not the operand itself.
std::vector<engine::Tensor> run_reference(const engine::Op&, const std::vector<engine::Tensor>& inputs,
                                          const engine::Attributes& = {});
/// All elements in row-major order.
std::vector<double> values(const engine::Tensor&);
/// A copy in the given dtype and dense or strided type of the same shape.
engine::Tensor copy_as(const engine::Tensor&, engine::TensorType type);
/// A tensor with this type and unspecified contents, also when its strides have gaps, repeat or run backwards.
engine::Tensor make_tensor(const engine::TensorType&);

}  // namespace test
