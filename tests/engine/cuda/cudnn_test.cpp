// SPDX-License-Identifier: Apache-2.0
// cuDNN as we declare it against its own header, where one is installed; and what is left to our own convolution, with
// the reason.
#include "engine/cuda/cudnn.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "engine/ops/ops.h"
#include "tests/support/op_examples.h"

#if __has_include(<cudnn.h>)
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <cudnn.h>

#include <cstddef>
#include <type_traits>

namespace {

using engine::cuda::CudnnFunctions;
using engine::cuda::cudnn::Choice;

template <class A, class B>
constexpr bool same_word() {
  if constexpr (std::is_pointer_v<A> || std::is_pointer_v<B>) return std::is_pointer_v<A> && std::is_pointer_v<B>;
  return sizeof(A) == sizeof(B);
}
template <class Ours, class Theirs>
struct SameCall : std::false_type {};
template <class R, class... A, class S, class... B>
requires(sizeof...(A) == sizeof...(B)) struct SameCall<R (*)(A...), S (*)(B...)>
    : std::bool_constant<same_word<R, S>() && (same_word<A, B>() && ...)> {
};

#define SAME_CALL(member, function) \
  static_assert(SameCall<std::remove_cvref_t<decltype(CudnnFunctions::member)>, decltype(&function)>::value)
#define SAME_CHOICE(struct_name)                                                       \
  static_assert(sizeof(struct_name) == sizeof(Choice) &&                               \
                offsetof(struct_name, memory) == offsetof(Choice, workspace_bytes) &&  \
                offsetof(struct_name, determinism) == offsetof(Choice, determinism) && \
                offsetof(struct_name, status) == offsetof(Choice, status))
SAME_CALL(version, cudnnGetVersion);
SAME_CALL(error_string, cudnnGetErrorString);
SAME_CALL(create, cudnnCreate);
SAME_CALL(destroy, cudnnDestroy);
SAME_CALL(set_stream, cudnnSetStream);
SAME_CALL(create_tensor, cudnnCreateTensorDescriptor);
SAME_CALL(destroy_tensor, cudnnDestroyTensorDescriptor);
SAME_CALL(set_tensor, cudnnSetTensorNdDescriptor);
SAME_CALL(create_filter, cudnnCreateFilterDescriptor);
SAME_CALL(destroy_filter, cudnnDestroyFilterDescriptor);
SAME_CALL(set_filter, cudnnSetFilterNdDescriptor);
SAME_CALL(create_convolution, cudnnCreateConvolutionDescriptor);
SAME_CALL(destroy_convolution, cudnnDestroyConvolutionDescriptor);
SAME_CALL(set_convolution, cudnnSetConvolutionNdDescriptor);
SAME_CALL(set_math, cudnnSetConvolutionMathType);
SAME_CALL(set_groups, cudnnSetConvolutionGroupCount);
SAME_CALL(choose[0], cudnnGetConvolutionForwardAlgorithm_v7);
SAME_CALL(choose[1], cudnnGetConvolutionBackwardDataAlgorithm_v7);
SAME_CALL(choose[2], cudnnGetConvolutionBackwardFilterAlgorithm_v7);
SAME_CALL(convolve[0], cudnnConvolutionForward);
SAME_CALL(convolve[1], cudnnConvolutionBackwardData);
SAME_CALL(convolve[2], cudnnConvolutionBackwardFilter);
SAME_CHOICE(cudnnConvolutionFwdAlgoPerf_t);
SAME_CHOICE(cudnnConvolutionBwdDataAlgoPerf_t);
SAME_CHOICE(cudnnConvolutionBwdFilterAlgoPerf_t);
namespace ours = engine::cuda::cudnn;
static_assert(int{ours::kFloat} == CUDNN_DATA_FLOAT && int{ours::kDouble} == CUDNN_DATA_DOUBLE &&
              int{ours::kHalf} == CUDNN_DATA_HALF && int{ours::kBfloat16} == CUDNN_DATA_BFLOAT16);
static_assert(int{ours::kChannelsFirst} == CUDNN_TENSOR_NCHW && int{ours::kChannelsLast} == CUDNN_TENSOR_NHWC);
static_assert(int{ours::kDefaultMath} == CUDNN_DEFAULT_MATH && int{ours::kTensorCores} == CUDNN_TENSOR_OP_MATH &&
              int{ours::kNoTensorCores} == CUDNN_FMA_MATH);
static_assert(ours::kCrossCorrelation == CUDNN_CROSS_CORRELATION && ours::kDeterministic == CUDNN_DETERMINISTIC &&
              CUDNN_STATUS_SUCCESS == 0);
static_assert(CUDNN_CONVOLUTION_FWD_ALGO_DIRECT == 3 && CUDNN_CONVOLUTION_BWD_DATA_ALGO_1 == 1 &&
              CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3 == 3 && CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT == 2);

}  // namespace
#endif

