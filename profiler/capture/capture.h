// SPDX-License-Identifier: Apache-2.0
// Capture: all of one run, frozen: what was run, on what, which ops and tensors, and what took time. Readers share it
// without locks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/graph.h"
#include "engine/graph/kernel_facts.h"
#include "profiler/base/foreign_load.h"
#include "profiler/base/packed_column.h"
#include "profiler/capture/activity.h"
#include "profiler/capture/fusion_records.h"
#include "profiler/capture/gpu_records.h"
#include "profiler/capture/observations.h"
#include "profiler/capture/traffic_record.h"
#include "profiler/machine/machine.h"

namespace profiler {

using engine::Phase;
using engine::Role;

/// One op of the plan (the same for every step).
struct OpRecord {
  OpId id = kNoOp;
  NameId name = 0;    ///< unique: "layer1.0.conv2/conv2d" (backward: ".../conv2d_grad_weight")
  NameId type = 0;    ///< "conv2d"
  NameId layer = 0;   ///< "layer1.0.conv2"
  NameId kernel = 0;  ///< "oneDNN brgconv:avx512_core"; "view": for people, what is decided goes by Capture::facts()
  Phase phase = Phase::forward;
  bool view = false;  ///< shares storage, runs nothing, moves nothing
  double flops = 0;   ///< exact, per step; NaN: unknown, as are its compulsory bytes (imported traces)
  uint32_t first_operand = 0, operand_count = 0;  ///< into Capture::operands()
  int threads = 0;  ///< the most that any part of it was shared among, seen while it ran; 0: unknown
};

/// One tensor an op reads or writes, with the compulsory bytes (exact).
struct OperandRecord {
  OpId op = kNoOp;
  TensorId tensor = kNoTensor;
  Role role = Role::activation;
  bool output = false;
  int64_t read_bytes = 0, written_bytes = 0;
};

struct TensorRecord {
  TensorId id = kNoTensor;
  NameId name = 0;
  engine::DType dtype = engine::DType::float32;
  std::vector<int64_t> shape, strides;
  Role role = Role::activation;
  bool persistent = false;         ///< lives across steps (weights, optimiser state, inputs)
  TensorId alias_of = kNoTensor;   ///< shares that tensor's bytes
  int64_t size_bytes = 0;          ///< bytes it occupies
  int64_t offset_bytes = 0;        ///< in the arena or the persistent block
  OpId first_op = 0, last_op = 0;  ///< lifetime in the arena
};

/// One step (iteration) that was run and timed.
struct StepRecord {
  uint32_t index = 0;
  int64_t start_ns = 0, duration_ns = 0;
  bool traced = true;  ///< false: run without observer, to measure what profiling costs
  bool warmup = false;
};

/// One of several processes (ranks) whose traces stand in one capture. Steps of one index are the same step of the
/// work, at each rank's own time.
struct RankRecord {
  NameId name = 0;                ///< "rank 1"
  std::vector<StepRecord> steps;  ///< its own, ascending by index; each index is one of Capture::steps()
  std::vector<TrackId> tracks;    ///< where its work lies; ascending, each track in one rank at most
};

/// What profiling did to the run. Unknown figures are NaN.
struct Honesty {
  double cost_ratio = 0;        ///< median traced / median untraced step - 1 (measured); NaN: not measured
  double cost_noise_ratio = 0;  ///< spread of that figure: half-width of its 95 % interval
  double cost_bound_ratio = 0;  ///< ops x calibrated ns per traced op / step time (measured per-op cost)
  int64_t dropped_records = 0;
  GpuLosses gpu_losses;  ///< of the GPU trace
  double clock_drift_ratio =
      0;  ///< change of the calibrated spin-loop rate between start and end of the run; NaN: unknown
  /// Share of all processors that other programs (or the host of a virtual machine) used while recording, measured;
  /// NaN: unknown.
  double foreign_load_ratio = std::numeric_limits<double>::quiet_NaN();
  /// ns of a fixed chain of integer operations when the recording began (measured): beside other runs it shows the
  /// clock rate; NaN: unknown.
  double spin_ns = std::numeric_limits<double>::quiet_NaN();
  /// How often processors slowed themselves down for heat or power while recording; NaN: no counter.
  double throttle_events = std::numeric_limits<double>::quiet_NaN();
  /// Part of a step in which no thread of the program ran or waited for a processor: median over the measured steps
  /// (measured). NaN: unknown.
  double asleep_ratio = std::numeric_limits<double>::quiet_NaN();
  /// Part of a step that a runnable thread of its team waited for a processor: the longest wait, median over the
  /// measured steps. Measured by the kernel's account; NaN: unknown. queued() of profiler/capture/noise.h decides when
  /// it makes times wrong.
  double queued_ratio = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::string> notes;  ///< sentences: what could not be collected and what would make it available

