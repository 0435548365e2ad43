// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the timeline: narrow spans as one-pixel-high strips stretched over the row, wide ones as
// bars with names, counters as columns.
#include "views/timeline/timeline_painter.h"

#include <QElapsedTimer>
#include <QImage>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "views/base/phase.h"
#include "views/base/plain_text.h"
#include "views/timeline/timeline_text.h"

namespace views {

OpMarks op_marks(const profiler::Capture& capture, const SelectionState& state) {
  OpMarks marks;
  marks.of.assign(capture.ops().size(), 0);
  const auto mark = [&](profiler::OpId op, uint8_t bits) {
    if (op >= marks.of.size()) return;
    marks.of[op] |= bits;
    marks.any = true;
  };
  if (state.op) mark(*state.op, OpMarks::selected);
  if (state.tensor)
    for (const auto& operand : capture.operands()) {
      const bool same =
          operand.tensor == *state.tensor ||
          (operand.tensor < capture.tensors().size() && capture.tensors()[operand.tensor].alias_of == *state.tensor);
      if (!same || operand.op >= capture.ops().size() || capture.ops()[operand.op].view) continue;
      if (operand.read_bytes > 0) mark(operand.op, OpMarks::reads);
      if (operand.written_bytes > 0) mark(operand.op, OpMarks::writes);
    }
  if (state.layer) {
    const std::string layer = state.layer->toStdString();
    for (const auto& op : capture.ops()) {
      const auto path = capture.name(op.layer);
      if (!op.view && path.starts_with(layer) && (path.size() == layer.size() || path[layer.size()] == '.'))
        mark(op.id, OpMarks::selected);
    }
  }
  return marks;
}

TimelinePainter::TimelinePainter(QPainter& painter, const TimelineScene& scene)
    : painter_(painter),
      scene_(scene),
      g_(scene.geometry),
      metrics_(scene.font),
      texts_(scene.texts != nullptr ? *scene.texts : own_texts_) {}

QColor TimelinePainter::dimmed(const QColor& color, double weight) const {
  return QColor::fromRgb(mixed(scene_.theme->surface.rgb(), color.rgb(), weight));
}

QRect TimelinePainter::row_rect(const TimelineRow& row) const {
  return {g_.header_width, g_.row_y(row, scene_.scroll_y), g_.plot_width(), row.height};
}

TimelineFrameStatistics TimelinePainter::paint() {
  QElapsedTimer clock;
  clock.start();
  painter_.save();
  painter_.setClipRect(QRect(0, 0, g_.width, g_.height));
  painter_.setFont(scene_.font);
  painter_.fillRect(QRect(0, 0, g_.width, g_.height), scene_.theme->surface);
  paint_rows(false);
  paint_rows(true);
  paint_links();
  paint_ruler();
  paint_range();
  paint_notes();
  paint_minimap();
  painter_.setPen(scene_.theme->border);
  painter_.drawLine(g_.header_width - 1, 0, g_.header_width - 1, g_.height);
  if (scene_.focused) {
    painter_.setBrush(Qt::NoBrush);
    painter_.setPen(QPen(scene_.theme->accent, 1));
    painter_.drawRect(QRect(0, 0, g_.width - 1, g_.height - 1));
  }
  painter_.restore();
  statistics_.paint_ns = clock.nsecsElapsed();
  return statistics_;
}

/// The rows that scroll, or those that stay on top.
void TimelinePainter::paint_rows(bool pinned) {
  painter_.save();
  const int from = pinned ? g_.top() : g_.scroll_top(), to = pinned ? g_.scroll_top() : g_.height;
  painter_.setClipRect(QRect(0, from, g_.width, to - from));
  for (const TimelineRow& row : g_.rows) {
    const QRect r = row_rect(row);
    if (row.pinned != pinned || r.bottom() < from || r.top() > to) continue;
    if (row.kind == TimelineRow::Kind::counter) {
      paint_counter(row);
    } else if (row.kind == TimelineRow::Kind::group) {
      paint_group(row);
    } else {
      paint_lane(row);
    }
    if (!scene_.row_cursor.empty() && row_key(*scene_.model, row) == scene_.row_cursor) {
      painter_.setBrush(Qt::NoBrush);
      painter_.setPen(QPen(scene_.theme->accent, 2));
      painter_.drawRect(QRect(1, r.y(), g_.width - 3, r.height() - 1));
    }
  }
  if (pinned && g_.pinned_height > 0) {
    painter_.setPen(scene_.theme->accent);
    painter_.drawLine(0, to - 1, g_.width, to - 1);
  }
  painter_.restore();
}

/// The name of a group over all its rows, with the sign that folds it.
void TimelinePainter::paint_group(const TimelineRow& row) {
  const QRect r(0, g_.row_y(row, scene_.scroll_y), g_.width, row.height);
  const std::string name = row_key(*scene_.model, row);
  const bool folded = scene_.rows.folded.contains(name);
  painter_.fillRect(r, scene_.theme->background);
  painter_.setPen(scene_.theme->text_secondary);
  painter_.drawText(r.adjusted(kGrid, 0, 0, 0), Qt::AlignVCenter | Qt::TextSingleLine,
                    (folded ? QStringLiteral("▸ ") : QStringLiteral("▾ ")) + text_of(name));
}

/// Where a link leaves its cause or meets its effect; nothing when the row is not shown.
std::optional<QPointF> TimelinePainter::link_end(const TimelineHit& hit, bool cause) const {
  for (const TimelineRow& row : g_.rows) {
    if (row.kind != TimelineRow::Kind::lane || row.index != hit.lane) continue;
    const Lane& lane = scene_.model->lanes[static_cast<size_t>(hit.lane)].lane;
    const int64_t at = cause ? lane.end_ns(hit.span) : lane.begin_ns(hit.span);
    const QRect r = row_rect(row);
    if (!row.pinned && (r.center().y() < g_.scroll_top() || r.center().y() > g_.height)) return {};
    return QPointF(g_.x(at, scene_.window), r.center().y());
  }
  return {};
}

/// Arrows from calls to what they launched (solid) and from producers to consumers (dashed).
void TimelinePainter::paint_links() {
  if (scene_.links.empty()) return;
  painter_.save();
  painter_.setClipRect(QRect(g_.header_width, g_.top(), g_.plot_width(), g_.height - g_.top()));
  painter_.setRenderHint(QPainter::Antialiasing);
  for (const TimelineLink& link : scene_.links) {
    const auto from = link_end(link.from, true), to = link_end(link.to, false);
    if (!from || !to) continue;
    const bool launch = link.kind == TimelineLink::Kind::launch;
    painter_.setPen(QPen(scene_.theme->text, 1.5, launch ? Qt::SolidLine : Qt::DashLine));
    const double bend = std::clamp(std::abs(to->x() - from->x()) / 2, 12.0, 80.0);
    const double arch = std::abs(to->y() - from->y()) < 1 ? metrics_.height() : 0.0;
    QPainterPath path(*from);
    path.cubicTo(*from + QPointF(bend, -arch), *to - QPointF(bend, arch), *to);
    painter_.setBrush(Qt::NoBrush);
    painter_.drawPath(path);
    const QPointF head[] = {*to, *to + QPointF(-7, -4), *to + QPointF(-7, 4)};
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(scene_.theme->text);
    painter_.drawPolygon(head, 3);
    ++statistics_.links;
  }
  painter_.restore();
}

/// Marks: a flag with its text in the ruler, a line through the rows; stretches are veiled.
void TimelinePainter::paint_notes() {
  painter_.save();
  painter_.setClipRect(QRect(g_.header_width, g_.minimap_height, g_.plot_width(), g_.height));
  for (size_t i = 0; i < scene_.notes.size(); ++i) {
    const TimelineMark& mark = scene_.notes[i];
    const double x0 = g_.x(scene_.model->begin_ns + mark.begin_ns, scene_.window);
    const double x1 = g_.x(scene_.model->begin_ns + mark.end_ns, scene_.window);
    if (x1 < g_.header_width || x0 > g_.width) continue;
    QColor veil = scene_.theme->warning;
    veil.setAlpha(40);
    if (mark.end_ns > mark.begin_ns) painter_.fillRect(QRectF(x0, g_.top(), x1 - x0, g_.height - g_.top()), veil);
    painter_.setPen(QPen(scene_.theme->warning, 1));
    painter_.drawLine(QPointF(x0, g_.minimap_height), QPointF(x0, g_.height));
    // a flag is as wide as its text, but not over the next mark
    double room = g_.width - x0;
    if (i + 1 < scene_.notes.size())
      room = std::min(room, g_.x(scene_.model->begin_ns + scene_.notes[i + 1].begin_ns, scene_.window) - x0 - 2);
    const QString text = displayed(text_of(mark.text));
    const double width = std::min<double>(metrics_.horizontalAdvance(text) + 2 * kTextInset, room);
    if (width < 8) continue;
    const QRectF flag(x0, g_.minimap_height + 1, width, g_.ruler_height - 3);
    painter_.fillRect(flag, scene_.theme->warning);
    painter_.setPen(readable_on(scene_.theme->warning));
    painter_.drawText(flag.adjusted(kTextInset, 0, 0, 0), Qt::AlignVCenter | Qt::TextSingleLine,
                      metrics_.elidedText(text, Qt::ElideRight, static_cast<int>(width) - kTextInset));
  }
  painter_.restore();
}

void TimelinePainter::paint_header(const TimelineRow& row, const QString& detail, const QColor& detail_color) {
  const QRect r = row_rect(row);
  const QRect text(kGrid, r.y(), g_.header_width - 2 * kGrid, r.height());
  const QString& title = texts_.row_title(*scene_.model, row, metrics_, text.width());
  painter_.setPen(scene_.theme->text);
  if (detail.isEmpty() || r.height() < 2 * metrics_.height()) {
    painter_.drawText(text, Qt::AlignVCenter | Qt::TextSingleLine, title);
    return;
  }
  painter_.drawText(text, Qt::AlignTop | Qt::TextSingleLine, title);
  painter_.setPen(detail_color);
  painter_.drawText(text.adjusted(0, metrics_.height(), 0, 0), Qt::AlignTop | Qt::TextWordWrap, detail);
}

void TimelinePainter::paint_counter(const TimelineRow& row) {
  const TimelineCounter& counter = scene_.model->counters[static_cast<size_t>(row.index)];
  const QRect r = row_rect(row);
  painter_.fillRect(QRect(0, r.y(), g_.header_width, r.height()), scene_.theme->surface_alternate);
  const QString origin = origin_text(counter.origin);
  if (!counter.unknown_reason.empty()) {
    paint_header(row, QStringLiteral("–"), scene_.theme->text_secondary);
    painter_.setPen(scene_.theme->text_secondary);
    painter_.drawText(r.adjusted(kGrid, 0, -kGrid, 0), Qt::AlignVCenter | Qt::TextWordWrap,
                      quoted_commands(counter.unknown_reason));
    return;
  }
  const double ratio = painter_.device() != nullptr ? painter_.device()->devicePixelRatioF() : 1.0;
  const int width = static_cast<int>(g_.plot_width() * ratio), height = static_cast<int>(r.height() * ratio);
  const double ns_per_px = g_.ns_per_px(scene_.window) / ratio;
  std::vector<double> values;
  const bool rate = counter.kind == TimelineCounter::Kind::rate;
  counter.columns(scene_.window.begin_ns, ns_per_px, width, values);
  double peak = 0;
  for (const double v : values)
    if (v > peak) peak = v;
  const QRgb ground = scene_.theme->surface.rgb();
  QColor color = rate ? scene_.theme->measure : scene_.theme->role(engine::Role::activation);
  const QRgb solid = mixed(ground, color.rgb(), counter.origin == profiler::Origin::modelled ? 0.55 : 0.85);
  const CounterScale scale = counter_scale(counter, peak);
  const double room = height - 3 * ratio;
  for (double& v : values) v = v > 0 && scale.top > 0 ? v / scale.top * room : 0;  // now heights
  const double roof = scale.roof_drawn ? counter.roof / scale.top * room : room + height;
  const QRgb over = scale.above ? mixed(ground, scene_.theme->warning.rgb(), 0.85) : solid;
  QImage image(width, height, QImage::Format_RGB32);
  for (int y = 0; y < height; ++y) {
    auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
    const double needed = height - y;
    const QRgb fill = needed > roof ? over : solid;
    for (int x = 0; x < width; ++x) {
      const double h = values[static_cast<size_t>(x)];
      line[x] = h >= needed ? fill : h > needed - 1 ? mixed(ground, fill, h - needed + 1) : ground;
    }
  }
  painter_.drawImage(r, image);
  if (peak > 0 && counter.roof > 0)
    paint_roof(r, text_of(counter.roof_name),
               scale.roof_drawn ? std::optional(r.bottom() + 1 - roof / ratio) : std::nullopt);
  if (peak == 0 && !counter.nothing.empty()) {
    painter_.setPen(scene_.theme->text_secondary);
    painter_.drawText(r.adjusted(kGrid, 0, -kGrid, 0), Qt::AlignVCenter | Qt::TextWordWrap, text_of(counter.nothing));
  }
  painter_.setPen(scene_.theme->grid);
  painter_.drawLine(r.left(), r.bottom() + 1, r.right(), r.bottom() + 1);
  const QString detail =
      peak > 0 ? QObject::tr("peak %1\n%2").arg(text_of(profiler::format_quantity(peak, counter.quantity)), origin)
               : origin;
  paint_header(row, detail, scene_.theme->text_secondary);
}

/// The line of a chart's roof, if it lies within the chart, and its name.
void TimelinePainter::paint_roof(const QRect& r, const QString& name, std::optional<double> y) {
  const QString text = y ? name : QObject::tr("%1, far above").arg(name);
  if (y) {
    painter_.setPen(QPen(scene_.theme->text, 1, Qt::DashLine));
    painter_.drawLine(QPointF(r.left(), *y), QPointF(r.right(), *y));
  }
  const int width = metrics_.horizontalAdvance(text) + kGrid;
  if (width > r.width()) return;
  const double top = !y ? r.top() : *y - r.top() > metrics_.height() ? *y - metrics_.height() - 1 : *y + 1;
  const QRectF label(r.right() - width, top, width, metrics_.height());
  QColor veil = scene_.theme->surface;
  veil.setAlpha(240);
  painter_.fillRect(label, veil);
  painter_.setPen(scene_.theme->text_secondary);
  painter_.drawText(label, Qt::AlignCenter | Qt::TextSingleLine, text);
}

void TimelinePainter::paint_ruler() {
  const QRect band(0, g_.minimap_height, g_.width, g_.ruler_height);
  painter_.fillRect(band, scene_.theme->background);
  const int label_width = metrics_.horizontalAdvance(QStringLiteral("0000.000")) + 3 * kGrid;
  const Ruler r = ruler(scene_.model->begin_ns, scene_.window, g_.plot_width() / label_width);
  painter_.setPen(scene_.theme->text_secondary);
  painter_.drawText(QRect(kGrid, band.y(), g_.header_width - 2 * kGrid, band.height()), Qt::AlignVCenter,
                    QObject::tr("time [%1]").arg(text_of(r.unit)));
  for (const auto& tick : r.ticks) {
    const double x = g_.x(tick.at_ns, scene_.window);
    if (x < g_.header_width) continue;
    painter_.setPen(scene_.theme->border);
    painter_.drawLine(QPointF(x, band.bottom() - 5), QPointF(x, band.bottom()));
    const QString label = text_of(tick.label);
    if (x + 3 + metrics_.horizontalAdvance(label) > g_.width) continue;
    painter_.setPen(scene_.theme->text_secondary);
    painter_.drawText(QRectF(x + 3, band.y(), label_width, band.height() - 2), Qt::AlignVCenter | Qt::TextSingleLine,
                      label);
  }
  painter_.setPen(scene_.theme->border);
  painter_.drawLine(0, band.bottom(), g_.width, band.bottom());
}

void TimelinePainter::paint_range() {
  if (!scene_.range) return;
  const double x0 = std::clamp(g_.x(scene_.range->begin_ns, scene_.window), g_.header_width - 1.0, g_.width + 1.0);
  const double x1 = std::clamp(g_.x(scene_.range->end_ns, scene_.window), g_.header_width - 1.0, g_.width + 1.0);
  QColor veil = scene_.theme->selection;
  veil.setAlpha(50);
  painter_.fillRect(QRectF(x0, g_.minimap_height, x1 - x0, g_.height - g_.minimap_height), veil);
  painter_.setPen(QPen(scene_.theme->accent, 1));
  painter_.drawLine(QPointF(x0, g_.minimap_height), QPointF(x0, g_.height));
  painter_.drawLine(QPointF(x1, g_.minimap_height), QPointF(x1, g_.height));
  const QString text = text_of(profiler::format_quantity(
      static_cast<double>(scene_.range->end_ns - scene_.range->begin_ns), profiler::Quantity::duration_ns));
  const int width = metrics_.horizontalAdvance(text) + 2 * kGrid;
  if (x1 - x0 < width) return;
  const QRectF label((x0 + x1 - width) / 2, g_.minimap_height + 2, width, g_.ruler_height - 4);
  painter_.fillRect(label, scene_.theme->accent);
  painter_.setPen(scene_.theme->accent_text);
  painter_.drawText(label, Qt::AlignCenter, text);
}

/// The whole capture in one strip, the visible window framed.
void TimelinePainter::paint_minimap() {
  const QRect band(0, 0, g_.width, g_.minimap_height);
  painter_.fillRect(band, scene_.theme->background);
  painter_.setPen(scene_.theme->text_secondary);
  painter_.drawText(QRect(kGrid, 0, g_.header_width - 2 * kGrid, band.height()), Qt::AlignVCenter,
                    QObject::tr("whole run"));
  const QRect plot(g_.header_width, 3, g_.plot_width(), band.height() - 6);
  const TimelineWindow whole = whole_window(*scene_.model);
  const double ns_per_px = static_cast<double>(whole.span_ns()) / plot.width();
  const auto strip_of = [&](int lane_index, const QRect& r) {
    const TimelineLane& lane = scene_.model->lanes[static_cast<size_t>(lane_index)];
    LaneFrame frame;
    lane.lane.reduce(whole.begin_ns, ns_per_px, plot.width(), frame);
    paint_columns(lane, r, frame);
    for (const auto& bar : frame.bars)
      painter_.fillRect(QRectF(plot.x() + bar.x0, r.y(), bar.x1 - bar.x0 - 1, r.height()),
                        scene_.palette.fill(lane, lane.lane.span(bar.span)));
  };
  // Below the steps what says most about the work: phases, else kernels, else whatever is first.
  int work_lane = -1, rank = 3;
  const bool all_known = phase_known(*scene_.model->capture, engine::Phase::forward);
  for (size_t i = 0; i < scene_.model->lanes.size(); ++i) {
    const LaneKind kind = scene_.model->lanes[i].kind;
    const int own = kind == LaneKind::phase && all_known ? 0 : kind == LaneKind::kernel ? 1 : 2;
    if (own < rank && kind != LaneKind::step) rank = own, work_lane = static_cast<int>(i);
  }
  const int half = plot.height() / 2;
  painter_.fillRect(plot, scene_.theme->surface);
  if (!scene_.model->lanes.empty() && scene_.model->lanes[0].kind == LaneKind::step)
    strip_of(0, QRect(plot.x(), plot.y(), plot.width(), half - 1));
  if (work_lane >= 0) strip_of(work_lane, QRect(plot.x(), plot.y() + half, plot.width(), plot.height() - half));
  for (size_t i = 0; i < scene_.model->lanes.size(); ++i) paint_matches(static_cast<int>(i), plot, whole);
  const double x0 = plot.x() + static_cast<double>(scene_.window.begin_ns - whole.begin_ns) / ns_per_px;
  const double x1 = plot.x() + static_cast<double>(scene_.window.end_ns - whole.begin_ns) / ns_per_px;
  QColor veil = scene_.theme->background;
  veil.setAlpha(170);
  painter_.fillRect(QRectF(plot.x(), plot.y(), x0 - plot.x(), plot.height()), veil);
  painter_.fillRect(QRectF(x1, plot.y(), plot.right() + 1 - x1, plot.height()), veil);
  painter_.setPen(QPen(scene_.theme->accent, 1));
  painter_.setBrush(Qt::NoBrush);
  painter_.drawRect(QRectF(x0, plot.y() - 1, std::max(2.0, x1 - x0 - 1), plot.height() + 1));
}

}  // namespace views
