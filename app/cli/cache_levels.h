// SPDX-License-Identifier: Apache-2.0
// --level, --hierarchy and --rules: which caches are simulated.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "profiler/memory/cache_config.h"

namespace app::cli {

struct CacheLevels {
  std::vector<std::string> levels;  ///< as parse_cache_level() reads them, nearest first
  std::string processor, rules = "processor";
};
void add_cache_levels(CLI::App& verb, CacheLevels&, const char* group);
/// What --help says of them: words of --level, processors of --hierarchy. Ends with a new line.
std::string cache_levels_text();

/// What --level or --hierarchy says, else this machine's caches. `origin`: where they are known from.
engine::Result<profiler::CacheConfig> hierarchy(const CacheLevels&, std::string& origin);

}  // namespace app::cli
