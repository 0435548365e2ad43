// SPDX-License-Identifier: Apache-2.0
// The first page of a capture's report: how long, what limits it, where the bytes go, what to change.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "profiler/analysis/base/groups.h"
#include "profiler/analysis/bytes_apart.h"
#include "profiler/analysis/findings/findings.h"
#include "profiler/analysis/gpu/overlap.h"
#include "profiler/analysis/gpu/transfers.h"
#include "profiler/analysis/step_shares.h"
#include "profiler/analysis/tables/summary.h"
#include "profiler/analysis/traffic.h"
#include "profiler/analysis/verdict/verdict_text.h"
#include "profiler/capture/accelerator.h"
#include "profiler/capture/noise.h"
#include "profiler/capture/phases.h"
#include "profiler/report/words.h"

namespace profiler {
namespace {

/// From this part of a step on, time without any work leads.
constexpr double kIdleWorthSaying = 0.10;
constexpr size_t kMostLimiters = 3, kMostTensors = 3, kMostAdvice = 3;

std::string percent(double ratio) { return format_quantity(ratio, Quantity::percent_of); }
std::string bytes(double value) { return format_quantity(value, Quantity::bytes); }
std::string duration(double ns) { return format_quantity(ns, Quantity::duration_ns); }

/// "Forward 32 %, backward 61 % and update 7 % of the step."; of an imported trace "Ops of unknown phase 39 %, ...";
/// empty: one phase, or no op was timed.
std::string phases_of(const Analyzed& analyzed) {
  std::array<double, 3> times{};
  for (const OpRecord& op : analyzed.capture->ops()) {
    const double t = time_of(analyzed, op.id);
    if (!op.view && t > 0) times[std::min<size_t>(static_cast<size_t>(op.phase), 2)] += t;
  }
  const double share = share_per_ns(analyzed);
  std::vector<std::string> words;
  for (size_t phase = 0; phase < times.size(); ++phase) {
    const auto which = static_cast<Phase>(phase);
    const std::string name =
        phase_known(*analyzed.capture, which) ? std::string(engine::name(which)) : std::string("ops of unknown phase");
    if (times[phase] * share > 0) words.push_back(fmt::format("{} {}", name, percent(times[phase] * share)));
  }
  return words.size() < 2 ? std::string() : sentence_case(listed(words)) + " of the step.";
}

ReportAnswer how_long(const Analyzed& analyzed, const Summary& s) {
  ReportAnswer answer{.question = "How long?", .headline = "Unknown", .facts = {}, .sentences = {}};
  const Capture& capture = *analyzed.capture;
  const Origin timed = capture.time_origin();
  if (s.step_ns.samples == 0) {
    answer.facts.push_back(
        number_fact("step_ns", "Time per step", s.step_ns.median, Quantity::duration_ns, timed, "no step was timed"));
    answer.sentences.push_back(capture.run().complete ? "This capture holds no timed step."
                                                      : "The run ended before its first timed step.");
    return answer;
  }
  answer.headline = duration(s.step_ns.median) + " per step";
  const std::string within = fmt::format("{} to {}", duration(s.step_ns.low), duration(s.step_ns.high));
  const std::string band = s.step_ns.samples == 1 ? "one step"
                           : s.step_ns.samples < kSamplesOfAnInterval
                               ? fmt::format("median of {} steps, all within {}", s.step_ns.samples, within)
                               : fmt::format("median of {} steps, 95 % interval {}", s.step_ns.samples, within);
  answer.facts.push_back(number_fact("step_ns", "Time per step", s.step_ns.median, Quantity::duration_ns, timed, band));
  if (!s.time_doubt.empty()) answer.sentences.push_back(s.time_doubt);
  if (const double mean = mean_step_apart_ns(capture); !std::isnan(mean)) {
    answer.facts.push_back(number_fact("mean_step_ns", "Mean step", mean, Quantity::duration_ns, timed,
                                       "the base of all shares of the step"));
  }
  if (!std::isnan(s.samples_per_s)) {
    answer.facts.push_back(number_fact("samples_per_s", "Samples per second", s.samples_per_s, Quantity::count, timed,
                                       "batch / time per step"));
  }
  if (const std::string parts = phases_of(analyzed); !parts.empty()) answer.sentences.push_back(parts);
  if (const std::string parts = step_parts_words(step_parts(analyzed)); !parts.empty())
    answer.sentences.push_back(fmt::format("The step is {}.", parts));
  if (capture.computed() && capture.run().source.empty()) {
    answer.facts.push_back(number_fact("untimed_ratio", "Outside all ops", s.untimed_ratio, Quantity::percent_of, timed,
                                       "part of a step"));
    if (const StepParts parts = step_parts(analyzed); parts.known() && parts.has_rest()) {
      answer.facts.push_back(number_fact("beyond_medians_ratio", sentence_case(kRestName),
                                         parts.rest_ns / parts.step_ns, Quantity::percent_of, timed,
                                         "the median step less its parts, per step"));
    }
  }
  return answer;
}

/// What the GPUs did, where some did anything.
bool add_gpu_facts(const Overlap& overlap, std::string_view noun, ReportAnswer& answer) {
  GpuRegion all;
  for (const GpuRegion& r : overlap.regions) {
    all.span_ns += r.span_ns, all.kernel_ns += r.kernel_ns, all.copy_ns += r.copy_ns,
        all.overlapped_ns += r.overlapped_ns, all.idle_ns += r.idle_ns;
    all.communication_ns += r.communication_ns, all.exposed_communication_ns += r.exposed_communication_ns;
  }
  if (!(all.span_ns > 0)) return false;
  const std::string device = sentence_case(std::string(noun));
  const auto add = [&](const char* does, double ns, const char* note) {
    const std::string label = fmt::format("{} {}", device, does);
    answer.facts.push_back(number_fact("", label, ns / all.span_ns, Quantity::percent_of, Origin::measured, note));
  };
  add("computes", all.kernel_ns, "some kernel that computes runs (union over streams, mean over devices)");
  if (all.communication_ns > 0)
    add("only communicates", all.exposed_communication_ns, "a kernel carries data between GPUs and none computes");
  add("only copies", all.exposed_ns(), "a copy runs and no kernel");
  add("idle", all.idle_ns, "neither");
  return true;
}

ReportAnswer what_limits(const Analyzed& analyzed, const Summary& s, const Overlap& overlap) {
  ReportAnswer answer{.question = "What limits it?", .headline = "Unknown", .facts = {}, .sentences = {s.sentence}};
  const Capture& capture = *analyzed.capture;
  if (capture.device().emulated) return answer;
  const bool known = !s.limiters.empty() && s.limiters.front().bound != Bound::unknown;
  if (known) {
    const Limiter& first = s.limiters.front();
    answer.headline =
        sentence_case(fmt::format("{}, {} of the step", cause_words(first.bound, first.level), percent(first.share)));
  }
  const std::string_view noun = accelerator_noun(capture);
  if (add_gpu_facts(overlap, noun, answer)) {
    const auto most = std::min<size_t>(kSentencesOfPage1, overlap.findings.size());
    answer.sentences.insert(answer.sentences.begin(), overlap.findings.begin(),
                            overlap.findings.begin() + static_cast<std::ptrdiff_t>(most));
    if (!known)
      answer.headline =
          fmt::format("{} {} of the time", answer.facts.front().label, percent(answer.facts.front().value));
    // standing still is what limits it where no limit of the work takes longer
    const double first = s.limiters.empty() ? 0 : s.limiters.front().share;
    if (s.untimed_ratio > std::max(kIdleWorthSaying, first))
      answer.headline = fmt::format("The {} idles {} of the step", accelerator_noun(capture), percent(s.untimed_ratio));
  }
  for (size_t i = 0; known && i < std::min(kMostLimiters, s.limiters.size()); ++i) {
    const Limiter& limiter = s.limiters[i];
    const std::string cause = cause_words(limiter.bound, limiter.level);
    answer.facts.push_back(number_fact("limiter." + limiter.what, sentence_case(cause), limiter.share,
                                       Quantity::percent_of, Origin::modelled, limiter.where));
  }
  if (!capture.computed()) {
    answer.headline = "Nothing was computed";
    return answer;
  }
  if (!std::isnan(s.flop_per_s) && s.flops > 0) {
    answer.facts.push_back(number_fact("step_flop_per_s", "Arithmetic rate", s.flop_per_s, Quantity::flop_per_s,
                                       Origin::measured,
                                       s.above_roof               ? "above the measured roof, which is no bound then"
                                       : std::isnan(s.roof_ratio) ? "roof unknown"
                                                                  : percent(s.roof_ratio) + " of the measured roof"));
  }
  return answer;
}

const char* plural(Role role) {
  switch (role) {
    case Role::input: return "inputs";
    case Role::weight: return "weights";
    case Role::activation: return "activations";
    case Role::gradient: return "gradients";
    case Role::optimizer_state: return "optimiser state";
    case Role::workspace: return "workspace";
  }
  return "others";
}

/// "activations 57 %, gradients 25 % and weights 11 %".
std::string roles_of(const LinkTraffic& link) {
  RoleBytes by_role{};
  for (size_t r = 0; r < by_role.size(); ++r) by_role[r] = link.modelled_read[r] + link.modelled_written[r];
  std::vector<size_t> order(by_role.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, [&](size_t a, size_t b) { return by_role[a] > by_role[b]; });
  std::vector<std::string> words;
  for (const size_t r : order) {
    const double share = by_role[r] / link.modelled_total();
    if (!(share >= 0.01)) break;
    words.push_back(fmt::format("{} {}", plural(static_cast<Role>(r)), percent(share)));
  }
  return listed(words);
}

std::string tensors_of(const Capture& capture, const std::vector<TensorTraffic>& ranked) {
  std::vector<std::string> words;
  for (const TensorTraffic& t : ranked) {
    if (words.size() == kMostTensors || !(t.modelled_read + t.modelled_written > 0)) break;
    words.push_back(fmt::format("{} ({})", capture.name(capture.tensors()[t.tensor].name),
                                bytes(t.modelled_read + t.modelled_written)));
  }
  return listed(words);
}

void add_transfers(const Transfers& copies, Origin origin, std::string_view noun, ReportAnswer& answer) {
  if (copies.count == 0) return;
  answer.facts.push_back(number_fact("", fmt::format("Copied by the {}'s copy engines", noun),
                                     static_cast<double>(copies.bytes), Quantity::bytes, origin,
                                     fmt::format("{} {} in the whole capture, {}", copies.count,
                                                 copies.count == 1 ? "copy" : "copies", duration(copies.device_ns))));
}

std::string why_no_bytes(const Analyzed& analyzed) {
  if (!analyzed.capture->run().source.empty()) return "the trace holds neither the caches nor the roofs of its machine";
  return analyzed.model.known ? "no op with known bytes" : analyzed.model.unknown_reason;
}

ReportAnswer where_bytes(const Analyzed& analyzed, const Summary& s, const Traffic& traffic, const Transfers& copies) {
  ReportAnswer answer{.question = "Where do the bytes go?", .headline = "Unknown", .facts = {}, .sentences = {}};
  const Capture& capture = *analyzed.capture;
  if (!capture.computed()) {
    answer.headline = "Nothing was moved";
    answer.sentences.push_back("The null device runs no kernel.");
    return answer;
  }
  const bool shapes = s.compulsory_bytes > 0, modelled = shapes && !std::isnan(s.dram_bytes) && !traffic.links.empty();
  if (modelled) {
    answer.headline = s.dram_bytes == 0 ? "Nothing through DRAM once the caches are warm"
                                        : fmt::format("{} through DRAM per step", bytes(s.dram_bytes));
    const LinkTraffic& link = traffic.links.front();
    if (const auto apart = bytes_apart(analyzed, ops_of(capture, {}), analyzed.model.links.front()))
      answer.sentences.push_back(bytes_apart_words(capture, std::span(&*apart, 1)));
    if (const std::string roles = roles_of(link); !roles.empty())
      answer.sentences.push_back(
          fmt::format("By role{}: {}.", s.dram_origin == Origin::modelled ? "" : " (modelled)", roles));
    if (const std::string most = traffic.tensors.empty() ? std::string() : tensors_of(capture, traffic.tensors.front());
        !most.empty())
      answer.sentences.push_back(
          fmt::format("Most moved{}: {}.", s.dram_origin == Origin::modelled ? "" : " (modelled)", most));
  } else if (shapes) {
    answer.headline = fmt::format("At least {} per step", bytes(s.compulsory_bytes));
  } else if (copies.count > 0) {
    answer.headline = fmt::format("{} in copies", bytes(static_cast<double>(copies.bytes)));
  }
  answer.facts.push_back(number_fact("dram_bytes", "Through DRAM per step", s.dram_bytes, Quantity::bytes,
                                     s.dram_origin,
                                     !modelled ? why_no_bytes(analyzed)
                                     : s.dram_origin == Origin::modelled && !last_cache_words(analyzed.model).empty()
                                         ? fmt::format("with {}", last_cache_words(analyzed.model))
                                         : ""));
  answer.facts.push_back(number_fact(
      "compulsory_bytes", "Compulsory", shapes ? s.compulsory_bytes : std::nan(""), Quantity::bytes, Origin::exact,
      shapes && s.bytes_known_ratio < 0.995 ? "known for " + percent(s.bytes_known_ratio) + " of the time of all ops"
      : shapes                              ? "every operand byte once per op"
      : capture.ops().empty()               ? "no ops were recorded"
                                            : "the shapes of some ops are not known"));
  if (modelled) {
    answer.facts.push_back(number_fact("amplification_ratio", "Amplification", s.amplification, Quantity::ratio,
                                       s.dram_origin, "through DRAM / compulsory"));
  }
  add_transfers(copies, capture.time_origin(), accelerator_noun(capture), answer);
  return answer;
}

ReportAnswer what_to_change(const Analyzed& analyzed, const Summary& s, const Transfers& copies) {
  ReportAnswer answer{
      .question = "What should I change?", .headline = {}, .facts = {}, .sentences = {}, .wide_labels = true};
  // what is wrong with the measurement comes before what the measurement says
  const bool rash = disturbed(*analyzed.capture) || !analyzed.capture->computed();
  if (rash) answer.headline = s.caution.empty() ? s.advice : s.caution;
  const std::vector<RunFinding> found = findings(analyzed);
  for (const size_t rank : leading_findings(found)) {
    const RunFinding& finding = found[rank];
    const std::string note =
        fmt::format("{}; finding {}", std::isnan(finding.gain_ns) ? "gain unknown" : "per step", rank + 1);
    const bool first = answer.headline.empty();
    const std::string advice = advice_text(finding, *analyzed.capture);
    if (first) answer.headline = advice;
    answer.facts.push_back(number_fact("", first ? "Potential savings" : advice, finding.gain_ns, Quantity::duration_ns,
                                       Origin::modelled, note));
  }
  for (const std::string& words : {s.caution, s.change}) {
    const auto same = [&](const ReportFact& fact) { return fact.label == words; };
    if (!words.empty() && answer.headline != words && std::ranges::none_of(answer.facts, same))
      answer.sentences.push_back(words);
  }
  for (size_t i = 0; i < std::min(kSentencesOfPage1, copies.findings.size()); ++i)
    answer.sentences.push_back(copies.findings[i]);
  if (!answer.headline.empty()) return answer;
  if (answer.sentences.empty()) answer.sentences.push_back("No change is suggested for this run.");
  answer.headline = answer.sentences.front();
  answer.sentences.erase(answer.sentences.begin());
  return answer;
}

}  // namespace

std::vector<size_t> leading_findings(const std::vector<RunFinding>& found) {
  std::vector<size_t> leading;
  for (size_t i = 0; i < found.size() && leading.size() < kMostAdvice; ++i) {
    if (!(found[i].saved_bytes > 0)) leading.push_back(i);  // time is what page 1 is about
  }
  return leading;
}

std::vector<ReportAnswer> capture_answers(const Analyzed& analyzed) {
  const Summary s = summary(analyzed);
  const Overlap gpu = overlap(*analyzed.capture, analyzed.rules);
  const Transfers copies = transfers(*analyzed.capture, analyzed.rules);
  return {how_long(analyzed, s), what_limits(analyzed, s, gpu),
          where_bytes(analyzed, s, traffic(*analyzed.capture, analyzed.model, {}), copies),
          what_to_change(analyzed, s, copies)};
}

}  // namespace profiler
