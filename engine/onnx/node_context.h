// SPDX-License-Identifier: Apache-2.0
// NodeContext: what an operator's conversion function sees of its node: inputs, attributes, and
// where to put the outputs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/onnx/importer.h"

namespace engine::onnx {

/// Keeps the first error, as GraphBuilder does, so that conversions stay plain: after it, readers
/// return fallbacks and values are kNoValue.
class NodeContext {
 public:
  NodeContext(Importer& importer, const ::onnx::NodeProto& node) : NodeContext(importer, node, nullptr) {}
  /// For a node whose inputs are all constants: writes into a graph apart, which finish() computes.
  NodeContext(Importer& importer, const ::onnx::NodeProto& node, GraphBuilder& apart)
      : NodeContext(importer, node, &apart) {}

  GraphBuilder& builder() { return apart_ != nullptr ? *apart_ : importer_.builder(); }
  int64_t opset() const { return importer_.opset(); }
  std::string_view op_type() const { return node_.op_type(); }
  bool failed() const { return error_.has_value() || (apart_ != nullptr ? *apart_ : importer_.builder()).failed(); }
  /// `message` names the field: "attribute strides: 0 is not positive".
  void fail(std::string message);
  void note(std::string text) { notes_.push_back(std::move(text)); }
  /// See Importer; in a graph apart everything is computed and gone.
  void leave_out_unread(ValueId view) {
    if (apart_ == nullptr) importer_.leave_out_unread(view);
  }

  // ---- inputs
  size_t input_count() const { return static_cast<size_t>(node_.input_size()); }
  /// Optional inputs may be absent or have an empty name.
  bool has_input(size_t i) const;
  /// The graph value; fails when the input is missing or undefined.
  ValueId input(size_t i);
  /// Its type; a scalar f32 after an error.
  TensorType input_type(size_t i);
  /// A small integer tensor whose elements must be known at import (shapes, axes). Fails otherwise.
  std::vector<int64_t> constant_integers(size_t i, std::string_view what);
  /// The type that the file has input i in, where another holds it: "INT4"; empty: none. Only operators of
  /// takes_narrow() get such inputs.
  std::string_view narrow(size_t i);
  /// The slot behind an input, for Identity; null after an error.
  const Slot* input_slot(size_t i);
  /// The elements of an input known at import, of any shape and dtype. Nothing: it is computed at run time or has more
  /// than kLargestFolded elements.
  std::optional<Tensor> constant_tensor(size_t i);
  /// The same; fails when they are not known.
  std::optional<Tensor> known_tensor(size_t i, std::string_view what);
  /// The elements of an input of any size: constant, or computed at run time from what the model was given. For ops
  /// that check by themselves whether a step has others. Fails when they cannot be had.
  std::optional<Tensor> elements(size_t i, std::string_view what);
  /// The elements of a constant of any size; fails where the input is computed at run time.
  std::optional<Tensor> constant_elements(size_t i, std::string_view what);
  /// The results of an op whose size depends on data but the last; each step checks that the size is as `attributes`
  /// has it.
  std::vector<ValueId> append_sized(const Op& op, std::vector<ValueId> inputs, Attributes attributes);
  /// The one bool of a slot that no name of this node stands for; fails when it is not known.
  bool known_flag(Slot& slot, std::string_view what);
  /// The same as doubles in row-major order; fails when they are not known.
  std::vector<double> constant_reals(size_t i, std::string_view what);
  /// The one element of a known input; fails otherwise.
  double constant_real(size_t i, std::string_view what);
  int64_t constant_integer(size_t i, std::string_view what);
  /// The shape of the tensor in which the elements of input i are known to be places (set_places()); nothing: not
  /// known.
  std::optional<Shape> places_of(size_t i);
  /// The tensors of an input that is a sequence; fails otherwise.
  std::vector<Slot> sequence(size_t i);
  /// The graph value of a slot that no name of this node stands for (an element of a sequence).
  ValueId value_of(Slot& slot);

