// SPDX-License-Identifier: Apache-2.0
// The engine's own kernels, compiled over a memory that notes each access.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/kernels/convolution/convolution_product_simd.h"
#include "engine/kernels/convolution/depthwise_simd.h"
#include "engine/kernels/convolution/winograd_simd.h"
#include "engine/kernels/core/copy-inl.h"
#include "engine/kernels/core/rows_simd.h"
#include "engine/kernels/gemm/gemm_simd.h"
#include "engine/kernels/norms/batch_norm_simd.h"
#include "engine/kernels/norms/norms_simd.h"
#include "engine/kernels/norms/response_norm_simd.h"
#include "engine/kernels/pooling/pooling_simd.h"
#include "engine/kernels/recurrent/recurrent_simd.h"
#include "engine/kernels/reduction/reduce_simd.h"
#include "engine/kernels/teaching/ladder_rungs.h"
#include "tests/engine/kernels/core/accesses.h"

namespace test {

/// Of one vector unit; null where its vectors are too narrow.
struct NotedKernels {
  int64_t vector_bytes = 0;
  engine::cpu::VectorLadder<float> ladder;
  engine::cpu::GemmLoops<float> gemm;
  engine::cpu::ProductConvolutionLoops convolution_product;
  engine::cpu::PoolingLoops pooling;
  engine::cpu::RowLoops<float> lines;
  engine::cpu::NormLoops<float> norms;
  engine::cpu::BatchNormLoops<float> batch_norm;
  engine::cpu::ReduceLoops<float> reduce;
  engine::cpu::ResponseLoops response_norm;
  engine::cpu::LstmLoops lstm;
  engine::cpu::GruLoops gru;
  engine::cpu::RnnLoops rnn;
  engine::cpu::DepthwiseLoops<float> depthwise;
  engine::cpu::GemmLoops<double> gemm_f64;  ///< null on units without doubles, as the next one
  engine::cpu::DepthwiseLoops<double> depthwise_f64;
  engine::cpu::WinogradLoops winograd;
};

/// One for each vector unit that this machine has.
std::vector<NotedKernels> noted_kernels();

/// What they have done to memory, in order; buffers of their own left out.
std::vector<Access>& noted();

/// As cpu::ScalarMemory; copies are noted element by element.
struct NotedScalars {
  template <class T>
  static T load(const T* from) {
    noted().push_back({reinterpret_cast<uint64_t>(from), sizeof(T), false});
    return *from;
  }
  template <class T>
  static void store(T x, T* to) {
    noted().push_back({reinterpret_cast<uint64_t>(to), sizeof(T), true});
    *to = x;
  }
  template <class T>
  static void fill(T* to, int64_t count, T x) {
    for (int64_t i = 0; i < count; ++i) store(x, to + i);
  }
  template <class T>
  static void zeros(T* to, int64_t count) {
    fill(to, count, T{0});
  }
  template <class T>
  static void copy(const T* from, int64_t count, T* to) {
    for (int64_t i = 0; i < count; ++i) store(load(from + i), to + i);
  }
  static void zero_elements(std::byte* to, int64_t bytes, int64_t of_element) {
    engine::cpu::with_bytes(of_element,
                            [=](auto zero) { fill(reinterpret_cast<decltype(zero)*>(to), bytes / of_element, zero); });
  }
  static void copy_elements(const std::byte* from, std::byte* to, int64_t bytes, int64_t of_element) {
    engine::cpu::with_bytes(of_element, [=](auto zero) {
      copy(reinterpret_cast<const decltype(zero)*>(from), bytes / of_element, reinterpret_cast<decltype(zero)*>(to));
    });
  }
};

}  // namespace test
