// SPDX-License-Identifier: GPL-3.0-or-later
// Sweep: curves over an axis with what the roofs had said, a heat map over two, what the curves say, and a row per
// point.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "views/base/view.h"
#include "views/sweep/points_layout.h"
#include "views/sweep/sweep_layout.h"
#include "views/sweep/sweep_paint.h"
#include "views/sweep/sweep_prediction.h"
#include "views/widgets/canvas.h"
#include "views/widgets/chart.h"
#include "views/widgets/folded_text.h"
#include "views/widgets/pane_divider.h"
#include "views/widgets/switch.h"
#include "views/widgets/table_view.h"

class QComboBox;
class QPushButton;

namespace views {

class SweepView : public View {
  Q_OBJECT

 public:
  SweepView(Document& document, QWidget* parent);
  void set_theme(const Theme&) override;
  QSize minimumSizeHint() const override;
  void render_picture(QPainter&, const QRectF& rect, const Theme&) override;
  profiler::Table data() const override;
  QString nothing() const override;

  // What tests click on.
  Chart& chart() { return *chart_; }
  Canvas& heat_map() { return *heat_; }
  TableView& table() { return *table_; }
  PaneDivider& divider() { return *divider_; }
  FoldedText& answer() { return *words_; }
  Switch& shape_switch() { return *shape_; }
  SweepLayout layout_on_screen() const;
  Trajectories trajectories_on_screen() const;
  SweepPrediction prediction_on_screen(const QRectF& rect) const;
  PointsPlot points_on_screen() const;
  LossLayout losses_on_screen() const;
  const std::vector<profiler::SweepSeries>& series() const { return series_; }
  SweepMetric metric() const { return metric_; }
  /// What a sign of the picture means, in the order of the line above it.
  struct LegendEntry {
    enum class Sign { line, dashes, hollow, none } sign;
    QColor colour;
    QString text;
  };
  std::vector<LegendEntry> legend(const Theme&) const;
  void choose_metric(SweepMetric);

 protected:
  void resizeEvent(QResizeEvent*) override;

 private:
  void on_sweep();
  void on_prediction();
  void place_panes();
  void fill_table();
  void enable_metrics();
  void mark_row(size_t point);
  void select(size_t point);
  void repaint_charts();
  bool has_sweep() const { return document().sweep() != nullptr; }
  enum class Shape { curves, heat_map, points, roofline, losses };
  Shape shape() const;
  void set_axes();
  QRectF picture_rect() const { return QRectF(heat_->rect()); }
  void paint_message(QPainter&, const QRectF&, const Theme&) const;
  void paint_legend(QPainter&, const QRectF&, const Theme&) const;
  void paint_marks(QPainter&, const QRectF&, const Theme&) const;
  void paint_heat(QPainter&, const QRectF&, const Theme&) const;
  void paint_rows(QPainter&, const QRectF&, const Theme&) const;
  std::optional<size_t> point_at(QPointF) const;
  std::optional<size_t> dot_at(QPointF) const;
  QString picture_tip(QPointF) const;
  SweepMarksShown marks_shown() const;
  std::vector<profiler::SweepSeries> path_series() const;
  QString point_tip(size_t point) const;
  QString loss_tip(QPointF) const;
  QString law_words() const;
  QString details() const;

  const Theme* theme_ = &Theme::light();
  QWidget* toolbar_;
  QComboBox* metrics_;
  Switch* shape_;
  QPushButton* open_;
  FoldedText* words_;
  Canvas *legend_, *heat_, *message_;
  Chart* chart_;
  TableView* table_;
  PaneDivider* divider_;
  std::vector<profiler::SweepSeries> series_;
  std::vector<profiler::LossCurve> losses_;
  SweepMetric metric_ = SweepMetric::step;
  QString shown_;  ///< the sweep whose first metric was chosen by what it varies
  std::optional<size_t> selected_, hover_;
};

}  // namespace views
