// SPDX-License-Identifier: Apache-2.0
// Steps of register chains: each computes eight vectors in its arguments, which are registers, and goes on with the
// next step by a call in tail position; this file is compiled once per vector unit.
#include "engine/kernels/fusion/register_chain.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/fusion/chain_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "engine/kernels/core/exp_simd.h"
#include "engine/kernels/elementwise/activation_simd.h"
#include "engine/kernels/elementwise/gelu_simd.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {  // the same names live in other files: they must not be merged

constexpr int64_t kVectors = 8;  // as many as calls pass in registers on x86-64

template <class T>
using Wide = hn::ScalableTag<T>;
template <class T>
using Vector = hn::Vec<Wide<T>>;
template <class T>
int64_t lanes() {
  return static_cast<int64_t>(hn::Lanes(Wide<T>()));
}

/// What every step takes: where it is, and its block of eight vectors.
#define CHAIN_ARGUMENTS                                                                                          \
  const ChainStep *step, const std::byte *const *operands, int64_t at, Vector<T> v0, Vector<T> v1, Vector<T> v2, \
      Vector<T> v3, Vector<T> v4, Vector<T> v5, Vector<T> v6, Vector<T> v7

template <class T>
using Step = void (*)(CHAIN_ARGUMENTS);

template <class T>
HWY_INLINE Step<T> function_of(const ChainStep* step) {
  return reinterpret_cast<Step<T>>(step->function);
}
#define CHAIN_GO_ON(...) return function_of<T>(step + 1)(step + 1, operands, at, __VA_ARGS__)

/// The step's operand in memory where the block is.
template <class T>
HWY_INLINE const T* place(const ChainStep* step, const std::byte* const* operands, int64_t at) {
  return reinterpret_cast<const T*>(operands[step->operand]) + (step->moves ? at : 0);
}

/// Asks for the block behind the one at `from`.
template <class T>
HWY_INLINE void ask_ahead(const T* from) {
  constexpr uintptr_t kLine = 64;
  const uintptr_t block = static_cast<uintptr_t>(kVectors * lanes<T>()) * sizeof(T),
                  next = reinterpret_cast<uintptr_t>(from) + block;
  for (uintptr_t i = 0; i < block; i += kLine)
    hwy::Prefetch(reinterpret_cast<const std::byte*>(next + i));  // perhaps beyond the operand
}

/// What the op's attributes say, in the type it is computed in.
HWY_INLINE const float* constants(const ChainStep* step, float) { return step->constants_f32; }
HWY_INLINE const double* constants(const ChainStep* step, double) { return step->constants; }

template <class T>
void load(CHAIN_ARGUMENTS) {
  const Wide<T> d;
  const int64_t n = lanes<T>();
  const T* from = place<T>(step, operands, at);
  if (step->ahead) ask_ahead(from);
  if (step->repeated) {
    v0 = v1 = v2 = v3 = v4 = v5 = v6 = v7 = hn::Set(d, *from);
  } else {
    v0 = hn::LoadU(d, from), v1 = hn::LoadU(d, from + n), v2 = hn::LoadU(d, from + 2 * n),
    v3 = hn::LoadU(d, from + 3 * n);
    v4 = hn::LoadU(d, from + 4 * n), v5 = hn::LoadU(d, from + 5 * n), v6 = hn::LoadU(d, from + 6 * n),
    v7 = hn::LoadU(d, from + 7 * n);
  }
  CHAIN_GO_ON(v0, v1, v2, v3, v4, v5, v6, v7);
}

template <class T, bool kStreaming>
void store(CHAIN_ARGUMENTS) {
  T* const to = const_cast<T*>(place<T>(step, operands, at));
  const auto put = [&](Vector<T> v, int64_t k) HWY_ATTR {
    if constexpr (kStreaming) {
      hn::Stream(v, Wide<T>(), to + k * lanes<T>());
    } else {
      hn::StoreU(v, Wide<T>(), to + k * lanes<T>());
    }
  };
  put(v0, 0), put(v1, 1), put(v2, 2), put(v3, 3), put(v4, 4), put(v5, 5), put(v6, 6), put(v7, 7);
}
template <class T>
void keep(CHAIN_ARGUMENTS) {
  store<T, false>(step, operands, at, v0, v1, v2, v3, v4, v5, v6, v7);
  CHAIN_GO_ON(v0, v1, v2, v3, v4, v5, v6, v7);
}

