// SPDX-License-Identifier: Apache-2.0
// im2col and col2im in f32 and f64 for images of any layout: rows of columns and planes of images are split over the
// threads.
#include <algorithm>
#include <memory>

#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/parallel.h"

namespace engine::cpu {
namespace {

/// One spatial axis: output i under tap u is input i * stride + u * dilation - padding.
struct Axis {
  int64_t input, output, kernel, stride, dilation, padding;

  int64_t position(int64_t out, int64_t tap) const { return out * stride + tap * dilation - padding; }
  /// First output whose tap lies at or behind the input's start, and the first whose tap lies behind its end.
  int64_t first(int64_t tap) const {
    const int64_t offset = tap * dilation - padding;
    return std::min(output, offset >= 0 ? 0 : (-offset + stride - 1) / stride);
  }
  int64_t last(int64_t tap) const {
    const int64_t offset = tap * dilation - padding;
    return std::max(first(tap), input <= offset ? 0 : std::min(output, (input - 1 - offset) / stride + 1));
  }
};

struct Geometry {
  Tensor image, columns;
  Axis height, width;

  Geometry(const Attributes& attributes, const Tensor& image_tensor, const Tensor& column_tensor)
      : image(image_tensor), columns(column_tensor), height(axis(attributes, 0)), width(axis(attributes, 1)) {}
  int64_t planes() const { return image.shape()[0] * image.shape()[1]; }
  int64_t taps() const { return height.kernel * width.kernel; }
  /// Offset of a plane (sample and channel) of the image.
  int64_t plane(int64_t index) const {
    const int64_t channels = image.shape()[1];
    return index / channels * image.strides()[0] + index % channels * image.strides()[1];
  }

 private:
  Axis axis(const Attributes& a, size_t i) const {
    const auto kernel = a.get_ints("kernel", {}), stride = a.get_ints("stride", {1, 1}),
               dilation = a.get_ints("dilation", {1, 1}), padding = a.get_ints("padding", {0, 0, 0, 0});
    const int64_t input = image.shape()[2 + i];
    const int64_t output = (input + padding[i] + padding[2 + i] - dilation[i] * (kernel[i] - 1) - 1) / stride[i] + 1;
    return {input, output, kernel[i], stride[i], dilation[i], padding[i]};
  }
};

template <class T>
class WindowOp final : public PreparedOp {
 public:
  WindowOp(Geometry geometry, bool to_columns, int threads)
      : g_(std::move(geometry)), to_columns_(to_columns), threads_(threads) {}

  void run() override {
    const int64_t windows = g_.height.output * g_.width.output, work = g_.planes() * g_.taps() * windows;
    T *image = g_.image.data_as<T>(), *columns = g_.columns.data_as<T>();
    if (to_columns_) {
      parallel_for(threads_, g_.planes() * g_.taps(), work, [&](int64_t row) {
        gather(image + g_.plane(row / g_.taps()), row % g_.taps(), columns + row * windows);
      });
      return;
    }
    parallel_for(threads_, g_.planes(), work, [&](int64_t plane) {
      T* to = image + g_.plane(plane);
      for (int64_t h = 0; h < g_.height.input; ++h) {
        for (int64_t w = 0; w < g_.width.input; ++w) to[h * g_.image.strides()[2] + w * g_.image.strides()[3]] = 0;
      }
      for (int64_t tap = 0; tap < g_.taps(); ++tap) scatter(columns + (plane * g_.taps() + tap) * windows, tap, to);
    });
  }
  KernelFacts facts() const override { return {.name = to_columns_ ? "own im2col" : "own col2im"}; }

 private:
  /// Row of columns: what tap number `tap` of each window covers.
  void gather(const T* plane, int64_t tap, T* row) const {
    const int64_t u = tap / g_.width.kernel, v = tap % g_.width.kernel, begin = g_.width.first(v),
                  end = g_.width.last(v);
    const int64_t to_row = g_.image.strides()[2], to_column = g_.image.strides()[3];
    for (int64_t i = 0; i < g_.height.output; ++i, row += g_.width.output) {
      const int64_t h = g_.height.position(i, u);
      if (h < 0 || h >= g_.height.input) {
        std::fill_n(row, g_.width.output, T{0});
        continue;
      }
      std::fill_n(row, begin, T{0});
      for (int64_t j = begin; j < end; ++j) row[j] = plane[h * to_row + g_.width.position(j, v) * to_column];
      std::fill(row + end, row + g_.width.output, T{0});
    }
  }
  void scatter(const T* row, int64_t tap, T* plane) const {
    const int64_t u = tap / g_.width.kernel, v = tap % g_.width.kernel, begin = g_.width.first(v),
                  end = g_.width.last(v);
    const int64_t to_row = g_.image.strides()[2], to_column = g_.image.strides()[3];
    for (int64_t i = g_.height.first(u); i < g_.height.last(u); ++i) {
      T* to = plane + g_.height.position(i, u) * to_row;
      for (int64_t j = begin; j < end; ++j) to[g_.width.position(j, v) * to_column] += row[i * g_.width.output + j];
    }
  }

  Geometry g_;
  bool to_columns_;
  int threads_;
};

std::unique_ptr<PreparedOp> prepare_windows(Context& context, const PrepareRequest& request) {
  const bool to_columns = request.node.op->name == "im2col";
  const Tensor &in = request.arguments.inputs[0], &out = request.arguments.outputs[0];
  const Tensor &image = to_columns ? in : out, &columns = to_columns ? out : in;
  if (!is_contiguous(columns.shape(), columns.strides())) return nullptr;
  const Geometry geometry(request.node.attributes, image, columns);
  if (in.dtype() == DType::float32) return std::make_unique<WindowOp<float>>(geometry, to_columns, context.threads);
  if (in.dtype() == DType::float64) return std::make_unique<WindowOp<double>>(geometry, to_columns, context.threads);
  return nullptr;
}

}  // namespace

std::span<const Kernel> im2col_kernels() {
  static constexpr Kernel kKernels[] = {{"im2col", prepare_windows}, {"col2im", prepare_windows}};
  return kKernels;
}

}  // namespace engine::cpu
