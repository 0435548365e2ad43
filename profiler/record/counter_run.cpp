// SPDX-License-Identifier: Apache-2.0
// Counters of a team of threads, read around each op; formulas from events to ratios.
#include "profiler/record/counter_run.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <mutex>
#include <numeric>

#include "engine/base/thread_team.h"
#include "profiler/base/statistics.h"

namespace profiler {

using engine::refused_error;
using engine::Result;

namespace {

constexpr double kLineBytes = 64;
constexpr int kSteps = 5;
constexpr double kMeasuredBand =
    0.05;  // design of the error bands: measured, L2 and beyond; the check on a known stream allows as much

/// Starts the counters before each op and adds what they say after it.
class OpCounter : public engine::Observer {
 public:
  OpCounter(TeamCounters& team, size_t ops) : team_(team), samples_(ops) {}
  void step_begin(uint32_t, int64_t) override {}
  void step_end(uint32_t, int64_t) override {}
  void op_begin(uint32_t) override {
    if (failure_.empty()) note(team_.start());
  }
  void op_done(uint32_t op, int64_t, int64_t) override {
    if (!failure_.empty() || op >= samples_.size()) return;
    Result<std::vector<double>> counts = team_.stop();
    if (!counts) {
      failure_ = counts.error().message;
      return;
    }
    samples_[op].push_back(*std::move(counts));
  }
  const std::string& failure() const { return failure_; }
  OpCounts medians() const {
    OpCounts medians(samples_.size());
    for (size_t op = 0; op < samples_.size(); ++op) {
      if (samples_[op].empty()) continue;
      for (size_t event = 0; event < samples_[op].front().size(); ++event) {
        std::vector<double> values;
        for (const std::vector<double>& sample : samples_[op]) values.push_back(sample[event]);
        medians[op].push_back(median(values));
      }
    }
    return medians;
  }

