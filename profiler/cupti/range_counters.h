// SPDX-License-Identifier: Apache-2.0
// RangeCounters: bytes and shares per op, counted by the hardware in one pass. Ops are serialised meanwhile: times of such a run are
// not those of a normal one.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "profiler/cupti/metrics.h"
#include "profiler/gpu/events.h"

namespace profiler::cupti {

/// The counters of one op, in the order of RangeCounters::metrics() and in their units.
struct CounterRange {
  OpId op = kNoOp;
  std::vector<double> values;
};

/// Between begin() and end() each op lies between push() and pop(). Not beside a trace: CUPTI's families do not mix.
class RangeCounters {
 public:
  /// For a context that exists; at most `most_ops` ranges between begin() and end(). Refused: no permission (with the one command),
  /// counters taken by another tool, a device without them.
  static engine::Result<RangeCounters> make(const CuptiApi&, CUcontext, CUdevice, size_t device_index, size_t most_ops);
  RangeCounters(RangeCounters&&) noexcept;
  RangeCounters& operator=(RangeCounters&&) = delete;
  ~RangeCounters();

  const MetricChoice& choice() const { return choice_; }
  engine::Result<void> begin();
  engine::Result<void> push(OpId);
  engine::Result<void> pop();
  /// After the device was synchronised. Refused when ranges were lost or one pass did not suffice.
  engine::Result<std::vector<CounterRange>> end();

 private:
  RangeCounters(const CuptiApi& api, HostProfiler host, MetricChoice choice)
      : api_(&api), host_(std::move(host)), choice_(std::move(choice)) {}
  engine::Result<void> enable(CUcontext, size_t most_ops);
  engine::Result<void> clear();
  engine::Result<void> check(CUptiResult, const char* doing) const;

  const CuptiApi* api_;
  HostProfiler host_;
  MetricChoice choice_;
  CUpti_RangeProfiler_Object* object_ = nullptr;
  size_t most_ops_ = 0;
  std::vector<uint8_t> data_;  ///< CUPTI's image of counted values
};

}  // namespace profiler::cupti
