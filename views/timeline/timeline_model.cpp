// SPDX-License-Identifier: GPL-3.0-or-later
// Builds the lanes of a capture.
#include "views/timeline/timeline_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "profiler/base/say.h"
#include "views/base/phase.h"
#include "views/timeline/idle_gaps.h"
#include "views/timeline/queue_depth.h"
#include "views/timeline/timeline_counters.h"

namespace views {

namespace {

using profiler::ActivityKind;
using profiler::Capture;
using profiler::kNoOp;
using profiler::TrackId;
using profiler::TrackKind;

constexpr size_t kLayerDepths = 3;

/// Of a lane, in English for its key, which saved arrangements have, and as it is shown.
struct Title {
  std::string key, shown;
  template <class... Values>
  static Title say(fmt::format_string<Values...> english, const Values&... values) {
    const fmt::string_view text = english;
    return {fmt::vformat(text, fmt::make_format_args(values...)),
            profiler::say_formatted({text.data(), text.size()}, fmt::make_format_args(values...))};
  }
  /// The same of row d of several.
  Title numbered(size_t d) const {
    return d == 0 ? *this : Title{fmt::format("{} ({})", key, d + 1), fmt::format("{} ({})", shown, d + 1)};
  }
};

class Builder {
 public:
  Builder(const profiler::Analyzed& analyzed, TimelineModel& model)
      : capture_(*analyzed.capture), model_(model), labels_(capture_, model.labels) {}
  void add_steps();
  void add_tracks();

 private:
  TimelineLane& add(LaneKind, TrackId, Title, std::string help, Lane);
  void add_rows(LaneKind, TrackId, const Title&, const std::string& help, LaneRows);
  void add_host(TrackId, TrackRows&, bool only);
  void add_stream(TrackId, const std::vector<uint32_t>& rows);
  void add_layers(TrackId, TrackRows&, const Lane& ops);
  void add_device(const std::string& group);
  std::vector<uint32_t> kernels_of(const std::string& group) const;

  const Capture& capture_;
  TimelineModel& model_;
  Labels labels_;
  std::vector<TrackRows> tracks_;
  std::optional<profiler::IdleExplainer> idle_;  // made for the first device
};

TimelineLane& Builder::add(LaneKind kind, TrackId track, Title title, std::string help, Lane lane) {
  const auto& info = capture_.tracks()[track];
  model_.lanes.push_back({kind, fmt::format("{}/{}/{}", info.group, info.name, title.key), info.group,
                          std::move(title.shown), std::move(help), track, std::move(lane)});
  return model_.lanes.back();
}

void Builder::add_rows(LaneKind kind, TrackId track, const Title& title, const std::string& help, LaneRows rows) {
  for (size_t d = 0; d < rows.size(); ++d)
    add(kind, track, title.numbered(d), help, Lane(model_.capture, std::move(rows[d])));
}

void Builder::add_steps() {
  std::vector<Span> spans;
  for (const auto& step : capture_.steps()) {
    const std::string text =
        step.warmup ? profiler::say("warm-up {}", step.index)
                    : profiler::say("step {}{}", step.index, step.traced ? "" : profiler::say(" (not traced)"));
    spans.push_back({step.start_ns, step.start_ns + step.duration_ns, labels_.intern(text), kNoOp, step.index});
  }
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.begin_ns < b.begin_ns; });
  std::vector<std::vector<Span>> lanes;
  for (const Span& s : spans) {
    size_t lane = 0;
    while (lane < lanes.size() && lanes[lane].back().end_ns > s.begin_ns) ++lane;
    if (lane == lanes.size()) lanes.emplace_back();
    lanes[lane].push_back(s);
  }
  for (size_t i = 0; i < lanes.size(); ++i)
    model_.lanes.push_back({LaneKind::step, fmt::format("steps {}", i), "Host", profiler::say("steps"),
                            profiler::say("One pass over all ops of the plan. Steps that are not traced measure "
                                          "what profiling costs."),
                            0, Lane(std::move(lanes[i]))});
}

