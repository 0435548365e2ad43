// SPDX-License-Identifier: Apache-2.0
// View arithmetic: new extents and strides over the same bytes. Nothing here touches memory.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "engine/tensor/tensor.h"

namespace engine {
namespace {

/// Python's rule: -1 is the last axis. `end` = how many axes an argument may name.
Result<int64_t> resolve_axis(const char* op, const TensorType& type, int64_t axis, int64_t end) {
  if (axis >= -end && axis < end) return axis < 0 ? axis + end : axis;
  return usage_error(fmt::format("[{}] axis {} is out of range for shape {}: valid are {} to {}", op, axis,
                                 to_string(type.shape), -end, end - 1));
}

/// Replaces the one -1 and checks that the element count stays.
Result<Shape> resolve_extents(const TensorType& type, Shape shape) {
  const auto wrong = [&](const std::string& why) {
    return usage_error(fmt::format("[reshape] {} ({} elements) does not become {}: {}", to_string(type.shape),
                                   type.elements(), to_string(shape), why));
  };
  const auto unknown = std::ranges::find(shape, -1);
  if (unknown != shape.end()) {
    if (std::find(unknown + 1, shape.end(), -1) != shape.end()) return wrong("only one extent may be -1");
    *unknown = 1;
    const auto known = element_count(shape);
    *unknown = -1;
    if (!known || *known == 0) return wrong("the other extents do not determine the one that is -1");
    if (type.elements() % *known != 0) return wrong(fmt::format("{} is no multiple of {}", type.elements(), *known));
    *unknown = type.elements() / *known;
  }
  const auto count = element_count(shape);
  if (!count) return wrong("an extent is negative or the element count exceeds 63 bits");
  if (*count != type.elements()) return wrong(fmt::format("that has {} elements", *count));
  return shape;
}

}  // namespace

Result<View> view_reshape(const TensorType& type, Shape wanted) {
  Result<Shape> extents = resolve_extents(type, std::move(wanted));
  if (!extents) return extents.error();
  const Shape& shape = *extents;
  if (type.elements() == 0) return View{TensorType::contiguous(type.dtype, shape)};

  // Old axes are merged into runs that are one row in memory; each run must be split evenly by new
  // axes.
  Strides strides(shape.size(), 1);
  int64_t next = static_cast<int64_t>(shape.size()) - 1;  // new axis to place, from the innermost
  int64_t run = 1, run_stride = type.strides.empty() ? 1 : type.strides.back();
  for (int64_t axis = type.rank() - 1; axis >= 0; --axis) {
    const auto i = static_cast<size_t>(axis);
    run *= type.shape[i];
    const bool run_ends = axis == 0 || (type.shape[i - 1] != 1 && type.strides[i - 1] != run * run_stride);
    if (!run_ends) continue;
    int64_t filled = 1;
    while (next >= 0 && (filled < run || shape[static_cast<size_t>(next)] == 1)) {
      strides[static_cast<size_t>(next)] = filled * run_stride;
      filled *= shape[static_cast<size_t>(next)];
      --next;
    }
    if (filled != run) {
      return usage_error(
          fmt::format("[reshape] {} with strides {} does not become {} without a copy: make it "
                      "contiguous first",
                      to_string(type.shape), fmt::join(type.strides, ","), to_string(shape)));
    }
    if (axis > 0) {
      run = 1;
      run_stride = type.strides[i - 1];
    }
  }
  return View{{type.dtype, shape, std::move(strides)}};
}

Result<View> view_permute(const TensorType& type, std::span<const int64_t> axes) {
  View view{{type.dtype, Shape(axes.size()), Strides(axes.size())}};
  std::vector<bool> used(type.shape.size());
  const auto wrong = [&] {
    return usage_error(fmt::format("[permute] axes ({}) are no permutation of the {} axes of shape {}",
                                   fmt::join(axes, ","), type.rank(), to_string(type.shape)));
  };
  if (axes.size() != type.shape.size()) return wrong();
  for (size_t i = 0; i < axes.size(); ++i) {
    const Result<int64_t> axis = resolve_axis("permute", type, axes[i], type.rank());
    if (!axis) return axis.error();
    const auto from = static_cast<size_t>(*axis);
    if (used[from]) return wrong();
    used[from] = true;
    view.type.shape[i] = type.shape[from];
    view.type.strides[i] = type.strides[from];
  }
  return view;
}

Result<View> view_slice(const TensorType& type, int64_t axis, int64_t start, int64_t end, int64_t step) {
  const Result<int64_t> resolved = resolve_axis("slice", type, axis, type.rank());
  if (!resolved) return resolved.error();
  if (step == 0)
    return usage_error(
        fmt::format("[slice] step is 0 on axis {} of shape {}: it must not be", axis, to_string(type.shape)));
  const auto i = static_cast<size_t>(*resolved);
  const int64_t extent = type.shape[i];
  // Python's rule: negative positions count from the end, then everything is held inside. Going
  // down, "before 0" is -1.
  const auto hold = [&](int64_t position) {
    if (position < 0) position = position < -extent ? -1 : position + extent;
    return step > 0 ? std::clamp<int64_t>(position, 0, extent) : std::clamp<int64_t>(position, -1, extent - 1);
  };
  start = hold(start);
  end = hold(end);
  int64_t count = 0;
  if (step > 0 && start < end) count = (end - start - 1) / step + 1;
  if (step < 0 && start > end) count = (start - end - 1) / (step == INT64_MIN ? INT64_MAX : -step) + 1;

  View view{type};
  view.type.shape[i] = count;
  // A step that leaves at most one element may be absurdly large; its stride is never used.
  if (count > 1) view.type.strides[i] = type.strides[i] * step;
  if (count > 0 && type.elements() > 0) view.offset_elements = start * type.strides[i];
  return view;
}

Result<View> view_expand(const TensorType& type, const Shape& shape) {
  const auto wrong = [&](const std::string& why) {
    return usage_error(fmt::format("[expand] {} does not become {}: {}", to_string(type.shape), to_string(shape), why));
  };
  if (shape.size() < type.shape.size()) return wrong("axes can be added, not removed");
  if (!element_count(shape)) return wrong("an extent is negative or the element count exceeds 63 bits");
  View view{{type.dtype, shape, Strides(shape.size(), 0)}};
  const size_t added = shape.size() - type.shape.size();
  for (size_t i = 0; i < type.shape.size(); ++i) {
    if (shape[added + i] == type.shape[i]) {
      view.type.strides[added + i] = type.strides[i];
    } else if (type.shape[i] != 1) {
      return wrong(fmt::format("only an extent of 1 can be repeated, axis {} has {}", i, type.shape[i]));
    }
  }
  return view;
}

Result<View> view_squeeze(const TensorType& type, int64_t axis) {
  const Result<int64_t> resolved = resolve_axis("squeeze", type, axis, type.rank());
  if (!resolved) return resolved.error();
  const auto i = static_cast<size_t>(*resolved);
  if (type.shape[i] != 1) {
    return usage_error(
        fmt::format("[squeeze] axis {} of shape {} has extent {}, not 1", axis, to_string(type.shape), type.shape[i]));
  }
  View view{type};
  view.type.shape.erase(view.type.shape.begin() + *resolved);
  view.type.strides.erase(view.type.strides.begin() + *resolved);
  return view;
}

Result<View> view_unsqueeze(const TensorType& type, int64_t axis) {
  const Result<int64_t> resolved = resolve_axis("unsqueeze", type, axis, type.rank() + 1);
  if (!resolved) return resolved.error();
  const auto i = static_cast<size_t>(*resolved);
  View view{type};
  // As if the new axis stepped over all that lies inside it: a row-major type stays the very
  // row-major type.
  int64_t stride = 1;
  if (i < type.shape.size() && __builtin_mul_overflow(std::max<int64_t>(type.shape[i], 1), type.strides[i], &stride))
    stride = 1;
  view.type.shape.insert(view.type.shape.begin() + *resolved, 1);
  view.type.strides.insert(view.type.strides.begin() + *resolved, stride);
  return view;
}

}  // namespace engine
