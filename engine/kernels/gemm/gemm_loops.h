// SPDX-License-Identifier: Apache-2.0
// Own matrix products c = a b (or c += a b), after Goto and van de Geijn (ACM TOMS 34(3), 2008): what is packed when,
// and which tile of c comes after which. Computed by gemm_simd.cpp, described by matrix_access.cpp.
#pragma once

#include <algorithm>

#include "engine/kernels/core/visitor_loops.h"
#include "engine/kernels/gemm/gemm_blocking_loops.h"

namespace engine::loops {

/// c is m x n, sums have k steps.
struct GemmShape {
  int64_t m = 0, n = 0, k = 0;
  int64_t row_of_a_bytes = 0;                ///< from a row of a to the next
  bool rows_of_a_are_neighbours = false;     ///< those of one step lie side by side,
  bool steps_of_a_are_neighbours = false;    ///< or those of one row,
  bool columns_of_b_are_neighbours = false;  ///< those of one step,
  bool steps_of_b_are_neighbours = false;    ///< or those of one column
  bool accumulate = false;                   ///< onto what c holds
};

/// A column of c is computed as the row it is of the transposed product, unless it has a bias.
constexpr bool is_computed_transposed(int64_t m, int64_t n, bool has_bias) { return n == 1 && m > 1 && !has_bias; }

/// What a tile does beside its sums: fetch a vector of the next panel's rows ahead, or pack the panel of b that it
/// reads, for the tiles below it.
enum class Beside { nothing, fetch, pack };

/// rows x columns of c, sums over `steps`.
struct GemmTile {
  Range rows, columns, steps;
  bool rows_in_place = false;  ///< a is read where it lies, else as packed:
  int64_t packed_rows = 0;  ///< the first step of the first row, in elements of the packed a; kRowsInRegisters a step
  bool columns_in_place = false;  ///< of b, which are GemmTiles::columns then; else
  int64_t packed_columns = 0;     ///< the first step in the packed b, GemmTiles::columns elements a step
  Beside beside = Beside::nothing;
  int64_t vector_ahead = 0;  ///< the one that is fetched
  bool add = false;          ///< onto what c holds
};

/// The visitor's parts; `to`: elements from the beginning of the packed a or b.
/// pack_lines(steps, columns, to): a whole panel of b, whose rows lie together, row after row in vectors.
/// pack_columns(steps, columns, to): each column of a panel along its steps, up to whole vectors (columns that b lacks
/// are zeros). pack_rows_by_vectors(rows, steps, to): kRowsInRegisters rows of a, a vector of each at a time, as a
/// panel. pack_rows(rows, steps, to): step after step; rows that a lacks are zeros. tile(const GemmTile&).
template <class Visitor>
class GemmNest {
 public:
  GemmNest(const GemmShape& shape, const GemmTiles& tiles, Visitor& visitor)
      : p_(shape),
        t_(tiles),
        visitor_(visitor),
        small_(p_.m * p_.n <= kUnpackedUpTo / std::max<int64_t>(p_.k, 1)),
        lone_(!small_ && p_.m >= kRowsInRegisters && p_.m <= t_.block_rows && p_.columns_of_b_are_neighbours),
        rows_in_place_(small_ ||
                       (lone_ && reads_rows_in_place(p_.m, p_.row_of_a_bytes, p_.steps_of_a_are_neighbours))) {}

  void run() {
    for (int64_t j = 0; j < p_.n; j += kBlockColumns) {
      for (int64_t k = 0; k == 0 || k < p_.k; k += t_.depth) {
        columns_ = {j, std::min(p_.n, j + kBlockColumns)};
        steps_ = {k, std::min(p_.k, k + t_.depth)};
        for (int64_t at = j; at < columns_.end && !lone_ && !visitor_.stopped(); at += t_.columns) {
          if (const Range panel = panel_at(at); !is_in_place(panel)) pack_panel(panel, packed(panel));
        }
        for (int64_t i = 0; i < p_.m && !visitor_.stopped(); i += t_.block_rows)
          block({i, std::min(p_.m, i + t_.block_rows)});
        if (visitor_.stopped()) return;
      }
    }
  }

 private:
  Range panel_at(int64_t j) const { return {j, std::min(columns_.end, j + t_.columns)}; }
  bool is_whole(Range panel) const { return panel.size() == t_.columns; }
  bool is_in_place(Range panel) const { return small_ && p_.columns_of_b_are_neighbours && is_whole(panel); }
  /// Where a panel of b goes: one behind the other, or with one block of rows each where the last one was.
  int64_t packed(Range panel) const { return lone_ ? 0 : (panel.begin - columns_.begin) * steps_.size(); }

  void pack_panel(Range panel, int64_t to) {
    if (p_.columns_of_b_are_neighbours && is_whole(panel)) return visitor_.pack_lines(steps_, panel, to);
    for (int64_t k = steps_.begin; k < steps_.end; k += kPackedSteps)
      visitor_.pack_columns(Range{k, std::min(steps_.end, k + kPackedSteps)}, panel,
                            to + (k - steps_.begin) * t_.columns);
  }
  void pack_rows(Range rows, int64_t to) {
    const bool by_vectors =
        rows.size() == kRowsInRegisters && p_.steps_of_a_are_neighbours && !p_.rows_of_a_are_neighbours;
    const int64_t rest = by_vectors ? steps_.begin + steps_.size() / t_.lanes * t_.lanes : steps_.begin;
    if (rest > steps_.begin) visitor_.pack_rows_by_vectors(rows, Range{steps_.begin, rest}, to);
    if (rest < steps_.end)
      visitor_.pack_rows(rows, Range{rest, steps_.end}, to + (rest - steps_.begin) * kRowsInRegisters);
  }

