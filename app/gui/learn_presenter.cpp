// SPDX-License-Identifier: GPL-3.0-or-later
// BlackScreen and LessonClock.
#include "app/gui/learn_presenter.h"

namespace app::gui {

BlackScreen::BlackScreen(QWidget& window) : QWidget(&window) {
  setObjectName(QStringLiteral("learn.black"));
  setAccessibleName(tr("Black screen: any key shows the lesson again"));
  QPalette black = palette();
  black.setColor(QPalette::Window, Qt::black);
  setPalette(black);
  setAutoFillBackground(true);
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_DeleteOnClose);
  setGeometry(window.rect());
  show();
  raise();
  setFocus();
}

LessonClock::LessonClock(QObject* parent) : QObject(parent) {
  constexpr int kSecondMs = 1000;
  every_second_.setInterval(kSecondMs);
  connect(&every_second_, &QTimer::timeout, this, &LessonClock::ticked);
}

void LessonClock::start() {
  since_.start();
  every_second_.start();
}

QString LessonClock::words() const {
  constexpr int kSeconds = 60;
  const qint64 seconds = since_.isValid() ? since_.elapsed() / 1000 : 0;
  return QStringLiteral("%1:%2").arg(seconds / kSeconds).arg(seconds % kSeconds, 2, 10, QLatin1Char('0'));
}

}  // namespace app::gui
