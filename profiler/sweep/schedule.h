// SPDX-License-Identifier: Apache-2.0
// Which point of a sweep is measured next, and when there are enough samples.
#pragma once

#include <optional>

#include "profiler/sweep/sweep.h"

namespace profiler {

/// The next point to run in a fresh process; nothing when all have enough. Rounds visit every unfinished point once,
/// forwards and backwards in turn. A slow drift of the machine then affects both ends of an axis alike. It follows from
/// the samples alone: a sweep that was killed continues where it stopped.
std::optional<size_t> next_point(const Sweep&);

/// The next point whose caches are simulated: measured, not simulated yet. Nothing where the request does not ask for
/// it, or all are.
std::optional<size_t> next_simulation(const Sweep&);

/// Whether a point needs no further sample: refused, or samples enough with a noise below the target, or the most
/// allowed.
bool enough_samples(const SweepRequest&, const SweepPoint&);

/// Relative standard error of the mean over the samples that count; NaN with fewer than two.
double sample_noise(const SweepPoint&, int least);

/// Part of the samples that are surely needed which is done, 0..1; where caches are simulated too, samples and
/// simulations count half each.
double fraction_done(const Sweep&);

}  // namespace profiler
