// SPDX-License-Identifier: Apache-2.0
// What a request is made into: a graph with everything that is shown about it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/base/workbench.h"
#include "engine/eager/session.h"
#include "engine/graph/graph.h"
#include "engine/workloads/workload.h"

namespace app {

/// A graph output under the name that the model, or the graph, gives it. A sequence has one value for each tensor.
struct NamedOutput {
  std::string name;
  engine::ValueId value = engine::kNoValue;
};

struct Job {
  std::shared_ptr<const engine::Graph> graph;
  engine::EagerSession::Build build;  ///< appends the graph
  std::string title;
  engine::Arguments arguments;
  std::vector<NamedOutput> outputs;
  std::vector<std::string> notes;   ///< what of a model file was taken or ignored
  std::vector<std::string> inputs;  ///< names of the inputs that hold files, as "x=x.npy"
};

/// Of an ONNX file, as the request's settings and inputs close its extents.
engine::Result<Job> load_model_job(const RunRequest&);
/// Puts the request's input files into the inputs of a graph that is no model file's.
engine::Result<void> give_inputs(const RunRequest&, Job&);

}  // namespace app
