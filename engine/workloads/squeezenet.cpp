// SPDX-License-Identifier: Apache-2.0
// squeezenet: SqueezeNet 1.0.
#include <fmt/format.h>

#include <array>

#include "engine/workloads/catalog.h"
#include "engine/workloads/classifier.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace layers {
namespace {

/// F. N. Iandola et al., "SqueezeNet", arXiv 1602.07360, table 1: fire2 to fire9 squeeze to so many channels, then
/// expand to so many by 1x1 and as many by 3x3 filters.
struct Fire {
  int64_t squeeze, expand;
  bool pool_after;
};
constexpr std::array<Fire, 8> kFires{{{16, 64, false},
                                      {16, 64, false},
                                      {32, 128, true},
                                      {32, 128, false},
                                      {48, 192, false},
                                      {48, 192, false},
                                      {64, 256, true},
                                      {64, 256, false}}};

LayerSpec fire(std::string name, const Fire& f) {
  return block(std::move(name), {with_bias(conv("squeeze", f.squeeze, 1)), relu("squeeze"),
                                 concat("expand", {{with_bias(conv("1x1", f.expand, 1)), relu("1x1")},
                                                   {with_bias(conv("3x3", f.expand, 3)), relu("3x3")}})});
}

Sequence network(int64_t classes) {
  Sequence net{with_bias(padded(conv("conv1", 96, 7, 2), 0)), relu("conv1"), max_pool("pool1", 3, 2, 0, true)};
  for (size_t i = 0; i < kFires.size(); ++i) {
    net.push_back(fire(fmt::format("fire{}", i + 2), kFires[i]));
    if (kFires[i].pool_after) net.push_back(max_pool(fmt::format("pool{}", i + 2), 3, 2, 0, true));
  }
  extend(net, {with_bias(conv("conv10", classes, 1)), relu("conv10"), global_average_pool("avgpool")});
  return net;
}

}  // namespace
}  // namespace layers

namespace {

void build_squeezenet(GraphBuilder& builder, const Arguments& arguments) {
  build_classifier(builder, arguments, layers::network(integer_argument(arguments, "classes")));
}

}  // namespace

Workload squeezenet_workload() {
  Workload workload;
  workload.name = "squeezenet";
  workload.title = "SqueezeNet 1.0";
  workload.description =
      "AlexNet's accuracy with 1.25 million parameters, fifty times fewer: they fit in a cache, the activations do "
      "not. Few weights "
      "are not few bytes moved. Without dropout.";
  workload.parameters = classifier_parameters({.batch = 4, .stretches = "the pools and the eight fire modules"});
  workload.small = {{"batch", "1"}, {"image_size", "32"}, {"classes", "5"}};
  workload.build = build_squeezenet;
  return workload;
}

}  // namespace engine
