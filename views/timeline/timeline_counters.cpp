// SPDX-License-Identifier: GPL-3.0-or-later
// Charts: each is the lanes it comes from, weighted.
#include "views/timeline/timeline_counters.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "profiler/analysis/base/time_origin.h"
#include "profiler/analysis/footprint.h"
#include "profiler/analysis/known_bytes.h"
#include "profiler/analysis/roofline.h"
#include "profiler/analysis/verdict/gpu_verdict.h"
#include "profiler/base/say.h"
#include "profiler/base/words.h"
#include "profiler/capture/training_loss.h"
#include "profiler/machine/roofs_trust.h"

namespace views {

using profiler::Analyzed;
using profiler::Capture;
using profiler::CopyKind;
using profiler::Origin;
using profiler::Quantity;
using Kind = TimelineCounter::Kind;

void TimelineCounter::columns(int64_t begin_ns, double ns_per_px, int width, std::vector<double>& out) const {
  std::vector<double> part;
  out.assign(static_cast<size_t>(std::max(0, width)),
             kind == Kind::rate ? 0.0 : std::numeric_limits<double>::quiet_NaN());
  for (const Lane& lane : lanes) {
    if (kind == Kind::rate) {
      lane.column_weights(begin_ns, ns_per_px, width, part);
      for (size_t i = 0; i < out.size(); ++i) out[i] += part[i] * 1e9 / ns_per_px;
    } else {
      lane.column_maxima(begin_ns, ns_per_px, width, part);
      for (size_t i = 0; i < out.size(); ++i) out[i] = std::fmax(out[i], part[i]);
    }
  }
}

double TimelineCounter::cumulative(int64_t t) const {
  double sum = 0;
  for (const Lane& lane : lanes) sum += lane.cumulative(t);
  return sum;
}

CounterScale counter_scale(const TimelineCounter& counter, double peak) {
  constexpr double kFarBelow = 4;  // a peak lower than this part of the roof is drawn to its own scale
  CounterScale scale;
  scale.top = std::max(0.0, peak);
  if (!(counter.roof > 0) || !(peak > 0)) return scale;
  scale.above = profiler::above_roof(peak / counter.roof);
  scale.roof_drawn = kFarBelow * peak >= counter.roof;
  if (scale.roof_drawn) scale.top = std::max(peak, counter.roof);
  return scale;
}

namespace {

double total(const profiler::RoleBytes& bytes) {
  double sum = 0;
  for (const double b : bytes) sum += b;
  return sum;
}

/// The lanes of ops that lie beside each other: depth 0 of every thread (children are in it).
std::vector<Lane> weighted_ops(const TimelineModel& model, const std::vector<double>& of_op) {
  std::vector<Lane> lanes;
  if (model.op_lane < 0) return lanes;
  lanes.push_back(model.lanes[static_cast<size_t>(model.op_lane)].lane.weighted_by_op(of_op));
  return lanes;
}

std::string origin_name(Origin origin) { return profiler::say_marked(profiler::name(origin)); }

/// The machine's roof of a level, or of arithmetic (level empty): the highest of those that Roofline draws.
void add_roof(const std::vector<profiler::Roof>& roofs, const profiler::Machine& machine, const std::string& level,
              const char* what, TimelineCounter& counter) {
  const profiler::Roof* highest = nullptr;
  for (const profiler::Roof& roof : roofs)
    if (roof.level == level && (highest == nullptr || roof.value > highest->value)) highest = &roof;
  if (highest == nullptr) return;
  counter.roof = highest->value;
  counter.roof_name = profiler::say_marked(what) + profiler::say(" roof ") +
                      profiler::format_quantity(highest->value, counter.quantity) + " (" +
                      profiler::roof_origin_words(highest->origin, machine) + ")";
  counter.roof_help = profiler::say("The line is the ") + counter.roof_name +
                      profiler::say(", as in Roofline: what this machine reached in its probe with ") +
                      profiler::counted(static_cast<uint64_t>(highest->threads), "thread") +
                      (level.empty() ? "" : profiler::say(", for this run's mix of reads and writes")) + ". ";
  if (const std::string weakness = profiler::roofs_weakness(machine);
      highest->origin == Origin::measured && !weakness.empty())
    counter.roof_help += weakness + " ";
}

/// Why a chart may reach above the roof drawn in it.
std::string above_roof_words(Origin bytes) {
  return profiler::say(
             "Peaks above it (in the colour of warnings) are no faster memory: times are measured, "
             "bytes are ") +
         origin_name(bytes) +
         profiler::say(
             ". An op faster than its bytes allow at the roof found part of them in a cache, or memory "
             "was faster than "
             "during the probe.");
}

constexpr const char* kLiveHelp = profiler::marked(
    "Bytes of all tensors alive while an op runs, weights and optimiser state included (exact, from the memory plan).");

/// Of each op.
std::vector<double> live_bytes(const Capture& capture) {
  std::vector<double> of_op(capture.ops().size(), 0.0);
  for (const auto& p : profiler::footprint(capture).points)
    if (p.op < of_op.size()) of_op[p.op] = total(p.live_bytes);
  return of_op;
}

/// The lanes of kernels.
std::vector<const Lane*> kernel_lanes(const TimelineModel& model) {
  std::vector<const Lane*> kernels;
  for (const TimelineLane& lane : model.lanes)
    if (lane.kind == LaneKind::kernel) kernels.push_back(&lane.lane);
  return kernels;
}

/// The same, each span with its part of what its op does in a step.
std::vector<Lane> weighted_kernels(const Capture& capture, const TimelineModel& model, std::vector<double> of_op) {
  const std::vector<const Lane*> kernels = kernel_lanes(model);
  std::vector<double> spans(of_op.size(), 0.0);
  for (const Lane* lane : kernels)
    for (size_t i = 0; i < lane->size(); ++i)
      if (const profiler::OpId op = lane->op(i); op < spans.size()) spans[op] += 1;
  const auto traced = static_cast<double>(
      std::ranges::count_if(capture.steps(), [](const profiler::StepRecord& s) { return s.traced; }));
  for (size_t i = 0; i < of_op.size(); ++i) of_op[i] = spans[i] > 0 ? of_op[i] * traced / spans[i] : 0;
  std::vector<Lane> lanes;
  for (const Lane* lane : kernels) lanes.push_back(lane->weighted_by_op(of_op));
  return lanes;
}

/// Bytes between L2 and the GPU's memory, where its counters were read, over the kernels.
void add_counted_bytes(const Analyzed& analyzed, TimelineModel& model) {
  const Capture& capture = *analyzed.capture;
  TimelineCounter counter{
      Kind::rate, "dram", profiler::say("Device memory traffic"), {}, Quantity::bytes_per_s, capture.time_origin(),
      {},         {}};
  counter.help = profiler::say(
      "Bytes between L2 and the GPU's memory, counted per op in a separate run and spread evenly "
      "over the op's kernels "
      "here. The area under the curve is the byte count at every zoom.");
  const profiler::TrafficSource* source = analyzed.sources.measured();
  std::vector<double> of_op(capture.ops().size(), 0.0);
  bool any = false;
  for (size_t i = 0; source != nullptr && i < of_op.size(); ++i) {
    const profiler::TrafficRecord* record =
        source->of(static_cast<profiler::OpId>(i), static_cast<uint32_t>(source->link_between("DRAM", "L2")));
    if (record == nullptr || !record->known()) continue;
    of_op[i] = record->total_bytes();
    any = true;
  }
  const auto& devices = capture.gpu().devices;
  const double bandwidth =
      devices.size() == 1 ? profiler::gpu_roofs(devices.front(), engine::DType::float32).bytes_per_s : 0;
  if (any && bandwidth > 0) {
    counter.roof = bandwidth;
    counter.roof_name = profiler::say("memory roof ") + profiler::format_quantity(bandwidth, counter.quantity) +
                        profiler::say(" (specified)");
    counter.roof_help = profiler::say("The line is the ") + counter.roof_name +
                        profiler::say(
                            ": what the device's data sheet allows. Peaks above "
                            "it (in the colour of warnings): bytes were counted "
                            "in a separate run, in which the same kernels may "
                            "have moved more.");
  }
  if (any) counter.lanes = weighted_kernels(capture, model, std::move(of_op));
  else
    counter.unknown_reason =
        profiler::say("unknown: the GPU's counters were not read. Record with GPU kernels and GPU counters");
  model.counters.push_back(std::move(counter));
}

/// A run of ours on a GPU: ops' bytes and FLOPs lie where their kernels ran, not where the host started them.
void add_gpu_counters(const Analyzed& analyzed, TimelineModel& model) {
  const Capture& capture = *analyzed.capture;
  add_counted_bytes(analyzed, model);
  std::vector<double> of_op(capture.ops().size(), 0.0);
  for (size_t i = 0; i < of_op.size(); ++i) of_op[i] = capture.ops()[i].flops;
  model.counters.push_back(
      {Kind::rate,
       "flops",
       "Arithmetic",
       profiler::say("FLOP/s: exact FLOPs of each op, spread evenly over its kernels (measured times)."),
       Quantity::flop_per_s,
       capture.time_origin(),
       {},
       weighted_kernels(capture, model, std::move(of_op))});
  std::vector<Lane> live;
  const std::vector<double> bytes = live_bytes(capture);
  for (const Lane* lane : kernel_lanes(model)) live.push_back(lane->weighted_by_op(bytes));
  model.counters.push_back({Kind::gauge,
                            "live",
                            profiler::say("Live bytes"),
                            profiler::say_marked(kLiveHelp),
                            Quantity::bytes,
                            Origin::exact,
                            {},
                            std::move(live)});
}

void add_op_counters(const Analyzed& analyzed, TimelineModel& model) {
  const Capture& capture = *analyzed.capture;
  const auto& m = analyzed.model;
  const std::vector<profiler::Roof> roofs = profiler::roofline(capture, m).roofs;
  std::vector<double> of_op(capture.ops().size(), 0.0);
  TimelineCounter dram;
  dram.key = "dram";
  dram.title = profiler::say("DRAM traffic");
  dram.origin = profiler::best_origin_of_step(analyzed);  // as the figures above the views
  dram.help =
      profiler::say("Bytes between DRAM and the last cache, ") + origin_name(dram.origin) +
      profiler::say(
          " per op and spread evenly over the op's measured time. The area under the curve is the byte count at "
          "every zoom.");
  if (!m.links.empty() && (m.known || dram.origin != Origin::modelled)) {
    double sum = 0;
    for (size_t i = 0; i < of_op.size(); ++i)
      sum += of_op[i] = profiler::known_bytes(analyzed, dram.origin, static_cast<profiler::OpId>(i), m.links.front());
    dram.lanes = weighted_ops(model, of_op);
    add_roof(roofs, capture.machine(), m.links.front(), m.links.front().c_str(), dram);
    if (dram.roof > 0) dram.roof_help += above_roof_words(dram.origin);
    if (sum == 0)
      dram.nothing = profiler::say("nothing crosses: the step stays in the caches (") + origin_name(dram.origin) + ")";
  } else {
    dram.unknown_reason = "unknown: " + m.unknown_reason;
  }
  model.counters.push_back(std::move(dram));
  for (size_t i = 0; i < of_op.size(); ++i) of_op[i] = capture.ops()[i].flops;
  TimelineCounter flops{Kind::rate,
                        "flops",
                        "Arithmetic",
                        profiler::say("FLOP/s: exact FLOPs of each op, spread evenly over its measured time."),
                        Quantity::flop_per_s,
                        capture.time_origin(),
                        {},
                        weighted_ops(model, of_op)};
  add_roof(roofs, capture.machine(), {}, "arithmetic", flops);
  if (flops.roof > 0)
    flops.roof_help +=
        profiler::say("Peaks above it (in the colour of warnings): a kernel was faster than the probe's best.");
  model.counters.push_back(std::move(flops));
  of_op = live_bytes(capture);
  model.counters.push_back({Kind::gauge,
                            "live",
                            profiler::say("Live bytes"),
                            profiler::say_marked(kLiveHelp),
                            Quantity::bytes,
                            Origin::exact,
                            {},
                            weighted_ops(model, of_op)});
}

/// One chart per kind of copy; copies that ran at once lie in lanes of their own and add up.
void add_copy_counters(const Capture& capture, TimelineModel& model) {
  struct Direction {
    std::vector<std::vector<Span>> lanes;
    std::vector<std::vector<double>> bytes;
    size_t unknown = 0, known = 0;
  };
  std::map<CopyKind, Direction> directions;
  for (const auto& copy : capture.gpu().copies) {
    Direction& d = directions[copy.kind];
    if (copy.bytes < 0) {
      ++d.unknown;
      continue;
    }
    ++d.known;
    const int64_t begin = capture.activities().start_ns[copy.activity],
                  end = begin + capture.activities().duration_ns[copy.activity];
    size_t lane = 0;
    while (lane < d.lanes.size() && d.lanes[lane].back().end_ns > begin) ++lane;
    if (lane == d.lanes.size()) d.lanes.emplace_back(), d.bytes.emplace_back();
    d.lanes[lane].push_back({begin, end, 0, profiler::kNoOp, profiler::kNoStep});
    d.bytes[lane].push_back(static_cast<double>(copy.bytes));
  }
  for (auto& [kind, d] : directions) {
    TimelineCounter counter;
    const std::string name(profiler::name(kind));
    counter.key = "copies " + name;
    counter.title = "Copies, " + name;
    counter.origin = capture.time_origin();
    counter.help = profiler::say("Bytes per second of copies from ") + name +
                   profiler::say(
                       ", spread evenly over each copy's time (measured). The area under the curve is "
                       "the byte count at every zoom.");
    if (d.unknown > 0)
      counter.help +=
          profiler::say(" Not in it: ") + std::to_string(d.unknown) + profiler::say(" copies of unknown size.");
    if (d.known == 0) counter.unknown_reason = profiler::say("unknown: the trace does not hold the sizes of copies");
    for (size_t i = 0; i < d.lanes.size(); ++i)
      counter.lanes.emplace_back(std::move(d.lanes[i]), std::move(d.bytes[i]));
    model.counters.push_back(std::move(counter));
  }
}

bool is_of_training(const Capture& capture, const profiler::CounterSeries& series, std::string_view name) {
  return capture.name(series.group) == profiler::kLossGroup && capture.name(series.name) == name;
}

/// Until when the last value of a series holds: a loss until it is no number any more.
int64_t holds_until(const Capture& capture, const profiler::CounterSeries& series, int64_t end_ns) {
  if (!is_of_training(capture, series, profiler::kLossName)) return end_ns;
  for (const auto& other : capture.counters())
    if (is_of_training(capture, other, profiler::kLossFailedName) && !other.time_ns.empty())
      return other.time_ns.front();
  return end_ns;
}

std::string recorded_help(const Capture& capture, const profiler::CounterSeries& series) {
  if (is_of_training(capture, series, profiler::kLossName))
    return profiler::say(
        "What each training step put out as its loss; it holds until the next step's end, a column shows the "
        "largest.");
  if (is_of_training(capture, series, profiler::kLossFailedName))
    return profiler::say(
        "1 from the end of the first step with a loss of NaN or infinity: this training has "
        "failed.");
  return profiler::say("Recorded in the trace; each value holds until the next, a column shows its largest.");
}

/// Figures that the capture recorded over time: memory in use, GPU metrics, counters of foreign traces.
void add_recorded_counters(const Capture& capture, TimelineModel& model) {
  for (const auto& series : capture.counters()) {
    const std::string name(capture.name(series.name)), group(capture.name(series.group)),
        unit(capture.name(series.unit));
    TimelineCounter counter;
    counter.kind = Kind::gauge;
    counter.key = "recorded " + group + "/" + name;
    counter.title = group.empty() ? name : name + ", " + group;
    counter.quantity = unit == "B"       ? Quantity::bytes
                       : unit == "B/s"   ? Quantity::bytes_per_s
                       : unit == "ratio" ? Quantity::percent_of
                                         : Quantity::count;
    if (!unit.empty() && counter.quantity == Quantity::count) counter.title += " [" + unit + "]";
    counter.origin = Origin::measured;
    counter.help = recorded_help(capture, series);
    std::vector<Span> spans;
    std::vector<double> values;
    const int64_t last_end = holds_until(capture, series, model.end_ns);
    for (size_t i = 0; i < series.time_ns.size(); ++i) {
      const int64_t begin = series.time_ns[i], end = i + 1 < series.time_ns.size() ? series.time_ns[i + 1] : last_end;
      if (end <= begin) continue;  // replaced in the same instant
      spans.push_back({begin, end, 0, profiler::kNoOp, profiler::kNoStep});
      values.push_back(series.value[i]);
    }
    if (spans.empty()) {
      counter.unknown_reason = profiler::say("unknown: the trace holds no value of it within its time");
    } else {
      counter.lanes.emplace_back(std::move(spans), std::move(values));
    }
    model.counters.push_back(std::move(counter));
  }
}

/// FLOP/s of a trace of another tool: what its ops compute, over the kernels they launched; of one without a GPU, over
/// the ops' own time.
void add_foreign_flops(const Capture& capture, TimelineModel& model) {
  const auto of_kind = [&](LaneKind kind) {
    std::vector<const Lane*> lanes;
    for (const TimelineLane& lane : model.lanes)
      if (lane.kind == kind) lanes.push_back(&lane.lane);
    return lanes;
  };
  std::vector<const Lane*> lanes = of_kind(LaneKind::kernel);
  const bool on_gpu = !lanes.empty();
  if (!on_gpu) lanes = of_kind(LaneKind::op);
  std::vector<double> spans(capture.ops().size(), 0.0), of_op(capture.ops().size(), 0.0);
  for (const Lane* lane : lanes)
    for (size_t i = 0; i < lane->size(); ++i)
      if (const profiler::OpId op = lane->op(i); op < spans.size()) spans[op] += 1;
  double sum = 0;
  size_t known = 0, ran = 0;
  for (size_t i = 0; i < of_op.size(); ++i) {
    if (spans[i] == 0) continue;
    ++ran;
    if (!(capture.ops()[i].flops >= 0)) continue;
    ++known;
    of_op[i] = capture.ops()[i].flops * static_cast<double>(capture.steps().size()) / spans[i];
    sum += of_op[i] * spans[i];
  }
  if (!(sum > 0)) return;
  TimelineCounter counter{Kind::rate, "flops", "Arithmetic", {}, Quantity::flop_per_s, Origin::measured, {}, {}};
  counter.help = profiler::say("FLOP/s: FLOPs in the trace or from its shapes, spread evenly over the ") +
                 std::string(on_gpu ? profiler::say("kernels of each op") : profiler::say("time of each op")) +
                 profiler::say(" (measured). FLOPs are known of ") + std::to_string(known) + profiler::say(" of ") +
                 std::to_string(ran) + profiler::say(" ops that ran; the others count nothing.");
  for (const Lane* lane : lanes) counter.lanes.push_back(lane->weighted_by_op(of_op));
  model.counters.push_back(std::move(counter));
}

}  // namespace

void add_counters(const Analyzed& analyzed, TimelineModel& model) {
  if (!analyzed.capture->run().source.empty()) add_foreign_flops(*analyzed.capture, model);
  const bool ours = analyzed.capture->run().source.empty() && !analyzed.capture->tensors().empty();
  if (ours && !analyzed.capture->gpu().kernels.empty()) add_gpu_counters(analyzed, model);
  else if (ours && model.op_lane >= 0) add_op_counters(analyzed, model);
  add_copy_counters(*analyzed.capture, model);
  if (const std::string why = profiler::no_rates_reason(*analyzed.capture); !why.empty()) {
    for (TimelineCounter& counter : model.counters) {
      if (counter.kind != TimelineCounter::Kind::rate) continue;
      counter.lanes.clear();
      counter.unknown_reason = "unknown: " + why;
    }
  }
  add_recorded_counters(*analyzed.capture, model);
}

}  // namespace views
