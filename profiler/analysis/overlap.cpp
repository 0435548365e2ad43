// SPDX-License-Identifier: Apache-2.0
// Busy and idle time of GPUs by unions of spans; the cause of a gap from the launch that ended it.
#include "profiler/analysis/overlap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

#include "profiler/analysis/intervals.h"
#include "profiler/analysis/verdict_rules.h"
#include "profiler/model/host_copies.h"
#include "profiler/model/statistics.h"

namespace profiler {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

Interval span_of(const Capture& c, uint32_t row) {
  const ActivityColumns& a = c.activities();
  return {a.start_ns[row], a.start_ns[row] + a.duration_ns[row]};
}

/// What one device did, and what started it.
struct DeviceWork {
  std::vector<Interval> kernel_spans, copy_spans;
  struct Start {
    int64_t at_ns = 0;
    uint64_t correlation = 0;
  };
  std::vector<Start> starts;  ///< of kernels, memsets and copies, ascending
  std::vector<int64_t> kernel_starts, copy_starts;
  IntervalSet kernels, copies, busy;

  void freeze() {
    std::vector<Interval> all = kernel_spans;
    all.insert(all.end(), copy_spans.begin(), copy_spans.end());
    kernels = IntervalSet(std::move(kernel_spans));
    copies = IntervalSet(std::move(copy_spans));
    busy = IntervalSet(std::move(all));
    std::sort(kernel_starts.begin(), kernel_starts.end());
    std::sort(copy_starts.begin(), copy_starts.end());
    std::sort(starts.begin(), starts.end(), [](const Start& a, const Start& b) { return a.at_ns < b.at_ns; });
  }
};

std::map<int32_t, DeviceWork> device_work(const Capture& capture) {
  const GpuRecords& gpu = capture.gpu();
  std::map<int32_t, DeviceWork> devices;
  const auto add = [&](const auto& record, bool copy) {
    DeviceWork& work = devices[record.place.device];
    (copy ? work.copy_spans : work.kernel_spans).push_back(span_of(capture, record.activity));
    work.starts.push_back({capture.activities().start_ns[record.activity], capture.activities().correlation[record.activity]});
    (copy ? work.copy_starts : work.kernel_starts).push_back(work.starts.back().at_ns);
  };
  for (const KernelRecord& kernel : gpu.kernels) add(kernel, false);
  for (const MemsetRecord& memset : gpu.memsets) add(memset, false);
  for (const CopyRecord& copy : gpu.copies) {
    if (!is_host_copy(copy)) add(copy, true);  // that one is the processor's work
  }
  for (auto& [device, work] : devices) work.freeze();
  return devices;
}

class Observer {
 public:
  Observer(const Capture& capture, const VerdictRules& rules) : rules_(rules), devices_(device_work(capture)) {
    const GpuRecords& gpu = capture.gpu();
    std::vector<Interval> calls, waits;
    for (const ApiCallRecord& call : gpu.api_calls) {
      calls.push_back(span_of(capture, call.activity));
      const uint64_t correlation = capture.activities().correlation[call.activity];
      if (correlation != 0) calls_by_id_[correlation] = calls.back();
    }
    for (const SynchronizationRecord& wait : gpu.synchronizations) waits.push_back(span_of(capture, wait.activity));
    calls_ = IntervalSet(std::move(calls));
    waits_ = IntervalSet(std::move(waits));
  }

  const std::map<int32_t, DeviceWork>& devices() const { return devices_; }

  GpuRegion region(int32_t device, const DeviceWork& work, int64_t begin, int64_t end) const {
    GpuRegion r;
    r.device = device;
    r.span_ns = static_cast<double>(end - begin);
    r.kernel_ns = static_cast<double>(work.kernels.covered_ns(begin, end));
    r.copy_ns = static_cast<double>(work.copies.covered_ns(begin, end));
    const double busy = static_cast<double>(work.busy.covered_ns(begin, end));
    r.overlapped_ns = r.kernel_ns + r.copy_ns - busy;
    r.idle_ns = r.span_ns - busy;
    for (const Interval& gap : work.busy.gaps(begin, end)) explain(work, gap, end, r.idle);
    r.kernels = started(work.kernel_starts, begin, end);
    r.copies = started(work.copy_starts, begin, end);
    r.bound = classify(r);
    return r;
  }

