// SPDX-License-Identifier: Apache-2.0
// The batch of a run: how many samples one step takes.
#pragma once

#include "profiler/capture/capture.h"

namespace profiler {

/// The run's argument "batch"; NaN: it has none.
double batch_of(const Capture&);

}  // namespace profiler
