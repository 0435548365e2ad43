// SPDX-License-Identifier: Apache-2.0
// TraceBuilder: builds a capture from the readers of all imported formats: tracks, nesting, who launched what, steps,
// ops.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "profiler/capture/capture_builder.h"
#include "profiler/import/captured_graph.h"
#include "profiler/import/findings.h"
#include "profiler/import/lane_roles.h"
#include "profiler/import/privacy.h"
#include "profiler/import/shape_rules.h"

namespace profiler {

/// What is known of an op's call beyond its span. Texts are interned; 0: unknown.
struct TraceCall {
  NameId dimensions = 0;        ///< JSON as PyTorch writes it: "[[141,512],[512,512]]"
  NameId types = 0;             ///< "[\"float\",\"float\"]"
  NameId constants = 0;         ///< "[\"\",\"\",\"[2, 2]\"]": of calls whose FLOPs depend on them
  NameId layer = 0;             ///< path of the module that called it
  NameId type = 0, kernel = 0;  ///< of our own exports: what the op is, and who computed it
  NameId op = 0;                ///< of our own exports: the op's name where the call has another
  NameId rule = 0;              ///< what shapes are understood by where it is not the call's name: "onnx::Conv"
  NameId outputs = 0, output_types = 0;  ///< as dimensions and types; of ONNX Runtime alone
  int64_t external_id = 0;               ///< what GPU activities refer to it by; 0: nothing
  double flops = -1;                     ///< given by the trace; -1: not
  int64_t sequence = -1;     ///< autograd's number of a forward op and of those that compute its gradients; -1: none
  bool of_backward = false;  ///< with that number: it computes gradients
  Phase phase = Phase::forward;
  bool phase_given = false;  ///< else that of what is around counts
};

/// What our own exports say of an op beside its calls.
struct DescribedOp {
  double flops = 0;                     ///< per step; NaN: unknown
  std::vector<OperandRecord> operands;  ///< their tensors count in the tensors described with them
};

/// Times that a trace can have: those of 1933 to 2079, and of clocks that began with the machine. Sums and differences
/// of them fit 64 bits.
inline constexpr int64_t kEarliestTime = -(int64_t{1} << 60), kLatestTime = int64_t{3} << 60,
                         kLatestBase = int64_t{2} << 60, kLongestSpan = int64_t{1} << 60;
constexpr bool is_time(int64_t ns) { return ns >= kEarliestTime && ns <= kLatestTime; }

/// What a trace says of the op that a span was done for, where no call of it is recorded: XLA's "hlo_op". Our own
/// exports say it of a graph's replay.
struct SaidOp {
  NameId op = 0, layer = 0;
  Phase phase = Phase::forward;
  NameId type = 0;  ///< 0: by the op's name
};

/// By the mark in a copy's name: "Memcpy HtoD (Pageable -> Device)", "MemcpyD2H".
CopyKind copy_kind_of(std::string_view name);

class TraceBuilder {
 public:
  using Lane = TrackId;

  explicit TraceBuilder(Findings& findings, Privacy privacy = {}) : findings_(findings), keeper_(privacy) {}
  NameKeeper& keeper() { return keeper_; }

  // ---- one file (rank) after the other; ids of different files are kept apart
  void begin_rank(const std::string& label);  ///< "" when there is one file: groups of tracks get no prefix
  /// Links what belongs together in the current file.
  void end_rank();
  bool rank_is_empty() const { return activities_.size() == rank_begin_ && series_.size() == series_begin_; }

  NameId intern(std::string_view text);
  std::string_view name(NameId id) const { return capture_.so_far().name(id); }
  /// A track, found by a key of the reader before its name is known. Beyond 60 000 tracks of all ranks, further ones of
  /// a rank share its last.
  Lane lane(uint64_t key);
  void name_lane(Lane, TrackKind, std::string_view name, std::string_view group);
  bool lane_named(Lane lane) const { return lanes_[lane].named; }
  /// The tracks of one of our own exports, by index; of the current file.
  void describe_tracks(std::vector<Track> tracks) { described_tracks_ = std::move(tracks); }
  bool describes_tracks() const { return !described_tracks_.empty(); }
  /// The lane of a described track; nothing: there is none of that index.
  std::optional<Lane> described_lane(int64_t index);
  /// Unit of a counter of the current file, where its values do not say it.
  void describe_counter(std::string_view name, std::string_view group, std::string_view unit);
  bool describes_counter(std::string_view name, std::string_view group) const {
    return counter_units_.contains(counter_key(name, group));
  }
  /// The stream of a device, made at its first mention. `process`: whose, where a trace holds several; their streams of
  /// one number are different ones.
  Lane stream_lane(int64_t device, int64_t stream, uint32_t process = 0);

