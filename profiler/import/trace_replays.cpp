// SPDX-License-Identifier: Apache-2.0
// TraceBuilder: graphs that a trace captures, and the ops of what a graph's replay launched.
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "profiler/capture/graph_launch.h"
#include "profiler/import/trace_builder.h"

namespace profiler {
namespace {

/// Part of the work that has to be found in a captured graph before its names are taken: profilers lose some.
constexpr double kFewestFound = 0.95;
/// Graphs whose kernels have no names, and that are smaller, fit anything.
constexpr size_t kFewestNameless = 4;
/// Graphs of nearly the right size that are compared with a replay that none fits exactly; captures that are open at
/// once. Beyond lies what no program does.
constexpr size_t kMostNear = 64, kMostOpen = 64;

bool begins_capture(std::string_view call) { return call.find("StreamBeginCapture") != call.npos; }
bool ends_capture(std::string_view call) { return call.find("StreamEndCapture") != call.npos; }

/// What a call of a driver or runtime puts into a stream; nothing: no work.
std::optional<NodeWork> launched_by(std::string_view call) {
  if (call.find("LaunchKernel") != call.npos || call.find("LaunchCooperativeKernel") != call.npos)
    return NodeWork::kernel;
  if (call.find("Async") == call.npos) return {};
  if (call.find("Memcpy") != call.npos) return NodeWork::copy;
  return call.find("Memset") != call.npos ? std::optional(NodeWork::memset) : std::nullopt;
}

/// What a node and a piece of work have to have in common: what kind of work it is, and a kernel's name.
uint64_t key_of(NodeWork work, NameId kernel) {
  return static_cast<uint64_t>(work) << 32 | (work == NodeWork::kernel ? kernel : 0);
}

/// Of keys in any order.
uint64_t sum_of(const std::vector<uint64_t>& keys) {
  uint64_t sum = 0;
  for (const uint64_t key : keys) sum += XXH3_64bits(&key, sizeof key);
  return sum;
}

/// In their order.
uint64_t hash_of(const std::vector<uint64_t>& keys) { return XXH3_64bits(keys.data(), keys.size() * sizeof(uint64_t)); }

/// What two nodes that a piece of work may be agree on.
CapturedNode agreed(CapturedNode a, const CapturedNode& b) {
  CapturedNode nothing;
  nothing.work = a.work;
  if (a.op != b.op || a.phase != b.phase) return nothing;
  if (a.layer != b.layer) a.layer = 0;
  if (a.dimensions != b.dimensions || a.types != b.types || a.constants != b.constants || a.around != b.around ||
      a.around_dimensions != b.around_dimensions || a.flops != b.flops) {
    a.dimensions = a.types = a.constants = a.around = a.around_dimensions = 0;
    a.flops = -1;
  }
  return a;
}

/// A piece of a replay's work.
struct Piece {
  uint64_t key = 0;
  TrackId stream = 0;
};

/// The nodes of each piece's key in their order. Where some of a key are missing, or run on several streams, which is
/// which is not known: each piece is then what all nodes of the key agree on, a call of its own.
std::vector<CapturedNode> nodes_by_kernel(const CapturedGraph& graph, const std::vector<Piece>& pieces, size_t& found) {
  struct Key {
    std::vector<uint32_t> nodes, pieces;
    bool one_stream = true;
  };
  std::unordered_map<uint64_t, Key> keys;
  for (uint32_t i = 0; i < graph.nodes.size(); ++i)
    keys[key_of(graph.nodes[i].work, graph.nodes[i].kernel)].nodes.push_back(i);
  for (uint32_t i = 0; i < pieces.size(); ++i) {
    Key& key = keys[pieces[i].key];
    key.pieces.push_back(i);
    key.one_stream = key.one_stream && pieces[i].stream == pieces[key.pieces.front()].stream;
  }
  std::vector<CapturedNode> nodes(pieces.size());
  auto call = static_cast<uint32_t>(graph.nodes.size());
  found = 0;
  for (const auto& [name, key] : keys) {
    found += std::min(key.nodes.size(), key.pieces.size());
    if (key.nodes.empty() || key.pieces.size() > key.nodes.size()) continue;
    const bool ordered = key.nodes.size() == key.pieces.size() && (key.one_stream || key.nodes.size() == 1);
    CapturedNode all = graph.nodes[key.nodes.front()];
    for (const uint32_t node : key.nodes) all = agreed(all, graph.nodes[node]);
    for (size_t i = 0; i < key.pieces.size(); ++i) {
      nodes[key.pieces[i]] = ordered ? graph.nodes[key.nodes[i]] : all;
      if (!ordered && all.op != 0)
        nodes[key.pieces[i]].call = call++, nodes[key.pieces[i]].around_call = CapturedNode::kNoCall;
    }
  }
  return nodes;
}

}  // namespace

NameId TraceBuilder::called(const Call& call) const {
  return call.called != 0 ? call.called : activities_[call.activity].name;
}

/// Launches between the begin and the end of a capture that gave no device work. Those of other threads (autograd's)
/// belong to the capture that was begun last.
void TraceBuilder::find_captured_graphs(const HostNesting& nesting) {
  std::vector<uint32_t> calls;
  std::unordered_set<uint64_t> with_work;
  std::unordered_map<NameId, bool> begins;
  bool any = false;
  for (size_t i = rank_begin_; i < activities_.size() && !any; ++i) {
    if (activities_[i].kind != ActivityKind::api) continue;
    const auto [entry, fresh] = begins.try_emplace(activities_[i].name, false);
    if (fresh) any = entry->second = begins_capture(name(activities_[i].name));
  }
  if (!any) return;
  for (size_t i = rank_begin_; i < activities_.size(); ++i) {
    if (activities_[i].kind == ActivityKind::api) calls.push_back(static_cast<uint32_t>(i));
    else if (is_device_work(activities_[i].kind)) with_work.insert(activities_[i].correlation);
  }
  std::ranges::stable_sort(calls, {}, [&](uint32_t i) { return activities_[i].start_ns; });
  struct Capturing {
    TrackId track;
    CapturedGraph graph;
    std::unordered_map<uint32_t, uint32_t> numbers;  // of calls
    std::vector<uint32_t> calls;                     // by number
  };
  std::vector<Capturing> open;
  std::unordered_map<TrackId, int64_t> busy_until;  // a driver's call inside a runtime's is the same launch
  const auto close = [&](size_t which) {
    Capturing& done = open[which];
    for (CapturedNode& node : done.graph.nodes) {
      if (node.call == CapturedNode::kNoCall) continue;
      for (uint32_t at = calls_[done.calls[node.call]].around; at != kNone; at = calls_[at].around) {
        const auto number = done.numbers.find(at);
        if (number == done.numbers.end()) continue;
        node.around_call = number->second;
        break;
      }
    }
    for (const uint32_t call : done.calls) {  // recorded, not run: their time and work is their replays'
      for (uint32_t at = call; at != kNone && !calls_[at].recorded; at = calls_[at].around) calls_[at].recorded = true;
    }
    if (!done.graph.nodes.empty()) captured_graphs_.push_back(std::move(done.graph));
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(which));
  };
  const auto of_track = [&](TrackId track) {
    size_t at = open.size();
    while (at > 0 && open[at - 1].track != track) --at;
    return at;  // 0: none
  };
  for (const uint32_t i : calls) {
    const Activity& a = activities_[i];
    const std::string_view call_name = name(a.name);
    if (begins_capture(call_name)) {
      if (open.size() == kMostOpen) close(0);
      open.push_back({.track = a.track, .graph = {}, .numbers = {}, .calls = {}});
      continue;
    }
    if (open.empty()) continue;
    if (ends_capture(call_name)) {
      if (const size_t at = of_track(a.track); at > 0) close(at - 1);
      continue;
    }
    const auto work = launched_by(call_name);
    const auto busy = busy_until.find(a.track);
    if (!work || with_work.contains(a.correlation) || (busy != busy_until.end() && a.start_ns < busy->second)) continue;
    busy_until[a.track] = a.start_ns + a.duration_ns;
    const size_t own = of_track(a.track);
    Capturing& in = open[own > 0 ? own - 1 : open.size() - 1];
    CapturedNode node;
    node.work = *work;
    if (const auto kernel = launched_kernels_.find(i); kernel != launched_kernels_.end()) node.kernel = kernel->second;
    if (const uint32_t index = nesting.innermost_call[i - rank_begin_]; index != kNone) {
      const Call& call = calls_[index];
      const auto [number, fresh] = in.numbers.try_emplace(index, static_cast<uint32_t>(in.calls.size()));
      if (fresh) in.calls.push_back(index);
      node.call = number->second;
      node.op = called(call), node.layer = call.call.layer;
      node.dimensions = call.call.dimensions, node.types = call.call.types, node.constants = call.call.constants;
      node.phase = call.call.phase, node.flops = call.call.flops;
      if (call.around != kNone)
        node.around = called(calls_[call.around]), node.around_dimensions = calls_[call.around].call.dimensions;
    }
    in.graph.nodes.push_back(node);
  }
  while (!open.empty()) close(open.size() - 1);
  if (collects_graphs_) return;
  for (CapturedGraph& graph : captured_graphs_) take_captured(std::move(graph));
  captured_graphs_.clear();
}

