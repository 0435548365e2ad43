// SPDX-License-Identifier: Apache-2.0
// What all image classifiers share: parameters, and the step around their table of layers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/workloads/layers.h"

namespace engine {

struct ClassifierDefaults {
  int64_t batch = 8;
  int64_t image_size = 224;
  int64_t classes = 1000;
  std::string learning_rate = "0.01", momentum = "0.9";
  std::string_view stretches = "the top-level blocks";  ///< what checkpointing chooses from
};
/// batch, mode, dtype, image_size, classes, the optimiser's, checkpointing.
std::vector<Parameter> classifier_parameters(const ClassifierDefaults&);

/// Images [batch, 3, image_size, image_size] through all layers, then finish_classifier(). The outputs of
/// top-level blocks and pools are what checkpointing may keep.
void build_classifier(GraphBuilder&, const Arguments&, const layers::Sequence&);

}  // namespace engine
