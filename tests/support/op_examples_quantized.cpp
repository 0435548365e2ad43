// SPDX-License-Identifier: Apache-2.0
// Examples of quantised ops.
#include "tests/support/op_example_words.h"

namespace test {
namespace {

Operand bytes(Shape shape, DType dtype) {
  const double low = dtype == DType::int8 ? -128 : 0;
  return {TensorType::contiguous(dtype, std::move(shape)), {Fill::Kind::integers, low, low + 256}};
}
Operand bytes(TensorType type) { return {std::move(type), bytes({}, DType::uint8).fill}; }
Operand value(double number, DType dtype = DType::float32) {
  return {TensorType::contiguous(dtype, {}), {Fill::Kind::constant, number, 0}};
}
Operand scales(int64_t count) {
  return {TensorType::contiguous(DType::float32, {count}), {Fill::Kind::uniform, 0.01, 0.1}};
}
constexpr DType u8 = DType::uint8, i8 = DType::int8, i32 = DType::int32;

}  // namespace

void add_quantized(std::vector<OpExample>& table) {
  const auto along = [](int64_t axis) { return Attributes{{"axis", axis}}; };
  add(table, "quantize_linear",
      {on("u8", {rows({3, 5}), value(0.02), value(100, u8)}), on("i8", {rows({3, 5}), value(0.017), value(-3, i8)}),
       on("held at the ends", {rows({40}), value(0.003), value(100, u8)}),
       on("per channel", {nhwc({2, 3, 4, 5}), scales(3), bytes({3}, i8)}, along(1)),
       on("last axis", {rows({3, 5}), scales(5), value(0, i8)}, along(-1)),
       on("scalar", {rows({}), value(0.02), value(7, u8)}),
       on("strided", {strided({3, 4}, {-9, 2}), value(0.02), value(7, u8)}),
       on("without elements", {rows({0, 3}), value(0.02), value(7, u8)})});
  add(table, "dequantize_linear",
      {on("u8", {bytes({3, 5}, u8), value(0.02), value(100, u8)}),
       on("i8", {bytes({3, 5}, i8), value(0.017), value(-3, i8)}),
       on("per channel", {bytes({2, 3, 4}, i8), scales(3), bytes({3}, i8)}, along(1)),
       on("i32", {integers({7}, i32, 100000), value(0.001), value(0, i32)}),
       on("scalar", {value(9, u8), value(0.5), value(3, u8)})});
  add(table, "dynamic_quantize_linear",
      {on("rows", {rows({3, 5})}), on("positive", {rows({20}, kPositive)}),
       on("zeros", {rows({4}, {Fill::Kind::zeros, 0, 0})}), on("channels last", {nhwc({2, 3, 4, 5})}),
       on("scalar", {rows({})}), on("without elements", {rows({0})})});
  add(table, "matmul_integer",
      {on("u8 i8", {bytes({4, 7}, u8), bytes({7, 9}, i8), value(13, u8), value(-2, i8)}),
       on("i8 u8", {bytes({3, 70}, i8), bytes({70, 5}, u8), value(1, i8), value(200, u8)}),
       on("per column", {bytes({4, 7}, u8), bytes({7, 3}, i8), value(0, u8), bytes({3}, i8)}),
       on("rank 3", {bytes({2, 3, 4}, u8), bytes({4, 5}, i8), value(3, u8), value(0, i8)}),
       on("batched", {bytes({2, 3, 4}, u8), bytes({2, 4, 5}, i8), value(3, u8), value(0, i8)}),
       on("transposed",
          {bytes(TensorType{u8, {3, 5}, {1, 3}}), bytes(TensorType{u8, {5, 4}, {1, 5}}), value(3, u8), value(9, u8)}),
       on("empty sum", {bytes({2, 0}, u8), bytes({0, 3}, i8), value(0, u8), value(0, i8)}),
       on("no rows", {bytes({0, 4}, u8), bytes({4, 3}, i8), value(0, u8), value(0, i8)})});
  add(table, "qlinear_matmul",
      {on("u8 i8 to u8", {bytes({4, 7}, u8), value(0.02), value(120, u8), bytes({7, 9}, i8), value(0.01), value(0, i8),
                          value(0.3), value(128, u8)}),
       on("to i8, per column", {bytes({3, 40}, i8), value(0.02), value(1, i8), bytes({40, 6}, i8), scales(6),
                                bytes({6}, i8), value(2), value(-5, i8)}),
       on("batched", {bytes({2, 3, 4}, u8), value(0.02), value(3, u8), bytes({2, 4, 5}, i8), value(0.1), value(0, i8),
                      value(1), value(100, u8)})});
  const auto convolution = [](Ints stride, Ints padding, Ints dilation, int64_t groups) {
    return Attributes{{"stride", std::move(stride)},
                      {"padding", std::move(padding)},
                      {"dilation", std::move(dilation)},
                      {"groups", groups}};
  };
  const TensorType image = TensorType::channels_last(u8, {2, 4, 5, 6});
  add(table, "conv_integer",
      {on("3x3", {bytes(image), bytes({6, 4, 3, 3}, i8), value(130, u8), value(0, i8)},
          convolution({1, 1}, {1, 1, 1, 1}, {1, 1}, 1)),
       on("two groups, stride 2, row-major image",
          {bytes({1, 4, 7, 5}, i8), bytes({6, 2, 3, 2}, i8), value(3, i8), bytes({6}, i8)},
          convolution({2, 1}, {1, 0, 2, 1}, {1, 2}, 2)),
       on("no images", {bytes({0, 4, 5, 5}, u8), bytes({6, 4, 3, 3}, i8), value(0, u8), value(0, i8)},
          convolution({1, 1}, {0, 0, 0, 0}, {1, 1}, 1))});
  const auto quantised = [&](int64_t groups, Operand y_zero, bool bias) {
    std::vector<Operand> operands{bytes(image), value(0.02),  value(117, u8), bytes({6, 4 / groups, 3, 3}, i8),
                                  scales(6),    value(0, i8), value(0.5),     std::move(y_zero)};
    if (bias) operands.push_back(integers({6}, i32, 1000));
    return operands;
  };
  add(table, "qlinear_conv",
      {on("with bias, to u8", quantised(1, value(128, u8), true), convolution({1, 1}, {1, 1, 1, 1}, {1, 1}, 1)),
       on("two groups, to i8", quantised(2, value(-7, i8), false), convolution({2, 2}, {0, 0, 0, 0}, {1, 1}, 2))});
  const auto block_scales = [](Shape shape) {
    return Operand{TensorType::contiguous(DType::float16, std::move(shape)), {Fill::Kind::uniform, 0.001, 0.02}};
  };
  const auto halves = [](Shape shape, DType dtype) {
    return Operand{TensorType::contiguous(dtype, std::move(shape)), kNormal};
  };
  add(table, "mixed_linear",
      {on("bf16", {rows({1, 70}), halves({5, 70}, DType::bfloat16)}),
       on("f16, many rows", {rows({2, 6, 70}), halves({21, 70}, DType::float16)}),
       on("8 bits", {rows({3, 96}), bytes({19, 96}, i8), block_scales({19, 3})}),
       on("8 bits, many rows", {rows({11, 64}), bytes({40, 64}, i8), block_scales({40, 2})}),
       on("8 bits, one block", {rows({1, 32}), bytes({3, 32}, i8), block_scales({3, 1})}),
       on("4 bits", {rows({2, 160}), bytes({19, 80}, u8), block_scales({19, 5})}),
       on("4 bits, longer than a chunk", {rows({1, 2112}), bytes({4, 1056}, u8), block_scales({4, 66})}),
       on("4 bits, many rows", {rows({9, 64}), bytes({18, 32}, u8), block_scales({18, 2})}),
       on("no rows", {rows({0, 64}), bytes({18, 32}, u8), block_scales({18, 2})})});
  const auto chosen = [&](Shape shape, double end) {
    return Operand{TensorType::contiguous(DType::int64, std::move(shape)), {Fill::Kind::integers, 0, end}};
  };
  add(table, "expert_linear",
      {on("a token", {rows({1, 70}), rows({4, 19, 70}), chosen({1, 2}, 4)}),
       on("a row for each expert", {rows({5, 3, 40}), rows({6, 33, 40}), chosen({5, 3}, 6)}),
       on("many tokens of one expert", {rows({40, 24}), rows({1, 17, 24}), chosen({40, 1}, 1)}),
       on("counted from the end",
          {rows({5, 16}), rows({3, 20, 16}), {TensorType::contiguous(i32, {5, 2}), {Fill::Kind::integers, -3, 3}}}),
       on("of f64", {halves({3, 8}, DType::float64), halves({2, 5, 8}, DType::float64), chosen({3, 1}, 2)}),
       on("of bf16", {halves({3, 48}, DType::bfloat16), halves({4, 21, 48}, DType::bfloat16), chosen({3, 2}, 4)}),
       on("weights of f16", {rows({30, 70}), halves({2, 21, 70}, DType::float16), chosen({30, 1}, 2)}),
       on("8 bits", {rows({3, 96}), bytes({4, 19, 96}, i8), chosen({3, 2}, 4), block_scales({4, 19, 3})}),
       on("8 bits, many tokens",
          {rows({50, 64}), bytes({3, 40, 64}, i8), chosen({50, 2}, 3), block_scales({3, 40, 2})}),
       on("4 bits", {rows({2, 3, 160}), bytes({5, 19, 80}, u8), chosen({2, 3}, 5), block_scales({5, 19, 5})}),
       on("4 bits, many tokens",
          {rows({40, 64}), bytes({2, 18, 32}, u8), chosen({40, 1}, 2), block_scales({2, 18, 2})}),
       on("no tokens", {rows({0, 32}), rows({2, 3, 32}), chosen({0, 2}, 2)})});
}

}  // namespace test