  /// What can be said of the cost of profiling: one rule for the command line, the window and reports.
  struct Cost {
    enum class Kind : uint8_t { unknown, within_noise, measured };
    Kind kind = Kind::unknown;
    double ratio = std::numeric_limits<double>::quiet_NaN();  ///< where measured
    double noise = std::numeric_limits<double>::quiet_NaN();  ///< half-width of the interval; within noise: at least
                                                              ///< the figure's size, either way
  };
  /// Tracing makes no step faster: a figure below zero, or no larger than its noise, is noise. Without a noise nothing
  /// is known.
  Cost cost() const;
};

struct RunInfo {
  std::string source;                            ///< who recorded it: "PyTorch (Kineto) trace"; empty: this program
  std::string workload;                          ///< "resnet50", or the path of a model file
  std::string title;                             ///< "ResNet-50"
  std::map<std::string, std::string> arguments;  ///< complete: batch, dtype, mode, ...
  std::string dtype_choices;   ///< values the workload takes for "dtype": "f32 f64"; empty: unknown, or it takes none
  std::string device = "cpu";  ///< as it is shown; what it is: traits()
  std::string device_traits;   ///< engine::to_words(); empty: an older or imported capture, or one of a plan
  /// As recorded; of captures without them, those of the device's name.
  engine::DeviceTraits traits() const {
    return device_traits.empty() ? engine::traits_of(device) : engine::traits_from_words(device_traits);
  }
  int threads = 1;
  uint64_t seed = 1;
  std::string command;     ///< reproduces the run
  std::string created_at;  ///< ISO 8601 local time
  std::string product_version;
  int64_t parameter_count = 0, matrix_weight_count = 0;
  /// arena: of a planned (static) run, the block that values share in turn. Of an eager run, the bytes that its pool
  /// reserved from the device; they exceed what the values need. without_reuse: all values of a step side by side.
  int64_t arena_bytes = 0, persistent_bytes = 0, workspace_bytes = 0, arena_bytes_without_reuse = 0;
  /// Whether arena_bytes is a pool's reserve instead of a plan.
  bool eager() const {
    const auto graph = arguments.find("graph");
    return graph != arguments.end() && graph->second == "eager";
  }
  /// Energy of the processor packages while recording / steps run meanwhile, other programs' part included (measured);
  /// NaN: no counter.
  double step_energy_j = std::numeric_limits<double>::quiet_NaN();
  /// What the data loader read from files per batch (measured, mean); NaN: the run loaded nothing, or an older version
  /// recorded it.
  double read_bytes_per_batch = std::numeric_limits<double>::quiet_NaN();
  bool complete = true;  ///< false: the run was cancelled or killed; what was captured is here
  std::string incomplete_reason;
};

/// Activities as columns, sorted by start (then longer first, so parents come before children). Packed: 10 to 20 bytes
/// each.
struct ActivityColumns {
  PackedColumn<int64_t> start_ns, duration_ns;
  PackedColumn<uint64_t> correlation;
  PackedColumn<NameId> name;
  PackedColumn<OpId> op;
  PackedColumn<uint32_t> step;
  PackedColumn<TrackId> track;
  PackedColumn<ActivityKind> kind;
  PackedColumn<uint8_t> flags;
  size_t size() const { return start_ns.size(); }
  Activity row(size_t i) const;
  void push_back(const Activity&);
  size_t size_bytes() const;
  /// Calls f(column) for each, always in the same order.
  template <class Columns, class F>
  static void visit(Columns& c, F&& f) {
    f(c.start_ns), f(c.duration_ns), f(c.correlation), f(c.name), f(c.op), f(c.step), f(c.track), f(c.kind), f(c.flags);
  }
};

class Capture {
 public:
  const RunInfo& run() const { return run_; }
  /// What the device is that the ops ran on.
  engine::DeviceTraits device() const { return run_.traits(); }
  const Machine& machine() const { return machine_; }
  const Honesty& honesty() const { return honesty_; }
  const std::vector<Track>& tracks() const { return tracks_; }
  const std::vector<OpRecord>& ops() const { return ops_; }
  const std::vector<TensorRecord>& tensors() const { return tensors_; }
  const std::vector<StepRecord>& steps() const { return steps_; }
  /// The processes of a capture made of several traces; empty: it is of one. steps() has each index once, at the time
  /// of the first rank with it.
  const std::vector<RankRecord>& ranks() const { return ranks_; }
  const ActivityColumns& activities() const { return activities_; }
  std::span<const OperandRecord> operands(const OpRecord& op) const {
    return std::span(operands_).subspan(op.first_operand, op.operand_count);
  }
  const std::vector<OperandRecord>& operands() const { return operands_; }
  /// What is known of GPU activities beyond their time; each list in the order of its activities.
  const GpuRecords& gpu() const { return gpu_; }
  // The record of one activity, by its row; nullptr: it has none of that kind.
  const KernelRecord* kernel_of(uint32_t activity) const { return record_of(gpu_.kernels, activity); }
  const CopyRecord* copy_of(uint32_t activity) const { return record_of(gpu_.copies, activity); }
  const MemsetRecord* memset_of(uint32_t activity) const { return record_of(gpu_.memsets, activity); }
  const ApiCallRecord* api_call_of(uint32_t activity) const { return record_of(gpu_.api_calls, activity); }
  const SynchronizationRecord* synchronization_of(uint32_t activity) const {
    return record_of(gpu_.synchronizations, activity);
  }
  /// Figures over time, such as bytes allocated; each series ascending in time.
  const std::vector<CounterSeries>& counters() const { return counters_; }
  /// What is known of collective operations, ascending by correlation.
  const std::vector<CollectiveRecord>& collectives() const { return collectives_; }
  const CollectiveRecord* collective_of(uint64_t correlation) const;
  /// What a step put out; empty: nothing was computed, the graph marks no output, or the capture is older or imported.
  const std::vector<ResultRecord>& results() const { return results_; }
  /// Constants of an op (strides, paddings, axes) as the graph had them; none: it has none, or the capture is older or
  /// foreign.
  const engine::Attributes& attributes(OpId op) const;
  /// Of the op's kernel, but for its name, which is OpRecord::kernel; of ops without any: code unknown. Where the code
  /// is unknown, so is the library.
  const engine::KernelFacts& facts(OpId op) const;
  /// Whether anything was said of them.
  bool has_facts(OpId op) const { return op < facts_of_.size() && facts_of_[op] > 0; }
  /// Traffic stored beside the run: simulated or measured. Modelled traffic is not stored; readers compute it.
  const std::vector<TrafficSource>& traffic() const { return traffic_; }
  /// The stored source of that origin; nullptr: there is none.
  const TrafficSource* traffic_of(Origin origin) const;
  /// Members of fused ops, and pairs of ops that share a value; empty where the graph is not known (imported traces).
  const FusionRecords& fusion() const { return fusion_; }
  std::span<const FusedMemberRecord> fused_members(OpId) const;
  std::string_view name(NameId id) const { return names_[id]; }
  const std::vector<std::string>& names() const { return names_; }
  /// False on the null device, which runs no kernel: times are dispatch alone, and nothing was computed or moved.
  bool computed() const { return device().computes; }
  /// How times, and what was counted beside them, are known: measured; emulated where the GPU was. Whoever shows a time
  /// asks this.
  Origin time_origin() const;
  /// Whether amount by time says something: not where nothing was computed, nor of the times of an emulation.
  bool rates_known() const { return computed() && time_origin() == Origin::measured; }
  /// FLOP/s of `flops` done in `ns`, or B/s of bytes; NaN where !rates_known().
  double rate(double amount, double ns) const {
    return rates_known() ? amount / ns * 1e9 : std::numeric_limits<double>::quiet_NaN();
  }
  /// Rows of activities() of one op (all traced steps), ascending in time.
  std::span<const uint32_t> activities_of(OpId) const;
  /// First and last instant of all activities and steps.
  int64_t begin_ns() const { return begin_ns_; }
  int64_t end_ns() const { return end_ns_; }

