// SPDX-License-Identifier: Apache-2.0
// Max, average and global average pooling of channels-last f32 images, and their gradients. The
// gradient of the average is in gather form: each input pixel adds up the outputs whose windows
// cover it, so that rows can be split over threads.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/parallel.h"
#include "engine/kernels/core/vector_unit.h"
#include "engine/kernels/pooling/pooling_loops.h"
#include "engine/kernels/pooling/pooling_parts.h"
#include "engine/kernels/pooling/pooling_simd.h"

namespace engine::cpu {
namespace {

struct Geometry : loops::PoolGeometry {
  bool count_include_pad = false;

  /// One over what an average divides by.
  float factor(int64_t i, int64_t j) const {
    const int64_t rows = count_include_pad ? height.padded_length(i) : height.end(i) - height.begin(i);
    const int64_t columns = count_include_pad ? width.padded_length(j) : width.end(j) - width.begin(j);
    return static_cast<float>(1.0 / static_cast<double>(rows * columns));
  }
};

Geometry make_geometry(const Attributes& a, const Shape& x, const Shape& y) {
  const auto kernel = a.get_ints("kernel", {1, 1}), stride = a.get_ints("stride", {1, 1}),
             padding = a.get_ints("padding", {0, 0, 0, 0});
  return {loops::pool_geometry(x, y, kernel, stride, padding), a.get_int("count_include_pad", 0) != 0};
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
  KernelFacts facts() const override { return {.name = name_}; }

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
    over_rows(g_.height.output, [&](int64_t sample, int64_t row) {
      const int64_t at = (sample * g_.height.output + row) * g_.width.output * g_.channels;
      Row parts{{},
                loops_.max,
                g_.width.input,
                g_.channels,
                in(0) + sample * g_.input_pixels() * g_.channels,
                out(0) + at,
                arguments_.outputs[1].data_as<int32_t>() + at};
      loops::pool_row(g_, sample, row, parts);
    });
  }

 private:
  /// Of one sample's plane x, a row of y and of the indices.
  struct Row : loops::Computes {
    decltype(PoolingLoops::max) max;
    int64_t width, channels;
    const float* x;
    float* y;
    int32_t* indices;
    void window(int64_t, int64_t, int64_t column, const Window& window) const {
      max(x, window, width, channels, y + column * channels, indices + column * channels);
    }
  };
};

/// Split by samples and, when those are fewer than threads, by groups of channels that fill a cache line.
class MaxPoolGrad final : public PoolingOp {
 public:
  using PoolingOp::PoolingOp;
  void run() override {
    const loops::ScatterShape shape = loops::scatter_shape(g_, threads_);
    const MaxPoolGradParts<> parts(shape, in(0), arguments_.inputs[1].data_as<int32_t>(), out(0));
    parallel_for(threads_, shape.tasks(), g_.batch * g_.input_pixels() * g_.channels,
                 [&](int64_t task) { loops::max_pool_grad(shape, task, parts); });
  }
};

class AveragePool final : public PoolingOp {
 public:
  using PoolingOp::PoolingOp;
  void run() override {
    over_rows(g_.height.output, [&](int64_t sample, int64_t row) {
      Row parts{{},
                loops_.average,
                g_,
                in(0) + sample * g_.input_pixels() * g_.channels,
                out(0) + (sample * g_.height.output + row) * g_.width.output * g_.channels};
      loops::pool_row(g_, sample, row, parts);
    });
  }

 private:
  /// Of one sample's plane x and a row of y.
  struct Row : loops::Computes {
    decltype(PoolingLoops::average) average;
    const Geometry& g;
    const float* x;
    float* y;
    void window(int64_t, int64_t row, int64_t column, const Window& window) const {
      average(x, window, g.width.input, g.channels, g.factor(row, column), y + column * g.channels);
    }
  };
};

class AveragePoolGrad final : public PoolingOp {
 public:
  using PoolingOp::PoolingOp;
  void run() override {
    over_rows(g_.height.input, [&](int64_t sample, int64_t row) {
      Row parts{{},
                loops_.accumulate,
                g_,
                in(0) + sample * g_.output_pixels() * g_.channels,
                out(0) + (sample * g_.height.input + row) * g_.width.input * g_.channels};
      loops::average_pool_grad_row(g_, sample, row, parts);
    });
  }

 private:
  /// Of one sample's plane dy and a row of dx.
  struct Row : loops::Computes {
    decltype(PoolingLoops::accumulate) accumulate;
    const Geometry& g;
    const float* dy;
    float* dx;
    void uncovered(int64_t, int64_t, int64_t column) const { std::fill_n(dx + column * g.channels, g.channels, 0.0f); }
    void add(int64_t, int64_t, int64_t column, int64_t i, int64_t j, bool first) const {
      accumulate(dy + (i * g.width.output + j) * g.channels, g.channels, g.factor(i, j), first,
                 dx + column * g.channels);
    }
  };
};

template <class Op>
std::unique_ptr<PreparedOp> make(Context& context, const PrepareRequest& request, bool gradient, bool global) {
  const auto &in = request.arguments.inputs, &out = request.arguments.outputs;
  const Tensor &x = gradient ? out[0] : in[0], &y = gradient ? in[0] : out[0];
  if (!is_image(x.type(), DType::float32) || !is_image(y.type(), DType::float32)) return nullptr;
  if (gradient && in.size() > 1 && !is_image(in[1].type(), DType::int32)) return nullptr;
  if (!gradient && out.size() > 1 && !is_image(out[1].type(), DType::int32)) return nullptr;
  const Geometry geometry = global ? Geometry{loops::pool_geometry_of_planes(x.shape())}
                                   : make_geometry(request.node.attributes, x.shape(), y.shape());
  return std::make_unique<Op>(request, geometry, context.threads);
}

std::unique_ptr<PreparedOp> prepare_max_pool(Context& context, const PrepareRequest& request) {
  return make<MaxPool>(context, request, false, false);
}
std::unique_ptr<PreparedOp> prepare_max_pool_grad(Context& context, const PrepareRequest& request) {
  return make<MaxPoolGrad>(context, request, true, false);
}
std::unique_ptr<PreparedOp> prepare_average_pool(Context& context, const PrepareRequest& request) {
  return make<AveragePool>(context, request, false, request.node.op->name == "global_average_pool");
}
std::unique_ptr<PreparedOp> prepare_average_pool_grad(Context& context, const PrepareRequest& request) {
  return make<AveragePoolGrad>(context, request, true, request.node.op->name == "global_average_pool_grad");
}

}  // namespace

std::span<const Kernel> pooling_kernels() {
  static constexpr Kernel kKernels[] = {
      {"max_pool2d", prepare_max_pool},
      {"max_pool2d_grad", prepare_max_pool_grad},
      {"average_pool2d", prepare_average_pool},
      {"average_pool2d_grad", prepare_average_pool_grad},
      {"global_average_pool", prepare_average_pool},
      {"global_average_pool_grad", prepare_average_pool_grad},
  };
  return kKernels;
}

}  // namespace engine::cpu
