// SPDX-License-Identifier: GPL-3.0-or-later
// TimelineModel: a capture as lanes (tracks x nesting depth) and counters, ready to be reduced to
// pixels. No Qt.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "profiler/analysis/analyze.h"
#include "profiler/base/origin.h"
#include "profiler/base/table.h"
#include "profiler/capture/capture.h"
#include "views/timeline/lane.h"

namespace views {

enum class LaneKind : uint8_t { step, phase, layer, op, api, kernel, copy, synchronization, idle, overhead, other };

/// One row of bars.
struct TimelineLane {
  LaneKind kind = LaneKind::op;
  std::string key;    ///< tells rows apart in saved arrangements: "Host/main thread/ops"
  std::string group;  ///< "Host", "GPU 0", "Profiler"
  std::string title;  ///< "ops"
  std::string help;   ///< what a bar is
  profiler::TrackId track = 0;
  Lane lane;
};

/// One chart over time. rate: weights are amounts, drawn as amount per second; gauge: weights are
/// values, drawn as their maximum.
struct TimelineCounter {
  enum class Kind : uint8_t { rate, gauge } kind = Kind::rate;
  std::string key;                                                ///< "dram"
  std::string title;                                              ///< "DRAM traffic"
  std::string help;                                               ///< definition and origin
  profiler::Quantity quantity = profiler::Quantity::bytes_per_s;  ///< of what is drawn
  profiler::Origin origin = profiler::Origin::modelled;
  std::string unknown_reason;                              ///< not empty: nothing to draw, and why
  std::vector<Lane> lanes;                                 ///< what overlaps lies in several; their amounts add up
  std::string nothing = {};                                ///< what to say where all of it is zero; empty: nothing
  double roof = std::numeric_limits<double>::quiet_NaN();  ///< what the machine can do at most, per second; NaN:
                                                           ///< unknown, or there is none
  std::string roof_name = {};                              ///< "DRAM roof 53.1 GB/s (measured)"
  std::string roof_help = {};                              ///< where it comes from, and what peaks above it mean

  /// The value of each column: amount per second, or the largest value (NaN: none).
  void columns(int64_t begin_ns, double ns_per_px, int width, std::vector<double>& out) const;
  /// Amount of a rate before `t`.
  double cumulative(int64_t t) const;
};

/// How high a chart reaches and where its roof lies in it.
struct CounterScale {
  double top = 0;  ///< the value at its upper edge; 0: nothing to draw
  bool roof_drawn =
      false;  ///< as a line; else the chart is so far below its roof that it would be flat: the roof is named alone
  bool above = false;  ///< the peak is more than the roof
};
CounterScale counter_scale(const TimelineCounter&, double peak);

struct TimelineModel {
  std::shared_ptr<const profiler::Capture> capture;
  std::vector<TimelineLane> lanes;
  std::vector<TimelineCounter> counters;
  std::vector<std::string> labels;   ///< the capture's names first
  int64_t begin_ns = 0, end_ns = 1;  ///< of the capture; end > begin
  int op_lane = -1;                  ///< the first lane of ops; -1: none
  /// Memory of lanes and charts, without the capture itself.
  size_t size_bytes() const;
};

/// Lanes: steps; phases and layers (recorded, else derived: maximal runs of ops of the same step,
/// phase and layer path); ops; API calls; streams and copy engines, one lane more where work
/// overlaps; waits in lanes of their own; idle gaps with their cause; further tracks, nested spans
/// one lane per depth. About 80 ns per activity: for big captures, call it on a worker thread.
TimelineModel build_timeline(const profiler::Analyzed&);

}  // namespace views
