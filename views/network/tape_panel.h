// SPDX-License-Identifier: GPL-3.0-or-later
// TapePanel: a step forward and backward op by op: what is stored and freed, live bytes as a curve, and the same step
// with checkpointing.
#pragma once

#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QSlider>
#include <QThread>
#include <atomic>
#include <memory>
#include <optional>

#include "views/base/document.h"
#include "views/base/theme.h"
#include "views/network/tape_layout.h"
#include "views/widgets/canvas.h"

namespace views {

class TapePanel : public QWidget {
  Q_OBJECT

 public:
  TapePanel(Document&, QWidget* parent);
  ~TapePanel() override;
  void set_theme(const Theme&);
  /// Follows the document while it is shown.
  void follow();
  bool busy() const { return !threads_.empty(); }
  void render(QPainter&, const QRectF&, const Theme&) const;

  // What tests click on.
  QPushButton& back() { return *back_; }
  QPushButton& forward() { return *forward_; }
  QPushButton& to_peak() { return *peak_; }
  QSlider& position() { return *position_; }
  QSlider& checkpoints() { return *checkpoints_; }
  const QLabel& moment() const { return *moment_; }
  const QLabel& comparison() const { return *comparison_; }
  Canvas& canvas() { return *canvas_; }
  const profiler::Tape& tape() const { return tape_; }
  profiler::OpId op() const { return op_; }

 private:
  void on_replaced();
  void show_plan(std::shared_ptr<const profiler::Capture>);
  void go_to(profiler::OpId, bool select);
  void follow_selection();
  void plan_with(int choice);
  void forget_plan();
  void say();
  void offer_checkpoints();
  QStringList choices() const;

  Document& document_;
  const Theme* theme_ = &Theme::light();
  QPushButton *back_, *forward_, *peak_;
  QSlider *position_, *checkpoints_;
  QLabel *checkpoints_name_, *moment_, *comparison_;
  Canvas* canvas_;
  std::shared_ptr<const profiler::Capture> shown_;  ///< the capture, or a plan of it with other checkpoints
  profiler::Tape tape_, own_;                       ///< of shown_, of the capture
  profiler::OpId op_ = 0;
  bool stale_ = true, selecting_ = false;
  quint64 generation_ = 0;
  std::shared_ptr<std::atomic<bool>> stop_;  ///< of the plan that is being made; null: none was
  std::vector<QThread*> threads_;
};

}  // namespace views
