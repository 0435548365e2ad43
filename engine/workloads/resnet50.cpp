// SPDX-License-Identifier: Apache-2.0
// resnet50: ResNet-50, inference or a training step, layers named as torchvision names them.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "engine/ops/ops.h"
#include "engine/workloads/catalog.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace {

/// K. He et al., "Deep Residual Learning for Image Recognition", CVPR 2016, table 1: blocks and
/// inner channels per stage.
struct Stage {
  int blocks;
  int64_t channels;
};
constexpr std::array<Stage, 4> kStages{{{3, 64}, {4, 128}, {6, 256}, {3, 512}}};
/// A bottleneck's output has this many times its inner channels.
constexpr int64_t kExpansion = 4;

/// What all layers of one network share.
struct Net {
  GraphBuilder& builder;
  DType dtype;
  bool training;
  bool stride_in_3x3;

  ValueId conv(ValueId x, std::string_view name, int64_t out, int64_t kernel, int64_t stride) const;
  ValueId batch_norm(ValueId x, std::string_view name) const;
  ValueId bottleneck(ValueId x, int64_t channels, int64_t stride) const;
  ValueId fully_connected(ValueId x, int64_t classes) const;
};

/// Without bias, padded to keep the extents; weights normal with variance 2 / (out * kernel^2):
/// He's initialisation by fan-out.
ValueId Net::conv(ValueId x, std::string_view name, int64_t out, int64_t kernel,
                  int64_t stride) const {
  if (builder.failed()) return kNoValue;
  const LayerScope layer(builder, name);
  const int64_t in = builder.type(x).shape[1];
  const double deviation = std::sqrt(2.0 / static_cast<double>(out * kernel * kernel));
  const ValueId weight =
      weight_parameter(builder, builder.layer() + ".weight", {out, in, kernel, kernel},
                       Fill{Fill::Kind::normal, 0, deviation}, dtype, training);
  ops::Conv2dOptions options;
  options.stride = {stride, stride};
  options.padding.fill(kernel / 2);
  return ops::conv2d(builder, x, weight, kNoValue, options);
}

ValueId Net::batch_norm(ValueId x, std::string_view name) const {
  if (builder.failed()) return kNoValue;
  const LayerScope layer(builder, name);
  const TensorType type =
      TensorType::contiguous(statistics_dtype(dtype), {builder.type(x).shape[1]});
  const std::string& path = builder.layer();
  const ValueId scale = builder.parameter(path + ".weight", type, Fill{Fill::Kind::ones});
  const ValueId bias = builder.parameter(path + ".bias", type, Fill{Fill::Kind::zeros});
  const ValueId mean =
      builder.state(path + ".running_mean", type, Fill{Fill::Kind::zeros}, Role::weight);
  const ValueId variance =
      builder.state(path + ".running_var", type, Fill{Fill::Kind::ones}, Role::weight);
  const ops::BatchNormOptions options;
  if (!training)
    return ops::batch_norm_inference(builder, x, scale, bias, mean, variance, options.epsilon);
  return ops::batch_norm_training(builder, x, scale, bias, mean, variance, options);
}

/// 1x1 reduces, 3x3 works, 1x1 expands; the shortcut is projected where its shape differs.
ValueId Net::bottleneck(ValueId x, int64_t channels, int64_t stride) const {
  if (builder.failed()) return kNoValue;
  const int64_t out = channels * kExpansion;
  const bool projected = stride != 1 || builder.type(x).shape[1] != out;
  ValueId y = conv(x, "conv1", channels, 1, stride_in_3x3 ? 1 : stride);
  y = ops::relu(builder, batch_norm(y, "bn1"));
  y = conv(y, "conv2", channels, 3, stride_in_3x3 ? stride : 1);
  y = ops::relu(builder, batch_norm(y, "bn2"));
  y = batch_norm(conv(y, "conv3", out, 1, 1), "bn3");
  ValueId shortcut = x;
  if (projected) {
    const LayerScope layer(builder, "downsample");
    shortcut = batch_norm(conv(x, "0", out, 1, stride), "1");
  }
  return ops::relu(builder, ops::add(builder, y, shortcut));
}

