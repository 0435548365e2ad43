// SPDX-License-Identifier: Apache-2.0
// Two small measurements around a run: what noting one op costs, and how fast the processor's clock
// runs.
#pragma once

namespace profiler {

/// Nanoseconds that stamping and noting one op costs here and now: the lowest of several loops over
/// a collector, called as the engine calls it. About 10 ms.
double measure_ns_per_traced_op();

/// Nanoseconds of a fixed chain of dependent integer operations on this thread: the lowest of
/// several runs. About 10 ms. Compared before and after a run it shows whether the processor's
/// clock changed.
double measure_spin_ns();

}  // namespace profiler
