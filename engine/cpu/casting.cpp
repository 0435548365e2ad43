// SPDX-License-Identifier: Apache-2.0
// cast: loops over two strided tensors around the vector conversions of casting_simd.cpp.
#include <fmt/format.h>

#include <string>

#include "engine/cpu/casting_simd.h"
#include "engine/cpu/elementwise_simd.h"
#include "engine/cpu/kernels.h"
#include "engine/cpu/loops.h"
#include "engine/tensor/element.h"

namespace engine::cpu {
namespace {

class CastOp final : public PreparedOp {
 public:
  CastOp(const Tensor& x, const Tensor& y, LoopNest loops, ConvertRow convert, int threads)
      : from_(x.dtype()),
        to_(y.dtype()),
        loops_(std::move(loops)),
        convert_(convert),
        threads_(threads) {
    base_[0] = y.data();
    base_[1] = x.data();
  }

  void run() override {
    run_loops(loops_, base_, threads_, [this](const Addresses& at, int64_t count) {
      if (convert_ != nullptr) return convert_(at[1], at[0], count);
      for (int64_t i = 0; i < count; ++i) {
        convert_element(from_, at[1] + i * loops_.inner_stride[1], to_,
                        at[0] + i * loops_.inner_stride[0]);
      }
    });
  }
  std::string kernel_name() const override {
    if (convert_ == nullptr) return fmt::format("own {} to {}, one by one", name(from_), name(to_));
    return fmt::format("own {} to {} ({})", name(from_), name(to_), vector_unit());
  }

 private:
  DType from_, to_;
  LoopNest loops_;
  ConvertRow convert_;
  int threads_;
  Addresses base_{};
};

std::unique_ptr<PreparedOp> prepare_cast(Context& context, const PrepareRequest& request) {
  const Tensor &x = request.arguments.inputs[0], &y = request.arguments.outputs[0];
  const TensorType types[] = {y.type(), x.type()};
  LoopNest loops = make_loops(y.shape(), types, 0);
  const bool side_by_side = loops.inner_stride[0] == size_bytes(y.dtype()) &&
                            loops.inner_stride[1] == size_bytes(x.dtype());
  const ConvertRow convert = side_by_side ? find_convert_row(x.dtype(), y.dtype()) : nullptr;
  return std::make_unique<CastOp>(x, y, std::move(loops), convert, context.threads);
}

constexpr Kernel kKernels[] = {{"cast", prepare_cast}};

}  // namespace

std::span<const Kernel> casting_kernels() { return kKernels; }

}  // namespace engine::cpu
