// SPDX-License-Identifier: Apache-2.0
// The time model of GPUs against 160 products measured on each of eight. Source: baidu-research/DeepBench, commit
// da81ba7 (Apache-2.0), results/train/DeepBench_NV_*.xlsx, f32; how the rows were taken over: tests/data/README.md. The
// model's constants were chosen on every other row (Half::fitted) alone.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tests/profiler/predict/deepbench.h"

namespace profiler {
namespace {

constexpr size_t kP100 = 5, kV100 = 6;

TEST(DeepBench, TheRowsAreThere) {
  const auto rows = deepbench_rows("gemm");
  for (size_t g = 0; g < kDeepBenchGpus; ++g)
    EXPECT_EQ(std::ranges::count_if(rows, [&](const DeepBenchRow& r) { return r.measured_ms[g] > 0; }), 160)
        << kDeepBenchKeys[g];
}

// What an independent program found for the same rows (design note): 42.3 % and 31.7 % over all, V100 30.6 % and 14.1
// %. It took the P100's base clock for its boost clock.
TEST(DeepBench, RoofsAloneMissProductsAsTheyDidElsewhere) {
  const auto rows = deepbench_rows("gemm");
  const ModelFit r0 = fit_of(rows, product_r0, Half::both, false), r1 = fit_of(rows, product_r1, Half::both, false);
  EXPECT_NEAR(r0.all, 0.423, 0.01);
  EXPECT_NEAR(r1.all, 0.317, 0.01);
  EXPECT_NEAR(r0.mape[kV100], 0.306, 0.003);
  EXPECT_NEAR(r1.mape[kV100], 0.141, 0.003);
}

TEST(DeepBench, ProductsWithoutAFactor) {
  const auto rows = deepbench_rows("gemm");
  for (const Half half : {Half::tested, Half::both}) {
    const ModelFit fit = fit_of(rows, product_model, half, false);
    EXPECT_LE(fit.all, 0.28) << "what a simpler model of tiles reached: 31.4 %";
    EXPECT_LE(fit.mape[kV100], 0.12);
    EXPECT_LE(fit.mape[kP100], 0.18);
  }
}

TEST(DeepBench, ProductsWithOneFactorPerGpuFromTheOtherHalf) {
  const ModelFit fit = fit_of(deepbench_rows("gemm"), product_model, Half::tested, true);
  EXPECT_LE(fit.all, 0.22);
  EXPECT_LE(fit.mape[kV100], 0.09);
  EXPECT_GE(fit.within_two, 0.92);
}

TEST(DeepBench, Convolutions) {
  const auto rows = deepbench_rows("conv_forward");
  EXPECT_LE(fit_of(rows, convolution_model, Half::tested, false).all, 0.25);
  const ModelFit fit = fit_of(rows, convolution_model, Half::tested, true);
  EXPECT_LE(fit.all, 0.25);
  EXPECT_GE(fit.within_two, 0.95);
}

TEST(DeepBench, GradientsOfConvolutions) {
  EXPECT_LE(fit_of(deepbench_rows("conv_input_gradient"), convolution_model, Half::tested, true).all, 0.40);
  EXPECT_LE(fit_of(deepbench_rows("conv_weight_gradient"), convolution_model, Half::tested, true).all, 0.30);
}

TEST(DeepBench, LstmLayers) {
  const auto rows = deepbench_rows("lstm_forward");
  EXPECT_LE(fit_of(rows, lstm_model, Half::tested, false).all, 0.30);
  const ModelFit fit = fit_of(rows, lstm_model, Half::tested, true);
  EXPECT_LE(fit.all, 0.30);
  EXPECT_GE(fit.within_two, 0.95);
}

/// The larger of both halves, in whole percent upwards; NaN where nothing was measured.
std::array<double, kDeepBenchGpus + 1> stated_errors(const std::string& op, const RowModel& model) {
  const auto rows = deepbench_rows(op);
  const ModelFit a = fit_of(rows, model, Half::fitted, false), b = fit_of(rows, model, Half::tested, false);
  std::array<double, kDeepBenchGpus + 1> errors{};
  for (size_t g = 0; g < kDeepBenchGpus; ++g) errors[g] = std::ceil(100 * std::max(a.mape[g], b.mape[g])) / 100;
  errors.back() = std::ceil(100 * std::max(a.all, b.all)) / 100;
  return errors;
}

TEST(DeepBench, StatedErrorsAreThoseFound) {
  const auto products = stated_errors("gemm", product_model),
             convolutions = stated_errors("conv_forward", convolution_model),
             lstm = stated_errors("lstm_forward", lstm_model);
  const auto inputs = stated_errors("conv_input_gradient", convolution_model),
             weights = stated_errors("conv_weight_gradient", convolution_model);
  for (size_t g = 0; g <= kDeepBenchGpus; ++g) {
    const bool one = g < kDeepBenchGpus;
    const ModelledGpu gpu = *modelled_gpu(one ? kDeepBenchKeys[g] : "gtx-1080");
    EXPECT_EQ(gpu.errors.checked, one) << gpu.key;
    EXPECT_DOUBLE_EQ(gpu.errors.product, products[g]) << gpu.key;
    EXPECT_DOUBLE_EQ(gpu.errors.convolution, convolutions[g]) << gpu.key;
    EXPECT_DOUBLE_EQ(gpu.errors.gradient, std::max(inputs[g], weights[g])) << gpu.key;
    EXPECT_DOUBLE_EQ(gpu.errors.recurrent, std::isnan(lstm[g]) ? lstm.back() : lstm[g]) << gpu.key;
  }
}

/// One line of percentages.
std::string line_of(const std::string& what, const ModelFit& fit) {
  std::string line = fmt::format("| {} |", what);
  for (const double e : fit.mape) line += std::isnan(e) ? std::string(" – |") : fmt::format(" {:.0f} |", 100 * e);
  return line + fmt::format(" **{:.1f}** ({:.0f}) | {:.0f} |\n", 100 * fit.all, 100 * fit.median, 100 * fit.within_two);
}

std::string figures() {
  std::string text =
      "# Modelled GPUs beside measured layers\n\nMean absolute error of modelled times in percent (in parentheses: "
      "median), f32, against DeepBench's measured\n"
      "layer times. Written by the test DeepBench.FiguresAreCurrent, which fails when they are not those of the model "
      "(set TENSORTIDE_WRITE_FIGURES=1 to\n"
      "write them anew). Constants were chosen on every other row (but one: see modelled_networks.md); *tested* are "
      "the rows in between. *one factor*: modelled times times the\n"
      "median of measured / modelled of the GPU's fitted rows.\n\n| |";
  for (const char* key : kDeepBenchKeys) text += fmt::format(" {} |", modelled_gpu(key)->name);
  text += " all (median) | within 2x |\n|";
  for (size_t i = 0; i < kDeepBenchGpus + 3; ++i) text += "---|";
  text += "\n";
  const auto gemm = deepbench_rows("gemm");
  text += line_of("products: data sheet's roofs (R0)", fit_of(gemm, product_r0, Half::both, false));
  text += line_of("products: 85 % and 80 % of the roofs + 6 µs (R1)", fit_of(gemm, product_r1, Half::both, false));
  text += line_of("products: the model, all rows", fit_of(gemm, product_model, Half::both, false));
  text += line_of("products: the model, tested", fit_of(gemm, product_model, Half::tested, false));
  text += line_of("products: one factor, tested", fit_of(gemm, product_model, Half::tested, true));
  for (const auto& [op, what] : {std::pair("conv_forward", "convolutions"),
                                 {"conv_input_gradient", "gradients of their inputs"},
                                 {"conv_weight_gradient", "gradients of their weights"}}) {
    const auto rows = deepbench_rows(op);
    text += line_of(fmt::format("{}: the model, all rows", what), fit_of(rows, convolution_model, Half::both, false));
    text += line_of(fmt::format("{}: the model, tested", what), fit_of(rows, convolution_model, Half::tested, false));
    text += line_of(fmt::format("{}: one factor, tested", what), fit_of(rows, convolution_model, Half::tested, true));
  }
  const auto lstm = deepbench_rows("lstm_forward");
  text += line_of("LSTM: the model, all rows", fit_of(lstm, lstm_model, Half::both, false));
  text += line_of("LSTM: the model, tested", fit_of(lstm, lstm_model, Half::tested, false));
  text += line_of("LSTM: one factor, tested", fit_of(lstm, lstm_model, Half::tested, true));
  return text;
}

TEST(DeepBench, FiguresAreCurrent) {
  const std::string path = std::string(TENSORTIDE_SOURCE_DIR) + "/tests/acceptance/results/modelled_gpus.md",
                    text = figures();
  if (std::getenv("TENSORTIDE_WRITE_FIGURES") != nullptr) std::ofstream(path) << text;
  std::ifstream file(path);
  const std::string committed{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(committed, text);
}

}  // namespace
}  // namespace profiler