  /// All panels of b for one block of rows.
  void block(Range rows) {
    for (int64_t i = rows.begin; i < rows.end && !rows_in_place_; i += kRowsInRegisters)
      pack_rows({i, std::min(rows.end, i + kRowsInRegisters)}, (i - rows.begin) * steps_.size());
    for (int64_t j = columns_.begin; j < columns_.end && !visitor_.stopped(); j += t_.columns) {
      const Range panel = panel_at(j);
      GemmTile tile{.rows = {},
                    .columns = panel,
                    .steps = steps_,
                    .rows_in_place = rows_in_place_,
                    .columns_in_place = is_in_place(panel),
                    .packed_columns = packed(panel),
                    .add = p_.accumulate || steps_.begin > 0};
      if (lone_ && is_whole(panel)) {
        lone_tiles(rows, tile);
      } else {
        if (lone_) pack_panel(panel, 0);
        for (int64_t i = rows.begin; i < rows.end; i += kRowsInRegisters)
          tiles_of(rows, {i, std::min(rows.end, i + kRowsInRegisters)}, tile);
      }
    }
  }

  /// kRowsInRegisters rows, or what is left of them in powers of two.
  void tiles_of(Range block, Range rows, GemmTile tile) {
    for (int64_t i = rows.begin; i < rows.end;) {
      const int64_t left = rows.end - i, high = left == kRowsInRegisters ? left : left >= 4 ? 4 : left >= 2 ? 2 : 1;
      tile.rows = {i, i + high};
      tile.packed_rows = (rows.begin - block.begin) * steps_.size() + i - rows.begin;
      visitor_.tile(tile);
      i += high;
    }
  }

  /// A panel of b that only one block of rows meets: the first tile packs it as it reads it, the next ones fetch what
  /// the panel beside it begins with.
  void lone_tiles(Range rows, GemmTile tile) {
    const bool last = tile.columns.end + t_.columns > columns_.end;
    const int64_t count = even_tiles(rows.size());
    for (int64_t index = 0; index < count; ++index) {
      tile.rows = rows_in_place_
                      ? Range{rows.begin + rows.size() * index / count, rows.begin + rows.size() * (index + 1) / count}
                      : Range{rows.begin + index * kRowsInRegisters,
                              std::min(rows.end, rows.begin + (index + 1) * kRowsInRegisters)};
      tile.columns_in_place = index == 0;
      tile.vector_ahead = index - 1;
      tile.beside = index == 0                                           ? Beside::pack
                    : tile.vector_ahead * t_.lanes < t_.columns && !last ? Beside::fetch
                                                                         : Beside::nothing;
      if (!rows_in_place_ && tile.rows.size() < kRowsInRegisters) {
        tile.beside = Beside::nothing;
        tiles_of(rows, tile.rows, tile);
        continue;
      }
      tile.packed_rows = (tile.rows.begin - rows.begin) * steps_.size();
      visitor_.tile(tile);
    }
  }

  const GemmShape p_;
  const GemmTiles t_;
  Visitor& visitor_;
  const bool small_;          ///< whole panels are read where they lie
  const bool lone_;           ///< one block of rows: panels of b are packed one at a time
  const bool rows_in_place_;  ///< a is read where it lies
  Range columns_, steps_;     ///< that are packed at once
};

template <class Visitor>
void gemm(const GemmShape& shape, const GemmTiles& tiles, Visitor& visitor) {
  GemmNest<Visitor>(shape, tiles, visitor).run();
}

/// c = x b for one row x, reading b once; b's steps or columns are neighbours. visitor.gather(): x in one piece.
/// visitor.dot(columns): c of up to kVectorAtOnce columns, along all steps. visitor.begin(columns): c = 0, or a bias.
/// visitor.add_rows(steps, columns): c += x b over kVectorAtOnce steps or one.
template <class Visitor>
void vector_times_matrix(const GemmShape& p, Visitor& visitor) {
  if (!p.steps_of_a_are_neighbours) visitor.gather();
  if (p.steps_of_b_are_neighbours) {
    for (int64_t j = 0; j < p.n && !visitor.stopped(); j += kVectorAtOnce)
      visitor.dot(Range{j, std::min(p.n, j + kVectorAtOnce)});
    return;
  }
  for (int64_t j = 0; j < p.n; j += kNearElements) {
    const Range near{j, std::min(p.n, j + kNearElements)};
    visitor.begin(near);
    for (int64_t k = 0; k < p.k && !visitor.stopped();) {
      const int64_t rows = k + kVectorAtOnce <= p.k ? kVectorAtOnce : 1;
      visitor.add_rows(Range{k, k + rows}, near);
      k += rows;
    }
  }
}

}  // namespace engine::loops
