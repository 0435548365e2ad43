// SPDX-License-Identifier: Apache-2.0
// Busy and idle time of GPUs by unions of spans; the cause of a gap from the launch that ended it.
#include "profiler/analysis/gpu/overlap.h"
#include "profiler/analysis/base/time_origin.h"
#include "profiler/analysis/gpu/graph_launches.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>

#include "profiler/analysis/base/intervals.h"
#include "profiler/analysis/base/verdict_rules.h"
#include "profiler/base/say.h"
#include "profiler/base/statistics.h"
#include "profiler/base/unknown.h"
#include "profiler/capture/accelerator.h"
#include "profiler/capture/communication.h"
#include "profiler/capture/host_copies.h"
#include "profiler/capture/timed_steps.h"

namespace profiler {
namespace {

Interval span_of(const Capture& c, uint32_t row) {
  const ActivityColumns& a = c.activities();
  return {a.start_ns[row], a.start_ns[row] + a.duration_ns[row]};
}

enum class Sort : uint8_t { kernel, communication, copy };

/// A device of a rank.
struct DeviceKey {
  uint32_t rank = 0;
  int32_t device = kUnknownFigure;
  auto operator<=>(const DeviceKey&) const = default;
};

/// What one device did, and what started it.
struct DeviceWork {
  std::array<std::vector<Interval>, 3> spans_of;  ///< by Sort
  struct Start {
    int64_t at_ns = 0;
    uint64_t correlation = 0;
  };
  std::vector<Start> starts;                      ///< of kernels, memsets and copies, ascending
  std::array<std::vector<int64_t>, 3> starts_of;  ///< by Sort
  /// `worked`: kernels of either sort.
  IntervalSet kernels, communication, worked, copies, busy;

  void freeze() {
    auto& [computing, communicating, copying] = spans_of;
    std::vector<Interval> all = computing;
    all.insert(all.end(), communicating.begin(), communicating.end());
    worked = IntervalSet(all);
    all.insert(all.end(), copying.begin(), copying.end());
    busy = IntervalSet(std::move(all));
    kernels = IntervalSet(std::move(computing));
    communication = IntervalSet(std::move(communicating));
    copies = IntervalSet(std::move(copying));
    for (std::vector<int64_t>& list : starts_of) std::sort(list.begin(), list.end());
    std::sort(starts.begin(), starts.end(), [](const Start& a, const Start& b) { return a.at_ns < b.at_ns; });
  }
};

std::map<DeviceKey, DeviceWork> device_work(const Capture& capture) {
  const GpuRecords& gpu = capture.gpu();
  const RankOfTrack rank_of(capture);
  Communication communication(capture);
  std::map<DeviceKey, DeviceWork> devices;
  const auto add = [&](const auto& record, Sort sort) {
    const ActivityColumns& a = capture.activities();
    DeviceWork& work = devices[{rank_of(a.track[record.activity]), record.place.device}];
    work.spans_of[static_cast<size_t>(sort)].push_back(span_of(capture, record.activity));
    work.starts.push_back({a.start_ns[record.activity], a.correlation[record.activity]});
    work.starts_of[static_cast<size_t>(sort)].push_back(work.starts.back().at_ns);
  };
  for (const KernelRecord& kernel : gpu.kernels)
    add(kernel, communication.is(kernel.activity) ? Sort::communication : Sort::kernel);
  for (const MemsetRecord& memset : gpu.memsets) add(memset, Sort::kernel);
  for (const CopyRecord& copy : gpu.copies) {
    if (!is_host_copy(copy)) add(copy, Sort::copy);  // that one is the processor's work
  }
  for (auto& [device, work] : devices) work.freeze();
  return devices;
}

class Observer {
 public:
  Observer(const Capture& capture, const VerdictRules& rules)
      : rules_(rules), devices_(device_work(capture)), causes_(capture) {}

  const std::map<DeviceKey, DeviceWork>& devices() const { return devices_; }