/// Weights and bias uniform in +-1/sqrt(fan_in), as torch.nn.Linear starts them.
ValueId Net::fully_connected(ValueId x, int64_t classes) const {
  if (builder.failed()) return kNoValue;
  const LayerScope layer(builder, "fc");
  const int64_t in = builder.type(x).shape[1];
  const double bound = 1 / std::sqrt(static_cast<double>(in));
  const Fill fill{Fill::Kind::uniform, -bound, bound};
  const ValueId weight =
      weight_parameter(builder, "fc.weight", {classes, in}, fill, dtype, training);
  const ValueId bias = weight_parameter(builder, "fc.bias", {classes}, fill, dtype, training);
  return ops::linear(builder, x, weight, bias);
}

/// All but the classifier; notes what the stem and each bottleneck put out.
ValueId features(const Net& net, ValueId images, std::vector<ValueId>& block_outputs) {
  GraphBuilder& builder = net.builder;
  ValueId x = net.conv(images, "conv1", 64, 7, 2);
  x = net.batch_norm(x, "bn1");
  {
    const LayerScope layer(builder, "relu");
    x = ops::relu(builder, x);
  }
  {
    const LayerScope layer(builder, "maxpool");
    ops::Pool2dOptions options;
    options.kernel = {3, 3};
    options.stride = {2, 2};
    options.padding.fill(1);
    x = ops::max_pool2d(builder, x, options);
    block_outputs.push_back(x);
  }
  for (size_t stage = 0; stage < kStages.size(); ++stage) {
    for (int block = 0; block < kStages[stage].blocks; ++block) {
      const LayerScope layer(builder, fmt::format("layer{}.{}", stage + 1, block));
      x = net.bottleneck(x, kStages[stage].channels, stage > 0 && block == 0 ? 2 : 1);
      block_outputs.push_back(x);
    }
  }
  const LayerScope layer(builder, "avgpool");
  return ops::flatten(builder, ops::global_average_pool(builder, x));
}

void build(GraphBuilder& builder, const Arguments& arguments) {
  const Net net{builder, dtype_argument(arguments), is_training(arguments),
                text_argument(arguments, "stride") == "3x3"};
  const int64_t batch = integer_argument(arguments, "batch");
  const int64_t side = integer_argument(arguments, "image_size");
  const Shape image_shape{batch, 3, side, side};

  const ValueId images = builder.input("images", TensorType::channels_last(net.dtype, image_shape),
                                       Fill{Fill::Kind::normal, 0, 1});
  std::vector<ValueId> block_outputs;
  const ValueId pooled = features(net, images, block_outputs);
  const ValueId logits = net.fully_connected(pooled, integer_argument(arguments, "classes"));
  finish_classifier(builder, logits, arguments, block_outputs);
}

}  // namespace

Workload resnet50_workload() {
  Workload workload;
  workload.name = "resnet50";
  workload.title = "ResNet-50";
  workload.description =
      "The 50-layer residual network of He et al. on random images: 25.6 million parameters, 53 "
      "convolutions bound by "
      "arithmetic, and batch norms, ReLUs and additions bound by memory between them.";
  workload.parameters = {
      batch_parameter(4),
      mode_parameter({"training", "inference"}),
      dtype_parameter(),
      choice_parameter("stride", "Stride in",
                       "Which convolution of a bottleneck halves the image: the 3x3 (torchvision; "
                       "8,178 MFLOP forward per "
                       "image) or the first 1x1 (the paper; 7,716 MFLOP).",
                       {"3x3", "1x1"}),
      integer_parameter("image_size", "Image size", "Height and width of the images.", 224,
                        "pixels", 1, 65536),
      integer_parameter("classes", "Classes", "Outputs of the last layer.", 1000, "classes", 1,
                        1 << 24)};
  for (Parameter& parameter : optimizer_parameters("0.1", "0.9"))
    workload.parameters.push_back(std::move(parameter));
  workload.parameters.push_back(checkpointing_parameter("the stem and the 16 bottlenecks"));
  workload.presets = {{"shi2016",
                       "ResNet-50 of Shi et al. 2016: batch 16, stride in the 1x1",
                       {{"batch", "16"},
                        {"mode", "training"},
                        {"stride", "1x1"},
                        {"learning_rate", "0.01"},
                        {"momentum", "0"}}}};
  workload.build = build;
  return workload;
}

}  // namespace engine
