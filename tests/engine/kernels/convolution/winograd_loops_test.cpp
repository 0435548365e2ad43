// SPDX-License-Identifier: Apache-2.0
// 3x3 convolutions by Winograd's minimal filtering do what is said of them: their own code, compiled over a memory that
// notes each access, on every vector unit of this machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/kernels/convolution/winograd_rule.h"
#include "engine/kernels/core/describe_access.h"
#include "engine/ops/ops.h"
#include "tests/engine/kernels/core/noted_kernels.h"

namespace engine {
namespace {

struct Layer {
  int64_t batch, inputs, outputs, height, width;
  int64_t padding = 1;  ///< on all sides
  bool by_input = false, constant = true, bias = false;
  int threads = 1;
  bool joint = false;  ///< what the cut is expected to choose

  int64_t result_height() const { return height + 2 * padding - 2; }
  int64_t result_width() const { return width + 2 * padding - 2; }
};

std::vector<float> numbers(int64_t count) {
  std::vector<float> x(static_cast<size_t>(count));
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7 % 11) - 5;
  return x;
}

float* aligned(std::vector<float>& room) {
  return room.data() + (64 - reinterpret_cast<uint64_t>(room.data()) % 64) % 64 / sizeof(float);
}

/// y [batch, outputs] channels last as plain sums, of x and kernels [outputs, inputs, 3, 3].
std::vector<double> plain(const Layer& l, const std::vector<float>& x, const std::vector<float>& w,
                          const std::vector<float>& bias) {
  const int64_t high = l.result_height(), wide = l.result_width();
  std::vector<double> y(static_cast<size_t>(l.batch * high * wide * l.outputs));
  for (int64_t n = 0; n < l.batch; ++n)
    for (int64_t i = 0; i < high; ++i)
      for (int64_t j = 0; j < wide; ++j)
        for (int64_t o = 0; o < l.outputs; ++o) {
          double sum = l.bias ? bias[static_cast<size_t>(o)] : 0;
          for (int64_t tap = 0; tap < 9; ++tap) {
            const int64_t row = i + tap / 3 - l.padding, column = j + tap % 3 - l.padding;
            if (row < 0 || row >= l.height || column < 0 || column >= l.width) continue;
            for (int64_t c = 0; c < l.inputs; ++c)
              sum += static_cast<double>(
                         x[static_cast<size_t>(((n * l.height + row) * l.width + column) * l.inputs + c)]) *
                     (l.by_input ? w[static_cast<size_t>((c * l.outputs + o) * 9 + 8 - tap)]
                                 : w[static_cast<size_t>((o * l.inputs + c) * 9 + tap)]);
          }
          y[static_cast<size_t>(((n * high + i) * wide + j) * l.outputs + o)] = sum;
        }
  return y;
}

void check(const test::NotedKernels& own, const Layer& l) {
  SCOPED_TRACE(testing::Message() << "vectors of " << own.vector_bytes << ": " << l.batch << " x " << l.inputs << " to "
                                  << l.outputs << ", " << l.height << " x " << l.width << ", padding " << l.padding
                                  << (l.by_input ? ", by input" : "") << (l.constant ? "" : ", new weights"));
  const int64_t high = l.result_height(), wide = l.result_width();
  std::vector<float> x = numbers(l.batch * l.height * l.width * l.inputs), w = numbers(l.inputs * l.outputs * 9),
                     bias = numbers(l.outputs), y(static_cast<size_t>(l.batch * high * wide * l.outputs));
  const auto at = [](const std::vector<float>& array) { return reinterpret_cast<uint64_t>(array.data()); };
  const TensorType of_x = TensorType::channels_last(DType::float32, {l.batch, l.inputs, l.height, l.width}),
                   of_y = TensorType::channels_last(DType::float32, {l.batch, l.outputs, high, wide}),
                   of_w = TensorType::contiguous(DType::float32, l.by_input ? Shape{l.inputs, l.outputs, 3, 3}
                                                                            : Shape{l.outputs, l.inputs, 3, 3});
  Node node;
  node.op = find_op(l.by_input ? "conv2d_grad_input" : "conv2d");
  node.attributes = {{"padding", std::vector<int64_t>(4, l.by_input ? 2 - l.padding : l.padding)}};
  const auto shape =
      winograd_rule::shape_of(l.by_input, node.attributes, l.by_input ? of_y : of_x, of_w, l.by_input ? of_x : of_y);
  ASSERT_TRUE(shape);
  const cpu::WinogradLoops& loops = own.winograd;
  const loops::WinogradCut cut(*shape, loops.lanes, l.threads);
  std::vector<float> u_room(static_cast<size_t>(cut.weights(*shape)) + 32),
      room(static_cast<size_t>(cut.scratch(*shape) + (l.constant ? 0 : cut.weights(*shape))) + 32);
  float *const workspace = aligned(room), *const u = l.constant ? aligned(u_room) : workspace,
               *const scratch = l.constant ? workspace : workspace + loops::in_lines(cut.weights(*shape));
  const cpu::WinogradWeights kernels =
      l.by_input
          ? cpu::WinogradWeights{.data = w.data() + 8, .output = 9, .input = l.outputs * 9, .row = -3, .column = -1}
          : cpu::WinogradWeights{.data = w.data(), .output = l.inputs * 9, .input = 9, .row = 3, .column = 1};
  const auto layout = [](const TensorType& t) { return cpu::WinogradImages{t.strides[0], t.strides[2], t.strides[3]}; };
  const cpu::WinogradCall call{.shape = *shape,
                               .cut = cut,
                               .x_layout = layout(of_x),
                               .y_layout = layout(of_y),
                               .x = x.data(),
                               .u = u,
                               .bias = l.bias ? bias.data() : nullptr,
                               .y = y.data()};
  test::noted().clear();
  loops.weights(*shape, cut, kernels, nullptr, {0, l.inputs}, u);
  if (l.constant) test::noted().clear();
  for (int64_t index = 0; index < cut.units; ++index) {
    const loops::Range unit = cut.unit(*shape, index);
    if (!cut.joint) {
      loops.unit(call, unit, scratch);
      continue;
    }
    // As two threads share it, one after the other.
    const auto halves = [](int64_t begin, int64_t end, const auto& part) {
      part(loops::Range{begin, (begin + end) / 2});
      part(loops::Range{(begin + end) / 2, end});
    };
    halves(unit.begin, unit.end, [&](loops::Range tiles) { loops.transform(call, unit, tiles, scratch); });
    halves(0, 36 * cut.panels(), [&](loops::Range products) { loops.multiply(call, unit, products, scratch); });
    halves(unit.begin, unit.end, [&](loops::Range tiles) { loops.results(call, unit, tiles, scratch); });
  }
  EXPECT_EQ(cut.joint, l.joint);
  const std::vector<test::Access> done = test::noted();

  access::OpCall op{.node = node,
                    .inputs = {{of_x, at(x), 0}, {of_w, at(w), 0}},
                    .outputs = {{of_y, at(y), 0}},
                    .workspace_address = reinterpret_cast<uint64_t>(workspace),
                    .vector_bytes = static_cast<int>(own.vector_bytes),
                    .winograd_tile = 4,
                    .winograd_weights = reinterpret_cast<uint64_t>(u),
                    .own_products = true,
                    .threads = l.threads,
                    .constant_weights = l.constant};
  if (l.bias) op.inputs.push_back({TensorType::contiguous(DType::float32, {l.outputs}), at(bias), 0});
  test::Said said;
  EXPECT_EQ(access::describe(op, said), access::Fidelity::loops);
  test::expect_same(said.accesses, done);

  const std::vector<double> wanted = plain(l, x, w, bias);
  for (size_t i = 0; i < wanted.size(); ++i)
    ASSERT_NEAR(y[i], wanted[i], 2e-5 * 25 * 9 * static_cast<double>(l.inputs)) << i;
}

TEST(WinogradLoops, AccessWhatIsSaidInItsOrder) {
  for (const test::NotedKernels& own : test::noted_kernels()) {
    for (const Layer& l : {
             Layer{.batch = 1, .inputs = 16, .outputs = 64, .height = 13, .width = 9, .bias = true},
             Layer{.batch = 2,
             .inputs = 20,
             .outputs = 36,
             .height = 8,
             .width = 11,
             .constant = false,
             .threads = 2,
             .joint = true},
             Layer{.batch = 3, .inputs = 131, .outputs = 17, .height = 4, .width = 5},
             Layer{.batch = 1, .inputs = 40, .outputs = 24, .height = 10, .width = 10, .padding = 0, .bias = true},
             Layer{.batch = 1, .inputs = 24, .outputs = 40, .height = 10, .width = 12, .padding = 2, .by_input = true},
             Layer{
                 .batch = 1, .inputs = 33, .outputs = 70, .height = 7, .width = 7, .by_input = true, .constant = false},
             Layer{.batch = 2,
             .inputs = 130,
             .outputs = 144,
             .height = 6,
             .width = 9,
             .bias = true,
             .threads = 2,
             .joint = true},
             Layer{.batch = 1, .inputs = 3, .outputs = 5, .height = 70, .width = 450, .threads = 2},
         })
      check(own, l);
  }
}

/// dW of x and dy, by its own code and as plain sums.
void check_gradient(const test::NotedKernels& own, const Layer& l) {
  SCOPED_TRACE(testing::Message() << "vectors of " << own.vector_bytes << ": " << l.batch << " x " << l.inputs << " to "
                                  << l.outputs << ", " << l.height << " x " << l.width << ", padding " << l.padding);
  const int64_t high = l.result_height(), wide = l.result_width();
  const std::vector<float> x = numbers(l.batch * l.height * l.width * l.inputs),
                           dy = numbers(l.batch * high * wide * l.outputs);
  std::vector<float> dw(static_cast<size_t>(l.inputs * l.outputs * 9));
  const auto at = [](const std::vector<float>& array) { return reinterpret_cast<uint64_t>(array.data()); };
  const TensorType of_x = TensorType::channels_last(DType::float32, {l.batch, l.inputs, l.height, l.width}),
                   of_y = TensorType::channels_last(DType::float32, {l.batch, l.outputs, high, wide}),
                   of_w = TensorType::contiguous(DType::float32, {l.outputs, l.inputs, 3, 3});
  Node node;
  node.op = find_op("conv2d_grad_weight");
  node.attributes = {{"padding", std::vector<int64_t>(4, l.padding)}};
  const auto shape = winograd_rule::shape_of(false, node.attributes, of_x, of_w, of_y);
  ASSERT_TRUE(shape);
  const loops::WinogradGradientCut cut(*shape, own.winograd.lanes);
  std::vector<float> room(static_cast<size_t>(cut.scratch(*shape) + cut.weights(*shape)) + 48);
  float *const u = aligned(room), *const scratch = u + loops::in_lines(cut.weights(*shape));
  const cpu::WinogradGradientCall call{.shape = *shape,
                                       .cut = cut,
                                       .x_layout = {of_x.strides[0], of_x.strides[2], of_x.strides[3]},
                                       .y_layout = {of_y.strides[0], of_y.strides[2], of_y.strides[3]},
                                       .x = x.data(),
                                       .dy = dy.data(),
                                       .u = u,
                                       .dw = dw.data(),
                                       .output = l.inputs * 9,
                                       .input = 9,
                                       .row = 3,
                                       .column = 1};
  test::noted().clear();
  const cpu::WinogradGradientLoops& steps = own.winograd.gradient;
  for (int64_t index = 0; index < cut.units; ++index) {
    const loops::Range unit = cut.unit(*shape, index);
    steps.transform(call, unit, unit, scratch);
    steps.spread(call, unit, unit, scratch);
    steps.sums(call, unit, {0, 36 * cut.panels()}, scratch);
  }
  steps.gradients(call, {0, l.inputs});
  const std::vector<test::Access> done = test::noted();
  const access::OpCall op{.node = node,
                          .inputs = {{of_y, at(dy), 0}, {of_x, at(x), 0}},
                          .outputs = {{of_w, at(dw), 0}},
                          .workspace_address = reinterpret_cast<uint64_t>(u),
                          .vector_bytes = static_cast<int>(own.vector_bytes),
                          .winograd_tile = 4,
                          .own_products = true};
  test::Said said;
  EXPECT_EQ(access::describe(op, said), access::Fidelity::loops);
  test::expect_same(said.accesses, done);

  for (int64_t o = 0; o < l.outputs; ++o) {
    for (int64_t c = 0; c < l.inputs; ++c) {
      for (int64_t tap = 0; tap < 9; ++tap) {
        double sum = 0;
        for (int64_t n = 0; n < l.batch; ++n) {
          for (int64_t i = 0; i < high; ++i) {
            for (int64_t j = 0; j < wide; ++j) {
              const int64_t row = i + tap / 3 - l.padding, column = j + tap % 3 - l.padding;
              if (row < 0 || row >= l.height || column < 0 || column >= l.width) continue;
              sum += static_cast<double>(dy[static_cast<size_t>(((n * high + i) * wide + j) * l.outputs + o)]) *
                     x[static_cast<size_t>(((n * l.height + row) * l.width + column) * l.inputs + c)];
            }
          }
        }
        ASSERT_NEAR(dw[static_cast<size_t>((o * l.inputs + c) * 9 + tap)], sum,
                    2e-5 * 25 * static_cast<double>(l.batch * high * wide))
            << o << " " << c << " " << tap;
      }
    }
  }
}

TEST(WinogradLoops, GradientsAccessWhatIsSaidInTheirOrder) {
  for (const test::NotedKernels& own : test::noted_kernels()) {
    for (const Layer& l : {
             Layer{.batch = 1, .inputs = 16, .outputs = 64, .height = 13, .width = 9},
             Layer{.batch = 3, .inputs = 20, .outputs = 36, .height = 30, .width = 31},
             Layer{.batch = 1, .inputs = 19, .outputs = 70, .height = 12, .width = 10, .padding = 0},
             Layer{.batch = 2, .inputs = 33, .outputs = 17, .height = 8, .width = 7, .padding = 2},
         })
      check_gradient(own, l);
  }
}

/// Every result is of one unit, and is told of once.
TEST(WinogradLoops, UnitsCoverTheImages) {
  const auto square = [](int64_t images, int64_t channels, int64_t high, int64_t wide) {
    return loops::WinogradShape{.images = images,
                                .inputs = channels,
                                .outputs = channels,
                                .x_height = high,
                                .x_width = wide,
                                .height = high,
                                .width = wide};
  };
  for (const loops::WinogradShape& s : {square(3, 64, 9, 9), square(1, 512, 5, 5), square(2, 8, 300, 700),
                                        square(1, 128, 8, 9001), square(5, 16, 4, 3)}) {
    for (const int threads : {1, 2, 7}) {
      const loops::WinogradCut cut(s, 16, threads);
      int64_t tiles = 0;
      std::vector<int> told(static_cast<size_t>(s.images * s.height * s.width));
      for (int64_t index = 0; index < cut.units; ++index) {
        const loops::Range unit = cut.unit(s, index);
        EXPECT_EQ(unit.begin, tiles);
        EXPECT_GT(unit.size(), 0);
        EXPECT_LE(unit.size(), cut.block);
        tiles = unit.end;
        loops::winograd_stretches(s, unit, [&](int64_t first, int64_t count) {
          for (int64_t i = first; i < first + count; ++i) ++told.at(static_cast<size_t>(i));
        });
      }
      EXPECT_EQ(tiles, s.tiles());
      EXPECT_EQ(std::ranges::count(told, 1), std::ssize(told));
      EXPECT_LE(cut.block, loops::kMostTiles * loops::kMostTogether) << "what is kept for a moment has a limit";
      EXPECT_TRUE(cut.joint || cut.units % threads == 0 || cut.units == s.tiles());
    }
  }
}

}  // namespace
}  // namespace engine
