// SPDX-License-Identifier: Apache-2.0
// Hierarchies with sectors on some levels, at random, against caches that hold the value of every byte: each load finds
// what was stored last, memory has it after a flush, and the simulator counts what these caches do.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <list>
#include <map>
#include <random>

#include "profiler/memory/cache_simulator.h"

namespace profiler {
namespace {

using engine::AccessKind;

constexpr int kLine = 64, kSector = 16;
using Bytes = std::bitset<kLine>;
using Values = std::array<uint32_t, kLine>;

void copy(Values& to, const Values& from, const Bytes& which) {
  for (size_t b = 0; b < kLine; ++b) {
    if (which[b]) to[b] = from[b];
  }
}

struct HeldLine {
  uint64_t line;
  Bytes valid, dirty;
  Values values{};
};

class SlowCaches {
 public:
  struct Counts {
    uint64_t asked = 0, missed = 0, write_backs = 0, write_back_misses = 0;
  };

  explicit SlowCaches(const CacheConfig& config)
      : config_(config), sets_(config.levels.size()), counts(config.levels.size()) {
    for (size_t l = 0; l < sets_.size(); ++l) sets_[l].resize(static_cast<size_t>(config.levels[l].sets()));
  }

  Values load(uint64_t line, const Bytes& bytes) { return fetch(0, line, bytes); }
  void store(uint64_t line, const Bytes& bytes, const Values& values) { store_at(0, line, bytes, values); }
  /// Of whole sectors.
  void store_past(uint64_t line, const Bytes& bytes, const Values& values) {
    Bytes out;
    Values leaving{};
    for (size_t level = 0; level < sets_.size(); ++level) {
      const auto held = find(level, line);
      if (held == set(level, line).end()) continue;
      const Bytes newer = held->valid & out;  // what left a nearer level passes here
      copy(held->values, leaving, newer);
      held->dirty &= ~(newer | bytes);
      held->valid &= ~bytes;
      if (!sectored(level)) {
        const Bytes more = held->dirty & ~out;
        copy(leaving, held->values, more);
        out |= more;
      }
      if (!sectored(level) || held->valid.none()) set(level, line).erase(held);
    }
    write_memory(line, out, leaving);
    for (size_t b = 0; b < kLine; ++b) {
      if (bytes[b]) memory_[line * kLine + b] = values[b];
    }
  }
  void flush() {
    std::map<uint64_t, std::pair<Bytes, Values>> dirty;
    for (size_t level = 0; level < sets_.size(); ++level) {
      for (auto& lines : sets_[level]) {
        for (HeldLine& held : lines) {
          auto& [which, values] = dirty[held.line];
          copy(held.values, values, which & held.valid);  // passed on its way
          copy(values, held.values, held.dirty & ~which);
          which |= held.dirty;
          held.dirty.reset();
        }
      }
    }
    for (const auto& [line, bytes] : dirty) write_memory(line, bytes.first, bytes.second);
  }
  uint32_t in_memory(uint64_t address) { return memory_[address]; }

 private:
  CacheConfig config_;
  std::vector<std::vector<std::list<HeldLine>>> sets_;  // the next to leave last
  std::map<uint64_t, uint32_t> memory_;

 public:
  std::vector<Counts> counts;
  uint64_t read = 0, written = 0;

