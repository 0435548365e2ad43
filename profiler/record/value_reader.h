// SPDX-License-Identifier: Apache-2.0
// Reads every tensor of one further step, as soon as its op has made it: range, NaN, values.
#pragma once

#include <cstdint>

#include "engine/runtime/plan.h"
#include "profiler/capture/capture_builder.h"

namespace profiler {

/// Bytes of values that a capture keeps at most, beside kKeptElements of each tensor that does not fit.
inline constexpr int64_t kKeptValuesBytes = int64_t{64} << 20;

/// Runs step number `step`, which no recorded step has, and adds what each tensor held to the builder: leaves as they
/// were before it, all others after their op. Slow: every byte is read again. What does not fit in `most_bytes`, and
/// what cannot be read, is a note.
void read_values(engine::Plan&, uint32_t step, CaptureBuilder&, int64_t most_bytes = kKeptValuesBytes);

}  // namespace profiler
