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
      {on("rows", {rows({2, 3}), rows({4, 3})}, along(0)),
       on("columns of three", {rows({2, 3}), rows({2, 1}), rows({2, 2})}, along(-1)),
       on("channels last", {nhwc({2, 3, 4, 5}), nhwc({2, 2, 4, 5})}, along(1)),
       on("layouts differ", {nhwc({2, 3, 2, 5}), rows({2, 3, 4, 5})}, along(2)),
       on("one operand", {rows({3, 2})}, along(1)), on("one without elements", {rows({2, 0}), rows({2, 3})}, along(1)),
       on("none with elements", {rows({0, 3}), rows({0, 2})}, along(1)),
       on("repeated and backwards", {strided({3, 4}, {0, 1}), strided({3, 2}, {4, -2})}, along(1)),
       on("middle axis", {rows({2, 2, 3}), rows({2, 3, 3})}, along(1))});
  const auto padded = [](Ints before, Ints after, const char* mode, double value = 0) {
    return Attributes{
        {"before", std::move(before)}, {"after", std::move(after)}, {"mode", std::string(mode)}, {"value", value}};
  };
  add(table, "pad",
      {on("constant", {rows({2, 3})}, padded({1, 2}, {0, 1}, "constant", 1.5)),
       on("channels last", {nhwc({2, 3, 4, 5})}, padded({0, 0, 1, 2}, {0, 1, 2, 1}, "constant")),
       on("cropped", {rows({5, 6})}, padded({-1, -2}, {-2, 0}, "constant")),
       on("cropped and padded", {rows({4, 3})}, padded({-1, 2}, {2, -1}, "constant", -1)),
       on("cropped to nothing", {rows({4, 3})}, padded({-4, 0}, {0, 0}, "constant")),
       on("nothing padded", {rows({0, 3})}, padded({2, 0}, {1, 1}, "constant", 3)),
       on("scalar", {rows({})}, padded({}, {}, "constant")),
       on("reflected", {rows({4, 3})}, padded({3, 2}, {1, 2}, "reflect")),
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
      {on("rows", {rows({5, 3}), indices({4}, 0, 5)}, along(0)),
       on("columns, from the end too", {rows({3, 4}), indices({2, 3}, -4, 4)}, along(1)),
       on("i32", {rows({5, 3}), indices({7}, -5, 5, DType::int32)}, along(0)),
       on("one index", {rows({5, 3}), indices({}, 0, 5)}, along(0)),
       on("of a vector", {rows({6}), indices({2, 2}, 0, 6)}, along(-1)),
       on("middle axis", {rows({2, 4, 3}), indices({3}, 0, 4)}, along(1)),
       on("channels", {nhwc({2, 3, 4, 5}), indices({2}, 0, 3)}, along(1)),
       on("no indices", {rows({5, 3}), indices({0}, 0, 5)}, along(0)),
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
      {on("sum", {rows({6, 5}), indices({3, 4}, -6, 6)}, mode("sum")),
       on("mean", {rows({6, 5}), indices({3, 4}, 0, 6)}, mode("mean")),
       on("i32, one per bag", {rows({6, 5}), indices({4, 1}, 0, 6, DType::int32)}, mode("mean")),
       on("no bags", {rows({6, 5}), indices({0, 4}, 0, 6)}, mode("sum")),
       on("empty bags", {rows({6, 5}), indices({3, 0}, 0, 6)}, mode("mean")),
       on("column-major table", {strided({6, 5}, {1, 6}), indices({3, 4}, 0, 6)}, mode("sum")),
       on("wide rows", {rows({4, 300}), indices({5, 3}, 0, 4)}, mode("mean"))});
}

/// 0, 1, 2, ... or, backwards, 0, -1, -2, ...: no place is named twice.
Operand counting(Shape shape, bool backwards = false, DType dtype = DType::int64) {
  return {TensorType::contiguous(dtype, std::move(shape)), {Fill::Kind::arange, 0, backwards ? -1.0 : 1.0}};
}

Attributes reducing(Attributes attributes, const char* reduction) {
  attributes.set("reduction", std::string(reduction));
  return attributes;
}

void add_elements(std::vector<OpExample>& table) {
  add(table, "gather_elements",
      {on("rows", {rows({4, 3}), indices({2, 3}, -4, 4)}, along(0)),
       on("columns", {rows({4, 3}), indices({4, 5}, 0, 3)}, along(-1)),
       on("i32, fewer rows", {rows({4, 3}), indices({2, 2}, 0, 3, DType::int32)}, along(1)),
       on("channels last", {nhwc({2, 3, 4, 5}), indices({2, 2, 4, 5}, 0, 3)}, along(1)),
       on("of a vector", {rows({6}), indices({9}, 0, 6)}, along(0)),
       on("no indices", {rows({4, 3}), indices({0, 3}, 0, 4)}, along(0)),
       on("column-major indices",
          {strided({4, 3}, {-6, 2}), {{DType::int64, {4, 3}, {1, 4}}, {Fill::Kind::integers, 0, 4}}}, along(0))});
  std::vector<OpExample> scatters{
      on("one row", {rows({5, 4}), counting({1, 4}), rows({1, 4})}, reducing(along(0), "none")),
      on("one column, from the end", {rows({4, 5}), counting({1, 5}, true), rows({1, 5})}, reducing(along(1), "none")),
      on("i32 of a vector", {rows({6}), counting({4}, false, DType::int32), rows({4})}, reducing(along(0), "none")),
      on("no updates", {rows({6, 2}), counting({0, 2}), rows({0, 2})}, reducing(along(0), "none")),
      on("channels last", {nhwc({1, 4, 2, 2}), counting({1, 4, 1, 1}), rows({1, 4, 1, 1})}, reducing(along(1), "none")),
      on("added", {rows({4, 3}), indices({6, 3}, -4, 4), rows({6, 3})}, reducing(along(0), "add")),
      on("added to repeated", {strided({4, 3}, {0, 0}), indices({6, 2}, 0, 4), strided({6, 2}, {1, 6})},
         reducing(along(0), "add"))};
  for (const char* reduction : {"none", "add", "mul", "max", "min"}) {
    scatters.push_back(
        on(std::string("i32, ") + reduction,
           {integers({4, 3}, DType::int32, 50), indices({6, 3}, -4, 4), integers({6, 3}, DType::int32, 50)},
           reducing(along(0), reduction)));
  }
  scatters.push_back(on("i8, held in range",
                        {integers({5}, DType::int8, 100), indices({9}, 0, 5), integers({9}, DType::int8, 100)},
                        reducing(along(0), "add")));
  scatters.push_back(on("bool",
                        {integers({5}, DType::boolean, 2), indices({9}, 0, 5), integers({9}, DType::boolean, 2)},
                        reducing(along(0), "none")));
  add(table, "scatter_elements", scatters);
}

void add_tuples(std::vector<OpExample>& table) {
  const auto batch = [](int64_t dims) { return Attributes{{"batch_dims", dims}}; };
  add(table, "gather_nd",
      {on("rows", {rows({4, 3}), indices({5, 1}, -3, 3)}, batch(0)),
       on("elements", {rows({4, 3}), indices({2, 5, 2}, 0, 3)}, batch(0)),
       on("batches", {rows({2, 4, 3}), indices({2, 3, 1}, 0, 4)}, batch(1)),
       on("one tuple", {rows({4, 3}), indices({2}, 0, 3)}, batch(0)),
       on("tuples of none", {rows({2, 3}), indices({4, 0}, 0, 3)}, batch(0)),
       on("no tuples", {rows({4, 3}), indices({0, 1}, 0, 3)}, batch(0)),
       on("i32, all batches", {rows({2, 4}), indices({2, 1}, 0, 4, DType::int32)}, batch(1)),
       on("channels last", {nhwc({2, 3, 4, 5}), indices({3, 2}, 0, 2)}, batch(0))});
  add(table, "scatter_nd",
      {on("rows", {rows({5, 4}), counting({3, 1}), rows({3, 4})}, reducing(batch(0), "none")),
       on("elements", {rows({4, 4}), counting({2, 2}), rows({2})}, reducing(batch(0), "none")),
       on("added rows", {rows({5, 4}), indices({7, 1}, -5, 5), rows({7, 4})}, reducing(batch(0), "add")),
       on("batches", {rows({2, 4, 3}), indices({2, 5, 1}, 0, 4, DType::int32), rows({2, 5, 3})},
          reducing(batch(1), "add")),
       on("no tuples", {rows({4, 3}), counting({0, 1}), rows({0, 3})}, reducing(batch(0), "none")),
       on("all of it, twice", {rows({2, 3}), counting({2, 0}), rows({2, 2, 3})}, reducing(batch(0), "add")),
       on("channels last", {nhwc({2, 3, 4, 5}), indices({4, 2}, 0, 2), rows({4, 4, 5})}, reducing(batch(0), "add")),
       on("i64, mul", {integers({5, 2}, DType::int64, 9), indices({7, 1}, 0, 5), integers({7, 2}, DType::int64, 9)},
          reducing(batch(0), "mul")),
       on("u8, max", {integers({5, 2}, DType::uint8, 200), indices({7, 1}, 0, 5), integers({7, 2}, DType::uint8, 200)},
          reducing(batch(0), "max"))});
}

void add_repeats(std::vector<OpExample>& table) {
  const auto times = [](Ints repeats) { return Attributes{{"repeats", std::move(repeats)}}; };
  add(table, "tile",
      {on("both axes", {rows({2, 3})}, times({3, 2})), on("channels last", {nhwc({2, 3, 2, 2})}, times({1, 2, 1, 3})),
       on("once", {rows({2, 3})}, times({1, 1})), on("never", {rows({2, 3})}, times({0, 2})),
       on("scalar", {rows({})}, times({})), on("nothing", {rows({0, 3})}, times({2, 2})),
       on("backwards", {strided({3, 2}, {-4, 1})}, times({2, 1})),
       on("i64", {integers({2, 2}, DType::int64, 9)}, times({1, 2}))});
  const auto half = [](int64_t upper, int64_t k) { return Attributes{{"upper", upper}, {"k", k}}; };
  add(table, "triangle",
      {on("upper", {rows({4, 4})}, half(1, 0)), on("lower", {rows({4, 4})}, half(0, 0)),
       on("wide, above the diagonal", {rows({2, 3, 5})}, half(1, 2)), on("tall, below", {rows({5, 3})}, half(0, -2)),
       on("everything", {rows({3, 4})}, half(0, 9)), on("nothing left", {rows({3, 4})}, half(1, 9)),
       on("column-major", {strided({4, 3}, {1, 4})}, half(1, -1)), on("no rows", {rows({0, 3})}, half(1, 0)),
       on("bool", {integers({3, 3}, DType::boolean, 2)}, half(0, 0))});
  const auto axes = [](int64_t batch, int64_t time) { return Attributes{{"batch_axis", batch}, {"time_axis", time}}; };
  add(table, "reverse_sequence",
      {on("time first", {rows({5, 3, 2}), indices({3}, 0, 6)}, axes(1, 0)),
       on("batch first", {rows({3, 5}), indices({3}, 0, 6, DType::int32)}, axes(0, 1)),
       on("column-major", {strided({3, 5}, {1, 3}), indices({3}, 0, 6)}, axes(0, -1)),
       on("no sequences", {rows({0, 5}), indices({0}, 0, 6)}, axes(0, 1))});
  const auto hot = [](int64_t depth, int64_t axis, const char* dtype, double off = 0, double on_value = 1) {
    return Attributes{{"depth", depth}, {"axis", axis}, {"dtype", std::string(dtype)}, {"on", on_value}, {"off", off}};
  };
  add(table, "one_hot",
      {on("last axis", {indices({4}, 0, 5)}, hot(5, -1, "f32")),
       on("first axis", {indices({2, 3}, -4, 6)}, hot(4, 0, "f64", -1, 3)),
       on("middle axis, i32", {indices({2, 3}, 0, 4, DType::int32)}, hot(4, 1, "i64")),
       on("scalar", {indices({}, 0, 4)}, hot(4, 0, "bool")), on("no depth", {indices({3}, 0, 4)}, hot(0, -1, "f32")),
       on("no indices", {indices({0}, 0, 4)}, hot(4, -1, "bf16"))});
  const auto top = [](int64_t k, int64_t axis, int64_t largest = 1, int64_t sorted = 1) {
    return Attributes{{"k", k}, {"axis", axis}, {"largest", largest}, {"sorted", sorted}};
  };
  add(table, "top_k",
      {on("largest", {rows({3, 7})}, top(3, -1)), on("smallest along rows", {rows({6, 2})}, top(2, 0, 0)),
       on("all", {rows({2, 5})}, top(5, 1)), on("none", {rows({2, 5})}, top(0, 1)),
       on("not sorted", {rows({2, 9})}, top(4, 1, 1, 0)), on("channels last", {nhwc({2, 5, 2, 3})}, top(2, 1)),
       on("backwards", {strided({3, 7}, {-14, -2})}, top(3, 1)), on("no lines", {rows({0, 5})}, top(2, 1)),
       on("ties", {integers({3, 20}, DType::int32, 4)}, top(6, 1)),
       on("smallest ties of i64", {integers({3, 20}, DType::int64, 4)}, top(6, 1, 0, 0))});
}

void add_resizes(std::vector<OpExample>& table) {
  const auto to = [](Ints sizes, const char* mode, const char* coordinates = "half_pixel") {
    return Attributes{
        {"sizes", std::move(sizes)}, {"mode", std::string(mode)}, {"coordinates", std::string(coordinates)}};
  };
  const auto with = [](Attributes attributes, const std::string& key, Attributes::Item value) {
    attributes.set(key, std::move(value));
    return attributes;
  };
  std::vector<OpExample> forward{
      on("nearest, twice as large", {nhwc({2, 3, 3, 4})}, to({2, 3, 6, 8}, "nearest", "asymmetric")),
      on("nearest, smaller", {rows({1, 2, 7, 5})}, to({1, 2, 3, 4}, "nearest")),
      on("nearest, ceil", {rows({5})}, with(to({8}, "nearest"), "nearest_mode", std::string("ceil"))),
      on("linear, larger", {nhwc({2, 3, 3, 4})}, to({2, 3, 5, 9}, "linear")),
      on("linear, smaller, row-major", {rows({1, 2, 7, 6})}, to({1, 2, 3, 4}, "linear", "pytorch_half_pixel")),
      on("linear, corners", {rows({3, 5})}, to({6, 2}, "linear", "align_corners")),
      on("linear, rank 5", {rows({1, 2, 2, 3, 2})}, to({1, 2, 4, 3, 5}, "linear")),
      on("linear, to one", {rows({4, 4})}, to({1, 1}, "linear", "align_corners")),
      on("linear of rows backwards", {strided({3, 4}, {-8, 2})}, to({5, 4}, "linear", "half_pixel_symmetric")),
      on("linear, batch too", {rows({2, 3})}, to({3, 5}, "linear", "asymmetric")),
      on("cubic", {rows({1, 1, 4, 5})}, to({1, 1, 7, 3}, "cubic")),
      on("cubic, nothing outside", {rows({4, 4})}, with(to({7, 9}, "cubic"), "exclude_outside", int64_t{1})),
      on("unchanged", {rows({3, 4})}, to({3, 4}, "linear")),
      on("to nothing", {rows({3, 4})}, to({0, 4}, "nearest")),
      on("of nothing", {rows({0, 4})}, to({0, 8}, "linear")),
      on("scalar", {rows({})}, to({}, "nearest"))};
  Attributes scaled = with(to({2, 4}, "linear", "align_corners"), "scale_0", 0.6);
  forward.push_back(on("a scale that does not divide", {rows({4, 4})}, scaled));
  Attributes crop = with(to({4, 5}, "linear", "tf_crop_and_resize"), "roi_start_0", 0.2);
  crop = with(with(crop, "roi_end_1", 1.3), "extrapolation_value", 2.5);
  forward.push_back(on("cropped, partly outside", {rows({5, 4})}, crop));
  forward.push_back(on("nearest crop", {rows({5, 4})}, with(crop, "mode", std::string("nearest"))));
  forward.push_back(on("u8", {integers({1, 3, 3}, DType::uint8, 200)}, to({1, 5, 6}, "linear")));
  std::vector<OpExample> gradient;
  for (const OpExample& example : forward) {
    if (example.inputs[0].type.dtype != DType::float64) continue;
    const TensorType& x = example.inputs[0].type;
    Attributes attributes = of_input(example.attributes, x.shape);
    attributes.set("input_strides", engine::dense_strides_like(x.shape, x.strides));
    const Shape sizes = example.attributes.get_ints("sizes", {});
    gradient.push_back(on(example.label, {x.shape.size() == 4 ? nhwc(sizes) : rows(sizes)}, attributes));
  }
  add(table, "resize", forward);
  add(table, "resize_grad", gradient);
}

}  // namespace

