// SPDX-License-Identifier: Apache-2.0
// Every OpenCL kernel of the list on every example of its op, against the op's reference, in f32 and f64, where
// operands lie as the example says, far apart, and backwards.
#include <algorithm>
#include <cmath>
#include <set>

#include "engine/opencl/kernels.h"
#include "engine/ops/ops.h"
#include "tests/engine/opencl/opencl_lab.h"
#include "tests/support/op_examples.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor

/// As tests/conformance/backends_test.cpp allows.
double tolerance(DType dtype) { return dtype == DType::float64 ? 1e-11 : dtype == DType::float32 ? 2e-5 : 0; }

std::vector<TensorType> types_of(const std::vector<Tensor>& tensors) {
  std::vector<TensorType> types;
  for (const Tensor& tensor : tensors) types.push_back(tensor.type());
  return types;
}

/// On the device, with the same strides.
Tensor there(Backend& backend, const Tensor& host) {
  int64_t low = 0, high = 0;
  for (size_t axis = 0; axis < host.shape().size(); ++axis) {
    const int64_t reach = host.shape()[axis] > 0 ? host.strides()[axis] * (host.shape()[axis] - 1) : 0;
    (reach < 0 ? low : high) += reach;
  }
  auto storage = backend.allocate((high - low + 1) * size_bytes(host.dtype()));
  EXPECT_TRUE(storage.ok()) << storage.error().message;
  const Tensor result(*storage, host.type(), -low);
  const Result<void> copied = backend.copy(host, result);
  EXPECT_TRUE(copied.ok()) << copied.error().message;
  return result;
}

Tensor here(Backend& backend, const Tensor& device) {
  const Tensor host = test::make_tensor(TensorType::contiguous(device.dtype(), device.shape()));
  const Result<void> copied = backend.copy(device, host);
  EXPECT_TRUE(copied.ok()) << copied.error().message;
  return host;
}

void expect_close(const Tensor& got, const Tensor& wanted, DType dtype) {
  const std::vector<double> a = test::values(got), b = test::values(wanted);
  ASSERT_EQ(a.size(), b.size());
  double largest = 1;
  for (const double value : b) largest = std::max(largest, std::isfinite(value) ? std::abs(value) : 0);
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    ASSERT_NEAR(a[i], b[i], (is_floating(wanted.dtype()) ? tolerance(dtype) : 0) * largest) << "element " << i;
  }
}

/// False: the device takes no such types.
bool run(Backend& backend, const Op& op, const Attributes& attributes, const std::vector<Tensor>& inputs,
         const std::vector<Tensor>& dense, DType dtype) {
  const auto output_types = op.infer(types_of(inputs), attributes);
  if (!output_types.ok()) return false;
  const auto empty = [](const Tensor& tensor) { return tensor.type().elements() == 0; };
  if (std::ranges::any_of(inputs, empty)) return false;
  Node node;
  node.op = &op;
  node.attributes = attributes;
  const std::vector<TensorType> input_types = types_of(inputs);
  const Call call{node.attributes, input_types, *output_types};
  if (!backend.supports(node, call).ok()) return false;
  const std::vector<Tensor> wanted = test::run_reference(op, dense, attributes);
  std::vector<Tensor> operands, outputs;
  for (const Tensor& input : inputs) operands.push_back(there(backend, input));
  for (size_t j = 0; j < output_types->size(); ++j) {
    const bool in_place = j < op.in_place.size() && op.in_place[j] >= 0;
    outputs.push_back(in_place ? operands[static_cast<size_t>(op.in_place[j])]
                               : there(backend, test::make_tensor((*output_types)[j])));
  }
  const auto workspace = backend.allocate(backend.workspace_bytes(node, call));
  EXPECT_TRUE(workspace.ok());
  auto prepared = backend.prepare(
      {node, {&node.attributes, operands, outputs}, (*workspace)->data(), std::vector<bool>(inputs.size(), false)});
  EXPECT_TRUE(prepared.ok()) << prepared.error().message;
  if (!prepared.ok()) return true;
  SCOPED_TRACE((*prepared)->kernel_name());
  (*prepared)->run();
  backend.synchronize();
  const Result<void> well = opencl::health(backend);
  EXPECT_TRUE(well.ok()) << well.error().message;
  for (size_t j = 0; j < outputs.size(); ++j) expect_close(here(backend, outputs[j]), wanted[j], dtype);
  return true;
}

