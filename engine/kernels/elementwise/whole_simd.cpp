// SPDX-License-Identifier: Apache-2.0
// Elementwise loops over integers and bool, comparisons and choices: plain loops, which the compiler turns into
// vectors; this file is compiled once per vector unit.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "engine/kernels/elementwise/elementwise_simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/elementwise/whole_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace {  // the same names live in other files: they must not be merged

/// An input: neighbours, or one element for all.
template <class T>
struct Neighbours {
  const T* at;
  T operator[](int64_t i) const { return at[i]; }
};
template <class T>
struct One {
  T value;
  T operator[](int64_t) const { return value; }
};

/// Calls body(input) with input `which` as what it is.
template <class T, class Body>
HWY_INLINE void with_input(const RowArguments& a, int which, const Body& body) {
  const T* from = reinterpret_cast<const T*>(a.in[which]);
  if ((a.repeated >> which & 1) != 0) return body(One<T>{*from});
  body(Neighbours<T>{from});
}

template <class T, class Out, auto f>
void one(const RowArguments& a) {
  Out* out = reinterpret_cast<Out*>(a.out[0]);
  with_input<T>(a, 0, [&](auto x) HWY_ATTR {
    for (int64_t i = 0; i < a.count; ++i) out[i] = static_cast<Out>(f(x[i], a.constants));
  });
}
template <class T, class Out, auto f>
void two(const RowArguments& a) {
  Out* out = reinterpret_cast<Out*>(a.out[0]);
  with_input<T>(a, 0, [&](auto x) HWY_ATTR {
    with_input<T>(a, 1, [&](auto y) HWY_ATTR {
      for (int64_t i = 0; i < a.count; ++i) out[i] = static_cast<Out>(f(x[i], y[i]));
    });
  });
}
/// One of two, by the op's first constant.
template <RowFunction no, RowFunction yes>
void by_constant(const RowArguments& a) {
  (a.constants[0] != 0 ? yes : no)(a);
}
template <class T, auto f>
void three(const RowArguments& a) {
  T* out = reinterpret_cast<T*>(a.out[0]);
  with_input<T>(a, 0, [&](auto x) HWY_ATTR {
    with_input<T>(a, 1, [&](auto y) HWY_ATTR {
      with_input<T>(a, 2, [&](auto z) HWY_ATTR {
        for (int64_t i = 0; i < a.count; ++i) out[i] = f(x[i], y[i], z[i]);
      });
    });
  });
}
template <class T>
void choose(const RowArguments& a) {
  T* out = reinterpret_cast<T*>(a.out[0]);
  with_input<uint8_t>(a, 0, [&](auto condition) HWY_ATTR {
    with_input<T>(a, 1, [&](auto x) HWY_ATTR {
      with_input<T>(a, 2, [&](auto y) HWY_ATTR {
        for (int64_t i = 0; i < a.count; ++i) {
          const T yes = x[i], no = y[i];
          out[i] = condition[i] != 0 ? yes : no;
        }
      });
    });
  });
}

/// What holds the quotients of a type as a whole number and a fraction: a quotient of numbers of n bits differs from
/// the next whole one by 2^-n of itself or more, so that one of a type with more bits than that never rounds up to it.
/// 64 bits have none.
template <class T>
using Fraction = std::conditional_t<sizeof(T) == 1, float, double>;

