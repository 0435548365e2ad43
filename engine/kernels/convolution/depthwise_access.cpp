// SPDX-License-Identifier: Apache-2.0
// Our own depthwise convolutions and their gradients: what the parts of depthwise_loops.h access, those of one thread
// after those of the other.
#include "engine/kernels/convolution/depthwise_loops.h"

#include <algorithm>
#include <utility>

#include "engine/kernels/convolution/convolution_arrays_access.h"

namespace engine::access {
namespace {

using loops::InArray;
using loops::Place;
using loops::Range;

class DescribedDepthwise {
 public:
  /// `from`, `to`: which images are read and written.
  DescribedDepthwise(const PlacedArrays& arrays, InArray from, InArray to, bool has_bias, int64_t channels,
                     int64_t lanes, AccessSink& sink)
      : arrays_(arrays), from_(from), to_(to), has_bias_(has_bias), channels_(channels), lanes_(lanes), sink_(sink) {}

  bool stopped() const { return sink_.stopped(); }
  void copy(const Place& from, const Place& to, int64_t count) {
    sink_.group(count, {arrays_.stream(from, AccessKind::load), arrays_.stream(to, AccessKind::store)});
  }
  void tap(int64_t from, int64_t weights) { taps_.emplace_back(from, weights); }
  /// Two vectors of channels at a time, then one channel.
  void sum(int64_t to) {
    int64_t c = 0;
    for (; c + 2 * lanes_ <= channels_; c += 2 * lanes_) of_channels(to, c, 2, lanes_);
    for (; c < channels_; ++c) of_channels(to, c, 1, 1);
    taps_.clear();
  }

 private:
  void of_channels(int64_t to, int64_t c, int64_t vectors, int64_t width) {
    const auto each = [&](const auto& add) {
      streams_.clear();
      for (int64_t v = 0; v < vectors; ++v) add(c + v * width);
      sink_.group(1, streams_);
    };
    const auto stream = [&](InArray array, int64_t first, AccessKind kind) {
      streams_.push_back(arrays_.stream({array, first}, kind, width));
    };
    if (has_bias_) each([&](int64_t at) { stream(InArray::bias, at, AccessKind::load); });
    for (const auto& [from, weights] : taps_) {
      each([&](int64_t at) {
        stream(from_, from + at, AccessKind::load);
        stream(InArray::packed, weights + at, AccessKind::load);
      });
    }
    each([&](int64_t at) { stream(to_, to + at, AccessKind::store); });
  }

  const PlacedArrays& arrays_;
  InArray from_, to_;
  bool has_bias_;
  int64_t channels_, lanes_;
  AccessSink& sink_;
  std::vector<std::pair<int64_t, int64_t>> taps_;
  std::vector<AccessStream> streams_;
};

/// Near sums at the beginning of the scratch, far ones, which are doubles, behind them.
class DescribedDepthwiseWeight {
 public:
  DescribedDepthwiseWeight(const PlacedArrays& arrays, uint64_t far, int64_t lanes, AccessSink& sink)
      : arrays_(arrays), far_at_(far), lanes_(lanes), sink_(sink) {}

  bool stopped() const { return sink_.stopped(); }
  void clear(int64_t first, int64_t count) {
    sink_.group(count, {near(first, AccessKind::store), far(first, AccessKind::store)});
  }
  void tap(int64_t x, int64_t first) { taps_.emplace_back(x, first); }
  void accumulate(int64_t dy, int64_t count) {
    int64_t c = 0;
    for (; c + lanes_ <= count; c += lanes_) of_channels(dy, c, lanes_);
    for (; c < count; ++c) of_channels(dy, c, 1);
    taps_.clear();
  }
  void flush(int64_t first, int64_t count) {
    sink_.group(count, {near(first, AccessKind::load), far(first, AccessKind::load), far(first, AccessKind::store),
                        near(first, AccessKind::store)});
  }
  void write(int64_t first, const Place& to, int64_t count) {
    sink_.group(count, {far(first, AccessKind::load), arrays_.stream(to, AccessKind::store)});
  }

 private:
  AccessStream near(int64_t first, AccessKind kind, int64_t lanes = 1) const {
    return arrays_.stream({InArray::scratch, first}, kind, lanes);
  }
  AccessStream far(int64_t first, AccessKind kind) const {
    constexpr uint16_t kBytes = sizeof(double);
    return {far_at_ + static_cast<uint64_t>(first) * kBytes, kBytes, arrays_.tensor(InArray::scratch), kBytes, kind};
  }
  void of_channels(int64_t dy, int64_t c, int64_t width) {
    sink_.group(1, {arrays_.stream({InArray::y, dy + c}, AccessKind::load, width)});
    for (const auto& [x, first] : taps_)
      sink_.group(1, {arrays_.stream({InArray::x, x + c}, AccessKind::load, width),
                      near(first + c, AccessKind::load, width), near(first + c, AccessKind::store, width)});
  }

  const PlacedArrays& arrays_;
  uint64_t far_at_;
  int64_t lanes_;
  AccessSink& sink_;
  std::vector<std::pair<int64_t, int64_t>> taps_;
};

}  // namespace

bool describe_depthwise(const OpCall& call, const ConvolutionOperands& o, AccessSink& sink) {
  const int64_t bytes = o.bytes(), lanes = std::max<int64_t>(1, call.vector_bytes / bytes),
                near = loops::in_lines(o.g.taps() * o.g.groups);
  if (near > static_cast<int64_t>(call.workspace_bytes / (sizeof(double) + static_cast<size_t>(bytes)))) return false;
  PlacedArrays arrays(o);
  arrays.place(InArray::packed, call.workspace_address, call.workspace_tensor);
  arrays.place(InArray::scratch, call.workspace_address, call.workspace_tensor);
  if (o.by_weight) {
    DescribedDepthwiseWeight parts(arrays, call.workspace_address + static_cast<uint64_t>(near * bytes), lanes, sink);
    const auto channels = loops::DepthwiseChannels::of(o.g, call.threads);
    for (int64_t part = 0; part < channels.parts && !sink.stopped(); ++part)
      loops::depthwise_by_weight(o.g, layout_of(o.x), layout_of(o.y), o.weight.type.strides, channels.part(part),
                                 parts);
    return true;
  }
  const Operand &from = o.by_input ? o.y : o.x, &to = o.by_input ? o.x : o.y;
  DescribedDepthwise parts(arrays, o.by_input ? InArray::y : InArray::x, o.by_input ? InArray::x : InArray::y,
                           o.bias != nullptr, o.g.groups, lanes, sink);
  loops::pack_depthwise(o.g, o.weight.type.strides, parts);
  const loops::DepthwiseShape shape{.g = o.g, .from = layout_of(from), .to = layout_of(to), .forward = !o.by_input};
  loops::depthwise_pixels(shape, {0, shape.pixels()}, parts);
  return true;
}

}  // namespace engine::access
