// SPDX-License-Identifier: GPL-3.0-or-later
// Where figures, histogram and picture of one tensor lie.
#pragma once

#include <QRectF>
#include <QSize>
#include <vector>

#include "profiler/analysis/tensor_values.h"

namespace views {

struct ValuesLayout {
  QRectF figures;            ///< lines of text
  QRectF histogram;          ///< with its axis; bars stand on its bottom line
  std::vector<QRectF> bars;  ///< one per bin
  QRectF axis;               ///< words below the bars
  QRectF picture;            ///< as large as fits, in the tensor's proportions; empty: there is none
  QRectF picture_title;
};

/// `line`: height of a line of text; `figure_lines`: how many there are; `picture`: its pixels, empty: none.
ValuesLayout layout_values(const QRectF&, double line, int figure_lines, const profiler::ValueHistogram&,
                           QSize picture);

}  // namespace views
