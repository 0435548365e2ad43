// SPDX-License-Identifier: GPL-3.0-or-later
// Lanes on one scale of time, bars on one scale of bytes.
#include "views/compare/compare_layout.h"

#include <algorithm>
#include <cmath>

#include "views/base/paint.h"

namespace views {
namespace {

using profiler::CompareRow;
using profiler::Comparison;

constexpr double kMargin = 2 * kGrid, kCaption = 24, kLane = 34, kLaneBeside = 28, kLaneGap = 6, kNameWidth = 56,
                 kBytesRow = 22;
constexpr double kSmallestLabel = 28;  // px of a box that gets one

double known(double ns) { return ns > 0 ? ns : 0; }

QString title_of(const CompareRow& row) { return QString::fromStdString(row.name); }

void place_boxes(const Comparison& c, const QFont& font, CompareLayout& layout) {
  double sum = 0;
  for (const CompareRow& row : c.rows) sum += std::max(known(row.before_ns), known(row.after_ns));
  if (!(sum > 0)) return;
  layout.ns_per_px = sum / layout.before_lane.width();
  double x = layout.before_lane.left();
  for (size_t i = 0; i < c.rows.size(); ++i) {
    const CompareRow& row = c.rows[i];
    const double widest = std::max(known(row.before_ns), known(row.after_ns)) / layout.ns_per_px;
    const auto add = [&](double ns, bool after) {
      if (!(ns > 0)) return;
      const QRectF& lane = after ? layout.after_lane : layout.before_lane;
      CompareBox box{QRectF(x, lane.top(), ns / layout.ns_per_px, lane.height()), i, after, {}};
      if (box.rect.width() >= kSmallestLabel && text_width(font, title_of(row)) <= box.rect.width() - 8)
        box.label = title_of(row);
      layout.boxes.push_back(box);
    };
    add(row.before_ns, false);
    add(row.after_ns, true);
    x += widest;
  }
}

void place_bytes(const Comparison& c, const QRectF& area, CompareLayout& layout) {
  const bool narrow = area.width() < kCompareBesideWidth;
  const double name = narrow ? 84 : 118, value = 74, change = narrow ? 60 : 84;
  const double bars = std::max(40.0, (area.width() - name - 2 * value - change) / 2);
  double most = 0, y = area.top();
  const auto look = [&](const profiler::ByteChange& b) {
    for (const double bytes : {b.before, b.after}) most = std::max(most, known(bytes));
  };
  look(c.total.compulsory);
  for (const auto& link : c.total.links) look(link);
  const auto add = [&](const QString& title, const profiler::ByteChange& b, profiler::Origin origin) {
    CompareBytes row;
    row.title = title;
    row.origin = origin;
    const QRectF line(area.left(), y, area.width(), kBytesRow);
    const auto bar = [&](double left, double bytes) {
      return QRectF(left, line.top() + 5, known(bytes) / std::max(1.0, most) * bars, line.height() - 10);
    };
    row.name = QRectF(line.left(), line.top(), name - kGrid, line.height());
    row.before = bar(line.left() + name, b.before);
    row.before_value = QRectF(line.left() + name + bars, line.top(), value - kGrid, line.height());
    row.after = bar(row.before_value.right() + kGrid, b.after);
    row.after_value = QRectF(row.before_value.right() + kGrid + bars, line.top(), value - kGrid, line.height());
    row.change = QRectF(line.right() - change, line.top(), change, line.height());
    row.before_text = quantity(b.before, profiler::Quantity::bytes);
    row.after_text = quantity(b.after, profiler::Quantity::bytes);
    row.change_text = std::abs(b.after / b.before - 1) < 5e-4 || b.before == b.after
                          ? QObject::tr("same")
                          : QString::fromStdString(profiler::change_words(b.after / b.before));
    layout.bytes.push_back(row);
    y += kBytesRow;
  };
  add(QObject::tr("compulsory"), c.total.compulsory, profiler::Origin::exact);
  for (size_t l = 0; l < c.links.size(); ++l) {
    add(QString::fromStdString(c.links[l]).replace(QLatin1String("->"), QString(QChar(0x2192))), c.total.links[l],
        profiler::Origin::modelled);
  }
}

}  // namespace

double compare_height(const Comparison& c) {
  return 3 * kCaption + 2 * kLane + kLaneGap + kGrid + kBytesRow * static_cast<double>(1 + c.links.size()) + kGrid;
}

std::optional<size_t> CompareLayout::row_at(QPointF at) const {
  for (const CompareBox& box : boxes) {
    if (box.rect.adjusted(-1, 0, 1, 0).contains(at)) return box.row;
  }
  return {};
}

double compare_height_beside(const Comparison& c) {
  const double lanes = 3 * kCaption + 2 * kLaneBeside + kLaneGap,
               bytes = kCaption + kBytesRow * static_cast<double>(1 + c.links.size());
  return std::max(lanes, bytes) + kGrid;
}

CompareLayout layout_compare(const Comparison& c, const QRectF& area, const QFont& font) {
  CompareLayout layout;
  const bool beside = area.width() >= kCompareBesideWidth && area.height() < compare_height(c);
  const double lane = beside ? kLaneBeside : kLane, legend_lines = beside ? 2 : 1;
  const QRectF inner = area.adjusted(kMargin, 0, -kMargin, 0);
  const QRectF lanes = beside ? inner.adjusted(0, 0, -(0.55 * inner.width() + kMargin), 0) : inner;
  layout.caption = QRectF(lanes.left(), lanes.top(), lanes.width(), kCaption);
  const double left = lanes.left() + kNameWidth, width = std::max(1.0, lanes.width() - kNameWidth);
  layout.before_lane = QRectF(left, layout.caption.bottom(), width, lane);
  layout.after_lane = QRectF(left, layout.before_lane.bottom() + kLaneGap, width, lane);
  layout.before_name = QRectF(lanes.left(), layout.before_lane.top(), kNameWidth - kGrid, lane);
  layout.after_name = QRectF(lanes.left(), layout.after_lane.top(), kNameWidth - kGrid, lane);
  layout.legend = QRectF(beside ? lanes.left() : left, layout.after_lane.bottom(), beside ? lanes.width() : width,
                         legend_lines * kCaption);
  const QRectF bytes = beside ? inner.adjusted(lanes.width() + kMargin, 0, 0, 0)
                              : inner.adjusted(0, layout.legend.bottom() + kGrid - inner.top(), 0, 0);
  layout.bytes_caption = QRectF(bytes.left(), bytes.top(), bytes.width(), kCaption);
  place_boxes(c, font, layout);
  place_bytes(c,
              QRectF(bytes.left(), layout.bytes_caption.bottom(), bytes.width(),
                     std::max(0.0, inner.bottom() - layout.bytes_caption.bottom())),
              layout);
  return layout;
}

}  // namespace views
