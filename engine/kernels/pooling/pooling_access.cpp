// SPDX-License-Identifier: Apache-2.0
// Pooling of images: what the parts of pooling_loops.h access.
#include "engine/kernels/pooling/pooling_loops.h"

#include <algorithm>
#include <optional>

#include "engine/kernels/core/describe_access.h"
#include "engine/kernels/core/passes_access.h"
#include "engine/kernels/pooling/scatter_access.h"

namespace engine::access {
namespace {

using loops::Window;

/// Rank 4, channels last up to axes of extent 1, of f32 or of places in it.
bool is_image(const TensorType& type) {
  if (type.rank() != 4 || (type.dtype != DType::float32 && type.dtype != DType::int32)) return false;
  const Strides wanted = channels_last_strides(type.shape);
  for (size_t axis = 0; axis < 4; ++axis) {
    if (type.shape[axis] != 1 && type.strides[axis] != wanted[axis]) return false;
  }
  return true;
}

/// Nothing where own kernels do not take the op.
std::optional<loops::PoolGeometry> geometry_of(const OpCall& call, const Operand& x, const Operand& y) {
  for (const std::vector<Operand>* operands : {&call.inputs, &call.outputs}) {
    if (!std::ranges::all_of(*operands, [](const Operand& o) { return is_image(o.type); })) return std::nullopt;
  }
  if (call.node.op->name.starts_with("global")) return loops::pool_geometry_of_planes(x.type.shape);
  const auto kernel = call.node.attributes.get_ints("kernel", {}),
             stride = call.node.attributes.get_ints("stride", {1, 1}),
             padding = call.node.attributes.get_ints("padding", {0, 0, 0, 0});
  if (kernel.size() != 2 || stride.size() != 2 || padding.size() != 4) return std::nullopt;
  return loops::pool_geometry(x.type.shape, y.type.shape, kernel, stride, padding);
}

/// All channels of pixels of images that lie channels last; x is the larger image, y the smaller one, forwards and
/// backwards.
class DescribedPool {
 public:
  DescribedPool(const OpCall& call, const loops::PoolGeometry& geometry, const Operand& x, const Operand& y,
                AccessSink& sink)
      : g_(geometry),
        x_(x),
        y_(y),
        lanes_(std::max<int64_t>(1, call.vector_bytes / size_bytes(y.type.dtype))),
        sink_(sink) {}

  /// Forwards to the largest of a window and its place in `indices`.
  void to_largest(const Operand& indices) { indices_ = &indices; }
  bool stopped() const { return sink_.stopped(); }

  void window(int64_t sample, int64_t row, int64_t column, const Window& window) {
    int64_t c = 0;
    if (indices_ != nullptr) {
      for (; c + loops::kPoolVectors * lanes_ <= g_.channels; c += loops::kPoolVectors * lanes_)
        of_channels(sample, row, column, window, c, loops::kPoolVectors, lanes_);
    }
    for (; c + lanes_ <= g_.channels; c += lanes_) of_channels(sample, row, column, window, c, 1, lanes_);
    for (; c < g_.channels; ++c) of_channels(sample, row, column, window, c, 1, 1);
  }

  void uncovered(int64_t sample, int64_t row, int64_t column) {
    sink_.group(g_.channels, {of_x(sample, row, column, 0, 1, AccessKind::store, bytes_of(x_))});
  }
  void add(int64_t sample, int64_t row, int64_t column, int64_t i, int64_t j, bool first) {
    const int64_t vectors = g_.channels / lanes_, rest = g_.channels - vectors * lanes_;
    const auto along = [&](int64_t c, int64_t count, int64_t width) {
      const AccessStream before = of_x(sample, row, column, c, width, AccessKind::load, width * bytes_of(x_)),
                         dy = of_y(y_, sample, i, j, c, width, AccessKind::load, width * bytes_of(y_)),
                         after = of_x(sample, row, column, c, width, AccessKind::store, width * bytes_of(x_));
      if (first) sink_.group(count, {dy, after});
      else sink_.group(count, {before, dy, after});
    };
    if (vectors > 0) along(0, vectors, lanes_);
    if (rest > 0) along(vectors * lanes_, rest, 1);
  }

