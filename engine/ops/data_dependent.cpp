// SPDX-License-Identifier: Apache-2.0
// Results whose sizes depend on the elements: computed on the host, and as ops of sizes that are known.
#include "engine/ops/data_dependent.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "engine/ops/cost.h"
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

Result<void> check_boxes(const TensorType& boxes, const TensorType& scores) {
  OperandCheck check("non_max_suppression", {}, {});
  if (!check.that(boxes.rank() == 3 && scores.rank() == 3, "boxes and scores must have three axes, got {} and {}",
                  to_string(boxes.shape), to_string(scores.shape)) ||
      !check.that(boxes.shape == Shape{scores.shape[0], scores.shape[2], 4},
                  "boxes {} must be [images, boxes, 4] for scores {} [images, classes, boxes]", to_string(boxes.shape),
                  to_string(scores.shape)))
    return check.error();
  return {};
}

template <class T>
std::vector<int64_t> chosen_rows(const Tensor& boxes, const Tensor& scores, const BoxLimits& limits) {
  const std::vector<double> all_boxes = load(boxes), all_scores = load(scores);
  const std::vector<T> corners(all_boxes.begin(), all_boxes.end()), points(all_scores.begin(), all_scores.end());
  const int64_t images = scores.shape()[0], classes = scores.shape()[1], count = scores.shape()[2];
  std::vector<int64_t> rows;
  for (int64_t image = 0; image < images; ++image) {
    const BoxSelection<T> selection(corners.data() + image * count * 4, count, limits.centred);
    for (int64_t kind = 0; kind < classes; ++kind) {
      for (const int64_t box : selection.choose(points.data() + (image * classes + kind) * count, limits))
        rows.insert(rows.end(), {image, kind, box});
    }
  }
  return rows;
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

Result<Tensor> non_max_suppression(const Tensor& boxes, const Tensor& scores, const BoxLimits& limits) {
  if (Result<void> fit = check_boxes(boxes.type(), scores.type()); !fit) return fit.error();
  const std::vector<int64_t> rows = boxes.dtype() == DType::float64 ? chosen_rows<double>(boxes, scores, limits)
                                                                    : chosen_rows<float>(boxes, scores, limits);
  Result<Tensor> chosen =
      Tensor::empty(TensorType::contiguous(DType::int64, {static_cast<int64_t>(rows.size() / 3), 3}));
  if (chosen) store_integers(*chosen, rows);
  return chosen;
}

Attributes box_attributes(const BoxLimits& limits, int64_t count) {
  const bool limited = limits.least_score > -std::numeric_limits<double>::infinity();
  return {{"count", count},
          {"most", limits.most},
          {"iou", limits.iou},
          {"least_score", limited ? limits.least_score : 0.0},
          {"limited", int64_t{limited}},
          {"centred", int64_t{limits.centred}}};
}

BoxLimits box_limits(const Attributes& attributes) {
  BoxLimits limits;
  limits.most = attributes.get_int("most", 0);
  limits.iou = attributes.get_double("iou", 0);
  if (attributes.get_int("limited", 0) != 0) limits.least_score = attributes.get_double("least_score", 0);
  limits.centred = attributes.get_int("centred", 0) != 0;
  return limits;
}

std::vector<int64_t> expected_values(const Tensor& values) {
  if (!is_floating(values.dtype())) return load_integers(values);
  std::vector<int64_t> bits;
  for (const double value : load(values)) bits.push_back(std::bit_cast<int64_t>(value));
  return bits;
}

// ---- ops

namespace {

std::optional<int64_t> axis_in(const Attributes& attributes) {
  if (attributes.get_int("flat", 0) != 0) return std::nullopt;
  return attributes.get_int("axis", 0);
}

/// Copies what `made` has in common with y along `axis` of both; zeros the rest.
void fit_into(const Tensor& made, const Tensor& y, int64_t axis) {
  if (y.type().elements() == 0) return;
  std::memset(y.data(), 0, static_cast<size_t>(y.type().span_bytes()));
  const AxisSplit from = split_at(made.shape(), axis), to = split_at(y.shape(), axis);
  const auto bytes = static_cast<size_t>(size_bytes(y.dtype()) * to.inner);
  const auto shared = static_cast<size_t>(std::min(from.extent, to.extent));
  for (int64_t o = 0; o < to.outer && shared > 0; ++o)
    std::memcpy(y.data() + static_cast<size_t>(o * to.extent) * bytes,
                made.data() + static_cast<size_t>(o * from.extent) * bytes, shared * bytes);
}

TensorType found_type() { return TensorType::contiguous(DType::int64, {}); }

void put_found(const KernelArguments& arguments, int64_t found) { store_integers(arguments.outputs.back(), {{found}}); }

/// Elements of x that are others than expected.
int64_t unexpected(const Tensor& x, const std::vector<int64_t>& expected) {
  constexpr double kAllowed = 1e-4;
  int64_t others = 0;
  if (!is_floating(x.dtype())) {
    const std::vector<int64_t> found = load_integers(x);
    for (size_t i = 0; i < found.size(); ++i) others += found[i] != expected[i] ? 1 : 0;
    return others;
  }
  const std::vector<double> found = load(x);
  for (size_t i = 0; i < found.size(); ++i) {
    const double wanted = std::bit_cast<double>(expected[i]);
    const bool equal = found[i] == wanted || (std::isnan(found[i]) && std::isnan(wanted)) ||
                       std::abs(found[i] - wanted) <= kAllowed * std::abs(wanted);
    others += equal ? 0 : 1;
  }
  return others;
}

bool check_count(OperandCheck& check, const Attributes& attributes, int64_t most) {
  const int64_t count = attributes.get_int("count", 0);
  return check.that(count >= 0 && count <= most, "count is {}, expected 0 to {}", count, most);
}

InferResult infer_non_zero(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("non_zero", inputs, {"x"});
  if (!check.operand_count() || !check_count(check, attributes, inputs[0].elements())) return check.error();
  const Shape shape{inputs[0].rank(), attributes.get_int("count", 0)};
  if (!check.addressable("the result", DType::int64, shape)) return check.error();
  return std::vector{TensorType::contiguous(DType::int64, shape), found_type()};
}

InferResult infer_compress(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("compress", inputs, {"x", "condition"});
  if (!check.operand_count() || !check.rank(1, 1)) return check.error();
  const std::optional<int64_t> axis = axis_in(attributes);
  int64_t from_front = axis.value_or(0);
  if (axis && !check.axis(from_front, inputs[0].rank())) return check.error();
  const int64_t extent = axis ? inputs[0].shape[static_cast<size_t>(from_front)] : inputs[0].elements();
  if (!check.that(inputs[1].dtype == DType::boolean, "the condition is {}, expected bool", name(inputs[1].dtype)) ||
      !check.that(inputs[1].elements() <= extent, "the condition has {} elements, x only {}", inputs[1].elements(),
                  extent) ||
      !check_count(check, attributes, inputs[1].elements()))
    return check.error();
  Shape shape{attributes.get_int("count", 0)};
  if (axis) {
    shape = inputs[0].shape;
    shape[static_cast<size_t>(from_front)] = attributes.get_int("count", 0);
  }
  return std::vector{TensorType::contiguous(inputs[0].dtype, shape), found_type()};
}

InferResult infer_unique(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("unique", inputs, {"x"});
  if (!check.operand_count()) return check.error();
  const std::optional<int64_t> axis = axis_in(attributes);
  int64_t from_front = axis.value_or(0);
  if (axis && !check.axis(from_front, inputs[0].rank())) return check.error();
  const int64_t extent = axis ? inputs[0].shape[static_cast<size_t>(from_front)] : inputs[0].elements();
  if (!check_count(check, attributes, extent)) return check.error();
  const int64_t count = attributes.get_int("count", 0);
  Shape shape{count};
  if (axis) {
    shape = inputs[0].shape;
    shape[static_cast<size_t>(from_front)] = count;
  }
  const TensorType line = TensorType::contiguous(DType::int64, {count});
  return std::vector{TensorType::contiguous(inputs[0].dtype, shape), line,
                     TensorType::contiguous(DType::int64, {extent}), line, found_type()};
}

InferResult infer_non_max_suppression(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("non_max_suppression", inputs, {"boxes", "scores"});
  if (!check.operand_count() || !check.same_dtype() || !check.floating(0)) return check.error();
  if (Result<void> fit = check_boxes(inputs[0], inputs[1]); !fit) return fit.error();
  if (!check_count(check, attributes, inputs[1].elements())) return check.error();
  return std::vector{TensorType::contiguous(DType::int64, {attributes.get_int("count", 0), 3}), found_type()};
}

InferResult infer_known_values(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("known_values", inputs, {"x"});
  if (!check.operand_count()) return check.error();
  const auto expected = static_cast<int64_t>(attributes.get_ints("expected", {}).size());
  if (!check.that(expected == inputs[0].elements(), "{} values are expected, x has {}", expected, inputs[0].elements()))
    return check.error();
  return std::vector{found_type()};
}

Cost cost_of_elements(const Call& call) { return full_cost(call, static_cast<double>(call.inputs[0].elements())); }

/// The least: each score is compared to one limit.
Cost cost_of_scores(const Call& call) { return full_cost(call, static_cast<double>(call.inputs[1].elements())); }

Result<Unique> unique_of(const KernelArguments& arguments) {
  return unique(arguments.inputs[0], axis_in(*arguments.attributes), arguments.attributes->get_int("sorted", 1) != 0);
}
Result<Tensor> boxes_of(const KernelArguments& arguments) {
  return non_max_suppression(arguments.inputs[0], arguments.inputs[1], box_limits(*arguments.attributes));
}

/// Along which axis of the result its count is.
int64_t counted_axis(const KernelArguments& arguments) {
  const std::optional<int64_t> axis = axis_in(*arguments.attributes);
  if (!axis) return 0;
  return *axis < 0 ? *axis + arguments.inputs[0].type().rank() : *axis;
}

}  // namespace

const Op kNonZero{
    .name = "non_zero",
    .formula = "places[:, k] = the place of the k-th element of x that is not 0",
    .infer = infer_non_zero,
    .cost = cost_of_elements,
    .reference =
        [](KernelArguments& arguments) {
          const Result<Tensor> made = non_zero(arguments.inputs[0]);
          if (!made) return;
          fit_into(*made, arguments.outputs[0], 1);
          put_found(arguments, made->shape()[1]);
        },
    .attributes = {AttributeSpec::whole("count", 0)},
};

const Op kCompress{
    .name = "compress",
    .formula = "y = the slices of x along axis where condition is true",
    .infer = infer_compress,
    .cost = cost_of_elements,
    .reference =
        [](KernelArguments& arguments) {
          const Result<Tensor> made =
              compress(arguments.inputs[0], arguments.inputs[1], axis_in(*arguments.attributes));
          if (!made) return;
          fit_into(*made, arguments.outputs[0], counted_axis(arguments));
          int64_t found = 0;
          for (const int64_t flag : load_integers(arguments.inputs[1])) found += flag != 0 ? 1 : 0;
          put_found(arguments, found);
        },
    .attributes = {AttributeSpec::whole("count", 0), AttributeSpec::whole("axis", 0), AttributeSpec::whole("flat", 0)},
};

const Op kUnique{
    .name = "unique",
    .formula = "values = the distinct slices of x along axis; x = values[inverse]",
    .infer = infer_unique,
    .cost = cost_of_elements,
    .reference =
        [](KernelArguments& arguments) {
          const Result<Unique> made = unique_of(arguments);
          if (!made) return;
          fit_into(made->values, arguments.outputs[0], counted_axis(arguments));
          fit_into(made->first, arguments.outputs[1], 0);
          fit_into(made->inverse, arguments.outputs[2], 0);
          fit_into(made->counts, arguments.outputs[3], 0);
          put_found(arguments, made->counts.type().elements());
        },
    .attributes = {AttributeSpec::whole("count", 0), AttributeSpec::whole("axis", 0), AttributeSpec::whole("flat", 0),
                   AttributeSpec::whole("sorted", 1)},
};

const Op kNonMaxSuppression{
    .name = "non_max_suppression",
    .formula = "chosen = image, class and box of the best boxes, none of which shares more than iou with a better one",
    .infer = infer_non_max_suppression,
    .cost = cost_of_scores,
    .reference =
        [](KernelArguments& arguments) {
          const Result<Tensor> made = boxes_of(arguments);
          if (!made) return;
          fit_into(*made, arguments.outputs[0], 0);
          put_found(arguments, made->shape()[0]);
        },
    .attributes = {AttributeSpec::whole("count", 0), AttributeSpec::whole("most", 0), AttributeSpec::real("iou", 0.0),
                   AttributeSpec::real("least_score", 0.0), AttributeSpec::whole("limited", 0),
                   AttributeSpec::whole("centred", 0)},
};

const Op kKnownValues{
    .name = "known_values",
    .formula = "found = how many elements of x are not those that the graph was made for",
    .infer = infer_known_values,
    .cost = cost_of_elements,
    .reference =
        [](KernelArguments& arguments) {
          put_found(arguments, unexpected(arguments.inputs[0], arguments.attributes->get_ints("expected", {})));
        },
    .attributes = {AttributeSpec::list("expected", {})},
};

std::vector<SizeCheck> size_checks(const Graph& graph) {
  std::vector<SizeCheck> checks;
  for (const Node& node : graph.nodes()) {
    if (std::ranges::find(data_dependent_ops(), node.op) == data_dependent_ops().end()) continue;
    const ValueId found = node.outputs.back();
    if (std::ranges::find(graph.outputs(), found) == graph.outputs().end()) continue;
    checks.push_back({node.id, found, node.op == &kKnownValues ? 0 : node.attributes.get_int("count", 0)});
  }
  return checks;
}

Result<void> check_size(const Graph& graph, const SizeCheck& check, int64_t found) {
  if (found == check.expected) return {};
  const Node& node = graph.node(check.node);
  const std::string what =
      node.op == &kKnownValues
          ? fmt::format("{} values that decide about shapes are others than when the model was read", found)
          : fmt::format("the data give {} results, but gave {} when the model was read", found, check.expected);
  return refused_error(fmt::format("{}: [{}] {}. Run it with the inputs that it is read with, and without --fuse",
                                   node.layer, node.op->name, what));
}

std::span<const Op* const> data_dependent_ops() {
  static constexpr const Op* kOps[] = {&kNonZero, &kCompress, &kUnique, &kNonMaxSuppression, &kKnownValues};
  return kOps;
}

}  // namespace engine::ops
