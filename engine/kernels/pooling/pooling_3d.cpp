// SPDX-License-Identifier: Apache-2.0
// Max and average pooling of channels-last f32 volumes and their gradients: all channels of a voxel at a time, by the
// loops that images are pooled with; of averages, all voxels beside each other whose windows go along. The gradient of
// the average is in gather form, so that rows of voxels can be split over threads.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>

#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/parallel.h"
#include "engine/kernels/core/vector_unit.h"
#include "engine/kernels/pooling/pooling_3d_loops.h"
#include "engine/kernels/pooling/pooling_parts.h"
#include "engine/kernels/pooling/pooling_simd.h"

namespace engine::cpu {
namespace {

struct Geometry : loops::VolumeGeometry {
  bool with_padding = false;

  /// One over what an average divides by.
  float share(const loops::Voxel& out) const {
    double count = 1;
    for (size_t i = 0; i < 3; ++i) count *= static_cast<double>(axes[i].counted(out[i], with_padding));
    return static_cast<float>(1 / count);
  }
};

Geometry make_geometry(const Attributes& a, const Shape& x, const Shape& y, bool averages) {
  const auto kernel = a.get_ints("kernel", {1, 1, 1}), stride = a.get_ints("stride", {1, 1, 1}),
             padding = a.get_ints("padding", {0, 0, 0, 0, 0, 0}), dilation = a.get_ints("dilation", {1, 1, 1});
  return {averages ? loops::average_geometry(x, y, kernel, stride, padding, dilation)
                   : loops::volume_geometry(x, y, kernel, stride, padding, dilation),
          a.get_int("count_include_pad", 0) != 0};
}

/// Rank 5, channels last up to axes of extent 1.
bool is_volume(const TensorType& type, DType dtype) {
  if (type.dtype != dtype || type.rank() != 5) return false;
  const Shape& s = type.shape;
  const Strides stored = contiguous_strides({s[0], s[2], s[3], s[4], s[1]}),
                wanted{stored[0], stored[4], stored[1], stored[2], stored[3]};
  for (size_t axis = 0; axis < 5; ++axis) {
    if (s[axis] != 1 && type.strides[axis] != wanted[axis]) return false;
  }
  return true;
}

class Pooling3dOp : public PreparedOp {
 public:
  Pooling3dOp(const PrepareRequest& request, const Geometry& geometry, int threads)
      : arguments_(request.arguments),
        g_(geometry),
        threads_(threads),
        name_(fmt::format("own {} ({})", request.node.op->name, vector_unit())) {}
  KernelFacts facts() const override { return {.name = name_}; }

 protected:
  const float* in(size_t i) const { return arguments_.inputs[i].data_as<const float>(); }
  float* out(size_t i) const { return arguments_.outputs[i].data_as<float>(); }
  /// body(row) for all rows of voxels of these extents, split over the threads.
  template <class Body>
  void over_rows(const loops::Voxel& extents, const Body& body) const {
    parallel_for(threads_, loops::volume_rows(g_, extents), g_.batch * loops::voxels(g_.inputs()) * g_.channels, body);
  }
  /// Where a voxel of the result, and the sample it comes from, begin.
  int64_t to(const loops::Voxel& extents, int64_t sample, const loops::Voxel& at) const {
    return (sample * loops::voxels(extents) + loops::voxel_number(extents, at)) * g_.channels;
  }
  int64_t from(const loops::Voxel& extents, int64_t sample) const {
    return sample * loops::voxels(extents) * g_.channels;
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
    over_rows(g_.outputs(), [&](int64_t row) {
      Row parts{{}, *this, {g_.channels}};
      loops::pool_volume_row(g_, row, parts);
    });
  }

 private:
  struct Row : loops::Computes {
    const MaxPool3d& op;
    MaxOfVolume<> largest;
    const float* x = nullptr;
    float* y = nullptr;
    int32_t* indices = nullptr;
    void begin(int64_t sample, const loops::Voxel& at) {
      const int64_t to = op.to(op.g_.outputs(), sample, at);
      x = op.in(0) + op.from(op.g_.inputs(), sample);
      y = op.out(0) + to;
      indices = op.arguments_.outputs[1].data_as<int32_t>() + to;
    }
    void take(int64_t here, bool first) const {
      largest.take(x + here * op.g_.channels, static_cast<int32_t>(here), first, y, indices);
    }
    void nothing() const { largest.nothing(y, indices); }
  };
};

/// Samples, and parts of the channels, are split over the threads.
class MaxPool3dGrad final : public Pooling3dOp {
 public:
  using Pooling3dOp::Pooling3dOp;
  void run() override {
    const loops::ScatterShape shape = loops::scatter_shape(g_, threads_);
    const MaxPoolGradParts<> parts(shape, in(0), arguments_.inputs[1].data_as<const int32_t>(), out(0));
    parallel_for(threads_, shape.tasks(), g_.batch * shape.inputs * g_.channels,
                 [&](int64_t task) { loops::max_pool_grad(shape, task, parts); });
  }
};

class AveragePool3d final : public Pooling3dOp {
 public:
  using Pooling3dOp::Pooling3dOp;
  void run() override {
    over_rows(g_.outputs(), [&](int64_t row) {
      Row parts{{}, *this};
      loops::average_volume_row(g_, row, parts);
    });
  }

