// SPDX-License-Identifier: Apache-2.0
// Each dtype has a way to become f32 and one to be made from it, both for a whole vector; this file
// is compiled once per vector unit.
#include "engine/kernels/core/casting_simd.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/core/casting_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {  // the same names live in other files: they must not be merged

/// How vectors of f32 (descriptor d) are loaded from and stored to each dtype. `Bits` types share
/// the storage type of the dtype.
struct F32 {
  using Type = float;
  template <class D>
  static HWY_INLINE hn::Vec<D> load(D d, const float* from) {
    return hn::LoadU(d, from);
  }
  template <class D>
  static HWY_INLINE void store(D d, hn::Vec<D> v, float* to) {
    hn::StoreU(v, d, to);
  }
};

struct BF16 {
  using Type = uint16_t;
  template <class D>
  static HWY_INLINE hn::Vec<D> load(D d, const uint16_t* from) {
    const hn::RebindToUnsigned<D> du;
    const hn::Rebind<uint16_t, D> du16;
    return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(du, hn::LoadU(du16, from))));
  }
  /// To nearest even; a NaN becomes quiet and keeps its sign.
  template <class D>
  static HWY_INLINE void store(D d, hn::Vec<D> v, uint16_t* to) {
    const hn::RebindToUnsigned<D> du;
    const hn::RebindToSigned<D> di;
    const hn::Rebind<uint16_t, D> du16;
    const auto bits = hn::BitCast(du, v);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1u));
    const auto rounded = hn::ShiftRight<16>(hn::Add(bits, hn::Add(odd, hn::Set(du, 0x7fffu))));
    const auto quiet = hn::Or(hn::ShiftRight<16>(bits), hn::Set(du, 0x40u));
    // Not Ne, which is false for NaN on some vector units.
    const auto result = hn::IfThenElse(hn::RebindMask(du, hn::Eq(v, v)), rounded, quiet);
    hn::StoreU(hn::DemoteTo(du16, hn::BitCast(di, result)), du16, to);
  }
};

struct F16 {
  using Type = uint16_t;
  /// Subnormal halves by a multiplication, so that no value is special.
  template <class D>
  static HWY_INLINE hn::Vec<D> load(D d, const uint16_t* from) {
    const hn::RebindToUnsigned<D> du;
    const hn::Rebind<uint16_t, D> du16;
    const auto bits = hn::PromoteTo(du, hn::LoadU(du16, from));
    const auto sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(du, 0x8000u)));
    const auto magnitude = hn::And(bits, hn::Set(du, 0x7fffu));
    const auto special = hn::Gt(magnitude, hn::Set(du, 0x7bffu));
    const auto tiny = hn::Lt(magnitude, hn::Set(du, 0x0400u));
    const auto shifted = hn::ShiftLeft<13>(magnitude);
    const auto normal = hn::Add(shifted, hn::Set(du, 112u << 23));
    const auto infinite = hn::Or(shifted, hn::Set(du, 0x7f800000u));
    const hn::RebindToSigned<D> di;
    const auto subnormal = hn::BitCast(du, hn::Mul(hn::ConvertTo(d, hn::BitCast(di, magnitude)), hn::Set(d, 0x1p-24f)));
    const auto finite = hn::IfThenElse(tiny, subnormal, normal);
    return hn::BitCast(d, hn::Or(sign, hn::IfThenElse(special, infinite, finite)));
  }
  /// As float_to_half(): subnormals by adding 0.5, whose last place is 2^-24, so that the addition
  /// rounds to nearest even.
  template <class D>
  static HWY_INLINE void store(D d, hn::Vec<D> v, uint16_t* to) {
    const hn::RebindToUnsigned<D> du;
    const hn::RebindToSigned<D> di;
    const hn::Rebind<uint16_t, D> du16;
    const auto bits = hn::BitCast(du, v);
    const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 0x8000u));
    const auto magnitude = hn::And(bits, hn::Set(du, 0x7fffffffu));
    const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(du, 1u));
    const auto rebased = hn::Sub(magnitude, hn::Set(du, 112u << 23));
    const auto normal = hn::ShiftRight<13>(hn::Add(rebased, hn::Add(odd, hn::Set(du, 0xfffu))));
    const auto half = hn::Set(d, 0.5f);
    const auto subnormal = hn::Sub(hn::BitCast(du, hn::Add(hn::BitCast(d, magnitude), half)), hn::BitCast(du, half));
    const auto nan = hn::Or(hn::Set(du, 0x7e00u), hn::And(hn::ShiftRight<13>(magnitude), hn::Set(du, 0x3ffu)));
    auto result = hn::IfThenElse(hn::Lt(magnitude, hn::Set(du, 0x38800000u)), subnormal, normal);
    result = hn::IfThenElse(hn::Gt(magnitude, hn::Set(du, 0x477fefffu)), hn::Set(du, 0x7c00u), result);
    result = hn::IfThenElse(hn::Gt(magnitude, hn::Set(du, 0x7f800000u)), nan, result);
    hn::StoreU(hn::DemoteTo(du16, hn::BitCast(di, hn::Or(sign, result))), du16, to);
  }
};

