// SPDX-License-Identifier: Apache-2.0
// The four answers: how long, what limits it, where the bytes go, what to change.
#include "profiler/analysis/tables/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "profiler/analysis/analyze.h"
#include "profiler/analysis/base/groups.h"
#include "profiler/analysis/findings/findings.h"
#include "profiler/analysis/known_bytes.h"
#include "profiler/analysis/reference_code.h"
#include "profiler/analysis/roof_words.h"
#include "profiler/analysis/step_shares.h"
#include "profiler/analysis/verdict/gpu_verdict.h"
#include "profiler/analysis/verdict/limits.h"
#include "profiler/analysis/verdict/verdict.h"
#include "profiler/analysis/verdict/verdict_class.h"
#include "profiler/analysis/verdict/verdict_reason.h"
#include "profiler/analysis/verdict/verdict_text.h"
#include "profiler/base/say.h"
#include "profiler/base/table.h"
#include "profiler/base/unknown.h"
#include "profiler/base/words.h"
#include "profiler/capture/accelerator.h"
#include "profiler/capture/batch.h"
#include "profiler/capture/capture.h"
#include "profiler/capture/noise.h"
#include "profiler/capture/only_planned.h"
#include "profiler/capture/timed_steps.h"
#include "profiler/machine/roofs_trust.h"

