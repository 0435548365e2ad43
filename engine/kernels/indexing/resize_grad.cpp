// SPDX-License-Identifier: Apache-2.0
// The gradient of a resize, gathered: each element of dx adds up what the resize made of it, so that rows of dx are
// split over the threads. Per row the rows of dy that it went into are blended, then the row itself is gathered where
// its axis was resized.
#include <memory>
#include <string>
#include <vector>

#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/parallel.h"
#include "engine/kernels/indexing/resize-inl.h"

namespace engine::cpu {
namespace {

template <class T>
class ResizeGradOp final : public PreparedOp {
 public:
  ResizeGradOp(const PrepareRequest& request, const std::vector<ResizeAxis>& maps, int threads)
      : dy_(request.arguments.inputs[0].data_as<const T>()),
        dx_(request.arguments.outputs[0].data_as<T>()),
        nest_(request.arguments.outputs[0].shape(), request.arguments.outputs[0].strides(),
              request.arguments.inputs[0].strides(), maps),
        threads_(threads) {}

  void run() override {
    const auto& inner = nest_.inner();
    parallel_parts(threads_, nest_.rows(), 1, nest_.rows() * inner.outputs, [&](int64_t begin, int64_t end) {
      std::vector<loops::BlendedRow> rows;
      std::vector<T> blended(static_cast<size_t>(inner.outputs));
      const ResizeGradientParts<T> parts(inner, dy_, dx_, blended.data());
      for (int64_t row = begin; row < end; ++row) loops::resize_gradient_row(nest_, row, rows, parts);
    });
  }
  KernelFacts facts() const override { return {.name = "own interpolation, gathered"}; }

 private:
  const T* dy_;
  T* dx_;
  loops::ResizeGradientNest nest_;
  int threads_;
};

/// All modes, f32 and f64; a result whose innermost axis lies side by side.
std::unique_ptr<PreparedOp> prepare_resize_grad(Context& context, const PrepareRequest& request) {
  const Tensor& dx = request.arguments.outputs[0];
  if (request.arguments.inputs[0].dtype() != dx.dtype() || !loops::ResizeGradientNest::takes(dx.shape(), dx.strides()))
    return nullptr;
  const std::vector<ResizeAxis> axes = resize_axes(dx.shape(), request.node.attributes);
  if (dx.dtype() == DType::float32) return std::make_unique<ResizeGradOp<float>>(request, axes, context.threads);
  if (dx.dtype() == DType::float64) return std::make_unique<ResizeGradOp<double>>(request, axes, context.threads);
  return nullptr;
}

}  // namespace

std::span<const Kernel> resize_grad_kernels() {
  static constexpr Kernel kKernels[] = {
      {"resize_grad", prepare_resize_grad},
  };
  return kKernels;
}

}  // namespace engine::cpu
