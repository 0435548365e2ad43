// SPDX-License-Identifier: Apache-2.0
// GpuTracer and GpuModule: what the run-time module offers the profiler; implemented by profiler/cupti.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "profiler/gpu/counters.h"
#include "profiler/gpu/events.h"
#include "profiler/gpu/samples.h"

namespace profiler {

/// Watches the GPU work of this process. Made before the process uses the GPU for the first time; one in a process's
/// life.
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
  ExternalScope(GpuTracer& tracer, ExternalKind kind, uint64_t id) : tracer_(&tracer), kind_(kind) {
    tracer.push(kind, id);
  }
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
  std::string name;  ///< "CUPTI"
  bool works = false;
  std::string found;               ///< what was found, or what is wrong
  std::string remedy;              ///< one command or action; empty when it works
  bool for_counters_only = false;  ///< tracing works without it
  bool for_samples_only = false;   ///< counters per op work without it, too
};

/// The profiler's table in the run-time module (engine::ModuleEntry::collector).
struct GpuModule {
  /// Walks from CUPTI's library to permission for counters. `attach`: also tries whether another profiler is in the
  /// way. Makes no context.
  std::vector<ChainLink> (*examine)(bool attach) = nullptr;
  /// Once in a process's life, before its first context. Refused in words: see examine().
  engine::Result<std::unique_ptr<GpuTracer>> (*start_trace)() = nullptr;
  /// Counters of a device (CUDA's number) that this process uses already, for at most `most_ops` ops between begin()
  /// and end(). No trace runs meanwhile. Refused: no permission (with the one command), counters taken by another tool,
  /// a device without them.
  engine::Result<std::unique_ptr<GpuCounters>> (*start_counters)(int device, CounterSet, size_t most_ops) = nullptr;
  /// Figures of a device (CUDA's number) over time, from now on; beside a trace, which is to be stopped first. Refused
  /// like counters.
  engine::Result<std::unique_ptr<GpuSampler>> (*start_samples)(int device) = nullptr;
  /// Runs on its devices are traced without being asked: it costs next to nothing and needs nothing more.
  bool in_every_run = false;
};

}  // namespace profiler
