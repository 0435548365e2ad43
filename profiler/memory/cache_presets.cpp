// SPDX-License-Identifier: Apache-2.0
// The table of known processors.
#include "profiler/memory/cache_presets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "engine/base/check.h"
#include "engine/base/nearest_name.h"

namespace profiler {
namespace {

constexpr std::string_view kMeasured = "policies measured by others (uops.info)",
                           kAssumed = "policies of L2 and L3 assumed", kAllAssumed = "policies assumed";

}  // namespace

std::span<const CachePreset> cache_presets() {
  static const std::vector<CachePreset> presets{
      {"nehalem",
       "Core i5-750 (Nehalem, 4 cores)",
       {"32KiB/8/64:plru", "256KiB/8/64:plru", "8MiB/16/64:mru,inclusive"},
       kMeasured},
      {"sandy-bridge",
       "Core i7-2600 (Sandy Bridge, 4 cores)",
       {"32KiB/8/64:plru", "256KiB/8/64:plru", "8MiB/16/64:mru_n,inclusive"},
       kMeasured},
      {"skylake",
       "Core i7-6500U (Skylake, 2 cores)",
       {"32KiB/8/64:plru", "256KiB/4/64:qlru_h00_m1_r2_u1", "4MiB/16/64:qlru_h11_m1_r0_u0,inclusive"},
       kMeasured},
      {"coffee-lake",
       "Core i7-8700K (Coffee Lake, 6 cores)",
       {"32KiB/8/64:plru", "256KiB/4/64:qlru_h00_m1_r2_u1", "12MiB/16/64:qlru_h11_m1_r0_u0,inclusive"},
       kMeasured},
      {"ice-lake",
       "Core i5-1035G1 (Ice Lake, 4 cores)",
       {"48KiB/12/64:lru3plru4", "512KiB/8/64:qlru_h00_m1_r0_u1", "6MiB/12/64:qlru_h00_m1_r0_u1,inclusive"},
       "policies measured by others (uops.info); most sets of the L3 may switch to another one, which is left out"},
      {"skylake-sp",
       "Xeon Gold 6148 (Skylake-SP, 20 cores)",
       {"32KiB/8/64:plru", "1MiB/16/64:lru", "28160KiB/11/64:lru,victim"},
       kAssumed},
      {"icelake-sp",
       "Xeon Platinum 8360Y (Ice Lake-SP, 36 cores)",
       {"48KiB/12/64:lru3plru4", "1280KiB/20/64:lru", "54MiB/12/64:lru,victim"},
       kAssumed},
      {"zen2",
       "EPYC 7452 (Zen 2; an L3 per 4 cores)",
       {"32KiB/8/64:lru", "512KiB/8/64:lru,inclusive", "16MiB/16/64:lru,victim"},
       kAllAssumed},
      {"zen3",
       "EPYC 7763 (Zen 3; an L3 per 8 cores)",
       {"32KiB/8/64:lru", "512KiB/8/64:lru,inclusive", "32MiB/16/64:lru,victim"},
       kAllAssumed},
  };
  return presets;
}

engine::Result<const CachePreset*> find_cache_preset(std::string_view name) {
  const auto presets = cache_presets();
  const auto found = std::ranges::find(presets, name, &CachePreset::name);
  if (found != presets.end()) return &*found;
  std::vector<std::string> names;
  for (const CachePreset& p : presets) names.emplace_back(p.name);
  return engine::usage_error(fmt::format("[--hierarchy] \"{}\" is not a known processor{} There are: {}", name,
                                         engine::did_you_mean(name, names), fmt::join(names, ", ")));
}

CacheConfig config_of(const CachePreset& preset) {
  CacheConfig config;
  for (const std::string_view text : preset.levels) {
    auto level = parse_cache_level(text, fmt::format("L{}", config.levels.size() + 1));
    CHECK(level.ok());
    config.levels.push_back(*std::move(level));
  }
  return config;
}

}  // namespace profiler
