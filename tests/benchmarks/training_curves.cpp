// SPDX-License-Identifier: Apache-2.0
// Loss curves of FCN-R on drawn digits in every precision, with their spread over seeds: a table, and the curves as CSV.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <numeric>

#include "benchmarks.h"
#include "tests/support/digit_training.h"

namespace benchmarks {
namespace {

constexpr int kSteps = 400, kSeeds = 5, kWindow = 20;
constexpr int64_t kHidden[] = {2048, 4096, 1024};  // FCN-R: engine/workloads/mlp.cpp

struct Spread {
  double low, middle, high;
};

Spread spread(std::vector<double> values) { return {std::ranges::min(values), median(values), std::ranges::max(values)}; }

std::string shown(const Spread& s, int digits) { return fmt::format("{:.{}f} ({:.{}f} to {:.{}f})", s.middle, digits, s.low, digits, s.high, digits); }

/// Mean loss of the window that ends at each multiple of kWindow, over the seeds.
std::vector<Spread> windows(const std::vector<test::DigitCurve>& curves) {
  std::vector<Spread> result;
  for (int end = kWindow; end <= kSteps; end += kWindow) {
    std::vector<double> means;
    for (const test::DigitCurve& curve : curves) {
      means.push_back(std::accumulate(curve.losses.begin() + end - kWindow, curve.losses.begin() + end, 0.0) / kWindow);
    }
    result.push_back(spread(std::move(means)));
  }
  return result;
}

void print_head() {
  fmt::print("784-2048-4096-1024-10 (FCN-R's layers, with ReLU), batch 64 of new digits per step, SGD 0.05 with momentum 0.9, {} seeds.\n", kSeeds);
  fmt::print("16-bit training keeps f32 weights; scaled: dynamic loss scaling; small loss: its weight is 1e-6, undone in the learning rate;\n");
  fmt::print("i8 weights: rounded to 8 bits at every step, f32 weights updated; i8 after f32: trained in f32, evaluated as quantised at each step.\n");
  fmt::print("Mean loss of {} steps on digits not seen before: median over seeds (lowest to highest). Measured.\n\n", kWindow);
  fmt::print("{:<28}", "steps");
  for (int end = kWindow; end <= kSteps; end *= end == kWindow ? 5 : 2) fmt::print("{:>24}", fmt::format("{} to {}", end - kWindow, end));
  fmt::print("{:>28}\n", fmt::format("accuracy, last {} steps", kSteps / 4));
}

void print_row(std::string_view name, const std::vector<test::DigitCurve>& curves) {
  fmt::print("{:<28}", name);
  const std::vector<Spread> means = windows(curves);
  for (int end = kWindow; end <= kSteps; end *= end == kWindow ? 5 : 2) fmt::print("{:>24}", shown(means[static_cast<size_t>(end / kWindow - 1)], 3));
  std::vector<double> accuracies;
  for (const test::DigitCurve& curve : curves) accuracies.push_back(100 * curve.accuracy);
  fmt::print("{:>28}\n", shown(spread(std::move(accuracies)), 1) + " %");
  std::fflush(stdout);
}

}  // namespace

int training_curves(std::span<const std::string> arguments) {
  if (arguments.size() > 1) {
    fmt::print(stderr, "training_curves takes one argument, the CSV file to write, or none\n");
    return 2;
  }
  std::string csv = "x_label,y_label,series,x,low,median,high\n";
  print_head();
  for (const test::DigitRecipe& recipe : test::digit_recipes()) {
    std::vector<test::DigitCurve> curves;
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      auto curve = test::train_on_digits(recipe, kHidden, seed, kSteps, 0);
      if (!curve) {
        fmt::print(stderr, "{}: {}\n", recipe.name, curve.error().message);
        return 3;
      }
      curves.push_back(*std::move(curve));
    }
    print_row(recipe.name, curves);
    const std::vector<Spread> means = windows(curves);
    for (size_t i = 0; i < means.size(); ++i) {
      csv += fmt::format("steps,\"mean loss, measured\",\"{}\",{},{:.5g},{:.5g},{:.5g}\n", recipe.name, (i + 1) * kWindow, means[i].low, means[i].middle, means[i].high);
    }
  }
  return arguments.empty() ? 0 : write_text(arguments[0], csv);
}

}  // namespace benchmarks
