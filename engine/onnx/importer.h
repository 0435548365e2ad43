// SPDX-License-Identifier: Apache-2.0
// Importer: walks a ModelProto once and writes its graph.
#pragma once

#include <algorithm>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/graph/builder.h"
#include "engine/onnx/import.h"
#include "engine/onnx/onnx.pb.h"
#include "engine/onnx/own_metadata.h"

namespace engine::onnx {

/// A tensor known at import: bytes from the file, or one value for all elements (then no bytes are
/// held).
struct Constant {
  TensorType type;
  std::optional<double> uniform;
  Tensor data;  ///< row-major; undefined where `uniform` is set
};

/// Product of the extents that a file gives a tensor, at most what int64 holds. 0 with an extent of 0 or less.
int64_t claimed_elements(const ::onnx::TensorProto&);

/// What a name of the model stands for: a tensor, a sequence, or an optional that is not there.
struct Slot {
  std::string made_by;  ///< for messages: "a graph input", "an output of node \"n3\" (Relu)"
  const ::onnx::TensorProto* initializer = nullptr;  ///< not read yet
  std::optional<Constant> constant;
  ValueId value = kNoValue;  ///< kNoValue until something computes with it
  bool is_sequence = false;
  bool is_absent = false;
  std::vector<Slot> elements;  ///< of a sequence
  /// Learned numbers it is made of: for each tensor of the file, how many of its elements are not counted yet
  /// (Graph::parameter_count()). Empty: it is a shape, an index, a scale, a mask that was computed: not learned.
  std::vector<std::shared_ptr<int64_t>> learned = {};
  std::optional<Tensor> seen = {};  ///< its elements, where they were computed while the model was read
  bool guarded = false;             ///< each step checks that they are as seen
  std::string_view narrow = {};     ///< the type that its file has it in, where another holds it (narrow_types.h)
  std::optional<Shape>
      places_in;  ///< its elements are row-major places in a tensor of this shape; nothing: not known to be
};

/// The names of one graph; those of the graphs around it can be seen as well.
struct Scope {
  Scope* outer = nullptr;
  std::string layer;  ///< what the layers of its nodes start with: "" or "loop.3."
  std::unordered_map<std::string, Slot> slots;
  std::unordered_map<std::string, std::string> made_later;  ///< output name -> node that makes it
  std::unordered_map<std::string, std::string> dropped;     ///< output name -> why it is not there
};

class Importer {
 public:
  /// `folder`: where external data may lie.
  Importer(const ::onnx::ModelProto& model, const ImportOptions& options, std::filesystem::path folder)
      : model_(model), options_(options), folder_(std::move(folder)) {}
  /// Errors name node and field; the caller adds the file.
  Result<Model> run();

  // ---- for NodeContext
  GraphBuilder& builder() { return builder_; }
  int64_t opset() const { return opset_; }
  const std::filesystem::path& folder() const { return folder_; }
  /// The slot of a name; null: nothing of that name is defined before the node in hand.
  Slot* find(const std::string& name);
  /// Reads an initializer on its first use. Fails naming it.
  Result<void> load(const std::string& name, Slot& slot);
  /// The slot as a graph value; constants enter the graph here, on their first use.
  Result<ValueId> value_of(const std::string& name, Slot& slot);
  Result<void> define(const std::string& name, Slot slot);
  /// Whether elements that are computed at run time can be had (ImportOptions::evaluate).
  bool evaluates() const { return options_.evaluate != nullptr; }
  /// The elements of a value of the graph, for a node of this type, which is counted.
  Result<Tensor> elements_of(Slot& slot, std::string_view op_type);
  /// Has each step check that the slot's value is as seen. Refused where inputs of integers that were not given decide.
  Result<void> guard(Slot& slot);
  /// `found` of an op whose size depends on data becomes an output of the graph, behind the model's.
  void check_each_step(ValueId found) { found_.push_back(found); }
  /// Why a name is not there: made later, dropped, or never.
  std::string why_missing(const std::string& name) const;
  /// Remembers that a node's output was not made, for why_missing.
  void drop(const std::string& name, std::string reason) { scope_->dropped[name] = std::move(reason); }
  /// Writes the nodes of a graph inside a node (a branch, one pass of a loop), its inputs standing for `inputs`; its
  /// outputs. `label` tells passes apart in the layers.
  Result<std::vector<Slot>> inline_graph(const ::onnx::GraphProto& graph, std::vector<Slot> inputs,
                                         const std::string& label);
  /// Takes `work` (about one per element touched or operation) from what may be computed at import; false: it is used
  /// up.
  bool spend_folding(double work);
  /// Whether ConstantOfShape stands for weights: the file has none of its own.
  bool is_light() const { return light_; }
  /// The leading extent of the file's inputs where ImportOptions.batch replaced it.
  std::optional<int64_t> replaced_batch() const { return replaced_batch_; }
  int64_t batch() const { return options_.batch; }
  /// A view, and the copy before it, that may go if no node reads them after all.
  void leave_out_unread(ValueId view) { left_out_.push_back(view); }
  /// Once, however many nodes say it.
  void note(std::string text) {
    if (std::ranges::find(notes_, text) == notes_.end()) notes_.push_back(std::move(text));
  }