void add_data_dependent(std::vector<OpExample>& table) {
  const auto counted = [](int64_t count) { return Attributes{{"count", count}}; };
  add(table, "non_zero",
      {on("all but one", {counting({12}, false, DType::int64)}, counted(11)),
       on("of floats", {rows({3, 4})}, counted(12)),
       on("of three axes", {integers({2, 3, 4}, DType::int32, 2)}, counted(9)),
       on("room for fewer", {integers({40}, DType::uint8, 2)}, counted(3)),
       on("room for more", {integers({5, 3}, DType::boolean, 2)}, counted(15)),
       on("room for none", {rows({3, 2})}, counted(0)), on("channels last", {nhwc({2, 3, 2, 2})}, counted(24)),
       on("of every other, backwards", {strided({5, 3}, {-12, 2})}, counted(15))});
  const auto flags = [](int64_t count) { return integers({count}, DType::boolean, 2); };
  const auto picked = [](int64_t count, int64_t axis, bool flat) {
    return Attributes{{"count", count}, {"axis", axis}, {"flat", int64_t{flat}}};
  };
  add(table, "compress",
      {on("rows", {rows({6, 3}), flags(6)}, picked(3, 0, false)),
       on("columns, from the end", {rows({3, 6}), flags(5)}, picked(2, -1, false)),
       on("a line", {rows({3, 4}), flags(12)}, picked(7, 0, true)),
       on("channels", {nhwc({2, 5, 3, 2}), flags(5)}, picked(3, 1, false)),
       on("room for more", {integers({4, 2}, DType::int64, 50), flags(4)}, picked(4, 0, false)),
       on("room for none", {rows({4, 2}), flags(4)}, picked(0, 0, false))});
  const auto distinct = [](int64_t count, int64_t axis, bool flat, bool sorted) {
    return Attributes{{"count", count}, {"axis", axis}, {"flat", int64_t{flat}}, {"sorted", int64_t{sorted}}};
  };
  add(table, "unique",
      {on("sorted", {integers({30}, DType::int64, 5)}, distinct(5, 0, true, true)),
       on("as they come", {integers({5, 6}, DType::int32, 4)}, distinct(4, 0, true, false)),
       on("floats", {rows({7})}, distinct(7, 0, false, true)),
       on("slices", {integers({6, 2}, DType::int64, 2)}, distinct(4, 0, false, true)),
       on("columns as they come", {integers({2, 6}, DType::int64, 2)}, distinct(4, -1, false, false)),
       on("room for fewer", {integers({20}, DType::int64, 6)}, distinct(2, 0, true, true)),
       on("room for more", {integers({6}, DType::int64, 2)}, distinct(6, 0, true, true))});
  const auto boxes = [](int64_t count, int64_t most, double iou, bool limited, bool centred) {
    return Attributes{{"count", count},
                      {"most", most},
                      {"iou", iou},
                      {"least_score", 0.3},
                      {"limited", int64_t{limited}},
                      {"centred", int64_t{centred}}};
  };
  add(table, "non_max_suppression",
      {on("two images, three classes", {rows({2, 20, 4}, kUnit), rows({2, 3, 20}, kUnit)},
          boxes(30, 6, 0.5, false, false)),
       on("centred", {rows({1, 30, 4}, kUnit), rows({1, 2, 30}, kUnit)}, boxes(20, 30, 0.3, false, true)),
       on("scores above a limit", {rows({1, 20, 4}, kUnit), rows({1, 1, 20}, kUnit)}, boxes(8, 20, 0.7, true, false)),
       on("room for more", {rows({1, 5, 4}, kUnit), rows({1, 1, 5}, kUnit)}, boxes(5, 2, 0.5, false, false)),
       on("none wanted", {rows({1, 5, 4}, kUnit), rows({1, 1, 5}, kUnit)}, boxes(0, 0, 0.5, false, false))});
  add(table, "known_values",
      {on("integers", {counting({4})}, Attributes{{"expected", Ints{0, 1, 2, 3}}}),
       on("others", {counting({3})}, Attributes{{"expected", Ints{0, 1, 3}}}),
       on("a flag", {integers({}, DType::boolean, 2)}, Attributes{{"expected", Ints{1}}})});
}

