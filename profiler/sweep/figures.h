// SPDX-License-Identifier: Apache-2.0
// The figures of one point of a sweep, from its capture or from its plan alone.
#pragma once

#include "profiler/analysis/analyze.h"
#include "profiler/capture/capture.h"
#include "profiler/sweep/sweep.h"

namespace profiler {

/// From a recorded capture: exact counts, modelled bytes, simulated bytes where its caches were simulated, what limits
/// it. step_ns is the capture's own median.
SweepFigures found_figures(const Analyzed&);

/// How the simulated bytes of a capture's step came about, and of how many ops they are unknown; empty: nothing was
/// simulated.
std::string simulation_words(const Analyzed&);

/// Prediction before anything ran, from a capture that holds only ops, tensors and roofs. Each op takes the longest of
/// its limits: arithmetic, or its bytes over the links as in the ECM model. The step is their sum. A lower bound:
/// kernels below their roofs take longer. step_ns is NaN and `limit` empty where the roofs are unknown.
SweepFigures predicted_figures(const Capture& planned);

}  // namespace profiler
