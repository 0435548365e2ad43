// SPDX-License-Identifier: Apache-2.0
// --level, --hierarchy and --rules: which caches are simulated.
#include "app/cli/cache_levels.h"

#include <fmt/format.h>

#include <optional>

#include "app/base/devices.h"
#include "profiler/memory/cache_presets.h"
#include "profiler/record/probe.h"

namespace app::cli {

using engine::Result;

namespace {

/// The rules of a simulator by its name.
profiler::CacheRules rules_of(const std::string& name) {
  if (name == "cachegrind") return {.write_backs = false};
  if (name == "pycachesim") return {.promote_on_write_hit = false, .fetch_on_write_back = true};
  if (name == "dinero")
    return {.full_line_store_fetches = false, .held_sectors_fetched = true, .causes_by_own_policy = true};
  return {};
}

/// The processors of --hierarchy, for --help.
std::string presets_text() {
  std::string text = "Processors of --hierarchy:";
  for (const profiler::CachePreset& p : profiler::cache_presets()) text += fmt::format("\n  {:<14} {}", p.name, p.what);
  return text;
}

}  // namespace

Result<profiler::CacheConfig> hierarchy(const CacheLevels& options, std::string& origin) {
  profiler::CacheConfig config;
  for (const std::string& text : options.levels) {
    Result<profiler::CacheLevelConfig> level =
        profiler::parse_cache_level(text, fmt::format("L{}", config.levels.size() + 1));
    if (!level) return level.error();
    config.levels.push_back(*level);
  }
  origin = "given";
  if (!options.processor.empty()) {
    const Result<const profiler::CachePreset*> preset = profiler::find_cache_preset(options.processor);
    if (!preset) return preset.error();
    config = config_of(**preset);
    origin = fmt::format("{}: one core, all of the L3; {}", (*preset)->what, (*preset)->policies);
  } else if (options.levels.empty()) {
    std::optional<profiler::Machine> machine = profiler::cached_probe();
    origin =
        machine
            ? "this machine: sizes as its system reports them, corrected where the probe saw less than half of one; "
              "policies assumed"
            : "this machine: sizes as its system reports them (`tensortide probe` would check them); policies assumed";
    if (!machine) {
      machine.emplace();
      for (const DeviceEntry& device : devices()) {
        if (engine::traits_of(device.name).is_processor) machine->info = device.describe();
      }
    }
    Result<profiler::CacheConfig> own = profiler::cache_config_of(*machine);
    if (!own) return own.error();
    config = *own;
    if (!config.sizes_note.empty()) origin += "; " + config.sizes_note;
  }
  config.rules = rules_of(options.rules);
  if (Result<void> ok = check(config); !ok) return ok.error();
  return config;
}

void add_cache_levels(CLI::App& verb, CacheLevels& caches, const char* group) {
  verb.add_option("--level", caches.levels, "SIZE/WAYS/LINE:WORDS, nearest first; repeatable (default: this machine)")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->option_text("LEVEL")
      ->group(group);
  verb.add_option("--hierarchy", caches.processor, "Caches of a known processor; see below")
      ->excludes("--level")
      ->option_text("NAME")
      ->group(group);
  verb.add_option("--rules", caches.rules, "Conventions [processor, cachegrind, dinero, pycachesim]")
      ->check(CLI::IsMember({"processor", "cachegrind", "dinero", "pycachesim"}))
      ->capture_default_str()
      ->option_text("NAME")
      ->group(group);
}

std::string cache_levels_text() {
  return "Words of --level: lru fifo plru lru3plru4 mru mru_n srrip qlru_h00_m1_r0_u1 (and others),\n"
         "  inclusive victim through noallocate hashed nextline stride sector=32. WAYS: a number or full.\n" +
         presets_text() + "\n";
}

}  // namespace app::cli
