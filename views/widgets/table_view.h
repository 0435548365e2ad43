// SPDX-License-Identifier: GPL-3.0-or-later
// TableView: a profiler::Table to sort, filter, choose columns of and copy; units in the header, digits in line.
#pragma once

#include <QTableView>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "views/base/paint.h"
#include "views/widgets/table_order.h"

namespace views {

class TableModel;

/// Length [px] of the bar behind a share: its part of the room, at least a pixel. All of the room is 100 %, as nobody
/// looks up what else a full cell says.
double share_bar(double ratio, double room);

class TableView : public QTableView {
  Q_OBJECT

 public:
  explicit TableView(QWidget* parent = nullptr);
  ~TableView() override;
  /// `settings_key`: where the chosen columns are remembered; `shown`: keys of the columns shown until the user
  /// chooses.
  void set_table(profiler::Table, const QString& settings_key, const QStringList& shown);
  const profiler::Table& table() const;
  void set_filter(const QString&);
  void sort(int column, bool descending);
  /// Table rows in the order shown.
  const std::vector<uint32_t>& shown_rows() const;
  /// Selects a row of the table (not of the screen) silently; nothing: none.
  void set_selected(std::optional<uint32_t> row);
  void set_theme(const Theme&);
  void show_column(const QString& key, bool shown);
  bool column_shown(const QString& key) const;
  /// The selected rows (else all shown ones) with a header, tab-separated.
  QString as_text() const;
  /// Header and the rows that fit, from the first one on screen.
  void draw(QPainter&, const QRectF&, const Theme&) const;

  /// Fill of the chip in text column `chip_column` (key) for a table row; nothing: no chip. What is hatched gets an
  /// outline.
  std::function<std::optional<QBrush>(uint32_t row, const Theme&)> chip;
  /// Its shape; unset: a square.
  std::function<Mark(uint32_t row)> chip_mark;
  /// Keys of columns that go, in this order, where all do not fit side by side; not those the user has switched on, nor
  /// any of a remembered choice.
  QStringList spare_columns;
  /// Set before set_table(), by key: what a second line of a column's heading says of its figures ("lower quartile").
  std::map<QString, QString> under_titles;
  /// Set before set_table(): columns of sentences get the room that the others leave and are cut at their end, never in
  /// their middle; the first column keeps the width of its names.
  bool prose = false;
  QString chip_column, bar_column;  ///< keys; a full bar is 100 %: share_bar()
  bool small_counts = false;  ///< set before set_table(): a column's small numbers are read too, see column_unit()

 signals:
  void chosen(uint32_t row);  ///< by click or arrow keys
  void opened(uint32_t row);  ///< double click or Enter

 protected:
  void keyPressEvent(QKeyEvent*) override;
  void currentChanged(const QModelIndex&, const QModelIndex&) override;
  void mousePressEvent(QMouseEvent*) override;
  void resizeEvent(QResizeEvent*) override;

 private:
  friend class TableDelegate;
  void column_menu(QPoint);
  void remember_columns() const;
  void spare_room();
  void place_columns();
  bool is_prose(size_t column) const;
  double natural_width(size_t column) const;
  QStringList heading(size_t column) const;  // one line or two
  int header_height() const;
  std::vector<size_t> visible_columns() const;
  std::vector<double> widths_for(double total) const;  ///< of visible_columns(); the first takes what is left
  void share_room(std::vector<double>& widths, double total) const;
  void draw_cell(QPainter&, const QRectF&, uint32_t row, size_t column, const Theme&) const;

  std::unique_ptr<TableModel> model_;
  const Theme* theme_ = &Theme::light();
  QString settings_key_;
  QStringList
      may_go_;  ///< of spare_columns those the user has not switched on or off: where hidden, it is for lack of room
  bool silent_ = false;
};

}  // namespace views
