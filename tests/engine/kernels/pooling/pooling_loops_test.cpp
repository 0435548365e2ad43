// SPDX-License-Identifier: Apache-2.0
// Pooling does what is said of it: its own code, compiled over a memory that notes each access.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "engine/kernels/core/describe_access.h"
#include "engine/kernels/pooling/pooling_loops.h"
#include "engine/ops/ops.h"
#include "tests/engine/kernels/core/noted_kernels.h"

namespace engine {
namespace {

struct Layer {
  int64_t batch, channels, size, kernel, stride, padding;  ///< padding before; one more than that after
};

/// The visitor of engine/kernels/pooling/pooling.cpp over kernels that note; forwards x to y, backwards y (dy) to x
/// (dx).
struct Pool {
  const cpu::PoolingLoops& kernels;
  loops::PoolGeometry g;
  bool largest;
  std::vector<float> x, y;
  std::vector<int32_t> indices;

  static constexpr bool stopped() { return false; }
  float* x_at(int64_t sample, int64_t row, int64_t column) {
    return x.data() + ((sample * g.height.input + row) * g.width.input + column) * g.channels;
  }
  int64_t y_at(int64_t sample, int64_t i, int64_t j) const {
    return ((sample * g.height.output + i) * g.width.output + j) * g.channels;
  }
  static float factor(const loops::Window& w) {
    return 1.0F / static_cast<float>((w.bottom - w.top) * (w.right - w.left));
  }

  void window(int64_t sample, int64_t i, int64_t j, const loops::Window& w) {
    if (largest)
      kernels.max(x_at(sample, 0, 0), w, g.width.input, g.channels, y.data() + y_at(sample, i, j),
                  indices.data() + y_at(sample, i, j));
    else kernels.average(x_at(sample, 0, 0), w, g.width.input, g.channels, factor(w), y.data() + y_at(sample, i, j));
  }
  void uncovered(int64_t sample, int64_t row, int64_t column) {
    for (int64_t c = 0; c < g.channels; ++c) {
      x_at(sample, row, column)[c] = 0;
      test::noted().push_back({reinterpret_cast<uint64_t>(x_at(sample, row, column) + c), 4, true});
    }
  }
  void add(int64_t sample, int64_t row, int64_t column, int64_t i, int64_t j, bool first) {
    kernels.accumulate(y.data() + y_at(sample, i, j), g.channels, factor(g.inputs_of(i, j)), first,
                       x_at(sample, row, column));
  }
};

void check(const test::NotedKernels& own, const Layer& l, const std::string& op) {
  SCOPED_TRACE(testing::Message() << op << ", vectors of " << own.vector_bytes << ": " << l.batch << " x " << l.channels
                                  << " x " << l.size << ", kernel " << l.kernel << ", stride " << l.stride);
  const bool global = op.starts_with("global"), backwards = op.ends_with("_grad"), largest = op == "max_pool2d";
  const int64_t result = global ? 1 : (l.size + 2 * l.padding + 1 - l.kernel) / l.stride + 1;
  const Shape x_shape{l.batch, l.channels, l.size, l.size}, y_shape{l.batch, l.channels, result, result};
  const std::vector<int64_t> kernel{l.kernel, l.kernel}, stride{l.stride, l.stride},
      padding{l.padding, l.padding, l.padding + 1, l.padding + 1};
  Pool pool{.kernels = own.pooling,
            .g = global ? loops::pool_geometry_of_planes(x_shape)
                        : loops::pool_geometry(x_shape, y_shape, kernel, stride, padding),
            .largest = largest,
            .x = {},
            .y = {},
            .indices = {}};
  const auto numbers = [](const Shape& s, int64_t step) {
    std::vector<float> n(static_cast<size_t>(s[0] * s[1] * s[2] * s[3]));
    for (size_t i = 0; i < n.size(); ++i) n[i] = static_cast<float>(static_cast<int64_t>(i) * step % 31) - 15;
    return n;
  };
  pool.x = numbers(x_shape, 7), pool.y = numbers(y_shape, 11), pool.indices.resize(pool.y.size());
  test::noted().clear();
  for (int64_t sample = 0; sample < l.batch; ++sample) {
    for (int64_t row = 0; row < (backwards ? l.size : result); ++row) {
      if (backwards) loops::average_pool_grad_row(pool.g, sample, row, pool);
      else loops::pool_row(pool.g, sample, row, pool);
    }
  }

  Node node;
  node.op = find_op(op);
  if (!global) node.attributes = {{"kernel", kernel}, {"stride", stride}, {"padding", padding}};
  const access::Operand x{TensorType::channels_last(DType::float32, x_shape), reinterpret_cast<uint64_t>(pool.x.data()),
                          0},
      y{TensorType::channels_last(DType::float32, y_shape), reinterpret_cast<uint64_t>(pool.y.data()), 0},
      indices{TensorType::channels_last(DType::int32, y_shape), reinterpret_cast<uint64_t>(pool.indices.data()), 0};
  access::OpCall call{.node = node,
                      .inputs = {backwards ? y : x},
                      .outputs = {backwards ? x : y},
                      .vector_bytes = static_cast<int>(own.vector_bytes)};
  if (largest) call.outputs.push_back(indices);
  test::Said said;
  EXPECT_EQ(access::describe(call, said), access::Fidelity::loops);
  test::expect_same(said.accesses, test::noted());

  const auto element = [&](const std::vector<float>& image, int64_t extent, int64_t n, int64_t i, int64_t j,
                           int64_t c) {
    return image[static_cast<size_t>(((n * extent + i) * extent + j) * l.channels + c)];
  };
  std::vector<double> wanted(backwards ? pool.x.size() : pool.y.size());
  for (int64_t n = 0; n < l.batch; ++n) {
    for (int64_t pixel = 0; pixel < result * result; ++pixel) {
      const int64_t i = pixel / result, j = pixel % result;
      const loops::Window w = pool.g.inputs_of(i, j);
      for (int64_t c = 0; c < l.channels; ++c) {
        double best = -std::numeric_limits<double>::infinity(), sum = 0;
        for (int64_t h = w.top; h < w.bottom; ++h) {
          for (int64_t v = w.left; v < w.right; ++v) {
            if (backwards)
              wanted[static_cast<size_t>(((n * l.size + h) * l.size + v) * l.channels + c)] +=
                  element(pool.y, result, n, i, j, c) * Pool::factor(w);
            best = std::max<double>(best, element(pool.x, l.size, n, h, v, c));
            sum += element(pool.x, l.size, n, h, v, c);
          }
        }
        if (!backwards)
          wanted[static_cast<size_t>(((n * result + i) * result + j) * l.channels + c)] =
              largest ? best : sum * Pool::factor(w);
      }
    }
  }
  const std::vector<float>& made = backwards ? pool.x : pool.y;
  for (size_t i = 0; i < wanted.size(); ++i) ASSERT_NEAR(made[i], wanted[i], 1e-4) << i;
}

TEST(PoolingLoops, WindowsAccessWhatIsSaidInTheirOrder) {
  for (const test::NotedKernels& own : test::noted_kernels()) {
    for (const Layer& l : {Layer{1, 70, 9, 3, 2, 1}, {2, 16, 6, 2, 2, 0}, {1, 5, 7, 3, 1, 1}, {1, 130, 5, 1, 3, 0}}) {
      for (const char* op :
           {"max_pool2d", "average_pool2d", "average_pool2d_grad", "global_average_pool", "global_average_pool_grad"})
        check(own, l, op);
    }
  }
}

}  // namespace
}  // namespace engine
