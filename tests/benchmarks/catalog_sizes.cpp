// SPDX-License-Identifier: Apache-2.0
// Grows examples, lays operands out, and lists sizes for ops whose attributes fix the extents.
#include "tests/benchmarks/catalog_sizes.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "engine/ops/ops.h"

namespace benchmarks {
namespace {

using engine::Attributes;
using engine::DType;
using engine::Shape;
using engine::TensorType;
using test::Operand;
using test::OpExample;
using Ints = std::vector<int64_t>;

constexpr double kWantedBytes = 8 << 20, kMostFlops = 2e9, kMostCubic = 2e8;

struct Size {
  double bytes = 0, flops = 0;
};
/// Nothing where the op refuses it.
std::optional<Size> size_of(const engine::Op& op, const OpExample& example) {
  std::vector<TensorType> inputs;
  for (const Operand& operand : example.inputs) inputs.push_back(test::with_dtype(operand.type, DType::float32));
  for (const TensorType& type : inputs) {
    if (!engine::element_count(type.shape) || type.elements() > (int64_t{1} << 26)) return {};
  }
  const auto outputs = op.infer(inputs, example.attributes);
  if (!outputs) return {};
  Size size;
  for (const auto* list : {static_cast<const std::vector<TensorType>*>(&inputs), &*outputs}) {
    for (const TensorType& type : *list)
      size.bytes += static_cast<double>(type.elements()) * static_cast<double>(engine::size_bytes(type.dtype));
  }
  size.flops = op.cost({example.attributes, inputs, *outputs}).flops;
  return size;
}

/// The same order of the axes in memory, for a new shape.
TensorType resized(const TensorType& type, const Shape& shape) {
  TensorType other{type.dtype, shape, engine::dense_strides_like(shape, type.strides)};
  for (size_t i = 0; i < shape.size(); ++i) {
    if (type.strides[i] == 0 && type.shape[i] > 1) other.strides[i] = 0;
  }
  return engine::is_dense(other.shape, other.strides) ? other : TensorType::contiguous(type.dtype, shape);
}

OpExample with_extents_doubled(const OpExample& example, const std::set<int64_t>& extents) {
  OpExample more = example;
  for (Operand& operand : more.inputs) {
    Shape shape = operand.type.shape;
    for (int64_t& extent : shape) {
      if (extents.contains(extent)) extent *= 2;
    }
    operand.type = resized(operand.type, shape);
  }
  return more;
}

/// All sets of one, two and three of the example's extents.
std::vector<std::set<int64_t>> sets_of_extents(const OpExample& example) {
  std::set<int64_t> found;
  for (const Operand& operand : example.inputs) found.insert(operand.type.shape.begin(), operand.type.shape.end());
  found.erase(0), found.erase(1);
  const std::vector<int64_t> all(found.begin(), found.end());
  std::vector<std::set<int64_t>> sets;
  for (const int64_t a : all) sets.push_back({a});
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t j = i + 1; j < all.size(); ++j) sets.push_back({all[i], all[j]});
  }
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t j = i + 1; j < all.size(); ++j) {
      for (size_t k = j + 1; k < all.size(); ++k) sets.push_back({all[i], all[j], all[k]});
    }
  }
  return sets;
}

Operand rows(Shape shape, double low = -1, double high = 1) {
  return {TensorType::contiguous(DType::float64, std::move(shape)), {engine::Fill::Kind::uniform, low, high}};
}

Attributes window(size_t axes, int64_t stride, int64_t padding, int64_t groups = 1) {
  return {{"stride", Ints(axes, stride)},
          {"padding", Ints(2 * axes, padding)},
          {"dilation", Ints(axes, 1)},
          {"groups", groups}};
}

