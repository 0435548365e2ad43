// SPDX-License-Identifier: Apache-2.0
// Every CUDA kernel on every example of its op, in every floating dtype, on a real GPU, against the op's reference.
// Skipped where there is none.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/cuda/kernels.h"
#include "engine/ops/ops.h"
#include "tests/gpu/gpu.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor

double tolerance(DType dtype) {
  switch (dtype) {
    case DType::float64: return 1e-11;
    case DType::float32: return 2e-5;
    case DType::bfloat16: return 1.0 / 128;
    case DType::float16: return 1.0 / 1024;
    default: return 0;
  }
}

void expect_close(const Tensor& got, const Tensor& wanted) {
  const std::vector<double> a = test::values(got), b = test::values(wanted);
  ASSERT_EQ(a.size(), b.size());
  double largest = 1;
  for (const double value : b) largest = std::max(largest, std::isfinite(value) ? std::abs(value) : 0);
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isfinite(b[i])) {
      ASSERT_NEAR(a[i], b[i], tolerance(wanted.dtype()) * largest) << "element " << i;
    } else {
      ASSERT_TRUE(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])))
          << "element " << i << ": " << a[i] << ", wanted " << b[i];
    }
  }
}

std::vector<TensorType> types_of(const std::vector<Tensor>& tensors) {
  std::vector<TensorType> types;
  for (const Tensor& tensor : tensors) types.push_back(tensor.type());
  return types;
}

std::vector<const Op*> ops_with_kernels() {
  std::set<std::string_view> listed;
  for (const cuda::Kernel& kernel : cuda::kernels()) listed.insert(kernel.op);
  std::vector<const Op*> ops;
  for (const Op* op : op_catalog()) {
    if (listed.contains(op->name)) ops.push_back(op);
  }
  return ops;
}

class OnTheGpu : public testing::TestWithParam<const Op*> {
 protected:
  static void SetUpTestSuite() { backend_ = test::make_gpu(why_).release(); }
  static void TearDownTestSuite() {
    delete backend_;
    backend_ = nullptr;
  }
  void SetUp() override {
    if (backend_ == nullptr) GTEST_SKIP() << why_;
  }
  void run_example(const Op& op, const test::OpExample& example, DType dtype);

  static inline Backend* backend_ = nullptr;
  static inline std::string why_;
};

void OnTheGpu::run_example(const Op& op, const test::OpExample& example, DType dtype) {
  const std::vector<Tensor> inputs = test::make_operands(example, dtype);
  const std::vector<TensorType> input_types = types_of(inputs);
  const auto output_types = op.infer(input_types, example.attributes);
  if (!output_types.ok()) return;  // not an op of this dtype
  Node node;
  node.op = &op;
  node.attributes = example.attributes;
  const Call call{node.attributes, input_types, *output_types};
  const bool empty = std::ranges::any_of(input_types, [](const TensorType& type) { return type.elements() == 0; });
  if (!backend_->supports(node, call) || empty) return;
  const std::vector<Tensor> wanted = test::run_reference(op, inputs, example.attributes);
  std::vector<Tensor> there, results;
  for (const Tensor& input : inputs) {
    auto tensor = test::sent(*backend_, input);
    ASSERT_TRUE(tensor.ok()) << tensor.error().message;
    there.push_back(*tensor);
  }
  for (size_t j = 0; j < output_types->size(); ++j) {
    const bool in_place = j < op.in_place.size() && op.in_place[j] >= 0;
    auto tensor = in_place ? Result<Tensor>(there[static_cast<size_t>(op.in_place[j])])
                           : test::tensor_there(*backend_, (*output_types)[j]);
    ASSERT_TRUE(tensor.ok()) << tensor.error().message;
    results.push_back(*tensor);
  }
  auto workspace = backend_->allocate(backend_->workspace_bytes(node, call));
  ASSERT_TRUE(workspace.ok()) << workspace.error().message;
  auto prepared = backend_->prepare(
      {node, {&node.attributes, there, results}, (*workspace)->data(), std::vector<bool>(inputs.size(), false)});
  ASSERT_TRUE(prepared.ok()) << prepared.error().message;
  SCOPED_TRACE((*prepared)->kernel_name());
  (*prepared)->run();
  backend_->synchronize();
  ASSERT_TRUE(cuda::health(*backend_).ok()) << cuda::health(*backend_).error().message;
  for (size_t j = 0; j < results.size(); ++j) {
    auto back = test::fetched(*backend_, results[j]);
    ASSERT_TRUE(back.ok()) << back.error().message;
    expect_close(*back, wanted[j]);
  }
}

TEST_P(OnTheGpu, AgreesWithItsReference) {
  const Op& op = *GetParam();
  for (const test::OpExample& example : test::examples_of(op.name)) {
    for (const DType dtype : {DType::float64, DType::float32, DType::bfloat16, DType::float16}) {
      if (op.name == "softmax_cross_entropy_grad" && size_bytes(dtype) == 2) continue;  // its dloss is f32
      SCOPED_TRACE(example.label + ", " + std::string(name(dtype)));
      run_example(op, example, dtype);
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Catalog, OnTheGpu, testing::ValuesIn(ops_with_kernels()),
                         [](const auto& test) { return std::string(test.param->name); });

}  // namespace
