// SPDX-License-Identifier: Apache-2.0
// One lambda per elementwise op and a loop over vectors around it; this file is compiled once per
// vector unit.
#include "engine/kernels/elementwise/elementwise_simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/elementwise/elementwise_simd.cpp"
#include <hwy/foreach_target.h>
#include <type_traits>
// After foreach_target, as Highway demands.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "engine/kernels/core/exp_simd.h"
#include "engine/kernels/elementwise/activation_simd.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {  // the same names live in other files: they must not be merged

/// Vector i of input `which`: loaded, or its one element repeated.
template <class D, class T>
HWY_INLINE hn::Vec<D> load(D d, const T* from, bool repeated, int64_t i) {
  return repeated ? hn::Set(d, *from) : hn::LoadU(d, from + i);
}

/// out = f(d, in0, in1, ...) over a.count elements; f works on any vector type, the rest goes one
/// by one.
template <class T, int kInputs, bool kStreaming, class F>
HWY_INLINE void map(const RowArguments& a, const F& f) {
  const T* in0 = reinterpret_cast<const T*>(a.in[0]);
  const T* in1 = reinterpret_cast<const T*>(a.in[kInputs > 1 ? 1 : 0]);
  T* out = reinterpret_cast<T*>(a.out[0]);
  const bool r0 = a.repeated & 1, r1 = a.repeated & 2;
  const hn::ScalableTag<T> wide;
  const hn::CappedTag<T, 1> single;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(wide));
  const auto at = [&](auto d, int64_t i) HWY_ATTR {
    if constexpr (kInputs == 1) return f(d, load(d, in0, r0, i));
    if constexpr (kInputs == 2) return f(d, load(d, in0, r0, i), load(d, in1, r1, i));
  };
  int64_t i = 0;
  // Four vectors at a time; which operands are repeated is settled before the loop.
  const auto by_fours = [&](auto repeats0, auto repeats1, auto put) HWY_ATTR {
    if (a.count < 4 * lanes) return;
    const auto c0 = hn::Set(wide, in0[0]), c1 = hn::Set(wide, in1[0]);
    const auto dense = [&](int64_t j) HWY_ATTR {
      const auto x = repeats0() ? c0 : hn::LoadU(wide, in0 + (repeats0() ? 0 : j));
      if constexpr (kInputs == 1) {
        return f(wide, x);
      } else {
        return f(wide, x, repeats1() ? c1 : hn::LoadU(wide, in1 + (repeats1() ? 0 : j)));
      }
    };
    for (; i + 4 * lanes <= a.count; i += 4 * lanes) {
      const auto v0 = dense(i), v1 = dense(i + lanes), v2 = dense(i + 2 * lanes), v3 = dense(i + 3 * lanes);
      put(v0, i), put(v1, i + lanes), put(v2, i + 2 * lanes), put(v3, i + 3 * lanes);
    }
  };
  const auto for_repeats = [&](auto put) HWY_ATTR {
    const std::true_type yes;
    const std::false_type no;
    if (r0 && r1 && kInputs > 1) return by_fours(yes, yes, put);
    if (r0) return by_fours(yes, no, put);
    if (r1 && kInputs > 1) return by_fours(no, yes, put);
    return by_fours(no, no, put);
  };
  if constexpr (kStreaming) {
    const auto misaligned = [&] {
      return reinterpret_cast<uintptr_t>(out + i) % (static_cast<uintptr_t>(lanes) * sizeof(T)) != 0;
    };
    for (; i < a.count && misaligned(); ++i) hn::StoreU(at(single, i), single, out + i);
    for_repeats([&](auto v, int64_t j) HWY_ATTR { hn::Stream(v, wide, out + j); });
    for (; i + lanes <= a.count; i += lanes) hn::Stream(at(wide, i), wide, out + i);
    if (!a.goes_on) hwy::FlushStream();
  } else {
    for_repeats([&](auto v, int64_t j) HWY_ATTR { hn::StoreU(v, wide, out + j); });
  }
  for (; i + lanes <= a.count; i += lanes) hn::StoreU(at(wide, i), wide, out + i);
  for (; i < a.count; ++i) hn::StoreU(at(single, i), single, out + i);
}

