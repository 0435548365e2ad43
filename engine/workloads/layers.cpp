// SPDX-License-Identifier: Apache-2.0
// Layers as data: what each kind of layer appends, and the short forms.
#include "engine/workloads/layers.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "engine/ops/dropout.h"
#include "engine/ops/indexing.h"
#include "engine/ops/math.h"
#include "engine/ops/ops.h"
#include "engine/workloads/parameters.h"
#include "engine/workloads/sequence_layers.h"

namespace engine {
namespace layers {
namespace {

LayerSpec pool(LayerKind kind, std::string name, int64_t kernel, int64_t stride, int64_t padding, bool ceil_mode) {
  return {.kind = kind,
          .name = std::move(name),
          .kernel = kernel,
          .stride = stride,
          .padding = padding,
          .ceil_mode = ceil_mode};
}

}  // namespace

LayerSpec conv(std::string name, int64_t filters, int64_t kernel, int64_t stride) {
  return {.kind = LayerKind::conv2d,
          .name = std::move(name),
          .units = filters,
          .kernel = kernel,
          .stride = stride,
          .padding = kernel / 2};
}
LayerSpec linear(std::string name, int64_t outputs) {
  return {.kind = LayerKind::linear, .name = std::move(name), .units = outputs, .bias = true};
}
LayerSpec batch_norm(std::string name) { return {.kind = LayerKind::batch_norm, .name = std::move(name)}; }
LayerSpec relu(std::string name) { return {.kind = LayerKind::relu, .name = std::move(name)}; }
LayerSpec max_pool(std::string name, int64_t kernel, int64_t stride, int64_t padding, bool ceil_mode) {
  return pool(LayerKind::max_pool, std::move(name), kernel, stride, padding, ceil_mode);
}
LayerSpec average_pool(std::string name, int64_t kernel, int64_t stride, int64_t padding, bool ceil_mode) {
  return pool(LayerKind::average_pool, std::move(name), kernel, stride, padding, ceil_mode);
}
LayerSpec global_average_pool(std::string name) {
  return {.kind = LayerKind::global_average_pool, .name = std::move(name)};
}
LayerSpec flatten(std::string name) { return {.kind = LayerKind::flatten, .name = std::move(name)}; }
LayerSpec block(std::string name, Sequence body) {
  return {.kind = LayerKind::block, .name = std::move(name), .branches = {std::move(body)}};
}
LayerSpec residual(std::string name, Sequence body, Sequence shortcut) {
  return {.kind = LayerKind::residual, .name = std::move(name), .branches = {std::move(body), std::move(shortcut)}};
}
LayerSpec concat(std::string name, std::vector<Sequence> branches) {
  return {.kind = LayerKind::concat, .name = std::move(name), .branches = std::move(branches)};
}
LayerSpec with_bias(LayerSpec layer) {
  layer.bias = true;
  return layer;
}
LayerSpec padded(LayerSpec layer, int64_t padding) {
  layer.padding = padding;
  return layer;
}
void extend(Sequence& sequence, Sequence more) {
  for (LayerSpec& layer : more) sequence.push_back(std::move(layer));
}

}  // namespace layers

namespace {

ops::Pool2dOptions pool_options(const LayerSpec& layer) {
  ops::Pool2dOptions options;
  options.kernel.fill(layer.kernel);
  options.stride.fill(layer.stride);
  options.padding.fill(layer.padding);
  options.ceil_mode = layer.ceil_mode;
  return options;
}

}  // namespace

LayerBuilder::LayerBuilder(GraphBuilder& builder, const Arguments& arguments)
    : LayerBuilder(builder, dtype_argument(arguments), is_training(arguments)) {}

ValueId LayerBuilder::images(const Shape& shape) {
  return builder_.input("images", TensorType::channels_last(dtype_, shape), Fill{Fill::Kind::normal, 0, 1});
}

ValueId LayerBuilder::append(ValueId x, std::span<const LayerSpec> sequence) {
  for (const LayerSpec& layer : sequence) x = append(x, layer);
  return x;
}

ValueId LayerBuilder::append(ValueId x, const LayerSpec& layer) {
  if (builder_.failed()) return kNoValue;
  if (layer.name.empty()) {
    x = append_kind(x, layer);
  } else {
    const LayerScope scope(builder_, layer.name);
    x = append_kind(x, layer);
  }
  if (builder_.failed() && failed_at_ == nullptr) failed_at_ = &layer;
  return builder_.failed() ? kNoValue : x;
}

ValueId LayerBuilder::append_kind(ValueId x, const LayerSpec& layer) {
  switch (layer.kind) {
    case LayerKind::conv2d: return conv2d(x, layer);
    case LayerKind::linear: return linear(x, "", layer.units, layer.bias);
    case LayerKind::batch_norm: return batch_norm(x);
    case LayerKind::relu: return ops::relu(builder_, x);
    case LayerKind::relu6: return ops::clip(builder_, x, 0.0, 6.0);
    case LayerKind::sigmoid: return ops::sigmoid(builder_, x);
    case LayerKind::tanh: return ops::tanh(builder_, x);
    case LayerKind::gelu: return ops::gelu(builder_, x);
    case LayerKind::dropout: return dropout(x, layer);
    case LayerKind::max_pool: return ops::max_pool2d(builder_, x, pool_options(layer));
    case LayerKind::average_pool: return ops::average_pool2d(builder_, x, pool_options(layer));
    case LayerKind::global_average_pool: return ops::flatten(builder_, ops::global_average_pool(builder_, x));
    case LayerKind::flatten: return ops::flatten(builder_, x);
    case LayerKind::block: return append(x, layer.branches.front());
    case LayerKind::embedding: return embedding_layer(*this, x, layer.vocabulary, layer.units);
    case LayerKind::lstm: return lstm_layer(*this, x, layer.units, layer.all_steps);
    case LayerKind::attention: return attention_layer(*this, x, layer.heads, layer.causal);
    case LayerKind::layer_norm: return layer_norm_layer(*this, x);
    case LayerKind::subsample: return subsample(x, layer);
    case LayerKind::concat: return ops::concat(builder_, branches(x, layer), 1);
    case LayerKind::residual: {
      const std::vector<ValueId> summands = branches(x, layer);
      ValueId sum = summands.front();
      for (size_t i = 1; i < summands.size(); ++i) sum = ops::add(builder_, sum, summands[i]);
      return sum;
    }
  }
  return kNoValue;
}

ValueId LayerBuilder::dropout(ValueId x, const LayerSpec& layer) {
  if (!training_ || layer.ratio == 0) return x;
  if (draw_ == kNoValue) {
    draw_ = ops::next_draw(
        builder_, builder_.state("dropout.draws", TensorType::contiguous(DType::int64, {}), Fill{Fill::Kind::zeros}));
  }
  return builder_.failed() ? kNoValue : ops::dropout(builder_, x, draw_, layer.ratio, dropouts_++);
}

std::vector<ValueId> LayerBuilder::branches(ValueId x, const LayerSpec& layer) {
  std::vector<ValueId> results;
  for (const layers::Sequence& branch : layer.branches) results.push_back(append(x, branch));
  return results;
}

bool LayerBuilder::takes_images(ValueId x, std::string_view kind) {
  const TensorType& type = builder_.type(x);
  if (type.rank() == 4) return true;
  builder_.fail(usage_error(fmt::format("[{}] works on images [batch, channels, height, width], but its operand is {}",
                                        kind, to_string(type))));
  return false;
}

ValueId LayerBuilder::weight(std::string_view name, Shape shape, const Fill& fill) {
  const std::string& layer = builder_.layer();
  return weight_parameter(builder_, layer.empty() ? std::string(name) : fmt::format("{}.{}", layer, name),
                          std::move(shape), fill, dtype_, training_);
}

/// Weights normal with variance 2 / fan (K. He et al., "Delving Deep into Rectifiers", ICCV 2015): fan-out, filters per
/// group * kernel^2, where a batch norm follows, which sets the scale of activations itself. A bias says that none
/// does: then fan-in, channels that come in per group * kernel^2, where that is larger, so that activations grow from
/// layer to layer neither forwards nor backwards.
ValueId LayerBuilder::conv2d(ValueId x, const LayerSpec& layer) {
  if (!takes_images(x, "conv2d")) return kNoValue;
  const int64_t in = builder_.type(x).shape[1];
  const int64_t groups = layer.groups == LayerSpec::kDepthwise ? in : layer.groups;
  if (groups < 1 || in % groups != 0 || layer.units % groups != 0) {
    return builder_.fail(usage_error(fmt::format(
        "[conv2d] {} groups must divide the {} channels that come in and the {} filters", groups, in, layer.units)));
  }
  const double area = static_cast<double>(layer.kernel) * static_cast<double>(layer.kernel);
  const int64_t fan = layer.bias ? std::max(in, layer.units) : layer.units;
  const double deviation = std::sqrt(2.0 / (static_cast<double>(fan / groups) * area));
  const ValueId filters =
      weight("weight", {layer.units, in / groups, layer.kernel, layer.kernel}, Fill{Fill::Kind::normal, 0, deviation});
  const ValueId bias = layer.bias ? weight("bias", {layer.units}, Fill{Fill::Kind::zeros}) : kNoValue;
  ops::Conv2dOptions options;
  options.stride.fill(layer.stride);
  options.padding.fill(layer.padding);
  options.groups = groups;
  return ops::conv2d(builder_, x, filters, bias, options);
}

ValueId LayerBuilder::linear(ValueId x, std::string_view name, int64_t outputs, bool bias) {
  if (builder_.failed()) return kNoValue;
  if (!name.empty()) {
    const LayerScope scope(builder_, name);
    return linear(x, "", outputs, bias);
  }
  const Shape shape = builder_.type(x).shape;
  if (shape.size() < 2) {
    return builder_.fail(usage_error(
        fmt::format("[linear] works on [batch, values], but its operand is {}", to_string(builder_.type(x)))));
  }
  const int64_t in = shape.back();
  const double bound = 1 / std::sqrt(static_cast<double>(in));
  const Fill fill{Fill::Kind::uniform, -bound, bound};
  const ValueId matrix = weight("weight", {outputs, in}, fill);
  const ValueId shift = bias ? weight("bias", {outputs}, fill) : kNoValue;
  if (shape.size() == 2) return ops::linear(builder_, x, matrix, shift);
  Shape result = shape;
  result.back() = outputs;
  return ops::reshape(builder_, ops::linear(builder_, ops::reshape(builder_, x, {-1, in}), matrix, shift), result);
}

ValueId LayerBuilder::batch_norm(ValueId x) {
  if (!takes_images(x, "batch_norm")) return kNoValue;
  const TensorType type = TensorType::contiguous(statistics_dtype(dtype_), {builder_.type(x).shape[1]});
  const std::string& path = builder_.layer();
  const ValueId scale = builder_.parameter(path + ".weight", type, Fill{Fill::Kind::ones});
  const ValueId bias = builder_.parameter(path + ".bias", type, Fill{Fill::Kind::zeros});
  const ValueId mean = builder_.state(path + ".running_mean", type, Fill{Fill::Kind::zeros}, Role::weight);
  const ValueId variance = builder_.state(path + ".running_var", type, Fill{Fill::Kind::ones}, Role::weight);
  const ops::BatchNormOptions options;
  if (!training_) return ops::batch_norm_inference(builder_, x, scale, bias, mean, variance, options.epsilon);
  return ops::batch_norm_training(builder_, x, scale, bias, mean, variance, options);
}

ValueId LayerBuilder::subsample(ValueId x, const LayerSpec& layer) {
  if (!takes_images(x, "subsample")) return kNoValue;
  const Shape shape = builder_.type(x).shape;
  const int64_t missing = layer.units - shape[1];
  for (const int64_t axis : {2, 3}) {
    x = ops::slice(builder_, x, axis, 0, shape[static_cast<size_t>(axis)], layer.stride);
  }
  return missing == 0 ? x : ops::pad(builder_, x, {0, 0, 0, 0}, {0, missing, 0, 0});
}

}  // namespace engine