void Builder::add_layers(TrackId track, TrackRows& rows, const Lane& ops) {
  const std::string help =
      profiler::say("Consecutive ops of one layer in one phase; backward ops keep the layer that wrote them.");
  const auto title = [](size_t depth) {
    return depth == 0 ? Title::say("layers") : Title::say("layers, depth {}", depth + 1);
  };
  const auto& recorded = rows.rows(RowClass::layer);
  size_t depth = 0;
  if (!recorded.empty()) {
    for (auto& lane : nested(capture_, recorded))
      add(LaneKind::layer, track, title(depth++), help, Lane(model_.capture, std::move(lane)));
    return;
  }
  for (; depth < kLayerDepths; ++depth) {
    auto spans =
        runs(capture_, ops, labels_, [&](const auto& op) { return layer_prefix(capture_.name(op.layer), depth); });
    if (!spans.empty()) add(LaneKind::layer, track, title(depth), help, Lane(std::move(spans)));
  }
}

/// A thread with ops: phases, layers, ops, where it stood still. `only`: no other thread has ops.
void Builder::add_host(TrackId track, TrackRows& rows, bool only) {
  const auto& recorded = rows.rows(RowClass::op);
  const std::string& name = capture_.tracks()[track].name;
  LaneRows lanes = nested(capture_, recorded);
  const Lane first(model_.capture, std::move(lanes.front()));
  const bool forward = phase_known(capture_, engine::Phase::forward);
  auto phases = runs(capture_, first, labels_, [&](const auto& op) {
    return forward || op.phase != engine::Phase::forward ? engine::name(op.phase) : std::string_view{};
  });
  if (!phases.empty())
    add(LaneKind::phase, track, Title::say("phase"),
        profiler::say("Forward, backward and update: runs of ops of one phase."), Lane(std::move(phases)));
  add_layers(track, rows, first);
  const Title title = only ? Title::say("ops") : Title::say("ops of {}", name);
  const std::string help = profiler::say("One op: the time its kernel took on this track (measured).");
  if (model_.op_lane < 0) model_.op_lane = static_cast<int>(model_.lanes.size());
  add(LaneKind::op, track, title, help, first);
  for (size_t d = 1; d < lanes.size(); ++d)
    add(LaneKind::op, track, title.numbered(d), help, Lane(model_.capture, std::move(lanes[d])));
  auto gaps = host_idle(capture_, idle_gaps(capture_, recorded), labels_);
  if (!gaps.empty())
    add(LaneKind::idle, track, Title::say("no op runs"),
        profiler::say("Gaps between ops of {} ns and more (the {} longest at most), and their place "
                      "in a step "
                      "(measured).",
                      kShortestGapNs, kMostGaps),
        Lane(std::move(gaps)));
}

/// All kernels that ran in a group's streams, ascending.
std::vector<uint32_t> Builder::kernels_of(const std::string& group) const {
  std::vector<uint32_t> rows;
  const auto& a = capture_.activities();
  std::vector<bool> wanted;
  for (const auto& t : capture_.tracks()) wanted.push_back(t.kind == TrackKind::stream && t.group == group);
  std::vector<TrackId> track;
  std::vector<ActivityKind> kind;
  uint32_t row = 0;
  for (size_t chunk = 0; chunk < a.track.chunk_count(); ++chunk) {
    a.track.decode(chunk, track);
    a.kind.decode(chunk, kind);
    for (size_t i = 0; i < track.size(); ++i, ++row)
      if (wanted[track[i]] && kind[i] == ActivityKind::kernel) rows.push_back(row);
  }
  return rows;
}