 private:
  Result<void> check_header();
  Result<void> check_operators();
  Result<void> add_initializers(const ::onnx::GraphProto& graph);
  Result<void> add_inputs();
  Result<void> add_input(const ::onnx::ValueInfoProto& info);
  Result<void> add_known(const std::string& name, const KnownInput& known);
  Result<Shape> input_shape(const ::onnx::ValueInfoProto& info);
  std::vector<const ::onnx::ValueInfoProto*> real_inputs() const;
  Result<void> name_extents();
  Result<void> read_shapes();
  Result<void> close_extents(const ::onnx::ValueInfoProto& info, const Shape& shape, const std::string& whose);
  Result<void> check_given(const ::onnx::ValueInfoProto& info, const TensorType& type) const;
  Result<void> check_given_names() const;
  std::string unused_number(const std::string& name) const;
  std::string deciding_inputs(ValueId id) const;
  Result<void> find_batch();
  Result<void> check_batch() const;
  void tell_learned(const ::onnx::NodeProto& node);
  Role take_learned(Slot& slot, int64_t elements);
  Result<int64_t> open_extent(const ::onnx::ValueInfoProto& info, int axis);
  Result<void> check_numbers() const;
  Result<KnownInput> numbers_input(const ::onnx::ValueInfoProto& info, const std::vector<int64_t>& numbers) const;
  Result<void> add_main_nodes() { return add_nodes(model_.graph()); }
  Result<void> add_nodes(const ::onnx::GraphProto& graph);
  Result<void> add_node(const ::onnx::NodeProto& node);
  Result<void> add_function(const ::onnx::NodeProto& node, const ::onnx::FunctionProto& function);
  void set_roles(const ::onnx::NodeProto& node, const NodeNote& note);
  Result<ValueId> noted_leaf(const ::onnx::TensorProto& tensor, const LeafNote& note);
  Error of_node(const ::onnx::NodeProto& node, const std::string& message) const;
  bool can_fold(const ::onnx::NodeProto& node);
  Result<void> add_outputs();
  void drop_unread();
  Result<ValueId> add_output_value(const std::string& name, Slot& slot, bool exact);

  const ::onnx::ModelProto& model_;
  const ImportOptions& options_;
  std::filesystem::path folder_;
  GraphBuilder builder_;
  int64_t opset_ = 0;
  Scope main_;
  Scope* scope_ = &main_;
  int depth_ = 0;  ///< of graphs within graphs
  int64_t inlined_nodes_ = 0;
  double folding_left_ = 2e7;  ///< see spend_folding
  bool light_ = false;
  std::optional<int64_t> replaced_batch_;               ///< a fixed one
  std::set<std::string> batch_names_;                   ///< open dimensions that are the batch
  int64_t batch_extent_ = 0;                            ///< see Model::batch
  std::map<std::string, int64_t> extents_;              ///< of the symbolic dimensions that are known
  std::map<std::string, std::string> extent_from_;      ///< who gave them, for messages
  std::map<std::string, Shape> shapes_;                 ///< of inputs whose extents were given; -1: as the file has it
  std::map<std::string, std::string> open_dimensions_;  ///< name -> "dimension 1 of input "x""
  std::set<std::string> used_numbers_;
  std::vector<ValueId> inputs_;
  std::vector<ModelOutput> outputs_;
  std::vector<std::string> notes_;
  std::map<std::string, int64_t> data_dependent_;  ///< see Model
  std::vector<ValueId> found_;                     ///< see check_each_step
  std::vector<ValueId> left_out_;                  ///< see leave_out_unread
  std::deque<::onnx::GraphProto> bodies_;          ///< of functions, as they were called; what is read of them stays
};

/// The model's function that a node calls; null: it is an operator.
const ::onnx::FunctionProto* find_function(const ::onnx::ModelProto& model, const ::onnx::NodeProto& node);

/// "node "n3" (MaxPool)"; nameless nodes go by their first output.
std::string describe(const ::onnx::NodeProto& node);

}  // namespace engine::onnx
