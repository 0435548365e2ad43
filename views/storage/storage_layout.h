// SPDX-License-Identifier: GPL-3.0-or-later
// Where the cells of a byte map lie: one per element, or per run of elements where there are too many.
#pragma once

#include <QRectF>
#include <cstdint>
#include <vector>

#include "views/storage/storage_model.h"

namespace views {

struct StorageCell {
  QRectF rect;
  int64_t first = 0, count = 0;  ///< elements of the buffer
  int64_t used = 0;              ///< of them, named by the tensor
  int64_t position = -1;         ///< the lowest logical position in it; -1: none
  uint32_t readers = 0;          ///< most logical positions that read one element of it
};

struct StorageLayout {
  std::vector<StorageCell> cells;
  int columns = 1;
  int64_t per_cell = 1;  ///< elements
  double size = 0;       ///< px of a cell
  /// The cell at a point; -1: none.
  int cell_at(QPointF) const;
};

/// Rows are whole rows of `row` elements (the innermost extent of the buffer's first tensor) where that fits.
StorageLayout layout_storage(const QRectF&, const StorageUse&, int64_t row);

}  // namespace views
