// SPDX-License-Identifier: Apache-2.0
// Loss curves of the digit perceptron in every precision, with their spread over seeds.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "benchmarks.h"
#include "tests/support/digit_training.h"

namespace benchmarks {
namespace {

constexpr int kSteps = 400, kSeeds = 5, kWindow = 40;

struct Spread {
  double low, middle, high;
};

Spread spread(std::vector<double> values) {
  return {std::ranges::min(values), median(values), std::ranges::max(values)};
}

}  // namespace

int training_curves() {
  fmt::print("784-128-64-10, batch 64 of new digits per step, SGD 0.05 with momentum 0.9, {} seeds.\n", kSeeds);
  fmt::print("Mean loss of {} steps: median over seeds (lowest to highest).\n\n{:<12}", kWindow, "steps");
  for (int end = kWindow; end <= kSteps; end += 2 * kWindow) fmt::print("{:>24}", fmt::format("{} to {}", end - kWindow, end));
  fmt::print("{:>24}\n", "accuracy, last quarter");
  for (const std::string_view precision : test::digit_precisions()) {
    std::vector<test::DigitCurve> curves;
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      auto curve = test::train_on_digits(precision, seed, kSteps, 0);
      if (!curve) {
        fmt::print(stderr, "{}\n", curve.error().message);
        return 3;
      }
      curves.push_back(*std::move(curve));
    }
    fmt::print("{:<12}", precision);
    for (int end = kWindow; end <= kSteps; end += 2 * kWindow) {
      std::vector<double> means;
      for (const test::DigitCurve& curve : curves) {
        means.push_back(std::accumulate(curve.losses.begin() + end - kWindow, curve.losses.begin() + end, 0.0) / kWindow);
      }
      const Spread s = spread(std::move(means));
      fmt::print("{:>24}", fmt::format("{:.3f} ({:.3f} to {:.3f})", s.middle, s.low, s.high));
    }
    std::vector<double> accuracies;
    for (const test::DigitCurve& curve : curves) accuracies.push_back(100 * curve.accuracy);
    const Spread s = spread(std::move(accuracies));
    fmt::print("{:>24}\n", fmt::format("{:.1f} % ({:.1f} to {:.1f})", s.middle, s.low, s.high));
  }
  return 0;
}

}  // namespace benchmarks
