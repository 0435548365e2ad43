// SPDX-License-Identifier: GPL-3.0-or-later
// Painting the bars of a report's first page.
#include "views/report/bars_paint.h"

#include <QFontMetricsF>

#include "engine/base/display_text.h"
#include "views/base/paint.h"
#include "views/base/theme.h"

namespace views {

namespace {

using Kind = BarsLayout::Kind;

struct Ink {
  QColor fill;
  double opacity = 1;
};

Ink ink_of(const BarsLayout::Mark& mark) {
  const Theme& theme = Theme::light();
  switch (mark.kind) {
    case Kind::after: return {theme.bound(mark.bound)};
    case Kind::before: return {theme.border};
    case Kind::interval: return {theme.text};
    case Kind::band: return {theme.accent, 0.2};
    case Kind::dot: return {theme.text_secondary, 0.8};
    case Kind::axis: return {theme.text_secondary};
    case Kind::median: return {theme.accent};
  }
  return {theme.text};
}

QString escaped(const QString& text) {
  return QString::fromStdString(engine::display_text(text.toStdString())).toHtmlEscaped();
}

/// Left, middle or right end of a text, as SVG anchors it.
QString text_element(const BarsLayout::Text& text, double baseline, double size) {
  const bool middle = text.align & Qt::AlignHCenter, right = text.align & Qt::AlignRight;
  const double x = middle ? text.rect.center().x() : right ? text.rect.right() : text.rect.left();
  const Theme& theme = Theme::light();
  return QStringLiteral("<text x=\"%1\" y=\"%2\" font-size=\"%3\"%4%5 fill=\"%6\">%7</text>")
      .arg(x, 0, 'f', 1)
      .arg(baseline, 0, 'f', 1)
      .arg(size)
      .arg(middle  ? QStringLiteral(" text-anchor=\"middle\"")
           : right ? QStringLiteral(" text-anchor=\"end\"")
                   : QString(),
           text.bold ? QStringLiteral(" font-weight=\"bold\"") : QString(),
           (text.secondary ? theme.text_secondary : theme.text).name(), escaped(text.text));
}

}  // namespace

void paint_bars(QPainter& p, const QPointF& at, const BarsLayout& layout, const QFont& font) {
  p.save();
  p.translate(at);
  p.setRenderHint(QPainter::Antialiasing);
  for (const auto& mark : layout.marks) {
    const Ink ink = ink_of(mark);
    p.setOpacity(ink.opacity);
    p.setPen(Qt::NoPen);
    p.setBrush(ink.fill);
    if (mark.kind == Kind::dot) p.drawEllipse(mark.rect);
    else p.drawRect(mark.rect);
  }
  p.setOpacity(1);
  for (const auto& text : layout.texts) {
    QFont shown = font;
    shown.setBold(text.bold);
    p.setFont(shown);
    draw_text(p, text.rect, text.align, text.text,
              text.secondary ? Theme::light().text_secondary : Theme::light().text);
  }
  p.restore();
}

std::string bars_svg(const BarsLayout& layout, double width, const QFont& font) {
  const QFontMetricsF metrics(font);
  const double size = font.pixelSize() > 0 ? font.pixelSize() : font.pointSizeF() * 96 / 72;
  QString svg = QStringLiteral("<svg viewBox=\"0 0 %1 %2\" xmlns=\"http://www.w3.org/2000/svg\">")
                    .arg(width, 0, 'f', 0)
                    .arg(layout.height, 0, 'f', 0);
  for (const auto& mark : layout.marks) {
    const Ink ink = ink_of(mark);
    const QString fill =
        QStringLiteral("fill=\"%1\"%2")
            .arg(ink.fill.name(),
                 ink.opacity < 1 ? QStringLiteral(" fill-opacity=\"%1\"").arg(ink.opacity) : QString());
    const QString title =
        mark.hover.isEmpty() ? QString() : QStringLiteral("<title>%1</title>").arg(escaped(mark.hover));
    svg += QStringLiteral("<rect%1 x=\"%2\" y=\"%3\" width=\"%4\" height=\"%5\"%6 %7>%8</rect>")
               .arg(mark.hover.isEmpty() ? QString() : QStringLiteral(" class=\"hit\""))
               .arg(mark.rect.x(), 0, 'f', 1)
               .arg(mark.rect.y(), 0, 'f', 1)
               .arg(mark.rect.width(), 0, 'f', 1)
               .arg(mark.rect.height(), 0, 'f', 1)
               .arg(mark.kind == Kind::dot ? QStringLiteral(" rx=\"2.5\"") : QString(), fill, title);
  }
  for (const auto& text : layout.texts) {
    const bool centred = text.align & Qt::AlignVCenter;
    const double top = centred ? text.rect.center().y() - metrics.height() / 2 : text.rect.top();
    svg += text_element(text, top + metrics.ascent(), size);
  }
  return (svg + QStringLiteral("</svg>")).toStdString();
}

}  // namespace views