namespace {

using namespace engine;  // NOLINT: a test of this floor

class CudnnConvolution : public testing::Test {
 protected:
  void SetUp() override {
    setenv("TENSORTIDE_CUDNN", TENSORTIDE_BINARY_DIR "/fake_cudnn/libcudnn.so.9", 1);
    std::string why;
    context_.cudnn = cuda::Cudnn::open(nullptr, why);
    ASSERT_NE(context_.cudnn, nullptr) << why;
    context_.launcher.on_host = true;
  }
  void TearDown() override {
    unsetenv("TENSORTIDE_CUDNN");
    unsetenv("FAKE_CUDNN");
  }
  /// The kernel's name of a convolution of images [1, 2, 5, 5] with weights [4, 2, 3, 3].
  std::string kernel(const Attributes& attributes, Strides x_strides = {50, 1, 10, 2}) {
    Node node;
    node.op = find_op("conv2d");
    node.attributes = attributes;
    const TensorType w = TensorType::channels_last(DType::float32, {4, 2, 3, 3});
    const std::vector<Tensor> inputs{test::make_tensor({DType::float32, {1, 2, 5, 5}, std::move(x_strides)}),
                                     test::make_tensor(w)};
    const std::vector<TensorType> types{inputs[0].type(), w};
    const auto outputs = node.op->infer(types, attributes);
    EXPECT_TRUE(outputs.ok());
    const Tensor y = test::make_tensor((*outputs)[0]);
    const Call call{node.attributes, types, *outputs};
    for (const cuda::Kernel& k : cuda::kernels()) {
      if (k.op != node.op->name) continue;
      std::vector<std::byte> workspace(static_cast<size_t>(k.workspace_bytes(context_, node, call)));
      if (before_prepare_ != nullptr) setenv("FAKE_CUDNN", before_prepare_, 1);
      const auto prepared =
          k.prepare(context_, {node, {&node.attributes, inputs, {y}}, workspace.data(), {false, false}});
      return prepared.ok() ? (*prepared)->kernel_name() : prepared.error().message;
    }
    return "no kernel";
  }
  cuda::Context context_;
  const char* before_prepare_ = nullptr;  ///< FAKE_CUDNN from then on
};

TEST_F(CudnnConvolution, IsUsedWhereItIsHereAndSaysHow) {
  EXPECT_EQ(kernel({}), "cuDNN 9.99.1 algo 0 workspace 1000")
      << "not the Winograd that it names first, nor the one that it cannot do";
  context_.tf32 = true;
  context_.capability = 80;
  EXPECT_EQ(kernel({}), "cuDNN 9.99.1 algo 0 workspace 1000 tf32");
  context_.capability = 75;
  EXPECT_EQ(kernel({}), "cuDNN 9.99.1 algo 0 workspace 1000") << "Turing has no TF32";
  context_.capability = 90;
  setenv("FAKE_CUDNN", "fma", 1);
  EXPECT_EQ(kernel({}), "cuDNN 9.99.1 algo 0 workspace 1000") << "chosen without tensor cores";
  unsetenv("FAKE_CUDNN");
  context_.tf32 = false;
  context_.deterministic = true;
  EXPECT_EQ(kernel({}), "cuDNN 9.99.1 algo 1 workspace 2000");
}

TEST_F(CudnnConvolution, WhatItCannotDoIsOursAndSaysWhy) {
  const auto expect_own = [](const std::string& name, const std::string& why) {
    EXPECT_TRUE(name.starts_with("own implicit product (CUDA)") && name.ends_with("; not cuDNN: " + why)) << name;
  };
  expect_own(kernel({{"padding", std::vector<int64_t>{0, 0, 1, 1}}, {"stride", std::vector<int64_t>{1, 1}}}),
             "its padding differs at both ends");
  expect_own(kernel({}, {50, 25, 5, 1}), "its operands are not all dense with channels first, or last");
  setenv("FAKE_CUDNN", "none", 1);
  expect_own(kernel({}), "cuDNN: CUDNN_STATUS_NOT_SUPPORTED");
  unsetenv("FAKE_CUDNN");
  context_.cudnn = nullptr;
  EXPECT_EQ(kernel({}).find("cuDNN"), std::string::npos) << "where it is not installed, the device says so once";
}

/// The heuristic is asked twice: when memory is planned and when the op is made ready. What it wants then must fit into
/// what was reserved.
TEST_F(CudnnConvolution, ItsScratchStaysWithinWhatWasReserved) {
  before_prepare_ = "more";
  const std::string own = kernel({});
  EXPECT_TRUE(own.starts_with("own implicit product (CUDA)")) << own;
  EXPECT_TRUE(own.ends_with(
      "; not cuDNN: cuDNN now wants more scratch than the 1000 bytes it asked for when memory was planned"))
      << own;
  unsetenv("FAKE_CUDNN");
  context_.deterministic = true;
  EXPECT_EQ(kernel({{"stride", std::vector<int64_t>{2, 2}}}), "cuDNN 9.99.1 algo 1 workspace 2000")
      << "another algorithm that fits is taken";
  unsetenv("FAKE_CUDNN");
  before_prepare_ = nullptr;
  context_.deterministic = false;
  EXPECT_EQ(kernel({}), "cuDNN 9.99.1 algo 0 workspace 1000");
}

TEST_F(CudnnConvolution, CanBeLeftOut) {
  setenv("TENSORTIDE_CUDNN", "none", 1);
  std::string why;
  EXPECT_EQ(cuda::Cudnn::open(nullptr, why), nullptr);
  EXPECT_EQ(why, "TENSORTIDE_CUDNN=none");
  setenv("TENSORTIDE_CUDNN", "/nonexistent/libcudnn.so.9", 1);
  EXPECT_EQ(cuda::Cudnn::open(nullptr, why = ""), nullptr);
  EXPECT_NE(why.find("/nonexistent"), std::string::npos) << why;
}

}  // namespace
