// SPDX-License-Identifier: Apache-2.0
// Every CUDA kernel on every example of its op, in every floating dtype, run as loops on the host, against the op's
// reference. What only a GPU can show (races, launch limits, collectives of many threads) is tested in tests/gpu.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "engine/cpu/backend.h"
#include "engine/cuda/cublas_lt.h"
#include "engine/cuda/cudnn.h"
#include "engine/cuda/kernels.h"
#include "engine/ops/data_loading.h"
#include "engine/ops/ops.h"
#include "tests/support/op_examples.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor

/// As tests/conformance allows the CPU, and a little more where f32 sums are not formed in double.
double tolerance(DType dtype) {
  switch (dtype) {
    case DType::float64: return 1e-11;
    case DType::float32: return 2e-5;
    case DType::bfloat16: return 1.0 / 128;
    case DType::float16: return 1.0 / 1024;
    default: return 0;
  }
}

void make_host_context(cuda::Context& context) {
  context.info.device = {"cuda", 0};
  context.info.model = "the host";
  context.launcher.on_host = true;
}

void expect_close(const Tensor& got, const Tensor& wanted) {
  const std::vector<double> a = test::values(got), b = test::values(wanted);
  ASSERT_EQ(a.size(), b.size());
  double largest = 1;
  for (const double value : b) largest = std::max(largest, std::isfinite(value) ? std::abs(value) : 0);
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(b[i]) || std::isinf(b[i])) {
      EXPECT_TRUE(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])))
          << "element " << i << ": " << a[i] << ", wanted " << b[i];
    } else {
      ASSERT_NEAR(a[i], b[i], tolerance(wanted.dtype()) * largest) << "element " << i;
    }
  }
}

std::vector<TensorType> types_of(const std::vector<Tensor>& tensors) {
  std::vector<TensorType> types;
  for (const Tensor& tensor : tensors) types.push_back(tensor.type());
  return types;
}

const cuda::Kernel* kernel_for(const Node& node, const Call& call) {
  for (const cuda::Kernel& kernel : cuda::kernels()) {
    if (kernel.op == node.op->name && kernel.takes(node, call)) return &kernel;
  }
  return nullptr;
}

/// False: no kernel takes these types.
bool run_example(cuda::Context& context, const Op& op, const test::OpExample& example, DType dtype) {
  const std::vector<Tensor> inputs = test::make_operands(example, dtype);
  const std::vector<TensorType> input_types = types_of(inputs);
  const auto output_types = op.infer(input_types, example.attributes);
  if (!output_types.ok()) return false;  // not an op of this dtype
  Node node;
  node.op = &op;
  node.attributes = example.attributes;
  const Call call{node.attributes, input_types, *output_types};
  const cuda::Kernel* kernel = kernel_for(node, call);
  if (kernel == nullptr) return false;
  const bool nothing = std::ranges::all_of(*output_types, [](const TensorType& type) { return type.elements() == 0; });
  const bool empty = std::ranges::any_of(input_types, [](const TensorType& type) { return type.elements() == 0; });
  if (nothing || empty) return true;  // the backend's own business

  const std::vector<Tensor> wanted = test::run_reference(op, inputs, example.attributes);
  std::vector<Tensor> outputs;
  for (size_t j = 0; j < output_types->size(); ++j) {
    const bool in_place = j < op.in_place.size() && op.in_place[j] >= 0;
    outputs.push_back(in_place ? inputs[static_cast<size_t>(op.in_place[j])] : test::make_tensor((*output_types)[j]));
  }
  const auto workspace = std::make_unique_for_overwrite<std::byte[]>(
      static_cast<size_t>(kernel->workspace_bytes == nullptr ? 0 : kernel->workspace_bytes(context, node, call)) + 64);
  auto* const aligned = workspace.get() + (64 - reinterpret_cast<uintptr_t>(workspace.get()) % 64) % 64;
  auto prepared = kernel->prepare(
      context, {node, {&node.attributes, inputs, outputs}, aligned, std::vector<bool>(inputs.size(), false)});
  EXPECT_TRUE(prepared.ok()) << prepared.error().message;
  if (!prepared.ok()) return true;
  SCOPED_TRACE((*prepared)->kernel_name());
  (*prepared)->run();
  EXPECT_FALSE(context.first_error().has_value()) << context.first_error()->message;
  for (size_t j = 0; j < outputs.size(); ++j) expect_close(outputs[j], wanted[j]);
  return true;
}