void TraceBuilder::name_replays(const TraceBuilder& captures) {
  std::unordered_map<NameId, NameId> ours;
  const auto take = [&](NameId& id) {
    const auto [entry, fresh] = ours.try_emplace(id, NameId{0});
    // As that builder kept them: what may not be kept of a name is gone.
    if (fresh && id != 0) entry->second = capture_.intern(captures.name(id));
    id = entry->second;
  };
  for (CapturedGraph captured : captures.captured_graphs_) {
    for (CapturedNode& node : captured.nodes) CapturedNode::visit_names(node, take);
    take_captured(std::move(captured));
  }
}

void TraceBuilder::take_captured(CapturedGraph graph) {
  std::vector<uint64_t> keys;
  for (const CapturedNode& node : graph.nodes) keys.push_back(key_of(node.work, node.kernel));
  const auto index = static_cast<uint32_t>(graphs_to_name_.size());
  const auto [same, fresh] = graph_of_order_.try_emplace(hash_of(keys), index);
  if (!fresh) {  // nothing tells their replays apart
    CapturedGraph& known = graphs_to_name_[same->second];
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      const CapturedNode both = agreed(known.nodes[i], graph.nodes[i]);
      known.differ = known.differ || both.dimensions != known.nodes[i].dimensions;
      known.nodes[i] = both;
    }
    return;
  }
  graphs_of_keys_[sum_of(keys)].push_back(index);
  graphs_of_size_[keys.size()].push_back(index);
  graphs_to_name_.push_back(std::move(graph));
}

