// SPDX-License-Identifier: Apache-2.0
// The list of the ops that pick and place elements, and the building functions that are views alone.
#include "engine/ops/indexing.h"

#include <limits>

#include "engine/base/wide.h"
#include "engine/ops/check.h"
#include "engine/ops/ops.h"

namespace engine::ops {

std::vector<ValueId> split(GraphBuilder& builder, ValueId x, std::vector<int64_t> sizes, int64_t axis) {
  std::vector<ValueId> pieces(sizes.size(), kNoValue);
  if (builder.failed()) return pieces;
  const Shape shape = builder.type(x).shape;
  OperandCheck check("split", {}, {});
  const auto refuse = [&] {
    builder.fail(check.error());
    return pieces;
  };
  if (!check.axis(axis, static_cast<int64_t>(shape.size()))) return refuse();
  Wide total = 0;
  for (const int64_t size : sizes) {
    if (!check.that(size >= 0, "a piece of {} elements does not exist: sizes must be 0 or more", size)) return refuse();
    total += size;
  }
  const int64_t extent = shape[static_cast<size_t>(axis)];
  if (!check.that(total == extent, "the sizes {{{}}} do not add up to the {} elements of axis {} of x ({})",
                  fmt::join(sizes, ", "), extent, axis, to_string(shape))) {
    return refuse();
  }
  int64_t start = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    pieces[i] = slice(builder, x, axis, start, start + sizes[i]);
    start += sizes[i];
  }
  return pieces;
}

ValueId reverse(GraphBuilder& builder, ValueId x, std::vector<int64_t> axes) {
  if (builder.failed()) return kNoValue;
  const int64_t rank = builder.type(x).rank();
  OperandCheck check("reverse", {}, {});
  std::vector<bool> turned(static_cast<size_t>(rank), false);
  for (int64_t axis : axes) {
    if (!check.axis(axis, rank) || !check.that(!turned[static_cast<size_t>(axis)], "axis {} is named twice", axis)) {
      return builder.fail(check.error());
    }
    turned[static_cast<size_t>(axis)] = true;
    x = slice(builder, x, axis, -1, std::numeric_limits<int64_t>::min(), -1);
  }
  return x;
}

std::span<const Op* const> indexing_ops() {
  static constexpr const Op* kOps[] = {&kConcat,          &kPad,          &kPadGrad,        &kGather,
                                       &kGatherGrad,      &kEmbeddingBag, &kGatherElements, &kScatterElements,
                                       &kGatherNd,        &kScatterNd,    &kTile,           &kTriangle,
                                       &kReverseSequence, &kOneHot,       &kTopK,           &kResize,
                                       &kResizeGrad};
  return kOps;
}

}  // namespace engine::ops
