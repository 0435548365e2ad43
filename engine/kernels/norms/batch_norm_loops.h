// SPDX-License-Identifier: Apache-2.0
// Batch normalisation over rows of channels: how often the rows are gone through, and how their sums are gathered.
// Computed by batch_norm-inl.h and batch_norm_simd-inl.h, described by batch_norm_access.cpp.
#pragma once

#include <algorithm>
#include <span>

#include "engine/kernels/core/visitor_loops.h"

namespace engine::loops {

/// A tensor seen as [rows, channels] with channels side by side. Its rows are summed in blocks, whose number does not
/// depend on the threads: so results do not, either.
struct ChannelRows {
  int64_t rows = 0, channels = 0;

  /// Large beside the cost of adding up a block's sums, small beside a tensor.
  static constexpr int64_t kBlockElements = 64 * 1024, kMostBlocks = 64;
  constexpr int64_t blocks() const {
    return std::clamp<int64_t>(rows * channels / kBlockElements, 1, std::min(rows, kMostBlocks));
  }
  constexpr Range block(int64_t number) const { return {rows * number / blocks(), rows * (number + 1) / blocks()}; }
};

/// [N, C, ...] whose channels lie side by side, and all else row-major around them. rows == 0: it lies otherwise, or
/// there is nothing in it.
inline ChannelRows channel_rows(std::span<const int64_t> shape, std::span<const int64_t> strides) {
  if (shape.size() < 2 || shape[1] == 0 || (shape[1] != 1 && strides[1] != 1)) return {};
  int64_t rows = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    if (axis == 1) continue;
    if (shape[axis] == 0 || (shape[axis] != 1 && strides[axis] != rows * shape[1])) return {};
    rows *= shape[axis];
  }
  return {.rows = rows, .channels = shape[1]};
}

/// Rows summed in their own type before the sums go to doubles: keeps the rounding error of f32 sums near 1e-6.
inline constexpr int64_t kRowsPerFlush = 256;
/// Rows that one pass over the channels takes together: the running sums are loaded and stored once for all of them.
inline constexpr int64_t kRowsPerPass = 8;

/// Two sums per channel over `rows`. visitor.clear(): those in the rows' type. visitor.add(rows): to them.
/// visitor.flush(): to doubles.
template <class Visitor>
[[gnu::always_inline]] inline void sum_channels(Range rows, Visitor& visitor) {
  for (int64_t from = rows.begin; from < rows.end && !visitor.stopped(); from += kRowsPerFlush) {
    const int64_t to = std::min(rows.end, from + kRowsPerFlush);
    visitor.clear();
    for (int64_t row = from; row < to; row += kRowsPerPass) visitor.add(Range{row, std::min(to, row + kRowsPerPass)});
    visitor.flush();
  }
}

/// visitor.clear_sums(block). visitor.sum(block, rows): adds to them, as sum_channels() does.
template <class Visitor>
void sum_block(const ChannelRows& of, int64_t block, Visitor& visitor) {
  visitor.clear_sums(block);
  visitor.sum(block, of.block(block));
}

/// visitor.sum_blocks(): sum_block() of each, in any order. visitor.join(block): its sums to those of the first.
template <class Visitor>
void sum_all_rows(const ChannelRows& of, Visitor& visitor) {
  visitor.sum_blocks();
  for (int64_t block = 1; block < of.blocks(); ++block) visitor.join(block);
}

/// (x, scale, bias) -> y, mean, inv_std. visitor.shift(): about what squares are taken. visitor.statistics(): from the
/// sums. visitor.normalize(): x to y.
template <class Visitor>
void batch_norm_training(const ChannelRows& of, Visitor& visitor) {
  visitor.shift();
  sum_all_rows(of, visitor);
  visitor.statistics();
  visitor.normalize();
}

/// (x, scale, bias, mean, variance) -> y. visitor.factors(): of the channels. visitor.normalize(): x to y.
template <class Visitor>
void batch_norm_inference(Visitor& visitor) {
  visitor.factors();
  visitor.normalize();
}

/// (dy, x, mean, inv_std, scale) -> dx, dscale, dbias. visitor.coefficients(): from the sums. visitor.gradient(): dx.
template <class Visitor>
void batch_norm_gradient(const ChannelRows& of, Visitor& visitor) {
  sum_all_rows(of, visitor);
  visitor.coefficients();
  visitor.gradient();
}

}  // namespace engine::loops
