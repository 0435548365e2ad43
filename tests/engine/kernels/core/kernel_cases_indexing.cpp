// SPDX-License-Identifier: Apache-2.0
// Shapes the kernels that pick and place elements are held against their references on.
#include <fmt/format.h>

#include "tests/engine/kernels/core/kernel_case_words.h"

namespace engine {
namespace {

Operand classes(Shape shape, DType dtype = DType::int64) { return {row_major(std::move(shape), dtype), Draw::classes}; }

Attributes along(int64_t axis) { return {{"axis", axis}}; }

Attributes of_input(int64_t axis, Shape shape) {
  Attributes attributes{{"axis", axis}, {"input_strides", contiguous_strides(shape)}};
  attributes.set("input_shape", std::move(shape));
  return attributes;
}

Attributes padded(Ints before, Ints after, const char* mode) {
  return {{"before", std::move(before)}, {"after", std::move(after)}, {"mode", std::string(mode)}, {"value", 0.5}};
}

/// Boxes of which none was found, in a detection model's words.
void add_empty_cases(std::vector<KernelCase>& cases) {
  const Attributes none{{"count", int64_t{0}}};
  const auto scatter = [](const char* reduction) {
    return Attributes{{"axis", int64_t{0}}, {"batch_dims", int64_t{0}}, {"reduction", std::string(reduction)}};
  };
  cases.push_back(
      {"empty_concat", "concat", along(0), {{row_major({30, 70})}, {row_major({0, 70})}, {row_major({5, 70})}}, "own"});
  cases.push_back({"empty_non_zero", "non_zero", none, {{row_major({100, 90})}}, "own"});
  cases.push_back({"empty_non_zero_of_none", "non_zero", none, {{row_major({0, 90}, DType::boolean)}}, "own"});
  cases.push_back(
      {"empty_compress", "compress", none, {{row_major({100, 37})}, classes({100}, DType::boolean)}, "own"});
  cases.push_back({"empty_compress_of_none",
                   "compress",
                   {{"count", int64_t{0}}, {"flat", int64_t{1}}},
                   {{row_major({0, 37})}, classes({0}, DType::boolean)},
                   "own"});
  cases.push_back({"empty_unique", "unique", {{"count", int64_t{0}}, {"flat", int64_t{1}}}, {classes({0, 30})}, "own"});
  cases.push_back({"empty_boxes",
                   "non_max_suppression",
                   {{"count", int64_t{0}}, {"most", int64_t{50}}, {"iou", 0.5}},
                   {{row_major({2, 0, 4})}, {row_major({2, 3, 0})}},
                   "own"});
  cases.push_back({"empty_classes",
                   "non_max_suppression",
                   {{"count", int64_t{0}}, {"most", int64_t{50}}, {"iou", 0.5}},
                   {{row_major({2, 9, 4})}, {row_major({2, 0, 9})}},
                   "own"});
  cases.push_back({"empty_known_values", "known_values", {{"expected", Ints{}}}, {classes({0})}, "own"});
  for (const char* reduction : {"none", "add"}) {
    const std::string kind = reduction;
    cases.push_back({"empty_scatter_elements_" + kind,
                     "scatter_elements",
                     scatter(reduction),
                     {{nhwc({5, 3, 40, 10})}, classes({0, 2, 40, 10}), {row_major({0, 2, 40, 10})}},
                     "own"});
    cases.push_back({"empty_scatter_nd_" + kind,
                     "scatter_nd",
                     scatter(reduction),
                     {{row_major({6, 500}, DType::bfloat16)}, classes({0, 1}), {row_major({0, 500}, DType::bfloat16)}},
                     "own"});
  }
  cases.push_back({"empty_tuples",
                   "scatter_nd",
                   scatter("none"),
                   {{row_major({3, 50})}, classes({2, 0}), {row_major({2, 3, 50})}},
                   "own"});
  cases.push_back({"empty_rows_found",
                   "compress",
                   {{"count", int64_t{3}}, {"axis", int64_t{0}}},
                   {{row_major({5, 0})}, classes({5}, DType::boolean)},
                   "own"});
  cases.push_back({"empty_gather", "gather", along(0), {{row_major({5, 300})}, classes({0, 9})}, "nothing"});
  cases.push_back({"empty_gather_nd", "gather_nd", {}, {{row_major({6, 500})}, classes({0, 1})}, "nothing"});
  cases.push_back({"empty_top_k", "top_k", {{"k", int64_t{0}}}, {{row_major({6, 500})}}, "nothing"});
  cases.push_back({"empty_sum", "add", {}, {{row_major({0, 4})}, {row_major({1, 4})}}, "nothing"});
  cases.push_back({"empty_product", "matmul", {}, {{row_major({0, 64})}, {row_major({64, 32})}}, "nothing"});
  cases.push_back({"empty_product_of_none", "matmul", {}, {{row_major({8, 0})}, {row_major({0, 32})}}, "own fill"});
  const Attributes rows{{"axes", Ints{0}}};
  cases.push_back({"empty_rows_added", "sum", rows, {{row_major({0, 50})}}, "own fill"});
  cases.push_back({"empty_rows_squared", "sum_of_squares", rows, {{row_major({0, 50}, DType::float64)}}, "own fill"});
  cases.push_back({"empty_rows_multiplied", "product", rows, {{row_major({0, 50}, DType::bfloat16)}}, "own fill"});
  cases.push_back({"empty_padded", "pad", padded({2, 1}, {0, 3}, "constant"), {{row_major({0, 30})}}, "own fill"});
}

}  // namespace

void add_indexing_cases(std::vector<KernelCase>& cases) {
  add_empty_cases(cases);
  cases.push_back({"concat_channels", "concat", along(1), {{nhwc({2, 37, 17, 19})}, {nhwc({2, 64, 17, 19})}}, "own"});
  cases.push_back({"concat_i64", "concat", along(0), {classes({100, 200}), classes({300, 200})}, "own"});
  cases.push_back({"concat_bf16_last",
                   "concat",
                   along(-1),
                   {{row_major({300, 70}, DType::bfloat16)}, {row_major({300, 5}, DType::bfloat16)}},
                   "own"});
  cases.push_back(
      {"pad_image", "pad", padded({0, 0, 1, 2}, {0, 0, 3, 1}, "constant"), {{nhwc({2, 24, 30, 31})}}, "own"});
  cases.push_back(
      {"pad_reflect", "pad", padded({0, 0, 4, 2}, {0, 0, 3, 5}, "reflect"), {{row_major({2, 5, 40, 61})}}, "own"});
  cases.push_back({"pad_crop_u8",
                   "pad",
                   padded({-3, 10}, {5, -20}, "constant"),
                   {{row_major({200, 300}, DType::uint8), Draw::classes}},
                   "own"});
  cases.push_back({"tile_rows", "tile", {{"repeats", Ints{3, 2}}}, {{row_major({150, 77})}}, "own"});
  cases.push_back({"tile_channels", "tile", {{"repeats", Ints{1, 2, 1, 1}}}, {{nhwc({2, 33, 13, 17})}}, "own"});
  const auto nearest = [](Ints sizes) {
    return Attributes{{"sizes", std::move(sizes)},
                      {"coordinates", std::string("asymmetric")},
                      {"nearest_mode", std::string("floor")}};
  };
  cases.push_back(
      {"resize_nearest_channels_last", "resize", nearest({2, 16, 34, 46}), {{nhwc({2, 16, 17, 23})}}, "own"});
  cases.push_back({"resize_nearest_rows", "resize", nearest({2, 3, 64, 96}), {{row_major({2, 3, 32, 32})}}, "own"});
  cases.push_back({"gather_rows", "gather", along(0), {{row_major({5, 300})}, classes({40, 9})}, "own"});
  cases.push_back({"gather_columns_i32",
                   "gather",
                   along(1),
                   {{row_major({130, 5, 3}, DType::float16)}, classes({70}, DType::int32)},
                   "own"});
  cases.push_back(
      {"gather_single_f64", "gather", along(-1), {{row_major({40, 5}, DType::float64)}, classes({999})}, "own"});
  cases.push_back(
      {"gather_grad_wide", "gather_grad", of_input(0, {5, 300}), {{row_major({40, 9, 300})}, classes({40, 9})}, "own"});
  cases.push_back({"gather_grad_narrow",
                   "gather_grad",
                   of_input(0, {9, 7}),
                   {{row_major({4000, 7})}, classes({4000}, DType::int32)},
                   "own"});
  cases.push_back({"gather_grad_columns_f64",
                   "gather_grad",
                   of_input(1, {30, 6, 20}),
                   {{row_major({30, 70, 20}, DType::float64)}, classes({70})},
                   "own"});
  cases.push_back({"embedding_bag_mean",
                   "embedding_bag",
                   {{"mode", std::string("mean")}},
                   {{row_major({7, 130})}, classes({90, 5})},
                   "own"});
  cases.push_back({"embedding_bag_f64",
                   "embedding_bag",
                   {{"mode", std::string("sum")}},
                   {{row_major({5, 64}, DType::float64)}, classes({300, 3}, DType::int32)},
                   "own"});
  cases.push_back(
      {"gather_elements_rows", "gather_elements", along(0), {{row_major({5, 300})}, classes({70, 290})}, "own"});
  cases.push_back({"gather_elements_last_i8",
                   "gather_elements",
                   along(-1),
                   {{row_major({400, 5}, DType::int8), Draw::classes}, classes({400, 9}, DType::int32)},
                   "own"});
  const auto scatter = [](int64_t axis, const char* reduction) {
    return Attributes{{"axis", axis}, {"reduction", std::string(reduction)}};
  };
  cases.push_back({"scatter_elements_add",
                   "scatter_elements",
                   scatter(0, "add"),
                   {{nhwc({5, 3, 40, 10})}, classes({9, 2, 40, 10}), {row_major({9, 2, 40, 10})}},
                   "own"});
  cases.push_back(
      {"scatter_elements_last",
       "scatter_elements",
       scatter(1, "none"),
       {{row_major({300, 6}, DType::bfloat16)}, classes({290, 70}), {row_major({290, 70}, DType::bfloat16)}},
       "own"});
  cases.push_back({"scatter_elements_max_f64",
                   "scatter_elements",
                   scatter(1, "max"),
                   {{row_major({300, 6}, DType::float64)}, classes({300, 70}), {row_major({300, 70}, DType::float64)}},
                   "own"});
  cases.push_back({"scatter_nd_rows_mul",
                   "scatter_nd",
                   scatter(0, "mul"),
                   {{row_major({6, 500})}, classes({50, 1}), {row_major({50, 500})}},
                   "own"});
  cases.push_back({"scatter_nd_elements",
                   "scatter_nd",
                   scatter(0, "none"),
                   {{row_major({7, 6}, DType::int64), Draw::classes}, classes({900, 2}), classes({900})},
                   "own"});
  cases.push_back({"scatter_nd_batches",
                   "scatter_nd",
                   {{"batch_dims", int64_t{1}}, {"reduction", std::string("min")}},
                   {{row_major({4, 5, 200})}, classes({4, 30, 1}), {row_major({4, 30, 200})}},
                   "own"});
  const Attributes batched{{"batch_dims", int64_t{1}}};
  cases.push_back({"gather_nd_rows", "gather_nd", {}, {{row_major({6, 500})}, classes({50, 1})}, "own"});
  cases.push_back({"gather_nd_elements_i8",
                   "gather_nd",
                   {},
                   {{row_major({7, 6}, DType::int8), Draw::classes}, classes({30, 9, 2}, DType::int32)},
                   "own"});
  cases.push_back({"gather_nd_batches",
                   "gather_nd",
                   batched,
                   {{row_major({4, 5, 7, 20}, DType::float64)}, classes({4, 30, 2})},
                   "own"});
  cases.push_back({"gather_nd_gaps", "gather_nd", {}, {{strided({6, 50, 3}, {1, 12, 900})}, classes({70, 1})}, "own"});
  cases.push_back({"gather_nd_channels_last", "gather_nd", {}, {{nhwc({6, 5, 7, 9})}, classes({40, 2})}, "own"});
  cases.push_back(
      {"top_k_bytes", "top_k", {{"k", int64_t{7}}}, {{row_major({20, 100}, DType::uint8), Draw::classes}}, "own"});
  cases.push_back({"top_k_rows", "top_k", {{"k", int64_t{9}}}, {{row_major({90, 333})}}, "own"});
  cases.push_back({"top_k_channels",
                   "top_k",
                   {{"k", int64_t{3}}, {"axis", int64_t{1}}, {"largest", int64_t{0}}},
                   {{nhwc({2, 21, 20, 30})}},
                   "own"});
  cases.push_back(
      {"top_k_ties_i64", "top_k", {{"k", int64_t{40}}, {"sorted", int64_t{0}}}, {classes({200, 100})}, "own"});
  const auto smooth = [](Ints sizes, const char* mode) {
    return Attributes{{"sizes", std::move(sizes)}, {"mode", std::string(mode)}};
  };
  cases.push_back(
      {"resize_linear_channels_last", "resize", smooth({2, 16, 40, 45}, "linear"), {{nhwc({2, 16, 17, 23})}}, "own"});
  cases.push_back(
      {"resize_linear_rows", "resize", smooth({2, 3, 20, 96}, "linear"), {{row_major({2, 3, 32, 33})}}, "own"});
  cases.push_back(
      {"resize_cubic_f64", "resize", smooth({3, 64, 96}, "cubic"), {{row_major({3, 32, 50}, DType::float64)}}, "own"});
  for (const char* mode : {"nearest", "linear", "cubic"}) {
    for (const DType dtype : {DType::float32, DType::float64}) {
      const auto back = [&](const char* name, TensorType x, Ints sizes) {
        Attributes attributes = smooth(sizes, mode);
        attributes.set("input_shape", Ints(x.shape.begin(), x.shape.end()));
        attributes.set("input_strides", Ints(x.strides.begin(), x.strides.end()));
        TensorType dy = x.shape.size() == 4 && x.strides[1] == 1
                            ? TensorType::channels_last(dtype, Shape(sizes.begin(), sizes.end()))
                            : row_major(Shape(sizes.begin(), sizes.end()), dtype);
        cases.push_back({fmt::format("resize_grad_{}_{}_{}", mode, name, engine::name(dtype)),
                         "resize_grad",
                         attributes,
                         {{std::move(dy)}},
                         "own"});
      };
      back("channels_last", TensorType::channels_last(dtype, {2, 16, 17, 23}), {2, 16, 40, 45});
      back("rows", row_major({2, 3, 32, 33}, dtype), {2, 3, 20, 96});
      back("smaller", row_major({3, 32, 50}, dtype), {3, 11, 50});
    }
  }
  cases.push_back({"one_hot_last", "one_hot", {{"depth", int64_t{50}}}, {classes({900})}, "own"});
  cases.push_back({"one_hot_first_bool",
                   "one_hot",
                   {{"depth", int64_t{4}}, {"axis", int64_t{0}}, {"dtype", std::string("bool")}},
                   {classes({30, 11})},
                   "own"});
  const auto turned = [](int64_t batch, int64_t time) {
    return Attributes{{"batch_axis", batch}, {"time_axis", time}};
  };
  // Lengths are in [0, 5): those beyond the steps belong to no sequence.
  cases.push_back({"reverse_sequence_time_first",
                   "reverse_sequence",
                   turned(1, 0),
                   {{row_major({9, 70, 33})}, classes({70})},
                   "own"});
  cases.push_back({"reverse_sequence_batch_first_bf16",
                   "reverse_sequence",
                   turned(0, 1),
                   {{row_major({70, 9, 33}, DType::bfloat16)}, classes({70}, DType::int32)},
                   "own"});
  cases.push_back({"reverse_sequence_elements_i64",
                   "reverse_sequence",
                   turned(0, -1),
                   {classes({300, 70}), classes({300})},
                   "own"});
  cases.push_back({"reverse_sequence_columns_u8",
                   "reverse_sequence",
                   turned(1, 0),
                   {{row_major({7, 900}, DType::uint8), Draw::classes}, classes({900})},
                   "own"});
  cases.push_back(
      {"reverse_sequence_too_long", "reverse_sequence", turned(0, 1), {classes({60, 3, 20}), classes({60})}, "own"});
  cases.push_back({"reverse_sequence_axes_between_f64",
                   "reverse_sequence",
                   turned(1, 3),
                   {{row_major({2, 5, 3, 6, 7}, DType::float64)}, classes({5})},
                   "own"});
  cases.push_back({"reverse_sequence_axes_between",
                   "reverse_sequence",
                   turned(3, 1),
                   {{row_major({2, 6, 3, 5, 7})}, classes({5})},
                   "own"});
  cases.push_back({"reverse_sequence_channels_last",
                   "reverse_sequence",
                   turned(0, 1),
                   {{nhwc({6, 9, 7, 5})}, classes({6})},
                   "own"});
  cases.push_back({"reverse_sequence_gaps",
                   "reverse_sequence",
                   turned(0, 1),
                   {{strided({6, 50, 3}, {1, 12, 900})}, classes({6})},
                   "own"});
  cases.push_back({"triangle_upper", "triangle", {{"k", int64_t{3}}}, {{row_major({3, 120, 90})}}, "own"});
  cases.push_back(
      {"triangle_lower_i64", "triangle", {{"upper", int64_t{0}}, {"k", int64_t{-2}}}, {classes({200, 150})}, "own"});
  cases.push_back({"non_zero_rows", "non_zero", {{"count", int64_t{500}}}, {{row_major({100, 90})}}, "own"});
  cases.push_back({"non_zero_i64", "non_zero", {{"count", int64_t{9000}}}, {classes({100, 90})}, "own"});
  cases.push_back({"compress_rows",
                   "compress",
                   {{"count", int64_t{40}}},
                   {{row_major({100, 37})}, classes({100}, DType::boolean)},
                   "own"});
  cases.push_back({"unique_i64", "unique", {{"count", int64_t{5}}, {"flat", int64_t{1}}}, {classes({200, 30})}, "own"});
  cases.push_back({"suppressed_boxes",
                   "non_max_suppression",
                   {{"count", int64_t{200}}, {"most", int64_t{50}}, {"iou", 0.5}},
                   {{row_major({2, 300, 4})}, {row_major({2, 3, 300})}},
                   "own"});
  cases.push_back({"known_values_i64", "known_values", {{"expected", Ints(20, 1)}}, {classes({20})}, "own"});
  cases.push_back({"roi_align_means",
                   "roi_align",
                   {{"sizes", Ints{7, 7}}, {"sampling_ratio", int64_t{2}}, {"spatial_scale", 8.0}},
                   {{nhwc({5, 33, 20, 21})}, {row_major({40, 4})}, classes({40})},
                   "own"});
}

}  // namespace engine
