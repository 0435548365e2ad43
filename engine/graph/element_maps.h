// SPDX-License-Identifier: Apache-2.0
// Which elements the ops that pick and place elements take: what references and kernels must agree on, in one place
// below both.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/graph/op.h"
#include "engine/tensor/tensor.h"

namespace engine {

/// The product of extents: 0 when one of them is, whatever the others; held at the largest int64 otherwise.
int64_t extent_product(std::span<const int64_t> extents);

/// Calls body(position, index) for all elements of a row-major tensor.
template <class Body>
void for_each_index(const Shape& shape, const Body& body) {
  const int64_t count = extent_product(shape);
  std::vector<int64_t> index(shape.size(), 0);
  for (int64_t position = 0; position < count; ++position) {
    body(position, index);
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
}

/// A tensor seen as [outer, extent, inner] around one axis.
struct AxisSplit {
  int64_t outer = 1, extent = 1, inner = 1;
};
/// `axis` may count from the end; CHECKs that it exists.
AxisSplit split_at(const Shape& shape, int64_t axis);

/// Position that stands for "no element of x".
inline constexpr int64_t kNoElement = -1;

/// What an element becomes when its index lies outside of the axis: NaN, 0 in types without a NaN. As with a label that
/// is no class (softmax_cross_entropy) the mistake shows in the result, and nothing is read out of bounds.
double outside_value(DType);

/// Offsets of all elements from element (0, ..., 0), in elements, in row-major logical order.
std::vector<int64_t> element_offsets(const TensorType&);

// ---- pad
// --------------------------------------------------------------------------------------------------------------------

enum class PadMode : uint8_t { constant, reflect, edge, wrap };
std::optional<PadMode> parse_pad_mode(std::string_view);

/// The element of an axis that padding puts at `position`, which may lie beyond both ends. -1: the constant. `extent`:
/// elements of the axis, at least 1 unless the mode is constant.
int64_t pad_source(PadMode mode, int64_t position, int64_t extent);

// ---- tables: axis by axis, which element of x stands at i in y; below 0: none does
// -----------------------------------------------

/// Of a pad that infer has accepted; nothing where its mode is unknown.
std::optional<std::vector<std::vector<int64_t>>> pad_tables(const Shape& x, const Shape& y, const Attributes&);
std::vector<std::vector<int64_t>> tile_tables(const Shape& x, const Shape& y);

// ---- scatter
// ----------------------------------------------------------------------------------------------------------------

/// replace: of updates with equal places the last one (in row-major order) stays.
enum class ScatterReduction : uint8_t { replace, add, multiply, max, min };
/// "none", "add", "mul", "max", "min".
std::optional<ScatterReduction> parse_scatter_reduction(std::string_view);

/// What stands at a place that held `old` once `update` has met it. max and min are NaN when one of the two is.
template <class T>
T scattered(ScatterReduction reduction, T old, T update) {
  switch (reduction) {
    case ScatterReduction::replace: return update;
    case ScatterReduction::add: return old + update;
    case ScatterReduction::multiply: return old * update;
    case ScatterReduction::max: return old > update || old != old ? old : update;
    case ScatterReduction::min: return old < update || old != old ? old : update;
  }
  return update;
}

// ---- top_k
// ------------------------------------------------------------------------------------------------------------------

/// Puts the positions of the k largest (or smallest) of order.size() values into order[0, k). `sorted`: by value, of
/// equal values the first; else by position. NaN counts as larger than any number. `value(i)` gives value i. k is 1 or
/// more.
template <class Value>
void select_top_k(int64_t k, bool largest, bool sorted, std::vector<int64_t>& order, const Value& value) {
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto before = [&](int64_t i, int64_t j) {
    const auto a = value(i), b = value(j);
    const bool a_nan = a != a, b_nan = b != b;
    if (a_nan || b_nan) return a_nan && b_nan ? i < j : a_nan == largest;
    if (a != b) return largest ? a > b : a < b;
    return i < j;
  };
  std::nth_element(order.begin(), order.begin() + (k - 1), order.end(), before);
  if (sorted) {
    std::sort(order.begin(), order.begin() + k, before);
  } else {
    std::sort(order.begin(), order.begin() + k);
  }
}

}  // namespace engine