 private:
  struct Row : loops::Computes {
    const AveragePool3d& op;
    const float* x = nullptr;
    float* y = nullptr;
    float share = 0;
    int64_t width = 0;  ///< elements of the stretch
    void begin(int64_t sample, const loops::Voxel& at, int64_t count) {
      width = count * op.g_.channels;
      x = op.in(0) + op.from(op.g_.inputs(), sample);
      y = op.out(0) + op.to(op.g_.outputs(), sample, at);
      share = op.g_.share(at);
    }
    void take(int64_t here, bool first) const {
      op.loops_.accumulate(x + here * op.g_.channels, width, share, first, y);
    }
    void nothing() const {}
  };
};

class AveragePool3dGrad final : public Pooling3dOp {
 public:
  using Pooling3dOp::Pooling3dOp;
  void run() override {
    over_rows(g_.inputs(), [&](int64_t row) {
      Row parts{{}, *this};
      loops::average_pool_volume_grad_row(g_, row, parts);
    });
  }

 private:
  struct Row : loops::Computes {
    const AveragePool3dGrad& op;
    const float* dy = nullptr;
    float* dx = nullptr;
    void begin(int64_t sample, const loops::Voxel& at) {
      dy = op.in(0) + op.from(op.g_.outputs(), sample);
      dx = op.out(0) + op.to(op.g_.inputs(), sample, at);
    }
    void add(const loops::Voxel& out, bool first) const {
      op.loops_.accumulate(dy + loops::voxel_number(op.g_.outputs(), out) * op.g_.channels, op.g_.channels,
                           op.g_.share(out), first, dx);
    }
    void nothing() const { std::fill_n(dx, op.g_.channels, 0.0f); }
  };
};

template <class Op>
std::unique_ptr<PreparedOp> make(Context& context, const PrepareRequest& request, bool gradient) {
  const auto &in = request.arguments.inputs, &out = request.arguments.outputs;
  const Tensor &x = gradient ? out[0] : in[0], &y = gradient ? in[0] : out[0];
  if (!is_volume(x.type(), DType::float32) || !is_volume(y.type(), DType::float32)) return nullptr;
  if (gradient && in.size() > 1 && !is_volume(in[1].type(), DType::int32)) return nullptr;
  if (!gradient && out.size() > 1 && !is_volume(out[1].type(), DType::int32)) return nullptr;
  return std::make_unique<Op>(
      request, make_geometry(request.node.attributes, x.shape(), y.shape(), std::is_same_v<Op, AveragePool3d>),
      context.threads);
}

/// f32, channels last. Max puts out indices within the volume too, average has no dilation.
std::unique_ptr<PreparedOp> prepare_max_pool3d(Context& context, const PrepareRequest& request) {
  return make<MaxPool3d>(context, request, false);
}
std::unique_ptr<PreparedOp> prepare_max_pool3d_grad(Context& context, const PrepareRequest& request) {
  return make<MaxPool3dGrad>(context, request, true);
}
std::unique_ptr<PreparedOp> prepare_average_pool3d(Context& context, const PrepareRequest& request) {
  return make<AveragePool3d>(context, request, false);
}
std::unique_ptr<PreparedOp> prepare_average_pool3d_grad(Context& context, const PrepareRequest& request) {
  return make<AveragePool3dGrad>(context, request, true);
}

}  // namespace

std::span<const Kernel> volume_pooling_kernels() {
  static constexpr Kernel kKernels[] = {
      {"max_pool3d", prepare_max_pool3d},
      {"max_pool3d_grad", prepare_max_pool3d_grad},
      {"average_pool3d", prepare_average_pool3d},
      {"average_pool3d_grad", prepare_average_pool3d_grad},
  };
  return kKernels;
}

}  // namespace engine::cpu
