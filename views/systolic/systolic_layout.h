// SPDX-License-Identifier: GPL-3.0-or-later
// Geometry of a systolic array at one cycle: its elements, what waits to enter, what has left, and how many elements
// work in each cycle. Pure.
#pragma once

#include <QFont>
#include <QPointF>
#include <QPolygonF>
#include <QRectF>
#include <QString>
#include <vector>

#include "profiler/predict/systolic_steps.h"

namespace views {

/// One processing element.
struct SystolicCell {
  QRectF rect;
  int64_t row = 0, column = 0;
  bool loaded = false;  ///< holds a weight
  bool works = false;   ///< did a multiply-add in the last cycle
};

/// A value outside the array.
struct SystolicToken {
  enum class Kind { weight, input, result } kind = Kind::input;
  QRectF rect;
  int64_t value = 0;
  int64_t row = 0, column = 0;  ///< of its matrix
};

struct SystolicLayout {
  double size = 0;  ///< px of an element
  int lines = 0;    ///< of values in an element: 3 (weight, input, sum), 1 or 0
  QRectF array;     ///< around all elements
  std::vector<SystolicCell> cells;
  std::vector<SystolicToken> tokens;                  ///< nearest to the array: the next to enter, the last that left
  QRectF weights_title, inputs_title, results_title;  ///< empty: no room
  QRectF chart;                                       ///< elements at work over the cycles
  QPolygonF work;                                     ///< outline of the chart, closed along its foot
  double now_x = 0;                                   ///< end of the last cycle
  double loaded_x = 0;                                ///< where loading ends

  const SystolicCell* cell_at(QPointF) const;
};

/// `working`: elements at work in each cycle of the whole product.
SystolicLayout layout_systolic(const profiler::SystolicSteps&, const std::vector<int64_t>& working, const QRectF&,
                               const QFont&);

/// Elements at work in each cycle, from the first of loading to the last result. Steps the array to its end.
std::vector<int64_t> working_per_cycle(profiler::SystolicSteps);

/// Reads of one operand from memory.
struct SystolicReads {
  int64_t reads = 0, elements = 0;  ///< so far; of the operand
  int most = 0;                     ///< of any one element
};
SystolicReads reads_of(const std::vector<int>& counts);

}  // namespace views
