// SPDX-License-Identifier: Apache-2.0
// Which op of one run is which of the other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

#include "profiler/compare/comparison.h"

namespace profiler {
namespace {

/// Shape of the first output; empty: unknown.
std::vector<int64_t> result_shape(const Capture& capture, const OpRecord& op) {
  for (const OperandRecord& operand : capture.operands(op)) {
    if (operand.output && operand.tensor < capture.tensors().size()) return capture.tensors()[operand.tensor].shape;
  }
  return {};
}

/// Pairs up what is left of both sides by a key, in order.
template <class Key>
void pair_by(const Capture& before, const Capture& after, std::vector<OpId>& partner, std::vector<bool>& taken,
             Key key) {
  using Value = decltype(key(before, before.ops().front()));
  std::map<Value, std::deque<OpId>> waiting;
  for (const OpRecord& op : after.ops()) {
    if (!op.view && !taken[op.id]) waiting[key(after, op)].push_back(op.id);
  }
  for (const OpRecord& op : before.ops()) {
    if (op.view || partner[op.id] != kNoOp) continue;
    const auto found = waiting.find(key(before, op));
    if (found == waiting.end() || found->second.empty()) continue;
    partner[op.id] = found->second.front();
    taken[found->second.front()] = true;
    found->second.pop_front();
  }
}

/// Ops of one name, whatever their shapes, in a trace of another tool.
struct NameGroup {
  OpMatch match{MatchKind::summed, {}, {}};
  bool before_shapes = false, after_shapes = false;  ///< some op's shapes are known
  bool one_sided() const { return !match.before.empty() && !match.after.empty() && before_shapes != after_shapes; }
};

using NameGroups = std::map<std::pair<std::string, Phase>, NameGroup>;

std::pair<std::string, Phase> name_of(const Capture& capture, const OpRecord& op) {
  return {std::string(capture.name(op.type)), op.phase};
}

/// Those that only one of the traces tells apart by shape. One of its shapes is not what the other's row holds, so they
/// stand as a whole.
NameGroups summed_groups(const Capture& before, const Capture& after) {
  NameGroups groups;
  if (before.run().source.empty() || after.run().source.empty()) return groups;
  for (const OpRecord& op : before.ops()) {
    if (op.view) continue;
    NameGroup& group = groups[name_of(before, op)];
    group.match.before.push_back(op.id);
    group.before_shapes = group.before_shapes || name_knows_shapes(before, op);
  }
  for (const OpRecord& op : after.ops()) {
    if (op.view) continue;
    NameGroup& group = groups[name_of(after, op)];
    group.match.after.push_back(op.id);
    group.after_shapes = group.after_shapes || name_knows_shapes(after, op);
  }
  std::erase_if(groups, [](const auto& entry) { return !entry.second.one_sided(); });
  return groups;
}

/// Whether one side is a trace of another tool and the other a run of ours: their ops and layers have other names.
bool mixed(const Capture& before, const Capture& after) {
  return before.run().source.empty() != after.run().source.empty();
}

std::pair<std::string, Phase> group_of(const Capture& capture, const OpRecord& op, bool by_module) {
  const std::string layer(capture.name(op.layer));
  return {by_module ? module_path(layer) : layer, op.phase};
}

}  // namespace

std::string module_path(std::string_view layer) {
  if (!layer.starts_with('/')) return std::string(layer);
  std::vector<std::string_view> parts;
  for (size_t at = 1; at < layer.size();) {
    const size_t slash = std::min(layer.find('/', at), layer.size());
    const std::string_view part = layer.substr(at, slash - at);
    at = slash + 1;
    // "layer1/layer1.0": the list that holds a module is in its name
    const bool goes_on = !parts.empty() && part.size() > parts.back().size() + 1 && part.starts_with(parts.back()) &&
                         part[parts.back().size()] == '.';
    if (goes_on) parts.back() = part;
    else parts.push_back(part);
  }
  if (!parts.empty()) parts.pop_back();  // the node within its module
  return fmt::format("{}", fmt::join(parts, "."));
}

std::string_view name(MatchKind kind) {
  switch (kind) {
    case MatchKind::matched: return "matched";
    case MatchKind::regrouped: return "regrouped";
    case MatchKind::summed: return "all shapes";
    case MatchKind::before_only: return "only before";
    case MatchKind::after_only: return "only after";
  }
  return "matched";
}

bool name_knows_shapes(const Capture& capture, const OpRecord& op) {
  const std::string_view name = capture.name(op.name), type = capture.name(op.type);
  return name.starts_with(type) && name.substr(type.size()).starts_with(" [");
}

std::vector<OpMatch> match_ops(const Capture& before, const Capture& after) {
  std::vector<OpId> partner(before.ops().size(), kNoOp);
  std::vector<bool> taken(after.ops().size(), false);
  const NameGroups sums = summed_groups(before, after);
  for (const auto& [key, group] : sums) {
    for (const OpId op : group.match.before) partner[op] = group.match.after.front();
    for (const OpId op : group.match.after) taken[op] = true;
  }
  if (!before.ops().empty() && !after.ops().empty()) {
    pair_by(before, after, partner, taken, [](const Capture& c, const OpRecord& op) {
      return std::pair(std::string(c.name(op.name)), std::string(c.name(op.type)));
    });
    pair_by(before, after, partner, taken, [](const Capture& c, const OpRecord& op) {
      return std::tuple(std::string(c.name(op.type)), op.phase, result_shape(c, op));
    });
  }
  std::map<std::pair<std::string, Phase>, OpMatch> groups;  // what layers have left
  const bool by_module = mixed(before, after);
  for (const OpRecord& op : before.ops()) {
    if (!op.view && partner[op.id] == kNoOp) groups[group_of(before, op, by_module)].before.push_back(op.id);
  }
  for (const OpRecord& op : after.ops()) {
    if (!op.view && !taken[op.id]) groups[group_of(after, op, by_module)].after.push_back(op.id);
  }
  std::vector<OpMatch> matches;
  for (const OpRecord& op : before.ops()) {
    if (op.view) continue;
    if (const auto sum = sums.find(name_of(before, op)); sum != sums.end()) {
      if (sum->second.match.before.front() == op.id) matches.push_back(sum->second.match);
      continue;
    }
    if (partner[op.id] != kNoOp) {
      matches.push_back({MatchKind::matched, {op.id}, {partner[op.id]}});
      continue;
    }
    const auto key = group_of(before, op, by_module);
    OpMatch& group = groups[key];
    if (group.after.empty() || key.first.empty()) {
      matches.push_back({MatchKind::before_only, {op.id}, {}});
    } else if (group.before.front() == op.id) {
      group.kind = MatchKind::regrouped;
      matches.push_back(group);
    }
  }
  for (const OpRecord& op : after.ops()) {
    if (op.view || taken[op.id]) continue;
    if (groups[group_of(after, op, by_module)].kind != MatchKind::regrouped)
      matches.push_back({MatchKind::after_only, {}, {op.id}});
  }
  return matches;
}

}  // namespace profiler