 private:
  static int64_t bytes_of(const Operand& o) { return size_bytes(o.type.dtype); }
  /// `width` channels from c on, of a pixel; `stride`: bytes to those of the next iteration.
  AccessStream of(const Operand& o, int64_t pixel, int64_t c, int64_t width, AccessKind kind, int64_t stride) const {
    return {o.address + static_cast<uint64_t>((pixel * g_.channels + c) * bytes_of(o)), stride, o.tensor,
            static_cast<uint16_t>(width * bytes_of(o)), kind};
  }
  AccessStream of_x(int64_t sample, int64_t row, int64_t column, int64_t c, int64_t width, AccessKind kind,
                    int64_t stride) const {
    return of(x_, sample * g_.input_pixels() + row * g_.width.input + column, c, width, kind, stride);
  }
  AccessStream of_y(const Operand& o, int64_t sample, int64_t i, int64_t j, int64_t c, int64_t width, AccessKind kind,
                    int64_t stride) const {
    return of(o, sample * g_.output_pixels() + i * g_.width.output + j, c, width, kind, stride);
  }

  /// One window, so many vectors of channels at a time: the first pixel of maxima twice.
  void of_channels(int64_t sample, int64_t i, int64_t j, const Window& window, int64_t c, int64_t vectors,
                   int64_t width) {
    std::vector<AccessStream> streams;
    const auto pixels = [&](int64_t row, int64_t count) {
      streams.clear();
      for (int64_t v = 0; v < vectors; ++v)
        streams.push_back(
            of_x(sample, row, window.left, c + v * width, width, AccessKind::load, g_.channels * bytes_of(x_)));
      sink_.group(count, streams);
    };
    if (indices_ != nullptr) pixels(window.top, 1);
    for (int64_t row = window.top; row < window.bottom && window.left < window.right; ++row)
      pixels(row, window.right - window.left);
    streams.clear();
    for (int64_t v = 0; v < vectors; ++v) {
      streams.push_back(of_y(y_, sample, i, j, c + v * width, width, AccessKind::store, 0));
      if (indices_ != nullptr)
        streams.push_back(of_y(*indices_, sample, i, j, c + v * width, width, AccessKind::store, 0));
    }
    sink_.group(1, streams);
  }

