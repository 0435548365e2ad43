// SPDX-License-Identifier: Apache-2.0
// Grouping of ops by scope, layer path, type, kernel and phase.
#include "profiler/analysis/base/groups.h"

#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "profiler/capture/op_devices.h"
#include "profiler/capture/phases.h"

namespace profiler {
namespace {

/// "a.b.c" -> "a", "a.b", "a.b.c".
std::vector<std::string> layer_path(std::string_view layer) {
  std::vector<std::string> path;
  if (layer.empty()) return {std::string(kNoLayer)};
  for (size_t dot = layer.find('.'); dot != std::string_view::npos; dot = layer.find('.', dot + 1)) {
    path.emplace_back(layer.substr(0, dot));
  }
  path.emplace_back(layer);
  return path;
}

/// Of a foreign trace that says nothing of the op's tensors, or not what it does with them.
bool cost_unknown(const Capture& capture, const OpRecord& op) {
  return op.operand_count == 0 && (std::isnan(op.flops) || !capture.run().source.empty());
}

std::string key_of(const Capture& capture, const OpRecord& op, OpsBy by) {
  switch (by) {
    case OpsBy::op: return std::string(capture.name(op.name));
    case OpsBy::type: return std::string(capture.name(op.type));
    case OpsBy::kernel: return std::string(capture.name(op.kernel));
    case OpsBy::phase: return std::string(phase_name(capture, op.phase));
    case OpsBy::layer: return std::string(capture.name(op.layer));
    case OpsBy::device: break;  // of all ops together
  }
  return {};
}

}  // namespace

std::optional<OpsBy> parse_ops_by(std::string_view text) {
  constexpr std::array<std::string_view, 6> kNames{"op", "layer", "type", "kernel", "phase", "device"};
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == text) return static_cast<OpsBy>(i);
  }
  return {};
}

bool in_layer(std::string_view layer, std::string_view wanted) {
  if (layer.empty()) return wanted == kNoLayer || wanted.empty();
  return layer.starts_with(wanted) &&
         (layer.size() == wanted.size() || (!wanted.empty() && layer[wanted.size()] == '.'));
}

std::vector<OpId> ops_of(const Capture& capture, const Scope& scope) {
  std::vector<OpId> ops;
  for (const OpRecord& op : capture.ops()) {
    if (scope.op && *scope.op != op.id) continue;
    if (scope.layer && !in_layer(capture.name(op.layer), *scope.layer)) continue;
    ops.push_back(op.id);
  }
  return ops;
}

std::vector<OpGroup> group_ops(const Capture& capture, OpsBy by) {
  std::vector<OpGroup> groups;
  std::unordered_map<std::string, size_t> known;
  const auto add = [&](const std::string& key, int depth, OpId op) {
    const auto [at, fresh] = known.try_emplace(key, groups.size());
    if (fresh) groups.push_back({key, depth, {}});
    groups[at->second].ops.push_back(op);
  };
  const std::optional<OpDevices> devices = by == OpsBy::device ? std::optional<OpDevices>(capture) : std::nullopt;
  for (const OpRecord& op : capture.ops()) {
    const std::string key = devices ? devices->of_op(op.id) : key_of(capture, op, by);
    if (by == OpsBy::op) {
      groups.push_back({key, 1, {op.id}});  // a row per op even where damaged names repeat
    } else if (by == OpsBy::layer) {
      int depth = 0;
      for (const std::string& part : layer_path(key)) add(part, ++depth, op.id);
    } else {
      add(key, 1, op.id);
    }
  }
  return groups;
}

double compulsory_read(const Capture& capture, const OpRecord& op) {
  if (cost_unknown(capture, op)) return std::numeric_limits<double>::quiet_NaN();
  double bytes = 0;
  for (const OperandRecord& o : capture.operands(op)) bytes += static_cast<double>(o.read_bytes);
  return bytes;
}

double compulsory_written(const Capture& capture, const OpRecord& op) {
  if (cost_unknown(capture, op)) return std::numeric_limits<double>::quiet_NaN();
  double bytes = 0;
  for (const OperandRecord& o : capture.operands(op)) bytes += static_cast<double>(o.written_bytes);
  return bytes;
}

}  // namespace profiler