/// One row that says when no kernel ran on a device, and why.
void Builder::add_device(const std::string& group) {
  const auto kernels = kernels_of(group);
  if (kernels.empty()) return;
  auto gaps = idle_gaps(capture_, kernels);
  if (!idle_) idle_.emplace(capture_);
  // Before its first kernel the device stands still from the launch of that one on.
  const auto& a = capture_.activities();
  const profiler::Interval* const launch = idle_->call(a.correlation[kernels.front()]);
  const int64_t first_ns = a.start_ns[kernels.front()];
  if (launch != nullptr && first_ns - launch->begin_ns >= kShortestGapNs)
    gaps.insert(gaps.begin(), {launch->begin_ns, first_ns, kernels.front()});
  if (gaps.empty()) return;
  std::vector<std::pair<int64_t, int64_t>> all;
  for (const auto& lane : model_.lanes) {
    if (lane.kind != LaneKind::copy || lane.group != group) continue;
    for (size_t i = 0; i < lane.lane.size(); ++i) all.emplace_back(lane.lane.begin_ns(i), lane.lane.end_ns(i));
  }
  std::sort(all.begin(), all.end());
  std::vector<Span> copying;  // union: touching ones are one
  for (const auto& [begin, end] : all) {
    if (!copying.empty() && begin <= copying.back().end_ns) {
      copying.back().end_ns = std::max(copying.back().end_ns, end);
    } else {
      copying.push_back({begin, end, 0, kNoOp, profiler::kNoStep});
    }
  }
  TrackId track = 0;
  while (capture_.tracks()[track].group != group || capture_.tracks()[track].kind != TrackKind::stream) ++track;
  auto spans = device_idle(capture_, *idle_, gaps, Lane(std::move(copying)), labels_);
  TimelineLane& lane = add(LaneKind::idle, track, Title::say("no kernel runs"),
                           profiler::say("Gaps of {} ns and more (the {} longest at most) without a kernel on any "
                                         "stream of {}. The cause "
                                         "follows from the launch of the next one (derived from measured times).",
                                         kShortestGapNs, kMostGaps, group),
                           Lane(std::move(spans)));
  lane.key = group + "/idle";
}

/// A stream's kernels, its copies and fills, and the ranges that were named on it: each kind in lanes of its own,
/// because their colours mean something else.
void Builder::add_stream(TrackId track, const std::vector<uint32_t>& rows) {
  std::vector<uint32_t> kernels, copies, ranges;
  for (const uint32_t row : rows) {
    const ActivityKind kind = capture_.activities().kind[row];
    (kind == ActivityKind::kernel                                 ? kernels
     : kind == ActivityKind::copy || kind == ActivityKind::memset ? copies
                                                                  : ranges)
        .push_back(row);
  }
  const std::string& name = capture_.tracks()[track].name;
  if (!kernels.empty())
    add_rows(LaneKind::kernel, track, {name, name},
             profiler::say("A kernel on this stream; those that ran at once are in several lanes "
                           "(measured)."),
             side_by_side(capture_, kernels));
  if (!copies.empty())
    add_rows(LaneKind::copy, track, kernels.empty() ? Title{name, name} : Title::say("copies of {}", name),
             profiler::say("A copy or fill of device memory on this stream (measured)."),
             side_by_side(capture_, copies));
  if (!ranges.empty())
    add_rows(LaneKind::other, track,
             kernels.empty() && copies.empty() ? Title{name, name} : Title::say("ranges of {}", name),
             profiler::say("Ranges that were named on this stream (measured)."), nested(capture_, ranges));
}

