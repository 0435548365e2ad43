// SPDX-License-Identifier: Apache-2.0
// The published table read without a run: thread curves, rankings, implied rates, and times of ours laid over it.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/analysis/analyze.h"
#include "profiler/sweep/published_facts.h"
#include "profiler/sweep/reference.h"

namespace profiler {

/// Cells of a network in the order of the table; an empty name: of all.
std::vector<const ReferenceCell*> published_cells(std::string_view network = {});
/// A platform with a number of threads: a column of the table.
struct PublishedColumn {
  const PublishedPlatform* platform = nullptr;
  int threads = 0;  ///< 0: a GPU
  /// More threads than cores: hyper-threads share them.
  bool hyper_threads() const { return !platform->gpu() && threads > platform->cores; }
  std::string title() const;  ///< "i7-3820, 2 threads"
};
/// All 13, as the table has them.
std::vector<PublishedColumn> published_columns();
PublishedColumn column_of(const ReferenceCell&);

/// One tool on one processor over its numbers of threads.
struct PublishedCurve {
  std::string network, tool;
  const PublishedPlatform* platform = nullptr;
  std::vector<const ReferenceCell*> cells;  ///< ascending threads, gaps included
  /// Time with one thread over that of the cell. NaN: one of both is a gap, uncertain or impossible. Of a row that is
  /// not like for like it compares the tool with itself.
  double speed_up(size_t cell) const;
};
std::vector<PublishedCurve> published_curves(std::string_view network);

/// Cells of one network and one column, the fastest first.
struct RankedCell {
  const ReferenceCell* cell = nullptr;
  int place = 0;            ///< among good cells, from 1; 0: it is none
  double ratio = kUnknown;  ///< its time over that of the fastest good cell
};
/// Good cells, then those that have a time and stay out, then gaps.
std::vector<RankedCell> published_ranking(std::string_view network, const PublishedColumn&);

/// A time of ours of one of the networks. Other machines than the table's: shapes of curves are comparable, times are
/// landmarks.
struct OwnTime {
  std::string network, device;  ///< "FCN-S", "this CPU"
  int threads = 0;              ///< 0: unknown, or a GPU
  double step_ns = 0;           ///< measured
};
/// Of the points of a sweep that ran one of the networks; empty: none did.
std::vector<OwnTime> own_times(const Sweep&);
/// Of a capture that is one of the networks; empty: it is none, or nothing was computed or timed.
std::vector<OwnTime> own_times(const Analyzed&);

/// Time of the same network on the same device with one thread over that of `of`. NaN: there is none, or its threads
/// are unknown.
double own_speed_up(std::span<const OwnTime>, const OwnTime& of);

/// "published": one row per cell, then times of ours.
Table published_grid_table(std::string_view network, std::span<const OwnTime> = {});
/// The same as a picture in text: a row per network and tool, a column per platform.
Table published_picture_table(std::string_view network);
/// A row per tool, processor and number of threads: speed-up, efficiency, hyper-threads.
Table published_threads_table(std::string_view network, std::span<const OwnTime> = {});
/// Cells that have a time by the part of the platform's peak that their row implies, largest first.
Table published_peaks_table(std::string_view network, std::span<const OwnTime> = {});
/// A row per network, platform and tool: its place among good cells, and the warning where it has none.
Table published_ranking_table(std::string_view network, std::span<const OwnTime> = {});
/// Rows that are not like for like: what the tool ran, and its FLOPs.
Table published_mismatches_table(std::string_view network, std::span<const OwnTime> = {});
/// The networks with their minibatch, parameters and FLOPs.
Table published_networks_table(std::string_view network, std::span<const OwnTime> = {});

/// A table of the command: `grid`, `threads`, ...
struct PublishedTable {
  const char* name;
  const char* help;
  Table (*make)(std::string_view network, std::span<const OwnTime>);
};
inline constexpr std::array kPublishedTables{
    PublishedTable{"grid", "Every cell: time, quality, gaps", published_grid_table},
    PublishedTable{"threads", "Speed-up over the threads of both processors", published_threads_table},
    PublishedTable{"peaks", "FLOP/s that each cell implies, and its part of the peak", published_peaks_table},
    PublishedTable{"ranking", "Tools by time, with warnings", published_ranking_table},
    PublishedTable{"mismatches", "Rows that are not like for like", published_mismatches_table},
    PublishedTable{"networks", "Networks with their FLOPs", published_networks_table}};

/// What a network's cells say, in sentences: the fastest good cells, rows that are not like for like, impossible cells.
std::vector<std::string> published_sentences(std::string_view network);
/// "FCN-S here (cpu, 2 threads): 500 ms."
std::string own_sentence(const OwnTime&);

}  // namespace profiler
