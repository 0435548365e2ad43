// SPDX-License-Identifier: Apache-2.0
// Ops that go where indices send them do what is said of them: their own code, compiled over a memory that notes each
// access. Descriptions take evenly spread indices: with such the kernels do what is said.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "engine/kernels/core/indices_access.h"
#include "engine/kernels/indexing/indexing-inl.h"
#include "engine/kernels/indexing/triangle_loops.h"
#include "tests/engine/kernels/core/described.h"

namespace engine {
namespace {

using access::Fidelity;
using test::NotedScalars;

TensorType rows(Shape shape, DType dtype = DType::float32) { return TensorType::contiguous(dtype, std::move(shape)); }

/// Indices as descriptions take them.
Tensor spread(Shape shape, int64_t extent, DType dtype) {
  Tensor indices = *Tensor::empty(rows(std::move(shape), dtype));
  for (int64_t i = 0; i < indices.type().elements(); ++i)
    indices.set_flat(i, static_cast<double>(access::evenly_spread(i, extent)));
  return indices;
}
access::Operand operand(const Tensor& t) { return {t.type(), reinterpret_cast<uint64_t>(t.data()), 0}; }
std::vector<int64_t> offsets(const TensorType& type, size_t begin, size_t end) {
  return element_offsets(cpu::some_axes(type, begin, end));
}

test::NotedKernels any_unit() {
  test::NotedKernels any;
  any.vector_bytes = 64;
  return any;
}

/// All indices are met alike often, and the same in every description.
TEST(IndexingLoops, IndicesAreEvenlySpread) {
  constexpr int64_t kExtent = 50, kCount = 100'000;
  std::vector<int64_t> met(kExtent);
  for (int64_t i = 0; i < kCount; ++i) ++met.at(static_cast<size_t>(access::evenly_spread(i, kExtent)));
  for (const int64_t count : met) EXPECT_NEAR(static_cast<double>(count), kCount / kExtent, 200);
}

/// T: of an element's width.
template <class T>
void check_gather(const TensorType& x_type, int64_t axis, const Shape& count, DType of_indices) {
  SCOPED_TRACE(testing::Message() << to_string(x_type) << " along " << axis << ", " << name(of_indices));
  const auto along = static_cast<size_t>(axis);
  const int64_t extent = x_type.shape[along];
  const Tensor indices = spread(count, extent, of_indices);
  Shape shape(x_type.shape.begin(), x_type.shape.begin() + axis);
  shape.insert(shape.end(), count.begin(), count.end());
  shape.insert(shape.end(), x_type.shape.begin() + axis + 1, x_type.shape.end());
  std::vector<T> x(static_cast<size_t>(x_type.span_bytes()) / sizeof(T)),
      y(static_cast<size_t>(rows(shape).elements()));
  std::iota(x.begin(), x.end(), T{1});
  constexpr int64_t kBytes = sizeof(T);
  loops::GatherShape gather{offsets(x_type, 0, along), x_type.strides[along] * kBytes,
                            cpu::some_axes(x_type, along + 1, x_type.shape.size()).elements() * kBytes,
                            indices.type().elements()};
  for (int64_t& offset : gather.outer) offset *= kBytes;
  const cpu::GatherParts<NotedScalars> parts(indices, extent, x_type.dtype,
                                             reinterpret_cast<const std::byte*>(x.data()),
                                             reinterpret_cast<std::byte*>(y.data()));
  test::noted().clear();
  for (int64_t i = 0; i < gather.blocks(); ++i) loops::gather_block(gather, i, parts);
  test::expect_described(any_unit(), "gather", {test::operand(x, x_type), operand(indices)},
                         {test::operand(y, rows(shape, x_type.dtype))}, nullptr, {{"axis", axis}}, Fidelity::modelled);
  for (int64_t i = 0; i < static_cast<int64_t>(y.size()); ++i) {
    const int64_t block = i * kBytes / gather.block, index = access::evenly_spread(block % gather.indices, extent);
    ASSERT_EQ(y[static_cast<size_t>(i)],
              x[static_cast<size_t>((gather.outer[static_cast<size_t>(block / gather.indices)] + index * gather.step +
                                     i * kBytes % gather.block) /
                                    kBytes)])
        << i;
  }
}

TEST(IndexingLoops, GathersAccessWhatIsSaidInTheirOrder) {
  check_gather<float>(rows({7, 33}), 0, {4, 5}, DType::int64);
  check_gather<uint16_t>(rows({6, 5, 3}, DType::float16), 1, {11}, DType::int32);
  check_gather<double>(rows({9, 5}, DType::float64), 1, {13}, DType::int64);
  check_gather<float>({DType::float32, {5, 4, 6}, {60, 7, 1}}, 1, {9}, DType::int32);
  check_gather<uint8_t>(rows({10, 4}, DType::uint8), 0, {3}, DType::int64);
}

TEST(IndexingLoops, OneHotBlocksAccessWhatIsSaidInTheirOrder) {
  for (const int64_t axis : {int64_t{-1}, int64_t{0}}) {
    constexpr int64_t kDepth = 17;
    const Tensor indices = spread({3, 4}, kDepth, DType::int64);
    const TensorType type = rows(axis < 0 ? Shape{3, 4, kDepth} : Shape{kDepth, 3, 4});
    std::vector<float> y(static_cast<size_t>(type.elements()), 7);
    const AxisSplit split = split_at(type.shape, axis);
    const loops::OneHotShape shape{split.outer, split.extent, split.inner};
    const cpu::OneHotParts<NotedScalars> parts(indices, kDepth, DType::float32, 2, 0.5,
                                               reinterpret_cast<std::byte*>(y.data()));
    test::noted().clear();
    for (int64_t i = 0; i < shape.outer; ++i) loops::one_hot_block(shape, i, parts);
    test::expect_described(any_unit(), "one_hot", {operand(indices)}, {test::operand(y, type)}, nullptr,
                           {{"axis", axis}, {"depth", kDepth}, {"on", 2.0}, {"off", 0.5}}, Fidelity::modelled);
    for (int64_t i = 0; i < type.elements(); ++i) {
      const int64_t of = i / (split.extent * split.inner) * split.inner + i % split.inner;
      ASSERT_EQ(y[static_cast<size_t>(i)],
                access::evenly_spread(of, kDepth) == i / split.inner % split.extent ? 2 : 0.5)
          << i;
    }
  }
}

Attributes of_input(int64_t axis, const Shape& shape) {
  Attributes attributes{{"axis", axis}, {"input_strides", contiguous_strides(shape)}};
  attributes.set("input_shape", shape);
  return attributes;
}

TEST(IndexingLoops, GradientsOfGathersAccessWhatIsSaidInTheirOrder) {
  struct Case {
    Shape dx;
    int64_t axis;
    Shape indices;
  };
  for (const test::NotedKernels& own : test::noted_kernels()) {
    for (const Case& c : {Case{{5, 83}, 0, {4, 3}}, {{6, 7}, 0, {20}}, {{3, 6, 16}, 1, {9}}}) {
      SCOPED_TRACE(testing::Message() << "vectors of " << own.vector_bytes << ", " << to_string(c.dx));
      const AxisSplit split = split_at(c.dx, c.axis);
      const Tensor indices = spread(c.indices, split.extent, DType::int64);
      Shape shape(c.dx.begin(), c.dx.begin() + c.axis);
      shape.insert(shape.end(), c.indices.begin(), c.indices.end());
      shape.insert(shape.end(), c.dx.begin() + c.axis + 1, c.dx.end());
      const int64_t count = indices.type().elements();
      const std::vector<float> dy = test::numbers(rows(shape).elements(), 7);
      std::vector<float> dx = test::numbers(rows(c.dx).elements(), 5);
      const loops::GatherGradientShape of{split.outer, split.extent, split.inner, count,
                                          offsets(rows(shape), 0, static_cast<size_t>(c.axis) + c.indices.size())};
      const cpu::GatherGradientParts<float, NotedScalars> parts(indices, split.extent, dy.data(), dx.data(), own.lines);
      test::noted().clear();
      loops::gather_gradient(of, {0, of.outer * of.extent}, {0, of.inner}, parts);
      test::expect_described(own, "gather_grad", {test::operand(dy, shape), operand(indices)},
                             {test::operand(dx, c.dx)}, nullptr, of_input(c.axis, c.dx), Fidelity::modelled);
      std::vector<double> wanted(dx.size());
      for (int64_t i = 0; i < static_cast<int64_t>(dy.size()); ++i) {
        const int64_t row = i / of.inner;
        wanted[static_cast<size_t>(
            (row / count * of.extent + access::evenly_spread(row % count, of.extent)) * of.inner + i % of.inner)] +=
            dy[static_cast<size_t>(i)];
      }
      for (size_t i = 0; i < dx.size(); ++i) ASSERT_NEAR(dx[i], wanted[i], 1e-5) << i;
    }
  }
}

TEST(IndexingLoops, BagsOfEmbeddingsAccessWhatIsSaidInTheirOrder) {
  for (const test::NotedKernels& own : test::noted_kernels()) {
    for (const bool mean : {false, true}) {
      constexpr int64_t kRows = 9, kWidth = 37, kBags = 4, kLength = 3;
      const Tensor indices = spread({kBags, kLength}, kRows, DType::int32);
      const TensorType type{DType::float32, {kRows, kWidth}, {40, 1}};
      const std::vector<float> table = test::numbers(type.span_bytes() / 4, 7);
      std::vector<float> y(kBags * kWidth);
      const cpu::EmbeddingBagParts<float, NotedScalars> parts(indices, kRows, table.data(), y.data(), 40, kWidth,
                                                              kLength, mean, own.lines);
      test::noted().clear();
      for (int64_t bag = 0; bag < kBags; ++bag) loops::embedding_bag(kLength, bag, parts);
      test::expect_described(own, "embedding_bag", {test::operand(table, type), operand(indices)},
                             {test::operand(y, Shape{kBags, kWidth})}, nullptr,
                             {{"mode", std::string(mean ? "mean" : "sum")}}, Fidelity::modelled);
      for (int64_t i = 0; i < kBags * kWidth; ++i) {
        double sum = 0;
        for (int64_t k = 0; k < kLength; ++k)
          sum += static_cast<double>(
              table[static_cast<size_t>(access::evenly_spread(i / kWidth * kLength + k, kRows) * 40 + i % kWidth)]);
        ASSERT_NEAR(y[static_cast<size_t>(i)], mean ? sum / kLength : sum, 1e-5);
      }
    }
  }
}

loops::IndexedRows lines_of(const Shape& shape, const Strides& strides, size_t axis) {
  const TensorType type{DType::uint8, shape, strides};
  return {offsets(type, 0, axis), offsets(type, axis + 1, shape.size()), strides[axis]};
}

TEST(IndexingLoops, PickedElementsAccessWhatIsSaidInTheirOrder) {
  for (const size_t axis : {size_t{0}, size_t{1}, size_t{2}}) {
    const TensorType x_type = TensorType{DType::float32, {5, 6, 7}, {1, 5, 30}};
    const Shape shape{5, 6, 7};
    const Tensor indices = spread(shape, shape[axis], DType::int64);
    std::vector<uint32_t> x(210), y(210);
    std::iota(x.begin(), x.end(), 1U);
    const loops::IndexedRows lines = lines_of(shape, x_type.strides, axis);
    const cpu::GatherElementsParts<uint32_t, NotedScalars> parts(indices, shape[axis], DType::float32, x.data(),
                                                                 y.data());
    test::noted().clear();
    for (int64_t row = 0; row < static_cast<int64_t>(lines.outer.size()) * shape[axis]; ++row)
      loops::gather_elements_row(lines, shape[axis], row, parts);
    test::expect_described(any_unit(), "gather_elements", {test::operand(x, x_type), operand(indices)},
                           {test::operand(y, rows(shape))}, nullptr, {{"axis", static_cast<int64_t>(axis)}},
                           Fidelity::modelled);
    for (int64_t i = 0; i < 210; ++i) {
      int64_t at[] = {i / 42, i / 7 % 6, i % 7};
      at[axis] = access::evenly_spread(i, shape[axis]);
      ASSERT_EQ(y[static_cast<size_t>(i)], x[static_cast<size_t>(at[0] + at[1] * 5 + at[2] * 30)]) << i;
    }
  }
}

/// T: float where updates are added, else an integer of its width.
template <class T>
void check_scatter(size_t axis, const char* how) {
  const Shape shape{4, 6, 5}, few{4, 3, 5};
  const TensorType y_type = TensorType{DType::float32, shape, {30, 1, 6}}, of_updates{DType::float32, few, {1, 4, 12}};
  const Tensor indices = spread(few, shape[axis], DType::int32);
  std::vector<T> x(120), y(120), updates(60);
  std::iota(x.begin(), x.end(), T{1});
  std::iota(updates.begin(), updates.end(), T{100});
  const loops::IndexedRows from = lines_of(few, of_updates.strides, axis), to = lines_of(few, y_type.strides, axis);
  const cpu::ScatterParts<T, NotedScalars> parts(indices, shape[axis], updates.data(), y.data(),
                                                 *parse_scatter_reduction(how));
  test::noted().clear();
  EXPECT_TRUE(loops::all_inside(indices.type().elements(), parts));
  NotedScalars::copy(x.data(), 120, y.data());  // as both lie, which are alike
  loops::scatter_elements(from, to, few[axis], {0, to.width() * static_cast<int64_t>(to.outer.size())}, parts);
  test::expect_described(any_unit(), "scatter_elements",
                         {test::operand(x, y_type), operand(indices), test::operand(updates, of_updates)},
                         {test::operand(y, y_type)}, nullptr,
                         {{"axis", static_cast<int64_t>(axis)}, {"reduction", std::string(how)}}, Fidelity::modelled);
  std::vector<T> wanted = x;
  for (int64_t i = 0; i < 60; ++i) {
    int64_t at[] = {i / 15, i / 5 % 3, i % 5};
    const T update = updates[static_cast<size_t>(at[0] + at[1] * 4 + at[2] * 12)];
    at[axis] = access::evenly_spread(i, shape[axis]);
    T& place = wanted[static_cast<size_t>(at[0] * 30 + at[1] + at[2] * 6)];
    place = std::string(how) == "add" ? place + update : update;
  }
  EXPECT_EQ(y, wanted);
}

TEST(IndexingLoops, ScatteredElementsAccessWhatIsSaidInTheirOrder) {
  for (const size_t axis : {size_t{0}, size_t{1}, size_t{2}}) {
    check_scatter<float>(axis, "add");
    check_scatter<uint32_t>(axis, "none");
  }
}

template <class T>
void check_tuples(const char* how, int64_t batch_dims) {
  SCOPED_TRACE(testing::Message() << how << ", " << batch_dims << " batch axes");
  const Shape shape{4, 5, 6};
  const TensorType y_type = rows(shape),
                   indices_type = rows(batch_dims == 0 ? Shape{7, 2} : Shape{4, 3, 1}, DType::int64),
                   of_updates = batch_dims == 0 ? TensorType{DType::float32, {7, 6}, {1, 7}} : rows({4, 3, 6});
  const auto batch = static_cast<size_t>(batch_dims), tuple_axes = indices_type.shape.size() - 1,
             length = static_cast<size_t>(indices_type.shape.back());
  loops::ScatterTuples tuples{{},
                              offsets(y_type, 0, batch),
                              offsets(of_updates, 0, tuple_axes),
                              offsets(of_updates, tuple_axes, of_updates.shape.size()),
                              offsets(y_type, batch + length, 3)};
  for (size_t axis = batch; axis < batch + length; ++axis) tuples.named.push_back({shape[axis], y_type.strides[axis]});
  Tensor indices = *Tensor::empty(indices_type);
  for (int64_t i = 0; i < indices_type.elements(); ++i)
    indices.set_flat(
        i, static_cast<double>(access::evenly_spread(i, tuples.named[static_cast<size_t>(i) % length].extent)));
  std::vector<T> x(120), y(120), updates(static_cast<size_t>(of_updates.elements()));
  std::iota(x.begin(), x.end(), T{1});
  std::iota(updates.begin(), updates.end(), T{100});
  const cpu::ScatterParts<T, NotedScalars> parts(indices, 0, updates.data(), y.data(), *parse_scatter_reduction(how));
  std::vector<int64_t> places;
  test::noted().clear();
  EXPECT_TRUE(loops::scatter_places(tuples, places, parts));
  NotedScalars::copy(x.data(), 120, y.data());
  loops::scatter_slices(tuples, places, {0, tuples.width()}, parts);
  test::expect_described(any_unit(), "scatter_nd",
                         {test::operand(x, y_type), operand(indices), test::operand(updates, of_updates)},
                         {test::operand(y, y_type)}, nullptr,
                         {{"batch_dims", batch_dims}, {"reduction", std::string(how)}}, Fidelity::modelled);
  std::vector<T> wanted = x;
  for (int64_t i = 0; i < of_updates.elements(); ++i) {
    const int64_t t = i / 6, k = i % 6;
    const int64_t to = batch_dims == 0
                           ? access::evenly_spread(2 * t, 4) * 30 + access::evenly_spread(2 * t + 1, 5) * 6 + k
                           : t / 3 * 30 + access::evenly_spread(t, 5) * 6 + k;
    const T update = updates[static_cast<size_t>(batch_dims == 0 ? t + k * 7 : i)];
    T& place = wanted[static_cast<size_t>(to)];
    place = std::string(how) == "add" ? place + update : update;
  }
  EXPECT_EQ(y, wanted);
}

TEST(IndexingLoops, ScatteredSlicesAccessWhatIsSaidInTheirOrder) {
  for (const int64_t batch_dims : {0, 1}) {
    check_tuples<float>("add", batch_dims);
    check_tuples<uint32_t>("none", batch_dims);
  }
}

TEST(IndexingLoops, TrianglesReadWhatTheyKeep) {
  for (const bool upper : {false, true}) {
    for (const int64_t k : {-9, -1, 0, 2, 9}) {
      SCOPED_TRACE(testing::Message() << (upper ? "upper " : "lower ") << k);
      const TensorType x_type{DType::float16, {2, 4, 7}, {40, 9, 1}}, y_type = rows({2, 4, 7}, DType::float16);
      std::vector<uint16_t> x(static_cast<size_t>(x_type.span_bytes()) / 2), y(56, 77);
      std::iota(x.begin(), x.end(), uint16_t{1});
      const loops::Triangle triangle{4, 7, std::clamp<int64_t>(k, -4, 7), upper};
      const cpu::TriangleParts<NotedScalars> parts{{},
                                                   reinterpret_cast<const std::byte*>(x.data()),
                                                   reinterpret_cast<std::byte*>(y.data()),
                                                   2,
                                                   offsets(x_type, 0, 2),
                                                   offsets(y_type, 0, 2)};
      test::noted().clear();
      for (int64_t row = 0; row < 8; ++row) loops::triangle_row(triangle, row, parts);
      test::expect_described(any_unit(), "triangle", {test::operand(x, x_type)}, {test::operand(y, y_type)}, nullptr,
                             {{"k", k}, {"upper", int64_t{upper}}});
      for (int64_t i = 0; i < 56; ++i) {
        const int64_t row = i / 7 % 4, column = i % 7;
        const bool kept = upper ? column - row >= k : column - row <= k;
        ASSERT_EQ(y[static_cast<size_t>(i)], kept ? x[static_cast<size_t>(i / 28 * 40 + row * 9 + column)] : 0) << i;
      }
    }
  }
}

TEST(IndexingLoops, WhatOwnKernelsDoNotTakeIsNotSaidToBeTheirs) {
  const TensorType table = rows({8, 16}), indices = rows({4}, DType::int64), apart{DType::int64, {4}, {2}},
                   result = rows({4, 16});
  EXPECT_EQ(test::fidelity("gather", {table, indices}, {result}, {{"axis", int64_t{0}}}), Fidelity::modelled)
      << "nobody knows indices before the run";
  EXPECT_EQ(test::fidelity("gather", {table, apart}, {result}, {{"axis", int64_t{0}}}), Fidelity::modelled)
      << "the reference computes it";
  EXPECT_EQ(test::fidelity("scatter_elements", {table, rows({4, 16}, DType::int64), result}, {table},
                           {{"axis", int64_t{0}}, {"reduction", std::string("add")}}),
            Fidelity::modelled);
  const TensorType whole = rows({8, 16}, DType::int32), wholes = rows({4, 16}, DType::int32);
  EXPECT_EQ(test::fidelity("scatter_elements", {whole, rows({4, 16}, DType::int64), wholes}, {whole},
                           {{"axis", int64_t{0}}, {"reduction", std::string("add")}}),
            Fidelity::assumed);
}

}  // namespace
}  // namespace engine