namespace profiler {
namespace {

/// The sentence names op types until they make up this part of the limiter's time, at most
/// kMostTypes.
constexpr double kNamedShare = 0.85;
constexpr size_t kMostTypes = 3;
/// Below this part of the step between ops nobody needs to hear of it.
constexpr double kUntimedWorthSaying = 0.10;

struct Group {
  Bound bound = Bound::unknown;
  std::string level;
  double time = 0, firm_time = 0;
  double roof_time = 0;                   ///< what the nearest roofs demand
  std::map<std::string, double> nearest;  ///< time by nearest roof
  std::map<std::string, double> types;
  std::map<std::string, double> contradicted;  ///< of inconsistent ops: time by what contradicts each other
  OpId longest = kNoOp;
  double longest_ns = 0;
};

/// Medians of ops may add up to a little more than the median of steps.
std::string share_text(double share) { return say("{:.0f} % of the step", 100 * std::min(share, 1.0)); }

/// "a", "a and b", "a, b and c".
std::string and_list(const std::vector<std::string>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? say(" and ") : std::string(", ");
    text += words[i];
  }
  return text;
}

/// The types that take most of the group's time, and how many more there are: the group's time is that of all.
std::vector<std::string> main_types(const Group& group) {
  std::vector<std::pair<double, std::string>> ranked;
  for (const auto& [type, time] : group.types) ranked.emplace_back(time, type);
  std::sort(ranked.rbegin(), ranked.rend());
  std::vector<std::string> names;
  double named = 0;
  for (const auto& [time, type] : ranked) {
    if (names.size() == kMostTypes || named >= kNamedShare * group.time) break;
    names.push_back(type);
    named += time;
  }
  if (names.size() < ranked.size()) names.push_back(counted(ranked.size() - names.size(), "other type"));
  return names;
}

std::string most_of(const std::map<std::string, double>& times) {
  const auto most = std::max_element(times.begin(), times.end(), [](auto& a, auto& b) { return a.second < b.second; });
  return most == times.end() ? std::string() : most->first;
}

std::string unknown_sentence(const Analyzed& analyzed, const std::string& where, double share) {
  if (find(analyzed.step.reasons, ReasonKind::no_work) != nullptr)
    return say("Nothing was computed: no tensor has elements.");
  if (!no_roofs_words(*analyzed.capture).empty() && !analyzed.capture->run().source.empty()) {
    return say("The limit is unknown: the trace does not hold the roofs of its machine. Most time goes to {} ({}).",
               where, share_text(share));
  }
  const std::string_view kind = unprobed_kind(*analyzed.capture);
  const bool specified = std::ranges::any_of(analyzed.capture->gpu().devices, [](const GpuDevice& device) {
    return !std::isnan(gpu_roofs(device, engine::DType::float32).bytes_per_s);
  });
  if (!kind.empty() && !specified) {
    return say("The limit is unknown: roofs of {} are not measured. Most time goes to {} ({}).", kind, where,
               share_text(share));
  }
  if (kind.empty() && analyzed.capture->run().source.empty() && !analyzed.capture->machine().probed()) {
    return say("The limit is unknown: this machine's roofs were not measured. Most time goes to {} ({}).", where,
               share_text(share));
  }
  return say("The limit of {} ({}) is unknown: see the reason at each op.", where, share_text(share));
}

std::string limiter_sentence(const Analyzed& analyzed, const Group& g, double share) {
  const std::string where = and_list(main_types(g));
  // Half of the group's time in doubt puts the sentence in doubt.
  const std::string probably = g.firm_time >= 0.5 * g.time ? std::string() : say("Probably ");
  const std::string limited = probably.empty() ? say("Limited") : say("limited");
  switch (g.bound) {
    case Bound::unknown: return unknown_sentence(analyzed, where, share);
    case Bound::inconsistent:
      return say("{} contradict each other in {} ({}): probe again on a quiet machine.", most_of(g.contradicted), where,
                 share_text(share));
    case Bound::too_short: return say("Most ops are too short to judge: {} ({}).", where, share_text(share));
    case Bound::overhead:
      return say("{}{} by kernel inefficiency: {} ({}) at {} of the nearest roof, {}.", probably, limited, where,
                 share_text(share), format_quantity(g.roof_time / g.time, Quantity::percent_of), most_of(g.nearest));
    default:
      return say("{}{} by {} in {} ({}).", probably, limited, cause_words(g.bound, g.level), where, share_text(share));
  }
}

/// Why the longest op of the group is limited as it is: the first clause of its verdict's causes; empty: none is known.
std::string longest_cause(const Analyzed& analyzed, const Group& g) {
  if (g.longest == kNoOp || analyzed.verdicts[g.longest].causes.empty()) return {};
  return reason_text(analyzed.verdicts[g.longest].causes.front());
}

/// What to do about kernels below their roofs, whose figures the sentence before has.
std::string within_kernels(const Capture& capture, const std::vector<std::string>& types) {
  const auto set = [&](const char* name, std::string_view value) {
    const auto found = capture.run().arguments.find(name);
    return found != capture.run().arguments.end() && found->second == value;
  };
  if (types.size() > 1 && set("fuse", "off") && !set("graph", "eager"))
    return say("`--fuse on` may help: the kernels of {} run below their roofs.", and_list(types));
  std::string words = say("No change is proposed: the kernels of {} run below their roofs.", and_list(types));
  if (capture.run().source.empty() && capture.traffic_of(Origin::simulated) == nullptr && capture.device().is_processor)
    words += say(" Record with `--collect simulate` to see whether cache misses explain it.");
  return words;
}

/// What to do where no rule found anything: what would make the limit known, else that there is nothing, and why.
std::string without_finding(const Analyzed& analyzed, const Group& g) {
  const Capture& capture = *analyzed.capture;
  const std::vector<std::string> types = main_types(g);
  const std::string_view kind = unprobed_kind(capture);
  switch (g.bound) {
    case Bound::unknown:
      if (!kind.empty()) return say("No change is proposed: the limit is unknown.");
      return capture.machine().probed() || !capture.run().source.empty()
                 ? say("No change is proposed: the limit is unknown.")
                 : say("Run `tensortide probe` to measure this machine's roofs, then record again.");
    case Bound::inconsistent: return say_marked(kMeasureAgain);
    case Bound::too_short: return say("No change is proposed: most ops are too short to judge.");
    case Bound::waiting: return analyzed.waits.advice;
    default: break;
  }
  if (g.bound == Bound::overhead) return within_kernels(capture, types);
  std::string why = longest_cause(analyzed, g);
  if (why.empty() && g.bound == Bound::compute)
    why = say("at {} of its roof", format_quantity(g.roof_time / g.time, Quantity::percent_of));
  return say("No change is proposed: {} {} limited by {}{}.", and_list(types),
             types.size() == 1 ? say("is") : say("are"), cause_words(g.bound, g.level),
             why.empty() ? "" : fmt::format(" ({})", why));
}

/// The finding that leads where verdicts of ops cannot: the time passes outside the ops (then it explains such time),
/// or what limits them is unknown.
const RunFinding* leading_finding(const std::vector<RunFinding>& found, const Summary& s, bool outside) {
  const auto explains_outside = [](const RunFinding& finding) {
    return std::ranges::any_of(finding_rules(),
                               [&](const FindingRule& rule) { return rule.key == finding.rule && rule.outside_ops; });
  };
  for (const RunFinding& finding : found) {
    if (outside && !explains_outside(finding)) continue;
    if (finding.saved_bytes == 0 && finding.gain_ns >= kUntimedWorthSaying * s.step_ns.median) return &finding;
  }
  return nullptr;
}

/// "Time, roofs and simulated bytes": what contradicts each other in an op faster than its roofs.
std::string contradicted(const OpLimits& limits) {
  if (!limits.known) return say("Time, roofs and bytes");
  const size_t at = lower_bound_limit(limits, -1);
  return at < limits.levels.size() ? say("Time, roofs and {} bytes", say_marked(name(limits.levels[at].origin)))
                                   : say("Time and the roof of arithmetic");
}

std::vector<Group> groups_by_verdict(const Analyzed& analyzed) {
  const Capture& capture = *analyzed.capture;
  std::vector<Group> groups;
  for (const OpRecord& op : capture.ops()) {
    const double t = time_of(analyzed, op.id);
    if (op.view || !(t > 0)) continue;
    const Verdict& v = analyzed.verdicts[op.id];
    const std::string level =
        v.bound == Bound::memory || v.bound == Bound::latency || v.bound == Bound::waiting ? v.level : "";
    auto at = std::find_if(groups.begin(), groups.end(),
                           [&](const Group& g) { return g.bound == v.bound && g.level == level; });
    if (at == groups.end()) {
      groups.emplace_back().bound = v.bound;
      groups.back().level = level;
      at = groups.end() - 1;
    }
    at->time += t;
    if (v.firm) at->firm_time += t;
    if (v.bound == Bound::overhead || v.bound == Bound::compute) {
      at->roof_time +=
          (std::isnan(v.utilisation) ? 1 : v.utilisation) * judged_ns(v, t);  // above its roof: nothing is left to win
      at->nearest[v.nearest.empty() ? op_limits(capture, analyzed.model, op).nearest_roof() : v.nearest] += t;
    }
    if (v.bound == Bound::inconsistent) at->contradicted[contradicted(op_limits(capture, analyzed.model, op))] += t;
    if (t > at->longest_ns) at->longest = op.id, at->longest_ns = t;
    at->types[std::string(capture.name(op.type))] += t;
  }
  // Of a step that waits, that comes first: it is what holds up everything else.
  const auto first = [&](const Group& g) { return g.bound == Bound::waiting && analyzed.step.bound == Bound::waiting; };
  std::sort(groups.begin(), groups.end(),
            [&](const Group& a, const Group& b) { return first(a) != first(b) ? first(a) : a.time > b.time; });
  return groups;
}

/// Sums over all ops. In an imported trace those that it says too little of are left out, and counted by their time.
void add_work(const Analyzed& analyzed, Summary& s) {
  const Capture& capture = *analyzed.capture;
  const bool imported = !capture.run().source.empty();
  double all_ns = 0, flops_ns = 0, bytes_ns = 0;
  for (const OpRecord& op : capture.ops()) {
    const double bytes = compulsory_read(capture, op) + compulsory_written(capture, op),
                 dram = analyzed.model.links.empty()
                            ? kUnknown
                            : known_bytes(analyzed, s.dram_origin, op.id, analyzed.model.links.front());
    const double ns = std::fmax(0, time_of(analyzed, op.id));
    all_ns += ns;
    if (!imported || !std::isnan(op.flops)) s.flops += op.flops, flops_ns += ns;
    if (!imported || !std::isnan(bytes)) s.compulsory_bytes += bytes, s.dram_bytes += dram, bytes_ns += ns;
  }
  if (!imported || !(all_ns > 0)) return;
  s.flops_known_ratio = flops_ns / all_ns, s.bytes_known_ratio = bytes_ns / all_ns;
  // zeros alone say nothing of what the others do
  const auto nothing = [](double sum, double ratio) { return ratio == 0 || (sum == 0 && ratio < 1); };
  if (nothing(s.flops, s.flops_known_ratio)) s.flops = kUnknown, s.flops_known_ratio = 0;
  if (nothing(s.compulsory_bytes, s.bytes_known_ratio))
    s.compulsory_bytes = s.dram_bytes = kUnknown, s.bytes_known_ratio = 0;
}

/// The same where a GPU computed: against the peaks of its data sheet.
double step_roof_ratio_on_gpu(const Capture& capture, double step_ns) {
  double peak_ns = 0;
  const std::vector<std::optional<GpuOpWork>> work = gpu_work(capture);
  for (const OpRecord& op : capture.ops()) {
    if (!(op.flops > 0) || !work[op.id]) continue;
    const auto device = std::ranges::find(capture.gpu().devices, work[op.id]->device, &GpuDevice::device);
    if (device == capture.gpu().devices.end()) return kUnknown;
    const double peak = gpu_roofs(*device, dtype_of(capture, op), capture.facts(op.id).format).flop_per_s;
    if (!(peak > 0)) return kUnknown;
    peak_ns += op.flops / peak * 1e9;
  }
  return peak_ns > 0 ? peak_ns / step_ns : kUnknown;
}

/// FLOPs of the step over time, against the peaks of the dtypes they were computed in.
double step_roof_ratio(const Capture& capture, double step_ns) {
  double peak_ns = 0;
  const int threads = std::max(1, capture.run().threads);
  if (!capture.run().source.empty() && !capture.gpu().kernels.empty()) return step_roof_ratio_on_gpu(capture, step_ns);
  if (!capture.device().is_processor) return kUnknown;
  for (const OpRecord& op : capture.ops()) {
    if (!(op.flops > 0)) continue;
    const auto peak = capture.machine().compute_roof(dtype_of(capture, op), threads);
    if (!peak || !(peak->flop_per_s.median > 0)) return kUnknown;
    peak_ns += op.flops / peak->flop_per_s.median * 1e9;
  }
  return peak_ns > 0 ? peak_ns / step_ns : kUnknown;
}

}  // namespace

