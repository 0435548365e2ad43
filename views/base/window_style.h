// SPDX-License-Identifier: GPL-3.0-or-later
// The style of the window: Fusion, with an edge around inputs that can be seen.
#pragma once

#include <QProxyStyle>

namespace views {

/// Fusion takes the edge of fields, boxes and spin boxes from the window's colour, 1.6:1 and less. Here it is
/// QPalette::Dark, which themes set to Theme::input_border (WCAG 2.1, 1.4.11: 3:1).
class WindowStyle : public QProxyStyle {
  Q_OBJECT

 public:
  WindowStyle();
  void drawPrimitive(PrimitiveElement, const QStyleOption*, QPainter*, const QWidget* = nullptr) const override;
  void drawComplexControl(ComplexControl, const QStyleOptionComplex*, QPainter*,
                          const QWidget* = nullptr) const override;
};

/// For QApplication::setStyle, which owns it.
QStyle* make_window_style();

}  // namespace views
