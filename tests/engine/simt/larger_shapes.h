// SPDX-License-Identifier: Apache-2.0
// Shapes beyond those of the op examples: rows that take a whole block, sums in several parts, tiles that are not full,
// chunks of keys.
#pragma once

#include <string>
#include <vector>

#include "engine/graph/op.h"
#include "engine/tensor/random.h"
#include "tests/support/op_examples.h"

namespace test {

inline std::vector<OpExample> larger_shapes(engine::DType dtype) {
  using engine::Attributes;
  using engine::Fill;
  using engine::TensorType;
  using Ints = std::vector<int64_t>;
  const Fill any{Fill::Kind::uniform, -1, 1}, positive{Fill::Kind::uniform, 0.1, 1}, sums{Fill::Kind::uniform, 4, 6};
  const Fill equal{Fill::Kind::constant, 1000.7, 0};  // lines of it become the bias
  const auto of = [dtype](engine::Shape shape, Fill fill) {
    return Operand{TensorType::contiguous(dtype, std::move(shape)), fill};
  };
  const auto lying = [dtype](engine::Shape shape, engine::Strides strides, Fill fill) {
    return Operand{TensorType{dtype, std::move(shape), std::move(strides)}, fill};
  };
  const auto last = [dtype](engine::Shape shape, Fill fill) {
    return Operand{TensorType::channels_last(dtype, std::move(shape)), fill};
  };
  const auto below = [](engine::Shape shape, double end) {
    return Operand{TensorType::contiguous(engine::DType::int64, std::move(shape)), {Fill::Kind::integers, 0, end}};
  };
  const Attributes along_last{{"axis", int64_t{-1}}}, rows{{"axes", Ints{1}}}, columns{{"axes", Ints{0}}},
      same{{"padding", Ints{1, 1, 1, 1}}};
  return {
      {"sum", "all of 100003", {of({100'003}, positive)}, {}},
      {"sum", "rows of 5000", {of({5, 5000}, positive)}, rows},
      {"sum", "rows of 2000", {of({3, 2000}, positive)}, rows},
      {"sum", "rows of 40000, in parts", {of({7, 40'000}, positive)}, rows},
      {"sum", "columns", {of({700, 90}, positive)}, columns},
      {"sum", "columns in vectors", {of({700, 96}, positive)}, columns},
      {"sum", "columns in many parts", {of({9000, 8}, positive)}, columns},
      {"mean", "two axes around columns", {of({40, 24, 50}, positive)}, {{"axes", Ints{0, 2}}}},
      {"l2_norm", "rows of 2048 that lie apart", {lying({9, 2048}, {3000, 1}, any)}, rows},
      {"reduce_min", "columns of an odd number", {of({500, 33}, any)}, columns},
      {"sum", "45 rows of 96", {of({45, 96}, positive)}, rows},
      {"product", "rows of 64", {of({50, 64}, sums)}, rows},
      {"reduce_max", "rows of 5000", {of({5, 5000}, any)}, rows},
      {"log_sum_exp", "rows of 3000", {of({3, 3000}, any)}, rows},
      {"softmax", "rows of 3000", {of({3, 3000}, any)}, along_last},
      {"softmax", "rows of 300", {of({40, 300}, any)}, along_last},
      {"log_softmax", "rows of 3000", {of({3, 3000}, any)}, along_last},
      {"softmax_grad", "rows of 3000", {of({3, 3000}, any), of({3, 3000}, positive)}, along_last},
      {"argmax", "rows of 3000", {of({3, 3000}, any)}, along_last},
      {"hardmax", "rows of 3000", {of({3, 3000}, any)}, along_last},
      {"layer_norm", "rows of 5000", {of({3, 5000}, any), of({5000}, positive), of({5000}, any)}, along_last},
      {"layer_norm", "rows of 600", {of({33, 600}, any), of({600}, positive), of({600}, any)}, along_last},
      {"batch_norm_training", "channels last", {last({4, 19, 23, 17}, any), of({19}, positive), of({19}, any)}, {}},
      {"batch_norm_training", "channels first", {of({4, 19, 23, 17}, any), of({19}, positive), of({19}, any)}, {}},
      {"softmax_cross_entropy", "1100 x 37", {of({1100, 37}, any), below({1100}, 37)}, {}},
      {"softmax_cross_entropy", "5 x 3000", {of({5, 3000}, any), below({5}, 3000)}, {}},
      {"matmul", "130 x 70 x 150", {of({130, 70}, any), of({70, 150}, any)}, {}},
      {"matmul", "65 x 1200 x 63, in parts", {of({65, 1200}, any), of({1200, 63}, any)}, {}},
      {"matmul", "batch 3", {of({3, 65, 33}, any), of({3, 33, 66}, any)}, {}},
      {"linear", "with bias", {of({70, 129}, any), of({67, 129}, any), of({67}, any)}, {}},
      {"conv2d", "3 x 3", {last({2, 6, 13, 11}, any), last({8, 6, 3, 3}, any)}, same},
      {"conv2d_grad_weight",
       "3 x 3",
       {last({2, 8, 13, 11}, any), last({2, 6, 13, 11}, any)},
       {{"padding", Ints{1, 1, 1, 1}}, {"weight_shape", Ints{8, 6, 3, 3}}, {"weight_strides", Ints{54, 9, 3, 1}}}},
      {"attention",
       "300 keys, shared heads",
       {of({1, 4, 9, 16}, any), of({1, 2, 300, 16}, any), of({1, 2, 300, 16}, any)},
       {}},
      {"attention",
       "150 keys, causal",
       {of({1, 2, 150, 8}, any), of({1, 2, 150, 8}, any), of({1, 2, 150, 8}, any)},
       {{"causal", int64_t{1}}}},
      {"attention",
       "70 features, 100 of values, later queries",
       {of({1, 2, 70, 70}, any), of({1, 1, 130, 70}, any), of({1, 1, 130, 100}, any)},
       {{"causal", int64_t{1}}}},
      {"attention",
       "a mask, heads that lie apart",
       {lying({1, 2, 70, 16}, {2240, 16, 32, 1}, any), lying({1, 2, 66, 16}, {2112, 16, 32, 1}, any),
        of({1, 2, 66, 16}, any), of({70, 66}, any)},
       {}},
      {"attention",
       "a mask of yes and no",
       {of({1, 2, 70, 16}, any), of({1, 2, 66, 16}, any), of({1, 2, 66, 16}, any),
        Operand{TensorType::contiguous(engine::DType::boolean, {70, 66}), {Fill::Kind::integers, 0, 2}}},
       {}},
      {"attention",
       "queries that see no key",
       {of({1, 2, 130, 16}, any), of({1, 2, 70, 16}, any), of({1, 2, 70, 16}, any)},
       {{"causal", int64_t{1}}}},
      {"attention_grad",
       "queries that see no key",
       {of({1, 1, 130, 16}, any), of({1, 1, 130, 16}, any), of({1, 1, 70, 16}, any), of({1, 1, 70, 16}, any),
        of({1, 1, 130, 16}, any), of({1, 1, 130}, sums)},
       {{"causal", int64_t{1}}}},
      {"attention_grad",
       "15 queries of 10 heads on the same 300 keys",
       {of({1, 10, 15, 8}, any), of({1, 10, 15, 8}, any), of({1, 1, 300, 8}, any), of({1, 1, 300, 8}, any),
        of({1, 10, 15, 8}, any), of({1, 10, 15}, sums)},
       {}},
      {"attention_grad",
       "70 queries and features, causal",
       {of({1, 1, 70, 80}, any), of({1, 1, 70, 70}, any), of({1, 1, 66, 70}, any), of({1, 1, 66, 80}, any),
        of({1, 1, 70, 80}, any), of({1, 1, 70}, sums)},
       {{"causal", int64_t{1}}}},
      {"attention_grad",
       "150 keys, shared heads",
       {of({1, 4, 150, 8}, any), of({1, 4, 150, 8}, any), of({1, 2, 150, 8}, any), of({1, 2, 150, 8}, any),
        of({1, 4, 150, 8}, any), of({1, 4, 150}, sums)},
       {}},
      {"add", "40001", {of({40'001}, any), of({40'001}, any)}, {}},
      {"add", "a bias per row's element", {of({300, 132}, any), of({132}, any)}, {}},
      {"add", "a bias of an odd length", {of({70, 131}, any), of({131}, any)}, {}},
      {"multiply", "a number per row", {of({70, 128}, any), of({70, 1}, any)}, {}},
      {"exp", "by four lanes, and a rest", {of({4099}, any)}, {}},
      {"maximum", "a row for all, by four lanes", {of({60, 68}, any), of({68}, any)}, {}},
      {"contiguous", "turned over", {lying({160, 144}, {1, 160}, any)}, {}},
      {"contiguous", "turned over, odd sides", {lying({131, 77}, {1, 131}, any)}, {}},
      {"contiguous", "turned over in each of six", {lying({2, 48, 3, 80}, {11'520, 1, 3840, 48}, any)}, {}},
      {"contiguous", "rows with gaps", {lying({37, 64}, {96, 1}, any)}, {}},
      {"softmax", "rows of 20000", {of({3, 20'000}, any)}, along_last},
      {"softmax", "rows of 20001", {of({2, 20'001}, any)}, along_last},
      {"softmax", "67 rows of 64", {of({67, 64}, any)}, along_last},
      {"softmax", "23 rows of 400", {of({23, 400}, any)}, along_last},
      {"softmax", "rows of 1001", {of({5, 1001}, any)}, along_last},
      {"log_softmax", "rows of 20000", {of({2, 20'000}, any)}, along_last},
      {"log_softmax", "13 rows of 120", {of({13, 120}, any)}, along_last},
      {"softmax_grad", "rows of 12000", {of({2, 12'000}, any), of({2, 12'000}, positive)}, along_last},
      {"softmax_grad", "rows of 40", {of({19, 40}, any), of({19, 40}, positive)}, along_last},
      {"softmax_grad", "11 rows of 200", {of({11, 200}, any), of({11, 200}, positive)}, along_last},
      {"log_softmax_grad", "rows of 999", {of({3, 999}, any), of({3, 999}, any)}, along_last},
      {"layer_norm", "rows of 20000", {of({2, 20'000}, any), of({20'000}, positive), of({20'000}, any)}, along_last},
      {"layer_norm", "33 rows of 96", {of({33, 96}, any), of({96}, positive), of({96}, any)}, along_last},
      {"layer_norm", "9 rows of 320", {of({9, 320}, any), of({320}, positive), of({320}, any)}, along_last},
      {"layer_norm", "5 rows of 197 equals", {of({5, 197}, equal), of({197}, positive), of({197}, any)}, along_last},
      {"layer_norm", "3 rows of 768 equals", {of({3, 768}, equal), of({768}, positive), of({768}, any)}, along_last},
      {"layer_norm",
       "rows of 20000 equals",
       {of({2, 20'000}, equal), of({20'000}, positive), of({20'000}, any)},
       along_last},
      {"layer_norm",
       "rows of equals that lie apart",
       {lying({7, 300}, {1, 7}, equal), of({300}, positive), of({300}, any)},
       along_last},
      {"group_norm",
       "groups of equals",
       {last({2, 12, 9, 7}, equal), of({12}, positive), of({12}, any)},
       {{"groups", int64_t{3}}}},
      {"batch_norm_training", "channels of equals", {of({2, 5, 9, 7}, equal), of({5}, positive), of({5}, any)}, {}},
      {"rms_norm", "rows of 1027", {of({3, 1027}, any), of({1027}, positive)}, along_last},
      {"layer_norm_grad",
       "rows of 2048",
       {of({3, 2048}, any), of({3, 2048}, any), of({3, 1}, any), of({3, 1}, positive), of({2048}, positive)},
       along_last},
      {"layer_norm_grad",
       "35 rows of 48",
       {of({35, 48}, any), of({35, 48}, any), of({35, 1}, any), of({35, 1}, positive), of({48}, positive)},
       along_last},
      {"layer_norm_grad",
       "9 rows of 160",
       {of({9, 160}, any), of({9, 160}, any), of({9, 1}, any), of({9, 1}, positive), of({160}, positive)},
       along_last},
      {"layer_norm_grad",
       "rows of 9000",
       {of({2, 9000}, any), of({2, 9000}, any), of({2, 1}, any), of({2, 1}, positive), of({9000}, positive)},
       along_last},
      {"group_norm",
       "2 groups of 6 x 40 x 50",
       {of({2, 12, 40, 50}, any), of({12}, positive), of({12}, any)},
       {{"groups", int64_t{2}}}},
      {"gather", "400 of 50", {of({50, 64}, any), below({400}, 50)}, {{"axis", int64_t{0}}}},
  };
}

}  // namespace test
