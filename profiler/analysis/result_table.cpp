// SPDX-License-Identifier: Apache-2.0
// One row per result, one sentence on the step they are of.
#include "profiler/analysis/result_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "profiler/base/say.h"
#include "profiler/capture/results.h"

namespace profiler {
namespace {

/// As text: a value has no unit, and nine digits tell two runs apart.
Cell known(double value) { return std::isnan(value) ? Cell() : Cell(fmt::format("{:.9g}", value)); }

std::string shape_words(const Capture& capture, const ResultRecord& r) {
  if (r.tensor == kNoTensor) return {};
  const std::vector<int64_t>& shape = capture.tensors()[r.tensor].shape;
  return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x"));
}

std::string first_values(const ResultRecord& r) {
  constexpr int64_t kShown = 4;
  std::vector<std::string> values;
  const int64_t count = std::min(kShown, kept_count(r));
  for (int64_t i = 0; i < count; ++i) values.push_back(fmt::format("{:.6g}", kept_value(r, i)));
  return fmt::format("{}{}", fmt::join(values, ", "), r.elements > count ? ", ..." : "");
}

}  // namespace

Table results_table(const Capture& capture) {
  Table table;
  table.name = "results";
  table.columns = {
      {"result", "Result", Quantity::text, Origin::exact, "An output of the graph; or all parameters, by name"},
      {"dtype", "Data type", Quantity::text, Origin::exact, "Of its elements"},
      {"shape", "Shape", Quantity::text, Origin::exact, "Extents"},
      {"step_count", "After step", Quantity::count, Origin::exact, "The step after which it was read; 1 is the first"},
      {"checksum", "Checksum", Quantity::text, Origin::exact, "XXH3-64 of its bytes in row-major order"},
      {"elements_count", "Elements", Quantity::count, Origin::exact, "Number of values"},
      {"not_finite_count", "Not finite", Quantity::count, Origin::exact, "Values that are not finite numbers"},
      {"least", "Least", Quantity::text, Origin::exact, "Smallest finite value"},
      {"most", "Largest", Quantity::text, Origin::exact, "Largest finite value"},
      {"mean", "Mean", Quantity::text, Origin::exact, "Mean of the finite values"},
      {"norm", "Norm", Quantity::text, Origin::exact, "Root of the sum of squares of the finite values"},
      {"values", "First values", Quantity::text, Origin::exact, "In row-major order"}};
  for (const ResultRecord& r : step_results(capture)) {
    const std::string shape = shape_words(capture, r);
    table.rows.push_back(
        {result_name(capture, r), r.tensor == kNoTensor ? Cell() : Cell(std::string(engine::name(r.dtype))),
         shape.empty() ? Cell() : Cell(shape), static_cast<double>(r.step) + 1, fmt::format("{:016x}", r.checksum),
         static_cast<double>(r.elements), static_cast<double>(r.not_finite), known(r.least), known(r.most),
         known(r.mean), known(r.norm), first_values(r)});
  }
  return table;
}

std::vector<std::string> results_sentences(const Capture& capture) {
  if (step_results(capture).empty()) return {};
  std::vector<std::string> sentences;
  if (steps_repeat(capture)) {
    sentences.emplace_back(say("No op changes what lives across steps: equal inputs give equal results in each step."));
  } else {
    sentences.emplace_back(say("Each step changes what later steps start from. Results are of the step in the table."));
  }
  const bool sampled = std::ranges::any_of(step_results(capture), [](const ResultRecord& r) { return !is_whole(r); });
  if (sampled) {
    sentences.push_back(say("Of a result above {} KiB, {} evenly spread values are kept. The checksum is of all.",
                            kWholeResultBytes / 1024, kKeptElements));
  }
  return sentences;
}

std::string no_results_words(const Capture& capture) {
  if (!step_results(capture).empty()) return {};
  if (!capture.run().source.empty()) return say("an imported trace holds no values.");
  if (!capture.computed()) return say("the null device computes nothing.");
  return say("the graph marks no output, or an older version recorded the run.");
}

}  // namespace profiler
