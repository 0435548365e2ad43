// SPDX-License-Identifier: Apache-2.0
// GpuCounters: what the hardware counted while an op ran, op by op. Implemented by profiler/cupti.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "profiler/capture/activity.h"

namespace profiler {

/// What is counted in one pass.
enum class CounterSet : uint8_t {
  traffic,    ///< bytes per level, tensor cores, warps
  hit_rates,  ///< device memory and the hit rates of L2 and L1
  samples,    ///< of a GpuSampler: of the whole device over time
};

/// Counters of one op, in the order of GpuCounters::keys() and in the units the keys end in.
struct CounterRange {
  OpId op = kNoOp;
  std::vector<double> values;
};

/// Between begin() and end() each op lies between push() and pop(). Ops are serialised meanwhile: times of such a run
/// are not those of a normal one. Not beside a trace: CUPTI's families do not mix.
class GpuCounters {
 public:
  virtual ~GpuCounters() = default;
  /// "dram_read_bytes", "tensor_active_ratio", ...; see profiler/cupti/metrics.cpp.
  virtual std::vector<std::string> keys() const = 0;
  /// What this chip has no counter for, or none that fits into one pass.
  virtual std::vector<std::string> missing() const = 0;
  /// "GH100".
  virtual std::string chip() const = 0;

  virtual engine::Result<void> begin() = 0;
  virtual engine::Result<void> push(OpId) = 0;
  virtual engine::Result<void> pop() = 0;
  /// After the device was synchronised. Refused when ranges were lost or one pass did not suffice.
  virtual engine::Result<std::vector<CounterRange>> end() = 0;
};

}  // namespace profiler
