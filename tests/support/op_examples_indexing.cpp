// SPDX-License-Identifier: Apache-2.0
// Examples of the ops that join, cut, pick and place elements.
#include "tests/support/op_example_words.h"

namespace test {
namespace {

Attributes along(int64_t axis) { return {{"axis", axis}}; }

/// Whole numbers in [low, end), i64 unless said otherwise: negative indices count from the end.
Operand indices(Shape shape, double low, double end, DType dtype = DType::int64) {
  return {TensorType::contiguous(dtype, std::move(shape)), {Fill::Kind::integers, low, end}};
}

/// The attributes of an op that makes the gradient of a row-major input of `shape`.
Attributes of_input(Attributes attributes, Shape shape) {
  attributes.set("input_strides", engine::contiguous_strides(shape));
  attributes.set("input_shape", std::move(shape));
  return attributes;
}

void add_joins(std::vector<OpExample>& table) {
  add(table, "concat",
      {on("rows", {rows({2, 3}), rows({4, 3})}, along(0)), on("columns of three", {rows({2, 3}), rows({2, 1}), rows({2, 2})}, along(-1)),
       on("channels last", {nhwc({2, 3, 4, 5}), nhwc({2, 2, 4, 5})}, along(1)),
       on("layouts differ", {nhwc({2, 3, 2, 5}), rows({2, 3, 4, 5})}, along(2)), on("one operand", {rows({3, 2})}, along(1)),
       on("one without elements", {rows({2, 0}), rows({2, 3})}, along(1)), on("none with elements", {rows({0, 3}), rows({0, 2})}, along(1)),
       on("repeated and backwards", {strided({3, 4}, {0, 1}), strided({3, 2}, {4, -2})}, along(1)),
       on("middle axis", {rows({2, 2, 3}), rows({2, 3, 3})}, along(1))});
  const auto padded = [](Ints before, Ints after, const char* mode, double value = 0) {
    return Attributes{{"before", std::move(before)}, {"after", std::move(after)}, {"mode", std::string(mode)}, {"value", value}};
  };
  add(table, "pad",
      {on("constant", {rows({2, 3})}, padded({1, 2}, {0, 1}, "constant", 1.5)),
       on("channels last", {nhwc({2, 3, 4, 5})}, padded({0, 0, 1, 2}, {0, 1, 2, 1}, "constant")),
       on("cropped", {rows({5, 6})}, padded({-1, -2}, {-2, 0}, "constant")),
       on("cropped and padded", {rows({4, 3})}, padded({-1, 2}, {2, -1}, "constant", -1)),
       on("cropped to nothing", {rows({4, 3})}, padded({-4, 0}, {0, 0}, "constant")),
       on("nothing padded", {rows({0, 3})}, padded({2, 0}, {1, 1}, "constant", 3)),
       on("scalar", {rows({})}, padded({}, {}, "constant")), on("reflected", {rows({4, 3})}, padded({3, 2}, {1, 2}, "reflect")),
       on("reflected more than once", {rows({3})}, padded({7}, {6}, "reflect")),
       on("one element reflected", {rows({1})}, padded({2}, {1}, "reflect")),
       on("edges", {nhwc({1, 2, 3, 4})}, padded({0, 0, 2, 1}, {0, 0, 1, 3}, "edge")),
       on("wrapped", {rows({3, 2})}, padded({4, 1}, {2, 3}, "wrap")),
       on("cropped and reflected", {rows({5})}, padded({-2}, {3}, "reflect")),
       on("of every other, backwards", {strided({3, 4}, {-9, 2})}, padded({1, 1}, {1, 0}, "edge"))});
  add(table, "pad_grad",
      {on("reflected", {rows({8, 7})}, of_input(padded({3, 2}, {1, 2}, "reflect"), {4, 3})),
       on("edges", {rows({6})}, of_input(padded({2}, {1}, "edge"), {3})),
       on("wrapped", {strided({9, 6}, {1, 9})}, of_input(padded({4, 1}, {2, 3}, "wrap"), {3, 2})),
       on("constant", {rows({4, 2})}, of_input(padded({1, 0}, {-1, 1}, "constant"), {4, 1}))});
}

void add_gathers(std::vector<OpExample>& table) {
  add(table, "gather",
      {on("rows", {rows({5, 3}), indices({4}, 0, 5)}, along(0)), on("columns, from the end too", {rows({3, 4}), indices({2, 3}, -4, 4)}, along(1)),
       on("i32", {rows({5, 3}), indices({7}, -5, 5, DType::int32)}, along(0)), on("one index", {rows({5, 3}), indices({}, 0, 5)}, along(0)),
       on("of a vector", {rows({6}), indices({2, 2}, 0, 6)}, along(-1)), on("middle axis", {rows({2, 4, 3}), indices({3}, 0, 4)}, along(1)),
       on("channels", {nhwc({2, 3, 4, 5}), indices({2}, 0, 3)}, along(1)), on("no indices", {rows({5, 3}), indices({0}, 0, 5)}, along(0)),
       on("no columns", {rows({5, 0}), indices({2}, 0, 5)}, along(0)),
       on("of every other, backwards", {strided({5, 3}, {-12, 2}), indices({4}, 0, 5)}, along(0)),
       on("repeated", {strided({5, 3}, {0, 1}), indices({4}, 0, 5)}, along(0))});
  add(table, "gather_grad",
      {on("rows", {rows({9, 3}), indices({9}, 0, 5)}, of_input(along(0), {5, 3})),
       on("columns, from the end too", {rows({3, 2, 3}), indices({2, 3}, -4, 4)}, of_input(along(1), {3, 4})),
       on("i32", {rows({7, 3}), indices({7}, 0, 5, DType::int32)}, of_input(along(0), {5, 3})),
       on("repeated gradient", {strided({2, 4, 3}, {3, 0, 1}), indices({2, 4}, 0, 5)}, of_input(along(0), {5, 3})),
       on("no indices", {rows({0, 3}), indices({0}, 0, 5)}, of_input(along(0), {5, 3})),
       on("wide rows", {rows({6, 700}), indices({6}, 0, 3)}, of_input(along(0), {3, 700}))});
  const auto mode = [](const char* name) { return Attributes{{"mode", std::string(name)}}; };
  add(table, "embedding_bag",
      {on("sum", {rows({6, 5}), indices({3, 4}, -6, 6)}, mode("sum")), on("mean", {rows({6, 5}), indices({3, 4}, 0, 6)}, mode("mean")),
       on("i32, one per bag", {rows({6, 5}), indices({4, 1}, 0, 6, DType::int32)}, mode("mean")),
       on("no bags", {rows({6, 5}), indices({0, 4}, 0, 6)}, mode("sum")), on("empty bags", {rows({6, 5}), indices({3, 0}, 0, 6)}, mode("mean")),
       on("column-major table", {strided({6, 5}, {1, 6}), indices({3, 4}, 0, 6)}, mode("sum")),
       on("wide rows", {rows({4, 300}), indices({5, 3}, 0, 4)}, mode("mean"))});
}

}  // namespace

void add_indexing(std::vector<OpExample>& table) {
  add_joins(table);
  add_gathers(table);
}

}  // namespace test
