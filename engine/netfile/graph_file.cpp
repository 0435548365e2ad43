// SPDX-License-Identifier: Apache-2.0
// Writes a graph value by value and op by op; reads it with every field checked where it stands.
#include "engine/netfile/graph_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/display_text.h"
#include "engine/base/json_real.h"
#include "engine/base/json_text.h"
#include "engine/graph/leaf.h"
#include "engine/ops/ops.h"

namespace engine {
namespace {

using json = nlohmann::ordered_json;

constexpr int64_t kMostValues = 1 << 20;
constexpr size_t kMostNodes = 200'000, kMostText = 4096;
constexpr int kVersion = 1;

// ---- writing

json attributes_json(const Attributes& attributes) {
  json all = json::object();
  for (const auto& [key, item] : attributes.items()) {
    std::visit(
        [&, &name = key](const auto& value) {
          if constexpr (std::is_same_v<std::decay_t<decltype(value)>, double>) {
            all[name] = real_to_json<json>(value);
          } else {
            all[name] = value;
          }
        },
        item);
  }
  return all;
}

json leaf_json(const Value& value) {
  json leaf = {{"id", value.id},
               {"name", value.name},
               {"kind", name(value.kind)},
               {"role", name(value.role)},
               {"dtype", name(value.type.dtype)},
               {"shape", value.type.shape},
               {"strides", value.type.strides}};
  if (value.kind != ValueKind::constant)
    leaf["fill"] = {name(value.fill.kind), real_to_json<json>(value.fill.a), real_to_json<json>(value.fill.b)};
  if (!value.data.defined()) return leaf;
  json data = json::array();
  for (int64_t i = 0; i < value.type.elements(); ++i) data.push_back(real_to_json<json>(value.data.get_flat(i)));
  leaf["data"] = std::move(data);
  return leaf;
}

json node_json(const Graph& graph, const Node& node) {
  json roles = json::array();
  for (const ValueId id : node.outputs) roles.push_back(name(graph.value(id).role));
  return {
      {"op", node.op->name},       {"layer", node.layer},
      {"phase", name(node.phase)}, {"inputs", node.inputs},
      {"outputs", node.outputs},   {"name", node.outputs.empty() ? std::string() : graph.value(node.outputs[0]).name},
      {"roles", std::move(roles)}, {"attributes", attributes_json(node.attributes)}};
}

// ---- reading

struct Leaf {
  ValueId id = kNoValue;
  std::string name;
  ValueKind kind = ValueKind::input;
  Role role = Role::input;
  TensorType type;
  Fill fill;
  Tensor data;
};

struct Step {
  const Op* op = nullptr;
  std::string layer, name;
  Phase phase = Phase::forward;
  std::vector<ValueId> inputs, outputs;
  std::vector<Role> roles;
  Attributes attributes;
};

struct GraphFile {
  std::vector<Leaf> leaves;
  std::vector<Step> steps;
  std::vector<ValueId> outputs;
};

/// Reads one file; keeps the first error.
class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  Result<GraphFile> read(const json& root) {
    GraphFile graph;
    if (!root.is_object() || root.value(std::string(kGraphFileKey), json()) != json(kVersion))
      fail(std::string(kGraphFileKey), fmt::format("is not {}: another program or version wrote this file", kVersion));
    for (const auto& [value, where] : items(root, "values")) graph.leaves.push_back(leaf(value, where));
    for (const auto& [value, where] : items(root, "nodes")) graph.steps.push_back(step(value, where));
    graph.outputs = ids(root, "outputs", "");
    if (!error_ && graph.steps.empty()) fail("nodes", "is empty: a graph has at least one op");
    if (error_) return *error_;
    return graph;
  }

 private:
  void fail(const std::string& where, const std::string& what) {
    if (!error_) error_ = usage_error(fmt::format("[{}] {}: {}", display_line(file_), where, what));
  }
  static std::string inside(const std::string& where, const char* field) {
    return where.empty() ? std::string(field) : fmt::format("{}.{}", where, field);
  }
  static std::string shown(const json& value) {
    if (value.is_structured()) return value.is_array() ? "an array" : "an object";
    return display_line(value.dump(-1, ' ', false, json::error_handler_t::replace), 40);
  }

