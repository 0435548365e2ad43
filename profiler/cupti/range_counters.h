// SPDX-License-Identifier: Apache-2.0
// RangeCounters: bytes and shares per op, counted by the hardware in one pass. Ops are serialised meanwhile: times of
// such a run are not those of a normal one.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "profiler/cupti/metrics.h"
#include "profiler/gpu/counters.h"

namespace profiler::cupti {

/// Between begin() and end() each op lies between push() and pop(). Not beside a trace: CUPTI's families do not mix.
class RangeCounters final : public GpuCounters {
 public:
  /// For a context that exists; at most `most_ops` ranges between begin() and end(). Refused: no permission (with the
  /// one command), counters taken by another tool, a device without them.
  static engine::Result<RangeCounters> make(const CuptiApi&, CUcontext, CUdevice, size_t device_index, CounterSet,
                                            size_t most_ops);
  RangeCounters(RangeCounters&&) noexcept;
  RangeCounters& operator=(RangeCounters&&) = delete;
  ~RangeCounters() override;

  const MetricChoice& choice() const { return choice_; }
  std::vector<std::string> keys() const override;
  std::vector<std::string> missing() const override { return choice_.missing; }
  std::string chip() const override { return choice_.chip; }
  engine::Result<void> begin() override;
  engine::Result<void> push(OpId) override;
  engine::Result<void> pop() override;
  engine::Result<std::vector<CounterRange>> end() override;

 private:
  RangeCounters(const CuptiApi& api, HostProfiler host, MetricChoice choice)
      : api_(&api), host_(std::move(host)), choice_(std::move(choice)) {}
  engine::Result<void> enable(CUcontext, size_t most_ops);
  engine::Result<void> clear();
  engine::Result<void> configure();
  engine::Result<void> check(CUptiResult, const char* doing) const;

  const CuptiApi* api_;
  HostProfiler host_;
  MetricChoice choice_;
  CUpti_RangeProfiler_Object* object_ = nullptr;
  size_t most_ops_ = 0;
  std::vector<uint8_t> data_;  ///< CUPTI's image of counted values
};

}  // namespace profiler::cupti
