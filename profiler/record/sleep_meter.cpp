// SPDX-License-Identifier: Apache-2.0
// Clocks of thread and process, and the kernel's account of waiting for a processor (proc(5): /proc/PID/schedstat).
#include "profiler/record/sleep_meter.h"

#include <dirent.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "engine/base/run_queue.h"
#include "engine/base/thread_pool.h"
#include "profiler/base/statistics.h"

namespace profiler {
namespace {

constexpr size_t kMostSteps = 4096;  // a median of more is no better

int64_t clock_ns(clockid_t clock) {
  timespec t{};
  return clock_gettime(clock, &t) == 0 ? int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec : 0;
}

/// 0 where nothing says how long.
int64_t known_queued_ns(int account) { return std::max<int64_t>(0, engine::queued_ns(account)); }

}  // namespace

SleepMeter::SleepMeter()
    : schedstat_(open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)),
      tasks_(opendir("/proc/self/task")),
      accounts_(engine::queued_ns(schedstat_) >= 0) {}

SleepMeter::~SleepMeter() {
  if (schedstat_ >= 0) close(schedstat_);
  if (tasks_ != nullptr) closedir(tasks_);
}

SleepMeter::Reading SleepMeter::read() const {
  Reading r{clock_ns(CLOCK_MONOTONIC),
            clock_ns(CLOCK_THREAD_CPUTIME_ID),
            clock_ns(CLOCK_PROCESS_CPUTIME_ID),
            known_queued_ns(schedstat_),
            0,
            {}};
  if (tasks_ == nullptr) return r;
  for (const int worker : engine::ThreadPool::instance().worker_threads()) r.workers_queued_ns[worker] = 0;
  rewinddir(tasks_);
  while (const dirent* task = readdir(tasks_)) {
    if (task->d_name[0] == '.') continue;
    const int file = openat(dirfd(tasks_), (std::string(task->d_name) + "/schedstat").c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) continue;  // it has ended
    const int64_t queued = known_queued_ns(file);
    close(file);
    r.all_queued_ns += queued;
    if (const auto worker = r.workers_queued_ns.find(std::atoi(task->d_name)); worker != r.workers_queued_ns.end())
      worker->second = queued;
  }
  return r;
}

void SleepMeter::begin() { before_ = read(); }

double SleepMeter::ratio(const Reading& before, const Reading& after) {
  const auto wall = static_cast<double>(after.wall_ns - before.wall_ns);
  if (!(wall > 0)) return std::nan("");
  const auto own = static_cast<double>(after.thread_ns - before.thread_ns + after.queued_ns - before.queued_ns);
  const auto all = static_cast<double>(after.process_ns - before.process_ns +
                                       std::max<int64_t>(0, after.all_queued_ns - before.all_queued_ns));
  return std::clamp((wall - std::max(own, all)) / wall, 0.0, 1.0);
}

double SleepMeter::queued_ratio(const Reading& before, const Reading& after) {
  const auto wall = static_cast<double>(after.wall_ns - before.wall_ns);
  if (!(wall > 0)) return std::nan("");
  int64_t longest = after.queued_ns - before.queued_ns;
  for (const auto& [worker, queued] : after.workers_queued_ns) {
    const auto at = before.workers_queued_ns.find(worker);
    longest =
        std::max(longest, queued - (at == before.workers_queued_ns.end() ? 0 : at->second));  // else it began meanwhile
  }
  return std::clamp(static_cast<double>(longest) / wall, 0.0, 1.0);
}

void SleepMeter::end() {
  const Reading after = read();
  const double slept = ratio(before_, after);
  if (std::isnan(slept) || ratios_.size() >= kMostSteps) return;
  ratios_.push_back(slept);
  if (accounts_) queued_ratios_.push_back(queued_ratio(before_, after));
}

double SleepMeter::ratio() const { return median(ratios_); }

double SleepMeter::queued_ratio() const { return median(queued_ratios_); }

}  // namespace profiler
