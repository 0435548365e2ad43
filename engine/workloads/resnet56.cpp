// SPDX-License-Identifier: Apache-2.0
// resnet56: the 56-layer residual network for CIFAR-10 as Shi et al. ran it.
#include <fmt/format.h>

#include "engine/workloads/catalog.h"
#include "engine/workloads/classifier.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace layers {
namespace {

/// K. He et al., "Deep Residual Learning for Image Recognition", CVPR 2016, section 4.2, with n = 9 and shortcuts
/// without weights, as the Torch script of Shi et al. has it: the sum is not followed by a ReLU.
constexpr int kBlocks = 9;

LayerSpec basic_block(std::string name, int64_t channels, int64_t stride) {
  Sequence shortcut;
  if (stride != 1) shortcut = {{.kind = LayerKind::subsample, .name = "shortcut", .units = channels, .stride = stride}};
  return residual(std::move(name),
                  {with_bias(conv("conv1", channels, 3, stride)), batch_norm("bn1"), relu(),
                   with_bias(conv("conv2", channels, 3)), batch_norm("bn2")},
                  std::move(shortcut));
}

Sequence network(int64_t classes) {
  Sequence net{with_bias(conv("conv1", 16, 3)), batch_norm("bn1"), relu("relu")};
  for (const int stage : {1, 2, 3}) {
    for (int i = 0; i < kBlocks; ++i) {
      net.push_back(basic_block(fmt::format("layer{}.{}", stage, i), int64_t{8} << stage, stage > 1 && i == 0 ? 2 : 1));
    }
  }
  extend(net, {global_average_pool("avgpool"), linear("fc", classes)});
  return net;
}

}  // namespace
}  // namespace layers

namespace {

void build_resnet56(GraphBuilder& builder, const Arguments& arguments) {
  build_classifier(builder, arguments, layers::network(integer_argument(arguments, "classes")));
}

}  // namespace

Workload resnet56_workload() {
  Workload workload;
  workload.name = "resnet56";
  workload.title = "ResNet-56";
  workload.description =
      "The narrow, deep residual network for 32 x 32 images: 0.85 million weights and 251 MFLOP "
      "per image in 55 small "
      "convolutions. Batch norms, ReLUs and additions, bound by memory, take a large share of the "
      "time.";
  workload.parameters =
      classifier_parameters({.batch = 32, .image_size = 32, .classes = 10, .stretches = "the 27 blocks"});
  workload.presets = {{"shi2016",
                       "ResNet-56 of Shi et al. 2016: CIFAR-10, batch 128",
                       {{"batch", "128"}, {"mode", "training"}, {"learning_rate", "0.01"}, {"momentum", "0.9"}}}};
  workload.small = {{"batch", "2"}, {"image_size", "8"}, {"classes", "5"}};
  workload.build = build_resnet56;
  return workload;
}

}  // namespace engine
