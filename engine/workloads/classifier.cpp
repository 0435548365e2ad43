// SPDX-License-Identifier: Apache-2.0
// What all image classifiers share: parameters, and the step around their table of layers.
#include "engine/workloads/classifier.h"

#include "engine/workloads/parameters.h"

namespace engine {
namespace {

/// Whether the layer ends a stretch of the network that can be computed again as a whole.
bool ends_stretch(const LayerSpec& layer) {
  return !layer.branches.empty() || layer.kind == LayerKind::max_pool || layer.kind == LayerKind::average_pool;
}

}  // namespace

std::vector<Parameter> classifier_parameters(const ClassifierDefaults& defaults) {
  std::vector<Parameter> parameters{
      batch_parameter(defaults.batch), mode_parameter({"training", "inference"}), dtype_parameter(),
      integer_parameter("image_size", "Image size", "Height and width of the images.", defaults.image_size, "pixels", 1,
                        65536),
      integer_parameter("classes", "Classes", "Outputs of the last layer.", defaults.classes, "classes", 1, 1 << 24)};
  for (Parameter& parameter : optimizer_parameters(defaults.learning_rate, defaults.momentum))
    parameters.push_back(std::move(parameter));
  parameters.push_back(checkpointing_parameter(defaults.stretches));
  return parameters;
}

void build_classifier(GraphBuilder& builder, const Arguments& arguments, const layers::Sequence& sequence) {
  LayerBuilder net(builder, arguments);
  const int64_t side = integer_argument(arguments, "image_size");
  ValueId x = net.images({integer_argument(arguments, "batch"), 3, side, side});
  std::vector<ValueId> stretch_outputs;
  for (const LayerSpec& layer : sequence) {
    x = net.append(x, layer);
    if (ends_stretch(layer)) stretch_outputs.push_back(x);
  }
  finish_classifier(builder, x, arguments, stretch_outputs);
}

}  // namespace engine
