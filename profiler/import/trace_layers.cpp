// SPDX-License-Identifier: Apache-2.0
// TraceBuilder: layers of ops from the frames of modules and the named ranges around them; backward ops have those of
// their forward ops.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "profiler/import/trace_builder.h"

namespace profiler {
namespace {

constexpr size_t kMostParts = 64, kLongestPath = 4000;
constexpr std::string_view kModuleMark = "nn.Module: ";
constexpr std::string_view kPathMark = "nn.Module path: ";  // the Python package writes it, with names of attributes

/// "Net_0" and "Conv2d_0" -> "Net_0.Conv2d_0". A part that is there already ends the path: a module that calls itself,
/// or runs again in a backward pass.
std::string inner_path(std::string path, const std::string& part) {
  if (path.empty() || part.empty()) return path + part;
  const size_t at = fmt::format(".{}.", path).find(fmt::format(".{}.", part));
  if (at != std::string::npos) return path.substr(0, at + part.size());
  const auto dots = static_cast<size_t>(std::ranges::count(path, '.'));
  if (dots + 1 >= kMostParts || path.size() + part.size() > kLongestPath) return path;
  return path + "." + part;
}

/// What is around a span, from inside the backward op that it belongs to, if it belongs to one.
struct Around {
  NameId modules = 0, ranges = 0;   ///< paths
  uint32_t backward = 0xffffffffu;  ///< row of that op
};

uint64_t key_of(TrackId track, int64_t figure) { return static_cast<uint64_t>(figure) * 0x9e3779b97f4a7c15u + track; }

}  // namespace

/// Forward ops by the sequence numbers and flows that backward ops know them by.
class TraceBuilder::ForwardOps {
 public:
  ForwardOps(const TraceBuilder& b, const HostNesting& nesting) : b_(b) {
    for (const uint32_t row : nesting.order) {
      const uint32_t index = nesting.call_of[row];
      if (index == kNone) continue;
      const TraceCall& call = b.calls_[index].call;
      if (!b.backward_flows_.empty())
        starts_[key_of(activity(row).track, activity(row).start_ns)] = row;  // the innermost stays
      if (call.sequence < 0 || call.of_backward) continue;
      const auto [entry, first] = of_sequence_.try_emplace(call.sequence, row);
      if (first) continue;
      const Activity &known = activity(entry->second), &other = activity(row);
      // Threads count on their own: a number that two of them have names no op.
      if (known.track != other.track) ambiguous_.insert(call.sequence);
      if (known.start_ns <= other.start_ns) entry->second = row;
    }
    for (const BackwardFlow& flow : b.backward_flows_) {
      const uint32_t from = row_at(flow.forward, flow.forward_ns), to = row_at(flow.backward, flow.backward_ns);
      if (from == kNone || to == kNone || from == to) continue;
      of_flow_[to] = from;
      const TraceCall& call = b.calls_[nesting.call_of[to]].call;
      if (call.sequence >= 0) of_flow_sequence_[key_of(activity(to).track, call.sequence)] = from;
    }
  }
  /// Whether an op computes gradients of another; kNone: of which is not known.
  bool is_backward(uint32_t row, const TraceCall& call, uint32_t& forward) const {
    forward = kNone;
    const auto flow = of_flow_.find(row);
    if (flow != of_flow_.end()) forward = flow->second;
    if (!call.of_backward) return flow != of_flow_.end();
    if (forward != kNone || call.sequence < 0) return true;
    const auto same = of_flow_sequence_.find(key_of(activity(row).track, call.sequence));
    const auto known = of_sequence_.find(call.sequence);
    if (same != of_flow_sequence_.end()) forward = same->second;
    else if (known != of_sequence_.end() && !ambiguous_.contains(call.sequence)) forward = known->second;
    return true;
  }

 private:
  const Activity& activity(uint32_t row) const { return b_.activities_[b_.rank_begin_ + row]; }
  uint32_t row_at(Lane lane, int64_t time_ns) const {
    const auto at = starts_.find(key_of(b_.lanes_[lane].track, time_ns + b_.base_ns_));
    return at == starts_.end() ? kNone : at->second;
  }

