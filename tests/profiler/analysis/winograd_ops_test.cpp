// SPDX-License-Identifier: Apache-2.0
// Ops by Winograd's minimal filtering are told by their kernels' facts, and only they.
#include "profiler/analysis/winograd_ops.h"

#include <gtest/gtest.h>

#include "profiler/analysis/verdict/limits.h"
#include "tests/support/op_lab.h"

namespace profiler {
namespace {

std::shared_ptr<const Capture> with_kernels(std::initializer_list<const char*> kernels) {
  tests::OpLab lab;  // direct sums: 2 * 9 * 8 * (16 * 4 * 4) = 36,864 FLOPs each
  for (const char* kernel : kernels) {
    const auto x = lab.tensor(8 * 4 * 4 * 4, {.shape = {1, 8, 4, 4}}),
               w = lab.tensor(16 * 8 * 9 * 4, {.shape = {16, 8, 3, 3}}),
               y = lab.tensor(16 * 4 * 4 * 4, {.shape = {1, 16, 4, 4}});
    lab.op("conv2d", {x, w}, {y}, 9216, 1e6, 0, "net", kernel);
  }
  return lab.finish();
}

TEST(WinogradOps, AreCountedByTile) {
  const auto capture = with_kernels({"oneDNN jit:avx512_core",
                                     "oneDNN jit_wino_4x3:avx512_core by Winograd's F(4x4, 3x3) image by image",
                                     "oneDNN jit_wino_2x3:avx512_core by Winograd's F(2x2, 3x3)",
                                     "oneDNN jit_wino_4x3:avx512_core by Winograd's F(4x4, 3x3)"});
  const WinogradOps ops = winograd_ops(*capture);
  EXPECT_EQ(ops.of_2, 1u);
  EXPECT_EQ(ops.of_4, 2u);
  EXPECT_EQ(winograd_words(ops),
            "3 ops ran by Winograd's minimal filtering: 2 by F(4x4, 3x3), 1 by F(2x2, 3x3); they compute 27.6 kFLOP, "
            "direct sums 111 kFLOP");
}

TEST(WinogradOps, DirectSumsAreNamedWithTheTimeThatThePeakAllowsThem) {
  const auto analyzed = analyze(with_kernels(
      {"oneDNN jit_wino_4x3:avx512_core by Winograd's F(4x4, 3x3)", "own conv", "own by Winograd's F(4x4, 3x3)"}));
  WinogradOps ops = winograd_ops(*analyzed);
  EXPECT_EQ(ops.time_ns, 2e6);
  const double peak = op_limits(*analyzed->capture, analyzed->model, analyzed->capture->ops()[0]).peak_flop_per_s;
  ASSERT_GT(peak, 0);
  EXPECT_DOUBLE_EQ(ops.direct_roof_ns, 2 * 36864 / peak * 1e9);
  const std::string words =
      "2 ops ran by Winograd's minimal filtering F(4x4, 3x3); they compute 18.4 kFLOP, direct sums 73.7 kFLOP";
  EXPECT_EQ(winograd_words(ops), words) << "what a peak allows is no time of a kernel";
  ops.direct_roof_ns = 3e6;
  EXPECT_EQ(winograd_words(ops),
            words + ". They took 2.00 ms; direct sums take at least 3.00 ms at the measured peak.");
  ops.of_4 = 1;
  EXPECT_NE(winograd_words(ops).find(". It took 2.00 ms; direct sums"), std::string::npos);
}

TEST(WinogradOps, NothingIsSaidWhereThereAreNone) {
  EXPECT_EQ(winograd_words(winograd_ops(*with_kernels({"oneDNN jit:avx512_core", "own relu"}))), "");
  EXPECT_EQ(winograd_words(winograd_ops(*with_kernels({"oneDNN by Winograd's F(2x2, 3x3)"}))),
            "1 op ran by Winograd's minimal filtering F(2x2, 3x3); it computes 9.22 kFLOP, direct sums 36.9 kFLOP");
}

TEST(WinogradOps, DirectSumsAreNotGuessedWhereShapesAreMissing) {
  tests::OpLab lab;
  lab.op("conv2d", {lab.tensor(64), lab.tensor(64)}, {lab.tensor(64)}, 1, 1e6, 0, "net",
         "oneDNN by Winograd's F(2x2, 3x3)");
  EXPECT_EQ(winograd_words(winograd_ops(*lab.finish())), "1 op ran by Winograd's minimal filtering F(2x2, 3x3)");
}

}  // namespace
}  // namespace profiler
