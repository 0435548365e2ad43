// SPDX-License-Identifier: Apache-2.0
// Max, average and global average pooling of channels-last f32 images, and their gradients. The
// gradient of the average is in gather form: each input pixel adds up the outputs whose windows
// cover it, so that rows can be split over threads.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "engine/cpu/elementwise_simd.h"
#include "engine/cpu/kernels.h"
#include "engine/cpu/parallel.h"
#include "engine/cpu/pooling_simd.h"

namespace engine::cpu {
namespace {

/// One spatial axis: output i covers inputs [i * stride - padding, + kernel) as far as they exist.
struct Axis {
  int64_t input = 1, output = 1, kernel = 1, stride = 1, padding = 0, padding_after = 0;

  int64_t begin(int64_t out) const { return std::max<int64_t>(0, out * stride - padding); }
  int64_t end(int64_t out) const { return std::min(input, out * stride - padding + kernel); }
  /// Outputs whose windows cover input `in`: [first_out, last_out).
  int64_t first_out(int64_t in) const {
    const int64_t from = in + padding - kernel + 1;
    return from <= 0 ? 0 : (from + stride - 1) / stride;
  }
  int64_t last_out(int64_t in) const { return std::min(output, (in + padding) / stride + 1); }
  /// Window length with the paddings it covers, as far as those exist.
  int64_t padded_length(int64_t out) const {
    const int64_t start = out * stride - padding;
    return std::min(start + kernel, input + padding_after) - start;
  }
};

struct Geometry {
  int64_t batch = 0, channels = 0;
  Axis height, width;
  bool count_include_pad = false;

  int64_t input_pixels() const { return height.input * width.input; }
  int64_t output_pixels() const { return height.output * width.output; }
  Window inputs_of(int64_t i, int64_t j) const {
    return {height.begin(i), height.end(i), width.begin(j), width.end(j)};
  }
  Window outputs_over(int64_t h, int64_t w) const {
    return {height.first_out(h), height.last_out(h), width.first_out(w), width.last_out(w)};
  }
  /// One over what an average divides by.
  float factor(int64_t i, int64_t j) const {
    const int64_t rows =
        count_include_pad ? height.padded_length(i) : height.end(i) - height.begin(i);
    const int64_t columns =
        count_include_pad ? width.padded_length(j) : width.end(j) - width.begin(j);
    return static_cast<float>(1.0 / static_cast<double>(rows * columns));
  }
};

Geometry make_geometry(const Attributes& a, const Shape& x, const Shape& y) {
  const auto kernel = a.get_ints("kernel", {1, 1}), stride = a.get_ints("stride", {1, 1}),
             padding = a.get_ints("padding", {0, 0, 0, 0});
  const auto axis = [&](size_t i) {
    return Axis{.input = x[2 + i],
                .output = y[2 + i],
                .kernel = kernel[i],
                .stride = stride[i],
                .padding = padding[i],
                .padding_after = padding[2 + i]};
  };
  return {.batch = x[0],
          .channels = x[1],
          .height = axis(0),
          .width = axis(1),
          .count_include_pad = a.get_int("count_include_pad", 0) != 0};
}

Geometry whole_plane(const Shape& x) {
  const auto axis = [](int64_t extent) {
    return Axis{.input = extent, .output = 1, .kernel = extent, .stride = extent};
  };
  return {.batch = x[0], .channels = x[1], .height = axis(x[2]), .width = axis(x[3])};
}

/// Rank 4, channels last up to axes of extent 1.
bool is_image(const TensorType& type, DType dtype) {
  if (type.dtype != dtype || type.rank() != 4) return false;
  const Strides wanted = channels_last_strides(type.shape);
  for (size_t axis = 0; axis < 4; ++axis) {
    if (type.shape[axis] != 1 && type.strides[axis] != wanted[axis]) return false;
  }
  return true;
}

class PoolingOp : public PreparedOp {
 public:
  PoolingOp(const PrepareRequest& request, Geometry geometry, int threads)
      : arguments_(request.arguments),
        g_(geometry),
        threads_(threads),
        name_(fmt::format("own {} ({})", request.node.op->name, vector_unit())) {}
  std::string kernel_name() const override { return name_; }

 protected:
  const float* in(size_t i) const { return arguments_.inputs[i].data_as<float>(); }
  float* out(size_t i) const { return arguments_.outputs[i].data_as<float>(); }
  /// body(sample, row) for all rows of `height` rows per sample, split over the threads.
  template <class Body>
  void over_rows(int64_t height, const Body& body) const {
    parallel_for(threads_, g_.batch * height, g_.batch * g_.input_pixels() * g_.channels,
                 [&](int64_t i) { body(i / height, i % height); });
  }

