// SPDX-License-Identifier: Apache-2.0
// densenet: DenseNet-121, layers named as torchvision names them.
#include <fmt/format.h>

#include <array>

#include "engine/workloads/catalog.h"
#include "engine/workloads/classifier.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace layers {
namespace {

/// G. Huang et al., "Densely Connected Convolutional Networks", CVPR 2017, table 1: layers per block.
constexpr std::array<int, 4> kLayers{6, 12, 24, 16};
/// Channels that each layer adds, and how many times as many its 1x1 convolution makes on the way.
constexpr int64_t kGrowth = 32, kBottleneck = 4;
constexpr int64_t kStem = 64;

/// Its operand, joined with the channels it adds.
LayerSpec dense_layer(std::string name) {
  return concat(std::move(name), {{},
                                  {batch_norm("norm1"), relu(), conv("conv1", kBottleneck * kGrowth, 1),
                                   batch_norm("norm2"), relu(), conv("conv2", kGrowth, 3)}});
}

Sequence network(int64_t classes) {
  Sequence net{conv("conv0", kStem, 7, 2), batch_norm("norm0"), relu("relu0"), max_pool("pool0", 3, 2, 1)};
  int64_t channels = kStem;
  for (size_t b = 0; b < kLayers.size(); ++b) {
    for (int i = 1; i <= kLayers[b]; ++i)
      net.push_back(dense_layer(fmt::format("denseblock{}.denselayer{}", b + 1, i)));
    channels += kLayers[b] * kGrowth;
    if (b + 1 == kLayers.size()) break;
    channels /= 2;
    net.push_back(block(fmt::format("transition{}", b + 1),
                        {batch_norm("norm"), relu(), conv("conv", channels, 1), average_pool("pool", 2, 2)}));
  }
  extend(net, {batch_norm("norm5"), relu("relu5"), global_average_pool("avgpool"), linear("classifier", classes)});
  return net;
}

}  // namespace
}  // namespace layers

namespace {

void build_densenet(GraphBuilder& builder, const Arguments& arguments) {
  build_classifier(builder, arguments, layers::network(integer_argument(arguments, "classes")));
}

}  // namespace

Workload densenet_workload() {
  Workload workload;
  workload.name = "densenet";
  workload.title = "DenseNet-121";
  workload.description =
      "Every layer reads the results of all layers before it in its block: 8.0 million parameters. "
      "Concatenations and "
      "batch norms, bound by memory, outweigh the convolutions.";
  workload.parameters =
      classifier_parameters({.batch = 4, .stretches = "the first pool, the 58 dense layers and the transitions"});
  workload.small = {{"batch", "1"}, {"image_size", "32"}, {"classes", "5"}};
  workload.build = build_densenet;
  return workload;
}

}  // namespace engine
