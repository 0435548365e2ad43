// SPDX-License-Identifier: Apache-2.0
// CaptureBuilder: collects, interns, sorts, links, and freezes a Capture. Used by recorders, file readers and tests.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiler/capture/capture.h"
#include "profiler/capture/pending_activities.h"

namespace profiler {

class CaptureBuilder {
 public:
  CaptureBuilder();  ///< name 0 is the empty text
  NameId intern(std::string_view text);
  TrackId add_track(Track);
  TensorId add_tensor(TensorRecord);                  ///< sets and returns the id
  OpId add_op(OpRecord, std::vector<OperandRecord>);  ///< sets ids and operand range
  /// Constants of an op that was added, as its node has them.
  void set_attributes(OpId, engine::Attributes);
  /// What is known of the kernel of an op that was added. Its name becomes the op's (OpRecord::kernel) and is not kept
  /// twice; without a name, the op's stays.
  void set_facts(OpId, engine::KernelFacts);
  /// As many threads as were seen to share an op that was added (OpRecord::threads).
  void set_threads(OpId, int threads);
  void add_step(StepRecord);
  /// After its tracks and steps; steps and tracks in any order.
  void add_rank(RankRecord rank) { capture_.ranks_.push_back(std::move(rank)); }
  /// Traffic of a kind that was not there: records in any order.
  void add_traffic(TrafficSource source) { capture_.traffic_.push_back(std::move(source)); }
  /// The track of that kind, name and group; made at its first mention.
  TrackId track(TrackKind, std::string_view name, std::string_view group);
  void add_activity(const Activity& a) { activities_.add(a); }
  void reserve_activities(size_t n) { activities_.reserve(n); }

  // GPU activities. Each call adds an activity and what is known of it; the activity's kind and the record's `activity`
  // are set here. What is not known stays as the record's defaults say; see GpuRecords for the units. The API call that
  // launched a kernel, copy or memset has the same correlation (unique in the capture: of several processes, fold the
  // process in).
  void add_kernel(const Activity&, KernelRecord);
  void add_copy(const Activity&, CopyRecord);
  void add_memset(const Activity&, MemsetRecord);
  void add_api_call(const Activity&, ApiCallRecord);
  void add_synchronization(const Activity&, SynchronizationRecord);
  void add_overhead(const Activity&, OverheadRecord);
  /// Id of short_kernel_name() of a name.
  NameId short_name(NameId demangled);
  /// Adds activities with records that count in them, as CaptureWriter::append() takes them.
  void add_activities(std::span<const Activity>, const GpuRecords&);
  // What the driver knows of its devices, contexts and streams; one call for each.
  void add_gpu_device(GpuDevice device) { capture_.gpu_.devices.push_back(std::move(device)); }
  std::vector<GpuDevice>& gpu_devices() { return capture_.gpu_.devices; }
  void add_gpu_context(const GpuContext& context) { capture_.gpu_.contexts.push_back(context); }
  void add_gpu_stream(const GpuStream& stream) { capture_.gpu_.streams.push_back(stream); }
  /// Sorted by finish(): a series by time, collectives by correlation (unique).
  void add_counter(CounterSeries series) { capture_.counters_.push_back(std::move(series)); }
  void add_collective(const CollectiveRecord& collective) { capture_.collectives_.push_back(collective); }
  void add_result(ResultRecord result) { capture_.results_.push_back(std::move(result)); }
  /// Members of one op behind one another, ops ascending; pairs ascending by consumer.
  void add_fused_member(const FusedMemberRecord& member) { capture_.fusion_.members.push_back(member); }
  void add_fusion_pair(const FusionPairRecord& pair) { capture_.fusion_.pairs.push_back(pair); }
  /// Takes over many activities at once, sealed columns of equal length, before any were added; cheapest when they are
  /// in order.
  void adopt_activities(ActivityColumns columns) { activities_.adopt(std::move(columns)); }
  const Capture& so_far() const { return capture_; }  ///< unchecked; without activities
  RunInfo& run() { return capture_.run_; }
  Machine& machine() { return capture_.machine_; }
  Honesty& honesty() { return capture_.honesty_; }

  /// Checks every reference and every figure (an activity with an op that does not exist, a negative duration: refused,
  /// naming it), sorts, indexes, freezes. The builder is spent afterwards; copy it first to freeze a state on the way.
  engine::Result<std::shared_ptr<const Capture>> finish();

  /// A capture with one more source of traffic, checked as finish() does; of the same origin, the newer one stays.
  static engine::Result<std::shared_ptr<const Capture>> with_traffic(const Capture&, TrafficSource);

  /// What happened in [begin_ns, end_ns) of a capture's time, as a capture of its own. What crosses an end stays with
  /// its part inside, and with that part of its bytes. FLOPs and bytes of ops are those of the calls that stay. Calls
  /// that launched what stays are kept, wherever they lie. Steps that lie partly outside, in any rank, count as little
  /// as a warm-up; where none lies inside, the whole part is one step. Refused: a range outside the capture.
  static engine::Result<std::shared_ptr<const Capture>> cut(const Capture&, int64_t begin_ns, int64_t end_ns);

 private:
  template <class Record>
  void add_with(const Activity&, std::vector<Record>&, Record);
  engine::Result<void> check() const;
  void sort_observations();
  void sort_steps();
  void index_activities();

  Capture capture_;
  PendingActivities activities_;
  std::unordered_map<std::string, NameId> ids_;
  std::unordered_map<std::string, TrackId> tracks_;      // by kind, group and name, of track()
  std::unordered_map<NameId, NameId> short_names_;       // of kernels
  std::map<engine::KernelFacts, uint32_t> known_facts_;  // to Capture::facts_of_
};

}  // namespace profiler
