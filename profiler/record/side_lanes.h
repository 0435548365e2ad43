// SPDX-License-Identifier: Apache-2.0
// SideLanes: tracks for what does not happen on the main thread's device: ops of further devices, copies between
// devices, the stages of loaders.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/eager/session.h"
#include "profiler/capture/capture_builder.h"
#include "profiler/gpu/joiner.h"
#include "profiler/record/engine_collector.h"

namespace profiler {

class SideLanes {
 public:
  /// `session`: null where a plan runs, which has one device. Tracks go into `builder`, which outlives this.
  /// `gpu_traced`: copies from and to GPUs come from a tracer as well, with the GPU's own times, and are left to it.
  SideLanes(CaptureBuilder& builder, const engine::Graph& graph, const engine::EagerSession* session, TrackId host,
            bool gpu_traced);

  /// The lane of the device that computes it: a lane each, and the host's for the device of the run.
  TrackId lane_of(OpId op) const { return of_op_.empty() ? host_ : of_op_[op]; }
  /// Adds copies (with their records) and stages that were collected.
  void append(const EngineCollector& collected, const engine::TickClock& clock, GpuBatch& batch);
  /// Mean of what the loader read from files; NaN: nothing.
  double read_bytes_per_batch() const;
  /// What a reader must know of these lanes, in sentences.
  std::vector<std::string> notes() const;

 private:
  void append(const RawTransfer& raw, const engine::TickClock& clock, GpuBatch& batch);
  void append(const RawStage& raw, const engine::TickClock& clock, GpuBatch& batch);
  /// Neighbours on a lane do not overlap: the clock's slope is refined with each read-out.
  Activity span_on(TrackId track, int64_t begin_ns, int64_t end_ns);
  TensorId tensor_of(const RawTransfer& raw) const;
  std::string reason_of(const RawTransfer& raw) const;

  CaptureBuilder& builder_;
  const engine::Graph& graph_;
  TrackId host_;
  bool gpu_traced_;
  std::vector<TrackId> of_op_;          // empty: all ops ran on one device
  std::vector<bool> unchanging_;        // by value: no step writes it
  std::vector<std::string> simulated_;  // devices
  int64_t reads_ = 0, read_bytes_ = 0;
  std::map<TrackId, int64_t> ends_;  // of the last span on each lane
};

}  // namespace profiler
