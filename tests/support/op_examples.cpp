// SPDX-License-Identifier: Apache-2.0
// The table of examples: an op without an example fails the conformance test.
#include "tests/support/op_example_words.h"

namespace test {
namespace {

void add_movement(std::vector<OpExample>& table) {
  add(table, "reshape",
      {on("rank 3 to 2", {rows({2, 3, 4})}, {{"shape", Ints{6, -1}}}),
       on("to a scalar", {rows({1, 1})}, {{"shape", Ints{}}}),
       on("without elements", {rows({0, 3})}, {{"shape", Ints{3, 0}}}),
       on("of every other row", {strided({3, 4}, {8, 1})}, {{"shape", Ints{3, 2, 2}}})});
  add(table, "permute",
      {on("rank 4", {rows({2, 3, 4, 5})}, {{"axes", Ints{0, 2, 3, 1}}}),
       on("negative axes", {rows({2, 3})}, {{"axes", Ints{-1, -2}}}), on("scalar", {rows({})}, {{"axes", Ints{}}})});
  const auto cut = [](int64_t axis, int64_t start, int64_t end, int64_t step) {
    return Attributes{{"axis", axis}, {"start", start}, {"end", end}, {"step", step}};
  };
  add(table, "slice",
      {on("middle", {rows({5, 4})}, cut(0, 1, 4, 1)), on("every other, backwards", {rows({3, 7})}, cut(1, 6, 0, -2)),
       on("from the end", {nhwc({2, 3, 4, 5})}, cut(-1, -3, 9, 1)), on("nothing", {rows({4})}, cut(0, 2, 2, 1))});
  add(table, "slice_grad",
      {on("middle", {rows({3, 4})},
          {{"axis", int64_t{0}},
           {"start", int64_t{1}},
           {"end", int64_t{4}},
           {"step", int64_t{1}},
           {"input_shape", Ints{5, 4}},
           {"input_strides", Ints{4, 1}}}),
       on("backwards", {rows({3, 3})},
          {{"axis", int64_t{1}},
           {"start", int64_t{6}},
           {"end", int64_t{0}},
           {"step", int64_t{-2}},
           {"input_shape", Ints{3, 7}},
           {"input_strides", Ints{1, 3}}})});
  add(table, "expand",
      {on("last axis", {rows({3, 1})}, {{"shape", Ints{3, 4}}}),
       on("new leading axes", {rows({3})}, {{"shape", Ints{2, 2, 3}}}),
       on("scalar", {rows({})}, {{"shape", Ints{2, 2}}}), on("to nothing", {rows({1, 3})}, {{"shape", Ints{0, 3}}})});
  add(table, "squeeze",
      {on("last", {rows({2, 3, 1})}, {{"axis", int64_t{-1}}}), on("only", {rows({1})}, {{"axis", int64_t{0}}})});
  add(table, "unsqueeze",
      {on("first", {rows({2, 3})}, {{"axis", int64_t{0}}}), on("of a scalar", {rows({})}, {{"axis", int64_t{0}}}),
       on("last", {rows({2, 3})}, {{"axis", int64_t{2}}})});
  add(table, "contiguous",
      {on("channels last", {nhwc({2, 3, 4, 5})}), on("reversed", {strided({4, 3}, {-3, 1})}),
       on("repeated", {strided({4, 3}, {0, 1})}), on("without elements", {rows({3, 0})})});
  add(table, "relayout",
      {on("to column-major", {rows({3, 4})}, {{"strides", Ints{1, 3}}}),
       on("to channels last", {rows({2, 3, 2, 2})}, {{"strides", Ints{12, 1, 6, 3}}}),
       on("scalar", {rows({})}, {{"strides", Ints{}}})});
}

void add_elementwise(std::vector<OpExample>& table) {
  const auto binary = [](Attributes attributes) {
    return std::vector<OpExample>{
        on("equal shapes", {rows({2, 3}), rows({2, 3})}, attributes),
        on("scalars", {rows({}), rows({})}, attributes),
        on("a row and a column", {rows({3, 1}), rows({4})}, attributes),
        on("per channel", {nhwc({2, 3, 4, 4}), rows({3, 1, 1})}, attributes),
        on("smaller first", {rows({1, 3}), rows({2, 2, 3})}, attributes),
        on("channels last and row-major", {nhwc({2, 3, 4, 5}), rows({2, 3, 4, 5})}, attributes),
        on("transposed and reversed", {strided({3, 4}, {1, 3}), strided({3, 4}, {-8, 2})}, attributes),
        on("repeated", {strided({3, 4}, {0, 1}), rows({3, 4})}, attributes),
        on("without elements", {rows({0, 3}), rows({1, 3})}, attributes)};
  };
  add(table, "add", binary({}));
  add(table, "subtract", binary({}));
  add(table, "multiply", binary({}));
  add(table, "scaled_add", binary({{"factor", -1.5}}));
  const auto unary = [](Attributes attributes) {
    return std::vector<OpExample>{on("rows", {rows({3, 5})}, attributes), on("scalar", {rows({})}, attributes),
                                  on("channels last", {nhwc({2, 3, 4, 5})}, attributes),
                                  on("every other, backwards", {strided({2, 3}, {12, -2})}, attributes),
                                  on("without elements", {rows({2, 0})}, attributes)};
  };
  add(table, "scale", unary({{"factor", 2.5}, {"shift", -0.5}}));
  add(table, "copy", unary({}));
  add(table, "relu", unary({}));
  add(table, "sigmoid", unary({}));
  add(table, "relu_grad",
      {on("rows", {rows({3, 5}), rows({3, 5})}), on("layouts differ", {rows({2, 3, 4, 5}), nhwc({2, 3, 4, 5})}),
       on("repeated gradient", {strided({3, 5}, {0, 0}), rows({3, 5})})});
  add(table, "sigmoid_grad",
      {on("rows", {rows({3, 5}), rows({3, 5}, kUnit)}),
       on("layouts differ", {rows({2, 3, 4, 5}), nhwc({2, 3, 4, 5})})});
}

void add_matrix_products(std::vector<OpExample>& table) {
  add(table, "matmul",
      {on("square", {rows({4, 4}), rows({4, 4})}), on("rectangular", {rows({3, 5}), rows({5, 2})}),
       on("b transposed", {rows({3, 5}), strided({5, 2}, {1, 5})}),
       on("both transposed", {strided({3, 5}, {1, 3}), strided({5, 2}, {1, 5})}),
       on("batched", {rows({2, 3, 4}), rows({2, 4, 5})}),
       on("batches broadcast", {rows({2, 1, 3, 4}), rows({3, 4, 2})}),
       on("one matrix for all", {rows({3, 2, 4}), rows({4, 2})}), on("one row", {rows({1, 6}), rows({6, 3})}),
       on("sliced and repeated", {strided({3, 4}, {10, 2}), strided({4, 2}, {0, 1})}),
       on("empty sum", {rows({2, 0}), rows({0, 3})}), on("no rows", {rows({0, 4}), rows({4, 3})})});
  add(table, "linear",
      {on("with bias", {rows({4, 3}), rows({5, 3}), rows({5})}), on("without bias", {rows({4, 3}), rows({5, 3})}),
       on("one sample", {rows({1, 6}), rows({2, 6}), rows({2})}),
       on("transposed weight", {rows({4, 3}), strided({5, 3}, {1, 5}), rows({5})}),
       on("no samples", {rows({0, 3}), rows({5, 3}), rows({5})})});
}

Attributes convolution(Ints stride, Ints padding, Ints dilation, int64_t groups) {
  return {{"stride", std::move(stride)},
          {"padding", std::move(padding)},
          {"dilation", std::move(dilation)},
          {"groups", groups}};
}

/// One convolution as the examples of the op and both gradients.
struct ConvolutionCase {
  std::string label;
  Shape x, weight, y;
  Attributes attributes;
};

std::vector<ConvolutionCase> convolution_cases() {
  return {{"1x1", {2, 3, 4, 5}, {4, 3, 1, 1}, {2, 4, 4, 5}, convolution({1, 1}, {0, 0, 0, 0}, {1, 1}, 1)},
          {"3x3, padding 1", {2, 3, 5, 4}, {2, 3, 3, 3}, {2, 2, 5, 4}, convolution({1, 1}, {1, 1, 1, 1}, {1, 1}, 1)},
          {"1x1, stride 2", {1, 2, 5, 4}, {3, 2, 1, 1}, {1, 3, 3, 2}, convolution({2, 2}, {0, 0, 0, 0}, {1, 1}, 1)},
          {"7x5, uneven stride and padding",
           {1, 2, 9, 8},
           {2, 2, 7, 5},
           {1, 2, 4, 3},
           convolution({2, 3}, {3, 2, 1, 2}, {1, 1}, 1)},
          {"dilation 2 and 3", {1, 2, 7, 9}, {2, 2, 3, 2}, {1, 2, 5, 6}, convolution({1, 1}, {1, 0, 1, 0}, {2, 3}, 1)},
          {"stride 2 with dilation 3",
           {1, 1, 9, 9},
           {1, 1, 2, 2},
           {1, 1, 4, 4},
           convolution({2, 2}, {1, 1, 1, 1}, {3, 3}, 1)},
          {"two groups", {2, 4, 4, 4}, {6, 2, 3, 3}, {2, 6, 4, 4}, convolution({1, 1}, {1, 1, 1, 1}, {1, 1}, 2)},
          {"groups of no whole block",
           {1, 2, 3, 2},
           {96, 1, 2, 2},
           {1, 96, 2, 1},
           convolution({1, 1}, {0, 0, 0, 0}, {1, 1}, 2)},
          {"depthwise", {1, 3, 5, 5}, {3, 1, 3, 3}, {1, 3, 3, 3}, convolution({2, 2}, {1, 1, 1, 1}, {1, 1}, 3)},
          {"more padding than kernel",
           {1, 1, 2, 2},
           {1, 1, 2, 2},
           {1, 1, 7, 7},
           convolution({1, 1}, {3, 3, 3, 3}, {1, 1}, 1)},
          {"no images", {0, 3, 4, 4}, {2, 3, 3, 3}, {0, 2, 2, 2}, convolution({1, 1}, {0, 0, 0, 0}, {1, 1}, 1)}};
}

void add_convolution(std::vector<OpExample>& table) {
  std::vector<OpExample> forward, grad_input, grad_weight;
  for (const ConvolutionCase& c : convolution_cases()) {
    forward.push_back(on(c.label, {nhwc(c.x), rows(c.weight), rows({c.weight[0]})}, c.attributes));
    Attributes input = c.attributes, weight = c.attributes;
    input.set("input_shape", c.x);
    input.set("input_strides", engine::channels_last_strides(c.x));
    grad_input.push_back(on(c.label, {nhwc(c.y), rows(c.weight)}, input));
    weight.set("weight_shape", c.weight);
    weight.set("weight_strides", engine::contiguous_strides(c.weight));
    grad_weight.push_back(on(c.label, {nhwc(c.y), nhwc(c.x)}, weight));
  }
  const Attributes padded = convolution({1, 1}, {1, 1, 1, 1}, {1, 1}, 1);
  forward.push_back(on("no bias, row-major image", {rows({2, 3, 5, 4}), rows({2, 3, 3, 3})}, padded));
  forward.push_back(on("channels-last weight", {nhwc({2, 3, 5, 4}), nhwc({2, 3, 3, 3}), rows({2})}, padded));
  forward.push_back(on("cropped image", {strided({1, 2, 3, 3}, {100, 1, 20, 2}), rows({2, 2, 3, 3})}, padded));
  add(table, "conv2d", forward);
  add(table, "conv2d_grad_input", grad_input);
  add(table, "conv2d_grad_weight", grad_weight);
}

Attributes pooling(Ints kernel, Ints stride, Ints padding, int64_t ceil_mode) {
  return {{"kernel", std::move(kernel)},
          {"stride", std::move(stride)},
          {"padding", std::move(padding)},
          {"ceil_mode", ceil_mode}};
}

struct PoolingCase {
  std::string label;
  Shape x, y;
  Attributes attributes;
};

std::vector<PoolingCase> pooling_cases() {
  return {{"2x2, stride 2", {2, 3, 4, 6}, {2, 3, 2, 3}, pooling({2, 2}, {2, 2}, {0, 0, 0, 0}, 0)},
          {"3x3, stride 2, padding 1", {1, 2, 7, 6}, {1, 2, 4, 3}, pooling({3, 3}, {2, 2}, {1, 1, 1, 1}, 0)},
          {"overlapping 3x2", {1, 2, 5, 5}, {1, 2, 3, 4}, pooling({3, 2}, {1, 1}, {0, 0, 0, 0}, 0)},
          {"uneven padding, ceil", {1, 1, 6, 5}, {1, 1, 4, 3}, pooling({3, 2}, {2, 2}, {1, 0, 2, 1}, 1)},
          {"ceil, last window beyond the input", {1, 1, 5, 5}, {1, 1, 3, 3}, pooling({2, 2}, {2, 2}, {0, 0, 0, 0}, 1)},
          {"gaps between windows", {1, 2, 7, 7}, {1, 2, 2, 2}, pooling({2, 2}, {4, 4}, {0, 0, 0, 0}, 0)},
          {"no images", {0, 2, 4, 4}, {0, 2, 2, 2}, pooling({2, 2}, {2, 2}, {0, 0, 0, 0}, 0)}};
}

void add_pooling(std::vector<OpExample>& table) {
  std::vector<OpExample> max, max_grad, average, average_grad;
  for (const PoolingCase& c : pooling_cases()) {
    Attributes gradient = c.attributes;
    gradient.set("input_shape", c.x);
    gradient.set("input_strides", engine::channels_last_strides(c.x));
    max.push_back(on(c.label, {nhwc(c.x)}, c.attributes));
    Operand indices = integers(c.y, DType::int32, static_cast<double>(c.x[2] * c.x[3]));
    indices.type.strides = engine::channels_last_strides(c.y);
    max_grad.push_back(on(c.label, {nhwc(c.y), indices}, gradient));
    for (const int64_t include : {0, 1}) {
      Attributes forward = c.attributes;
      forward.set("count_include_pad", include);
      gradient.set("count_include_pad", include);
      const std::string label = c.label + (include != 0 ? ", padding counted" : "");
      average.push_back(on(label, {nhwc(c.x)}, forward));
      average_grad.push_back(on(label, {nhwc(c.y)}, gradient));
    }
  }
  max.push_back(on("row-major image", {rows({1, 2, 4, 4})}, pooling({2, 2}, {2, 2}, {0, 0, 0, 0}, 0)));
  add(table, "max_pool2d", max);
  add(table, "max_pool2d_grad", max_grad);
  add(table, "average_pool2d", average);
  add(table, "average_pool2d_grad", average_grad);
  add(table, "global_average_pool",
      {on("channels last", {nhwc({2, 3, 4, 5})}), on("row-major", {rows({1, 2, 3, 3})}),
       on("1x1", {nhwc({2, 3, 1, 1})}), on("no images", {nhwc({0, 3, 2, 2})})});
  add(table, "global_average_pool_grad",
      {on("channels last", {nhwc({2, 3, 1, 1})},
          {{"input_shape", Ints{2, 3, 4, 5}}, {"input_strides", Ints{60, 1, 15, 3}}}),
       on("repeated gradient", {strided({2, 3, 1, 1}, {0, 0, 0, 0})},
          {{"input_shape", Ints{2, 3, 2, 2}}, {"input_strides", Ints{12, 4, 2, 1}}})});
}

void add_normalization(std::vector<OpExample>& table) {
  const Attributes epsilon{{"epsilon", 1e-3}};
  const auto vector = [](int64_t channels) { return rows({channels}); };
  const auto positive = [](int64_t channels) { return rows({channels}, kPositive); };
  add(table, "batch_norm_training",
      {on("channels last", {nhwc({2, 3, 4, 5}), vector(3), vector(3)}, epsilon),
       on("row-major", {rows({3, 2, 2, 2}), vector(2), vector(2)}, epsilon),
       on("rank 2", {rows({6, 4}), vector(4), vector(4)}, epsilon),
       on("rank 3", {rows({2, 3, 5}), vector(3), vector(3)}, epsilon),
       on("no channels", {rows({2, 0, 3, 3}), vector(0), vector(0)}, epsilon)});
  add(table, "batch_norm_grad",
      {on("channels last", {nhwc({2, 3, 4, 5}), nhwc({2, 3, 4, 5}), vector(3), positive(3), vector(3)}, epsilon),
       on("repeated gradient",
          {strided({2, 3, 2, 2}, {0, 0, 0, 0}), nhwc({2, 3, 2, 2}), vector(3), positive(3), vector(3)}, epsilon),
       on("rank 2", {rows({6, 4}), rows({6, 4}), vector(4), positive(4), vector(4)}, epsilon)});
  add(table, "batch_norm_running_update",
      {on("many values", {vector(3), positive(3), vector(3), positive(3)},
          {{"epsilon", 1e-3}, {"momentum", 0.1}, {"count", int64_t{40}}}),
       on("one value", {vector(2), positive(2), vector(2), positive(2)},
          {{"epsilon", 1e-3}, {"momentum", 0.5}, {"count", int64_t{1}}})});
  add(table, "batch_norm_inference",
      {on("channels last", {nhwc({2, 3, 4, 5}), vector(3), vector(3), vector(3), positive(3)}, epsilon),
       on("rank 2", {rows({6, 4}), vector(4), vector(4), vector(4), positive(4)}, epsilon),
       on("no images", {nhwc({0, 3, 2, 2}), vector(3), vector(3), vector(3), positive(3)}, epsilon)});
}

void add_inference_gradient(std::vector<OpExample>& table) {
  const Attributes epsilon{{"epsilon", 1e-3}};
  const auto vector = [](int64_t channels) { return rows({channels}); };
  add(table, "batch_norm_inference_grad",
      {on("channels last", {nhwc({2, 3, 4, 5}), nhwc({2, 3, 4, 5}), vector(3), vector(3), rows({3}, kPositive)},
          epsilon),
       on("repeated gradient", {strided({6, 4}, {0, 0}), rows({6, 4}), vector(4), vector(4), rows({4}, kPositive)},
          epsilon)});
}

void add_reductions(std::vector<OpExample>& table) {
  const auto axes = [](Ints list, int64_t keep) { return Attributes{{"axes", std::move(list)}, {"keep_axes", keep}}; };
  add(table, "sum",
      {on("rows", {rows({3, 4})}, axes({0}, 0)), on("columns, kept", {rows({3, 4})}, axes({-1}, 1)),
       on("all", {rows({2, 3, 4})}, axes({}, 0)), on("outer and inner", {rows({2, 3, 4})}, axes({0, 2}, 0)),
       on("channels last", {nhwc({2, 3, 4, 5})}, axes({0, 2, 3}, 0)), on("scalar", {rows({})}, axes({}, 0)),
       on("of nothing", {rows({0, 3})}, axes({0}, 0)), on("repeated", {strided({3, 4}, {1, 0})}, axes({1}, 0))});
  const auto along = [](int64_t axis) { return Attributes{{"axis", axis}}; };
  add(table, "softmax",
      {on("rows", {rows({3, 5})}, along(-1)), on("columns", {rows({3, 5})}, along(0)),
       on("channels", {nhwc({2, 3, 4, 5})}, along(1)), on("one class", {rows({3, 1})}, along(1)),
       on("sliced", {strided({3, 4}, {16, 2})}, along(1)), on("no classes", {rows({3, 0})}, along(1))});
  add(table, "softmax_grad",
      {on("rows", {rows({3, 5}), rows({3, 5}, kUnit)}, along(-1)),
       on("channels, layouts differ", {rows({2, 3, 4, 5}), nhwc({2, 3, 4, 5})}, along(1))});
  add(table, "softmax_cross_entropy",
      {on("i64 labels", {rows({4, 5}), integers({4}, DType::int64, 5)}),
       on("i32 labels", {rows({3, 2}), integers({3}, DType::int32, 2)}),
       on("one sample", {rows({1, 7}), integers({1}, DType::int64, 7)}),
       on("column-major", {strided({4, 5}, {1, 4}), integers({4}, DType::int64, 5)})});
  add(table, "softmax_cross_entropy_grad",
      {on("i64 labels", {rows({}), rows({4, 5}, kUnit), integers({4}, DType::int64, 5)}),
       on("i32 labels", {rows({}), rows({3, 2}, kUnit), integers({3}, DType::int32, 2)})});
}

}  // namespace

const std::vector<OpExample>& op_examples() {
  static const std::vector<OpExample> table = [] {
    std::vector<OpExample> all;
    add_movement(all);
    add_elementwise(all);
    add_matrix_products(all);
    add_convolution(all);
    add_pooling(all);
    add_normalization(all);
    add_inference_gradient(all);
    add_reductions(all);
    add_norms(all);
    add_attention(all);
    add_recurrent(all);
    add_dropout(all);
    add_convolution_nd(all);
    add_optimizers(all);
    add_ladder(all);
    add_linear_algebra(all);
    add_tangents(all);
    add_probes(all);
    add_cache(all);
    add_casting(all);
    add_math(all);
    add_reduce(all);
    add_loss_scaling(all);
    add_indexing(all);
    add_quantized(all);
    add_fused(all);
    return all;
  }();
  return table;
}

}  // namespace test
