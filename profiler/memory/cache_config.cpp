// SPDX-License-Identifier: Apache-2.0
// Hierarchies as text, their check, and the machine's own.
#include "profiler/memory/cache_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "engine/base/nearest_name.h"
#include "profiler/base/table.h"

namespace profiler {
namespace {

using engine::Result;
using engine::usage_error;

/// A level needs four bytes of ours per line and more for its policy: beyond this nobody's cache is meant.
constexpr int64_t kMaxLines = int64_t{1} << 24;
/// A look-up goes through the ways of a set one by one.
constexpr int kMaxWays = 8192;

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// "32KiB" "2M" "1048576"; 0: not a size.
int64_t parse_size(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number <= 0) return 0;
  std::string unit(end, text.data() + text.size());
  std::ranges::transform(unit, unit.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  int shift = -1;
  if (unit.empty() || unit == "b") shift = 0;
  if (unit == "k" || unit == "kib" || unit == "kb") shift = 10;
  if (unit == "m" || unit == "mib" || unit == "mb") shift = 20;
  if (unit == "g" || unit == "gib" || unit == "gb") shift = 30;
  return shift < 0 || number > (INT64_MAX >> shift) ? 0 : number << shift;
}

int parse_whole(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number > 0 ? number : 0;
}

/// Static re-reference interval prediction with two bits and hit priority (Jaleel et al., ISCA 2010), as a QLRU.
constexpr std::string_view kSrrip = "qlru_h00_m2_r0_u0_umo";

/// "qlru_h00_m1_r0_u1[_umo]"; else why it is no such rule.
Result<QlruRules> parse_qlru(const std::string& text) {
  const std::vector<std::string> parts = split(text, '_');
  const engine::Error malformed = usage_error(
      "write qlru_hXY_mI_rV_uA, perhaps with _umo, such as qlru_h00_m1_r0_u1. X (0 to 2), Y (0 or "
      "1, not above X): "
      "ages after a hit at age 3 and 2. I (0 to 3): age of a new line. V (0 to 2): search for a "
      "victim. A (0 to 3): "
      "ageing");
  if (parts.size() < 5 || parts.size() > 6 || parts[0] != "qlru") return malformed;
  if (parts.size() == 6 && parts[5] != "umo") return malformed;
  const auto digit = [&](size_t part, char letter, char highest, size_t at = 1) {
    const std::string& p = parts[part];
    return p.size() > at && p[0] == letter && p[at] >= '0' && p[at] <= highest ? p[at] - '0' : -1;
  };
  const int from_3 = digit(1, 'h', '2'), from_2 = digit(1, 'h', '1', 2);
  const int insert = digit(2, 'm', '3'), replace = digit(3, 'r', '2'), update = digit(4, 'u', '3');
  if (std::min({from_3, from_2, insert, replace, update}) < 0 || parts[1].size() != 3 || from_2 > from_3)
    return malformed;
  if (parts[2].size() != 2 || parts[3].size() != 2 || parts[4].size() != 2) return malformed;
  if (replace != 1 && update >= 2) {
    return usage_error(
        fmt::format("r{0} replaces a line of age 3. u{1} ages lines by one at a time, which may leave "
                    "none of that age. Use r1, which then takes the leftmost line, with u2 and u3; use "
                    "r{0} with u0 and u1",
                    replace, update));
  }
  QlruRules rules{.after_hit = {0, 0, static_cast<uint8_t>(from_2), static_cast<uint8_t>(from_3)}};
  rules.insert = static_cast<uint8_t>(insert);
  rules.replace = static_cast<uint8_t>(replace);
  rules.update = static_cast<uint8_t>(update);
  rules.update_on_miss_only = parts.size() == 6;
  return rules;
}

Result<void> set_word(CacheLevelConfig& level, const std::string& word, std::string_view whole) {
  if (word == "lru") level.replacement = Replacement::lru;
  else if (word == "fifo") level.replacement = Replacement::fifo;
  else if (word == "plru") level.replacement = Replacement::plru;
  else if (word == "lru3plru4") level.replacement = Replacement::lru3plru4;
  else if (word == "mru") level.replacement = Replacement::mru;
  else if (word == "mru_n") level.replacement = Replacement::mru_n;
  else if (word == "inclusive") level.inclusion = Inclusion::inclusive;
  else if (word == "victim") level.inclusion = Inclusion::victim;
  else if (word == "through") level.write_back = false;
  else if (word == "noallocate") level.write_allocate = false;
  else if (word == "hashed") level.hashed = true;
  else if (word == "nextline") level.next_line_prefetch = true;
  else if (word == "stride") level.stride_prefetch = true;
  else if (word.starts_with("sector=")) {
    level.sector_bytes = parse_whole(std::string_view(word).substr(7));
    if (level.sector_bytes == 0)
      return usage_error(
          fmt::format("[--level] \"{}\" in \"{}\": \"{}\" is no number of bytes", word, whole, word.substr(7)));
  } else if (word.starts_with("qlru") || word == "srrip") {
    const auto rules = parse_qlru(word == "srrip" ? std::string(kSrrip) : word);
    if (!rules) return usage_error(fmt::format("[--level] \"{}\" in \"{}\": {}", word, whole, rules.error().message));
    level.replacement = Replacement::qlru;
    level.qlru = *rules;
  } else {
    const std::vector<std::string> words{
        "lru",       "fifo",   "plru",    "lru3plru4",  "mru",    "mru_n",    "srrip",  "qlru_h00_m1_r0_u1",
        "inclusive", "victim", "through", "noallocate", "hashed", "nextline", "stride", "sector=32"};
    return usage_error(fmt::format("[--level] \"{}\" in \"{}\" is no word of a cache{} There are: {}", word, whole,
                                   engine::did_you_mean(word, words), fmt::join(words, ", ")));
  }
  return {};
}

/// What a word settles, where there can be but one of its kind; empty: it may stand beside any other.
std::string_view settles(const std::string& word) {
  for (const std::string_view policy : {"lru", "fifo", "plru", "lru3plru4", "mru", "mru_n", "srrip"}) {
    if (word == policy) return "replacement policy";
  }
  if (word.starts_with("qlru")) return "replacement policy";
  if (word == "inclusive" || word == "victim") return "relation to the level above";
  return word.starts_with("sector=") ? "size of sectors" : "";
}

/// Words behind the colon, in turn. The last of two that settle the same would silently win.
Result<void> set_words(CacheLevelConfig& level, const std::vector<std::string>& words, std::string_view whole) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (Result<void> known = set_word(level, words[i], whole); !known) return known;
    const std::string_view settled = settles(words[i]);
    for (size_t before = 0; before < i && !settled.empty(); ++before) {
      if (settles(words[before]) == settled)
        return usage_error(fmt::format("[--level] \"{}\": \"{}\" and \"{}\" both set the {}; a cache has one", whole,
                                       words[before], words[i], settled));
    }
  }
  return {};
}

