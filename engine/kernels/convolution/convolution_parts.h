// SPDX-License-Identifier: Apache-2.0
// The parts of own convolutions (convolution_own_loops.h) that take no vectors of their own: copies, sums and what is
// multiplied. A test compiles them over a memory that notes each access.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <type_traits>

#include "engine/kernels/convolution/convolution_own_loops.h"
#include "engine/kernels/core/scalar_memory.h"
#include "engine/kernels/gemm/gemm_simd.h"

namespace engine::cpu {

/// Whether no number was infinite or NaN: exponents of all ones, and these alone, carry into the sign. No branch and no
/// comparison, so that whole vectors of the oldest units do it.
template <class T>
class Finite {
 public:
  void add(T x) { carried_ |= (std::bit_cast<Bits>(x) & kExponent) + kOne; }
  bool all() const { return (carried_ & kSign) == 0; }

 private:
  using Bits = std::conditional_t<sizeof(T) == sizeof(float), uint32_t, uint64_t>;
  static constexpr Bits kExponent = std::bit_cast<Bits>(std::numeric_limits<T>::infinity()),
                        kOne = kExponent & -kExponent, kSign = ~(~Bits{0} >> 1);
  Bits carried_ = 0;
};

/// Of all elements of a matrix.
template <class M = ScalarMemory, class T>
bool all_finite(const GemmMatrix<T>& m, int64_t rows, int64_t columns) {
  Finite<T> seen;
  for (int64_t i = 0; i < rows; ++i) {
    const T* const row = m.data + i * m.row;
    if (m.column == 1) {
      for (int64_t j = 0; j < columns; ++j) seen.add(M::load(row + j));
    } else {
      for (int64_t j = 0; j < columns; ++j) seen.add(M::load(row + j * m.column));
    }
  }
  return seen.all();
}

/// Where the arrays of a convolution lie: those that are read, and those that are written.
template <class T>
struct ConvolutionArrays {
  std::array<const T*, 6> read{};
  std::array<T*, 6> written{};

  void reads(loops::InArray array, const T* data) { read[static_cast<size_t>(array)] = data; }
  void writes(loops::InArray array, T* data) {
    read[static_cast<size_t>(array)] = written[static_cast<size_t>(array)] = data;
  }
  const T* from(loops::InArray array) const { return read[static_cast<size_t>(array)]; }
  T* to(loops::InArray array) const { return written[static_cast<size_t>(array)]; }
};

/// M: ScalarMemory, or what stands for it.
template <class T, class M = ScalarMemory>
class ConvolutionParts : public loops::Computes {
 public:
  using Place = loops::Place;

  ConvolutionParts(const ConvolutionArrays<T>& arrays, const GemmLoops<T>& loops) : arrays_(arrays), loops_(loops) {}

  [[gnu::always_inline]] void copy(const Place& from, const Place& to, int64_t count) const {
    const T* const a = arrays_.from(from.array) + from.first;
    T* const b = arrays_.to(to.array) + to.first;
    if (from.apart == 1 && to.apart == 1) return M::copy(a, count, b);
    for (int64_t i = 0; i < count; ++i) M::store(M::load(a + i * from.apart), b + i * to.apart);
  }
  [[gnu::always_inline]] void zeros(const Place& to, int64_t count) const {
    T* const b = arrays_.to(to.array) + to.first;
    if (to.apart == 1) return M::zeros(b, count);
    for (int64_t i = 0; i < count; ++i) M::store(T{0}, b + i * to.apart);
  }
  void repeat(const Place& from, const Place& to, int64_t count) const {
    M::fill(arrays_.to(to.array) + to.first, count, M::load(arrays_.from(from.array) + from.first));
  }
  [[gnu::always_inline]] void add(const Place& from, const Place& to, int64_t count) const {
    const T* const a = arrays_.from(from.array) + from.first;
    T* const b = arrays_.to(to.array) + to.first;
    for (int64_t i = 0; i < count; ++i) {
      const T x = M::load(a + i);
      M::store(M::load(b + i * to.apart) + x, b + i * to.apart);
    }
  }
  void multiply(const loops::PlacedProduct& p) const {
    const T* const bias = p.bias < 0 ? nullptr : arrays_.from(loops::InArray::bias) + p.bias;
    const GemmProblem<T> problem{.a = matrix(p.a),
                                 .b = matrix(p.b),
                                 .bias = bias,
                                 .c = arrays_.to(p.c.array) + p.c.first,
                                 .c_row = p.c.row,
                                 .m = p.m,
                                 .n = p.n,
                                 .k = p.k,
                                 .accumulate = p.accumulate};
    (p.by_vector ? loops_.vector_times_matrix : loops_.multiply)(problem, scratch() + p.room);
  }

  T* scratch() const { return arrays_.to(loops::InArray::scratch); }
  GemmMatrix<T> matrix(const loops::PlacedMatrix& m) const {
    return {arrays_.from(m.array) + m.first, m.row, m.column};
  }

 protected:
  ConvolutionArrays<T> arrays_;
  GemmLoops<T> loops_;
};

/// The part of loops::WeightPacking.
template <class T, class M = ScalarMemory>
class PackingParts : public loops::Computes {
 public:
  PackingParts(const T* weight, T* packed) : weight_(weight), packed_(packed) {}
  [[gnu::always_inline]] void copy(const loops::Place& from, const loops::Place& to, int64_t count) {
    const T* const a = weight_ + from.first;
    T* const b = packed_ + to.first;
    for (int64_t i = 0; i < count; ++i) {
      const T x = M::load(a + i * from.apart);
      M::store(x, b + i);
      seen_.add(x);
    }
  }
  bool finite() const { return seen_.all(); }

 private:
  const T* weight_;
  T* packed_;
  Finite<T> seen_;
};

}  // namespace engine::cpu
