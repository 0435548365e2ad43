// SPDX-License-Identifier: GPL-3.0-or-later
// Canvas: forwards paint, mouse, keys and tooltips; shows a focus frame when reached by keyboard.
#include "views/widgets/canvas.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include "views/base/paint.h"

namespace views {

Canvas::Canvas(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_OpaquePaintEvent);
}

bool Canvas::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip || !tip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const QString text = tip(help->pos());
  if (text.isEmpty()) QToolTip::hideText();
  else QToolTip::showText(help->globalPos(), text, this);
  return true;
}

void Canvas::paintEvent(QPaintEvent*) {
  QPainter p(this);
  if (paint) paint(p, rect());
  if (hasFocus()) draw_focus_frame(p, rect(), palette());
}

void Canvas::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) emit pressed(event->position());
  else QWidget::mousePressEvent(event);
}

void Canvas::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons() & Qt::LeftButton) emit dragged(event->position());
  else emit hovered(event->position());
  setCursor(clickable && clickable(event->position()) ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void Canvas::leaveEvent(QEvent* event) {
  QWidget::leaveEvent(event);
  emit left();
}

void Canvas::keyPressEvent(QKeyEvent* event) {
  const bool plain = (event->modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier;
  if (!plain || !key || !key(event->key())) QWidget::keyPressEvent(event);
}

void Canvas::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  emit resized();
}

}  // namespace views
