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
  NodeContext(Importer& importer, const ::onnx::NodeProto& node);

  GraphBuilder& builder() { return importer_.builder(); }
  int64_t opset() const { return importer_.opset(); }
  bool failed() const { return error_.has_value() || importer_.builder().failed(); }
  /// `message` names the field: "attribute strides: 0 is not positive".
  void fail(std::string message);
  void note(std::string text) { importer_.note(std::move(text)); }

  // ---- inputs
  // --------------------------------------------------------------------------------------------------------------
  size_t input_count() const { return static_cast<size_t>(node_.input_size()); }
  /// Optional inputs may be absent or have an empty name.
  bool has_input(size_t i) const;
  /// The graph value; fails when the input is missing or undefined.
  ValueId input(size_t i);
  /// Its type; a scalar f32 after an error.
  TensorType input_type(size_t i);
  /// A small integer tensor whose elements must be known at import (shapes, axes). Fails otherwise.
  std::vector<int64_t> constant_integers(size_t i, std::string_view what);
  /// The slot behind an input, for Identity; null after an error.
  const Slot* input_slot(size_t i);

  // ---- attributes: each that no reader asked for is refused by finish()
  // ------------------------------------------------------
  bool has_attribute(std::string_view name) const;
  int64_t integer(std::string_view name, int64_t fallback, int64_t lowest, int64_t highest);
  /// 0 or 1.
  bool flag(std::string_view name, bool fallback) {
    return integer(name, fallback ? 1 : 0, 0, 1) == 1;
  }
  double real(std::string_view name, double fallback);
  std::string text(std::string_view name, std::string_view fallback);
  std::vector<int64_t> integers(std::string_view name, std::vector<int64_t> fallback,
                                int64_t lowest, int64_t highest);
  /// Any of Constant's and ConstantOfShape's value attributes; nothing when absent.
  std::optional<Tensor> tensor(std::string_view name);
  /// Reads an attribute that changes nothing at inference.
  void ignore(std::string_view name) { find_attribute(name); }

  // ---- outputs
  // ---------------------------------------------------------------------------------------------------------------
  void set_output(ValueId value);
  void set_constant(Constant constant);
  void set_alias(const Slot& slot);

  /// ImportOptions.batch where it replaced a leading extent, with that extent.
  std::optional<int64_t> replaced_batch() const { return importer_.replaced_batch(); }
  int64_t batch() const { return importer_.batch(); }

  /// Checks that every attribute was read and no error came up, and defines the output.
  Result<void> finish();

 private:
  const ::onnx::AttributeProto* find_attribute(std::string_view name);
  const ::onnx::AttributeProto* find_attribute(std::string_view name,
                                               ::onnx::AttributeProto::AttributeType type);
  void check_range(std::string_view name, int64_t value, int64_t lowest, int64_t highest);

  Importer& importer_;
  const ::onnx::NodeProto& node_;
  std::vector<bool> attribute_read_;
  std::optional<Slot> output_;
  std::optional<std::string> error_;
};

}  // namespace engine::onnx
