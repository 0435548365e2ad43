// SPDX-License-Identifier: Apache-2.0
// NodeWriter: what the rule that writes an op as standard operators sees of it, and where it puts the nodes.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/graph.h"
#include "engine/onnx/onnx.pb.h"

namespace engine::onnx {

/// The file as it grows: names in use, constants that rules add, the opset.
class ModelWriter {
 public:
  ModelWriter(const Graph& graph, uint64_t seed);

  const Graph& graph() const { return graph_; }
  ::onnx::GraphProto& proto() { return *model_.mutable_graph(); }
  ::onnx::ModelProto& model() { return model_; }
  const std::string& name_of(ValueId id) const { return names_[id]; }
  /// Whether a node reads the value, or it is an output of the graph.
  bool used(ValueId id) const { return used_[id]; }
  /// A name that nothing has: `wanted`, or with a number behind it.
  std::string unique(const std::string& wanted);
  /// The elements of a leaf, which start from the seed.
  Result<Tensor> data_of(const Value& leaf) const;
  /// Adds an initializer of these elements, row-major. Keeps the first error.
  ::onnx::TensorProto* add_initializer(const std::string& name, const Tensor& tensor);
  void need_opset(int64_t opset) { opset_ = std::max(opset_, opset); }
  int64_t opset() const { return opset_; }
  void fail(Error error);
  const std::optional<Error>& error() const { return error_; }
  /// Takes back the nodes and initializers from these on.
  void take_back(int nodes, int initializers);

 private:
  const Graph& graph_;
  uint64_t seed_;
  ::onnx::ModelProto model_;
  std::vector<std::string> names_;
  std::vector<bool> used_;
  std::set<std::string> taken_;
  int64_t opset_ = 18;
  int64_t bytes_ = 0;
  std::optional<Error> error_;
};

/// TensorProto.DataType of a dtype.
int onnx_type(DType);

void set(::onnx::NodeProto&, std::string_view attribute, int64_t value);
void set(::onnx::NodeProto&, std::string_view attribute, const std::vector<int64_t>& values);
/// As f32, which is what ONNX holds.
void set_real(::onnx::NodeProto&, std::string_view attribute, double value);
void set_text(::onnx::NodeProto&, std::string_view attribute, std::string_view value);

class NodeWriter {
 public:
  NodeWriter(ModelWriter& model, const Node& node);

  const Node& node() const { return node_; }
  size_t input_count() const { return node_.inputs.size(); }
  const std::string& input(size_t i) const { return model_.name_of(node_.inputs[i]); }
  const TensorType& input_type(size_t i) const { return model_.graph().value(node_.inputs[i]).type; }
  const std::string& output(size_t i = 0) const { return model_.name_of(node_.outputs[i]); }
  const TensorType& output_type(size_t i = 0) const { return model_.graph().value(node_.outputs[i]).type; }
  /// Whether a node reads output i, or it is an output of the graph; false where the op has no such output.
  bool output_used(size_t i) const { return i < node_.outputs.size() && model_.used(node_.outputs[i]); }
  /// The elements of input i, row-major, where it is a weight or constant, maybe with other extents. Nothing: each step
  /// computes it.
  std::optional<Result<Tensor>> known(size_t i) const;

  // ---- attributes, with the op's own defaults
  int64_t whole(std::string_view key) const;
  double real(std::string_view key);
  std::string word(std::string_view key) const;
  std::vector<int64_t> list(std::string_view key) const;
  bool has(std::string_view key) const { return node_.attributes.has(key); }

  // ---- writing
  void need_opset(int64_t opset) { opset_ = std::max(opset_, opset); }
  /// A node that makes the op's outputs, up to output `last`.
  ::onnx::NodeProto& add(std::string_view op_type, const std::vector<std::string>& inputs, size_t last = 0);
  /// A node on the way; the name of its one output.
  ::onnx::NodeProto& step(std::string_view op_type, const std::vector<std::string>& inputs);
  /// The inputs of the op, in order.
  std::vector<std::string> inputs() const;
  /// An i64 vector, or scalar.
  std::string integers(const std::vector<int64_t>& values, bool scalar = false);
  std::string scalar(double value, DType dtype);
  std::string vector(const std::vector<double>& values, DType dtype);
  /// An initializer, named as wanted or with a number behind it.
  std::string constant(const std::string& wanted, const Result<Tensor>& tensor);
  /// Whether what was written computes the op: operators that take these dtypes, numbers that ONNX holds exactly
  /// enough. If so, the file needs the opset of it.
  bool holds();

 private:
  ::onnx::NodeProto& new_node(std::string_view op_type, const std::vector<std::string>& inputs);
  void note(const std::string& name, DType dtype) { dtypes_[name] = dtype; }

  ModelWriter& model_;
  const Node& node_;
  int first_;                                         ///< of the file's nodes: the op's
  std::map<std::string, DType, std::less<>> dtypes_;  ///< of names that the op's nodes read
  int64_t opset_ = 18;
  bool lossy_ = false;  ///< a number is another one in the file
};

/// Since which opset (18 at least) an operator takes a dtype in its typed_input(); nothing: it does not.
std::optional<int64_t> opset_of(std::string_view operator_name, DType dtype);
/// The input whose dtype names the type of the others.
size_t typed_input(std::string_view operator_name);

/// Writes the op as standard operators; false: this use of it has none.
using Standard = bool (*)(NodeWriter&);
/// The rule of an op; null: it has no standard operator.
Standard find_standard(std::string_view op);

}  // namespace engine::onnx
