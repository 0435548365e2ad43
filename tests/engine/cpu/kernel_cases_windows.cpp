// SPDX-License-Identifier: Apache-2.0
// Shapes the kernels of convolution and pooling are held against their references on.
#include "kernel_case_words.h"

namespace engine {
namespace {

struct ConvShape {
  const char* name;
  TensorType x;
  Shape weight;
  Attributes attributes;
  TensorType y;
  const char* kernel = "oneDNN";
  const char *by_input = nullptr, *by_weight = nullptr;  ///< of the gradients, where others; "": by the vector's width one or the other
};

void add_convolutions(std::vector<KernelCase>& cases) {
  const ConvShape shapes[] = {
      {"stem",
       nhwc({2, 3, 18, 18}),
       {16, 3, 7, 7},
       conv({2, 2}, {3, 3, 3, 3}),
       nhwc({2, 16, 9, 9})},
      {"3x3",
       nhwc({2, 32, 14, 14}),
       {64, 32, 3, 3},
       conv({1, 1}, {1, 1, 1, 1}),
       nhwc({2, 64, 14, 14})},
      {"1x1_stride2",
       nhwc({1, 48, 14, 14}),
       {32, 48, 1, 1},
       conv({2, 2}, {0, 0, 0, 0}),
       nhwc({1, 32, 7, 7}),
       "oneDNN", ""},
      {"1x1",
       nhwc({2, 24, 5, 7}),
       {17, 24, 1, 1},
       conv({1, 1}, {0, 0, 0, 0}),
       nhwc({2, 17, 5, 7}),
       "oneDNN", ""},
      {"1x1_strides_that_miss_pixels",
       nhwc({2, 16, 7, 6}),
       {33, 16, 1, 1},
       conv({2, 3}, {0, 0, 0, 0}),
       nhwc({2, 33, 4, 2}),
       "oneDNN", ""},
      // Gradients of 3x3 kernels over few pixels: products over weights as they lie, by tiles of 7 and of 8 rows, whole and not.
      {"3x3_few_pixels",
       nhwc({1, 32, 7, 7}),
       {66, 32, 3, 3},
       conv({1, 1}, {1, 1, 1, 1}),
       nhwc({1, 66, 7, 7}),
       "oneDNN", "own gemm over plain weights", "own gemm over plain weights"},
      {"3x3_few_pixels_uneven_strides_and_padding",
       nhwc({1, 64, 9, 8}),
       {100, 64, 3, 3},
       conv({2, 1}, {0, 1, 2, 1}),
       nhwc({1, 100, 5, 8}),
       "oneDNN", "own gemm over plain weights", "own gemm over plain weights"},
      {"3x3_few_pixels_dilated_two_images",
       nhwc({2, 32, 6, 5}),
       {64, 32, 3, 3},
       conv({1, 1}, {2, 3, 2, 3}, {2, 3}),
       nhwc({2, 64, 6, 5}),
       "oneDNN", "own gemm over plain weights", "own gemm over plain weights"},
      {"3x3_one_pixel",
       nhwc({4, 64, 1, 1}),
       {64, 64, 3, 3},
       conv({1, 1}, {1, 1, 1, 1}),
       nhwc({4, 64, 1, 1}),
       "oneDNN", "own gemm over plain weights", "own gemm over plain weights"},
      {"3x3_few_pixels_strided",
       nhwc({4, 64, 4, 4}),
       {128, 64, 3, 3},
       conv({2, 2}, {1, 1, 1, 1}),
       nhwc({4, 128, 2, 2}),
       "oneDNN", "own gemm over plain weights", "own gemm over plain weights"},
      {"1x1_few_pixels_many_channels",
       nhwc({4, 512, 2, 2}),
       {1024, 512, 1, 1},
       conv({2, 2}, {0, 0, 0, 0}),
       nhwc({4, 1024, 1, 1})},
      {"1x1_many_channels",
       nhwc({1, 1024, 7, 7}),
       {300, 1024, 1, 1},
       conv({1, 1}, {0, 0, 0, 0}),
       nhwc({1, 300, 7, 7}),
       "oneDNN", "own gemm ("},
      {"3x3_more_pixels",
       nhwc({1, 32, 14, 14}),
       {64, 32, 3, 3},
       conv({1, 1}, {1, 1, 1, 1}),
       nhwc({1, 64, 14, 14}),
       "oneDNN", "oneDNN", "own gemm over plain weights"},
      {"3x3_more_pixels_many_weights",
       nhwc({1, 256, 9, 9}),
       {228, 256, 3, 3},
       conv({1, 1}, {1, 1, 1, 1}),
       nhwc({1, 228, 9, 9}),
       "oneDNN", "own gemm over plain weights", "own gemm over plain weights"},
      {"uneven_kernel_and_padding",
       nhwc({2, 16, 9, 8}),
       {32, 16, 5, 2},
       conv({1, 1}, {1, 0, 3, 1}),
       nhwc({2, 32, 9, 8})},
      {"odd_everything",
       nhwc({3, 5, 7, 9}),
       {7, 5, 3, 2},
       conv({2, 1}, {1, 0, 2, 1}),
       nhwc({3, 7, 4, 9})},
      {"dilated",
       nhwc({1, 8, 11, 11}),
       {8, 8, 3, 3},
       conv({1, 1}, {2, 2, 2, 2}, {2, 2}),
       nhwc({1, 8, 11, 11})},
      {"grouped",
       nhwc({2, 12, 6, 6}),
       {8, 3, 3, 3},
       conv({1, 1}, {1, 1, 1, 1}, {1, 1}, 4),
       nhwc({2, 8, 6, 6})},
      {"one_channel_one_pixel",
       nhwc({2, 1, 3, 3}),
       {1, 1, 3, 3},
       conv({1, 1}, {0, 0, 0, 0}),
       nhwc({2, 1, 1, 1})},
      // As of a concatenation: dy is 16 of 40 channels.
      {"part_of_wider_gradient",
       nhwc({2, 32, 7, 7}),
       {16, 32, 3, 3},
       conv({1, 1}, {1, 1, 1, 1}),
       {f32, {2, 16, 7, 7}, nhwc({2, 40, 7, 7}).strides}},
      {"part_of_wider_gradient_strided",
       nhwc({2, 32, 7, 7}),
       {16, 32, 3, 3},
       conv({2, 2}, {1, 1, 1, 1}),
       {f32, {2, 16, 4, 4}, nhwc({2, 40, 4, 4}).strides}},
      {"row_major_input",
       row_major({2, 8, 5, 5}),
       {8, 8, 3, 3},
       conv({1, 1}, {1, 1, 1, 1}),
       nhwc({2, 8, 5, 5})},
      {"f64",
       nhwc({1, 4, 6, 6}, f64),
       {4, 4, 3, 3},
       conv({1, 1}, {1, 1, 1, 1}),
       nhwc({1, 4, 6, 6}, f64),
       "own gemm over columns of the image"},
      {"f64_grouped_strided_row_major",
       row_major({3, 12, 9, 8}, f64),
       {8, 3, 3, 2},
       conv({2, 1}, {1, 0, 2, 1}, {1, 2}, 4),
       row_major({3, 8, 5, 7}, f64),
       "own gemm over columns of the image"},
      {"f64_1x1",
       nhwc({2, 24, 5, 7}, f64),
       {17, 24, 1, 1},
       conv({1, 1}, {0, 0, 0, 0}),
       nhwc({2, 17, 5, 7}, f64),
       "own gemm over the image"},
      {"f64_part_of_wider_gradient",
       nhwc({2, 9, 7, 7}, f64),
       {16, 9, 3, 3},
       conv({1, 1}, {1, 1, 1, 1}),
       {f64, {2, 16, 7, 7}, nhwc({2, 40, 7, 7}).strides},
       "own gemm over columns of the image"},
      {"f64_many_tiles",
       nhwc({2, 70, 23, 21}, f64),
       {30, 70, 3, 3},
       conv({1, 1}, {1, 1, 1, 1}),
       nhwc({2, 30, 23, 21}, f64),
       "own gemm over columns of the image"},
  };
  for (const ConvShape& s : shapes) {
    const TensorType weight = row_major(s.weight, s.x.dtype),
                     bias = row_major({s.weight[0]}, s.x.dtype);
    const std::string name = s.name;
    cases.push_back({"conv2d_" + name, "conv2d", s.attributes, {{s.x}, {weight}}, s.kernel});
    cases.push_back(
        {"conv2d_bias_" + name, "conv2d", s.attributes, {{s.x}, {weight}, {bias}}, s.kernel});
    cases.push_back({"conv2d_grad_input_" + name,
                     "conv2d_grad_input",
                     with_result(s.attributes, "input", s.x),
                     {{s.y}, {weight}},
                     s.by_input != nullptr ? s.by_input : s.kernel});
    cases.push_back({"conv2d_grad_weight_" + name,
                     "conv2d_grad_weight",
                     with_result(s.attributes, "weight", weight),
                     {{s.y}, {s.x}},
                     s.by_weight != nullptr ? s.by_weight : s.kernel});
  }
}

struct PoolShape {
  const char* name;
  TensorType x;
  Attributes attributes;
  TensorType y;
};

Attributes pool(Ints kernel, Ints stride, Ints padding, bool ceil = false, bool count_pad = false) {
  return {{"kernel", kernel},
          {"stride", stride},
          {"padding", padding},
          {"ceil_mode", int64_t{ceil}},
          {"count_include_pad", int64_t{count_pad}}};
}

void add_pooling(std::vector<KernelCase>& cases) {
  const PoolShape shapes[] = {
      {"stem", nhwc({2, 64, 16, 16}), pool({3, 3}, {2, 2}, {1, 1, 1, 1}), nhwc({2, 64, 8, 8})},
      {"odd", nhwc({3, 19, 9, 7}), pool({2, 3}, {1, 2}, {0, 1, 1, 0}), nhwc({3, 19, 9, 3})},
      {"gaps", nhwc({1, 4, 9, 9}), pool({2, 2}, {4, 4}, {0, 0, 0, 0}), nhwc({1, 4, 2, 2})},
      {"ceil", nhwc({2, 16, 7, 7}), pool({2, 2}, {2, 2}, {0, 0, 0, 0}, true), nhwc({2, 16, 4, 4})},
      {"count_pad", nhwc({2, 17, 6, 6}), pool({3, 3}, {2, 2}, {1, 1, 1, 1}, true, true),
       nhwc({2, 17, 4, 4})},
      {"one_channel", nhwc({2, 1, 6, 6}), pool({2, 2}, {2, 2}, {0, 0, 0, 0}), nhwc({2, 1, 3, 3})},
  };
  for (const PoolShape& s : shapes) {
    const std::string name = s.name;
    const Attributes gradient = with_result(s.attributes, "input", s.x);
    const TensorType indices{DType::int32, s.y.shape, s.y.strides};
    cases.push_back({"max_pool2d_" + name, "max_pool2d", s.attributes, {{s.x}}, "own"});
    cases.push_back({"average_pool2d_" + name, "average_pool2d", s.attributes, {{s.x}}, "own"});
    cases.push_back({"max_pool2d_grad_" + name,
                     "max_pool2d_grad",
                     gradient,
                     {{s.y}, {indices, Draw::pool_indices}},
                     "own"});
    cases.push_back(
        {"average_pool2d_grad_" + name, "average_pool2d_grad", gradient, {{s.y}}, "own"});
  }
  const TensorType plane = nhwc({3, 70, 7, 7});
  cases.push_back({"global_average_pool", "global_average_pool", {}, {{plane}}, "own"});
  cases.push_back({"global_average_pool_grad",
                   "global_average_pool_grad",
                   with_result({}, "input", plane),
                   {{nhwc({3, 70, 1, 1})}},
                   "own"});
  cases.push_back({"max_pool2d_row_major",
                   "max_pool2d",
                   pool({2, 2}, {2, 2}, {0, 0, 0, 0}),
                   {{row_major({2, 3, 4, 4})}},
                   "reference"});
  cases.push_back({"max_pool2d_f64",
                   "max_pool2d",
                   pool({2, 2}, {2, 2}, {0, 0, 0, 0}),
                   {{nhwc({2, 3, 4, 4}, f64)}},
                   "reference"});
}

}  // namespace

void add_window_cases(std::vector<KernelCase>& cases) {
  add_convolutions(cases);
  add_pooling(cases);
}

}  // namespace engine
