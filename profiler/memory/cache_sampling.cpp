// SPDX-License-Identifier: Apache-2.0
// Which sets stand for all of them, and how far the counts scaled from them may be off.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "profiler/memory/cache_simulator.h"

namespace profiler {
namespace {

/// One of each `sample` neighbours, each time at another place among them: of a stretch of lines, of rows of a power of
/// two, and of any other stride about as many are met as should be. The same place each time would meet all or none of
/// a stride of `sample` lines.
std::vector<int> picked_slices(int slices, int sample) {
  const int step = static_cast<int>(0.382 * sample) | 1;  // near the golden section, and odd: every place has its turn
  std::vector<int> picked;
  for (int group = 0; group < slices / sample; ++group) picked.push_back(group * sample + (group * step + 1) % sample);
  return picked;
}

void scale(CacheCounts& c, uint64_t by) {
  for (uint64_t* n :
       {&c.loads, &c.load_misses, &c.stores, &c.store_misses, &c.write_backs, &c.write_back_misses,
        &c.write_back_fetches, &c.prefetches, &c.prefetch_requests, &c.prefetch_misses, &c.unfetched_store_misses,
        &c.sector_misses, &c.fetched_sectors, &c.compulsory, &c.capacity, &c.conflict, &c.prefetchable})
    *n *= by;
}

uint64_t sum(const std::vector<uint64_t>& of) { return std::accumulate(of.begin(), of.end(), uint64_t{0}); }

double ratio_of(uint64_t misses, uint64_t accesses) {
  return accesses > 0 ? static_cast<double>(misses) / static_cast<double>(accesses)
                      : std::numeric_limits<double>::quiet_NaN();
}

void scale(MemoryCounts& m, uint64_t by) {
  for (uint64_t* n :
       {&m.load_bytes, &m.write_allocate_bytes, &m.prefetch_bytes, &m.written_bytes, &m.past_caches_bytes})
    *n *= by;
}

}  // namespace

engine::Result<std::vector<CacheSlices>> parts_of(const CacheConfig& config, int wanted_threads, int sample) {
  const int most = most_slices(config);
  if (sample < 1 || !std::has_single_bit(static_cast<unsigned>(sample)) || sample > most) {
    return engine::usage_error(fmt::format(
        "[--sample] 1/{}: these caches ({}) fall into {} parts that share nothing; a power of two up to that", sample,
        config.text(), most));
  }
  const int threads =
      static_cast<int>(std::bit_floor(static_cast<unsigned>(std::clamp(wanted_threads, 1, most / sample))));
  if (sample == 1) {  // stretches of neighbours, which are heard faster
    std::vector<CacheSlices> parts(static_cast<size_t>(threads), slices_of(config, threads));
    for (int t = 0; t < threads && threads > 1; ++t) parts[static_cast<size_t>(t)].picked = uint64_t{1} << t;
    return parts;
  }
  // The lowest bits of a line's number are part of its set number at every level.
  std::vector<CacheSlices> parts(static_cast<size_t>(threads),
                                 CacheSlices{.shift = 0, .mask = static_cast<uint32_t>(most - 1), .picked = 0});
  const std::vector<int> picked = picked_slices(most, sample);
  for (size_t i = 0; i < picked.size(); ++i) parts[i % parts.size()].picked |= uint64_t{1} << picked[i];
  return parts;
}

SliceCounts by_slice(const std::vector<uint64_t>& by_set, const CacheSlices& slices) {
  SliceCounts counts{};
  for (uint32_t set = 0; set < by_set.size(); ++set) counts[(set >> slices.shift) & slices.mask] += by_set[set];
  return counts;
}

double sampling_error(const SliceCounts& counts, uint64_t picked, int sample) {
  std::vector<double> in_order;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (((picked >> i) & 1) != 0) in_order.push_back(static_cast<double>(counts[i]));
  }
  if (sample == 1) return 0;
  if (in_order.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  const auto n = static_cast<double>(in_order.size());
  double squares = 0, sum = 0;
  for (size_t i = 0; i < in_order.size(); ++i)
    squares += std::pow(in_order[i] - in_order[(i + 1) % in_order.size()], 2), sum += in_order[i];
  constexpr double kFewest =
      3;  // lines: none in the sample, and there may be three of its size with a chance of one in twenty
  const double variance = squares / (2 * n), by = sample;
  return by * std::max(kFewest, 2 * std::sqrt((n * variance + sum) * (1 - 1 / by)));
}

bool CacheEpoch::known() const {
  return sampled_lookups.empty() || sum(sampled_lookups) > 0 || total(0).accesses() == 0;
}

bool CacheEpoch::known(size_t tensor) const {
  return known() && (sampled_lookups.empty() || sampled_lookups[tensor] > 0 || levels.front()[tensor].accesses() == 0);
}

double CacheEpoch::miss_ratio(size_t level) const {
  const CacheCounts c = total(level);
  return ratio_of(c.misses(), level == 0 && !sampled_lookups.empty() ? sum(sampled_lookups) : c.accesses());
}

double CacheEpoch::miss_ratio(size_t level, size_t tensor) const {
  const CacheCounts& c = levels[level][tensor];
  return ratio_of(c.misses(), level == 0 && !sampled_lookups.empty() ? sampled_lookups[tensor] : c.accesses());
}

double CacheEpoch::global_miss_ratio(size_t level) const {
  return ratio_of(total(level).misses(), sampled_lookups.empty() ? total(0).accesses() : sum(sampled_lookups));
}

void set_lookups(CacheEpoch& epoch, const std::vector<LookupCount::Counts>& counts) {
  epoch.sampled_lookups.clear();
  for (size_t t = 0; t < counts.size(); ++t) {
    CacheCounts& c = epoch.levels.front()[t];
    epoch.sampled_lookups.push_back(c.accesses());
    c.loads = counts[t].loads, c.stores = counts[t].stores;
  }
  if (!epoch.known()) find_sampling_errors(epoch);
}

void find_sampling_errors(CacheEpoch& epoch) {
  epoch.miss_errors.clear();
  for (size_t l = 0; epoch.sampled > 1 && l < epoch.set_misses.size(); ++l)
    epoch.miss_errors.push_back(epoch.known() ? sampling_error(by_slice(epoch.set_misses[l], epoch.simulated),
                                                               epoch.simulated.picked, epoch.sampled)
                                              : std::numeric_limits<double>::quiet_NaN());
}

void scale_counts(CacheEpoch& epoch, const std::vector<CacheSlices>& parts, int sample) {
  epoch.sampled = sample;
  epoch.simulated = parts.front();
  for (const CacheSlices& part : parts) epoch.simulated.picked |= part.picked;
  const auto by = static_cast<uint64_t>(sample);
  for (auto& level : epoch.levels) {
    for (CacheCounts& c : level) scale(c, by);
  }
  for (MemoryCounts& m : epoch.memory) scale(m, by);
  find_sampling_errors(epoch);
}

std::string error_text(double part) {
  if (!(part < 1)) return "unknown";
  return part < 0.1 ? fmt::format("± {:.2g} %", 100 * part) : fmt::format("± {:.0f} %", 100 * part);
}

std::string sampling_text(const CacheEpoch& epoch, const CacheConfig& config) {
  std::string text;
  for (size_t l = 0; l < epoch.miss_errors.size(); ++l) {
    const double error = epoch.miss_errors[l], misses = static_cast<double>(epoch.total(l).misses());
    text += fmt::format(
        "{}{} {}", l == 0 ? "" : ", ", config.levels[l].name,
        misses > 0 || std::isnan(error) ? error_text(error / misses) : fmt::format("± {:.0f} lines", error));
  }
  return text;
}

}  // namespace profiler
