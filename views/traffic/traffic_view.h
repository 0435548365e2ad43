// SPDX-License-Identifier: GPL-3.0-or-later
// Traffic: the memory hierarchy as one picture, and which tensors make each ribbon.
#pragma once

#include <QLabel>
#include <QTimer>
#include <QToolButton>
#include <array>

#include "views/base/view.h"
#include "views/traffic/traffic_batch.h"
#include "views/traffic/traffic_paint.h"
#include "views/widgets/canvas.h"
#include "views/widgets/ranked_list.h"
#include "views/widgets/side_panes.h"
#include "views/widgets/switch.h"

namespace views {

class TrafficView : public View {
  Q_OBJECT

 public:
  TrafficView(Document& document, QWidget* parent);
  void set_theme(const Theme&) override;
  QSize minimumSizeHint() const override;
  void render_picture(QPainter&, const QRectF& rect, const Theme&) override;
  profiler::Table data() const override;
  QString nothing() const override;

  // What tests click on.
  Canvas& canvas() { return *canvas_; }
  RankedList& tensors() { return *tensors_; }
  Switch& scope_switch() { return *scope_; }
  Switch& scale_switch() { return *scale_; }
  QToolButton& play_button() { return *play_; }
  QToolButton& compare_button() { return *compare_; }
  BatchStrip& batches() { return *batches_; }
  SidePanes& panes() { return *panes_; }
  /// The button in a row that nothing fills yet; hidden: the row has none.
  QToolButton& fill_button(FigureRow row) { return *fill_buttons_[row == FigureRow::simulated ? 0 : 1]; }
  const TrafficFigure& figure() const { return figure_; }
  const std::vector<ScrubberOp>& ops() const { return ops_; }
  /// The geometry the canvas has on screen.
  TrafficLayout layout_on_screen() const;
  size_t chosen_ribbon() const { return ribbon_; }
  void choose_ribbon(size_t index);

 private:
  enum class ScopeKind { step, layer, op };
  void build_toolbar();
  void on_replaced();
  void on_reference();
  WidthScale scale() const;
  void on_selection();
  void on_pressed(QPointF);
  void scrub_to(QPointF);
  bool on_key(int key);
  void step_op(int by);
  void set_playing(bool);
  void show_scope();
  void show_batches();
  void fill_tensors();
  void show_parts();
  int least_picture_width() const;
  void fit_canvas();
  void build_fill_buttons();
  /// Asks what can be collected here, then shows the buttons of the rows.
  void offer_collectors();
  void place_fill_buttons();
  bool usable() const;
  profiler::Scope wanted_scope() const;
  TrafficLayout layout_in(const QRectF&) const;
  TrafficLayout layout_of(const TrafficFigure&, const QRectF&) const;
  TrafficMarks marks() const;
  std::optional<size_t> current_index() const;
  QString list_title() const;
  void draw_canvas(QPainter&, const QRectF&, const Theme&) const;

  const Theme* theme_ = &Theme::light();
  QWidget* toolbar_;
  Switch* scope_;
  Switch* scale_;
  QToolButton* play_;
  QToolButton* compare_;
  BatchStrip* batches_;
  Canvas* canvas_;
  QLabel* list_heading_;
  RankedList* tensors_;
  SidePanes* panes_;
  std::array<QToolButton*, 2> fill_buttons_{};  // of the rows simulated and measured
  QTimer player_;

  ScopeKind kind_ = ScopeKind::step;
  static constexpr size_t kNoRibbon = SIZE_MAX;
  size_t ribbon_ = kNoRibbon;  // index into the layout's ribbons: link * 2 + direction
  std::optional<size_t> hover_;
  TrafficFigure figure_;
  std::vector<CollectOffer> offers_;
  std::vector<ScrubberOp> ops_;
  double step_reference_ = 0,
         other_step_reference_ = 0;  // largest flow of the whole step: fixes the log scale while scrubbing
};

}  // namespace views
