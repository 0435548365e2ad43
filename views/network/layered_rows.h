// SPDX-License-Identifier: GPL-3.0-or-later
// Layered layout of one flat graph: ranks by longest paths, order by barycentres, places by least squares. Plain
// numbers; the network layout applies it layer by layer.
//
// Own code: Graphviz's dot (2.42) takes 0.2 s for 1,000 nodes and 10 s for 4,000 (2026-11-23, a virtual machine),
// cannot be stopped, keeps global state, and its clusters change their order when one of them grows.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <vector>

namespace views {

/// Ends of a link that lie outside: above the first row, below the last one.
inline constexpr uint32_t kAbove = std::numeric_limits<uint32_t>::max() - 1,
                          kBelow = std::numeric_limits<uint32_t>::max() - 2;

/// From an upper item to a lower one. `weak` links (of passes that run the other way) give way where links form a
/// circle.
struct RowLink {
  uint32_t from = 0, to = 0;  ///< items, kAbove, kBelow
  bool weak = false;
};

/// Row of each item, 0 on top: one more than the highest of the items that link to it, as far as links form no circle;
/// items that nothing links to stand right above what they link to. Items are in the order in which circles are cut.
/// Rows of very many items are cut in several.
std::vector<uint32_t> rank_items(size_t items, const std::vector<RowLink>&);

/// One item, or the place where a link passes a row.
struct RowCell {
  uint32_t item = std::numeric_limits<uint32_t>::max();  ///< max: a link passes
  uint32_t row = 0;
  double width = 0;
  double centre = 0;  ///< found
};

struct RowChain {
  uint32_t first = 0, count = 0;  ///< cells that the link passes, top to bottom
};

/// The items of one column with what passes between them.
class RowGraph {
 public:
  /// `rows` by item; `widths` by item, below 0: not in this column. Links of items that are not here are left out.
  RowGraph(const std::vector<uint32_t>& rows, uint32_t row_count, const std::vector<double>& widths,
           const std::vector<RowLink>& links, double gap, double pass_width);
  /// Order and places; false: stopped.
  bool place(const std::atomic<bool>* stop);
  const std::vector<RowCell>& cells() const { return cells_; }
  const std::vector<std::vector<uint32_t>>& rows() const { return rows_; }  ///< cells from left to right
  const RowChain& chain(size_t link) const { return chains_[link]; }
  double left() const { return left_; }
  double right() const { return right_; }

 private:
  void order(bool down);
  void settle(bool down);  ///< by the row above, else by the row below
  void pack();
  double separation(const RowCell& a, const RowCell& b) const;

  std::vector<RowCell> cells_;
  std::vector<std::vector<uint32_t>> rows_;
  std::vector<std::vector<uint32_t>> up_, down_;  // neighbours of cells in the rows beside
  std::vector<RowChain> chains_;
  double gap_ = 0, left_ = 0, right_ = 0;
};

}  // namespace views
