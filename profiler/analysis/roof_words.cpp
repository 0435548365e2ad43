// SPDX-License-Identifier: Apache-2.0
// Roofs that are missing, and rates above them.
#include "profiler/analysis/roof_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "profiler/analysis/known_bytes.h"
#include "profiler/analysis/verdict/gpu_verdict.h"
#include "profiler/analysis/verdict/limits.h"
#include "profiler/base/say.h"
#include "profiler/base/table.h"
#include "profiler/base/words.h"
#include "profiler/machine/roofs_beside.h"
#include "profiler/machine/roofs_trust.h"

namespace profiler {
namespace {

std::string rate(double bytes_per_s) { return format_quantity(bytes_per_s, Quantity::bytes_per_s); }

}  // namespace

std::string no_roofs_words(const Capture& capture) {
  const RunInfo& run = capture.run();
  const Machine& machine = capture.machine();
  const auto specified = [](const GpuDevice& device) {
    return !std::isnan(gpu_roofs(device, engine::DType::float32).bytes_per_s);
  };
  if (!run.source.empty() && !capture.gpu().kernels.empty() && std::ranges::any_of(capture.gpu().devices, specified))
    return {};
  if (!run.source.empty() && !machine.probed())
    return say(
        "No roofs: an imported trace does not hold those of its machine. Record the same "
        "work with `tensortide run`, which measures them.");
  if (capture.device().emulated)
    return say(
        "No roofs: the GPU was emulated, and an emulation has no bandwidth or peak of its own. Record on a "
        "GPU.");
  if (!capture.computed())
    return say("No roofs: the device null computes nothing that they could bound. Record on the CPU.");
  if (!capture.device().is_processor)
    return say(
        "No roofs: only the processor's were measured, and the ops "
        "ran on device {}. Record on the CPU.",
        run.device);
  std::set<int> threads;
  for (const ComputeRoof& roof : machine.compute) threads.insert(roof.threads);
  for (const BandwidthRoof& roof : machine.bandwidth) threads.insert(roof.threads);
  if (machine.probed() && threads.empty() && !machine.unfinished.empty()) {
    return say(
        "No roofs: the probe ran out of time before it measured any. Run `tensortide probe`, then record again.");
  }
  if (!machine.probed() || threads.empty()) {
    return say(
        "No roofs: none were measured before this run. Run `tensortide "
        "probe`, then record "
        "again.");
  }
  if (threads.contains(run.threads)) return {};
  if (!machine.unfinished.empty()) {
    return say(
        "No roofs: the probe ran out of time before it measured those of {}. Run `tensortide probe`, then record "
        "again.",
        counted(static_cast<uint64_t>(run.threads), "thread"));
  }
  return say(
      "No roofs: they were measured for {}, and the ops ran on {}. Measure the roofs with that number, "
      "then record again.",
      threads == std::set{1} ? say("1 thread") : say("{} threads", fmt::join(threads, ", ")), run.threads);
}

std::string unbounded_words(const Analyzed& analyzed) {
  const Capture& capture = *analyzed.capture;
  if (std::string none = no_roofs_words(capture); !none.empty()) return none;
  std::string why;
  for (const OpRecord& op : capture.ops()) {
    if (op.view) continue;
    OpLimits limits = op_limits(capture, analyzed.model, op);
    if (limits.known || !capture.gpu().kernels.empty()) return {};
    if (why.empty()) why = std::move(limits.unknown_reason);
  }
  return why.empty() ? std::string() : say("No share of a roof: {}.", why);
}

AboveRoof above_roof_ops(const Analyzed& analyzed) {
  const Capture& capture = *analyzed.capture;
  const TrafficModel& model = analyzed.model;
  AboveRoof out;
  if (!model.known || model.links.empty() || !capture.device().is_processor) return out;
  out.level = model.links.front();
  out.weak_roofs = !roofs_weakness(capture.machine()).empty() || !roofs_beside_words(capture.machine()).empty();
  double furthest = 0;
  for (const OpRecord& op : capture.ops()) {
    const Spread& time = analyzed.times[op.id].ns;
    const TrafficModel::OpLevel& moved = model.op_levels[op.id].front();
    if (op.view || !(moved.total() > 0) || time.samples == 0 || !(time.median > 0) ||
        analyzed.verdicts[op.id].bound == Bound::too_short)
      continue;
    const int threads = op_limits(capture, model, op).threads;
    const auto roof = traffic_bandwidth(capture.machine(), out.level, model.links.size() == 1, moved.read_total(),
                                        moved.written_total(), threads);
    if (!roof) continue;
    ++out.of;
    const double seconds = 1e-9 * time.median, share = moved.total() / seconds / *roof;
    if (!above_roof(share)) continue;
    ++out.ops;
    double better = known_bytes(analyzed, Origin::measured, op.id, out.level);
    if (std::isnan(better)) better = known_bytes(analyzed, Origin::simulated, op.id, out.level);
    const double band = model.error_band.front() * (moved.near_capacity ? 2 : 1);
    if (!std::isnan(better)) ++(above_roof(better / seconds / *roof) ? out.confirmed : out.served);
    else out.in_band += above_roof(share * (1 - std::min(band, kMostBand))) ? 0 : 1;
    if (share <= furthest) continue;
    furthest = share;
    out.worst = op.id, out.bytes_per_s = moved.total() / seconds, out.roof_bytes_per_s = *roof;
    out.threads = threads, out.written_ratio = moved.written_total() / moved.total();
  }
  return out;
}

std::string roof_of_words(const AboveRoof& a) {
  return say("{} at {} writes", counted(static_cast<uint64_t>(a.threads), "thread"),
             format_quantity(a.written_ratio, Quantity::percent_of));
}

std::string above_roof_words(const Analyzed& analyzed) {
  const AboveRoof a = above_roof_ops(analyzed);
  if (a.ops == 0) return {};
  const std::string_view name = analyzed.capture->name(analyzed.capture->ops()[a.worst].name);
  const bool one = a.ops == 1;
  std::vector<std::string> whys;
  const auto of_them = [&](size_t count) {
    return count == a.ops ? (one ? say("there") : say("in all of them")) : say("in {} of them", count);
  };
  if (a.served > 0)
    whys.push_back(
        say("caches served part of those bytes {}; measured or simulated bytes are "
            "below the roof",
            of_them(a.served)));
  if (a.in_band > 0)
    whys.push_back(
        say("caches may have served part of those bytes {}, within the model's error band", of_them(a.in_band)));
  if (a.confirmed > 0)
    whys.push_back(
        say("measured or simulated bytes exceed it too, {}: the roof was "
            "measured too low",
            of_them(a.confirmed)));
  if (const size_t left = a.ops - a.served - a.in_band - a.confirmed; left > 0) {
    whys.push_back(fmt::format("{} {}", of_them(left),
                               a.weak_roofs
                                   ? say("the roof has low confidence, or caches served more than modelled")
                                   : say("caches served more than modelled, or the roof was measured too low")));
  } else if (a.weak_roofs && a.confirmed == 0) {
    whys.emplace_back(say("the roof also has low confidence"));
  }
  std::string text = say(
      "{} traffic (modelled bytes, measured time) is above its measured roof in {} of {} ({}{}: {}, the roof of {} is "
      "{}): "
      "{}.",
      a.level, a.ops, counted(a.of, "op"), one ? "" : say("most in "), name, rate(a.bytes_per_s), roof_of_words(a),
      rate(a.roof_bytes_per_s), fmt::join(whys, "; "));
  if (a.served == 0 && analyzed.sources.simulated() == nullptr)
    text += say(" Simulated caches show what caches serve.");
  return text;
}

}  // namespace profiler
