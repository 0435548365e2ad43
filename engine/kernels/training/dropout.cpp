// SPDX-License-Identifier: Apache-2.0
// dropout of row-major tensors: masks are computed as the elements pass by.
#include <memory>

#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/parallel.h"
#include "engine/tensor/dropout_mask.h"

namespace engine::cpu {
namespace {

template <class T>
class DropoutOp final : public PreparedOp {
 public:
  DropoutOp(const PrepareRequest& request, int threads)
      : x_(request.arguments.inputs[0]),
        draw_(request.arguments.inputs[1]),
        y_(request.arguments.outputs[0]),
        ratio_(request.node.attributes.get_double("ratio", 0.5)),
        seed_(request.node.attributes.get_int("seed", 0)),
        threads_(threads) {}

  void run() override {
    const DropoutMask mask(ratio_, seed_, *draw_.data_as<const int64_t>());
    const T factor = static_cast<T>(mask.factor());
    const T* x = x_.data_as<const T>();
    T* y = y_.data_as<T>();
    const int64_t count = y_.type().elements();
    parallel_parts(threads_, count, 64, count, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) y[i] = mask.keeps(static_cast<uint64_t>(i)) ? x[i] * factor : T{0};
    });
  }
  KernelFacts facts() const override { return {.name = "own dropout"}; }

 private:
  Tensor x_, draw_, y_;
  double ratio_;
  int64_t seed_;
  int threads_;
};

std::unique_ptr<PreparedOp> prepare_dropout(Context& context, const PrepareRequest& request) {
  const Tensor &x = request.arguments.inputs[0], &y = request.arguments.outputs[0];
  if (!is_contiguous(x.shape(), x.strides()) || !is_contiguous(y.shape(), y.strides())) return nullptr;
  if (x.dtype() == DType::float32) return std::make_unique<DropoutOp<float>>(request, context.threads);
  if (x.dtype() == DType::float64) return std::make_unique<DropoutOp<double>>(request, context.threads);
  return nullptr;
}

}  // namespace

std::span<const Kernel> dropout_kernels() {
  static constexpr Kernel kKernels[] = {{"dropout", prepare_dropout}};
  return kKernels;
}

}  // namespace engine::cpu
