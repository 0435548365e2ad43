// SPDX-License-Identifier: Apache-2.0
// To 8 bits and back by the vectors of each unit: the same numbers as one element at a time.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "engine/kernels/quantized/quantized_simd.h"
#include "engine/tensor/quantization.h"

namespace engine::cpu {
namespace {

/// `body` with each vector unit of this processor alone.
void with_each_unit(const std::function<void()>& body) {
  for (int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
    SCOPED_TRACE(hwy::TargetName(rest & -rest));
    hwy::DisableTargets(~(rest & -rest));
    body();
  }
  hwy::DisableTargets(0);
}

/// Middles between two integers, ends, and what is no number; 83 of them: no multiple of any vector.
std::vector<float> reals() {
  std::vector<float> values{0.0F,
                            -0.0F,
                            0.5F,
                            1.5F,
                            2.5F,
                            -0.5F,
                            -1.5F,
                            1e30F,
                            -1e30F,
                            std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity()};
  for (int i = static_cast<int>(values.size()); i < 83; ++i)
    values.push_back(static_cast<float>(i * 37 % 101 - 50) / 4);
  return values;
}

TEST(ByteLoops, RealsBecomeBytesAsOneByOne) {
  const std::vector<float> from = reals();
  const auto count = static_cast<int64_t>(from.size());
  with_each_unit([&] {
    for (const double low : {0.0, -128.0}) {
      for (const double zero : {low, low + 1, low + 128, low + 255}) {
        for (const double scale : {1.0, 0.25, static_cast<double>(0.0196078438F)}) {
          std::vector<uint8_t> to(from.size());
          quantize_loops().to_bytes(from.data(), count, scale, zero, low, to.data());
          for (size_t i = 0; i < from.size(); ++i) {
            const int32_t wanted = quantized(steps_of(static_cast<double>(from[i]), scale), static_cast<int32_t>(zero),
                                             static_cast<int32_t>(low), static_cast<int32_t>(low) + 255);
            ASSERT_EQ(to[i], static_cast<uint8_t>(wanted)) << from[i] << " by " << scale << " + " << zero;
          }
        }
      }
    }
  });
}

TEST(ByteLoops, SumsBecomeBytesAsOneByOne) {
  std::vector<int32_t> sums;
  std::vector<double> bias, factors;
  for (int i = 0; i < 83; ++i) {
    sums.push_back(i % 9 == 0 ? std::numeric_limits<int32_t>::max() - i : i * 977 % 4001 - 2000);
    bias.push_back(i % 7 == 0 ? -1e9 : i * 13 - 400);
    factors.push_back(i % 11 == 0 ? 0.5 : 0.01 + i * 1e-3);
  }
  with_each_unit([&] {
    for (const double low : {0.0, -128.0}) {
      for (const double zero : {low, low + 3, low + 255}) {
        std::vector<uint8_t> to(sums.size());
        quantize_sums()(sums.data(), bias.data(), factors.data(), zero, low, static_cast<int64_t>(sums.size()),
                        to.data());
        for (size_t i = 0; i < sums.size(); ++i) {
          const int32_t wanted = quantized((sums[i] + bias[i]) * factors[i], static_cast<int32_t>(zero),
                                           static_cast<int32_t>(low), static_cast<int32_t>(low) + 255);
          ASSERT_EQ(to[i], static_cast<uint8_t>(wanted)) << i << " + " << zero;
        }
      }
    }
  });
}

TEST(ByteLoops, EndsLeaveOutWhatIsNoNumber) {
  std::vector<float> from = reals();
  for (float& value : from) value = std::isinf(value) || std::abs(value) > 1e9F ? 3.0F : value;
  from[40] = -77;
  from[82] = 55;
  with_each_unit([&] {
    float least = 1, greatest = -1;
    quantize_loops().ends(from.data(), static_cast<int64_t>(from.size()), &least, &greatest);
    EXPECT_EQ(least, -77);
    EXPECT_EQ(greatest, 55);
  });
}

TEST(ByteLoops, BytesBecomeTheRealsThatTheyStandFor) {
  std::vector<int8_t> from;
  for (int i = -128; i < 128; ++i) from.push_back(static_cast<int8_t>(i));
  const double scale = static_cast<double>(0.0123456789F);
  with_each_unit([&] {
    std::vector<float> to(from.size());
    quantize_loops().from_i8(from.data(), static_cast<int64_t>(from.size()), scale, -7, to.data());
    for (size_t i = 0; i < from.size(); ++i) ASSERT_EQ(to[i], static_cast<float>((from[i] + 7) * scale)) << i;
  });
}

}  // namespace
}  // namespace engine::cpu