 private:
  bool sectored(size_t level) const { return config_.levels[level].sector_bytes != 0; }
  std::list<HeldLine>& set(size_t level, uint64_t line) { return sets_[level][line % sets_[level].size()]; }
  std::list<HeldLine>::iterator find(size_t level, uint64_t line) {
    return std::ranges::find(set(level, line), line, &HeldLine::line);
  }
  /// What a level has to have for these bytes.
  Bytes whole(size_t level, const Bytes& bytes) const {
    const size_t unit = sectored(level) ? kSector : kLine;
    Bytes all;
    for (size_t b = 0; b < kLine; ++b) {
      for (size_t of = b / unit * unit; of < (b / unit + 1) * unit; ++of) all[b] = all[b] || bytes[of];
    }
    return all;
  }
  void use(size_t level, std::list<HeldLine>::iterator held) {
    auto& lines = set(level, held->line);
    if (config_.levels[level].replacement == Replacement::lru) lines.splice(lines.begin(), lines, held);
  }
  std::list<HeldLine>::iterator enter(size_t level, uint64_t line) {
    set(level, line).push_front({line, {}, {}});
    return set(level, line).begin();
  }
  void push_out(size_t level, uint64_t line) {
    auto& lines = set(level, line);
    if (lines.size() <= static_cast<size_t>(config_.levels[level].ways)) return;
    const HeldLine old = lines.back();
    lines.pop_back();
    if (old.dirty.any()) write_back(level + 1, old.line, old.dirty, old.values);
  }
  /// Has all of `bytes` in the level; the line is the next to leave last.
  std::list<HeldLine>::iterator have(size_t level, uint64_t line, const Bytes& bytes) {
    auto held = find(level, line);
    const bool here = held != set(level, line).end();
    if (here) use(level, held);
    else held = enter(level, line);
    const Bytes lacking = whole(level, bytes) & ~held->valid;
    if (lacking.none()) return held;
    ++counts[level].missed;
    const Values came = fetch(level + 1, line, lacking);
    copy(held->values, came, lacking);
    held->valid |= lacking;
    if (!here) push_out(level, line);
    return held;
  }
  Values fetch(size_t level, uint64_t line, const Bytes& bytes) {
    if (level == sets_.size()) {
      read += bytes.count();
      Values values{};
      for (size_t b = 0; b < kLine; ++b) values[b] = memory_[line * kLine + b];
      return values;
    }
    ++counts[level].asked;
    return have(level, line, bytes)->values;
  }
  void store_at(size_t level, uint64_t line, const Bytes& bytes, const Values& values) {
    if (level == sets_.size()) return write_memory(line, bytes, values);
    const CacheLevelConfig& config = config_.levels[level];
    ++counts[level].asked;
    if (!config.write_allocate && find(level, line) == set(level, line).end()) {
      ++counts[level].missed;
      return store_at(level + 1, line, bytes, values);
    }
    const auto held = have(level, line, bytes);
    copy(held->values, values, bytes);
    if (config.write_back) held->dirty |= whole(level, bytes);
    else store_at(level + 1, line, bytes, values);
  }
  void write_back(size_t level, uint64_t line, const Bytes& bytes, const Values& values) {
    if (level == sets_.size()) return write_memory(line, bytes, values);
    const CacheLevelConfig& config = config_.levels[level];
    ++counts[level].write_backs;
    auto held = find(level, line);
    const bool here = held != set(level, line).end();
    if (!here) ++counts[level].write_back_misses;
    if (!here && !config.write_allocate) return write_back(level + 1, line, bytes, values);
    if (here) use(level, held);
    else held = enter(level, line);
    if (const Bytes all = whole(level, bytes); !here && all != bytes) {
      copy(held->values, fetch(level + 1, line, all), all);
      held->valid |= all;
    }
    copy(held->values, values, bytes);
    held->valid |= bytes;
    if (config.write_back) held->dirty |= whole(level, bytes);
    if (!here) push_out(level, line);
    if (!config.write_back) write_back(level + 1, line, bytes, values);
  }
  void write_memory(uint64_t line, const Bytes& bytes, const Values& values) {
    written += bytes.count();
    for (size_t b = 0; b < kLine; ++b) {
      if (bytes[b]) memory_[line * kLine + b] = values[b];
    }
  }
};

CacheConfig random_hierarchy(std::mt19937& random) {
  CacheConfig config;
  const size_t depth = 1 + random() % 3, with = random() % depth;  // one of them has sectors
  for (size_t l = 0; l < depth; ++l) {
    CacheLevelConfig level{.name = "L" + std::to_string(l + 1)};
    level.line_bytes = kLine;
    level.ways = 1 + static_cast<int>(random() % 4);
    level.size_bytes = int64_t{kLine} * level.ways * (1 + static_cast<int64_t>(random() % 4)) * (int64_t{1} << l);
    if (random() % 3 == 0) level.replacement = Replacement::fifo;
    if (random() % 4 == 0) level.write_back = false;
    if (l == with || random() % 2 == 0) level.sector_bytes = kSector;
    else level.write_allocate = random() % 3 != 0;
    config.levels.push_back(level);
  }
  return config;
}

TEST(CacheSectors, HoldTheSameAsCachesOfEveryByte) {
  std::mt19937 random(2211);
  for (int round = 0; round < 100 && !testing::Test::HasFailure(); ++round) {
    const CacheConfig config = random_hierarchy(random);
    SCOPED_TRACE(config.text());
    CacheSimulator simulator(config, {});
    SlowCaches slow(config);
    std::map<uint64_t, uint32_t> stored;
    uint64_t past = 0;
    constexpr uint64_t kBytes = 40 * kLine;
    for (uint32_t i = 1; i <= 1500; ++i) {
      const auto kind = std::array{AccessKind::load, AccessKind::load, AccessKind::store, AccessKind::store,
                                   AccessKind::store_past_caches}[random() % (random() % 4 == 0 ? 5 : 4)];
      uint64_t bytes = uint64_t{1} << random() % 7, address = random() % (kBytes - kLine);
      if (kind == AccessKind::store_past_caches)
        bytes = kSector * (1 + random() % 4), address = address / kSector * kSector;
      simulator.group(1, {{address, 0, 0, static_cast<uint16_t>(bytes), kind}});
      for (uint64_t at = address; at < address + bytes;) {
        const uint64_t line = at / kLine, end = std::min(address + bytes, (line + 1) * kLine);
        Bytes part;
        for (; at < end; ++at) {
          part[at % kLine] = true;
          if (kind != AccessKind::load) stored[at] = i;
        }
        Values values;
        values.fill(i);
        if (kind == AccessKind::store) slow.store(line, part, values);
        if (kind == AccessKind::store_past_caches) slow.store_past(line, part, values), past += part.count();
        if (kind != AccessKind::load) continue;
        const Values found = slow.load(line, part);
        for (size_t b = 0; b < kLine; ++b) {
          if (part[b]) {
            ASSERT_EQ(found[b], stored[line * kLine + b]) << "access " << i;
          }
        }
      }
      if (random() % 500 == 0) slow.flush(), simulator.flush();
    }
    slow.flush();
    simulator.flush();
    for (const auto& [address, value] : stored) ASSERT_EQ(slow.in_memory(address), value) << address;
    const CacheEpoch epoch = simulator.take_epoch("");
    for (size_t l = 0; l < config.levels.size(); ++l) {
      const CacheCounts c = epoch.total(l);
      EXPECT_EQ(c.accesses(), slow.counts[l].asked) << "level " << l;
      EXPECT_EQ(c.misses(), slow.counts[l].missed) << "level " << l;
      EXPECT_EQ(c.write_backs, slow.counts[l].write_backs) << "level " << l;
      EXPECT_EQ(c.write_back_misses, slow.counts[l].write_back_misses) << "level " << l;
    }
    EXPECT_EQ(epoch.total_memory().read_bytes(), slow.read);
    EXPECT_EQ(epoch.total_memory().written_bytes, slow.written);
    EXPECT_EQ(epoch.total_memory().past_caches_bytes, past);
  }
}

}  // namespace
}  // namespace profiler
