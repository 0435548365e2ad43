// SPDX-License-Identifier: Apache-2.0
// alexnet: AlexNet without groups, and the small cuda-convnet network for CIFAR-10.

#include "engine/workloads/catalog.h"
#include "engine/workloads/classifier.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace layers {
namespace {

/// A. Krizhevsky, I. Sutskever, G. Hinton, "ImageNet Classification with Deep Convolutional Neural Networks", NIPS
/// 2012, as the scripts of Shi et al. define it: no groups, no local response normalisation, no dropout. 62.4 million
/// weights.
Sequence imagenet(int64_t classes) {
  return {with_bias(padded(conv("conv1", 96, 11, 4), 2)),
          relu("conv1"),
          max_pool("pool1", 3, 2),
          with_bias(conv("conv2", 256, 5)),
          relu("conv2"),
          max_pool("pool2", 3, 2),
          with_bias(conv("conv3", 384, 3)),
          relu("conv3"),
          with_bias(conv("conv4", 384, 3)),
          relu("conv4"),
          with_bias(conv("conv5", 256, 3)),
          relu("conv5"),
          max_pool("pool5", 3, 2),
          flatten("flatten"),
          linear("fc6", 4096),
          relu("fc6"),
          linear("fc7", 4096),
          relu("fc7"),
          linear("fc8", classes)};
}

/// The "18 %" network of cuda-convnet as the scripts of Shi et al. define it: no local response normalisation.
Sequence cifar10(int64_t classes) {
  return {with_bias(conv("conv1", 32, 5)),
          max_pool("pool1", 3, 2),
          relu("conv1"),
          with_bias(conv("conv2", 32, 5)),
          relu("conv2"),
          max_pool("pool2", 3, 2),
          with_bias(conv("conv3", 64, 5)),
          relu("conv3"),
          average_pool("pool3", 3, 2),
          flatten("flatten"),
          linear("fc", classes)};
}

}  // namespace
}  // namespace layers

namespace {

void build_alexnet(GraphBuilder& builder, const Arguments& arguments) {
  const int64_t classes = integer_argument(arguments, "classes");
  const bool small = text_argument(arguments, "variant") == "cifar10";
  build_classifier(builder, arguments, small ? layers::cifar10(classes) : layers::imagenet(classes));
}

}  // namespace

Workload alexnet_workload() {
  Workload workload;
  workload.name = "alexnet";
  workload.title = "AlexNet";
  workload.description =
      "The network that brought deep learning to GPUs. Five convolutions hold 6 % of its 62 "
      "million weights and do 95 "
      "% of the arithmetic. Three fully connected layers hold the rest and are memory-bound at "
      "small batches.";
  workload.parameters = classifier_parameters({.batch = 8, .stretches = "the pools"});
  workload.parameters.push_back(
      choice_parameter("variant", "Variant",
                       "imagenet: the network of 2012 for 224 x 224 images; cifar10: the small one for 32 x 32 images.",
                       {"imagenet", "cifar10"}));
  workload.presets = {
      {"alexnet-s",
       "AlexNet-S of Shi et al. 2016: synthetic 224 x 224 images, batch 16",
       {{"variant", "imagenet"}, {"batch", "16"}, {"mode", "training"}, {"learning_rate", "0.01"}, {"momentum", "0"}}},
      {"alexnet-r",
       "AlexNet-R of Shi et al. 2016: 32 x 32 images of 10 classes, batch 1024",
       {{"variant", "cifar10"},
        {"image_size", "32"},
        {"classes", "10"},
        {"batch", "1024"},
        {"mode", "training"},
        {"learning_rate", "0.01"},
        {"momentum", "0.9"}}}};
  workload.small = {{"variant", "cifar10"}, {"image_size", "32"}, {"classes", "5"}, {"batch", "2"}};
  workload.build = build_alexnet;
  return workload;
}

}  // namespace engine
