// SPDX-License-Identifier: Apache-2.0
// Group normalisation: row-major, where a channel is a line and a group some lines behind one another, group by group;
// channels last sample by sample, whose channels are summed as batch norm's (batch_norm_loops.h). Computed by
// group_norm-inl.h, described by group_norm_access.cpp.
#pragma once

#include "engine/kernels/core/visitor_loops.h"

namespace engine::loops {

/// [N, C, pixels], or [N, pixels, C] with channels last.
struct GroupLayout {
  int64_t batch = 0, channels = 0, pixels = 0, groups = 1;
  bool channels_last = false;

  constexpr int64_t per_group() const { return channels / groups; }
  constexpr int64_t plane() const { return channels * pixels; }  ///< elements of a sample
};

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

/// A sample with channels last. visitor.clear(): what is kept by channel. visitor.sum(): of x. visitor.means(): of its
/// groups. visitor.squares(): of x less them. visitor.factors(): from those. visitor.normalize(): x to y.
template <class Visitor>
void group_norm_sample(Visitor& visitor) {
  visitor.clear();
  visitor.sum();
  visitor.means();
  visitor.squares();
  visitor.factors();
  visitor.normalize();
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
