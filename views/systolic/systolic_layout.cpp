// SPDX-License-Identifier: GPL-3.0-or-later
// Elements as large as fit beside the values that wait, over a chart of all cycles.
#include "views/systolic/systolic_layout.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "views/base/theme.h"

namespace views {
namespace {

constexpr double kLargest = 72, kSmallest = 3;  // px
constexpr double kChart = 56;
constexpr int kWaiting = 3;  ///< values in line at each edge

/// Values wait in a line, nearest first, on the side of the array that they enter or leave.
class Lines {
 public:
  Lines(const profiler::SystolicSteps& array, SystolicLayout& out, int depth)
      : array_(array), out_(out), depth_(depth) {}

  void add() {
    const int64_t n = array_.rows(), t = array_.computing_cycles();
    for (int slot = 0; slot < depth_; ++slot) {
      for (int64_t column = 0; column < array_.columns(); ++column) {
        if (const int64_t row = n - 1 - array_.cycle() - slot; row >= 0)
          token(SystolicToken::Kind::weight, column, -1 - slot, array_.weight_value(row, column), row, column);
        // What left after cycle t - 1 - slot.
        const int64_t i = t - 1 - slot - (n - 1) - column;
        if (!array_.loading() && i >= 0 && i < array_.m())
          token(SystolicToken::Kind::result, column, static_cast<double>(n) + slot,
                array_.output()[static_cast<size_t>(i * array_.columns() + column)], i, column);
      }
      for (int64_t row = 0; row < n; ++row) {
        const int64_t i = t + slot - row;
        if (i >= 0 && i < array_.m())
          token(SystolicToken::Kind::input, -1 - slot, row, array_.input_value(i, row), i, row);
      }
    }
  }

 private:
  template <class Column, class Row>
  void token(SystolicToken::Kind kind, Column column, Row row, int64_t value, int64_t i, int64_t j) {
    const double s = out_.size, gap = 0.35 * s;  // apart from the array
    const auto place = [&](double at, double count) { return at * s + (at < 0 ? -gap : at >= count ? gap : 0); };
    const QPointF corner =
        out_.array.topLeft() + QPointF(place(static_cast<double>(column), static_cast<double>(array_.columns())),
                                       place(static_cast<double>(row), static_cast<double>(array_.rows())));
    out_.tokens.push_back({kind, QRectF(corner, QSizeF(s, s)), value, i, j});
  }

