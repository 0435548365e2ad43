// SPDX-License-Identifier: Apache-2.0
// Pads, tiles and nearest resizes do what is said of them: their own code, compiled over a memory that notes each
// access.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "engine/graph/element_maps.h"
#include "engine/graph/resize_axes.h"
#include "engine/kernels/indexing/mapped_copy-inl.h"
#include "tests/engine/kernels/core/described.h"

namespace engine {
namespace {

using Ints = std::vector<int64_t>;
using Sources = std::vector<std::vector<int64_t>>;

struct Case {
  const char* op;
  Attributes attributes;
  TensorType x, y;
};

Attributes padded(Ints before, const char* mode) {
  return {{"before", before}, {"after", std::move(before)}, {"mode", std::string(mode)}, {"value", 3.0}};
}
TensorType rows(Shape shape, DType dtype = DType::float32) { return TensorType::contiguous(dtype, std::move(shape)); }

Sources sources_of(const Case& c) {
  const std::string op = c.op;
  if (op == "tile") return tile_tables(c.x.shape, c.y.shape);
  return op == "pad" ? *pad_tables(c.x.shape, c.y.shape, c.attributes) : *nearest_tables(c.x.shape, c.attributes);
}

/// T: of the element's width.
template <class T>
void check(const Case& c) {
  SCOPED_TRACE(testing::Message() << c.op << " " << to_string(c.x) << " to " << to_string(c.y));
  const Sources sources = sources_of(c);
  std::vector<T> x(static_cast<size_t>(c.x.span_bytes()) / sizeof(T)),
      y(static_cast<size_t>(c.y.span_bytes()) / sizeof(T));
  std::iota(x.begin(), x.end(), T{1});
  const loops::MappedCopy copy(c.x.strides, c.y.strides, sources, sizeof(T));
  const cpu::MappedCopyParts<test::NotedScalars> parts(reinterpret_cast<const std::byte*>(x.data()),
                                                       reinterpret_cast<std::byte*>(y.data()), c.y.dtype,
                                                       c.attributes.get_double("value", 0));
  test::noted().clear();
  for (int64_t row = 0; row < copy.rows(); ++row) copy.row(row, parts);
  test::NotedKernels any;
  any.vector_bytes = 64;
  test::expect_described(any, c.op, {test::operand(x, c.x)}, {test::operand(y, c.y)}, nullptr, c.attributes);

  T missing{};
  cpu::ElementPattern(c.y.dtype, c.attributes.get_double("value", 0)).fill(reinterpret_cast<std::byte*>(&missing), 1);
  for (int64_t i = 0; i < c.y.elements(); ++i) {
    int64_t rest = i, from = 0, to = 0;
    bool outside = false;
    for (size_t a = c.y.shape.size(); a-- > 0; rest /= c.y.shape[a]) {
      const int64_t at = rest % c.y.shape[a], source = sources[a][static_cast<size_t>(at)];
      outside = outside || source < 0;
      from += source * c.x.strides[a];
      to += at * c.y.strides[a];
    }
    ASSERT_EQ(y[static_cast<size_t>(to)], outside ? missing : x[static_cast<size_t>(from)]) << i;
  }
}

TEST(MappedCopyLoops, CopiesAccessWhatIsSaidInItsOrder) {
  const auto last = [](Shape s) { return TensorType::channels_last(DType::float32, std::move(s)); };
  const auto nearest = [](Ints sizes) {
    return Attributes{{"sizes", std::move(sizes)},
                      {"coordinates", std::string("asymmetric")},
                      {"nearest_mode", std::string("floor")}};
  };
  check<float>({"pad", padded({0, 0, 1, 2}, "constant"), last({2, 5, 4, 3}), last({2, 5, 6, 7})});
  check<float>({"pad", padded({0, 3}, "reflect"), rows({4, 6}), rows({4, 12})});
  check<float>({"pad", padded({2, 3}, "edge"), {DType::float32, {4, 6}, {1, 4}}, rows({8, 12})});
  check<uint16_t>({"pad", padded({-1, 2}, "constant"), rows({6, 5}, DType::bfloat16), rows({4, 9}, DType::bfloat16)});
  check<uint8_t>({"pad", padded({1, 4}, "wrap"), rows({3, 5}, DType::uint8), rows({5, 13}, DType::uint8)});
  check<double>({"tile", {{"repeats", Ints{3, 2}}}, rows({4, 7}, DType::float64), rows({12, 14}, DType::float64)});
  check<float>({"tile", {{"repeats", Ints{1, 2, 1, 1}}}, last({2, 3, 4, 5}), last({2, 6, 4, 5})});
  check<float>({"tile", {{"repeats", Ints{2, 1}}}, rows({3, 5000}), rows({6, 5000})});  // rows beyond a table's
  check<float>({"tile", {{"repeats", Ints{1, 1}}}, rows({1, 1}), rows({1, 1})});
  check<float>({"resize", nearest({2, 3, 8, 7}), last({2, 3, 4, 5}), last({2, 3, 8, 7})});
  check<float>({"resize", nearest({1, 2, 6, 10}), rows({1, 2, 3, 5}), rows({1, 2, 6, 10})});
}

/// A file may claim any shape: tables of an axis are made for a description only where they are small.
TEST(MappedCopyLoops, AxesWhoseTablesAreTooLargeGoOnce) {
  constexpr auto kMost = static_cast<int64_t>(access::kWorkspaceBytes) / 8;
  const auto tile = [](int64_t length) {
    return test::fidelity("tile", {rows({length / 2})}, {rows({length})}, {{"repeats", Ints{2}}});
  };
  EXPECT_EQ(tile(int64_t{1} << 20), access::Fidelity::loops);
  EXPECT_EQ(tile(kMost + 2), access::Fidelity::modelled);
}

/// Two of each: a tile of four reads x four times.
TEST(MappedCopyLoops, ATileReadsItsOperandForEachRepeat) {
  Node node;
  node.op = find_op("tile");
  node.attributes = {{"repeats", Ints{2, 2}}};
  test::Said said;
  EXPECT_EQ(access::describe(
                {.node = node, .inputs = {{rows({16, 16}), 0x10000}}, .outputs = {{rows({32, 32}), 0x20000}}}, said),
            access::Fidelity::loops);
  EXPECT_EQ(std::ranges::count(said.accesses, false, &test::Access::store), 4 * 16 * 16);
}

}  // namespace
}  // namespace engine