void Builder::add_tracks() {
  tracks_ = rows_by_track(capture_);
  std::vector<std::string> groups;  // in the order of their first track
  size_t with_ops = 0;
  for (size_t t = 0; t < tracks_.size(); ++t) {
    const std::string& group = capture_.tracks()[t].group;
    if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
    with_ops += tracks_[t].rows(RowClass::op).empty() ? 0 : 1;
  }
  for (const std::string& group : groups) {
    for (size_t t = 0; t < tracks_.size(); ++t) {
      const auto& info = capture_.tracks()[t];
      if (info.group != group) continue;
      const auto track = static_cast<TrackId>(t);
      TrackRows& rows = tracks_[t];
      const bool has_ops = !rows.rows(RowClass::op).empty();
      if (has_ops) add_host(track, rows, with_ops == 1);
      if (!has_ops && !rows.rows(RowClass::layer).empty())
        add_rows(LaneKind::layer, track, Title::say("ranges of {}", info.name),
                 profiler::say("Ranges that this thread named, nested (measured)."),
                 nested(capture_, rows.rows(RowClass::layer)));
      if (!rows.rows(RowClass::api).empty())
        add_rows(LaneKind::api, track, has_ops ? Title::say("API calls") : Title{info.name, info.name},
                 profiler::say("A call of this thread into the device's driver or run time (measured)."),
                 nested(capture_, rows.rows(RowClass::api)));
      const auto& other = rows.rows(RowClass::other);
      if (!other.empty() && info.kind == TrackKind::stream) {
        add_stream(track, other);
      } else if (!other.empty() && info.kind == TrackKind::copy_engine) {
        add_rows(LaneKind::copy, track, {info.name, info.name},
                 profiler::say("A copy or fill of device memory (measured)."), side_by_side(capture_, other));
      } else if (!other.empty()) {
        const bool overhead = info.kind == TrackKind::overhead;
        add_rows(overhead ? LaneKind::overhead : LaneKind::other, track, {info.name, info.name},
                 overhead ? profiler::say("The profiler's own work, kept visible (measured).")
                          : profiler::say("What this track did (measured)."),
                 nested(capture_, other));
      }
      if (!rows.rows(RowClass::synchronization).empty())
        add_rows(LaneKind::synchronization, track, Title::say("waits of {}", info.name),
                 profiler::say("The thread or stream waited for others (measured)."),
                 side_by_side(capture_, rows.rows(RowClass::synchronization)));
      rows = {};
    }
    add_device(group);
  }
}

/// What is said to be measured: in the words of the capture's own origin of times.
void say_origin(std::string& help, profiler::Origin origin) {
  const std::string measured = profiler::say_marked("measured"), named = profiler::say_marked(profiler::name(origin));
  for (size_t at = help.find(measured); at != std::string::npos; at = help.find(measured, at + named.size()))
    help.replace(at, measured.size(), named);
}

}  // namespace

size_t TimelineModel::size_bytes() const {
  size_t sum = 0;
  for (const auto& lane : lanes) sum += lane.lane.size_bytes();
  for (const auto& counter : counters)
    for (const auto& lane : counter.lanes) sum += lane.size_bytes(false);
  for (const auto& label : labels) sum += sizeof label + label.capacity();
  return sum;
}

TimelineModel build_timeline(const profiler::Analyzed& analyzed) {
  TimelineModel model;
  model.capture = analyzed.capture;
  model.begin_ns = model.capture->begin_ns();
  model.end_ns = std::max(model.capture->end_ns(), model.begin_ns + 1);
  Builder builder(analyzed, model);
  builder.add_steps();
  builder.add_tracks();
  add_counters(analyzed, model);
  if (const profiler::Origin origin = analyzed.capture->time_origin(); origin != profiler::Origin::measured) {
    for (TimelineLane& lane : model.lanes) say_origin(lane.help, origin);
    for (TimelineCounter& counter : model.counters) say_origin(counter.help, origin);
  }
  if (model.capture->activities().size() < kMostQueuedAtOnce) {
    for (TimelineCounter& counter : queue_depths(*model.capture)) model.counters.push_back(std::move(counter));
  }
  if (const profiler::Origin origin = model.capture->time_origin(); origin != profiler::Origin::measured) {
    for (TimelineLane& lane : model.lanes) say_origin(lane.help, origin);
    for (TimelineCounter& counter : model.counters) say_origin(counter.help, origin);
  }
  return model;
}

}  // namespace views
