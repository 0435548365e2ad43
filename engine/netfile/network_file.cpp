// SPDX-License-Identifier: Apache-2.0
// Reads a network from JSON: every field is checked where it stands, unknown ones are refused.
#include "engine/netfile/network_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "engine/base/display_text.h"
#include "engine/base/json_text.h"
#include "engine/base/nearest_name.h"
#include "engine/base/read_file.h"
#include "engine/netfile/graph_file.h"
#include "engine/ops/training_step.h"
#include "engine/workloads/layers.h"
#include "engine/workloads/llm.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace {

using nlohmann::json;

constexpr uint64_t kLargestFile = 1 << 20, kLargestGraph = 1 << 26;
constexpr size_t kMostLayers = 10000;
constexpr int kDeepest = 16;
constexpr uint64_t kLookedAt = 1 << 16;  ///< bytes that tell a network from other JSON

struct Network {
  std::string title, description;
  Shape input;             ///< of one sample: [values], [steps, values], [channels, height, width], or [tokens]
  int64_t vocabulary = 0;  ///< > 0: the input is tokens below it
  layers::Sequence layers;
  int64_t batch = 32;
  std::string optimizer = "sgd", learning_rate = "0.01", momentum = "0.9";
};

const std::map<std::string, LayerKind, std::less<>> kKinds{{"conv2d", LayerKind::conv2d},
                                                           {"linear", LayerKind::linear},
                                                           {"batch_norm", LayerKind::batch_norm},
                                                           {"relu", LayerKind::relu},
                                                           {"relu6", LayerKind::relu6},
                                                           {"sigmoid", LayerKind::sigmoid},
                                                           {"tanh", LayerKind::tanh},
                                                           {"gelu", LayerKind::gelu},
                                                           {"dropout", LayerKind::dropout},
                                                           {"max_pool", LayerKind::max_pool},
                                                           {"average_pool", LayerKind::average_pool},
                                                           {"global_average_pool", LayerKind::global_average_pool},
                                                           {"flatten", LayerKind::flatten},
                                                           {"block", LayerKind::block},
                                                           {"embedding", LayerKind::embedding},
                                                           {"lstm", LayerKind::lstm},
                                                           {"attention", LayerKind::attention},
                                                           {"layer_norm", LayerKind::layer_norm},
                                                           {"residual", LayerKind::residual},
                                                           {"concat", LayerKind::concat}};

/// A value as a message quotes it: never the whole file, and never deeper than one level.
std::string shown(const json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array() && std::ranges::any_of(value, [](const json& element) { return element.is_structured(); }))
    return "a nested array";
  return display_line(value.dump(-1, ' ', false, json::error_handler_t::replace), 40);
}

/// Reads one file; keeps the first error.
class Reader {
 public:
  explicit Reader(std::string name) : name_(std::move(name)) {}

  Result<Network> read(const json& root) {
    Network network;
    if (!expect_object(root, "") ||
        !known_fields(root, "", {"name", "description", "input", "layers", "loss", "optimizer", "batch"}))
      return *error_;
    network.title = text(root, "name", "", display_line(std::filesystem::path(name_).stem().native()));
    network.description = text(root, "description", "", "A network read from " + display_line(name_) + ".");
    network.batch = integer(root, "batch", "", 32, 1);
    network.input = input(root);
    network.vocabulary = vocabulary_;
    choice(text(root, "loss", "", "softmax_cross_entropy"), "loss", {"softmax_cross_entropy"});
    optimizer(root, network);
    if (!error_ && !root.contains("layers"))
      fail("layers", "is missing: an array of layers, such as [{\"type\": \"linear\", \"units\": 10}]");
    if (!error_) network.layers = sequence(root["layers"], "layers", 0);
    if (!error_ && network.layers.empty()) fail("layers", "is empty: at least one layer must be there");
    if (error_) return *error_;
    return network;
  }

 private:
  void fail(const std::string& where, const std::string& what) {
    if (!error_) error_ = usage_error(fmt::format("[{}] {}{}{}", name_, where, where.empty() ? "" : ": ", what));
  }

