// SPDX-License-Identifier: Apache-2.0
// Reads the description of a run out of our own Chrome exports; nothing in it is believed unchecked.
#include "profiler/import/own_description.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "profiler/capture/phases.h"
#include "profiler/store/sqlite.h"

namespace profiler {
namespace {

using nlohmann::json;

constexpr size_t kMostExtents = 32, kLongestText = 4096, kMostTracks = 60'000;
/// Figures beyond this (9 PB, 9e15 FLOP in a step of one op) are no longer whole numbers in JSON readers.
constexpr int64_t kMost = int64_t{1} << 53;

/// The text of a key, without control characters; empty: there is none.
std::string text(const json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? sqlite::shown(at->get<std::string>().substr(0, kLongestText))
                                               : std::string();
}

/// A whole number from 0 to kMost.
std::optional<int64_t> whole(const json& value) {
  if (!value.is_number_integer()) return {};
  if (value.is_number_unsigned() && value.get<uint64_t>() > static_cast<uint64_t>(kMost)) return {};
  const int64_t number = value.get<int64_t>();
  return number >= 0 && number <= kMost ? std::optional(number) : std::nullopt;
}

std::optional<int64_t> whole(const json& object, const char* key) {
  const auto at = object.find(key);
  return at == object.end() ? std::nullopt : whole(*at);
}

std::optional<TensorRecord> tensor_of(TraceBuilder& builder, const json& object) {
  if (!object.is_object()) return {};
  const auto shape = object.find("shape");
  const auto dtype = engine::parse_dtype(text(object, "dtype"));
  const auto role = engine::parse_role(text(object, "role"));
  const auto size = whole(object, "size_bytes");
  if (shape == object.end() || !shape->is_array() || shape->size() > kMostExtents || !dtype || !role || !size)
    return {};
  TensorRecord tensor{.name = builder.intern(text(object, "name")),
                      .dtype = *dtype,
                      .shape = {},
                      .strides = {},
                      .role = *role,
                      .size_bytes = *size};
  if (object.contains("persistent")) {
    if (!object["persistent"].is_boolean()) return {};
    tensor.persistent = object["persistent"].get<bool>();
  }
  if (object.contains("offset_bytes")) {
    const auto offset = whole(object, "offset_bytes");
    if (!offset) return {};
    tensor.offset_bytes = *offset;
  }
  if (object.contains("alias_of")) {
    const auto root = whole(object, "alias_of");
    if (!root || *root >= static_cast<int64_t>(kNoTensor)) return {};
    tensor.alias_of = static_cast<TensorId>(*root);
  }
  double elements = 1;
  for (const json& extent : *shape) {
    const auto value = whole(extent);
    if (!value) return {};
    tensor.shape.push_back(*value);
    elements *= static_cast<double>(std::max<int64_t>(1, *value));
  }
  if (elements > static_cast<double>(kMost)) return {};  // else strides would overflow
  tensor.strides.assign(tensor.shape.size(), 1);
  for (size_t k = tensor.shape.size(); k-- > 1;)
    tensor.strides[k - 1] = tensor.strides[k] * std::max<int64_t>(1, tensor.shape[k]);
  return tensor;
}

std::optional<OperandRecord> operand_of(const json& object, size_t tensors) {
  if (!object.is_object()) return {};
  const auto tensor = whole(object, "tensor"), read = whole(object, "read_bytes"),
             written = whole(object, "written_bytes");
  const auto role = engine::parse_role(text(object, "role"));
  const auto output = object.find("output");
  if (!tensor || *tensor >= static_cast<int64_t>(tensors) || !read || !written || !role) return {};
  OperandRecord operand{.tensor = static_cast<TensorId>(*tensor), .role = *role};
  operand.output = output != object.end() && output->is_boolean() && output->get<bool>();
  operand.read_bytes = *read, operand.written_bytes = *written;
  return operand;
}

std::optional<DescribedOp> op_of(const json& object, size_t tensors) {
  const auto operands = object.find("operands"), flops = object.find("flops");
  if (operands == object.end() || !operands->is_array()) return {};
  DescribedOp op{.flops = std::numeric_limits<double>::quiet_NaN(), .operands = {}};
  if (flops != object.end() && flops->is_number()) {
    op.flops = flops->get<double>();
    if (!(op.flops >= 0) || op.flops > 1e24) return {};
  }
  for (const json& entry : *operands) {
    const auto operand = operand_of(entry, tensors);
    if (!operand) return {};
    op.operands.push_back(*operand);
  }
  return op;
}

void take_run(TraceBuilder& builder, const json& description) {
  RunInfo& run = builder.run();
  // An imported trace that was exported stays one: what its tool did not say is not known now either.
  const std::string first = sqlite::shown(text(description, "source").substr(0, 100));
  run.source = first.empty() || first == kOwnChrome
                   ? std::string(kOwnChrome)
                   : fmt::format("{}, {}", first.substr(0, first.find(',')), kOwnChrome);
  NameKeeper& keeper = builder.keeper();
  run.title = keeper.title(text(description, "title"));
  run.device = keeper.name(text(description, "device"));
  run.created_at = text(description, "created_at");
  const auto threads = whole(description, "threads");
  run.threads = static_cast<int>(std::min<int64_t>(threads.value_or(0), 1 << 20));
  const auto arguments = description.find("arguments");
  if (arguments == description.end() || !arguments->is_object()) return;
  for (const auto& [key, value] : arguments->items()) {
    if (!value.is_string() || (key == "content" && !keeper.keeps_titles())) continue;  // a hash tells which file it was
    run.arguments.try_emplace(keeper.name(sqlite::shown(key.substr(0, 100))),
                              keeper.name(text(*arguments, key.c_str())));
  }
}

void take_tracks(TraceBuilder& builder, const json& description) {
  const auto tracks = description.find("tracks");
  if (tracks == description.end() || !tracks->is_array()) return;
  std::vector<Track> all;
  for (const json& entry : *tracks) {
    const auto kind = entry.is_object() ? whole(entry, "kind") : std::nullopt;
    if (!kind || *kind >= kTrackKindCount || all.size() >= kMostTracks) {
      builder.findings().add(Finding::bad_figure, "\"tracks\" of \"tensortide\"");
      return;  // events count in this list
    }
    all.push_back({.kind = static_cast<TrackKind>(*kind), .name = text(entry, "name"), .group = text(entry, "group")});
  }
  builder.describe_tracks(std::move(all));
}

void take_counters(TraceBuilder& builder, const json& description) {
  const auto counters = description.find("counters");
  if (counters == description.end() || !counters->is_array()) return;
  for (const json& entry : *counters) {
    if (entry.is_object()) builder.describe_counter(text(entry, "name"), text(entry, "group"), text(entry, "unit"));
  }
}

}  // namespace

void take_own_description(TraceBuilder& builder, const json& description) {
  builder.take_for_ours();
  if (builder.run().source.empty()) take_run(builder, description);  // of several ranks, the first one's
  take_tracks(builder, description);
  take_counters(builder, description);
  const auto tensors = description.find("tensors"), ops = description.find("ops");
  if (tensors == description.end() || !tensors->is_array() || ops == description.end() || !ops->is_array()) return;
  std::vector<TensorRecord> records;
  bool placed = true;
  for (const json& entry : *tensors) {
    auto tensor = tensor_of(builder, entry);
    if (!tensor) {
      builder.findings().add(Finding::bad_figure, "\"tensors\" of \"tensortide\"");
      return;  // operands count in this list
    }
    placed = placed && entry.contains("offset_bytes");
    records.push_back(*std::move(tensor));
  }
  for (TensorRecord& tensor : records) {
    if (tensor.alias_of != kNoTensor &&
        (tensor.alias_of >= records.size() || records[tensor.alias_of].alias_of != kNoTensor)) {
      builder.findings().add(Finding::bad_figure, "\"alias_of\" of \"tensortide\"");
      return;
    }
    if (placed) tensor.first_op = tensor.last_op = kNoOp;  // until it is known who uses it
  }
  std::vector<std::pair<NameId, DescribedOp>> described;
  for (const json& entry : *ops) {
    auto op = entry.is_object() ? op_of(entry, records.size()) : std::nullopt;
    if (op) {
      described.emplace_back(builder.intern(text(entry, "name")), *std::move(op));
    } else {
      builder.findings().add(Finding::bad_figure, "\"ops\" of \"tensortide\"");
    }
  }
  builder.describe_ops(std::move(records), std::move(described));
}

}  // namespace profiler
