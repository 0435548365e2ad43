// SPDX-License-Identifier: Apache-2.0
// Gradients of convolutions as products do what is said of them: their own code, compiled over a memory that notes each
// access.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "engine/kernels/convolution/convolution_product_loops.h"
#include "engine/kernels/core/describe_access.h"
#include "engine/ops/ops.h"
#include "tests/engine/kernels/core/noted_kernels.h"

namespace engine {
namespace {

struct Layer {
  int64_t batch, inputs, outputs, size, stride;
  int64_t result() const { return (size - 1) / stride + 1; }  ///< with padding 1
  int64_t pixels() const { return batch * size * size; }
  int64_t rows() const { return batch * result() * result(); }
};

/// Small whole numbers.
std::vector<float> numbers(int64_t count) {
  std::vector<float> x(static_cast<size_t>(count));
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7 % 11) - 5;
  return x;
}

std::vector<int32_t> pixels_of(const Layer& l) {
  std::vector<int32_t> pixel_of;
  const loops::TapWindow window{
      .x = {l.size, l.size}, .y = {l.result(), l.result()}, .stride = {l.stride, l.stride}, .before = {1, 1}};
  for (int64_t row = 0; row < l.rows(); ++row) {
    for (int64_t tap = 0; tap < loops::kProductTaps; ++tap) {
      const int64_t image = row / (l.result() * l.result()), i = row / l.result() % l.result() * l.stride + tap / 3 - 1,
                    j = row % l.result() * l.stride + tap % 3 - 1;
      const int64_t wanted = i < 0 || j < 0 || i >= l.size || j >= l.size ? -1 : (image * l.size + i) * l.size + j;
      EXPECT_EQ(window.pixel(row, tap), wanted);
      pixel_of.push_back(static_cast<int32_t>(wanted < 0 ? l.pixels() : wanted));
    }
  }
  return pixel_of;
}

/// Runs both gradients by their own code, and holds their accesses against their descriptions and their results against
/// plain sums.
void check(const test::NotedKernels& own, const Layer& l, bool by_input) {
  SCOPED_TRACE(testing::Message() << (by_input ? "by input" : "by weight") << ", vectors of " << own.vector_bytes
                                  << ": " << l.inputs << " to " << l.outputs << ", " << l.batch << " x " << l.size
                                  << ", stride " << l.stride);
  std::vector<float> x = numbers(l.pixels() * l.inputs), dy = numbers(l.rows() * l.outputs),
                     w = numbers(l.outputs * l.inputs * 9);
  const std::vector<int32_t> pixel_of = pixels_of(l);
  const cpu::ProductConvolution problem{.rows = l.rows(),
                                        .pixels = l.pixels(),
                                        .inputs = l.inputs,
                                        .outputs = l.outputs,
                                        .weight_row = l.inputs * 9,
                                        .pixel_of = pixel_of.data()};
  const cpu::ProductConvolutionLoops& loops = own.convolution_product;
  std::vector<float> room(static_cast<size_t>((by_input ? loops.input_scratch : loops.weight_scratch)(problem)) + 16);
  float* const scratch = room.data() + (64 - reinterpret_cast<uint64_t>(room.data()) % 64) % 64 / sizeof(float);
  const std::vector<float> w_before = w, x_before = x;
  test::noted().clear();
  if (by_input) loops.grad_input(problem, dy.data(), w.data(), x.data(), 0, l.inputs / loops.lanes, scratch);
  else loops.grad_weight(problem, dy.data(), x.data(), w.data(), 0, l.inputs / loops.lanes, scratch);
  const auto inside = [](const std::vector<float>& array, const test::Access& a) {
    return a.address >= reinterpret_cast<uint64_t>(array.data()) &&
           a.address < reinterpret_cast<uint64_t>(array.data() + array.size());
  };
  std::vector<test::Access> done;  // zeros that stand for padding are the kernel's own
  std::ranges::copy_if(test::noted(), std::back_inserter(done), [&](const test::Access& a) {
    return inside(x, a) || inside(dy, a) || inside(w, a) || inside(room, a);
  });

  Node node;
  node.op = find_op(by_input ? "conv2d_grad_input" : "conv2d_grad_weight");
  node.attributes = {{"stride", std::vector<int64_t>(2, l.stride)},
                     {"padding", std::vector<int64_t>(4, 1)},
                     {"dilation", std::vector<int64_t>(2, 1)},
                     {"groups", int64_t{1}}};
  const auto at = [](const std::vector<float>& array) { return reinterpret_cast<uint64_t>(array.data()); };
  const access::Operand of_x{TensorType::channels_last(DType::float32, {l.batch, l.inputs, l.size, l.size}), at(x), 0},
      of_dy{TensorType::channels_last(DType::float32, {l.batch, l.outputs, l.result(), l.result()}), at(dy), 0},
      of_w{TensorType::contiguous(DType::float32, {l.outputs, l.inputs, 3, 3}), at(w), 0};
  test::Said said;
  access::describe({.node = node,
                    .inputs = {of_dy, by_input ? of_w : of_x},
                    .outputs = {by_input ? of_x : of_w},
                    .workspace_address = reinterpret_cast<uint64_t>(scratch),
                    .vector_bytes = static_cast<int>(own.vector_bytes)},
                   said);
  test::expect_same(said.accesses, done);

  std::vector<double> wanted(by_input ? x.size() : w.size());
  for (int64_t row = 0; row < l.rows(); ++row) {
    for (int64_t o = 0; o < l.outputs; ++o) {
      for (int64_t tap = 0; tap < 9; ++tap) {
        const int64_t pixel = pixel_of[static_cast<size_t>(row * 9 + tap)];
        for (int64_t c = 0; c < l.inputs && pixel < l.pixels(); ++c) {
          const auto of_image = static_cast<size_t>(pixel * l.inputs + c),
                     of_weight = static_cast<size_t>((o * l.inputs + c) * 9 + tap);
          const double g = dy[static_cast<size_t>(row * l.outputs + o)];
          if (by_input) wanted[of_image] += g * w_before[of_weight];
          else wanted[of_weight] += g * x_before[of_image];
        }
      }
    }
  }
  const std::vector<float>& result = by_input ? x : w;
  for (size_t i = 0; i < wanted.size(); ++i) ASSERT_EQ(result[i], wanted[i]) << i;
}

TEST(ConvolutionProductLoops, GradientsAccessWhatIsSaidInItsOrder) {
  for (const test::NotedKernels& own : test::noted_kernels()) {
    for (const Layer& l : {Layer{1, 32, 66, 7, 1}, {2, 16, 64, 5, 2}, {1, 16, 64, 2, 1}, {1, 16, 70, 1, 1}}) {
      check(own, l, false);
      check(own, l, true);
    }
  }
}

}  // namespace
}  // namespace engine
