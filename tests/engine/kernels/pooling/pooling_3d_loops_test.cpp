// SPDX-License-Identifier: Apache-2.0
// Pooling of volumes, and gradients of maxima, do what is said of them: their own code, compiled over a memory that
// notes each access.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "engine/kernels/core/describe_access.h"
#include "engine/kernels/pooling/pooling_3d_loops.h"
#include "engine/kernels/pooling/pooling_parts.h"
#include "engine/ops/ops.h"
#include "tests/engine/kernels/core/noted_kernels.h"

namespace engine {
namespace {

using loops::Voxel;

struct Layer {
  int64_t batch, channels;
  std::array<int64_t, 3> size;
  int64_t kernel, stride, padding, dilation = 1;
  bool of_depth = false;  ///< kernel, stride and padding are those of the depth; the other axes pass
};

TensorType volume(DType dtype, const Shape& s) {
  TensorType type = TensorType::contiguous(dtype, {s[0], s[2], s[3], s[4], s[1]});
  return {dtype, s, {type.strides[0], type.strides[4], type.strides[1], type.strides[2], type.strides[3]}};
}

float share_of(const loops::VolumeGeometry& g, const Voxel& out) {
  int64_t count = 1;
  for (size_t i = 0; i < 3; ++i) count *= g.axes[i].counted(out[i], false);
  return 1.0F / static_cast<float>(count);
}

/// The visitors of engine/kernels/pooling/pooling_3d.cpp over kernels that note; forwards x to y, backwards y (dy) to x
/// (dx).
struct Pool {
  const test::NotedKernels& own;
  loops::VolumeGeometry g;
  bool largest, forwards;
  std::vector<float> x, y;
  std::vector<int32_t> indices;
  int64_t sample = 0, to = 0, width = 0;
  Voxel at{};

  static constexpr bool stopped() { return false; }
  float share(const Voxel& out) const { return share_of(g, out); }
  float* x_of(int64_t voxel) { return x.data() + (sample * loops::voxels(g.inputs()) + voxel) * g.channels; }
  int64_t y_of(const Voxel& out) const {
    return (sample * loops::voxels(g.outputs()) + loops::voxel_number(g.outputs(), out)) * g.channels;
  }

  void begin(int64_t n, const Voxel& voxel, int64_t count = 1) {
    sample = n, at = voxel, width = count * g.channels;
    to = forwards ? y_of(voxel) : 0;
  }
  void take(int64_t input, bool first) {
    if (largest)
      cpu::MaxOfVolume<test::NotedScalars>{g.channels}.take(x_of(input), static_cast<int32_t>(input), first,
                                                            y.data() + to, indices.data() + to);
    else own.pooling.accumulate(x_of(input), width, share(at), first, y.data() + to);
  }
  void add(const Voxel& out, bool first) {
    own.pooling.accumulate(y.data() + y_of(out), g.channels, share(out), first,
                           x_of(loops::voxel_number(g.inputs(), at)));
  }
  void nothing() {
    if (largest) cpu::MaxOfVolume<test::NotedScalars>{g.channels}.nothing(y.data() + to, indices.data() + to);
    else if (!forwards) test::NotedScalars::zeros(x_of(loops::voxel_number(g.inputs(), at)), g.channels);
  }
};

template <class T>
access::Operand operand(DType dtype, const Shape& shape, const std::vector<T>& numbers) {
  return {shape.size() == 5 ? volume(dtype, shape) : TensorType::channels_last(dtype, shape),
          reinterpret_cast<uint64_t>(numbers.data()), 0};
}
std::vector<float> numbers(int64_t count, int64_t step) {
  std::vector<float> n(static_cast<size_t>(count));
  for (size_t i = 0; i < n.size(); ++i) n[i] = static_cast<float>(static_cast<int64_t>(i) * step % 31) - 15;
  return n;
}
int64_t result_of(int64_t size, const Layer& l) {
  return (size + 2 * l.padding - l.dilation * (l.kernel - 1) - 1) / l.stride + 1;
}

struct Case {
  Shape x, y;
  Node node;
  loops::VolumeGeometry g, averages;