std::string size_text(int64_t bytes) {
  if (bytes % (1 << 20) == 0) return fmt::format("{} MiB", bytes >> 20);
  if (bytes % 1024 == 0) return fmt::format("{} KiB", bytes >> 10);
  return fmt::format("{} B", bytes);
}

/// Sectors in the hierarchy: what goes with them.
Result<void> check_sectors(const CacheConfig& config, const CacheLevelConfig& level) {
  const auto refuse = [&](const std::string& why) {
    return usage_error(fmt::format("[cache {}] {}", level.name, why));
  };
  constexpr int kMostSectors = 64;  // a bit each
  const int sector = level.sector_bytes;
  if (sector < 4 || sector >= level.line_bytes || !std::has_single_bit(static_cast<unsigned>(sector)) ||
      level.line_bytes / sector > kMostSectors)
    return refuse(
        fmt::format("sectors of {} bytes in a line of {}: write a power of two from 4, less than a line, at "
                    "most {} per line",
                    sector, level.line_bytes, kMostSectors));
  if (!level.write_allocate) return refuse("sectors without write-allocate are not simulated");
  if (config.rules.causes_by_own_policy && level.replacement == Replacement::fifo)
    return refuse("sectors in a FIFO level are not simulated by Dinero IV's rules");
  if (config.rules.fetch_on_write_back) return refuse("sectors are not simulated by pycachesim's rules");
  for (const CacheLevelConfig& other : config.levels) {
    if (other.sector_bytes != 0 && other.sector_bytes != sector)
      return refuse(fmt::format("sectors of {} bytes where {} has {}: all levels with sectors share one size", sector,
                                other.name, other.sector_bytes));
    if (other.inclusion != Inclusion::none || other.prefetches())
      return refuse(
          fmt::format("sectors where {} is inclusive, a victim cache or prefetches are not simulated", other.name));
  }
  return {};
}

