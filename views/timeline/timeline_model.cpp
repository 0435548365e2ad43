// SPDX-License-Identifier: GPL-3.0-or-later
// Builds lanes and counters from a capture.
#include "views/timeline/timeline_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace views {

namespace {

using profiler::ActivityKind;
using profiler::Analyzed;
using profiler::Capture;
using profiler::kNoOp;
using profiler::OpId;
using profiler::TrackId;

constexpr size_t kLayerDepths = 3;

class Labels {
 public:
  explicit Labels(std::vector<std::string>& labels) : labels_(labels) {}
  uint32_t intern(std::string_view text) {
    const auto [at, is_new] =
        ids_.try_emplace(std::string(text), static_cast<uint32_t>(labels_.size()));
    if (is_new) labels_.emplace_back(text);
    return at->second;
  }

 private:
  std::vector<std::string>& labels_;
  std::unordered_map<std::string, uint32_t> ids_;
};

/// Spans of one depth: what overlaps the last span of the lane is pushed to the next lane.
using Depths = std::vector<std::vector<Span>>;

void place(Depths& depths, size_t depth, const Span& span) {
  while (depth < depths.size() && !depths[depth].empty() &&
         depths[depth].back().end_ns > span.begin_ns)
    ++depth;
  if (depth >= depths.size()) depths.resize(depth + 1);
  depths[depth].push_back(span);
}

/// Rows of one track in time order, without steps (drawn from the step records).
std::vector<uint32_t> rows_of(const Capture& capture, TrackId track, bool layers) {
  std::vector<uint32_t> rows;
  const auto& a = capture.activities();
  for (size_t i = 0; i < a.size(); ++i) {
    if (a.track[i] != track || a.kind[i] == ActivityKind::step) continue;
    if ((a.kind[i] == ActivityKind::layer) == layers) rows.push_back(static_cast<uint32_t>(i));
  }
  // Captures put the longer of two spans with one start first, as parents; among ops the one that
  // took 0 ns came before.
  if (!layers) {
    std::ranges::stable_sort(
        rows, {}, [&](uint32_t row) { return std::pair(a.start_ns[row], a.duration_ns[row]); });
  }
  return rows;
}

Span span_of(const Capture& capture, uint32_t row, Labels& labels) {
  const auto& a = capture.activities();
  const OpId op = a.op[row];
  const auto text = capture.name(op < capture.ops().size() ? capture.ops()[op].name : a.name[row]);
  return {a.start_ns[row], a.start_ns[row] + a.duration_ns[row], labels.intern(text), op,
          a.step[row]};
}

Depths nested(const Capture& capture, const std::vector<uint32_t>& rows, Labels& labels) {
  Depths depths;
  std::vector<int64_t> open;  // ends of the spans around the current one
  for (const uint32_t row : rows) {
    const Span span = span_of(capture, row, labels);
    while (!open.empty() && open.back() <= span.begin_ns) open.pop_back();
    place(depths, open.size(), span);
    open.push_back(span.end_ns);
  }
  return depths;
}

/// "layer1.0.conv2" at depth 0: "layer1", at 1: "layer1.0"; empty when the path is not that deep.
std::string_view layer_prefix(std::string_view layer, size_t depth) {
  size_t end = 0;
  for (size_t d = 0;; ++d) {
    const size_t dot = layer.find('.', end);
    if (dot == std::string_view::npos)
      return d == depth && !layer.empty() ? layer : std::string_view{};
    if (d == depth) return layer.substr(0, dot);
    end = dot + 1;
  }
}

/// Maximal runs of ops for which `key` gives the same text in the same step and phase; no text: no
/// span.
template <class Key>
std::vector<Span> runs(const Capture& capture, const std::vector<Span>& ops, Labels& labels,
                       Key key) {
  std::vector<Span> out;
  std::string_view last;
  profiler::Phase phase{};
  for (const Span& op : ops) {
    const auto* record = op.op < capture.ops().size() ? &capture.ops()[op.op] : nullptr;
    const std::string_view text = record != nullptr ? key(*record) : std::string_view{};
    const bool same = !out.empty() && !text.empty() && text == last && out.back().step == op.step &&
                      record->phase == phase;
    if (same) {
      out.back().end_ns = op.end_ns;
    } else if (!text.empty()) {
      out.push_back({op.begin_ns, op.end_ns, labels.intern(text), op.op, op.step});
    }
    last = text;
    if (record != nullptr) phase = record->phase;
  }
  return out;
}

void add_steps(const Capture& capture, Labels& labels, TimelineModel& model) {
  std::vector<Span> spans;
  for (const auto& step : capture.steps()) {
    const std::string text =
        step.warmup ? fmt::format("warm-up {}", step.index)
                    : fmt::format("step {}{}", step.index, step.traced ? "" : " (not traced)");
    spans.push_back(
        {step.start_ns, step.start_ns + step.duration_ns, labels.intern(text), kNoOp, step.index});
  }
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.begin_ns < b.begin_ns; });
  Depths depths;
  for (const Span& s : spans) place(depths, 0, s);
  for (auto& d : depths)
    model.lanes.push_back({LaneKind::step, "Host", "steps",
                           "One pass over all ops of the plan. Steps that are not traced measure "
                           "what profiling costs.",
                           0, Lane(std::move(d))});
}

