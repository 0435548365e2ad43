// SPDX-License-Identifier: GPL-3.0-or-later
// Ops: one row per op, layer, type, kernel, phase, device, fused op or pair of ops that could be fused; sort, filter,
// choose columns.
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <optional>
#include <vector>

#include "views/base/view.h"
#include "views/widgets/canvas.h"
#include "views/widgets/control_edits.h"
#include "views/widgets/switch.h"
#include "views/widgets/table_view.h"

namespace views {

/// What the rows of an ops table are worth together: "12 of 540 rows, 84.2 ms".
QString ops_total(const profiler::Table&, const std::vector<uint32_t>& shown);

class OpsView : public View {
  Q_OBJECT

 public:
  OpsView(Document& document, QWidget* parent);
  void set_theme(const Theme&) override;
  void render_picture(QPainter&, const QRectF& rect, const Theme&) override;
  profiler::Table data() const override;
  QString nothing() const override;
  QUndoStack* edits() override;

  // What tests click on.
  TableView& table() { return *table_; }
  QLineEdit& filter_box() { return *filter_; }
  Switch& roll_up() { return *by_; }

 protected:
  void resizeEvent(QResizeEvent*) override;

 private:
  void fill();
  void place();
  void follow();
  void on_chosen(uint32_t row);
  void on_opened(uint32_t row);
  /// The roll-ups of profiler::OpsBy in their order, then the two tables of the fusion ledger.
  enum class Rows { op, layer, type, kernel, phase, device, fused_ops, pairs };
  Rows rows() const { return static_cast<Rows>(by_->current()); }
  bool of_fusion() const { return rows() == Rows::fused_ops || rows() == Rows::pairs; }
  QString fusion_words() const;
  QString fusion_sentences() const;
  std::string key_of(uint32_t row) const;
  void paint_message(QPainter&, const QRectF&, const Theme&) const;

  const Theme* theme_ = &Theme::light();
  QWidget* toolbar_;
  Switch* by_;
  QLineEdit* filter_;
  QLabel* total_;
  TableView* table_;
  std::vector<std::optional<profiler::Bound>> bounds_;  ///< by row of the table
  Canvas* message_;
  ControlEdits* edits_;
};

}  // namespace views
