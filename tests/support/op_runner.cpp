// SPDX-License-Identifier: Apache-2.0
// Makes operands and runs references.
#include <algorithm>

#include "tests/support/op_examples.h"

namespace test {

using engine::Attributes;
using engine::DType;
using engine::Op;
using engine::Tensor;
using engine::TensorType;

std::vector<OpExample> examples_of(std::string_view op) {
  std::vector<OpExample> found;
  std::ranges::copy_if(op_examples(), std::back_inserter(found),
                       [&](const OpExample& example) { return example.op == op; });
  return found;
}

TensorType with_dtype(TensorType type, DType dtype) {
  if (type.dtype == DType::float64) type.dtype = dtype;
  return type;
}

Tensor make_tensor(const TensorType& type) {
  int64_t low = 0;  // how far the elements reach below element (0, ..., 0)
  for (size_t i = 0; i < type.shape.size(); ++i) {
    if (type.strides[i] < 0 && type.elements() > 0) low -= (type.shape[i] - 1) * type.strides[i];
  }
  auto storage = engine::Storage::allocate_host(std::max<int64_t>(type.span_bytes(), 1));
  CHECK(storage.ok());
  return Tensor(*storage, type, low);
}

std::vector<Tensor> make_operands(const OpExample& example, DType dtype, uint64_t seed) {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < example.inputs.size(); ++i) {
    tensors.push_back(make_tensor(with_dtype(example.inputs[i].type, dtype)));
    engine::fill(tensors.back(), example.inputs[i].fill, seed, i);
  }
  return tensors;
}

std::vector<double> values(const Tensor& tensor) {
  std::vector<double> result(static_cast<size_t>(tensor.type().elements()));
  for (size_t i = 0; i < result.size(); ++i) result[i] = tensor.get_flat(static_cast<int64_t>(i));
  return result;
}

Tensor copy_as(const Tensor& tensor, TensorType type) {
  CHECK(type.shape == tensor.shape());
  const Tensor copy = make_tensor(type);
  for (int64_t i = 0; i < type.elements(); ++i) copy.set_flat(i, tensor.get_flat(i));
  return copy;
}

std::vector<Tensor> run_reference(const Op& op, const std::vector<Tensor>& inputs, const Attributes& attributes) {
  engine::KernelArguments arguments{&attributes, inputs, {}};
  std::vector<TensorType> types;
  for (const Tensor& input : inputs) types.push_back(input.type());
  const auto outputs = op.infer(types, attributes);
  if (!outputs.ok()) std::fprintf(stderr, "%s\n", outputs.error().message.c_str());
  CHECK(outputs.ok());
  for (size_t j = 0; j < outputs->size(); ++j) {
    if (j < op.in_place.size() && op.in_place[j] >= 0) {
      const auto operand = static_cast<size_t>(op.in_place[j]);
      arguments.inputs[operand] = copy_as(inputs[operand], types[operand]);
      arguments.outputs.push_back(arguments.inputs[operand]);
    } else {
      arguments.outputs.push_back(make_tensor((*outputs)[j]));
    }
  }
  op.reference(arguments);
  return arguments.outputs;
}

}  // namespace test