 private:
  void note(const Result<void>& done) {
    if (!done) failure_ = done.error().message;
  }
  TeamCounters& team_;
  std::vector<std::vector<std::vector<double>>> samples_;  // [op][step][event]
  std::string failure_;
};

/// The value behind "model\t\t: " in the first processor's lines; empty: there is none.
std::string cpuinfo_value(const std::string& cpuinfo, const std::string& key) {
  for (size_t at = cpuinfo.find(key); at != std::string::npos; at = cpuinfo.find(key, at + 1)) {
    const bool begins = at == 0 || cpuinfo[at - 1] == '\n';
    size_t colon = cpuinfo.find_first_not_of(" \t", at + key.size());
    if (!begins || colon == std::string::npos || cpuinfo[colon] != ':') continue;
    colon = cpuinfo.find_first_not_of(" \t", colon + 1);
    return cpuinfo.substr(colon, cpuinfo.find('\n', colon) - colon);
  }
  return {};
}

constexpr uint64_t raw(uint64_t event, uint64_t umask, uint64_t at_least = 0) {
  return event | umask << 8 | at_least << 24;
}

std::string all_of(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

Result<TeamCounters> TeamCounters::open(const std::vector<PerfEvent>& events, int threads, const PerfSystem& system) {
  engine::forget_teams();
  if (engine::largest_team() == 0)
    return refused_error(
        "hardware counters: oneDNN runs on threads of its own here, which cannot be counted; record with --without "
        "onednn");
  TeamCounters team;
  const int count = std::max(1, threads);
  std::vector<std::optional<Result<PerfCounters>>> opened(static_cast<size_t>(count));
  // Counters are of the thread that opens them: each worker opens its own.
  std::mutex one_at_a_time;
  engine::run_on_each_thread(count, [&](int member, int /*team*/) {
    const std::lock_guard lock(one_at_a_time);
    opened[static_cast<size_t>(member)].emplace(PerfCounters::open(events, system));
  });
  for (std::optional<Result<PerfCounters>>& counters : opened) {
    if (!counters) return refused_error(fmt::format("hardware counters: the system gave fewer than {} threads", count));
    if (!*counters) return counters->error();
    team.members_.push_back(**std::move(counters));
  }
  return team;
}

Result<void> TeamCounters::start() {
  for (PerfCounters& member : members_) {
    if (Result<void> done = member.start(); !done) return done;
  }
  return {};
}

Result<std::vector<double>> TeamCounters::stop() {
  std::vector<double> sums;
  for (PerfCounters& member : members_) {
    const bool worker = &member != &members_.front();
    const Result<std::vector<double>> counts = member.stop(worker);
    if (!counts) return counts.error();
    sums.resize(counts->size(), 0);
    std::transform(sums.begin(), sums.end(), counts->begin(), sums.begin(), std::plus<>());
  }
  return sums;
}

Result<OpCounts> count_ops(engine::Plan& plan, const std::vector<PerfEvent>& events, int threads, uint32_t first_step,
                           int steps, const PerfSystem& system, const std::atomic<bool>& stop) {
  Result<TeamCounters> team = TeamCounters::open(events, threads, system);
  if (!team) return team.error();
  OpCounter counter(*team, plan.graph().nodes().size());
  for (int step = 0; step < steps; ++step) {
    if (stop) return refused_error("the counter run was stopped");
    plan.run_step(first_step + static_cast<uint32_t>(step), &counter);
    if (!counter.failure().empty()) return refused_error(counter.failure());
  }
  return counter.medians();
}

Result<TopDownEvents> top_down_events(const std::string& cpuinfo, const std::filesystem::path& events) {
  // Ice Lake servers and clients, Tiger Lake, Rocket Lake. Source: Linux, arch/x86/include/asm/intel-family.h.
  constexpr std::array<std::string_view, 7> kModels{"106", "108", "125", "126", "140", "141", "167"};
  const std::string vendor = cpuinfo_value(cpuinfo, "vendor_id"), model = cpuinfo_value(cpuinfo, "model");
  const bool known = vendor == "GenuineIntel" && std::ranges::find(kModels, model) != kModels.end();
  if (!known) {
    return refused_error(
        fmt::format("top-down figures: their events are known for Intel's Ice Lake family, not for {} model {}; the "
                    "classes are computed from bytes and times instead",
                    vendor.empty() ? "this vendor's" : vendor, model.empty() ? "?" : model));
  }
  std::error_code code;
  if (!std::filesystem::exists(events / "topdown-be-bound", code)) {
    return refused_error(fmt::format(
        "top-down figures: the kernel offers no topdown-be-bound in {}; run on bare metal, or with Linux 5.10 or later",
        events.string()));
  }
  const PerfEvent cycles{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES};
  return TopDownEvents{
      std::vector<PerfEvent>{{"slots", PERF_TYPE_RAW, raw(0x00, 0x04)},
                             {"topdown-retiring", PERF_TYPE_RAW, raw(0x00, 0x80)},
                             {"topdown-bad-spec", PERF_TYPE_RAW, raw(0x00, 0x81)},
                             {"topdown-fe-bound", PERF_TYPE_RAW, raw(0x00, 0x82)},
                             {"topdown-be-bound", PERF_TYPE_RAW, raw(0x00, 0x83)}},
      std::vector<PerfEvent>{cycles,
                             {"CYCLE_ACTIVITY.STALLS_TOTAL", PERF_TYPE_RAW, raw(0xa3, 0x04, 4)},
                             {"CYCLE_ACTIVITY.STALLS_MEM_ANY", PERF_TYPE_RAW, raw(0xa3, 0x14, 20)},
                             {"EXE_ACTIVITY.BOUND_ON_STORES", PERF_TYPE_RAW, raw(0xa6, 0x40, 2)},
                             {"EXE_ACTIVITY.1_PORTS_UTIL", PERF_TYPE_RAW, raw(0xa6, 0x02)}},
      std::vector<PerfEvent>{cycles,
                             {"EXE_ACTIVITY.2_PORTS_UTIL", PERF_TYPE_RAW, raw(0xa6, 0x04)},
                             {"CYCLE_ACTIVITY.STALLS_L1D_MISS", PERF_TYPE_RAW, raw(0xa3, 0x0c, 12)},
                             {"CYCLE_ACTIVITY.STALLS_L2_MISS", PERF_TYPE_RAW, raw(0xa3, 0x05, 5)},
                             {"CYCLE_ACTIVITY.STALLS_L3_MISS", PERF_TYPE_RAW, raw(0xa3, 0x06, 6)}},
      std::vector<PerfEvent>{cycles,
                             {"OFFCORE_REQUESTS_OUTSTANDING.ALL_DATA_RD:c4", PERF_TYPE_RAW, raw(0x60, 0x08, 4)},
                             {"OFFCORE_REQUESTS_OUTSTANDING.CYCLES_WITH_DATA_RD", PERF_TYPE_RAW, raw(0x60, 0x08, 1)}}};
}

std::optional<TopDown> top_down_of(OpId op, const std::array<std::span<const double>, 4>& counts) {
  constexpr std::array<size_t, 4> kCounts{5, 5, 5, 3};
  for (size_t g = 0; g < counts.size(); ++g) {
    if (counts[g].size() != kCounts[g] || !(counts[g][0] > 0)) return std::nullopt;
  }
  const auto& [slots, stalls, misses, reads] = counts;
  const double sum = slots[1] + slots[2] + slots[3] + slots[4];
  if (!(sum > 0)) return std::nullopt;
  const auto of = [](double part, double whole) { return whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 0.0; };
  TopDown t;
  t.op = op;
  t.retiring_ratio = slots[1] / sum, t.bad_speculation_ratio = slots[2] / sum, t.frontend_ratio = slots[3] / sum,
  t.backend_ratio = slots[4] / sum;
  const double scale = stalls[0] / misses[0];  // two runs: their cycles differ a little
  const double blocked = stalls[1] + stalls[4] + t.retiring_ratio * misses[1] * scale + stalls[3];
  t.memory_ratio = t.backend_ratio * of(stalls[2] + stalls[3], blocked);
  t.l1_ratio = std::max(0.0, of(stalls[2], stalls[0]) - of(misses[2], misses[0]));
  t.l2_ratio = of(std::max(0.0, misses[2] - misses[3]), misses[0]);
  t.l3_ratio = of(std::max(0.0, misses[3] - misses[4]), misses[0]);
  t.dram_ratio = of(misses[4], misses[0]);
  t.store_ratio = of(stalls[3], stalls[0]);
  t.bandwidth_ratio = of(reads[1], reads[0]);
  t.latency_ratio = std::max(0.0, of(reads[2], reads[0]) - t.bandwidth_ratio);
  return t;
}

TrafficSource measured_traffic(const Capture& capture, const std::vector<PerfEvent>& events, const OpCounts& counts,
                               int steps) {
  const auto of = [&](const std::vector<double>& op, std::string_view name) {
    const auto at = std::ranges::find(events, name, &PerfEvent::name);
    const auto index = static_cast<size_t>(at - events.begin());
    return index < op.size() ? op[index] * kLineBytes : kUnknownBytes;
  };
  TrafficSource source;
  source.origin = Origin::measured;
  source.policy = "hardware counters of the cores (perf_event)";
  source.method = fmt::format(
      "Measured: lines counted by the cores while each op ran, medians of {} extra steps. "
      "Traffic of L3 and memory is counted outside the cores.",
      steps);
  source.links = {{"L3", "L2", kUnknownBytes}, {"L2", "L1", kUnknownBytes}};
  for (const engine::CacheLevel& level : capture.machine().info.caches) {
    for (TrafficLink& link : source.links) {
      if (level.name.starts_with(link.inner)) link.capacity_bytes = static_cast<double>(level.size_bytes);
    }
  }
  for (OpId op = 0; op < counts.size(); ++op) {
    if (counts[op].empty() || op >= capture.ops().size() || capture.ops()[op].view) continue;
    for (uint32_t link = 0; link < 2; ++link) {
      const char* const level = link == 0 ? "L2" : "L1";
      TrafficRecord r{.op = op, .link = link};
      r.read_bytes = of(counts[op], fmt::format("lines into {}", level));
      r.written_bytes = of(counts[op], fmt::format("lines written back from {}", level));
      r.misses = r.read_bytes / kLineBytes;
      r.error_band = kMeasuredBand;
      source.records.push_back(r);
    }
  }
  return source;
}

Result<TrafficSource> run_counters(const Capture& capture, engine::Plan& plan, int threads, const PerfSystem& system,
                                   const std::atomic<bool>& stop) {
  const std::vector<PerfEvent> events = cache_events();
  uint32_t step = 0;
  plan.run_step(step++, nullptr);  // pages, caches and clocks as in a timed step
  const Result<OpCounts> lines = count_ops(plan, events, threads, step, kSteps, system, stop);
  if (!lines) return lines.error();
  TrafficSource source = measured_traffic(capture, events, *lines, kSteps);
  step += kSteps;
  const auto groups = top_down_events(all_of("/proc/cpuinfo"), "/sys/bus/event_source/devices/cpu/events");
  std::array<OpCounts, 4> counted;
  std::string why = groups ? std::string() : groups.error().message;
  for (size_t g = 0; g < counted.size() && why.empty(); ++g) {
    Result<OpCounts> counts = count_ops(plan, (*groups)[g], threads, step, kSteps, system, stop);
    step += kSteps;
    if (counts) counted[g] = *std::move(counts);
    else why = counts.error().message;
  }
  if (stop) return refused_error("the counter run was stopped");
  if (!why.empty()) {
    source.method += " No " + why + ".";
    return source;
  }
  for (OpId op = 0; op < capture.ops().size(); ++op) {
    const auto at = [&](size_t g) {
      return op < counted[g].size() ? std::span<const double>(counted[g][op]) : std::span<const double>();
    };
    if (const auto t = top_down_of(op, {at(0), at(1), at(2), at(3)})) source.top_down.push_back(*t);
  }
  source.method += " Top-down figures: issue slots and stalled cycles, each group of events in steps of its own.";
  return source;
}

}  // namespace profiler
