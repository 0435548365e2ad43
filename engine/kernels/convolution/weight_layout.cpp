// SPDX-License-Identifier: Apache-2.0
// Reads oneDNN's description of a blocked layout and walks it in tiles of 16 neighbours.
#include "engine/kernels/convolution/weight_layout.h"

#include <algorithm>

#include "engine/kernels/convolution/weight_layout_simd.h"
#include "engine/kernels/core/parallel.h"

namespace engine::cpu {
namespace {

/// Where position p of `axis` lies, other positions being 0, for p up to the padded extent: blocked layouts are sums
/// over axes.
std::vector<int64_t> positions(const dnnl_memory_desc_t& desc, int axis) {
  const dnnl_blocking_desc_t& blocking = desc.format_desc.blocking;
  std::vector<int64_t> at(static_cast<size_t>(desc.padded_dims[axis]), 0);
  for (size_t p = 0; p < at.size(); ++p) {
    int64_t rest = static_cast<int64_t>(p), stride = 1;
    for (int b = blocking.inner_nblks; b-- > 0;) {
      const int64_t block = blocking.inner_blks[b];
      if (blocking.inner_idxs[b] == axis) {
        at[p] += rest % block * stride;
        rest /= block;
      }
      stride *= block;
    }
    at[p] += rest * blocking.strides[axis];
  }
  return at;
}

/// All positions of the kernel's axes, the last fastest.
std::vector<int64_t> kernel_positions(const dnnl_memory_desc_t& desc) {
  std::vector<int64_t> all{0};
  for (int axis = 2; axis < desc.ndims; ++axis) {
    const std::vector<int64_t> own = positions(desc, axis);
    std::vector<int64_t> next;
    for (const int64_t before : all)
      for (const int64_t at : own) next.push_back(before + at);
    all = std::move(next);
  }
  return all;
}

/// Whether positions come in whole tiles of neighbours.
bool come_in_tiles(const std::vector<int64_t>& at, int64_t extent) {
  if (extent % kWeightTileRows != 0) return false;
  for (size_t p = 0; p < at.size(); ++p) {
    if (p % kWeightTileRows != 0 && at[p] != at[p - 1] + 1) return false;
  }
  return true;
}

/// Every sum of one position of each.
std::vector<int64_t> sums(const std::vector<int64_t>& slow, const std::vector<int64_t>& fast) {
  std::vector<int64_t> result;
  for (const int64_t a : slow)
    for (const int64_t b : fast) result.push_back(a + b);
  return result;
}

}  // namespace

std::optional<WeightLayout> WeightLayout::of(const dnnl::memory::desc& blocked, const PlainWeights& plain) {
  const dnnl_memory_desc_t& desc = blocked.data;
  if (desc.format_kind != dnnl_blocked || desc.data_type != dnnl_f32 || desc.offset0 != 0 || desc.ndims < 3)
    return std::nullopt;
  const int64_t o_extent = desc.dims[0], i_extent = desc.dims[1];
  std::vector<int64_t> o_at = positions(desc, 0), i_at = positions(desc, 1), k_at = kernel_positions(desc);
  for (int axis = 2; axis < desc.ndims; ++axis) {
    if (desc.padded_dims[axis] != desc.dims[axis]) return std::nullopt;
  }
  const auto kernel = static_cast<int64_t>(k_at.size());
  if (plain.flipped) std::ranges::reverse(k_at);
  const bool by_o = come_in_tiles(o_at, o_extent);
  if (!by_o && !come_in_tiles(i_at, i_extent)) return std::nullopt;
  std::vector<int64_t>&row_at = by_o ? o_at : i_at, &other_at = by_o ? i_at : o_at;
  const int64_t rows = by_o ? o_extent : i_extent, others = by_o ? i_extent : o_extent;
  if (static_cast<int64_t>(other_at.size()) != others) return std::nullopt;
  WeightLayout layout;
  layout.row_stride_ = by_o ? plain.o_stride : plain.i_stride;
  const int64_t other_stride = by_o ? plain.i_stride : plain.o_stride;
  if (other_stride == kernel) {  // (other, kernel) is one run of neighbours
    layout.column_at_ = sums(other_at, k_at);
    layout.outer_at_ = {0};
  } else {
    layout.column_at_ = k_at;
    layout.outer_at_ = other_at;
    layout.outer_stride_ = other_stride;
  }
  const std::vector<int64_t> every = sums(other_at, k_at);
  for (size_t row = static_cast<size_t>(rows); row < row_at.size(); row += kWeightTileRows) {
    for (const int64_t at : every) layout.padding_at_.push_back(row_at[row] + at);
  }
  for (int64_t row = 0; row < rows; row += kWeightTileRows) layout.row_at_.push_back(row_at[static_cast<size_t>(row)]);
  return layout;
}

template <class Move>
void WeightLayout::for_runs(int threads, const Move& move) const {
  const auto columns = static_cast<int64_t>(column_at_.size()), outer = static_cast<int64_t>(outer_at_.size()),
             bands = static_cast<int64_t>(row_at_.size());
  parallel_parts(threads, bands * outer, 1, bands * outer * columns * kWeightTileRows, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t band = begin / outer, u = begin % outer, count = std::min(outer - u, end - begin);
      const WeightTiles tiles{row_stride_, columns, count, outer_stride_, column_at_.data(), outer_at_.data() + u};
      move(tiles, band * kWeightTileRows * row_stride_ + u * outer_stride_, row_at_[static_cast<size_t>(band)]);
      begin += count;
    }
  });
}

void WeightLayout::pack(const float* plain, float* blocked, int threads) const {
  const WeightLoops loops = weight_loops();
  for (const int64_t at : padding_at_) std::fill_n(blocked + at, kWeightTileRows, 0.0f);
  for_runs(threads,
           [&](const WeightTiles& tiles, int64_t from, int64_t to) { loops.pack(tiles, plain + from, blocked + to); });
}

void WeightLayout::unpack(const float* blocked, float* plain, int threads) const {
  const WeightLoops loops = weight_loops();
  for_runs(threads, [&](const WeightTiles& tiles, int64_t to, int64_t from) {
    loops.unpack(tiles, blocked + from, plain + to);
  });
}

}  // namespace engine::cpu
