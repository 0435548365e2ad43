// SPDX-License-Identifier: Apache-2.0
// Convolution weights between plain memory and the blocked layouts oneDNN asks for, at the speed of memory: oneDNN's
// own reorder moves weights of 3x3 kernels element by element.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <vector>

namespace engine::cpu {

/// Plain side: element (o, i, k) of a convolution's weights lies at o * o_stride + i * i_stride + k, k counting the
/// kernel's positions. The transposed convolution swaps the strides and sees the kernel's positions `flipped`.
struct PlainWeights {
  int64_t o_stride = 0, i_stride = 0;
  bool flipped = false;
};

class WeightLayout {
 public:
  /// `blocked`: [O, I, ...], f32. Nothing where neither 16 neighbours in o nor 16 in i stay together on the blocked
  /// side, or the plain side does not fit them: then oneDNN's reorder has to do it.
  static std::optional<WeightLayout> of(const dnnl::memory::desc& blocked, const PlainWeights& plain);

  /// Padding on the blocked side is filled with zeros.
  void pack(const float* plain, float* blocked, int threads) const;
  void unpack(const float* blocked, float* plain, int threads) const;

 private:
  /// Calls move(tiles, plain, blocked) with runs of tiles and where they begin on either side.
  template <class Move>
  void for_runs(int threads, const Move& move) const;

  // Rows of tiles are the axis whose neighbours stay together; columns what lies side by side in each of them on the
  // plain side; outer is what is left.
  std::vector<int64_t> row_at_, column_at_, outer_at_;  // blocked side, elements
  std::vector<int64_t> padding_at_;                     // where padding rows begin, 16 at a time
  int64_t row_stride_ = 0, outer_stride_ = 0;           // plain side
};

}  // namespace engine::cpu
