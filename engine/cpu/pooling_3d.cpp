// SPDX-License-Identifier: Apache-2.0
// Max and average pooling of channels-last f32 volumes and their gradients: all channels of a voxel at a time, by the loops that images
// are pooled with. The gradient of the average is in gather form, so that rows of voxels can be split over threads.
#include "engine/cpu/pooling_3d.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "engine/cpu/elementwise_simd.h"
#include "engine/cpu/parallel.h"
#include "engine/cpu/pooling_simd.h"

namespace engine::cpu {
namespace {

/// One axis: output i covers inputs i * stride - padding + t * dilation, 0 <= t < kernel, as far as they exist.
struct Axis {
  int64_t input = 1, output = 1, kernel = 1, stride = 1, padding = 0, padding_after = 0, dilation = 1;

  int64_t position(int64_t out, int64_t tap) const { return out * stride - padding + tap * dilation; }
  bool covers(int64_t out, int64_t tap) const { return position(out, tap) >= 0 && position(out, tap) < input; }
  /// Inputs an average counts; dilation is 1.
  int64_t counted(int64_t out, bool with_padding) const {
    const int64_t begin = out * stride - padding, end = begin + kernel;
    return with_padding ? std::min(end, input + padding_after) - begin : std::min(end, input) - std::max<int64_t>(begin, 0);
  }
};

struct Geometry {
  int64_t batch = 0, channels = 0;
  std::array<Axis, 3> axes;
  bool with_padding = false;

  int64_t inputs() const { return axes[0].input * axes[1].input * axes[2].input; }
  int64_t outputs() const { return axes[0].output * axes[1].output * axes[2].output; }
};

Geometry make_geometry(const Attributes& a, const Shape& x, const Shape& y) {
  const auto kernel = a.get_ints("kernel", {1, 1, 1}), stride = a.get_ints("stride", {1, 1, 1}), padding = a.get_ints("padding", {0, 0, 0, 0, 0, 0}),
             dilation = a.get_ints("dilation", {1, 1, 1});
  Geometry g{.batch = x[0], .channels = x[1], .axes = {}, .with_padding = a.get_int("count_include_pad", 0) != 0};
  for (size_t i = 0; i < 3; ++i) g.axes[i] = {x[2 + i], y[2 + i], kernel[i], stride[i], padding[i], padding[3 + i], dilation[i]};
  return g;
}

/// Rank 5, channels last up to axes of extent 1.
bool is_volume(const TensorType& type, DType dtype) {
  if (type.dtype != dtype || type.rank() != 5) return false;
  const Shape& s = type.shape;
  const Strides stored = contiguous_strides({s[0], s[2], s[3], s[4], s[1]}), wanted{stored[0], stored[4], stored[1], stored[2], stored[3]};
  for (size_t axis = 0; axis < 5; ++axis) {
    if (s[axis] != 1 && type.strides[axis] != wanted[axis]) return false;
  }
  return true;
}

class Pooling3dOp : public PreparedOp {
 public:
  Pooling3dOp(const PrepareRequest& request, const Geometry& geometry, int threads)
      : arguments_(request.arguments), g_(geometry), threads_(threads), name_(fmt::format("own {} ({})", request.node.op->name, vector_unit())) {}
  std::string kernel_name() const override { return name_; }

