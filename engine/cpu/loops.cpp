// SPDX-License-Identifier: Apache-2.0
// Sorts and merges axes of strided operands.
#include "engine/cpu/loops.h"

#include <algorithm>
#include <cstdlib>

#include "engine/base/check.h"

namespace engine::cpu {
namespace {

template <class Axis>
bool mergeable(const Axis& outer, const Axis& inner, int operands) {
  for (int k = 0; k < operands; ++k) {
    if (outer.stride[k] != inner.stride[k] * inner.extent) return false;
  }
  return true;
}

}  // namespace

template <int kMost>
int64_t LoopNestOf<kMost>::rows() const {
  int64_t count = 1;
  for (const Axis& axis : outer) count *= axis.extent;
  return count;
}

template <int kMost>
AddressesOf<kMost> LoopNestOf<kMost>::row(const AddressesOf<kMost>& base, int64_t row) const {
  AddressesOf<kMost> at = base;
  for (size_t i = outer.size(); i-- > 0;) {
    const int64_t position = row % outer[i].extent;
    row /= outer[i].extent;
    for (int k = 0; k < operands; ++k) at[k] += position * outer[i].stride[k];
  }
  return at;
}

template <int kMost>
LoopNestOf<kMost> make_loops_of(const Shape& shape, std::span<const TensorType> tensors, int leader) {
  CHECK(tensors.size() <= kMost);
  using Axis = typename LoopNestOf<kMost>::Axis;
  LoopNestOf<kMost> loops;
  loops.operands = static_cast<int>(tensors.size());
  std::vector<Axis> axes;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) continue;
    Axis axis{.extent = shape[i]};
    for (int k = 0; k < loops.operands; ++k) {
      const TensorType& type = tensors[k];
      const size_t missing = shape.size() - type.shape.size();
      if (i >= missing && type.shape[i - missing] != 1)
        axis.stride[k] = type.strides[i - missing] * size_bytes(type.dtype);
    }
    axes.push_back(axis);
  }
  std::stable_sort(axes.begin(), axes.end(),
                   [leader](const Axis& a, const Axis& b) {
                     return std::abs(a.stride[leader]) > std::abs(b.stride[leader]);
                   });
  for (const Axis& axis : axes) {
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

template struct LoopNestOf<kMaxOperands>;
template struct LoopNestOf<kMaxFusedOperands>;
template LoopNestOf<kMaxOperands> make_loops_of<kMaxOperands>(const Shape&, std::span<const TensorType>, int);
template LoopNestOf<kMaxFusedOperands> make_loops_of<kMaxFusedOperands>(const Shape&, std::span<const TensorType>, int);

}  // namespace engine::cpu