/// Whose kernels have no names: one after the other, if there are as many of each kind at each place.
bool TraceBuilder::fits_by_place(const CapturedGraph& graph, const std::vector<uint32_t>& work) const {
  if (work.size() < kFewestNameless || graph.nodes.size() != work.size()) return false;
  for (size_t i = 0; i < work.size(); ++i) {
    const Activity& a = activities_[work[i]];
    if (graph.nodes[i].kernel != 0 || graph.nodes[i].work != node_work(a.kind) ||
        a.track != activities_[work.front()].track)
      return false;
  }
  return true;
}

NodeWork TraceBuilder::node_work(ActivityKind kind) {
  return kind == ActivityKind::copy     ? NodeWork::copy
         : kind == ActivityKind::memset ? NodeWork::memset
                                        : NodeWork::kernel;
}

/// Which captured graphs a replay may be of, and what each of its pieces is by all of them.
TraceBuilder::Replay TraceBuilder::replay_of(const std::vector<uint32_t>& work) {
  std::vector<Piece> pieces;
  std::vector<uint64_t> keys;
  for (const uint32_t i : work) {
    pieces.push_back({key_of(node_work(activities_[i].kind), activities_[i].name), activities_[i].track});
    keys.push_back(pieces.back().key);
  }
  Replay replay;
  size_t most = 0;
  const auto consider = [&](uint32_t index, size_t found, std::vector<CapturedNode> nodes) {
    const auto wanted = static_cast<double>(std::max(work.size(), graphs_to_name_[index].nodes.size()));
    if (found == 0 || static_cast<double>(found) < kFewestFound * wanted || found < most) return;
    replay.differ = (found <= most && replay.differ) || graphs_to_name_[index].differ;
    if (found > most || replay.graphs.empty()) {
      replay.graphs.clear();
      replay.nodes = std::move(nodes);
    } else {
      for (size_t i = 0; i < nodes.size(); ++i) {
        const CapturedNode both = agreed(replay.nodes[i], nodes[i]);
        replay.differ = replay.differ || both.dimensions != nodes[i].dimensions;
        replay.nodes[i] = both;
      }
    }
    most = found;
    replay.graphs.push_back(index);
  };
  const auto by_kernel = [&](uint32_t index) {
    size_t found = 0;
    std::vector<CapturedNode> nodes = nodes_by_kernel(graphs_to_name_[index], pieces, found);
    consider(index, found, std::move(nodes));
  };
  if (const auto exact = graphs_of_keys_.find(sum_of(keys)); exact != graphs_of_keys_.end()) {
    for (const uint32_t index : exact->second) by_kernel(index);
  }
  if (!replay.graphs.empty()) return replay;
  const auto fewest = static_cast<size_t>(std::ceil(kFewestFound * static_cast<double>(work.size()))),
             largest = static_cast<size_t>(static_cast<double>(work.size()) / kFewestFound);
  size_t near = 0;
  for (auto at = graphs_of_size_.lower_bound(fewest); at != graphs_of_size_.end() && at->first <= largest; ++at) {
    for (const uint32_t index : at->second) {
      if (near++ == kMostNear) return replay;
      const CapturedGraph& graph = graphs_to_name_[index];
      if (!fits_by_place(graph, work)) {
        by_kernel(index);
        continue;
      }
      consider(index, work.size(), graph.nodes);
      replay.by_place = true;
    }
  }
  return replay;
}

