// SPDX-License-Identifier: GPL-3.0-or-later
// Small pictures of workloads for their cards: what kind of work each is, as plain shapes.
#pragma once

#include <QPolygonF>
#include <QRectF>
#include <QString>
#include <vector>

#include "views/base/theme.h"

class QPainter;

namespace views {

/// One shape in a square of side 1.
struct PictureShape {
  enum class Kind { box, line, dot } kind = Kind::box;
  QRectF rect;          ///< of a box or dot
  QPolygonF points;     ///< of a line
  bool strong = false;  ///< in the darker of the two tones
};

/// Of a workload by its name; "file": a model of one's own. Names without a picture of their own get layers.
std::vector<PictureShape> workload_picture(const QString& name);
void draw_picture(QPainter&, const QRectF& rect, const std::vector<PictureShape>&, const Theme&);

}  // namespace views
