// SPDX-License-Identifier: Apache-2.0
// Times work on one or all threads of the pool.
#include "profiler/record/probe_timing.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>
#include <thread>

#include "engine/base/clock.h"
#include "engine/base/thread_team.h"
#include "profiler/base/statistics.h"

namespace profiler::probe {
namespace {

/// A thread that waits for others looks that often before it lets others have its processor.
constexpr int kLooksPerYield = 1000;

/// When each thread began and ended its work.
struct Span {
  std::vector<int64_t> begin, end;
};

/// Empty when the pool does not give that many threads.
std::optional<Span> run_once(int threads, int64_t passes, const Work& work) {
  const auto count = static_cast<size_t>(threads);
  Span span{std::vector<int64_t>(count), std::vector<int64_t>(count)};
  if (threads == 1) {
    span.begin[0] = engine::now_ns();
    work(0, passes);
    span.end[0] = engine::now_ns();
    return span;
  }
  std::atomic<int> here{0}, given{0};
  engine::run_on_each_thread(threads, [&](int member, int team) {
    given = team;
    here.fetch_add(1);
    for (int looks = 1; here.load() < team; ++looks) {  // the common start
      if (looks % kLooksPerYield == 0) std::this_thread::yield();
    }
    const auto thread = static_cast<size_t>(member);
    span.begin[thread] = engine::now_ns();
    work(member, passes);
    span.end[thread] = engine::now_ns();
  });
  if (given != threads) return std::nullopt;
  return span;
}

/// Seconds of the slowest thread's own work, without the wait for threads that start late; the
/// better of two tries.
double own_seconds(int threads, int64_t passes, const Work& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 2; ++i) {
    const auto span = run_once(threads, passes, work);
    if (!span) return std::numeric_limits<double>::quiet_NaN();
    int64_t longest = 1;
    for (size_t k = 0; k < span->begin.size(); ++k) longest = std::max(longest, span->end[k] - span->begin[k]);
    best = std::min(best, static_cast<double>(longest) * 1e-9);
  }
  return best;
}

/// Passes that fill about one slice; 0 when the threads are not to be had. The first run warms
/// caches, pages and the clock.
int64_t passes_for(int threads, double slice_s, const Work& work) {
  constexpr int64_t kMost = int64_t{1} << 40;
  int64_t passes = 1;
  double seconds = own_seconds(threads, passes, work);
  while (seconds < slice_s / 4 && passes < kMost) {
    passes *= 4;
    seconds = own_seconds(threads, passes, work);
  }
  if (std::isnan(seconds)) return 0;
  return std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(passes) * slice_s / seconds));
}

/// Seconds of each repeat; empty when the threads are not to be had.
std::vector<double> repeat(int threads, int64_t passes, int repeats, const Work& work) {
  std::vector<double> seconds;
  for (int i = 0; i < repeats && passes > 0; ++i) seconds.push_back(timed(threads, passes, work));
  return seconds;
}

}  // namespace

Measured summarize(std::vector<double> samples) {
  if (samples.empty()) return {};
  const auto [low, high] = std::ranges::minmax(samples);
  return {median(samples), low, high, static_cast<int>(samples.size())};
}

double timed(int threads, int64_t passes, const Work& work) {
  const auto span = run_once(threads, passes, work);
  if (!span) return std::numeric_limits<double>::quiet_NaN();
  const int64_t ns = *std::ranges::max_element(span->end) - *std::ranges::min_element(span->begin);
  return static_cast<double>(std::max<int64_t>(ns, 1)) * 1e-9;
}

Measured measure_rate(int threads, double amount, const Effort& effort, const Work& work) {
  const int64_t passes = passes_for(threads, effort.slice_s, work);
  std::vector<double> rates = repeat(threads, passes, effort.repeats, work);
  for (double& value : rates) value = amount * static_cast<double>(passes) / value;
  return summarize(std::move(rates));
}

Measured measure_step_ns(double steps, const Effort& effort, const Work& work) {
  const int64_t passes = passes_for(1, effort.slice_s, work);
  std::vector<double> times = repeat(1, passes, effort.repeats, work);
  for (double& value : times) value = value * 1e9 / (steps * static_cast<double>(passes));
  return summarize(std::move(times));
}

double measure_timer_ns() {
  constexpr int kStamps = 20'000;
  std::vector<double> samples;
  for (int i = 0; i < 5; ++i) {
    const int64_t begin = engine::now_ns();
    for (int k = 0; k < kStamps; ++k) static_cast<void>(engine::now_ticks());
    samples.push_back(static_cast<double>(engine::now_ns() - begin) / kStamps);
  }
  return median(samples);
}

void part_threads(int threads) {
  cpu_set_t allowed;
  if (threads < 2 || sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  std::vector<int> at(static_cast<size_t>(threads), -1), to(at);
  timed(threads, 1, [&](int thread, int64_t) { at[static_cast<size_t>(thread)] = sched_getcpu(); });
  std::vector<int> used(at);
  for (size_t i = 0; i < at.size(); ++i) {
    if (std::find(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(i), at[i]) ==
        at.begin() + static_cast<std::ptrdiff_t>(i))
      continue;
    for (int cpu = 0; cpu < CPU_SETSIZE && to[i] < 0; ++cpu) {
      if (CPU_ISSET(static_cast<size_t>(cpu), &allowed) && std::ranges::find(used, cpu) == used.end())
        to[i] = cpu, used.push_back(cpu);
    }
  }
  if (std::ranges::all_of(to, [](int cpu) { return cpu < 0; })) return;
  timed(threads, 1, [&](int thread, int64_t) {
    const int cpu = to[static_cast<size_t>(thread)];
    cpu_set_t own, one;
    CPU_ZERO(&one);
    if (cpu < 0 || sched_getaffinity(0, sizeof own, &own) != 0 || !CPU_ISSET(static_cast<size_t>(cpu), &own)) return;
    CPU_SET(static_cast<size_t>(cpu), &one);
    sched_setaffinity(0, sizeof one, &one);
    sched_setaffinity(0, sizeof own, &own);
  });
}

double least_region_ns(const std::function<int64_t()>& now, const std::function<void()>& region,
                       const std::function<void()>& part) {
  // What disturbs only adds, and where other processes hold the cores most regions wait for a time slice
  // (milliseconds), all of them while threads share a processor. A few milliseconds at least, because neighbours in
  // time are disturbed alike; longer only as long as no region was without such a wait.
  constexpr int kRegions = 200, kBetweenParting = 8;
  constexpr int64_t kShortestNs = 5'000'000, kEnoughNs = 300'000'000, kLongestNs = 1'500'000'000, kSliceNs = 500'000;
  int64_t least = std::numeric_limits<int64_t>::max();
  const int64_t start = now();
  const auto on = [&](int64_t regions, int64_t spent) {
    return regions == 0 ||
           (spent < (least > kSliceNs ? kLongestNs : kEnoughNs) && (regions < kRegions || spent < kShortestNs));
  };
  for (int64_t regions = 0, spent = 0; on(regions, spent); ++regions) {
    if (least > kSliceNs && regions % kBetweenParting == 0) part();
    const int64_t begin = now();
    region();
    const int64_t end = now();
    least = std::min(least, end - begin);
    spent = end - start;
  }
  return static_cast<double>(std::max<int64_t>(1, least));
}

double measure_fork_join_ns(int threads) {
  if (threads <= 1) return 0;
  return least_region_ns([] { return engine::now_ns(); }, [&] { engine::run_on_each_thread(threads, [](int, int) {}); },
                         [&] { part_threads(threads); });
}

}  // namespace profiler::probe
