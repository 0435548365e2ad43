// SPDX-License-Identifier: Apache-2.0
// Group norm: what the parts of group_norm_loops.h access.
#include "engine/kernels/norms/group_norm_loops.h"

#include <algorithm>
#include <optional>

#include "engine/kernels/core/describe_access.h"
#include "engine/kernels/norms/channel_sums_access.h"

namespace engine::access {
namespace {

using loops::GroupLayout;

constexpr int64_t kDouble = sizeof(double);

/// Nothing where own kernels do not take the op: its first `tensors` inputs lie as its first result does, row-major or
/// channels last, and all others row-major. In the workspace lie so many doubles, then vectors by channel that the op
/// keeps while it is at a sample.
std::optional<GroupLayout> layout_of(const OpCall& call, size_t tensors) {
  const TensorType& y = call.outputs[0].type;
  if (call.outputs.size() != 3 || !has_own_loops(call) || y.rank() < 2 || y.elements() == 0) return std::nullopt;
  const int64_t groups = call.node.attributes.get_int("groups", 1);
  if (groups < 1 || y.shape[1] % groups != 0) return std::nullopt;
  const GroupLayout layout = loops::group_layout(y.shape, y.strides, is_contiguous(y.shape, y.strides), groups);
  if (layout.batch == 0) return std::nullopt;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const TensorType& type = call.inputs[i].type;
    const bool of_channels = type.elements() == layout.channels,
               of_groups = type.elements() == layout.batch * layout.groups;
    if (i < tensors ? type.shape != y.shape || type.strides != y.strides
                    : !is_contiguous(type.shape, type.strides) || !(of_channels || of_groups))
      return std::nullopt;
  }
  for (size_t i = 1; i < call.outputs.size(); ++i) {
    if (!is_contiguous(call.outputs[i].type.shape, call.outputs[i].type.strides)) return std::nullopt;
  }
  return layout;
}

/// What all parts share.
class GroupNorm {
 public:
  GroupNorm(const OpCall& call, const GroupLayout& layout, AccessSink& sink)
      : call_(call),
        l_(layout),
        sink_(sink),
        by_channel_(layout.channels, call.vector_bytes, sink),
        by_pixel_(layout.pixels, call.vector_bytes, sink),
        by_group_(layout.per_group() * layout.pixels, call.vector_bytes, sink) {}

  bool stopped() const { return sink_.stopped(); }

 protected:
  int64_t bytes() const { return size_bytes(call_.outputs[0].type.dtype); }
  Line in(size_t input, int64_t first = 0) const { return neighbours(call_.inputs[input], first); }
  Line out(size_t output, int64_t first = 0) const { return neighbours(call_.outputs[output], first); }
  /// Doubles of the workspace, and behind `before` of them vectors by channel.
  Line doubles(int64_t first) const { return in_workspace(call_, first * kDouble, kDouble); }
  Line kept(int64_t before, int64_t number) const {
    return in_workspace(call_, before * kDouble + number * l_.channels * bytes(), bytes());
  }
  Line kept(int64_t before, int64_t number, int64_t channel) const { return from(kept(before, number), channel); }

  const OpCall& call_;
  GroupLayout l_;
  AccessSink& sink_;
  Passes by_channel_, by_pixel_, by_group_;
};

/// (x, scale, [bias]) -> y, mean, inv_std; the parts of one group.
class Lines final : public GroupNorm {
 public:
  using GroupNorm::GroupNorm;
  int64_t group = 0;

  void sum() { by_group_.vectors({{x(0)}}); }
  void squares() { by_group_.vectors({{x(0)}}); }
  void normalize(int64_t c) {
    const int64_t channel = group % l_.groups * l_.per_group() + c;
    for (size_t i = 1; i < call_.inputs.size(); ++i) by_pixel_.one(in(i, channel));
    by_pixel_.vectors({{x(c)}, {out(0, line(c)), kStore}});
  }
  void keep() {
    by_pixel_.one(out(1, group), kStore);
    by_pixel_.one(out(2, group), kStore);
  }

