// SPDX-License-Identifier: Apache-2.0
// The picture of page 1 of a capture: every timed step, and what a step is made of.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "profiler/analysis/step_shares.h"
#include "profiler/analysis/verdict/verdict_text.h"
#include "profiler/base/words.h"
#include "profiler/capture/accelerator.h"
#include "profiler/capture/timed_steps.h"
#include "profiler/report/words.h"

namespace profiler {
namespace {

constexpr size_t kMostSteps = 2000;  // dots of a strip

struct TypeTime {
  double ns = 0;
  size_t ops = 0;
  std::array<double, kBoundCount> by_bound{};
  std::map<std::string, double> by_words;
};

ReportBars::Bar bar_of(const std::string& type, const TypeTime& t, double share) {
  const auto most = std::ranges::max_element(t.by_bound);
  const auto words = std::ranges::max_element(t.by_words, {}, [](const auto& entry) { return entry.second; });
  ReportBars::Bar bar{.label = type, .value = t.ns};
  bar.bound = static_cast<Bound>(most - t.by_bound.begin());
  bar.shown = fmt::format("{}, {}", format_quantity(t.ns, Quantity::duration_ns),
                          format_quantity(t.ns * share, Quantity::percent_of));
  bar.detail = fmt::format("{}: {}, {} in a step", type, bar.shown, counted(t.ops, "op"));
  if (words != t.by_words.end() && bar.bound != Bound::unknown) bar.detail += fmt::format("; mostly {}", words->first);
  return bar;
}

/// All of them; of more than a strip has room for, every n-th, the shortest and the longest.
std::vector<ReportBars::Step> drawn_steps(const std::vector<double>& ns) {
  const size_t stride = (ns.size() + kMostSteps - 1) / kMostSteps;
  const auto [shortest, longest] = std::ranges::minmax_element(ns);
  std::vector<ReportBars::Step> steps;
  for (size_t i = 0; i < ns.size(); ++i) {
    const auto at = ns.begin() + static_cast<std::ptrdiff_t>(i);
    if (i % stride == 0 || at == shortest || at == longest) steps.push_back({i + 1, ns[i]});
  }
  return steps;
}

}  // namespace

ReportBars capture_bars(const Analyzed& analyzed) {
  const Capture& capture = *analyzed.capture;
  std::map<std::string, TypeTime> types;
  for (const OpRecord& op : capture.ops()) {
    const double t = time_of(analyzed, op.id);
    if (op.view || !(t > 0)) continue;
    TypeTime& type = types[std::string(capture.name(op.type))];
    const Verdict& v = analyzed.verdicts[op.id];
    type.ns += t;
    ++type.ops;
    type.by_bound[static_cast<size_t>(v.bound)] += t;
    type.by_words[class_text(v)] += t;
  }
  ReportBars bars{.title = "Where the time of a step goes",
                  .help = fmt::format("Medians of the ops, summed by type; {}.", name(capture.time_origin())),
                  .judged = true};
  const double share = share_per_ns(analyzed);
  for (const auto& [type, t] : types) bars.bars.push_back(bar_of(type, t, share));
  std::ranges::stable_sort(bars.bars, std::greater<>(), &ReportBars::Bar::value);
  const double step = median_step_ns(capture), outside = untimed_ratio(capture);
  if (!bars.bars.empty() && outside * step > 0) {
    ReportBars::Bar bar{.label = capture.device().is_gpu ? fmt::format("{} idle", accelerator_noun(capture))
                                                         : std::string("outside all ops"),
                        .value = outside * step};
    bar.bound = Bound::waiting;
    bar.shown = fmt::format("{}, {}", format_quantity(bar.value, Quantity::duration_ns),
                            format_quantity(outside, Quantity::percent_of));
    bar.detail = fmt::format("{}: {}", bar.label, bar.shown);
    const auto place = std::ranges::find_if(bars.bars, [&](const auto& other) { return other.value < bar.value; });
    bars.bars.insert(place, std::move(bar));
  }
  const std::vector<double> steps = timed_steps_ns(capture);
  const Spread s = spread(steps);
  bars.median = s.median, bars.low = s.low, bars.high = s.high;
  bars.steps = drawn_steps(steps);
  if (bars.steps.size() < steps.size())
    bars.help += fmt::format(" {} of {} steps are drawn.", bars.steps.size(), steps.size());
  return bars;
}

}  // namespace profiler
