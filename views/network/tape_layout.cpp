// SPDX-License-Identifier: GPL-3.0-or-later
// Stairs over op order; one column of pixels is drawn once.
#include "views/network/tape_layout.h"

#include <algorithm>
#include <cmath>

namespace views {
namespace {

std::vector<QPointF> stairs(const QRectF& plot, const std::vector<double>& bytes, double most) {
  std::vector<QPointF> points;
  if (bytes.empty() || !(most > 0)) return points;
  const size_t columns = std::min(bytes.size(), static_cast<size_t>(std::max(1.0, plot.width())));
  const auto x = [&](size_t column) {
    return plot.left() + plot.width() * static_cast<double>(column) / static_cast<double>(columns);
  };
  for (size_t c = 0; c < columns; ++c) {
    const size_t first = c * bytes.size() / columns, end = std::max(first + 1, (c + 1) * bytes.size() / columns);
    const double value = *std::max_element(bytes.begin() + static_cast<std::ptrdiff_t>(first),
                                           bytes.begin() + static_cast<std::ptrdiff_t>(end));
    const double y = plot.bottom() - plot.height() * value / most;
    points.emplace_back(x(c), y);
    points.emplace_back(x(c + 1), y);
  }
  return points;
}

}  // namespace

double TapeLayout::x_of(profiler::OpId op) const {
  return plot.left() + plot.width() * (static_cast<double>(op) + 0.5) / static_cast<double>(std::max<size_t>(1, ops));
}

profiler::OpId TapeLayout::op_at(double x) const {
  if (ops == 0) return profiler::kNoOp;
  const double part = plot.width() > 0 ? (x - plot.left()) / plot.width() : 0;
  const double op = std::clamp(std::floor(part * static_cast<double>(ops)), 0.0, static_cast<double>(ops - 1));
  return static_cast<profiler::OpId>(op);
}

TapeLayout layout_tape(const QRectF& plot, const profiler::Tape& tape, const profiler::Tape* other) {
  TapeLayout layout;
  layout.plot = plot;
  layout.ops = tape.live_bytes.size();
  layout.most_bytes = std::max(tape.peak_bytes, other != nullptr ? other->peak_bytes : 0);
  layout.live = stairs(plot, tape.live_bytes, layout.most_bytes);
  layout.kept = stairs(plot, tape.kept_bytes, layout.most_bytes);
  if (other != nullptr) layout.other = stairs(plot, other->live_bytes, layout.most_bytes);
  return layout;
}

}  // namespace views
