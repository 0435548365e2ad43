// SPDX-License-Identifier: Apache-2.0
// Work: what the figures of several points of a sweep are divided by before they are compared.
#pragma once

#include <span>
#include <string_view>

#include "profiler/sweep/sweep.h"

namespace profiler {

/// step: nothing is divided, every point does the same work. byte: one compulsory byte.
enum class WorkUnit : uint8_t { step, sample, byte, flop };
/// "step", "sample", "compulsory byte", "FLOP".
std::string_view name(WorkUnit);

/// The figures of a point that count: found ones where it ran, else predicted ones.
const SweepFigures& figures_of(const SweepPoint&);

/// What points have in common, from their exact counts. The same FLOPs at all points (the same bytes, where nothing is
/// computed): a step. Another number of samples at each: a sample. FLOPs and compulsory bytes that grow together: a
/// byte; else a FLOP. Counts differ by more than 1 % or are the same. Points without counts are left out; where none
/// has any: a step.
WorkUnit work_unit(const Sweep&, std::span<const size_t> points);

/// How much of it a step does; 1 of `step`; NaN: unknown.
double work_of(const SweepFigures&, WorkUnit);

/// Whether a step does more at each point than at the one before: only then may its time follow a law of growth.
bool work_grows(const Sweep&, std::span<const size_t> points);

}  // namespace profiler