Result<void> check_level(const CacheConfig& config, size_t index) {
  const CacheLevelConfig& level = config.levels[index];
  const auto refuse = [&](const std::string& why) {
    return usage_error(fmt::format("[cache {}] {}", level.name, why));
  };
  if (level.line_bytes < 4 || level.line_bytes > 4096 || !std::has_single_bit(static_cast<unsigned>(level.line_bytes)))
    return refuse(fmt::format("a line of {} bytes: it must be a power of two from 4 to 4096", level.line_bytes));
  if (level.line_bytes != config.line_bytes())
    return refuse(fmt::format("a line of {} bytes where {} has {}: all levels share one line size", level.line_bytes,
                              config.levels.front().name, config.line_bytes()));
  if (level.size_bytes <= 0 || level.size_bytes % level.line_bytes != 0)
    return refuse(fmt::format("{} bytes are no whole number of {}-byte lines", level.size_bytes, level.line_bytes));
  if (level.lines() > kMaxLines)
    return refuse(fmt::format("{} lines are more than the {} that are simulated", level.lines(), kMaxLines));
  if (level.ways < 1 || level.lines() % level.ways != 0)
    return refuse(fmt::format("{} lines cannot be shared out to {} ways", level.lines(), level.ways));
  if (level.ways > kMaxWays)
    return refuse(fmt::format(
        "{} ways are more than the {} that are simulated; --curve shows fully associative LRU caches of every size",
        level.ways, kMaxWays));
  if (level.replacement == Replacement::plru &&
      (!std::has_single_bit(static_cast<unsigned>(level.ways)) || level.ways > 64))
    return refuse(fmt::format("tree-PLRU of {} ways: it must be a power of two up to 64", level.ways));
  if (level.replacement == Replacement::lru3plru4 && (level.ways % 4 != 0 || level.ways > 32))
    return refuse(
        fmt::format("LRU of PLRU trees (lru3plru4) of {} ways: it must be a multiple of 4 up to 32", level.ways));
  if (level.hashed && index == 0)
    return refuse("the first level is looked up by address bits: hashed goes with further levels");
  if (level.inclusion == Inclusion::victim && index == 0)
    return refuse("there is no level above it to take victims from");
  if (level.inclusion == Inclusion::victim && (level.prefetches() || !level.write_back || !level.write_allocate))
    return refuse("a victim cache takes what is evicted above it: no prefetch, write-through or no-allocate");
  if (level.inclusion == Inclusion::victim && !config.levels[index - 1].write_back)
    return refuse("a victim cache below a write-through level would never hold what was written");
  if (level.sector_bytes != 0) return check_sectors(config, level);
  return {};
}

}  // namespace

std::string name_of(const CacheLevelConfig& level) {
  switch (level.replacement) {
    case Replacement::lru: return "lru";
    case Replacement::fifo: return "fifo";
    case Replacement::plru: return "plru";
    case Replacement::lru3plru4: return "lru3plru4";
    case Replacement::mru: return "mru";
    case Replacement::mru_n: return "mru_n";
    case Replacement::qlru: break;
  }
  const QlruRules& q = level.qlru;
  return fmt::format("qlru_h{}{}_m{}_r{}_u{}{}", q.after_hit[3], q.after_hit[2], q.insert, q.replace, q.update,
                     q.update_on_miss_only ? "_umo" : "");
}

std::string level_text(const CacheLevelConfig& level, std::string_view policy) {
  std::string out =
      fmt::format("{} {} {}{}", level.name, size_text(level.size_bytes),
                  level.sets() == 1 ? std::string("fully associative") : fmt::format("{}-way", level.ways), policy);
  if (level.sector_bytes != 0) out += fmt::format(" in sectors of {}", size_text(level.sector_bytes));
  if (level.inclusion == Inclusion::inclusive) out += " inclusive";
  if (level.inclusion == Inclusion::victim) out += " victim";
  if (!level.write_back) out += " write-through";
  if (!level.write_allocate) out += " no-write-allocate";
  if (level.hashed) out += " hashed";
  if (level.next_line_prefetch) out += " next-line prefetch";
  if (level.stride_prefetch) out += " stride prefetch";
  return out;
}

std::string CacheConfig::text() const {
  std::string out;
  for (const CacheLevelConfig& level : levels)
    out += (out.empty() ? "" : ", ") + level_text(level, ' ' + name_of(level));
  return out;
}

Result<CacheLevelConfig> parse_cache_level(std::string_view text, std::string name) {
  CacheLevelConfig level{.name = std::move(name)};
  const size_t colon = std::min(text.find(':'), text.size());
  const std::vector<std::string> sizes = split(text.substr(0, colon), '/');
  const auto refuse = [&](const std::string& why) {
    return usage_error(
        fmt::format("[--level] \"{}\": {}; a level is SIZE/WAYS/LINE:WORDS, such as 32KiB/8/64:lru", text, why));
  };
  if (sizes.size() < 2 || sizes.size() > 3)
    return refuse("there must be a size, the ways, and perhaps the bytes of a line");
  level.size_bytes = parse_size(sizes[0]);
  if (level.size_bytes == 0) return refuse(fmt::format("\"{}\" is no size", sizes[0]));
  level.line_bytes = sizes.size() == 3 ? parse_whole(sizes[2]) : 64;
  if (level.line_bytes == 0) return refuse(fmt::format("\"{}\" is no number of bytes", sizes[2]));
  if (sizes[1] == "full") {
    if (level.lines() > kMaxLines) return refuse(fmt::format("{} lines are more than {}", level.lines(), kMaxLines));
    level.ways = static_cast<int>(level.lines());
  } else {
    level.ways = parse_whole(sizes[1]);
  }
  if (level.ways == 0) return refuse(fmt::format("\"{}\" is no number of ways", sizes[1]));
  if (colon < text.size()) {
    if (Result<void> known = set_words(level, split(text.substr(colon + 1), ','), text); !known) return known.error();
  }
  return level;
}

