// SPDX-License-Identifier: Apache-2.0
// Examples of three-dimensional convolution and pooling, and of im2col.
#include "tests/support/op_example_words.h"

namespace test {
namespace {

/// Stored as N, D, H, W, C.
Operand volume(const Shape& s) {
  const Strides t = engine::contiguous_strides({s[0], s[2], s[3], s[4], s[1]});
  return strided(s, {t[0], t[4], t[1], t[2], t[3]});
}

Attributes settings(Ints stride, Ints padding, Ints dilation, int64_t groups) {
  return {{"stride", std::move(stride)},
          {"padding", std::move(padding)},
          {"dilation", std::move(dilation)},
          {"groups", groups}};
}

struct ConvolutionCase {
  std::string label;
  Shape x, weight, y;
  Attributes attributes;
};

void add_convolution(std::vector<OpExample>& table) {
  const std::vector<ConvolutionCase> cases{{"1x1x1",
                                            {2, 3, 2, 3, 2},
                                            {4, 3, 1, 1, 1},
                                            {2, 4, 2, 3, 2},
                                            settings({1, 1, 1}, {0, 0, 0, 0, 0, 0}, {1, 1, 1}, 1)},
                                           {"3x3x3, padding 1",
                                            {1, 2, 3, 4, 3},
                                            {2, 2, 3, 3, 3},
                                            {1, 2, 3, 4, 3},
                                            settings({1, 1, 1}, {1, 1, 1, 1, 1, 1}, {1, 1, 1}, 1)},
                                           {"uneven everything",
                                            {1, 2, 5, 4, 6},
                                            {2, 2, 2, 1, 3},
                                            {1, 2, 2, 4, 4},
                                            settings({2, 1, 2}, {0, 0, 2, 1, 0, 3}, {3, 1, 2}, 1)},
                                           {"two groups",
                                            {1, 4, 2, 3, 3},
                                            {2, 2, 2, 2, 2},
                                            {1, 2, 1, 2, 2},
                                            settings({1, 1, 1}, {0, 0, 0, 0, 0, 0}, {1, 1, 1}, 2)},
                                           {"no volumes",
                                            {0, 2, 2, 2, 2},
                                            {3, 2, 1, 1, 1},
                                            {0, 3, 2, 2, 2},
                                            settings({1, 1, 1}, {0, 0, 0, 0, 0, 0}, {1, 1, 1}, 1)}};
  std::vector<OpExample> forward, grad_input, grad_weight;
  for (const ConvolutionCase& c : cases) {
    forward.push_back(on(c.label, {volume(c.x), rows(c.weight), rows({c.weight[0]})}, c.attributes));
    Attributes input = c.attributes, weight = c.attributes;
    input.set("input_shape", c.x);
    input.set("input_strides", volume(c.x).type.strides);
    weight.set("weight_shape", c.weight);
    weight.set("weight_strides", engine::contiguous_strides(c.weight));
    grad_input.push_back(on(c.label, {volume(c.y), rows(c.weight)}, input));
    grad_weight.push_back(on(c.label, {volume(c.y), volume(c.x)}, weight));
  }
  forward.push_back(on("row-major, no bias", {rows(cases[1].x), rows(cases[1].weight)}, cases[1].attributes));
  add(table, "conv3d", forward);
  add(table, "conv3d_grad_input", grad_input);
  add(table, "conv3d_grad_weight", grad_weight);
}

struct PoolingCase {
  std::string label;
  Shape x, y;
  Ints kernel, stride, padding, dilation;
  int64_t ceil_mode = 0;
};

void add_pooling(std::vector<OpExample>& table) {
  const std::vector<PoolingCase> cases{
      {"2x2x2, stride 2", {2, 3, 2, 4, 6}, {2, 3, 1, 2, 3}, {2, 2, 2}, {2, 2, 2}, {0, 0, 0, 0, 0, 0}, {1, 1, 1}},
      {"overlapping, uneven padding, ceil",
       {1, 2, 3, 6, 5},
       {1, 2, 3, 4, 3},
       {1, 3, 2},
       {1, 2, 2},
       {0, 1, 0, 0, 2, 1},
       {1, 1, 1},
       1},
      {"gaps between windows", {1, 1, 4, 5, 4}, {1, 1, 2, 2, 2}, {1, 2, 1}, {3, 3, 3}, {0, 0, 0, 0, 0, 0}, {1, 1, 1}},
      {"no volumes", {0, 2, 2, 2, 2}, {0, 2, 1, 1, 1}, {2, 2, 2}, {2, 2, 2}, {0, 0, 0, 0, 0, 0}, {1, 1, 1}},
      {"dilation 2", {1, 2, 1, 5, 6}, {1, 2, 1, 3, 4}, {1, 2, 2}, {1, 1, 1}, {0, 0, 0, 0, 0, 0}, {1, 2, 2}}};
  std::vector<OpExample> max, max_grad, average, average_grad;
  for (const PoolingCase& c : cases) {
    Attributes forward{{"kernel", c.kernel}, {"stride", c.stride}, {"padding", c.padding}, {"ceil_mode", c.ceil_mode}},
        backward = forward;
    backward.set("input_shape", c.x);
    backward.set("input_strides", volume(c.x).type.strides);
    if (c.dilation == Ints{1, 1, 1}) {
      for (const int64_t include : {0, 1}) {
        forward.set("count_include_pad", include);
        backward.set("count_include_pad", include);
        const std::string label = c.label + (include != 0 ? ", padding counted" : "");
        average.push_back(on(label, {volume(c.x)}, forward));
        average_grad.push_back(on(label, {volume(c.y)}, backward));
      }
    }
    forward.set("dilation", c.dilation);
    backward.set("dilation", c.dilation);
    max.push_back(on(c.label, {volume(c.x)}, forward));
    Operand indices = integers(c.y, DType::int32, static_cast<double>(c.x[2] * c.x[3] * c.x[4]));
    max_grad.push_back(on(c.label, {volume(c.y), indices}, backward));
  }
  max.push_back(on("row-major", {rows({1, 2, 2, 4, 4})}, {{"kernel", Ints{2, 2, 2}}, {"stride", Ints{1, 2, 2}}}));
  add(table, "max_pool3d", max);
  add(table, "max_pool3d_grad", max_grad);
  add(table, "average_pool3d", average);
  add(table, "average_pool3d_grad", average_grad);
}

void add_im2col(std::vector<OpExample>& table) {
  struct Case {
    std::string label;
    Shape x, columns;
    Attributes attributes;
  };
  const auto window = [](Ints kernel, Ints stride, Ints padding, Ints dilation) {
    return Attributes{{"kernel", std::move(kernel)},
                      {"stride", std::move(stride)},
                      {"padding", std::move(padding)},
                      {"dilation", std::move(dilation)}};
  };
  const std::vector<Case> cases{
      {"3x3, padding 1", {2, 3, 4, 5}, {2, 27, 20}, window({3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1})},
      {"stride 2, dilation 2 and 1", {1, 2, 6, 7}, {1, 12, 12}, window({2, 3}, {2, 2}, {0, 1, 1, 2}, {2, 1})},
      {"gaps between windows", {1, 2, 5, 5}, {1, 2, 4}, window({1, 1}, {3, 3}, {0, 0, 0, 0}, {1, 1})},
      {"no images", {0, 2, 3, 3}, {0, 8, 4}, window({2, 2}, {1, 1}, {0, 0, 0, 0}, {1, 1})}};
  std::vector<OpExample> forward, backward;
  for (const Case& c : cases) {
    forward.push_back(on(c.label, {nhwc(c.x)}, c.attributes));
    forward.push_back(on(c.label + ", row-major", {rows(c.x)}, c.attributes));
    Attributes attributes = c.attributes;
    attributes.set("input_shape", c.x);
    attributes.set("input_strides", engine::channels_last_strides(c.x));
    backward.push_back(on(c.label, {rows(c.columns)}, attributes));
    attributes.set("input_strides", engine::contiguous_strides(c.x));
    backward.push_back(
        on(c.label + ", row-major image, repeated columns", {strided(c.columns, {0, 0, 0})}, attributes));
  }
  add(table, "im2col", forward);
  add(table, "col2im", backward);
}

}  // namespace

void add_convolution_nd(std::vector<OpExample>& table) {
  add_convolution(table);
  add_pooling(table);
  add_im2col(table);
}

}  // namespace test
