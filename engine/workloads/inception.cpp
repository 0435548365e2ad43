// SPDX-License-Identifier: Apache-2.0
// inception: GoogLeNet, the first Inception network.
#include <array>
#include <string_view>

#include "engine/workloads/catalog.h"
#include "engine/workloads/classifier.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace layers {
namespace {

/// C. Szegedy et al., "Going Deeper with Convolutions", CVPR 2015, table 1: filters of the 1x1 branch, of the reduction
/// before and of the 3x3, of the reduction before and of the 5x5, and of the projection after the pool.
struct Module {
  std::string_view name;
  int64_t one, reduce_three, three, reduce_five, five, projection;
  bool pool_before;
};
constexpr std::array<Module, 9> kModules{{{"3a", 64, 96, 128, 16, 32, 32, false},
                                          {"3b", 128, 128, 192, 32, 96, 64, false},
                                          {"4a", 192, 96, 208, 16, 48, 64, true},
                                          {"4b", 160, 112, 224, 24, 64, 64, false},
                                          {"4c", 128, 128, 256, 24, 64, 64, false},
                                          {"4d", 112, 144, 288, 32, 64, 64, false},
                                          {"4e", 256, 160, 320, 32, 128, 128, false},
                                          {"5a", 256, 160, 320, 32, 128, 128, true},
                                          {"5b", 384, 192, 384, 48, 128, 128, false}}};

/// A convolution with bias and its ReLU.
Sequence conv_relu(const std::string& name, int64_t filters, int64_t kernel, int64_t stride = 1) {
  return {with_bias(conv(name, filters, kernel, stride)), relu(name)};
}

LayerSpec inception_module(const Module& m) {
  Sequence three = conv_relu("3x3_reduce", m.reduce_three, 1), five = conv_relu("5x5_reduce", m.reduce_five, 1);
  extend(three, conv_relu("3x3", m.three, 3));
  extend(five, conv_relu("5x5", m.five, 5));
  Sequence pooled{max_pool("pool", 3, 1, 1)};
  extend(pooled, conv_relu("pool_proj", m.projection, 1));
  return concat("inception_" + std::string(m.name),
                {conv_relu("1x1", m.one, 1), std::move(three), std::move(five), std::move(pooled)});
}

Sequence network(int64_t classes) {
  Sequence net = conv_relu("conv1", 64, 7, 2);
  net.push_back(max_pool("pool1", 3, 2, 0, true));
  extend(net, conv_relu("conv2_reduce", 64, 1));
  extend(net, conv_relu("conv2", 192, 3));
  net.push_back(max_pool("pool2", 3, 2, 0, true));
  for (const Module& module : kModules) {
    if (module.pool_before) net.push_back(max_pool("pool_before_" + std::string(module.name), 3, 2, 0, true));
    net.push_back(inception_module(module));
  }
  extend(net, {global_average_pool("avgpool"), linear("fc", classes)});
  return net;
}

}  // namespace
}  // namespace layers

namespace {

void build_inception(GraphBuilder& builder, const Arguments& arguments) {
  build_classifier(builder, arguments, layers::network(integer_argument(arguments, "classes")));
}

}  // namespace

Workload inception_workload() {
  Workload workload;
  workload.name = "inception";
  workload.title = "GoogLeNet (Inception v1)";
  workload.description =
      "Nine modules of four parallel branches whose results are joined along the channels: 7.0 million parameters, 3.2 "
      "GFLOP per "
      "image. Without the auxiliary classifiers, local response normalisation and dropout of the paper.";
  workload.parameters = classifier_parameters({.batch = 4, .stretches = "the pools and the nine modules"});
  workload.small = {{"batch", "1"}, {"image_size", "64"}, {"classes", "5"}};
  workload.build = build_inception;
  return workload;
}

}  // namespace engine
