// SPDX-License-Identifier: GPL-3.0-or-later
// PageFlow: a cursor that walks down pages: text, tables and pictures, broken where a page ends.
#pragma once

#include <QFont>
#include <QPainter>
#include <QPdfWriter>
#include <QString>
#include <functional>
#include <vector>

#include "profiler/report/report.h"
#include "views/report/pdf_outline.h"

namespace views {

class PageFlow {
 public:
  /// Pages of `writer` (its resolution is in px of the screen); `foot` is at the foot of each, with its number and,
  /// where it is known, how many there are (`pages`; 0: unknown).
  PageFlow(QPdfWriter& writer, const QString& foot, int pages);
  QPainter& painter() { return painter_; }
  double width() const { return area_.width(); }
  double page_height() const { return area_.height(); }
  double x() const { return area_.left(); }
  double y() const { return y_; }
  void skip(double height) { y_ += height; }
  /// Begins a new page unless `height` still fits on this one (or this one is empty).
  void need(double height);
  void new_page();
  int page() const { return page_; }
  double left_over() const { return area_.bottom() - y_; }
  /// A bookmark at this place.
  void bookmark(const QString& title, bool child = false);
  const std::vector<Bookmark>& bookmarks() const { return bookmarks_; }

  /// Lines of text, `indent` px in; the page may change between lines.
  void text(const QString&, const QFont&, const QColor&, double indent = 0);
  /// Columns again on every page; rows for paper. Names of a table with a limit are cut to the width of their column.
  void table(const profiler::ReportTable&);
  /// Calls `paint` with a rectangle of `size`, made smaller where a page is too small for it.
  void picture(const QSizeF& size, const std::function<void(QPainter&, const QRectF&)>& paint);

 private:
  void table_head(const profiler::Table&, const std::vector<double>& widths);
  std::vector<double> column_widths(const profiler::ReportTable&) const;
  /// The height; painted where `painter` is not null.
  double cell(QPainter* painter, const QPointF& at, double width, const profiler::ReportTable&, size_t row,
              size_t column) const;
  void draw_foot();

  QPdfWriter& writer_;
  QPainter painter_;
  QRectF area_;
  QString foot_;
  double y_ = 0;
  int page_ = 1, pages_ = 0;
  std::vector<Bookmark> bookmarks_;
};

/// Paints lines of at most `width` px from `at` on (breaking words that are longer), or only measures them (`painter`
/// null); the height.
double wrapped_text(QPainter* painter, const QPointF& at, double width, const QString&, const QFont&, const QColor&,
                    Qt::Alignment = Qt::AlignLeft);
/// The mark of an origin: filled circle exact, filled square measured, hatched simulated, outlined modelled, dashed
/// specified.
void origin_mark(QPainter&, const QRectF&, profiler::Origin, const QColor&);

}  // namespace views