template <class T, auto op>
void unary(CHAIN_ARGUMENTS) {
  const Wide<T> d;
  const T* const k = constants(step, T{});
  CHAIN_GO_ON(op(d, k, v0), op(d, k, v1), op(d, k, v2), op(d, k, v3), op(d, k, v4), op(d, k, v5), op(d, k, v6),
              op(d, k, v7));
}

/// `second`: the registers hold the op's second operand.
template <class T, auto op, bool second>
void binary(CHAIN_ARGUMENTS) {
  const Wide<T> d;
  const int64_t n = lanes<T>();
  const T* const k = constants(step, T{});
  const T* from = place<T>(step, operands, at);
  if (step->ahead) ask_ahead(from);
  const auto with = [&](Vector<T> other, Vector<T> v)
                        HWY_ATTR { return second ? op(d, k, other, v) : op(d, k, v, other); };
  if (step->repeated) {
    const auto one = hn::Set(d, *from);
    v0 = with(one, v0), v1 = with(one, v1), v2 = with(one, v2), v3 = with(one, v3);
    v4 = with(one, v4), v5 = with(one, v5), v6 = with(one, v6), v7 = with(one, v7);
  } else {
    v0 = with(hn::LoadU(d, from), v0), v1 = with(hn::LoadU(d, from + n), v1);
    v2 = with(hn::LoadU(d, from + 2 * n), v2), v3 = with(hn::LoadU(d, from + 3 * n), v3);
    v4 = with(hn::LoadU(d, from + 4 * n), v4), v5 = with(hn::LoadU(d, from + 5 * n), v5);
    v6 = with(hn::LoadU(d, from + 6 * n), v6), v7 = with(hn::LoadU(d, from + 7 * n), v7);
  }
  CHAIN_GO_ON(v0, v1, v2, v3, v4, v5, v6, v7);
}

#undef CHAIN_GO_ON
#undef CHAIN_ARGUMENTS

template <class T>
void blocks(const ChainStep* steps, const std::byte* const* operands, int64_t count) {
  const int64_t block = kVectors * lanes<T>();
  const auto v = hn::Zero(Wide<T>());
  const Step<T> first = function_of<T>(steps);
  for (int64_t at = 0; at < count; at += block) first(steps, operands, at, v, v, v, v, v, v, v, v);
}
template <class T>
void blocks_past_caches(const ChainStep* steps, const std::byte* const* operands, int64_t count) {
  blocks<T>(steps, operands, count);
  hwy::FlushStream();
}

template <class T, auto op>
ChainFunction unary_step() {
  return reinterpret_cast<ChainFunction>(static_cast<Step<T>>(unary<T, op>));
}
template <class T, auto op>
ChainFunction binary_step(bool second) {
  return second ? reinterpret_cast<ChainFunction>(static_cast<Step<T>>(binary<T, op, true>))
                : reinterpret_cast<ChainFunction>(static_cast<Step<T>>(binary<T, op, false>));
}

