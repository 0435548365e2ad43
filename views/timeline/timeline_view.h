// SPDX-License-Identifier: GPL-3.0-or-later
// TimelineView: the timeline with its tool row (find, colours, fit) and the statistics of the
// selected range.
#pragma once

#include <functional>
#include <memory>

#include "views/base/view.h"
#include "views/timeline/timeline_model.h"
#include "views/widgets/find_box.h"

class QAction;
class QComboBox;
class QLabel;
class QThread;

namespace views {

class EventsTable;
class RangePanel;
class TimelineArea;
class TimelineFinder;

class TimelineView : public View {
  Q_OBJECT

 public:
  TimelineView(Document&, QWidget* parent);
  ~TimelineView() override;
  void set_theme(const Theme&) override;
  void render_picture(QPainter&, const QRectF& rect, const Theme&) override;
  int full_height(int width) const override;
  /// The ops within the visible time (within the selected range when there is one).
  profiler::Table data() const override;
  bool busy() const override { return !builders_.empty(); }
  QUndoStack* edits() override;
  QString nothing() const override;

  TimelineArea* area() const { return area_; }
  FindBox* find_box() const { return find_; }
  RangePanel* panel() const { return panel_; }
  EventsTable* events() const { return events_; }

 private:
  void add_actions();
  void add_note_actions();
  void add_panel();
  void show_menu(const QPoint& at);
  void ask_mark();
  void show_keys();
  void save_notes_now();
  void rebuild();
  void add_queues();
  void show_model(std::shared_ptr<TimelineModel>);
  void update_statistics();
  QStringList op_statistics(const SelectionState&) const;
  void bring_into_sight(QWidget* part);
  void show_panel(bool shown);
  void open_panel();
  void update_subject();
  void update_legend();
  void find(int direction);
  void count_matches();
  void show_matches();
  void say_matches();

  std::shared_ptr<TimelineModel> model_;  // null: nothing loaded, or being built
  std::vector<QThread*> builders_;
  quint64 generation_ = 0;
  TimelineArea* area_;
  FindBox* find_;
  QLabel* found_;
  QComboBox* colors_;
  QLabel* legend_;
  QLabel* statistics_;
  QLabel* frame_time_;
  RangePanel* panel_;
  EventsTable* events_;
  TimelineFinder* finder_;
  const Theme* theme_;
  int find_next_ = 0;           // where to go when the search ends; 0: nowhere
  bool colors_chosen_ = false;  // by the user: they stay over captures
  QString notes_file_;          // of the capture shown
};

}  // namespace views
