// SPDX-License-Identifier: Apache-2.0
// vgg: VGG-16 and VGG-19.
#include <fmt/format.h>

#include <array>

#include "engine/workloads/catalog.h"
#include "engine/workloads/classifier.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace layers {
namespace {

/// K. Simonyan, A. Zisserman, "Very Deep Convolutional Networks for Large-Scale Image Recognition", ICLR 2015, table 1,
/// columns D (VGG-16) and E (VGG-19): 3x3 convolutions per stage.
constexpr std::array<int64_t, 5> kChannels{64, 128, 256, 512, 512};
constexpr std::array<int, 5> kConvolutions16{2, 2, 3, 3, 3}, kConvolutions19{2, 2, 4, 4, 4};

Sequence network(const std::array<int, 5>& convolutions, int64_t classes) {
  Sequence net;
  for (size_t stage = 0; stage < kChannels.size(); ++stage) {
    for (int i = 1; i <= convolutions[stage]; ++i) {
      const std::string name = fmt::format("conv{}_{}", stage + 1, i);
      extend(net, {with_bias(conv(name, kChannels[stage], 3)), relu(name)});
    }
    net.push_back(max_pool(fmt::format("pool{}", stage + 1), 2, 2));
  }
  extend(net, {flatten("flatten"), linear("fc6", 4096), relu("fc6"), linear("fc7", 4096), relu("fc7"),
               linear("fc8", classes)});
  return net;
}

}  // namespace
}  // namespace layers

namespace {

void build_vgg(GraphBuilder& builder, const Arguments& arguments) {
  const bool deep = text_argument(arguments, "depth") == "19";
  build_classifier(builder, arguments,
                   layers::network(deep ? layers::kConvolutions19 : layers::kConvolutions16,
                                   integer_argument(arguments, "classes")));
}

}  // namespace

Workload vgg_workload() {
  Workload workload;
  workload.name = "vgg";
  workload.title = "VGG-16 and VGG-19";
  workload.description =
      "Only 3x3 convolutions and 2x2 pools, then three fully connected layers. VGG-16 has 138 "
      "million parameters and "
      "31 GFLOP per image, the most of all networks here. The first layers hold the largest "
      "activations.";
  workload.parameters = classifier_parameters({.batch = 2, .stretches = "the five pools"});
  workload.parameters.push_back(choice_parameter("depth", "Depth", "Layers with weights.", {"16", "19"}));
  workload.small = {{"batch", "1"}, {"image_size", "32"}, {"classes", "5"}, {"mode", "inference"}};
  workload.build = build_vgg;
  return workload;
}

}  // namespace engine