/// Calls of ops for what graphs launched, beside those that the trace has.
void TraceBuilder::add_replayed_calls(const std::unordered_map<uint32_t, uint32_t>& launches) {
  std::map<uint32_t, std::vector<uint32_t>> work_of;  // by the call that launched a graph
  std::unordered_map<NameId, bool> launches_graphs;   // by the name of a call
  for (const auto& [work, launch] : launches) {
    const auto [entry, fresh] = launches_graphs.try_emplace(activities_[launch].name, false);
    if (fresh) entry->second = launches_graph(name(entry->first));
    // What the trace itself says of a piece of work counts before what a capture says.
    if (entry->second && !said_ops_.contains(work)) work_of[launch].push_back(work);
  }
  std::unordered_map<uint64_t, Replay> replays;  // by the work and its streams
  std::vector<std::pair<uint32_t, uint64_t>> order;
  std::unordered_map<uint32_t, std::unordered_set<uint64_t>> replays_of_graph;  // of graphs without names
  for (auto& [launch, work] : work_of) {
    replayed_work_ += work.size();
    if (graphs_to_name_.empty()) continue;
    std::ranges::sort(work, [&](uint32_t a, uint32_t b) {
      return std::pair(activities_[a].start_ns, a) < std::pair(activities_[b].start_ns, b);
    });
    std::vector<uint64_t> kernels, streams;
    for (const uint32_t i : work) {
      kernels.push_back(key_of(node_work(activities_[i].kind), activities_[i].name));
      streams.push_back(activities_[i].track);
    }
    const uint64_t parts[] = {hash_of(kernels), hash_of(streams)};
    const uint64_t id = XXH3_64bits(parts, sizeof parts);
    const auto [entry, fresh] = replays.try_emplace(id);
    if (fresh) entry->second = replay_of(work);
    order.emplace_back(launch, id);
    if (!fresh || !entry->second.by_place) continue;
    for (const uint32_t graph : entry->second.graphs) replays_of_graph[graph].insert(parts[0]);
  }
  for (const auto& [launch, id] : order) {
    const Replay& replay = replays.at(id);
    // Kernels tell that two replays are of different graphs: which of them was captured is not known.
    const bool doubtful = replay.by_place && std::ranges::any_of(replay.graphs, [&](uint32_t graph) {
                            return replays_of_graph[graph].size() > 1;
                          });
    if (doubtful) continue;
    replays_differ_ = replays_differ_ || replay.differ;
    add_replay(launch, work_of.at(launch), replay);
  }
}

