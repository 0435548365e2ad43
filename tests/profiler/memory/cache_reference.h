// SPDX-License-Identifier: Apache-2.0
// A cache hierarchy simulated slowly and obviously: one access at a time, sets as maps, recency as time stamps. What
// the fast simulator is held against.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "engine/kernels/core/access.h"
#include "profiler/memory/cache_simulator.h"

namespace test {

using profiler::CacheConfig;
using profiler::CacheCounts;
using profiler::CacheLevelConfig;
using profiler::Inclusion;
using profiler::MemoryCounts;
using profiler::Replacement;

/// One set: ways by position, each with when it was last used and put in, and its QLRU age.
class ReferenceSet {
 public:
  struct Way {
    std::optional<uint64_t> line;
    bool dirty = false;
    uint64_t used = 0, inserted = 0;
    int age = 3;
    bool marked = false;  // MRU
  };
  struct Victim {
    uint64_t line;
    bool dirty;
  };

  explicit ReferenceSet(const CacheLevelConfig& config) : config_(config), ways_(static_cast<size_t>(config.ways)) {}

  Way* find(uint64_t line) {
    for (Way& w : ways_) {
      if (w.line == line) return &w;
    }
    return nullptr;
  }

  void hit(Way& way) {
    way.used = ++clock_;
    mark(way, std::ranges::all_of(ways_, [](const Way& w) { return w.line.has_value(); }));
    if (config_.replacement != Replacement::qlru) return;
    way.age = config_.qlru.after_hit[way.age];
    if (!config_.qlru.update_on_miss_only) age_all(&way);
  }

  std::optional<Victim> insert(uint64_t line, bool dirty) {
    if (config_.replacement == Replacement::qlru && config_.qlru.update_on_miss_only) age_all(nullptr);
    const bool full = std::ranges::all_of(ways_, [](const Way& w) { return w.line.has_value(); });
    Way& way = place();
    std::optional<Victim> victim;
    if (way.line) victim = Victim{*way.line, way.dirty};
    way.line = line;
    way.dirty = dirty;
    way.used = way.inserted = ++clock_;
    mark(way, full);
    if (config_.replacement == Replacement::qlru) {
      way.age = config_.qlru.insert;
      if (!config_.qlru.update_on_miss_only) age_all(&way);
    }
    return victim;
  }

  std::optional<Victim> remove(uint64_t line) {
    Way* way = find(line);
    if (way == nullptr) return {};
    const Victim gone{line, way->dirty};
    way->line.reset();
    way->dirty = false;
    return gone;
  }

  void list(std::vector<uint64_t>& lines) const {
    for (const Way& way : ways_) {
      if (way.line) lines.push_back(*way.line);
    }
  }

 private:
  Way& place() {
    const bool from_right = config_.replacement == Replacement::qlru && config_.qlru.replace == 2;
    for (size_t i = 0; i < ways_.size(); ++i) {
      Way& w = ways_[from_right ? ways_.size() - 1 - i : i];
      if (!w.line) return w;
    }
    const auto by_used = [](const Way& a, const Way& b) { return a.used < b.used; };
    switch (config_.replacement) {
      case Replacement::lru: return *std::ranges::min_element(ways_, by_used);
      case Replacement::fifo: return *std::ranges::min_element(ways_, {}, &Way::inserted);
      case Replacement::plru: return plru(0, ways_.size());
      case Replacement::lru3plru4: {
        // The group of four whose most recent use is longest ago.
        size_t best = 0;
        uint64_t oldest = UINT64_MAX;
        for (size_t g = 0; g < ways_.size(); g += 4) {
          const uint64_t used = newest(g, g + 4);
          if (used < oldest) oldest = used, best = g;
        }
        return plru(best, best + 4);
      }
      case Replacement::mru:
      case Replacement::mru_n: return *std::ranges::find(ways_, false, &Way::marked);
      case Replacement::qlru: break;
    }
    for (Way& w : ways_) {
      if (w.age == 3) return w;
    }
    return ways_.front();
  }

  /// MRU: the last mark that is missing takes all others away.
  void mark(Way& way, bool full) {
    if (config_.replacement != Replacement::mru && !(config_.replacement == Replacement::mru_n && full)) return;
    way.marked = true;
    if (!std::ranges::all_of(ways_, &Way::marked)) return;
    for (Way& w : ways_) w.marked = &w == &way;
  }

  uint64_t newest(size_t begin, size_t end) const {
    uint64_t used = 0;
    for (size_t i = begin; i < end; ++i) used = std::max(used, ways_[i].used);
    return used;
  }
  /// A tree of single bits, each pointing away from the half used last, is a descent into the half used longer ago.
  Way& plru(size_t begin, size_t end) {
    while (end - begin > 1) {
      const size_t middle = (begin + end) / 2;
      if (newest(begin, middle) < newest(middle, end)) end = middle;
      else begin = middle;
    }
    return ways_[begin];
  }

