// SPDX-License-Identifier: Apache-2.0
// What the measured latency curve says of the caches: effective sizes, and working sets that lie
// within one level.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "profiler/machine/machine.h"

namespace profiler::probe {

/// Working-set sizes at which latency is measured, ascending: half octaves from 8 KiB to 96 MiB,
/// octaves beyond, up to `largest`. `coarse`: octaves throughout.
std::vector<int64_t> latency_sizes(int64_t largest, bool coarse);

/// Levels nearest first, DRAM last. A level's latency is that of the curve beyond the level before
/// it. Its effective size comes from the share of loads that still hit, h(W) = (next - latency(W))
/// / (next - own): the largest h(W) W with h >= 0.4. The specified size is kept where the two agree
/// within the steps of the curve. Without a curve: 0 (unknown).
std::vector<MemoryLevel> derive_levels(const engine::DeviceInfo&, std::span<const LatencyPoint> curve, int threads);

/// Bytes per thread that lie well inside `levels[index]` and well outside the one before when
/// `threads` work at once; nothing when no size does. DRAM: four times the caches before it, at
/// least 128 MiB in all, at most `memory_limit`.
std::optional<int64_t> working_set(std::span<const MemoryLevel> levels, size_t index, int threads,
                                   int64_t memory_limit);

/// The peaks of kTypesOfProducts, which have no loop of their own in the probe, where they are above f32's
/// multiply-add; what fewer threads reached, more can. (Tile units need the system's leave, too.)
void add_product_peaks(Machine&, std::span<const int> thread_counts);

}  // namespace profiler::probe
