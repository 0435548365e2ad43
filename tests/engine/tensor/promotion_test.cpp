// SPDX-License-Identifier: Apache-2.0
// Promotion beside torch.result_type of PyTorch 2: the tables are its output.
#include "engine/tensor/promotion.h"

#include <gtest/gtest.h>

#include <array>
#include <sstream>
#include <string>

namespace engine {
namespace {

using Rows = std::array<const char*, 9>;

/// A row per dtype of the first operand, in the order of all_dtypes(); a word per dtype of the second; "-": none.
void expect(const Rows& rows, bool first_is_0d, bool second_is_0d) {
  for (size_t i = 0; i < rows.size(); ++i) {
    std::istringstream words(rows[i]);
    for (const DType second : all_dtypes()) {
      std::string word;
      words >> word;
      const auto found = promoted(all_dtypes()[i], first_is_0d, second, second_is_0d);
      EXPECT_EQ(found ? std::string(name(*found)) : "-", word) << name(all_dtypes()[i]) << " " << name(second);
    }
  }
}

constexpr Rows kAxesWith0d{"f64 f64 f64 f64 f64 f64 f64 f64 f64",
                           "f32 f32 f32 f32 f32 f32 f32 f32 f32",
                           "bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16",
                           "f16 f16 f16 f16 f16 f16 f16 f16 f16",
                           "f64 f32 bf16 f16 i64 i64 i64 i64 i64",
                           "f64 f32 bf16 f16 i32 i32 i32 i32 i32",
                           "f64 f32 bf16 f16 i8 i8 i8 i8 i8",
                           "f64 f32 bf16 f16 u8 u8 u8 u8 u8",
                           "f64 f32 bf16 f16 i64 i32 i8 u8 bool"};
constexpr Rows kBoth0d{"f64 f64 f64 f64 f64 f64 f64 f64 f64",       "f64 f32 f32 f32 f32 f32 f32 f32 f32",
                       "f64 f32 bf16 f32 bf16 bf16 bf16 bf16 bf16", "f64 f32 f32 f16 f16 f16 f16 f16 f16",
                       "f64 f32 bf16 f16 i64 i64 i64 i64 i64",      "f64 f32 bf16 f16 i64 i32 i32 i32 i32",
                       "f64 f32 bf16 f16 i64 i32 i8 - i8",          "f64 f32 bf16 f16 i64 i32 - u8 u8",
                       "f64 f32 bf16 f16 i64 i32 i8 u8 bool"};

TEST(Promotion, OfA0dOperandIsPyTorchs) {
  expect(kAxesWith0d, false, true);
  expect(kBoth0d, true, true);
}

TEST(Promotion, IsTheSameInEitherOrder) {
  for (const DType a : all_dtypes()) {
    for (const DType b : all_dtypes()) {
      EXPECT_EQ(promoted(a, false, b, true), promoted(b, true, a, false)) << name(a) << " " << name(b);
      EXPECT_EQ(promoted(a, true, b, true), promoted(b, true, a, true)) << name(a) << " " << name(b);
      EXPECT_EQ(promoted(a, false, b, false).has_value(), a == b) << "two tensors with axes do not mix";
    }
  }
}

}  // namespace
}  // namespace engine
