// SPDX-License-Identifier: Apache-2.0
// The shapes every CPU kernel is held against its reference on: some fit vectors and threads, some do not. Here
// products, arithmetic, movement, quantised ops, LAPACK's and probes; other families have files of their own.
#include <fmt/format.h>

#include "tests/engine/kernels/core/kernel_case_words.h"

namespace engine {
namespace {

void add_products(std::vector<KernelCase>& cases) {
  for (const DType t : {f32, f64}) {
    const std::string suffix = t == f32 ? "_f32" : "_f64", large = t == f32 ? "oneDNN" : "";
    const std::string small = "", vector = t == f32 ? "own gemv" : "";  // "": OpenBLAS or own, by CPU
    const auto matmul = [&](const char* name, TensorType a, TensorType b, const std::string& kernel) {
      cases.push_back(
          {fmt::format("matmul_{}{}", name, suffix), "matmul", {}, {{std::move(a)}, {std::move(b)}}, kernel});
    };
    matmul("square", row_major({64, 64}, t), row_major({64, 64}, t), small);
    matmul("scalar", row_major({1, 1}, t), row_major({1, 1}, t), small);
    matmul("awkward_small", row_major({37, 5}, t), row_major({5, 61}, t), small);
    matmul("a_transposed_small", strided({40, 30}, {1, 40}, t), row_major({30, 20}, t), small);
    matmul("b_transposed_small", row_major({40, 30}, t), strided({30, 20}, {1, 30}, t), small);
    matmul("awkward", row_major({37, 5}, t), row_major({5, 83}, t), large);
    matmul("one_row", row_major({1, 300}, t), row_major({300, 17}, t), vector);
    matmul("one_column", row_major({300, 7}, t), row_major({7, 1}, t), vector);
    matmul("a_transposed", strided({100, 90}, {1, 100}, t), row_major({90, 80}, t), large);
    matmul("b_transposed", row_major({100, 90}, t), strided({90, 80}, {1, 90}, t), large);
    matmul("both_transposed", strided({70, 90}, {1, 70}, t), strided({90, 110}, {1, 90}, t), large);
    matmul("rows_apart", strided({100, 30}, {50, 1}, t), strided({30, 24}, {31, 1}, t), large);
    matmul("threaded", row_major({130, 70}, t), row_major({70, 90}, t), large);
    matmul("threaded_wide", row_major({30, 70}, t), row_major({70, 290}, t), large);
    cases.push_back({"linear" + suffix, "linear", {}, {{row_major({9, 133}, t)}, {row_major({21, 133}, t)}}, large});
    cases.push_back({"linear_small_bias" + suffix,
                     "linear",
                     {},
                     {{row_major({9, 33}, t)}, {row_major({21, 33}, t)}, {row_major({21}, t)}},
                     small});
    cases.push_back({"linear_bias" + suffix,
                     "linear",
                     {},
                     {{row_major({32, 64}, t)}, {row_major({100, 64}, t)}, {row_major({100}, t)}},
                     large});
    cases.push_back({"linear_tall_bias" + suffix,
                     "linear",
                     {},
                     {{row_major({300, 50}, t)}, {row_major({30, 50}, t)}, {row_major({30}, t)}},
                     large});
  }
  cases.push_back({"linear_one_output_bias",
                   "linear",
                   {},
                   {{row_major({64, 1024})}, {row_major({1, 1024})}, {row_major({1})}},
                   "own gemm"});
  cases.push_back({"matmul_batched", "matmul", {}, {{row_major({3, 10, 8})}, {row_major({3, 8, 6})}}, "oneDNN"});
  cases.push_back({"matmul_batch_broadcast", "matmul", {}, {{row_major({3, 10, 8})}, {row_major({8, 6})}}, ""});
  cases.push_back(
      {"matmul_batch_expanded", "matmul", {}, {{strided({3, 10, 8}, {0, 8, 1})}, {row_major({3, 8, 6})}}, "oneDNN"});
  cases.push_back(
      {"matmul_both_expanded", "matmul", {}, {{strided({3, 4, 5}, {0, 5, 1})}, {strided({3, 5, 6}, {0, 6, 1})}}, ""});
  // bf16 on oneDNN where the CPU has it, else as f16: on the f32 kernel between conversions.
  for (const DType t : {DType::bfloat16, DType::float16}) {
    const std::string suffix = fmt::format("_{}", name(t)),
                      kernel = t == DType::float16 ? "f32 via workspace, f16" : "";
    cases.push_back({"matmul" + suffix, "matmul", {}, {{row_major({40, 65}, t)}, {row_major({65, 50}, t)}}, kernel});
    cases.push_back({"matmul_transposed" + suffix,
                     "matmul",
                     {},
                     {{strided({40, 65}, {1, 40}, t)}, {strided({65, 50}, {1, 65}, t)}},
                     kernel});
    cases.push_back(
        {"matmul_batched" + suffix, "matmul", {}, {{row_major({3, 4, 5}, t)}, {row_major({5, 6}, t)}}, kernel});
    cases.push_back({"linear" + suffix,
                     "linear",
                     {},
                     {{row_major({7, 33}, t)}, {row_major({20, 33}, t)}, {row_major({20}, t)}},
                     kernel});
    const Attributes same = conv({1, 1}, {1, 1, 1, 1});
    const TensorType x = nhwc({2, 16, 9, 7}, t), w = row_major({24, 16, 3, 3}, t), y = nhwc({2, 24, 9, 7}, t);
    Attributes input = same, weight = same;
    input.set("input_shape", x.shape);
    input.set("input_strides", x.strides);
    weight.set("weight_shape", w.shape);
    weight.set("weight_strides", w.strides);
    cases.push_back({"conv2d" + suffix, "conv2d", same, {{x}, {w}, {row_major({24}, t)}}, kernel});
    cases.push_back({"conv2d_grad_input" + suffix, "conv2d_grad_input", input, {{y}, {w}}, kernel});
    cases.push_back({"conv2d_grad_weight" + suffix, "conv2d_grad_weight", weight, {{y}, {x}}, kernel});
  }
  cases.push_back({"matmul_reversed", "matmul", {}, {{strided({4, 5}, {5, -1})}, {row_major({5, 6})}}, ""});
}

void add_elementwise(std::vector<KernelCase>& cases) {
  for (const DType t : {f32, f64}) {
    const std::string suffix = t == f32 ? "_f32" : "_f64";
    const Attributes numbers{{"factor", 1.75}, {"shift", -0.25}};
    for (const char* op : {"add", "subtract", "multiply", "scaled_add", "relu_grad", "sigmoid_grad"}) {
      const std::string name = op + suffix;
      cases.push_back({name + "_odd", op, numbers, {{row_major({3, 7, 11}, t)}, {row_major({3, 7, 11}, t)}}, "own"});
      cases.push_back({name + "_large", op, numbers, {{row_major({40'001}, t)}, {row_major({40'001}, t)}}, "own"});
      cases.push_back({name + "_nhwc", op, numbers, {{nhwc({2, 5, 6, 7}, t)}, {nhwc({2, 5, 6, 7}, t)}}, "own"});
    }
    for (const char* op : {"add", "subtract", "multiply", "scaled_add"}) {
      const std::string name = op + suffix;
      cases.push_back({name + "_row", op, numbers, {{row_major({9, 35}, t)}, {row_major({35}, t)}}, "own"});
      cases.push_back({name + "_column", op, numbers, {{row_major({9, 35}, t)}, {row_major({9, 1}, t)}}, "own"});
      cases.push_back({name + "_channel", op, numbers, {{nhwc({2, 5, 4, 3}, t)}, {row_major({5, 1, 1}, t)}}, "own"});
      cases.push_back({name + "_number", op, numbers, {{row_major({}, t)}, {row_major({50, 400}, t)}}, "own"});
      cases.push_back(
          {name + "_layouts_differ", op, numbers, {{nhwc({2, 5, 4, 3}, t)}, {row_major({2, 5, 4, 3}, t)}}, "own"});
    }
    for (const char* op : {"scale", "copy", "relu", "sigmoid"}) {
      const std::string name = op + suffix;
      cases.push_back({name + "_scalar", op, numbers, {{row_major({}, t)}}, "own"});
      cases.push_back({name + "_odd", op, numbers, {{row_major({13, 29}, t)}}, "own"});
      cases.push_back({name + "_large", op, numbers, {{nhwc({3, 33, 21, 20}, t)}}, "own"});
      cases.push_back({name + "_rows_apart", op, numbers, {{strided({30, 20}, {41, 1}, t)}}, "own"});
    }
    const Attributes learning{{"rate", 0.1}, {"momentum", 0.9}, {"weight_decay", 0.01}};
    for (const Shape& shape : {Shape{19}, Shape{64, 16, 3, 3}, Shape{20'003}}) {
      const std::string name = fmt::format("{}_rank{}_{}", suffix, shape.size(), shape[0]);
      cases.push_back({"sgd" + name, "sgd", learning, {{row_major(shape, t)}, {row_major(shape, t)}}, "own"});
      cases.push_back({"sgd_momentum" + name,
                       "sgd_momentum",
                       learning,
                       {{row_major(shape, t)}, {row_major(shape, t)}, {row_major(shape, t)}},
                       "own"});
      const TensorType whole = row_major(shape, t);
      const Attributes adam{{"rate", 0.1}, {"beta1", 0.9}, {"beta2", 0.99}, {"epsilon", 1e-3}, {"weight_decay", 0.05}};
      const TensorType step = row_major({}, DType::int64);
      for (const char* op : {"adam", "adamw"}) {
        cases.push_back(
            {op + name, op, adam, {{whole}, {whole}, {whole}, {whole, Draw::positive}, {step, Draw::classes}}, "own"});
        const Operand scale{row_major({}), Draw::positive}, found{row_major({}), Draw::classes};
        cases.push_back({fmt::format("unscaled_{}{}", op, name),
                         fmt::format("unscaled_{}", op),
                         adam,
                         {{whole}, {whole}, {whole}, {whole, Draw::positive}, {step, Draw::classes}, scale, found},
                         "own"});
      }
      cases.push_back({"squared_norm" + name, "squared_norm", {}, {{whole}}, "own"});
      cases.push_back({"clip_by_norm" + name,
                       "clip_by_norm",
                       {{"max_norm", 0.25}},
                       {{whole}, {row_major({}, t), Draw::positive}},
                       "own"});
    }
  }
  for (const DType t : {DType::bfloat16, DType::float16, DType::int32}) {
    cases.push_back(
        {fmt::format("add_{}", name(t)), "add", {}, {{row_major({5, 6}, t)}, {row_major({5, 6}, t)}}, "own"});
  }
}

void add_quantized(std::vector<KernelCase>& cases) {
  const auto u8 = [](Shape shape) { return Operand{row_major(std::move(shape), DType::uint8), Draw::classes}; };
  const auto i8 = [](Shape shape) { return Operand{row_major(std::move(shape), DType::int8), Draw::classes}; };
  const Operand scale{row_major({}), Draw::positive}, x{row_major({50, 70})},
      image{nhwc({2, 8, 9, 7}, DType::uint8), Draw::classes};
  const Attributes same = conv({1, 1}, {1, 1, 1, 1});
  cases.push_back({"quantize_linear", "quantize_linear", {}, {x, scale, u8({})}, "own"});
  cases.push_back({"dequantize_linear", "dequantize_linear", {}, {i8({50, 70}), scale, i8({})}, "own"});
  for (const auto& [axis, channels] : {std::pair<int64_t, int64_t>{0, 50}, {1, 70}, {-1, 70}}) {
    const Operand scales{row_major({channels}), Draw::positive};
    cases.push_back({fmt::format("quantize_linear_along_{}", axis + 3),
                     "quantize_linear",
                     {{"axis", axis}},
                     {x, scales, u8({channels})},
                     "own"});
    cases.push_back({fmt::format("dequantize_linear_along_{}", axis + 3),
                     "dequantize_linear",
                     {{"axis", axis}},
                     {i8({50, 70}), scales, i8({channels})},
                     "own"});
  }
  const Operand of_channels{row_major({8}), Draw::positive};
  cases.push_back({"dequantize_linear_channels_last",
                   "dequantize_linear",
                   {{"axis", int64_t{1}}},
                   {image, of_channels, u8({8})},
                   "own"});
  cases.push_back({"dequantize_linear_weights",
                   "dequantize_linear",
                   {{"axis", int64_t{0}}},
                   {i8({8, 5, 3, 3}), of_channels, i8({8})},
                   "own"});
  cases.push_back({"dequantize_linear_volumes",
                   "dequantize_linear",
                   {{"axis", int64_t{1}}},
                   {i8({3, 8, 5, 7}), of_channels, i8({8})},
                   "own"});
  cases.push_back({"dynamic_quantize_linear", "dynamic_quantize_linear", {}, {x}, "own"});
  // By oneDNN where the processor multiplies bytes, else by our own loops.
  cases.push_back({"matmul_integer", "matmul_integer", {}, {u8({50, 70}), i8({70, 33}), u8({}), i8({33})}, ""});
  cases.push_back({"matmul_integer_rows", "matmul_integer", {}, {u8({2, 5, 70}), u8({70, 33}), u8({}), u8({})}, ""});
  cases.push_back({"matmul_integer_signed", "matmul_integer", {}, {i8({50, 70}), i8({70, 33}), i8({}), i8({})}, ""});
  cases.push_back({"matmul_integer_long", "matmul_integer", {}, {u8({3, 1100}), i8({1100, 40}), u8({}), i8({})}, ""});
  for (const int64_t rows : {1, 3, 50}) {  // as they stream by; by panels
    const Operand few{row_major({rows, 96})}, scales{row_major({70, 3}, DType::float16), Draw::positive};
    const std::string kernel = rows > 8 ? "own gemm of " : "own gemv of ";
    const auto name = [&](const char* format) { return fmt::format("mixed_linear_{}_{}", format, rows); };
    cases.push_back({name("bf16"), "mixed_linear", {}, {few, {row_major({70, 96}, DType::bfloat16)}}, kernel + "bf16"});
    cases.push_back({name("f16"), "mixed_linear", {}, {few, {row_major({70, 96}, DType::float16)}}, kernel + "f16"});
    cases.push_back({name("8_bits"), "mixed_linear", {}, {few, i8({70, 96}), scales}, kernel + "8-bit blocks"});
    cases.push_back({name("4_bits"), "mixed_linear", {}, {few, u8({70, 48}), scales}, kernel + "4-bit blocks"});
  }
  for (const int64_t tokens : {1, 7, 90}) {
    const int64_t experts = 5;
    const Operand x{row_major({tokens, 96})}, each{row_major({tokens, 2, 96})},
        chosen{row_major({tokens, 2}, DType::int64), Draw::classes},
        scales{row_major({experts, 70, 3}, DType::float16), Draw::positive};
    const std::string kernel = tokens > 20 ? "own gemm of " : "own gemv of ";
    const auto name = [&](const char* format) { return fmt::format("expert_linear_{}_{}", format, tokens); };
    const auto weights = [&](DType dtype) { return Operand{row_major({experts, 70, 96}, dtype)}; };
    cases.push_back({name("f32"), "expert_linear", {}, {x, weights(DType::float32), chosen}, kernel + "f32"});
    cases.push_back({name("f16"), "expert_linear", {}, {each, weights(DType::float16), chosen}, kernel + "f16"});
    cases.push_back(
        {name("8_bits"), "expert_linear", {}, {each, i8({experts, 70, 96}), chosen, scales}, kernel + "8-bit blocks"});
    cases.push_back(
        {name("4_bits"), "expert_linear", {}, {x, u8({experts, 70, 48}), chosen, scales}, kernel + "4-bit blocks"});
  }
  // Every remainder of six rows and of 16 columns, more than one panel for a thread, a single block.
  for (const auto& [rows, columns, length] :
       {std::array<int64_t, 3>{12, 700, 64}, {13, 16, 32}, {16, 17, 32}, {9, 1, 96}, {64, 640, 1024}}) {
    const Operand x{row_major({rows, length})},
        scales{row_major({columns, length / 32}, DType::float16), Draw::positive};
    const auto name = [&](const char* format) { return fmt::format("mixed_linear_{}_{}x{}", format, rows, columns); };
    cases.push_back(
        {name("8_bits"), "mixed_linear", {}, {x, i8({columns, length}), scales}, "own gemm of 8-bit blocks"});
    cases.push_back(
        {name("4_bits"), "mixed_linear", {}, {x, u8({columns, length / 2}), scales}, "own gemm of 4-bit blocks"});
  }
  cases.push_back({"qlinear_matmul",
                   "qlinear_matmul",
                   {},
                   {u8({50, 70}), scale, u8({}), i8({70, 33}), scale, i8({}), scale, i8({})},
                   ""});
  cases.push_back({"qlinear_matmul_bias",
                   "qlinear_matmul",
                   {},
                   {i8({50, 70}),
                    scale,
                    i8({}),
                    u8({70, 33}),
                    scale,
                    u8({}),
                    scale,
                    u8({}),
                    {row_major({33}, DType::int32), Draw::classes}},
                   ""});
  // By oneDNN where sums are exact and weights have no zero point, else by our own loops.
  const auto weights = [&](Shape shape) { return Operand{row_major(std::move(shape), DType::int8), Draw::classes}; };
  const Operand no_zero{row_major({}, DType::int8), Draw::zeros}, one_zero{row_major({}, DType::int8), Draw::classes};
  const auto convolve = [&](const std::string& name, const Attributes& attributes, const Operand& images,
                            int64_t outputs, int64_t inputs) {
    const Operand per_channel{row_major({outputs}), Draw::positive},
        bias{row_major({outputs}, DType::int32), Draw::classes};
    const Operand zero{row_major({}, images.type.dtype), Draw::classes}, w = weights({outputs, inputs, 3, 3});
    for (const auto& [suffix, of_weights] : {std::pair("", no_zero), std::pair("_zero_point_of_weights", one_zero)}) {
      cases.push_back({"qlinear_conv_" + name + suffix,
                       "qlinear_conv",
                       attributes,
                       {images, scale, zero, w, per_channel, of_weights, scale, zero, bias},
                       ""});
      cases.push_back({"conv_integer_" + name + suffix, "conv_integer", attributes, {images, w, zero, of_weights}, ""});
    }
    const Operand bytes = u8({outputs, inputs, 3, 3}), zeros = u8({outputs});
    cases.push_back({"qlinear_conv_" + name + "_unsigned_weights",
                     "qlinear_conv",
                     attributes,
                     {images, scale, zero, bytes, per_channel, zeros, scale, zero, bias},
                     ""});
    cases.push_back(
        {"conv_integer_" + name + "_unsigned_weights", "conv_integer", attributes, {images, bytes, zero, zeros}, ""});
  };
  const Operand by_rows = u8({2, 8, 9, 7}), by_signed{nhwc({2, 8, 9, 7}, DType::int8), Draw::classes},
                chunk{strided({2, 8, 9, 7}, nhwc({2, 24, 9, 7}).strides, DType::uint8), Draw::classes};
  convolve("plain", same, image, 16, 8);
  convolve("chunk", same, chunk, 16, 8);
  convolve("grouped_dilated", conv({2, 1}, {2, 1, 1, 2}, {2, 1}, 2), image, 6, 4);
  // A group per channel: all channels of a pixel go through a tap together, whatever the layout.
  const Attributes alone = conv({1, 2}, {1, 0, 2, 1}, {1, 1}, 8);
  convolve("depthwise_channels_last", alone, image, 8, 1);
  convolve("depthwise_row_major", alone, by_rows, 8, 1);
  convolve("depthwise_signed", alone, by_signed, 8, 1);
  convolve("depthwise_two_outputs_each", alone, image, 16, 1);
}

/// More items than one vector and one thread take; parts of a vector at the end.
void add_probes(std::vector<KernelCase>& cases) {
  for (const DType dtype : {DType::float32, DType::float64}) {
    for (const int64_t chains : {1, 2, 4, 8}) {
      const std::string label =
          std::string("multiply_add_chain_") + (dtype == DType::float32 ? "f32_" : "f64_") + std::to_string(chains);
      cases.push_back({label,
                       "multiply_add_chain",
                       {{"rounds", int64_t{40}}, {"chains", chains}, {"factor", 0.75}, {"shift", 0.25}},
                       {{TensorType::contiguous(dtype, {1237})}},
                       "own"});
    }
  }
  for (const DType dtype : {DType::int32, DType::int64}) {
    cases.push_back({std::string("pointer_chase_") + (dtype == DType::int32 ? "i32" : "i64"),
                     "pointer_chase",
                     {{"accesses", int64_t{7}}},
                     {{TensorType::contiguous(dtype, {5}), Draw::classes}},
                     "own"});
  }
  for (const DType dtype : {DType::float32, DType::float64}) {
    for (const int64_t masked : {0, 1}) {
      cases.push_back(
          {std::string("divergent_chain_") + (dtype == DType::float32 ? "f32" : "f64") + (masked ? "_masked" : ""),
           "divergent_chain",
           {{"rounds", int64_t{9}}, {"paths", int64_t{4}}, {"masked", masked}},
           {{TensorType::contiguous(dtype, {1237})}, {TensorType::contiguous(DType::int32, {1237}), Draw::classes}},
           "own"});
    }
  }
  cases.push_back({"round_trip",
                   "round_trip",
                   {{"memory", std::string("pinned")}, {"overlap", int64_t{0}}},
                   {{TensorType::contiguous(DType::float32, {999})}},
                   "own"});
}

void add_linear_algebra(std::vector<KernelCase>& cases) {
  const TensorType a = row_major({3, 6, 6}, f64), tall = row_major({9, 4}, f64);
  cases.push_back({"solve", "solve", {}, {{a}, {row_major({3, 6, 2}, f64)}}, "LAPACK"});
  cases.push_back({"cholesky", "cholesky", {}, {{row_major({5, 1, 1}, f64), Draw::positive}}, "LAPACK"});
  for (const char* op : {"inverse", "determinant", "eigh"}) cases.push_back({op, op, {}, {{a}}, "LAPACK"});
  for (const char* op : {"svd", "qr"}) cases.push_back({op, op, {}, {{tall}}, "LAPACK"});
}

void add_movement(std::vector<KernelCase>& cases) {
  const TensorType one = row_major({}), count = row_major({}, DType::int32), weight = row_major({7, 33});
  const Attributes update{{"rate", 0.1}, {"momentum", 0.9}, {"weight_decay", 0.01}};
  cases.push_back({"found_nonfinite", "found_nonfinite", {}, {{weight}, {one, Draw::classes}}, "own"});
  cases.push_back({"unscaled_sgd",
                   "unscaled_sgd",
                   update,
                   {{weight}, {weight}, {one, Draw::positive}, {one, Draw::classes}},
                   "own"});
  cases.push_back({"unscaled_sgd_momentum",
                   "unscaled_sgd_momentum",
                   update,
                   {{weight}, {weight}, {weight}, {one, Draw::positive}, {one, Draw::classes}},
                   "own"});
  cases.push_back({"loss_scale_update",
                   "loss_scale_update",
                   {{"growth_interval", int64_t{3}}},
                   {{one, Draw::positive}, {count, Draw::classes}, {one, Draw::classes}, {count, Draw::classes}},
                   "own"});
  cases.push_back({"cast_f32_f64", "cast", {{"dtype", std::string("f64")}}, {{row_major({7, 33})}}, "own"});
  for (const DType t :
       {f32, f64, DType::bfloat16, DType::float16, DType::int8, DType::uint8, DType::int32, DType::int64}) {
    const std::string suffix = fmt::format("_{}", name(t)), transposing = "oneDNN";
    cases.push_back({"contiguous_nhwc" + suffix, "contiguous", {}, {{nhwc({2, 6, 5, 7}, t)}}, transposing});
    cases.push_back(
        {"contiguous_transposed" + suffix, "contiguous", {}, {{strided({70, 90}, {1, 70}, t)}}, transposing});
    cases.push_back(
        {"contiguous_every_other" + suffix, "contiguous", {}, {{strided({6, 5}, {20, 2}, t)}}, transposing});
    cases.push_back({"contiguous_reversed" + suffix, "contiguous", {}, {{strided({6, 5}, {-5, 1}, t)}}, "own"});
    cases.push_back({"contiguous_expanded" + suffix, "contiguous", {}, {{strided({6, 5}, {0, 1}, t)}}, "own"});
    // oneDNN has no word for every so manieth element where the last step ends beyond the row.
    const std::pair<const char*, TensorType> odd[] = {
        {"every_other_of_5", strided({6, 3}, {5, 2}, t)},
        {"every_other_of_7", strided({6, 4}, {7, 2}, t)},
        {"every_third_of_4", strided({5, 2}, {4, 3}, t)},
        {"transposed_every_other_of_5", strided({3, 6}, {2, 5}, t)},
        {"every_other_pixel_of_9x7", strided({2, 6, 5, 4}, {6 * 63, 1, 2 * 42, 2 * 6}, t)},
        {"volume_every_other_of_5", strided({2, 3, 4, 3, 3}, {3 * 100, 1, 75, 30, 6}, t)}};
    for (const auto& [what, view] : odd) {
      cases.push_back({fmt::format("contiguous_{}{}", what, suffix), "contiguous", {}, {{view}}, "own strided copy"});
      const Attributes turned{
          {"strides", view.rank() == 2 ? Strides{1, view.shape[0]} : contiguous_strides(view.shape)}};
      cases.push_back({fmt::format("relayout_{}{}", what, suffix), "relayout", turned, {{view}}, "own strided copy"});
    }
    const Attributes to_nhwc{{"strides", channels_last_strides({2, 6, 5, 7})}};
    cases.push_back({"relayout" + suffix, "relayout", to_nhwc, {{row_major({2, 6, 5, 7}, t)}}, transposing});
  }
  const Attributes slice{{"axis", int64_t{1}}, {"start", int64_t{1}}, {"end", int64_t{6}}, {"step", int64_t{2}}};
  for (const DType dtype : {DType::float32, DType::int64}) {
    cases.push_back({std::string("write_slice_") + (dtype == DType::float32 ? "f32" : "i64"),
                     "write_slice",
                     {{"axis", int64_t{2}}, {"start", int64_t{7}}},
                     {{TensorType::contiguous(dtype, {2, 3, 10, 5}), Draw::classes},
                      {TensorType::contiguous(dtype, {2, 3, 2, 5}), Draw::classes}},
                     "own"});
  }
  cases.push_back(
      {"slice_grad", "slice_grad", with_result(slice, "input", row_major({4, 7, 3})), {{row_major({4, 3, 3})}}, "own"});
}

}  // namespace

std::vector<KernelCase> kernel_cases() {
  std::vector<KernelCase> cases;
  add_products(cases);
  add_elementwise(cases);
  add_movement(cases);
  add_linear_algebra(cases);
  add_probes(cases);
  add_quantized(cases);
  add_window_cases(cases);
  add_line_cases(cases);
  add_indexing_cases(cases);
  add_ladder_cases(cases);
  add_neural_cases(cases);
  add_elementwise_cases(cases);
  return cases;
}

}  // namespace engine
