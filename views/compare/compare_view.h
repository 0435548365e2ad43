// SPDX-License-Identifier: GPL-3.0-or-later
// Compare: the capture on the table against the one it is compared with: the answer, both steps aligned, bytes per
// level, a row per op.
#pragma once

#include <QLabel>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "profiler/compare/comparison.h"
#include "views/base/view.h"
#include "views/compare/compare_layout.h"
#include "views/widgets/canvas.h"
#include "views/widgets/folded_text.h"
#include "views/widgets/pane_divider.h"
#include "views/widgets/table_view.h"

class QPushButton;
class QThread;

namespace views {

class CompareView : public View {
  Q_OBJECT

 public:
  CompareView(Document& document, QWidget* parent);
  ~CompareView() override;
  void set_theme(const Theme&) override;
  QSize minimumSizeHint() const override;
  void render_picture(QPainter&, const QRectF& rect, const Theme&) override;
  profiler::Table data() const override;
  bool busy() const override { return !workers_.empty(); }

  // What tests click on.
  Canvas& picture() { return *picture_; }
  FoldedText& answer() { return *words_; }
  TableView& table() { return *table_; }
  PaneDivider& divider() { return *divider_; }
  QPushButton& choose_button() { return *choose_; }
  /// Null: there is nothing to compare with. Made here and now where a thread is not done yet.
  const profiler::Comparison* comparison() const;
  CompareLayout layout_on_screen() const;

 protected:
  void resizeEvent(QResizeEvent*) override;
  void showEvent(QShowEvent*) override;

 private:
  /// A comparison, and why repeats were left out of it.
  struct Made {
    std::optional<profiler::Comparison> comparison;
    QString refused;
  };
  std::function<Made()> task() const;
  void on_document();
  void start();
  void fill();
  void follow();
  void place_panes();
  void select_row(size_t row);
  std::optional<size_t> selected_row() const;
  QString details() const;
  QString row_tip(size_t row) const;
  void paint_picture(QPainter&, const QRectF&, const Theme&) const;
  void paint_message(QPainter&, const QRectF&, const Theme&) const;

  const Theme* theme_ = &Theme::light();
  QWidget* toolbar_;
  QLabel* title_;
  FoldedText* words_;
  QPushButton* choose_;
  Canvas *picture_, *message_;
  TableView* table_;
  PaneDivider* divider_;
  mutable Made made_;          ///< made when first asked for, on a thread where repeats are to be read
  mutable bool stale_ = true;  ///< document or reference changed since
  bool filled_ = false;        ///< the widgets show made_
  uint64_t generation_ = 0;    ///< of document and reference: what a thread made of older ones is dropped
  uint64_t working_on_ = 0;    ///< the generation that a thread was started for
  std::vector<QThread*> workers_;
};

}  // namespace views
