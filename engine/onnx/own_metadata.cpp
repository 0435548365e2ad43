// SPDX-License-Identifier: Apache-2.0
// One JSON object under one key of the metadata, written and read.
#include "engine/onnx/own_metadata.h"

#include <fmt/format.h>

#include "engine/base/display_text.h"
#include "engine/base/json_real.h"
#include "engine/base/json_text.h"
#include "engine/graph/leaf.h"

namespace engine::onnx {
namespace {

using nlohmann::json;

constexpr std::string_view kKey = "tensortide";
constexpr size_t kMostLayer = 4096;
constexpr const char* kExact = "exact";

template <class Proto>
void put(Proto& proto, const json& note) {
  ::onnx::StringStringEntryProto* entry = proto.add_metadata_props();
  entry->set_key(std::string(kKey));
  entry->set_value(note.dump(-1, ' ', false, json::error_handler_t::replace));
}

/// Our metadata; nothing: there are none.
template <class Proto>
Result<std::optional<json>> find(const Proto& proto) {
  for (const ::onnx::StringStringEntryProto& entry : proto.metadata_props()) {
    if (entry.key() != kKey) continue;
    json note = parse_json(entry.value());
    if (!note.is_object()) return refused_error(fmt::format("field metadata_props.{}: is no JSON object", kKey));
    return std::optional<json>(std::move(note));
  }
  return std::optional<json>();
}

Error wrong(std::string_view field, std::string_view what) {
  return refused_error(fmt::format("field metadata_props.{}.{}: {}", kKey, field, what));
}

/// A word of the object; empty where it is not there or no text.
std::string word(const json& note, const char* field) {
  const auto found = note.find(field);
  return found != note.end() && found->is_string() ? found->get<std::string>() : std::string();
}

json leaf_json(const LeafNote& note) {
  json all = {{"kind", name(note.kind)}, {"role", name(note.role)}};
  if (note.kind != ValueKind::constant)
    all["fill"] = {name(note.fill.kind), real_to_json(note.fill.a), real_to_json(note.fill.b)};
  if (!note.strides.empty()) all["strides"] = note.strides;
  return all;
}

Result<Fill> read_fill(const json& note) {
  const auto fill = note.find("fill");
  if (fill == note.end() || !fill->is_array() || fill->size() != 3) return wrong("fill", "is not [how, a, b]");
  const std::optional<Fill::Kind> kind = parse_fill_kind((*fill)[0].is_string() ? (*fill)[0].get<std::string>() : "");
  const std::optional<double> a = real_from_json((*fill)[1]), b = real_from_json((*fill)[2]);
  if (!kind || !a || !b) return wrong("fill", "is not [how, a, b]");
  return Fill{*kind, *a, *b};
}

template <class Proto>
Result<std::optional<LeafNote>> read_leaf(const Proto& proto, const Shape& shape) {
  const Result<std::optional<json>> found = find(proto);
  if (!found) return found.error();
  if (!*found) return std::optional<LeafNote>();
  const json& all = **found;
  LeafNote note;
  const std::optional<ValueKind> kind = parse_leaf_kind(word(all, "kind"));
  if (!kind) return wrong("kind", "is none of input, parameter, state, constant");
  note.kind = *kind;
  const std::optional<Role> role = parse_role(word(all, "role"));
  if (!role) return wrong("role", "is no role");
  note.role = *role;
  if (note.kind != ValueKind::constant) {
    const Result<Fill> fill = read_fill(all);
    if (!fill) return fill.error();
    note.fill = *fill;
  }
  if (const auto strides = all.find("strides"); strides != all.end()) {
    if (!strides->is_array() || strides->size() != shape.size()) return wrong("strides", "has not one entry per axis");
    for (const json& stride : *strides) {
      if (!stride.is_number_integer()) return wrong("strides", "are no whole numbers");
      note.strides.push_back(stride.get<int64_t>());
    }
    if (!is_dense(shape, note.strides)) return wrong("strides", "do not visit each element once without holes");
  }
  return std::optional<LeafNote>(std::move(note));
}

}  // namespace

void add_note(::onnx::ValueInfoProto& info, const LeafNote& note) { put(info, leaf_json(note)); }
void add_note(::onnx::TensorProto& tensor, const LeafNote& note) { put(tensor, leaf_json(note)); }

void add_note(::onnx::NodeProto& node, const NodeNote& note) {
  json all = {{"layer", note.layer}, {"phase", name(note.phase)}};
  for (const Role role : note.roles) all["roles"].push_back(name(role));
  put(node, all);
}

void mark_exact(::onnx::ValueInfoProto& output) { put(output, {{kExact, true}}); }

bool is_exact(const ::onnx::ValueInfoProto& output) {
  const Result<std::optional<json>> note = find(output);
  return note && *note && (*note)->value(kExact, json()) == json(true);
}

Result<std::optional<LeafNote>> leaf_note(const ::onnx::ValueInfoProto& info, const Shape& shape) {
  return read_leaf(info, shape);
}

Result<std::optional<LeafNote>> leaf_note(const ::onnx::TensorProto& tensor, const Shape& shape) {
  return read_leaf(tensor, shape);
}

Result<std::optional<NodeNote>> node_note(const ::onnx::NodeProto& node) {
  const Result<std::optional<json>> found = find(node);
  if (!found) return found.error();
  if (!*found) return std::optional<NodeNote>();
  const json& all = **found;
  NodeNote note;
  note.layer = display_line(word(all, "layer"), kMostLayer);
  const std::optional<Phase> phase = parse_phase(word(all, "phase"));
  if (!phase) return wrong("phase", "is none of forward, backward, update");
  note.phase = *phase;
  const auto roles = all.find("roles");
  if (roles == all.end()) return std::optional<NodeNote>(std::move(note));
  if (!roles->is_array() || static_cast<int>(roles->size()) != node.output_size())
    return wrong("roles", "has not one role per output");
  for (const json& role : *roles) {
    const std::optional<Role> one = parse_role(role.is_string() ? role.get<std::string>() : "");
    if (!one) return wrong("roles", "is no role");
    note.roles.push_back(*one);
  }
  return std::optional<NodeNote>(std::move(note));
}

}  // namespace engine::onnx