class EveryCudaKernel : public testing::TestWithParam<const Op*> {};

TEST_P(EveryCudaKernel, AgreesWithTheReferenceOnTheHost) {
  const Op& op = *GetParam();
  cuda::Context context;
  make_host_context(context);
  int ran = 0;
  for (const test::OpExample& example : test::examples_of(op.name)) {
    for (const DType dtype : {DType::float64, DType::float32, DType::bfloat16, DType::float16}) {
      if (op.name == "softmax_cross_entropy_grad" && size_bytes(dtype) == 2) continue;  // its dloss is f32
      SCOPED_TRACE(example.label + ", " + std::string(name(dtype)));
      ran += run_example(context, op, example, dtype);
    }
  }
  EXPECT_GT(ran, 0) << "a kernel is listed for " << op.name << " that takes none of its examples";
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

INSTANTIATE_TEST_SUITE_P(Catalog, EveryCudaKernel, testing::ValuesIn(ops_with_kernels()),
                         [](const auto& test) { return std::string(test.param->name); });

/// load_batch has no operand a reference could compute from: the CPU's own op is what it is held against, in turn and
/// ahead.
TEST(CudaKernels, LoadBatchGivesWhatTheCpuGives) {
  for (const bool overlap : {false, true}) {
    GraphBuilder builder;
    builder.mark_output(
        ops::load_batch(builder, {2, 3, 4, 5}, {.batches = 3, .overlap = overlap, .delay_us = 0, .seed = 5}));
    const auto graph = builder.finish();
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    const Node& node = graph->node(0);
    cuda::Context context;
    make_host_context(context);
    const Tensor here = test::make_tensor(graph->value(node.outputs[0]).type), there = test::make_tensor(here.type());
    const std::vector<TensorType> outputs{here.type()};
    const cuda::Kernel* kernel = kernel_for(node, {node.attributes, {}, outputs});
    ASSERT_NE(kernel, nullptr);
    auto mine = kernel->prepare(context, {node, {&node.attributes, {}, {here}}, nullptr, {}});
    ASSERT_TRUE(mine.ok()) << mine.error().message;
    EXPECT_FALSE((*mine)->only_submits()) << "the host takes part: no graph can replay it";
    const auto cpu = cpu::make_backend(1);
    auto theirs = (*cpu)->prepare({node, {&node.attributes, {}, {there}}, nullptr, {}});
    ASSERT_TRUE(theirs.ok()) << theirs.error().message;
    for (int step = 0; step < 5; ++step) {
      (*mine)->run();
      (*theirs)->run();
      EXPECT_EQ(test::values(here), test::values(there)) << "step " << step;
    }
    EXPECT_FALSE(context.first_error().has_value());
  }
}

/// What cuBLASLt is given (layouts, biases, scratch, TF32) by a library of our own in its place that multiplies with
/// plain loops.
TEST(CudaKernels, ProductsThroughCublasLtAgreeWithTheReferenceToo) {
  setenv("TENSORTIDE_CUBLASLT", TENSORTIDE_BINARY_DIR "/fake_cublaslt/libcublasLt.so.13", 1);
  cuda::Context context;
  make_host_context(context);
  context.capability = 90;
  std::string why;
  context.cublas_lt = cuda::CublasLt::open(why);
  unsetenv("TENSORTIDE_CUBLASLT");
  ASSERT_NE(context.cublas_lt, nullptr) << why;
  EXPECT_EQ(context.cublas_lt->name(), "cuBLASLt 13.9.99");
  int ran = 0;
  for (const char* op : {"matmul", "linear", "conv2d", "conv2d_grad_input", "conv2d_grad_weight"}) {
    for (const test::OpExample& example : test::examples_of(op)) {
      for (const DType dtype : {DType::float64, DType::float32, DType::bfloat16, DType::float16}) {
        SCOPED_TRACE(example.label + ", " + std::string(name(dtype)));
        ran += run_example(context, *find_op(op), example, dtype);
      }
    }
  }
  EXPECT_GT(ran, 20);
}

/// The same for convolutions and a cuDNN of our own: descriptors, layouts, groups, biases, scratch.
TEST(CudaKernels, ConvolutionsThroughCudnnAgreeWithTheReferenceToo) {
  setenv("TENSORTIDE_CUDNN", TENSORTIDE_BINARY_DIR "/fake_cudnn/libcudnn.so.9", 1);
  cuda::Context context;
  make_host_context(context);
  std::string why;
  context.cudnn = cuda::Cudnn::open(nullptr, why);
  unsetenv("TENSORTIDE_CUDNN");
  ASSERT_NE(context.cudnn, nullptr) << why;
  int ran = 0;
  for (const char* op :
       {"conv2d", "conv2d_grad_input", "conv2d_grad_weight", "conv3d", "conv3d_grad_input", "conv3d_grad_weight"}) {
    for (const test::OpExample& example : test::examples_of(op)) {
      for (const DType dtype : {DType::float64, DType::float32, DType::bfloat16, DType::float16}) {
        SCOPED_TRACE(std::string(op) + ", " + example.label + ", " + std::string(name(dtype)));
        ran += run_example(context, *find_op(op), example, dtype);
      }
    }
  }
  EXPECT_GT(ran, 20);
}

TEST(CudaKernels, Tf32RoundsOperandsToTenBits) {
  setenv("TENSORTIDE_CUBLASLT", TENSORTIDE_BINARY_DIR "/fake_cublaslt/libcublasLt.so.13", 1);
  std::vector<std::vector<double>> results;
  for (const bool tf32 : {false, true}) {
    cuda::Context context;
    make_host_context(context);
    context.tf32 = tf32;
    context.capability = 90;
    std::string why;
    context.cublas_lt = cuda::CublasLt::open(why);
    ASSERT_NE(context.cublas_lt, nullptr) << why;
    Node node;
    node.op = find_op("matmul");
    const TensorType square = TensorType::contiguous(DType::float32, {8, 8});
    const Tensor a = test::make_tensor(square), b = test::make_tensor(square), c = test::make_tensor(square);
    fill(a, {Fill::Kind::uniform, 1, 2}, 1, 1);
    fill(b, {Fill::Kind::uniform, 1, 2}, 1, 2);
    const std::vector<TensorType> types{square, square}, outputs{square};
    const cuda::Kernel* kernel = kernel_for(node, {node.attributes, types, outputs});
    std::vector<std::byte> workspace(
        static_cast<size_t>(kernel->workspace_bytes(context, node, {node.attributes, types, outputs})));
    auto prepared = kernel->prepare(context, {node, {&node.attributes, {a, b}, {c}}, workspace.data(), {false, false}});
    ASSERT_TRUE(prepared.ok());
    EXPECT_EQ((*prepared)->facts().format == ProductFormat::tf32, tf32) << (*prepared)->kernel_name();
    context.capability = 75;
    const auto on_turing =
        kernel->prepare(context, {node, {&node.attributes, {a, b}, {c}}, workspace.data(), {false, false}});
    ASSERT_TRUE(on_turing.ok());
    EXPECT_EQ((*on_turing)->facts().format, ProductFormat::as_it_is)
        << "it has no TF32: " << (*on_turing)->kernel_name();
    context.capability = 90;
    (*prepared)->run();
    results.push_back(test::values(c));
  }
  unsetenv("TENSORTIDE_CUBLASLT");
  double off = 0;
  for (size_t i = 0; i < results[0].size(); ++i) off = std::max(off, std::abs(results[1][i] / results[0][i] - 1));
  EXPECT_GT(off, 1e-6);
  EXPECT_LT(off, 1.0 / 1024);
}

TEST(CudaKernels, NameOpsOfTheCatalog) {
  for (const cuda::Kernel& kernel : cuda::kernels()) EXPECT_NE(find_op(kernel.op), nullptr) << kernel.op;
}

}  // namespace