  bool expect_object(const json& value, const std::string& where) {
    if (!value.is_object()) fail(where, fmt::format("{} is no object {{...}}", shown(value)));
    return !error_;
  }

  bool known_fields(const json& object, const std::string& where, const std::vector<std::string>& names) {
    for (const auto& [key, value] : object.items()) {
      if (std::ranges::find(names, key) != names.end()) continue;
      fail(where, fmt::format("unknown field {}{} There are: {}", shown(json(key)), did_you_mean(key, names),
                              fmt::join(names, ", ")));
    }
    return !error_;
  }

  static std::string inside(const std::string& where, std::string_view field) {
    return where.empty() ? std::string(field) : fmt::format("{}.{}", where, field);
  }

  std::string text(const json& object, const char* field, const std::string& where, std::string fallback) {
    const auto found = object.find(field);
    if (found == object.end()) return fallback;
    if (!found->is_string() || found->get_ref<const std::string&>().size() > 1000) {
      fail(inside(where, field), fmt::format("{} is no text of at most 1000 characters", shown(*found)));
      return fallback;
    }
    const bool control = std::ranges::any_of(found->get_ref<const std::string&>(),
                                             [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
    if (control) fail(inside(where, field), "has control characters, which a terminal would obey");
    return control ? fallback : display_line(found->get_ref<const std::string&>());
  }

  int64_t whole(const json& value, const std::string& where, int64_t minimum) {
    constexpr int64_t kLargest = int64_t{1} << 62;
    const bool fits = value.is_number_unsigned() ? value.get<uint64_t>() <= static_cast<uint64_t>(kLargest)
                                                 : value.is_number_integer();
    if (!fits) {
      fail(where, fmt::format("{} is no whole number up to 2^62", shown(value)));
    } else if (value.get<int64_t>() < minimum) {
      fail(where, fmt::format("{} is less than {}", shown(value), minimum));
    } else {
      return value.get<int64_t>();
    }
    return minimum;
  }

  int64_t integer(const json& object, const char* field, const std::string& where, int64_t fallback, int64_t minimum) {
    const auto found = object.find(field);
    return found == object.end() ? fallback : whole(*found, inside(where, field), minimum);
  }

  int64_t required(const json& object, const char* field, const std::string& where) {
    if (!object.contains(field)) fail(inside(where, field), "is missing: a whole number from 1 on");
    return integer(object, field, where, 1, 1);
  }

  double probability(const json& layer, const std::string& where) {
    const auto found = layer.find("probability");
    if (found == layer.end()) return LayerSpec{}.ratio;
    const bool good = found->is_number() && found->get<double>() >= 0 && found->get<double>() < 1;
    if (!good) fail(inside(where, "probability"), fmt::format("{} is no number from 0 to below 1", shown(*found)));
    return good ? found->get<double>() : LayerSpec{}.ratio;
  }

  bool flag(const json& object, const char* field, const std::string& where, bool fallback) {
    const auto found = object.find(field);
    if (found == object.end()) return fallback;
    if (!found->is_boolean()) fail(inside(where, field), fmt::format("{} is neither true nor false", shown(*found)));
    return found->is_boolean() && found->get<bool>();
  }

  void choice(const std::string& value, const std::string& where, const std::vector<std::string>& choices) {
    if (std::ranges::find(choices, value) != choices.end()) return;
    fail(where,
         fmt::format("{} is none of {}{}", shown(json(value)), fmt::join(choices, ", "), did_you_mean(value, choices)));
  }

  Shape input(const json& root) {
    const json& value = root.contains("input") ? root["input"] : json();
    if (value.is_object()) {
      if (!known_fields(value, "input", {"tokens", "vocabulary"})) return {};
      vocabulary_ = required(value, "vocabulary", "input");
      return {required(value, "tokens", "input")};
    }
    if (!value.is_array() || value.empty() || value.size() > 3) {
      fail("input", fmt::format("{} is neither [values], [steps, values], [channels, height, width] nor {{\"tokens\": "
                                "steps, \"vocabulary\": words}}",
                                shown(value)));
      return {};
    }
    Shape shape;
    for (size_t i = 0; i < value.size(); ++i) shape.push_back(whole(value[i], fmt::format("input[{}]", i), 1));
    return shape;
  }

  std::string number(const json& object, const char* field, double maximum, std::string fallback) {
    const auto found = object.find(field);
    if (found == object.end()) return fallback;
    const bool good = found->is_number() && found->get<double>() >= 0 && found->get<double>() <= maximum;
    if (!good) fail(inside("optimizer", field), fmt::format("{} is no number from 0 to {}", shown(*found), maximum));
    return good ? fmt::format("{}", found->get<double>()) : fallback;
  }

  void optimizer(const json& root, Network& network) {
    const auto found = root.find("optimizer");
    if (found == root.end() || !expect_object(*found, "optimizer") ||
        !known_fields(*found, "optimizer", {"type", "learning_rate", "momentum"})) {
      return;
    }
    network.optimizer = text(*found, "type", "optimizer", network.optimizer);
    choice(network.optimizer, "optimizer.type", {"sgd", "adam", "adamw"});
    network.learning_rate = number(*found, "learning_rate", 1000, network.learning_rate);
    network.momentum = number(*found, "momentum", 1, network.momentum);
    if (network.optimizer != "sgd" && found->contains("momentum"))
      fail("optimizer.momentum", fmt::format("belongs to sgd; {} has none", network.optimizer));
  }

  layers::Sequence sequence(const json& value, const std::string& where, int depth) {
    if (!value.is_array()) fail(where, fmt::format("{} is no array of layers", shown(value)));
    if (depth > kDeepest) fail(where, fmt::format("layers inside layers are at most {} deep", kDeepest));
    layers::Sequence result;
    for (size_t i = 0; !error_ && i < value.size(); ++i) {
      if (++count_ > kMostLayers) fail(where, fmt::format("a network has at most {} layers", kMostLayers));
      result.push_back(layer(value[i], fmt::format("{}[{}]", where, i), i, depth));
    }
    return result;
  }

  LayerSpec layer(const json& value, const std::string& where, size_t index, int depth) {
    LayerSpec spec;
    if (!expect_object(value, where)) return spec;
    const std::string type = text(value, "type", where, "");
    const auto kind = kKinds.find(type);
    if (kind == kKinds.end()) {
      std::vector<std::string> types;
      for (const auto& [known, ignored] : kKinds) types.push_back(known);
      choice(type, inside(where, "type"), types);
      return spec;
    }
    spec.kind = kind->second;
    spec.name = text(value, "name", where, fmt::format("{}.{}", index, type));
    fields(value, where, spec, depth);
    return spec;
  }

  void fields(const json& value, const std::string& where, LayerSpec& spec, int depth) {
    switch (spec.kind) {
      case LayerKind::conv2d:
        if (!known_fields(value, where, {"type", "name", "filters", "kernel", "stride", "padding", "groups", "bias"}))
          return;
        spec.units = required(value, "filters", where);
        spec.kernel = required(value, "kernel", where);
        spec.stride = integer(value, "stride", where, 1, 1);
        spec.padding = integer(value, "padding", where, 0, 0);
        spec.groups = integer(value, "groups", where, 1, 1);
        spec.bias = flag(value, "bias", where, true);
        return;
      case LayerKind::linear:
        if (!known_fields(value, where, {"type", "name", "units", "bias"})) return;
        spec.units = required(value, "units", where);
        spec.bias = flag(value, "bias", where, true);
        return;
      case LayerKind::max_pool:
      case LayerKind::average_pool:
        if (!known_fields(value, where, {"type", "name", "kernel", "stride", "padding"})) return;
        spec.kernel = required(value, "kernel", where);
        spec.stride = integer(value, "stride", where, spec.kernel, 1);
        spec.padding = integer(value, "padding", where, 0, 0);
        return;
      case LayerKind::embedding:
        if (!known_fields(value, where, {"type", "name", "units"})) return;
        spec.units = required(value, "units", where);
        spec.vocabulary = vocabulary_;
        if (vocabulary_ == 0)
          fail(where, "needs tokens: \"input\": {\"tokens\": 32, \"vocabulary\": 1000} at the top of the file");
        return;
      case LayerKind::lstm:
        if (!known_fields(value, where, {"type", "name", "units", "all_steps"})) return;
        spec.units = required(value, "units", where);
        spec.all_steps = flag(value, "all_steps", where, false);
        return;
      case LayerKind::attention:
        if (!known_fields(value, where, {"type", "name", "heads", "causal"})) return;
        spec.heads = integer(value, "heads", where, 1, 1);
        spec.causal = flag(value, "causal", where, false);
        return;
      case LayerKind::dropout:
        if (!known_fields(value, where, {"type", "name", "probability"})) return;
        spec.ratio = probability(value, where);
        return;
      case LayerKind::block:
      case LayerKind::residual:
      case LayerKind::concat: branches(value, where, spec, depth); return;
      default: known_fields(value, where, {"type", "name"});
    }
  }

  void branches(const json& value, const std::string& where, LayerSpec& spec, int depth) {
    if (spec.kind == LayerKind::concat) {
      if (!known_fields(value, where, {"type", "name", "branches"})) return;
      const json& all = value.contains("branches") ? value["branches"] : json();
      if (!all.is_array() || all.empty())
        return fail(inside(where, "branches"), fmt::format("{} is no array of arrays of layers", shown(all)));
      for (size_t i = 0; !error_ && i < all.size(); ++i) {
        spec.branches.push_back(sequence(all[i], fmt::format("{}.branches[{}]", where, i), depth + 1));
      }
      return;
    }
    const bool residual = spec.kind == LayerKind::residual;
    if (residual ? !known_fields(value, where, {"type", "name", "layers", "shortcut"})
                 : !known_fields(value, where, {"type", "name", "layers"}))
      return;
    spec.branches.push_back(
        sequence(value.contains("layers") ? value["layers"] : json(), inside(where, "layers"), depth + 1));
    if (residual)
      spec.branches.push_back(sequence(value.contains("shortcut") ? value["shortcut"] : json::array(),
                                       inside(where, "shortcut"), depth + 1));
  }

  std::string name_;
  std::optional<Error> error_;
  int64_t vocabulary_ = 0;  // of the input; 0: it is no tokens
  size_t count_ = 0;
};

void build(GraphBuilder& builder, const Arguments& arguments, const Network& network) {
  LayerBuilder net(builder, arguments);
  Shape shape = network.input;
  shape.insert(shape.begin(), integer_argument(arguments, "batch"));
  ValueId x = network.vocabulary > 0
                  ? builder.input("tokens", TensorType::contiguous(DType::int64, shape),
                                  Fill{Fill::Kind::integers, 0, static_cast<double>(network.vocabulary)})
              : shape.size() == 4
                  ? net.images(shape)
                  : builder.input("input", TensorType::contiguous(net.dtype(), shape), Fill{Fill::Kind::uniform, 0, 1});
  std::vector<ValueId> outputs;
  for (const LayerSpec& layer : network.layers) outputs.push_back(x = net.append(x, layer));
  if (builder.failed()) return;
  if (builder.type(x).rank() != 2) {
    builder.fail(usage_error(
        fmt::format("the last layer must put out [batch, classes], but puts out {}; add {{\"type\": \"flatten\"}}",
                    to_string(builder.type(x)))));
    return;
  }
  finish_classifier(builder, x, arguments, outputs);
}

}  // namespace

std::string_view network_file_help() {
  return "A JSON file describes a network: {\"name\": \"mine\", \"input\": [3, 32, 32], \"batch\": 32, \"layers\": "
         "[...], \"optimizer\": "
         "{\"type\": \"sgd\", \"learning_rate\": 0.01, \"momentum\": 0.9}}. input: [values], [steps, values], "
         "[channels, height, width], or {\"tokens\": 32, \"vocabulary\": 1000}. Layers: "
         "{\"type\": \"conv2d\", \"filters\": 16, \"kernel\": 3, \"stride\": 1, \"padding\": 1, \"groups\": 1, "
         "\"bias\": true}, "
         "{\"type\": \"linear\", \"units\": 10}, max_pool and average_pool with kernel, stride, padding, batch_norm, "
         "relu, relu6, sigmoid, tanh, "
         "gelu, layer_norm, {\"type\": \"embedding\", \"units\": 64}, {\"type\": \"lstm\", \"units\": 64, "
         "\"all_steps\": "
         "false}, {\"type\": \"attention\", \"heads\": 4, \"causal\": false}, {\"type\": \"dropout\", \"probability\": "
         "0.5}, global_average_pool, flatten, {\"type\": \"residual\", "
         "\"layers\": [...], \"shortcut\": [...]}, {\"type\": \"concat\", "
         "\"branches\": [[...], [...]]}, {\"type\": \"block\", \"layers\": [...]}; each may have a name.";
}

Result<Workload> parse_network(std::string_view text, const std::string& name) {
  if (const int depth = json_depth(text); depth > kMostJsonDepth) {
    return usage_error(
        fmt::format("[{}] {} brackets are open at once; a network has at most {}", name, depth, kMostJsonDepth));
  }
  json root;
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  std::string twice;
  const auto watch = [&](int, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second && twice.empty())
      twice = shown(value);
    return true;
  };
  try {
    root = json::parse(text, watch);
  } catch (const json::parse_error& error) {
    const std::string_view before = text.substr(0, std::min(text.size(), std::max<size_t>(error.byte, 1) - 1));
    const size_t line_begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    return usage_error(
        fmt::format("[{}] is no JSON from line {}, column {}: check brackets, quotes and commas there and just before",
                    name, std::ranges::count(before, '\n') + 1, before.size() - line_begin + 1));
  } catch (const json::out_of_range&) {
    return usage_error(fmt::format("[{}] holds a number that is out of range", name));
  }
  if (!twice.empty())
    return usage_error(
        fmt::format("[{}] the field {} is there twice in one object: leave one of "
                    "them out",
                    name, twice));
  Result<Network> read = Reader(name).read(root);
  if (!read) return read.error();
  const auto network = std::make_shared<const Network>(std::move(*read));
  Workload workload;
  workload.name = name;
  workload.title = network->title;
  workload.description = network->description;
  workload.parameters = {batch_parameter(network->batch), mode_parameter({"training", "inference"}), dtype_parameter()};
  for (Parameter& parameter : optimizer_parameters(network->learning_rate, network->momentum)) {
    if (parameter.name == "optimizer") parameter.default_value = network->optimizer;
    workload.parameters.push_back(std::move(parameter));
  }
  workload.parameters.push_back(checkpointing_parameter("the top-level layers"));
  workload.small = {{"batch", "2"}};
  workload.build = [network](GraphBuilder& builder, const Arguments& arguments) {
    build(builder, arguments, *network);
  };
  const Result<Arguments> defaults = resolve(workload, {});
  if (!defaults) return defaults.error();
  if (Result<Graph> graph = build_graph(workload, *defaults); !graph) {
    return Error{graph.error().kind, fmt::format("[{}] {}", name, graph.error().message)};
  }
  return workload;
}

Result<Workload> load_network_file(const std::string& path) {
  const auto is_graph = [](std::string_view text) { return text.find(kGraphFileKey) < 64; };
  const Result<std::string> front = read_front(path, kLookedAt);
  if (!front) return front.error();
  const Result<std::string> text = read_file(path, is_graph(*front) ? kLargestGraph : kLargestFile);
  if (!text) return text.error();
  if (is_graph(*text)) return parse_graph_file(*text, path);
  if (looks_like_language_model(*text)) return language_workload(*text, path);
  return parse_network(*text, path);
}

bool looks_like_network_file(const std::string& path) {
  if (!path.ends_with(".json")) return false;
  const Result<std::string> text = read_front(path, kLookedAt);
  if (!text) return false;
  const auto has = [&](const char* key) { return text->find(key) != std::string::npos; };
  if (text->find(kGraphFileKey) < 64) return true;
  if (looks_like_language_model(*text) && !has("\"traceEvents\"") && !has("\"ph\"")) return true;
  return has("\"layers\"") && has("\"input\"") && !has("\"traceEvents\"") &&
         !has("\"ph\"");  // a trace may hold those words, too
}

}  // namespace engine
