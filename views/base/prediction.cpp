// SPDX-License-Identifier: GPL-3.0-or-later
// Prediction, and the look of what is predicted.
#include "views/base/prediction.h"

#include <algorithm>
#include <utility>

#include "views/base/document.h"
#include "views/base/paint.h"

namespace views {

Prediction& Prediction::of(Document& document) {
  auto* known = document.findChild<Prediction*>(QString(), Qt::FindDirectChildrenOnly);
  return known != nullptr ? *known : *new Prediction(&document);
}

void Prediction::set(Said said) {
  said_ = std::move(said);
  emit changed();
}

QColor prediction_colour(const Theme& theme) { return theme.accent; }

void draw_prediction_mark(QPainter& p, QPointF centre, const QString& name, const QRectF& rect, const Theme& theme) {
  constexpr double kReach = 7, kGap = 5;
  p.setPen(QPen(prediction_colour(theme), 2));
  p.setBrush(theme.surface);
  p.drawPolygon(QPolygonF({centre - QPointF(0, kReach), centre + QPointF(kReach, 0), centre + QPointF(0, kReach),
                           centre - QPointF(kReach, 0)}));
  const double width = text_width(p.font(), name) + 2, height = QFontMetricsF(p.font()).height();
  QRectF label(centre.x() + kReach + kGap, centre.y() - height / 2, width, height);
  if (label.right() > rect.right()) label.moveRight(centre.x() - kReach - kGap);
  label.moveTop(std::clamp(label.top(), rect.top(), std::max(rect.top(), rect.bottom() - height)));
  QColor plate = theme.surface;
  plate.setAlphaF(0.85f);
  p.fillRect(label, plate);
  draw_text(p, label, Qt::AlignLeft | Qt::AlignVCenter, name, prediction_colour(theme));
}

}  // namespace views
