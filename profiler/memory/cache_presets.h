// SPDX-License-Identifier: Apache-2.0
// Hierarchies of known processors by name, for simulations of other caches than this machine's.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "profiler/memory/cache_config.h"

namespace profiler {

/// What one core of a processor has to itself, and the L3 that it shares, with nobody else in it. Sources:
/// - Intel's client processors: uops.info/cache.html has sizes, ways and policies as measured (Abel and Reineke,
///   nanoBench, ISPASS 2020). Their L3 is inclusive (Intel 64 and IA-32 Architectures Optimization Reference Manual).
/// - Intel's servers: sizes per core, times the cores of the processor named; "non-inclusive". Source: Intel support
///   article 000027820 (cache of Xeon Scalable processors); ways by CPUID leaf 4. The L3 is a victim cache of the L2s;
///   memory does not fill it.
/// - AMD: CPUID leaf 8000001D (L1d 32 KiB/8, inclusive L2 512 KiB/8, L3 per core complex /16). The L3 is a victim cache
///   (AMD, Software Optimization Guide for the family). Policies of servers and of AMD are published nowhere: theirs
///   are assumed. The hash from lines to L3 slices is undocumented. In the presets lines take the sets in turn, and
///   their sets can be sampled. A level given with `hashed` spreads them instead.
struct CachePreset {
  std::string_view name;                 ///< "skylake-sp"
  std::string_view what;                 ///< "Xeon Gold 6148 (Skylake-SP, 20 cores)"
  std::vector<std::string_view> levels;  ///< as parse_cache_level() reads them, nearest first
  std::string_view policies;             ///< which of them are known
};

std::span<const CachePreset> cache_presets();
/// Its levels as L1, L2, ... Refused (usage) in words that name all there are.
engine::Result<const CachePreset*> find_cache_preset(std::string_view name);
CacheConfig config_of(const CachePreset&);

}  // namespace profiler
