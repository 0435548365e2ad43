// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/tensor.h"

#include <gtest/gtest.h>

#include <limits>

namespace engine {
namespace {

TEST(Tensor, FiftyImages) {
  const TensorType type = TensorType::contiguous(DType::uint8, {50, 3, 24, 32});
  EXPECT_EQ(type.elements(), 115'200);
  EXPECT_EQ(type.strides, (Strides{2304, 768, 32, 1}));
  const Tensor images = *Tensor::empty(type);
  EXPECT_EQ(images.storage()->size_bytes(), 115'200);
  const Tensor turned = *images.transpose(2, 3);
  EXPECT_EQ(turned.shape(), (Shape{50, 3, 32, 24}));
  EXPECT_EQ(turned.strides(), (Strides{2304, 768, 1, 32}));
  EXPECT_EQ(turned.storage(), images.storage());
  EXPECT_EQ(turned.data(), images.data());  // no byte has moved
}

TEST(Tensor, BytesOfTypes) {
  const TensorType dense = TensorType::contiguous(DType::float32, {3, 4});
  EXPECT_EQ(dense.distinct_bytes(), 48);
  EXPECT_EQ(dense.span_bytes(), 48);
  const TensorType repeated{DType::float32, {1000, 4}, {0, 1}};
  EXPECT_EQ(repeated.distinct_bytes(), 16);
  EXPECT_EQ(repeated.span_bytes(), 16);
  const TensorType holes{DType::float32, {3, 4}, {-10, 2}};
  EXPECT_EQ(holes.distinct_bytes(), 48);
  EXPECT_EQ(holes.span_bytes(), (20 + 6 + 1) * 4);
  const TensorType nothing = TensorType::contiguous(DType::float64, {3, 0, 4});
  EXPECT_EQ(nothing.distinct_bytes(), 0);
  EXPECT_EQ(nothing.span_bytes(), 0);
  EXPECT_EQ(TensorType::contiguous(DType::float64, {}).span_bytes(), 8);
  EXPECT_EQ(to_string(TensorType::contiguous(DType::float32, {16, 128, 28, 28})), "f32 16x128x28x28");
}

TEST(Tensor, ByteSumsAreHeldNotWrapped) {
  const TensorType huge = TensorType::contiguous(DType::float64, {int64_t{1} << 62});
  EXPECT_EQ(huge.span_bytes(), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(huge.distinct_bytes(), std::numeric_limits<int64_t>::max());
  const auto refused = Tensor::empty(huge);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::refused);
  EXPECT_FALSE(Tensor::empty(TensorType::contiguous(DType::float32, {int64_t{1} << 40, int64_t{1} << 40})).ok());
  EXPECT_FALSE(Tensor::empty(TensorType::contiguous(DType::float32, {-3})).ok());
}

TEST(Tensor, ReadsAndWritesElements) {
  for (const DType dtype : all_dtypes()) {
    const Tensor tensor = *Tensor::from_values({2, 3}, std::vector<double>{0, 1, 0, 1, 1, 0}, dtype);
    EXPECT_EQ(tensor.get(std::vector<int64_t>{1, 1}), 1) << name(dtype);
    EXPECT_EQ(tensor.get_flat(2), 0);
    tensor.set(std::vector<int64_t>{0, 2}, 1);
    EXPECT_EQ(tensor.get_flat(2), 1);
    tensor.set_flat(4, 0);
    EXPECT_EQ(tensor.get(std::vector<int64_t>{1, 1}), 0);
  }
  EXPECT_FALSE(Tensor::from_values({2, 3}, std::vector<double>{1}).ok());
}

TEST(Tensor, ContiguousCopiesOnlyWhenItMust) {
  const Tensor rows = *Tensor::from_values({2, 3}, std::vector<double>{0, 1, 2, 3, 4, 5}, DType::float32);
  EXPECT_EQ(rows.contiguous()->storage(), rows.storage());
  const Tensor copy = *rows.transpose(0, 1)->contiguous();
  EXPECT_NE(copy.storage(), rows.storage());
  const float expected[] = {0, 3, 1, 4, 2, 5};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(copy.data_as<float>()[i], expected[i]);
}

TEST(Tensor, CopiesBetweenLayouts) {
  const Tensor from = *Tensor::empty(TensorType::channels_last(DType::int64, {2, 3, 4, 5}));
  const Tensor to = *Tensor::empty(TensorType{DType::int64, {2, 3, 4, 5}, {1, 2, 6, 24}});
  for (int64_t i = 0; i < 120; ++i) from.data_as<int64_t>()[i] = (int64_t{1} << 60) + i;  // more bits than a double has
  copy_elements(from, to);
  for (int64_t n = 0; n < 2; ++n) {
    for (int64_t c = 0; c < 3; ++c) {
      for (int64_t h = 0; h < 4; ++h) {
        for (int64_t w = 0; w < 5; ++w) {
          ASSERT_EQ(to.data_as<int64_t>()[n + 2 * c + 6 * h + 24 * w],
                    (int64_t{1} << 60) + n * 60 + c + h * 15 + w * 3);
        }
      }
    }
  }
  const Tensor scalar = *Tensor::from_values({}, std::vector<double>{4}),
               other = *Tensor::from_values({}, std::vector<double>{5});
  copy_elements(scalar, other);
  EXPECT_EQ(other.get_flat(0), 4);
}

TEST(TensorDeathTest, AWindowBeyondItsStorageStops) {
  const auto storage = *Storage::allocate_host(48);
  const TensorType type = TensorType::contiguous(DType::float32, {3, 4});
  EXPECT_DEATH(Tensor(storage, type, 1), "internal error");
  EXPECT_DEATH(Tensor(storage, TensorType{DType::float32, {3}, {-1}}, 1), "internal error");
}

}  // namespace
}  // namespace engine
