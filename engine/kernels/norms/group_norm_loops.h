// SPDX-License-Identifier: Apache-2.0
// Group normalisation: row-major, where a channel is a line and a group some lines behind one another, group by group;
// channels last sample by sample, whose channels are summed in blocks as batch norm's (batch_norm_loops.h). Computed by
// group_norm-inl.h, described by group_norm_access.cpp.
#pragma once

#include <span>

#include "engine/kernels/norms/batch_norm_loops.h"

namespace engine::loops {

/// [N, C, pixels], or [N, pixels, C] with channels last.
struct GroupLayout {
  int64_t batch = 0, channels = 0, pixels = 0, groups = 1;
  bool channels_last = false;

  constexpr int64_t per_group() const { return channels / groups; }
  constexpr int64_t plane() const { return channels * pixels; }                            ///< elements of a sample
  constexpr ChannelRows sample() const { return {.rows = pixels, .channels = channels}; }  ///< with channels last
};

/// Of [N, C, ...]; `row_major`: it lies so. batch == 0: neither, or there is nothing in it.
inline GroupLayout group_layout(std::span<const int64_t> shape, std::span<const int64_t> strides, bool row_major,
                                int64_t groups) {
  if (shape.size() < 2 || shape[0] == 0 || shape[1] == 0) return {};
  GroupLayout layout{.batch = shape[0], .channels = shape[1], .pixels = 1, .groups = groups};
  for (size_t axis = 2; axis < shape.size(); ++axis) layout.pixels *= shape[axis];
  layout.channels_last = !row_major;
  return layout.pixels == 0 || (!row_major && channel_rows(shape, strides).rows == 0) ? GroupLayout{} : layout;
}

/// A group of lines. visitor.sum(): of x, for the mean. visitor.squares(): of x less the mean.
/// visitor.normalize(channel): a line of x to one of y; channels are counted from the group's first. visitor.keep():
/// the statistics.
template <class Visitor>
void group_norm_rows(const GroupLayout& of, Visitor& visitor) {
  visitor.sum();
  visitor.squares();
  const int64_t channels = of.per_group();
  for (int64_t c = 0; c < channels; ++c) visitor.normalize(c);
  visitor.keep();
}

/// A sample with channels last. visitor.clear(): the means. visitor.by_blocks(part): part(block) for all blocks of its
/// pixels. visitor.sum(block): of x less the means. visitor.means(): of its groups. visitor.factors(): from those sums
/// about them. visitor.normalize(block): x to y.
template <class Visitor>
void group_norm_sample(Visitor& visitor) {
  const auto sum = [&visitor](int64_t block) { visitor.sum(block); };
  visitor.clear();
  visitor.by_blocks(sum);
  visitor.means();
  visitor.by_blocks(sum);
  visitor.factors();
  visitor.by_blocks([&visitor](int64_t block) { visitor.normalize(block); });
}

/// Backwards. visitor.sum(channel): of dy and dy (x - mean), along a line. visitor.join(): those of the group.
/// visitor.gradient(channel): a line of dx.
template <class Visitor>
void group_norm_gradient_rows(const GroupLayout& of, Visitor& visitor) {
  const int64_t channels = of.per_group();
  for (int64_t c = 0; c < channels; ++c) visitor.sum(c);
  visitor.join();
  for (int64_t c = 0; c < channels; ++c) visitor.gradient(c);
}

/// Backwards with channels last. visitor.clear(): what is kept by channel. visitor.sum(): of dy and dy (x - mean).
/// visitor.factors(group): from those. visitor.gradient(pixel): dx.
template <class Visitor>
void group_norm_gradient_sample(const GroupLayout& of, Visitor& visitor) {
  visitor.clear();
  visitor.sum();
  for (int64_t g = 0; g < of.groups; ++g) visitor.factors(g);
  for (int64_t pixel = 0; pixel < of.pixels && !visitor.stopped(); ++pixel) visitor.gradient(pixel);
}

}  // namespace engine::loops