std::string layer_title(size_t depth) {
  return depth == 0 ? "layers" : fmt::format("layers, depth {}", depth + 1);
}

void add_op_track(const Capture& capture, TrackId track, Depths depths, Labels& labels,
                  TimelineModel& model) {
  const auto& info = capture.tracks()[track];
  const std::vector<Span>& ops = depths.front();
  const auto add = [&](LaneKind kind, std::string title, std::string help,
                       std::vector<Span> spans) {
    if (spans.empty()) return;
    model.lanes.push_back(
        {kind, info.group, std::move(title), std::move(help), track, Lane(std::move(spans))});
  };
  add(LaneKind::phase, "phase", "Forward, backward and update: runs of ops of one phase.",
      runs(capture, ops, labels, [](const auto& op) { return engine::name(op.phase); }));
  const auto recorded = rows_of(capture, track, true);
  if (!recorded.empty()) {
    size_t depth = 0;
    for (auto& d : nested(capture, recorded, labels)) {
      // A layer takes its colour and phase from the first op in it.
      for (Span& span : d) {
        const auto first = std::partition_point(
            ops.begin(), ops.end(), [&](const Span& op) { return op.begin_ns < span.begin_ns; });
        if (first != ops.end() && first->begin_ns < span.end_ns) span.op = first->op;
      }
      add(LaneKind::layer, layer_title(depth++),
          "Consecutive ops of one layer in one phase; backward ops keep the layer that wrote them.",
          std::move(d));
    }
  } else {
    for (size_t d = 0; d < kLayerDepths; ++d)
      add(LaneKind::layer, layer_title(d),
          "Consecutive ops of one layer in one phase; backward ops keep the layer that wrote them.",
          runs(capture, ops, labels,
               [&](const auto& op) { return layer_prefix(capture.name(op.layer), d); }));
  }
  for (size_t d = 0; d < depths.size(); ++d) {
    if (model.op_lane < 0) model.op_lane = static_cast<int>(model.lanes.size());
    add(LaneKind::op, d == 0 ? "ops" : fmt::format("ops ({})", d + 1),
        "One op: the time its kernel took on this track (measured).", std::move(depths[d]));
  }
}