  // ---- spans; `track` is a lane, times are nanoseconds of the trace's clock
  void add_range(Activity a) { add_plain(a, ActivityKind::range); }
  void add_layer(Activity a) { add_plain(a, ActivityKind::layer); }
  void add_op(Activity, const TraceCall&);
  void add_step_span(Activity a) { add_plain(a, ActivityKind::step); }
  template <class Record>
  void add(Activity a, Record record, int64_t external_id = 0);  ///< Record: KernelRecord to OverheadRecord
  /// Marks the last added span as a layer of the ops inside: the frame of a module, or a range named by the user.
  void say_layer_span(bool module) { layer_spans_[static_cast<uint32_t>(activities_.size() - 1)] = module; }
  static bool is_device_work(ActivityKind kind) {
    return kind == ActivityKind::kernel || kind == ActivityKind::copy || kind == ActivityKind::memset;
  }
  /// Whether a span is a module's frame ("nn.Module: Conv2d_0"). Whether a named range is a part of the model: no step,
  /// optimizer, data loader or collective.
  static bool is_module_frame(std::string_view span);
  /// Whether a named range has the whole path of a module: "nn.Module path: layer1.0.conv1".
  static bool is_module_path(std::string_view annotation);
  static bool names_a_layer(std::string_view annotation);
  /// An op that starts there computes gradients of the one that starts here.
  void add_backward_flow(Lane forward, int64_t forward_ns, Lane backward, int64_t backward_ns) {
    backward_flows_.push_back({forward, forward_ns, backward, backward_ns});
  }
  /// Says what the span that was added last was done for.
  void say_op(const SaidOp& op) { said_ops_[static_cast<uint32_t>(activities_.size() - 1)] = op; }
  /// Of spans whose end comes later: they are added without a duration, and closed by their number (as spans(),
  /// step_marks() were before).
  size_t spans() const { return activities_.size(); }
  size_t step_marks() const { return steps_.size(); }
  void close_span(size_t span, int64_t end_ns);
  void close_step_mark(size_t mark, int64_t end_ns);
  /// Correlation ids of one process become unique in the capture; 0 stays 0.
  uint64_t correlation(int64_t id, uint32_t process = 0) const;
  void add_step(const StepRecord& step);
  /// Spans of a device's lane whose names are numbers mark its steps: work belongs to the step it starts in then,
  /// whenever it was launched.
  void take_steps_of(Lane);
  bool has_steps() const { return !steps_.empty(); }
  /// Whether the current file named work of a device as such.
  bool has_device_work() const;
  /// The current file is an export of ours: words of its events that others may use otherwise mean what we write.
  void take_for_ours() { ours_ = true; }
  bool ours() const { return ours_; }
  /// What the ops of these names do in a step, instead of what their calls say; of several files all of it counts.
  /// Tensors whose place in memory is known come with a lifetime of kNoOp, which becomes the ops that use them.
  void describe_ops(std::vector<TensorRecord> tensors, std::vector<std::pair<NameId, DescribedOp>> ops);
  void add_counter_value(std::string_view name, std::string_view group, std::string_view unit, int64_t time_ns,
                         double value);
  void add_collective(const CollectiveRecord& collective);
  /// Of a span of a host thread that carries out a collective itself (gloo, MPI): returns the correlation that the span
  /// has to have. A group that the record lacks is the file's only one, where it has one.
  uint64_t add_host_collective(CollectiveRecord collective);
  /// Files are read for the graphs that they capture alone; said before the first one.
  void collect_graphs() { collects_graphs_ = true; }
  /// The kernel that the call launches which was added last, as its record says.
  void say_launched_kernel(std::string_view kernel) {
    launched_kernels_[static_cast<uint32_t>(activities_.size() - 1)] = intern(kernel);
  }
  size_t captured_graphs() const { return captured_graphs_.size(); }
  /// Replays of graphs get the ops, shapes and modules of those that `captures` collected; said before any end_rank().
  void name_replays(const TraceBuilder& captures);
  /// What the op that was added last asks a device for: of kernels of communication launched in it that say nothing.
  void say_collective(const CollectiveRecord& collective) { asked_.emplace(calls_.size() - 1, collective); }
  /// The process group of the current file, where it has a single one; said at any time before end_rank().
  void set_only_group(NameId group, NameId ranks, int32_t size) { only_group_ = {group, ranks, size}; }
  /// Of all files, once they are read: GPUs that work ran on and no file lists.
  void add_unlisted_devices();
  void add_device(GpuDevice device) { capture_.add_gpu_device(std::move(device)); }
  /// Calls f(lane, begin, end) for each span of the current file that is no instant, and plain or of a device's work.
  template <class F>
  void each_span(F&& f) const;
  /// Lanes of devices: plain spans of work become kernels, copies and memsets by their name. Events of other lanes
  /// about kernels are dropped, as they repeat them. Where spans of a lane nest, the inner ones count. The outer one
  /// counts where they fill less than half of it.
  void settle_device_lanes(const std::unordered_map<Lane, LaneChoice>&);
  /// Lanes of a host: calls that launch (they have a correlation) become API calls, also where their name is that of
  /// the work. Spans of an op become ops.
  void settle_host_lanes(const std::unordered_set<Lane>&);
  /// Lanes with spans that launch or copy (they have a correlation), all called as the functions of a driver or runtime
  /// are: "cuMemcpyDtoHAsync".
  std::unordered_set<Lane> lanes_of_calls() const;
  /// All times of the current file count from here; said at any time before end_rank().
  void set_base(int64_t ns);

