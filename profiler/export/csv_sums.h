// SPDX-License-Identifier: Apache-2.0
// What our CSV formats share: sums by name as `nsys stats` prints them, the column of ranks.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/csv_text.h"
#include "profiler/capture/timed_steps.h"
#include "profiler/export/exporter.h"

namespace profiler {

/// Time (%),Total,Count,Avg,Med,Min,Max,StdDev,[style]Name of durations [ns] by name, largest total first. Sorts the
/// durations.
void write_csv_sums(std::map<std::string, std::vector<double>>& groups, std::string_view style, ExportSink&);

/// Of captures of several ranks: a column behind those of nsys.
class RankColumn {
 public:
  explicit RankColumn(const Capture& c) : capture_(c), rank_of_(c) {}
  std::string head() const { return capture_.ranks().empty() ? "" : ",Rank"; }
  std::string cell(TrackId track) const {
    return capture_.ranks().empty() ? "" : "," + csv_text(capture_.name(capture_.ranks()[rank_of_(track)].name));
  }

 private:
  const Capture& capture_;
  RankOfTrack rank_of_;
};

}  // namespace profiler
