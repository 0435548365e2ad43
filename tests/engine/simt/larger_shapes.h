// SPDX-License-Identifier: Apache-2.0
// Shapes beyond those of the op examples: rows that take a whole block, sums in several parts, tiles that are not full, chunks of keys.
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
  const auto of = [dtype](engine::Shape shape, Fill fill) { return Operand{TensorType::contiguous(dtype, std::move(shape)), fill}; };
  const auto last = [dtype](engine::Shape shape, Fill fill) { return Operand{TensorType::channels_last(dtype, std::move(shape)), fill}; };
  const auto below = [](engine::Shape shape, double end) {
    return Operand{TensorType::contiguous(engine::DType::int64, std::move(shape)), {Fill::Kind::integers, 0, end}};
  };
  const Attributes along_last{{"axis", int64_t{-1}}}, rows{{"axes", Ints{1}}}, columns{{"axes", Ints{0}}}, same{{"padding", Ints{1, 1, 1, 1}}};
  return {
      {"sum", "all of 100003", {of({100'003}, positive)}, {}},
      {"sum", "rows of 5000", {of({5, 5000}, positive)}, rows},
      {"sum", "rows of 2000", {of({3, 2000}, positive)}, rows},
      {"sum", "rows of 40000, in parts", {of({7, 40'000}, positive)}, rows},
      {"sum", "columns", {of({700, 90}, positive)}, columns},
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
      {"attention", "300 keys, shared heads", {of({1, 4, 9, 16}, any), of({1, 2, 300, 16}, any), of({1, 2, 300, 16}, any)}, {}},
      {"attention", "150 keys, causal", {of({1, 2, 150, 8}, any), of({1, 2, 150, 8}, any), of({1, 2, 150, 8}, any)}, {{"causal", int64_t{1}}}},
      {"attention_grad",
       "150 keys, shared heads",
       {of({1, 4, 150, 8}, any), of({1, 4, 150, 8}, any), of({1, 2, 150, 8}, any), of({1, 2, 150, 8}, any), of({1, 4, 150, 8}, any),
        of({1, 4, 150}, sums)},
       {}},
      {"add", "40001", {of({40'001}, any), of({40'001}, any)}, {}},
      {"gather", "400 of 50", {of({50, 64}, any), below({400}, 50)}, {{"axis", int64_t{0}}}},
  };
}

}  // namespace test