  /// Elements of a list with their places; none after an error.
  std::vector<std::pair<const json&, std::string>> items(const json& object, const char* field) {
    std::vector<std::pair<const json&, std::string>> all;
    const auto list = error_ ? object.end() : object.find(field);
    if (error_) return all;
    if (list == object.end() || !list->is_array() || list->size() > kMostNodes) {
      fail(field, fmt::format("is no array of at most {} entries", kMostNodes));
      return all;
    }
    for (size_t i = 0; i < list->size(); ++i) {
      if (!(*list)[i].is_object()) {
        fail(fmt::format("{}[{}]", field, i), fmt::format("{} is no object", shown((*list)[i])));
        return {};
      }
      all.emplace_back((*list)[i], fmt::format("{}[{}]", field, i));
    }
    return all;
  }

  std::string text(const json& object, const char* field, const std::string& where) {
    const auto found = object.find(field);
    if (found != object.end() && found->is_string() && found->get_ref<const std::string&>().size() <= kMostText)
      return display_line(found->get_ref<const std::string&>());
    fail(inside(where, field), fmt::format("is no text of at most {} characters", kMostText));
    return {};
  }

  /// What `parse` makes of a word; `words`: those it knows, for the message.
  template <class T>
  T choice(const json& object, const char* field, const std::string& where, std::optional<T> (*parse)(std::string_view),
           std::string_view words) {
    const std::string word = text(object, field, where);
    const std::optional<T> known = parse(word);
    if (!known) fail(inside(where, field), fmt::format("\"{}\" is none of {}", word, words));
    return known.value_or(T{});
  }

  Role role(const std::string& word, const std::string& where) {
    const std::optional<Role> known = parse_role(word);
    if (!known) fail(where, fmt::format("\"{}\" is no role", display_line(word, 40)));
    return known.value_or(Role::activation);
  }

  double real(const json& value, const std::string& where) {
    if (const std::optional<double> number = real_from_json(value)) return *number;
    fail(where, fmt::format("{} is no number", shown(value)));
    return 0;
  }

  std::vector<int64_t> wholes(const json& value, const std::string& where) {
    std::vector<int64_t> all;
    if (!value.is_array() || value.size() > kMostNodes) {
      fail(where, fmt::format("{} is no list of whole numbers", shown(value)));
      return all;
    }
    for (const json& element : value) {
      if (!element.is_number_integer()) fail(where, fmt::format("{} is no whole number", shown(element)));
      if (error_) return {};
      all.push_back(element.get<int64_t>());
    }
    return all;
  }

  std::vector<ValueId> ids(const json& object, const char* field, const std::string& where) {
    std::vector<ValueId> all;
    if (error_) return all;
    const auto found = object.find(field);
    for (const int64_t id : wholes(found == object.end() ? json() : *found, inside(where, field))) {
      if (id < 0 || id >= int64_t{kNoValue}) fail(inside(where, field), fmt::format("{} is no value", id));
      all.push_back(static_cast<ValueId>(id));
    }
    return all;
  }

  Leaf leaf(const json& value, const std::string& where) {
    Leaf leaf;
    if (error_) return leaf;
    const auto id = value.find("id");
    if (id == value.end() || !id->is_number_unsigned() || id->get<uint64_t>() >= kNoValue)
      fail(inside(where, "id"), "is no number of a value");
    else leaf.id = id->get<ValueId>();
    leaf.name = text(value, "name", where);
    leaf.kind = choice(value, "kind", where, parse_leaf_kind, "input, parameter, state, constant");
    leaf.role = role(text(value, "role", where), inside(where, "role"));
    leaf.type = type(value, where);
    if (error_) return leaf;
    if (leaf.kind == ValueKind::constant || (leaf.kind == ValueKind::input && value.contains("data")))
      data(value, where, leaf);
    if (leaf.kind != ValueKind::constant) {
      const json fill = value.value("fill", json::array());
      if (!fill.is_array() || fill.size() != 3) fail(inside(where, "fill"), "is not [how, a, b]");
      if (error_) return leaf;
      leaf.fill.kind = choice(json{{"fill", fill[0]}}, "fill", where, parse_fill_kind,
                              "zeros, ones, constant, uniform, normal, integers, arange");
      leaf.fill.a = real(fill[1], inside(where, "fill"));
      leaf.fill.b = real(fill[2], inside(where, "fill"));
    }
    return leaf;
  }

