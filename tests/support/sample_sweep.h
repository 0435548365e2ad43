// SPDX-License-Identifier: GPL-3.0-or-later
// A hand-made sweep for tests of views and window.
#pragma once

#include <algorithm>
#include <memory>

#include "profiler/sweep/sweep.h"

namespace tests {

/// One point in three processes: a plateau of 1 ms up to `knee`, then growing with the batch.
inline profiler::SweepPoint sweep_point(double batch, double knee) {
  profiler::SweepPoint p;
  p.outcome = profiler::PointOutcome::measured;
  const double step_ns = 1e6 * std::max(1.0, batch / knee);
  for (int i = 0; i < 3; ++i) p.samples.push_back({i, step_ns * (0.9 + 0.1 * i), 5, 0.01, 0.0});
  p.capture = "0000.tide";
  p.found.samples = batch;
  p.found.flops = 1e6 * batch;
  p.found.compulsory_bytes = 1e6;
  p.found.weight_compulsory_bytes = 1e6;
  p.found.memory_bytes = 2e6 + 1e4 * batch;
  p.found.step_ns = step_ns;
  p.found.roof_ratio = 0.5;
  p.found.limit = batch < knee ? "DRAM bandwidth" : "arithmetic";
  p.found.links = {{"DRAM", "L3", 1e6, 2e6, 1e6, 1.5e6}};
  p.predicted = p.found;
  p.predicted.step_ns = 0.8 * step_ns;
  return p;
}

/// Batches 1 to 16 with a knee at 4 (dtype f32) and 2 (bf16), and 32, which does not fit.
inline std::shared_ptr<const profiler::Sweep> sample_sweep(bool two_axes) {
  auto sweep = std::make_shared<profiler::Sweep>();
  sweep->request.workload = "mlp";
  if (two_axes) sweep->request.axes.push_back({"dtype", {"f32", "bf16"}});
  sweep->request.axes.push_back({"batch", {"1", "2", "4", "8", "16", "32"}});
  for (int dtype = 0; dtype < (two_axes ? 2 : 1); ++dtype) {
    for (double batch = 1; batch <= 16; batch *= 2) sweep->points.push_back(sweep_point(batch, dtype == 0 ? 4 : 2));
    profiler::SweepPoint lost;
    lost.outcome = profiler::PointOutcome::out_of_memory;
    lost.message = "needs 3 TB";
    lost.predicted.memory_bytes = 3e12;
    sweep->points.push_back(lost);
  }
  sweep->complete = true;
  return sweep;
}

}  // namespace tests
