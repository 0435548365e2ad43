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

/// A shape beside a colour, so that no two of a family (verdicts, roles, phases) differ by hue alone.
enum class Mark : uint8_t {
  square,
  circle,
  triangle,
  triangle_down,
  triangle_right,
  triangle_left,
  diamond,
  plus,
  cross,
  star,
  corner,
  ring,
  frame,
  dash,
  bar,
  hourglass
};
inline constexpr int kMarkCount = 16;

/// All colours of one theme. Colours of data (roles, verdicts, phases, levels, `measure`) are not those of the window:
/// `accent` is what can be pressed and what is selected, and no data has it.
struct Theme {
  ThemeKind kind = ThemeKind::light;
  QColor background, surface, surface_alternate, border, grid, text, text_secondary, accent, accent_text, selection,
      warning, error;
  QColor input_border;    ///< around fields, boxes and switches: 3:1 and more on every background
  QColor measure;         ///< a figure of no category: bars, curves, heat maps
  QColor slower, faster;  ///< changes for the worse, for the better
  QColor unknown_phase;   ///< what nobody recorded a phase of

  QColor role(engine::Role) const;
  QColor bound(profiler::Bound) const;
  QColor level(int index) const;  ///< memory levels nearest first, for roofs
  QColor phase(engine::Phase) const;
  QPalette palette() const;  ///< for QApplication::setPalette with the Fusion style

  static const Theme& light();
  static const Theme& dark();
};

/// The shape that goes with a verdict, role or phase in legends and lists. Each of a family has its own.
Mark mark_of(profiler::Bound);
Mark mark_of(engine::Role);
Mark mark_of(engine::Phase);
inline constexpr Mark kUnknownPhaseMark = Mark::dash;
/// Black or white, whichever can be read on `fill`: at least 4.5:1 (WCAG 2.1, 1.4.3).
QColor label_on(const QColor& fill);

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
