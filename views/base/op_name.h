// SPDX-License-Identifier: GPL-3.0-or-later
// Names of ops in little room.
#pragma once

#include <QPainter>
#include <QString>

namespace views {

/// The name of an op, shortened to a width so that what tells ops apart stays: "layer3.0.conv1/conv2d+batch_norm+relu"
/// keeps its path and becomes "layer3.0.conv1/…+relu"; where the path alone is too long, the beginning of both parts
/// goes. Of files ("/usr/lib/torch/module.py(12): call": a dot behind the last slash) the folders go first. Names
/// without a path lose their middle.
QString shortened_name(const QFont&, const QString& name, qreal width);
/// Draws one such name, left and centred.
void draw_name(QPainter&, const QRectF&, const QString& name, const QColor&);

}  // namespace views
