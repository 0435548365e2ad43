// SPDX-License-Identifier: Apache-2.0
// The probe's loops; this file is compiled once per vector unit, and always with optimisation.
#include "profiler/record/probe_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/record/probe_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace profiler::probe {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {  // the same names live in other files: they must not be merged

/// Twelve chains hide the latency of two units of five cycles and fit the 16 registers of AVX2.
constexpr int64_t kChains = 12;

template <class T>
HWY_INLINE double multiply_add(int64_t rounds) {
  const hn::ScalableTag<T> d;
  const auto half = hn::Set(d, T(0.5)), one = hn::Set(d, T(1));  // x / 2 + 1 stays near 2: no denormals, no infinity
  auto v0 = hn::Iota(d, T(0)), v1 = hn::Iota(d, T(1)), v2 = hn::Iota(d, T(2)), v3 = hn::Iota(d, T(3));
  auto v4 = hn::Iota(d, T(4)), v5 = hn::Iota(d, T(5)), v6 = hn::Iota(d, T(6)), v7 = hn::Iota(d, T(7));
  auto v8 = hn::Iota(d, T(8)), v9 = hn::Iota(d, T(9)), v10 = hn::Iota(d, T(10)), v11 = hn::Iota(d, T(11));
  for (int64_t i = 0; i < rounds; ++i) {
    v0 = hn::MulAdd(v0, half, one);
    v1 = hn::MulAdd(v1, half, one);
    v2 = hn::MulAdd(v2, half, one);
    v3 = hn::MulAdd(v3, half, one);
    v4 = hn::MulAdd(v4, half, one);
    v5 = hn::MulAdd(v5, half, one);
    v6 = hn::MulAdd(v6, half, one);
    v7 = hn::MulAdd(v7, half, one);
    v8 = hn::MulAdd(v8, half, one);
    v9 = hn::MulAdd(v9, half, one);
    v10 = hn::MulAdd(v10, half, one);
    v11 = hn::MulAdd(v11, half, one);
  }
  const auto a = hn::Add(hn::Add(v0, v1), hn::Add(v2, v3)), b = hn::Add(hn::Add(v4, v5), hn::Add(v6, v7));
  const auto c = hn::Add(hn::Add(v8, v9), hn::Add(v10, v11));
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(a, b), c))));
}

double multiply_add_f32(int64_t rounds) { return multiply_add<float>(rounds); }
#if HWY_HAVE_FLOAT64
double multiply_add_f64(int64_t rounds) { return multiply_add<double>(rounds); }
#endif

double multiply_add_chain(int64_t rounds) {
  const hn::ScalableTag<float> d;
  const auto half = hn::Set(d, 0.5f), one = hn::Set(d, 1.0f);
  auto v = hn::Iota(d, 0.0f);
  for (int64_t i = 0; i < rounds; ++i) v = hn::MulAdd(v, half, one);
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, v)));
}

/// A pass must be done although the next one does the same.
HWY_INLINE void end_of_pass() { asm volatile("" ::: "memory"); }

/// kAhead: bytes ahead of its use that each line is asked for; 0: not.
template <int64_t kAhead>
HWY_INLINE float sum_of(const float* HWY_RESTRICT a, int64_t count, int64_t passes) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
  for (int64_t pass = 0; pass < passes; ++pass) {
    for (int64_t i = 0; i < count; i += 8 * lanes) {
      if constexpr (kAhead > 0) {
        for (int64_t line = 0; line < 8 * lanes; line += 16) __builtin_prefetch(a + i + line + kAhead / 4);
      }
      s0 = hn::Add(s0, hn::Load(d, a + i));
      s1 = hn::Add(s1, hn::Load(d, a + i + lanes));
      s2 = hn::Add(s2, hn::Load(d, a + i + 2 * lanes));
      s3 = hn::Add(s3, hn::Load(d, a + i + 3 * lanes));
      s4 = hn::Add(s4, hn::Load(d, a + i + 4 * lanes));
      s5 = hn::Add(s5, hn::Load(d, a + i + 5 * lanes));
      s6 = hn::Add(s6, hn::Load(d, a + i + 6 * lanes));
      s7 = hn::Add(s7, hn::Load(d, a + i + 7 * lanes));
    }
    end_of_pass();
  }
  const auto sum = hn::Add(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)), hn::Add(hn::Add(s4, s5), hn::Add(s6, s7)));
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