  GpuRegion region(DeviceKey key, const DeviceWork& work, int64_t begin, int64_t end) const {
    GpuRegion r;
    r.rank = key.rank;
    r.device = key.device;
    const auto covered = [&](const IntervalSet& set) { return static_cast<double>(set.covered_ns(begin, end)); };
    r.span_ns = static_cast<double>(end - begin);
    r.kernel_ns = covered(work.kernels);
    r.communication_ns = covered(work.communication);
    r.copy_ns = covered(work.copies);
    const double worked = covered(work.worked), busy = covered(work.busy);
    r.exposed_communication_ns = worked - r.kernel_ns;
    r.overlapped_ns = worked + r.copy_ns - busy;
    r.idle_ns = r.span_ns - busy;
    for (const Interval& gap : work.busy.gaps(begin, end)) r.idle += explain(key, work, gap, end);
    const auto& [kernels, communications, copies] = work.starts_of;
    r.kernels = started(kernels, begin, end);
    r.communications = started(communications, begin, end);
    r.copies = started(copies, begin, end);
    r.bound = classify(r);
    return r;
  }

  /// The call that launched what has this correlation; nullptr: unknown.
  const Interval* call(uint64_t correlation) const { return causes_.call(correlation); }

 private:
  /// How many of ascending times lie in [begin, end).
  static int64_t started(const std::vector<int64_t>& times, int64_t begin, int64_t end) {
    return std::lower_bound(times.begin(), times.end(), end) - std::lower_bound(times.begin(), times.end(), begin);
  }

  IdleCauses explain(DeviceKey key, const DeviceWork& work, const Interval& gap, int64_t region_end) const {
    const auto next = std::lower_bound(work.starts.begin(), work.starts.end(), gap.end_ns,
                                       [](const DeviceWork::Start& s, int64_t time) { return s.at_ns < time; });
    // work that starts after the region has ended was not what this region waited for
    const bool ended_by_work = next != work.starts.end() && next->at_ns == gap.end_ns && gap.end_ns < region_end;
    return ended_by_work ? causes_.before_work(gap, next->correlation)
                         : causes_.without_work(key.rank, gap);  // the tail
  }

  GpuBound classify(const GpuRegion& r) const {
    if (!(r.span_ns > 0)) return GpuBound::unknown;
    const bool communicates = r.exposed_communication_ns / r.span_ns >= rules_[Rule::communication_ratio];
    if (communicates && r.exposed_communication_ns >= r.exposed_ns()) return GpuBound::communication;
    if (r.exposed_ns() / r.span_ns >= rules_[Rule::transfer_ratio]) return GpuBound::transfer;
    const double idle = r.idle_ns / r.span_ns;
    if (idle < rules_[Rule::launch_idle_ratio]) return GpuBound::busy;
    if (r.idle.unknown_ns > (1 - rules_[Rule::launch_host_ratio]) * r.idle_ns) return GpuBound::unknown;
    // a launch that comes late because of the data is no matter of launches
    const double launching = r.idle.launching_ns(), fetching = r.idle.fetch_ns;
    if (launching + fetching < rules_[Rule::launch_host_ratio] * r.idle_ns) return GpuBound::mixed;
    if (fetching >= launching) return GpuBound::input;
    return r.idle.host_is_busy() ? GpuBound::host : GpuBound::launch;
  }

