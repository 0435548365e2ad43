// SPDX-License-Identifier: Apache-2.0
// GpuJoiner: events of a tracer into activities of a capture: each kernel and copy finds its call, op and step.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

#include "profiler/capture/capture_builder.h"
#include "profiler/gpu/clock_map.h"
#include "profiler/gpu/events.h"

namespace profiler {

/// How long the joiner remembers and waits; the collector reads out about seven times a second.
struct JoinPatience {
  int wait_cycles = 4;  ///< an event whose call has not been seen waits that many read-outs for it
  int keep_cycles = 8;  ///< a call is remembered that long after what it launched was seen (a graph launches many)
  size_t most_calls = 1 << 18;  ///< beyond that the oldest are forgotten, whatever they launched
};

/// Ready for CaptureBuilder::add_activities() and CaptureWriter::append().
struct GpuBatch {
  std::vector<Activity> activities;
  GpuRecords records;
};

/// Moves all of `more` behind what is there.
void append(GpuBatch& batch, GpuBatch more);

class GpuJoiner {
 public:
  /// Names, tracks and devices go into `builder`, which outlives the joiner.
  explicit GpuJoiner(CaptureBuilder& builder, JoinPatience patience = {});

  /// One read-out. Returns what is complete; `last`: everything that is left, whether or not its op was found.
  /// Events may come in any order, those of one launch in different read-outs.
  GpuBatch join(GpuEvents events, bool last);

  /// So far. Unattributed: kernels, copies and memsets launched within a step but within none of its ops.
  const GpuLosses& losses() const { return losses_; }
  /// What is remembered of calls and waits for them: bounded by JoinPatience.
  size_t remembered() const {
    return calls_.size() + waiting_kernels_.size() + waiting_copies_.size() + waiting_memsets_.size();
  }

 private:
  struct Call {
    OpId op = kNoOp;
    uint32_t step = kNoStep;
    int64_t cycle = 0;      ///< in which it was heard of last
    bool launched = false;  ///< something that it launched was seen
  };
  template <class Event>
  struct Waiting {
    Event event;
    uint64_t correlation = 0;  ///< as wide as it never wraps
    int64_t cycle = 0;
  };

  uint64_t widen(uint32_t correlation);
  Call& call(uint64_t correlation);
  void note_objects(GpuEvents&);
  void note_calls(const GpuEvents&);
  NameId name(const GpuEvents&, EventName);
  template <class Event>
  void collect(std::vector<Event>& events, const std::vector<NameId>& names, std::vector<Waiting<Event>>& waiting);
  template <class Event>
  void release(std::vector<Waiting<Event>>& waiting, bool last, GpuBatch&);
  void emit_calls(const GpuEvents&, const std::vector<NameId>&, GpuBatch&);
  void emit(const GpuKernelEvent&, Activity, GpuBatch&);
  void emit(const GpuCopyEvent&, Activity, GpuBatch&);
  void emit(const GpuMemsetEvent&, Activity, GpuBatch&);
  void forget_calls();
  Activity activity(const EventTime&, uint64_t correlation) const;

  CaptureBuilder& builder_;
  JoinPatience patience_;
  ClockMap clock_;
  GpuLosses losses_;
  int64_t cycle_ = 0;
  uint64_t newest_ = 0;  ///< the highest correlation so far, widened
  std::unordered_map<uint64_t, Call> calls_;
  std::deque<uint64_t> call_order_;  ///< keys of calls_, as first heard of
  std::unordered_map<uint64_t, OpId> graph_nodes_;
  std::vector<Waiting<GpuKernelEvent>> waiting_kernels_;
  std::vector<Waiting<GpuCopyEvent>> waiting_copies_;
  std::vector<Waiting<GpuMemsetEvent>> waiting_memsets_;
};

/// "void gemm<float>(float*)" of a name as the linker has it; a name that is none is returned as it is.
std::string demangled(const std::string& name);

}  // namespace profiler