 private:
  friend class CaptureBuilder;
  template <class Record>
  static const Record* record_of(const std::vector<Record>& list, uint32_t activity) {
    const auto found = std::lower_bound(list.begin(), list.end(), activity,
                                        [](const Record& r, uint32_t row) { return r.activity < row; });
    return found != list.end() && found->activity == activity ? &*found : nullptr;
  }
  RunInfo run_;
  Machine machine_;
  Honesty honesty_;
  std::vector<std::string> names_;
  std::vector<Track> tracks_;
  std::vector<OpRecord> ops_;
  std::vector<OperandRecord> operands_;
  std::vector<TensorRecord> tensors_;
  std::vector<StepRecord> steps_;
  std::vector<RankRecord> ranks_;
  ActivityColumns activities_;
  GpuRecords gpu_;
  std::vector<CounterSeries> counters_;
  std::vector<CollectiveRecord> collectives_;
  std::vector<ResultRecord> results_;
  std::vector<engine::Attributes> attributes_;  // by op, as far as there are any
  std::vector<engine::KernelFacts> facts_;      // different ones
  std::vector<uint32_t> facts_of_;              // by op, as far as there are any: index into facts_ plus 1; 0: none
  std::vector<TrafficSource> traffic_;
  FusionRecords fusion_;
  std::vector<uint32_t> by_op_, by_op_begin_;
  int64_t begin_ns_ = 0, end_ns_ = 0;
};

}  // namespace profiler
