// SPDX-License-Identifier: GPL-3.0-or-later
// Values of a tensor as pictures: one per channel, or three channels as colours.
#pragma once

#include <QImage>
#include <QString>
#include <cstdint>
#include <vector>

#include "profiler/capture/capture.h"

namespace views {

/// How a tensor falls into pictures. Places are row-major among its elements.
struct ValuePlanes {
  int64_t count = 0;  ///< pictures; 0: no elements
  int64_t height = 0, width = 0;
  int64_t channels = 1;  ///< neighbours in `count` that are channels of one image
  int64_t plane_step = 0, row_step = 0, column_step = 1;
  int64_t elements = 0;
  bool folded = false;  ///< one axis, in rows
  /// Three channels that can be shown as one picture in colours.
  bool colours() const { return channels == 3; }
  /// "image 8 of 50, channel 2 of 3", counted from 1; empty: there is one picture.
  QString label(int64_t plane) const;
};
/// The last two axes are rows and columns; [height, width, 1 or 3] has its channels last. One axis is folded into rows.
ValuePlanes planes_of(const std::vector<int64_t>& shape);

/// A picture of kept values: the least is black, the largest white (u8: 0 and 255); NaN is red, infinities are magenta.
/// `plane` is of the three channels' image with `colours`. Null: not all values are kept, or there are none.
QImage value_picture(const profiler::ResultRecord&, const ValuePlanes&, int64_t plane, bool colours);

/// The result of a step that is an image (u8, [height, width, 1 or 3]); nullptr: there is none.
const profiler::ResultRecord* image_result(const profiler::Capture&);

}  // namespace views
