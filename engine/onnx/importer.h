// SPDX-License-Identifier: Apache-2.0
// Importer: walks a ModelProto once and writes its graph.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/graph/builder.h"
#include "engine/onnx/import.h"
#include "engine/onnx/onnx.pb.h"

namespace engine::onnx {

/// A tensor known at import: bytes from the file, or one value for all elements (then no bytes are
/// held).
struct Constant {
  TensorType type;
  std::optional<double> uniform;
  Tensor data;  ///< row-major; undefined where `uniform` is set
};

/// What a name of the model stands for.
struct Slot {
  std::string made_by;  ///< for messages: "a graph input", "an output of node \"n3\" (Relu)"
  const ::onnx::TensorProto* initializer = nullptr;  ///< not read yet
  std::optional<Constant> constant;
  ValueId value = kNoValue;  ///< kNoValue until something computes with it
};

class Importer {
 public:
  Importer(const ::onnx::ModelProto& model, const ImportOptions& options)
      : model_(model), options_(options) {}
  /// Errors name node and field; the caller adds the file.
  Result<Model> run();

  // ---- for NodeContext
  // ---------------------------------------------------------------------------------------------------
  GraphBuilder& builder() { return builder_; }
  int64_t opset() const { return opset_; }
  /// The slot of a name; null: nothing of that name is defined before the node in hand.
  Slot* find(const std::string& name);
  /// Reads an initializer on its first use. Fails naming it.
  Result<void> load(const std::string& name, Slot& slot);
  /// The slot as a graph value; constants enter the graph here, on their first use.
  Result<ValueId> value_of(const std::string& name, Slot& slot);
  Result<void> define(const std::string& name, Slot slot);
  /// Why a name is not there: made later, dropped, or never.
  std::string why_missing(const std::string& name) const;
  /// Remembers that a node's output was not made, for why_missing.
  void drop(const std::string& name, std::string reason) { dropped_[name] = std::move(reason); }
  /// The leading extent of the file's inputs where ImportOptions.batch replaced it.
  std::optional<int64_t> replaced_batch() const { return replaced_batch_; }
  int64_t batch() const { return options_.batch; }
  void note(std::string text) { notes_.push_back(std::move(text)); }

 private:
  Result<void> check_header();
  Result<void> check_operators();
  Result<void> add_initializers();
  Result<void> add_inputs();
  Result<void> add_input(const ::onnx::ValueInfoProto& info);
  Result<Shape> input_shape(const ::onnx::ValueInfoProto& info);
  Result<void> add_nodes();
  Result<void> add_outputs();

  const ::onnx::ModelProto& model_;
  const ImportOptions& options_;
  GraphBuilder builder_;
  int64_t opset_ = 0;
  std::unordered_map<std::string, Slot> slots_;
  std::unordered_map<std::string, std::string> made_later_;  ///< output name -> node that makes it
  std::unordered_map<std::string, std::string> dropped_;
  std::optional<int64_t> replaced_batch_;
  std::vector<ValueId> inputs_;
  std::vector<std::string> notes_;
};

/// "node "n3" (MaxPool)"; nameless nodes go by their first output.
std::string describe(const ::onnx::NodeProto& node);

}  // namespace engine::onnx
