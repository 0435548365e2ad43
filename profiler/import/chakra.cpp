// SPDX-License-Identifier: Apache-2.0
// Chakra execution traces as PyTorch writes them: ops with shapes. Times are there once chakra_trace_link added them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/json_text.h"
#include "profiler/import/importer.h"
#include "profiler/import/whole_text.h"
#include "profiler/store/sqlite.h"

namespace profiler {
namespace {

using engine::refused_error;
using engine::Result;
using nlohmann::json;

const json* entry(const json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto at = object.find(key);
  return at == object.end() ? nullptr : &*at;
}

/// {"inputs": {"shapes": [..], "types": [..], "values": [..]}} since schema 1.1, else "input_shapes", "input_types".
const json* input_list(const json& node, const char* now, const char* before) {
  const json* inputs = entry(node, "inputs");
  if (const json* list = inputs == nullptr ? nullptr : entry(*inputs, now)) return list;
  return entry(node, before);
}

/// "Tensor(float)" -> "float"; "GenericList[Tensor(float),..]" -> "TensorList"; others as they are.
std::string type_of(const json& type) {
  if (!type.is_string()) return {};
  std::string text = type.get<std::string>();
  if (text.starts_with("GenericList[Tensor(")) return "TensorList";
  if (!text.starts_with("Tensor(") || !text.ends_with(')'))
    return text.starts_with("Tensor") ? std::string() : "Scalar";
  return text.substr(7, text.size() - 8);
}

/// Microseconds under one of the names that linkers use.
std::optional<int64_t> nanoseconds(const json& node, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const json* value = entry(node, name);
    if (value == nullptr || !value->is_number()) continue;
    const double ns = value->get<double>() * 1e3;
    if (std::isfinite(ns) && std::abs(ns) < static_cast<double>(kLatestTime))
      return static_cast<int64_t>(std::llround(ns));
  }
  return {};
}

class ChakraReader {
 public:
  explicit ChakraReader(TraceBuilder& builder) : b_(builder) {}
  void take(const json& node) {
    const json* name = entry(node, "name");
    if (name == nullptr || !name->is_string()) return b_.findings().add(Finding::bad_row, "a node without a name");
    const std::string text = name->get<std::string>();
    const auto begin = nanoseconds(node, {"ts", "start_time_micros"}),
               length = nanoseconds(node, {"dur", "duration_micros"});
    if (!begin || !length || *length < 0) {
      ++without_time_;
      return;
    }
    const json* thread = entry(node, "tid");
    Activity a{.start_ns = *begin, .duration_ns = *length, .name = b_.intern(text)};
    const uint64_t tid = thread != nullptr && thread->is_number_unsigned() ? thread->get<uint64_t>() & 0xffffffff : 0;
    a.track = b_.lane(0x4348000000000000u | tid);
    b_.name_lane(a.track, TrackKind::host_thread, fmt::format("thread {}", tid), "Host");
    ++placed_;
    const json *shapes = input_list(node, "shapes", "input_shapes"), *types = input_list(node, "types", "input_types"),
               *values = input_list(node, "values", "inputs");
    if (text.find("::") == text.npos || shapes == nullptr || !shapes->is_array()) return b_.add_range(a);
    TraceCall call{.dimensions = b_.intern(shapes->dump())};
    std::vector<std::string> said, constants;
    for (const json& type : types != nullptr && types->is_array() ? *types : json::array())
      said.push_back(type_of(type));
    call.types = b_.intern(json(said).dump());
    if (values != nullptr && values->is_array() && rules_need_constants(text)) {
      for (size_t i = 0; i < values->size(); ++i) {
        const bool tensor = i < said.size() && said[i] != "Scalar";
        const json& value = (*values)[i];
        constants.push_back(tensor ? "" : value.is_boolean() ? (value.get<bool>() ? "True" : "False") : value.dump());
      }
      call.constants = b_.intern(json(constants).dump());
    }
    b_.add_op(a, call);
  }
  int64_t without_time() const { return without_time_; }
  int64_t placed() const { return placed_; }

 private:
  TraceBuilder& b_;
  int64_t without_time_ = 0, placed_ = 0;
};

int confidence_of_chakra(std::string_view first) {
  const bool nodes = first.find("\"nodes\"") != first.npos && first.find("\"schema\"") != first.npos;
  const bool dependencies = first.find("\"ctrl_deps\"") != first.npos || first.find("\"rf_id\"") != first.npos ||
                            first.find("[pytorch|profiler|execution_") != first.npos;
  return nodes && dependencies ? 5 : 0;
}

Result<void> read_chakra(const std::filesystem::path& file, TraceBuilder& builder, const ImportControl& control) {
  const Result<std::string> text = whole_text(file, control);
  if (!text) return text.error();
  const json document = engine::parse_json(*text);
  const json* nodes = document.is_object() ? entry(document, "nodes") : nullptr;
  if (nodes == nullptr || !nodes->is_array())
    return refused_error(fmt::format("{}: has no list \"nodes\": write it again", sqlite::shown(file)));
  ChakraReader reader(builder);
  for (const json& node : *nodes) {
    reader.take(node);
    if (control.stopped()) return refused_error(fmt::format("{}: the import was cancelled", sqlite::shown(file)));
  }
  if (reader.placed() == 0) {
    return refused_error(fmt::format(
        "{}: is an execution trace whose {} nodes have no times. Import the trace of torch.profiler that was "
        "recorded with it, or link both with chakra_trace_link",
        sqlite::shown(file), nodes->size()));
  }
  if (reader.without_time() > 0) {
    builder.findings().add(Finding::no_time, "nodes of an execution trace", reader.without_time());
    builder.honesty().notes.push_back(
        fmt::format("Import: {} of {} nodes have no times and were left out.", reader.without_time(), nodes->size()));
  }
  builder.honesty().notes.emplace_back(
      "Import: an execution trace has ops with shapes. Streams of GPUs, launches and memory are unknown.");
  return {};
}

}  // namespace

Importer chakra_importer() {
  return {.name = "chakra",
          .title = "Chakra execution trace",
          .help = "of PyTorch, with the times that chakra_trace_link adds",
          .confidence = confidence_of_chakra,
          .read = read_chakra};
}

}  // namespace profiler