 protected:
  const float* in(size_t i) const { return arguments_.inputs[i].data_as<const float>(); }
  float* out(size_t i) const { return arguments_.outputs[i].data_as<float>(); }
  /// body(sample, {k, i, j}, number of the voxel) for all voxels of these extents, split over the threads.
  template <class Body>
  void over_voxels(const std::array<int64_t, 3>& extents, const Body& body) const {
    const int64_t rows = g_.batch * extents[0] * extents[1];
    parallel_for(threads_, rows, g_.batch * g_.inputs() * g_.channels, [&](int64_t row) {
      const int64_t sample = row / (extents[0] * extents[1]), k = row / extents[1] % extents[0], i = row % extents[1];
      for (int64_t j = 0; j < extents[2]; ++j) body(sample, std::array<int64_t, 3>{k, i, j}, row * extents[2] + j);
    });
  }
  std::array<int64_t, 3> output_extents() const { return {g_.axes[0].output, g_.axes[1].output, g_.axes[2].output}; }
  std::array<int64_t, 3> input_extents() const { return {g_.axes[0].input, g_.axes[1].input, g_.axes[2].input}; }
  /// visit(voxel within the volume) for each input that output `at` covers, in their order.
  template <class Visit>
  void over_window(const std::array<int64_t, 3>& at, const Visit& visit) const {
    const auto& [d, h, w] = g_.axes;
    for (int64_t t = 0; t < d.kernel; ++t) {
      if (!d.covers(at[0], t)) continue;
      for (int64_t u = 0; u < h.kernel; ++u) {
        if (!h.covers(at[1], u)) continue;
        for (int64_t v = 0; v < w.kernel; ++v) {
          if (w.covers(at[2], v)) visit((d.position(at[0], t) * h.input + h.position(at[1], u)) * w.input + w.position(at[2], v));
        }
      }
    }
  }
  float share(const std::array<int64_t, 3>& at) const {
    double count = 1;
    for (size_t i = 0; i < 3; ++i) count *= static_cast<double>(g_.axes[i].counted(at[i], g_.with_padding));
    return static_cast<float>(1 / count);
  }

  KernelArguments arguments_;
  Geometry g_;
  int threads_;
  std::string name_;
  PoolingLoops loops_ = pooling_loops();
};

class MaxPool3d final : public Pooling3dOp {
 public:
  using Pooling3dOp::Pooling3dOp;
  void run() override {
    int32_t* indices = arguments_.outputs[1].data_as<int32_t>();
    over_voxels(output_extents(), [&](int64_t n, const auto& at, int64_t voxel) {
      const float* x = in(0) + n * g_.inputs() * g_.channels;
      bool first = true;
      over_window(at, [&](int64_t here) {
        take(x + here * g_.channels, here, first, out(0) + voxel * g_.channels, indices + voxel * g_.channels);
        first = false;
      });
      if (!first) return;
      std::fill_n(out(0) + voxel * g_.channels, g_.channels, -std::numeric_limits<float>::infinity());  // dilated past all inputs
      std::fill_n(indices + voxel * g_.channels, g_.channels, -1);
    });
  }

 private:
  /// A NaN wins, and the first of equals.
  void take(const float* x, int64_t here, bool first, float* best, int32_t* index) const {
    if (first) {
      std::copy_n(x, g_.channels, best);
      std::fill_n(index, g_.channels, static_cast<int32_t>(here));
      return;
    }
    for (int64_t c = 0; c < g_.channels; ++c) {
      const bool wins = x[c] > best[c] || (x[c] != x[c] && best[c] == best[c]);
      best[c] = wins ? x[c] : best[c];
      index[c] = wins ? static_cast<int32_t>(here) : index[c];
    }
  }
};

/// Adds each dy to the voxel its index names (others are left out); samples, and parts of the channels, are split over the threads.
class MaxPool3dGrad final : public Pooling3dOp {
 public:
  using Pooling3dOp::Pooling3dOp;
  void run() override {
    constexpr int64_t kLine = 16;  // floats
    const int64_t parts = (g_.channels + kLine - 1) / kLine;
    parallel_for(threads_, g_.batch * parts, g_.batch * g_.inputs() * g_.channels,
                 [&](int64_t task) { scatter(task / parts, task % parts * kLine, std::min(g_.channels, (task % parts + 1) * kLine)); });
  }

