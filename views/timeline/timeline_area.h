// SPDX-License-Identifier: GPL-3.0-or-later
// TimelineArea: the scrolling, zooming, hovering part of the timeline; one viewport paints all
// rows.
#pragma once

#include <QAbstractScrollArea>
#include <QUndoStack>
#include <optional>

#include "views/base/document.h"
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

  const TimelineWindow& window_ns() const { return scene_.window; }
  void set_window(const TimelineWindow&);
  void zoom(double factor);  ///< about the middle of the plot, or the pointer while it is inside
  void pan(double share);    ///< by a share of the visible span
  void fit_all();
  void fit_selection();  ///< the range, else the current bar, else everything
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

  /// What the user arranged and wrote; every change of it is told by notes_changed(), and can be undone.
  const TimelineNotes& notes() const { return notes_; }
  /// Notes of another capture, or of another file: there is nothing to undo in them.
  void set_notes(TimelineNotes);
  /// Changes the notes as one step that can be undone; `what` names it: "Hide the row".
  void edit_notes(TimelineNotes, const QString& what);
  QUndoStack* history() { return &history_; }
  /// Lays the rows out anew: the model has got more of them.
  void relayout() { update_geometry(); }
  void set_preset(TimelinePreset preset) { preset_ = preset; }
  /// The row chosen by keys, else the one under the pointer, else that of the current bar, by its key; empty: none.
  std::string row_of_interest() const;
  void toggle_pin();
  void hide_row();
  void move_row(int direction);
  void toggle_fold();  ///< of the group of the row of interest
  void show_all_rows();
  /// Where a new mark goes: the selected range, else the current bar, else the pointer or middle.
  TimeRange mark_place() const;
  void add_mark(TimeRange, const QString& text);
  /// The last mark that begins at or before `at`; -1: none is near (within 8 pixels or inside).
  int mark_at(int64_t at_ns) const;
  void remove_mark(int index);
  void go_to_mark(int direction);
  void save_view(size_t slot);
  void recall_view(size_t slot);
  /// The current bar in words; empty: none.
  QString current_text() const;

  const std::optional<TimelineHit>& current() const { return scene_.current; }
  const TimelineScene& scene() const { return scene_; }
  const TimelineFrameStatistics& statistics() const { return statistics_; }
  std::optional<TimelineHit> hit(const QPointF&) const;
  /// Where a span is drawn, in the viewport.
  QRectF span_rect(const TimelineHit&) const;
  QString tooltip(const TimelineHit&) const;
  /// Draws the same content at another size.
  void render(QPainter&, const QRectF&, const Theme&);
  /// Height at which a picture of `width` shows every row.
  int full_height(int width) const;

 signals:
  void window_changed();
  void current_changed();
  void range_dragged();  ///< the user measured a range with the mouse
  void notes_changed();
  void painted();  ///< statistics() tell what the frame took

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
  enum class Drag : uint8_t { none, pressed, range, pan, minimap };
  void follow_selection();
  void select(const TimelineHit&);
  void show_row(const TimelineHit&);
  void set_current(std::optional<TimelineHit>);
  void change_rows(TimelineArrangement, const QString& what);
  void put_notes(const TimelineNotes&);
  const TimelineRow* row_at(double y) const;
  std::optional<TimelineHit> nearest_of(profiler::OpId) const;
  std::optional<TimelineHit> first_bar() const;
  void update_geometry();
  void update_bars();
  void drag_minimap(double x);
  Span span(const TimelineHit& h) const;

  Document& document_;
  TimelineTexts texts_;
  TimelineScene scene_;
  TimelineFrameStatistics statistics_;
  Drag drag_ = Drag::none;
  QPointF press_;
  TimelineWindow press_window_;
  std::optional<QPointF> pointer_;
  std::optional<TimelineHit> range_from_;  // the bar a range by keys began with
  size_t range_to_ = 0;                    // and the bar of its lane that it has come to
  bool syncing_ = false;
  QString message_;
  TimelineNotes notes_;
  QUndoStack history_;
  TimelinePreset preset_ = TimelinePreset::perfetto;
};

}  // namespace views
