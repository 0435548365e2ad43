// SPDX-License-Identifier: GPL-3.0-or-later
// TimelineArea: the scrolling, zooming, hovering part of the timeline; one viewport paints all
// rows.
#pragma once

#include <QAbstractScrollArea>
#include <optional>

#include "views/base/document.h"
#include "views/timeline/timeline_edits.h"
#include "views/timeline/timeline_gesture.h"
#include "views/timeline/timeline_keys.h"
#include "views/timeline/timeline_painter.h"

namespace views {

class TimelineArea : public QAbstractScrollArea {
  Q_OBJECT

 public:
  TimelineArea(Document&, QWidget* parent);

  /// Shows `model` (null: nothing), fitted.
  void set_model(const TimelineModel* model);
  void set_theme(const Theme&);
  /// What is shown while there is no model; empty: nothing.
  void set_message(const QString&);
  void set_colors(TimelineColors);
  TimelineColors colors() const { return colors_; }
  /// Makes the names of the rows as wide as they need.
  void fit_names();

  const TimelineWindow& window_ns() const { return scene_.window; }
  void set_window(const TimelineWindow&);
  void zoom(double factor);  ///< about the middle of the plot, or the pointer while it is inside
  void pan(double share);    ///< by a share of the visible span
  void fit_all();
  void fit_selection();             ///< the range, else the current bar, else everything
  void select(const TimelineHit&);  ///< in the whole window
  void zoom_to(const TimelineHit&);
  /// Selects the span, moves it and its row into sight, tells the window's selection.
  void go_to(const TimelineHit&);
  /// The same for a span that was looked for: its group is unfolded, and where it would be too narrow to be seen, or
  /// wider than the view, the zoom is changed.
  void go_to_found(const TimelineHit&);
  /// Spans that a search found are told from others; null: no search. Kept by the caller.
  void set_matches(const TimelineMatches*);
  void go_sideways(int direction);  ///< next or previous bar of the lane
  void go_up_down(int direction);   ///< the bar above or below at the same time
  /// Chooses the next or previous row, groups and charts as well, and brings it into sight: row_of_interest() until the
  /// pointer or another bar takes over.
  void go_to_row(int direction);
  /// The range from the current bar to its neighbour, and on with each call; back with the other direction.
  void extend_range(int direction);

  /// What the user arranges and writes.
  TimelineEdits* edits() const { return edits_; }
  const TimelineNotes& notes() const { return edits_->notes(); }
  /// Lays the rows out anew: the model has got more of them.
  void relayout() { update_names(), update_geometry(); }
  void set_preset(TimelinePreset preset) { preset_ = preset; }
  /// The row chosen by keys, else the one under the pointer, else that of the current bar, by its key; empty: none.
  std::string row_of_interest() const;
  /// Where a new mark goes: the selected range, else the current bar, else the pointer or middle.
  TimeRange mark_place() const;
  /// The last mark that begins at or before `at`; -1: none is near (within 8 pixels or inside).
  int mark_at(int64_t at_ns) const;
  void go_to_mark(int direction);
  /// The current bar in words; empty: none.
  QString current_text() const;

  const std::optional<TimelineHit>& current() const { return scene_.current; }
  const TimelineScene& scene() const { return scene_; }
  const TimelineFrameStatistics& statistics() const { return statistics_; }
  std::optional<TimelineHit> hit(const QPointF&) const;
  /// The row at a height of the viewport; null: none.
  const TimelineRow* row_at(double y) const;
  /// Where a span is drawn, in the viewport.
  QRectF span_rect(const TimelineHit&) const;
  /// Draws the same content at another size.
  void render(QPainter&, const QRectF&, const Theme&);
  /// Height at which a picture of `width` shows every row.
  int full_height(int width) const;

 signals:
  void window_changed();
  void current_changed();
  void range_dragged();  ///< the user measured a range with the mouse
  void painted();        ///< statistics() tell what the frame took

 protected:
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  void wheelEvent(QWheelEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void mouseDoubleClickEvent(QMouseEvent*) override;
  void leaveEvent(QEvent*) override;
  void focusInEvent(QFocusEvent*) override;
  void focusOutEvent(QFocusEvent*) override;
  void scrollContentsBy(int dx, int dy) override;
  bool viewportEvent(QEvent*) override;

 private:
  void follow_selection();
  void show_row(const TimelineHit&);
  void show_row(const TimelineRow&);
  void set_current(std::optional<TimelineHit>);
  int64_t time_of_interest() const;  ///< under the pointer, else in the middle
  void update_geometry();
  void update_bars();
  void update_palette();
  void update_names();
  void set_names_width(int width);
  int names_width_at(int width) const;
  void apply(const TimelineGesture::Effect&);
  Span span(const TimelineHit& h) const;

  Document& document_;
  TimelineTexts texts_;
  TimelineScene scene_;
  TimelineFrameStatistics statistics_;
  TimelineGesture gesture_;
  std::optional<QPointF> pointer_;
  std::optional<TimelineHit> range_from_;  // the bar a range by keys began with
  size_t range_to_ = 0;                    // and the bar of its lane that it has come to
  bool syncing_ = false;
  QString message_;
  TimelineEdits* edits_;
  TimelinePreset preset_ = TimelinePreset::perfetto;
  TimelineColors colors_ = TimelineColors::phase;
  int natural_names_ = 0, wanted_names_ = 0;  // pixels that the rows' names need; that the user gave them, 0: none
};

}  // namespace views
