// SPDX-License-Identifier: Apache-2.0
// Any graph as a JSON file, and back: leaves, ops with their attributes, outputs.
#pragma once

#include <string>
#include <string_view>

#include "engine/graph/graph.h"
#include "engine/workloads/workload.h"

namespace engine {

/// Key that such a file begins with; its value is the version of the format, 1.
inline constexpr std::string_view kGraphFileKey = "tensortide_graph";

/// The graph as JSON text. Parameters, states and inputs are written by how they start, which follows from the seed and
/// their names. Constants are written with their values, and so are inputs that were given. Refused: over 2^20 such
/// values, an intermediate inside a fused op.
Result<std::string> graph_to_json(const Graph&, const std::string& title);

/// The file as a workload without parameters, whose graph has the same ops in the same order. Refused naming file,
/// place and value: "[net.json] nodes[3].op: \"conv\" is no op". `name` stands for the file in messages.
Result<Workload> parse_graph_file(std::string_view text, const std::string& name);

}  // namespace engine