  Case(const Layer& l, const std::string& op) : x{l.batch, l.channels}, y{l.batch, l.channels} {
    for (const int64_t size : l.size)
      x.push_back(size), y.push_back(l.of_depth && x.size() > 3 ? size : result_of(size, l));
    std::vector<int64_t> kernel(3, l.kernel), stride(3, l.stride), padding(6, l.padding);
    const std::vector<int64_t> dilation(3, l.dilation);
    for (const size_t i : {size_t{1}, size_t{2}}) {
      if (l.of_depth) kernel[i] = stride[i] = 1, padding[i] = padding[i + 3] = 0;
    }
    node.op = find_op(op);
    node.attributes = {{"kernel", kernel}, {"stride", stride}, {"padding", padding}};
    if (l.dilation != 1) node.attributes.set("dilation", dilation);
    g = loops::volume_geometry(x, y, kernel, stride, padding, dilation);
    averages = loops::average_geometry(x, y, kernel, stride, padding, dilation);
  }
};

/// Every pair of an output and an input within its window; body(sample, output, input).
template <class Body>
void over_pairs(const loops::VolumeGeometry& g, const Body& body) {
  const Voxel outputs = g.outputs();
  for (int64_t n = 0; n < g.batch; ++n) {
    for (int64_t o = 0; o < loops::voxels(outputs); ++o) {
      const Voxel out{o / (outputs[1] * outputs[2]), o / outputs[2] % outputs[1], o % outputs[2]};
      for (int64_t tap = 0; tap < g.axes[0].kernel * g.axes[1].kernel * g.axes[2].kernel; ++tap) {
        const Voxel at{tap / (g.axes[1].kernel * g.axes[2].kernel), tap / g.axes[2].kernel % g.axes[1].kernel,
                       tap % g.axes[2].kernel};
        Voxel in;
        bool inside = true;
        for (size_t i = 0; i < 3; ++i) {
          in[i] = g.axes[i].position(out[i], at[i]);
          inside = inside && g.axes[i].covers(out[i], at[i]);
        }
        if (inside) body(n, out, loops::voxel_number(g.inputs(), in));
      }
    }
  }
}

void check(const test::NotedKernels& own, const Layer& l, const std::string& op) {
  SCOPED_TRACE(testing::Message() << op << ", vectors of " << own.vector_bytes << ": " << l.batch << " x " << l.channels
                                  << ", kernel " << l.kernel << ", stride " << l.stride);
  const Case c(l, op);
  const bool forwards = !op.ends_with("_grad");
  Pool pool{.own = own,
            .g = c.g,
            .largest = op == "max_pool3d",
            .forwards = forwards,
            .x = numbers(l.batch * l.channels * loops::voxels(c.g.inputs()), 7),
            .y = numbers(l.batch * l.channels * loops::voxels(c.g.outputs()), 11),
            .indices = {}};
  pool.indices.resize(pool.y.size());
  const std::vector<float> dy = pool.y;
  if (op == "average_pool3d") pool.g = c.averages;
  test::noted().clear();
  for (int64_t row = 0; row < loops::volume_rows(pool.g, forwards ? pool.g.outputs() : pool.g.inputs()); ++row) {
    if (forwards && pool.largest) loops::pool_volume_row(c.g, row, pool);
    else if (forwards) loops::average_volume_row(pool.g, row, pool);
    else loops::average_pool_volume_grad_row(c.g, row, pool);
  }
  const access::Operand x = operand(DType::float32, c.x, pool.x), y = operand(DType::float32, c.y, pool.y);
  access::OpCall call{.node = c.node,
                      .inputs = {forwards ? x : y},
                      .outputs = {forwards ? y : x},
                      .vector_bytes = static_cast<int>(own.vector_bytes)};
  if (pool.largest) call.outputs.push_back(operand(DType::int32, c.y, pool.indices));
  test::Said said;
  EXPECT_EQ(access::describe(call, said), access::Fidelity::loops);
  test::expect_same(said.accesses, test::noted());

  std::vector<double> wanted(forwards ? pool.y.size() : pool.x.size(),
                             pool.largest ? -std::numeric_limits<double>::infinity() : 0);
  over_pairs(c.g, [&](int64_t n, const Voxel& out, int64_t in) {
    for (int64_t channel = 0; channel < l.channels; ++channel) {
      const auto from = static_cast<size_t>((n * loops::voxels(c.g.inputs()) + in) * l.channels + channel),
                 to = static_cast<size_t>((n * loops::voxels(c.g.outputs()) + loops::voxel_number(c.g.outputs(), out)) *
                                              l.channels +
                                          channel);
      if (pool.largest) wanted[to] = std::max<double>(wanted[to], pool.x[from]);
      else if (forwards) wanted[to] += pool.x[from] * share_of(c.g, out);
      else wanted[from] += dy[to] * share_of(c.g, out);
    }
  });
  const std::vector<float>& made = forwards ? pool.y : pool.x;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (std::isinf(wanted[i])) {
      ASSERT_EQ(made[i], wanted[i]) << i;
      ASSERT_EQ(pool.indices[i], -1) << i;
    } else {
      ASSERT_NEAR(made[i], wanted[i], 1e-4) << i;
    }
  }
}

TEST(Pooling3dLoops, WindowsAccessWhatIsSaidInTheirOrder) {
  for (const test::NotedKernels& own : test::noted_kernels()) {
    for (const Layer& l : {Layer{1, 37, {5, 6, 4}, 3, 2, 1},
                           {2, 16, {4, 4, 6}, 2, 2, 0},
                           {1, 5, {3, 5, 7}, 1, 3, 0},
                           {2, 5, {4, 5, 30}, 3, 1, 1},
                           {1, 1, {6, 5, 41}, 3, 1, 1},
                           {1, 1, {3, 4, 9}, 2, 1, 0},
                           {2, 3, {9, 5, 7}, 5, 2, 2, 1, true}}) {
      for (const char* op : {"max_pool3d", "average_pool3d", "average_pool3d_grad"}) check(own, l, op);
    }
    check(own, {1, 19, {6, 7, 6}, 2, 1, 1, 3}, "max_pool3d");
    check(own, {1, 3, {2, 2, 2}, 2, 1, 1, 3}, "max_pool3d");  // windows that reach over all of it
  }
}

/// The largest element is taken to be a window's first: with such indices the kernel does what is said.
void check_scatter(const Shape& x, const Shape& y, const Node& node, const loops::ScatterShape& shape,
                   const std::vector<int64_t>& first_input, int threads) {
  SCOPED_TRACE(testing::Message() << node.op->name << ", " << threads << " threads, " << shape.channels << " channels");
  std::vector<float> dy = numbers(shape.batch * shape.outputs * shape.channels, 11),
                     dx(static_cast<size_t>(shape.batch * shape.inputs * shape.channels), 77);
  std::vector<int32_t> indices(dy.size());
  std::vector<double> wanted(dx.size());
  for (size_t i = 0; i < indices.size(); ++i) {
    const int64_t pixel = static_cast<int64_t>(i) / shape.channels,
                  in = first_input[static_cast<size_t>(pixel % shape.outputs)];
    indices[i] = static_cast<int32_t>(in);
    if (in >= 0)
      wanted[static_cast<size_t>((pixel / shape.outputs * shape.inputs + in) * shape.channels) +
             i % static_cast<size_t>(shape.channels)] += dy[i];
  }
  test::noted().clear();
  const cpu::MaxPoolGradParts<test::NotedScalars> parts(shape, dy.data(), indices.data(), dx.data());
  for (int64_t task = 0; task < shape.tasks(); ++task) loops::max_pool_grad(shape, task, parts);
  test::Said said;
  EXPECT_EQ(access::describe({.node = node,
                              .inputs = {operand(DType::float32, y, dy), operand(DType::int32, y, indices)},
                              .outputs = {operand(DType::float32, x, dx)},
                              .threads = threads},
                             said),
            access::Fidelity::modelled);  // nobody knows the indices before the run
  test::expect_same(said.accesses, test::noted());
  for (size_t i = 0; i < dx.size(); ++i) ASSERT_EQ(dx[i], wanted[i]) << i;
}

TEST(Pooling3dLoops, GradientsOfMaximaAccessWhatIsSaidInItsOrder) {
  for (const Layer& l : {Layer{2, 37, {5, 6, 4}, 3, 2, 1}, {1, 16, {2, 2, 2}, 2, 1, 1, 3}}) {
    const Case c(l, "max_pool3d_grad");
    std::vector<int64_t> first(static_cast<size_t>(loops::voxels(c.g.outputs())), -1);
    over_pairs(c.g, [&](int64_t, const Voxel& out, int64_t in) {
      int64_t& of = first[static_cast<size_t>(loops::voxel_number(c.g.outputs(), out))];
      if (of < 0) of = in;
    });
    for (const int threads : {1, 4})
      check_scatter(c.x, c.y, c.node, loops::scatter_shape(c.g, threads), first, threads);
  }
  const std::vector<int64_t> kernel{3, 3}, stride{2, 2}, padding{1, 1, 1, 1};
  const Shape x{2, 21, 7, 6}, y{2, 21, 4, 3};
  Node node;
  node.op = find_op("max_pool2d_grad");
  node.attributes = {{"kernel", kernel}, {"stride", stride}, {"padding", padding}};
  const loops::PoolGeometry g = loops::pool_geometry(x, y, kernel, stride, padding);
  std::vector<int64_t> first;
  for (int64_t i = 0; i < 4; ++i) {
    for (int64_t j = 0; j < 3; ++j)
      first.push_back(std::max<int64_t>(0, 2 * i - 1) * 6 + std::max<int64_t>(0, 2 * j - 1));
  }
  for (const int threads : {1, 2, 3}) {
    const loops::ScatterShape shape = loops::scatter_shape(g, threads);
    EXPECT_EQ(shape.tasks(), threads <= 2 ? 2 : 4);
    check_scatter(x, y, node, shape, first, threads);
  }
}

}  // namespace
}  // namespace engine
