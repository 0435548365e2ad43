// SPDX-License-Identifier: Apache-2.0
// Whether two runs put out the same: bit for bit by checksum, else the distance of the values that both kept.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/display_text.h"
#include "profiler/base/say.h"
#include "profiler/base/words.h"
#include "profiler/capture/results.h"
#include "profiler/compare/comparison.h"

namespace profiler {
namespace {

using Kind = ResultsCompared::Kind;
using Pair = std::pair<const ResultRecord*, const ResultRecord*>;

const engine::Shape* shape_of(const Capture& c, const ResultRecord& r) {
  return r.tensor == kNoTensor ? nullptr : &c.tensors()[r.tensor].shape;
}

bool alike(const Capture& a, const ResultRecord& x, const Capture& b, const ResultRecord& y) {
  if ((x.tensor == kNoTensor) != (y.tensor == kNoTensor) || x.elements != y.elements) return false;
  return x.tensor == kNoTensor || *shape_of(a, x) == *shape_of(b, y);
}

/// Results of one name, then those left over in their order, where shapes agree. Empty: some have no partner.
std::vector<Pair> pairs_of(const Capture& a, const Capture& b) {
  std::vector<Pair> pairs;
  std::vector<const ResultRecord*> left, others;
  for (const ResultRecord& y : step_results(b)) others.push_back(&y);
  for (const ResultRecord& x : step_results(a)) {
    const auto same = std::ranges::find_if(
        others, [&](const ResultRecord* y) { return alike(a, x, b, *y) && result_name(a, x) == result_name(b, *y); });
    if (same == others.end()) {
      left.push_back(&x);
      continue;
    }
    pairs.emplace_back(&x, *same);
    others.erase(same);
  }
  if (left.size() != others.size()) return {};
  for (size_t i = 0; i < left.size(); ++i) {
    if (!alike(a, *left[i], b, *others[i])) return {};
    pairs.emplace_back(left[i], others[i]);
  }
  return pairs;
}

std::string argument(const RunInfo& run, const char* key) {
  const auto found = run.arguments.find(key);
  return found == run.arguments.end() ? std::string() : found->second;
}

/// Why results mean nothing beside each other; empty: they can be compared.
std::string refusal(const Capture& a, const Capture& b) {
  for (const auto& [capture, side] : {std::pair(&a, "before"), std::pair(&b, "after")}) {
    if (!capture->run().source.empty()) return say("an imported trace holds no results");
    if (!capture->computed()) return say("the run {} computed nothing", side);
    if (step_results(*capture).empty())
      return say("the capture {} holds no results: it is older, or its graph marks no output", side);
  }
  if (a.run().seed != b.run().seed) return say("the runs have different seeds ({} and {})", a.run().seed, b.run().seed);
  // A saved graph has its batch in its shapes alone.
  if (const std::string x = argument(a.run(), "batch"), y = argument(b.run(), "batch");
      !x.empty() && !y.empty() && x != y)
    return say("the batches differ ({} and {})", x, y);
  const uint32_t x = step_results(a).front().step, y = step_results(b).front().step;
  if (x != y && !(steps_repeat(a) && steps_repeat(b)))
    return say("they were read after different steps ({} and {}), and each step changes them", x + 1, y + 1);
  return {};
}

/// Half the spacing of values at 1; 0: integers are exact.
double rounding_of(engine::DType dtype) {
  switch (dtype) {
    case engine::DType::float64: return 0x1p-53;
    case engine::DType::float32: return 0x1p-24;
    case engine::DType::float16: return 0x1p-11;
    case engine::DType::bfloat16: return 0x1p-8;
    default: return 0;
  }
}

struct Apart {
  double distance = 0, before = 0, after = 0;
  int64_t values = 0;
};

/// Over places that both sides kept.
Apart apart(const ResultRecord& x, const ResultRecord& y) {
  Apart found;
  double largest = 0, difference = 0;
  std::map<int64_t, int64_t> places;
  for (int64_t i = 0; i < kept_count(y); ++i) places[kept_place(y, i)] = i;
  for (int64_t i = 0; i < kept_count(x); ++i) {
    const auto other = places.find(kept_place(x, i));
    if (other == places.end()) continue;
    const double a = kept_value(x, i), b = kept_value(y, other->second);
    ++found.values;
    if (std::isfinite(a)) largest = std::max(largest, std::abs(a));
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    const double off = std::isfinite(a) && std::isfinite(b) ? std::abs(a - b) : std::numeric_limits<double>::infinity();
    if (off <= difference) continue;
    difference = off;
    found.before = a;
    found.after = b;
  }
  if (difference > 0) found.distance = largest > 0 ? difference / largest : std::numeric_limits<double>::infinity();
  return found;
}

/// What lies between the kept places shows in what all elements told: how many are not finite, the least and the most.
void widen(Apart& found, const ResultRecord& x, const ResultRecord& y) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  if (x.not_finite != y.not_finite) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    found.distance = kInfinite;
    if (found.before == found.after)
      found.before = x.not_finite > y.not_finite ? none : x.most,
      found.after = x.not_finite > y.not_finite ? y.most : none;
    return;
  }
  const double largest = std::max(std::abs(x.least), std::abs(x.most));
  for (const auto& [a, b] : {std::pair(x.least, y.least), std::pair(x.most, y.most)}) {
    const double off = a == b ? 0 : std::abs(a - b) / largest;
    if (!(off > found.distance)) continue;  // NaN: no element is finite on either side
    found.distance = off, found.before = a, found.after = b;
  }
}

