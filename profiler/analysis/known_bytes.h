// SPDX-License-Identifier: Apache-2.0
// Bytes of several ops, all of them known in one way: the best that knows them all.
#pragma once

#include <span>
#include <vector>

#include "profiler/analysis/analyze.h"
#include "profiler/base/origin.h"
#include "profiler/capture/capture.h"

namespace profiler {

/// The first origin of measured, simulated and modelled that knows the bytes of each of these ops across the outermost
/// link of the model. Views move nothing and do not count. Modelled where none does, and without any op.
Origin best_origin(const Analyzed&, std::span<const OpId>);
/// Of all ops of the capture.
Origin best_origin_of_step(const Analyzed&);

/// What one op moves across the link whose outer level is so called, per step, as that origin knows it; NaN: it does
/// not. Views: 0.
double known_bytes(const Analyzed&, Origin, OpId, std::string_view outer);

}  // namespace profiler