/// a / b cut towards zero, for b neither 0 nor -1; vectors have no whole division.
template <class T>
HWY_INLINE T quotient_of(T a, T b) {
  if constexpr (sizeof(T) == 8) return static_cast<T>(a / b);
  else return static_cast<T>(static_cast<int32_t>(static_cast<Fraction<T>>(a) / static_cast<Fraction<T>>(b)));
}
/// A divisor that may stand for 0 and -1, whose results are known.
template <class T>
HWY_INLINE T safe_divisor(T b) {
  return b == 0 || (std::is_signed_v<T> && b == static_cast<T>(-1)) ? T{1} : b;
}
template <class T>
HWY_INLINE T divided(T a, T b) {
  using U = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
  const T q = quotient_of(a, safe_divisor(b)), turned = static_cast<T>(U{0} - static_cast<U>(a));
  return b == 0 ? T{0} : std::is_signed_v<T> && b == static_cast<T>(-1) ? turned : q;
}
/// The remainder with the sign of a; 0 by 0.
template <class T>
HWY_INLINE T cut_remainder(T a, T b) {
  using U = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
  const T by = safe_divisor(b);
  return static_cast<T>(static_cast<U>(a) - static_cast<U>(quotient_of(a, by)) * static_cast<U>(by));
}
/// With the sign of b.
template <class T>
HWY_INLINE T floor_remainder(T a, T b) {
  const T r = cut_remainder(a, b);
  const bool other_sign = std::is_signed_v<T> && r != 0 && (r < T{0}) != (b < T{0}) && b != 0;
  return static_cast<T>(r + (other_sign ? b : T{0}));
}

