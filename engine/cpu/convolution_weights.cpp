// SPDX-License-Identifier: Apache-2.0
// Weights of own convolutions in the order of columns, and whether they are finite.
#include <atomic>
#include <bit>
#include <cstdlib>
#include <limits>
#include <type_traits>
#include <vector>

#include "engine/cpu/convolution_own.h"
#include "engine/cpu/parallel.h"

namespace engine::cpu {
namespace {

/// Whether no number was infinite or NaN: exponents of all ones, and these alone, carry into the sign. No branch and no comparison, so that
/// whole vectors of the oldest units do it.
template <class T>
class Finite {
 public:
  void add(T x) { carried_ |= (std::bit_cast<Bits>(x) & kExponent) + kOne; }
  bool all() const { return (carried_ & kSign) == 0; }

 private:
  using Bits = std::conditional_t<sizeof(T) == sizeof(float), uint32_t, uint64_t>;
  static constexpr Bits kExponent = std::bit_cast<Bits>(std::numeric_limits<T>::infinity()), kOne = kExponent & -kExponent, kSign = ~(~Bits{0} >> 1);
  Bits carried_ = 0;
};

}  // namespace

template <class T>
bool pack_weights(const ConvolutionGeometry& g, const Tensor& weight, bool outputs_last, T* packed, int threads) {
  constexpr int64_t kLine = 64 / sizeof(T);
  const Strides& s = weight.strides();
  const int64_t taps = g.taps(), fast = outputs_last ? g.outputs : g.inputs, slow = outputs_last ? g.inputs : g.outputs;
  const int64_t fast_apart = outputs_last ? s[0] : s[1], slow_apart = outputs_last ? s[1] : s[0];
  // Lines far apart lie in few sets of a cache: all taps of a few of them, then the next ones.
  const int64_t at_once = std::abs(fast_apart) > kLine ? kLine : fast;
  std::vector<int64_t> offsets;
  for (int64_t tap = 0; tap < taps; ++tap) offsets.push_back(g.weight_offset(tap, s));
  std::atomic<bool> finite{true};
  parallel_parts(threads, g.groups * slow, 1, g.groups * taps * slow * fast, [&](int64_t begin, int64_t end) {
    Finite<T> seen;
    for (int64_t row = begin; row < end; ++row) {
      const int64_t group = row / slow;
      const T* const from = weight.data_as<const T>() + group * g.outputs * s[0] + row % slow * slow_apart;
      for (int64_t first = 0; first < fast; first += at_once) {
        const int64_t count = std::min(at_once, fast - first);
        for (int64_t tap = 0; tap < taps; ++tap) {
          const T* const of_tap = from + offsets[static_cast<size_t>(tap)] + first * fast_apart;
          T* const to = packed + ((group * taps + tap) * slow + row % slow) * fast + first;
          for (int64_t i = 0; i < count; ++i) seen.add(to[i] = of_tap[i * fast_apart]);
        }
      }
    }
    if (!seen.all()) finite = false;
  });
  return finite;
}

template <class T>
bool all_finite(const GemmMatrix<T>& m, int64_t rows, int64_t columns) {
  Finite<T> seen;
  for (int64_t i = 0; i < rows; ++i) {
    const T* const row = m.data + i * m.row;
    if (m.column == 1) {
      for (int64_t j = 0; j < columns; ++j) seen.add(row[j]);
    } else {
      for (int64_t j = 0; j < columns; ++j) seen.add(row[j * m.column]);
    }
  }
  return seen.all();
}

template bool pack_weights(const ConvolutionGeometry&, const Tensor&, bool, float*, int);
template bool pack_weights(const ConvolutionGeometry&, const Tensor&, bool, double*, int);
template bool all_finite(const GemmMatrix<float>&, int64_t, int64_t);
template bool all_finite(const GemmMatrix<double>&, int64_t, int64_t);

}  // namespace engine::cpu
