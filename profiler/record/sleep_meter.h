// SPDX-License-Identifier: Apache-2.0
// SleepMeter: how much of each step no thread of this process ran, though none waited for a processor; and how much of
// it they did wait.
#pragma once

#include <dirent.h>

#include <cstdint>
#include <map>
#include <vector>

namespace profiler {

/// begin() and end() are called around a step, outside its time stamps, by the thread that runs it. Each costs some
/// microseconds, so short steps are not looked at.
class SleepMeter {
 public:
  SleepMeter();
  ~SleepMeter();
  SleepMeter(const SleepMeter&) = delete;
  SleepMeter& operator=(const SleepMeter&) = delete;

  /// Clocks at one moment [ns]: wall, processor time of the calling thread and of the process, and how long that
  /// thread, and all threads of the process together, have waited for a processor so far.
  struct Reading {
    int64_t wall_ns = 0, thread_ns = 0, process_ns = 0, queued_ns = 0, all_queued_ns = 0;
    /// The same of each worker of the pool, by the system's number of the thread.
    std::map<int, int64_t> workers_queued_ns = {};
  };
  /// Share of the time between two readings that is neither processor time of the thread nor its wait for a processor,
  /// and at most what no thread of the process ran or waited for a processor; 0 to 1. NaN: no time has passed.
  static double ratio(const Reading& before, const Reading& after);
  /// Share of that time for which the thread of a team that waited longest for a processor did so: of the calling
  /// thread and the pool's workers, as a team ends with its last member; a loader's threads are none. 0 to 1. NaN: no
  /// time has passed.
  static double queued_ratio(const Reading& before, const Reading& after);

  /// Whether a step of this length is worth the look.
  static bool looks_at(double step_ns) { return step_ns > 200e3; }
  void begin();
  void end();
  /// Median of ratio() over the steps. NaN: no step was long enough.
  double ratio() const;
  /// Median of queued_ratio() over the steps. NaN: no step was long enough, or the kernel keeps no account of waiting.
  /// Shorter steps need none: a slice of another program is longer than they are, so that few of them wait, and those
  /// show in the scatter.
  double queued_ratio() const;

 private:
  Reading read() const;

  int schedstat_ = -1;    ///< of the calling thread: time on the processor, time waiting for one [ns]
  DIR* tasks_ = nullptr;  ///< of all threads
  bool accounts_;         ///< whether the kernel keeps an account of waiting
  Reading before_;
  std::vector<double> ratios_, queued_ratios_;
};

}  // namespace profiler
