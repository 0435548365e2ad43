// SPDX-License-Identifier: Apache-2.0
// Shapes and strides: counts that notice overflow, dense layouts, broadcasting.
#include "engine/tensor/shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace engine {
namespace {

/// Strides of nothing (an extent is 0) or of a shape that will be refused may exceed 63 bits: they
/// are held at the largest.
int64_t saturating_multiply(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<int64_t>::max() : product;
}

/// Dense strides when `order` lists the axes from outermost to innermost.
Strides strides_in_order(const Shape& shape, std::span<const size_t> order) {
  Strides strides(shape.size());
  int64_t stride = 1;
  for (size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = stride;
    stride = saturating_multiply(stride, std::max<int64_t>(shape[order[i]], 1));
  }
  return strides;
}

bool has_no_elements(const Shape& shape) { return std::ranges::find(shape, 0) != shape.end(); }

/// Equal strides wherever they matter: an axis of extent 1 is never stepped along.
bool same_layout(const Shape& shape, const Strides& a, const Strides& b) {
  if (a.size() != shape.size()) return false;
  if (has_no_elements(shape)) return true;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != 1 && a[i] != b[i]) return false;
  }
  return true;
}

}  // namespace

std::optional<int64_t> element_count(const Shape& shape) {
  if (std::ranges::any_of(shape, [](int64_t extent) { return extent < 0; })) return std::nullopt;
  if (has_no_elements(shape)) return 0;
  int64_t count = 1;
  for (const int64_t extent : shape) {
    if (__builtin_mul_overflow(count, extent, &count)) return std::nullopt;
  }
  return count;
}

Strides contiguous_strides(const Shape& shape) {
  std::vector<size_t> order(shape.size());
  std::iota(order.begin(), order.end(), size_t{0});
  return strides_in_order(shape, order);
}

Strides channels_last_strides(const Shape& shape) {
  if (shape.size() != 4) return contiguous_strides(shape);
  return strides_in_order(shape, std::vector<size_t>{0, 2, 3, 1});
}

bool is_contiguous(const Shape& shape, const Strides& strides) {
  return same_layout(shape, strides, contiguous_strides(shape));
}

bool is_channels_last(const Shape& shape, const Strides& strides) {
  return shape.size() == 4 && same_layout(shape, strides, channels_last_strides(shape));
}

bool has_channels_last(const Shape& shape, const Strides& strides) {
  if (shape.size() < 2) return false;
  std::vector<size_t> order(shape.size());
  std::iota(order.begin() + 1, order.end() - 1, size_t{2});
  order.back() = 1;
  return same_layout(shape, strides, strides_in_order(shape, order));
}

bool is_dense(const Shape& shape, const Strides& strides) {
  if (strides.size() != shape.size()) return false;
  if (has_no_elements(shape)) return true;
  std::vector<size_t> axes;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != 1) axes.push_back(i);
  }
  std::ranges::sort(axes, {}, [&](size_t axis) { return strides[axis]; });
  int64_t expected = 1;
  for (const size_t axis : axes) {
    if (strides[axis] != expected) return false;
    expected = saturating_multiply(expected, shape[axis]);
  }
  return true;
}

Strides dense_strides_like(const Shape& shape, const Strides& like) {
  CHECK(shape.size() == like.size());
  if (is_dense(shape, like)) return like;
  std::vector<size_t> order(shape.size());
  std::iota(order.begin(), order.end(), size_t{0});
  // Unsigned magnitude, so that reversed slices keep their order and the lowest int64 has one too.
  const auto magnitude = [&](size_t axis) {
    return like[axis] < 0 ? 0 - static_cast<uint64_t>(like[axis]) : static_cast<uint64_t>(like[axis]);
  };
  std::ranges::stable_sort(order, std::ranges::greater{}, magnitude);
  return strides_in_order(shape, order);
}

Result<Shape> broadcast_shapes(const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()));
  for (size_t i = 0; i < result.size(); ++i) {  // i counts from the last axis
    const int64_t extent_a = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t extent_b = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (extent_a != extent_b && extent_a != 1 && extent_b != 1) {
      return usage_error(fmt::format("shapes {} and {} do not broadcast: {} meets {} on the last axis but {}",
                                     to_string(a), to_string(b), extent_a, extent_b, i));
    }
    result[result.size() - 1 - i] = extent_a == 1 ? extent_b : extent_a;
  }
  return result;
}

std::string to_string(const Shape& shape) {
  if (shape.empty()) return "scalar";
  return fmt::format("{}", fmt::join(shape, "x"));
}

}  // namespace engine