  void age_all(const Way* touched) {
    const int update = config_.qlru.update;
    int oldest = 0;
    for (const Way& w : ways_) {
      if (!(update == 1 && &w == touched)) oldest = std::max(oldest, w.age);
    }
    if (oldest == 3) return;
    for (Way& w : ways_) {
      if ((update == 1 || update == 3) && &w == touched) continue;
      w.age += update <= 1 ? 3 - oldest : 1;
    }
  }

  CacheLevelConfig config_;
  std::vector<Way> ways_;
  uint64_t clock_ = 0;
};

/// The whole hierarchy. Rules as CacheSimulator states them.
class ReferenceSimulator : public engine::AccessSink {
 public:
  explicit ReferenceSimulator(CacheConfig config) : config_(std::move(config)) {
    for (const CacheLevelConfig& level : config_.levels) {
      sets_.emplace_back(static_cast<size_t>(level.sets()), ReferenceSet(level));
      counts.emplace_back();
      set_misses.emplace_back(static_cast<size_t>(level.sets()), 0);
      last_.emplace_back();
    }
  }

  using engine::AccessSink::group;
  void group(int64_t iterations, std::span<const engine::AccessStream> streams) override {
    for (int64_t i = 0; i < iterations; ++i) {
      for (const engine::AccessStream& s : streams)
        one(s.address + static_cast<uint64_t>(i * s.stride), s.bytes, s.kind);
    }
  }

  /// What a level holds, ascending.
  std::vector<uint64_t> lines(size_t level) const {
    std::vector<uint64_t> out;
    for (const ReferenceSet& set : sets_[level]) set.list(out);
    std::ranges::sort(out);
    return out;
  }

  std::vector<CacheCounts> counts;
  std::vector<std::vector<uint64_t>> set_misses;
  MemoryCounts memory;

 private:
  enum class Why { load, store, prefetch };
  uint64_t line_bytes() const { return static_cast<uint64_t>(config_.line_bytes()); }
  /// Of hashed sets: rows of lines, turned by the upper 32 bits of (row * 2654435769 mod 2^32) * sets.
  size_t set_number(size_t level, uint64_t line) const {
    const uint64_t sets = sets_[level].size();
    const uint64_t turned = config_.levels[level].hashed
                                ? (line / sets * 2654435769u % (uint64_t{1} << 32)) * sets / (uint64_t{1} << 32)
                                : 0;
    return (line + turned) % sets;
  }
  ReferenceSet& set(size_t level, uint64_t line) { return sets_[level][set_number(level, line)]; }
  void miss(size_t level, uint64_t line, bool store) {
    ++(store ? counts[level].store_misses : counts[level].load_misses);
    ++set_misses[level][set_number(level, line)];
  }

  void missed(size_t level, uint64_t line, Why why) {
    if (why == Why::prefetch) ++counts[level].prefetch_misses;
    else miss(level, line, why == Why::store);
  }

  void one(uint64_t address, uint64_t bytes, engine::AccessKind kind) {
    const uint64_t end = address + std::max<uint64_t>(1, bytes);
    for (uint64_t line = address / line_bytes(); line * line_bytes() < end; ++line) {
      const uint64_t part = std::min(end, (line + 1) * line_bytes()) - std::max(address, line * line_bytes());
      if (kind == engine::AccessKind::load) fetch(0, line, Why::load);
      else if (kind == engine::AccessKind::store) store(0, line, part);
      else {
        for (size_t level = 0; level < sets_.size(); ++level) set(level, line).remove(line);
        memory.past_caches_bytes += part;
      }
      while (!answered_.empty()) {
        const Answered next = answered_.front();
        answered_.pop_front();
        prefetch_for(next.level, next.line, next.missed);
      }
    }
  }

  /// Asks `level` for a line; whether it comes dirty.
  bool fetch(size_t level, uint64_t line, Why why) {
    if (level == sets_.size()) {
      (why == Why::load    ? memory.load_bytes
       : why == Why::store ? memory.write_allocate_bytes
                           : memory.prefetch_bytes) += line_bytes();
      return false;
    }
    const CacheLevelConfig& config = config_.levels[level];
    if (why == Why::load) ++counts[level].loads;
    if (why == Why::store) ++counts[level].stores;
    if (why == Why::prefetch) ++counts[level].prefetch_requests;
    if (config.inclusion == Inclusion::victim) {
      if (const auto taken = set(level, line).remove(line)) return taken->dirty;
      missed(level, line, why);
      return fetch(level + 1, line, why);
    }
    if (ReferenceSet::Way* way = set(level, line).find(line)) {
      set(level, line).hit(*way);
      if (why != Why::prefetch) prefetch_after(level, line, false);
      return false;
    }
    missed(level, line, why);
    bring(level, line, false, why, true);
    if (why != Why::prefetch) prefetch_after(level, line, true);
    return false;
  }