template <class T, bool kStreaming>
void copy(const RowArguments& a) {
  map<T, 1, kStreaming>(a, [](auto, auto x) HWY_ATTR { return x; });
}
template <class T, bool kStreaming>
void scale(const RowArguments& a) {
  const T factor = static_cast<T>(a.constants[0]), shift = static_cast<T>(a.constants[1]);
  map<T, 1, kStreaming>(a,
                        [=](auto d, auto x) HWY_ATTR { return hn::MulAdd(x, hn::Set(d, factor), hn::Set(d, shift)); });
}
template <class T, bool kStreaming>
void add(const RowArguments& a) {
  map<T, 2, kStreaming>(a, [](auto, auto x, auto y) HWY_ATTR { return hn::Add(x, y); });
}
template <class T, bool kStreaming>
void scaled_add(const RowArguments& a) {
  const T factor = static_cast<T>(a.constants[0]);
  map<T, 2, kStreaming>(a, [=](auto d, auto x, auto y) HWY_ATTR { return hn::MulAdd(y, hn::Set(d, factor), x); });
}
template <class T>
void subtract(const RowArguments& a) {
  map<T, 2, false>(a, [](auto, auto x, auto y) HWY_ATTR { return hn::Sub(x, y); });
}
template <class T, bool kStreaming>
void multiply(const RowArguments& a) {
  map<T, 2, kStreaming>(a, [](auto, auto x, auto y) HWY_ATTR { return hn::Mul(x, y); });
}
template <class T, bool kStreaming>
void relu(const RowArguments& a) {
  map<T, 1, kStreaming>(a, [](auto d, auto x) HWY_ATTR { return relu_of(d, x); });
}
template <class T>
void relu_grad(const RowArguments& a) {
  map<T, 2, false>(a, [](auto d, auto dy, auto y) HWY_ATTR { return relu_slope(d, dy, y); });
}
template <class T>
void sigmoid(const RowArguments& a) {
  map<T, 1, false>(a, [](auto d, auto x) HWY_ATTR { return sigmoid_of(d, x); });
}
template <class T>
void sigmoid_grad(const RowArguments& a) {
  map<T, 2, false>(a, [](auto d, auto dy, auto y) HWY_ATTR { return sigmoid_slope(d, dy, y); });
}
/// weight -= rate * (gradient + weight_decay * weight); constants: rate, weight_decay.
template <class T>
void sgd(const RowArguments& a) {
  const T rate = static_cast<T>(a.constants[0]), decay = static_cast<T>(a.constants[1]);
  map<T, 2, false>(a, [=](auto d, auto w, auto g)
                          HWY_ATTR { return hn::NegMulAdd(hn::Set(d, rate), hn::MulAdd(hn::Set(d, decay), w, g), w); });
}

/// m = momentum m + g + decay w; w -= rate m; constants: rate, momentum, weight_decay, nesterov;
/// inputs w, g, m, outputs w, m. Nesterov: w -= rate (g + decay w + momentum m).
template <class T>
void sgd_momentum(const RowArguments& a) {
  const T rate = static_cast<T>(a.constants[0]), momentum = static_cast<T>(a.constants[1]),
          decay = static_cast<T>(a.constants[2]);
  const T* w = reinterpret_cast<const T*>(a.in[0]);
  const T* g = reinterpret_cast<const T*>(a.in[1]);
  const T* m = reinterpret_cast<const T*>(a.in[2]);
  T* new_w = reinterpret_cast<T*>(a.out[0]);
  T* new_m = reinterpret_cast<T*>(a.out[1]);
  const bool nesterov = a.constants[3] != 0;
  const auto update = [&](auto d, int64_t i) HWY_ATTR {
    const auto weight = hn::LoadU(d, w + i);
    const auto decayed = hn::MulAdd(hn::Set(d, decay), weight, hn::LoadU(d, g + i));
    const auto buffer = hn::MulAdd(hn::Set(d, momentum), hn::LoadU(d, m + i), decayed);
    const auto step = nesterov ? hn::MulAdd(hn::Set(d, momentum), buffer, decayed) : buffer;
    hn::StoreU(buffer, d, new_m + i);
    hn::StoreU(hn::NegMulAdd(hn::Set(d, rate), step, weight), d, new_w + i);
  };
  const hn::ScalableTag<T> wide;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(wide));
  int64_t i = 0;
  for (; i + lanes <= a.count; i += lanes) update(wide, i);
  for (; i < a.count; ++i) update(hn::CappedTag<T, 1>(), i);
}

template <class T>
RowFunction find(std::string_view op, bool streaming) {
  if (op == "copy") return streaming ? copy<T, true> : copy<T, false>;
  if (op == "scale") return streaming ? scale<T, true> : scale<T, false>;
  if (op == "add") return streaming ? add<T, true> : add<T, false>;
  if (op == "scaled_add") return streaming ? scaled_add<T, true> : scaled_add<T, false>;
  if (op == "multiply") return streaming ? multiply<T, true> : multiply<T, false>;
  if (op == "relu") return streaming ? relu<T, true> : relu<T, false>;
  if (streaming) return nullptr;
  if (op == "subtract") return subtract<T>;
  if (op == "relu_grad") return relu_grad<T>;
  if (op == "sigmoid") return sigmoid<T>;
  if (op == "sigmoid_grad") return sigmoid_grad<T>;
  if (op == "sgd") return sgd<T>;
  if (op == "sgd_momentum") return sgd_momentum<T>;
  return nullptr;
}

RowFunction find_for_target(std::string_view op, DType dtype, bool streaming) {
  if (dtype == DType::float32) return find<float>(op, streaming);
#if HWY_HAVE_FLOAT64
  if (dtype == DType::float64) return find<double>(op, streaming);
#endif
  return nullptr;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine::cpu {

HWY_EXPORT(find_for_target);

RowFunction find_row_function(std::string_view op, DType dtype, bool streaming) {
  return HWY_DYNAMIC_DISPATCH(find_for_target)(op, dtype, streaming);
}

}  // namespace engine::cpu
#endif
