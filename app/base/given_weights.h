// SPDX-License-Identifier: Apache-2.0
// A file of weights as the parameters of a graph.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/graph/graph.h"

namespace app {

struct WeightedGraph {
  std::shared_ptr<const engine::Graph> graph;
  std::vector<std::string> notes;  ///< sentences: what was rounded, which tensors of the file nobody reads
};

/// The graph with every parameter holding the tensor of its name. `file`: .safetensors, or the index of several.
/// Tensors are converted to the parameter's dtype. Where the parameter is stored so they are transposed or rounded to
/// blocks: engine/workloads/transformer_weights.h. A name also counts without its first part. Refused before anything
/// is read: a parameter without a tensor, another shape, integers for floats, more bytes than memory has.
engine::Result<WeightedGraph> with_weights(const engine::Graph&, const std::filesystem::path& file);

}  // namespace app
