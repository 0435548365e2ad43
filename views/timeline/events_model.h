// SPDX-License-Identifier: GPL-3.0-or-later
// EventsModel: events of a capture as the rows of a table, read from its columns cell by cell; only their order is
// held.
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <optional>
#include <vector>

#include "views/base/selection.h"
#include "views/timeline/timeline_model.h"

namespace views {

/// Rows of the capture's activities that begin in `range` (none: any), without those of steps; with `wanted` (not
/// empty) only those of these labels. At most `most`, the first ones; `count` is of all there are.
std::vector<uint32_t> events_in(const profiler::Capture&, std::optional<TimeRange> range,
                                const std::vector<bool>& wanted, size_t most, size_t& count);

class EventsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { start, duration, name, kind, where, step, op, column_count };
  explicit EventsModel(QObject* parent) : QAbstractTableModel(parent) {}
  /// Keeps the order that is chosen.
  void set_events(std::shared_ptr<const profiler::Capture>, std::vector<uint32_t> rows);
  /// The activity of a row of the table, and the other way round (nothing: it is not among them).
  uint32_t event(int row) const { return rows_[static_cast<size_t>(row)]; }
  std::optional<int> place_of(uint32_t event) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex&, int role) const override;
  QVariant headerData(int section, Qt::Orientation, int role) const override;
  void sort(int column, Qt::SortOrder) override;

 private:
  void put_in_order();
  int64_t key(int column, uint32_t event) const;
  QString text(int column, uint32_t event) const;
  void rank_names();

  std::shared_ptr<const profiler::Capture> capture_;
  std::vector<uint32_t> rows_;
  std::vector<uint32_t> rank_;  // of names in the order of the alphabet; made when it is asked for
  int column_ = start;
  Qt::SortOrder order_ = Qt::AscendingOrder;
};

}  // namespace views