void add_tracks(const Capture& capture, Labels& labels, TimelineModel& model) {
  const auto& a = capture.activities();
  std::vector<bool> has_ops(capture.tracks().size(), false);
  for (size_t i = 0; i < a.size(); ++i)
    if (a.kind[i] == ActivityKind::op && a.track[i] < has_ops.size()) has_ops[a.track[i]] = true;
  for (size_t t = 0; t < capture.tracks().size(); ++t) {
    const auto track = static_cast<TrackId>(t);
    Depths depths = nested(capture, rows_of(capture, track, false), labels);
    if (depths.empty()) continue;
    if (has_ops[t]) {
      add_op_track(capture, track, std::move(depths), labels, model);
      continue;
    }
    const auto& info = capture.tracks()[t];
    const bool overhead = info.kind == profiler::TrackKind::overhead;
    for (size_t d = 0; d < depths.size(); ++d)
      model.lanes.push_back({overhead ? LaneKind::overhead : LaneKind::other, info.group,
                             d == 0 ? info.name : fmt::format("{} ({})", info.name, d + 1),
                             overhead ? "The profiler's own work, kept visible (measured)."
                                      : "What this track did (measured).",
                             track, Lane(std::move(depths[d]))});
  }
}

/// The ops lane again with an amount per span; ops that ran nothing are not in it.
template <class Amount>
Lane weighted(const TimelineModel& model, Amount amount) {
  if (model.op_lane < 0) return {};
  const auto spans = model.lanes[static_cast<size_t>(model.op_lane)].lane.spans();
  std::vector<double> weights;
  weights.reserve(spans.size());
  for (const Span& s : spans) weights.push_back(s.op == kNoOp ? 0.0 : amount(s.op));
  return Lane({spans.begin(), spans.end()}, std::move(weights));
}

double total(const profiler::RoleBytes& bytes) {
  double sum = 0;
  for (const double b : bytes) sum += b;
  return sum;
}

void add_counters(const Analyzed& analyzed, TimelineModel& model) {
  const Capture& capture = *analyzed.capture;
  if (model.op_lane < 0) return;
  using Kind = TimelineCounter::Kind;
  const auto& m = analyzed.model;
  TimelineCounter dram{Kind::rate,
                       "dram",
                       "DRAM traffic",
                       "Bytes between DRAM and the last cache, modelled per op and spread evenly "
                       "over the op's measured time. The area "
                       "under the curve is the byte count at every zoom.",
                       profiler::Quantity::bytes_per_s,
                       profiler::Origin::modelled,
                       {},
                       {}};
  if (m.known && !m.links.empty()) {
    dram.lane = weighted(model, [&](OpId op) {
      return total(m.op_levels[op].front().read) + total(m.op_levels[op].front().written);
    });
  } else {
    dram.unknown_reason =
        "unknown: this machine was not probed, so cache sizes are not known. Run: tensortide probe";
  }
  model.counters.push_back(std::move(dram));
  model.counters.push_back({Kind::rate,
                            "flops",
                            "Arithmetic",
                            "FLOP/s: exact FLOPs of each op, spread evenly over its measured time.",
                            profiler::Quantity::flop_per_s,
                            profiler::Origin::measured,
                            {},
                            weighted(model, [&](OpId op) { return capture.ops()[op].flops; })});
  const profiler::Footprint footprint = profiler::footprint(capture);
  std::vector<double> live(capture.ops().size(), 0.0);
  for (const auto& p : footprint.points)
    if (p.op < live.size()) live[p.op] = total(p.live_bytes);
  model.counters.push_back({Kind::gauge,
                            "live",
                            "Live bytes",
                            "Bytes of all tensors alive while an op runs, weights and optimiser "
                            "state included (exact, from the memory plan).",
                            profiler::Quantity::bytes,
                            profiler::Origin::exact,
                            {},
                            weighted(model, [&](OpId op) { return live[op]; })});
}

}  // namespace

TimelineModel build_timeline(const Analyzed& analyzed) {
  TimelineModel model;
  Labels labels(model.labels);
  const Capture& capture = *analyzed.capture;
  model.begin_ns = capture.begin_ns();
  model.end_ns = std::max(capture.end_ns(), capture.begin_ns() + 1);
  add_steps(capture, labels, model);
  add_tracks(capture, labels, model);
  add_counters(analyzed, model);
  return model;
}

}  // namespace views
