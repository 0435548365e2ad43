// SPDX-License-Identifier: GPL-3.0-or-later
// Paints a MemoryLayout.
#pragma once

#include <QPainter>

#include "views/base/theme.h"
#include "views/memory/memory_layout.h"

namespace views {

struct MemoryMarks {
  std::optional<profiler::OpId> op;
  std::optional<profiler::TensorId> tensor;  ///< root: the one that owns the bytes
};

/// The line below the title: what is reserved, persistent, of kernels, of each device at the peak. It looks at the
/// whole capture: make it once.
QString memory_subtitle(const profiler::Capture&, const profiler::Footprint&);
void paint_memory(QPainter&, const profiler::Capture&, const profiler::Footprint&, const QString& subtitle,
                  const MemoryLayout&, const MemoryMarks&, const Theme&);

/// The tensor whose bytes `tensor` shares (itself when it owns them).
profiler::TensorId root_of(const profiler::Capture&, profiler::TensorId tensor);

}  // namespace views
