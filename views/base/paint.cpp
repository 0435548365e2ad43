// SPDX-License-Identifier: GPL-3.0-or-later
// Painting helpers: no clipping (SVG of Qt 6.4 loses it), so text is shortened to fit instead.
#include "views/base/paint.h"

#include <QFontMetricsF>
#include <QTextOption>
#include <algorithm>
#include <array>
#include <cmath>

#include "views/base/plain_text.h"

namespace views {

QString quantity(double value, profiler::Quantity q) {
  return QString::fromStdString(profiler::format_quantity(value, q));
}

QFont scaled_font(const QFont& font, qreal factor, bool bold) {
  QFont f = font;
  if (f.pointSizeF() > 0) f.setPointSizeF(f.pointSizeF() * factor);
  else f.setPixelSize(std::max(1, static_cast<int>(std::lround(f.pixelSize() * factor))));
  f.setBold(bold);
  return f;
}

qreal text_width(const QFont& font, const QString& text) { return QFontMetricsF(font).horizontalAdvance(text); }

qreal draw_text(QPainter& p, const QRectF& rect, int alignment, const QString& text, const QColor& colour,
                Qt::TextElideMode elide) {
  if (rect.width() < 1 || rect.height() < 1 || text.isEmpty()) return 0;
  const QFontMetricsF metrics(p.font());
  const qreal width = metrics.horizontalAdvance(text);
  p.setPen(colour);
  // half a pixel of slack: a rectangle made from the text's own width must not be shortened by rounding
  const QString shown = width <= rect.width() + 0.5 ? text : metrics.elidedText(text, elide, rect.width());
  p.drawText(rect.adjusted(0, 0, 1, 0), alignment | Qt::TextSingleLine | Qt::TextDontClip, shown);
  return width;
}

qreal draw_bold(QPainter& p, const QRectF& rect, int alignment, const QString& text, const QColor& colour) {
  const QFont before = p.font();
  p.setFont(scaled_font(before, 1.0, true));
  const qreal width = draw_text(p, rect, alignment, text, colour);
  p.setFont(before);
  return width;
}

void draw_swatch(QPainter& p, const QRectF& rect, const QColor& colour, profiler::Origin origin) {
  p.setBrush(origin_brush(origin, colour));
  p.setPen(origin_pen(origin, colour, 1.5));
  p.drawRect(rect.adjusted(0.75, 0.75, -0.75, -0.75));
}

QPainterPath mark_path(const QRectF& r, Mark mark) {
  QPainterPath path;
  path.setFillRule(Qt::OddEvenFill);
  const auto polygon = [&](std::initializer_list<QPointF> corners) {  // 0..1 over the rectangle
    QPolygonF shape;
    for (const QPointF& c : corners) shape << QPointF(r.left() + c.x() * r.width(), r.top() + c.y() * r.height());
    path.addPolygon(shape);
    path.closeSubpath();
  };
  const auto inner = [&](qreal share) {
    return r.adjusted(share * r.width(), share * r.height(), -share * r.width(), -share * r.height());
  };
  switch (mark) {
    case Mark::square: path.addRect(r); break;
    case Mark::circle: path.addEllipse(r); break;
    case Mark::triangle: polygon({{0.5, 0}, {1, 1}, {0, 1}}); break;
    case Mark::triangle_down: polygon({{0, 0}, {1, 0}, {0.5, 1}}); break;
    case Mark::triangle_right: polygon({{0.1, 0}, {1, 0.5}, {0.1, 1}}); break;
    case Mark::triangle_left: polygon({{0.9, 0}, {0.9, 1}, {0, 0.5}}); break;
    case Mark::diamond: polygon({{0.5, 0}, {1, 0.5}, {0.5, 1}, {0, 0.5}}); break;
    case Mark::plus:
      polygon({{0.35, 0},
               {0.65, 0},
               {0.65, 0.35},
               {1, 0.35},
               {1, 0.65},
               {0.65, 0.65},
               {0.65, 1},
               {0.35, 1},
               {0.35, 0.65},
               {0, 0.65},
               {0, 0.35},
               {0.35, 0.35}});
      break;
    case Mark::cross:
      polygon({{0, 0.2},
               {0.2, 0},
               {0.5, 0.3},
               {0.8, 0},
               {1, 0.2},
               {0.7, 0.5},
               {1, 0.8},
               {0.8, 1},
               {0.5, 0.7},
               {0.2, 1},
               {0, 0.8},
               {0.3, 0.5}});
      break;
    case Mark::star:
      polygon({{0.5, 0},
               {0.63, 0.35},
               {1, 0.38},
               {0.71, 0.6},
               {0.81, 1},
               {0.5, 0.76},
               {0.19, 1},
               {0.29, 0.6},
               {0, 0.38},
               {0.37, 0.35}});
      break;
    case Mark::corner: polygon({{0, 0}, {1, 1}, {0, 1}}); break;
    case Mark::ring: path.addEllipse(r), path.addEllipse(inner(0.28)); break;
    case Mark::frame: path.addRect(inner(0.02)), path.addRect(inner(0.28)); break;
    case Mark::dash: polygon({{0, 0.32}, {1, 0.32}, {1, 0.68}, {0, 0.68}}); break;
    case Mark::bar: polygon({{0.32, 0}, {0.68, 0}, {0.68, 1}, {0.32, 1}}); break;
    case Mark::hourglass: polygon({{0, 0}, {1, 0}, {0.6, 0.5}, {1, 1}, {0, 1}, {0.4, 0.5}}); break;
  }
  return path;
}

void draw_mark(QPainter& p, const QRectF& rect, const QColor& colour, Mark mark) {
  p.fillPath(mark_path(rect, mark), colour);
}

QString mark_text(Mark mark) {
  constexpr std::array<char16_t, kMarkCount> kTexts = {u'■', u'●', u'▲', u'▼', u'▶', u'◀', u'◆', u'✚',
                                                       u'✖', u'★', u'◣', u'○', u'□', u'▬', u'▮', u'⧗'};
  return QChar(kTexts[static_cast<size_t>(mark)]);
}

void draw_bar(QPainter& p, const QRectF& rect, double ratio, const QColor& fill, const Theme& theme) {
  p.setPen(Qt::NoPen);
  p.setBrush(theme.grid);
  p.drawRect(rect);
  if (!(ratio > 0)) return;
  p.setBrush(fill);
  p.drawRect(QRectF(rect.left(), rect.top(), rect.width() * std::min(ratio, 1.0), rect.height()));
}

void draw_focus_frame(QPainter& p, const QRect& rect, const QPalette& palette) {
  const QColor colour = palette.color(QPalette::Active, QPalette::Link);
  p.save();
  p.resetTransform();
  p.setClipping(false);
  p.fillRect(QRect(rect.left(), rect.top(), rect.width(), kFocusFrame), colour);
  p.fillRect(QRect(rect.left(), rect.bottom() + 1 - kFocusFrame, rect.width(), kFocusFrame), colour);
  p.fillRect(QRect(rect.left(), rect.top(), kFocusFrame, rect.height()), colour);
  p.fillRect(QRect(rect.right() + 1 - kFocusFrame, rect.top(), kFocusFrame, rect.height()), colour);
  p.restore();
}

void draw_message(QPainter& p, const QRectF& rect, const Theme& theme, const QString& title, const QString& hint) {
  p.fillRect(rect, theme.surface);
  const QFont font = p.font();
  const QFont large = scaled_font(font, 1.35, true);
  const qreal line = QFontMetricsF(large).height();
  const qreal width = std::min(rect.width() - 4 * kGrid, 520.0);
  const QRectF box(rect.center().x() - width / 2, rect.top(), width, rect.height());
  QTextOption wrap(Qt::AlignHCenter);
  wrap.setWrapMode(QTextOption::WordWrap);
  const qreal hint_height =
      QFontMetricsF(font).boundingRect(QRectF(0, 0, width, 1000), Qt::TextWordWrap, hint).height();
  const qreal top = rect.center().y() - (line + kGrid + hint_height) / 2;
  p.setFont(large);
  draw_text(p, QRectF(box.left(), top, width, line), Qt::AlignCenter, title, theme.text);
  p.setFont(font);
  p.setPen(theme.text_secondary);
  p.drawText(QRectF(box.left(), top + line + kGrid, width, hint_height + line), hint, wrap);
}

QString Tip::html() const {
  QString out = QStringLiteral("<p style='white-space:pre-wrap'><b>%1</b>").arg(title.toHtmlEscaped());
  if (!value.isEmpty()) out += QStringLiteral("<br>%1").arg(value.toHtmlEscaped());
  out += QStringLiteral("</p>");
  const auto paragraph = [&out](const QString& text) {
    if (!text.isEmpty()) out += QStringLiteral("<p>%1</p>").arg(text.toHtmlEscaped());
  };
  paragraph(definition);
  if (!formula.isEmpty()) out += QStringLiteral("<p><i>%1</i></p>").arg(formula.toHtmlEscaped());
  if (origin)
    out += QStringLiteral("<p>%1 <b>%2</b></p>").arg(QObject::tr("Origin:"), origin_text(*origin).toHtmlEscaped());
  paragraph(note);
  return out;
}

}  // namespace views
