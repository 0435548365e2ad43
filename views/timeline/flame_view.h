// SPDX-License-Identifier: GPL-3.0-or-later
// FlameView: a flame graph one can zoom: click a box to give it the whole width, click what is above to go back.
#pragma once

#include <QScrollArea>

#include "views/base/theme.h"
#include "views/timeline/flame_layout.h"

namespace views {

class Canvas;

class FlameView : public QScrollArea {
  Q_OBJECT

 public:
  explicit FlameView(QWidget* parent = nullptr);
  /// Phases of ops colour their boxes.
  void set_stacks(std::shared_ptr<const profiler::Capture>, std::vector<profiler::StackNode>);
  void set_theme(const Theme&);
  /// What is said while there is nothing.
  void set_empty_text(const QString& title, const QString& hint);
  const std::vector<profiler::StackNode>& stacks() const { return stacks_; }
  uint32_t zoomed() const { return zoomed_; }
  void zoom_to(uint32_t node);
  FlameLayout layout_on_screen() const;
  QString tooltip(uint32_t node) const;
  Canvas* canvas() const { return canvas_; }

 signals:
  void op_chosen(quint32 op);  ///< a box that is one op was clicked

 protected:
  void resizeEvent(QResizeEvent*) override;

 private:
  void paint(QPainter&, const QRectF&) const;
  bool on_key(int key);
  void set_current(std::optional<uint32_t> node);
  void place_canvas();
  double row_height() const;
  QColor fill_of(const profiler::StackNode&) const;

  Canvas* canvas_;
  const Theme* theme_ = &Theme::light();
  std::shared_ptr<const profiler::Capture> capture_;
  std::vector<profiler::StackNode> stacks_;
  uint32_t zoomed_ = 0;
  std::optional<uint32_t> current_;  // by keyboard
  QString empty_title_, empty_hint_;
};

}  // namespace views
