// SPDX-License-Identifier: Apache-2.0
// Recorder: runs a workload while the engine collector watches, and writes the capture as it goes.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/eager/session.h"
#include "engine/runtime/backend.h"
#include "engine/workloads/workload.h"
#include "profiler/capture/capture.h"
#include "profiler/gpu/tracer.h"

namespace profiler {

/// Reads a graph output as the last step left it, as a row-major tensor in host memory.
using ReadOutput = std::function<engine::Result<engine::Tensor>(engine::ValueId)>;

struct RecordRequest {
  std::string workload;  ///< name shown; path for model files
  std::string title;
  engine::Arguments arguments;  ///< resolved
  std::shared_ptr<const engine::Graph> graph;
  engine::EagerSession::Build build;  ///< set: steps run it eagerly, and it appends `graph` op for op (else refused);
                                      ///< the capture then has an argument graph = eager
  bool replay = false;                ///< a step is one launch (engine::Plan::replay); never with `build`
  engine::Backend* backend = nullptr;
  std::vector<engine::Backend*> further_devices =
      {};  ///< those that the graph names besides (see engine/graph/to_device.h); `build` is set then
  std::vector<double> untraced_steps_ns = {};  ///< timed_steps_ns() of a process without `tracer`; empty: not measured
  std::string untraced_why = {};               ///< why they are not; may be empty
  bool standing_trace = false;  ///< `tracer` leaves untraced steps alone, so the cost of tracing has all of its cost
  GpuTracer* tracer = nullptr;  ///< set: it watched `backend` come to be, and its kernels and copies are recorded
  std::function<engine::Result<std::unique_ptr<GpuSampler>>()> start_samples =
      {};  ///< set: figures of the GPU over time, from the first step on
  std::function<engine::Result<void>()>
      health;  ///< asked after each step, where set: a device that reports its errors late
  std::function<engine::Result<void>(const ReadOutput&)> with_outputs =
      {};  ///< called after the last step, where set; its refusal is the recording's
  uint64_t seed = 1;
  int warmup_steps = -1;  ///< -1: until two consecutive steps agree within 5 %, at most 5
  int steps = 0;  ///< traced steps; 0 = auto: until the median's 95 % interval is within +-2 %, 5..50, at most 20 s
  bool measure_cost = true;        ///< interleave untraced steps to measure what profiling costs
  bool keep_values = false;        ///< of every tensor of one further step: read_values()
  std::optional<Machine> machine;  ///< roofs to store with the capture; none: unknown
  /// Set: measures bandwidths of `machine` again, before anything is planned and after the last step (see BesideProbe).
  std::function<std::vector<BandwidthRoof>()> measure_beside = {};
  std::filesystem::path output;  ///< .tide written as the run goes; empty: memory only
  std::string command;           ///< reproduces the run
  std::string product_version;
  std::vector<std::string> notes = {};  ///< of how the graph was made, for the capture's own
};

/// What a step is known to need before it runs.
struct PlannedStep {
  int ops = 0;               ///< that run something
  double flops = 0;          ///< exact; NaN: unknown
  double operand_bytes = 0;  ///< read and written by ops, each operand of each op once
  double memory_bytes = 0;   ///< that the run holds: values, weights, workspace
};

struct RecordProgress {
  std::string stage;        ///< "planning" "preparing" "warming up" "recording" "writing"
  int step = 0, steps = 0;  ///< steps = 0: not known yet
  double fraction = 0;      ///< 0..1 estimate of the whole
  double last_step_ns = std::numeric_limits<double>::quiet_NaN();  ///< NaN before the first
  /// Steps of any kind that ended since the last report, and the range of their times; NaN: none ended.
  int recent_steps = 0;
  double shortest_ns = std::numeric_limits<double>::quiet_NaN(), longest_ns = shortest_ns;
  /// After the last step; NaN: the workload has none, or it lies on a GPU and is read at the end.
  double loss = std::numeric_limits<double>::quiet_NaN();
  bool loss_failed = false;              ///< it was no finite number after some step
  std::optional<PlannedStep> planned{};  ///< in the first report that knows it
};

/// Runs and returns the frozen capture. `stop` (SIGINT, Cancel): finishes with what there is (run.complete = false) as
/// soon as the running step ends; stopped before the first traced step: refused. Refusals (memory, disk, op support)
/// name the cause. `progress` is called between steps, at most some 25 times per second (ProgressPace).
engine::Result<std::shared_ptr<const Capture>> record(const RecordRequest&,
                                                      const std::function<void(const RecordProgress&)>& progress,
                                                      const std::atomic<bool>& stop);

}  // namespace profiler
