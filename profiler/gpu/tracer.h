// SPDX-License-Identifier: Apache-2.0
// GpuTracer and GpuModule: what the run-time module offers the profiler; implemented by profiler/cupti.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "profiler/gpu/events.h"

namespace profiler {

/// Watches the GPU work of this process. Made before the process uses the GPU for the first time; one in a process's life.
class GpuTracer {
 public:
  virtual ~GpuTracer() = default;
  /// From here on, what this thread launches belongs to op or step `id`, until pop(). Calls nest per kind.
  virtual void push(ExternalKind, uint64_t id) = 0;
  virtual void pop(ExternalKind) = 0;
  /// What has come in since the last call, one element for each of the tracer's read-outs.
  virtual std::vector<GpuEvents> take() = 0;
  /// After the device was synchronised: fetches what is still on its way, ends the tracing and returns the rest.
  virtual std::vector<GpuEvents> stop() = 0;
};

/// Holds push() open for a scope.
class ExternalScope {
 public:
  ExternalScope(GpuTracer& tracer, ExternalKind kind, uint64_t id) : tracer_(&tracer), kind_(kind) { tracer.push(kind, id); }
  ExternalScope(ExternalScope&& other) noexcept : tracer_(std::exchange(other.tracer_, nullptr)), kind_(other.kind_) {}
  ExternalScope& operator=(ExternalScope&&) = delete;
  ~ExternalScope() {
    if (tracer_ != nullptr) tracer_->pop(kind_);
  }

 private:
  GpuTracer* tracer_;
  ExternalKind kind_;
};

/// One link of the chain from this program to figures of the GPU, for `doctor`.
struct ChainLink {
  std::string name;    ///< "CUPTI"
  bool works = false;
  std::string found;   ///< what was found, or what is wrong
  std::string remedy;  ///< one command or action; empty when it works
};

/// Bytes and shares measured by the hardware's counters around one op.
struct CounterValue {
  uint32_t metric = 0;  ///< index into GpuCounters::metrics()
  double value = 0;
};
struct CounterRange {
  OpId op = kNoOp;
  std::vector<CounterValue> values;
};
struct CounterMetric {
  std::string key;     ///< ours, the same on all chips: "dram_read_bytes"
  std::string source;  ///< the chip's: "dram__bytes_read.sum"
};

/// Counts around ops. Ops are serialised meanwhile: their times in such a run are not those of a normal one.
class GpuCounters {
 public:
  virtual ~GpuCounters() = default;
  virtual const std::vector<CounterMetric>& metrics() const = 0;
  virtual engine::Result<void> begin_step() = 0;
  virtual engine::Result<void> begin_op(OpId) = 0;
  virtual engine::Result<void> end_op() = 0;
  /// After the device was synchronised: the ranges of the step.
  virtual engine::Result<std::vector<CounterRange>> end_step() = 0;
};

/// The profiler's table in the run-time module (engine::ModuleEntry::collector).
struct GpuModule {
  /// Walks from CUPTI's library to permission for counters; stops at the first broken link. Makes no context.
  std::vector<ChainLink> (*examine)() = nullptr;
  /// Refused in words with a remedy: see examine().
  engine::Result<std::unique_ptr<GpuTracer>> (*start_trace)() = nullptr;
  /// For the context that is current; `max_ops`: how many ops a step has at most. Refused without permission.
  engine::Result<std::unique_ptr<GpuCounters>> (*start_counters)(int device, size_t max_ops) = nullptr;
};

}  // namespace profiler
