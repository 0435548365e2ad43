// SPDX-License-Identifier: Apache-2.0
// TraceBuilder: graphs that a trace captures, and the ops of what a graph's replay launched.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "profiler/import/trace_builder.h"

namespace profiler {
namespace {

/// Pieces of work that have to be found in a captured graph before its names are taken: profilers lose some.
constexpr double kMostMatch = 0.95;

bool begins_capture(std::string_view call) { return call.find("StreamBeginCapture") != call.npos; }
bool ends_capture(std::string_view call) { return call.find("StreamEndCapture") != call.npos; }
bool launches_graph(std::string_view call) { return call.find("GraphLaunch") != call.npos; }

/// What a call of a driver or runtime puts into a stream; nothing: no work.
std::optional<NodeWork> launched_by(std::string_view call) {
  if (call.find("LaunchKernel") != call.npos || call.find("LaunchCooperativeKernel") != call.npos)
    return NodeWork::kernel;
  if (call.find("Async") == call.npos) return {};
  if (call.find("Memcpy") != call.npos) return NodeWork::copy;
  return call.find("Memset") != call.npos ? std::optional(NodeWork::memset) : std::nullopt;
}

/// What a node and a piece of work have to have in common.
std::string key_of(NodeWork work, std::string_view kernel) {
  return work == NodeWork::copy ? "copy" : work == NodeWork::memset ? "memset" : fmt::format("kernel {}", kernel);
}

/// Which node each piece of work is, by index; kNoNode: none. `keys` are those of the work.
constexpr uint32_t kNoNode = 0xffffffffu;
struct Match {
  std::vector<uint32_t> node_of;
  size_t found = 0;
};

/// Equal keys in the order of their launches, whatever other streams did between them.
Match match_by_kernel(const CapturedGraph& graph, const std::vector<std::string>& keys) {
  std::unordered_map<std::string, std::vector<uint32_t>> nodes;
  for (size_t i = graph.nodes.size(); i-- > 0;)
    nodes[key_of(graph.nodes[i].work, graph.nodes[i].kernel)].push_back(static_cast<uint32_t>(i));
  Match match;
  for (const std::string& key : keys) {
    const auto left = nodes.find(key);
    const bool none = left == nodes.end() || left->second.empty();
    match.node_of.push_back(none ? kNoNode : left->second.back());
    if (none) continue;
    left->second.pop_back();
    ++match.found;
  }
  return match;
}

/// Where kernels have no names: one after the other, if there are as many of each kind at each place.
Match match_by_place(const CapturedGraph& graph, const std::vector<NodeWork>& work) {
  Match match;
  if (!std::ranges::equal(graph.nodes, work, {}, &CapturedNode::work)) return match;
  match.found = work.size();
  for (size_t i = 0; i < work.size(); ++i) match.node_of.push_back(static_cast<uint32_t>(i));
  return match;
}

CapturedNode nothing_known(NodeWork work) {
  CapturedNode node;
  node.work = work;
  return node;
}

/// What two nodes that a piece of work may be agree on.
CapturedNode agreed(CapturedNode a, const CapturedNode& b) {
  const auto keep = [](std::string& text, const std::string& other) {
    if (text != other) text.clear();
  };
  if (a.op != b.op) return nothing_known(a.work);
  keep(a.layer, b.layer);
  if (a.dimensions != b.dimensions || a.types != b.types || a.constants != b.constants ||
      a.around_dimensions != b.around_dimensions) {
    a.dimensions.clear(), a.types.clear(), a.constants.clear(), a.around.clear(), a.around_dimensions.clear();
    a.flops = -1;
  }
  return a;
}

}  // namespace

NameId TraceBuilder::called(const Call& call) const {
  return call.called != 0 ? call.called : activities_[call.activity].name;
}

/// Launches between the begin and the end of a capture that gave no device work. Those of other threads (autograd's)
/// belong to the capture that was open then.
void TraceBuilder::find_captured_graphs(const HostNesting& nesting) {
  struct Window {
    TrackId track;
    int64_t begin_ns, end_ns;
  };
  std::vector<uint32_t> calls;
  std::unordered_set<uint64_t> with_work;
  for (size_t i = rank_begin_; i < activities_.size(); ++i) {
    const ActivityKind kind = activities_[i].kind;
    if (kind == ActivityKind::api) calls.push_back(static_cast<uint32_t>(i));
    else if (kind == ActivityKind::kernel || kind == ActivityKind::copy || kind == ActivityKind::memset)
      with_work.insert(activities_[i].correlation);
  }
  std::ranges::stable_sort(calls, {}, [&](uint32_t i) { return activities_[i].start_ns; });
  std::vector<Window> windows;
  for (const uint32_t i : calls) {
    const Activity& a = activities_[i];
    if (begins_capture(name(a.name))) windows.push_back({a.track, a.start_ns, std::numeric_limits<int64_t>::max()});
    if (!ends_capture(name(a.name))) continue;
    const auto open = std::find_if(windows.rbegin(), windows.rend(), [&](const Window& w) {
      return w.track == a.track && w.end_ns == std::numeric_limits<int64_t>::max();
    });
    if (open != windows.rend()) open->end_ns = a.start_ns;
  }
  std::vector<CapturedGraph> graphs(windows.size());
  std::vector<std::unordered_map<uint32_t, uint32_t>> numbers(windows.size());  // of calls
  std::unordered_map<TrackId, int64_t> busy_until;  // a driver's call inside a runtime's is the same launch
  for (const uint32_t i : calls) {
    const Activity& a = activities_[i];
    const auto work = launched_by(name(a.name));
    if (!work || with_work.contains(a.correlation) || a.start_ns < busy_until[a.track]) continue;
    size_t in = windows.size();
    for (size_t w = 0; w < windows.size(); ++w) {
      const bool inside = windows[w].begin_ns <= a.start_ns && a.start_ns < windows[w].end_ns;
      if (inside && (in == windows.size() || windows[w].track == a.track)) in = w;
    }
    if (in == windows.size()) continue;
    busy_until[a.track] = a.start_ns + a.duration_ns;
    CapturedNode node = nothing_known(*work);
    const auto kernel = launched_kernels_.find(i);
    if (kernel != launched_kernels_.end()) node.kernel = name(kernel->second);
    if (const uint32_t index = nesting.innermost_call[i - rank_begin_]; index != kNone) {
      const Call& call = calls_[index];
      node.call = numbers[in].try_emplace(index, static_cast<uint32_t>(numbers[in].size())).first->second;
      node.op = name(called(call)), node.layer = name(call.call.layer);
      node.dimensions = name(call.call.dimensions), node.types = name(call.call.types);
      node.constants = name(call.call.constants);
      node.phase = call.call.phase, node.flops = call.call.flops;
      if (call.around != kNone) {
        node.around = name(called(calls_[call.around]));
        node.around_dimensions = name(calls_[call.around].call.dimensions);
      }
    }
    graphs[in].nodes.push_back(std::move(node));
  }
  for (CapturedGraph& graph : graphs) {
    if (!graph.nodes.empty()) captured_graphs_.push_back(std::move(graph));
  }
}

std::vector<CapturedNode> TraceBuilder::nodes_of_replay(const std::vector<uint32_t>& work) {
  std::vector<NodeWork> kinds;
  std::vector<std::string> keys;
  bool one_stream = true;
  std::string signature;
  for (const uint32_t i : work) {
    const Activity& a = activities_[i];
    kinds.push_back(a.kind == ActivityKind::copy     ? NodeWork::copy
                    : a.kind == ActivityKind::memset ? NodeWork::memset
                                                     : NodeWork::kernel);
    keys.push_back(key_of(kinds.back(), name(a.name)));
    one_stream = one_stream && a.track == activities_[work.front()].track;
    signature += fmt::format("{} {} {};", static_cast<int>(kinds.back()), a.name, one_stream);
  }
  const auto known = replays_.find(signature);
  if (known != replays_.end()) return known->second;
  std::vector<Match> best;
  std::vector<const CapturedGraph*> of;
  size_t most = 0;
  for (const CapturedGraph& graph : graphs_to_name_) {
    const bool named = std::ranges::any_of(graph.nodes, [](const CapturedNode& n) { return !n.kernel.empty(); });
    Match match = named ? match_by_kernel(graph, keys) : one_stream ? match_by_place(graph, kinds) : Match{};
    const auto wanted = static_cast<double>(std::max(work.size(), graph.nodes.size()));
    if (match.found == 0 || static_cast<double>(match.found) < kMostMatch * wanted || match.found < most) continue;
    if (match.found > most) best.clear(), of.clear();
    most = match.found;
    best.push_back(std::move(match)), of.push_back(&graph);
  }
  std::vector<CapturedNode> nodes(best.empty() ? 0 : work.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (size_t g = 0; g < best.size(); ++g) {
      const CapturedNode found = best[g].node_of[i] == kNoNode ? CapturedNode{} : of[g]->nodes[best[g].node_of[i]];
      nodes[i] = g == 0 ? found : agreed(nodes[i], found);
      if (g > 0 && found.dimensions != nodes[i].dimensions) replays_differ_.insert(work[i]);
    }
  }
  return replays_.emplace(std::move(signature), std::move(nodes)).first->second;
}

/// Calls of ops for what graphs launched, beside those that the trace has.
void TraceBuilder::add_replayed_calls(const std::unordered_map<uint32_t, uint32_t>& launches) {
  std::map<uint32_t, std::vector<uint32_t>> work_of;  // by the call that launched a graph
  std::unordered_map<NameId, bool> launches_graphs;   // by the name of a call
  for (const auto& [work, launch] : launches) {
    const auto [entry, fresh] = launches_graphs.try_emplace(activities_[launch].name, false);
    if (fresh) entry->second = launches_graph(name(entry->first));
    if (entry->second) work_of[launch].push_back(work);
  }
  for (auto& [launch, work] : work_of) {
    replayed_work_ += work.size();
    if (graphs_to_name_.empty()) continue;
    std::ranges::sort(work, [&](uint32_t a, uint32_t b) {
      return std::pair(activities_[a].start_ns, a) < std::pair(activities_[b].start_ns, b);
    });
    const std::vector<CapturedNode> nodes = nodes_of_replay(work);
    std::unordered_map<uint32_t, uint32_t> of_captured;
    for (size_t i = 0; i < nodes.size(); ++i) {
      const CapturedNode& node = nodes[i];
      if (node.call == CapturedNode::kNoCall || node.op.empty()) continue;
      ++named_work_;
      const auto [entry, fresh] = of_captured.try_emplace(node.call, static_cast<uint32_t>(calls_.size()));
      replayed_[work[i]] = entry->second;
      if (!fresh) continue;
      if (!steps_of_devices_) activities_[work[i]].step = activities_[launch].step;
      Call call{.activity = work[i]};
      call.called = intern(node.op);
      call.call.dimensions = intern(node.dimensions), call.call.types = intern(node.types);
      call.call.constants = intern(node.constants), call.call.layer = intern(node.layer);
      call.call.phase = node.phase, call.call.phase_given = true;
      call.call.flops = node.flops;
      call.around_name = intern(node.around), call.around_dimensions = intern(node.around_dimensions);
      calls_.push_back(call);
    }
  }
}

void TraceBuilder::note_replays() {
  if (replayed_work_ == 0) return;
  std::vector<std::string>& notes = honesty().notes;
  if (graphs_to_name_.empty()) {
    notes.push_back(fmt::format(
        "Import: {} kernels and copies were launched by graphs that were captured before. The trace lacks their ops. "
        "Import it with --graphs and the trace of that capture.",
        replayed_work_));
    return;
  }
  notes.push_back(fmt::format("Import: {} of {} kernels and copies that graphs launched have the op of their capture.",
                              named_work_, replayed_work_));
  if (!replays_differ_.empty())
    notes.push_back("Import: some replays fit several captured graphs whose shapes differ: their shapes are unknown.");
}

}  // namespace profiler