  const VerdictRules& rules_;
  std::map<DeviceKey, DeviceWork> devices_;
  IdleExplainer causes_;
};

/// Calls f(step, begin, end) for each span that one device is looked at: the steps of its rank.
template <class F>
void for_each_region(const std::vector<StepWindow>& steps, DeviceKey key, const DeviceWork& work, F&& f) {
  for (const StepWindow& step : steps) {
    if (step.rank == key.rank) f(step.host.index, step.begin_ns, step.end_ns);
  }
  if (steps.empty() && !work.busy.spans().empty())
    f(kNoStep, work.busy.spans().front().begin_ns, work.busy.spans().back().end_ns);
}

GpuWorkPlaces work_places(const Observer& observer, const std::vector<StepWindow>& steps) {
  GpuWorkPlaces places;
  for (const auto& [key, work] : observer.devices()) {
    std::vector<Interval> windows;
    for (const StepWindow& step : steps) {
      if (step.rank != key.rank) continue;
      windows.push_back({step.begin_ns, step.end_ns});
      const int64_t left = step.host.start_ns + step.host.duration_ns;
      places.behind_host_ns += static_cast<double>(work.busy.covered_ns(std::max(step.begin_ns, left), step.end_ns));
    }
    const auto all = static_cast<double>(work.busy.length_ns());
    places.busy_ns += all;
    if (windows.empty()) continue;
    const IntervalSet counted(std::move(windows));
    double within = 0;
    for (const Interval& i : counted.spans()) within += static_cast<double>(work.busy.covered_ns(i.begin_ns, i.end_ns));
    places.stepless_ns += all - within;
  }
  return places;
}

LaunchStatistics launch_statistics(const Capture& capture, const Observer& observer) {
  std::vector<double> calls, kernels;
  int64_t shorter = 0;
  const std::unordered_set<uint64_t> graphs = graph_launches(capture);
  const ActivityColumns& a = capture.activities();
  int64_t of_graphs = 0;
  for (const KernelRecord& kernel : capture.gpu().kernels) {
    const Interval* call = observer.call(a.correlation[kernel.activity]);
    const bool of_graph = graphs.contains(a.correlation[kernel.activity]);
    of_graphs += of_graph;
    if (call == nullptr || of_graph) continue;
    kernels.push_back(static_cast<double>(a.duration_ns[kernel.activity]));
    calls.push_back(static_cast<double>(call->end_ns - call->begin_ns));
    shorter += kernels.back() < calls.back();
  }
  LaunchStatistics s;
  s.launches = static_cast<int64_t>(calls.size());
  s.median_call_ns = median(calls);
  s.median_kernel_ns = median(kernels);
  s.graph_ratio = capture.gpu().kernels.empty()
                      ? 0
                      : static_cast<double>(of_graphs) / static_cast<double>(capture.gpu().kernels.size());
  s.shorter_ratio = calls.empty() ? kUnknown : static_cast<double>(shorter) / static_cast<double>(calls.size());
  return s;
}

std::string share(double part, double whole) { return format_quantity(part / whole, Quantity::percent_of); }
std::string time_text(double ns) { return format_quantity(ns, Quantity::duration_ns); }

GpuRegion sum_of(const std::vector<GpuRegion>& regions) {
  GpuRegion all;
  for (const GpuRegion& r : regions) {
    all.span_ns += r.span_ns, all.kernel_ns += r.kernel_ns, all.copy_ns += r.copy_ns,
        all.overlapped_ns += r.overlapped_ns;
    all.communication_ns += r.communication_ns, all.exposed_communication_ns += r.exposed_communication_ns;
    all.idle_ns += r.idle_ns;
    all.idle += r.idle;
  }
  return all;
}

/// From this part of the work on it is said that it lies elsewhere.
constexpr double kPlaceWorthSaying = 0.01;

void find_places(Overlap& o) {
  const GpuWorkPlaces& p = o.places;
  if (p.behind_host_ns >= kPlaceWorthSaying * p.busy_ns && p.busy_ns > 0) {
    o.findings.push_back(
        say("The GPU runs behind the host: {} of its work ran after the host had left the "
            "step that launched it. Steps here are the GPU's: each ends with the last work "
            "launched in it.",
            share(p.behind_host_ns, p.busy_ns)));
  }
  if (p.stepless_ns >= kPlaceWorthSaying * p.busy_ns && p.busy_ns > 0) {
    o.findings.push_back(say("{} of the GPU's work ({}) is outside the measured steps and counts in none.",
                             share(p.stepless_ns, p.busy_ns), time_text(p.stepless_ns)));
  }
  if (p.steps_without_time > 0) {
    o.findings.push_back(
        say("{} of {} steps do not count. They have no length, or fall within late GPU work "
            "of the step before, which lasts longer for it.",
            p.steps_without_time, p.steps));
  }
}

/// From this part of the steps on it is said that launched work was held.
constexpr double kHeldWorthSaying = 0.05;

void find_causes(Overlap& o, std::string_view noun) {
  const GpuRegion all = sum_of(o.regions);
  std::map<GpuBound, int> bounds;
  for (const GpuRegion& r : o.regions) ++bounds[r.bound];
  if (!(all.span_ns > 0)) return;
  const std::string communicates = all.communication_ns > 0 ? say(" communicates without computing {},",
                                                                  share(all.exposed_communication_ns, all.span_ns))
                                                            : std::string();
  o.findings.push_back(say("The {} computes {} of the time,{} copies without computing {}, and idles {}.", noun,
                           share(all.kernel_ns, all.span_ns), communicates, share(all.exposed_ns(), all.span_ns),
                           share(all.idle_ns, all.span_ns)));
  find_places(o);
  if (bounds[GpuBound::communication] * 2 > static_cast<int>(o.regions.size())) {
    o.findings.push_back(
        say("Communication-bound: {} of {} of communication pass while nothing computes; start it earlier "
            "beside other work, or send "
            "fewer bytes.",
            time_text(all.exposed_communication_ns), time_text(all.communication_ns)));
  }
  if (bounds[GpuBound::transfer] * 2 > static_cast<int>(o.regions.size())) {
    o.findings.push_back(
        say("Transfer-bound: {} of {} of copies run while nothing computes; copy the next input while this one "
            "is computed.",
            time_text(all.exposed_ns()), time_text(all.copy_ns)));
  }
  const bool late = (bounds[GpuBound::launch] + bounds[GpuBound::host]) * 2 > static_cast<int>(o.regions.size());
  if (late && !all.idle.host_is_busy()) {
    o.findings.push_back(
        o.launches.graph_ratio > 0.5
            ? say("Launch-bound: {} of {} idle pass before or during launches; fewer, larger kernels remove it.",
                  time_text(all.idle.launching_ns()), time_text(all.idle_ns))
            : say("Launch-bound: {} of {} idle pass before or during launches; fewer, larger "
                  "kernels or a CUDA graph remove it.",
                  time_text(all.idle.launching_ns()), time_text(all.idle_ns)));
  }
  if (late && all.idle.host_is_busy()) {
    o.findings.push_back(
        say("Host-bound: {} of {} idle pass while the host does other work before it launches (Python, the framework, "
            "preparation, allocations). Launching itself takes {}.",
            time_text(all.idle.other_work_ns()), time_text(all.idle_ns), time_text(all.idle.launch_calls_ns())));
  }
  if (all.idle.held_ns >= kHeldWorthSaying * all.span_ns) {
    o.findings.push_back(
        say("{} of {} idle pass although the next work had been launched. An event, another program, or work from "
            "before the trace held it.",
            time_text(all.idle.held_ns), time_text(all.idle_ns)));
  }
  if (bounds[GpuBound::input] * 2 > static_cast<int>(o.regions.size())) {
    o.findings.push_back(say("Input-bound: {} of {} idle pass while the host fetches data; load batches ahead.",
                             time_text(all.idle.fetch_ns), time_text(all.idle_ns)));
  }
  // What a graph launches takes no call of its own.
  if (o.launches.launches > 0 && o.launches.graph_ratio <= 0.5 && o.launches.shorter_ratio >= 0.5) {
    o.findings.push_back(
        say("{} of the kernels run for less time than the call that launches them takes (median {} against {}).",
            format_quantity(o.launches.shorter_ratio, Quantity::percent_of), time_text(o.launches.median_kernel_ns),
            time_text(o.launches.median_call_ns)));
  }
}

}  // namespace

std::string_view name(GpuBound bound) {
  constexpr std::string_view names[] = {
      "unknown",     "busy",      "transfer-bound", "launch-bound", "idle for several reasons", "communication-bound",
      "input-bound", "host-bound"};
  return names[static_cast<size_t>(bound)];
}

Overlap overlap(const Capture& capture, const VerdictRules& rules) {
  const Observer observer(capture, rules);
  Overlap o;
  o.launches = launch_statistics(capture, observer);
  const std::vector<StepWindow> steps = measured_step_windows(capture);
  for (const auto& [key, work] : observer.devices()) {
    for_each_region(steps, key, work, [&, key = key, &work = work](uint32_t step, int64_t begin, int64_t end) {
      GpuRegion region = observer.region(key, work, begin, end);
      region.step = step;
      o.regions.push_back(region);
    });
  }
  o.places = work_places(observer, steps);
  o.places.steps_without_time = timed_steps(capture).without_time;
  o.places.steps = static_cast<int64_t>(timed_step_windows(capture).size()) + o.places.steps_without_time;
  if (capture.device().emulated) {
    o.findings.emplace_back(say("The GPU was emulated: these are times of the emulation, not of a GPU."));
  } else {
    find_causes(o, accelerator_noun(capture));
  }
  return o;
}

double gpu_idle_ratio(const Capture& capture) {
  const std::vector<StepWindow> steps = measured_step_windows(capture);
  double span = 0, busy = 0;
  for (const auto& [key, work] : device_work(capture)) {
    for_each_region(steps, key, work, [&, &work = work](uint32_t, int64_t begin, int64_t end) {
      span += static_cast<double>(end - begin);
      busy += static_cast<double>(work.busy.covered_ns(begin, end));
    });
  }
  return span > 0 ? 1 - busy / span : kUnknown;
}

namespace {

/// Of each device in each measured step [ns]: how long the step is, and how long the device does nothing in it.
struct StepIdle {
  std::vector<double> length_ns, idle_ns;
};

StepIdle idle_of_steps(const Capture& capture) {
  const std::vector<StepWindow> steps = measured_step_windows(capture);
  StepIdle all;
  for (const auto& [key, work] : device_work(capture)) {
    for_each_region(steps, key, work, [&, &work = work](uint32_t, int64_t begin, int64_t end) {
      all.length_ns.push_back(static_cast<double>(end - begin));
      all.idle_ns.push_back(all.length_ns.back() - static_cast<double>(work.busy.covered_ns(begin, end)));
    });
  }
  return all;
}

}  // namespace

double gpu_idle_step_ns(const Capture& capture) { return median(idle_of_steps(capture).idle_ns); }

double gpu_idle_step_ratio(const Capture& capture) {
  const StepIdle all = idle_of_steps(capture);
  return median(all.idle_ns) / median(all.length_ns);
}

struct GpuTimes::Parts {
  explicit Parts(std::shared_ptr<const Capture> c)
      : capture(std::move(c)), observer(*capture, VerdictRules::built_in()) {}
  std::shared_ptr<const Capture> capture;
  Observer observer;
};

GpuTimes::GpuTimes(std::shared_ptr<const Capture> capture)
    : parts_(std::make_unique<const Parts>(std::move(capture))) {}

GpuTimes::~GpuTimes() = default;

std::vector<GpuRegion> GpuTimes::within(int64_t begin_ns, int64_t end_ns) const {
  std::vector<GpuRegion> regions;
  for (const auto& [key, work] : parts_->observer.devices()) {
    regions.push_back(parts_->observer.region(key, work, begin_ns, std::max(begin_ns, end_ns)));
  }
  return regions;
}

Table overlap_table(const Capture& capture, const Overlap& overlap) {
  Table table;
  table.name = "overlap";
  const auto time = [](const char* key, const char* title, const char* help) {
    return Column{key, title, Quantity::duration_ns, Origin::measured, help};
  };
  table.columns.clear();
  if (!capture.ranks().empty())
    table.columns.push_back(
        {"rank", "Rank", Quantity::text, Origin::exact, "Which of the traces that were read together"});
  const std::vector<Column> columns = {
      {"device", "GPU", Quantity::text, Origin::measured, "Number of the device; empty: unknown"},
      {"step", "Step", Quantity::text, Origin::exact,
       "Index of the step; empty: the capture has none, the row is all of the device's work"},
      time("span_ns", "Time",
           marked("From the step's start to its end. In an imported trace: to the end of the work launched "
                  "in it; the next step begins there")),
      time("kernel_ns", "Kernels",
           marked("Some kernel that computes, or a memset, ran (a union: overlapping kernels count once)")),
      time("communication_ns", "Communication", marked("Some kernel that carries data between GPUs (NCCL, RCCL) ran")),
      time("exposed_communication_ns", marked("Comm. alone"),
           marked("Communication without a kernel beside it that computes")),
      time("copy_ns", "Copies", marked("Some copy ran")),
      time("overlapped_ns", "Both", marked("A copy ran beside a kernel, or beside communication")),
      time("exposed_ns", marked("Copies alone"), marked("Copies without a kernel beside them")),
      time("idle_ns", "Idle", marked("The device did nothing; its causes follow and add up to it")),
      time("idle_calls_ns", marked("CUDA calls"),
           marked("Idle before the next launch had returned, while the host was inside CUDA calls")),
      time("idle_waits_ns", "Waits", marked("... while the host was waiting for the GPU")),
      time("idle_fetch_ns", "Data", marked("... while the host fetched its data")),
      time("idle_host_ns", "Host", marked("... while the host did something else")),
      time("idle_start_ns", "Start", marked("From the return of the launch to the start of the work")),
      time("idle_queued_ns", "Queued",
           marked("The next work had been launched already and waited for other work or the device")),
      time("idle_held_ns", "Held",
           marked("The next work had been launched, but nothing ran for longer than a start takes (100 us). An event, "
                  "another program or work from before the trace held it")),
      time("idle_unknown_ns", "Unknown", marked("The launch was not recorded")),
      {"kernels_count", "Kernels", Quantity::count, Origin::measured,
       "Started within the step; those that compute, and memsets"},
      {"communications_count", "Comm.", Quantity::count, Origin::measured,
       "Kernels of communication, started within the step"},
      {"copies_count", "Copies", Quantity::count, Origin::measured, "Started within the step"},
      {"bound", "Bound", Quantity::text, Origin::measured,
       "Limit of the GPU; thresholds are rows of the verdict "
       "rules"}};
  table.columns.insert(table.columns.end(), columns.begin(), columns.end());
  for (const GpuRegion& r : overlap.regions) {
    std::vector<Cell> row;
    if (!capture.ranks().empty()) row.emplace_back(std::string(capture.name(capture.ranks()[r.rank].name)));
    row.resize(row.size() + 2);  // unknown
    if (r.device >= 0) row[row.size() - 2].emplace<std::string>(std::to_string(r.device));
    if (r.step != kNoStep) row.back().emplace<std::string>(std::to_string(r.step));
    for (const double ns :
         {r.span_ns, r.kernel_ns, r.communication_ns, r.exposed_communication_ns, r.copy_ns, r.overlapped_ns,
          r.exposed_ns(), r.idle_ns, r.idle.calls_ns, r.idle.waits_ns, r.idle.fetch_ns, r.idle.host_ns, r.idle.start_ns,
          r.idle.queued_ns, r.idle.held_ns, r.idle.unknown_ns}) {
      row.emplace_back(ns);
    }
    for (const int64_t count : {r.kernels, r.communications, r.copies}) row.emplace_back(static_cast<double>(count));
    row.emplace_back(std::string(name(r.bound)));
    table.rows.push_back(std::move(row));
  }
  return with_time_origin(std::move(table), capture);
}

}  // namespace profiler
