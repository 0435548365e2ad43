// SPDX-License-Identifier: Apache-2.0
// Reads an ONNX model file into a Graph.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/graph/graph.h"

namespace engine::onnx {

/// The kind of an input when the model is read: a tensor or a sequence of tensors. Both empty: an optional without a
/// value.
struct KnownInput {
  std::vector<Tensor> tensors;
  bool is_sequence = false;
};

struct ImportOptions {
  /// The extent of the open batch dimension: the one the file calls "batch..." on whichever axis, else all open leading
  /// ones. Of a file without open leading dimensions it replaces leading extents of 1 (one sample), if all inputs have
  /// them and the outputs follow. Other fixed extents never change: refused where nothing else is open, else kept with
  /// a note. 0: keep the file's.
  int64_t batch = 0;
  /// By name in the file: the extent of a symbolic dimension (one number), or the elements of an integer input, which
  /// becomes a constant. What decides about extents (a shape, an axis, a count) must be known here. "x.dims": all
  /// extents of input "x", named or not; -1 leaves one as the file has it.
  std::map<std::string, std::vector<int64_t>> numbers;
  /// Types of tensors that inputs are to hold, by name: their extents close the open ones. Refused: another dtype, rank
  /// or fixed extent than the file's, an open dimension with two extents, a name that no input has.
  std::map<std::string, TensorType> given;
  /// Other inputs that become constants.
  std::map<std::string, KnownInput> known;
  /// The elements of a value of the graph so far, row-major: for models whose shapes depend on data. Their graph is
  /// that of these data, and each step checks that they still hold. Empty: such models are refused.
  std::function<Result<Tensor>(const Graph&, ValueId)> evaluate;
};

/// What the file calls an output; a sequence has one value for each of its tensors.
struct ModelOutput {
  std::string name;
  std::vector<ValueId> values;
  bool is_sequence = false;
};

struct Model {
  Graph graph;           ///< inference graph; outputs marked
  std::string producer;  ///< "onnx-caffe2 ..."
  int64_t ir_version = 0, opset = 0;
  int64_t batch = 0;  ///< samples per step, where ImportOptions.batch can change it; 0: it cannot, or there is no batch
  std::vector<ValueId> inputs;       ///< the real inputs (neither initializers nor known), in the file's order
  std::vector<ModelOutput> outputs;  ///< in the file's order
  std::vector<std::string> notes;    ///< what was folded or ignored, for the user
  /// Operators whose results' sizes or other settings were taken from data (ImportOptions::evaluate), with counts.
  std::map<std::string, int64_t> data_dependent;
};

/// Errors are `refused` and name file, node and field. All unsupported ops are listed by name and
/// count, none is skipped.
Result<Model> load_model(const std::filesystem::path& file, const ImportOptions& = {});
/// Reads one serialized TensorProto (reference outputs).
Result<Tensor> load_tensor(const std::filesystem::path& file);

}  // namespace engine::onnx
