// SPDX-License-Identifier: Apache-2.0
// Loops of reductions of integers; this file is compiled once per vector unit.
#include "engine/kernels/reduction/whole_reduce_simd.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/reduction/whole_reduce_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace {  // the same names live in other files: they must not be merged

/// Bytes are summed, and their squares, in 32 bits, which hold so many of them: 2^16 squares of 255 are less than 2^32.
constexpr int64_t kBytesPerSum = int64_t{1} << 16;

template <class T>
HWY_INLINE uint64_t wide(T x) {
  return static_cast<uint64_t>(static_cast<int64_t>(x));
}
template <class T>
HWY_INLINE uint64_t size_of(T x) {
  return x < T{0} ? uint64_t{0} - wide(x) : wide(x);
}

/// The sum of term(x) modulo 2^64. Terms of bytes are not negative but where `is_signed`, and then no larger than a
/// byte.
template <class T, class Term>
HWY_INLINE uint64_t sum_of(const T* x, int64_t count, const Term& term) {
  uint64_t sum = 0;
  if constexpr (sizeof(T) == 1) {
    using Near = std::conditional_t<std::is_signed_v<decltype(term(T{}))>, int32_t, uint32_t>;
    for (int64_t from = 0; from < count; from += kBytesPerSum) {
      Near near = 0;
      for (int64_t i = from; i < std::min(count, from + kBytesPerSum); ++i) near += static_cast<Near>(term(x[i]));
      sum += wide(near);
    }
  } else {
    for (int64_t i = 0; i < count; ++i) sum += static_cast<uint64_t>(term(x[i]));
  }
  return sum;
}

template <class T>
int64_t line(Gathered g, const T* x, int64_t count) {
  constexpr bool kByte = sizeof(T) == 1;
  uint64_t product = 1;
  T best = x[0];
  switch (g) {
    case Gathered::sum:
    case Gathered::exponentials:  // there are none of integers
      if constexpr (kByte) return static_cast<int64_t>(sum_of(x, count, [](T v) HWY_ATTR { return int32_t{v}; }));
      else return static_cast<int64_t>(sum_of(x, count, [](T v) HWY_ATTR { return wide(v); }));
    case Gathered::absolute:
      if constexpr (kByte)
        return static_cast<int64_t>(
            sum_of(x, count, [](T v) HWY_ATTR { return static_cast<uint32_t>(v < T{0} ? -int32_t{v} : int32_t{v}); }));
      else return static_cast<int64_t>(sum_of(x, count, [](T v) HWY_ATTR { return size_of(v); }));
    case Gathered::squares:
      if constexpr (kByte)
        return static_cast<int64_t>(
            sum_of(x, count, [](T v) HWY_ATTR { return static_cast<uint32_t>(int32_t{v} * int32_t{v}); }));
      else return static_cast<int64_t>(sum_of(x, count, [](T v) HWY_ATTR { return wide(v) * wide(v); }));
    case Gathered::product:
      for (int64_t i = 0; i < count; ++i) product *= wide(x[i]);
      return static_cast<int64_t>(product);
    case Gathered::most:
      for (int64_t i = 1; i < count; ++i) best = std::max(best, x[i]);
      return best;
    case Gathered::least:
      for (int64_t i = 1; i < count; ++i) best = std::min(best, x[i]);
      return best;
  }
  return 0;
}

template <class T>
void across(Gathered g, const T* x, int64_t count, int64_t* to) {
  auto* const sums = reinterpret_cast<uint64_t*>(to);
  switch (g) {
    case Gathered::sum:
    case Gathered::exponentials:
      for (int64_t i = 0; i < count; ++i) sums[i] += wide(x[i]);
      return;
    case Gathered::absolute:
      for (int64_t i = 0; i < count; ++i) sums[i] += size_of(x[i]);
      return;
    case Gathered::squares:
      for (int64_t i = 0; i < count; ++i) sums[i] += wide(x[i]) * wide(x[i]);
      return;
    case Gathered::product:
      for (int64_t i = 0; i < count; ++i) sums[i] *= wide(x[i]);
      return;
    case Gathered::most:
      for (int64_t i = 0; i < count; ++i) to[i] = std::max(to[i], static_cast<int64_t>(x[i]));
      return;
    case Gathered::least:
      for (int64_t i = 0; i < count; ++i) to[i] = std::min(to[i], static_cast<int64_t>(x[i]));
      return;
  }
}

WholeReduceLoops<int64_t> loops_i64() { return {line<int64_t>, across<int64_t>}; }
WholeReduceLoops<int32_t> loops_i32() { return {line<int32_t>, across<int32_t>}; }
WholeReduceLoops<int8_t> loops_i8() { return {line<int8_t>, across<int8_t>}; }
WholeReduceLoops<uint8_t> loops_u8() { return {line<uint8_t>, across<uint8_t>}; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine::cpu {

int64_t whole_start_of(Gathered g) {
  if (g == Gathered::most) return std::numeric_limits<int64_t>::min();
  if (g == Gathered::least) return std::numeric_limits<int64_t>::max();
  return g == Gathered::product ? 1 : 0;
}

int64_t whole_join(Gathered g, int64_t a, int64_t b) {
  if (g == Gathered::most) return std::max(a, b);
  if (g == Gathered::least) return std::min(a, b);
  const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  return static_cast<int64_t>(g == Gathered::product ? x * y : x + y);
}

HWY_EXPORT(loops_i64);
HWY_EXPORT(loops_i32);
HWY_EXPORT(loops_i8);
HWY_EXPORT(loops_u8);

template <>
WholeReduceLoops<int64_t> whole_reduce_loops() {
  return HWY_DYNAMIC_DISPATCH(loops_i64)();
}
template <>
WholeReduceLoops<int32_t> whole_reduce_loops() {
  return HWY_DYNAMIC_DISPATCH(loops_i32)();
}
template <>
WholeReduceLoops<int8_t> whole_reduce_loops() {
  return HWY_DYNAMIC_DISPATCH(loops_i8)();
}
template <>
WholeReduceLoops<uint8_t> whole_reduce_loops() {
  return HWY_DYNAMIC_DISPATCH(loops_u8)();
}

}  // namespace engine::cpu
#endif
