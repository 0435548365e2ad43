// SPDX-License-Identifier: GPL-3.0-or-later
// BesidePanel: this processor beside a GPU that is there, was recorded, or is known by its data sheet.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QWidget>
#include <vector>

#include "profiler/predict/device_figures.h"
#include "views/base/theme.h"
#include "views/beside/beside_layout.h"
#include "views/widgets/canvas.h"

namespace views {

class BesidePanel : public QWidget {
  Q_OBJECT

 public:
  explicit BesidePanel(QWidget* parent = nullptr);
  void set_theme(const Theme&);
  /// The device on the left, and those to choose from for the right; `chosen`: the one that is shown at first.
  void offer(profiler::DeviceFigures left, std::vector<profiler::DeviceFigures> others, size_t chosen = 0);

  // What tests click on.
  QComboBox& choice() { return *choice_; }
  const QLabel& sentence() const { return *sentence_; }
  Canvas& canvas() { return *canvas_; }
  const BesideLayout& layout_on_screen() const { return layout_; }

 private:
  void lay_out();
  void paint(QPainter&, const QRectF&) const;
  QString tip_at(QPointF) const;
  const profiler::DeviceFigures* right() const;

  const Theme* theme_ = &Theme::light();
  QComboBox* choice_;
  QLabel* sentence_;
  Canvas* canvas_;
  profiler::DeviceFigures left_;
  std::vector<profiler::DeviceFigures> others_;
  BesideLayout layout_;
};

}  // namespace views