  KernelArguments arguments_;
  Geometry g_;
  int threads_;
  std::string name_;
  PoolingLoops loops_ = pooling_loops();
};

class MaxPool final : public PoolingOp {
 public:
  using PoolingOp::PoolingOp;
  void run() override {
    int32_t* indices = arguments_.outputs[1].data_as<int32_t>();
    over_rows(g_.height.output, [&](int64_t n, int64_t i) {
      const float* x = in(0) + n * g_.input_pixels() * g_.channels;
      const int64_t row = (n * g_.height.output + i) * g_.width.output;
      for (int64_t j = 0; j < g_.width.output; ++j) {
        const int64_t at = (row + j) * g_.channels;
        loops_.max(x, g_.inputs_of(i, j), g_.width.input, g_.channels, out(0) + at, indices + at);
      }
    });
  }
};

/// Adds each dy to the pixel its index names (any pixel of the plane; others are left out). Split
/// by samples and, when those are fewer than threads, by groups of channels that fill a cache line.
class MaxPoolGrad final : public PoolingOp {
 public:
  using PoolingOp::PoolingOp;
  void run() override {
    constexpr int64_t kLine = 16;  // floats
    const int64_t groups = g_.batch >= threads_ ? 1 : (g_.channels + kLine - 1) / kLine;
    const int64_t width = groups == 1 ? g_.channels : kLine;
    parallel_for(threads_, g_.batch * groups, g_.batch * g_.input_pixels() * g_.channels,
                 [&](int64_t task) {
                   const int64_t first = task % groups * width;
                   scatter(task / groups, first, std::min(g_.channels, first + width));
                 });
  }

 private:
  void scatter(int64_t sample, int64_t first, int64_t last) const {
    const int64_t channels = g_.channels, pixels = g_.input_pixels();
    const float* dy = in(0) + sample * g_.output_pixels() * channels;
    const int32_t* indices =
        arguments_.inputs[1].data_as<int32_t>() + sample * g_.output_pixels() * channels;
    float* dx = out(0) + sample * pixels * channels;
    for (int64_t pixel = 0; pixel < pixels; ++pixel)
      std::fill(dx + pixel * channels + first, dx + pixel * channels + last, 0.0f);
    for (int64_t pixel = 0; pixel < g_.output_pixels(); ++pixel) {
      for (int64_t c = first; c < last; ++c) {
        const int64_t index = indices[pixel * channels + c];
        if (index >= 0 && index < pixels) dx[index * channels + c] += dy[pixel * channels + c];
      }
    }
  }
};

class AveragePool final : public PoolingOp {
 public:
  using PoolingOp::PoolingOp;
  void run() override {
    over_rows(g_.height.output, [&](int64_t n, int64_t i) {
      const float* x = in(0) + n * g_.input_pixels() * g_.channels;
      const int64_t row = (n * g_.height.output + i) * g_.width.output;
      for (int64_t j = 0; j < g_.width.output; ++j) {
        loops_.average(x, g_.inputs_of(i, j), g_.width.input, g_.channels, g_.factor(i, j),
                       out(0) + (row + j) * g_.channels);
      }
    });
  }
};

class AveragePoolGrad final : public PoolingOp {
 public:
  using PoolingOp::PoolingOp;
  void run() override {
    over_rows(g_.height.input, [&](int64_t n, int64_t h) {
      const float* dy = in(0) + n * g_.output_pixels() * g_.channels;
      float* row = out(0) + (n * g_.height.input + h) * g_.width.input * g_.channels;
      for (int64_t w = 0; w < g_.width.input; ++w)
        pixel(dy, g_.outputs_over(h, w), row + w * g_.channels);
    });
  }

 private:
  void pixel(const float* dy, const Window& outputs, float* dx) const {
    if (outputs.top >= outputs.bottom || outputs.left >= outputs.right) {  // no window covers it
      std::fill_n(dx, g_.channels, 0.0f);
      return;
    }
    bool first = true;
    for (int64_t i = outputs.top; i < outputs.bottom; ++i) {
      for (int64_t j = outputs.left; j < outputs.right; ++j) {
        loops_.accumulate(dy + (i * g_.width.output + j) * g_.channels, g_.channels,
                          g_.factor(i, j), first, dx);
        first = false;
      }
    }
  }
};

template <class Op>
std::unique_ptr<PreparedOp> make(Context& context, const PrepareRequest& request, bool gradient,
                                 bool global) {
  const auto &in = request.arguments.inputs, &out = request.arguments.outputs;
  const Tensor &x = gradient ? out[0] : in[0], &y = gradient ? in[0] : out[0];
  if (!is_image(x.type(), DType::float32) || !is_image(y.type(), DType::float32)) return nullptr;
  if (gradient && in.size() > 1 && !is_image(in[1].type(), DType::int32)) return nullptr;
  if (!gradient && out.size() > 1 && !is_image(out[1].type(), DType::int32)) return nullptr;
  const Geometry geometry = global ? whole_plane(x.shape())
                                   : make_geometry(request.node.attributes, x.shape(), y.shape());
  return std::make_unique<Op>(request, geometry, context.threads);
}

}  // namespace

std::unique_ptr<PreparedOp> prepare_max_pool(Context& context, const PrepareRequest& request) {
  return make<MaxPool>(context, request, false, false);
}
std::unique_ptr<PreparedOp> prepare_max_pool_grad(Context& context, const PrepareRequest& request) {
  return make<MaxPoolGrad>(context, request, true, false);
}
std::unique_ptr<PreparedOp> prepare_average_pool(Context& context, const PrepareRequest& request) {
  return make<AveragePool>(context, request, false, request.node.op->name == "global_average_pool");
}
std::unique_ptr<PreparedOp> prepare_average_pool_grad(Context& context,
                                                      const PrepareRequest& request) {
  return make<AveragePoolGrad>(context, request, true,
                               request.node.op->name == "global_average_pool_grad");
}

}  // namespace engine::cpu
