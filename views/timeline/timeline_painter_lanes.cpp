// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the lanes: narrow spans as strips, wide ones as bars with names, pips for what is selected.
#include <QImage>
#include <algorithm>
#include <cmath>

#include "views/timeline/timeline_painter.h"
#include "views/timeline/timeline_text.h"

namespace views {

namespace {

constexpr int kPipHeight = 5;

}  // namespace

void TimelinePainter::paint_lane(const TimelineRow& row) {
  const TimelineLane& lane = scene_.model->lanes[static_cast<size_t>(row.index)];
  const QRect r = row_rect(row);
  const double ratio = painter_.device() != nullptr ? painter_.device()->devicePixelRatioF() : 1.0;
  const int columns = static_cast<int>(g_.plot_width() * ratio);
  LaneFrame frame;
  lane.lane.reduce(scene_.window.begin_ns, g_.ns_per_px(scene_.window) / ratio, columns, frame);
  for (auto& bar : frame.bars) {
    bar.x0 /= ratio;
    bar.x1 /= ratio;
  }
  painter_.fillRect(QRect(0, r.y(), g_.header_width, r.height()), scene_.theme->surface_alternate);
  paint_columns(lane, r, frame);
  painter_.save();
  painter_.setClipRect(r, Qt::IntersectClip);
  for (const auto& bar : frame.bars) paint_bar(lane, row.index, r, bar);
  if (lane.kind == LaneKind::op && scene_.marks.any) paint_marks(r);
  paint_matches(row.index, r, scene_.window);
  painter_.restore();
  paint_header(row, {}, {});
}

void TimelinePainter::paint_columns(const TimelineLane& lane, const QRect& r, const LaneFrame& frame) {
  const QRgb ground = scene_.theme->surface.rgb();
  // Most lanes have one colour; looking up the op of each column's longest span costs a walk through memory.
  const bool by_op = scene_.palette.needs_op(lane), by_label = scene_.palette.needs_label(lane);
  const bool marked = scene_.marks.any && lane.kind == LaneKind::op;
  const QRgb of_lane = scene_.palette.fill(lane, Span{}).rgb();
  std::vector<QRgb> strip(frame.busy.size(), ground);
  bool any = false;
  for (size_t c = 0; c < strip.size(); ++c) {
    if (frame.count[c] == 0) continue;
    any = true;
    ++statistics_.columns;
    Span span;  // its op and label are all that colours need
    if (by_op || marked) span.op = lane.lane.op(frame.longest[c]);
    if (by_label) span.label = lane.lane.label(frame.longest[c]);
    const double busy = std::clamp(static_cast<double>(frame.busy[c]), 0.2, 1.0);
    const bool off = marked && (span.op >= scene_.marks.of.size() || scene_.marks.of[span.op] == 0);
    const QRgb fill = by_op || by_label ? scene_.palette.fill(lane, span).rgb() : of_lane;
    strip[c] = mixed(ground, fill, off || searching() ? busy * 0.4 : busy);
  }
  if (!any) return;
  const int width = static_cast<int>(strip.size());
  const QImage image(reinterpret_cast<const uchar*>(strip.data()), width, 1, width * 4, QImage::Format_RGB32);
  painter_.drawImage(r, image);
}

void TimelinePainter::paint_bar(const TimelineLane& lane, int lane_index, const QRect& row, const LaneFrame::Bar& bar) {
  const Span span = lane.lane.span(bar.span);
  const double x0 = std::max(bar.x0 + g_.header_width, g_.header_width - 2.0);
  const double x1 = std::min(bar.x1 + g_.header_width, g_.width + 2.0);
  const QRectF r(x0, row.y(), x1 - x0, row.height());
  QColor fill = scene_.palette.fill(lane, span);
  const uint8_t mark = span.op < scene_.marks.of.size() ? scene_.marks.of[span.op] : 0;
  const bool op_lane = lane.kind == LaneKind::op;
  if (op_lane && scene_.marks.any && mark == 0) fill = dimmed(fill, 0.4);
  const bool found = searching() && scene_.matches->wanted[span.label];
  if (searching() && !found) fill = dimmed(fill, 0.35);
  const TimelineHit self{lane_index, bar.span};
  if (scene_.hover == self) fill = scene_.theme->kind == ThemeKind::dark ? fill.lighter(120) : fill.darker(112);
  painter_.fillRect(r, fill);
  if (lane.kind == LaneKind::step && scene_.analyzed->capture != nullptr) {
    const auto& steps = scene_.analyzed->capture->steps();
    const auto at =
        std::partition_point(steps.begin(), steps.end(), [&](const auto& s) { return s.index < span.step; });
    if (at != steps.end() && at->index == span.step && (at->warmup || !at->traced))
      painter_.fillRect(r, QBrush(dimmed(scene_.theme->text_secondary, 0.5), Qt::BDiagPattern));
  }
  ++statistics_.bars;
  if (r.width() > 4) painter_.fillRect(QRectF(x1 - 1, row.y(), 1, row.height()), scene_.theme->surface);
  if (found && r.width() >= 3) {
    painter_.setPen(QPen(scene_.theme->warning, 2));
    painter_.setBrush(Qt::NoBrush);
    painter_.drawRect(r.adjusted(1, 1, -1.5, -1));
  }
  const bool current = scene_.current == self;
  if (current || (op_lane && (mark & OpMarks::selected) != 0 && r.width() >= 4)) {
    painter_.setPen(QPen(scene_.theme->text, current ? 2 : 1));
    painter_.setBrush(Qt::NoBrush);
    painter_.drawRect(r.adjusted(1, 1, -1.5, -1));
  }
  const double room = r.width() - 2 * kTextInset;
  if (room < 4.0 * metrics_.averageCharWidth()) return;
  painter_.setPen(readable_on(fill));
  const QStaticText* text = texts_.fitted(span.label, scene_.model->labels[span.label], scene_.font, metrics_, room);
  if (text == nullptr) return;
  painter_.drawStaticText(QPointF(std::max(r.x(), static_cast<double>(g_.header_width)) + kTextInset,
                                  r.y() + std::floor((r.height() - metrics_.height()) / 2)),
                          *text);
  ++statistics_.labels;
}

/// A tick at the head of the lane for each match, so that none is lost between pixels.
void TimelinePainter::paint_matches(int lane_index, const QRect& r, const TimelineWindow& window) {
  if (!searching() || scene_.matches->spans[static_cast<size_t>(lane_index)].empty()) return;
  const Lane& lane = scene_.model->lanes[static_cast<size_t>(lane_index)].lane;
  const double ns_per_px = static_cast<double>(window.span_ns()) / std::max(1, r.width());
  for (const int column : match_columns(lane, scene_.matches->spans[static_cast<size_t>(lane_index)], window.begin_ns,
                                        ns_per_px, r.width())) {
    painter_.fillRect(QRect(r.x() + column, r.y(), 2, 4), scene_.theme->warning);
    ++statistics_.matches;
  }
}

/// A pip at the foot of the lane for each run of a marked op, so that none is lost between pixels:
/// filled = writes or selected, hollow = reads only.
void TimelinePainter::paint_marks(const QRect& row) {
  const auto& capture = *scene_.analyzed->capture;
  const auto& a = capture.activities();
  std::vector<uint8_t> at(static_cast<size_t>(g_.plot_width()), 0);
  for (size_t op = 0; op < scene_.marks.of.size(); ++op) {
    if (scene_.marks.of[op] == 0) continue;
    for (const uint32_t i : capture.activities_of(static_cast<profiler::OpId>(op))) {
      const double x = g_.x(a.start_ns[i] + a.duration_ns[i] / 2, scene_.window) - g_.header_width;
      if (x >= 0 && x < g_.plot_width()) at[static_cast<size_t>(x)] |= scene_.marks.of[op];
    }
  }
  painter_.save();
  painter_.setRenderHint(QPainter::Antialiasing);
  for (size_t x = 0; x < at.size(); ++x) {
    if (at[x] == 0) continue;
    const double cx = g_.header_width + static_cast<double>(x) + 0.5, foot = row.bottom() + 1.0;
    const QPointF tip[] = {{cx, foot - kPipHeight - 1}, {cx - 4, foot}, {cx + 4, foot}};
    painter_.setPen(QPen(scene_.theme->text, 1));
    painter_.setBrush(at[x] == OpMarks::reads ? scene_.theme->surface : scene_.theme->text);
    painter_.drawPolygon(tip, 3);
  }
  painter_.restore();
}

}  // namespace views
