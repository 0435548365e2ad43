// SPDX-License-Identifier: Apache-2.0
// States made and read out; slices and threads.
#include "profiler/memory/cache_simulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>
#include <numeric>
#include <thread>
#include <utility>

#include "engine/base/check.h"

namespace profiler {
namespace {

using cache_detail::CacheState;
using cache_detail::kNoKey;
using cache_detail::LevelState;
using cache_detail::SectorTable;

LevelState make_level(const CacheLevelConfig& config) {
  LevelState level;
  level.config = config;
  level.ways = config.ways;
  level.stride = config.ways <= 8 ? 8 : (config.ways + 15) / 16 * 16;
  level.sets = static_cast<uint32_t>(config.sets());
  level.hashed = config.hashed;
  level.masked = !level.hashed && std::has_single_bit(level.sets);
  level.set_mask = level.sets - 1;
  const size_t keys = size_t{level.sets} * static_cast<size_t>(level.stride);
  const size_t bytes = (keys * sizeof(uint32_t) + 63) / 64 * 64;
  level.keys.reset(static_cast<uint32_t*>(std::aligned_alloc(64, bytes)));
  if (!level.keys) throw std::bad_alloc();
  std::fill_n(level.keys.get(), bytes / sizeof(uint32_t), kNoKey);
  if (config.replacement == Replacement::plru || config.replacement == Replacement::lru3plru4)
    level.trees.assign(level.sets, 0);
  if (config.replacement == Replacement::qlru)
    level.ages.assign(size_t{level.sets} * static_cast<size_t>(level.ways), 3);
  if (config.replacement == Replacement::mru || config.replacement == Replacement::mru_n)
    level.ages.assign(size_t{level.sets} * static_cast<size_t>(level.ways), 1);
  if (config.replacement == Replacement::lru3plru4) {
    const int groups = level.ways / 4;
    for (uint32_t set = 0; set < level.sets; ++set) {
      for (int g = 0; g < groups; ++g) level.ages.push_back(static_cast<uint8_t>(g));
    }
  }
  level.set_misses.assign(level.sets, 0);
  if (level.sectored()) level.sectors = SectorTable(level.sets, level.ways);
  return level;
}

void add(CacheEpoch& sum, const CacheEpoch& part) {
  for (size_t l = 0; l < sum.levels.size(); ++l) {
    for (size_t t = 0; t < sum.levels[l].size(); ++t) sum.levels[l][t] += part.levels[l][t];
    for (size_t s = 0; s < sum.set_misses[l].size(); ++s) sum.set_misses[l][s] += part.set_misses[l][s];
  }
  for (size_t t = 0; t < sum.memory.size(); ++t) sum.memory[t] += part.memory[t];
}

}  // namespace

CacheCounts& CacheCounts::operator+=(const CacheCounts& o) {
  loads += o.loads, load_misses += o.load_misses;
  stores += o.stores, store_misses += o.store_misses;
  write_backs += o.write_backs, write_back_misses += o.write_back_misses;
  write_back_fetches += o.write_back_fetches, unfetched_store_misses += o.unfetched_store_misses;
  prefetches += o.prefetches, prefetch_requests += o.prefetch_requests, prefetch_misses += o.prefetch_misses;
  sector_misses += o.sector_misses, fetched_sectors += o.fetched_sectors;
  compulsory += o.compulsory, capacity += o.capacity, conflict += o.conflict;
  prefetchable += o.prefetchable;
  return *this;
}

MemoryCounts& MemoryCounts::operator+=(const MemoryCounts& o) {
  load_bytes += o.load_bytes, write_allocate_bytes += o.write_allocate_bytes, prefetch_bytes += o.prefetch_bytes;
  written_bytes += o.written_bytes, past_caches_bytes += o.past_caches_bytes;
  return *this;
}

CacheCounts CacheEpoch::total(size_t level) const {
  CacheCounts sum;
  for (const CacheCounts& c : levels[level]) sum += c;
  return sum;
}

MemoryCounts CacheEpoch::total_memory() const {
  MemoryCounts sum;
  for (const MemoryCounts& m : memory) sum += m;
  return sum;
}

void cache_detail::CacheState::count_groups(GroupShape& shape) {
  const uint64_t everywhere = std::exchange(shape.groups, 0) * static_cast<uint64_t>(shape.iterations);
  for (size_t k = 0; k < shape.count; ++k) {
    const engine::AccessStream& a = shape.streams[k];
    CacheCounts& c = counts[a.tensor];
    (a.kind == engine::AccessKind::store ? c.stores : c.loads) += everywhere + shape.places[shape.place_of[k]].accesses;
  }
  for (size_t i = 0; i < shape.place_count; ++i) shape.places[i].accesses = 0;
}

uint32_t cache_detail::CacheState::owner_among_ranges(uint32_t line) {
  const uint64_t address = uint64_t{line} << line_shift;
  const uint64_t last = address + line_bytes() - 1;
  const TensorRange& recent = ranges[last_range];
  if (recent.begin <= last && address < recent.end) return recent.tensor;
  const auto after = std::ranges::upper_bound(ranges, last, {}, &TensorRange::begin);
  if (after == ranges.begin() || std::prev(after)->end <= address) return 0;
  last_range = static_cast<size_t>(std::prev(after) - ranges.begin());
  return ranges[last_range].tensor;
}

namespace {

bool is_plain(const CacheConfig& config) {
  const CacheRules& rules = config.rules;
  return rules.promote_on_write_hit && !rules.fetch_on_write_back && rules.full_line_store_fetches &&
         std::ranges::all_of(config.levels, [](const CacheLevelConfig& c) {
           return c.replacement == Replacement::lru && c.inclusion == Inclusion::none && c.write_back &&
                  c.write_allocate && !c.prefetches() && c.sector_bytes == 0;
         });
}

}  // namespace

CacheSimulator::CacheSimulator(const CacheConfig& config, Options options)
    : config_(config), run_(cache_detail::runners()) {
  CHECK(check(config).ok());
  CHECK(!options.classify || options.slices.mask == 0);
  for (const CacheLevelConfig& level : config.levels) state_.levels.push_back(make_level(level));
  state_.rules = config.rules;
  state_.slices = options.slices;
  state_.line_shift = std::countr_zero(static_cast<unsigned>(config.line_bytes()));
  for (const CacheLevelConfig& level : config.levels) {
    if (level.sector_bytes != 0) state_.sector_shift = std::countr_zero(static_cast<unsigned>(level.sector_bytes));
  }
  state_.tensors = std::max(1u, options.tensors);
  state_.counts.resize(config.levels.size() * state_.tensors);
  state_.memory.resize(state_.tensors);
  state_.ranges = std::move(options.ranges);
  std::ranges::sort(state_.ranges, {}, &TensorRange::begin);
  if (options.classify) state_.distances = std::make_unique<StackDistance>();
  for (LevelState& level : state_.levels) {
    const bool own =
        options.classify && config.rules.causes_by_own_policy && level.config.replacement == Replacement::fifo;
    if (options.classify) level.missed_strides = std::make_unique<StrideDetector>();
    if (level.config.stride_prefetch) level.strides = std::make_unique<StrideDetector>();
    if (own) level.beside = std::make_unique<FifoLines>(static_cast<size_t>(level.config.lines()));
  }
  state_.plain = !options.classify && is_plain(config);
  state_.depth = state_.levels.size();
  state_.independent = ~0u;
  for (size_t l = 1; l < state_.levels.size(); ++l) {
    if (config.levels[l].inclusion == Inclusion::inclusive) state_.late |= (1u << l) - 1;
  }
  for (size_t l = 0; l < state_.levels.size(); ++l) {
    LevelState& level = state_.levels[l];
    state_.independent &= level.masked ? level.set_mask : 0;
    state_.flat[l] = {.keys = level.keys.get(),
                      .counts = &state_.counts[l * state_.tensors],
                      .set_misses = level.set_misses.data(),
                      .sets = level.sets,
                      .set_mask = level.set_mask,
                      .ways = level.ways,
                      .stride = level.stride,
                      .masked = level.masked,
                      .hashed = level.hashed};
  }
}

CacheEpoch CacheSimulator::take_epoch(std::string name) {
  CacheEpoch epoch = take_counts();
  epoch.name = std::move(name);
  for (LevelState& level : state_.levels) {
    epoch.set_misses.push_back(level.set_misses);
    std::ranges::fill(level.set_misses, 0);
  }
  return epoch;
}

CacheEpoch CacheSimulator::take_counts() {
  for (size_t i = 0; i < CacheState::kShapes; ++i) state_.count_groups(state_.shapes[i]);
  CacheEpoch epoch;
  for (size_t l = 0; l < state_.levels.size(); ++l) {
    const auto first = state_.counts.begin() + static_cast<std::ptrdiff_t>(l * state_.tensors);
    epoch.levels.emplace_back(first, first + state_.tensors);
  }
  epoch.memory = state_.memory;
  epoch.refs = std::exchange(state_.refs, 0);
  std::ranges::fill(state_.counts, CacheCounts{});
  std::ranges::fill(state_.memory, MemoryCounts{});
  return epoch;
}

void CacheSimulator::set_ranges(std::vector<TensorRange> ranges) {
  state_.ranges = std::move(ranges);
  state_.last_range = 0;
  std::ranges::sort(state_.ranges, {}, &TensorRange::begin);
}

std::vector<uint32_t> CacheSimulator::lines(size_t level) const {
  const LevelState& l = state_.levels[level];
  std::vector<uint32_t> lines;
  for (uint32_t set = 0; set < l.sets; ++set) {
    const uint32_t* keys = &l.keys[size_t{set} * static_cast<size_t>(l.stride)];
    for (int way = 0; way < l.ways; ++way) {
      if (keys[way] != kNoKey) lines.push_back(keys[way] >> 1);
    }
  }
  std::ranges::sort(lines);
  return lines;
}

std::vector<uint32_t> CacheSimulator::held(uint64_t address, uint64_t bytes) const {
  const uint64_t first = address >> state_.line_shift,
                 last = bytes == 0 ? UINT64_MAX : (address + bytes - 1) >> state_.line_shift;
  std::vector<uint32_t> lines;
  for (const LevelState& level : state_.levels) {
    const auto of_set = [&](uint32_t set) {
      for (int way = 0; way < level.ways; ++way) {
        const uint32_t key = level.keys[size_t{set} * static_cast<size_t>(level.stride) + static_cast<size_t>(way)];
        if (key != kNoKey && key >> 1 >= first && key >> 1 <= last) lines.push_back(key >> 1);
      }
    };
    if (bytes == 0 || last - first >= level.sets) {
      for (uint32_t set = 0; set < level.sets; ++set) of_set(set);
    } else {
      for (uint64_t line = first; line <= last; ++line) of_set(level.set_of(static_cast<uint32_t>(line)));
    }
  }
  std::ranges::sort(lines);
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

void CacheSimulator::copy_back(uint64_t address, uint64_t bytes) {
  for (const uint32_t line : held(address, bytes)) {
    // A line may be dirty in several levels; its nearest copy is the newest, and one write-back is what reaches memory.
    uint64_t dirty = 0;  // sectors
    for (LevelState& level : state_.levels) {
      if (level.sectored()) {
        if (cache_detail::SectorBits* own = level.sectors.find(level.set_of(line), line))
          dirty |= std::exchange(own->dirty, 0);
        continue;
      }
      uint32_t* set = level.keys.get() + size_t{level.set_of(line)} * static_cast<size_t>(level.stride);
      for (int way = 0; way < level.ways; ++way) {
        if (set[way] != (line << 1 | 1)) continue;
        dirty = state_.all_sectors();
        set[way] = line << 1;
      }
    }
    if (dirty != 0) state_.memory[state_.owner(line)].written_bytes += state_.bytes_of(dirty);
  }
}

void CacheSimulator::invalidate(uint64_t address, uint64_t bytes) {
  CHECK(!state_.distances);
  for (const uint32_t line : held(address, bytes)) run_.drop(state_, line);
}

void CacheSimulator::flush() { copy_back(0, 0); }

int most_slices(const CacheConfig& config) {
  uint64_t sets = 64;  // as many bits as CacheSlices::picked has
  for (const CacheLevelConfig& level : config.levels) {
    if (level.prefetches() || level.hashed || !std::has_single_bit(static_cast<uint64_t>(level.sets()))) return 1;
    sets = std::min(sets, static_cast<uint64_t>(level.sets()));
  }
  return static_cast<int>(sets);
}

CacheSlices slices_of(const CacheConfig& config, int count) {
  CHECK(count >= 1 && std::has_single_bit(static_cast<unsigned>(count)) && count <= most_slices(config));
  if (count == 1) return {};
  int64_t sets = config.levels.front().sets();
  for (const CacheLevelConfig& level : config.levels) sets = std::min(sets, level.sets());
  const int bits = std::countr_zero(static_cast<uint64_t>(sets));
  return {bits - std::countr_zero(static_cast<unsigned>(count)), static_cast<uint32_t>(count - 1), 0};
}

engine::Result<std::vector<CacheEpoch>> simulate(const CacheConfig& config, const SimulationRequest& request,
                                                 const std::vector<std::string>& epochs,
                                                 const std::function<void(engine::AccessSink&, size_t)>& describe,
                                                 std::unique_ptr<StackDistance>* distances) {
  if (auto ok = check(config); !ok) return ok.error();
  if (request.classify && request.sample > 1)
    return engine::usage_error("[--sample] stack distances need all lines: not together with miss causes or curves");
  const auto cut = parts_of(config, request.classify ? 1 : request.threads, request.sample);
  if (!cut) return cut.error();
  const std::vector<CacheSlices>& parts = *cut;
  std::vector<std::vector<CacheEpoch>> found(parts.size());
  std::vector<std::unique_ptr<CacheSimulator>>
      simulators;  // made here, with all their levels need: threads of ours could not say that memory ran out
  for (const CacheSlices& part : parts) {
    simulators.push_back(std::make_unique<CacheSimulator>(
        config, CacheSimulator::Options{request.tensors, request.ranges, part, request.classify}));
  }
  const auto run_part = [&](size_t part) {
    CacheSimulator& simulator = *simulators[part];
    for (size_t e = 0; e < epochs.size(); ++e) {
      describe(simulator, e);
      found[part].push_back(simulator.take_epoch(epochs[e]));
    }
    if (distances != nullptr && simulator.distances() != nullptr)
      *distances = std::make_unique<StackDistance>(*simulator.distances());
  };
  std::vector<std::thread> others;
  for (size_t part = 1; part < parts.size(); ++part) others.emplace_back(run_part, part);
  run_part(0);
  for (std::thread& other : others) other.join();
  std::vector<CacheEpoch> result = std::move(found.front());
  for (size_t e = 0; e < result.size(); ++e) {
    for (size_t part = 1; part < found.size(); ++part) add(result[e], found[part][e]);
    if (request.sample > 1) scale_counts(result[e], parts, request.sample);
  }
  if (request.sample == 1) return result;
  LookupCount lookups(config.line_bytes(), request.tensors);
  for (size_t e = 0; e < result.size(); ++e) {
    describe(lookups, e);
    set_lookups(result[e], lookups.take());
  }
  return result;
}

}  // namespace profiler
