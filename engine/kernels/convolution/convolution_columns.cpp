// SPDX-License-Identifier: Apache-2.0
// Geometry of own convolutions, their weights in the order of columns, and columns of single taps.
#include <atomic>

#include "engine/kernels/convolution/convolution_own.h"
#include "engine/kernels/convolution/convolution_parts.h"
#include "engine/kernels/core/parallel.h"

namespace engine::cpu {

ConvolutionGeometry convolution_geometry(const Attributes& attributes, const TensorType& x, const TensorType& weight,
                                         const TensorType& y) {
  const size_t axes = x.shape.size() - 2;
  const std::vector<int64_t> ones(axes, 1), stride = attributes.get_ints("stride", ones),
                                            dilation = attributes.get_ints("dilation", ones),
                                            padding = attributes.get_ints("padding", std::vector<int64_t>(2 * axes, 0));
  return loops::convolution_geometry(x.shape, weight.shape, y.shape, attributes.get_int("groups", 1), stride, dilation,
                                     padding);
}

template <class T>
int64_t fill_rows_inside(const ConvolutionGeometry& g, const loops::ImageLayout& layout, const T* x,
                         const ColumnTile& tile, int64_t tap, T* rows, std::vector<int64_t>& pixels) {
  pixels.clear();
  const int64_t apart = g.stride[2] * layout.pixel[2];
  loops::for_runs(g, tile, [&](const loops::PixelRun& run) {
    const loops::Reach r = loops::reach(g, layout, run, tap);
    const T* from = x + r.offset + tile.channel * layout.channel;
    for (int64_t i = r.begin; i < r.end; ++i, from += apart) {
      for (int64_t c = 0; c < tile.channels; ++c) *rows++ = from[c * layout.channel];
      pixels.push_back(run.at + i);
    }
  });
  return static_cast<int64_t>(pixels.size());
}

template <class T>
bool pack_weights(const ConvolutionGeometry& g, const Tensor& weight, bool outputs_last, T* packed, int threads) {
  const loops::WeightPacking packing(g, weight.strides(), outputs_last, sizeof(T));
  std::atomic<bool> finite{true};
  parallel_parts(threads, packing.rows(), 1, weight.type().elements(), [&](int64_t begin, int64_t end) {
    PackingParts<T> parts(weight.data_as<const T>(), packed);
    packing.run({begin, end}, parts);
    if (!parts.finite()) finite = false;
  });
  return finite;
}

template int64_t fill_rows_inside(const ConvolutionGeometry&, const loops::ImageLayout&, const float*,
                                  const ColumnTile&, int64_t, float*, std::vector<int64_t>&);
template int64_t fill_rows_inside(const ConvolutionGeometry&, const loops::ImageLayout&, const double*,
                                  const ColumnTile&, int64_t, double*, std::vector<int64_t>&);
template bool pack_weights(const ConvolutionGeometry&, const Tensor&, bool, float*, int);
template bool pack_weights(const ConvolutionGeometry&, const Tensor&, bool, double*, int);

}  // namespace engine::cpu
