// SPDX-License-Identifier: GPL-3.0-or-later
// TimelineGesture: what a press and the moves after it mean: a click, a measured range, another window, wider names.
#pragma once

#include <QPointF>
#include <optional>

#include "views/base/selection.h"
#include "views/timeline/timeline_keys.h"
#include "views/timeline/timeline_layout.h"

namespace views {

/// Whether a point is on the edge between the rows' names and the plot, which can be dragged.
bool on_names_edge(const TimelineGeometry&, const QPointF&);

class TimelineGesture {
 public:
  enum class Kind : uint8_t { none, pressed, range, pan, minimap, names };
  /// What the view is to become; at most one of them.
  struct Effect {
    std::optional<TimelineWindow> window;
    std::optional<TimeRange> range;
    std::optional<int> names_width;
  };
  Kind kind() const { return kind_; }
  Effect press(const QPointF&, Qt::MouseButton, Qt::KeyboardModifiers, TimelinePreset, const TimelineModel&,
               const TimelineGeometry&, const TimelineWindow&);
  Effect move(const QPointF&, const TimelineModel&, const TimelineGeometry&, const TimelineWindow&);
  /// Ends it; what it was.
  Kind release();

 private:
  Kind kind_ = Kind::none;
  QPointF press_;
  TimelineWindow press_window_;
};

}  // namespace views
