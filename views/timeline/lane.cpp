// SPDX-License-Identifier: GPL-3.0-or-later
// Lane: the pyramid (fan-out 16) is walked depth first and left whole where a node is no wider than
// half a pixel.
#include "views/timeline/lane.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/check.h"

namespace views {

namespace {
constexpr double kWholePixels = 0.5;
constexpr uint32_t kCapped = std::numeric_limits<uint32_t>::max();

/// First of `count` for which `holds(i)` is false, where it is true first and then false.
template <class Holds>
size_t first_not(size_t count, Holds holds) {
  size_t low = 0;
  while (count > 0) {
    const size_t half = count / 2;
    if (holds(low + half)) {
      low += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return low;
}
}  // namespace

struct Lane::Window {
  int64_t begin_ns;
  double px_per_ns;
  int width;
  double x(int64_t t) const { return static_cast<double>(t - begin_ns) * px_per_ns; }
};

Lane::Lane(std::vector<Span> spans, std::vector<double> weights)
    : size_(spans.size()), store_(std::make_shared<Store>()) {
  CHECK(weights.empty() || weights.size() == spans.size());
  store_->spans = std::move(spans);
  build();
  if (weights.empty()) return;
  weights_ = std::make_shared<Weights>();
  weights_->of_span = std::move(weights);
  build_weights();
}

Lane::Lane(std::shared_ptr<const profiler::Capture> capture, std::vector<uint32_t> rows)
    : size_(rows.size()), store_(std::make_shared<Store>()) {
  store_->capture = std::move(capture);
  store_->rows = std::move(rows);
  store_->rows.shrink_to_fit();
  build();
}

Lane Lane::weighted_by_op(std::vector<double> weight_of_op) const {
  Lane lane = *this;
  if (empty()) return lane;
  lane.weights_ = std::make_shared<Weights>();
  lane.weights_->of_op = std::move(weight_of_op);
  lane.build_weights();
  return lane;
}

int64_t Lane::begin_ns(size_t i) const {
  const Store& s = *store_;
  return s.rows.empty() ? s.spans[i].begin_ns : s.capture->activities().start_ns[s.rows[i]];
}

int64_t Lane::end_ns(size_t i) const {
  const Store& s = *store_;
  if (s.rows.empty()) return s.spans[i].end_ns;
  const auto& a = s.capture->activities();
  return a.start_ns[s.rows[i]] + a.duration_ns[s.rows[i]];
}

profiler::OpId Lane::op(size_t i) const {
  const Store& s = *store_;
  return s.rows.empty() ? s.spans[i].op : s.capture->activities().op[s.rows[i]];
}

uint32_t Lane::label(size_t i) const {
  const Store& s = *store_;
  if (s.rows.empty()) return s.spans[i].label;
  const auto& a = s.capture->activities();
  const uint32_t row = s.rows[i];
  if (a.kind[row] == profiler::ActivityKind::op) {
    const profiler::OpId op = a.op[row];
    if (op < s.capture->ops().size()) return s.capture->ops()[op].name;
  }
  return a.name[row];
}

uint32_t Lane::row(size_t i) const { return store_->rows.empty() ? kNoRow : store_->rows[i]; }

Span Lane::span(size_t i) const {
  const Store& s = *store_;
  if (s.rows.empty()) return s.spans[i];
  return {begin_ns(i), end_ns(i), label(i), op(i), s.capture->activities().step[s.rows[i]]};
}

double Lane::weight(size_t i) const {
  if (!weights_->of_span.empty()) return weights_->of_span[i];
  const profiler::OpId id = op(i);
  return id < weights_->of_op.size() ? weights_->of_op[id] : 0.0;
}

size_t Lane::size_bytes(bool shared) const {
  size_t sum = 0;
  if (shared && store_ != nullptr) {
    sum += store_->spans.capacity() * sizeof(Span) + store_->rows.capacity() * sizeof(uint32_t);
    for (const auto& level : store_->levels) sum += level.capacity() * sizeof(Node);
  }
  if (weights_ != nullptr) {
    sum += (weights_->of_span.capacity() + weights_->of_op.capacity() + weights_->before.capacity()) * sizeof(double);
    for (const auto& level : weights_->most) sum += level.capacity() * sizeof(double);
  }
  return sum;
}

Lane::Node Lane::leaf(size_t i) const {
  const int64_t begin = begin_ns(i), end = end_ns(i);
  return {begin, end, static_cast<double>(end - begin), static_cast<uint32_t>(std::min<int64_t>(end - begin, kCapped)),
          static_cast<uint32_t>(i)};
}

/// Whether the longest span of `a` is longer than that of `b`.
bool Lane::longer(const Node& a, const Node& b) const {
  if (a.longest_ns != kCapped || b.longest_ns != kCapped) return a.longest_ns > b.longest_ns;
  return end_ns(a.longest) - begin_ns(a.longest) > end_ns(b.longest) - begin_ns(b.longest);
}

void Lane::build() {
  auto& levels = store_->levels;
  if (empty()) return;
  std::vector<Node> first((size_ + kFan - 1) >> kShift);
  int64_t last_end = std::numeric_limits<int64_t>::min();
  for (size_t i = 0; i < size_; ++i) {
    const Node own = leaf(i);
    CHECK(own.end_ns >= own.begin_ns && own.begin_ns >= last_end);
    last_end = own.end_ns;
    Node& into = first[i >> kShift];
    if ((i & (kFan - 1)) == 0) {
      into = own;
      continue;
    }
    into.end_ns = own.end_ns;
    into.busy_ns += own.busy_ns;
    if (longer(own, into)) into.longest_ns = own.longest_ns, into.longest = own.longest;
  }
  levels.push_back(std::move(first));
  while (levels.back().size() > 1) {
    const std::vector<Node>& below = levels.back();
    std::vector<Node> level((below.size() + kFan - 1) >> kShift);
    for (size_t i = 0; i < below.size(); ++i) {
      Node& into = level[i >> kShift];
      if ((i & (kFan - 1)) == 0) {
        into = below[i];
        continue;
      }
      into.end_ns = below[i].end_ns;
      into.busy_ns += below[i].busy_ns;
      if (longer(below[i], into)) into.longest_ns = below[i].longest_ns, into.longest = below[i].longest;
    }
    levels.push_back(std::move(level));
  }
}

void Lane::build_weights() {
  const auto& levels = store_->levels;
  if (levels.empty()) return;
  Weights& w = *weights_;
  w.before.assign(levels[0].size() + 1, 0.0);
  w.most.emplace_back(levels[0].size(), 0.0);
  for (size_t i = 0; i < size_; ++i) {
    const double own = weight(i);
    w.before[(i >> kShift) + 1] += own;
    w.most[0][i >> kShift] = std::max(w.most[0][i >> kShift], own);
  }
  for (size_t n = 1; n < w.before.size(); ++n) w.before[n] += w.before[n - 1];
  for (size_t level = 1; level < levels.size(); ++level) {
    w.most.emplace_back(levels[level].size(), 0.0);
    for (size_t i = 0; i < levels[level - 1].size(); ++i)
      w.most[level][i >> kShift] = std::max(w.most[level][i >> kShift], w.most[level - 1][i]);
  }
}

size_t Lane::first_ending_after(int64_t t) const {
  return first_not(size_, [&](size_t i) { return end_ns(i) <= t; });
}

size_t Lane::first_beginning_at(int64_t t) const {
  return first_not(size_, [&](size_t i) { return begin_ns(i) < t; });
}

LaneAggregate Lane::aggregate(size_t first, size_t last) const {
  LaneAggregate sum;
  if (first >= last) return sum;
  sum.count = static_cast<uint32_t>(last - first);
  double busy = 0;
  Node longest = leaf(first);
  const auto take = [&](const Node& n, double most) {
    busy += n.busy_ns;
    sum.weight_max = std::max(sum.weight_max, most);
    if (longer(n, longest) || (!longer(longest, n) && n.longest < longest.longest)) longest = n;
  };
  const auto take_span = [&](size_t i) { take(leaf(i), weighted() ? weight(i) : 0.0); };
  while (first < last && (first & (kFan - 1)) != 0) take_span(first++);
  while (first < last && (last & (kFan - 1)) != 0) take_span(--last);
  const auto take_node = [&](size_t level, size_t i) {
    take(store_->levels[level][i], weighted() ? weights_->most[level][i] : 0.0);
  };
  for (size_t level = 0; first < last; ++level) {
    first >>= kShift;
    last >>= kShift;
    while (first < last && (first & (kFan - 1)) != 0) take_node(level, first++);
    while (first < last && (last & (kFan - 1)) != 0) take_node(level, --last);
  }
  sum.busy_ns = static_cast<int64_t>(busy);
  sum.longest = longest.longest;
  sum.longest_ns = end_ns(longest.longest) - begin_ns(longest.longest);
  return sum;
}

/// C(t) where `node` of level 0 is the last that begins at or before `t`; linear in nodes no longer than `coarse_ns`.
double Lane::cumulative_from(size_t node, int64_t t, int64_t coarse_ns) const {
  const double before = weights_->before[node], after = weights_->before[node + 1];
  const Node& whole = store_->levels[0][node];
  if (whole.end_ns <= t) return after;
  if (const int64_t length = whole.end_ns - whole.begin_ns; length <= coarse_ns)
    return before + (after - before) * static_cast<double>(t - whole.begin_ns) / static_cast<double>(length);
  double sum = before;
  for (size_t i = node << kShift, last = std::min(size_, i + kFan); i < last; ++i) {
    const int64_t begin = begin_ns(i), end = end_ns(i);
    if (end <= t) {
      sum += weight(i);
      continue;
    }
    if (begin < t) sum += weight(i) * static_cast<double>(t - begin) / static_cast<double>(end - begin);
    break;
  }
  return sum;
}

double Lane::cumulative(int64_t t) const {
  if (!weighted() || empty()) return 0;
  const auto& nodes = store_->levels[0];
  const size_t after = first_not(nodes.size(), [&](size_t n) { return nodes[n].begin_ns <= t; });
  return after == 0 ? 0 : cumulative_from(after - 1, t);
}

void Lane::visit_span(size_t i, const Window& window, LaneFrame& frame) const {
  const int64_t begin = begin_ns(i), end = end_ns(i);
  const double x0 = window.x(begin), x1 = window.x(end);
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
    if (end - begin > frame.longest_ns[column]) {
      frame.longest_ns[column] = end - begin;
      frame.longest[column] = static_cast<uint32_t>(i);
    }
    ++frame.count[column];
  }
}

/// Spans under a node.
size_t Lane::node_size(size_t level, size_t node) const {
  const size_t unit = size_t{1} << (kShift * (level + 1));
  return std::min(unit, size_ - node * unit);
}

void Lane::visit(size_t level, size_t index, const Window& window, LaneFrame& frame) const {
  const Node& node = store_->levels[level][index];
  const double x0 = window.x(node.begin_ns), x1 = window.x(node.end_ns);
  if (x1 < 0 || x0 >= window.width) return;
  if (x1 - x0 <= kWholePixels) {
    // A node over the edge of two columns gives each its share.
    const int first = static_cast<int>(std::floor(x0)), second = static_cast<int>(std::floor(x1));
    const auto column = static_cast<size_t>(std::clamp(first, 0, window.width - 1));
    const double busy = node.busy_ns * window.px_per_ns;
    const double in_second = second > first && x1 > x0 ? (x1 - second) / (x1 - x0) : 0.0;
    if (first >= 0) frame.busy[column] += static_cast<float>(busy * (1 - in_second));
    if (in_second > 0 && second < window.width)
      frame.busy[static_cast<size_t>(second)] += static_cast<float>(busy * in_second);
    if (int64_t{node.longest_ns} > frame.longest_ns[column]) {
      frame.longest_ns[column] = node.longest_ns;
      frame.longest[column] = node.longest;
    }
    frame.count[column] += static_cast<uint32_t>(node_size(level, index));
    return;
  }
  const size_t first = index << kShift;
  const size_t count = level == 0 ? size_ : store_->levels[level - 1].size();
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
  frame.longest_ns.assign(columns, int64_t{-1});
  frame.count.assign(columns, 0u);
  if (columns == 0 || empty()) return;
  const Window window{begin_ns, 1.0 / ns_per_px, width};
  visit(store_->levels.size() - 1, 0, window, frame);
}

void Lane::column_weights(int64_t begin_ns, double ns_per_px, int width, std::vector<double>& out) const {
  out.assign(static_cast<size_t>(std::max(0, width)), 0.0);
  if (!weighted() || empty()) return;
  const auto& nodes = store_->levels[0];
  const auto coarse_ns = static_cast<int64_t>(kWholePixels * ns_per_px);
  // The last node that begins at or before the column's end is at most a few nodes on from that of
  // the column before: galloping touches fewer cache lines than searching anew.
  size_t node = first_not(nodes.size(), [&](size_t n) { return nodes[n].begin_ns <= begin_ns; });
  double before = node == 0 ? 0 : cumulative_from(node - 1, begin_ns, coarse_ns);
  for (int c = 0; c < width; ++c) {
    const int64_t t = begin_ns + static_cast<int64_t>(std::llround((c + 1) * ns_per_px));
    size_t reach = 1;
    while (node + reach <= nodes.size() && nodes[node + reach - 1].begin_ns <= t) reach *= 2;
    const size_t from = node + reach / 2, to = std::min(nodes.size(), node + reach - 1);
    node = from + first_not(to > from ? to - from : 0, [&](size_t n) { return nodes[from + n].begin_ns <= t; });
    const double after = node == 0 ? 0 : cumulative_from(node - 1, t, coarse_ns);
    out[static_cast<size_t>(c)] = after - before;
    before = after;
  }
}

void Lane::visit_maxima(size_t level, size_t index, const Window& window, std::vector<double>& out) const {
  const Node& node = store_->levels[level][index];
  const auto take = [&](double x0, double x1, double most) {
    if (x1 < 0 || x0 >= window.width) return;
    const int first = std::max(0, static_cast<int>(std::floor(x0)));
    // what ends at a column's left edge, rounding aside, does not touch it
    const int last = std::clamp(static_cast<int>(std::ceil(x1 - 1e-6)) - 1, first, window.width - 1);
    for (int c = first; c <= last; ++c) {
      double& column = out[static_cast<size_t>(c)];
      column = std::fmax(column, most);
    }
  };
  const double x0 = window.x(node.begin_ns), x1 = window.x(node.end_ns);
  if (x1 < 0 || x0 >= window.width) return;
  if (x1 - x0 <= kWholePixels) return take(x0, x1, weights_->most[level][index]);
  const size_t first = index << kShift, count = level == 0 ? size_ : store_->levels[level - 1].size();
  for (size_t child = first; child < std::min(count, first + kFan); ++child) {
    if (level == 0) {
      take(window.x(begin_ns(child)), window.x(end_ns(child)), weight(child));
    } else {
      visit_maxima(level - 1, child, window, out);
    }
  }
}

void Lane::column_maxima(int64_t begin_ns, double ns_per_px, int width, std::vector<double>& out) const {
  out.assign(static_cast<size_t>(std::max(0, width)), std::numeric_limits<double>::quiet_NaN());
  if (!weighted() || empty() || width <= 0) return;
  visit_maxima(store_->levels.size() - 1, 0, {begin_ns, 1.0 / ns_per_px, width}, out);
}

}  // namespace views
