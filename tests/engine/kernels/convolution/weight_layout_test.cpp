// SPDX-License-Identifier: Apache-2.0
// Weights in blocks: the same bytes as oneDNN's reorder makes, back again, flipped, and padded; layouts that are not
// ours refused.
#include "engine/kernels/convolution/weight_layout.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <numeric>
#include <vector>

#include "engine/kernels/onednn/dnnl_support.h"

namespace engine::cpu {
namespace {

using Tag = dnnl::memory::format_tag;
using Descriptor = dnnl::memory::desc;
constexpr auto kF32 = dnnl::memory::data_type::f32;

struct Case {
  Tag tag;
  dnnl::memory::dims extents;
  bool ours;
};

const Case kCases[] = {{Tag::OIhw16i16o, {32, 48, 3, 3}, true},  {Tag::OIhw16o16i, {32, 48, 3, 3}, true},
                       {Tag::OIhw16o16i, {32, 48, 1, 1}, true},  {Tag::OIhw16i16o, {32, 16, 1, 2}, true},
                       {Tag::OIhw16o16i, {16, 32, 2, 1}, true},  {Tag::Ohwi32o, {128, 5, 2, 3}, true},
                       {Tag::Ohwi32o, {80, 7, 3, 3}, true},  // half a block is padding
                       {Tag::Oihw16o, {16, 3, 7, 7}, true},      {Tag::OIdhw16i16o, {16, 16, 2, 3, 1}, true},
                       {Tag::OIhw16i16o, {20, 16, 3, 3}, false}, {Tag::OIhw16o16i, {16, 3, 3, 3}, false},
                       {Tag::oihw, {16, 16, 3, 3}, false}};

TEST(DnnlNames, SlowLoopsAreKnownByTheirNames) {
  for (const char* slow : {"ref:any", "ref", "gemm:ref", "ref_int8:any"}) EXPECT_TRUE(is_plain_loop(slow)) << slow;
  for (const char* fast :
       {"jit:avx2", "brgconv:avx512_core", "gemm:jit", "gemm:acl", "brgemm:avx512_core_bf16", "jit_1x1:avx512_core"})
    EXPECT_EQ(is_plain_loop(fast), false) << fast;
}

int64_t count(const dnnl::memory::dims& extents) {
  return std::accumulate(extents.begin(), extents.end(), int64_t{1}, std::multiplies<>());
}

Tag plain_tag(const Case& c) { return c.extents.size() == 5 ? Tag::oidhw : Tag::oihw; }

int64_t kernel_of(const Case& c) { return count(c.extents) / (c.extents[0] * c.extents[1]); }

std::vector<float> numbered(int64_t n) {
  std::vector<float> values(static_cast<size_t>(n));
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

/// What oneDNN makes of `plain`.
std::vector<float> reordered(const Descriptor& from, std::vector<float> plain, const Descriptor& to) {
  const dnnl::engine device(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(device);
  std::vector<float> result(to.get_size() / sizeof(float));
  dnnl::memory source(from, device, plain.data()), target(to, device, result.data());
  dnnl::reorder(source, target).execute(stream, source, target);
  stream.wait();
  return result;
}

TEST(WeightLayout, PacksAsOneDnnDoesAndBackAgain) {
  for (const Case& c : kCases) {
    const Descriptor plain(c.extents, kF32, plain_tag(c)), blocked(c.extents, kF32, c.tag);
    SCOPED_TRACE(testing::Message() << static_cast<int>(c.tag) << " " << c.extents[0] << "x" << c.extents[1] << "x"
                                    << kernel_of(c));
    const auto layout = WeightLayout::of(blocked, {.o_stride = c.extents[1] * kernel_of(c), .i_stride = kernel_of(c)});
    EXPECT_EQ(layout.has_value(), c.ours);
    if (!layout) continue;
    const std::vector<float> weights = numbered(count(c.extents)), wanted = reordered(plain, weights, blocked);
    for (const int threads : {1, 3}) {
      std::vector<float> packed(wanted.size(), -1.0f), back(weights.size(), -1.0f);
      layout->pack(weights.data(), packed.data(), threads);
      EXPECT_EQ(packed, wanted);
      layout->unpack(packed.data(), back.data(), threads);
      EXPECT_EQ(back, weights);
    }
  }
}

/// The transposed convolution reads [C, O] with the kernel's positions from the last to the first.
TEST(WeightLayout, SwapsAndFlips) {
  const int64_t outputs = 32, inputs = 16;
  for (const int64_t side : {1, 2, 3}) {
    const int64_t kernel = side * side;
    const std::vector<float> weights = numbered(outputs * inputs * kernel);
    std::vector<float> turned(weights.size());
    for (int64_t o = 0; o < outputs; ++o) {
      for (int64_t i = 0; i < inputs; ++i) {
        for (int64_t k = 0; k < kernel; ++k) {
          turned[static_cast<size_t>((i * outputs + o) * kernel + kernel - 1 - k)] =
              weights[static_cast<size_t>((o * inputs + i) * kernel + k)];
        }
      }
    }
    const dnnl::memory::dims extents{inputs, outputs, side, side};
    for (const Tag tag : {Tag::OIhw16i16o, Tag::OIhw16o16i, Tag::Ohwi32o}) {
      const Descriptor blocked(extents, kF32, tag);
      const auto layout = WeightLayout::of(blocked, {.o_stride = kernel, .i_stride = inputs * kernel, .flipped = true});
      ASSERT_TRUE(layout.has_value());
      const std::vector<float> wanted = reordered(Descriptor(extents, kF32, Tag::oihw), turned, blocked);
      std::vector<float> packed(wanted.size(), -1.0f);
      layout->pack(weights.data(), packed.data(), 2);
      EXPECT_EQ(packed, wanted) << side;
    }
  }
}

TEST(WeightLayout, AgreesOnEveryVectorUnit) {
  const dnnl::memory::dims extents{48, 32, 3, 3};
  const Descriptor blocked(extents, kF32, Tag::OIhw16i16o);
  const auto layout = WeightLayout::of(blocked, {.o_stride = 32 * 9, .i_stride = 9});
  ASSERT_TRUE(layout.has_value());
  const std::vector<float> weights = numbered(count(extents)),
                           wanted = reordered(Descriptor(extents, kF32, Tag::oihw), weights, blocked);
  for (int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
    const int64_t target = rest & -rest;
    hwy::DisableTargets(~target);
    std::vector<float> packed(wanted.size()), back(weights.size());
    layout->pack(weights.data(), packed.data(), 1);
    layout->unpack(packed.data(), back.data(), 1);
    EXPECT_EQ(packed, wanted) << hwy::TargetName(target);
    EXPECT_EQ(back, weights) << hwy::TargetName(target);
  }
  hwy::DisableTargets(0);
}

}  // namespace
}  // namespace engine::cpu
