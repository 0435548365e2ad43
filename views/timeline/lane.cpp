// SPDX-License-Identifier: GPL-3.0-or-later
// Lane: the pyramid (fan-out 8) is walked depth first and left whole where a node is narrower than
// an eighth of a pixel.
#include "views/timeline/lane.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/check.h"

namespace views {

namespace {
constexpr double kWholePixels = 0.125;
}

struct Lane::Window {
  int64_t begin_ns;
  double px_per_ns;
  int width;
  double x(int64_t t) const { return static_cast<double>(t - begin_ns) * px_per_ns; }
};

Lane::Lane(std::vector<Span> spans, std::vector<double> weights)
    : spans_(std::move(spans)), weights_(std::move(weights)) {
  CHECK(weights_.empty() || weights_.size() == spans_.size());
  for (size_t i = 0; i < spans_.size(); ++i) {
    CHECK(spans_[i].end_ns >= spans_[i].begin_ns);
    CHECK(i == 0 || spans_[i].begin_ns >= spans_[i - 1].end_ns);
  }
  build();
}

Lane::Node Lane::leaf(size_t i) const {
  const Span& s = spans_[i];
  const int64_t length = s.end_ns - s.begin_ns;
  return {s.begin_ns,
          s.end_ns,
          length,
          static_cast<uint32_t>(i),
          weighted() ? weights_[i] : 0.0,
          static_cast<double>(length)};
}

void Lane::build() {
  const auto merge = [](Node& into, const Node& from) {
    into.end_ns = from.end_ns;
    into.busy_ns += from.busy_ns;
    into.weight_max = std::max(into.weight_max, from.weight_max);
    if (from.longest_ns > into.longest_ns) {
      into.longest_ns = from.longest_ns;
      into.longest = from.longest;
    }
  };
  for (size_t count = spans_.size(); count > 1 || levels_.empty();) {
    const size_t nodes = (count + kFan - 1) >> kShift;
    if (nodes == 0) return;
    std::vector<Node> level(nodes);
    for (size_t n = 0; n < nodes; ++n) {
      const size_t first = n << kShift, last = std::min(count, first + kFan);
      level[n] = levels_.empty() ? leaf(first) : levels_.back()[first];
      for (size_t i = first + 1; i < last; ++i)
        merge(level[n], levels_.empty() ? leaf(i) : levels_.back()[i]);
    }
    levels_.push_back(std::move(level));
    count = nodes;
  }
  if (!weighted()) return;
  weight_before_.assign(levels_[0].size() + 1, 0.0);
  for (size_t i = 0; i < spans_.size(); ++i) weight_before_[(i >> kShift) + 1] += weights_[i];
  for (size_t n = 1; n < weight_before_.size(); ++n) weight_before_[n] += weight_before_[n - 1];
}

size_t Lane::first_ending_after(int64_t t) const {
  return static_cast<size_t>(std::partition_point(spans_.begin(), spans_.end(),
                                                  [t](const Span& s) { return s.end_ns <= t; }) -
                             spans_.begin());
}

size_t Lane::first_beginning_at(int64_t t) const {
  return static_cast<size_t>(std::partition_point(spans_.begin(), spans_.end(),
                                                  [t](const Span& s) { return s.begin_ns < t; }) -
                             spans_.begin());
}

LaneAggregate Lane::aggregate(size_t first, size_t last) const {
  LaneAggregate sum;
  sum.count = static_cast<uint32_t>(last > first ? last - first : 0);
  double busy = 0;
  const auto take = [&](const Node& n) {
    busy += n.busy_ns;
    sum.weight_max = std::max(sum.weight_max, n.weight_max);
    if (n.longest_ns > sum.longest_ns ||
        (n.longest_ns == sum.longest_ns && n.longest < sum.longest)) {
      sum.longest_ns = n.longest_ns;
      sum.longest = n.longest;
    }
  };
  while (first < last && (first & (kFan - 1)) != 0) take(leaf(first++));
  while (first < last && (last & (kFan - 1)) != 0) take(leaf(--last));
  for (size_t level = 0; first < last; ++level) {
    first >>= kShift;
    last >>= kShift;
    while (first < last && (first & (kFan - 1)) != 0) take(levels_[level][first++]);
    while (first < last && (last & (kFan - 1)) != 0) take(levels_[level][--last]);
  }
  sum.busy_ns = static_cast<int64_t>(busy);
  return sum;
}

double Lane::cumulative(int64_t t) const {
  if (!weighted()) return 0;
  const auto& nodes = levels_[0];
  const auto after = std::partition_point(nodes.begin(), nodes.end(),
                                          [t](const Node& n) { return n.begin_ns <= t; });
  if (after == nodes.begin()) return 0;
  const auto node = static_cast<size_t>(after - nodes.begin()) - 1;
  double sum = weight_before_[node];
  for (size_t i = node << kShift, last = std::min(spans_.size(), i + kFan); i < last; ++i) {
    const Span& s = spans_[i];
    if (s.end_ns <= t) {
      sum += weights_[i];
    } else {
      if (s.begin_ns < t)
        sum += weights_[i] * static_cast<double>(t - s.begin_ns) /
               static_cast<double>(s.end_ns - s.begin_ns);
      break;
    }
  }
  return sum;
}

void Lane::visit_span(size_t i, const Window& window, LaneFrame& frame) const {
  const Span& s = spans_[i];
  const double x0 = window.x(s.begin_ns), x1 = window.x(s.end_ns);
  if (x1 < 0 || x0 >= window.width) return;
  if (x1 - x0 >= kBarPixels) {
    frame.bars.push_back({static_cast<uint32_t>(i), x0, x1});
    return;
  }
  const int first = std::max(0, static_cast<int>(std::floor(x0)));
  const int last = std::min(window.width - 1, static_cast<int>(std::floor(x1)));
  for (int c = first; c <= last; ++c) {
    const auto column = static_cast<size_t>(c);
    const double share = std::min(x1, c + 1.0) - std::max(x0, static_cast<double>(c));
    frame.busy[column] += static_cast<float>(std::max(0.0, share));
    const Span* best = frame.count[column] > 0 ? &spans_[frame.longest[column]] : nullptr;
    if (best == nullptr || s.end_ns - s.begin_ns > best->end_ns - best->begin_ns)
      frame.longest[column] = static_cast<uint32_t>(i);
    ++frame.count[column];
  }
}

void Lane::visit(size_t level, size_t index, const Window& window, LaneFrame& frame) const {
  const Node& node = levels_[level][index];
  const double x0 = window.x(node.begin_ns), x1 = window.x(node.end_ns);
  if (x1 < 0 || x0 >= window.width) return;
  const size_t unit = size_t{1} << (kShift * (level + 1));
  if (x1 - x0 <= kWholePixels) {
    const auto column =
        static_cast<size_t>(std::clamp(static_cast<int>(std::floor(x0)), 0, window.width - 1));
    frame.busy[column] += static_cast<float>(node.busy_ns * window.px_per_ns);
    const Span* best = frame.count[column] > 0 ? &spans_[frame.longest[column]] : nullptr;
    if (best == nullptr || node.longest_ns > best->end_ns - best->begin_ns)
      frame.longest[column] = node.longest;
    frame.count[column] += static_cast<uint32_t>(std::min(unit, spans_.size() - index * unit));
    return;
  }
  const size_t first = index << kShift;
  const size_t count = level == 0 ? spans_.size() : levels_[level - 1].size();
  for (size_t child = first; child < std::min(count, first + kFan); ++child) {
    if (level == 0) {
      visit_span(child, window, frame);
    } else {
      visit(level - 1, child, window, frame);
    }
  }
}

void Lane::reduce(int64_t begin_ns, double ns_per_px, int width, LaneFrame& frame) const {
  const auto columns = static_cast<size_t>(std::max(0, width));
  frame.bars.clear();
  frame.busy.assign(columns, 0.0f);
  frame.longest.assign(columns, 0u);
  frame.count.assign(columns, 0u);
  if (columns == 0 || levels_.empty()) return;
  const Window window{begin_ns, 1.0 / ns_per_px, width};
  for (size_t top = 0; top < levels_.back().size(); ++top)
    visit(levels_.size() - 1, top, window, frame);
}

void Lane::column_weights(int64_t begin_ns, double ns_per_px, int width,
                          std::vector<double>& out) const {
  out.assign(static_cast<size_t>(std::max(0, width)), 0.0);
  if (!weighted()) return;
  double before = cumulative(begin_ns);
  for (int c = 0; c < width; ++c) {
    const double after =
        cumulative(begin_ns + static_cast<int64_t>(std::llround((c + 1) * ns_per_px)));
    out[static_cast<size_t>(c)] = after - before;
    before = after;
  }
}

void Lane::column_maxima(int64_t begin_ns, double ns_per_px, int width,
                         std::vector<double>& out) const {
  out.assign(static_cast<size_t>(std::max(0, width)), std::numeric_limits<double>::quiet_NaN());
  if (!weighted()) return;
  for (int c = 0; c < width; ++c) {
    const int64_t t0 = begin_ns + static_cast<int64_t>(std::llround(c * ns_per_px));
    const int64_t t1 = begin_ns + static_cast<int64_t>(std::llround((c + 1) * ns_per_px));
    const size_t first = first_ending_after(t0), last = first_beginning_at(std::max(t1, t0 + 1));
    if (first < last) out[static_cast<size_t>(c)] = aggregate(first, last).weight_max;
  }
}

}  // namespace views
