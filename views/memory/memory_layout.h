// SPDX-License-Identifier: GPL-3.0-or-later
// Geometry of the memory picture: stacked live bytes over the ops, or the arena's map of tensors; pure.
#pragma once

#include <QFont>
#include <QPolygonF>
#include <QRectF>
#include <array>
#include <optional>
#include <vector>

#include "profiler/analysis/footprint.h"
#include "profiler/capture/capture.h"

namespace views {

/// live: bytes alive while each op runs, stacked by role. arena: which bytes of the arena each tensor holds, and when.
enum class MemoryPicture : uint8_t { live, arena };

struct MemoryArea {
  engine::Role role = engine::Role::activation;
  QPolygonF polygon;
};

struct TensorBox {
  profiler::TensorId tensor = profiler::kNoTensor;
  QRectF rect;
  engine::Role role = engine::Role::activation;
};

struct MemoryTick {
  double y = 0;
  double bytes = 0;
};

struct MemoryPhase {
  QRectF rect;
  engine::Phase phase = engine::Phase::forward;
  bool known = true;  ///< see profiler::phase_known()
};

struct MemoryLayout {
  MemoryPicture picture = MemoryPicture::live;
  QRectF plot;                           ///< the axes' rectangle; x: op order, y: bytes from 0
  QRectF title, subtitle, legend, life;  ///< life: the strip that shows when the chosen tensor lives
  double line = 0;                       ///< height of a line of text
  double top_bytes = 0;                  ///< bytes at the top of the plot
  size_t op_count = 0;
  std::vector<MemoryTick> ticks;
  std::vector<MemoryArea> areas;  ///< live: bottom up; persistent roles lie below
  std::vector<TensorBox> boxes;   ///< arena: largest first
  std::vector<MemoryPhase> phases;
  double persistent_y = 0;  ///< live: top of what lives across steps
  QPointF peak;

  double x_of(double op) const {
    return op_count == 0 ? plot.left() : plot.left() + plot.width() * op / static_cast<double>(op_count);
  }
  double y_of(double bytes) const {
    return top_bytes > 0 ? plot.bottom() - plot.height() * bytes / top_bytes : plot.bottom();
  }
  std::optional<profiler::OpId> op_at(QPointF) const;  ///< under a point of the plot or of the strips below
  const TensorBox* tensor_at(QPointF) const;           ///< arena
};

/// Roles from the bottom of the stack: what lives across steps first.
const std::array<engine::Role, engine::kRoleCount>& stack_order();

MemoryLayout layout_memory(const profiler::Capture&, const profiler::Footprint&, MemoryPicture, const QRectF&,
                           const QFont&);

}  // namespace views
