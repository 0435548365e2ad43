// SPDX-License-Identifier: Apache-2.0
// Plain loops that compilers turn into pmaddwd; this file is compiled once per vector unit.
#include "engine/kernels/quantized/quantized_simd.h"

#include <algorithm>
#include <type_traits>

#include "engine/kernels/quantized/quantize-inl.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/quantized/quantized_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace {  // the same names live in other files: they must not be merged

/// Products of at most 255 * 255 that surely fit 31 bits together.
constexpr int64_t kStretch = 16 * 1024;

/// kColumns inner products at once, so that a is loaded once for all of them.
template <int kColumns>
void products(const int16_t* a, const int16_t* b, int64_t length, int32_t* sums) {
  int64_t total[kColumns] = {};
  for (int64_t begin = 0; begin < length; begin += kStretch) {
    const int64_t end = std::min(length, begin + kStretch);
    int32_t part[kColumns] = {};
    for (int64_t i = begin; i < end; ++i) {
      for (int c = 0; c < kColumns; ++c)
        part[c] += static_cast<int32_t>(a[i]) * static_cast<int32_t>(b[c * length + i]);
    }
    for (int c = 0; c < kColumns; ++c) total[c] += part[c];
  }
  for (int c = 0; c < kColumns; ++c)
    sums[c] = static_cast<int32_t>(std::clamp<int64_t>(total[c], INT32_MIN, INT32_MAX));
}

void all_products(const int16_t* a, const int16_t* b, int64_t length, int64_t count, int32_t* sums) {
  int64_t j = 0;
  for (; j + 4 <= count; j += 4) products<4>(a, b + j * length, length, sums + j);
  for (; j < count; ++j) products<1>(a, b + j * length, length, sums + j);
}

namespace hn = hwy::HWY_NAMESPACE;

/// At least `least`; NaN becomes it, too.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V at_least(D, V value, V least) {
#if HWY_ARCH_X86
  return hn::Max(value, least);  // maxps, maxpd: the second operand where one is NaN
#else
  return hn::IfThenElse(hn::Gt(value, least), value, least);
#endif
}

/// Held between the ends first, then rounded by an addition whose sum has the integer in its last bits (see
/// quantized_byte()). The elements that a whole number of vectors does not cover go one by one.
void sums_to_bytes(const int32_t* sums, const double* bias, const double* factors, double zero, double low,
                   int64_t count, uint8_t* to) {
  int64_t o = 0;
#if HWY_HAVE_FLOAT64
  const hn::ScalableTag<double> d;
  const hn::Rebind<int32_t, decltype(d)> whole;
  const hn::Rebind<uint64_t, decltype(d)> bits;
  const hn::Rebind<uint8_t, decltype(d)> bytes;
  const auto lowest = hn::Set(d, low - zero), highest = hn::Set(d, low + 255 - zero), round = hn::Set(d, kRound);
  const auto offset = hn::Set(bits, static_cast<uint64_t>(static_cast<int64_t>(zero)));
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (; o + lanes <= count; o += lanes) {
    const auto sum = hn::Add(hn::PromoteTo(d, hn::LoadU(whole, sums + o)), hn::LoadU(d, bias + o));
    const auto value = at_least(d, hn::Mul(sum, hn::LoadU(d, factors + o)), lowest);
    const auto rounded = hn::Add(hn::Min(value, highest), round);
    hn::StoreU(hn::TruncateTo(bytes, hn::Add(hn::BitCast(bits, rounded), offset)), bytes, to + o);
  }
#endif
  for (; o < count; ++o) to[o] = quantized_byte((sums[o] + bias[o]) * factors[o], zero, low);
}

/// All in f32, where quotients are rounded to f32 first; those too large for exact sums lie beyond the 256 integers.
void to_bytes(const float* from, int64_t count, double scale, double zero, double low, uint8_t* to) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<int32_t, decltype(d)> whole;
  const hn::Rebind<uint32_t, decltype(d)> bits;
  const hn::Rebind<uint8_t, decltype(d)> bytes;
  const auto by = hn::Set(d, static_cast<float>(scale));
  const auto lowest = hn::Set(d, static_cast<float>(low)), highest = hn::Set(d, static_cast<float>(low + 255));
  const auto offset = hn::Set(d, static_cast<float>(zero));
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    auto value = hn::Add(hn::Round(hn::Div(hn::LoadU(d, from + i), by)), offset);
    value = hn::Min(at_least(d, value, lowest), highest);
    hn::StoreU(hn::TruncateTo(bytes, hn::BitCast(bits, hn::ConvertTo(whole, value))), bytes, to + i);
  }
  for (; i < count; ++i) to[i] = quantized_byte(steps_of(static_cast<double>(from[i]), scale), zero, low);
}

void ends(const float* from, int64_t count, float* least, float* greatest) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto low = hn::Zero(d), high = hn::Zero(d);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto value = hn::LoadU(d, from + i);
    low = hn::IfThenElse(hn::Lt(value, low), value, low);
    high = hn::IfThenElse(hn::Gt(value, high), value, high);
  }
  *least = hn::GetLane(hn::MinOfLanes(d, low));
  *greatest = hn::GetLane(hn::MaxOfLanes(d, high));
  for (; i < count; ++i) {
    *least = std::min(*least, from[i]);
    *greatest = std::max(*greatest, from[i]);
  }
}

/// The product of a difference of 9 bits and an f32 is rounded once, in f32 as in f64.
template <class T>
void dequantize(const T* from, int64_t count, double scale, double zero, float* to) {
  using Real = std::conditional_t<sizeof(T) == 1, float, double>;
  const auto by = static_cast<Real>(scale), offset = static_cast<Real>(zero);
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>((static_cast<Real>(from[i]) - offset) * by);
}

InnerProducts for_target() { return all_products; }
QuantizeSums sums_for_target() { return sums_to_bytes; }
QuantizeLoops loops_for_target() {
  return {ends, to_bytes, dequantize<uint8_t>, dequantize<int8_t>, dequantize<int32_t>};
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine::cpu {

HWY_EXPORT(for_target);
HWY_EXPORT(sums_for_target);
HWY_EXPORT(loops_for_target);

InnerProducts inner_products() { return HWY_DYNAMIC_DISPATCH(for_target)(); }
QuantizeSums quantize_sums() { return HWY_DYNAMIC_DISPATCH(sums_for_target)(); }
QuantizeLoops quantize_loops() { return HWY_DYNAMIC_DISPATCH(loops_for_target)(); }

}  // namespace engine::cpu
#endif
