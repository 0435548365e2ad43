// SPDX-License-Identifier: GPL-3.0-or-later
// Side by side where there is room, else one below the other.
#include "views/values/values_layout.h"

#include <algorithm>

#include "views/base/theme.h"

namespace views {

ValuesLayout layout_values(const QRectF& rect, double line, int figure_lines, const profiler::ValueHistogram& counts,
                           QSize picture) {
  ValuesLayout layout;
  const QRectF room = rect.adjusted(2 * kGrid, kGrid, -2 * kGrid, -kGrid);
  layout.figures = QRectF(room.left(), room.top(), room.width(), figure_lines * line);
  QRectF rest(room.left(), layout.figures.bottom() + kGrid, room.width(),
              std::max(0.0, room.bottom() - layout.figures.bottom() - kGrid));
  const bool beside = rest.width() > 1.3 * rest.height();
  QRectF chart = rest, image;
  if (!picture.isEmpty()) {
    if (beside) {
      chart.setWidth(std::min(rest.width() * 0.4, 24 * line));
      image = QRectF(chart.right() + 3 * kGrid, rest.top(), rest.right() - chart.right() - 3 * kGrid, rest.height());
    } else {
      chart.setHeight(std::min(rest.height() * 0.35, 12 * line));
      image = QRectF(rest.left(), chart.bottom() + 2 * kGrid, rest.width(), rest.bottom() - chart.bottom() - 2 * kGrid);
    }
  } else {
    chart.setWidth(std::min(rest.width(), 40 * line));
  }
  chart.setHeight(std::min(chart.height(), 16 * line));
  layout.axis = QRectF(chart.left(), chart.bottom() - line, chart.width(), line);
  layout.histogram = chart.adjusted(0, 0, 0, -line - 2);
  const int64_t most = *std::ranges::max_element(counts.counts);
  const double width = layout.histogram.width() / static_cast<double>(counts.counts.size());
  for (size_t i = 0; i < counts.counts.size(); ++i) {
    const double high =
        most > 0 ? layout.histogram.height() * static_cast<double>(counts.counts[i]) / static_cast<double>(most) : 0;
    layout.bars.emplace_back(layout.histogram.left() + static_cast<double>(i) * width, layout.histogram.bottom() - high,
                             std::max(1.0, width - 1), high);
  }
  if (picture.isEmpty() || image.height() <= 2 * line || image.width() <= line) return layout;
  layout.picture_title = QRectF(image.left(), image.top(), image.width(), line);
  image.setTop(image.top() + line + 2);
  const double scale = std::min(image.width() / picture.width(), image.height() / picture.height());
  layout.picture = QRectF(image.left(), image.top(), picture.width() * scale, picture.height() * scale);
  return layout;
}

}  // namespace views