  /// The call that launched what has this correlation; nullptr: unknown.
  const Interval* call(uint64_t correlation) const {
    const auto found = calls_by_id_.find(correlation);
    return correlation == 0 || found == calls_by_id_.end() ? nullptr : &found->second;
  }

 private:
  /// How many of ascending times lie in [begin, end).
  static int64_t started(const std::vector<int64_t>& times, int64_t begin, int64_t end) {
    return std::lower_bound(times.begin(), times.end(), end) - std::lower_bound(times.begin(), times.end(), begin);
  }

  void explain(const DeviceWork& work, const Interval& gap, int64_t region_end, IdleCauses& causes) const {
    const auto next = std::lower_bound(work.starts.begin(), work.starts.end(), gap.end_ns,
                                       [](const DeviceWork::Start& s, int64_t time) { return s.at_ns < time; });
    const double length = static_cast<double>(gap.end_ns - gap.begin_ns);
    // work that starts after the region has ended was not what this region waited for
    const bool ended_by_work = next != work.starts.end() && next->at_ns == gap.end_ns && gap.end_ns < region_end;
    const Interval* launch = ended_by_work ? call(next->correlation) : nullptr;
    if (launch == nullptr && !ended_by_work) {
      // the tail: after the last work the host is waiting, calling, or busy with its own
      host_side(gap.begin_ns, gap.end_ns, causes);
      return;
    }
    if (launch == nullptr) {
      causes.unknown_ns += length;
    } else if (launch->end_ns <= gap.begin_ns) {
      causes.queued_ns += length;
    } else {
      const int64_t returned = std::min(launch->end_ns, gap.end_ns);
      host_side(gap.begin_ns, returned, causes);
      causes.start_ns += static_cast<double>(gap.end_ns - returned);
    }
  }

  /// Waits are calls too: they are told apart first.
  void host_side(int64_t begin, int64_t end, IdleCauses& causes) const {
    const double waiting = static_cast<double>(waits_.covered_ns(begin, end));
    double calling = 0;
    const IntervalSet calls = calls_.within(begin, end);
    for (const Interval& call : calls.spans()) {
      calling += static_cast<double>(call.end_ns - call.begin_ns - waits_.covered_ns(call.begin_ns, call.end_ns));
    }
    causes.waits_ns += waiting;
    causes.calls_ns += calling;
    causes.host_ns += static_cast<double>(end - begin) - waiting - calling;
  }

  GpuBound classify(const GpuRegion& r) const {
    if (!(r.span_ns > 0)) return GpuBound::unknown;
    if (r.exposed_ns() / r.span_ns >= rules_[Rule::transfer_ratio]) return GpuBound::transfer;
    const double idle = r.idle_ns / r.span_ns;
    if (idle < rules_[Rule::launch_idle_ratio]) return GpuBound::busy;
    if (r.idle.unknown_ns > (1 - rules_[Rule::launch_host_ratio]) * r.idle_ns) return GpuBound::unknown;
    return r.idle.launching_ns() >= rules_[Rule::launch_host_ratio] * r.idle_ns ? GpuBound::launch : GpuBound::mixed;
  }

