// SPDX-License-Identifier: GPL-3.0-or-later
// Elides the kind before the path.
#include "views/base/op_name.h"

#include <QFontMetricsF>
#include <algorithm>

#include "views/base/paint.h"

namespace views {

QString shortened_name(const QFont& font, const QString& name, qreal width) {
  constexpr qreal kKind = 0.3;  // of the room, for the kind of op, where path and kind are both too long
  const QFontMetricsF metrics(font);
  if (metrics.horizontalAdvance(name) <= width + 0.5) return name;
  const qsizetype slash = name.lastIndexOf(QLatin1Char('/'));
  if (slash < 0) return metrics.elidedText(name, Qt::ElideMiddle, width);
  const QString path = name.left(slash + 1), kind = name.mid(slash + 1);
  // A file is not told by its folder. "conv1/conv2d.grad" is none.
  if (kind.contains(QLatin1Char('.')) && !kind.contains(QLatin1String(".grad")))
    return metrics.elidedText(name, Qt::ElideLeft, width);
  const qreal path_width = metrics.horizontalAdvance(path), kind_width = metrics.horizontalAdvance(kind),
              kind_room = std::min(kind_width, kKind * width);
  if (path_width <= width - kind_room) return path + metrics.elidedText(kind, Qt::ElideLeft, width - path_width);
  return metrics.elidedText(path, Qt::ElideLeft, width - kind_room) +
         (kind_width <= kind_room ? kind : metrics.elidedText(kind, Qt::ElideLeft, kind_room));
}

void draw_name(QPainter& p, const QRectF& rect, const QString& name, const QColor& colour) {
  draw_text(p, rect, Qt::AlignLeft | Qt::AlignVCenter, shortened_name(p.font(), name, rect.width()), colour);
}

}  // namespace views
