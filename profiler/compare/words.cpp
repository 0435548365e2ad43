// SPDX-License-Identifier: Apache-2.0
// A comparison in sentences: the answer, what differs, how it was decided.
#include "profiler/compare/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "engine/base/display_text.h"
#include "profiler/base/say.h"
#include "profiler/base/words.h"
#include "profiler/capture/noise.h"
#include "profiler/machine/roofs_beside.h"
#include "profiler/machine/roofs_trust.h"

namespace profiler {
namespace {

/// Bytes that differ by less count as the same.
constexpr double kSameBytes = 0.02;
/// Ops that are named, at most.
constexpr size_t kNamed = 3;

/// "2.15", "3870": no exponent where people still read digits.
std::string factor(double ratio) {
  return ratio >= 100 && ratio < 1e6 ? fmt::format("{:.0f}", ratio) : fmt::format("{:.3g}", ratio);
}

std::string more_or_less(double ratio) {
  if (ratio >= 2) return say("{} times as long", factor(ratio));
  if (ratio <= 0.5) return say("{:.3g} of the time", ratio);
  return fmt::format("{:.2g} % {}", 100 * std::abs(ratio - 1), ratio >= 1 ? say("more") : say("less"));
}

std::string speed(double ratio) {
  if (ratio >= 2) return say("{} times slower", factor(ratio));
  if (ratio <= 0.5) return say("{} times faster", factor(1 / ratio));
  return fmt::format("{:.2g} % {}", 100 * std::abs(ratio - 1), ratio >= 1 ? say("slower") : say("faster"));
}

/// "19 % longer", "31 % shorter", "4.64 times as long"
std::string longer(double ratio) {
  if (!(ratio > 0) || std::isinf(ratio)) return "–";
  if (ratio >= 2 || ratio <= 0.5) return say("{} times as long", factor(ratio));
  return fmt::format("{:.2g} % {}", 100 * std::abs(ratio - 1), ratio >= 1 ? say("longer") : say("shorter"));
}

/// Behind "takes": "19 % more time", "31 % less time", "4.64 times as long".
std::string time_taken(double ratio) {
  if (!(ratio > 0) || std::isinf(ratio) || ratio >= 2 || ratio <= 0.5) return longer(ratio);
  return say("{:.2g} % {} time", 100 * std::abs(ratio - 1), ratio >= 1 ? say("more") : say("less"));
}

/// From this ratio of its ends on an interval tells nothing.
constexpr double kTellsNothing = 100;

std::string interval(const Change& change) {
  if (change.high > kTellsNothing * change.low)
    return say("the 95 % interval spans a factor of {:.0e}: too few runs, or too uneven ones",
               change.high / change.low);
  return say("95 % interval: {} to {}", longer(change.low), longer(change.high));
}

/// " at the same bytes", " with 2.1x the bytes from DRAM (modelled)"; empty: unknown on a side.
std::string bytes_phrase(const CompareRow& row, const std::vector<std::string>& links) {
  double most = 0, ratio = 1;
  std::string where;
  bool known = false;
  const auto look = [&](const ByteChange& bytes, const std::string& words) {
    if (std::isnan(bytes.before) || std::isnan(bytes.after)) return;
    known = true;
    if (bytes.before == bytes.after) return;
    const double r = bytes.after / bytes.before,
                 distance = bytes.before > 0 && bytes.after > 0 ? std::abs(std::log(r)) : 100;
    if (distance <= std::max(most, kSameBytes)) return;
    most = distance;
    ratio = r;
    where = words;
  };
  for (size_t l = 0; l < links.size(); ++l) look(row.links[l], say("over {} (modelled)", links[l]));
  if (where.empty()) look(row.compulsory, say("to move at least (exact)"));
  if (!known) return {};
  if (where.empty()) return say(" at the same bytes");
  if (most >= 100)
    return say(" and moves {} {}", ratio < 1 ? say("nothing any more") : say("bytes it did not before"), where);
  return ratio >= 2 || ratio <= 0.5
             ? say(" with {} times the bytes {}", ratio >= 100 ? factor(ratio) : fmt::format("{:.2g}", ratio), where)
             : say(" with {:.2g} % {} bytes {}", 100 * std::abs(ratio - 1), ratio > 1 ? say("more") : say("fewer"),
                   where);
}

std::string verdict_phrase(const CompareRow& row) {
  if (!row.verdict_changed) return {};
  return say(", limited by {} instead of {}", row.after_verdict, row.before_verdict);
}

std::string op_phrase(const CompareRow& row, const std::vector<std::string>& links) {
  std::string subject = row.name;
  if (row.match.kind == MatchKind::regrouped || row.match.kind == MatchKind::summed)
    subject = fmt::format("{} ({})", row.name, row.type);
  return say("{} takes {}{}{}", subject, more_or_less(row.change.ratio), bytes_phrase(row, links), verdict_phrase(row));
}

bool called(const CompareRow& row) {
  return row.change.verdict == ChangeClass::faster || row.change.verdict == ChangeClass::slower;
}

/// Whether nearly all of the step moved by about the same factor.
bool uniform(const Comparison& c) {
  double alike = 0, all = 0;
  for (const CompareRow& row : c.rows) {
    if (!(row.change.ratio > 0)) return false;
    all += row.share;
    const double off = std::abs(std::log(row.change.ratio / c.total.change.ratio));
    alike += off < 0.5 * std::abs(std::log(c.total.change.ratio)) ? row.share : 0;
  }
  return c.rows.size() >= 5 && alike > 0.9 * all;
}

std::string only_phrase(const Comparison& c) {
  int gone = 0, fresh = 0;
  double gone_ns = 0, fresh_ns = 0;
  for (const CompareRow& row : c.rows) {
    if (row.match.kind == MatchKind::before_only && row.before_ns > 0) ++gone, gone_ns += row.before_ns;
    if (row.match.kind == MatchKind::after_only && row.after_ns > 0) ++fresh, fresh_ns += row.after_ns;
  }
  std::vector<std::string> parts;
  const auto part = [&](int count, const std::string& what, double ns) {
    if (count > 0)
      parts.push_back(say("{} {} {} ({})", counted(static_cast<uint64_t>(count), "op"),
                          count == 1 ? say("is") : say("are"), what, format_quantity(ns, Quantity::duration_ns)));
  };
  part(gone, say("gone"), gone_ns);
  part(fresh, say("new"), fresh_ns);
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// What explains the step: the ops called in a direction (any, where the step itself did not change).
std::string reasons(const Comparison& c) {
  std::vector<std::string> parts;
  size_t more = 0;
  const ChangeClass step = c.total.change.verdict;
  const bool changed = step == ChangeClass::faster || step == ChangeClass::slower;
  for (const CompareRow* row : ranked_rows(c)) {
    if (!called(*row) || (changed && row->change.verdict != step)) continue;
    if (parts.size() < kNamed) {
      parts.push_back(op_phrase(*row, c.links));
    } else {
      ++more;
    }
  }
  if (more > 0) parts.push_back(say("the same for {}", counted(static_cast<uint64_t>(more), "more op")));
  if (const std::string only = only_phrase(c); !only.empty()) parts.push_back(only);
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// From this part of a change on, it is said to pass between ops.
constexpr double kNearlyAll = 0.8;

std::string unit(const Comparison& c) { return c.per_sample ? say("a sample") : say("the step"); }

/// Why a change is neither called nor called none: what its interval holds, and what made it that wide.
std::string unsure_reason(const Change& total) {
  const std::string who = total.before == 1 && total.after == 1 ? say("one process each")
                                                                : say("{} and {} processes", total.before, total.after);
  const std::string noise = say("{}, with a noise of {:.1f} % from process to process ({})", who, 100 * total.noise,
                                total.noise_assumed ? say("assumed") : say("measured"));
  if (total.low <= 1 && total.high >= 1) return say("The interval holds both a change and none: {}.", noise);
  return say(
      "A difference as large comes by chance in {:.2g} % of such comparisons, too often to be called a change: {}.",
      100 * total.probability, noise);
}

std::string answer(const Comparison& c) {
  const Change& total = c.total.change;
  if (std::isnan(total.ratio)) return say("Nothing can be compared: a side has no times.");
  if (c.before_computed != c.after_computed) {
    return say(
        "{} computed nothing: its {} is the cost of starting the ops, against {} of a run that "
        "computes. No ops can be compared.",
        c.before_computed ? c.after : c.before,
        format_quantity(c.before_computed ? c.total.after_ns : c.total.before_ns, Quantity::duration_ns),
        format_quantity(c.before_computed ? c.total.before_ns : c.total.after_ns, Quantity::duration_ns));
  }
  if (c.different_work()) {
    return say("Few ops match ({}), so the totals compare different work: {} takes {} before and {} after.",
               matched_words(c), unit(c), format_quantity(c.total.before_ns, Quantity::duration_ns),
               format_quantity(c.total.after_ns, Quantity::duration_ns));
  }
  const std::string why = reasons(c);
  switch (total.verdict) {
    case ChangeClass::faster:
    case ChangeClass::slower: {
      std::string text = fmt::format("{}{}", speed(total.ratio), c.per_sample ? say(" per sample") : "");
      if (!why.empty()) return fmt::format("{}: {}.", text, why);
      if (c.between_ratio() >= kNearlyAll)
        return say("{}: nearly all of it between ops ({} → {}).", text,
                   format_quantity(c.between_before_ns, Quantity::duration_ns),
                   format_quantity(c.between_after_ns, Quantity::duration_ns));
      if (uniform(c))
        return text + say(": all ops moved alike. A changed clock or background load does that, rather than "
                          "one op.");
      return text + say(": no op stands out on its own.");
    }
    case ChangeClass::same:
      if (!why.empty()) return say("The same as a whole ({}), but {}.", interval(total), why);
      return say("The same: {} takes {} ({}), and no op stands out.", unit(c), time_taken(total.ratio),
                 interval(total));
    case ChangeClass::unsure: break;
  }
  std::string text =
      say("Unsure: {} takes {} ({}). {}", unit(c), time_taken(total.ratio), interval(total), unsure_reason(total));
  if (!why.empty()) text += say(" Sure is: {}.", why);
  return text;
}

}  // namespace

std::string verdict_words(const CompareRow& row) {
  return row.different_work ? say("different work") : std::string(name(row.change.verdict));
}

std::string change_words(double ratio) {
  if (!(ratio > 0) || std::isinf(ratio)) return "–";
  if (ratio >= 2 || ratio <= 0.25) return factor(ratio) + "x";
  const double percent = 100 * (ratio - 1);
  const std::string digits =
      std::abs(percent) < 9.95 ? fmt::format("{:.1f}", std::abs(percent)) : fmt::format("{:.0f}", std::abs(percent));
  return fmt::format("{}{} %", percent < 0 ? "−" : "+", digits);
}

std::string matched_words(const Comparison& c) {
  if (!c.foreign || !(c.before_matched_ratio >= 0 && c.after_matched_ratio >= 0)) {
    return say("{} of {} before, {} of {} after", c.before_matched, c.before_ops, c.after_matched, c.after_ops);
  }
  const auto percent = [](double ratio) { return format_quantity(ratio, Quantity::percent_of); };
  return say("{} of the ops' time before, {} after", percent(c.before_matched_ratio), percent(c.after_matched_ratio));
}

std::string interval_words(const Change& change) { return interval(change); }

std::string comparison_headline(const Comparison& c) {
  const Change& total = c.total.change;
  if (std::isnan(total.ratio)) return say("Nothing can be compared: a side has no times");
  if (c.before_computed != c.after_computed) return say("{} computed nothing", c.before_computed ? c.after : c.before);
  if (c.different_work()) return say("Different work: few ops match");
  constexpr double kAlike = 0.005;  // reads as 0 %
  const bool alike = total.verdict == ChangeClass::unsure && std::abs(total.ratio - 1) < kAlike;
  std::string text = total.verdict == ChangeClass::same ? say("The same time")
                     : alike                            ? say("About the same time")
                                                        : speed(total.ratio);
  if (c.per_sample) text += say(" per sample");
  if (total.verdict == ChangeClass::unsure) text += say(", not certain");
  if (const std::string results = results_headline(c.results); !results.empty()) text += "; " + results;
  return text;
}

std::string comparison_sentence(const Comparison& c) {
  return c.workloads.empty() ? answer(c) : say("Different workloads: {}. {}", c.workloads, answer(c));
}

std::vector<std::string> comparison_notes(const Comparison& c, const CompareSide& before, const CompareSide& after,
                                          const UnsaidSettings& unsaid) {
  std::vector<std::string> notes;
  const Capture &a = *before.run->capture, &b = *after.run->capture;
  const RunInfo &from = a.run(), &to = b.run();
  std::vector<std::string> settings;
  const auto differ = [&](const std::string& what, const std::string& x, const std::string& y) {
    if (x != y) settings.push_back(fmt::format("{} {} → {}", what, x.empty() ? "–" : x, y.empty() ? "–" : y));
  };
  differ("workload", engine::display_line(from.workload), engine::display_line(to.workload));
  std::set<std::string> keys;
  for (const auto& [key, value] : from.arguments) keys.insert(key);
  for (const auto& [key, value] : to.arguments) keys.insert(key);
  // Nothing: this run does not say, and it cannot be told.
  const auto value_of = [&](const RunInfo& run, const std::string& key) -> std::optional<std::string> {
    if (const auto found = run.arguments.find(key); found != run.arguments.end()) return found->second;
    if (key == "content") return std::nullopt;  // captures of model files say it since they are hashed
    const auto usual = unsaid.find(key);
    if (usual != unsaid.end() && !usual->second) return std::nullopt;
    return std::optional<std::string>(usual == unsaid.end() || !run.source.empty() ? "" : *usual->second);
  };
  for (const std::string& key : keys) {
    const std::optional<std::string> x = value_of(from, key), y = value_of(to, key);
    if (x && y) differ(key, *x, *y);
  }
  differ("device", from.device, to.device);
  differ("threads", fmt::format("{}", from.threads), fmt::format("{}", to.threads));
  differ("machine", a.machine().info.model, b.machine().info.model);
  differ("version", from.product_version, to.product_version);
  if (!settings.empty()) notes.push_back(say("Set differently: {}.", fmt::join(settings, ", ")));
  if (c.per_sample)
    notes.push_back(say("The batches differ ({:g} and {:g}): times, FLOPs and bytes are per sample.", c.before_samples,
                        c.after_samples));
  if (!from.source.empty() || !to.source.empty())
    notes.emplace_back(say("A trace of another tool has no graph: ops are matched by name, type and order."));
  const auto list = [&](MatchKind kind, const char* one, const char* many, const std::string& words) {
    std::vector<std::string> names;
    size_t count = 0;
    for (const CompareRow& row : c.rows) {
      if (row.match.kind == kind && ++count <= kNamed) names.push_back(row.name);
    }
    if (count > 0)
      notes.push_back(fmt::format("{} {}: {}{}.", counted(count, one, many), words, fmt::join(names, ", "),
                                  count > names.size() ? ", ..." : ""));
  };
  list(MatchKind::regrouped, "layer", "layers",
       say("with their work in other ops (fused or split), compared as groups"));
  list(MatchKind::summed, marked("op name"), marked("op names"),
       say("with shapes that one trace does not distinguish, compared as the sum "
           "over all shapes"));
  list(MatchKind::before_only, "op", "ops", say("only before"));
  list(MatchKind::after_only, "op", "ops", say("only after"));
  if (c.shift) {
    notes.push_back(
        say("All ops have {} in common, which is within its noise from process to process ({:.1f} %): taken "
            "out of each op's change.",
            change_words(c.shift->ratio), 100 * c.shift->noise));
  }
  std::vector<double> loads;
  for (const CompareSide* side : {&before, &after}) {
    for (const ProcessTimes& process : side->processes) loads.push_back(process.foreign_load_ratio);
  }
  if (const std::string load = background_load_words(loads); !load.empty()) notes.push_back(load);
  for (const CompareSide* side : {&before, &after}) {
    const auto waited = std::ranges::count_if(
        side->processes, [](const ProcessTimes& p) { return queued(p.queued_ratio, p.foreign_load_ratio); });
    double most = 0;
    for (const ProcessTimes& p : side->processes)
      most = queued(p.queued_ratio, p.foreign_load_ratio) ? std::fmax(most, p.queued_ratio) : most;
    if (waited == 0) continue;
    notes.push_back(
        say("{}: threads of {} of {} waited up to {:.0f} % of a step for processors. Background "
            "load lengthens all steps alike: the interval is wider by that.",
            side == &before ? say("Before") : say("After"), waited,
            counted(side->processes.size(), "process", "processes"), 100 * most));
  }
  const std::string weak_before = roofs_weakness(a.machine()), weak_after = roofs_weakness(b.machine());
  if (!weak_before.empty()) notes.push_back(weak_before == weak_after ? weak_before : say("Before: ") + weak_before);
  if (!weak_after.empty() && weak_after != weak_before) notes.push_back(say("After: ") + weak_after);
  const std::string beside_before = roofs_beside_words(a.machine()), beside_after = roofs_beside_words(b.machine());
  if (!beside_before.empty()) notes.push_back(say("Before: ") + beside_before);
  if (!beside_after.empty()) notes.push_back(say("After: ") + beside_after);
  const bool ours = from.source.empty() && to.source.empty();
  if (c.total.change.noise_assumed) {
    notes.push_back(ours ? say("One process each: the noise between runs is assumed ({:.0f} %, or the scatter "
                               "of the steps where above 5 %). Repeat both runs to measure it.",
                               100 * c.total.change.noise)
                         : say("One trace each: the noise between runs is assumed, not measured."));
  } else if (c.total.change.verdict == ChangeClass::unsure && !c.total.different_work) {
    notes.emplace_back(say("More repeats, or a quieter machine, would narrow the interval."));
  }
  return notes;
}

std::string processes_words(const Change& change) {
  if (change.before == 1 && change.after == 1) return say("one process each");
  return say("{} and {}", change.before, counted(static_cast<uint64_t>(change.after), "process", "processes"));
}

std::string comparison_method(const Comparison& c, const ChangeTest& test) {
  const Change& total = c.total.change;
  return say(
      "{}; one process counts as one sample (the lower quartile of its steps), because steps of a "
      "process share its "
      "memory layout and its neighbours. Student's t on ln t{}; noise of the whole step between "
      "processes {:.1f} % "
      "({}). FASTER or SLOWER: a chance below {:.3g} % for the whole step (and for all ops "
      "together, by share), and at "
      "least {:g} %. SAME: the 95 % interval lies within ±{:g} %. Else UNSURE; different work is "
      "not judged.{}",
      processes_words(total),
      total.left_out > 0 ? say(", without {} outliers (beyond Tukey's outer fences)", total.left_out) : std::string(),
      100 * total.noise,
      total.noise_assumed ? say("assumed; of ops 8 %, more below 100 us") : say("measured, with a floor"),
      50 * test.error_rate, 100 * test.least_change, 100 * test.same_margin,
      c.shift ? say(" The common change of all ops of a process ({} between the sides, "
                    "noise {:.1f} %) is "
                    "taken out of each op's change.",
                    change_words(c.shift->ratio), 100 * c.shift->noise)
              : std::string());
}

}  // namespace profiler