 private:
  int64_t line(int64_t c) const { return (group * l_.per_group() + c) * l_.pixels; }
  Line x(int64_t c) const { return in(0, line(c)); }
};

/// With channels last; the parts of one sample. Doubles: two sums by block and channel. Vectors: mean, factor, offset,
/// then a block's sums in their type.
class Sample final : public GroupNorm {
 public:
  using GroupNorm::GroupNorm;
  int64_t n = 0;
  static int64_t bytes_of_channel(const GroupLayout& l, int64_t bytes) {
    return 2 * l.sample().blocks() * kDouble + 5 * bytes;
  }

  void clear() { by_channel_.one_by_one(l_.channels, {{own(0), kStore}}); }
  template <class Part>
  void by_blocks(const Part& part) {
    for (int64_t block = 0; block < rows_.blocks() && !stopped(); ++block) part(block);
  }
  void sum(int64_t block) {
    const Line x = in(0, n * l_.plane()), sums = doubles(block * 2 * l_.channels);
    by_channel_.one_by_one(2 * l_.channels, {{sums, kStore}});
    ChannelSums parts{by_channel_, own(0), own(3), sums, x, x};
    loops::sum_channels(rows_.block(block), parts);
  }
  void means() {
    for (int64_t g = 0; g < l_.groups; ++g) {
      total(first(g));
      by_channel_.one_by_one(l_.per_group(), {{own(0, first(g)), kStore}});
    }
  }
  void factors() {
    for (int64_t g = 0; g < l_.groups; ++g) {
      total(first(g));
      total(l_.channels + first(g));
      by_channel_.one(own(0, first(g)));
      by_channel_.one(out(1, n * l_.groups + g), kStore);
      by_channel_.one(out(2, n * l_.groups + g), kStore);
      const Line mean = own(0, first(g)), scale = in(1, first(g)), factor = own(1, first(g)), offset = own(2, first(g));
      if (call_.inputs.size() > 2)
        by_channel_.one_by_one(l_.per_group(),
                               {{mean, kStore}, {scale}, {factor, kStore}, {in(2, first(g))}, {offset, kStore}});
      else by_channel_.one_by_one(l_.per_group(), {{mean, kStore}, {scale}, {factor, kStore}, {offset, kStore}});
    }
  }
  void normalize(int64_t block) {
    const loops::Range pixels = rows_.block(block);
    for (int64_t pixel = pixels.begin; pixel < pixels.end && !stopped(); ++pixel) {
      const int64_t at = n * l_.plane() + pixel * l_.channels;
      by_channel_.vectors({{in(0, at)}, {own(0)}, {own(1)}, {own(2)}, {out(0, at), kStore}});
    }
  }

 private:
  Line own(int64_t number, int64_t channel = 0) const {
    return kept(2 * rows_.blocks() * l_.channels, number, channel);
  }
  int64_t first(int64_t g) const { return g * l_.per_group(); }
  /// The sums of a group, from this one on in each block.
  void total(int64_t at) {
    for (int64_t block = 0; block < rows_.blocks(); ++block)
      by_channel_.one_by_one(l_.per_group(), {{doubles(block * 2 * l_.channels + at)}});
  }

  loops::ChannelRows rows_ = l_.sample();
};

/// (dy, x, mean, inv_std, scale) -> dx, dscale, dbias. Doubles: two sums by sample and channel.
class Gradient : public GroupNorm {
 public:
  using GroupNorm::GroupNorm;
  /// dscale and dbias of all samples.
  void finish() {
    for (int64_t c = 0; c < l_.channels && !stopped(); ++c) {
      for (int64_t sample = 0; sample < l_.batch; ++sample) {
        by_channel_.one(sums(sample, c));
        by_channel_.one(sums(sample, l_.channels + c));
        by_channel_.one(in(3, sample * l_.groups + c / l_.per_group()));
      }
      by_channel_.one(out(1, c), kStore);
      by_channel_.one(out(2, c), kStore);
    }
  }

 protected:
  Line sums(int64_t sample, int64_t at) const { return doubles(sample * 2 * l_.channels + at); }
  void join(int64_t sample, int64_t g) {
    const int64_t first = g * l_.per_group();
    by_channel_.one_by_one(l_.per_group(),
                           {{in(4, first)}, {sums(sample, first)}, {sums(sample, l_.channels + first)}});
    by_channel_.one(in(3, sample * l_.groups + g));
  }
};

/// The parts of one group.
class GradientRows final : public Gradient {
 public:
  using Gradient::Gradient;
  int64_t group = 0;

