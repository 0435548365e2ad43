// SPDX-License-Identifier: GPL-3.0-or-later
// From bytes per op to stacked outlines, and from arena offsets to boxes.
#include "views/memory/memory_layout.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "profiler/capture/phases.h"
#include "views/base/paint.h"
#include "views/base/theme.h"
#include "views/memory/axis_step.h"

namespace views {
namespace {

void place_areas(MemoryLayout& out, const profiler::Footprint& footprint) {
  std::vector<double> below(footprint.points.size(), 0);
  for (engine::Role role : stack_order()) {
    MemoryArea area;
    area.role = role;
    QPolygonF upper, lower;
    bool any = false;
    for (size_t i = 0; i < footprint.points.size(); ++i) {
      const double bytes = footprint.points[i].live_bytes[static_cast<size_t>(role)];
      any = any || bytes > 0;
      // Steps, not slopes: between two ops nothing is half allocated.
      for (double edge : {static_cast<double>(i), static_cast<double>(i + 1)}) {
        lower << QPointF(out.x_of(edge), out.y_of(below[i]));
        upper << QPointF(out.x_of(edge), out.y_of(below[i] + bytes));
      }
      below[i] += bytes;
    }
    if (!any) continue;
    area.polygon = upper;
    for (auto p = lower.rbegin(); p != lower.rend(); ++p) area.polygon << *p;
    out.areas.push_back(std::move(area));
  }
}

void place_boxes(MemoryLayout& out, const profiler::Capture& capture) {
  for (const profiler::TensorRecord& tensor : capture.tensors()) {
    if (tensor.persistent || tensor.alias_of != profiler::kNoTensor || tensor.size_bytes <= 0) continue;
    if (tensor.first_op >= out.op_count || tensor.last_op < tensor.first_op) continue;
    TensorBox box;
    box.tensor = tensor.id;
    box.role = tensor.role;
    const double last = std::min<double>(static_cast<double>(out.op_count), tensor.last_op + 1.0);
    const double low = static_cast<double>(tensor.offset_bytes), high = low + static_cast<double>(tensor.size_bytes);
    box.rect = QRectF(QPointF(out.x_of(tensor.first_op), out.y_of(std::min(high, out.top_bytes))),
                      QPointF(out.x_of(last), out.y_of(std::min(low, out.top_bytes))));
    out.boxes.push_back(box);
  }
  std::stable_sort(out.boxes.begin(), out.boxes.end(), [](const auto& a, const auto& b) {
    return a.rect.width() * a.rect.height() > b.rect.width() * b.rect.height();
  });
}

void place_phases(MemoryLayout& out, const profiler::Capture& capture, const QRectF& strip) {
  const auto& ops = capture.ops();
  for (size_t i = 0; i < ops.size();) {
    size_t end = i;
    while (end < ops.size() && ops[end].phase == ops[i].phase) ++end;
    const double x0 = out.x_of(static_cast<double>(i)), x1 = out.x_of(static_cast<double>(end));
    out.phases.push_back(
        {QRectF(x0, strip.top(), x1 - x0, strip.height()), ops[i].phase, profiler::phase_known(capture, ops[i].phase)});
    i = end;
  }
}

}  // namespace

const std::array<engine::Role, engine::kRoleCount>& stack_order() {
  static constexpr std::array<engine::Role, engine::kRoleCount> order = {
      engine::Role::weight,    engine::Role::optimizer_state, engine::Role::input,
      engine::Role::workspace, engine::Role::gradient,        engine::Role::activation};
  return order;
}

MemoryLayout layout_memory(const profiler::Capture& capture, const profiler::Footprint& footprint,
                           MemoryPicture picture, const QRectF& area, const QFont& font) {
  MemoryLayout out;
  out.picture = picture;
  out.op_count = footprint.points.size();
  const double line = std::ceil(QFontMetricsF(font).height()) + 3;
  const double heading = std::ceil(QFontMetricsF(scaled_font(font, 1.2, true)).height()) + 2;
  const QRectF inner = area.adjusted(2 * kGrid, kGrid, -2 * kGrid, -kGrid);
  const double axis = text_width(font, QStringLiteral("8.88 GB")) + kGrid;
  out.line = line;
  out.title = QRectF(inner.left(), inner.top(), inner.width(), heading);
  out.subtitle = QRectF(inner.left(), out.title.bottom(), inner.width(), line);
  out.legend = QRectF(inner.left(), out.subtitle.bottom() + 4, inner.width(), line);
  const QRectF phases(inner.left() + axis, inner.bottom() - line, inner.width() - axis, line - 2);
  out.life = QRectF(phases.left(), phases.top() - line - 2, phases.width(), line);
  // Above the plot one line stays free for the peak's label.
  out.plot = QRectF(QPointF(phases.left(), out.legend.bottom() + line), QPointF(phases.right(), out.life.top() - 4));
  const double largest = picture == MemoryPicture::live ? footprint.peak_bytes : footprint.arena_bytes;
  const double step = nice_step(largest, std::max(2, static_cast<int>(out.plot.height() / 60)));
  out.top_bytes = std::max(step, largest * 1.04);
  for (double bytes = 0; bytes <= out.top_bytes; bytes += step) out.ticks.push_back({out.y_of(bytes), bytes});
  out.persistent_y = out.y_of(footprint.persistent_bytes + footprint.workspace_bytes);
  out.peak = QPointF(out.x_of(footprint.peak_op == profiler::kNoOp ? 0 : footprint.peak_op + 0.5),
                     out.y_of(footprint.peak_bytes));
  if (out.op_count == 0) return out;
  if (picture == MemoryPicture::live) place_areas(out, footprint);
  else place_boxes(out, capture);
  place_phases(out, capture, phases);
  return out;
}

std::optional<profiler::OpId> MemoryLayout::op_at(QPointF point) const {
  if (op_count == 0 || plot.width() <= 0) return {};
  const double bottom = phases.empty() ? plot.bottom() : phases.front().rect.bottom();
  if (point.y() < plot.top() || point.y() > bottom || point.x() < plot.left() || point.x() >= plot.right()) return {};
  const double t = (point.x() - plot.left()) / plot.width();
  return static_cast<profiler::OpId>(
      std::min<size_t>(op_count - 1, static_cast<size_t>(t * static_cast<double>(op_count))));
}

const TensorBox* MemoryLayout::tensor_at(QPointF point) const {
  const TensorBox* best = nullptr;
  for (const TensorBox& box : boxes) {
    if (box.rect.contains(point)) best = &box;  // later is smaller and on top
  }
  return best;
}

}  // namespace views
