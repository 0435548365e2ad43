// SPDX-License-Identifier: Apache-2.0
// Linear and cubic resize of f32 and f64 tensors: per row of y the rows of x it lies between are blended, then the row
// itself is interpolated where its axis is resized.
#include <string>
#include <utility>
#include <vector>

#include "engine/kernels/core/parallel.h"
#include "engine/kernels/indexing/indexing.h"
#include "engine/kernels/indexing/indexing_kernels.h"
#include "engine/kernels/indexing/resize-inl.h"

namespace engine::cpu {
namespace {

template <class T>
class ResizeOp final : public PreparedOp {
 public:
  ResizeOp(const PrepareRequest& request, std::vector<ResizeAxis> axes, int threads)
      : x_(request.arguments.inputs[0].data_as<const T>()),
        y_(request.arguments.outputs[0].data_as<T>()),
        extrapolation_(static_cast<T>(request.node.attributes.get_double("extrapolation_value", 0))),
        nest_(request.arguments.inputs[0].shape(), request.arguments.inputs[0].strides(),
              request.arguments.outputs[0].shape(), request.arguments.outputs[0].strides(), std::move(axes)),
        threads_(threads) {}

  void run() override {
    const auto& inner = nest_.inner();
    parallel_parts(threads_, nest_.rows(), 1, nest_.rows() * inner.outputs, [&](int64_t begin, int64_t end) {
      std::vector<loops::BlendedRow> rows;
      std::vector<T> blended(static_cast<size_t>(inner.inputs));
      const ResizeParts<T> parts(inner, x_, y_, extrapolation_, blended.data());
      for (int64_t row = begin; row < end; ++row) loops::resize_row(nest_, row, rows, parts);
    });
  }
  KernelFacts facts() const override { return {.name = "own interpolation"}; }

 private:
  const T* x_;
  T* y_;
  T extrapolation_;
  loops::ResizeNest<ResizeAxis> nest_;
  int threads_;
};

}  // namespace

std::unique_ptr<PreparedOp> prepare_resize(Context& context, const PrepareRequest& request) {
  const Tensor &x = request.arguments.inputs[0], &y = request.arguments.outputs[0];
  if (request.node.attributes.get_string("mode", "nearest") == "nearest") return nullptr;
  std::vector<ResizeAxis> axes = resize_axes(x.shape(), request.node.attributes);
  if (y.dtype() == DType::float32) return std::make_unique<ResizeOp<float>>(request, std::move(axes), context.threads);
  if (y.dtype() == DType::float64) return std::make_unique<ResizeOp<double>>(request, std::move(axes), context.threads);
  return nullptr;
}

}  // namespace engine::cpu
