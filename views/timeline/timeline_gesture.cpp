// SPDX-License-Identifier: GPL-3.0-or-later
// Presses by place, button and preset; moves by what was pressed.
#include "views/timeline/timeline_gesture.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace views {

namespace {

constexpr double kDragPixels = 4, kEdgePixels = 3;

/// The window about the place of the strip of the whole run that was pressed.
TimelineWindow minimap_window(double x, const TimelineModel& model, const TimelineGeometry& g,
                              const TimelineWindow& window) {
  const TimelineWindow whole = whole_window(model);
  const double share = (x - g.header_width) / g.plot_width();
  const int64_t at = whole.begin_ns + static_cast<int64_t>(share * static_cast<double>(whole.span_ns()));
  return {at - window.span_ns() / 2, at - window.span_ns() / 2 + window.span_ns()};
}

}  // namespace

bool on_names_edge(const TimelineGeometry& g, const QPointF& p) {
  return std::abs(p.x() - g.header_width) <= kEdgePixels;
}

TimelineGesture::Effect TimelineGesture::press(const QPointF& at, Qt::MouseButton button,
                                               Qt::KeyboardModifiers modifiers, TimelinePreset preset,
                                               const TimelineModel& model, const TimelineGeometry& g,
                                               const TimelineWindow& window) {
  press_ = at;
  press_window_ = window;
  const bool left = button == Qt::LeftButton, shift = (modifiers & Qt::ShiftModifier) != 0;
  if (left && on_names_edge(g, at)) {
    kind_ = Kind::names;
  } else if (left && at.y() < g.minimap_height && at.x() >= g.header_width) {
    kind_ = Kind::minimap;
    return {minimap_window(at.x(), model, g, window), {}, {}};
  } else if (button == Qt::MiddleButton || (button == Qt::RightButton && preset == TimelinePreset::tracy) ||
             (left && shift)) {
    kind_ = Kind::pan;
  } else if (left) {
    kind_ = Kind::pressed;
  }
  return {};
}

TimelineGesture::Effect TimelineGesture::move(const QPointF& at, const TimelineModel& model, const TimelineGeometry& g,
                                              const TimelineWindow& window) {
  if (kind_ == Kind::pressed && std::abs(at.x() - press_.x()) > kDragPixels && press_.x() >= g.header_width)
    kind_ = Kind::range;
  switch (kind_) {
    case Kind::names: return {{}, {}, std::max(1, static_cast<int>(at.x()))};
    case Kind::minimap: return {minimap_window(at.x(), model, g, window), {}, {}};
    case Kind::pan: {
      const auto by = static_cast<int64_t>((press_.x() - at.x()) * g.ns_per_px(press_window_));
      return {TimelineWindow{press_window_.begin_ns + by, press_window_.end_ns + by}, {}, {}};
    }
    case Kind::range: {
      const int64_t a = g.time(press_.x(), window);
      const int64_t b = g.time(std::clamp<double>(at.x(), g.header_width, std::max(g.width, g.header_width)), window);
      return {{}, TimeRange{std::min(a, b), std::max(a, b)}, {}};
    }
    case Kind::none:
    case Kind::pressed: break;
  }
  return {};
}

TimelineGesture::Kind TimelineGesture::release() { return std::exchange(kind_, Kind::none); }

}  // namespace views
