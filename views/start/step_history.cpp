// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps what was told of steps, and lays it out.
#include "views/start/step_history.h"

#include <algorithm>
#include <cmath>

namespace views {
namespace {

StepNews joined(const StepNews& a, const StepNews& b) {
  StepNews both = b;
  both.steps = a.steps + b.steps;
  both.shortest_ns = std::fmin(a.shortest_ns, b.shortest_ns);  // fmin(NaN, x) = x
  both.longest_ns = std::fmax(a.longest_ns, b.longest_ns);
  if (std::isnan(both.loss)) both.loss = a.loss;
  return both;
}

/// 1, 2 or 5 times a power of ten, so that two to five of them reach `span`.
double nice_step(double span) {
  const double power = std::pow(10, std::floor(std::log10(span / 2)));
  for (const double factor : {5.0, 2.0})
    if (factor * power <= span / 2) return factor * power;
  return power;
}

struct ValueSpan {
  double low = 0, high = 1;
};

ValueSpan span_of(const StepHistory& history, StepFigure figure) {
  std::vector<double> values;
  for (const StepHistory::Entry& e : history.entries()) {
    const double value = figure == StepFigure::time ? e.news.longest_ns : e.news.loss;
    if (std::isfinite(value)) values.push_back(value);
  }
  if (values.empty()) return {};
  std::ranges::sort(values);
  if (figure == StepFigure::time) {
    constexpr double kRoom = 1.1, kMostOfMedian = 3;
    return {0, std::max(1.0, kRoom * std::min(values.back(), kMostOfMedian * values[values.size() / 2]))};
  }
  const double room = std::max(0.05 * (values.back() - values.front()), 1e-3 * std::abs(values.back()) + 1e-12);
  return {values.front() - room, values.back() + room};
}

}  // namespace

void StepHistory::clear() { *this = {}; }

bool StepHistory::has_loss() const {
  return std::ranges::any_of(entries_, [](const Entry& e) { return std::isfinite(e.news.loss); });
}

void StepHistory::add(const StepNews& news) {
  if (news.steps <= 0) return;
  if (parts_.empty() || parts_.back() != news.part) parts_.push_back(news.part);
  entries_.push_back({parts_.size() - 1, steps_, news});
  steps_ += news.steps;
  if (entries_.size() > kMost) halve();
}

void StepHistory::halve() {
  std::vector<Entry> fewer;
  for (size_t i = 0; i < entries_.size(); ++i) {
    const bool pair = i + 1 < entries_.size() && entries_[i].part == entries_[i + 1].part;
    fewer.push_back(entries_[i]);
    if (!pair) continue;
    fewer.back().news = joined(entries_[i].news, entries_[i + 1].news);
    ++i;
  }
  if (fewer.size() == entries_.size()) fewer.erase(fewer.begin());  // parts of one entry each: the oldest goes
  entries_ = std::move(fewer);
}

StepChart step_chart(const StepHistory& history, StepFigure figure, QSizeF size, double left) {
  constexpr double kTop = 18, kBottom = 8, kRight = 8;
  StepChart chart;
  chart.plot =
      QRectF(left, kTop, std::max(1.0, size.width() - left - kRight), std::max(1.0, size.height() - kTop - kBottom));
  const ValueSpan span = span_of(history, figure);
  const auto y = [&](double value) {
    return chart.plot.bottom() - chart.plot.height() * (value - span.low) / (span.high - span.low);
  };
  const double step = nice_step(span.high - span.low);
  for (double value = std::ceil(span.low / step) * step; value <= span.high; value += step)
    chart.ticks.push_back({y(value), value});
  if (history.entries().empty()) return chart;
  const double first = history.entries().front().begin, all = std::max(1.0, history.steps() - first);
  const auto x = [&](double steps) { return chart.plot.left() + chart.plot.width() * (steps - first) / all; };
  std::vector<QPolygonF> upper(history.parts().size()), lower(history.parts().size()), lines(history.parts().size());
  for (const StepHistory::Entry& e : history.entries()) {
    const double begin = x(e.begin), end = x(e.begin + e.news.steps), middle = (begin + end) / 2;
    if (chart.parts.empty() || chart.parts.back().title != history.parts()[e.part])
      chart.parts.push_back({begin, end, history.parts()[e.part]});
    chart.parts.back().end = end;
    const double value = figure == StepFigure::time ? e.news.last_ns : e.news.loss;
    if (std::isfinite(value)) lines[e.part] << QPointF(middle, y(std::min(value, span.high)));
    if (figure == StepFigure::loss || !std::isfinite(e.news.longest_ns)) continue;
    upper[e.part] << QPointF(middle, y(std::min(e.news.longest_ns, span.high)));
    lower[e.part] << QPointF(middle, y(std::min(e.news.shortest_ns, span.high)));
    if (e.news.longest_ns > span.high) chart.above.emplace_back(middle, chart.plot.top());
  }
  for (size_t part = 0; part < lines.size(); ++part) {
    if (!lines[part].isEmpty()) chart.lines.push_back(lines[part]);
    if (upper[part].isEmpty()) continue;
    QPolygonF band = upper[part];
    for (auto at = lower[part].rbegin(); at != lower[part].rend(); ++at) band << *at;
    chart.bands.push_back(std::move(band));
  }
  return chart;
}

}  // namespace views