  TensorType type(const json& value, const std::string& where) {
    TensorType type;
    const std::string dtype = text(value, "dtype", where);
    const std::optional<DType> known = parse_dtype(dtype);
    if (!known) fail(inside(where, "dtype"), fmt::format("\"{}\" is no data type", dtype));
    type.dtype = known.value_or(DType::float32);
    type.shape = wholes(value.value("shape", json()), inside(where, "shape"));
    type.strides = wholes(value.value("strides", json()), inside(where, "strides"));
    if (error_) return type;
    const std::optional<int64_t> elements = element_count(type.shape);
    if (!elements || *elements > std::numeric_limits<int64_t>::max() / 8)
      fail(inside(where, "shape"), "has a negative extent, or too many elements");
    else if (type.shape.size() != type.strides.size() || !is_dense(type.shape, type.strides))
      fail(inside(where, "strides"), "do not visit each element once without holes");
    return type;
  }

  void data(const json& value, const std::string& where, Leaf& leaf) {
    const json& data = value.contains("data") ? value["data"] : json_none_;
    const int64_t elements = leaf.type.elements();
    values_ += elements;
    if (values_ > kMostValues)
      return fail(inside(where, "data"), fmt::format("all data together has over {} elements", kMostValues));
    if (!data.is_array() || static_cast<int64_t>(data.size()) != elements)
      return fail(inside(where, "data"), fmt::format("is no list of {} numbers", elements));
    Result<Tensor> tensor = Tensor::empty(leaf.type);
    if (!tensor) return fail(where, tensor.error().message);
    for (int64_t i = 0; i < elements && !error_; ++i)
      tensor->set_flat(i, real(data[static_cast<size_t>(i)], inside(where, "data")));
    leaf.data = *std::move(tensor);
  }

  Step step(const json& value, const std::string& where) {
    Step step;
    if (error_) return step;
    const std::string op = text(value, "op", where);
    step.op = find_op(op);
    if (step.op == nullptr) fail(inside(where, "op"), fmt::format("\"{}\" is no op; `tensortide ops` lists them", op));
    step.layer = text(value, "layer", where);
    step.name = text(value, "name", where);
    step.phase = choice(value, "phase", where, parse_phase, "forward, backward, update");
    step.inputs = ids(value, "inputs", where);
    step.outputs = ids(value, "outputs", where);
    const json roles = value.value("roles", json::array());
    if (!roles.is_array() || roles.size() != step.outputs.size())
      fail(inside(where, "roles"), "has not one role per output");
    for (size_t i = 0; i < roles.size() && !error_; ++i)
      step.roles.push_back(role(roles[i].is_string() ? roles[i].get<std::string>() : "", inside(where, "roles")));
    const json attributes = value.value("attributes", json::object());
    if (!attributes.is_object()) fail(inside(where, "attributes"), "is no object");
    if (error_) return step;
    if (step.op->view != nullptr && step.inputs.size() != 1)
      fail(inside(where, "inputs"), fmt::format("{} has {} operands, it takes 1", op, step.inputs.size()));
    for (const auto& [key, item] : attributes.items()) attribute(step.attributes, key, item, where);
    return step;
  }

  void attribute(Attributes& all, const std::string& key, const json& item, const std::string& where) {
    const std::string place = fmt::format("{}.attributes.{}", where, display_line(key, 40));
    const std::optional<AttributeKind> kind = attribute_kind(key);
    if (!kind) return fail(place, "is no attribute of any op");
    switch (*kind) {
      case AttributeKind::whole:
        if (!item.is_number_integer()) return fail(place, fmt::format("{} is no whole number", shown(item)));
        return all.set(key, item.get<int64_t>());
      case AttributeKind::real: return all.set(key, real(item, place));
      case AttributeKind::text:
        if (!item.is_string() || item.get_ref<const std::string&>().size() > kMostText)
          return fail(place, fmt::format("is no text of at most {} characters", kMostText));
        return all.set(key, item.get<std::string>());
      case AttributeKind::list: return all.set(key, wholes(item, place));
    }
  }