  void sum(int64_t c) {
    if (c == 0) by_pixel_.one(in(2, group));
    by_pixel_.vectors({{in(0, line(c))}, {in(1, line(c))}});
    by_pixel_.one(sums(sample(), channel(c)), kStore);
    by_pixel_.one(sums(sample(), l_.channels + channel(c)), kStore);
  }
  void join() { Gradient::join(sample(), group % l_.groups); }
  void gradient(int64_t c) {
    by_pixel_.one(in(4, channel(c)));
    by_pixel_.vectors({{in(0, line(c))}, {in(1, line(c))}, {out(0, line(c)), kStore}});
  }

 private:
  int64_t sample() const { return group / l_.groups; }
  int64_t channel(int64_t c) const { return group % l_.groups * l_.per_group() + c; }
  int64_t line(int64_t c) const { return (group * l_.per_group() + c) * l_.pixels; }
};

/// The parts of one sample. Vectors: mean, factor, shift, slope, then sums in their type.
class GradientSample final : public Gradient {
 public:
  using Gradient::Gradient;
  int64_t n = 0;
  static int64_t bytes_of_channel(const GroupLayout& l, int64_t bytes) { return 2 * l.batch * kDouble + 6 * bytes; }

  void clear() {
    by_channel_.one_by_one(6 * l_.channels, {{own(0), kStore}});
    for (int64_t g = 0; g < l_.groups; ++g) {
      const Line mean{in(2, n * l_.groups + g).address, 0, in(2).tensor, bytes()};
      by_channel_.one_by_one(l_.per_group(), {{mean}, {own(0, g * l_.per_group()), kStore}});
    }
    by_channel_.one_by_one(2 * l_.channels, {{sums(n, 0), kStore}});
  }
  void sum() {
    const int64_t at = n * l_.plane();
    ChannelSums parts{by_channel_, own(0), own(4), sums(n, 0), in(0, at), in(1, at), true};
    loops::sum_channels({0, l_.pixels}, parts);
  }
  void factors(int64_t g) {
    join(n, g);
    const int64_t first = g * l_.per_group();
    by_channel_.one_by_one(l_.per_group(),
                           {{in(4, first)}, {own(1, first), kStore}, {own(2, first), kStore}, {own(3, first), kStore}});
  }
  void gradient(int64_t pixel) {
    const int64_t at = n * l_.plane() + pixel * l_.channels;
    by_channel_.vectors({{in(0, at)}, {own(1)}, {own(2)}, {in(1, at)}, {own(0)}, {own(3)}, {out(0, at), kStore}});
  }

 private:
  Line own(int64_t number, int64_t channel = 0) const { return kept(2 * l_.batch * l_.channels, number, channel); }
};

template <class Parts>
bool has_room(const OpCall& call, const GroupLayout& l) {
  return l.channels <= static_cast<int64_t>(call.workspace_bytes) /
                           Parts::bytes_of_channel(l, size_bytes(call.outputs[0].type.dtype));
}

}  // namespace

bool describe_group_norm(const OpCall& call, AccessSink& sink) {
  const auto layout = layout_of(call, 1);
  if (!layout) return false;
  if (!layout->channels_last) {
    Lines parts(call, *layout, sink);
    for (; parts.group < layout->batch * layout->groups && !sink.stopped(); ++parts.group)
      loops::group_norm_rows(*layout, parts);
    return true;
  }
  if (!has_room<Sample>(call, *layout)) return false;
  Sample parts(call, *layout, sink);
  for (; parts.n < layout->batch && !sink.stopped(); ++parts.n) loops::group_norm_sample(parts);
  return true;
}

bool describe_group_norm_grad(const OpCall& call, AccessSink& sink) {
  const auto layout = layout_of(call, 2);
  if (!layout || !has_room<GradientSample>(call, *layout)) return false;
  if (layout->channels_last) {
    GradientSample parts(call, *layout, sink);
    for (; parts.n < layout->batch && !sink.stopped(); ++parts.n) loops::group_norm_gradient_sample(*layout, parts);
    parts.finish();
  } else {
    GradientRows parts(call, *layout, sink);
    for (; parts.group < layout->batch * layout->groups && !sink.stopped(); ++parts.group)
      loops::group_norm_gradient_rows(*layout, parts);
    parts.finish();
  }
  return true;
}

}  // namespace engine::access
