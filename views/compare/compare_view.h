// SPDX-License-Identifier: GPL-3.0-or-later
// Compare: the capture on the table against the one it is compared with: the answer, both steps aligned, bytes per level, a row per op.
#pragma once

#include <QLabel>
#include <memory>
#include <optional>

#include "profiler/compare/comparison.h"
#include "views/base/view.h"
#include "views/compare/compare_layout.h"
#include "views/widgets/canvas.h"
#include "views/widgets/table_view.h"

class QPushButton;

namespace views {

class CompareView : public View {
  Q_OBJECT

 public:
  CompareView(Document& document, QWidget* parent);
  void set_theme(const Theme&) override;
  void render_picture(QPainter&, const QRectF& rect, const Theme&) override;
  profiler::Table data() const override;

  // What tests click on.
  Canvas& picture() { return *picture_; }
  TableView& table() { return *table_; }
  QPushButton& choose_button() { return *choose_; }
  /// Null: there is nothing to compare with.
  const profiler::Comparison* comparison() const;
  CompareLayout layout_on_screen() const;

 protected:
  void resizeEvent(QResizeEvent*) override;
  void showEvent(QShowEvent*) override;

 private:
  void on_document();
  void fill();
  void follow();
  void place_panes();
  void select_row(size_t row);
  std::optional<size_t> selected_row() const;
  QString words() const;
  QString row_tip(size_t row) const;
  void paint_picture(QPainter&, const QRectF&, const Theme&) const;
  void paint_message(QPainter&, const QRectF&, const Theme&) const;

  const Theme* theme_ = &Theme::light();
  QWidget* toolbar_;
  QLabel *title_, *words_;
  QPushButton* choose_;
  Canvas *picture_, *message_;
  TableView* table_;
  mutable std::optional<profiler::Comparison> comparison_;  ///< made when first asked for: it reads repeats
  mutable QString refused_;   ///< why repeats were left out
  mutable bool stale_ = true; ///< document or reference changed since
  bool filled_ = false;       ///< the widgets show comparison_
};

}  // namespace views
