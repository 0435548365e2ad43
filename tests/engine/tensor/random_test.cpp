// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "engine/base/thread_team.h"

namespace engine {
namespace {

Tensor filled(TensorType type, const Fill& how, uint64_t seed = 1, uint64_t stream = 0) {
  Tensor tensor = *Tensor::empty(std::move(type));
  fill(tensor, how, seed, stream);
  return tensor;
}

const Fill kNormal{Fill::Kind::normal, 2, 3}, kUniform{Fill::Kind::uniform, -1, 5};

TEST(Fill, DependsOnSeedStreamAndPositionOnly) {
  const Shape shape{3, 5, 70, 90};  // large enough for threads
  const Tensor rows = filled(TensorType::contiguous(DType::float32, shape), kNormal, 7, 3);
  const Tensor images = filled(TensorType::channels_last(DType::float32, shape), kNormal, 7, 3);
  const Tensor doubles = filled(TensorType::contiguous(DType::float64, shape), kNormal, 7, 3);
  for (int64_t i = 0; i < rows.type().elements(); ++i) {
    ASSERT_EQ(rows.get_flat(i), images.get_flat(i)) << i;
    ASSERT_EQ(static_cast<float>(doubles.get_flat(i)), static_cast<float>(rows.get_flat(i))) << i;
  }
}

TEST(Fill, IsTheSameForAnyThreadCount) {
  const int before = calling_thread_count();
  const TensorType type = TensorType::contiguous(DType::float32, {100'003});
  set_calling_thread_count(1);
  const Tensor one = filled(type, kUniform);
  set_calling_thread_count(3);
  const Tensor three = filled(type, kUniform);
  set_calling_thread_count(before);
  EXPECT_EQ(std::memcmp(one.data(), three.data(), static_cast<size_t>(type.span_bytes())), 0);
}

TEST(Fill, SeedsAndStreamsDiffer) {
  std::set<double> seen;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    for (uint64_t stream = 0; stream < 20; ++stream) {
      seen.insert(filled(TensorType::contiguous(DType::float64, {1}), kUniform, seed, stream).get_flat(0));
    }
  }
  EXPECT_EQ(seen.size(), 400u);
}

TEST(Fill, NormalHasItsMomentsAndTails) {
  constexpr int64_t kCount = 400'000;
  const Tensor tensor = filled(TensorType::contiguous(DType::float64, {kCount}), {Fill::Kind::normal, 0, 1});
  double sum = 0, squares = 0, cubes = 0, neighbours = 0;
  int64_t beyond_1 = 0, beyond_3 = 0;
  double last = 0;
  for (int64_t i = 0; i < kCount; ++i) {
    const double x = tensor.get_flat(i);
    sum += x;
    squares += x * x;
    cubes += x * x * x;
    neighbours += x * last;
    last = x;
    beyond_1 += std::abs(x) > 1 ? 1 : 0;
    beyond_3 += std::abs(x) > 3 ? 1 : 0;
  }
  const double n = static_cast<double>(kCount), error = 5 / std::sqrt(n);  // five standard errors
  EXPECT_NEAR(sum / n, 0, error);
  EXPECT_NEAR(squares / n, 1, error * std::sqrt(2.0));
  EXPECT_NEAR(cubes / n, 0, error * std::sqrt(15.0));
  EXPECT_NEAR(neighbours / n, 0, error);
  EXPECT_NEAR(static_cast<double>(beyond_1) / n, 0.317311, error * 0.47);
  EXPECT_NEAR(static_cast<double>(beyond_3) / n, 0.0026998, error * 0.052);
}

TEST(Fill, KindsAndRanges) {
  const auto values = [](const Fill& how, DType dtype) { return filled(TensorType::contiguous(dtype, {2000}), how); };
  const Tensor uniform = values(kUniform, DType::float64),
               integers = values({Fill::Kind::integers, 2, 5}, DType::int32);
  std::set<double> seen;
  for (int64_t i = 0; i < 2000; ++i) {
    ASSERT_GT(uniform.get_flat(i), -1);
    ASSERT_LT(uniform.get_flat(i), 5);
    seen.insert(integers.get_flat(i));
  }
  EXPECT_EQ(seen, (std::set<double>{2, 3, 4}));
  EXPECT_EQ(values({Fill::Kind::ones}, DType::bfloat16).get_flat(1999), 1);
  EXPECT_EQ(values({Fill::Kind::zeros}, DType::int8).get_flat(5), 0);
  EXPECT_EQ(values({Fill::Kind::constant, 0.25}, DType::float16).get_flat(5), 0.25);
  EXPECT_EQ(values({Fill::Kind::arange, 0, 4}, DType::float32).get_flat(1998), 499.5);
  EXPECT_EQ(values({Fill::Kind::arange}, DType::int64).get_flat(1998), 1998);
}

TEST(Fill, StaysInsideItsTensor) {
  const Tensor whole = filled(TensorType::contiguous(DType::float32, {10, 10}), {Fill::Kind::constant, -7});
  const Tensor part = *(*whole.slice(0, 8, 1, -2)).slice(1, 3, 5);
  fill(part, {Fill::Kind::ones}, 1, 1);
  double sum = 0;
  for (int64_t i = 0; i < 100; ++i) sum += whole.get_flat(i);
  EXPECT_EQ(part.type().elements(), 8);
  EXPECT_EQ(sum, -7 * 92 + 8);
  fill(*whole.slice(0, 3, 3), {Fill::Kind::ones}, 1, 1);  // no elements: nothing happens
  EXPECT_EQ(whole.get_flat(0), -7);
}

}  // namespace
}  // namespace engine
