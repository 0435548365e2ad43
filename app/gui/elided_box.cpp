// SPDX-License-Identifier: GPL-3.0-or-later
// ElidedBox.
#include "app/gui/elided_box.h"
#include "views/base/plain_text.h"

#include <QHelpEvent>
#include <QStyleOptionComboBox>
#include <QStylePainter>
#include <QToolTip>

namespace app::gui {

ElidedBox::ElidedBox(QWidget* parent) : QComboBox(parent) {}

QString ElidedBox::shown_text() const {
  QStyleOptionComboBox option;
  initStyleOption(&option);
  const int room = style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this).width() -
                   2;  // the style's own inset
  return fontMetrics().elidedText(option.currentText, Qt::ElideRight, room);
}

void ElidedBox::paintEvent(QPaintEvent*) {
  QStylePainter painter(this);
  QStyleOptionComboBox option;
  initStyleOption(&option);
  option.currentText = shown_text();
  painter.drawComplexControl(QStyle::CC_ComboBox, option);
  painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

bool ElidedBox::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip && shown_text() != currentText()) {
    QToolTip::showText(
        static_cast<QHelpEvent*>(event)->globalPos(),
        views::plain_tip(toolTip().isEmpty() ? currentText() : currentText() + QLatin1Char('\n') + toolTip()), this);
    return true;
  }
  return QComboBox::event(event);
}

}  // namespace app::gui
