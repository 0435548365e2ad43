// SPDX-License-Identifier: Apache-2.0
// Compares two captures field by field.
#pragma once

#include <string>

#include "profiler/capture/capture.h"

namespace tests {

/// The first field in which two captures differ; empty when they are the same (NaN equals NaN).
std::string difference(const profiler::Capture&, const profiler::Capture&);

}  // namespace tests