  // ---- attributes: each that no reader asked for is refused by finish()
  bool has_attribute(std::string_view name) const;
  int64_t integer(std::string_view name, int64_t fallback, int64_t lowest, int64_t highest);
  /// 0 or 1.
  bool flag(std::string_view name, bool fallback) { return integer(name, fallback ? 1 : 0, 0, 1) == 1; }
  double real(std::string_view name, double fallback);
  std::string text(std::string_view name, std::string_view fallback);
  std::vector<int64_t> integers(std::string_view name, std::vector<int64_t> fallback, int64_t lowest, int64_t highest);
  std::vector<double> reals(std::string_view name, std::vector<double> fallback);
  std::vector<std::string> texts(std::string_view name);
  /// Any of Constant's and ConstantOfShape's value attributes; nothing when absent.
  std::optional<Tensor> tensor(std::string_view name);
  /// Names of all attributes, as the file has them.
  std::vector<std::string> attribute_names() const;
  /// Reads an attribute that changes nothing at inference.
  void ignore(std::string_view name) { find_attribute(name); }

  // ---- outputs
  size_t output_count() const { return static_cast<size_t>(node_.output_size()); }
  /// Its name, safe to show; empty where the node leaves it out.
  std::string output_name(size_t i) const;
  /// Whether somebody may ask for output i.
  bool has_output(size_t i) const;
  void set_output(ValueId value, size_t i = 0);
  /// The value of output i, as another conversion has set it.
  ValueId made(size_t i = 0) const { return i < outputs_.size() && outputs_[i] ? outputs_[i]->value : kNoValue; }
  void set_constant(Constant constant, size_t i = 0);
  void set_constant(Tensor tensor, size_t i = 0);
  void set_alias(Slot slot, size_t i = 0);
  void set_sequence(std::vector<Slot> elements, size_t i = 0);
  /// The elements of output i, which is set, are row-major places in a tensor of that shape.
  void set_places(Shape shape, size_t i);

  // ---- graphs inside the node
  /// Writes the inner graph once, its inputs standing for `inputs`; its outputs, or nothing after an error.
  std::vector<Slot> inline_graph(std::string_view attribute, std::vector<Slot> inputs, const std::string& label);

  /// ImportOptions.batch where it replaced a leading extent, with that extent.
  std::optional<int64_t> replaced_batch() const { return importer_.replaced_batch(); }
  int64_t batch() const { return importer_.batch(); }

  /// Checks that every attribute was read and no error came up, and defines the outputs. False: the graph apart is too
  /// much to compute at import, nothing was defined.
  Result<bool> finish();

 private:
  /// What an output is: a value of builder(), or a slot.
  struct Output {
    ValueId value = kNoValue;
    std::optional<Slot> slot;
    std::optional<Shape> places_in;
  };
  NodeContext(Importer& importer, const ::onnx::NodeProto& node, GraphBuilder* apart);
  Output& output(size_t i);
  ValueId value_apart(const std::string& name, const Slot& slot);
  Result<bool> compute_apart();
  std::vector<std::shared_ptr<int64_t>> learned_of_outputs(const Slot& slot);
  std::string how_to_know(size_t i);
  std::optional<Tensor> guarded_tensor(Slot& slot, std::string_view what);
  Slot* computed_slot(size_t i);
  std::string_view kept_narrow();
  const ::onnx::AttributeProto* find_attribute(std::string_view name);
  const ::onnx::AttributeProto* find_attribute(std::string_view name, ::onnx::AttributeProto::AttributeType type);
  void check_range(std::string_view name, int64_t value, int64_t lowest, int64_t highest);

  Importer& importer_;
  const ::onnx::NodeProto& node_;
  std::vector<bool> attribute_read_;
  GraphBuilder* apart_ = nullptr;
  std::vector<std::optional<Output>> outputs_;
  std::vector<std::string> notes_;
  std::optional<std::string> error_;
  std::string_view narrow_ = {};  ///< of tensor(), for the constant that is made of it
};

}  // namespace engine::onnx
