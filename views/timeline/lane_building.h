// SPDX-License-Identifier: GPL-3.0-or-later
// How activities become lanes: by track and kind, nested ones by depth, overlapping ones in the
// first lane that is free. No Qt.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "views/timeline/lane.h"

namespace views {

/// Texts with ids; the capture's own names keep theirs.
class Labels {
 public:
  Labels(const profiler::Capture&, std::vector<std::string>& labels);
  uint32_t intern(std::string_view text);

 private:
  std::vector<std::string>& labels_;
  std::unordered_map<std::string, uint32_t> ids_;  // of what is not the capture's
};

/// What share a lane.
enum class RowClass : uint8_t { layer, op, api, synchronization, other };
inline constexpr size_t kRowClassCount = 5;

/// Rows of activities, ascending; steps are left out (drawn from the step records).
struct TrackRows {
  std::vector<uint32_t> of[kRowClassCount];
  std::vector<uint32_t>& rows(RowClass c) { return of[static_cast<size_t>(c)]; }
};
std::vector<TrackRows> rows_by_track(const profiler::Capture&);

/// One list of rows per lane.
using LaneRows = std::vector<std::vector<uint32_t>>;
/// Children one lane below their parents; what overlaps without being inside goes further down.
LaneRows nested(const profiler::Capture&, const std::vector<uint32_t>& rows);
/// Each row in the first lane that is free at its start: as few lanes as ran at once.
LaneRows side_by_side(const profiler::Capture&, const std::vector<uint32_t>& rows);

/// "layer1.0.conv2" at depth 0: "layer1", at 1: "layer1.0"; empty when the path is not that deep.
std::string_view layer_prefix(std::string_view layer, size_t depth);

/// Maximal runs of spans whose ops give the same text (`key`) in the same step and phase; no text:
/// no span.
template <class Key>
std::vector<Span> runs(const profiler::Capture& capture, const Lane& ops, Labels& labels, Key key) {
  std::vector<Span> out;
  std::string_view last;
  profiler::Phase phase{};
  for (size_t i = 0; i < ops.size(); ++i) {
    const Span op = ops.span(i);
    const auto* record = op.op < capture.ops().size() ? &capture.ops()[op.op] : nullptr;
    const std::string_view text = record != nullptr ? key(*record) : std::string_view{};
    const bool same =
        !out.empty() && !text.empty() && text == last && out.back().step == op.step && record->phase == phase;
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

}  // namespace views
