// SPDX-License-Identifier: GPL-3.0-or-later
// Canvas: a widget whose picture is one function of painter and rectangle, the same function that exports use.
#pragma once

#include <QWidget>
#include <functional>

namespace views {

class Canvas : public QWidget {
  Q_OBJECT

 public:
  explicit Canvas(QWidget* parent = nullptr);
  std::function<void(QPainter&, const QRectF&)> paint;  ///< draws everything
  std::function<QString(QPointF)> tip;                  ///< rich text under a point; empty: none
  std::function<bool(QPointF)> clickable;               ///< shows the pointing hand
  std::function<bool(int key)> key;                     ///< a key without modifiers; true: used

 signals:
  void pressed(QPointF);
  void dragged(QPointF);  ///< moved with the left button down
  void hovered(QPointF);
  void left();
  void resized();

 protected:
  bool event(QEvent*) override;
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void leaveEvent(QEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void resizeEvent(QResizeEvent*) override;
};

}  // namespace views