/// The same functions that the ops alone are computed by: the results are theirs bit for bit.
template <class T>
ChainFunction find(std::string_view op, bool second) {
  if (op == "scale")
    return unary_step<T, [](auto d, const T* k, auto x)
                             HWY_ATTR { return hn::MulAdd(x, hn::Set(d, k[0]), hn::Set(d, k[1])); }>();
  if (op == "relu") return unary_step<T, [](auto d, const T*, auto x) HWY_ATTR { return relu_of(d, x); }>();
  if (op == "sigmoid") return unary_step<T, [](auto d, const T*, auto x) HWY_ATTR { return sigmoid_of(d, x); }>();
  if (op == "tanh") return unary_step<T, [](auto d, const T*, auto x) HWY_ATTR { return tanh_of(d, x); }>();
  if (op == "silu")
    return unary_step<T, [](auto d, const T*, auto x) HWY_ATTR { return hn::Mul(x, sigmoid_of(d, x)); }>();
  if (op == "erf") return unary_step<T, [](auto d, const T*, auto x) HWY_ATTR { return erf_of(d, x); }>();
  if (op == "gelu")
    return unary_step<T, [](auto d, const T* k, auto x) HWY_ATTR { return gelu_of(d, k[0] != 0, x); }>();
  if (op == "hard_swish") return unary_step<T, [](auto d, const T*, auto x) HWY_ATTR { return hard_swish_of(d, x); }>();
  if (op == "hard_sigmoid")
    return unary_step<T, [](auto d, const T* k, auto x)
                             HWY_ATTR { return hard_sigmoid_of(d, hn::Set(d, k[0]), hn::Set(d, k[1]), x); }>();
  if (op == "clip")
    return unary_step<T, [](auto d, const T* k, auto x)
                             HWY_ATTR { return clip_of(d, hn::Set(d, k[0]), hn::Set(d, k[1]), x); }>();
  if (op == "leaky_relu")
    return unary_step<T, [](auto d, const T* k, auto x) HWY_ATTR { return leaky_relu_of(d, hn::Set(d, k[0]), x); }>();
  if (op == "absolute") return unary_step<T, [](auto, const T*, auto x) HWY_ATTR { return hn::Abs(x); }>();
  if (op == "negate") return unary_step<T, [](auto, const T*, auto x) HWY_ATTR { return hn::Neg(x); }>();
  if (op == "sqrt") return unary_step<T, [](auto, const T*, auto x) HWY_ATTR { return hn::Sqrt(x); }>();
  if (op == "add") return binary_step<T, [](auto, const T*, auto x, auto y) HWY_ATTR { return hn::Add(x, y); }>(second);
  if (op == "subtract")
    return binary_step<T, [](auto, const T*, auto x, auto y) HWY_ATTR { return hn::Sub(x, y); }>(second);
  if (op == "multiply")
    return binary_step<T, [](auto, const T*, auto x, auto y) HWY_ATTR { return hn::Mul(x, y); }>(second);
  if (op == "divide")
    return binary_step<T, [](auto, const T*, auto x, auto y) HWY_ATTR { return hn::Div(x, y); }>(second);
  if (op == "scaled_add")
    return binary_step<T, [](auto d, const T* k, auto x, auto y)
                              HWY_ATTR { return hn::MulAdd(y, hn::Set(d, k[0]), x); }>(second);
  if (op == "relu_grad")
    return binary_step<T, [](auto d, const T*, auto dy, auto y) HWY_ATTR { return relu_slope(d, dy, y); }>(second);
  if (op == "sigmoid_grad")
    return binary_step<T, [](auto d, const T*, auto dy, auto y) HWY_ATTR { return sigmoid_slope(d, dy, y); }>(second);
  if (op == "tanh_grad")
    return binary_step<T, [](auto d, const T*, auto dy, auto y) HWY_ATTR { return tanh_slope(d, dy, y); }>(second);
  return nullptr;
}

ChainFunction find_for_target(std::string_view op, DType dtype, bool second) {
  if (dtype == DType::float32) return find<float>(op, second);
#if HWY_HAVE_FLOAT64
  if (dtype == DType::float64) return find<double>(op, second);
#endif
  return nullptr;
}

template <class T>
ChainFunctions functions(bool streaming) {
  return {.load = reinterpret_cast<ChainFunction>(static_cast<Step<T>>(load<T>)),
          .keep = reinterpret_cast<ChainFunction>(static_cast<Step<T>>(keep<T>)),
          .store = streaming ? reinterpret_cast<ChainFunction>(static_cast<Step<T>>(store<T, true>))
                             : reinterpret_cast<ChainFunction>(static_cast<Step<T>>(store<T, false>)),
          .blocks = streaming ? blocks_past_caches<T> : blocks<T>,
          .vector = lanes<T>(),
          .block = kVectors * lanes<T>()};
}

ChainFunctions functions_for_target(DType dtype, bool streaming) {
  if (dtype == DType::float32) return functions<float>(streaming);
#if HWY_HAVE_FLOAT64
  if (dtype == DType::float64) return functions<double>(streaming);
#endif
  return {};
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine::cpu {

HWY_EXPORT(find_for_target);
HWY_EXPORT(functions_for_target);

ChainFunction find_chain_step(std::string_view op, DType dtype, bool second) {
  return HWY_DYNAMIC_DISPATCH(find_for_target)(op, dtype, second);
}

ChainFunctions chain_functions(DType dtype, bool streaming) {
  return HWY_DYNAMIC_DISPATCH(functions_for_target)(dtype, streaming);
}

}  // namespace engine::cpu
#endif
