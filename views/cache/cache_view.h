// SPDX-License-Identifier: GPL-3.0-or-later
// Cache: what a hierarchy of caches does with the accesses of an op, a layer or the step, simulated anew while its
// sliders move.
#pragma once

#include <QLabel>
#include <QProgressBar>
#include <QTimer>
#include <QToolButton>

#include "views/base/view.h"
#include "views/cache/cache_controls.h"
#include "views/cache/cache_paint.h"
#include "views/cache/cache_worker.h"
#include "views/widgets/canvas.h"
#include "views/widgets/ranked_list.h"
#include "views/widgets/side_panes.h"
#include "views/widgets/switch.h"

namespace views {

class CacheView : public View {
  Q_OBJECT

 public:
  CacheView(Document& document, QWidget* parent);
  void set_theme(const Theme&) override;
  QSize minimumSizeHint() const override;
  void render_picture(QPainter&, const QRectF& rect, const Theme&) override;
  profiler::Table data() const override;
  QString nothing() const override;
  bool busy() const override { return worker_.busy() || start_.isActive(); }

  // What tests click on.
  Canvas& canvas() { return *canvas_; }
  RankedList& tensors() { return *tensors_; }
  SidePanes& panes() { return *panes_; }
  Switch& scope_switch() { return *scope_; }
  Switch* level_switch() { return levels_; }
  Switch& epoch_switch() { return *epoch_; }
  Switch& curve_switch() { return *curve_; }
  const profiler::OnChipCurve& on_chip() const { return on_chip_; }
  CacheControls& controls() { return *controls_; }
  QToolButton& play_button() { return *play_; }
  QSlider& speed_slider() { return *speed_; }
  QToolButton& cancel_button() { return *cancel_; }
  const profiler::OpSimulation* simulation() const { return simulation_.get(); }
  const CacheFigure& figure() const { return figure_; }
  CacheLayout layout_on_screen() const;
  size_t level() const { return level_; }
  size_t shown_accesses() const { return shown_; }
  const QString& refusal() const { return refusal_; }
  const QString& title() const { return title_; }

 protected:
  void showEvent(QShowEvent*) override;

 private:
  enum class ScopeKind { op, layer, step };
  void build_toolbar();
  void build_level_switch();
  void connect_parts();
  void on_replaced();
  void on_selection();
  void on_simulated(std::shared_ptr<const profiler::OpSimulation>, bool final_);
  /// Asks for a simulation once the sliders have rested for a moment and the view is seen.
  void wish_soon();
  void wish_now();
  std::vector<profiler::OpId> wanted_ops(QString* title) const;
  void choose_level(size_t);
  void refresh_figure();
  void fill_tensors();
  void show_progress();
  void show_parts();
  bool on_key(int key);
  void step_access(int by);
  void set_playing(bool);
  bool usable() const { return document().loaded() && simulation_ != nullptr; }
  /// Off-chip bytes are drawn instead of the miss ratio.
  bool shows_on_chip() const;
  QString on_chip_tip(QPointF) const;
  QString state_line() const;
  QString list_title() const;
  CacheLayout layout_in(const QRectF&) const;
  void draw_canvas(QPainter&, const QRectF&, const Theme&) const;

  const Theme* theme_ = &Theme::light();
  QWidget *toolbar_, *player_row_;
  Switch *scope_, *epoch_, *curve_, *levels_ = nullptr;
  CacheControls* controls_;
  QToolButton *play_, *back_, *forward_, *cancel_;
  QSlider* speed_;
  QProgressBar* progress_;
  Canvas* canvas_;
  QLabel* list_heading_;
  RankedList* tensors_;
  SidePanes* panes_;
  CacheWorker worker_;
  QTimer start_, player_;

  ScopeKind kind_ = ScopeKind::op;
  size_t level_ = 0, shown_ = SIZE_MAX;
  std::shared_ptr<const profiler::OpSimulation> simulation_;
  bool final_ = false;  // no better result of this wish follows
  bool stale_ = true;   // what is shown is not what is asked for
  bool cancelled_ = false;
  std::vector<profiler::OpId> ops_;        // of the simulation shown or under way
  std::vector<profiler::OpId> shown_ops_;  ///< of simulation_, while ops_ are simulated
  QString title_, refusal_, assumed_;
  CacheFigure figure_;
  profiler::OnChipCurve on_chip_;
};

}  // namespace views
