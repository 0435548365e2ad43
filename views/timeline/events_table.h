// SPDX-License-Identifier: GPL-3.0-or-later
// EventsTable: the events of the selected range, or of the whole capture, as a table under the timeline, linked with
// the selection.
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "views/base/document.h"
#include "views/base/theme.h"

class QLabel;
class QTableView;

namespace views {

class EventsModel;

class EventsTable : public QWidget {
  Q_OBJECT

 public:
  EventsTable(Document&, QWidget* parent);
  void set_theme(const Theme&);
  /// Only events of these labels; empty: of any.
  void set_wanted(std::vector<bool> wanted);
  EventsModel* model() const { return model_; }
  QTableView* table() const { return table_; }

 protected:
  void showEvent(QShowEvent*) override;

 private:
  void follow_selection();
  void refresh();
  void choose(int row);
  void show_chosen();

  Document& document_;
  EventsModel* model_;
  QTableView* table_;
  QLabel* line_;
  std::optional<TimeRange> range_;
  std::vector<bool> wanted_;
  bool stale_ = true, choosing_ = false;
};

}  // namespace views
