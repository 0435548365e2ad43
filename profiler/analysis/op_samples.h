// SPDX-License-Identifier: Apache-2.0
// How long each op took, step by step: what op_times() is the median of.
#pragma once

#include <vector>

#include "profiler/model/capture.h"

namespace profiler {

/// [op][step that counts] nanoseconds; steps in which the op did not run are left out. Empty: a view, or not traced.
std::vector<std::vector<double>> op_samples(const Capture&);

}  // namespace profiler
