// SPDX-License-Identifier: Apache-2.0
// Sorts and merges axes of strided operands.
#include "engine/cpu/loops.h"

#include <algorithm>
#include <cstdlib>

#include "engine/base/check.h"

namespace engine::cpu {
namespace {

bool mergeable(const LoopNest::Axis& outer, const LoopNest::Axis& inner, int operands) {
  for (int k = 0; k < operands; ++k) {
    if (outer.stride[k] != inner.stride[k] * inner.extent) return false;
  }
  return true;
}

}  // namespace

int64_t LoopNest::rows() const {
  int64_t count = 1;
  for (const Axis& axis : outer) count *= axis.extent;
  return count;
}

Addresses LoopNest::row(const Addresses& base, int64_t row) const {
  Addresses at = base;
  for (size_t i = outer.size(); i-- > 0;) {
    const int64_t position = row % outer[i].extent;
    row /= outer[i].extent;
    for (int k = 0; k < operands; ++k) at[k] += position * outer[i].stride[k];
  }
  return at;
}

LoopNest make_loops(const Shape& shape, std::span<const TensorType> tensors, int leader) {
  CHECK(tensors.size() <= kMaxOperands);
  LoopNest loops;
  loops.operands = static_cast<int>(tensors.size());
  std::vector<LoopNest::Axis> axes;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) continue;
    LoopNest::Axis axis{.extent = shape[i]};
    for (int k = 0; k < loops.operands; ++k) {
      const TensorType& type = tensors[k];
      const size_t missing = shape.size() - type.shape.size();
      if (i >= missing && type.shape[i - missing] != 1)
        axis.stride[k] = type.strides[i - missing] * size_bytes(type.dtype);
    }
    axes.push_back(axis);
  }
  std::stable_sort(axes.begin(), axes.end(),
                   [leader](const LoopNest::Axis& a, const LoopNest::Axis& b) {
                     return std::abs(a.stride[leader]) > std::abs(b.stride[leader]);
                   });
  for (const LoopNest::Axis& axis : axes) {
    if (!loops.outer.empty() && mergeable(loops.outer.back(), axis, loops.operands)) {
      loops.outer.back() = {.extent = loops.outer.back().extent * axis.extent,
                            .stride = axis.stride};
    } else {
      loops.outer.push_back(axis);
    }
  }
  if (!loops.outer.empty()) {
    loops.inner = loops.outer.back().extent;
    loops.inner_stride = loops.outer.back().stride;
    loops.outer.pop_back();
  } else {
    for (int k = 0; k < loops.operands; ++k) loops.inner_stride[k] = size_bytes(tensors[k].dtype);
  }
  return loops;
}

}  // namespace engine::cpu