void add_regions(std::vector<OpExample>& table) {
  const auto grid = [](Ints sizes, int64_t ratio, bool half_pixel, const char* mode) {
    return Attributes{{"sizes", std::move(sizes)},
                      {"sampling_ratio", ratio},
                      {"spatial_scale", 0.5},
                      {"half_pixel", int64_t{half_pixel}},
                      {"mode", std::string(mode)}};
  };
  const Fill places{Fill::Kind::uniform, -2, 30};
  add(table, "roi_align",
      {on("means", {nhwc({2, 5, 9, 11}), rows({6, 4}, places), indices({6}, 0, 2)}, grid({3, 2}, 2, true, "avg")),
       on("largest", {nhwc({2, 3, 9, 8}), rows({5, 4}, places), indices({5}, 0, 2)}, grid({2, 2}, 2, true, "max")),
       on("as many samples as rows", {nhwc({1, 4, 16, 16}), rows({5, 4}, places), indices({5}, 0, 1, DType::int32)},
          grid({2, 3}, 0, true, "avg")),
       on("old half pixel", {rows({2, 3, 8, 8}), rows({4, 4}, places), indices({4}, 0, 2)},
          grid({2, 2}, 1, false, "avg")),
       on("one row and column", {nhwc({1, 2, 1, 1}), rows({3, 4}, places), indices({3}, 0, 1)},
          grid({2, 2}, 2, false, "avg")),
       on("regions among other columns",
          {nhwc({2, 3, 9, 8}), {{DType::float64, {5, 4}, {5, 1}}, places}, indices({5}, 0, 2)},
          grid({2, 2}, 2, true, "avg")),
       on("no regions", {nhwc({1, 2, 4, 4}), rows({0, 4}), indices({0}, 0, 1)}, grid({2, 2}, 2, true, "avg"))});
}

void add_indexing(std::vector<OpExample>& table) {
  add_joins(table);
  add_gathers(table);
  add_elements(table);
  add_tuples(table);
  add_repeats(table);
  add_resizes(table);
  add_data_dependent(table);
  add_regions(table);
}

}  // namespace test
