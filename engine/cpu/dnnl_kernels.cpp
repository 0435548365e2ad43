// SPDX-License-Identifier: Apache-2.0
// What the rest of the backend asks of oneDNN: the list of its kernels, the smallest of them, and the library itself. A build without it has
// dnnl_absent.cpp instead of this and of all that it lists.
#include <fmt/format.h>

#include "engine/base/check.h"
#include "engine/cpu/dnnl_support.h"
#include "engine/cpu/kernels.h"
#include "engine/cpu/loops.h"
#include "engine/cpu/products.h"

namespace engine::cpu {

// The families' files.
// Those of conv2d are conv3d's as well.
std::unique_ptr<PreparedOp> prepare_conv2d(Context&, const PrepareRequest&);
int64_t conv2d_workspace(Context&, const Node&, const Call&);
std::unique_ptr<PreparedOp> prepare_conv2d_grad_input(Context&, const PrepareRequest&);
int64_t conv2d_grad_input_workspace(Context&, const Node&, const Call&);
std::unique_ptr<PreparedOp> prepare_conv2d_grad_weight(Context&, const PrepareRequest&);
int64_t conv2d_grad_weight_workspace(Context&, const Node&, const Call&);

namespace {

class ReorderOp final : public PreparedOp {
 public:
  explicit ReorderOp(BoundPrimitive primitive) : primitive_(std::move(primitive)) {}
  void run() override { primitive_.run(); }
  std::string kernel_name() const override { return "oneDNN reorder"; }

 private:
  BoundPrimitive primitive_;
};

/// Transpositions: oneDNN's reorder is generated for the pair of layouts and blocks for the cache.
std::unique_ptr<PreparedOp> prepare_reorder(Context& context, const PrepareRequest& request) {
  const Tensor &x = request.arguments.inputs[0], &y = request.arguments.outputs[0];
  const TensorType types[] = {y.type(), x.type()};
  const bool transposes = make_loops(y.shape(), types, 0).inner_stride[1] != size_bytes(y.dtype());
  if (!transposes || y.dtype() != DType::float32) return nullptr;
  const auto from = strided_desc(x.type()), to = strided_desc(y.type());
  if (!from || !to) return nullptr;
  auto reorder = bind_reorder(context, *from, x.data(), *to, y.data());
  return reorder ? std::make_unique<ReorderOp>(std::move(*reorder)) : nullptr;
}

}  // namespace

std::span<const Kernel> onednn_kernels() {
  static constexpr Kernel kKernels[] = {
      {"conv2d", prepare_conv2d, conv2d_workspace, true},
      {"conv2d_grad_input", prepare_conv2d_grad_input, conv2d_grad_input_workspace, true},
      {"conv2d_grad_weight", prepare_conv2d_grad_weight, conv2d_grad_weight_workspace, true},
      {"conv3d", prepare_conv2d, conv2d_workspace, true},
      {"conv3d_grad_input", prepare_conv2d_grad_input, conv2d_grad_input_workspace, true},
      {"conv3d_grad_weight", prepare_conv2d_grad_weight, conv2d_grad_weight_workspace, true},
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

void dnnl_product(int64_t m, int64_t n, int64_t k, float alpha, const ProductOperand<float>& a, const ProductOperand<float>& b, float beta, float* c,
                  int64_t c_row) {
  CHECK(dnnl_sgemm(a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', m, n, k, alpha, a.data, a.row, b.data, b.row, beta, c, c_row) == dnnl_success);
}

}  // namespace engine::cpu
