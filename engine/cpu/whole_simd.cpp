// SPDX-License-Identifier: Apache-2.0
// Elementwise loops over integers and bool, comparisons and choices: plain loops, which the compiler turns into vectors; this file
// is compiled once per vector unit.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "engine/cpu/elementwise_simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/whole_simd.cpp"
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
    if (op == "is_nan") return one<T, B, [](T x, Numbers) HWY_ATTR { return x != x; }>;
    if (op == "is_inf") return one<T, B, [](T x, Numbers k) HWY_ATTR {  // k: which of inf and -inf count
      return (x == static_cast<T>(HUGE_VAL) && k[0] != 0) || (x == -static_cast<T>(HUGE_VAL) && k[1] != 0);
    }>;
  }
  return nullptr;
}

/// Sums and products wrap around: formed without a sign.
template <class T>
RowFunction find_integer(std::string_view op) {
  using U = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
  constexpr bool kSigned = std::is_signed_v<T>;
  if (op == "add") return two<T, T, [](T a, T b) HWY_ATTR { return static_cast<U>(a) + static_cast<U>(b); }>;
  if (op == "subtract") return two<T, T, [](T a, T b) HWY_ATTR { return static_cast<U>(a) - static_cast<U>(b); }>;
  if (op == "multiply") return two<T, T, [](T a, T b) HWY_ATTR { return static_cast<U>(a) * static_cast<U>(b); }>;
  if (op == "minimum") return two<T, T, [](T a, T b) HWY_ATTR { return std::min(a, b); }>;
  if (op == "maximum") return two<T, T, [](T a, T b) HWY_ATTR { return std::max(a, b); }>;
  if (op == "divide") return two<T, T, [](T a, T b) HWY_ATTR {
    if (b == 0) return T{0};
    if (kSigned && b == static_cast<T>(-1)) return static_cast<T>(U{0} - static_cast<U>(a));
    return static_cast<T>(a / b);
  }>;
  if (op == "relu") return one<T, T, [](T x, Numbers) HWY_ATTR { return std::max(x, T{0}); }>;
  if (op == "negate") return one<T, T, [](T x, Numbers) HWY_ATTR { return U{0} - static_cast<U>(x); }>;
  if (op == "absolute") return one<T, T, [](T x, Numbers) HWY_ATTR { return (x < T{0}) ? U{0} - static_cast<U>(x) : static_cast<U>(x); }>;
  if (op == "sign") return one<T, T, [](T x, Numbers) HWY_ATTR { return int{(x > T{0})} - int{(x < T{0})}; }>;
  if (op == "bitwise_and") return two<T, T, [](T a, T b) HWY_ATTR { return a & b; }>;
  if (op == "bitwise_or") return two<T, T, [](T a, T b) HWY_ATTR { return a | b; }>;
  if (op == "bitwise_xor") return two<T, T, [](T a, T b) HWY_ATTR { return a ^ b; }>;
  if (op == "bitwise_not") return one<T, T, [](T x, Numbers) HWY_ATTR { return ~x; }>;
  return nullptr;
}

RowFunction find_bool(std::string_view op) {
  using B = uint8_t;
  if (op == "logical_and" || op == "bitwise_and") return two<B, B, [](B a, B b) HWY_ATTR { return (a != 0) & (b != 0); }>;
  if (op == "logical_or" || op == "bitwise_or") return two<B, B, [](B a, B b) HWY_ATTR { return (a | b) != 0; }>;
  if (op == "logical_xor" || op == "bitwise_xor") return two<B, B, [](B a, B b) HWY_ATTR { return (a != 0) != (b != 0); }>;
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

RowFunction find_whole_row(std::string_view op, DType dtype) { return HWY_DYNAMIC_DISPATCH(find_for_target)(op, dtype); }

}  // namespace engine::cpu
#endif
