// SPDX-License-Identifier: Apache-2.0
// a^b in any layout, split over the threads. The whole exponents 1 to 4, as decomposed layer norms (x^2) and GELUs
// (x^3) have them, are multiplied out wherever they stand; everything else goes by logarithms in doubles (f32,
// power_simd.h) or is the C library's pow (f64). An exponent alone tells which, so that no layout changes a bit.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/kernels/core/copy.h"
#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/loop_nest.h"
#include "engine/kernels/core/vector_unit.h"
#include "engine/kernels/elementwise/elementwise_rows.h"
#include "engine/kernels/elementwise/power_simd.h"

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
    if constexpr (std::is_same_v<T, float>) by_logarithms_ = power_row();
  }
  void run() override {
    run_loops(loops_, base_, threads_, [this](const Addresses& at, int64_t count) {
      const auto& step = loops_.inner_stride;
      const T* const exponents = reinterpret_cast<const T*>(at[2]);
      if (step[2] == 0 && step[1] == kBytes && step[0] == kBytes &&
          multiply_row(reinterpret_cast<const T*>(at[1]), *exponents, count, reinterpret_cast<T*>(at[0]))) {
        return;
      }
      if (by_logarithms_ != nullptr) return by_logarithms(at, count);
      for (int64_t i = 0; i < count; ++i) {
        *reinterpret_cast<T*>(at[0] + i * step[0]) =
            power(*reinterpret_cast<const T*>(at[1] + i * step[1]), *reinterpret_cast<const T*>(at[2] + i * step[2]));
      }
    });
  }
  KernelFacts facts() const override {
    return {.name = by_logarithms_ != nullptr
                        ? fmt::format("own power ({}, multiplied out, or by logarithms in f64)", vector_unit())
                        : "own power (multiplied out, or libm)"};
  }

 private:
  static constexpr auto kBytes = static_cast<int64_t>(sizeof(T));

  /// By chunks that are gathered where they do not lie together.
  void by_logarithms(const Addresses& at, int64_t count) const {
    const auto& step = loops_.inner_stride;
    const bool one_exponent = step[2] == 0;
    alignas(64) float bases[kChunk], exponents[kChunk], results[kChunk];
    const auto gathered = [&](int k, int64_t from, int64_t many, float* to) -> const float* {
      const std::byte* const first = at[static_cast<size_t>(k)] + from * step[static_cast<size_t>(k)];
      if (step[static_cast<size_t>(k)] == kBytes) return reinterpret_cast<const float*>(first);
      copy_row(first, step[static_cast<size_t>(k)], reinterpret_cast<std::byte*>(to), kBytes, many, kBytes);
      return to;
    };
    for (int64_t from = 0; from < count; from += kChunk) {
      const int64_t many = std::min(kChunk, count - from);
      const float* const a = gathered(1, from, many, bases);
      const float* const b = one_exponent ? reinterpret_cast<const float*>(at[2]) : gathered(2, from, many, exponents);
      const bool multiplies = one_exponent && multiply_row(a, *b, many, results);
      if (!multiplies) by_logarithms_(a, b, one_exponent, many, results);
      for (int64_t i = 0; i < many && !one_exponent; ++i)
        multiplied_out(b[i], [&](auto product) { results[i] = product(a[i]); });
      copy_row(reinterpret_cast<const std::byte*>(results), kBytes, at[0] + from * step[0], step[0], many, kBytes);
    }
  }

  LoopNest loops_;
  int threads_;
  Addresses base_{};
  PowerRow by_logarithms_ = nullptr;
};

/// Floats of one dtype here, whole numbers and mixed dtypes by the elementwise loops.
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

}  // namespace

std::span<const Kernel> power_kernels() {
  static constexpr Kernel kKernels[] = {
      {"power", prepare_power},
  };
  return kKernels;
}

}  // namespace engine::cpu
