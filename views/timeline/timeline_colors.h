// SPDX-License-Identifier: GPL-3.0-or-later
// TimelinePalette: what the colour of a bar means (phase, verdict, share of the roof, name, category, stream), looked
// up in tables made once per capture and theme.
#pragma once

#include <QColor>
#include <QString>
#include <vector>

#include "views/base/theme.h"
#include "views/timeline/timeline_model.h"

namespace views {

enum class TimelineColors : uint8_t { phase, verdict, roofline, name, category, stream };
inline constexpr int kTimelineColorsCount = 6;
QString colors_title(TimelineColors);  ///< "Colour: phase"
QString colors_help(TimelineColors);   ///< one sentence

/// Phase where the capture tells of any, else name: all bars in the grey of an unknown phase would say nothing.
TimelineColors first_colors(const profiler::Capture&);

/// Colours for what has no order: told apart by most colour-blind people, each 3:1 against the theme's surface.
inline constexpr int kHueCount = 9;
QColor hue(const Theme&, size_t index);

class TimelinePalette {
 public:
  struct Entry {
    QColor color;
    QString text;
  };
  TimelinePalette() = default;
  TimelinePalette(const profiler::Analyzed&, const TimelineModel&, const Theme&, TimelineColors);
  /// Of a span; its op and label are all that colours need.
  QColor fill(const TimelineLane&, const Span&) const;
  /// What fill() needs of the spans of a lane; neither: they have one colour.
  bool needs_op(const TimelineLane&) const;
  bool needs_label(const TimelineLane&) const;
  /// What colours mean, of what there is; of names: nothing, as each has its own.
  const std::vector<Entry>& legend() const { return legend_; }

 private:
  void color_phases(const profiler::Capture&, const Theme&);
  void color_verdicts(const profiler::Analyzed&, const Theme&);
  void color_roofline(const profiler::Analyzed&, const Theme&);
  void color_categories(const profiler::Analyzed&, const Theme&);
  void color_streams(const TimelineModel&, const Theme&);
  bool by_op(LaneKind) const;

  TimelineColors colors_ = TimelineColors::phase;
  const Theme* theme_ = nullptr;
  std::vector<QRgb> of_op_, of_label_, of_track_;
  std::vector<Entry> legend_;
};

}  // namespace views