Summary summary(const Analyzed& analyzed) {
  const Capture& capture = *analyzed.capture;
  Summary s;
  const std::vector<double> steps = timed_steps_ns(capture);
  s.step_ns = spread(steps);
  s.dram_origin = best_origin_of_step(analyzed);
  s.time_doubt = time_doubt_words(capture);
  if (steps.empty()) s.step_ns.median = s.step_ns.low = s.step_ns.high = s.step_ns.mad = kUnknown;
  add_work(analyzed, s);
  if (capture.ops().empty()) s.flops = s.compulsory_bytes = s.dram_bytes = kUnknown;  // nobody said what was computed
  const double of_step =
      capture.run().source.empty() ? s.step_ns.median : mean_step_ns(capture);  // work of a trace's step is a mean
  const double step_ns = of_step > 0 ? of_step : kUnknown;
  s.flop_per_s = capture.rate(s.flops, step_ns);
  s.roof_ratio = unbounded_words(analyzed).empty() ? step_roof_ratio(capture, step_ns) : kUnknown;
  s.above_roof = above_roof(s.roof_ratio);
  if (s.above_roof) s.roof_ratio = kUnknown;
  s.amplification = s.compulsory_bytes > 0 ? s.dram_bytes / s.compulsory_bytes : kUnknown;
  s.samples_per_s = batch_of(capture) / step_ns * 1e9;
  s.untimed_ratio = untimed_ratio(capture);

  if (capture.device().emulated) {  // the step's time stays, as the emulation's
    s.flop_per_s = s.roof_ratio = s.samples_per_s = s.untimed_ratio = kUnknown;
    s.time_doubt.clear();
    s.sentence = analyzed.step.reasons.empty() ? say("Unknown: the GPU was emulated.")
                                               : reason_text(analyzed.step.reasons.front());
    s.advice = s.change = say("Record on a GPU to see what limits it.");
    return s;
  }
  const std::vector<Group> groups = groups_by_verdict(analyzed);
  const double share = share_per_ns(analyzed);
  for (const Group& g : groups) {
    const std::string where = and_list(main_types(g));
    s.limiters.push_back(
        {fmt::format("{}: {}", cause_words(g.bound, g.level), where), g.time * share, g.bound, g.level, where});
  }
  if (!capture.computed()) {
    s.sentence =
        say("Nothing was computed: the null device runs no kernel. Its step is the cost of dispatch "
            "and tracing.");
    s.advice = s.change = say("Run on the CPU to see what the ops cost.");
    return s;
  }
  if (only_planned(capture)) {
    s.sentence = say("Not run yet: shapes, FLOPs and bytes are exact, times and limits are unknown.");
    s.advice = s.change = say("Run it to measure where the time goes.");
    return s;
  }
  if (groups.empty()) {
    s.sentence = say("No op was timed, so limits are unknown.");
    return s;
  }
  const double first_share = groups.front().time * share;
  s.sentence = limiter_sentence(analyzed, groups.front(), first_share);
  const std::vector<RunFinding> found = findings(analyzed);
  const auto for_time = std::ranges::find_if(found, [](const RunFinding& f) { return !(f.saved_bytes > 0); });
  s.change = for_time != found.end() ? advice_text(*for_time, capture) : without_finding(analyzed, groups.front());
  if (for_time == found.end() && !found.empty()) s.change += say(" For memory: ") + advice_text(found.front(), capture);
  const bool waits = analyzed.step.bound == Bound::waiting;
  if (waits) {
    s.sentence = analyzed.waits.sentence;
    const auto rest = std::ranges::find_if(groups, [](const Group& g) { return g.bound != Bound::waiting; });
    if (rest != groups.end() && rest->time * share >= kUntimedWorthSaying)
      s.sentence += say(" Of the rest: ") + limiter_sentence(analyzed, *rest, rest->time * share);
  }
  const bool outside = !waits && s.untimed_ratio > std::max(kUntimedWorthSaying, first_share);
  const RunFinding* leading = nullptr;
  // of a run of ours whose limits are unknown, the advice says what would make them known
  const bool foreign = !capture.run().source.empty();
  if (outside || (!waits && foreign && groups.front().bound == Bound::unknown))
    leading = leading_finding(found, s, outside);
  if (leading) s.sentence = fmt::format("{}{} {}", leading->sentence, outside ? say(" Of the rest:") : "", s.sentence);
  // Why confidence is low stands beside the time and in the badge of each screen (data quality); here, what to do.
  if (!waits && !roofs_weakness(capture.machine()).empty()) {
    s.caution = say_marked(kMeasureAgain);
    s.advice = s.caution;
  } else if (!s.time_doubt.empty()) {
    s.caution = say("First record again on a quiet machine.");
    s.advice = s.caution + " " + s.change;
  } else {
    s.advice = s.change;
  }
  for (const std::string& slow :
       {layout_words(analyzed, layout_copies(analyzed)), reference_words(analyzed, reference_code(analyzed))}) {
    if (!slow.empty()) s.sentence = slow + " " + s.sentence;
  }
  if (outside && !leading) {
    const std::string part = say("{:.0f} % of the step", 100 * s.untimed_ratio);
    s.sentence = say("{}. Of the rest: {}",
                     capture.gpu().kernels.empty() ? part + say(" passes outside all ops")
                                                   : say("The {} idles {}", accelerator_noun(capture), part),
                     s.sentence);
  }
  return s;
}

}  // namespace profiler
