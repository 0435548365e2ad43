// SPDX-License-Identifier: Apache-2.0
// A capture's or a plan's step on a GPU that is not here, op by op.
#pragma once

#include <string>
#include <vector>

#include "profiler/base/table.h"
#include "profiler/capture/capture.h"
#include "profiler/predict/gpu_time.h"

namespace profiler {

/// One op on the modelled device; all of it modelled, caches cold before it.
struct PredictedOp {
  OpId op = kNoOp;
  bool known = false;
  GpuTime time;
  /// Mean relative error of such ops' modelled times against measured ones. Streams of bytes were not compared with
  /// measurements: theirs is that of modelled bytes (20 %).
  double error = 0;
  std::string note;  ///< by what kernels; of an unknown op, why it is unknown
};

struct Prediction {
  ModelledGpu gpu;
  std::vector<PredictedOp> ops;  ///< all but views, in the step's order
  double modelled_ns = 0;  ///< sum of the known ops, one after the other; without what a framework adds between kernels
  double error = 0;        ///< their errors, weighted by time
  double unknown_flops = 0;  ///< of ops that are not modelled
  int unknown_ops = 0;
  /// NaN where an op is unknown, and where none is known.
  double step_ns() const;
  GpuLimit limit = GpuLimit::launch;  ///< of most of the time
  double limit_share = 0;             ///< of modelled_ns
};

/// Products (f32) by tiles, convolutions by the fastest way, recurrent layers step by step, everything else as its
/// compulsory bytes. Unknown with a note: products of other types, gradients of recurrent layers, decompositions, what
/// happens on the host.
Prediction predict(const Capture&, const ModelledGpu&);

/// "prediction": a row per op; or per type of op, longest first.
Table prediction_table(const Capture&, const Prediction&, bool by_type);
/// "devices": a row per modelled GPU. `samples`: of one step; NaN: it has none.
Table predicted_devices_table(const std::vector<Prediction>&, double samples);

}  // namespace profiler
