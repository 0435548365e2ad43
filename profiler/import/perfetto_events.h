// SPDX-License-Identifier: Apache-2.0
// Events of a Perfetto trace: slices, instants and counters of tracks, and work of GPUs.
#pragma once

#include <map>
#include <unordered_map>
#include <vector>

#include "profiler/import/perfetto_tracks.h"
#include "profiler/import/proto_stream.h"
#include "profiler/import/trace_builder.h"

namespace profiler {

class PerfettoEvents {
 public:
  PerfettoEvents(TraceBuilder& builder, PerfettoTracks& tracks) : b_(builder), tracks_(tracks) {}

  /// A track event at its packet's time, or at the time that it says itself.
  void take(protozero::pbf_reader&, PerfettoSequence&, std::optional<int64_t> time, const ProtoPlace&);
  /// Work of a GPU: a kernel, copy or memset where its stage says so, else a range of its queue.
  void take_stage(protozero::pbf_reader&, PerfettoSequence&, std::optional<int64_t> time, const ProtoPlace&);
  /// Events of a track in the order of their times: writers of several threads mix theirs. What is open lasts until the
  /// last event.
  void finish();

 private:
  enum class What : uint8_t { begin, end, whole, state };
  struct Event {
    int64_t time_ns = 0, duration_ns = 0;
    int64_t byte = 0;
    NameId name = 0;
    What what = What::begin;
    size_t span = 0;  ///< of one that is open
  };
  struct Said;

  static Said said_by(protozero::pbf_reader&);
  uint64_t track_of(const Said&, const PerfettoSequence&);
  NameId name_of(const Said&, const PerfettoSequence&);
  void add_counter(uint64_t uuid, int64_t time, const Said&, PerfettoSequence&, const ProtoPlace&);
  void replay(uint64_t uuid, std::vector<Event>& events);

  TraceBuilder& b_;
  PerfettoTracks& tracks_;
  std::map<uint64_t, std::vector<Event>> events_;  // by track
  int64_t latest_ns_ = kEarliestTime;
};

}  // namespace profiler
