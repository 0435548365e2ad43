// SPDX-License-Identifier: Apache-2.0
// Reads an ONNX model file into a Graph.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/graph/graph.h"

namespace engine::onnx {

struct ImportOptions {
  /// Replaces a symbolic or leading batch dimension of the inputs; 0: keep the file's.
  int64_t batch = 0;
};

struct Model {
  Graph graph;           ///< inference graph; outputs marked
  std::string producer;  ///< "onnx-caffe2 ..."
  int64_t ir_version = 0, opset = 0;
  std::vector<ValueId> inputs;     ///< the real inputs (not initializers), in the file's order
  std::vector<std::string> notes;  ///< what was folded or ignored, for the user
};

/// Errors are `refused` and name file, node and field. All unsupported ops are listed by name and
/// count, none is skipped.
Result<Model> load_model(const std::filesystem::path& file, const ImportOptions& = {});
/// Reads one serialized TensorProto (reference outputs).
Result<Tensor> load_tensor(const std::filesystem::path& file);

}  // namespace engine::onnx
