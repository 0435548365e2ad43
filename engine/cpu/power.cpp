// SPDX-License-Identifier: Apache-2.0
// a^b in any layout, split over the threads. The whole exponents 1 to 4, as decomposed layer norms (x^2) and GELUs (x^3) have them, are
// multiplied out wherever they stand, so that no layout changes a bit; everything else is the C library's pow.
#include "engine/cpu/power.h"

#include <cmath>
#include <string>
#include <vector>

#include "engine/cpu/loops.h"

namespace engine::cpu {
namespace {

/// Whether the exponent is multiplied out; then `use` was called with what does so.
template <class T, class Use>
bool multiplied_out(T exponent, Use&& use) {
  if (exponent == 1) return use([](T x) { return x; }), true;
  if (exponent == 2) return use([](T x) { return x * x; }), true;
  if (exponent == 3) return use([](T x) { return x * x * x; }), true;
  if (exponent == 4) return use([](T x) { return (x * x) * (x * x); }), true;
  return false;
}

template <class T>
T power(T a, T exponent) {
  T y{};
  return multiplied_out(exponent, [&](auto product) { y = product(a); }) ? y : std::pow(a, exponent);
}

/// y[i] = a[i]^exponent for elements that lie side by side; whether that is done: not where it takes pow.
template <class T>
bool multiply_row(const T* a, T exponent, int64_t count, T* y) {
  return multiplied_out(exponent, [=](auto product) {
    for (int64_t i = 0; i < count; ++i) y[i] = product(a[i]);
  });
}

template <class T>
class PowerOp final : public PreparedOp {
 public:
  PowerOp(const PrepareRequest& request, LoopNest loops, int threads) : loops_(std::move(loops)), threads_(threads) {
    base_[0] = request.arguments.outputs[0].data();
    for (size_t i = 0; i < 2; ++i) base_[i + 1] = request.arguments.inputs[i].data();
  }
  void run() override {
    const int64_t y_step = loops_.inner_stride[0], a_step = loops_.inner_stride[1], b_step = loops_.inner_stride[2];
    run_loops(loops_, base_, threads_, [=](const Addresses& at, int64_t count) {
      constexpr int64_t kBytes = sizeof(T);
      if (b_step == 0 && a_step == kBytes && y_step == kBytes &&
          multiply_row(reinterpret_cast<const T*>(at[1]), *reinterpret_cast<const T*>(at[2]), count, reinterpret_cast<T*>(at[0]))) {
        return;
      }
      for (int64_t i = 0; i < count; ++i) {
        *reinterpret_cast<T*>(at[0] + i * y_step) =
            power(*reinterpret_cast<const T*>(at[1] + i * a_step), *reinterpret_cast<const T*>(at[2] + i * b_step));
      }
    });
  }
  std::string kernel_name() const override { return "own power (multiplied out, or libm)"; }

 private:
  LoopNest loops_;
  int threads_;
  Addresses base_{};
};

}  // namespace

std::unique_ptr<PreparedOp> prepare_power(Context& context, const PrepareRequest& request) {
  const Tensor& y = request.arguments.outputs[0];
  std::vector<TensorType> types{y.type()};
  for (const Tensor& t : request.arguments.inputs) types.push_back(t.type());
  for (const TensorType& type : types) {
    if (type.rank() > y.type().rank()) return nullptr;
    if (type.dtype != y.dtype() || !is_floating(type.dtype)) return prepare_elementwise(context, request);
  }
  LoopNest loops = make_tiled_loops(y.shape(), types, 0);
  if (y.dtype() == DType::float32) return std::make_unique<PowerOp<float>>(request, std::move(loops), context.threads);
  if (y.dtype() == DType::float64) return std::make_unique<PowerOp<double>>(request, std::move(loops), context.threads);
  return nullptr;
}

}  // namespace engine::cpu