 private:
  void scatter(int64_t n, int64_t first, int64_t last) const {
    const int64_t channels = g_.channels, volume = g_.inputs(), windows = g_.outputs();
    const float* dy = in(0) + n * windows * channels;
    const int32_t* indices = arguments_.inputs[1].data_as<const int32_t>() + n * windows * channels;
    float* dx = out(0) + n * volume * channels;
    for (int64_t voxel = 0; voxel < volume; ++voxel) std::fill(dx + voxel * channels + first, dx + voxel * channels + last, 0.0f);
    for (int64_t voxel = 0; voxel < windows; ++voxel) {
      for (int64_t c = first; c < last; ++c) {
        const int64_t index = indices[voxel * channels + c];
        if (index >= 0 && index < volume) dx[index * channels + c] += dy[voxel * channels + c];
      }
    }
  }
};

class AveragePool3d final : public Pooling3dOp {
 public:
  using Pooling3dOp::Pooling3dOp;
  void run() override {
    over_voxels(output_extents(), [&](int64_t n, const auto& at, int64_t voxel) {
      const float* x = in(0) + n * g_.inputs() * g_.channels;
      const float factor = share(at);
      bool first = true;
      over_window(at, [&](int64_t here) {
        loops_.accumulate(x + here * g_.channels, g_.channels, factor, first, out(0) + voxel * g_.channels);
        first = false;
      });
    });
  }
};

class AveragePool3dGrad final : public Pooling3dOp {
 public:
  using Pooling3dOp::Pooling3dOp;
  void run() override {
    over_voxels(input_extents(), [&](int64_t n, const auto& at, int64_t voxel) {
      const float* dy = in(0) + n * g_.outputs() * g_.channels;
      float* dx = out(0) + voxel * g_.channels;
      bool first = true;
      std::array<std::pair<int64_t, int64_t>, 3> range;  // of outputs whose windows cover the voxel
      for (size_t i = 0; i < 3; ++i) {
        const Axis& a = g_.axes[i];
        const int64_t from = at[i] + a.padding - a.kernel + 1;
        range[i] = {from <= 0 ? 0 : (from + a.stride - 1) / a.stride, std::min(a.output, (at[i] + a.padding) / a.stride + 1)};
      }
      for (int64_t k = range[0].first; k < range[0].second; ++k) {
        for (int64_t i = range[1].first; i < range[1].second; ++i) {
          for (int64_t j = range[2].first; j < range[2].second; ++j) {
            const int64_t from = (k * g_.axes[1].output + i) * g_.axes[2].output + j;
            loops_.accumulate(dy + from * g_.channels, g_.channels, share({k, i, j}), first, dx);
            first = false;
          }
        }
      }
      if (first) std::fill_n(dx, g_.channels, 0.0f);  // no window covers it
    });
  }
};

template <class Op>
std::unique_ptr<PreparedOp> make(Context& context, const PrepareRequest& request, bool gradient) {
  const auto &in = request.arguments.inputs, &out = request.arguments.outputs;
  const Tensor &x = gradient ? out[0] : in[0], &y = gradient ? in[0] : out[0];
  if (!is_volume(x.type(), DType::float32) || !is_volume(y.type(), DType::float32)) return nullptr;
  if (gradient && in.size() > 1 && !is_volume(in[1].type(), DType::int32)) return nullptr;
  if (!gradient && out.size() > 1 && !is_volume(out[1].type(), DType::int32)) return nullptr;
  return std::make_unique<Op>(request, make_geometry(request.node.attributes, x.shape(), y.shape()), context.threads);
}

}  // namespace

std::unique_ptr<PreparedOp> prepare_max_pool3d(Context& context, const PrepareRequest& request) { return make<MaxPool3d>(context, request, false); }
std::unique_ptr<PreparedOp> prepare_max_pool3d_grad(Context& context, const PrepareRequest& request) { return make<MaxPool3dGrad>(context, request, true); }
std::unique_ptr<PreparedOp> prepare_average_pool3d(Context& context, const PrepareRequest& request) { return make<AveragePool3d>(context, request, false); }
std::unique_ptr<PreparedOp> prepare_average_pool3d_grad(Context& context, const PrepareRequest& request) { return make<AveragePool3dGrad>(context, request, true); }

}  // namespace engine::cpu
