// SPDX-License-Identifier: Apache-2.0
// Moving f32 weights between rows and blocks by transposing four by four, for every vector width (Highway),
// single-threaded.
#pragma once

#include <cstdint>

namespace engine::cpu {

/// Runs of tiles. A tile is 16 rows on the plain side, `row` elements apart, of `columns` neighbours each; on the
/// blocked side the 16 elements of column c are neighbours at column_at[c]. Tile t begins at t * next (plain) and
/// tile_at[t] (blocked).
struct WeightTiles {
  int64_t row = 0, columns = 0, count = 0, next = 0;
  const int64_t *column_at = nullptr, *tile_at = nullptr;
};

struct WeightLoops {
  void (*pack)(const WeightTiles&, const float* plain, float* blocked) = nullptr;
  void (*unpack)(const WeightTiles&, const float* blocked, float* plain) = nullptr;
};

inline constexpr int64_t kWeightTileRows = 16;

WeightLoops weight_loops();

}  // namespace engine::cpu