  const loops::PoolGeometry g_;
  const Operand &x_, &y_;
  const Operand* indices_ = nullptr;
  int64_t lanes_;
  AccessSink& sink_;
};

}  // namespace

bool describe_pooling(const OpCall& call, AccessSink& sink) {
  const auto geometry = geometry_of(call, call.inputs[0], call.outputs[0]);
  if (!geometry) return false;
  DescribedPool parts(call, *geometry, call.inputs[0], call.outputs[0], sink);
  if (call.outputs.size() > 1) parts.to_largest(call.outputs[1]);
  for (int64_t sample = 0; sample < geometry->batch; ++sample)
    for (int64_t row = 0; row < geometry->height.output && !sink.stopped(); ++row)
      loops::pool_row(*geometry, sample, row, parts);
  return true;
}

bool describe_average_pooling_grad(const OpCall& call, AccessSink& sink) {
  const auto geometry = geometry_of(call, call.outputs[0], call.inputs[0]);
  if (!geometry) return false;
  DescribedPool parts(call, *geometry, call.outputs[0], call.inputs[0], sink);
  for (int64_t sample = 0; sample < geometry->batch; ++sample)
    for (int64_t row = 0; row < geometry->height.input && !sink.stopped(); ++row)
      loops::average_pool_grad_row(*geometry, sample, row, parts);
  return true;
}

bool describe_max_pooling_grad(const OpCall& call, AccessSink& sink) {
  const auto geometry = geometry_of(call, call.outputs[0], call.inputs[0]);
  if (!geometry || call.inputs.size() < 2) return false;
  describe_scatter(
      call, loops::scatter_shape(*geometry, call.threads),
      [&](int64_t pixel) {
        const Window window = geometry->inputs_of(pixel / geometry->width.output, pixel % geometry->width.output);
        return window.empty() ? -1 : window.top * geometry->width.input + window.left;
      },
      sink);
  return true;
}

/// Images that do not lie channels last and dense, which the reference computes: the inner loop goes along what lies
/// together.
bool describe_pooling_by_rows(const OpCall& call, AccessSink& sink) {
  const Operand &x = call.inputs[0], &y = call.outputs[0];
  const std::vector<int64_t> kernel = call.node.attributes.get_ints("kernel", {}),
                             stride = call.node.attributes.get_ints("stride", {1, 1}),
                             padding = call.node.attributes.get_ints("padding", {0, 0, 0, 0});
  if (x.type.rank() != 4 || y.type.rank() != 4 || kernel.size() != 2 || stride.size() != 2 || padding.size() != 4)
    return false;
  const int64_t bytes = size_bytes(x.type.dtype);
  const auto at = [&](const Operand& o, int64_t n, int64_t c, int64_t h, int64_t w) {
    const Strides& s = o.type.strides;
    return o.address + static_cast<uint64_t>((n * s[0] + c * s[1] + h * s[2] + w * s[3]) * bytes);
  };
  const auto stream = [&](const Operand& o, uint64_t address, int64_t elements, AccessKind kind) {
    return AccessStream{address, elements * bytes, o.tensor, static_cast<uint16_t>(bytes), kind};
  };
  const bool channels = y.type.strides[1] < y.type.strides[3];
  const Shape& s = y.type.shape;
  std::vector<AccessStream> streams;
  for (int64_t n = 0; n < s[0] && !sink.stopped(); ++n)
    for (int64_t i = 0; i < s[2] && !sink.stopped(); ++i)
      for (int64_t q = 0; q < (channels ? s[3] : s[1]); ++q) {
        for (int64_t u = 0; u < kernel[0]; ++u) {
          const int64_t h = i * stride[0] + u - padding[0];
          if (h < 0 || h >= x.type.shape[2]) continue;
          for (int64_t v = 0; v < kernel[1]; ++v) {
            const int64_t w = (channels ? q * stride[1] : 0) + v - padding[1];
            if (channels) {
              if (w >= 0 && w < x.type.shape[3])
                sink.group(s[1], {stream(x, at(x, n, 0, h, w), x.type.strides[1], AccessKind::load)});
              continue;
            }
            const int64_t first = w >= 0 ? 0 : (-w + stride[1] - 1) / stride[1];
            const int64_t end =
                std::min(s[3], x.type.shape[3] - 1 - w < 0 ? 0 : (x.type.shape[3] - 1 - w) / stride[1] + 1);
            if (first < end)
              sink.group(end - first, {stream(x, at(x, n, q, h, w + first * stride[1]), x.type.strides[3] * stride[1],
                                              AccessKind::load)});
          }
        }
        for (const Operand& o : call.outputs) {
          const int64_t own = size_bytes(o.type.dtype);
          if (o.type.shape != s) continue;
          const Strides& t = o.type.strides;
          const uint64_t address =
              o.address + static_cast<uint64_t>((n * t[0] + i * t[2] + q * (channels ? t[3] : t[1])) * own);
          sink.group(channels ? s[1] : s[3], {AccessStream{address, (channels ? t[1] : t[3]) * own, o.tensor,
                                                           static_cast<uint16_t>(own), AccessKind::store}});
        }
      }
  return true;
}

/// Backwards on such images: zeros everywhere, then each dy is added where its window lies (the largest element of it
/// is not known: its first).
bool describe_pooling_grad_by_rows(const OpCall& call, AccessSink& sink) {
  const Operand &dy = call.inputs[0], &dx = call.outputs[0];
  const std::vector<int64_t> stride = call.node.attributes.get_ints("stride", {1, 1});
  if (dy.type.rank() != 4 || dx.type.rank() != 4 || stride.size() != 2) return false;
  walk_alone(dx, AccessKind::store, sink);
  const Shape& s = dy.type.shape;
  Operand target = dx;  // dx seen with dy's shape: the corner of each window
  for (size_t axis = 0; axis < 4; ++axis) {
    if (s[axis] > dx.type.shape[axis]) return false;
    target.type.shape[axis] = s[axis];
    if (axis >= 2 && (s[axis] - 1) * stride[axis - 2] < dx.type.shape[axis])
      target.type.strides[axis] *= stride[axis - 2];
  }
  std::vector<WalkOperand> parts;
  for (const Operand& o : call.inputs) {
    if (o.type.shape == s) parts.push_back(part_of_walk(o, s, AccessKind::load));
  }
  parts.push_back(part_of_walk(target, s, AccessKind::load));
  parts.push_back(part_of_walk(target, s, AccessKind::store));
  walk(s, parts, sink);
  return true;
}

}  // namespace engine::access
