// SPDX-License-Identifier: GPL-3.0-or-later
// The curve of live bytes over the ops of a tape as plain points.
#pragma once

#include <QPointF>
#include <QRectF>
#include <vector>

#include "profiler/analysis/tape.h"

namespace views {

struct TapeLayout {
  QRectF plot;
  std::vector<QPointF> live, kept;  ///< corners of stairs, left to right
  std::vector<QPointF> other;       ///< live bytes of the tape it is compared with
  double most_bytes = 0;            ///< at the top of the plot
  size_t ops = 0;
  /// The middle of an op's step.
  double x_of(profiler::OpId) const;
  /// The op under a point; the nearest end beside the plot.
  profiler::OpId op_at(double x) const;
};

/// `other` may be null. Steps narrower than a pixel are drawn by their highest.
TapeLayout layout_tape(const QRectF& plot, const profiler::Tape&, const profiler::Tape* other);

}  // namespace views
