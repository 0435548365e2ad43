// SPDX-License-Identifier: Apache-2.0
// The tracks of a Perfetto trace: whose they are and what they are called.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "profiler/import/perfetto_fields.h"
#include "profiler/import/perfetto_state.h"

namespace profiler {

class PerfettoTracks {
 public:
  // Messages of packets, each read to its end.
  void take_track(protozero::pbf_reader&);
  void take_process(protozero::pbf_reader&);
  void take_thread(protozero::pbf_reader&, PerfettoSequence&);
  void take_process_tree(protozero::pbf_reader&);

  /// The track of that number, made at its first mention.
  PerfettoTrack& track(uint64_t uuid);
  /// The number of a thread's own track.
  uint64_t of_thread(int64_t pid, int64_t tid);
  /// "server (100)"; "trace" of a track without a process.
  std::string process_of(const PerfettoTrack&) const;
  std::string name_of(uint64_t uuid, const PerfettoTrack&) const;

 private:
  void take_pid(protozero::pbf_reader&, PerfettoTrack&);
  static void take_tid(protozero::pbf_reader&, PerfettoTrack&, int64_t* reference_us);

  std::unordered_map<uint64_t, PerfettoTrack> tracks_;
  std::unordered_map<int64_t, std::string> process_names_, thread_names_;
};

}  // namespace profiler
