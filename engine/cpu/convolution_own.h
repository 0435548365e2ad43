// SPDX-License-Identifier: Apache-2.0
// What our own convolutions share: the geometry of conv2d and conv3d, images of any layout, and the columns of an image (im2col) a tile
// of pixels at a time, so that no more than a cache's worth of them exists.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "engine/cpu/context.h"
#include "engine/cpu/gemm_simd.h"
#include "engine/runtime/backend.h"

namespace engine::cpu {

/// Depth, height, width; axes that a convolution lacks have extent 1.
using Axes3 = std::array<int64_t, 3>;

/// A convolution of x [N, G * C, in] by W [G * O, C, kernel] to y [N, G * O, out].
struct ConvolutionGeometry {
  int64_t batch = 1, groups = 1, inputs = 1, outputs = 1;  ///< inputs, outputs: C and O, of one group
  Axes3 in{1, 1, 1}, out{1, 1, 1}, kernel{1, 1, 1}, stride{1, 1, 1}, dilation{1, 1, 1}, padding{0, 0, 0};  ///< padding: before the image

  static ConvolutionGeometry of(const Attributes&, const TensorType& x, const TensorType& weight, const TensorType& y);
  int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
  /// Where tap number `tap`, in row-major order, lies in the kernel.
  Axes3 position(int64_t tap) const { return {tap / (kernel[1] * kernel[2]), tap / kernel[2] % kernel[1], tap % kernel[2]}; }
  /// Elements from a pair of channels' first weight to that of a tap; `weight`: strides of the weights, of all their axes.
  int64_t weight_offset(int64_t tap, const Strides& weight) const {
    const Axes3 at = position(tap);
    int64_t offset = 0;
    for (size_t axis = 2; axis < weight.size(); ++axis) offset += at[axis + 3 - weight.size()] * weight[axis];
    return offset;
  }
  int64_t pixels() const { return out[0] * out[1] * out[2]; }  ///< of one image of y
  double multiply_adds() const;
  /// Whether some tap of some pixel lies beside x.
  bool meets_padding() const {
    for (size_t axis = 0; axis < 3; ++axis) {
      if (padding[axis] > 0 || (out[axis] - 1) * stride[axis] + (kernel[axis] - 1) * dilation[axis] - padding[axis] >= in[axis]) return true;
    }
    return false;
  }
  /// Each pixel of y reads one of x, the one at its place.
  bool is_pointwise() const { return taps() == 1 && in == out && padding == Axes3{0, 0, 0}; }
};

/// Images as they lie, in elements.
template <class T>
struct Images {
  T* data = nullptr;
  int64_t batch = 0, channel = 0;  ///< from one to the next
  Axes3 pixel{0, 0, 0};            ///< likewise, along each axis
  int64_t step = 0;                ///< from each pixel to the next in row-major order; 0: that varies
  bool across = false;             ///< also from the last pixel of an image to the first of the next

  static Images of(const Tensor& t);
};

/// Pixels [first, first + count) of y, counted through all images, and channels [channel, channel + channels) of x, counted through all
/// groups.
struct ColumnTile {
  int64_t first = 0, count = 0, channel = 0, channels = 0;
  bool by_pixel = true;  ///< [pixel][tap][channel], else [tap][channel][pixel]
};

/// What x holds at the taps of each pixel, zeros outside of it.
template <class T>
void fill_columns(const ConvolutionGeometry&, const Images<const T>& x, const ColumnTile&, T* columns);

/// For one tap alone: x [rows][channel] of those pixels that find it inside of x, and which of the tile they are; their number.
template <class T>
int64_t fill_rows_inside(const ConvolutionGeometry&, const Images<const T>& x, const ColumnTile&, int64_t tap, T* rows, std::vector<int64_t>& pixels);

/// Adds to dx what belongs at tap number `tap` of each pixel; `columns` as of one tap.
template <class T>
void add_columns(const ConvolutionGeometry&, const Images<T>& dx, const ColumnTile&, int64_t tap, const T* columns);

/// Pixels of a tile, each of which takes `row` elements of T in the columns: whole tiles of the products, 1 MiB at most where that leaves
/// enough rows, and not fewer tiles than threads.
template <class T>
int64_t tile_of_pixels(int64_t pixels, int64_t row, int64_t threads);

/// Weights [G * O, C, ...] as [group][tap][input][output], or the two turned round. Whether all of them are finite.
template <class T>
bool pack_weights(const ConvolutionGeometry&, const Tensor& weight, bool outputs_last, T* packed, int threads);

/// Whether no element is infinite or NaN.
template <class T>
bool all_finite(const GemmMatrix<T>&, int64_t rows, int64_t columns);

/// f32 where the backend has no oneDNN, and f64.
bool own_convolution_computes(const Context&, DType);
/// That, and all operands are of one type.
bool own_convolution_takes(const Context&, const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs);
std::string own_convolution_name(bool reads_image);

enum class ConvolutionPass { forward, by_input, by_weight };
/// A group per channel, and channels side by side; else null. Takes of the workspace what packed weights take.
std::unique_ptr<PreparedOp> prepare_depthwise(const PrepareRequest&, const ConvolutionGeometry&, ConvolutionPass, int threads);

// The gradients; forward is in convolution_own.cpp, which lists all of them.
std::unique_ptr<PreparedOp> prepare_own_convolution_grad_input(Context&, const PrepareRequest&);
int64_t own_convolution_grad_input_workspace(Context&, const Node&, const Call&);
std::unique_ptr<PreparedOp> prepare_own_convolution_grad_weight(Context&, const PrepareRequest&);
int64_t own_convolution_grad_weight_workspace(Context&, const Node&, const Call&);

/// Elements in whole lines.
inline int64_t in_lines(int64_t elements) { return (elements + 15) / 16 * 16; }

}  // namespace engine::cpu