TensorType as_it_is(TensorType type) { return type; }
TensorType far_apart(TensorType type) {
  type = TensorType::contiguous(type.dtype, type.shape);
  for (size_t axis = 0; axis < type.shape.size(); ++axis) {
    if (type.shape[axis] < 2) continue;
    type.strides[axis] = std::max<int64_t>(type.strides[axis], 1 << 12);
    break;
  }
  return type;
}
TensorType backwards(TensorType type) {
  type = TensorType::contiguous(type.dtype, type.shape);
  for (int64_t& stride : type.strides) stride = -stride;
  return type;
}

class OpenclKernels : public testing::TestWithParam<std::string> {};

TEST_P(OpenclKernels, AgreeWithTheReference) {
  const auto backend = test::opencl_backend();
  if (backend == nullptr) GTEST_SKIP() << test::why_no_opencl();
  const Op& op = *find_op(GetParam());
  int ran = 0;
  for (const test::OpExample& example : test::examples_of(GetParam())) {
    for (const DType dtype : {DType::float32, DType::float64}) {
      for (const auto lay : {as_it_is, far_apart, backwards}) {
        SCOPED_TRACE(example.label + ", " + std::string(name(dtype)) +
                     (lay == as_it_is    ? ""
                      : lay == far_apart ? ", far apart"
                                         : ", backwards"));
        const std::vector<Tensor> dense = test::make_operands(example, dtype);
        std::vector<Tensor> inputs;
        for (size_t i = 0; i < dense.size(); ++i) {
          const bool written = std::ranges::find(op.in_place, static_cast<int>(i)) != op.in_place.end();
          inputs.push_back(written || lay == as_it_is ? dense[i] : test::copy_as(dense[i], lay(dense[i].type())));
        }
        ran += run(*backend, op, example.attributes, inputs, dense, dtype) ? 1 : 0;
        if (HasFatalFailure()) return;
      }
    }
  }
  EXPECT_GT(ran, 0) << "the kernel takes none of the op's examples";
}

std::vector<std::string> listed_ops() {
  std::set<std::string> ops;
  for (const opencl::Kernel& kernel : opencl::kernels()) ops.emplace(kernel.op);
  return {ops.begin(), ops.end()};
}

INSTANTIATE_TEST_SUITE_P(Listed, OpenclKernels, testing::ValuesIn(listed_ops()),
                         [](const auto& test) { return test.param; });

/// A list that names no op, or one twice for the same types, would hide a kernel.
TEST(OpenclKernelList, NamesOpsOfTheCatalog) {
  for (const opencl::Kernel& kernel : opencl::kernels()) EXPECT_NE(find_op(kernel.op), nullptr) << kernel.op;
  EXPECT_GT(listed_ops().size(), 70u);
}

/// Sizes at which tiles, groups and merged axes are cut at their ends.
TEST(OpenclKernelsOfSize, AgreeWithTheReference) {
  const auto backend = test::opencl_backend();
  if (backend == nullptr) GTEST_SKIP() << test::why_no_opencl();
  const auto type = [](Shape shape) {
    return test::Operand{TensorType::contiguous(DType::float64, std::move(shape)), {Fill::Kind::uniform, -1, 1}};
  };
  const auto list = [](std::vector<int64_t> values) { return values; };
  const Attributes window{
      {"stride", list({2, 1})}, {"padding", list({1, 2, 1, 2})}, {"dilation", list({1, 2})}, {"groups", int64_t{3}}};
  const std::vector<test::OpExample> examples{
      {"matmul", "65 x 130 x 17", {type({65, 130}), type({130, 17})}, {}},
      {"matmul", "3 of 64 x 64 x 64", {type({3, 64, 64}), type({64, 64})}, {}},
      {"linear", "129 x 66, 70 features", {type({129, 70}), type({66, 70}), type({66})}, {}},
      {"conv2d", "groups, strides, dilation", {type({3, 9, 13, 11}), type({69, 3, 3, 2}), type({69})}, window},
      {"sum", "1000 to 1", {type({10, 100})}, {{"axes", list({})}}},
      {"sum", "rows", {type({2, 999})}, {{"axes", list({1})}}},
      {"reduce_max", "columns", {type({70, 1100})}, {{"axes", list({0})}}},
      {"softmax", "lines of 300", {type({5, 300})}, {{"axis", int64_t{1}}}},
      {"relu", "100 003", {type({100003})}, {}},
  };
  for (const test::OpExample& example : examples) {
    SCOPED_TRACE(example.op + ": " + example.label);
    const std::vector<Tensor> dense = test::make_operands(example, DType::float32);
    EXPECT_TRUE(run(*backend, *find_op(example.op), example.attributes, dense, dense, DType::float32));
  }
}

}  // namespace
