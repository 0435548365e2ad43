// SPDX-License-Identifier: GPL-3.0-or-later
// Theme: colours and sizes for light, dark and print; colour-blind safe (documented); colour carries meaning only.
#pragma once

#include <QBrush>
#include <QColor>
#include <QFont>
#include <QPalette>
#include <QPen>
#include <QString>

#include "profiler/analysis/verdict/verdict.h"
#include "profiler/base/origin.h"

namespace views {

enum class ThemeKind { light, dark };

/// All colours of one theme. Role and verdict colours come from the Okabe-Ito set, adjusted for contrast on each
/// background.
struct Theme {
  ThemeKind kind = ThemeKind::light;
  QColor background, surface, surface_alternate, border, grid, text, text_secondary, accent, accent_text, selection,
      warning, error;

  QColor role(engine::Role) const;
  QColor bound(profiler::Bound) const;
  QColor level(int index) const;  ///< memory levels nearest first, for roofs
  QColor phase(engine::Phase) const;
  QPalette palette() const;  ///< for QApplication::setPalette with the Fusion style

  static const Theme& light();
  static const Theme& dark();
};

/// Painting style of an origin: measured solid, simulated hatched, modelled outlined, specified dashed.
QBrush origin_brush(profiler::Origin, const QColor&);
QPen origin_pen(profiler::Origin, const QColor&, qreal width = 1.0);

/// The data font: the application's with tabular digits, one size everywhere.
QFont data_font();
inline constexpr int kGrid = 8;  ///< px; every margin and gap is a multiple

/// "weights" "activations" ...; "forward" ...; words for people.
QString role_title(engine::Role);
QString bound_title(profiler::Bound);
QString phase_title(engine::Phase);

}  // namespace views
