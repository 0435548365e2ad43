// SPDX-License-Identifier: GPL-3.0-or-later
// TimelinePainter: draws one frame of the timeline onto any painter (screen, image, SVG, PDF).
#pragma once

#include <QFont>
#include <QFontMetrics>
#include <QPainter>
#include <optional>
#include <vector>

#include "views/base/selection.h"
#include "views/base/theme.h"
#include "views/timeline/timeline_colors.h"
#include "views/timeline/timeline_layout.h"
#include "views/timeline/timeline_links.h"
#include "views/timeline/timeline_search.h"
#include "views/timeline/timeline_text.h"

namespace views {

/// Bits per op: how it belongs to what is selected.
struct OpMarks {
  enum : uint8_t { selected = 1, reads = 2, writes = 4 };
  std::vector<uint8_t> of;  ///< indexed by OpId
  bool any = false;
};
OpMarks op_marks(const profiler::Capture&, const SelectionState&);

/// All that decides how a frame looks.
struct TimelineScene {
  const profiler::Analyzed* analyzed = nullptr;
  const TimelineModel* model = nullptr;
  const Theme* theme = nullptr;
  QFont font;
  TimelineGeometry geometry;
  TimelineWindow window;
  int scroll_y = 0;
  TimelinePalette palette;
  OpMarks marks;
  std::optional<TimeRange> range;
  std::vector<TimelineMark> notes;  ///< the user's, times since the start of the capture
  TimelineArrangement rows;         ///< for the signs of folded groups
  std::vector<TimelineLink> links;  ///< of the current span
  std::optional<TimelineHit> hover, current;
  const TimelineMatches* matches = nullptr;  ///< of a search; null: none
  std::string row_cursor;                    ///< key of the row chosen by keys; empty: none
  bool focused = false;
  TimelineTexts* texts = nullptr;  ///< kept from frame to frame, for this model and font; null: laid out anew
};

/// What the last frame drew, for tests.
struct TimelineFrameStatistics {
  int bars = 0, columns = 0, labels = 0, links = 0, matches = 0;
  int64_t paint_ns = 0;
};

class TimelinePainter {
 public:
  TimelinePainter(QPainter& painter, const TimelineScene& scene);
  TimelineFrameStatistics paint();

 private:
  void paint_lane(const TimelineRow&);
  void paint_columns(const TimelineLane&, const QRect& rect, const LaneFrame&);
  void paint_bar(const TimelineLane&, int lane_index, const QRect& row, const LaneFrame::Bar&);
  void paint_marks(const QRect& row);
  void paint_matches(int lane_index, const QRect& row, const TimelineWindow&);
  bool searching() const { return scene_.matches != nullptr && scene_.matches->active(); }
  void paint_counter(const TimelineRow&);
  void paint_roof(const QRect& row, const QString& name, std::optional<double> y);
  void paint_header(const TimelineRow&, const QString& detail, const QColor& detail_color);
  void paint_ruler();
  void paint_minimap();
  void paint_range();
  void paint_group(const TimelineRow&);
  void paint_rows(bool pinned);
  void paint_links();
  void paint_notes();
  std::optional<QPointF> link_end(const TimelineHit&, bool cause) const;
  QRect row_rect(const TimelineRow&) const;  ///< of the plot part
  QColor dimmed(const QColor&, double weight) const;

  QPainter& painter_;
  const TimelineScene& scene_;
  const TimelineGeometry& g_;
  QFontMetrics metrics_;
  TimelineTexts own_texts_;
  TimelineTexts& texts_;
  TimelineFrameStatistics statistics_;
};

}  // namespace views
