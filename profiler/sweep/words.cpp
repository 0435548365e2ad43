// SPDX-License-Identifier: Apache-2.0
// What a sweep says, in sentences.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "profiler/analysis/verdict/verdict.h"
#include "profiler/analysis/verdict/verdict_text.h"
#include "profiler/base/origin.h"
#include "profiler/base/say.h"
#include "profiler/base/statistics.h"
#include "profiler/base/table.h"
#include "profiler/base/words.h"
#include "profiler/capture/noise.h"
#include "profiler/machine/roofs_trust.h"
#include "profiler/sweep/curve.h"
#include "profiler/sweep/losses.h"

namespace profiler {
namespace {

constexpr std::string_view kSimulatedBytes = "_simulated_bytes";

std::string with_label(const std::string& label, const std::string& sentence) {
  return label.empty() ? sentence : fmt::format("{}: {}", label, sentence);
}

std::string axis_name(const Sweep& sweep, const SweepSeries& series) { return sweep.request.axes[series.axis].name; }

/// Whether this is the name of a limit, and not a word for that none was found.
bool names_limit(const std::string& limit) {
  const InEnglish as_files_have_it;
  return !limit.empty() && limit != cause_words(Bound::unknown, {}) && limit != cause_words(Bound::inconsistent, {});
}

std::string sides(const SweepSeries& series) {
  if (!names_limit(series.limit_left) || !names_limit(series.limit_right)) return {};
  if (series.limit_left == series.limit_right) return say(" {} binds on both sides.", series.limit_left);
  return say(" Below it {} binds, above it {}.", series.limit_left, series.limit_right);
}

std::string duration(double ns) { return format_quantity(ns, Quantity::duration_ns); }

/// "2 noisy points are left out"; empty: none.
std::string left_out(const SweepSeries& series) {
  return series.noisy == 0   ? std::string()
         : series.noisy == 1 ? say("1 {} point is left out", doubt_word(1, series.queued))
                             : say("{} {} points are left out", series.noisy, doubt_word(series.noisy, series.queued));
}

/// Where a step does not do more along the axis: which value is the fastest, if the times differ by more than they
/// scatter. Noisy points say nothing.
std::string extremes_sentence(const Sweep& sweep, const SweepSeries& series) {
  const int least = sweep.request.least_samples;
  size_t fastest = SIZE_MAX, slowest = SIZE_MAX;
  const auto spread_at = [&](size_t i) { return sample_spread(sweep.points[series.points[i]], least); };
  for (size_t i = 0; i < series.points.size(); ++i) {
    const SweepPoint& point = sweep.points[series.points[i]];
    if (point.samples.empty() || is_disturbed(point, least)) continue;
    if (fastest == SIZE_MAX || spread_at(i).median < spread_at(fastest).median) fastest = i;
    if (slowest == SIZE_MAX || spread_at(i).median > spread_at(slowest).median) slowest = i;
  }
  const std::string axis = axis_name(sweep, series);
  if (series.noisy > 0 && (2 * series.noisy > series.measured || fastest == slowest)) {
    return say("no value of {} is called the fastest: {} of the {} points that ran {} {}.", axis, series.noisy,
               series.measured, series.noisy == 1 ? say("is") : say("are"), doubt_word(series.noisy, series.queued));
  }
  if (fastest == slowest) return {};
  const Spread low = spread_at(fastest), high = spread_at(slowest);
  const std::string rest = series.noisy > 0 ? fmt::format("; {}", left_out(series)) : std::string();
  if (!(high.low > low.high))
    return say("the steps differ by no more than they scatter ({} to {}): no value of {} is the fastest{}.",
               duration(low.low), duration(high.high), axis, rest);
  return say("the fastest step is at {} = {:g} ({}), the slowest at {} = {:g} ({}, {:.3g} times as long) (measured{}).",
             axis, series.x[fastest], duration(low.median), axis, series.x[slowest], duration(high.median),
             high.median / low.median, rest);
}

/// "a batch of up to 8 is almost as fast as one sample: ..."; empty: no batch of 1 was measured.
std::string almost_sentence(const SweepSeries& series) {
  if (!series.almost) return {};
  const AlmostOne& found = *series.almost;
  std::string text =
      found.x > 1 ? say("a batch of up to {:g} is almost as fast as one sample: {:.3g} times its time", found.x,
                        found.time_ratio)
                  : say("no larger batch is almost as fast as one sample: {:g} samples take {:.3g} times its time",
                        found.next_x, found.next_time_ratio);
  if (found.x > 1 && found.next_x > 0)
    text += say(", {:g} samples take {:.3g} times", found.next_x, found.next_time_ratio);
  text += say(" (measured; at most {:g} times", kAlmostAsFast);
  text += series.noisy > 0 ? fmt::format("; {})", left_out(series)) : ")";
  if (series.predicted_almost)
    text += say("; roofline prediction {}{:g} (modelled)", series.predicted_almost->next_x > 0 ? "" : say("at least "),
                series.predicted_almost->x);
  return text + ".";
}

/// "Almost as fast as one sample up to batch = 8 (workload=mlp), 1 (workload=im2col)"; empty: no series has it.
std::string almost_headline(const std::vector<SweepSeries>& all) {
  std::vector<std::string> parts;
  for (const SweepSeries& series : all) {
    if (series.almost)
      parts.push_back(fmt::format("{}{:g}{}", parts.empty() ? say("batch = ") : "", series.almost->x,
                                  series.label.empty() ? "" : fmt::format(" ({})", series.label)));
  }
  return parts.empty() ? std::string() : say("Almost as fast as one sample up to {}", fmt::join(parts, ", "));
}

/// Why no law is said of a series.
std::string no_law_sentence(const Sweep& sweep, const SweepSeries& series) {
  const std::string axis = axis_name(sweep, series);
  if (series.no_law == NoLaw::same_work) return extremes_sentence(sweep, series);
  if (series.no_law == NoLaw::noisy) {
    return say("no law of time over {} is fitted: {} of the {} points that ran {} {}.", axis, series.noisy,
               series.measured, series.noisy == 1 ? say("is") : say("are"), doubt_word(series.noisy, series.queued));
  }
  return say(
      "no law of time over {} is fitted. No plateau, proportional growth or knee (two points on "
      "each "
      "side) fits the measured steps within a factor of {:g}. The nearer of the first two is off "
      "by "
      "{:.3g} (root mean square).",
      axis, kLawFactor, std::exp(series.log_error));
}

std::string knee_sentence(const Sweep& sweep, const SweepSeries& series) {
  const std::string axis = axis_name(sweep, series);
  const std::string rest = series.noisy > 0 ? fmt::format("; {}", left_out(series)) : std::string();
  if (!series.knee) {
    const size_t steady = series.measured - series.noisy;
    const bool enough = steady >= 4;
    if (enough && series.no_law == NoLaw::law && std::isnan(series.log_error))
      return say("a knee needs values of {} above 0.", axis);
    if (series.no_law == NoLaw::same_work) return extremes_sentence(sweep, series);
    std::string text =
        series.no_law != NoLaw::law ? no_law_sentence(sweep, series)
        : enough
            ? say("no knee within these values of {}: time per step follows one law all along (fit error {:.0f} %{}).",
                  axis, 100 * std::expm1(series.log_error), rest)
        : series.measured >= 4 ? say("a knee needs at least four values of {} that ran and are not {}; there are {}.",
                                     axis, doubt_word(series.noisy, series.queued), steady)
        : series.points.size() >= 4
            ? say("a knee needs at least four values of {} that ran; {} did.", axis, series.measured)
            : say("a knee needs at least four values of {}.", axis);
    if (enough && series.predicted_knee) text += say(" The roofs predict a knee at {:.3g}.", series.predicted_knee->x);
    return text;
  }
  std::string text = say("the knee is at {} = {:.3g} (measured; fit error {:.0f} %{})", axis, series.knee->x,
                         100 * std::expm1(series.knee->log_error), rest);
  text += series.predicted_knee ? say("; roofline prediction {:.3g} (modelled).", series.predicted_knee->x)
                                : std::string(".");
  return text + sides(series);
}

/// Compulsory bytes per second at a point (measured); NaN: it did not run, or is noisy.
double bandwidth_at(const Sweep& sweep, size_t point) {
  const SweepPoint& p = sweep.points[point];
  const int least = sweep.request.least_samples;
  if (p.samples.empty() || is_disturbed(p, least)) return std::numeric_limits<double>::quiet_NaN();
  return p.found.compulsory_bytes / sample_spread(p, least).median * 1e9;
}

/// "61 GB/s at n = 4096, 40 GB/s at n = 16384 (measured)": before a cliff and beyond it; empty: not known.
std::string cliff_bandwidth(const Sweep& sweep, const SweepSeries& series, const CacheCliff& cliff) {
  const auto first = std::ranges::find(series.points, cliff.point);
  if (series.unit != WorkUnit::byte || first == series.points.begin() || first == series.points.end()) return {};
  const auto at = static_cast<size_t>(first - series.points.begin());
  size_t last = at;
  while (last + 1 < series.x.size() && series.x[last + 1] <= cliff.last_x) ++last;
  const double before = bandwidth_at(sweep, series.points[at - 1]), beyond = bandwidth_at(sweep, series.points[last]);
  if (std::isnan(before) || std::isnan(beyond)) return {};
  const std::string axis = axis_name(sweep, series);
  return say(" The bandwidth is {} at {} = {:g} and {} at {} = {:g} (measured).",
             format_quantity(before, Quantity::bytes_per_s), axis, series.x[at - 1],
             format_quantity(beyond, Quantity::bytes_per_s), axis, series.x[last]);
}

/// "L1 overflows at n = 4096, L2 at 131072 (modelled); 93 GB/s at most, 23 GB/s behind L2 (measured)".
std::string bandwidth_headline(const Sweep& sweep, const SweepSeries& series) {
  std::string text;
  for (const CacheCliff& cliff : series.cliffs)
    text += text.empty() ? say("{} overflows at {} = {:g}", cliff.inner, axis_name(sweep, series), cliff.x)
                         : say(", {} at {:g}", cliff.inner, cliff.x);
  text += " (modelled)";
  double most = std::numeric_limits<double>::quiet_NaN(), beyond = most;
  for (size_t i = 0; i < series.points.size(); ++i) {
    const double rate = bandwidth_at(sweep, series.points[i]);
    most = std::fmax(most, rate);
    if (series.x[i] >= series.cliffs.back().last_x && !std::isnan(rate)) beyond = rate;
  }
  if (std::isnan(most) || std::isnan(beyond)) return text;
  return text + say("; {} at most, {} behind {} (measured)", format_quantity(most, Quantity::bytes_per_s),
                    format_quantity(beyond, Quantity::bytes_per_s), series.cliffs.back().inner);
}

/// Where sizes of arrays are varied: whether their pages are huge. Empty: they are not varied.
std::string huge_pages_sentence(const Sweep& sweep, const std::vector<SweepSeries>& all) {
  const bool sizes = std::ranges::any_of(
      all, [&](const SweepSeries& s) { return axis_name(sweep, s) == "working_set" || s.unit == WorkUnit::byte; });
  if (!sizes) return {};
  const std::string& setting = sweep.huge_pages;
  if (setting.empty())
    return say("Whether arrays lie in huge pages is unknown: the machine of these points does not say.");
  return say("Arrays from 4 MiB on ask for huge pages (2 MiB); the system's setting is {}{}.", setting,
             setting == "never" ? say(", so they have none, and misses of the TLB add to long latencies") : "");
}

std::string cliff_words(const CacheCliff& cliff, WorkUnit unit) {
  const std::string more = std::isinf(cliff.modelled_bytes_ratio)
                               ? say("bytes come from {} that did not before (modelled)", cliff.outer)
                               : say("{:.3g} times the bytes per {} come from {} (modelled)",
                                     cliff.modelled_bytes_ratio, name(unit), cliff.outer);
  const std::string time =
      std::isnan(cliff.time_ratio)
          ? "."
          : say("; time per {} is {:.3g} times the one before (measured).", name(unit), cliff.time_ratio);
  return say("{} no longer holds what is reused: {}{}", cliff.inner, more, time);
}

/// Above this error of the fit its serial part describes nothing.
constexpr double kLawFits = 0.10;

std::string amdahl_words(const AmdahlFit& fit, int cores) {
  const std::string within =
      cores > 0 ? say(" up to {}, one a core", counted(static_cast<uint64_t>(cores), "thread")) : std::string();
  if (fit.rms_error_ratio > kLawFits) {
    return say(
        "Amdahl's law does not describe these times{}: its nearest fit is off by {:.1f} % of the one-thread step.",
        within, 100 * fit.rms_error_ratio);
  }
  const bool two = std::isnan(fit.rms_error_ratio);
  std::string text = say("Amdahl's fit{}: {:.1f} % of the one-thread step does not get faster with threads ({}).",
                         within, 100 * fit.serial_ratio,
                         two ? say("from two thread counts, so without an error")
                             : say("fit error {:.1f} % of that step", 100 * fit.rms_error_ratio));
  if (!std::isnan(fit.serial_low))
    text += say(" This serial part is between {:.1f} and {:.1f} % ({}).", 100 * fit.serial_low, 100 * fit.serial_high,
                two ? say("spread of both times") : say("95 % interval"));
  return text;
}

/// How threads scale: the law over the counts within the cores, what the most of those give, and what more than the
/// cores give.
std::string threads_sentence(const Sweep& sweep, const SweepSeries& series) {
  if (series.no_law != NoLaw::law) return no_law_sentence(sweep, series);
  const int cores = sweep.machine.info.cores;
  std::vector<std::string> parts;
  if (series.amdahl) parts.push_back(amdahl_words(*series.amdahl, cores));
  size_t most = SIZE_MAX, beyond = SIZE_MAX;  // the last measured point on either side of the cores
  for (size_t i = 0; i < series.points.size(); ++i) {
    if (std::isnan(speed_up(sweep, series.points[i])) || series.x[i] == 1) continue;
    (cores > 0 && series.x[i] > cores ? beyond : most) = i;
  }
  const auto gain = [&](size_t at) {
    size_t noisy = 0, queued = 0;  // of the two points it is made of
    for (size_t i = 0; i < series.points.size(); ++i) {
      const SweepPoint& point = sweep.points[series.points[i]];
      if (series.x[i] != 1 && series.x[i] != series.x[at]) continue;
      noisy += is_disturbed(point, sweep.request.least_samples) ? 1 : 0;
      queued += is_queued(point, sweep.request.least_samples) ? 1 : 0;
    }
    return say("{:g} threads are {:.3g} times as fast as one (measured{}{})", series.x[at],
               speed_up(sweep, series.points[at]), noisy > 0 ? ", " : "", noisy > 0 ? doubt_word(noisy, queued) : "");
  };
  if (most != SIZE_MAX)
    parts.push_back(say("{}, {:.0f} % of what each could give.", gain(most),
                        100 * speed_up(sweep, series.points[most]) / series.x[most]));
  if (beyond != SIZE_MAX) {
    parts.push_back(say("{}, on {}: beyond those two share one (hyper-threads), or wait for one, and no law is fitted.",
                        gain(beyond), counted(static_cast<uint64_t>(cores), "core")));
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

/// Time per access at the largest working set that fits a level and at the smallest beyond it.
std::string ladder_sentence(const Sweep& sweep, const SweepSeries& series, const MachineMark& mark) {
  double inside = std::numeric_limits<double>::quiet_NaN(), outside = inside;
  std::string inside_doubt, outside_doubt;
  for (size_t i = 0; i < series.points.size(); ++i) {
    const SweepPoint& point = sweep.points[series.points[i]];
    if (point.samples.empty()) continue;
    const double ns = sample_spread(point, sweep.request.least_samples).median / point.found.samples;
    const int least = sweep.request.least_samples;
    const std::string doubt = is_disturbed(point, least)
                                  ? fmt::format(" ({})", doubt_word(1, is_queued(point, least) ? 1 : 0))
                                  : std::string();
    if (series.x[i] <= mark.x / 1.5) inside = ns, inside_doubt = doubt;
    if (series.x[i] >= mark.x * 1.5 && std::isnan(outside)) outside = ns, outside_doubt = doubt;
  }
  const auto words = [](double ns, const std::string& doubt, const std::string& where) {
    return say("{} per access {}{}", std::isnan(ns) ? std::string("–") : say("{:.3g} ns", ns), where, doubt);
  };
  return say("{} ({}): {}, {} (measured).", mark.text, say_marked(name(mark.origin)),
             words(inside, inside_doubt, say("well inside")), words(outside, outside_doubt, say("just beyond")));
}

/// The largest batch that fitted as planned, and the next that does not: its plan was refused before anything was
/// allocated, or its process was.
std::string fit_sentence(const Sweep& sweep, const SweepSeries& series) {
  size_t fits = SIZE_MAX, lost = SIZE_MAX;
  for (size_t i = 0; i < series.points.size(); ++i) {
    const PointOutcome outcome = sweep.points[series.points[i]].outcome;
    if (outcome == PointOutcome::measured) fits = i;
    if (outcome == PointOutcome::out_of_memory && lost == SIZE_MAX) lost = i;
  }
  if (lost == SIZE_MAX || fits == SIZE_MAX || fits > lost) return {};
  const auto bytes = [&](size_t i, const SweepFigures& f) {
    return say("{} = {:g} ({} as planned)", axis_name(sweep, series), series.x[i],
               format_quantity(f.memory_bytes, Quantity::bytes));
  };
  const SweepPoint &last = sweep.points[series.points[fits]], &next = sweep.points[series.points[lost]];
  return say("{} fits, as predicted, and ran; {} does not fit.", bytes(fits, last.found), bytes(lost, next.predicted));
}

/// "2 of 5 points that ran are noisy (batch=1; batch=2): ", the points by name where they are few; empty: none are of
/// this kind.
std::string points_words(const Sweep& sweep, bool (*is)(const SweepPoint&, int), const std::string& word) {
  constexpr size_t kNamed = 4;
  std::vector<std::string> labels;
  for (size_t i = 0; i < sweep.points.size(); ++i) {
    if (is(sweep.points[i], sweep.request.least_samples)) labels.push_back(sweep.label(i));
  }
  if (labels.empty()) return {};
  const size_t count = labels.size();
  if (count > kNamed) labels.resize(kNamed);
  return say("{} of {} that ran {} {} ({}{}): ", count, counted(sweep_counts(sweep).measured, "point"),
             count == 1 ? say("is") : say("are"), word, fmt::join(labels, "; "),
             count > kNamed ? say("; and {} more", count - kNamed) : "");
}

std::string noisy_sentence(const Sweep& sweep) {
  const std::string points = points_words(sweep, is_noisy, say("noisy"));
  return points.empty() ? points
                        : points + say("the interval of the median is wider than a factor of {:g}.", kNoisyFactor);
}

/// Which points waited for processors, and how long at the most; empty: none.
std::string queued_sentence(const Sweep& sweep) {
  const std::string points = points_words(sweep, is_queued, say("queued"));
  if (points.empty()) return points;
  double most = 0;
  for (const SweepPoint& point : sweep.points) {
    if (is_queued(point, sweep.request.least_samples))
      most = std::fmax(most, queued_ratio(point, sweep.request.least_samples));
  }
  return points + say("threads waited up to {:.0f} % of a step for processors that other programs held, so the times "
                      "are longer than the program needs.",
                      100 * most);
}

/// The load beside the processes, said once, and how many ran at another clock rate; empty: a quiet machine.
std::string load_sentence(const Sweep& sweep) {
  std::vector<double> loads;
  size_t unsteady = 0;
  for (const SweepPoint& point : sweep.points) {
    for (const SweepSample& sample : point.samples)
      loads.push_back(sample.foreign_load_ratio), unsteady += sample.unsteady_clock() ? 1 : 0;
  }
  std::string text = background_load_words(loads);
  if (unsteady > 0)
    text += say("{}The clock rate changed by over 5 %, or differed by it from the others, in {} of {}.",
                text.empty() ? "" : " ", unsteady, counted(loads.size(), "process", "processes"));
  return text;
}

/// Why simulated bytes are missing where they were asked for; empty: they are there, or nobody asked.
std::string simulation_sentence(const Sweep& sweep) {
  if (!sweep.request.simulates()) return {};
  const auto unknown = [](const SweepPoint& p) {
    return !p.simulation.empty() &&
           std::ranges::any_of(p.found.links, [](const SweepLink& l) { return std::isnan(l.simulated_bytes); });
  };
  const auto measured = [](const SweepPoint& p) { return p.outcome == PointOutcome::measured; };
  const auto first = std::ranges::find_if(sweep.points, unknown);
  std::string text;
  if (first != sweep.points.end()) {
    text = say("Simulated bytes are unknown at {} of {} measured points. {}: {}",
               std::ranges::count_if(sweep.points, unknown), std::ranges::count_if(sweep.points, measured),
               sweep.label(static_cast<size_t>(first - sweep.points.begin())), first->simulation);
  }
  const auto open =
      std::ranges::count_if(sweep.points, [&](const SweepPoint& p) { return measured(p) && p.simulation.empty(); });
  if (open > 0)
    text += say("{}The caches of {} are not simulated yet.", text.empty() ? "" : " ",
                counted(static_cast<size_t>(open), "point"));
  return text;
}

/// Where all points compute the same FLOPs in different numbers of ops: what few and many of them reach of the peak;
/// empty: there is no such axis.
std::string launches_sentence(const Sweep& sweep) {
  const SweepPoint *few = nullptr, *many = nullptr;
  for (const SweepPoint& p : sweep.points) {
    if (!(p.found.flops > 0) || p.found.flops != sweep.points.front().found.flops || !(p.found.ops > 0)) return {};
    if (is_disturbed(p, sweep.request.least_samples)) continue;
    if (few == nullptr || p.found.ops < few->found.ops) few = &p;
    if (many == nullptr || p.found.ops > many->found.ops) many = &p;
  }
  if (few == nullptr || few->found.ops == many->found.ops) return {};
  const auto words = [&](const SweepPoint& p) {
    const double step_ns = sample_spread(p, sweep.request.least_samples).median,
                 of_peak = p.found.roof_ratio * p.found.step_ns / step_ns;
    return fmt::format("{} {} {}{}", counted(static_cast<uint64_t>(p.found.ops), "launch", "launches"),
                       p.found.ops == 1 ? say("takes") : say("take"), duration(step_ns),
                       std::isnan(of_peak)
                           ? std::string()
                           : say(", {} of the arithmetic peak", format_quantity(of_peak, Quantity::percent_of)));
  };
  return say("Each point computes {}: {}; {}.", format_quantity(few->found.flops, Quantity::flops), words(*few),
             words(*many));
}

/// "noisy: 1.00 ms to 1.60 ms", "queued: 48 % of a step", or both, beside a time; empty: neither.
std::string doubt_mark(const Sweep& sweep, const SweepPoint& point) {
  const int least = sweep.request.least_samples;
  const Spread s = sample_spread(point, least);
  std::vector<std::string> marks;
  if (noisy(s)) marks.push_back(say("noisy: {} to {}", duration(s.low), duration(s.high)));
  if (is_queued(point, least)) marks.push_back(say("queued: {:.0f} % of a step", 100 * queued_ratio(point, least)));
  return fmt::format("{}", fmt::join(marks, "; "));
}

/// Trainings whose losses are the question: over seeds, or over settings that are no numbers.
bool compares_losses(const Sweep& sweep, const std::vector<SweepSeries>& all) {
  const bool seeds = std::ranges::find(sweep.request.axes, kSeedAxis, &SweepAxis::name) != sweep.request.axes.end();
  return (seeds || all.empty()) && last_common_steps(sweep) > 0;
}

}  // namespace

std::string doubt_word(size_t noisy, size_t queued) {
  return queued == 0 ? say("noisy") : queued >= noisy ? say("queued") : say("noisy or queued");
}

std::string doubt_sentence(const SweepPoint& point, int least) {
  std::vector<std::string> sentences;
  if (is_noisy(point, least))
    sentences.push_back(say("Noisy: the interval of the median is wider than a factor of {:g}.", kNoisyFactor));
  if (is_queued(point, least)) {
    sentences.push_back(say("Queued: threads waited {:.0f} % of a step for processors that other programs held.",
                            100 * queued_ratio(point, least)));
  }
  return fmt::format("{}", fmt::join(sentences, " "));
}

std::string sweep_headline(const Sweep& sweep) {
  std::vector<std::string> knees;
  std::string axis, limits;
  const std::vector<SweepSeries> all = sweep_series(sweep);
  const std::string almost = almost_headline(all);
  for (const SweepSeries& series : all) {
    if (!series.knee || axis_name(sweep, series) == "threads" || axis_name(sweep, series) == "working_set") continue;
    axis = axis_name(sweep, series);
    knees.push_back(fmt::format("{} = {:.3g}{}", axis, series.knee->x,
                                series.label.empty() ? "" : fmt::format(" ({})", series.label)));
    if (names_limit(series.limit_left) && names_limit(series.limit_right))
      limits = series.limit_left == series.limit_right
                   ? say(": {} limits on both sides", series.limit_left)
                   : say(": {} limits below it, {} above", series.limit_left, series.limit_right);
  }
  if (!knees.empty())
    return say("Knee at {}{}{}{}", fmt::join(knees, ", "), knees.size() == 1 ? limits : "", almost.empty() ? "" : ". ",
               almost);
  if (!almost.empty()) return almost;
  if (all.size() == 1 && all[0].unit == WorkUnit::byte && !all[0].cliffs.empty())
    return bandwidth_headline(sweep, all[0]);
  if (compares_losses(sweep, all)) return loss_headline(sweep);
  const std::vector<std::string> sentences = sweep_sentences(sweep);
  if (sentences.empty()) return say("{} measured", counted(sweep_counts(sweep).measured, "point"));
  std::string first = sentences.front();
  if (const size_t end = first.find(". "); end != std::string::npos) first.resize(end);
  if (first.ends_with('.')) first.pop_back();
  const size_t word = first.find(' '), equals = first.find('=');
  if (equals == std::string::npos || equals > word)
    first[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(first[0])));
  return first;
}

std::vector<std::string> sweep_sentences(const Sweep& sweep) {
  std::vector<std::string> sentences;
  const std::vector<SweepSeries> all = sweep_series(sweep);
  if (compares_losses(sweep, all)) sentences = loss_sentences(sweep);
  for (const SweepSeries& series : all) {
    const bool measured =
        std::ranges::any_of(series.points, [&](size_t p) { return !sweep.points[p].samples.empty(); });
    if (!measured) continue;
    if (axis_name(sweep, series) == "threads") {
      if (std::string text = threads_sentence(sweep, series); !text.empty())
        sentences.push_back(with_label(series.label, text));
    } else if (axis_name(sweep, series) != "working_set") {
      for (const std::string& text : {knee_sentence(sweep, series), almost_sentence(series)}) {
        if (!text.empty()) sentences.push_back(with_label(series.label, text));
      }
    }
    for (const MachineMark& mark : series.machine_marks) {
      if (axis_name(sweep, series) == "threads") break;  // its sentence has said it
      if (axis_name(sweep, series) == "working_set") {
        sentences.push_back(with_label(series.label, ladder_sentence(sweep, series, mark)));
      } else if (series.knee) {
        sentences.push_back(
            with_label(series.label, say("specified: {} = {:g} ({}); found / specified {:.2f}.",
                                         axis_name(sweep, series), mark.x, mark.text, series.knee->x / mark.x)));
      }
    }
    for (const CacheCliff& cliff : series.cliffs) {
      sentences.push_back(with_label(series.label, say("from {} = {:g} on {}", axis_name(sweep, series), cliff.x,
                                                       cliff_words(cliff, series.unit)) +
                                                       cliff_bandwidth(sweep, series, cliff)));
    }
  }
  for (const SweepSeries& series : all) {
    if (std::string text = fit_sentence(sweep, series); !text.empty())
      sentences.push_back(with_label(series.label, text));
  }
  const auto lost =
      std::ranges::count_if(sweep.points, [](const SweepPoint& p) { return p.outcome == PointOutcome::out_of_memory; });
  if (lost > 0)
    sentences.push_back(say("{} of {} {} not fit into memory.", lost, counted(sweep.points.size(), "point"),
                            lost == 1 ? say("does") : say("do")));
  const auto failed = std::ranges::find(sweep.points, PointOutcome::failed, &SweepPoint::outcome);
  if (failed != sweep.points.end()) {
    sentences.push_back(
        say("{} failed: {}", sweep.label(static_cast<size_t>(failed - sweep.points.begin())), failed->message));
  }
  for (std::string text : {launches_sentence(sweep), huge_pages_sentence(sweep, all), noisy_sentence(sweep),
                           queued_sentence(sweep), load_sentence(sweep), simulation_sentence(sweep)}) {
    if (!text.empty()) sentences.push_back(std::move(text));
  }
  if (std::string weak = roofs_weakness(sweep.machine); !weak.empty()) sentences.push_back(std::move(weak));
  const bool measured = std::ranges::any_of(sweep.points, [](const SweepPoint& p) { return !p.samples.empty(); });
  const bool energy = std::ranges::any_of(
      sweep.points, [&](const SweepPoint& p) { return step_energy_j(p, sweep.request.least_samples) >= 0; });
  if (measured && !energy)
    sentences.emplace_back(say(
        "Energy is unknown: the machine of these points offers no counter that could be read (tensortide doctor says "
        "why)."));
  return sentences;
}

namespace {

bool is_simulated_link(const Column& column) {
  return column.key.ends_with(kSimulatedBytes) && !column.key.ends_with("_core_simulated_bytes");
}

/// Columns of simulated bytes that the text shows: links that move some; where none does, the outermost alone.
std::vector<std::string> shown_simulated(const Table& all) {
  std::vector<std::string> keys, shown;
  for (size_t c = 0; c < all.columns.size(); ++c) {
    if (!is_simulated_link(all.columns[c])) continue;
    keys.push_back(all.columns[c].key);
    const bool moves = std::ranges::any_of(all.rows, [&](const auto& row) {
      const double* const bytes = std::get_if<double>(&row[c]);
      return bytes != nullptr && *bytes > 0;
    });
    if (moves) shown.push_back(keys.back());
  }
  if (shown.empty() && !keys.empty()) shown.push_back(keys.front());
  return shown;
}

/// Whether the simulation has the bytes of this link, which so need no model.
bool has_simulated_twin(const Table& all, const std::string& modelled) {
  const std::string twin =
      modelled.substr(0, modelled.size() - std::string_view("_bytes").size()) + std::string(kSimulatedBytes);
  return std::ranges::find(all.columns, twin, &Column::key) != all.columns.end();
}

}  // namespace

Table sweep_digest(const Sweep& sweep) {
  const Table all = sweep_table(sweep);
  Table digest{.name = "sweep", .columns = {}, .rows = {}, .row_ops = {}};
  std::vector<size_t> kept;
  const bool batchless =
      std::ranges::none_of(sweep.points, [](const SweepPoint& p) { return figures_of(p).samples > 0; });
  const std::vector<std::string> simulated = shown_simulated(all);
  const bool launches_vary = ops_vary(sweep);
  for (size_t c = 0; c < all.columns.size(); ++c) {
    const std::string& key = all.columns[c].key;
    const bool simulated_link =
        std::ranges::any_of(simulated, [&](const std::string& shown) { return key.starts_with(shown); });
    const bool modelled_link = key.ends_with("_bytes") && key != "compulsory_bytes" && !key.ends_with("core_bytes") &&
                               !key.ends_with(kSimulatedBytes) && !has_simulated_twin(all, key);
    const bool axis = c < sweep.request.axes.size();
    const bool empty =
        std::ranges::all_of(all.rows, [&](const auto& row) { return std::holds_alternative<std::monostate>(row[c]); });
    const bool compute = std::ranges::any_of(sweep.points, [](const SweepPoint& p) { return figures_of(p).flops > 0; });
    const bool wanted = key == "outcome" || key == "processes" || key == "step_ns" || key == "noise_ratio" ||
                        (key == "sample_ns" && !empty) || key == "each_ns" || key == "operations_per_s" ||
                        (key == "flop_per_s" && compute) || (key == "compulsory_bytes_per_s" && batchless) ||
                        (modelled_link && batchless) || simulated_link || (key == "roof_ratio" && compute) ||
                        (key == "weight_bytes_per_sample" && !empty) || key == "memory_bytes" ||
                        (key == "ops_count" && launches_vary) || key == "speed_up_ratio" || key == "loss" ||
                        key == "predicted_step_ns" || key == "limit";
    if (axis || wanted) kept.push_back(c);
  }
  const bool marks = std::ranges::any_of(
      sweep.points, [&](const SweepPoint& p) { return is_disturbed(p, sweep.request.least_samples); });
  for (const size_t c : kept) {
    digest.columns.push_back(all.columns[c]);
    if (marks && all.columns[c].key == "step_ns") {
      digest.columns.push_back({"step_mark", "Mark", Quantity::text, Origin::measured,
                                "Noisy: the interval of the median over processes is wider than a factor of 1.25. "
                                "Queued: over 20 % of a step threads waited for processors that other programs held"});
    }
  }
  for (size_t r = 0; r < all.rows.size(); ++r) {
    std::vector<Cell> cells;
    for (const size_t c : kept) {
      cells.push_back(all.rows[r][c]);
      if (marks && all.columns[c].key == "step_ns") cells.emplace_back(doubt_mark(sweep, sweep.points[r]));
    }
    digest.rows.push_back(std::move(cells));
  }
  return digest;
}

}  // namespace profiler
