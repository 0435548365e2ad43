// SPDX-License-Identifier: GPL-3.0-or-later
// For who presents a lesson: a black screen, and how long it has been going on.
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

namespace app::gui {

/// Black over the whole window until a key or a click.
class BlackScreen : public QWidget {
  Q_OBJECT

 public:
  explicit BlackScreen(QWidget& window);

 protected:
  void keyPressEvent(QKeyEvent*) override { deleteLater(); }
  void mousePressEvent(QMouseEvent*) override { deleteLater(); }
};

/// Minutes and seconds since a lesson began.
class LessonClock : public QObject {
  Q_OBJECT

 public:
  explicit LessonClock(QObject* parent);
  void start();
  void stop() { every_second_.stop(); }
  bool runs() const { return every_second_.isActive(); }
  QString words() const;  ///< "12:34"

 signals:
  void ticked();

 private:
  QElapsedTimer since_;
  QTimer every_second_;
};

}  // namespace app::gui
