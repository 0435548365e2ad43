// SPDX-License-Identifier: GPL-3.0-or-later
// Where two devices lie beside each other: their units with lanes in one scale, and a pair of bars per figure.
#pragma once

#include <QRectF>
#include <array>
#include <vector>

#include "profiler/predict/device_figures.h"

namespace views {

struct BesideLayout {
  struct Device {
    QRectF title;
    std::vector<QRectF> units;  ///< cores or multiprocessors; empty: their number is unknown
    int lane_columns = 0;       ///< of one unit's lanes; 0: their number is unknown
    int lanes = 0;
  };
  struct Bar {
    QRectF track;
    double ratio = 0;  ///< of the larger figure of the pair; NaN: unknown
    QRectF value;
  };
  struct Row {
    profiler::DeviceTrait trait{};
    QRectF label;
    std::array<Bar, 2> bars;
  };
  std::array<Device, 2> devices;
  double lane = 0;  ///< px of a lane, the same in both
  std::vector<Row> rows;
  /// The row at a point; -1: none.
  int row_at(QPointF) const;
};

/// `line`: height of a line of text. `left`, `right`: the devices.
BesideLayout layout_beside(const QRectF&, const profiler::DeviceFigures& left, const profiler::DeviceFigures& right,
                           double line);

}  // namespace views