struct Convolution {
  const char* label;
  Shape x, weight, y;
  Attributes attributes;
};
std::vector<Convolution> convolutions(bool volumes) {
  if (volumes) {
    return {{"3x3x3", {2, 32, 16, 28, 28}, {32, 32, 3, 3, 3}, {2, 32, 16, 28, 28}, window(3, 1, 1)},
            {"1x1x1", {2, 64, 16, 28, 28}, {64, 64, 1, 1, 1}, {2, 64, 16, 28, 28}, window(3, 1, 0)},
            {"3x3x3, stride 2", {2, 32, 16, 28, 28}, {64, 32, 3, 3, 3}, {2, 64, 8, 14, 14}, window(3, 2, 1)}};
  }
  return {{"3x3", {4, 64, 56, 56}, {64, 64, 3, 3}, {4, 64, 56, 56}, window(2, 1, 1)},
          {"1x1", {4, 256, 56, 56}, {64, 256, 1, 1}, {4, 64, 56, 56}, window(2, 1, 0)},
          {"3x3, stride 2", {4, 128, 56, 56}, {128, 128, 3, 3}, {4, 128, 28, 28}, window(2, 2, 1)},
          {"7x7, three channels", {4, 3, 224, 224}, {64, 3, 7, 7}, {4, 64, 112, 112}, window(2, 2, 3)},
          {"depthwise 3x3", {4, 96, 56, 56}, {96, 1, 3, 3}, {4, 96, 56, 56}, window(2, 1, 1, 96)},
          {"depthwise 7x7", {4, 96, 56, 56}, {96, 1, 7, 7}, {4, 96, 56, 56}, window(2, 1, 3, 96)},
          {"four groups", {4, 128, 28, 28}, {128, 32, 3, 3}, {4, 128, 28, 28}, window(2, 1, 1, 4)}};
}

/// Examples whose sizes are written down, since attributes fix them or windows would grow with the images.
std::vector<OpExample> listed(std::string_view op) {
  std::vector<OpExample> list;
  const auto add = [&](std::string label, std::vector<Operand> inputs, Attributes attributes = {}) {
    list.push_back({std::string(op), std::move(label), std::move(inputs), std::move(attributes)});
  };
  if (op == "conv2d" || op == "conv3d") {
    for (const Convolution& c : convolutions(op == "conv3d"))
      add(c.label, {rows(c.x), rows(c.weight), rows({c.weight[0]})}, c.attributes);
  } else if (op == "conv2d_grad_input" || op == "conv3d_grad_input") {
    for (const Convolution& c : convolutions(op == "conv3d_grad_input")) {
      Attributes a = c.attributes;
      a.set("input_shape", c.x), a.set("input_strides", engine::contiguous_strides(c.x));
      add(c.label, {rows(c.y), rows(c.weight)}, a);
    }
  } else if (op == "conv2d_grad_weight" || op == "conv3d_grad_weight") {
    for (const Convolution& c : convolutions(op == "conv3d_grad_weight")) {
      Attributes a = c.attributes;
      a.set("weight_shape", c.weight), a.set("weight_strides", engine::contiguous_strides(c.weight));
      add(c.label, {rows(c.y), rows(c.x)}, a);
    }
  } else if (op == "slice_grad") {
    add("middle of the second axis", {rows({64, 128, 256})},
        {{"axis", int64_t{1}},
         {"start", int64_t{64}},
         {"end", int64_t{192}},
         {"step", int64_t{1}},
         {"input_shape", Ints{64, 256, 256}},
         {"input_strides", Ints{65536, 256, 1}}});
  } else if (op == "relayout") {
    add("to channels last", {rows({8, 64, 56, 56})}, {{"strides", Ints{200704, 1, 3584, 64}}});
    add("to column-major", {rows({1024, 1024})}, {{"strides", Ints{1, 1024}}});
  } else if (op == "cholesky") {
    add("one number each", {rows({65536, 1, 1}, 0.5, 2)});
  } else if (op == "qlinear_conv" || op == "conv_integer") {
    const std::vector<OpExample> shapes = test::examples_of(op);
    if (!shapes.empty()) {
      OpExample example = shapes.front();
      example.label = "64 channels, 3x3";
      example.attributes = window(2, 1, 1);
      example.inputs[0].type = TensorType::contiguous(example.inputs[0].type.dtype, {2, 64, 28, 28});
      const size_t weight = op == "qlinear_conv" ? 3 : 1;
      example.inputs[weight].type = TensorType::contiguous(example.inputs[weight].type.dtype, {64, 64, 3, 3});
      for (size_t i = weight + 1; i < example.inputs.size(); ++i) {
        if (example.inputs[i].type.rank() == 1 && example.inputs[i].type.elements() > 1)
          example.inputs[i].type = TensorType::contiguous(example.inputs[i].type.dtype, {64});
      }
      const engine::Op* found = engine::find_op(op);
      if (found != nullptr && size_of(*found, example)) list.push_back(example);
    }
  }
  const engine::Op* found = engine::find_op(op);
  std::erase_if(list, [&](const OpExample& example) { return found == nullptr || !size_of(*found, example); });
  return list;
}

