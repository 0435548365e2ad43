// SPDX-License-Identifier: Apache-2.0
// What a sweep says, in sentences.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "profiler/model/roofs_trust.h"
#include "profiler/model/words.h"
#include "profiler/sweep/curve.h"

namespace profiler {
namespace {

std::string with_label(const std::string& label, const std::string& sentence) {
  return label.empty() ? sentence : fmt::format("{}: {}", label, sentence);
}

std::string axis_name(const Sweep& sweep, const SweepSeries& series) { return sweep.request.axes[series.axis].name; }

std::string sides(const SweepSeries& series) {
  if (series.limit_left.empty() || series.limit_right.empty()) return {};
  if (series.limit_left == series.limit_right) return fmt::format(" {} binds on both sides.", series.limit_left);
  return fmt::format(" Below it {} binds, above it {}.", series.limit_left, series.limit_right);
}

/// Why no law is said of a series.
std::string no_law_sentence(const Sweep& sweep, const SweepSeries& series) {
  const std::string axis = axis_name(sweep, series);
  if (series.no_law == NoLaw::disturbed) {
    return fmt::format("no law of time over {} is said: {} of the {} points that ran were disturbed.", axis, series.disturbed, series.measured);
  }
  return fmt::format("no law of time over {} is said: neither a plateau, nor growth in proportion, nor a knee between them describes the measured steps, "
                     "the nearest is off by a factor of {:.3g} (root mean square).", axis, std::exp(series.log_error));
}

std::string knee_sentence(const Sweep& sweep, const SweepSeries& series) {
  const std::string axis = axis_name(sweep, series);
  if (!series.knee) {
    const bool enough = series.measured >= 4;
    std::string text = series.no_law != NoLaw::law ? no_law_sentence(sweep, series)
                       : enough ? fmt::format("no knee within these values of {}: time per step follows one law all along (fit error {:.0f} %).", axis, 100 * std::expm1(series.log_error))
                       : series.points.size() >= 4 ? fmt::format("a knee needs at least four values of {} that ran; {} did.", axis, series.measured)
                                                   : fmt::format("a knee needs at least four values of {}.", axis);
    if (enough && series.predicted_knee) text += fmt::format(" The roofs predict a knee at {:.3g}.", series.predicted_knee->x);
    return text;
  }
  std::string text = fmt::format("the knee is at {} = {:.3g} (measured; fit error {:.0f} %)", axis, series.knee->x, 100 * std::expm1(series.knee->log_error));
  text += series.predicted_knee ? fmt::format("; the roofs had said {:.3g} (modelled).", series.predicted_knee->x) : std::string(".");
  return text + sides(series);
}

std::string cliff_words(const CacheCliff& cliff) {
  const std::string more = std::isinf(cliff.modelled_bytes_ratio)
                               ? fmt::format("bytes come from {} that did not before (modelled)", cliff.outer)
                               : fmt::format("{:.3g} times the bytes per sample come from {} (modelled)", cliff.modelled_bytes_ratio, cliff.outer);
  const std::string time = std::isnan(cliff.time_ratio) ? "." : fmt::format("; time per sample is {:.3g} times the one before (measured).", cliff.time_ratio);
  return fmt::format("{} no longer holds what is reused: {}{}", cliff.inner, more, time);
}

/// Above this error of the fit its serial part describes nothing.
constexpr double kLawFits = 0.10;

std::string amdahl_words(const AmdahlFit& fit, int cores) {
  const std::string within = cores > 0 ? fmt::format(" up to {} threads, one a core", cores) : std::string();
  if (fit.rms_error_ratio > kLawFits) {
    return fmt::format("Amdahl's law does not describe these times{}: its nearest fit is off by {:.1f} % of the one-thread step.", within, 100 * fit.rms_error_ratio);
  }
  return fmt::format("Amdahl's fit{}: {:.1f} % of the one-thread step does not get faster with threads ({}).", within, 100 * fit.serial_ratio,
                     std::isnan(fit.rms_error_ratio) ? std::string("from two thread counts, so without an error") : fmt::format("fit error {:.1f} % of that step", 100 * fit.rms_error_ratio));
}

/// How threads scale: the law over the counts within the cores, what the most of those give, and what more than the cores give.
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
  const auto gain = [&](size_t i) { return fmt::format("{:g} threads are {:.3g} times as fast as one (measured)", series.x[i], speed_up(sweep, series.points[i])); };
  if (most != SIZE_MAX) parts.push_back(fmt::format("{}, {:.0f} % of what each could give.", gain(most), 100 * speed_up(sweep, series.points[most]) / series.x[most]));
  if (beyond != SIZE_MAX) {
    parts.push_back(fmt::format("{}, on {} core{}: beyond those two share one (hyper-threads), or wait for one, and no law is fitted.", gain(beyond), cores, cores == 1 ? "" : "s"));
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

/// Time per access at the largest working set that fits a level and at the smallest beyond it.
std::string ladder_sentence(const Sweep& sweep, const SweepSeries& series, const MachineMark& mark) {
  double inside = std::numeric_limits<double>::quiet_NaN(), outside = inside;
  bool inside_disturbed = false, outside_disturbed = false;
  for (size_t i = 0; i < series.points.size(); ++i) {
    const SweepPoint& point = sweep.points[series.points[i]];
    if (point.samples.empty()) continue;
    const double ns = sample_spread(point, sweep.request.least_samples).median / point.found.samples;
    const bool disturbed = uses_disturbed(point, sweep.request.least_samples);
    if (series.x[i] <= mark.x / 1.5) inside = ns, inside_disturbed = disturbed;
    if (series.x[i] >= mark.x * 1.5 && std::isnan(outside)) outside = ns, outside_disturbed = disturbed;
  }
  const auto words = [](double ns, bool disturbed, const char* where) {
    return fmt::format("{} per access {}{}", std::isnan(ns) ? std::string("–") : fmt::format("{:.3g} ns", ns), where, disturbed ? " (disturbed)" : "");
  };
  return fmt::format("{} ({}): {}, {} (measured).", mark.text, name(mark.origin), words(inside, inside_disturbed, "well inside"), words(outside, outside_disturbed, "just beyond"));
}

/// The largest batch that fitted as planned, and the next that does not: its plan was refused before anything was allocated, or its process was.
std::string fit_sentence(const Sweep& sweep, const SweepSeries& series) {
  size_t fits = SIZE_MAX, lost = SIZE_MAX;
  for (size_t i = 0; i < series.points.size(); ++i) {
    const PointOutcome outcome = sweep.points[series.points[i]].outcome;
    if (outcome == PointOutcome::measured) fits = i;
    if (outcome == PointOutcome::out_of_memory && lost == SIZE_MAX) lost = i;
  }
  if (lost == SIZE_MAX || fits == SIZE_MAX || fits > lost) return {};
  const auto bytes = [&](size_t i, const SweepFigures& f) { return fmt::format("{} = {:g} ({} as planned)", axis_name(sweep, series), series.x[i], format_quantity(f.memory_bytes, Quantity::bytes)); };
  const SweepPoint &last = sweep.points[series.points[fits]], &next = sweep.points[series.points[lost]];
  return fmt::format("{} fits, as predicted, and ran; {} does not fit.", bytes(fits, last.found), bytes(lost, next.predicted));
}

/// Which points others disturbed, by name where they are few; empty: none.
std::string disturbed_sentence(const Sweep& sweep) {
  constexpr size_t kNamed = 4;
  std::vector<std::string> labels;
  for (size_t i = 0; i < sweep.points.size(); ++i) {
    if (uses_disturbed(sweep.points[i], sweep.request.least_samples)) labels.push_back(sweep.label(i));
  }
  if (labels.empty()) return {};
  const size_t count = labels.size();
  if (count > kNamed) labels.resize(kNamed);
  return fmt::format("Other programs, or a clock that was not steady, disturbed {} of {} points that ran ({}{}): their figures say little about the machine; run the sweep again when it is quiet.",
                     count, sweep_counts(sweep).measured, fmt::join(labels, "; "), count > kNamed ? fmt::format("; and {} more", count - kNamed) : "");
}

/// "disturbed: 3 of 3 processes" beside a time that stands for nothing else; empty: the point's figures are of quiet processes.
std::string disturbed_mark(const Sweep& sweep, const SweepPoint& point) {
  if (!uses_disturbed(point, sweep.request.least_samples)) return {};
  return fmt::format("disturbed: {} of {}", std::ranges::count_if(point.samples, &SweepSample::disturbed), counted(point.samples.size(), "process", "processes"));
}

}  // namespace

std::vector<std::string> sweep_sentences(const Sweep& sweep) {
  std::vector<std::string> sentences;
  for (const SweepSeries& series : sweep_series(sweep)) {
    const bool measured = std::ranges::any_of(series.points, [&](size_t p) { return !sweep.points[p].samples.empty(); });
    if (!measured) continue;
    if (axis_name(sweep, series) == "threads") {
      if (std::string text = threads_sentence(sweep, series); !text.empty()) sentences.push_back(with_label(series.label, text));
    } else if (axis_name(sweep, series) != "working_set") {
      sentences.push_back(with_label(series.label, knee_sentence(sweep, series)));
    }
    for (const MachineMark& mark : series.machine_marks) {
      if (axis_name(sweep, series) == "threads") break;  // its sentence has said it
      if (axis_name(sweep, series) == "working_set") {
        sentences.push_back(with_label(series.label, ladder_sentence(sweep, series, mark)));
      } else if (series.knee) {
        sentences.push_back(with_label(series.label, fmt::format("the machine says {} = {:g} ({}, specified): found / specified {:.2f}.", axis_name(sweep, series), mark.x,
                                                                 mark.text, series.knee->x / mark.x)));
      }
    }
    for (const CacheCliff& cliff : series.cliffs) {
      sentences.push_back(with_label(series.label, fmt::format("from {} = {:g} on {}", axis_name(sweep, series), cliff.x, cliff_words(cliff))));
    }
  }
  for (const SweepSeries& series : sweep_series(sweep)) {
    if (std::string text = fit_sentence(sweep, series); !text.empty()) sentences.push_back(with_label(series.label, text));
  }
  const auto lost = std::ranges::count_if(sweep.points, [](const SweepPoint& p) { return p.outcome == PointOutcome::out_of_memory; });
  if (lost > 0) sentences.push_back(fmt::format("{} of {} points do not fit into memory.", lost, sweep.points.size()));
  const auto failed = std::ranges::find(sweep.points, PointOutcome::failed, &SweepPoint::outcome);
  if (failed != sweep.points.end()) {
    sentences.push_back(fmt::format("{} failed: {}", sweep.label(static_cast<size_t>(failed - sweep.points.begin())), failed->message));
  }
  if (std::string text = disturbed_sentence(sweep); !text.empty()) sentences.push_back(std::move(text));
  if (std::string weak = roofs_weakness(sweep.machine); !weak.empty()) sentences.push_back(std::move(weak));
  const bool measured = std::ranges::any_of(sweep.points, [](const SweepPoint& p) { return !p.samples.empty(); });
  const bool energy = std::ranges::any_of(sweep.points, [&](const SweepPoint& p) { return step_energy_j(p, sweep.request.least_samples) >= 0; });
  if (measured && !energy) sentences.emplace_back("Energy is unknown: the machine of these points offers no counter that could be read (tensortide doctor says why).");
  return sentences;
}

Table sweep_digest(const Sweep& sweep) {
  const Table all = sweep_table(sweep);
  Table digest{.name = "sweep", .columns = {}, .rows = {}, .row_ops = {}};
  std::vector<size_t> kept;
  for (size_t c = 0; c < all.columns.size(); ++c) {
    const std::string& key = all.columns[c].key;
    const bool axis = c < sweep.request.axes.size();
    const bool wanted = key == "outcome" || key == "processes" || key == "step_ns" || key == "noise_ratio" || key == "sample_ns" || key == "flop_per_s" ||
                        key == "roof_ratio" || key == "weight_bytes_per_sample" || key == "memory_bytes" || key == "speed_up_ratio" || key == "predicted_step_ns" || key == "limit";
    if (axis || wanted) kept.push_back(c);
  }
  const bool marks = std::ranges::any_of(sweep.points, [&](const SweepPoint& p) { return !disturbed_mark(sweep, p).empty(); });
  for (const size_t c : kept) {
    digest.columns.push_back(all.columns[c]);
    if (marks && all.columns[c].key == "step_ns") {
      digest.columns.push_back({"step_mark", "Mark", Quantity::text, Origin::measured, "Disturbed: too few of the processes were without other programs beside them, or with a steady clock, to be counted alone"});
    }
  }
  for (size_t r = 0; r < all.rows.size(); ++r) {
    std::vector<Cell> cells;
    for (const size_t c : kept) {
      cells.push_back(all.rows[r][c]);
      if (marks && all.columns[c].key == "step_ns") cells.emplace_back(disturbed_mark(sweep, sweep.points[r]));
    }
    digest.rows.push_back(std::move(cells));
  }
  return digest;
}

}  // namespace profiler
