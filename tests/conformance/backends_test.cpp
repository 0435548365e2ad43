// SPDX-License-Identifier: Apache-2.0
// Every op on every example on every device that computes, in every floating dtype, against the
// op's reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/cpu/backend.h"
#include "engine/ops/ops.h"
#include "tests/support/op_examples.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor

/// Allowed |difference| relative to the largest |value| of the reference (at least 1): a few
/// roundings of the dtype.
double tolerance(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return 1e-11;
    case DType::float32:
      return 2e-5;
    case DType::bfloat16:
      return 1.0 / 128;
    case DType::float16:
      return 1.0 / 1024;
    default:
      return 0;
  }
}

void expect_close(const Tensor& got, const Tensor& wanted) {
  const std::vector<double> a = test::values(got), b = test::values(wanted);
  ASSERT_EQ(a.size(), b.size());
  double largest = 1;
  for (const double value : b) largest = std::max(largest, std::abs(value));
  for (size_t i = 0; i < a.size(); ++i)
    ASSERT_NEAR(a[i], b[i], tolerance(wanted.dtype()) * largest) << "element " << i;
}

std::vector<TensorType> types_of(const std::vector<Tensor>& tensors) {
  std::vector<TensorType> types;
  for (const Tensor& tensor : tensors) types.push_back(tensor.type());
  return types;
}

/// Runs one example through supports, workspace_bytes and prepare, as a plan does; in-place outputs
/// share their operand's bytes.
void run_example(Backend& backend, const Op& op, const test::OpExample& example, DType dtype) {
  const std::vector<Tensor> inputs = test::make_operands(example, dtype);
  const std::vector<Tensor> wanted = test::run_reference(op, inputs, example.attributes);
  const std::vector<TensorType> input_types = types_of(inputs);
  const auto output_types = op.infer(input_types, example.attributes);
  ASSERT_TRUE(output_types.ok());
  std::vector<Tensor> outputs;
  for (size_t j = 0; j < output_types->size(); ++j) {
    const bool in_place = j < op.in_place.size() && op.in_place[j] >= 0;
    outputs.push_back(in_place ? inputs[static_cast<size_t>(op.in_place[j])]
                               : test::make_tensor((*output_types)[j]));
  }
  Node node;
  node.op = &op;
  node.attributes = example.attributes;
  const Call call{node.attributes, input_types, *output_types};
  ASSERT_TRUE(backend.supports(node, call).ok());
  auto workspace = backend.allocate(backend.workspace_bytes(node, call));
  ASSERT_TRUE(workspace.ok());
  auto prepared = backend.prepare({node,
                                   {&node.attributes, inputs, outputs},
                                   (*workspace)->data(),
                                   std::vector<bool>(inputs.size(), false)});
  ASSERT_TRUE(prepared.ok()) << prepared.error().message;
  SCOPED_TRACE((*prepared)->kernel_name());
  (*prepared)->run();
  backend.synchronize();
  for (size_t j = 0; j < outputs.size(); ++j) expect_close(outputs[j], wanted[j]);
}

class EveryOpOnTheCpu : public testing::TestWithParam<const Op*> {};

TEST_P(EveryOpOnTheCpu, AgreesWithItsReference) {
  const Op& op = *GetParam();
  if (op.view != nullptr) return;  // nothing runs
  for (const int threads : {1, 2}) {
    auto backend = cpu::make_backend(threads);
    ASSERT_TRUE(backend.ok());
    for (const test::OpExample& example : test::examples_of(op.name)) {
      for (const DType dtype : {DType::float64, DType::float32, DType::bfloat16, DType::float16}) {
        if (op.name == "softmax_cross_entropy_grad" && size_bytes(dtype) == 2)
          continue;  // its dloss is f32
        SCOPED_TRACE(example.label + ", " + std::string(name(dtype)) + ", threads " +
                     std::to_string(threads));
        run_example(**backend, op, example, dtype);
      }
    }
  }
}

std::vector<const Op*> all_ops() {
  const auto catalog = op_catalog();
  return {catalog.begin(), catalog.end()};
}

INSTANTIATE_TEST_SUITE_P(Catalog, EveryOpOnTheCpu, testing::ValuesIn(all_ops()),
                         [](const auto& test) { return std::string(test.param->name); });

}  // namespace