/// Cubic in an extent: sizes of real problems are small.
bool is_cubic(std::string_view op) {
  static const std::set<std::string_view> ops{"cholesky", "determinant", "eigh", "inverse", "qr", "solve", "svd"};
  return ops.contains(op);
}

bool same(const OpExample& a, const OpExample& b) {
  return a.attributes == b.attributes &&
         std::ranges::equal(a.inputs, b.inputs, [](const Operand& x, const Operand& y) { return x.type == y.type; });
}

}  // namespace

std::string_view name(OperandLayout layout) {
  constexpr std::string_view names[] = {"plain", "chunk", "transposed"};
  return names[static_cast<size_t>(layout)];
}

OpExample grown(const OpExample& example) {
  const engine::Op& op = *engine::find_op(example.op);
  const double most = is_cubic(example.op) ? kMostCubic : kMostFlops;
  OpExample best = example;
  // The smallest extents first, so that no axis becomes much longer than the others.
  for (;;) {
    const auto now = size_of(op, best);
    std::optional<OpExample> chosen;
    int64_t least = std::numeric_limits<int64_t>::max();
    for (const std::set<int64_t>& extents : sets_of_extents(best)) {
      if (!now || *extents.rbegin() >= least) continue;
      OpExample next = with_extents_doubled(best, extents);
      const auto size = size_of(op, next);
      if (!size || size->bytes <= now->bytes || size->bytes > kWantedBytes * 1.5 || size->flops > most) continue;
      chosen = std::move(next);
      least = *extents.rbegin();
    }
    if (!chosen) break;
    best = *std::move(chosen);
  }
  return best;
}

std::vector<OpExample> measured_examples(std::string_view op) {
  std::vector<OpExample> examples = listed(op);
  if (!examples.empty()) return examples;
  for (const OpExample& example : test::examples_of(op)) {
    const OpExample more = grown(example);
    const auto empty = [](const Operand& operand) { return operand.type.elements() == 0; };
    if (std::ranges::any_of(more.inputs, empty) ||
        std::ranges::any_of(examples, [&](const OpExample& e) { return same(e, more); }))
      continue;
    examples.push_back(more);
  }
  return examples;
}

std::optional<OpExample> laid_out(const OpExample& example, OperandLayout layout) {
  if (layout == OperandLayout::plain) return example;
  OpExample other = example;
  bool differs = false;
  for (Operand& operand : other.inputs) {
    TensorType& type = operand.type;
    if (type.elements() < 2 || !engine::is_dense(type.shape, type.strides)) continue;
    if (layout == OperandLayout::transposed) {
      engine::Strides strides(type.shape.size());
      int64_t next = 1;
      for (size_t i = 0; i < strides.size(); ++i) strides[i] = next, next *= type.shape[i];
      differs = differs || strides != type.strides;
      type.strides = strides;
      continue;
    }
    Shape wide = type.shape;
    const size_t axis = std::min<size_t>(1, wide.size() - 1);
    wide[axis] *= 2;
    type.strides = engine::contiguous_strides(wide);
    if (wide.size() == 1) type.strides[0] = 2;
    differs = true;
  }
  return differs ? std::optional(other) : std::nullopt;
}

}  // namespace benchmarks
