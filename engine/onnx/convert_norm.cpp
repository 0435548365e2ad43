// SPDX-License-Identifier: Apache-2.0
// Normalisation.
#include <fmt/format.h>

#include <array>

#include "engine/onnx/convert_words.h"
#include "engine/onnx/operators.h"
#include "engine/ops/norms.h"
#include "engine/ops/ops.h"

namespace engine::onnx {
namespace {

/// [C] as [C, 1, ...], to be broadcast to [N, C, ...].
ValueId along_channels(GraphBuilder& builder, ValueId vector, int64_t rank) {
  for (int64_t axis = 2; axis < rank; ++axis) vector = ops::unsqueeze(builder, vector, axis - 1);
  return vector;
}

/// The batch's own statistics, and the running ones as further outputs; their variance is the biased one, unlike
/// PyTorch's.
void convert_batch_norm_training(NodeContext& node, const std::array<ValueId, 5>& inputs, double epsilon,
                                 double momentum) {
  const auto [x, scale, bias, running_mean, running_variance] = inputs;
  GraphBuilder& builder = node.builder();
  const TensorType type = builder.type(x);
  if (type.rank() < 2) return node.fail("input 0: has no channels");
  std::vector<int64_t> axes;
  int64_t count = 1;
  for (int64_t axis = 0; axis < type.rank(); ++axis) {
    if (axis == 1) continue;
    axes.push_back(axis);
    count *= type.shape[static_cast<size_t>(axis)];
  }
  const double share = 1 / static_cast<double>(std::max<int64_t>(count, 1));
  const ValueId mean = ops::scale(builder, ops::sum(builder, x, axes), share);
  const ValueId centred = ops::subtract(builder, x, along_channels(builder, mean, type.rank()));
  const ValueId variance =
      ops::scale(builder, ops::sum(builder, ops::multiply(builder, centred, centred), axes), share);
  if (node.failed()) return;
  node.set_output(ops::batch_norm_inference(builder, x, scale, bias, mean, variance, epsilon));
  const auto running = [&](ValueId old, ValueId now) {
    return ops::scaled_add(builder, ops::scale(builder, old, momentum), now, 1 - momentum);
  };
  if (node.has_output(1)) node.set_output(running(running_mean, mean), 1);
  if (node.has_output(2)) node.set_output(running(running_variance, variance), 2);
}

}  // namespace

void convert_batch_normalization(NodeContext& node) {
  const double epsilon = node.real("epsilon", 1e-5);
  const double momentum = node.real("momentum", 0.9);
  const bool training = node.integer("training_mode", 0, 0, 1) != 0;
  if (node.opset() < 7 && !node.flag("is_test", false)) {
    node.fail("attribute is_test: must be 1; imported models run inference");
  }
  ignore_old(node);
  if (node.integer("spatial", 1, 0, 1) != 1) node.fail("attribute spatial: only 1 is supported");
  std::array<ValueId, 5> inputs{};
  for (size_t i = 0; i < inputs.size(); ++i) inputs[i] = node.input(i);
  if (node.failed()) return;
  if (training) return convert_batch_norm_training(node, inputs, epsilon, momentum);
  const auto [x, scale, bias, mean, variance] = inputs;
  node.set_output(ops::batch_norm_inference(node.builder(), x, scale, bias, mean, variance, epsilon));
}

void convert_layer_normalization(NodeContext& node) {
  const int64_t axis = read_axis(node, "axis", -1, node.input_type(0).rank());
  const double epsilon = node.real("epsilon", 1e-5);
  if (node.integer("stash_type", 1, 0, 16) != 1) node.fail("attribute stash_type: only 1 (f32) is supported");
  std::vector<ValueId> inputs{node.input(0), node.input(1)};
  if (node.has_input(2)) inputs.push_back(node.input(2));
  if (node.failed()) return;
  const std::vector<ValueId> outputs =
      node.builder().append(ops::kLayerNorm, inputs, {{"axis", axis}, {"epsilon", epsilon}});
  if (node.failed()) return;
  for (size_t i = 0; i < 3; ++i) node.set_output(outputs[i], i);
}

namespace {

/// The image that x [N, groups, ...] shows with all channels of a group as one, as exporters write a group norm. None:
/// there is none whose channels lie side by side, which a reshape has to copy and the kernels take as it is.
std::optional<ValueId> grouped_image(const GraphBuilder& builder, ValueId x) {
  const std::optional<ValueId> image = reshaped_from(builder, x);
  if (!image) return std::nullopt;
  const TensorType &of = builder.type(*image), &as = builder.type(x);
  const bool whole = of.rank() > 2 && as.rank() > 2 && of.elements() > 0 && of.shape[0] == as.shape[0] &&
                     of.shape[1] % as.shape[1] == 0;
  return whole && has_channels_last(of.shape, of.strides) && !is_contiguous(of.shape, of.strides) ? image
                                                                                                  : std::nullopt;
}

}  // namespace

void convert_instance_normalization(NodeContext& node) {
  ignore_old(node);
  const double epsilon = node.real("epsilon", 1e-5);
  const ValueId x = node.input(0), scale = node.input(1), bias = node.input(2);
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  if (const auto image = grouped_image(builder, x)) {
    const Shape shape = builder.type(x).shape;
    const int64_t channels = builder.type(*image).shape[1], per_group = channels / shape[1];
    const auto of_channels = [&](ValueId vector) { return repeated_along(node, vector, 0, per_group, channels); };
    if (builder.type(scale).shape == Shape{shape[1]} && builder.type(bias).shape == Shape{shape[1]}) {
      node.leave_out_unread(x);
      const ValueId y = ops::group_norm(builder, *image, of_channels(scale), of_channels(bias), shape[1], epsilon);
      return node.set_output(ops::reshape(builder, y, shape));
    }
  }
  node.set_output(ops::instance_norm(node.builder(), x, scale, bias, epsilon));
}

void convert_group_normalization(NodeContext& node) {
  const int64_t groups = node.integer("num_groups", 0, 1, kHighestInt);
  const double epsilon = node.real("epsilon", 1e-5);
  if (node.opset() < 21)
    return node.fail("is supported from opset 21 on, where scale and bias have one element per channel");
  node.ignore("stash_type");
  const ValueId x = node.input(0), scale = node.input(1), bias = node.input(2);
  if (!node.failed()) node.set_output(ops::group_norm(node.builder(), x, scale, bias, groups, epsilon));
}

void convert_lrn(NodeContext& node) {
  const int64_t size = node.integer("size", 0, 1, 1 << 20);
  const double alpha = node.real("alpha", 1e-4), beta = node.real("beta", 0.75), bias = node.real("bias", 1);
  const ValueId x = node.input(0);
  if (!node.failed()) node.set_output(ops::local_response_norm(node.builder(), x, size, alpha, beta, bias));
}

}  // namespace engine::onnx
