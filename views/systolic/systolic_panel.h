// SPDX-License-Identifier: GPL-3.0-or-later
// SystolicPanel: a systolic array at work, cycle by cycle: played, stepped, or at any cycle by a slider.
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QSlider>
#include <QSpinBox>
#include <QTimer>
#include <QWidget>
#include <optional>
#include <vector>

#include "profiler/predict/systolic_steps.h"
#include "views/base/theme.h"
#include "views/systolic/systolic_layout.h"
#include "views/widgets/canvas.h"

namespace views {

class SystolicPanel : public QWidget {
  Q_OBJECT

 public:
  explicit SystolicPanel(QWidget* parent = nullptr);
  void set_theme(const Theme&);
  /// So many cycles ran; clamped to those of the product.
  void go_to(int64_t cycle);
  int64_t cycles() const { return static_cast<int64_t>(working_.size()); }  ///< of the whole product

  // What tests click on.
  QSpinBox& size_box() { return *size_; }
  QSpinBox& rows_box() { return *rows_; }
  QSlider& slider() { return *slider_; }
  QPushButton& play_button() { return *play_; }
  QPushButton& back_button() { return *back_; }
  QPushButton& step_button() { return *step_; }
  const QLabel& facts() const { return *facts_; }
  Canvas& canvas() { return *canvas_; }
  const profiler::SystolicSteps& array() const { return *array_; }
  const SystolicLayout& layout_on_screen() const { return layout_; }
  /// Whether cycles go on by themselves: never while the panel cannot be seen.
  bool plays() const { return player_.isActive(); }

 protected:
  void showEvent(QShowEvent*) override;
  void hideEvent(QHideEvent*) override;

 private:
  void add_controls(QWidget* bar);
  void begin();
  void set_playing(bool);
  bool on_key(int key);
  void show_cycle();
  void lay_out();
  void paint(QPainter&, const QRectF&) const;
  void paint_cell(QPainter&, const SystolicCell&) const;
  void paint_chart(QPainter&) const;
  QString tip_at(QPointF) const;
  QString facts_text() const;

  const Theme* theme_ = &Theme::light();
  QSpinBox *size_, *rows_;
  QSlider *slider_, *speed_;
  QPushButton *play_, *back_, *step_;
  QLabel* facts_;
  Canvas* canvas_;
  QTimer player_;
  bool playing_ = false;  ///< when the panel can be seen
  std::optional<profiler::SystolicSteps> array_;
  std::vector<int64_t> working_;
  SystolicLayout layout_;
};

}  // namespace views