Result<void> check(const CacheConfig& config) {
  if (config.levels.empty())
    return usage_error("[--level] a hierarchy needs at least one level, such as 32KiB/8/64:lru");
  if (config.levels.size() > kMaxSimulatedLevels)
    return usage_error(fmt::format("[--level] {} levels are more than {}", config.levels.size(), kMaxSimulatedLevels));
  for (size_t i = 0; i < config.levels.size(); ++i) {
    if (Result<void> ok = check_level(config, i); !ok) return ok;
  }
  return {};
}

namespace {

/// Fewer ways than caches have make misses of their own.
constexpr int kFewestWays = 4;
/// Where the system does not say how many there are.
constexpr int kUsualWays = 16;

/// A size in text as long as those of a probe: "7.82 MiB".
std::string about(int64_t bytes) { return format_quantity(static_cast<double>(bytes), Quantity::capacity_bytes); }

}  // namespace

CacheGeometry closest_geometry(int64_t size_bytes, const engine::CacheLevel& cache) {
  const int ways = cache.ways > 0 ? cache.ways : kUsualWays;
  const int64_t lines = std::max<int64_t>(1, size_bytes / cache.line_bytes),
                own_sets = std::max<int64_t>(1, cache.size_bytes / cache.line_bytes / ways);
  CacheGeometry best{1, static_cast<int>(std::min<int64_t>(lines, ways))};
  int64_t least = INT64_MAX;
  for (int64_t sets = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(own_sets))); sets >= 1; sets /= 2) {
    const int64_t nearest = (lines + sets / 2) / sets, error = std::abs(nearest * sets - lines);
    if (nearest < std::min(kFewestWays, (ways + 1) / 2) || nearest > ways || error >= least) continue;
    best = {sets, static_cast<int>(nearest)};
    least = error;
  }
  return best;
}

double size_doubt(const MemoryLevel& level) {
  const auto claimed = static_cast<double>(level.specified_size_bytes),
             seen = static_cast<double>(level.effective_size_bytes);
  return claimed > 0 && seen >= kRealSizeRatio * claimed && seen < claimed ? claimed / seen : 1;
}

Result<CacheConfig> cache_config_of(const Machine& machine) {
  CacheConfig config;
  for (size_t i = 0; i < machine.info.caches.size(); ++i) {
    const engine::CacheLevel& cache = machine.info.caches[i];
    CacheLevelConfig level{.name = fmt::format("L{}", i + 1)};
    level.line_bytes = cache.line_bytes;
    // The probe lists the same levels, DRAM last. Far less than is claimed is what a virtual machine really has.
    const int64_t effective = i + 1 < machine.levels.size() ? machine.levels[i].effective_size_bytes : 0;
    const bool less =
        effective > 0 && static_cast<double>(effective) < kRealSizeRatio * static_cast<double>(cache.size_bytes);
    const int64_t size = less ? effective : cache.size_bytes;
    if (size < level.line_bytes || level.line_bytes <= 0) break;
    const CacheGeometry geometry = closest_geometry(size, cache);
    level.ways = geometry.ways;
    level.size_bytes = geometry.sets * geometry.ways * level.line_bytes;
    if (about(level.size_bytes) != about(size)) {
      config.sizes_note += fmt::format(
          "{}{}: {} simulated, in {} sets of {} ways, where {} {}{}", config.sizes_note.empty() ? "" : "; ", level.name,
          about(level.size_bytes), geometry.sets, geometry.ways, less ? "the probe saw" : "the system claims",
          about(size), less ? fmt::format(" (the system claims {})", about(cache.size_bytes)) : std::string());
    }
    if (i == 0 && level.ways == 12) level.replacement = Replacement::lru3plru4;
    if (i == 0 && level.ways <= 8 && std::has_single_bit(static_cast<unsigned>(level.ways)))
      level.replacement = Replacement::plru;
    config.levels.push_back(level);
  }
  if (config.levels.empty())
    return engine::refused_error("the caches of this machine are unknown: describe them with --level 32KiB/8/64:lru");
  if (Result<void> ok = check(config); !ok) return ok.error();
  return config;
}

}  // namespace profiler