  const VerdictRules& rules_;
  std::map<int32_t, DeviceWork> devices_;
  std::unordered_map<uint64_t, Interval> calls_by_id_;
  IntervalSet calls_, waits_;
};

std::vector<StepRecord> measured_steps(const Capture& capture) {
  std::vector<StepRecord> measured;
  for (const StepRecord& step : capture.steps()) {
    if (step.traced && !step.warmup) measured.push_back(step);
  }
  return measured.empty() ? capture.steps() : measured;
}

/// Calls f(step, begin, end) for each span that one device is looked at.
template <class F>
void for_each_region(const std::vector<StepRecord>& steps, const DeviceWork& work, F&& f) {
  for (const StepRecord& step : steps) f(step.index, step.start_ns, step.start_ns + step.duration_ns);
  if (steps.empty() && !work.busy.spans().empty()) f(kNoStep, work.busy.spans().front().begin_ns, work.busy.spans().back().end_ns);
}

LaunchStatistics launch_statistics(const Capture& capture, const Observer& observer) {
  std::vector<double> calls, kernels;
  int64_t shorter = 0;
  std::set<uint64_t> seen;  // one call may launch a graph of many kernels: those are not held against it
  const ActivityColumns& a = capture.activities();
  for (const KernelRecord& kernel : capture.gpu().kernels) {
    kernels.push_back(static_cast<double>(a.duration_ns[kernel.activity]));
    const Interval* call = kernel.graph_node == 0 ? observer.call(a.correlation[kernel.activity]) : nullptr;
    if (call == nullptr || !seen.insert(a.correlation[kernel.activity]).second) continue;
    calls.push_back(static_cast<double>(call->end_ns - call->begin_ns));
    shorter += kernels.back() < calls.back();
  }
  LaunchStatistics s;
  s.launches = static_cast<int64_t>(calls.size());
  s.median_call_ns = median(calls);
  s.median_kernel_ns = median(kernels);
  s.shorter_ratio = calls.empty() ? kUnknown : static_cast<double>(shorter) / static_cast<double>(calls.size());
  return s;
}

std::string share(double part, double whole) { return format_quantity(part / whole, Quantity::percent_of); }
std::string time_text(double ns) { return format_quantity(ns, Quantity::duration_ns); }

void find_causes(Overlap& o) {
  GpuRegion all;
  std::map<GpuBound, int> bounds;
  for (const GpuRegion& r : o.regions) {
    all.span_ns += r.span_ns, all.kernel_ns += r.kernel_ns, all.copy_ns += r.copy_ns, all.overlapped_ns += r.overlapped_ns;
    all.idle_ns += r.idle_ns;
    all.idle.calls_ns += r.idle.calls_ns, all.idle.waits_ns += r.idle.waits_ns, all.idle.host_ns += r.idle.host_ns;
    all.idle.start_ns += r.idle.start_ns, all.idle.queued_ns += r.idle.queued_ns, all.idle.unknown_ns += r.idle.unknown_ns;
    ++bounds[r.bound];
  }
  if (!(all.span_ns > 0)) return;
  o.findings.push_back(fmt::format("The GPU computes {} of the time, copies without computing {}, and stands still {}.",
                                   share(all.kernel_ns, all.span_ns), share(all.exposed_ns(), all.span_ns), share(all.idle_ns, all.span_ns)));
  if (bounds[GpuBound::transfer] * 2 > static_cast<int>(o.regions.size())) {
    o.findings.push_back(fmt::format("Transfer-bound: {} of {} of copies run while nothing computes; copy the next input while this one is computed.",
                                     time_text(all.exposed_ns()), time_text(all.copy_ns)));
  }
  if (bounds[GpuBound::launch] * 2 > static_cast<int>(o.regions.size())) {
    o.findings.push_back(fmt::format("Launch-bound: {} of {} idle pass before the work was launched or on its way; fewer, larger kernels or a CUDA "
                                     "graph win it.",
                                     time_text(all.idle.launching_ns()), time_text(all.idle_ns)));
  }
  if (o.launches.launches > 0 && o.launches.shorter_ratio >= 0.5) {
    o.findings.push_back(fmt::format("{} of the kernels run for less time than the call that launches them takes (median {} against {}).",
                                     format_quantity(o.launches.shorter_ratio, Quantity::percent_of), time_text(o.launches.median_kernel_ns),
                                     time_text(o.launches.median_call_ns)));
  }
}

}  // namespace

std::string_view name(GpuBound bound) {
  constexpr std::string_view names[] = {"unknown", "busy", "transfer-bound", "launch-bound", "idle for several reasons"};
  return names[static_cast<size_t>(bound)];
}

Overlap overlap(const Capture& capture, const VerdictRules& rules) {
  const Observer observer(capture, rules);
  Overlap o;
  o.launches = launch_statistics(capture, observer);
  const std::vector<StepRecord> steps = measured_steps(capture);
  for (const auto& [device, work] : observer.devices()) {
    for_each_region(steps, work, [&, device = device, &work = work](uint32_t step, int64_t begin, int64_t end) {
      GpuRegion region = observer.region(device, work, begin, end);
      region.step = step;
      o.regions.push_back(region);
    });
  }
  find_causes(o);
  return o;
}

