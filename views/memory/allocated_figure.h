// SPDX-License-Identifier: GPL-3.0-or-later
// Allocated bytes over time, of traces that say these and not which tensors were alive: geometry (pure) and paint.
#pragma once

#include <QFont>
#include <QPainter>
#include <QPolygonF>
#include <QRectF>
#include <QString>
#include <optional>
#include <vector>

#include "profiler/analysis/allocated.h"
#include "views/base/theme.h"

namespace views {

struct AllocatedCurve {
  QString label;   ///< "allocated, GPU 0"
  QPolygonF line;  ///< steps: each value holds until the next; per pixel its lowest and highest
  QPointF peak;
  double peak_bytes = 0;
};

/// A curve's name in the legend; without a curve: the words for those whose names do not fit.
struct AllocatedName {
  QRectF rect;
  QString text;
  std::optional<size_t> curve;
};

struct AllocatedLayout {
  QString heading;  ///< "Allocated and reserved over time"
  QRectF plot, title, subtitle, legend;
  double line_height = 0;
  int64_t begin_ns = 0, end_ns = 0;
  double top_bytes = 0, bottom_bytes = 0;  ///< bottom below 0 where the trace began with memory in use
  std::vector<AllocatedCurve> curves;      ///< as many as can be told apart
  size_t left_out = 0;
  std::vector<AllocatedName> names;  ///< the legend
  std::vector<double> steps;         ///< x where a step begins

  double x_of(int64_t time_ns) const;
  double y_of(double bytes) const;
  int64_t time_at(double x) const;
};

AllocatedLayout layout_allocated(const profiler::Capture&, const std::vector<profiler::AllocatedSeries>&, const QRectF&,
                                 const QFont&);
void paint_allocated(QPainter&, const AllocatedLayout&, const Theme&);
/// "Allocated over time, GPU 0: at most 81.2 MB": of the highest series named so, else of the highest of all.
QString allocated_headline(const std::vector<profiler::AllocatedSeries>&);
/// What each curve holds at a time, for the tooltip; empty: outside of the plot.
QString allocated_tip(const profiler::Capture&, const std::vector<profiler::AllocatedSeries>&, const AllocatedLayout&,
                      QPointF);

}  // namespace views