std::string percent_or_power(double ratio) {
  return ratio >= 1e-3 ? format_quantity(ratio, Quantity::percent_of) : fmt::format("{:.1e}", ratio);
}

}  // namespace

ResultsCompared compare_results(const Capture& before, const Capture& after) {
  ResultsCompared compared;
  compared.why = refusal(before, after);
  if (!compared.why.empty()) return compared;
  const std::vector<Pair> pairs = pairs_of(before, after);
  if (pairs.empty()) {
    compared.why = say("the runs put out different tensors");
    return compared;
  }
  compared.results = pairs.size();
  compared.step = pairs.front().first->step;
  for (const auto& [x, y] : pairs) {
    if (x->dtype == y->dtype && x->checksum == y->checksum) {
      ++compared.identical;
      continue;
    }
    Apart found = apart(*x, *y);
    if (found.values < x->elements) widen(found, *x, *y);
    if (!compared.worst.empty() && found.distance <= compared.distance) continue;
    compared.worst = result_name(before, *x);
    compared.distance = found.distance;
    compared.worst_before = found.before;
    compared.worst_after = found.after;
    compared.values = found.values;
    compared.of_values = x->elements;
    const bool first = rounding_of(x->dtype) >= rounding_of(y->dtype);
    const engine::DType coarser = first ? x->dtype : y->dtype;
    compared.rounding = x->tensor == kNoTensor ? 0 : rounding_of(coarser);
    compared.rounding_of = engine::name(coarser);
  }
  compared.kind = compared.identical == compared.results ? Kind::identical : Kind::apart;
  return compared;
}

std::string results_headline(const ResultsCompared& r) {
  if (r.kind == Kind::identical) return say("same results");
  if (r.kind == Kind::unknown) return {};
  if (std::isinf(r.distance)) return say("results differ");
  return r.distance > 0 ? say("results differ by {}", percent_or_power(r.distance)) : say("results differ in bits");
}

std::string results_words(const ResultsCompared& r) {
  if (r.kind == Kind::unknown) return say("They cannot be compared: {}.", r.why);
  if (r.kind == Kind::identical) {
    return say("Same results: {} after step {} {} equal bit for bit.", counted(r.results, "output", "outputs"),
               r.step + 1, r.results == 1 ? say("is") : say("are"));
  }
  const std::string name = engine::display_line(r.worst);
  std::string text =
      r.identical > 0 ? say("{} of {} outputs are equal bit for bit. ", r.identical, r.results) : std::string();
  const std::string over =
      r.values == r.of_values ? std::string() : say(" Compared were {} of its {} values.", r.values, r.of_values);
  if (std::isinf(r.distance))
    return text + say("{} differs: {:g} before, {:g} after.{}", name, r.worst_before, r.worst_after, over);
  if (r.distance == 0) {
    return text + say("{} differs in some bits, but not in the compared values{}.{}", name,
                      over.empty() ? "" : say(", nor in its range"), over);
  }
  text += say("{} differs by up to {} of its largest value ({:.9g} before, {:.9g} after).", name,
              percent_or_power(r.distance), r.worst_before, r.worst_after);
  if (r.rounding > 0) text += say(" That is {:.2g} roundings of {}.", r.distance / r.rounding, r.rounding_of);
  return text + over;
}

}  // namespace profiler
