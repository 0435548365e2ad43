// SPDX-License-Identifier: Apache-2.0
// Interpolation and the gradients of resizes do what is said of them: their own code, compiled over a memory that notes
// each access.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/kernels/indexing/resize-inl.h"
#include "tests/engine/kernels/core/described.h"

namespace engine {
namespace {

using Ints = std::vector<int64_t>;

struct Case {
  const char* mode;
  TensorType x, y;
  double extrapolation = 0;
  const char* coordinates = "half_pixel";
};

TensorType rows(Shape shape) { return TensorType::contiguous(DType::float32, std::move(shape)); }
TensorType last(Shape shape) { return TensorType::channels_last(DType::float32, std::move(shape)); }

Attributes attributes_of(const Case& c) {
  Attributes a{{"sizes", Ints(c.y.shape.begin(), c.y.shape.end())},
               {"mode", std::string(c.mode)},
               {"coordinates", std::string(c.coordinates)},
               {"extrapolation_value", c.extrapolation}};
  a.set("input_shape", Ints(c.x.shape.begin(), c.x.shape.end()));
  a.set("input_strides", Ints(c.x.strides.begin(), c.x.strides.end()));
  return a;
}
std::vector<float> numbers_of(const TensorType& type, int64_t step) {
  return test::numbers(type.span_bytes() / 4, step);
}

test::NotedKernels any_unit() {
  test::NotedKernels any;
  any.vector_bytes = 64;
  return any;
}

/// body(element of x, element of y, weight) for all that meet.
template <class Body>
void over_pairs(const Case& c, const Body& body) {
  const std::vector<ResizeAxis> axes = resize_axes(c.x.shape, attributes_of(c));
  const size_t rank = axes.size();
  int64_t taps = 1;
  for (const ResizeAxis& axis : axes) taps *= axis.taps;
  for (int64_t i = 0; i < c.y.elements() * taps; ++i) {
    int64_t element = i / taps, tap = i % taps, from = 0, to = 0;
    double weight = 1;
    for (size_t a = rank; a-- > 0; element /= c.y.shape[a], tap /= axes[a].taps) {
      const int64_t at = element % c.y.shape[a];
      const auto k = static_cast<size_t>(at * axes[a].taps + tap % axes[a].taps);
      from += axes[a].index[k] * c.x.strides[a];
      to += at * c.y.strides[a];
      weight *= axes[a].weight[k];
    }
    body(static_cast<size_t>(from), static_cast<size_t>(to), weight);
  }
}

void check_forward(const Case& c) {
  SCOPED_TRACE(testing::Message() << c.mode << " " << to_string(c.x) << " to " << to_string(c.y));
  const std::vector<float> x = numbers_of(c.x, 7);
  std::vector<float> y = numbers_of(c.y, 5), blended(static_cast<size_t>(c.x.elements()));
  const loops::ResizeNest<ResizeAxis> nest(c.x.shape, c.x.strides, c.y.shape, c.y.strides,
                                           resize_axes(c.x.shape, attributes_of(c)));
  const cpu::ResizeParts<float, test::NotedScalars> parts(nest.inner(), x.data(), y.data(),
                                                          static_cast<float>(c.extrapolation), blended.data());
  std::vector<loops::BlendedRow> from;
  test::noted().clear();
  for (int64_t row = 0; row < nest.rows(); ++row) loops::resize_row(nest, row, from, parts);
  test::expect_described(any_unit(), "resize", {test::operand(x, c.x)}, {test::operand(y, c.y)}, blended.data(),
                         attributes_of(c));
  if (c.extrapolation != 0) return;
  std::vector<double> wanted(y.size());
  over_pairs(c, [&](size_t i, size_t o, double weight) { wanted[o] += weight * static_cast<double>(x[i]); });
  for (size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], wanted[i], 1e-5) << i;
}

void check_gradient(const Case& c) {
  SCOPED_TRACE(testing::Message() << c.mode << " " << to_string(c.x) << " from " << to_string(c.y));
  const std::vector<float> dy = numbers_of(c.y, 7);
  std::vector<float> dx = numbers_of(c.x, 5), blended(static_cast<size_t>(c.y.elements()));
  ASSERT_TRUE(loops::ResizeGradientNest::takes(c.x.shape, c.x.strides));
  const loops::ResizeGradientNest nest(c.x.shape, c.x.strides, c.y.strides, resize_axes(c.x.shape, attributes_of(c)));
  const cpu::ResizeGradientParts<float, test::NotedScalars> parts(nest.inner(), dy.data(), dx.data(), blended.data());
  std::vector<loops::BlendedRow> from;
  test::noted().clear();
  for (int64_t row = 0; row < nest.rows(); ++row) loops::resize_gradient_row(nest, row, from, parts);
  test::expect_described(any_unit(), "resize_grad", {test::operand(dy, c.y)}, {test::operand(dx, c.x)}, blended.data(),
                         attributes_of(c));
  std::vector<double> wanted(dx.size());
  over_pairs(c, [&](size_t i, size_t o, double weight) { wanted[i] += weight * static_cast<double>(dy[o]); });
  for (size_t i = 0; i < dx.size(); ++i) ASSERT_NEAR(dx[i], wanted[i], 1e-4) << i;
}

TEST(ResizeLoops, InterpolationAccessesWhatIsSaidInItsOrder) {
  check_forward({"linear", last({2, 5, 4, 3}), last({2, 5, 7, 8})});
  check_forward({"linear", rows({1, 2, 4, 6}), rows({1, 2, 9, 6})});
  check_forward({"linear", rows({2, 3, 4, 6}), rows({2, 3, 7, 11})});
  check_forward({"cubic", rows({3, 5, 6}), rows({3, 9, 4})});
  check_forward({"linear", rows({2, 3, 4, 6}), last({2, 3, 8, 12})});
  check_forward({"linear", last({1, 3, 4, 6}), rows({1, 3, 8, 6})});
  check_forward({"cubic", last({1, 4, 6, 5}), last({1, 4, 3, 9}), 0.5, "tf_crop_and_resize"});
}

TEST(ResizeLoops, GradientsAccessWhatIsSaidInItsOrder) {
  for (const char* mode : {"nearest", "linear", "cubic"}) {
    check_gradient({mode, last({2, 5, 4, 3}), last({2, 5, 7, 8})});
    check_gradient({mode, rows({2, 3, 4, 6}), rows({2, 3, 7, 11})});
    check_gradient({mode, rows({3, 8, 6}), rows({3, 5, 6})});
    check_gradient({mode, last({1, 3, 4, 6}), rows({1, 3, 8, 6})});
  }
}

TEST(ResizeLoops, NeighboursAreReadAgain) {
  const Case c{"linear", rows({1, 1, 16, 64}), rows({1, 1, 32, 64})};
  Node node;
  node.op = find_op("resize");
  node.attributes = attributes_of(c);
  test::Said said;
  EXPECT_EQ(access::describe({.node = node, .inputs = {{c.x, 0x100000}}, .outputs = {{c.y, 0x200000}}}, said),
            access::Fidelity::loops);
  const auto of_x =
      std::ranges::count_if(said.accesses, [](const test::Access& a) { return !a.store && a.address < 0x200000; });
  EXPECT_EQ(of_x, 2 * 32 * 64) << "two rows of x for each of y; at the borders one of them twice";
}

TEST(ResizeLoops, WhatOwnKernelsDoNotTakeIsNotSaidToBeTheirs) {
  using access::Fidelity;
  const Case c{"linear", rows({1, 2, 4, 4}), rows({1, 2, 8, 8})};
  const auto of = [&](DType dtype) {
    TensorType x = c.x, y = c.y;
    x.dtype = y.dtype = dtype;
    return test::fidelity("resize", {x}, {y}, attributes_of(c));
  };
  EXPECT_EQ(of(DType::float64), Fidelity::loops);
  EXPECT_EQ(of(DType::float16), Fidelity::loops) << "by copies in f32";
  EXPECT_EQ(of(DType::int32), Fidelity::modelled);
  const auto line = [](int64_t length) { return Case{"linear", rows({length}), rows({2 * length})}; };
  const auto of_line = [&](const Case& l) { return test::fidelity("resize", {l.x}, {l.y}, attributes_of(l)); };
  EXPECT_EQ(of_line(line(1000)), Fidelity::loops);
  EXPECT_EQ(of_line(line(int64_t{1} << 57)), Fidelity::modelled) << "its tables are too large to be made";
  TensorType apart = c.x;
  for (int64_t& stride : apart.strides) stride *= 2;
  EXPECT_EQ(test::fidelity("resize_grad", {c.y}, {apart}, attributes_of(c)), Fidelity::modelled);
}

}  // namespace
}  // namespace engine
