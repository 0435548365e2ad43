// SPDX-License-Identifier: Apache-2.0
// resnet50: ResNet-50, inference or a training step, layers named as torchvision names them.
#include <fmt/format.h>

#include <array>

#include "engine/workloads/catalog.h"
#include "engine/workloads/classifier.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace layers {
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

/// 1x1 reduces, 3x3 works, 1x1 expands; the shortcut is projected where its shape differs.
LayerSpec bottleneck(std::string name, int64_t channels, int64_t stride, bool projected, bool stride_in_3x3) {
  const int64_t out = channels * kExpansion;
  Sequence shortcut;
  if (projected) shortcut = {conv("downsample.0", out, 1, stride), batch_norm("downsample.1")};
  return block(std::move(name), {residual("",
                                          {conv("conv1", channels, 1, stride_in_3x3 ? 1 : stride), batch_norm("bn1"),
                                           relu(), conv("conv2", channels, 3, stride_in_3x3 ? stride : 1),
                                           batch_norm("bn2"), relu(), conv("conv3", out, 1), batch_norm("bn3")},
                                          std::move(shortcut)),
                                 relu()});
}

Sequence network(bool stride_in_3x3, int64_t classes) {
  Sequence net{conv("conv1", 64, 7, 2), batch_norm("bn1"), relu("relu"), max_pool("maxpool", 3, 2, 1)};
  for (size_t stage = 0; stage < kStages.size(); ++stage) {
    for (int i = 0; i < kStages[stage].blocks; ++i) {
      const int64_t stride = stage > 0 && i == 0 ? 2 : 1;
      net.push_back(
          bottleneck(fmt::format("layer{}.{}", stage + 1, i), kStages[stage].channels, stride, i == 0, stride_in_3x3));
    }
  }
  extend(net, {global_average_pool("avgpool"), linear("fc", classes)});
  return net;
}

}  // namespace
}  // namespace layers

namespace {

void build_resnet50(GraphBuilder& builder, const Arguments& arguments) {
  build_classifier(
      builder, arguments,
      layers::network(text_argument(arguments, "stride") == "3x3", integer_argument(arguments, "classes")));
}

}  // namespace

Workload resnet50_workload() {
  Workload workload;
  workload.name = "resnet50";
  workload.title = "ResNet-50";
  workload.description =
      "The 50-layer residual network of He et al. on random images: 25.6 million parameters. Its "
      "53 convolutions are "
      "bound by arithmetic, the batch norms, ReLUs and additions between them by memory.";
  workload.parameters =
      classifier_parameters({.batch = 4, .learning_rate = "0.1", .stretches = "the stem and the 16 bottlenecks"});
  workload.parameters.push_back(
      choice_parameter("stride", "Stride in",
                       "Which convolution of a bottleneck halves the image: the 3x3 (torchvision; "
                       "8,178 MFLOP forward per "
                       "image) or the first 1x1 (the paper; 7,716 MFLOP).",
                       {"3x3", "1x1"}));
  workload.presets = {
      {"shi2016",
       "ResNet-50 of Shi et al. 2016: batch 16, stride in the 1x1",
       {{"batch", "16"}, {"mode", "training"}, {"stride", "1x1"}, {"learning_rate", "0.01"}, {"momentum", "0"}}}};
  workload.small = {{"batch", "2"}, {"image_size", "32"}, {"classes", "5"}};
  workload.build = build_resnet50;
  return workload;
}

}  // namespace engine