/// Cut towards zero and held in [low, high], NaN as 0; both ends must be exact in f32.
template <class D>
HWY_INLINE hn::Vec<hn::RebindToSigned<D>> to_integer(D d, hn::Vec<D> v, float low, float high) {
  const hn::RebindToSigned<D> di;
  const auto number = hn::IfThenElseZero(hn::Eq(v, v), v);
  return hn::ConvertTo(di, hn::Min(hn::Max(number, hn::Set(d, low)), hn::Set(d, high)));
}

struct I32 {
  using Type = int32_t;
  template <class D>
  static HWY_INLINE hn::Vec<D> load(D d, const int32_t* from) {
    return hn::ConvertTo(d, hn::LoadU(hn::RebindToSigned<D>(), from));
  }
  template <class D>
  static HWY_INLINE void store(D d, hn::Vec<D> v, int32_t* to) {
    const hn::RebindToSigned<D> di;
    constexpr float kMost = 2147483520.0f;  // the largest f32 below 2^31
    const auto cut = to_integer(d, v, -2147483648.0f, kMost);
    const auto over = hn::RebindMask(di, hn::Gt(v, hn::Set(d, kMost)));
    hn::StoreU(hn::IfThenElse(over, hn::Set(di, 2147483647), cut), di, to);
  }
};

template <class T>
struct Byte {
  using Type = T;
  template <class D>
  static HWY_INLINE hn::Vec<D> load(D d, const T* from) {
    const hn::RebindToSigned<D> di;
    return hn::ConvertTo(d, hn::PromoteTo(di, hn::LoadU(hn::Rebind<T, D>(), from)));
  }
  template <class D>
  static HWY_INLINE void store(D d, hn::Vec<D> v, T* to) {
    constexpr bool kSigned = static_cast<T>(-1) < 0;
    const auto cut = to_integer(d, v, kSigned ? -128.0f : 0.0f, kSigned ? 127.0f : 255.0f);
    const hn::Rebind<T, D> dt;
    hn::StoreU(hn::DemoteTo(dt, cut), dt, to);
  }
};

struct Bool {
  using Type = uint8_t;
  template <class D>
  static HWY_INLINE hn::Vec<D> load(D d, const uint8_t* from) {
    const auto value = Byte<uint8_t>::load(d, from);
    return hn::IfThenZeroElse(hn::Eq(value, hn::Zero(d)), hn::Set(d, 1.0f));
  }
  template <class D>
  static HWY_INLINE void store(D d, hn::Vec<D> v, uint8_t* to) {
    Byte<uint8_t>::store(d, hn::IfThenZeroElse(hn::Eq(v, hn::Zero(d)), hn::Set(d, 1.0f)), to);
  }
};

#if HWY_HAVE_FLOAT64 && HWY_TARGET != HWY_SCALAR
struct F64 {
  using Type = double;
  template <class D>
  static HWY_INLINE hn::Vec<D> load(D d, const double* from) {
    const hn::Half<D> dh;
    const hn::Rebind<double, hn::Half<D>> dd;
    const auto low = hn::DemoteTo(dh, hn::LoadU(dd, from));
    const auto high = hn::DemoteTo(dh, hn::LoadU(dd, from + hn::Lanes(dd)));
    return hn::Combine(d, high, low);
  }
  template <class D>
  static HWY_INLINE void store(D d, hn::Vec<D> v, double* to) {
    const hn::Half<D> dh;
    const hn::Rebind<double, hn::Half<D>> dd;
    hn::StoreU(hn::PromoteTo(dd, hn::LowerHalf(dh, v)), dd, to);
    hn::StoreU(hn::PromoteTo(dd, hn::UpperHalf(dh, v)), dd, to + hn::Lanes(dd));
  }
};

