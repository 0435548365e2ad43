// SPDX-License-Identifier: GPL-3.0-or-later
// Sorting activities into lanes.
#include "views/timeline/lane_building.h"

#include <algorithm>

namespace views {

using profiler::ActivityKind;
using profiler::Capture;

Labels::Labels(const Capture& capture, std::vector<std::string>& labels) : labels_(labels) {
  labels_ = capture.names();
}

uint32_t Labels::intern(std::string_view text) {
  const auto [at, is_new] = ids_.try_emplace(std::string(text), static_cast<uint32_t>(labels_.size()));
  if (is_new) labels_.emplace_back(text);
  return at->second;
}

namespace {

RowClass class_of(ActivityKind kind) {
  switch (kind) {
    case ActivityKind::layer: return RowClass::layer;
    case ActivityKind::op: return RowClass::op;
    case ActivityKind::api: return RowClass::api;
    case ActivityKind::synchronization: return RowClass::synchronization;
    default: return RowClass::other;
  }
}

}  // namespace

std::vector<TrackRows> rows_by_track(const Capture& capture) {
  std::vector<TrackRows> tracks(capture.tracks().size());
  const auto& a = capture.activities();
  std::vector<profiler::TrackId> track;
  std::vector<ActivityKind> kind;
  uint32_t row = 0;
  for (size_t chunk = 0; chunk < a.track.chunk_count(); ++chunk) {
    a.track.decode(chunk, track);
    a.kind.decode(chunk, kind);
    for (size_t i = 0; i < track.size(); ++i, ++row) {
      if (kind[i] != ActivityKind::step) tracks[track[i]].rows(class_of(kind[i])).push_back(row);
    }
  }
  // Captures put the longer of two spans with one start first, as parents; among ops the one that
  // took 0 ns came before.
  for (TrackRows& t : tracks) {
    auto& ops = t.rows(RowClass::op);
    const auto earlier = [&a](uint32_t x, uint32_t y) {
      const int64_t at_x = a.start_ns[x], at_y = a.start_ns[y];
      return at_x != at_y ? at_x < at_y : a.duration_ns[x] < a.duration_ns[y];
    };
    if (!std::is_sorted(ops.begin(), ops.end(), earlier)) std::stable_sort(ops.begin(), ops.end(), earlier);
  }
  return tracks;
}

LaneRows nested(const Capture& capture, const std::vector<uint32_t>& rows) {
  LaneRows lanes;
  const auto& a = capture.activities();
  std::vector<int64_t> open;       // ends of the spans around the current one
  std::vector<int64_t> lane_ends;  // of the last span in each lane
  for (const uint32_t row : rows) {
    const int64_t begin = a.start_ns[row], end = begin + a.duration_ns[row];
    while (!open.empty() && open.back() <= begin) open.pop_back();
    size_t depth = open.size();
    while (depth < lanes.size() && lane_ends[depth] > begin) ++depth;
    if (depth >= lanes.size()) {
      lanes.resize(depth + 1);
      lane_ends.resize(depth + 1, std::numeric_limits<int64_t>::min());
    }
    lanes[depth].push_back(row);
    lane_ends[depth] = end;
    open.push_back(end);
  }
  return lanes;
}

LaneRows side_by_side(const Capture& capture, const std::vector<uint32_t>& rows) {
  LaneRows lanes;
  const auto& a = capture.activities();
  std::vector<int64_t> lane_ends;
  for (const uint32_t row : rows) {
    const int64_t begin = a.start_ns[row];
    size_t lane = 0;
    while (lane < lanes.size() && lane_ends[lane] > begin) ++lane;
    if (lane == lanes.size()) {
      lanes.emplace_back();
      lane_ends.push_back(0);
    }
    lanes[lane].push_back(row);
    lane_ends[lane] = begin + a.duration_ns[row];
  }
  return lanes;
}

std::string_view layer_prefix(std::string_view layer, size_t depth) {
  size_t end = 0;
  for (size_t d = 0;; ++d) {
    const size_t dot = layer.find('.', end);
    if (dot == std::string_view::npos) return d == depth && !layer.empty() ? layer : std::string_view{};
    if (d == depth) return layer.substr(0, dot);
    end = dot + 1;
  }
}

}  // namespace views