  std::string file_;
  std::optional<Error> error_;
  int64_t values_ = 0;
  const json json_none_;
};

/// Appends everything; what does not fit together is the builder's error.
void append_file(GraphBuilder& builder, const GraphFile& file) {
  std::unordered_map<ValueId, ValueId> now;  // the file's ids, to the builder's
  const auto known = [&](ValueId id, const char* what) -> ValueId {
    if (const auto found = now.find(id); found != now.end()) return found->second;
    return builder.fail(usage_error(fmt::format("{} {}: there is no such value before it", what, id)));
  };
  for (const Leaf& leaf : file.leaves) {
    ValueId id = kNoValue;
    switch (leaf.kind) {
      case ValueKind::input: id = builder.input(leaf.name, leaf.type, leaf.fill, leaf.data); break;
      case ValueKind::parameter: id = builder.parameter(leaf.name, leaf.type, leaf.fill); break;
      case ValueKind::state: id = builder.state(leaf.name, leaf.type, leaf.fill, leaf.role); break;
      default: id = builder.constant(leaf.name, leaf.data, leaf.role);
    }
    if (builder.failed()) return;
    builder.set_role(id, leaf.role);
    now[leaf.id] = id;
  }
  for (const Step& step : file.steps) {
    std::vector<ValueId> inputs;
    for (const ValueId id : step.inputs) inputs.push_back(known(id, "operand"));
    if (builder.failed()) return;
    builder.set_layer(step.layer);
    builder.set_phase(step.phase);
    const std::vector<ValueId> outputs =
        builder.append(*step.op, std::move(inputs), step.attributes, builder.eager() ? std::string() : step.name);
    if (builder.failed()) return;
    if (outputs.size() != step.outputs.size()) {
      builder.fail(usage_error(
          fmt::format("{} has {} results, the file names {}", step.op->name, outputs.size(), step.outputs.size())));
      return;
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      builder.set_role(outputs[i], step.roles[i]);
      now[step.outputs[i]] = outputs[i];
    }
  }
  for (const ValueId id : file.outputs) {
    const ValueId output = known(id, "output");
    if (builder.failed()) return;
    builder.mark_output(output);
  }
}

}  // namespace

Result<std::string> graph_to_json(const Graph& graph, const std::string& title) {
  int64_t written = 0;
  json values = json::array(), nodes = json::array();
  const bool fuses = std::ranges::any_of(graph.nodes(), [](const Node& node) { return node.op->name == "fused"; });
  for (const Value& value : graph.values()) {
    if (value.inside_fused_op() && !fuses) continue;  // a constant that was folded into others
    if (value.inside_fused_op())
      return refused_error(fmt::format("[save] {} is inside a fused op: save the graph without fusion", value.name));
    if (value.kind == ValueKind::intermediate) continue;
    if ((value.kind == ValueKind::parameter || value.kind == ValueKind::state) && value.data.defined())
      return refused_error(
          fmt::format("[save] {} has elements of a file, and .json holds none of weights: save as .onnx", value.name));
    if (value.data.defined()) written += value.type.elements();
    if (written > kMostValues) {
      return refused_error(
          fmt::format("[save] the constants and given inputs of this graph have over {} elements, too many for a text "
                      "file: keep its model file",
                      kMostValues));
    }
    values.push_back(leaf_json(value));
  }
  for (const Node& node : graph.nodes()) nodes.push_back(node_json(graph, node));
  const json root = {{kGraphFileKey, kVersion},
                     {"title", title},
                     {"values", std::move(values)},
                     {"nodes", std::move(nodes)},
                     {"outputs", graph.outputs()}};
  return root.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<Workload> parse_graph_file(std::string_view text, const std::string& name) {
  const json root = parse_json<json>(text);
  if (root.is_discarded())
    return usage_error(fmt::format("[{}] is no JSON, or nests deeper than {}", display_line(name), kMostJsonDepth));
  Result<GraphFile> read = Reader(name).read(root);
  if (!read) return read.error();
  const auto file = std::make_shared<const GraphFile>(*std::move(read));
  Workload workload;
  workload.name = name;
  const auto title = root.find("title");
  workload.title = display_line(title != root.end() && title->is_string() ? title->get<std::string>() : name, 200);
  workload.description = "A graph read from " + display_line(name) + ".";
  workload.build = [file](GraphBuilder& builder, const Arguments&) { append_file(builder, *file); };
  if (Result<Graph> graph = build_graph(workload, {}); !graph)
    return Error{graph.error().kind, fmt::format("[{}] {}", display_line(name), graph.error().message)};
  return workload;
}

}  // namespace engine
