// SPDX-License-Identifier: Apache-2.0
// Shapes the kernels of convolution and pooling are held against their references on.
#include <fmt/format.h>

#include <tuple>

#include "tests/engine/kernels/core/kernel_case_words.h"

namespace engine {
namespace {

struct ConvShape {
  const char* name;
  TensorType x;
  Shape weight;
  Attributes attributes;
  TensorType y;
  const char* kernel = "oneDNN";
  const char *by_input = nullptr,
             *by_weight = nullptr;  ///< of the gradients, where others; "": by the vector's width one or the other
};

constexpr const char *kCopied = "channels-last copies via workspace: oneDNN", *kAny = "";

void add(const ConvShape& s, std::vector<KernelCase>& cases) {
  const TensorType weight = row_major(s.weight, s.x.dtype), bias = row_major({s.weight[0]}, s.x.dtype);
  const std::string name = s.name, op = s.x.rank() == 5 ? "conv3d" : "conv2d";
  // Gradients of what lies with gaps, backwards or on top of itself lie densely.
  const TensorType dx = is_dense(s.x.shape, s.x.strides) ? s.x : nhwc(s.x.shape, s.x.dtype);
  cases.push_back({op + "_" + name, op, s.attributes, {{s.x}, {weight}}, s.kernel});
  cases.push_back({op + "_bias_" + name, op, s.attributes, {{s.x}, {weight}, {bias}}, s.kernel});
  cases.push_back({op + "_grad_input_" + name,
                   op + "_grad_input",
                   with_result(s.attributes, "input", dx),
                   {{s.y}, {weight}},
                   s.by_input != nullptr ? s.by_input : s.kernel});
  cases.push_back({op + "_grad_weight_" + name,
                   op + "_grad_weight",
                   with_result(s.attributes, "weight", weight),
                   {{s.y}, {s.x}},
                   s.by_weight != nullptr ? s.by_weight : s.kernel});
}

/// Images that views leave behind: oneDNN has plain loops for them and nothing else.
void add_convolutions_of_views(std::vector<KernelCase>& cases) {
  const Ints whole{1, 1}, around{1, 1, 1, 1};
  const auto part_of = [](Shape shape, Shape of, DType t = f32) {
    return strided(std::move(shape), nhwc(std::move(of)).strides, t);
  };
  const ConvShape shapes[] = {
      {"chunk",
       part_of({2, 16, 9, 8}, {2, 32, 9, 8}),
       {24, 16, 3, 3},
       conv(whole, around),
       nhwc({2, 24, 9, 8}),
       kCopied,
       "oneDNN",
       kCopied},
      {"chunk_to_chunk",
       part_of({2, 32, 9, 9}, {2, 40, 9, 9}),
       {48, 32, 3, 3},
       conv({2, 2}, around),
       part_of({2, 48, 5, 5}, {2, 64, 5, 5}),
       kCopied,
       kCopied,
       kCopied},
      {"chunk_1x1",
       part_of({2, 16, 9, 8}, {2, 32, 9, 8}),
       {24, 16, 1, 1},
       conv(whole, {0, 0, 0, 0}),
       part_of({2, 24, 9, 8}, {2, 48, 9, 8}),
       kCopied,
       "channels-last copies",
       "channels-last copies"},
      {"chunk_depthwise",
       part_of({1, 20, 9, 8}, {1, 40, 9, 8}),
       {20, 1, 3, 3},
       conv(whole, around, whole, 20),
       nhwc({1, 20, 9, 8}),
       kCopied,
       "oneDNN",
       kCopied},
      {"chunk_grouped_dilated",
       part_of({2, 12, 11, 9}, {2, 36, 11, 9}),
       {8, 3, 3, 3},
       conv({2, 1}, {2, 0, 1, 3}, {2, 2}, 4),
       nhwc({2, 8, 5, 8}),
       kCopied,
       "oneDNN",
       kCopied},
      {"cropped",
       part_of({2, 8, 7, 6}, {2, 8, 12, 10}),
       {16, 8, 3, 3},
       conv(whole, around),
       nhwc({2, 16, 7, 6}),
       kCopied,
       "oneDNN",
       kCopied},
      {"transposed_pixels",
       strided({1, 16, 8, 9}, {16 * 72, 1, 16, 16 * 8}),
       {16, 16, 3, 3},
       conv(whole, around),
       strided({1, 16, 8, 9}, {16 * 72, 1, 16, 16 * 8}),
       kCopied,
       kCopied,
       kCopied},
      {"every_other_pixel",
       strided({2, 16, 6, 7}, {16 * 12 * 14, 1, 2 * 16 * 14, 2 * 16}),
       {16, 16, 3, 3},
       conv(whole, around),
       nhwc({2, 16, 6, 7}),
       kCopied,
       "oneDNN",
       kCopied},
      {"every_other_of_odd_extents",
       strided({2, 16, 6, 4}, {16 * 11 * 7, 1, 2 * 16 * 7, 2 * 16}),
       {16, 16, 3, 3},
       conv(whole, around),
       nhwc({2, 16, 6, 4}),
       kCopied,
       "oneDNN",
       kCopied},
      {"every_other_column_of_7",
       strided({1, 8, 9, 4}, {8 * 63, 63, 7, 2}),
       {16, 8, 3, 3},
       conv(whole, around),
       nhwc({1, 16, 9, 4}),
       kCopied,
       kAny,
       kCopied},
      {"every_other_column_of_5_1x1",
       strided({1, 8, 9, 3}, {8 * 45, 45, 5, 2}),
       {16, 8, 1, 1},
       conv(whole, {0, 0, 0, 0}),
       nhwc({1, 16, 9, 3}),
       kCopied,
       "",
       kCopied},
      {"every_third_column_of_4_strided",
       strided({2, 8, 5, 2}, {8 * 20, 20, 4, 3}),
       {16, 8, 3, 2},
       conv({2, 1}, {1, 0, 1, 1}),
       nhwc({2, 16, 3, 2}),
       kCopied,
       kAny,
       kCopied},
      {"depthwise_every_other_column_of_5",
       strided({1, 20, 9, 3}, {20 * 45, 1, 100, 40}),
       {20, 1, 3, 3},
       conv(whole, around, whole, 20),
       nhwc({1, 20, 9, 3}),
       kCopied,
       "oneDNN",
       kCopied},
      {"to_every_other_of_odd_extents",
       nhwc({2, 16, 6, 4}),
       {32, 16, 3, 3},
       conv(whole, around),
       strided({2, 32, 6, 4}, {32 * 11 * 7, 1, 2 * 32 * 7, 2 * 32}),
       "oneDNN",
       kCopied,
       kCopied},
      {"bf16_every_other_of_odd_extents",
       strided({2, 16, 6, 4}, {16 * 11 * 7, 1, 2 * 16 * 7, 2 * 16}, DType::bfloat16),
       {16, 16, 3, 3},
       conv(whole, around),
       nhwc({2, 16, 6, 4}, DType::bfloat16),
       kAny},
      {"f16_every_third_column_of_4",
       strided({2, 8, 5, 2}, {8 * 20, 20, 4, 3}, DType::float16),
       {16, 8, 3, 2},
       conv(whole, {1, 0, 1, 1}),
       nhwc({2, 16, 5, 2}, DType::float16),
       kAny},
      {"f64_depthwise_every_other_column_of_5",
       strided({1, 20, 9, 3}, {20 * 45, 45, 5, 2}, f64),
       {20, 1, 3, 3},
       conv(whole, around, whole, 20),
       nhwc({1, 20, 9, 3}, f64),
       kAny},
      {"backwards",
       strided({1, 4, 6, 6}, {144, -36, 6, 1}),
       {5, 4, 3, 3},
       conv(whole, around),
       row_major({1, 5, 6, 6}),
       kCopied,
       kCopied,
       kCopied},
      {"one_channel_repeated",
       strided({2, 3, 8, 8}, {64, 0, 8, 1}),
       {16, 3, 3, 3},
       conv(whole, around),
       nhwc({2, 16, 8, 8}),
       kCopied,
       "oneDNN",
       kCopied},
      {"signal",
       row_major({2, 16, 1, 200}),
       {24, 16, 1, 9},
       conv({1, 4}, {0, 4, 0, 4}),
       row_major({2, 24, 1, 50}),
       kCopied,
       kCopied,
       kCopied},
      {"signal_dilated",
       row_major({1, 16, 1, 100}),
       {16, 16, 1, 2},
       conv(whole, {0, 32, 0, 0}, {1, 32}),
       nhwc({1, 16, 1, 100}),
       kCopied,
       kCopied,
       kCopied},
      {"bf16_chunk",
       part_of({2, 16, 9, 8}, {2, 32, 9, 8}, DType::bfloat16),
       {24, 16, 3, 3},
       conv(whole, around),
       nhwc({2, 24, 9, 8}, DType::bfloat16),
       kAny},
      {"f16_chunk",
       part_of({2, 16, 9, 8}, {2, 32, 9, 8}, DType::float16),
       {24, 16, 3, 3},
       conv(whole, around),
       nhwc({2, 24, 9, 8}, DType::float16),
       kAny},
      {"f64_chunk_depthwise",
       part_of({1, 20, 9, 8}, {1, 40, 9, 8}, f64),
       {20, 1, 3, 3},
       conv(whole, around, whole, 20),
       nhwc({1, 20, 9, 8}, f64),
       "own depthwise loops"},
      {"f64_row_major_depthwise",
       row_major({1, 20, 9, 8}, f64),
       {20, 1, 3, 3},
       conv(whole, around, whole, 20),
       nhwc({1, 20, 9, 8}, f64),
       "channels-last copies via workspace: own depthwise loops"},
  };
  for (const ConvShape& s : shapes) add(s, cases);
}

/// A bias that is a slice of another, or one number for all channels.
void add_convolutions_with_biases_of_views(std::vector<KernelCase>& cases) {
  for (const DType t : {f32, f64}) {
    const Operand image{nhwc({2, 8, 7, 6}, t)}, volume{row_major({1, 8, 4, 5, 6}, t)};
    const std::string suffix = "_" + std::string(name(t)),
                      by = "channels-last copies via workspace: " + std::string(t == f32 ? "oneDNN" : "own gemm");
    for (const auto& [what, stride] : {std::pair("every_other", 2), std::pair("repeated", 0)}) {
      const Operand bias{strided({16}, {stride}, t)};
      cases.push_back({std::string("conv2d_bias_") + what + suffix,
                       "conv2d",
                       conv({1, 1}, {1, 1, 1, 1}),
                       {image, {row_major({16, 8, 3, 3}, t)}, bias},
                       by});
      cases.push_back({std::string("conv3d_bias_") + what + suffix,
                       "conv3d",
                       conv({1, 1, 1}, {1, 1, 1, 1, 1, 1}, {1, 1, 1}),
                       {volume, {row_major({16, 8, 3, 3, 3}, t)}, bias},
                       by});
    }
  }
}

void add_convolutions_of_volumes(std::vector<KernelCase>& cases) {
  const Ints whole{1, 1, 1}, around{1, 1, 1, 1, 1, 1};
  const auto last = [](const Shape& s, DType t = f32) {
    return strided(s, {s[1] * s[2] * s[3] * s[4], 1, s[1] * s[3] * s[4], s[1] * s[4], s[1]}, t);
  };
  const auto part_of = [&](Shape shape, const Shape& of, DType t = f32) {
    return strided(std::move(shape), last(of).strides, t);
  };
  const ConvShape shapes[] = {
      {"row_major",
       row_major({1, 4, 5, 6, 7}),
       {16, 4, 3, 3, 3},
       conv(whole, around, whole),
       last({1, 16, 5, 6, 7}),
       kCopied,
       kCopied,
       kCopied},
      {"strided_row_major",
       row_major({2, 16, 6, 7, 8}),
       {16, 16, 3, 3, 3},
       conv({2, 2, 1}, {1, 0, 1, 0, 1, 1}, whole),
       last({2, 16, 3, 3, 8}),
       kCopied,
       kCopied,
       kCopied},
      {"dilated_chunk",
       part_of({1, 8, 7, 8, 9}, {1, 24, 7, 8, 9}),
       {16, 8, 3, 3, 3},
       conv(whole, {2, 2, 2, 2, 2, 2}, {2, 2, 2}),
       last({1, 16, 7, 8, 9}),
       kCopied},
      {"grouped_chunk",
       part_of({1, 8, 5, 6, 7}, {1, 16, 5, 6, 7}),
       {12, 2, 3, 1, 3},
       conv(whole, {1, 0, 1, 1, 0, 1}, whole, 4),
       last({1, 12, 5, 6, 7}),
       kCopied},
      {"depthwise_row_major",
       row_major({1, 16, 5, 6, 7}),
       {16, 1, 3, 3, 3},
       conv(whole, around, whole, 16),
       last({1, 16, 5, 6, 7}),
       kCopied,
       kCopied,
       kCopied},
      {"1x1x1_row_major",
       row_major({1, 16, 5, 6, 7}),
       {8, 16, 1, 1, 1},
       conv(whole, {0, 0, 0, 0, 0, 0}, whole),
       last({1, 8, 5, 6, 7}),
       kCopied,
       "channels-last copies",
       "channels-last copies"},
      {"bf16_row_major",
       row_major({1, 4, 5, 6, 7}, DType::bfloat16),
       {16, 4, 3, 3, 3},
       conv(whole, around, whole),
       last({1, 16, 5, 6, 7}, DType::bfloat16),
       kAny},
      {"f64_row_major",
       row_major({1, 4, 5, 6, 7}, f64),
       {16, 4, 3, 3, 3},
       conv(whole, around, whole),
       last({1, 16, 5, 6, 7}, f64),
       "own gemm over columns of the image"},
  };
  for (ConvShape s : shapes) {
    if (!is_dense(s.x.shape, s.x.strides)) s.by_input = kAny;  // its result is row-major
    add(s, cases);
  }
}

void add_convolutions(std::vector<KernelCase>& cases) {
  const ConvShape shapes[] = {
      {"stem", nhwc({2, 3, 18, 18}), {16, 3, 7, 7}, conv({2, 2}, {3, 3, 3, 3}), nhwc({2, 16, 9, 9})},
      {"3x3", nhwc({2, 32, 14, 14}), {64, 32, 3, 3}, conv({1, 1}, {1, 1, 1, 1}), nhwc({2, 64, 14, 14})},
      {"1x1_stride2",
       nhwc({1, 48, 14, 14}),
       {32, 48, 1, 1},
       conv({2, 2}, {0, 0, 0, 0}),
       nhwc({1, 32, 7, 7}),
       "oneDNN",
       ""},
      {"1x1", nhwc({2, 24, 5, 7}), {17, 24, 1, 1}, conv({1, 1}, {0, 0, 0, 0}), nhwc({2, 17, 5, 7}), "oneDNN", ""},
      {"1x1_strides_that_miss_pixels",
       nhwc({2, 16, 7, 6}),
       {33, 16, 1, 1},
       conv({2, 3}, {0, 0, 0, 0}),
       nhwc({2, 33, 4, 2}),
       "oneDNN",
       ""},
      // Gradients of 3x3 kernels over few pixels: products over weights as they lie, by tiles of 7 and of 8 rows, whole
      // and not.
      {"3x3_few_pixels",
       nhwc({1, 32, 7, 7}),
       {66, 32, 3, 3},
       conv({1, 1}, {1, 1, 1, 1}),
       nhwc({1, 66, 7, 7}),
       "oneDNN",
       "own gemm over plain weights",
       "own gemm over plain weights"},
      {"3x3_few_pixels_uneven_strides_and_padding",
       nhwc({1, 64, 9, 8}),
       {100, 64, 3, 3},
       conv({2, 1}, {0, 1, 2, 1}),
       nhwc({1, 100, 5, 8}),
       "oneDNN",
       "own gemm over plain weights",
       "own gemm over plain weights"},
      {"3x3_few_pixels_dilated_two_images",
       nhwc({2, 32, 6, 5}),
       {64, 32, 3, 3},
       conv({1, 1}, {2, 3, 2, 3}, {2, 3}),
       nhwc({2, 64, 6, 5}),
       "oneDNN",
       "own gemm over plain weights",
       "own gemm over plain weights"},
      {"3x3_one_pixel",
       nhwc({4, 64, 1, 1}),
       {64, 64, 3, 3},
       conv({1, 1}, {1, 1, 1, 1}),
       nhwc({4, 64, 1, 1}),
       "oneDNN",
       "own gemm over plain weights",
       "own gemm over plain weights"},
      {"3x3_few_pixels_strided",
       nhwc({4, 64, 4, 4}),
       {128, 64, 3, 3},
       conv({2, 2}, {1, 1, 1, 1}),
       nhwc({4, 128, 2, 2}),
       "oneDNN",
       "own gemm over plain weights",
       "own gemm over plain weights"},
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
       "oneDNN",
       "own gemm ("},
      {"3x3_more_pixels",
       nhwc({1, 32, 14, 14}),
       {64, 32, 3, 3},
       conv({1, 1}, {1, 1, 1, 1}),
       nhwc({1, 64, 14, 14}),
       "oneDNN",
       "oneDNN",
       "own gemm over plain weights"},
      {"3x3_more_pixels_many_weights",
       nhwc({1, 256, 9, 9}),
       {228, 256, 3, 3},
       conv({1, 1}, {1, 1, 1, 1}),
       nhwc({1, 228, 9, 9}),
       "oneDNN",
       "own gemm over plain weights",
       "own gemm over plain weights"},
      {"uneven_kernel_and_padding",
       nhwc({2, 16, 9, 8}),
       {32, 16, 5, 2},
       conv({1, 1}, {1, 0, 3, 1}),
       nhwc({2, 32, 9, 8})},
      {"odd_everything", nhwc({3, 5, 7, 9}), {7, 5, 3, 2}, conv({2, 1}, {1, 0, 2, 1}), nhwc({3, 7, 4, 9})},
      {"dilated", nhwc({1, 8, 11, 11}), {8, 8, 3, 3}, conv({1, 1}, {2, 2, 2, 2}, {2, 2}), nhwc({1, 8, 11, 11})},
      {"grouped", nhwc({2, 12, 6, 6}), {8, 3, 3, 3}, conv({1, 1}, {1, 1, 1, 1}, {1, 1}, 4), nhwc({2, 8, 6, 6})},
      {"one_channel_one_pixel", nhwc({2, 1, 3, 3}), {1, 1, 3, 3}, conv({1, 1}, {0, 0, 0, 0}), nhwc({2, 1, 1, 1})},
      // As of a concatenation: dy is 16 of 40 channels.
      {"part_of_wider_gradient",
       nhwc({2, 32, 7, 7}),
       {16, 32, 3, 3},
       conv({1, 1}, {1, 1, 1, 1}),
       {f32, {2, 16, 7, 7}, nhwc({2, 40, 7, 7}).strides},
       "oneDNN",
       kCopied,
       kCopied},
      {"part_of_wider_gradient_strided",
       nhwc({2, 32, 7, 7}),
       {16, 32, 3, 3},
       conv({2, 2}, {1, 1, 1, 1}),
       {f32, {2, 16, 4, 4}, nhwc({2, 40, 4, 4}).strides},
       "oneDNN",
       kCopied,
       kCopied},
      {"row_major_input",
       row_major({2, 8, 5, 5}),
       {8, 8, 3, 3},
       conv({1, 1}, {1, 1, 1, 1}),
       nhwc({2, 8, 5, 5}),
       kCopied},
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
  for (const ConvShape& s : shapes) add(s, cases);
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
      {"count_pad", nhwc({2, 17, 6, 6}), pool({3, 3}, {2, 2}, {1, 1, 1, 1}, true, true), nhwc({2, 17, 4, 4})},
      {"one_channel", nhwc({2, 1, 6, 6}), pool({2, 2}, {2, 2}, {0, 0, 0, 0}), nhwc({2, 1, 3, 3})},
  };
  for (const PoolShape& s : shapes) {
    const std::string name = s.name;
    const Attributes gradient = with_result(s.attributes, "input", s.x);
    const TensorType indices{DType::int32, s.y.shape, s.y.strides};
    cases.push_back({"max_pool2d_" + name, "max_pool2d", s.attributes, {{s.x}}, "own"});
    cases.push_back({"average_pool2d_" + name, "average_pool2d", s.attributes, {{s.x}}, "own"});
    cases.push_back(
        {"max_pool2d_grad_" + name, "max_pool2d_grad", gradient, {{s.y}, {indices, Draw::pool_indices}}, "own"});
    cases.push_back({"average_pool2d_grad_" + name, "average_pool2d_grad", gradient, {{s.y}}, "own"});
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
                   "channels-last copies via workspace: own"});
  const TensorType chunk = strided({2, 6, 9, 8}, nhwc({2, 12, 9, 8}).strides),
                   pooled = strided({2, 6, 4, 4}, nhwc({2, 12, 4, 4}).strides);
  const Attributes halves = pool({3, 2}, {2, 2}, {0, 0, 0, 0});
  for (const char* op : {"max_pool2d", "average_pool2d"})
    cases.push_back({op + std::string("_chunk"), op, halves, {{chunk}}, "channels-last copies via workspace: own"});
  cases.push_back({"average_pool2d_grad_chunk",
                   "average_pool2d_grad",
                   with_result(halves, "input", row_major({2, 6, 9, 8})),
                   {{pooled}},
                   "channels-last copies via workspace: own"});
  for (const auto& [what, odd, part] :
       {std::tuple("every_other_column_of_7", strided({1, 8, 9, 4}, {8 * 63, 63, 7, 2}),
                   strided({1, 8, 4, 2}, {8 * 12, 12, 3, 2})),
        std::tuple("every_other_pixel_of_9x7", strided({2, 6, 5, 4}, {6 * 63, 1, 2 * 42, 2 * 6}),
                   strided({2, 6, 2, 2}, {6 * 9, 1, 2 * 18, 2 * 6})),
        std::tuple("every_third_column_of_4", strided({2, 6, 5, 2}, {6 * 20, 20, 4, 3}),
                   strided({2, 6, 2, 1}, {6 * 4, 4, 2, 3}))}) {
    const std::string copied = "channels-last copies via workspace: own";
    for (const char* op : {"max_pool2d", "average_pool2d"})
      cases.push_back({fmt::format("{}_{}", op, what), op, halves, {{odd}}, copied});
    cases.push_back({fmt::format("average_pool2d_grad_{}", what),
                     "average_pool2d_grad",
                     with_result(halves, "input", nhwc(odd.shape)),
                     {{part}},
                     copied});
    cases.push_back({fmt::format("global_average_pool_{}", what), "global_average_pool", {}, {{odd}}, copied});
  }
  cases.push_back({"global_average_pool_row_major",
                   "global_average_pool",
                   {},
                   {{row_major({3, 70, 7, 7})}},
                   "channels-last copies via workspace: own"});
  cases.push_back(
      {"max_pool2d_f64", "max_pool2d", pool({2, 2}, {2, 2}, {0, 0, 0, 0}), {{nhwc({2, 3, 4, 4}, f64)}}, "reference"});
}

}  // namespace

void add_window_cases(std::vector<KernelCase>& cases) {
  add_convolutions(cases);
  add_convolutions_of_views(cases);
  add_convolutions_of_volumes(cases);
  add_convolutions_with_biases_of_views(cases);
  add_pooling(cases);
}

}  // namespace engine