  const TraceBuilder& b_;
  std::unordered_map<uint64_t, uint32_t> starts_, of_flow_sequence_;
  std::unordered_map<int64_t, uint32_t> of_sequence_;
  std::unordered_map<uint32_t, uint32_t> of_flow_;
  std::unordered_set<int64_t> ambiguous_;
};

bool TraceBuilder::is_module_frame(std::string_view span) {
  return span.starts_with(kModuleMark) && span.size() > kModuleMark.size();
}

bool TraceBuilder::is_module_path(std::string_view annotation) {
  return annotation.starts_with(kPathMark) && annotation.size() > kPathMark.size();
}

bool TraceBuilder::names_a_layer(std::string_view annotation) {
  constexpr std::array kMarkers{
      std::string_view("ProfilerStep#"), std::string_view("Optimizer."), std::string_view("enumerate(DataLoader)"),
      std::string_view("nccl:"),         std::string_view("gloo:"),      std::string_view("ucc:"),
      std::string_view("mpi:")};
  return !annotation.empty() &&
         std::ranges::none_of(kMarkers, [annotation](std::string_view mark) { return annotation.starts_with(mark); });
}

/// Layers of the calls of the current file. What an op says itself counts first, then the modules around it, then the
/// ranges; inside an op that computes gradients only those that began there, else the layer of the op whose gradients
/// they are.
void TraceBuilder::find_layers(const HostNesting& nesting) {
  if (ours_ || (layer_spans_.empty() && backward_flows_.empty())) return;
  const ForwardOps forward_ops(*this, nesting);
  std::unordered_map<uint64_t, NameId> paths;
  const auto inside = [&](NameId outer, NameId span, bool module) {
    const auto [entry, added] = paths.try_emplace(static_cast<uint64_t>(outer) << 32 | span, NameId{0});
    if (added) {
      const std::string_view said = name(span);
      entry->second =
          is_module_path(said)
              ? intern(std::string(said.substr(kPathMark.size())))
              : intern(inner_path(std::string(name(outer)), std::string(said.substr(module ? kModuleMark.size() : 0))));
    }
    return entry->second;
  };
  std::vector<Around> around(nesting.around.size());
  std::unordered_map<uint32_t, uint32_t> forward_of;  // by row of a backward op
  for (const uint32_t row : nesting.order) {
    Around& here = around[row];
    if (nesting.around[row] != kNone) here = around[nesting.around[row]];
    const auto span = layer_spans_.find(static_cast<uint32_t>(rank_begin_ + row));
    if (span != layer_spans_.end())
      (span->second ? here.modules : here.ranges) =
          inside(span->second ? here.modules : here.ranges, activities_[rank_begin_ + row].name, span->second);
    const uint32_t index = nesting.call_of[row];
    uint32_t forward = kNone;
    if (index == kNone || !forward_ops.is_backward(row, calls_[index].call, forward)) continue;
    here = {.modules = 0, .ranges = 0, .backward = row};
    forward_of[row] = forward;
  }
  std::vector<NameId> layers(around.size(), 0);
  for (const bool backward : {false, true}) {
    for (const uint32_t row : nesting.order) {
      const Around& here = around[row];
      if ((here.backward != kNone) != backward) continue;
      NameId& layer = layers[row];
      size_t* source = here.modules != 0 ? &calls_in_modules_ : here.ranges != 0 ? &calls_in_ranges_ : nullptr;
      layer = here.modules != 0 ? here.modules : here.ranges;
      if (backward && here.modules == 0) {
        const uint32_t forward = here.backward == row ? forward_of[row] : kNone, outer = nesting.around[row];
        const NameId theirs = forward != kNone && layers[forward] != 0 ? layers[forward]
                              : here.backward != row                   ? layers[here.backward]
                              : outer != kNone                         ? layers[outer]
                                                                       : NameId{0};
        if (theirs != 0)
          layer = theirs,
          source = forward == kNone && here.backward == row ? &calls_in_ranges_ : &backward_calls_in_layers_;
      }
      const uint32_t index = nesting.call_of[row];
      if (index == kNone) continue;
      TraceCall& call = calls_[index].call;
      if (backward && !call.phase_given && call.phase == Phase::forward) call.phase = Phase::backward;
      if (call.layer != 0) {
        layer = call.layer;
      } else if (layer != 0) {
        call.layer = layer;
        ++*source;
      }
    }
  }
}

/// Which of its layers a capture has from where.
void TraceBuilder::note_layers() {
  std::vector<std::string> parts;
  if (calls_in_modules_ > 0)
    parts.push_back(fmt::format("{} calls have the nn.Module frames around them", calls_in_modules_));
  if (calls_in_ranges_ > 0)
    parts.push_back(fmt::format("{} calls without such frames have the named ranges (record_function) around them",
                                calls_in_ranges_));
  if (backward_calls_in_layers_ > 0)
    parts.push_back(
        fmt::format("{} calls of the backward pass have the layer of their forward op", backward_calls_in_layers_));
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  if (!text.empty()) honesty().notes.push_back(fmt::format("Import: layers of ops: {}.", text));
}

}  // namespace profiler
