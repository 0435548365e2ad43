// SPDX-License-Identifier: Apache-2.0
// Roofs of the machine and the points of a step under them.
#pragma once

#include <string>
#include <vector>

#include "profiler/base/origin.h"
#include "profiler/capture/capture.h"
#include "profiler/memory/traffic_model.h"

namespace profiler {

struct Roof {
  std::string name;   ///< "DRAM 28.4 GB/s", "f32 peak 472 GFLOP/s"
  std::string level;  ///< memory roof: level name; compute roof: empty
  double value = 0;   ///< B/s or FLOP/s
  double low = 0, high = 0;
  Origin origin = Origin::measured;
  int threads = 1;  ///< 0: of a GPU
  engine::DType dtype = engine::DType::float32;
};

struct RooflinePoint {
  OpId op = kNoOp;
  std::string level;      ///< whose bytes the intensity uses: "DRAM" ...; "compulsory" when modelled bytes are unknown
  double intensity = 0;   ///< FLOP/B; NaN: no bytes at this level (shown at the right edge, labelled)
  double flop_per_s = 0;  ///< measured time, exact FLOPs
  double time_ns = 0;
  double attainable = 0;             ///< FLOP/s at this intensity under this roof; NaN: unknown roof
  double winnable_ns = 0;            ///< time minus the time at the roof, >= 0
  Origin origin = Origin::modelled;  ///< of the bytes; of "compulsory" ones: exact
};

struct Roofline {
  std::vector<Roof> roofs;
  std::vector<RooflinePoint> points;  ///< per op and level; ops without FLOPs are not in it
  int ops_without_flops = 0;          ///< said on the view
};
Roofline roofline(const Capture&, const TrafficModel&);

}  // namespace profiler
