// SPDX-License-Identifier: Apache-2.0
// Results whose shapes depend on the elements, computed on the host.
#include "engine/ops/data_dependent.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "engine/ops/dense.h"
#include "engine/ops/indexing_common.h"

namespace engine::ops {
namespace {

/// Slices number `chosen` of x seen as [outer, extent, inner]; shape: that of the result.
Result<Tensor> pick(const Tensor& x, const AxisSplit& split, const std::vector<int64_t>& chosen, Shape shape) {
  Result<Tensor> y = Tensor::empty(TensorType::contiguous(x.dtype(), std::move(shape)));
  if (!y || y->type().elements() == 0) return y;
  std::vector<int64_t> sources;
  for (int64_t o = 0; o < split.outer; ++o) {
    for (const int64_t slice : chosen) {
      for (int64_t k = 0; k < split.inner; ++k) sources.push_back((o * split.extent + slice) * split.inner + k);
    }
  }
  move_elements(x, sources, 0, *y);
  return y;
}

/// Where no axis is named x is one line of all its elements.
Result<AxisSplit> split_of(std::string_view what, const Tensor& x, const std::optional<int64_t>& axis) {
  if (!axis) return AxisSplit{1, x.type().elements(), 1};
  OperandCheck check(what, {}, {});
  int64_t from_front = *axis;
  if (!check.axis(from_front, x.type().rank())) return check.error();
  return split_at(x.shape(), from_front);
}

Shape shape_with(const Tensor& x, const std::optional<int64_t>& axis, int64_t count) {
  if (!axis) return {count};
  Shape shape = x.shape();
  shape[static_cast<size_t>(*axis < 0 ? *axis + x.type().rank() : *axis)] = count;
  return shape;
}

Result<Tensor> integers(const std::vector<int64_t>& values) {
  Result<Tensor> tensor = Tensor::empty(TensorType::contiguous(DType::int64, {static_cast<int64_t>(values.size())}));
  if (tensor) store_integers(*tensor, values);
  return tensor;
}

/// -1, 0, 1: slice i is before, equal to, after slice j. NaN comes last and equals nothing but itself.
template <class T>
int compare(const std::vector<T>& values, const AxisSplit& split, int64_t i, int64_t j) {
  if (i == j || values.empty()) return 0;
  for (int64_t o = 0; o < split.outer; ++o) {
    for (int64_t k = 0; k < split.inner; ++k) {
      const T a = values[static_cast<size_t>((o * split.extent + i) * split.inner + k)];
      const T b = values[static_cast<size_t>((o * split.extent + j) * split.inner + k)];
      if (a == b) continue;
      const bool a_nan = a != a, b_nan = b != b;
      if (a_nan && b_nan) return i < j ? -1 : 1;
      return b_nan || (!a_nan && a < b) ? -1 : 1;
    }
  }
  return 0;
}

/// Groups equal slices: first[g], inverse[i], counts[g].
struct SliceGroups {
  std::vector<int64_t> first, inverse, counts;
};

template <class T>
SliceGroups group(const std::vector<T>& values, const AxisSplit& split, bool sorted) {
  std::vector<int64_t> order(static_cast<size_t>(split.extent));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) { return compare(values, split, i, j) < 0; });
  SliceGroups groups;
  groups.inverse.resize(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || compare(values, split, order[i - 1], order[i]) != 0) {
      groups.first.push_back(order[i]);
      groups.counts.push_back(0);
    }
    groups.counts.back() += 1;
    groups.inverse[static_cast<size_t>(order[i])] = static_cast<int64_t>(groups.first.size()) - 1;
  }
  if (sorted) return groups;
  std::vector<size_t> appearance(groups.first.size()), rank(groups.first.size());
  std::iota(appearance.begin(), appearance.end(), size_t{0});
  std::ranges::sort(appearance, {}, [&](size_t g) { return groups.first[g]; });
  SliceGroups result{{}, groups.inverse, {}};
  for (size_t i = 0; i < appearance.size(); ++i) {
    rank[appearance[i]] = i;
    result.first.push_back(groups.first[appearance[i]]);
    result.counts.push_back(groups.counts[appearance[i]]);
  }
  for (int64_t& of : result.inverse) of = static_cast<int64_t>(rank[static_cast<size_t>(of)]);
  return result;
}

}  // namespace

Result<Tensor> non_zero(const Tensor& x) {
  std::vector<std::vector<int64_t>> places(x.shape().size());
  const std::vector<double> values = load(x);
  int64_t count = 0;
  for_each_index(x.shape(), [&](int64_t position, const std::vector<int64_t>& index) {
    if (values[static_cast<size_t>(position)] == 0) return;
    ++count;
    for (size_t axis = 0; axis < index.size(); ++axis) places[axis].push_back(index[axis]);
  });
  Result<Tensor> result = Tensor::empty(TensorType::contiguous(DType::int64, {x.type().rank(), count}));
  if (!result) return result;
  std::vector<int64_t> all;
  for (const std::vector<int64_t>& axis : places) all.insert(all.end(), axis.begin(), axis.end());
  store_integers(*result, all);
  return result;
}

Result<Unique> unique(const Tensor& x, std::optional<int64_t> axis, bool sorted) {
  const Result<AxisSplit> split = split_of("unique", x, axis);
  if (!split) return split.error();
  const SliceGroups groups =
      is_floating(x.dtype()) ? group(load(x), *split, sorted) : group(load_integers(x), *split, sorted);
  Result<Tensor> values = pick(x, *split, groups.first, shape_with(x, axis, static_cast<int64_t>(groups.first.size())));
  Result<Tensor> first = integers(groups.first), inverse = integers(groups.inverse), counts = integers(groups.counts);
  for (const Result<Tensor>* made : {&values, &first, &inverse, &counts}) {
    if (!*made) return made->error();
  }
  return Unique{std::move(*values), std::move(*first), std::move(*inverse), std::move(*counts)};
}

Result<Tensor> compress(const Tensor& x, const Tensor& condition, std::optional<int64_t> axis) {
  const Result<AxisSplit> split = split_of("compress", x, axis);
  if (!split) return split.error();
  OperandCheck check("compress", {}, {});
  if (!check.that(condition.dtype() == DType::boolean && condition.type().rank() == 1,
                  "the condition must be bool of rank 1, got {}", to_string(condition.type())) ||
      !check.that(condition.type().elements() <= split->extent, "the condition has {} elements, x only {}",
                  condition.type().elements(), split->extent)) {
    return check.error();
  }
  std::vector<int64_t> chosen;
  const std::vector<int64_t> flags = load_integers(condition);
  for (size_t i = 0; i < flags.size(); ++i) {
    if (flags[i] != 0) chosen.push_back(static_cast<int64_t>(i));
  }
  return pick(x, *split, chosen, shape_with(x, axis, static_cast<int64_t>(chosen.size())));
}

}  // namespace engine::ops