  const profiler::SystolicSteps& array_;
  SystolicLayout& out_;
  int depth_;
};

/// The widest sum that an element can hold: a bound.
double widest(const profiler::SystolicSteps& array, const QFontMetricsF& metrics) {
  int64_t largest = 0;
  for (int64_t row = 0; row < array.rows(); ++row) {
    for (int64_t i = 0; i < std::min<int64_t>(array.m(), 33); ++i)  // input values repeat after 33 rows
      largest = std::max(largest, std::abs(array.input_value(i, row)));
  }
  int64_t weight = 0;
  for (int64_t row = 0; row < array.rows(); ++row) {
    for (int64_t column = 0; column < array.columns(); ++column)
      weight = std::max(weight, std::abs(array.weight_value(row, column)));
  }
  return metrics.horizontalAdvance(QString::number(-largest * weight * array.rows()));
}

void add_chart(const profiler::SystolicSteps& array, const std::vector<int64_t>& working, SystolicLayout& out) {
  const QRectF& r = out.chart;
  const auto cycles = static_cast<double>(std::max<size_t>(1, working.size()));
  const auto all = static_cast<double>(array.rows() * array.columns());
  const auto x = [&](double cycle) { return r.left() + r.width() * cycle / cycles; };
  out.work << r.bottomLeft();
  for (size_t i = 0; i < working.size(); ++i) {
    const double y = r.bottom() - r.height() * static_cast<double>(working[i]) / all;
    out.work << QPointF(x(static_cast<double>(i)), y) << QPointF(x(static_cast<double>(i + 1)), y);
  }
  out.work << r.bottomRight();
  out.now_x = x(static_cast<double>(array.cycle()));
  out.loaded_x = x(static_cast<double>(array.rows()));
}

}  // namespace

const SystolicCell* SystolicLayout::cell_at(QPointF point) const {
  const auto found = std::ranges::find_if(cells, [&](const SystolicCell& cell) { return cell.rect.contains(point); });
  return found == cells.end() ? nullptr : &*found;
}

std::vector<int64_t> working_per_cycle(profiler::SystolicSteps array) {
  std::vector<int64_t> working;
  while (array.step()) working.push_back(array.working());
  return working;
}

SystolicReads reads_of(const std::vector<int>& counts) {
  return {.reads = std::accumulate(counts.begin(), counts.end(), int64_t{0}),
          .elements = static_cast<int64_t>(counts.size()),
          .most = counts.empty() ? 0 : std::ranges::max(counts)};
}

SystolicLayout layout_systolic(const profiler::SystolicSteps& array, const std::vector<int64_t>& working,
                               const QRectF& rect, const QFont& font) {
  const QFontMetricsF metrics(font);
  const double line = metrics.height();
  SystolicLayout out;
  out.chart = QRectF(rect.left(), rect.bottom() - kChart, rect.width(), kChart);
  const QRectF room = rect.adjusted(0, 0, 0, -kChart - kGrid - line);  // a line of words above the chart
  const auto rows = static_cast<double>(array.rows()), columns = static_cast<double>(array.columns());
  // Above and below as well as left: values in line, a gap, and a title each.
  const double title = line + 2;
  const auto fit = [&](double depth) {
    return std::min((room.height() - 2 * title) / (rows + 2 * depth + 0.7), room.width() / (columns + 2 * depth + 0.7));
  };
  const int depth = fit(kWaiting) >= 8 ? kWaiting : 1;
  out.size = std::floor(std::clamp(fit(depth), kSmallest, kLargest));
  const QSizeF whole(columns * out.size, rows * out.size);
  const double above = title + (depth + 0.35) * out.size;
  out.array = QRectF(QPointF(room.center().x() - whole.width() / 2, room.top() + above), whole);
  const double number = widest(array, metrics) + 4;
  out.lines = out.size >= 3 * line + 2 && out.size >= number + metrics.horizontalAdvance(QStringLiteral("Σ ")) ? 3
              : out.size >= line && out.size >= metrics.horizontalAdvance(QStringLiteral("-88")) + 2           ? 1
                                                                                                               : 0;
  for (int64_t row = 0; row < array.rows(); ++row) {
    for (int64_t column = 0; column < array.columns(); ++column) {
      out.cells.push_back({QRectF(out.array.topLeft() + QPointF(static_cast<double>(column) * out.size,
                                                                static_cast<double>(row) * out.size),
                                  QSizeF(out.size, out.size)),
                           row, column, row < array.cycle(), !array.loading() && array.worked(row, column)});
    }
  }
  Lines(array, out, depth).add();
  const double left = out.array.left() - (depth + 0.35) * out.size;
  // Titles stand behind what waits, or at the array itself.
  const auto apart = [&](SystolicToken::Kind kind) {
    const bool waits = std::ranges::find(out.tokens, kind, &SystolicToken::kind) != out.tokens.end();
    return waits ? (depth + 0.35) * out.size + 2 : 4;
  };
  const double width_of_titles = room.right() - out.array.left();
  out.weights_title =
      QRectF(out.array.left(), out.array.top() - apart(SystolicToken::Kind::weight) - line, width_of_titles, line);
  out.results_title =
      QRectF(out.array.left(), out.array.bottom() + apart(SystolicToken::Kind::result), width_of_titles, line);
  if (const double width = left - kGrid - room.left(); width > metrics.horizontalAdvance(QStringLiteral("Inputs")))
    out.inputs_title = QRectF(room.left(), out.array.center().y() - line / 2, width, line);
  add_chart(array, working, out);
  return out;
}

}  // namespace views
