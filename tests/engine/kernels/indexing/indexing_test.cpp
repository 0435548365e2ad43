// SPDX-License-Identifier: Apache-2.0
// What the kernels that pick and place elements promise beyond their values: equal bits for any number of threads, and
// indices outside of an axis shown as the references show them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "engine/cpu/backend.h"
#include "engine/ops/ops.h"
#include "engine/tensor/random.h"

namespace engine {
namespace {

/// The first output of one op on `threads` threads, and that no reference computed it.
Tensor computed(const char* name, const Attributes& attributes, const std::vector<Tensor>& inputs, int threads) {
  auto backend = cpu::make_backend(threads);
  CHECK(backend.ok());
  Node node;
  node.op = find_op(name);
  node.attributes = attributes;
  std::vector<TensorType> types;
  for (const Tensor& input : inputs) types.push_back(input.type());
  const auto outputs = node.op->infer(types, attributes);
  EXPECT_TRUE(outputs.ok()) << outputs.error().message;
  std::vector<Tensor> made;
  for (const TensorType& type : *outputs) made.push_back(*Tensor::empty(type));
  auto op =
      (*backend)->prepare({node, {&node.attributes, inputs, made}, nullptr, std::vector<bool>(inputs.size(), false)});
  EXPECT_TRUE(op.ok());
  EXPECT_NE((*op)->kernel_name(), "reference") << name;
  (*op)->run();
  return made[0];
}

Tensor filled(const TensorType& type, const Fill& how) {
  const Tensor tensor = *Tensor::empty(type);
  fill(tensor, how, 3, 1);
  return tensor;
}
TensorType floats(Shape shape) { return TensorType::contiguous(DType::float32, std::move(shape)); }
TensorType i64(Shape shape) { return TensorType::contiguous(DType::int64, std::move(shape)); }

/// Many rows of different size added at few places: the order of the additions shows in the last bits.
TEST(IndexingKernels, SumsDoNotDependOnTheThreadCount) {
  for (const int64_t width : {3, 40, 700}) {
    const Tensor dy = filled(floats({3000, width}), {Fill::Kind::normal, 0, 1e3}),
                 rows = filled(i64({3000}), {Fill::Kind::integers, 0, 7});
    const Attributes gradient{
        {"axis", int64_t{0}}, {"input_shape", Shape{7, width}}, {"input_strides", Strides{width, 1}}};
    const Tensor zeros = filled(floats({7, width}), {Fill::Kind::zeros}), tuples = *rows.reshape({3000, 1});
    const Tensor table = filled(floats({50, width}), {Fill::Kind::normal, 0, 1e3}), bags = *rows.reshape({100, 30});
    const Tensor places = filled(i64({3000, width}), {Fill::Kind::integers, 0, 7});
    const Attributes adding{{"axis", int64_t{0}}, {"reduction", std::string("add")}},
        mean{{"mode", std::string("mean")}};
    for (const auto& [name, attributes, inputs] : std::vector<std::tuple<const char*, Attributes, std::vector<Tensor>>>{
             {"gather_grad", gradient, {dy, rows}},
             {"scatter_nd", {{"reduction", std::string("add")}}, {zeros, tuples, dy}},
             {"scatter_elements", adding, {zeros, places, dy}},
             {"embedding_bag", mean, {table, bags}}}) {
      const Tensor one = computed(name, attributes, inputs, 1), two = computed(name, attributes, inputs, 2),
                   three = computed(name, attributes, inputs, 3);
      const auto bytes = static_cast<size_t>(one.type().span_bytes());
      EXPECT_EQ(std::memcmp(one.data(), two.data(), bytes), 0) << name << " " << width;
      EXPECT_EQ(std::memcmp(one.data(), three.data(), bytes), 0) << name << " " << width;
    }
  }
}

TEST(IndexingKernels, AnIndexOutsideShowsInTheResult) {
  const Tensor x = filled(floats({4, 3}), {Fill::Kind::ones}),
               bad = *Tensor::from_values({2}, std::vector<double>{-4, 4}, DType::int64);
  const Attributes rows{{"axis", int64_t{0}}};
  const auto expect = [](const Tensor& got, const std::vector<bool>& nan) {
    ASSERT_EQ(got.type().elements(), static_cast<int64_t>(nan.size()));
    for (size_t i = 0; i < nan.size(); ++i) EXPECT_EQ(std::isnan(got.get_flat(static_cast<int64_t>(i))), nan[i]) << i;
  };
  const Tensor column = *bad.reshape({2, 1}), row = *bad.reshape({1, 2});
  expect(computed("gather", rows, {x, bad}, 1), {false, false, false, true, true, true});
  expect(computed("gather_elements", rows, {x, column}, 1), {false, true});
  expect(computed("embedding_bag", {{"mode", std::string("sum")}}, {x, row}, 1), {true, true, true});
  const std::vector<bool> all(12, true);
  expect(computed("scatter_elements", rows, {x, column, filled(floats({2, 1}), {Fill::Kind::ones})}, 1), all);
  expect(computed("scatter_nd", {}, {x, column, filled(floats({2, 3}), {Fill::Kind::ones})}, 1), all);
  const Tensor flags = filled(TensorType::contiguous(DType::boolean, {4}), {Fill::Kind::ones});
  const Tensor picked = computed("gather", rows, {flags, bad}, 1);
  EXPECT_EQ(picked.get_flat(0), 1);
  EXPECT_EQ(picked.get_flat(1), 0);
}

}  // namespace
}  // namespace engine
