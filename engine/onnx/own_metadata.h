// SPDX-License-Identifier: Apache-2.0
// What ONNX has no field for and our own files keep as metadata: layers, phases, roles, fills, layouts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/graph.h"
#include "engine/onnx/onnx.pb.h"

namespace engine::onnx {

/// Of an input or initializer: how the engine held it.
struct LeafNote {
  ValueKind kind = ValueKind::input;
  Role role = Role::input;
  Fill fill;
  Strides strides;  ///< empty: row-major
};

/// Of a node: whose it is.
struct NodeNote {
  std::string layer;
  Phase phase = Phase::forward;
  std::vector<Role> roles;  ///< of its outputs; empty: as the builder gives them
};

void add_note(::onnx::ValueInfoProto&, const LeafNote&);
void add_note(::onnx::TensorProto&, const LeafNote&);
void add_note(::onnx::NodeProto&, const NodeNote&);
/// The value itself is an output of the graph, whatever makes it: no copy is to be made of it.
void mark_exact(::onnx::ValueInfoProto& output);
bool is_exact(const ::onnx::ValueInfoProto& output);

/// What the metadata say of a tensor of this shape; nothing: it has none of ours. Refused: metadata of ours that make
/// no sense, naming the field.
Result<std::optional<LeafNote>> leaf_note(const ::onnx::ValueInfoProto&, const Shape&);
Result<std::optional<LeafNote>> leaf_note(const ::onnx::TensorProto&, const Shape&);
Result<std::optional<NodeNote>> node_note(const ::onnx::NodeProto&);

}  // namespace engine::onnx
