// SPDX-License-Identifier: Apache-2.0
// Loss curves of FCN-R on drawn digits in every precision, with their spread over seeds: a table, and the curves as
// CSV.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <numeric>
#include <optional>

#include "benchmarks.h"
#include "tests/support/digit_training.h"

namespace benchmarks {
namespace {

constexpr int kSeeds = 5, kWindows = 20;

struct Options {
  std::string csv;  ///< "": none is written
  test::DigitNet net = test::fcn_r();
  int steps = 400;  ///< a multiple of kWindows
  int window() const { return steps / kWindows; }
};

/// Nothing when an argument is not understood.
std::optional<Options> parse(std::span<const std::string> arguments) {
  Options options;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--small") {
      options.net = {.hidden = {128, 64}};
    } else if (arguments[i] == "--steps" && i + 1 < arguments.size()) {
      const std::string& text = arguments[++i];
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), options.steps);
      if (error != std::errc() || end != text.data() + text.size() || options.steps < kWindows ||
          options.steps % kWindows != 0)
        return std::nullopt;
    } else if (options.csv.empty() && !arguments[i].starts_with("-")) {
      options.csv = arguments[i];
    } else {
      return std::nullopt;
    }
  }
  return options;
}

struct Spread {
  double low, middle, high;
};

Spread spread(std::vector<double> values) {
  return {std::ranges::min(values), median(values), std::ranges::max(values)};
}

std::string shown(const Spread& s, int digits) {
  return fmt::format("{:.{}f} ({:.{}f} to {:.{}f})", s.middle, digits, s.low, digits, s.high, digits);
}

/// The windows shown in the table, of all kWindows in the CSV, counted from 1.
constexpr int kShown[] = {1, 5, 10, 20};

/// Mean loss of each window of steps, over the seeds.
std::vector<Spread> windows(const std::vector<test::DigitCurve>& curves, int window) {
  std::vector<Spread> result;
  for (int end = window; end <= kWindows * window; end += window) {
    std::vector<double> means;
    for (const test::DigitCurve& curve : curves) {
      means.push_back(std::accumulate(curve.losses.begin() + end - window, curve.losses.begin() + end, 0.0) / window);
    }
    result.push_back(spread(std::move(means)));
  }
  return result;
}

void print_head(const Options& options) {
  const int window = options.window();
  fmt::print("784-{}-10 with {}, batch {} of new digits per step, SGD 0.05 with momentum 0.9, {} seeds.\n",
             fmt::join(options.net.hidden, "-"), options.net.sigmoid ? "sigmoid" : "ReLU", options.net.batch, kSeeds);
  fmt::print(
      "16-bit training keeps f32 weights; scaled: dynamic loss scaling; small loss: its weight is 1e-6, undone in the "
      "learning rate;\n");
  fmt::print(
      "i8 weights: rounded to 8 bits at every step, f32 weights updated; i8 after f32: trained in f32, evaluated as "
      "quantised at each step.\n");
  fmt::print("Mean loss of {} steps on digits not seen before: median over seeds (lowest to highest). Measured.\n\n",
             window);
  fmt::print("{:<28}", "steps");
  for (const int shown_window : kShown)
    fmt::print("{:>24}", fmt::format("{} to {}", (shown_window - 1) * window, shown_window * window));
  fmt::print("{:>28}\n", fmt::format("accuracy, last {} steps", options.steps / 4));
}

void print_row(std::string_view name, const std::vector<test::DigitCurve>& curves, const std::vector<Spread>& means) {
  fmt::print("{:<28}", name);
  for (const int window : kShown) fmt::print("{:>24}", shown(means[static_cast<size_t>(window - 1)], 3));
  std::vector<double> accuracies;
  for (const test::DigitCurve& curve : curves) accuracies.push_back(100 * curve.accuracy);
  fmt::print("{:>28}\n", shown(spread(std::move(accuracies)), 1) + " %");
  std::fflush(stdout);
}

}  // namespace

int training_curves(std::span<const std::string> arguments) {
  const std::optional<Options> options = parse(arguments);
  if (!options) {
    fmt::print(stderr,
               "training_curves takes a CSV file to write, --small (layers of 128 and 64, ReLU, batch 64), --steps and "
               "a multiple of {}\n",
               kWindows);
    return 2;
  }
  std::string csv = "x_label,y_label,series,x,low,median,high\n";
  print_head(*options);
  for (const test::DigitRecipe& recipe : test::digit_recipes()) {
    std::vector<test::DigitCurve> curves;
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      auto curve = test::train_on_digits(recipe, options->net, seed, options->steps, 0);
      if (!curve) {
        fmt::print(stderr, "{}: {}\n", recipe.name, curve.error().message);
        return 3;
      }
      curves.push_back(*std::move(curve));
    }
    const std::vector<Spread> means = windows(curves, options->window());
    print_row(recipe.name, curves, means);
    for (size_t i = 0; i < means.size(); ++i) {
      csv += fmt::format("steps,\"mean loss, measured\",\"{}\",{},{:.5g},{:.5g},{:.5g}\n", recipe.name,
                         (static_cast<int>(i) + 1) * options->window(), means[i].low, means[i].middle, means[i].high);
    }
  }
  return options->csv.empty() ? 0 : write_text(options->csv, csv);
}

}  // namespace benchmarks