  /// Puts a line into `level`, fetching it first where asked; what it displaces goes down afterwards. Above an
  /// inclusive level it is displaced afterwards, too: under way, what that level drops would miss it.
  void bring(size_t level, uint64_t line, bool dirty, Why why, bool fetches) {
    const auto inclusive = [](const CacheLevelConfig& c) { return c.inclusion == Inclusion::inclusive; };
    if (fetches &&
        std::any_of(config_.levels.begin() + static_cast<std::ptrdiff_t>(level) + 1, config_.levels.end(), inclusive)) {
      const bool comes_dirty = fetch(level + 1, line, why);
      const auto displaced = set(level, line).insert(line, dirty || comes_dirty);
      if (displaced) leave(level, displaced->line, displaced->dirty);
      return;
    }
    const auto victim = set(level, line).insert(line, dirty);
    if (fetches && fetch(level + 1, line, why)) {
      if (ReferenceSet::Way* way = set(level, line).find(line)) way->dirty = true;
    }
    if (victim) leave(level, victim->line, victim->dirty);
  }

  void prefetch(size_t level, uint64_t line) {
    if (set(level, line).find(line) != nullptr) return;
    ++counts[level].prefetches;
    bring(level, line, false, Why::prefetch, true);
  }

  /// Only when the whole chain of levels has answered: what a level drops for a prefetch is then nowhere under way.
  void prefetch_after(size_t level, uint64_t line, bool missed) { answered_.push_back({level, line, missed}); }

  void prefetch_for(size_t level, uint64_t line, bool missed) {
    if (missed && config_.levels[level].next_line_prefetch) prefetch(level, line + 1);
    std::deque<uint64_t>& last = last_[level];
    const auto seen = [&](uint64_t l) { return std::ranges::find(last, l) != last.end(); };
    if (!config_.levels[level].stride_prefetch || seen(line)) return;
    int64_t step = 0;
    for (const uint64_t before : last) {
      const auto d = static_cast<int64_t>(line - before);
      if (seen(before - static_cast<uint64_t>(d)) && (step == 0 || std::abs(d) < std::abs(step) || d == std::abs(step)))
        step = d;
    }
    last.push_back(line);
    if (last.size() > profiler::StrideDetector::kKept) last.pop_front();
    for (int64_t ahead = 1; step != 0 && ahead <= 3; ++ahead) {
      const uint64_t next = line + static_cast<uint64_t>(ahead * step);
      if (next * line_bytes() / 4096 != line * line_bytes() / 4096) return;
      prefetch(level, next);
    }
  }

  void leave(size_t level, uint64_t line, bool dirty) {
    if (config_.levels[level].inclusion == Inclusion::inclusive) {
      for (size_t above = 0; above < level; ++above) {
        if (const auto gone = set(above, line).remove(line)) dirty = dirty || gone->dirty;
      }
    }
    if (level + 1 < sets_.size() && config_.levels[level + 1].inclusion == Inclusion::victim) {
      ++counts[level + 1].write_backs;
      if (ReferenceSet::Way* way = set(level + 1, line).find(line)) {
        set(level + 1, line).hit(*way);
        way->dirty = way->dirty || dirty;
      } else {
        ++counts[level + 1].write_back_misses;
        bring(level + 1, line, dirty, Why::load, false);
      }
    } else if (dirty && config_.rules.write_backs) {
      write_back(level + 1, line);
    }
  }

  void write_back(size_t level, uint64_t line) {
    if (level == sets_.size()) {
      memory.written_bytes += line_bytes();
      return;
    }
    const CacheLevelConfig& config = config_.levels[level];
    ++counts[level].write_backs;
    if (ReferenceSet::Way* way = set(level, line).find(line)) {
      if (config_.rules.promote_on_write_hit) set(level, line).hit(*way);
      way->dirty = way->dirty || config.write_back;
      if (!config.write_back) write_back(level + 1, line);
      return;
    }
    ++counts[level].write_back_misses;
    if (config.inclusion == Inclusion::inclusive || !config.write_allocate) {
      write_back(level + 1, line);
      return;
    }
    if (config_.rules.fetch_on_write_back) ++counts[level].write_back_fetches;
    bring(level, line, config.write_back, Why::load, config_.rules.fetch_on_write_back);
    if (!config.write_back) write_back(level + 1, line);
  }

  void store(size_t level, uint64_t line, uint64_t bytes) {
    if (level == sets_.size()) {
      memory.written_bytes += bytes;
      return;
    }
    const CacheLevelConfig& config = config_.levels[level];
    ++counts[level].stores;
    ReferenceSet::Way* way = set(level, line).find(line);
    if (way != nullptr) {
      if (config_.rules.promote_on_write_hit) set(level, line).hit(*way);
      way->dirty = way->dirty || config.write_back;
    } else {
      miss(level, line, true);
      const bool fetches = bytes < line_bytes() || config_.rules.full_line_store_fetches;
      if (!config.write_allocate || !fetches) ++counts[level].unfetched_store_misses;
      if (!config.write_allocate) {
        store(level + 1, line, bytes);
        return;
      }
      bring(level, line, config.write_back, Why::store, fetches);
    }
    prefetch_after(level, line, way == nullptr);
    if (!config.write_back) store(level + 1, line, bytes);
  }

  CacheConfig config_;
  std::vector<std::vector<ReferenceSet>> sets_;
  struct Answered {
    size_t level;
    uint64_t line;
    bool missed;
  };
  std::deque<Answered> answered_;           // by the access under way
  std::vector<std::deque<uint64_t>> last_;  // lines each level was asked for
};

}  // namespace test
