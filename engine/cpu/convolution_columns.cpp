// SPDX-License-Identifier: Apache-2.0
// Columns of images (im2col) and back (col2im), a tile of pixels at a time.
#include "engine/cpu/convolution_own.h"
#include "engine/loops/gemm_blocking.h"

namespace engine::cpu {
namespace {

/// A run of pixels of y in one row: they differ along the width only.
struct Run {
  int64_t image, depth, height, width, count;
  int64_t at;  ///< first of them in the tile
};

template <class Body>
void for_runs(const ConvolutionGeometry& g, const ColumnTile& tile, const Body& body) {
  for (int64_t at = 0; at < tile.count;) {
    int64_t rest = tile.first + at;
    const int64_t width = rest % g.out[2];
    rest /= g.out[2];
    const int64_t height = rest % g.out[1];
    rest /= g.out[1];
    const int64_t count = std::min(tile.count - at, g.out[2] - width);
    body(Run{rest / g.out[0], rest % g.out[0], height, width, count, at});
    at += count;
  }
}

/// Where a tap finds a run's pixels in x: those of pixels [begin, end) of the run, the first of them at `offset`; none where begin == end.
struct Reach {
  int64_t begin = 0, end = 0, offset = 0;
};

template <class T>
Reach reach(const ConvolutionGeometry& g, const Images<T>& x, const Run& run, int64_t tap) {
  const Axes3 of_tap = g.position(tap);
  const auto position = [&](size_t axis, int64_t out) { return out * g.stride[axis] + of_tap[axis] * g.dilation[axis] - g.padding[axis]; };
  const int64_t depth = position(0, run.depth), height = position(1, run.height), width = position(2, run.width);
  if (depth < 0 || depth >= g.in[0] || height < 0 || height >= g.in[1]) return {};
  const int64_t stride = g.stride[2];
  Reach r;
  r.begin = std::min(run.count, width < 0 ? (-width + stride - 1) / stride : 0);
  r.end = std::max(r.begin, width >= g.in[2] ? 0 : std::min(run.count, (g.in[2] - 1 - width) / stride + 1));
  r.offset = run.image * x.batch + depth * x.pixel[0] + height * x.pixel[1] + (width + r.begin * stride) * x.pixel[2];
  return r;
}

}  // namespace

ConvolutionGeometry ConvolutionGeometry::of(const Attributes& attributes, const TensorType& x, const TensorType& weight, const TensorType& y) {
  ConvolutionGeometry g;
  const size_t axes = x.shape.size() - 2, missing = 3 - axes;
  const std::vector<int64_t> ones(axes, 1), stride = attributes.get_ints("stride", ones), dilation = attributes.get_ints("dilation", ones),
                             padding = attributes.get_ints("padding", std::vector<int64_t>(2 * axes, 0));
  g.batch = x.shape[0];
  g.groups = attributes.get_int("groups", 1);
  g.inputs = weight.shape[1];
  g.outputs = weight.shape[0] / g.groups;
  for (size_t axis = 0; axis < axes; ++axis) {
    const size_t to = missing + axis;
    g.in[to] = x.shape[2 + axis];
    g.out[to] = y.shape[2 + axis];
    g.kernel[to] = weight.shape[2 + axis];
    g.stride[to] = stride[axis];
    g.dilation[to] = dilation[axis];
    g.padding[to] = padding[axis];
  }
  return g;
}

double ConvolutionGeometry::multiply_adds() const {
  return static_cast<double>(batch * pixels()) * static_cast<double>(groups * outputs) * static_cast<double>(inputs * taps());
}

template <class T>
Images<T> Images<T>::of(const Tensor& t) {
  const Shape& shape = t.shape();
  const Strides& strides = t.strides();
  Images images{.data = t.data_as<T>(), .batch = strides[0], .channel = shape[1] == 1 ? 1 : strides[1]};
  int64_t dense = 1;  // pixels of the axes behind
  bool even = true;
  for (size_t axis = shape.size(); axis-- > 2;) {
    images.pixel[axis + 3 - shape.size()] = strides[axis];
    if (shape[axis] == 1) continue;
    if (images.step == 0) images.step = strides[axis];
    even = even && strides[axis] == images.step * dense;
    dense *= shape[axis];
  }
  if (dense == 1) images.step = shape[0] == 1 ? shape[1] : strides[0];  // one pixel: the next is the next image's
  if (!even || images.step <= 0) images.step = 0;
  images.across = images.step > 0 && (shape[0] == 1 || strides[0] == images.step * dense);
  return images;
}

template <class T>
void fill_columns(const ConvolutionGeometry& g, const Images<const T>& x, const ColumnTile& tile, T* columns) {
  const int64_t taps = g.taps(), channels = tile.channels, apart = g.stride[2] * x.pixel[2];
  for_runs(g, tile, [&](const Run& run) {
    for (int64_t tap = 0; tap < taps; ++tap) {
      const Reach r = reach(g, x, run, tap);
      const T* from = x.data + r.offset + tile.channel * x.channel;
      if (tile.by_pixel) {
        T* to = columns + (run.at * taps + tap) * channels;
        for (int64_t i = 0; i < run.count; ++i, to += taps * channels) {
          if (i < r.begin || i >= r.end) {
            std::fill_n(to, channels, T{0});
          } else if (x.channel == 1) {
            std::copy_n(from + (i - r.begin) * apart, channels, to);
          } else {
            for (int64_t c = 0; c < channels; ++c) to[c] = from[(i - r.begin) * apart + c * x.channel];
          }
        }
        continue;
      }
      for (int64_t c = 0; c < channels; ++c, from += x.channel) {
        T* to = columns + (tap * channels + c) * tile.count + run.at;
        std::fill_n(to, r.begin, T{0});
        if (apart == 1) {
          std::copy_n(from, r.end - r.begin, to + r.begin);
        } else {
          for (int64_t i = r.begin; i < r.end; ++i) to[i] = from[(i - r.begin) * apart];
        }
        std::fill_n(to + r.end, run.count - r.end, T{0});
      }
    }
  });
}

template <class T>
int64_t fill_rows_inside(const ConvolutionGeometry& g, const Images<const T>& x, const ColumnTile& tile, int64_t tap, T* rows, std::vector<int64_t>& pixels) {
  pixels.clear();
  const int64_t apart = g.stride[2] * x.pixel[2];
  for_runs(g, tile, [&](const Run& run) {
    const Reach r = reach(g, x, run, tap);
    const T* from = x.data + r.offset + tile.channel * x.channel;
    for (int64_t i = r.begin; i < r.end; ++i, from += apart) {
      for (int64_t c = 0; c < tile.channels; ++c) *rows++ = from[c * x.channel];
      pixels.push_back(run.at + i);
    }
  });
  return static_cast<int64_t>(pixels.size());
}

template <class T>
void add_columns(const ConvolutionGeometry& g, const Images<T>& dx, const ColumnTile& tile, int64_t tap, const T* columns) {
  const int64_t channels = tile.channels, apart = g.stride[2] * dx.pixel[2];
  for_runs(g, tile, [&](const Run& run) {
    const Reach r = reach(g, dx, run, tap);
    T* to = dx.data + r.offset + tile.channel * dx.channel;
    if (tile.by_pixel) {
      const T* from = columns + (run.at + r.begin) * channels;
      for (int64_t i = r.begin; i < r.end; ++i, to += apart, from += channels) {
        for (int64_t c = 0; c < channels; ++c) to[c * dx.channel] += from[c];
      }
      return;
    }
    for (int64_t c = 0; c < channels; ++c, to += dx.channel) {
      const T* from = columns + c * tile.count + run.at + r.begin;
      for (int64_t i = 0; i < r.end - r.begin; ++i) to[i * apart] += from[i];
    }
  });
}

template <class T>
int64_t tile_of_pixels(int64_t pixels, int64_t row, int64_t threads) {
  constexpr int64_t kColumnBytes = int64_t{1} << 20, kFewest = 4 * loops::kRowsInRegisters, kMost = 48 * loops::kRowsInRegisters;
  const int64_t fits = kColumnBytes / std::max<int64_t>(1, row * static_cast<int64_t>(sizeof(T)));
  int64_t tile = std::clamp(fits / loops::kRowsInRegisters * loops::kRowsInRegisters, kFewest, kMost);
  if (pixels < tile * threads) tile = std::min(tile, std::max<int64_t>(1, (pixels + threads - 1) / threads));
  return std::min(tile, pixels);
}

template struct Images<float>;
template struct Images<double>;
template struct Images<const float>;
template struct Images<const double>;
template void fill_columns(const ConvolutionGeometry&, const Images<const float>&, const ColumnTile&, float*);
template void fill_columns(const ConvolutionGeometry&, const Images<const double>&, const ColumnTile&, double*);
template int64_t fill_rows_inside(const ConvolutionGeometry&, const Images<const float>&, const ColumnTile&, int64_t, float*, std::vector<int64_t>&);
template int64_t fill_rows_inside(const ConvolutionGeometry&, const Images<const double>&, const ColumnTile&, int64_t, double*, std::vector<int64_t>&);
template void add_columns(const ConvolutionGeometry&, const Images<float>&, const ColumnTile&, int64_t, const float*);
template void add_columns(const ConvolutionGeometry&, const Images<double>&, const ColumnTile&, int64_t, const double*);
template int64_t tile_of_pixels<float>(int64_t, int64_t, int64_t);
template int64_t tile_of_pixels<double>(int64_t, int64_t, int64_t);

}  // namespace engine::cpu
