// SPDX-License-Identifier: Apache-2.0
// Ranks in a .tide file: rows in and out.
#include "profiler/store/capture_rank_tables.h"

#include <tuple>

#include "profiler/store/capture_gpu_tables.h"

namespace profiler {

using engine::Result;
using sqlite::Database;

Result<void> write_ranks(const Database& database, const Capture& c, int64_t session_start_ns) {
  if (c.ranks().empty()) return {};
  for (const Tide table : {Tide::ranks, Tide::rank_tracks, Tide::rank_steps}) {
    if (Result<void> made = make_table(database, table); !made) return made;
  }
  auto rank_row = prepare_insert(database, Tide::ranks), track_row = prepare_insert(database, Tide::rank_tracks),
       step_row = prepare_insert(database, Tide::rank_steps);
  for (const auto* row : {&rank_row, &track_row, &step_row}) {
    if (!*row) return row->error();
  }
  for (size_t i = 0; i < c.ranks().size(); ++i) {
    const RankRecord& rank = c.ranks()[i];
    const auto id = static_cast<int64_t>(i);
    if (Result<void> done = rank_row->bind(1, id).bind(2, int64_t{rank.name}).run(database); !done) return done;
    for (const TrackId track : rank.tracks) {
      if (Result<void> done = track_row->bind(1, int64_t{track}).bind(2, id).run(database); !done) return done;
    }
    for (const StepRecord& s : rank.steps) {
      const int64_t start = s.start_ns - session_start_ns;
      step_row->bind(1, id).bind(2, int64_t{s.index}).bind(3, start).bind(4, start + s.duration_ns);
      if (Result<void> done = step_row->bind(5, int64_t{s.traced}).bind(6, int64_t{s.warmup}).run(database); !done)
        return done;
    }
  }
  return {};
}

void RankReader::rank(TableScan& scan, const CaptureBuilder& builder) {
  if (scan.integer(0, "id", 0, std::numeric_limits<int64_t>::max()) != scan.row() - 1)
    scan.fail("ids are not consecutive");
  all_.emplace_back().name = scan.id(1, "nameId", builder.so_far().names().size());
}

void RankReader::track(TableScan& scan, const CaptureBuilder& builder) {
  const auto track = static_cast<TrackId>(scan.id(0, "trackId", builder.so_far().tracks().size()));
  const uint32_t rank = scan.id(1, "rankId", all_.size());
  if (!scan.failed()) all_[rank].tracks.push_back(track);
}

void RankReader::step(TableScan& scan, int64_t session_start_ns) {
  const uint32_t rank = scan.id(0, "rankId", all_.size());
  StepRecord step;
  step.index = scan.id(1, "step", kNoStep);
  std::tie(step.start_ns, step.duration_ns) = read_span(scan, 2, session_start_ns);
  step.traced = scan.flag(4, "isTraced");
  step.warmup = scan.flag(5, "isWarmup");
  if (!scan.failed()) all_[rank].steps.push_back(step);
}

void RankReader::hand_over(CaptureBuilder& builder) {
  for (RankRecord& rank : all_) builder.add_rank(std::move(rank));
  all_.clear();
}

}  // namespace profiler
