// SPDX-License-Identifier: Apache-2.0
// Random numbers of a model: constants, drawn once when the model is read.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <optional>

#include "engine/onnx/convert_words.h"
#include "engine/onnx/operators.h"
#include "engine/onnx/tensor_proto.h"
#include "engine/ops/casting.h"
#include "engine/ops/compare.h"
#include "engine/ops/math.h"
#include "engine/ops/ops.h"
#include "engine/ops/reduce.h"
#include "engine/tensor/random.h"

namespace engine::onnx {
namespace {

constexpr int64_t kMostRandom = int64_t{1} << 28;

/// Numbers as `how` says; `seed` of the attribute, else each node's own.
std::optional<Tensor> drawn(NodeContext& node, const Shape& shape, DType dtype, const Fill& how) {
  const double given = node.real("seed", 0);
  const auto seed = std::bit_cast<uint64_t>(given);
  if (!node.failed() && !is_floating(dtype))
    node.fail(fmt::format("attribute dtype: {} is no type of real numbers", name(dtype)));
  if (const Result<void> fits = check_shape(shape, dtype); !fits) node.fail(fits.error().message);
  if (!node.failed() && *element_count(shape) > kMostRandom)
    node.fail(fmt::format("{} random numbers, at most {} are supported", *element_count(shape), kMostRandom));
  if (node.failed()) return std::nullopt;
  Result<Tensor> tensor = Tensor::empty(TensorType::contiguous(dtype, shape));
  if (!tensor) {
    node.fail(tensor.error().message);
    return std::nullopt;
  }
  fill(*tensor, how, seed, std::hash<std::string>{}(node.output_name(0)));
  node.note(fmt::format("{}: its random numbers were drawn once, when the model was read; every step has the same",
                        node.op_type()));
  return std::move(*tensor);
}

/// The attribute of that name; `fallback` without it.
DType read_dtype(NodeContext& node, DType fallback) {
  if (!node.has_attribute("dtype")) return fallback;
  const Result<DType> dtype = to_dtype(static_cast<int32_t>(node.integer("dtype", 1, 0, 1 << 16)));
  if (dtype) return *dtype;
  node.fail("attribute dtype: " + dtype.error().message);
  return fallback;
}

/// Of an attribute, or of input 0.
Shape read_shape(NodeContext& node, bool like) {
  return like ? node.input_type(0).shape : Shape(node.integers("shape", {}, 0, kHighestInt));
}

void convert_drawn(NodeContext& node, bool like, const Fill& how) {
  const Shape shape = read_shape(node, like);
  const DType dtype = read_dtype(node, like ? node.input_type(0).dtype : DType::float32);
  if (std::optional<Tensor> tensor = drawn(node, shape, dtype, how)) node.set_constant(std::move(*tensor));
}

}  // namespace

void convert_random_normal(NodeContext& node, bool like) {
  const double mean = node.real("mean", 0), scale = node.real("scale", 1);
  convert_drawn(node, like, {Fill::Kind::normal, mean, scale});
}

void convert_random_uniform(NodeContext& node, bool like) {
  const double low = node.real("low", 0), high = node.real("high", 1);
  if (!node.failed() && !(low <= high)) node.fail(fmt::format("attribute low: {} is above high, {}", low, high));
  convert_drawn(node, like, {Fill::Kind::uniform, low, high});
}

/// 1 where a number from [0, 1) is below the probability.
void convert_bernoulli(NodeContext& node) {
  const TensorType type = node.input_type(0);
  const DType dtype = read_dtype(node, type.dtype);
  const ValueId probability = node.input(0);
  const std::optional<Tensor> numbers = drawn(node, type.shape, DType::float32, {Fill::Kind::uniform, 0, 1});
  if (!numbers) return;
  GraphBuilder& builder = node.builder();
  const ValueId number = builder.constant("drawn", *numbers, Role::input);
  node.set_output(
      ops::cast(builder, ops::less(builder, number, ops::cast(builder, probability, DType::float32)), dtype));
}

/// Gumbel's way: the largest of log probability - log(-log(u)) is each class as often as its probability says.
void convert_multinomial(NodeContext& node) {
  const TensorType type = node.input_type(0);
  const int64_t samples = node.integer("sample_size", 1, 1, kMostRandom);
  const int64_t made = node.integer("dtype", 6, 6, 7);
  const ValueId logs = node.input(0);
  if (!node.failed() && (type.rank() != 2 || !is_floating(type.dtype)))
    node.fail(fmt::format("input 0 is {}; it must be [batch, classes] of log probabilities", to_string(type)));
  if (node.failed()) return;
  const std::optional<Tensor> numbers =
      drawn(node, {type.shape[0], samples, type.shape[1]}, DType::float32, {Fill::Kind::uniform, 0, 1});
  if (!numbers) return;
  GraphBuilder& builder = node.builder();
  const ValueId u = ops::clip(builder, builder.constant("drawn", *numbers, Role::input), 1e-7, 1 - 1e-7);
  const ValueId gumbel = ops::negate(builder, ops::log(builder, ops::negate(builder, ops::log(builder, u))));
  const ValueId scores =
      ops::add(builder, ops::unsqueeze(builder, ops::cast(builder, logs, DType::float32), 1), gumbel);
  node.set_output(ops::cast(builder, ops::argmax(builder, scores, 2), made == 6 ? DType::int32 : DType::int64));
}

}  // namespace engine::onnx
