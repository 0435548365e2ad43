// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the edge of inputs over Fusion's.
#include "views/base/window_style.h"

#include <QPainter>
#include <QStyleFactory>
#include <QStyleOption>

namespace views {
namespace {

/// Of what is enabled and has not the keyboard, whose edge Fusion draws in the accent.
void draw_edge(QPainter* p, const QStyleOption* option, const QRect& rect, qreal radius) {
  if (!(option->state & QStyle::State_Enabled) || option->state & QStyle::State_HasFocus) return;
  p->save();
  p->setRenderHint(QPainter::Antialiasing);
  p->setBrush(Qt::NoBrush);
  p->setPen(QPen(option->palette.color(QPalette::Dark), 1));
  p->drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
  p->restore();
}

}  // namespace

WindowStyle::WindowStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

void WindowStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* p,
                                const QWidget* widget) const {
  QProxyStyle::drawPrimitive(element, option, p, widget);
  switch (element) {
    case PE_FrameLineEdit: draw_edge(p, option, option->rect, 2); break;
    case PE_IndicatorCheckBox: draw_edge(p, option, option->rect, 0); break;
    default: break;
  }
}

void WindowStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* p,
                                     const QWidget* widget) const {
  QProxyStyle::drawComplexControl(control, option, p, widget);
  if (control == CC_ComboBox || control == CC_SpinBox) draw_edge(p, option, option->rect, 2);
}

QStyle* make_window_style() { return new WindowStyle; }

}  // namespace views
