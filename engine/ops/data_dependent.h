// SPDX-License-Identifier: Apache-2.0
// Ops whose results' sizes depend on the elements. A graph's shapes are fixed when it is built: each of these ops has
// the size that its data had then as an attribute, and its last result, `found`, is the size that a step's data ask for
// (i64, no axes). Other results hold what fits, and 0 where there are too few. Who runs a graph compares (size_checks).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/graph/box_selection.h"
#include "engine/graph/builder.h"

namespace engine::ops {

/// non_zero(x) -> places (i64 [rank, count]), found {count}: row-major order
extern const Op kNonZero;
/// compress(x, condition) -> y, found {count, axis, flat}: condition bool, rank 1; flat: x is one line
extern const Op kCompress;
/// unique(x) -> values, first, inverse, counts, found (i64) {count, axis, flat, sorted}
extern const Op kUnique;
/// non_max_suppression(boxes, scores) -> chosen (i64 [count, 3]: image, class, box), found {count, most, iou,
/// least_score, limited, centred}: boxes [images, boxes, 4], scores [images, classes, boxes]; without `limited` any
/// score will do
extern const Op kNonMaxSuppression;
/// known_values(x) -> found {expected}: how many elements of x are others than those that the graph was made for:
/// integers, or the bits of doubles. Floats may differ by 1e-4 of their size.
extern const Op kKnownValues;

/// The places of all elements that are not 0, in row-major order: i64 [rank of x, count]. NaN is not 0.
Result<Tensor> non_zero(const Tensor& x);

struct Unique {
  Tensor values;   ///< each once
  Tensor first;    ///< i64: where each first appears in x
  Tensor inverse;  ///< i64: which of the values each of x is
  Tensor counts;   ///< i64: how often each appears
};
/// The distinct slices of x along `axis`; no axis: the distinct elements of x in row-major order. `sorted`: ascending
/// (slices by their first difference; NaN last, every NaN for itself), otherwise in order of appearance.
Result<Unique> unique(const Tensor& x, std::optional<int64_t> axis = {}, bool sorted = true);

/// The slices of x along `axis` (no axis: the elements in row-major order) where `condition` (bool, rank 1, at most as
/// long) is true.
Result<Tensor> compress(const Tensor& x, const Tensor& condition, std::optional<int64_t> axis = {});

/// The boxes that stay, i64 [count, 3]: image, class, box. Refused: shapes that do not fit.
Result<Tensor> non_max_suppression(const Tensor& boxes, const Tensor& scores, const BoxLimits& limits);
/// The settings as attributes of an op, and back.
Attributes box_attributes(const BoxLimits& limits, int64_t count);
BoxLimits box_limits(const Attributes& attributes);

/// `values` as the attribute of known_values, whose x has their dtype.
std::vector<int64_t> expected_values(const Tensor& values);

/// A value of a graph that each step must make the same.
struct SizeCheck {
  NodeId node = kNoNode;
  ValueId found = kNoValue;
  int64_t expected = 0;
};
/// Of all nodes of these ops whose `found` is an output of the graph.
std::vector<SizeCheck> size_checks(const Graph&);
/// Refused where a step found another size; names layer and op, and both sizes.
Result<void> check_size(const Graph&, const SizeCheck&, int64_t found);

std::span<const Op* const> data_dependent_ops();

}  // namespace engine::ops
