// SPDX-License-Identifier: Apache-2.0
// What the rest of the backend asks of oneDNN: the list of its kernels, the smallest of them, and the library itself. A
// build without it has dnnl_absent.cpp instead of this and of all that it lists.
#include <fmt/format.h>

#include <new>
#include <optional>
#include <string_view>

#include "engine/base/check.h"
#include "engine/kernels/convolution/convolution.h"
#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/loop_nest.h"
#include "engine/kernels/gemm/products.h"
#include "engine/kernels/onednn/dnnl_support.h"
#include "engine/kernels/quantized/quantized_result.h"

namespace engine::cpu {

namespace {

class ReorderOp final : public PreparedOp {
 public:
  explicit ReorderOp(BoundPrimitive primitive) : primitive_(std::move(primitive)) {}
  void run() override { primitive_.run(); }
  KernelFacts facts() const override { return {.name = "oneDNN reorder", .library = KernelLibrary::onednn}; }

 private:
  BoundPrimitive primitive_;
};

/// For oneDNN, which only moves its elements: numbers of as many bytes as the type's, 8 bytes as two numbers. Nothing
/// where strided_desc() has nothing.
std::optional<dnnl::memory::desc> moved_desc(const TensorType& type) {
  using Data = dnnl::memory::data_type;
  const int64_t bytes = size_bytes(type.dtype);
  const Data data = type.dtype == DType::float32 ? Data::f32
                    : bytes == 1                 ? Data::s8
                    : bytes == 2                 ? Data::bf16
                                                 : Data::s32;
  TensorType numbers{DType::float32, type.shape, type.strides};
  if (bytes == 8) {
    for (int64_t& stride : numbers.strides) stride *= 2;
    numbers.shape.push_back(2);
    numbers.strides.push_back(1);
  }
  auto desc = strided_desc(numbers);
  if (desc) desc->data.data_type = dnnl::memory::convert_to_c(data);
  return desc;
}

std::unique_ptr<PreparedOp> prepare_reorder(Context& context, const PrepareRequest& request) {
  return prepare_transposition(context, request.arguments.inputs[0], request.arguments.outputs[0]);
}

}  // namespace

/// oneDNN's reorder is generated for the pair of layouts and blocks for the cache.
std::unique_ptr<PreparedOp> prepare_transposition(Context& context, const Tensor& from, const Tensor& to) {
  if (context.dnnl == nullptr || from.dtype() != to.dtype()) return nullptr;
  const TensorType types[] = {to.type(), from.type()};
  if (make_loops(to.shape(), types, 0).inner_stride[1] == size_bytes(to.dtype())) return nullptr;
  const auto from_desc = moved_desc(from.type()), to_desc = moved_desc(to.type());
  if (!from_desc || !to_desc || *from_desc == *to_desc) return nullptr;
  try {
    const dnnl::reorder::primitive_desc descriptor(context.dnnl->engine, *from_desc, context.dnnl->engine, *to_desc);
    if (!std::string_view(descriptor.impl_info_str()).starts_with("jit"))
      return nullptr;  // plain loops, slower than ours
    return std::make_unique<ReorderOp>(*bind_reorder(context, *from_desc, from.data(), *to_desc, to.data()));
  } catch (const dnnl::error& error) {  // many who copy ask outside of prepare_listed()
    if (error.status == dnnl_out_of_memory) throw std::bad_alloc();
    return nullptr;
  }
}

std::span<const Kernel> onednn_kernels() {
  static constexpr Kernel kKernels[] = {
      {"conv2d", prepare_conv2d, conv2d_workspace, true},
      {"conv2d_grad_input", prepare_conv2d_grad_input, conv2d_grad_input_workspace, true},
      {"conv2d_grad_weight", prepare_conv2d_grad_weight, conv2d_grad_weight_workspace, true},
      {"conv3d", prepare_conv2d, conv2d_workspace, true},
      {"conv3d_grad_input", prepare_conv2d_grad_input, conv2d_grad_input_workspace, true},
      {"conv3d_grad_weight", prepare_conv2d_grad_weight, conv2d_grad_weight_workspace, true},
      {"conv_integer", prepare_dnnl_integer_convolution, dnnl_integer_convolution_workspace, true},
      {"qlinear_conv", prepare_dnnl_integer_convolution, dnnl_integer_convolution_workspace, true},
      {"matmul_integer", prepare_dnnl_integer_matmul, dnnl_integer_matmul_workspace, true},
      {"qlinear_matmul", prepare_dnnl_integer_matmul, dnnl_integer_matmul_workspace, true},
      {"contiguous", prepare_reorder, nullptr, true},
      {"relayout", prepare_reorder, nullptr, true},
  };
  return kKernels;
}

std::shared_ptr<DnnlRuntime> make_dnnl_runtime() { return std::make_shared<DnnlRuntime>(); }

bool has_onednn() { return true; }

std::string onednn_version() {
  const dnnl_version_t* version = dnnl_version();
  return fmt::format("oneDNN {}.{}.{}", version->major, version->minor, version->patch);
}

bool onednn_lacked_memory() {
  try {
    throw;
  } catch (const dnnl::error& error) {
    return error.status == dnnl_out_of_memory;
  }
}

void dnnl_product(int64_t m, int64_t n, int64_t k, float alpha, const ProductOperand<float>& a,
                  const ProductOperand<float>& b, float beta, float* c, int64_t c_row) {
  CHECK(dnnl_sgemm(a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', m, n, k, alpha, a.data, a.row, b.data, b.row,
                   beta, c, c_row) == dnnl_success);
}

}  // namespace engine::cpu
