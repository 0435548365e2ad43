// SPDX-License-Identifier: Apache-2.0
// Selecting the first k of a line: what top_k's reference and its kernel share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace engine::ops {

/// Puts the positions of the k largest (or smallest) of order.size() values into order[0, k): sorted by value, of equal values the
/// first; or, not `sorted`, by position. NaN counts as larger than any number. `value(i)` gives value i. k is 1 or more.
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

}  // namespace engine::ops