double gpu_idle_ratio(const Capture& capture) {
  const std::vector<StepRecord> steps = measured_steps(capture);
  double span = 0, busy = 0;
  for (const auto& [device, work] : device_work(capture)) {
    for_each_region(steps, work, [&, &work = work](uint32_t, int64_t begin, int64_t end) {
      span += static_cast<double>(end - begin);
      busy += static_cast<double>(work.busy.covered_ns(begin, end));
    });
  }
  return span > 0 ? 1 - busy / span : kUnknown;
}

struct GpuTimes::Parts {
  explicit Parts(std::shared_ptr<const Capture> c) : capture(std::move(c)), observer(*capture, VerdictRules::built_in()) {}
  std::shared_ptr<const Capture> capture;
  Observer observer;
};

GpuTimes::GpuTimes(std::shared_ptr<const Capture> capture) : parts_(std::make_unique<const Parts>(std::move(capture))) {}

GpuTimes::~GpuTimes() = default;

std::vector<GpuRegion> GpuTimes::within(int64_t begin_ns, int64_t end_ns) const {
  std::vector<GpuRegion> regions;
  for (const auto& [device, work] : parts_->observer.devices()) {
    regions.push_back(parts_->observer.region(device, work, begin_ns, std::max(begin_ns, end_ns)));
  }
  return regions;
}

Table overlap_table(const Capture& capture, const VerdictRules& rules) {
  Table table;
  table.name = "overlap";
  const auto time = [](const char* key, const char* title, const char* help) {
    return Column{key, title, Quantity::duration_ns, Origin::measured, help};
  };
  table.columns = {
      {"device", "GPU", Quantity::text, Origin::measured, "Number of the device; empty: unknown"},
      {"step", "Step", Quantity::text, Origin::exact, "Index of the step; empty: the capture has none, the row is all of the device's work"},
      time("span_ns", "Time", "From the step's start to its end"),
      time("kernel_ns", "Kernels", "Some kernel or memset ran (a union: overlapping kernels count once)"),
      time("copy_ns", "Copies", "Some copy ran"),
      time("overlapped_ns", "Both", "A copy ran beside a kernel"),
      time("exposed_ns", "Copies alone", "Copies without a kernel beside them"),
      time("idle_ns", "Idle", "The device did nothing; its causes follow and add up to it"),
      time("idle_calls_ns", "CUDA calls", "Idle before the next launch had returned, while the host was inside CUDA calls"),
      time("idle_waits_ns", "Waits", "... while the host was waiting for the GPU"),
      time("idle_host_ns", "Host", "... while the host did something else"),
      time("idle_start_ns", "Start", "From the return of the launch to the start of the work"),
      time("idle_queued_ns", "Queued", "The next work had been launched already and waited for other work or the device"),
      time("idle_unknown_ns", "Unknown", "Nobody recorded the launch"),
      {"kernels_count", "Kernels", Quantity::count, Origin::measured, "Started within the step"},
      {"copies_count", "Copies", Quantity::count, Origin::measured, "Started within the step"},
      {"bound", "Bound", Quantity::text, Origin::measured, "What holds the GPU back; thresholds are rows of the verdict rules"}};
  for (const GpuRegion& r : overlap(capture, rules).regions) {
    table.rows.push_back({r.device < 0 ? Cell() : Cell(std::to_string(r.device)), r.step == kNoStep ? Cell() : Cell(std::to_string(r.step)),
                          r.span_ns, r.kernel_ns, r.copy_ns, r.overlapped_ns, r.exposed_ns(), r.idle_ns, r.idle.calls_ns, r.idle.waits_ns,
                          r.idle.host_ns, r.idle.start_ns, r.idle.queued_ns, r.idle.unknown_ns, static_cast<double>(r.kernels),
                          static_cast<double>(r.copies), std::string(name(r.bound))});
  }
  return table;
}

}  // namespace profiler
