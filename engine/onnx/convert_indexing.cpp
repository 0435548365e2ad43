// SPDX-License-Identifier: Apache-2.0
// Operators that join, cut, pick and place elements.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "engine/onnx/convert_words.h"
#include "engine/onnx/operators.h"
#include "engine/onnx/tensor_proto.h"
#include "engine/ops/casting.h"
#include "engine/ops/data_dependent.h"
#include "engine/ops/indexing.h"
#include "engine/ops/ops.h"

namespace engine::onnx {
namespace {

/// Elements of a range, which are written out.
constexpr double kLongestRange = 1 << 24;

std::string read_reduction(NodeContext& node) {
  const std::string reduction = node.text("reduction", "none");
  for (const char* known : {"none", "add", "mul", "max", "min"}) {
    if (reduction == known) return reduction;
  }
  node.fail("attribute reduction: must be none, add, mul, max or min");
  return "none";
}

/// Sizes for `count` pieces, the last one smaller where the extent is no multiple.
std::vector<int64_t> even_sizes(NodeContext& node, int64_t extent, int64_t count) {
  const int64_t size = (extent + count - 1) / count;
  if (size * (count - 1) > extent) {
    node.fail(fmt::format("{} elements cannot be split into {} pieces", extent, count));
    return {};
  }
  std::vector<int64_t> sizes(static_cast<size_t>(count), size);
  sizes.back() = extent - size * (count - 1);
  return sizes;
}

/// Fails where an index that is known at import lies outside of its axis. `extent_at(k)`: of the axis that element k
/// counts along.
template <class Extent>
void check_known_indices(NodeContext& node, size_t input, const Extent& extent_at) {
  if (node.failed()) return;
  const DType dtype = node.input_type(input).dtype;
  const std::optional<Tensor> known = is_floating(dtype) ? std::nullopt : node.constant_tensor(input);
  if (!known) return;
  for (int64_t k = 0; k < known->type().elements(); ++k) {
    const double index = known->get_flat(k);
    const auto extent = static_cast<double>(extent_at(k));
    if (index >= -extent && index < extent) continue;
    return node.fail(
        fmt::format("input {} (indices): {} is no index along an axis of {} elements", input, index, extent));
  }
}

/// The same of GatherND and ScatterND: a line of indices names the leading axes behind `batch_dims`.
void check_known_places(NodeContext& node, int64_t batch_dims) {
  const Shape x = node.input_type(0).shape, indices = node.input_type(1).shape;
  if (node.failed() || indices.empty()) return;
  const int64_t length = indices.back();
  if (length < 1 || batch_dims + length > static_cast<int64_t>(x.size())) return;  // refused by the op
  check_known_indices(node, 1, [&](int64_t k) { return x[static_cast<size_t>(batch_dims + k % length)]; });
}

/// And of one axis.
void check_known_along(NodeContext& node, int64_t axis) {
  const Shape x = node.input_type(0).shape;
  check_known_indices(node, 1, [&](int64_t) { return x[static_cast<size_t>(axis)]; });
}

}  // namespace

void convert_concat(NodeContext& node) {
  std::vector<ValueId> values;
  for (size_t i = 0; i < node.input_count(); ++i) values.push_back(node.input(i));
  if (node.opset() >= 4 && !node.has_attribute("axis")) node.fail("attribute axis: is missing");
  const int64_t axis = read_axis(node, "axis", 1, node.input_type(0).rank());
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  // Pieces without elements, such as what a rotation of all features leaves over, are not moved.
  const auto has_elements = [&](ValueId id) {
    const TensorType &type = builder.type(id), &first = builder.type(values.front());
    Shape shape = type.shape;
    if (shape.size() != first.shape.size() || shape[static_cast<size_t>(axis)] != 0) return true;
    shape[static_cast<size_t>(axis)] = first.shape[static_cast<size_t>(axis)];
    return shape != first.shape || type.dtype != first.dtype;  // refused by the op
  };
  std::vector<ValueId> pieces;
  std::ranges::copy_if(values, std::back_inserter(pieces), has_elements);
  if (!pieces.empty()) values = std::move(pieces);
  node.set_output(values.size() == 1 ? ops::copy(builder, values[0]) : ops::concat(builder, values, axis));
}

void convert_split(NodeContext& node) {
  const TensorType type = node.input_type(0);
  const int64_t axis = read_axis(node, "axis", 0, type.rank());
  const auto outputs = static_cast<int64_t>(node.output_count());
  std::vector<int64_t> sizes = node.integers("split", {}, 0, kHighestInt);
  const int64_t count = node.integer("num_outputs", outputs, 1, 1 << 16);
  if (node.has_input(1)) sizes = node.constant_integers(1, "split");
  const ValueId x = node.input(0);
  if (node.failed()) return;
  if (sizes.empty()) sizes = even_sizes(node, type.shape[static_cast<size_t>(axis)], count);
  if (static_cast<int64_t>(sizes.size()) != outputs)
    node.fail(fmt::format("split names {} pieces, the node has {} outputs", sizes.size(), outputs));
  if (node.failed()) return;
  const std::vector<ValueId> pieces = ops::split(node.builder(), x, sizes, axis);
  if (node.failed()) return;
  for (size_t i = 0; i < pieces.size(); ++i) node.set_output(pieces[i], i);
}

void convert_pad(NodeContext& node) {
  ops::PadOptions options;
  options.mode = node.text("mode", "constant");
  const auto rank = static_cast<size_t>(node.input_type(0).rank());
  std::vector<int64_t> pads, axes(rank);
  std::iota(axes.begin(), axes.end(), int64_t{0});
  if (node.opset() < 11) {
    pads = node.integers(node.opset() < 2 ? "paddings" : "pads", {}, kLowestInt / 4, kHighestInt / 4);
    options.value = node.real("value", 0);
  } else {
    pads = node.constant_integers(1, "pads");
    if (node.has_input(2)) options.value = node.constant_real(2, "constant_value");
    if (node.has_input(3)) axes = node.constant_integers(3, "axes");
  }
  const ValueId x = node.input(0);
  if (node.failed()) return;
  if (pads.size() != 2 * axes.size())
    return node.fail(fmt::format("pads: has {} entries, {} axes need {}", pads.size(), axes.size(), 2 * axes.size()));
  std::vector<int64_t> before(rank, 0), after(rank, 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(front_axis(node, axes[i], static_cast<int64_t>(rank), "axes"));
    if (node.failed()) return;
    before[axis] = pads[i];
    after[axis] = pads[i + axes.size()];
  }
  node.set_output(ops::pad(node.builder(), x, before, after, options));
}

/// Crops or pads around the middle.
void convert_center_crop_pad(NodeContext& node) {
  const Shape shape = node.input_type(0).shape;
  std::vector<int64_t> axes(shape.size());
  std::iota(axes.begin(), axes.end(), int64_t{0});
  axes = node.integers("axes", axes, -kLargestRank, kLargestRank - 1);
  const std::vector<int64_t> wanted = node.constant_integers(1, "shape");
  if (!node.failed() && wanted.size() != axes.size())
    node.fail(fmt::format("input 1 (shape): has {} extents for {} axes", wanted.size(), axes.size()));
  const ValueId x = node.input(0);
  std::vector<int64_t> before(shape.size(), 0), after(shape.size(), 0);
  for (size_t i = 0; i < axes.size() && !node.failed(); ++i) {
    const auto axis = static_cast<size_t>(front_axis(node, axes[i], static_cast<int64_t>(shape.size()), "axes"));
    if (wanted[i] < 0) node.fail(fmt::format("input 1 (shape): {} is negative", wanted[i]));
    if (node.failed()) return;
    before[axis] = (wanted[i] - shape[axis]) / 2;
    after[axis] = wanted[i] - shape[axis] - before[axis];
  }
  if (!node.failed()) node.set_output(ops::pad(node.builder(), x, before, after));
}

/// Indices known at import that lie evenly apart, as a slice of an axis of `extent` elements.
struct EvenIndices {
  int64_t start = 0, end = 0, step = 1;
  bool is_scalar = false;
};
std::optional<EvenIndices> even_indices(NodeContext& node, size_t input, int64_t extent) {
  if (node.failed() || is_floating(node.input_type(input).dtype)) return {};
  const std::optional<Tensor> known = node.constant_tensor(input);
  if (!known || known->type().rank() > 1 || known->type().elements() == 0) return {};
  std::vector<int64_t> places;
  for (int64_t k = 0; k < known->type().elements(); ++k) {
    const auto index = static_cast<int64_t>(known->get_flat(k));
    places.push_back(index < 0 ? index + extent : index);
  }
  const int64_t step = places.size() > 1 ? places[1] - places[0] : 1;
  if (step < 1) return {};
  for (size_t k = 1; k < places.size(); ++k) {
    if (places[k] - places[k - 1] != step) return {};
  }
  return EvenIndices{places.front(), places.back() + 1, step, known->type().rank() == 0};
}

/// Where the indices are known and evenly apart (q, k and v of one product, a last time step), the result is a view:
/// nothing is moved.
void convert_gather(NodeContext& node) {
  const int64_t axis = read_axis(node, "axis", 0, node.input_type(0).rank());
  check_known_along(node, axis);
  const ValueId x = node.input(0);
  if (node.failed()) return;
  if (const auto even = even_indices(node, 1, node.input_type(0).shape[static_cast<size_t>(axis)])) {
    const ValueId part = ops::slice(node.builder(), x, axis, even->start, even->end, even->step);
    return node.set_output(even->is_scalar ? ops::squeeze(node.builder(), part, axis) : part);
  }
  const ValueId indices = node.input(1);
  if (!node.failed()) node.set_output(ops::gather(node.builder(), x, indices, axis));
}

void convert_gather_elements(NodeContext& node) {
  const int64_t axis = read_axis(node, "axis", 0, node.input_type(0).rank());
  check_known_along(node, axis);
  const ValueId x = node.input(0), indices = node.input(1);
  if (!node.failed()) node.set_output(ops::gather_elements(node.builder(), x, indices, axis));
}

void convert_gather_nd(NodeContext& node) {
  const int64_t batch_dims = node.integer("batch_dims", 0, 0, kLargestRank);
  check_known_places(node, batch_dims);
  const ValueId x = node.input(0), indices = node.input(1);
  if (!node.failed()) node.set_output(ops::gather_nd(node.builder(), x, indices, batch_dims));
}

void convert_scatter_elements(NodeContext& node) {
  const std::string reduction = read_reduction(node);
  const int64_t axis = read_axis(node, "axis", 0, node.input_type(0).rank());
  check_known_along(node, axis);
  const ValueId x = node.input(0), indices = node.input(1), updates = node.input(2);
  if (node.failed()) return;
  // Data may give nothing to place.
  const bool nothing = node.input_type(1).elements() == 0 && node.input_type(1).shape == node.input_type(2).shape;
  node.set_output(nothing ? ops::copy(node.builder(), x)
                          : ops::scatter_elements(node.builder(), x, indices, updates, axis, reduction));
}

void convert_scatter_nd(NodeContext& node) {
  const std::string reduction = read_reduction(node);
  check_known_places(node, 0);
  const ValueId x = node.input(0), indices = node.input(1), updates = node.input(2);
  if (!node.failed()) node.set_output(ops::scatter_nd(node.builder(), x, indices, updates, reduction));
}

void convert_one_hot(NodeContext& node) {
  const std::vector<double> depth = node.constant_reals(1, "depth");
  const std::vector<double> values = node.constant_reals(2, "values");
  const int64_t axis = node.integer("axis", -1, -kLargestRank, kLargestRank - 1);
  const DType dtype = node.input_type(2).dtype;
  ValueId indices = node.input(0);
  if (node.failed()) return;
  if (depth.size() != 1 || !(depth[0] >= 1 && depth[0] <= 1e15))
    return node.fail("input 1 (depth): must be one positive number");
  if (values.size() != 2) return node.fail("input 2 (values): must have two elements, off and on");
  const DType index = node.builder().type(indices).dtype;
  if (index != DType::int64 && index != DType::int32) indices = ops::cast(node.builder(), indices, DType::int64);
  node.set_output(ops::one_hot(node.builder(), indices, static_cast<int64_t>(depth[0]),
                               {.axis = axis, .on = values[1], .off = values[0], .dtype = dtype}));
}

void convert_top_k(NodeContext& node) {
  const int64_t k = node.opset() < 10 ? node.integer("k", -1, 0, kHighestInt) : node.constant_integer(1, "K");
  ops::TopKOptions options;
  options.axis = read_axis(node, "axis", -1, node.input_type(0).rank());
  options.largest = node.flag("largest", true);
  options.sorted = node.flag("sorted", true);
  const ValueId x = node.input(0);
  if (node.failed()) return;
  const ops::TopK top = ops::top_k(node.builder(), x, k, options);
  node.set_output(top.values);
  node.set_output(top.indices, 1);
}

void convert_tile(NodeContext& node) {
  if (node.opset() < 6) return node.fail("is supported from opset 6 on");
  const std::vector<int64_t> repeats = node.constant_integers(1, "repeats");
  const ValueId x = node.input(0);
  if (!node.failed()) node.set_output(ops::tile(node.builder(), x, repeats));
}

void convert_trilu(NodeContext& node) {
  const bool upper = node.flag("upper", true);
  const int64_t k = node.has_input(1) ? node.constant_integer(1, "k") : 0;
  const ValueId x = node.input(0);
  if (!node.failed()) node.set_output(ops::triangle(node.builder(), x, upper, k));
}

void convert_eye_like(NodeContext& node) {
  const TensorType type = node.input_type(0);
  DType dtype = type.dtype;
  if (node.has_attribute("dtype")) {
    const Result<DType> given = to_dtype(static_cast<int32_t>(node.integer("dtype", 1, 0, 1 << 16)));
    if (!given) return node.fail("attribute dtype: " + given.error().message);
    dtype = *given;
  }
  const int64_t k = node.integer("k", 0, kLowestInt, kHighestInt);
  const ValueId ones = filled(node, 1, dtype, type.shape);
  if (node.failed()) return;
  node.set_output(ops::triangle(node.builder(), ops::triangle(node.builder(), ones, true, k), false, k));
}

void convert_depth_to_space(NodeContext& node) {
  const int64_t block = node.integer("blocksize", 0, 1, 1 << 20);
  const std::string mode = node.text("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") node.fail("attribute mode: must be DCR or CRD");
  const ValueId x = node.input(0);
  if (!node.failed()) node.set_output(ops::depth_to_space(node.builder(), x, block, mode));
}

void convert_space_to_depth(NodeContext& node) {
  const int64_t block = node.integer("blocksize", 0, 1, 1 << 20);
  const std::string mode = node.text("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") node.fail(fmt::format("attribute mode: {} is neither DCR nor CRD", mode));
  const ValueId x = node.input(0);
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  ValueId y = ops::space_to_depth(builder, x, block);
  if (mode == "CRD" && !node.failed()) {
    const Shape whole = builder.type(y).shape, in = builder.type(x).shape;
    const ValueId split = ops::reshape(builder, y, {whole[0], block * block, in[1], whole[2], whole[3]});
    y = ops::reshape(builder, ops::contiguous(builder, ops::permute(builder, split, {0, 2, 1, 3, 4})), whole);
  }
  if (!node.failed()) node.set_output(y);
}

void convert_reverse_sequence(NodeContext& node) {
  const int64_t rank = node.input_type(0).rank();
  const int64_t batch_axis = read_axis(node, "batch_axis", 1, rank), time_axis = read_axis(node, "time_axis", 0, rank);
  const ValueId x = node.input(0), lengths = node.input(1);
  if (!node.failed()) node.set_output(ops::reverse_sequence(node.builder(), x, lengths, batch_axis, time_axis));
}

void convert_range(NodeContext& node) {
  const double start = node.constant_real(0, "start"), limit = node.constant_real(1, "limit");
  const double delta = node.constant_real(2, "delta");
  const DType dtype = node.input_type(0).dtype;
  if (!node.failed() && delta == 0) node.fail("input 2 (delta): is 0");
  if (!node.failed() && !((limit - start) / delta <= kLongestRange))
    node.fail(fmt::format("from {} to {} by {} are more than {} elements", start, limit, delta, kLongestRange));
  if (!node.failed()) node.set_output(ops::range(node.builder(), start, limit, delta, dtype));
}

/// Where the condition is known at import the rest is gathering.
void convert_compress(NodeContext& node) {
  const std::optional<Tensor> condition = node.elements(1, "condition");
  const bool flat = !node.has_attribute("axis");
  const int64_t axis = flat ? 0 : read_axis(node, "axis", 0, node.input_type(0).rank());
  ValueId x = node.input(0);
  if (node.failed()) return;
  std::vector<int64_t> places;
  for (int64_t i = 0; i < condition->type().elements(); ++i) {
    if (condition->get_flat(i) != 0) places.push_back(i);
  }
  GraphBuilder& builder = node.builder();
  if (!node.input_slot(1)->constant) {
    const auto count = static_cast<int64_t>(places.size());
    return node.set_output(node.append_sized(ops::kCompress, {x, node.input(1)},
                                             {{"count", count}, {"axis", axis}, {"flat", int64_t{flat}}})[0]);
  }
  if (flat) x = ops::reshape(builder, x, {-1});
  const ValueId indices = vector_of(node, places);
  if (!node.failed()) node.set_output(ops::gather(builder, x, indices, axis));
}

void convert_non_zero(NodeContext& node) {
  const std::optional<Tensor> x = node.elements(0, "X");
  const ValueId value = node.input(0);
  if (node.failed()) return;
  const Result<Tensor> places = ops::non_zero(*x);
  if (!places) return node.fail(places.error().message);
  node.set_output(node.append_sized(ops::kNonZero, {value}, {{"count", places->shape()[1]}})[0]);
}

void convert_unique(NodeContext& node) {
  const bool sorted = node.flag("sorted", true);
  std::optional<int64_t> axis;
  if (node.has_attribute("axis")) axis = read_axis(node, "axis", 0, node.input_type(0).rank());
  const std::optional<Tensor> x = node.elements(0, "X");
  const ValueId value = node.input(0);
  if (node.failed()) return;
  const Result<ops::Unique> unique = ops::unique(*x, axis, sorted);
  if (!unique) return node.fail(unique.error().message);
  const std::vector<ValueId> made = node.append_sized(ops::kUnique, {value},
                                                      {{"count", unique->counts.type().elements()},
                                                       {"axis", axis.value_or(0)},
                                                       {"flat", int64_t{!axis}},
                                                       {"sorted", int64_t{sorted}}});
  for (size_t i = 0; i < 4 && !node.failed(); ++i) node.set_output(made[i], i);
}

}  // namespace engine::onnx
