// SPDX-License-Identifier: Apache-2.0
// mobilenet: MobileNet v1 and v2, made of depthwise convolutions.
#include <fmt/format.h>

#include <array>

#include "engine/workloads/catalog.h"
#include "engine/workloads/classifier.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace layers {
namespace {

/// A convolution, its batch norm and its ReLU.
Sequence conv_bn_relu(const std::string& name, LayerSpec convolution, LayerKind activation) {
  const std::string norm = name.empty() ? "bn" : name + ".bn";
  convolution.name = name.empty() ? "conv" : name + ".conv";
  return {std::move(convolution), batch_norm(norm), {.kind = activation, .name = name}};
}

LayerSpec depthwise(int64_t channels, int64_t stride) {
  LayerSpec layer = conv("", channels, 3, stride);
  layer.groups = LayerSpec::kDepthwise;
  return layer;
}

/// A. G. Howard et al., "MobileNets", arXiv 1704.04861, table 1: depthwise 3x3 with a stride, then 1x1 to so many
/// channels.
struct Separable {
  int64_t stride, channels;
};
constexpr std::array<Separable, 13> kSeparables{{{1, 64},
                                                 {2, 128},
                                                 {1, 128},
                                                 {2, 256},
                                                 {1, 256},
                                                 {2, 512},
                                                 {1, 512},
                                                 {1, 512},
                                                 {1, 512},
                                                 {1, 512},
                                                 {1, 512},
                                                 {2, 1024},
                                                 {1, 1024}}};

Sequence version1(int64_t classes) {
  Sequence net = conv_bn_relu("conv1", conv("", 32, 3, 2), LayerKind::relu);
  int64_t channels = 32;
  for (size_t i = 0; i < kSeparables.size(); ++i) {
    Sequence body = conv_bn_relu("depthwise", depthwise(channels, kSeparables[i].stride), LayerKind::relu);
    extend(body, conv_bn_relu("pointwise", conv("", kSeparables[i].channels, 1), LayerKind::relu));
    net.push_back(block(fmt::format("block{}", i + 1), std::move(body)));
    channels = kSeparables[i].channels;
  }
  extend(net, {global_average_pool("avgpool"), linear("fc", classes)});
  return net;
}

/// M. Sandler et al., "MobileNetV2", CVPR 2018, table 2: expansion, channels, repeats, stride of the first.
struct Stage {
  int64_t expansion, channels;
  int repeats;
  int64_t stride;
};
constexpr std::array<Stage, 7> kStages{
    {{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}}};

/// 1x1 expands, depthwise 3x3 works, 1x1 projects without ReLU; added to its operand where the shapes agree.
LayerSpec inverted_residual(std::string name, int64_t in, const Stage& stage, int64_t stride) {
  const int64_t inner = in * stage.expansion;
  Sequence body;
  if (stage.expansion != 1) body = conv_bn_relu("expand", conv("", inner, 1), LayerKind::relu6);
  extend(body, conv_bn_relu("depthwise", depthwise(inner, stride), LayerKind::relu6));
  extend(body, {conv("project.conv", stage.channels, 1), batch_norm("project.bn")});
  if (stride != 1 || in != stage.channels) return block(std::move(name), std::move(body));
  return residual(std::move(name), std::move(body));
}

Sequence version2(int64_t classes) {
  Sequence net = conv_bn_relu("conv1", conv("", 32, 3, 2), LayerKind::relu6);
  int64_t channels = 32;
  int number = 0;
  for (const Stage& stage : kStages) {
    for (int i = 0; i < stage.repeats; ++i) {
      net.push_back(inverted_residual(fmt::format("block{}", ++number), channels, stage, i == 0 ? stage.stride : 1));
      channels = stage.channels;
    }
  }
  extend(net, conv_bn_relu("conv2", conv("", 1280, 1), LayerKind::relu6));
  extend(net, {global_average_pool("avgpool"), linear("fc", classes)});
  return net;
}

}  // namespace
}  // namespace layers

namespace {

void build_mobilenet(GraphBuilder& builder, const Arguments& arguments) {
  const int64_t classes = integer_argument(arguments, "classes");
  const bool second = text_argument(arguments, "version") == "v2";
  build_classifier(builder, arguments, second ? layers::version2(classes) : layers::version1(classes));
}

}  // namespace

Workload mobilenet_workload() {
  Workload workload;
  workload.name = "mobilenet";
  workload.title = "MobileNet";
  workload.description =
      "Depthwise convolutions do nine multiply-adds per value they read and are bound by memory; the 1x1 convolutions "
      "between them "
      "do the arithmetic. v1: 4.2 million parameters, 1.1 GFLOP per image; v2: 3.5 million, 0.6 GFLOP.";
  workload.parameters = classifier_parameters({.batch = 8, .stretches = "the blocks"});
  workload.parameters.push_back(choice_parameter(
      "version", "Version", "v1: depthwise and 1x1 in turn; v2: inverted residuals with ReLU6.", {"v2", "v1"}));
  workload.small = {{"batch", "1"}, {"image_size", "32"}, {"classes", "5"}};
  workload.build = build_mobilenet;
  return workload;
}

}  // namespace engine
