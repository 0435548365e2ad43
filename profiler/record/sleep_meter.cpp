// SPDX-License-Identifier: Apache-2.0
// Clocks of thread and process, and the kernel's account of waiting for a processor (proc(5): /proc/PID/schedstat).
#include "profiler/record/sleep_meter.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "profiler/model/statistics.h"

namespace profiler {
namespace {

constexpr size_t kMostSteps = 4096;  // a median of more is no better

int64_t clock_ns(clockid_t clock) {
  timespec t{};
  return clock_gettime(clock, &t) == 0 ? int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec : 0;
}

}  // namespace

SleepMeter::SleepMeter() : schedstat_(open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}

SleepMeter::~SleepMeter() {
  if (schedstat_ >= 0) close(schedstat_);
}

SleepMeter::Reading SleepMeter::read() const {
  Reading r{clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_THREAD_CPUTIME_ID), clock_ns(CLOCK_PROCESS_CPUTIME_ID), 0};
  std::array<char, 128> text{};
  if (schedstat_ < 0 || pread(schedstat_, text.data(), text.size() - 1, 0) <= 0) return r;
  long long ran = 0, queued = 0;
  if (std::sscanf(text.data(), "%lld %lld", &ran, &queued) == 2) r.queued_ns = queued;
  return r;
}

void SleepMeter::begin() { before_ = read(); }

double SleepMeter::ratio(const Reading& before, const Reading& after) {
  const auto wall = static_cast<double>(after.wall_ns - before.wall_ns);
  if (!(wall > 0)) return std::nan("");
  const auto own = static_cast<double>(after.thread_ns - before.thread_ns + after.queued_ns - before.queued_ns);
  const auto all = static_cast<double>(after.process_ns - before.process_ns);
  return std::clamp((wall - std::max(own, all)) / wall, 0.0, 1.0);
}

void SleepMeter::end() {
  const double slept = ratio(before_, read());
  if (!std::isnan(slept) && ratios_.size() < kMostSteps) ratios_.push_back(slept);
}

double SleepMeter::ratio() const { return median(ratios_); }

}  // namespace profiler
