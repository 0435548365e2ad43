// SPDX-License-Identifier: Apache-2.0
// Strides of tensors that broadcast to a shape.
#include "engine/kernels/core/loop_nest.h"

#include <algorithm>
#include <utility>

#include "engine/base/check.h"

namespace engine::cpu {

template <int kMost>
LoopNestOf<kMost> make_loops_of(const Shape& shape, std::span<const TensorType> tensors, int leader) {
  CHECK(tensors.size() <= kMost);
  using Axis = typename LoopNestOf<kMost>::Axis;
  const int operands = static_cast<int>(tensors.size());
  std::vector<Axis> axes;
  for (size_t i = 0; i < shape.size(); ++i) {
    Axis axis{.extent = shape[i]};
    for (int k = 0; k < operands; ++k) {
      const TensorType& type = tensors[k];
      const size_t missing = shape.size() - type.shape.size();
      if (i >= missing && type.shape[i - missing] != 1)
        axis.stride[k] = type.strides[i - missing] * size_bytes(type.dtype);
    }
    axes.push_back(axis);
  }
  const bool single = std::ranges::all_of(shape, [](int64_t extent) { return extent == 1; });
  LoopNestOf<kMost> loops = engine::loops::make_row_nest<kMost>(std::move(axes), operands, leader);
  for (int k = 0; k < operands && single; ++k) loops.inner_stride[k] = size_bytes(tensors[k].dtype);
  return loops;
}

template LoopNestOf<kMaxOperands> make_loops_of<kMaxOperands>(const Shape&, std::span<const TensorType>, int);
template LoopNestOf<kMaxFusedOperands> make_loops_of<kMaxFusedOperands>(const Shape&, std::span<const TensorType>, int);

}  // namespace engine::cpu
