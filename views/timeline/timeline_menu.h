// SPDX-License-Identifier: GPL-3.0-or-later
// TimelineMenu: what can be done with the event, row and mark under the pointer.
#pragma once

#include <QMenu>

#include "views/timeline/timeline_area.h"

namespace views {

class TimelineMenu : public QMenu {
  Q_OBJECT

 public:
  /// For the place `at` of the area's viewport. Keys are those of the area's actions.
  TimelineMenu(Document&, TimelineArea&, const QPoint& at, QWidget* parent);

 signals:
  void find_requested(const QString& term);
  void durations_requested();  ///< of the event, which is selected

 private:
  void add_event(const TimelineHit&);
  void add_ways(const TimelineHit&);
  void add_row(const std::string& row);
  void add_mark(int mark);
  void add_history();
  QAction* add(const char* name, const QString& text, std::function<void()> run);
  QString with_key(const char* action, const QString& text) const;

  Document& document_;
  TimelineArea& area_;
};

}  // namespace views