/// On the way to 16 bits: f32 rounded to odd, so that the second rounding sees on which side of a middle the double was
/// (S. Boldo, G. Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd",
/// IEEE Transactions on Computers 57(4), 2008).
struct F64ToOdd {
  using Type = double;
  template <class DH>
  static HWY_INLINE hn::Vec<DH> half(DH dh, const double* from) {
    const hn::Rebind<double, DH> dd;
    const hn::RebindToUnsigned<decltype(dd)> dd_bits;
    const hn::RebindToUnsigned<DH> dh_bits;
    const auto exact = hn::LoadU(dd, from);
    const auto nearest = hn::DemoteTo(dh, exact);
    const auto back = hn::PromoteTo(dd, nearest);
    const auto differs = hn::AndNot(hn::Eq(back, exact), hn::Eq(exact, exact));  // false of NaN
    const auto one_if = [&](auto mask) {
      return hn::TruncateTo(dh_bits, hn::IfThenElseZero(hn::RebindMask(dd_bits, mask), hn::Set(dd_bits, uint64_t{1})));
    };
    // Away from zero, the neighbour towards it comes first.
    const auto above = one_if(hn::And(differs, hn::Gt(hn::Abs(back), hn::Abs(exact))));
    return hn::BitCast(dh, hn::Or(hn::Sub(hn::BitCast(dh_bits, nearest), above), one_if(differs)));
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> load(D d, const double* from) {
    const hn::Half<D> dh;
    const auto low = half(dh, from);
    return hn::Combine(d, half(dh, from + hn::Lanes(dh)), low);
  }
};
#endif

/// Whole vectors; the rest by way of a padded block, so that every element meets the same code.
template <class From, class To>
void convert(const std::byte* from_bytes, std::byte* to_bytes, int64_t count) {
  using A = typename From::Type;
  using B = typename To::Type;
  const A* from = reinterpret_cast<const A*>(from_bytes);
  B* to = reinterpret_cast<B*>(to_bytes);
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) To::store(d, From::load(d, from + i), to + i);
  if (i == count) return;
  A rest_from[hn::MaxLanes(d)] = {};
  B rest_to[hn::MaxLanes(d)];
  std::copy_n(from + i, count - i, rest_from);
  To::store(d, From::load(d, rest_from), rest_to);
  std::copy_n(rest_to, count - i, to + i);
}

/// Bytes of either sign keep their bits.
[[maybe_unused]] void keep_bytes(const std::byte* from, std::byte* to, int64_t count) {
  std::memcpy(to, from, static_cast<size_t>(count));
}

template <class From>
ConvertRow to_any(DType to) {
  switch (to) {
    case DType::float32: return convert<From, F32>;
    case DType::bfloat16: return convert<From, BF16>;
    case DType::float16: return convert<From, F16>;
    case DType::int32: return convert<From, I32>;
    case DType::int8: return convert<From, Byte<int8_t>>;
    case DType::uint8: return convert<From, Byte<uint8_t>>;
    case DType::boolean: return convert<From, Bool>;
#if HWY_HAVE_FLOAT64 && HWY_TARGET != HWY_SCALAR
    case DType::float64: return convert<From, F64>;
#endif
    default: return nullptr;
  }
}

ConvertRow find_for_target([[maybe_unused]] DType from, [[maybe_unused]] DType to) {
#if HWY_TARGET == HWY_SCALAR
  return nullptr;  // one lane: no half vectors
#else
  switch (from) {
    case DType::float32: return to_any<F32>(to);
    case DType::bfloat16: return to_any<BF16>(to);
    case DType::float16: return to_any<F16>(to);
    case DType::int8: return to == DType::uint8 ? keep_bytes : to_any<Byte<int8_t>>(to);
    case DType::uint8: return to == DType::int8 ? keep_bytes : to_any<Byte<uint8_t>>(to);
    case DType::boolean: return to_any<Bool>(to);
    case DType::int32:  // f32 does not hold all of them, so it may only be the end
      return to == DType::float32 ? convert<I32, F32> : nullptr;
#if HWY_HAVE_FLOAT64 && HWY_TARGET != HWY_SCALAR
    case DType::float64:
      switch (to) {
        case DType::float32: return convert<F64, F32>;
        case DType::bfloat16: return convert<F64ToOdd, BF16>;
        case DType::float16: return convert<F64ToOdd, F16>;
        default: return nullptr;
      }
#endif
    default: return nullptr;
  }
#endif
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine::cpu {

HWY_EXPORT(find_for_target);

ConvertRow find_convert_row(DType from, DType to) {
  if (from == to) return nullptr;
  return HWY_DYNAMIC_DISPATCH(find_for_target)(from, to);
}

}  // namespace engine::cpu
#endif
