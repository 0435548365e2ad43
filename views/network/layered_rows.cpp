// SPDX-License-Identifier: GPL-3.0-or-later
// Sugiyama's steps: rank, order, place. Each is linear in links but for its sorts.
#include "views/network/layered_rows.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>

namespace views {
namespace {

constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
constexpr size_t kWidestRow = 16;  // items; more are cut in rows
constexpr size_t kFewestInCutRow = 12;
constexpr double kItemShape = 0.25;    // height of an item with its gap / width: cut rows fill about a square
constexpr size_t kPassesPerItem = 20;  // cells that links may pass, on average
constexpr int kOrderSweeps = 4, kPlaceSweeps = 4;
constexpr double kPassWeight = 4, kFreeWeight = 0.05;  // long links stay straight; cells without neighbours yield

bool inside(const RowLink& link, size_t items) { return link.from < items && link.to < items && link.from != link.to; }

/// Items in an order in which links lead on, as far as there is one; among equals the first.
std::vector<uint32_t> in_order_of_links(size_t items, const std::vector<RowLink>& links,
                                        const std::vector<std::vector<uint32_t>>& out) {
  std::vector<uint32_t> strong(items, 0), all(items, 0), order;
  for (const RowLink& link : links) {
    if (!inside(link, items)) continue;
    ++all[link.to];
    if (!link.weak) ++strong[link.to];
  }
  using Heap = std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>>;
  Heap free, nearly;  // nothing leads to it any more; weak links alone
  std::vector<bool> done(items, false);
  for (uint32_t i = 0; i < items; ++i) {
    if (all[i] == 0) free.push(i);
    else if (strong[i] == 0) nearly.push(i);
  }
  uint32_t next = 0;
  while (order.size() < items) {
    uint32_t item = kNone;
    if (!free.empty()) {
      item = free.top(), free.pop();
    } else if (!nearly.empty()) {
      item = nearly.top(), nearly.pop();
    } else {
      while (done[next]) ++next;
      item = next;
    }
    if (done[item]) continue;
    done[item] = true;
    order.push_back(item);
    for (const uint32_t l : out[item]) {
      const RowLink& link = links[l];
      if (done[link.to]) continue;
      const bool last = --all[link.to] == 0, last_strong = !link.weak && --strong[link.to] == 0;
      if (last) free.push(link.to);
      else if (last_strong) nearly.push(link.to);
    }
  }
  return order;
}

/// Cuts rows of very many items, in their order, and numbers the rows anew.
void cut_wide_rows(std::vector<uint32_t>& rank) {
  if (rank.empty()) return;
  std::vector<uint32_t> count(*std::ranges::max_element(rank) + 1, 0), seen(count.size(), 0), first(count.size(), 0),
      room(count.size(), 0);
  for (const uint32_t r : rank) ++count[r];
  uint32_t rows = 0;
  for (size_t r = 0; r < count.size(); ++r) {
    first[r] = rows;
    const auto side = static_cast<size_t>(std::ceil(std::sqrt(kItemShape * count[r])));
    room[r] = count[r] <= kWidestRow ? std::max(1u, count[r]) : static_cast<uint32_t>(std::max(kFewestInCutRow, side));
    rows += (count[r] + room[r] - 1) / room[r];
  }
  for (uint32_t& r : rank) {
    const uint32_t row = first[r] + seen[r]++ / room[r];
    r = row;
  }
}

}  // namespace

std::vector<uint32_t> rank_items(size_t items, const std::vector<RowLink>& links) {
  std::vector<std::vector<uint32_t>> out(items);
  std::vector<bool> entered(items, false);
  for (uint32_t l = 0; l < links.size(); ++l) {
    if (inside(links[l], items)) out[links[l].from].push_back(l);
    if (links[l].to < items) entered[links[l].to] = true;
  }
  const std::vector<uint32_t> order = in_order_of_links(items, links, out);
  std::vector<uint32_t> place(items), rank(items, 0);
  for (uint32_t i = 0; i < items; ++i) place[order[i]] = i;
  for (const uint32_t item : order) {
    for (const uint32_t l : out[item]) {
      const uint32_t to = links[l].to;
      if (place[to] > place[item]) rank[to] = std::max(rank[to], rank[item] + 1);
    }
  }
  for (auto at = order.rbegin(); at != order.rend(); ++at) {  // what only gives stands near who takes
    if (entered[*at]) continue;
    uint32_t nearest = kNone;
    for (const uint32_t l : out[*at])
      if (place[links[l].to] > place[*at]) nearest = std::min(nearest, rank[links[l].to]);
    if (nearest != kNone && nearest > 0) rank[*at] = nearest - 1;
  }
  cut_wide_rows(rank);
  return rank;
}

RowGraph::RowGraph(const std::vector<uint32_t>& rows, uint32_t row_count, const std::vector<double>& widths,
                   const std::vector<RowLink>& links, double gap, double pass_width)
    : rows_(row_count), chains_(links.size()), gap_(gap) {
  const size_t items = rows.size();
  std::vector<uint32_t> cell_of(items, kNone);
  const auto add = [&](uint32_t item, uint32_t row, double width) {
    const auto cell = static_cast<uint32_t>(cells_.size());
    cells_.push_back({item, row, width, 0});
    rows_[row].push_back(cell);
    return cell;
  };
  for (uint32_t i = 0; i < items; ++i)
    if (widths[i] >= 0) cell_of[i] = add(i, rows[i], widths[i]);
  // rows that a link passes: from (inclusive) to (exclusive); empty: it leads up, or to nobody here
  const auto passed = [&](const RowLink& link) {
    const bool from_here = link.from < items && cell_of[link.from] != kNone,
               to_here = link.to < items && cell_of[link.to] != kNone;
    if ((!from_here && link.from != kAbove) || (!to_here && link.to != kBelow)) return std::pair(1u, 0u);
    return std::pair(from_here ? rows[link.from] + 1 : 0u, to_here ? rows[link.to] : row_count);
  };
  size_t total = 0;
  for (const RowLink& link : links) {
    const auto [begin, end] = passed(link);
    if (end > begin) total += end - begin;
  }
  const size_t room = kPassesPerItem * items + 1000;
  const size_t longest = total <= room ? std::numeric_limits<size_t>::max() : room / std::max<size_t>(1, links.size());
  std::vector<std::pair<uint32_t, uint32_t>> joints;
  for (size_t l = 0; l < links.size(); ++l) {
    const auto [begin, end] = passed(links[l]);
    if (end < begin) continue;
    uint32_t last = links[l].from < items ? cell_of[links[l].from] : kNone;
    if (end - begin <= longest) {
      chains_[l] = {static_cast<uint32_t>(cells_.size()), end - begin};
      for (uint32_t row = begin; row < end; ++row) {
        const uint32_t cell = add(kNone, row, pass_width);
        if (last != kNone) joints.emplace_back(last, cell);
        last = cell;
      }
    } else if (end > begin) {
      continue;  // too long: it runs straight behind what lies between
    }
    if (last != kNone && links[l].to < items) joints.emplace_back(last, cell_of[links[l].to]);
  }
  up_.resize(cells_.size()), down_.resize(cells_.size());
  for (const auto& [upper, lower] : joints) {
    down_[upper].push_back(lower);
    up_[lower].push_back(upper);
  }
}

bool RowGraph::place(const std::atomic<bool>* stop) {
  const auto stopped = [&] { return stop != nullptr && stop->load(std::memory_order_relaxed); };
  for (int i = 0; i < kOrderSweeps && !stopped(); ++i) {
    order(true);
    order(false);
  }
  if (stopped()) return false;
  order(true);
  pack();
  for (int i = 0; i < kPlaceSweeps && !stopped(); ++i) {
    settle(true);
    settle(false);
  }
  settle(true);  // chains hang straight from their first
  left_ = right_ = 0;
  for (bool first = true; const RowCell& cell : cells_) {
    left_ = first ? cell.centre - cell.width / 2 : std::min(left_, cell.centre - cell.width / 2);
    right_ = first ? cell.centre + cell.width / 2 : std::max(right_, cell.centre + cell.width / 2);
    first = false;
  }
  return !stopped();
}

/// Sorts each row by where the neighbours in the row before it stand; who has none keeps its place.
void RowGraph::order(bool down) {
  std::vector<double> at(cells_.size(), 0);
  for (const auto& row : rows_)
    for (size_t i = 0; i < row.size(); ++i) at[row[i]] = static_cast<double>(i);
  const auto& beside = down ? up_ : down_;
  std::vector<double> key(cells_.size(), 0);
  for (size_t n = 0; n < rows_.size(); ++n) {
    auto& row = rows_[down ? n : rows_.size() - 1 - n];
    for (const uint32_t cell : row) {
      double sum = 0;
      for (const uint32_t other : beside[cell]) sum += at[other];
      key[cell] = beside[cell].empty() ? at[cell] : sum / static_cast<double>(beside[cell].size());
    }
    std::ranges::stable_sort(row, {}, [&](uint32_t cell) { return key[cell]; });
    for (size_t i = 0; i < row.size(); ++i) at[row[i]] = static_cast<double>(i);
  }
}

double RowGraph::separation(const RowCell& a, const RowCell& b) const {
  const double gap = a.item == kNone && b.item == kNone ? gap_ / 2 : gap_;
  return (a.width + b.width) / 2 + gap;
}

/// Each row side by side about the middle.
void RowGraph::pack() {
  for (const auto& row : rows_) {
    double at = 0;
    for (size_t i = 0; i < row.size(); ++i) {
      if (i > 0) at += separation(cells_[row[i - 1]], cells_[row[i]]);
      cells_[row[i]].centre = at;
    }
    for (const uint32_t cell : row) cells_[cell].centre -= at / 2;
  }
}

/// Moves each row as near to its neighbours as order and widths allow: the least sum of squares, by pooling neighbours
/// that would overlap (isotonic regression).
void RowGraph::settle(bool down) {
  struct Pool {
    double sum, weight;
    size_t begin;
    double at() const { return sum / weight; }
  };
  std::vector<double> offset;
  std::vector<Pool> pools;
  for (size_t n = 0; n < rows_.size(); ++n) {
    const auto& row = rows_[down ? n : rows_.size() - 1 - n];
    offset.assign(row.size(), 0);
    pools.clear();
    for (size_t i = 0; i < row.size(); ++i) {
      const RowCell& cell = cells_[row[i]];
      if (i > 0) offset[i] = offset[i - 1] + separation(cells_[row[i - 1]], cell);
      double sum = 0, count = 0;
      for (const uint32_t other : down ? up_[row[i]] : down_[row[i]]) sum += cells_[other].centre, ++count;
      const double wanted = count > 0 ? sum / count : cell.centre;
      const double weight = count == 0 ? kFreeWeight : cell.item == kNone ? kPassWeight : 1;
      pools.push_back({(wanted - offset[i]) * weight, weight, i});
      while (pools.size() > 1 && pools[pools.size() - 2].at() > pools.back().at()) {
        Pool& into = pools[pools.size() - 2];
        into.sum += pools.back().sum, into.weight += pools.back().weight;
        pools.pop_back();
      }
    }
    for (size_t p = 0; p < pools.size(); ++p) {
      const size_t end = p + 1 < pools.size() ? pools[p + 1].begin : row.size();
      for (size_t i = pools[p].begin; i < end; ++i) cells_[row[i]].centre = pools[p].at() + offset[i];
    }
  }
}

}  // namespace views