  Machine& machine() { return capture_.machine(); }
  RunInfo& run() { return capture_.run(); }
  Honesty& honesty() { return capture_.honesty(); }
  Findings& findings() { return findings_; }
  const std::vector<KernelRecord>& kernels() const { return records_.kernels; }
  const GpuRecords& gpu_records() const { return records_; }
  std::vector<GpuDevice>& devices() { return capture_.gpu_devices(); }
  const std::vector<GpuDevice>& devices() const { return capture_.so_far().gpu().devices; }
  int64_t first_ns() const;  ///< first instant of all activities; 0: none
  /// The capture of all files; spent afterwards.
  engine::Result<std::shared_ptr<const Capture>> finish();

 private:
  static constexpr uint32_t kNone = 0xffffffffu;
  struct LaneInfo {
    uint64_t key = 0;
    bool named = false;
    TrackId track = 0;
  };
  struct Call {
    uint32_t activity = 0;
    TraceCall call{};
    bool leaf = true;                               ///< no other op that computes anything runs inside
    uint32_t around = kNone;                        ///< call
    NameId called = 0;                              ///< of a graph's replay: the op; else the activity has the name
    NameId around_name = 0, around_dimensions = 0;  ///< of the op around it
    bool counted_inside = false;                    ///< what it computes is counted at a call inside
    bool unknown_inside = false;                    ///< a call inside computes what is not known
    bool moved_inside = false;                      ///< what it reads and writes is counted at a call inside
    bool cost_known = false;
    bool recorded = false;  ///< into a graph, by a capture: it did not run
    OpId op = kNoOp;
  };
  struct OpSums {  // over all calls of one op
    double flops = 0;
    double counted = 0;  ///< calls whose bytes are counted here, at none inside
    bool flops_known = true, bytes_known = true;
    std::vector<ShapedOperand> operands;  ///< of the first of those
    std::map<NameId, int64_t> kernel_ns;
  };

  struct BackwardFlow {
    Lane forward;
    int64_t forward_ns;
    Lane backward;
    int64_t backward_ns;
  };
  /// Spans of hosts as they nest. Rows count from rank_begin_.
  struct HostNesting {
    std::vector<uint32_t> order;           ///< rows by track and time, those around before those inside
    std::vector<uint32_t> around;          ///< of a row: the row of the op or range around it; kNone: none
    std::vector<uint32_t> call_of;         ///< of a row: its call; kNone: it is no op
    std::vector<uint32_t> innermost_call;  ///< of a row: the innermost op around it
  };
  class ForwardOps;

