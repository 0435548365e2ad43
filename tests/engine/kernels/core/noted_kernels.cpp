// SPDX-License-Identifier: Apache-2.0
// Kernels over a memory that notes; this file is compiled once per vector unit.
#include "tests/engine/kernels/core/noted_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/engine/kernels/core/noted_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/highway.h>

#include <cstring>

#include "engine/kernels/convolution/convolution_product_simd-inl.h"
#include "engine/kernels/convolution/depthwise_simd-inl.h"
#include "engine/kernels/convolution/winograd_simd-inl.h"
#include "engine/kernels/core/rows_simd-inl.h"
#include "engine/kernels/gemm/gemm_simd-inl.h"
#include "engine/kernels/norms/batch_norm_simd-inl.h"
#include "engine/kernels/norms/norms_simd-inl.h"
#include "engine/kernels/norms/response_norm_simd-inl.h"
#include "engine/kernels/pooling/pooling_simd-inl.h"
#include "engine/kernels/recurrent/recurrent_simd-inl.h"
#include "engine/kernels/reduction/reduce_simd-inl.h"
#include "engine/kernels/teaching/ladder_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {  // the same names live in other files: they must not be merged

/// As Memory.
struct Noted {
  static void note(const void* at, size_t bytes, bool store) {
    test::noted().push_back({reinterpret_cast<uint64_t>(at), static_cast<int64_t>(bytes), store});
  }

  template <class D, class T>
  static HWY_INLINE hn::Vec<D> load(D d, const T* from) {
    note(from, hn::Lanes(d) * sizeof(T), false);
    return hn::LoadU(d, from);
  }
  template <class D, class T>
  static HWY_INLINE void store(hn::Vec<D> x, D d, T* to) {
    note(to, hn::Lanes(d) * sizeof(T), true);
    hn::StoreU(x, d, to);
  }
  template <class D, class T>
  static HWY_INLINE hn::Vec<D> load_some(D d, const T* from, int64_t count) {
    note(from, static_cast<size_t>(count) * sizeof(T), false);
    return Memory::load_some(d, from, count);
  }
  template <class D, class T>
  static HWY_INLINE void store_some(hn::Vec<D> x, D d, T* to, int64_t count) {
    note(to, static_cast<size_t>(count) * sizeof(T), true);
    Memory::store_some(x, d, to, count);
  }
  template <class D, class T>
  static HWY_INLINE void store_interleaved(hn::Vec<D> x, hn::Vec<D> y, D d, T* to) {
    for (size_t part = 0; part < 2; ++part) note(to + part * hn::Lanes(d), hn::Lanes(d) * sizeof(T), true);
    hn::StoreInterleaved2(x, y, d, to);
  }
  template <class T>
  static T load(const T* from) {
    note(from, sizeof(T), false);
    return *from;
  }
  template <class T>
  static void store(T x, T* to) {
    note(to, sizeof(T), true);
    *to = x;
  }
  template <class T>
  static void fill(T* to, int64_t count, T x) {
    for (int64_t i = 0; i < count; ++i) store(x, to + i);
  }
  template <int64_t kCount, class T>
  static void copy(const T* from, T* to) {
    note(from, kCount * sizeof(T), false);
    note(to, kCount * sizeof(T), true);
    std::memcpy(to, from, kCount * sizeof(T));
  }
};

test::NotedKernels kernels_of_unit() {
  constexpr size_t kBits = 8 * sizeof(float) * hn::MaxLanes(hn::ScalableTag<float>());
  test::NotedKernels of{.vector_bytes = kBits / 8,
                        .ladder = {},
                        .gemm = {},
                        .convolution_product = convolution_product::loops_over<Noted>(),
                        .pooling = pooling::loops_over<Noted>(),
                        .lines = rows::loops_over<float, Noted>(),
                        .norms = norms::loops_over<float, Noted>(),
                        .batch_norm = batch_norm::loops_over<float, Noted>(),
                        .reduce = reduction::loops_over<float, Noted>(),
                        .response_norm = response_norm::loops_over<Noted>(),
                        .lstm = recurrent::lstm_over<Noted>(),
                        .gru = recurrent::gru_over<Noted>(),
                        .rnn = recurrent::rnn_over<Noted>(),
                        .depthwise = depthwise::loops_over<float, Noted>(),
                        .gemm_f64 = {},
                        .depthwise_f64 = {},
                        .winograd = winograd::loops_over<Noted>()};
  if constexpr (kBits >= 128) of.ladder.tiled_128 = ladder::tiled<float, 128, Noted>;
  if constexpr (kBits >= 256) of.ladder.tiled_256 = ladder::tiled<float, 256, Noted>;
  if constexpr (kBits >= 512) of.ladder.tiled_512 = ladder::tiled<float, 512, Noted>;
  of.ladder.registers = ladder::registers<float, Noted>;
  of.gemm = gemm::loops_over<float, Noted>();
#if HWY_HAVE_FLOAT64
  of.gemm_f64 = gemm::loops_over<double, Noted>();
  of.depthwise_f64 = depthwise::loops_over<double, Noted>();
#endif
  return of;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine::cpu {
HWY_EXPORT(kernels_of_unit);
test::NotedKernels chosen_kernels() { return HWY_DYNAMIC_DISPATCH(kernels_of_unit)(); }
}  // namespace engine::cpu

namespace test {

std::vector<NotedKernels> noted_kernels() {
  std::vector<NotedKernels> all;
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    all.push_back(engine::cpu::chosen_kernels());
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return all;
}

std::vector<Access>& noted() {
  static std::vector<Access> accesses;
  return accesses;
}

}  // namespace test
#endif
