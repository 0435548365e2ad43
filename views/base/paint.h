// SPDX-License-Identifier: GPL-3.0-or-later
// Painting helpers every view shares: text that never spills, bars, swatches, the designed empty state, and tooltip
// texts.
#pragma once

#include <QPainter>
#include <QPainterPath>
#include <QPalette>
#include <QString>
#include <optional>

#include "profiler/base/table.h"
#include "views/base/theme.h"

namespace views {

/// "14.2 GB", "–" for NaN: profiler::format_quantity as a QString.
QString quantity(double value, profiler::Quantity);

/// Draws one line inside `rect`, shortened with an ellipsis where it does not fit; never paints outside. Returns its
/// true width.
qreal draw_text(QPainter&, const QRectF& rect, int alignment, const QString& text, const QColor&,
                Qt::TextElideMode = Qt::ElideRight);
/// Like draw_text, bold.
qreal draw_bold(QPainter&, const QRectF& rect, int alignment, const QString& text, const QColor&);
/// A font of the data size times `factor` (captions are 0.9).
QFont scaled_font(const QFont&, qreal factor, bool bold = false);
/// Width of one line of text in `font`.
qreal text_width(const QFont&, const QString&);

/// A filled square with the look of an origin: legends and lists.
void draw_swatch(QPainter&, const QRectF&, const QColor&, profiler::Origin = profiler::Origin::measured);
/// The shape of a mark in `rect`, in one colour.
QPainterPath mark_path(const QRectF& rect, Mark);
void draw_mark(QPainter&, const QRectF&, const QColor&, Mark);
/// The same as a letter, for rich text.
QString mark_text(Mark);
/// A horizontal bar filled to `ratio` (clamped to 0..1; NaN draws the empty track).
void draw_bar(QPainter&, const QRectF&, double ratio, const QColor& fill, const Theme&);

/// The frame of what has the keyboard, kFocusFrame px wide along the edge of `rect`. It fills nothing: colours of data
/// stay as they are.
inline constexpr int kFocusFrame = 2;
void draw_focus_frame(QPainter&, const QRect& rect, const QPalette&);

/// The designed empty or unknown state: a title and a sentence that says what to do, centred.
void draw_message(QPainter&, const QRectF&, const Theme&, const QString& title, const QString& hint);

/// A tooltip: what it is, its value, definition, formula, origin. Empty parts are left out. Rich text, escaped.
struct Tip {
  QString title, value, definition, formula;
  std::optional<profiler::Origin> origin;
  QString note;  ///< error band, reason for an unknown
  QString html() const;
};

}  // namespace views
