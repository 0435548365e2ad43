// SPDX-License-Identifier: Apache-2.0
// Why a GPU stood still before a piece of its work: from the call that launched it and what the host did until then.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>

#include "profiler/analysis/base/intervals.h"
#include "profiler/capture/capture.h"

namespace profiler {

/// Causes of a GPU's idle time, by the call that launched the work at the end of each gap.
struct IdleCauses {
  double calls_ns = 0;    ///< the launch had not been made yet, and the host was inside CUDA calls
  double setup_ns = 0;    ///< part of that in calls that launch nothing, such as cudaMalloc
  double waits_ns = 0;    ///< ... and the host was waiting for the GPU
  double fetch_ns = 0;    ///< ... and the host was fetching its data
  double host_ns = 0;     ///< ... and the host was doing something else
  double start_ns = 0;    ///< the launch was made within the gap: from its return to the start of the work
  double queued_ns = 0;   ///< the launch had been made before the gap: the work waited for other work or for the device
  double held_ns = 0;     ///< launched, but it started later than any start takes (kLongestStartNs)
  double unknown_ns = 0;  ///< nobody recorded the launch
  double total() const {
    return calls_ns + waits_ns + fetch_ns + host_ns + start_ns + queued_ns + held_ns + unknown_ns;
  }
  /// Before the launch had been made, or on its way: what fewer or earlier launches would win.
  double launching_ns() const { return calls_ns + host_ns + start_ns; }
  /// Of that, the host's work that launches nothing, and the calls that launch with the way of their work.
  double other_work_ns() const { return host_ns + setup_ns; }
  double launch_calls_ns() const { return calls_ns - setup_ns + start_ns; }
  /// Whether most of that is other work of the host than launching. Our threshold: the larger of the two.
  bool host_is_busy() const { return other_work_ns() > 0.5 * launching_ns(); }
  IdleCauses& operator+=(const IdleCauses&);
};

/// From the return of a launch to the start of its work on an idle GPU. Work that starts later was held by something:
/// an event, another program, work from before the trace. Measured: of 4,152 such starts in three Kineto traces (V100,
/// A100, H100) the longest took 5.0 us; this is twenty times that.
inline constexpr int64_t kLongestStartNs = 100'000;

/// Answers for any gap of one capture. The host waits in recorded synchronisation, but for streams that wait for each
/// other. It also waits in calls with such a name ("hipDeviceSynchronize"), and in a call for a copy while that copy
/// runs. Calls named asynchronous wait for none.
class IdleExplainer {
 public:
  explicit IdleExplainer(const Capture&);
  /// The call that launched what has this correlation; nullptr: unknown.
  const Interval* call(uint64_t correlation) const;
  /// The gap ended when work with this correlation started. Until its launch, the thread that made it is asked.
  IdleCauses before_work(const Interval& gap, uint64_t correlation) const;
  /// No work of a rank's device followed: what all threads of the rank did meanwhile.
  IdleCauses without_work(uint32_t rank, const Interval& gap) const;

 private:
  /// What a host thread, or all of a rank, did.
  struct Host {
    IntervalSet calls, waits, fetches, launches;
  };
  struct Launch {
    Interval span;
    TrackId thread = 0;
  };
  static void host_side(const Host*, int64_t begin, int64_t end, IdleCauses&);
  std::unordered_map<uint64_t, Launch> calls_by_id_;
  std::map<uint32_t, Host> ranks_;
  std::map<TrackId, Host> threads_;
};

}  // namespace profiler