  static std::string counter_key(std::string_view name, std::string_view group) {
    return std::string(group) + "\n" + std::string(name);
  }
  void add_plain(Activity&, ActivityKind);
  std::string group(std::string_view name) const;
  void settle_lanes();
  HostNesting nest_hosts();
  void find_layers(const HostNesting&);
  void note_layers();
  void link_launches(const std::vector<uint32_t>& innermost_call,
                     const std::unordered_map<uint32_t, uint32_t>& launches);
  void assign_steps();
  void name_ops();
  void find_captured_graphs(const HostNesting&);
  void take_captured(CapturedGraph);
  /// What the work of one launch of a graph is.
  struct Replay {
    std::vector<uint32_t> graphs;     ///< that fit; empty: none
    std::vector<CapturedNode> nodes;  ///< what these agree on, by piece of work in the order of time
    bool by_place = false;            ///< by its place in the order alone, without names of kernels
    bool differ = false;              ///< the graphs have different shapes
  };
  static NodeWork node_work(ActivityKind);
  bool fits_by_place(const CapturedGraph&, const std::vector<uint32_t>& work) const;
  Replay replay_of(const std::vector<uint32_t>& work);
  void add_replay(uint32_t launch, const std::vector<uint32_t>& work, const Replay&);
  void add_replayed_calls(const std::unordered_map<uint32_t, uint32_t>& launches);
  void note_replays();
  NameId called(const Call&) const;
  ShapedCall shaped(const Call&) const;
  std::vector<std::optional<engine::DType>> list_dtypes() const;
  std::vector<uint32_t> facts_of_calls(std::vector<ShapeFacts>&) const;
  void mark_flops_inside(const std::vector<ShapeCost>&);
  void mark_bytes_inside(const std::vector<ShapeFacts>&, const std::vector<uint32_t>& facts_of);
  std::vector<OperandRecord> add_operands(const OpRecord&, const OpSums&, double steps);
  std::vector<OperandRecord> add_described(const DescribedOp&);
  TensorId add_described_tensor(TensorId described);
  OpId op_for(const Call&);
  OpId op_for_device_work(NameId name, NameId type);
  OpId op_for_said(const SaidOp&);
  NameId type_of_said(const SaidOp&);
  OpId add_named_op(std::string shown, OpRecord);
  void note_kernel(const Activity&);
  void find_lifetimes();
  void finish_ops();
  uint32_t step_at(int64_t time_ns) const;
  bool step_counts(uint32_t step) const { return counted_steps_.contains(step); }
  void add_rank();
  void add_device_work(uint32_t activity, int32_t device);
  void add_host_collectives();
  void add_asked_collective(const Activity& kernel, uint32_t call);
  NameId short_name(NameId kernel);
  std::unordered_map<uint32_t, uint32_t> launches_of_work() const;
  std::vector<StepRecord> steps_marked_once();

