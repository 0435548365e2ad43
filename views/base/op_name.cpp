// SPDX-License-Identifier: GPL-3.0-or-later
// Elides the kind before the path.
#include "views/base/op_name.h"

#include <QFontMetricsF>

#include "views/base/paint.h"

namespace views {

QString shortened_name(const QFont& font, const QString& name, qreal width) {
  constexpr qreal kKind = 0.3;  // of the room, for the kind of op, where path and kind are both too long
  const QFontMetricsF metrics(font);
  if (metrics.horizontalAdvance(name) <= width + 0.5) return name;
  const qsizetype slash = name.lastIndexOf(QLatin1Char('/'));
  if (slash < 0) return metrics.elidedText(name, Qt::ElideMiddle, width);
  const QString path = name.left(slash + 1), kind = name.mid(slash + 1);
  const qreal path_width = metrics.horizontalAdvance(path);
  if (path_width <= (1 - kKind) * width) return path + metrics.elidedText(kind, Qt::ElideLeft, width - path_width);
  return metrics.elidedText(path, Qt::ElideLeft, (1 - kKind) * width) + metrics.elidedText(kind, Qt::ElideLeft, kKind * width);
}

void draw_name(QPainter& p, const QRectF& rect, const QString& name, const QColor& colour) {
  draw_text(p, rect, Qt::AlignLeft | Qt::AlignVCenter, shortened_name(p.font(), name, rect.width()), colour);
}

}  // namespace views
