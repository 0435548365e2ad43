// SPDX-License-Identifier: GPL-3.0-or-later
// Cells as large as fit, in columns that follow the rows of the tensor.
#include "views/storage/storage_layout.h"

#include <algorithm>
#include <cmath>

namespace views {
namespace {

constexpr double kLargest = 40, kSmallest = 5;  // px

/// Columns of a grid of so many cells, of a size that fits; 0: it does not.
int columns_of(const QRectF& rect, int64_t cells, double size, int64_t row) {
  const auto most = static_cast<int64_t>(rect.width() / size);
  if (most < 1) return 0;
  int64_t columns = std::min(most, cells);
  if (row > 0 && row <= most) columns = std::min(cells, most - most % row);  // whole rows
  const int64_t rows = (cells + columns - 1) / columns;
  return static_cast<double>(rows) * size <= rect.height() ? static_cast<int>(columns) : 0;
}

}  // namespace

int StorageLayout::cell_at(QPointF point) const {
  for (size_t i = 0; i < cells.size(); ++i)
    if (cells[i].rect.contains(point)) return static_cast<int>(i);
  return -1;
}

StorageLayout layout_storage(const QRectF& rect, const StorageUse& use, int64_t row) {
  StorageLayout layout;
  const auto elements = static_cast<int64_t>(use.position.size());
  if (elements == 0 || rect.width() < kSmallest || rect.height() < kSmallest) return layout;
  int columns = 0;
  for (;; layout.per_cell *= 2) {
    const int64_t cells = (elements + layout.per_cell - 1) / layout.per_cell;
    const int64_t cells_of_row = row % layout.per_cell == 0 ? row / layout.per_cell : 0;
    // Rows of the tensor side by side only where they are longer than the picture is high.
    if (cells_of_row > 0) {
      for (layout.size = kLargest; layout.size >= kSmallest && columns == 0; layout.size -= 1)
        if (cells_of_row * layout.size <= rect.width() &&
            std::ceil(static_cast<double>(cells) / static_cast<double>(cells_of_row)) * layout.size <= rect.height())
          columns = static_cast<int>(std::min(cells, cells_of_row));
      if (columns > 0) layout.size += 1;
    }
    if (columns == 0) {
      for (layout.size = kLargest; layout.size >= kSmallest; layout.size -= 1)
        if (columns = columns_of(rect, cells, layout.size, cells_of_row); columns > 0) break;
    }
    if (columns > 0) break;
    if (cells <= 1) return layout;
  }
  layout.columns = columns;
  for (int64_t first = 0; first < elements; first += layout.per_cell) {
    const auto n = static_cast<int64_t>(layout.cells.size());
    StorageCell cell;
    cell.first = first;
    cell.count = std::min(layout.per_cell, elements - first);
    cell.rect = QRectF(rect.left() + static_cast<double>(n % columns) * layout.size,
                       rect.top() + static_cast<double>(n / columns) * layout.size, layout.size, layout.size);
    for (int64_t e = first; e < first + cell.count; ++e) {
      const auto at = static_cast<size_t>(e);
      if (use.position[at] < 0) continue;
      ++cell.used;
      cell.readers = std::max(cell.readers, use.readers[at]);
      cell.position = cell.position < 0 ? use.position[at] : std::min(cell.position, use.position[at]);
    }
    layout.cells.push_back(cell);
  }
  return layout;
}

}  // namespace views
