// SPDX-License-Identifier: Apache-2.0
// How own matrix products are cut into blocks, and why so.
#pragma once

#include <algorithm>
#include <cstdint>

namespace engine::loops {

/// A tile of c held in registers, rows by vectors: 24 of 32 registers with vectors of 64 bytes, 12 of 16 below. Four
/// vectors at a time ask for 10 loads per 24 multiply-adds; two (14 rows) for 16 per 28, and reached 0.92 of peak where
/// these reach 0.97 (Zen 5).
inline constexpr int kRowsInRegisters = 6;
constexpr int vectors_in_registers(bool wide_vectors) { return wide_vectors ? 4 : 2; }
/// Length of the sums between two visits of c: the panel of b (so many steps of the tile's vectors) stays in the first
/// cache level, 32 KiB with vectors of 64 bytes, 16 KiB of 32.
constexpr int64_t depth_of_panels(bool wide_vectors) { return wide_vectors ? 128 : 256; }
/// Panels of so many rows of a are packed at once (144 KiB of f32 in L2), and columns of b (L3).
constexpr int64_t row_panels(bool wide_vectors) { return wide_vectors ? 48 : 24; }
inline constexpr int64_t kBlockColumns = 3072;
/// Up to this many multiply-adds whole panels are read where they lie: packing would cost more than it gains.
inline constexpr int64_t kUnpackedUpTo = int64_t{192} * 192 * 192;
/// Rows of a that are all there is (one block of them) are read where they lie, if their steps lie side by side and all
/// of them within so many bytes, half of L2: every thread would pack them for itself. Measured on Zen 5 (196 x 256 by
/// 256 x 1,024): packed 487 us on one thread and 246 on two, where they lie 477 and 237.
inline constexpr int64_t kRowsInPlaceUpTo = int64_t{512} * 1024;

/// Such rows are cut into tiles of nearly the same height (49: five of 5 rows and four of 6): one of few rows takes as
/// long as one of four, for the latency of multiply-adds.
constexpr int64_t even_tiles(int64_t rows) { return (rows + kRowsInRegisters - 1) / kRowsInRegisters; }
inline constexpr int64_t kLowestEvenTile = 4;
constexpr bool reads_rows_in_place(int64_t rows, int64_t row_bytes, bool steps_are_neighbours) {
  return steps_are_neighbours && row_bytes > 0 && rows * row_bytes <= kRowsInPlaceUpTo &&
         rows / even_tiles(rows) >= kLowestEvenTile;
}

/// Columns of a transposed b are packed so many steps at a time: what they go into (16 KiB at most) stays in the first
/// cache level until all of its columns are there.
inline constexpr int64_t kPackedSteps = 64;

/// A vector times a matrix takes so many columns at a time, where their steps lie side by side, else so many rows, over
/// so many elements of c (which stay in L1).
inline constexpr int64_t kVectorAtOnce = 4, kNearElements = 4096;

/// Elements up to whole 64-byte lines.
constexpr int64_t in_lines(int64_t elements) { return (elements + 15) / 16 * 16; }

/// Of one vector unit, in elements.
struct GemmTiles {
  int64_t lanes = 0;       ///< of a vector
  int64_t columns = 0;     ///< of a tile
  int64_t depth = 0;       ///< depth_of_panels()
  int64_t block_rows = 0;  ///< that are packed at once

  /// Room for packed columns of b, which a's rows come behind.
  constexpr int64_t packed_columns(int64_t n, int64_t k) const {
    const int64_t whole = (std::min(n, kBlockColumns) + columns - 1) / columns * columns;
    return (whole * std::min(k, depth) + 15) / 16 * 16;
  }
  constexpr int64_t packed_rows(int64_t m, int64_t k) const {
    return even_tiles(std::min(m, block_rows)) * kRowsInRegisters * std::min(k, depth);
  }
};
constexpr GemmTiles gemm_tiles(bool wide_vectors, int64_t lanes) {
  return {.lanes = lanes,
          .columns = vectors_in_registers(wide_vectors) * lanes,
          .depth = depth_of_panels(wide_vectors),
          .block_rows = row_panels(wide_vectors) * kRowsInRegisters};
}

}  // namespace engine::loops