float read(const float* HWY_RESTRICT a, int64_t count, int64_t passes) { return sum_of<0>(a, count, passes); }
float read_ahead(const float* HWY_RESTRICT a, int64_t count, int64_t passes) {
  return sum_of<32 * 1024>(a, count, passes);
}

/// kPast: past the caches.
template <bool kPast, class D>
HWY_INLINE void put(hn::VFromD<D> v, D d, float* at) {
  if constexpr (kPast) hn::Stream(v, d, at);
  else hn::Store(v, d, at);
}

template <bool kPast>
HWY_INLINE void write_all(float* HWY_RESTRICT a, int64_t count, int64_t passes) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto v = hn::Set(d, 1.0f);
  for (int64_t pass = 0; pass < passes; ++pass) {
    for (int64_t i = 0; i < count; i += 4 * lanes) {
      put<kPast>(v, d, a + i);
      put<kPast>(v, d, a + i + lanes);
      put<kPast>(v, d, a + i + 2 * lanes);
      put<kPast>(v, d, a + i + 3 * lanes);
    }
    end_of_pass();
  }
  if (kPast) hwy::FlushStream();
}

template <bool kPast>
HWY_INLINE void copy_all(const float* HWY_RESTRICT a, float* HWY_RESTRICT b, int64_t count, int64_t passes) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t pass = 0; pass < passes; ++pass) {
    for (int64_t i = 0; i < count; i += 4 * lanes) {
      put<kPast>(hn::Load(d, a + i), d, b + i);
      put<kPast>(hn::Load(d, a + i + lanes), d, b + i + lanes);
      put<kPast>(hn::Load(d, a + i + 2 * lanes), d, b + i + 2 * lanes);
      put<kPast>(hn::Load(d, a + i + 3 * lanes), d, b + i + 3 * lanes);
    }
    end_of_pass();
  }
  if (kPast) hwy::FlushStream();
}

void write(float* HWY_RESTRICT a, int64_t count, int64_t passes) { write_all<false>(a, count, passes); }
void write_past(float* HWY_RESTRICT a, int64_t count, int64_t passes) { write_all<true>(a, count, passes); }
void copy(const float* HWY_RESTRICT a, float* HWY_RESTRICT b, int64_t count, int64_t passes) {
  copy_all<false>(a, b, count, passes);
}
void copy_past(const float* HWY_RESTRICT a, float* HWY_RESTRICT b, int64_t count, int64_t passes) {
  copy_all<true>(a, b, count, passes);
}

void triad(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b, float* HWY_RESTRICT c, int64_t count,
           int64_t passes) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto three = hn::Set(d, 3.0f);
  for (int64_t pass = 0; pass < passes; ++pass) {
    for (int64_t i = 0; i < count; i += 2 * lanes) {
      hn::Store(hn::MulAdd(three, hn::Load(d, b + i), hn::Load(d, a + i)), d, c + i);
      hn::Store(hn::MulAdd(three, hn::Load(d, b + i + lanes), hn::Load(d, a + i + lanes)), d, c + i + lanes);
    }
    end_of_pass();
  }
}

}  // namespace

Loops loops() {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<float>()));
  Loops result;
  result.target = hwy::TargetName(HWY_TARGET);
  result.vector_bits = static_cast<int>(lanes) * 32;
  result.multiply_add_f32 = multiply_add_f32;
  result.multiply_add_chain = multiply_add_chain;
  result.flops_per_round_f32 = 2 * kChains * lanes;
#if HWY_HAVE_FLOAT64
  result.multiply_add_f64 = multiply_add_f64;
  result.flops_per_round_f64 = 2 * kChains * static_cast<int64_t>(hn::Lanes(hn::ScalableTag<double>()));
#endif
  result.read = read;
  result.read_ahead = read_ahead;
  result.write = write;
  result.copy = copy;
  result.triad = triad;
  result.write_past = write_past;
  result.copy_past = copy_past;
  return result;
}

}  // namespace HWY_NAMESPACE
}  // namespace profiler::probe
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace profiler::probe {

HWY_EXPORT(loops);
Loops best_loops() { return HWY_DYNAMIC_DISPATCH(loops)(); }

const void* follow_links(const void* start, int64_t steps) {
  const void* p = start;
  const auto next = [](const void* at) { return *static_cast<const void* const*>(at); };
  for (int64_t i = 0; i < steps; i += 16) {
    p = next(next(next(next(p))));
    p = next(next(next(next(p))));
    p = next(next(next(next(p))));
    p = next(next(next(next(p))));
  }
  return p;
}

}  // namespace profiler::probe
#endif
