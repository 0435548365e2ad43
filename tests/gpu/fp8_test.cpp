// SPDX-License-Identifier: Apache-2.0
// Products in FP8 on a real GPU against products of operands that were rounded by definition. Skipped where there is no
// GPU, or none with tensor cores for 8-bit floats.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/ops/ops.h"
#include "tests/gpu/gpu.h"
#include "tests/support/fp8.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor

struct Case {
  const char* label;
  const char* op;
  Shape a, b;
  bool bias = false;
};

class Fp8OnTheGpu : public testing::TestWithParam<Fp8> {
 protected:
  void SetUp() override {
    gpu_ =
        test::make_gpu(why_, {.index = 0, .deterministic = false, .tf32 = false, .pageable = false, .fp8 = GetParam()});
    if (gpu_ == nullptr) GTEST_SKIP() << why_;
  }
  void compare(const Case& c, DType dtype);

  std::unique_ptr<Backend> gpu_;
  std::string why_;
};

void Fp8OnTheGpu::compare(const Case& c, DType dtype) {
  const Op& op = *find_op(c.op);
  std::vector<Tensor> inputs, rounded, sizes, there;
  std::vector<TensorType> types;
  const auto add = [&](const Shape& shape) {
    const Tensor host = test::make_tensor(TensorType::contiguous(dtype, shape));
    fill(host, {Fill::Kind::normal, 0, 2}, 3, inputs.size() + 1);
    std::vector<double> values = test::values(host);
    if (inputs.size() < 2)
      values = test::fp8_rounded(values,
                                 inputs.empty() && GetParam() == Fp8::e5m2 ? test::Fp8Kind::e5m2 : test::Fp8Kind::e4m3);
    for (std::vector<Tensor>* list : {&rounded, &sizes}) {
      list->push_back(test::make_tensor(TensorType::contiguous(DType::float64, shape)));
      for (size_t i = 0; i < values.size(); ++i)
        reinterpret_cast<double*>(list->back().data())[i] = list == &rounded ? values[i] : std::abs(values[i]);
    }
    inputs.push_back(host);
    types.push_back(host.type());
    auto sent = test::sent(*gpu_, host);
    ASSERT_TRUE(sent.ok()) << sent.error().message;
    there.push_back(*sent);
  };
  add(c.a), add(c.b);
  if (c.bias) add({c.b[0]});
  if (HasFatalFailure()) return;
  Node node;
  node.op = &op;
  const auto outputs = op.infer(types, {});
  ASSERT_TRUE(outputs.ok());
  auto result = test::tensor_there(*gpu_, (*outputs)[0]);
  ASSERT_TRUE(result.ok());
  auto workspace = gpu_->allocate(gpu_->workspace_bytes(node, {node.attributes, types, *outputs}));
  ASSERT_TRUE(workspace.ok()) << workspace.error().message;
  auto prepared = gpu_->prepare(
      {node, {&node.attributes, there, {*result}}, (*workspace)->data(), std::vector<bool>(types.size(), false)});
  ASSERT_TRUE(prepared.ok()) << prepared.error().message;
  EXPECT_EQ((*prepared)->facts().format, ProductFormat::fp8) << (*prepared)->kernel_name();
  (*prepared)->run();
  gpu_->synchronize();
  ASSERT_TRUE(cuda::health(*gpu_).ok()) << cuda::health(*gpu_).error().message;
  auto back = test::fetched(*gpu_, *result);
  ASSERT_TRUE(back.ok());
  // Tensor cores add FP8 products with some 13 bits behind the point before they go on in f32: 2^-10 of the sum of
  // magnitudes, and half a unit of the result's dtype.
  const std::vector<double> got = test::values(*back), wanted = test::values(test::run_reference(op, rounded)[0]),
                            size = test::values(test::run_reference(op, sizes)[0]);
  const double ulp = dtype == DType::float32 ? 1e-7 : dtype == DType::bfloat16 ? 1.0 / 256 : 1.0 / 2048;
  for (size_t i = 0; i < wanted.size(); ++i)
    ASSERT_NEAR(got[i], wanted[i], size[i] / 1024 + ulp * std::abs(wanted[i])) << i;
}

TEST_P(Fp8OnTheGpu, IsTheProductOfTheRoundedOperands) {
  const std::vector<Case> cases{{"square", "matmul", {256, 256}, {256, 256}},
                                {"depth filled up", "matmul", {33, 100}, {100, 64}},
                                {"batch", "matmul", {4, 48, 64}, {4, 64, 32}},
                                {"one b for a batch", "matmul", {4, 48, 64}, {64, 32}},
                                {"linear with bias", "linear", {64, 128}, {96, 128}, true}};
  for (const Case& c : cases) {
    for (const DType dtype : {DType::float32, DType::bfloat16, DType::float16}) {
      SCOPED_TRACE(std::string(c.label) + ", " + std::string(name(dtype)));
      compare(c, dtype);
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Fp8OnTheGpu, testing::Values(Fp8::e4m3, Fp8::e5m2),
                         [](const auto& test) { return std::string(name(test.param)); });

}  // namespace
