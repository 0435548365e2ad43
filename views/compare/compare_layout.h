// SPDX-License-Identifier: GPL-3.0-or-later
// CompareLayout: where the two steps, aligned op by op, and the bytes of each level lie; plain rectangles.
#pragma once

#include <QFont>
#include <QRectF>
#include <QString>
#include <optional>
#include <vector>

#include "profiler/compare/comparison.h"

namespace views {

/// One op in one of the two lanes. An op starts at the same x in both lanes, as far right as the slower of the two
/// needs.
struct CompareBox {
  QRectF rect;     ///< width: its time
  size_t row = 0;  ///< index into Comparison::rows
  bool after = false;
  QString label;  ///< empty: no room
};

/// Bytes over one link, or compulsory ones, as two bars on one scale.
struct CompareBytes {
  QRectF name, before, after, change;  ///< before, after: bars; empty where unknown
  QRectF before_value, after_value;
  QString title, before_text, after_text, change_text;
  profiler::Origin origin = profiler::Origin::modelled;
};

struct CompareLayout {
  QRectF before_lane, after_lane;  ///< where boxes are
  QRectF before_name, after_name;  ///< labels left of them
  QRectF caption, legend;  ///< one line above the lanes; below them one, or two where the bytes stand beside them
  double ns_per_px = 0;
  std::vector<CompareBox> boxes;
  QRectF bytes_caption;
  std::vector<CompareBytes> bytes;  ///< compulsory first
  /// The row of the box under a point.
  std::optional<size_t> row_at(QPointF) const;
};

/// Lanes in the upper part, bytes below; where `area` is lower than that needs and wide enough, bytes beside the lanes.
/// Rows without any time have no box.
CompareLayout layout_compare(const profiler::Comparison&, const QRectF& area, const QFont&);
/// Height at which nothing is cramped: with the bytes below the lanes, and beside them.
double compare_height(const profiler::Comparison&);
double compare_height_beside(const profiler::Comparison&);
/// Least width at which bytes can stand beside the lanes.
inline constexpr double kCompareBesideWidth = 720;

}  // namespace views