/// Of floats, as std::fmod of doubles: exact. A quotient below 2^52 is at most one too great in size, by its rounding.
HWY_INLINE double float_cut_remainder(double a, double b) {
  constexpr double kMost = 4503599627370496.0;
  const double q = std::trunc(a / b);
  if (!(std::abs(q) < kMost) || !(std::abs(b) <= 1.7976931348623157e308)) return std::fmod(a, b);
  double r = std::fma(-q, b, a);
  if (r != 0 && std::signbit(r) != std::signbit(a)) r += std::copysign(b, a);
  return std::copysign(r, a);
}
HWY_INLINE double float_floor_remainder(double a, double b) {
  const double r = float_cut_remainder(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

/// a^b, the whole exponents that graphs are full of multiplied out.
HWY_INLINE double power_of(double a, double b) {
  if (b == 0) return 1;
  if (b == 1) return a;
  if (b == 2) return a * a;
  if (b == 3) return a * a * a;
  return std::pow(a, b);
}
/// By repeated squaring modulo 2^n; a fraction, of exponents below 0, is cut towards zero.
template <class T>
HWY_INLINE T whole_power(T base, T exponent) {
  using U = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
  if (exponent < T{0})
    return static_cast<T>(base == T{1} ? 1 : base != static_cast<T>(-1) ? 0 : (exponent & 1) != 0 ? -1 : 1);
  U result = 1, factor = static_cast<U>(base);
  for (auto left = static_cast<std::make_unsigned_t<T>>(exponent); left != 0;
       left = static_cast<decltype(left)>(left >> 1)) {
    if ((left & 1) != 0) result *= factor;
    factor *= factor;
  }
  return static_cast<T>(result);
}

/// Bits shifted out are lost, by less than nothing or by as many as there are all of them; to the right the sign stays.
template <class T>
HWY_INLINE T shifted_left(T a, T b) {
  using U = std::make_unsigned_t<T>;
  using Wide = std::common_type_t<U, unsigned>;
  constexpr U kBits = 8 * sizeof(T);
  const U by = static_cast<U>(b);
  return static_cast<T>(by >= kBits ? Wide{0} : static_cast<Wide>(static_cast<U>(a)) << (by & (kBits - 1)));
}
template <class T>
HWY_INLINE T shifted_right(T a, T b) {
  using U = std::make_unsigned_t<T>;
  constexpr U kBits = 8 * sizeof(T);
  const U by = static_cast<U>(b);
  if constexpr (std::is_signed_v<T>) return static_cast<T>(a >> (by >= kBits ? kBits - 1 : by));
  else return static_cast<T>(by >= kBits ? 0 : a >> (by & (kBits - 1)));
}

/// A number as 64 bits hold it: cut towards zero, at their ends beyond them and where it is none.
HWY_INLINE int64_t whole(double value) {
  constexpr double kEnd = 9223372036854775808.0;
  if (value >= kEnd) return std::numeric_limits<int64_t>::max();
  return value > -kEnd ? static_cast<int64_t>(value) : std::numeric_limits<int64_t>::min();
}
/// min(max(x, first), second) in 64 bits, of which the lowest are taken; in T where T holds both ends.
template <class T>
void clip(const RowArguments& a) {
  constexpr int64_t kLeast = std::numeric_limits<T>::min(), kMost = std::numeric_limits<T>::max();
  const int64_t low = whole(a.constants[0]), high = whole(a.constants[1]);
  T* out = reinterpret_cast<T*>(a.out[0]);
  with_input<T>(a, 0, [&](auto x) HWY_ATTR {
    if (low > kMost || high < kLeast || low > high) {
      for (int64_t i = 0; i < a.count; ++i) out[i] = static_cast<T>(std::min(std::max(int64_t{x[i]}, low), high));
      return;
    }
    const T from = static_cast<T>(std::max(low, kLeast)), to = static_cast<T>(std::min(high, kMost));
    for (int64_t i = 0; i < a.count; ++i) out[i] = std::min(std::max(x[i], from), to);
  });
}
/// Towards zero by the first constant, beyond the second on either side; in doubles, then as whole().
template <class T>
HWY_INLINE T shrunk(T x, const double* k) {
  const auto value = static_cast<double>(x);
  return static_cast<T>(whole(value < -k[1] ? value + k[0] : value > k[1] ? value - k[0] : 0));
}

using Numbers = const double*;

template <class T>
RowFunction find_comparison(std::string_view op) {
  using B = uint8_t;
  if (op == "equal") return two<T, B, [](T a, T b) HWY_ATTR { return a == b; }>;
  if (op == "not_equal") return two<T, B, [](T a, T b) HWY_ATTR { return a != b; }>;
  if (op == "less") return two<T, B, [](T a, T b) HWY_ATTR { return a < b; }>;
  if (op == "less_equal") return two<T, B, [](T a, T b) HWY_ATTR { return a <= b; }>;
  if (op == "greater") return two<T, B, [](T a, T b) HWY_ATTR { return (a > b); }>;
  if (op == "greater_equal") return two<T, B, [](T a, T b) HWY_ATTR { return (a >= b); }>;
  if constexpr (std::is_floating_point_v<T>) {
    if (op == "power") return two<T, T, [](T a, T b) HWY_ATTR { return static_cast<T>(power_of(a, b)); }>;
    if (op == "power_grad_base")
      return three<T, [](T dy, T a, T b) HWY_ATTR {
        return static_cast<T>(b == 0 ? 0 : dy * (b * power_of(a, static_cast<double>(b) - 1)));
      }>;
    if (op == "modulo")
      return by_constant<two<T, T, [](T a, T b) HWY_ATTR { return float_floor_remainder(a, b); }>,
                         two<T, T, [](T a, T b) HWY_ATTR { return float_cut_remainder(a, b); }>>;
    if (op == "is_nan") return one<T, B, [](T x, Numbers) HWY_ATTR { return x != x; }>;
    if (op == "is_inf")
      return one<T, B, [](T x, Numbers k) HWY_ATTR {  // k: which of inf and -inf count
        return (x == static_cast<T>(HUGE_VAL) && k[0] != 0) || (x == -static_cast<T>(HUGE_VAL) && k[1] != 0);
      }>;
  }
  return nullptr;
}

/// Sums and products wrap around: formed without a sign.
template <class T>
RowFunction find_integer(std::string_view op) {
  using U = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
  if (op == "add") return two<T, T, [](T a, T b) HWY_ATTR { return static_cast<U>(a) + static_cast<U>(b); }>;
  if (op == "subtract") return two<T, T, [](T a, T b) HWY_ATTR { return static_cast<U>(a) - static_cast<U>(b); }>;
  if (op == "multiply") return two<T, T, [](T a, T b) HWY_ATTR { return static_cast<U>(a) * static_cast<U>(b); }>;
  if (op == "minimum") return two<T, T, [](T a, T b) HWY_ATTR { return std::min(a, b); }>;
  if (op == "maximum") return two<T, T, [](T a, T b) HWY_ATTR { return std::max(a, b); }>;
  if (op == "divide") return two<T, T, divided<T>>;
  if (op == "modulo") return by_constant<two<T, T, floor_remainder<T>>, two<T, T, cut_remainder<T>>>;
  if (op == "bit_shift") return by_constant<two<T, T, shifted_left<T>>, two<T, T, shifted_right<T>>>;
  if (op == "power") return two<T, T, whole_power<T>>;
  if (op == "clip") return clip<T>;
  if (op == "shrink") return one<T, T, shrunk<T>>;
  if (op == "relu") return one<T, T, [](T x, Numbers) HWY_ATTR { return std::max(x, T{0}); }>;
  if (op == "negate") return one<T, T, [](T x, Numbers) HWY_ATTR { return U{0} - static_cast<U>(x); }>;
  if (op == "absolute")
    return one<T, T, [](T x, Numbers) HWY_ATTR { return (x < T{0}) ? U{0} - static_cast<U>(x) : static_cast<U>(x); }>;
  if (op == "sign") return one<T, T, [](T x, Numbers) HWY_ATTR { return int{(x > T{0})} - int{(x < T{0})}; }>;
  if (op == "bitwise_and") return two<T, T, [](T a, T b) HWY_ATTR { return a & b; }>;
  if (op == "bitwise_or") return two<T, T, [](T a, T b) HWY_ATTR { return a | b; }>;
  if (op == "bitwise_xor") return two<T, T, [](T a, T b) HWY_ATTR { return a ^ b; }>;
  if (op == "bitwise_not") return one<T, T, [](T x, Numbers) HWY_ATTR { return ~x; }>;
  return nullptr;
}

RowFunction find_bool(std::string_view op) {
  using B = uint8_t;
  if (op == "logical_and" || op == "bitwise_and")
    return two<B, B, [](B a, B b) HWY_ATTR { return (a != 0) & (b != 0); }>;
  if (op == "logical_or" || op == "bitwise_or") return two<B, B, [](B a, B b) HWY_ATTR { return (a | b) != 0; }>;
  if (op == "logical_xor" || op == "bitwise_xor")
    return two<B, B, [](B a, B b) HWY_ATTR { return (a != 0) != (b != 0); }>;
  if (op == "logical_not" || op == "bitwise_not") return one<B, B, [](B x, Numbers) HWY_ATTR { return x == 0; }>;
  return find_comparison<B>(op);
}

/// For ops that move bits; `T` has the size of an element.
template <class T>
RowFunction find_move(std::string_view op) {
  if (op == "where") return choose<T>;
  if (op == "copy") return one<T, T, [](T x, Numbers) HWY_ATTR { return x; }>;
  return nullptr;
}

RowFunction find_for_target(std::string_view op, DType dtype) {
  const int64_t bytes = size_bytes(dtype);
  const RowFunction move = bytes == 8   ? find_move<uint64_t>(op)
                           : bytes == 4 ? find_move<uint32_t>(op)
                           : bytes == 2 ? find_move<uint16_t>(op)
                                        : find_move<uint8_t>(op);
  if (move != nullptr) return move;
  const auto either = [&](RowFunction first, RowFunction second) { return first != nullptr ? first : second; };
  switch (dtype) {
    case DType::float64: return find_comparison<double>(op);
    case DType::float32: return find_comparison<float>(op);
    case DType::int64: return either(find_comparison<int64_t>(op), find_integer<int64_t>(op));
    case DType::int32: return either(find_comparison<int32_t>(op), find_integer<int32_t>(op));
    case DType::int8: return either(find_comparison<int8_t>(op), find_integer<int8_t>(op));
    case DType::uint8: return either(find_comparison<uint8_t>(op), find_integer<uint8_t>(op));
    case DType::boolean: return find_bool(op);
    default: return nullptr;
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine::cpu {

HWY_EXPORT(find_for_target);

RowFunction find_whole_row(std::string_view op, DType dtype) {
  return HWY_DYNAMIC_DISPATCH(find_for_target)(op, dtype);
}

}  // namespace engine::cpu
#endif
