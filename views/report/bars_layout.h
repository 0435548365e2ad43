// SPDX-License-Identifier: GPL-3.0-or-later
// Where the bars of a report's first page are drawn: rectangles, lines and texts.
#pragma once

#include <QFont>
#include <QLineF>
#include <QRectF>
#include <QString>
#include <vector>

#include "profiler/report/report.h"

namespace views {

struct BarsLayout {
  enum class Kind { after, before, interval, band, dot, axis, median };
  struct Mark {
    QRectF rect;
    Kind kind = Kind::after;
    profiler::Bound bound = profiler::Bound::unknown;
    QString hover;  ///< empty: none
  };
  struct Text {
    QRectF rect;
    QString text;
    Qt::Alignment align = Qt::AlignLeft;
    bool bold = false, secondary = false;
  };
  std::vector<Mark> marks;
  std::vector<Text> texts;
  double height = 0;  ///< used, from 0
  size_t bars = 0;    ///< drawn, with the one of the rest
};

/// Nothing overlaps and nothing exceeds `size`; bars that do not fit are summed up (ReportBars::sums) or left out,
/// which a text says.
BarsLayout layout_bars(const profiler::ReportBars&, const QSizeF& size, const QFont&);
/// The height at which all bars fit.
double full_height(const profiler::ReportBars&, const QFont&);

}  // namespace views
