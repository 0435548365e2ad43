// SPDX-License-Identifier: Apache-2.0
// Rows of a few elements, strides of all kinds, and selections of a few: each element where it belongs, whatever is
// gathered together.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "engine/cpu/backend.h"
#include "engine/graph/element_maps.h"
#include "engine/kernels/core/copy.h"
#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/row_blocks.h"
#include "engine/kernels/elementwise/power_simd.h"
#include "tests/engine/kernels/core/kernel_case.h"
#include "tests/engine/kernels/core/kernel_case_words.h"

namespace engine {
namespace {

/// Elements of a tensor of numbers 0, 1, ... that lies with `strides`.
TEST(ShortRows, AreGatheredAndScatteredFromAnyElementOn) {
  struct Lie {
    Shape shape;
    Strides strides;
  };
  for (const int64_t inner : {1, 2, 3, 5, 7, 8, 16, 33, 70}) {
    const Lie lies[] = {{{5, 3, inner}, {3 * inner, inner, 1}},
                        {{5, 3, inner}, {0, inner, 1}},
                        {{5, 3, inner}, {inner, 0, 1}},
                        {{5, 3, inner}, {3, 1, 0}},
                        {{5, 3, inner}, {0, 0, 0}},
                        {{5, 3, inner}, {0, 0, 2}},
                        {{5, 3, inner}, {7 * inner, 2 * inner, 2}},
                        {{5, 3, inner}, {1, 5, 15}},
                        {{4, 1, 6, inner}, {6 * inner, 9, inner, 1}},
                        {{2, 3, 4, inner}, {1, 0, 2, 0}},
                        {{5, 3, inner}, {3 * inner, inner, 3}}};
    for (const Lie& lie : lies) {
      for (const DType dtype : {DType::uint8, DType::float16, DType::int32, DType::int64}) {
        const TensorType type{dtype, lie.shape, lie.strides}, dense = TensorType::contiguous(dtype, lie.shape);
        const int64_t bytes = size_bytes(dtype), all = type.elements();
        std::vector<std::byte> memory(static_cast<size_t>(type.span_bytes())), wanted, again(memory.size());
        for (size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 37 % 251);
        const TensorType types[] = {dense, type};
        const cpu::LoopNest loops = cpu::make_loops(lie.shape, types, 0);
        for (const int64_t at : element_offsets(type))
          wanted.insert(wanted.end(), memory.begin() + at * bytes, memory.begin() + (at + 1) * bytes);
        const auto one = cpu::NestOperand::of(loops, 1, bytes);
        SCOPED_TRACE(testing::Message() << to_string(type));
        for (const int64_t first : {int64_t{0}, int64_t{1}, all / 2, all - 1}) {
          for (const int64_t many : {int64_t{0}, int64_t{1}, (all - first) / 2, all - first}) {
            std::vector<std::byte> got(static_cast<size_t>(many * bytes + 8), std::byte{0xEE});
            one.gather(memory.data(), first, many, got.data());
            EXPECT_EQ(std::memcmp(got.data(), wanted.data() + first * bytes, static_cast<size_t>(many * bytes)), 0)
                << first << " + " << many;
            for (size_t i = 0; i < 8; ++i)
              EXPECT_EQ(got[static_cast<size_t>(many * bytes) + i], std::byte{0xEE})
                  << "behind " << first << " + " << many;
            one.scatter(got.data(), first, many, again.data());
          }
        }
        for (const int64_t at : element_offsets(type))
          for (int64_t b = at * bytes; b < (at + 1) * bytes; ++b)
            EXPECT_EQ(again[static_cast<size_t>(b)], memory[static_cast<size_t>(b)]);
      }
    }
  }
}

/// Every second element, every third, backwards: and nothing beyond the last one is read or written.
TEST(ShortRows, CopiesOfAnyStrideTakeNothingElse) {
  for (const int64_t bytes : {1, 2, 4, 8}) {
    for (const int64_t stride : {-3, -2, -1, 0, 1, 2, 3, 4}) {
      for (int64_t count = 1; count < 40; ++count) {
        const int64_t span = (std::abs(stride) * (count - 1) + 1) * bytes;
        auto from = Storage::allocate_host(span), to = Storage::allocate_host(count * bytes + 16);
        ASSERT_TRUE(from.ok() && to.ok());
        for (int64_t i = 0; i < span; ++i) (*from)->data()[i] = static_cast<std::byte>(i * 29 % 253);
        std::memset((*to)->data(), 0xEE, static_cast<size_t>(count * bytes + 16));
        const std::byte* const first = (*from)->data() + (stride < 0 ? span - bytes : 0);
        cpu::copy_row(first, stride * bytes, (*to)->data(), bytes, count, bytes);
        for (int64_t i = 0; i < count; ++i)
          ASSERT_EQ(std::memcmp((*to)->data() + i * bytes, first + i * stride * bytes, static_cast<size_t>(bytes)), 0)
              << bytes << " bytes, stride " << stride << ", " << i << " of " << count;
        for (int64_t i = 0; i < 16; ++i) ASSERT_EQ((*to)->data()[count * bytes + i], std::byte{0xEE});
      }
    }
  }
}

TEST(Powers, OfFloatsAreRoundedOnceAndSpecialOnesAreTheLibrarys) {
  const cpu::PowerRow row = cpu::power_row();
  ASSERT_NE(row, nullptr);
  constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();
  for (const float exponent : {0.75f, -0.75f, 0.5f, -0.5f, 1.0f / 3, 0.1f, 2.2f, -7.0f, 5.0f, 40.0f, 0.0f, -0.0f,
                               100.5f, kInfinity, -kInfinity, kNan}) {
    std::vector<float> x{0,
                         -0.0f,
                         1,
                         -1,
                         kInfinity,
                         -kInfinity,
                         kNan,
                         1e-45f,
                         1e-40f,
                         1.2e-38f,
                         3.4e38f,
                         -2,
                         -0.5f,
                         2,
                         0.5f,
                         std::nextafter(1.0f, 0.0f),
                         std::nextafter(1.0f, 2.0f)};
    for (int i = 1; i < 5000; ++i) x.push_back(static_cast<float>(std::exp(i * 0.03 - 75)));
    std::vector<float> y(x.size());
    row(x.data(), &exponent, true, static_cast<int64_t>(x.size()), y.data());
    const std::vector<float> exponents(x.size(), exponent);
    for (size_t i = 0; i < x.size(); ++i) {
      const long double exact = std::pow(static_cast<long double>(x[i]), static_cast<long double>(exponent));
      const auto rounded = static_cast<float>(exact);
      if (std::isnan(exact) || std::isinf(rounded) || rounded == 0) {
        EXPECT_EQ(std::isnan(y[i]), std::isnan(rounded)) << x[i] << " ^ " << exponent;
        if (std::isnan(rounded)) continue;
        EXPECT_EQ(y[i], rounded) << x[i] << " ^ " << exponent;
        EXPECT_EQ(std::signbit(y[i]), std::signbit(rounded)) << x[i] << " ^ " << exponent;
      } else {
        const long double ulp =
            static_cast<long double>(std::nextafter(std::abs(rounded), kInfinity)) - std::abs(rounded);
        EXPECT_LE(std::abs(y[i] - exact), 0.51L * ulp) << x[i] << " ^ " << exponent;
      }
      float alone = 0;
      row(&x[i], &exponents[i], false, 1, &alone);
      EXPECT_EQ(std::memcmp(&alone, &y[i], sizeof(float)) == 0 || std::isnan(alone), true)
          << "alone: " << x[i] << " ^ " << exponent;
    }
  }
}

/// Few and many of lines with ties, numbers that are not numbers, and infinities.
TEST(TopK, OfAFewIsWhatSelectTopKSays) {
  cpu::Context context(cpu::BackendOptions{.threads = 1});
  constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
  const double special[] = {kNan, kInfinity, -kInfinity, 0.0, 3.0};
  for (const DType t : {DType::float32, DType::float64, DType::int32}) {
    for (const int64_t extent : {1, 5, 33, 100}) {
      for (const int64_t k : {1, 2, 3, 8, 31, 32, 33, 100}) {
        if (k > extent) continue;
        for (const int64_t flags : {0, 1, 2, 3}) {
          const bool largest = flags % 2 != 0, sorted = flags / 2 != 0;
          SCOPED_TRACE(testing::Message()
                       << name(t) << ", " << k << " of " << extent << ", largest " << largest << ", sorted " << sorted);
          const KernelCase c{
              "",
              "top_k",
              {{"k", k}, {"axis", int64_t{1}}, {"largest", int64_t{largest}}, {"sorted", int64_t{sorted}}},
              {{row_major({7, extent, 2}, t)}},
              ""};
          BoundCase bound = bind_case(c);
          bound.arguments.attributes = &bound.node.attributes;
          const Tensor& x = bound.arguments.inputs[0];
          for (int64_t i = 0; i < x.type().elements(); ++i) {
            const bool odd = is_floating(t) && i % 3 == 0;
            x.set_flat(i, odd ? special[static_cast<size_t>(i / 3 % 5)] : static_cast<double>(i * i % 23 - 11));
          }
          const auto op = cpu::prepare_op(context, {bound.node, bound.arguments, nullptr, {}});
          ASSERT_TRUE(op.ok());
          EXPECT_EQ((*op)->kernel_name(), "own selection");
          (*op)->run();
          for (int64_t line = 0; line < 14; ++line) {
            const auto value = [&](int64_t i) { return x.get_flat((line / 2 * extent + i) * 2 + line % 2); };
            std::vector<int64_t> order(static_cast<size_t>(extent));
            select_top_k(k, largest, sorted, order, value);
            for (int64_t i = 0; i < k; ++i) {
              const int64_t at = (line / 2 * k + i) * 2 + line % 2, wanted = order[static_cast<size_t>(i)];
              EXPECT_EQ(bound.arguments.outputs[1].get_flat(at), static_cast<double>(wanted))
                  << "line " << line << ", " << i;
              const double got = bound.arguments.outputs[0].get_flat(at), it = value(wanted);
              EXPECT_TRUE(got == it || (std::isnan(got) && std::isnan(it))) << "line " << line << ", " << i;
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace engine
