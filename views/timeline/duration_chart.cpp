// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the histogram.
#include "views/timeline/duration_chart.h"

#include <QPainter>
#include <array>
#include <cmath>

#include "views/base/paint.h"

namespace views {

using profiler::DurationSpread;
using profiler::Quantity;

namespace {

constexpr double kTextWidth = 190;
constexpr double kOneBin = 12;  // px of the only bar

QString time(double ns) { return quantity(ns, Quantity::duration_ns); }

}  // namespace

double place_of(const DurationSpread& s, double ns) {
  if (s.bins.empty()) return 0;
  const double low = s.bins.front().from_ns, high = s.bins.back().to_ns;
  if (high <= low) return 0.5;
  return s.logarithmic ? std::log(ns / low) / std::log(high / low) : (ns - low) / (high - low);
}

DurationChart::DurationChart(QWidget* parent) : Canvas(parent) {
  setAccessibleName(tr("Durations of the selected name"));
  paint = [this](QPainter& p, const QRectF& r) { draw(p, r); };
  tip = [this](QPointF at) { return tip_at(at); };
}

void DurationChart::set_spread(const QString& what, const DurationSpread& spread, const QString& hint) {
  what_ = what;
  spread_ = spread;
  hint_ = hint;
  setAccessibleDescription(spread_.count > 0 ? what_ + QStringLiteral(": ") + percentiles().join(QStringLiteral(", "))
                                             : hint_);
  update();
}

void DurationChart::set_theme(const Theme& theme) {
  theme_ = &theme;
  update();
}

QStringList DurationChart::percentiles() const {
  const DurationSpread& s = spread_;
  const std::array<std::pair<const char*, double>, 9> rows{{{"least", double(s.least_ns)},
                                                            {"p5", double(s.p5_ns)},
                                                            {"p25", double(s.p25_ns)},
                                                            {"median", double(s.p50_ns)},
                                                            {"p75", double(s.p75_ns)},
                                                            {"p95", double(s.p95_ns)},
                                                            {"p99", double(s.p99_ns)},
                                                            {"most", double(s.most_ns)},
                                                            {"mean", s.mean_ns}}};
  QStringList out;
  for (const auto& [name, value] : rows) out << tr("%1 %2").arg(QLatin1String(name), time(value));
  return out;
}

DurationChart::Frame DurationChart::frame(const QRectF& r) const {
  const QRectF inner = r.adjusted(kGrid, kGrid / 2, -kGrid, -kGrid / 2);
  const double text = std::min(kTextWidth, inner.width() / 2), line = QFontMetricsF(data_font()).height();
  return {QRectF(inner.x(), inner.y(), inner.width(), line),
          QRectF(inner.x(), inner.y() + line, text, inner.height() - line),
          QRectF(inner.x() + text + kGrid, inner.y() + 2 * line, inner.width() - text - kGrid,
                 inner.height() - 3.5 * line)};
}

void DurationChart::draw(QPainter& p, const QRectF& r) const {
  p.setFont(data_font());
  p.fillRect(r, theme_->surface);
  if (spread_.count == 0) {
    draw_message(p, r, *theme_, what_.isEmpty() ? tr("No name is selected") : what_, hint_);
    return;
  }
  const auto [title, text, plot] = frame(r);
  const double line = QFontMetricsF(p.font()).height();
  draw_bold(p, title, Qt::AlignLeft | Qt::AlignVCenter, what_, theme_->text);
  draw_text(p, QRectF(text.x(), text.y(), text.width(), line), Qt::AlignLeft | Qt::AlignVCenter,
            spread_.count == 1
                ? tr("once, %1").arg(time(static_cast<double>(spread_.total_ns)))
                : tr("%L1 times, %2 in all").arg(spread_.count).arg(time(static_cast<double>(spread_.total_ns))),
            theme_->text_secondary);
  const QStringList rows = percentiles();
  const int first = 1, room = static_cast<int>(text.height() / line) - first, columns = room >= rows.size() ? 1 : 2;
  const int per_column = (static_cast<int>(rows.size()) + columns - 1) / columns;
  for (int i = 0; i < rows.size(); ++i) {
    const QRectF cell(text.x() + (i / per_column) * text.width() / columns, text.y() + (first + i % per_column) * line,
                      text.width() / columns, line);
    if (cell.bottom() <= text.bottom() + 1) draw_text(p, cell, Qt::AlignLeft | Qt::AlignVCenter, rows[i], theme_->text);
  }
  if (plot.height() < line || plot.width() < 40) return;
  int64_t most = 1;
  for (const auto& bin : spread_.bins) most = std::max(most, bin.count);
  for (size_t i = 0; i < spread_.bins.size(); ++i) {
    const double n = static_cast<double>(spread_.bins.size());
    const double x0 = plot.x() + plot.width() * static_cast<double>(i) / n,
                 x1 = plot.x() + plot.width() * static_cast<double>(i + 1) / n;
    double height = plot.height() * static_cast<double>(spread_.bins[i].count) / static_cast<double>(most);
    if (spread_.bins[i].count > 0) height = std::max(height, 1.0);  // one among thousands is still seen
    // Durations that are all alike have no breadth to be drawn with.
    const double wide = std::max(1.0, x1 - x0 - 1), drawn = spread_.bins.size() == 1 ? std::min(wide, kOneBin) : wide;
    p.fillRect(QRectF((x0 + x1 - drawn) / 2, plot.bottom() - height, drawn, height), theme_->measure);
  }
  p.setPen(theme_->border);
  p.drawLine(plot.bottomLeft(), plot.bottomRight());
  double taken = plot.x() - 1;
  for (const auto& [name, value] : {std::pair(tr("median"), spread_.p50_ns), std::pair(tr("p95"), spread_.p95_ns)}) {
    const double x = plot.x() + plot.width() * std::clamp(place_of(spread_, static_cast<double>(value)), 0.0, 1.0);
    p.setPen(QPen(theme_->text, 1, Qt::DashLine));
    p.drawLine(QPointF(x, plot.y()), QPointF(x, plot.bottom()));
    const double width = text_width(p.font(), name);
    const double left = std::min(x + 3, plot.right() - width);
    if (left < taken + kGrid) continue;
    draw_text(p, QRectF(left, plot.y() - line, width + 1, line), Qt::AlignLeft | Qt::AlignVCenter, name,
              theme_->text_secondary);
    taken = left + width;
  }
  const QRectF foot(plot.x(), plot.bottom() + 2, plot.width(), line);
  draw_text(p, foot, Qt::AlignLeft | Qt::AlignVCenter, time(spread_.bins.front().from_ns), theme_->text_secondary);
  draw_text(p, foot, Qt::AlignRight | Qt::AlignVCenter, time(spread_.bins.back().to_ns), theme_->text_secondary);
  draw_text(p, foot, Qt::AlignCenter, spread_.logarithmic ? tr("duration, logarithmic") : tr("duration"),
            theme_->text_secondary);
}

QString DurationChart::tip_at(QPointF at) const {
  const auto [title, text, plot] = frame(rect());
  if (spread_.count == 0) return {};
  if (text.contains(at) || title.contains(at))
    return Tip{what_,
               {},
               tr("Whole durations of those that begin inside the range. pN: the smallest duration that at least N % "
                  "do not exceed."),
               {},
               profiler::Origin::measured,
               {}}
        .html();
  if (!plot.contains(at)) return {};
  const auto i = static_cast<size_t>((at.x() - plot.x()) / plot.width() * static_cast<double>(spread_.bins.size()));
  if (i >= spread_.bins.size()) return {};
  const auto& bin = spread_.bins[i];
  return Tip{tr("%1 to %2").arg(time(bin.from_ns), time(bin.to_ns)),
             tr("%L1 of %L2 (%3)")
                 .arg(bin.count)
                 .arg(spread_.count)
                 .arg(quantity(double(bin.count) / double(spread_.count), Quantity::percent_of)),
             {},
             {},
             profiler::Origin::measured,
             {}}
      .html();
}

}  // namespace views
