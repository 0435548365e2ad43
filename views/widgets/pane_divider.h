// SPDX-License-Identifier: GPL-3.0-or-later
// PaneDivider: a line between a picture and the table below it that the user drags; the settings keep where it stands.
#pragma once

#include <QRectF>
#include <QString>
#include <QWidget>

namespace views {

class PaneDivider : public QWidget {
  Q_OBJECT

 public:
  /// `key` names the settings.
  PaneDivider(const QString& key, QWidget* parent);
  /// px that the table has of a room so high: `usual`, until the user drags the divider. Both parts keep their least
  /// heights where the room allows it; else the table has its own.
  double table_height(double room, double usual, double least_picture, double least_table) const;
  /// Between a picture and a table; `room`: of both.
  void place(const QRectF& room, double table_height);

 signals:
  void moved();

 protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseDoubleClickEvent(QMouseEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void enterEvent(QEnterEvent*) override;
  void leaveEvent(QEvent*) override;

 private:
  void move_to(double table_height);

  QString key_;
  QRectF room_;
  double table_height_ = 0, share_ = 0;  ///< of the room for the table; 0: the usual one
  double grip_ = 0;                      ///< where the pointer holds the line
};

}  // namespace views
