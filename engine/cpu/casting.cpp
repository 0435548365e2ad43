// SPDX-License-Identifier: Apache-2.0
// cast: loops over two strided tensors around the vector conversions of casting_simd.cpp.
#include "engine/cpu/casting.h"

#include <fmt/format.h>

#include <string>

#include "engine/cpu/elementwise_simd.h"
#include "engine/cpu/kernels.h"
#include "engine/tensor/element.h"

namespace engine::cpu {
namespace {

class CastOp final : public PreparedOp {
 public:
  CastOp(CastLoops loops, std::string name) : loops_(std::move(loops)), name_(std::move(name)) {}
  void run() override { loops_.run(); }
  std::string kernel_name() const override { return name_; }

 private:
  CastLoops loops_;
  std::string name_;
};

std::unique_ptr<PreparedOp> prepare_cast(Context& context, const PrepareRequest& request) {
  const Tensor &x = request.arguments.inputs[0], &y = request.arguments.outputs[0];
  CastLoops loops(x, y, context.threads);
  std::string shown = loops.vectorized()
                          ? fmt::format("own {} to {} ({})", name(x.dtype()), name(y.dtype()), vector_unit())
                          : fmt::format("own {} to {}, one by one", name(x.dtype()), name(y.dtype()));
  return std::make_unique<CastOp>(std::move(loops), std::move(shown));
}

constexpr Kernel kKernels[] = {{"cast", prepare_cast}};

}  // namespace

CastLoops::CastLoops(const Tensor& from, const Tensor& to, int threads)
    : from_(from.dtype()), to_(to.dtype()), threads_(threads) {
  const TensorType types[] = {to.type(), from.type()};
  loops_ = make_tiled_loops(to.shape(), types, 0);
  const bool side_by_side = loops_.inner_stride[0] == size_bytes(to_) && loops_.inner_stride[1] == size_bytes(from_);
  if (side_by_side) convert_ = find_convert_row(from_, to_);
  base_[0] = to.data();
  base_[1] = from.data();
}

void CastLoops::run() const {
  run_loops(loops_, base_, threads_, [this](const Addresses& at, int64_t count) {
    if (convert_ != nullptr) return convert_(at[1], at[0], count);
    for (int64_t i = 0; i < count; ++i) {
      convert_element(from_, at[1] + i * loops_.inner_stride[1], to_, at[0] + i * loops_.inner_stride[0]);
    }
  });
}

std::span<const Kernel> casting_kernels() { return kKernels; }

}  // namespace engine::cpu