void TraceBuilder::add_replay(uint32_t launch, const std::vector<uint32_t>& work, const Replay& replay) {
  std::unordered_map<uint32_t, uint32_t> of_captured;
  for (size_t i = 0; i < replay.nodes.size(); ++i) {
    const CapturedNode& node = replay.nodes[i];
    if (node.call == CapturedNode::kNoCall || node.op == 0) continue;
    ++named_work_;
    const auto [entry, fresh] = of_captured.try_emplace(node.call, static_cast<uint32_t>(calls_.size()));
    replayed_[work[i]] = entry->second;
    if (!fresh) continue;
    if (!steps_of_devices_) activities_[work[i]].step = activities_[launch].step;
    Call call{.activity = work[i]};
    call.called = node.op;
    call.call.dimensions = node.dimensions, call.call.types = node.types, call.call.constants = node.constants;
    call.call.layer = node.layer;
    call.call.phase = node.phase, call.call.phase_given = true;
    call.call.flops = node.flops;
    call.around_name = node.around, call.around_dimensions = node.around_dimensions;
    calls_.push_back(call);
  }
  for (const CapturedNode& node : replay.nodes) {  // what an op inside of another computes counts once
    const auto inner = of_captured.find(node.call), outer = of_captured.find(node.around_call);
    if (inner != of_captured.end() && outer != of_captured.end() && inner->second != outer->second)
      calls_[inner->second].around = outer->second;
  }
}

void TraceBuilder::note_replays() {
  std::vector<std::string>& notes = honesty().notes;
  if (replayed_work_ == 0) {
    if (!graphs_to_name_.empty())
      notes.emplace_back("Import: the trace launches no graph; the captured ones have no use.");
    return;
  }
  if (graphs_to_name_.empty()) {
    notes.push_back(fmt::format(
        "Import: {} kernels and copies were launched by graphs that were captured before. The trace lacks their ops. "
        "Import it with --graphs and the trace of that capture.",
        replayed_work_));
    return;
  }
  notes.push_back(fmt::format("Import: {} of {} kernels and copies that graphs launched have the op of their capture.",
                              named_work_, replayed_work_));
  if (named_work_ == 0)
    notes.emplace_back(
        "Import: no captured graph has the kernels of a replay, or its launches lie in no op. Record the ops of the "
        "host, "
        "too, while the graph is captured.");
  if (replays_differ_)
    notes.push_back("Import: some replays fit several captured graphs whose shapes differ: their shapes are unknown.");
}

}  // namespace profiler
