// SPDX-License-Identifier: GPL-3.0-or-later
// Areas or boxes, the peak, the chosen op and the life of the chosen tensor.
#include "views/memory/memory_paint.h"

#include <QFontMetricsF>
#include <QObject>
#include <algorithm>
#include <array>

#include "profiler/analysis/process_memory.h"
#include "views/base/paint.h"
#include "views/base/plain_text.h"

namespace views {
namespace {

using profiler::Quantity;

void paint_axes(QPainter& p, const MemoryLayout& layout, const Theme& theme) {
  for (const MemoryTick& tick : layout.ticks) {
    p.setPen(QPen(theme.grid, 1));
    p.drawLine(QPointF(layout.plot.left(), tick.y), QPointF(layout.plot.right(), tick.y));
    draw_text(p,
              QRectF(layout.title.left(), tick.y - layout.line / 2, layout.plot.left() - layout.title.left() - 6,
                     layout.line),
              Qt::AlignRight | Qt::AlignVCenter, quantity(tick.bytes, Quantity::bytes), theme.text_secondary);
  }
}

void paint_legend(QPainter& p, const MemoryLayout& layout, const Theme& theme) {
  std::array<bool, engine::kRoleCount> present{};
  for (const auto& area : layout.areas) present[static_cast<size_t>(area.role)] = true;
  for (const auto& box : layout.boxes) present[static_cast<size_t>(box.role)] = true;
  const QFont font = p.font();
  p.setFont(scaled_font(font, 0.92));
  double x = layout.legend.left();
  for (size_t r = 0; r < present.size(); ++r) {
    if (!present[r]) continue;
    const QString title = role_title(static_cast<engine::Role>(r));
    const double width = 18 + text_width(p.font(), title);
    if (x + width > layout.legend.right()) break;
    const auto role = static_cast<engine::Role>(r);
    draw_mark(p, QRectF(x, layout.legend.center().y() - 5.5, 11, 11), theme.role(role), mark_of(role));
    draw_text(p, QRectF(x + 17, layout.legend.top(), width - 17, layout.legend.height()),
              Qt::AlignLeft | Qt::AlignVCenter, title, theme.text_secondary);
    x += width + 2 * kGrid;
  }
  p.setFont(font);
}

void paint_titles(QPainter& p, const profiler::Capture& capture, const profiler::Footprint& f, const QString& subtitle,
                  const MemoryLayout& layout, const Theme& theme) {
  const QFont font = p.font();
  p.setFont(scaled_font(font, 1.2, true));
  const QString peak = quantity(f.peak_bytes, Quantity::bytes);
  draw_text(p, layout.title, Qt::AlignLeft | Qt::AlignVCenter,
            f.peak_op == profiler::kNoOp
                ? QObject::tr("Peak %1").arg(peak)
                : QObject::tr("Peak %1 in %2").arg(peak, text(capture.name(capture.ops()[f.peak_op].name))),
            theme.text);
  p.setFont(scaled_font(font, 0.92));
  draw_text(p, layout.subtitle, Qt::AlignLeft | Qt::AlignVCenter, subtitle, theme.text_secondary);
  p.setFont(font);
}

void paint_phases(QPainter& p, const MemoryLayout& layout, const Theme& theme) {
  const QFont font = p.font();
  p.setFont(scaled_font(font, 0.88));
  for (const MemoryPhase& span : layout.phases) {
    const QColor tint = span.known ? theme.phase(span.phase) : theme.unknown_phase;
    p.fillRect(span.rect.adjusted(0, 0, -1, 0), QColor(tint.red(), tint.green(), tint.blue(), 90));
    const QString title = span.known ? phase_title(span.phase) : QObject::tr("phase unknown");
    if (text_width(p.font(), title) + 4 <= span.rect.width())
      draw_text(p, span.rect, Qt::AlignCenter, title, theme.text);
  }
  p.setFont(font);
}

void paint_peak(QPainter& p, const profiler::Footprint& f, const MemoryLayout& layout, const Theme& theme) {
  p.setPen(QPen(theme.text, 1.25, Qt::DashLine));
  p.drawLine(QPointF(layout.peak.x(), layout.plot.top() - 2), QPointF(layout.peak.x(), layout.plot.bottom()));
  p.setPen(QPen(theme.text, 1.5));
  p.setBrush(theme.surface);
  p.drawEllipse(layout.peak, 4, 4);
  const QString label = QObject::tr("peak %1").arg(quantity(f.peak_bytes, Quantity::bytes));
  const double width = text_width(p.font(), label) + 2;
  const double left = std::clamp(layout.peak.x() - width / 2, layout.plot.left(),
                                 std::max(layout.plot.left(), layout.plot.right() - width));
  draw_text(p, QRectF(left, layout.plot.top() - layout.line, width, layout.line - 2), Qt::AlignCenter, label,
            theme.text);
}

void paint_persistent(QPainter& p, const profiler::Footprint& f, const MemoryLayout& layout, const Theme& theme) {
  p.setPen(QPen(theme.text, 1, Qt::DotLine));
  p.drawLine(QPointF(layout.plot.left(), layout.persistent_y), QPointF(layout.plot.right(), layout.persistent_y));
  const QString label =
      QObject::tr("persistent and workspace %1").arg(quantity(f.persistent_bytes + f.workspace_bytes, Quantity::bytes));
  const double width = text_width(p.font(), label) + 8;
  const double top = std::min(layout.persistent_y - layout.line, layout.plot.bottom() - layout.line);
  const QRectF rect(layout.plot.left() + 4, top, width, layout.line - 2);
  QColor plate = theme.surface;
  plate.setAlphaF(0.8f);
  p.fillRect(rect, plate);
  draw_text(p, rect, Qt::AlignCenter, label, theme.text);
}

void paint_life(QPainter& p, const profiler::Capture& capture, const MemoryLayout& layout, profiler::TensorId id,
                const Theme& theme) {
  const profiler::TensorRecord& tensor = capture.tensors()[id];
  const double first = tensor.persistent ? 0 : std::min<double>(static_cast<double>(layout.op_count), tensor.first_op);
  const double last = tensor.persistent ? static_cast<double>(layout.op_count)
                                        : std::min<double>(static_cast<double>(layout.op_count), tensor.last_op + 1.0);
  const double x0 = layout.x_of(first), x1 = std::max(layout.x_of(last), x0 + 2);
  p.setPen(QPen(theme.accent, 1, Qt::DashLine));
  for (double x : {x0, x1}) p.drawLine(QPointF(x, layout.plot.top()), QPointF(x, layout.life.bottom()));
  const QRectF bar(x0, layout.life.top() + 2, x1 - x0, layout.life.height() - 4);
  p.fillRect(bar, theme.role(tensor.role));
  const QString label =
      QStringLiteral("%1  %2%3")
          .arg(text(capture.name(tensor.name)), quantity(static_cast<double>(tensor.size_bytes), Quantity::bytes),
               tensor.persistent ? QObject::tr(", always alive") : QString());
  const double width = text_width(p.font(), label) + 8;
  // Beside the bar where there is room, else on a plate over it.
  QRectF rect(bar.right() + 6, layout.life.top(), width, layout.life.height());
  if (rect.right() > layout.life.right()) rect.moveRight(bar.left() - 6);
  if (rect.left() < layout.life.left()) {
    rect = QRectF(layout.life.left() + 4, layout.life.top(), std::min(width, layout.life.width() - 8),
                  layout.life.height());
    p.fillRect(rect, theme.surface);
  }
  draw_text(p, rect, Qt::AlignLeft | Qt::AlignVCenter, label, theme.text, Qt::ElideMiddle);
}

}  // namespace

profiler::TensorId root_of(const profiler::Capture& capture, profiler::TensorId tensor) {
  const auto& tensors = capture.tensors();
  for (size_t hops = 0; hops < tensors.size() && tensors[tensor].alias_of < tensors.size(); ++hops)
    tensor = tensors[tensor].alias_of;
  return tensor;
}

QString memory_subtitle(const profiler::Capture& capture, const profiler::Footprint& f) {
  QStringList parts = {
      (capture.run().eager() ? QObject::tr("pool %1 reserved for %2 of values")
                             : QObject::tr("arena %1, %2 without reuse"))
          .arg(quantity(f.arena_bytes, Quantity::bytes), quantity(f.arena_without_reuse_bytes, Quantity::bytes)),
      QObject::tr("persistent %1").arg(quantity(f.persistent_bytes, Quantity::bytes)),
      QObject::tr("workspace %1").arg(quantity(f.workspace_bytes, Quantity::bytes))};
  if (const profiler::ProcessMemory process = profiler::process_memory(capture); process.unaccounted_bytes >= 0)
    parts.insert(1, QObject::tr("unaccounted %1").arg(quantity(process.unaccounted_bytes, Quantity::bytes)));
  if (!f.devices.empty() && f.peak_op < f.points.size()) {
    const std::vector<double>& at_peak = f.points[f.peak_op].by_device;
    QStringList each;
    for (size_t d = 0; d < at_peak.size(); ++d)
      each << QStringLiteral("%1 %2").arg(text(f.devices[d]), quantity(at_peak[d], Quantity::bytes));
    parts.prepend(QObject::tr("all devices: %1").arg(each.join(QStringLiteral(", "))));
  }
  return parts.join(QStringLiteral("  ·  "));
}

void paint_memory(QPainter& p, const profiler::Capture& capture, const profiler::Footprint& footprint,
                  const QString& subtitle, const MemoryLayout& layout, const MemoryMarks& marks, const Theme& theme) {
  p.setRenderHint(QPainter::Antialiasing);
  paint_titles(p, capture, footprint, subtitle, layout, theme);
  paint_legend(p, layout, theme);
  paint_axes(p, layout, theme);
  for (const MemoryArea& area : layout.areas) {
    const QColor colour = theme.role(area.role);
    QColor fill = colour;
    fill.setAlphaF(0.85f);
    p.setPen(Qt::NoPen);
    p.setBrush(fill);
    p.drawPolygon(area.polygon);
  }
  for (const TensorBox& box : layout.boxes) {
    const QColor colour = theme.role(box.role);
    QColor fill = colour;
    fill.setAlphaF(marks.tensor == box.tensor ? 1.0f : 0.55f);
    p.fillRect(box.rect, fill);
    if (box.rect.width() > 3 && box.rect.height() > 3) {
      p.setPen(QPen(theme.surface, 0.5));
      p.setBrush(Qt::NoBrush);
      p.drawRect(box.rect);
    }
  }
  if (layout.picture == MemoryPicture::live) {
    paint_persistent(p, footprint, layout, theme);
    paint_peak(p, footprint, layout, theme);
  }
  if (marks.tensor && *marks.tensor < capture.tensors().size()) paint_life(p, capture, layout, *marks.tensor, theme);
  else
    draw_text(p, layout.life, Qt::AlignCenter, QObject::tr("select a tensor to see when it lives"),
              theme.text_secondary);
  for (const TensorBox& box : layout.boxes) {
    if (marks.tensor != box.tensor) continue;
    p.setPen(QPen(theme.text, 2));
    p.setBrush(Qt::NoBrush);
    p.drawRect(box.rect);
  }
  paint_phases(p, layout, theme);
  if (marks.op && *marks.op < layout.op_count) {
    const double x = layout.x_of(*marks.op + 0.5);
    p.setPen(QPen(theme.accent, 2));
    p.drawLine(QPointF(x, layout.plot.top()), QPointF(x, layout.plot.bottom()));
  }
}

}  // namespace views
