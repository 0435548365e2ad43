// SPDX-License-Identifier: GPL-3.0-or-later
// DataDialog: the table behind a picture (*Show data*), to read, copy and save as CSV.
#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <QWidget>

#include "profiler/base/table.h"

namespace app::gui {

/// A profiler::Table for Qt: formatted for reading, tooltips with the columns' definitions.
class TableModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  TableModel(profiler::Table table, QObject* parent) : QAbstractTableModel(parent), table_(std::move(table)) {}
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex&, int role) const override;
  QVariant headerData(int section, Qt::Orientation, int role) const override;
  const profiler::Table& table() const { return table_; }

 private:
  profiler::Table table_;
};

/// Writes the table as CSV, whole or not at all. Returns what to say: where it is, or which file could not be written
/// and why.
QString save_csv(const profiler::Table&, const QString& file);
/// Opens the dialog over `window`; "Save as CSV" asks for a file, `folder` first.
void show_data(QWidget* window, const QString& title, profiler::Table, const QString& folder);

}  // namespace app::gui
