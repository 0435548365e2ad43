// SPDX-License-Identifier: GPL-3.0-or-later
// DurationChart: the histogram of one name's durations with its percentiles.
#pragma once

#include "profiler/analysis/range.h"
#include "views/base/theme.h"
#include "views/widgets/canvas.h"

namespace views {

/// Where a duration lies between the chart's ends, 0..1.
double place_of(const profiler::DurationSpread&, double duration_ns);

class DurationChart : public Canvas {
  Q_OBJECT

 public:
  explicit DurationChart(QWidget* parent = nullptr);
  /// `what`: "kernel gemm"; a spread without durations shows `hint`.
  void set_spread(const QString& what, const profiler::DurationSpread&, const QString& hint);
  void set_theme(const Theme&);
  const profiler::DurationSpread& spread() const { return spread_; }
  /// "p95 1.20 ms": the percentiles in words, for screens and screen readers.
  QStringList percentiles() const;

 private:
  struct Frame {
    QRectF title, text, plot;
  };
  Frame frame(const QRectF&) const;
  void draw(QPainter&, const QRectF&) const;
  QString tip_at(QPointF) const;

  const Theme* theme_ = &Theme::light();
  profiler::DurationSpread spread_;
  QString what_, hint_;
};

}  // namespace views