  Findings& findings_;
  CaptureBuilder capture_;
  std::string label_;
  uint32_t rank_ = 0, ranks_ = 0;
  int64_t base_ns_ = 0;
  NameKeeper keeper_;
  std::unordered_map<uint64_t, NameId> names_;  // by hash of the text
  std::unordered_map<std::string, NameId>
      rewritten_;  // by their text in the trace: names that are kept otherwise, or whose hash another has
  std::unordered_map<uint64_t, Lane> lane_of_key_;  // of the current file, as is all up to steps_
  std::vector<LaneInfo> lanes_;
  std::unordered_map<int64_t, uint32_t> first_process_;  // that used a device
  size_t earlier_lanes_ = 0;                             ///< of the ranks before
  bool ours_ = false;
  std::vector<Track> described_tracks_;
  std::unordered_map<std::string, NameId> counter_units_;  // by counter_key()
  size_t rank_begin_ = 0;                                  // first activity of the current file
  std::array<size_t, 6> record_begin_{};
  std::vector<Call> calls_;
  std::unordered_map<uint32_t, int64_t> external_ids_;     // of GPU activities
  std::unordered_map<uint32_t, SaidOp> said_ops_;          // by activity
  std::unordered_map<uint32_t, bool> layer_spans_;         // by activity: it is a module's frame, not a named range
  std::unordered_map<uint32_t, NameId> launched_kernels_;  // by the call that launched
  std::unordered_map<uint32_t, uint32_t> replayed_;        // call of an op, by the work that a graph launched for it
  std::vector<BackwardFlow> backward_flows_;
  bool steps_of_devices_ = false;
  std::vector<CollectiveRecord> host_collectives_;
  std::unordered_map<size_t, CollectiveRecord> asked_;  // by call
  struct OnlyGroup {
    NameId group = 0, ranks = 0;
    int32_t size = kUnknownFigure;
  } only_group_;
  std::vector<StepRecord> steps_;
  std::unordered_set<uint32_t> counted_steps_;  // of steps_: traced, no warm-up
  size_t series_begin_ = 0;

  size_t calls_in_modules_ = 0, calls_in_ranges_ = 0,
         backward_calls_in_layers_ = 0;  // of all files, as is what follows
  std::vector<CapturedGraph> captured_graphs_, graphs_to_name_;
  std::unordered_map<uint64_t, std::vector<uint32_t>> graphs_of_keys_;  // by the kinds and kernels of all their nodes
  std::map<size_t, std::vector<uint32_t>> graphs_of_size_;
  std::unordered_map<uint64_t, uint32_t> graph_of_order_;  // by the kinds and kernels of its nodes in their order
  size_t replayed_work_ = 0, named_work_ = 0;
  bool replays_differ_ = false;
  bool collects_graphs_ = false;
  std::vector<Activity> activities_;
  GpuRecords records_;
  std::vector<StepRecord> all_steps_;
  std::unordered_set<uint32_t> numbers_of_all_steps_;
  std::vector<RankRecord> all_ranks_;
  std::unordered_map<std::string, size_t> series_of_name_;
  std::vector<CounterSeries> series_;
  std::unordered_map<std::string, OpId> ops_;
  std::unordered_map<std::string, int> ops_of_name_;  // how many ops would be shown alike
  std::vector<OpRecord> op_records_;
  std::vector<OpSums> op_sums_;
  double traced_bytes_ = 0;  // of the operands that were added
  std::unordered_map<uint64_t, bool> collective_seen_;
  std::unordered_map<NameId, NameId> short_names_;  // of kernels
  std::unordered_map<NameId, DescribedOp> described_ops_;
  std::vector<TensorRecord> described_tensors_;
  std::vector<TensorId> described_ids_;  // in the capture; kNoTensor: no op used it so far
};

template <class Record>
void TraceBuilder::add(Activity a, Record record, int64_t external_id) {
  record.activity = static_cast<uint32_t>(activities_.size());
  if (external_id > 0) external_ids_[record.activity] = external_id;
  add_plain(a, Record::kKind);
  if constexpr (std::is_same_v<Record, KernelRecord>) records_.kernels.push_back(record);
  if constexpr (std::is_same_v<Record, CopyRecord>) records_.copies.push_back(record);
  if constexpr (std::is_same_v<Record, MemsetRecord>) records_.memsets.push_back(record);
  if constexpr (std::is_same_v<Record, ApiCallRecord>) records_.api_calls.push_back(record);
  if constexpr (std::is_same_v<Record, SynchronizationRecord>) records_.synchronizations.push_back(record);
  if constexpr (std::is_same_v<Record, OverheadRecord>) records_.overheads.push_back(record);
}

template <class F>
void TraceBuilder::each_span(F&& f) const {
  for (size_t i = rank_begin_; i < activities_.size(); ++i) {
    const Activity& a = activities_[i];
    const bool work = a.kind == ActivityKind::kernel || a.kind == ActivityKind::copy || a.kind == ActivityKind::memset;
    if ((work || a.kind == ActivityKind::range) && a.duration_ns > 0)
      f(Lane{a.track}, a.start_ns, a.start_ns + a.duration_ns);
  }
}

}  // namespace profiler
