// SPDX-License-Identifier: Apache-2.0
// CaptureBuilder: checks and order of counters and collectives.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include "profiler/capture/capture_builder.h"

namespace profiler {

using engine::refused_error;
using engine::Result;

Result<void> CaptureBuilder::check_observations() const {
  const Capture& c = capture_;
  const auto named = [&c](NameId id) { return id < c.names_.size(); };
  for (const CounterSeries& series : c.counters_) {
    if (!named(series.name) || !named(series.group) || !named(series.unit)) {
      return refused_error("[capture] a counter has a name that does not exist");
    }
    if (series.time_ns.size() != series.value.size() ||
        std::any_of(series.value.begin(), series.value.end(), [](double v) { return !std::isfinite(v); })) {
      return refused_error(fmt::format("[capture] counter {}: {} instants and {} values, or one that is not finite",
                                       c.names_[series.name], series.time_ns.size(), series.value.size()));
    }
  }
  std::unordered_set<uint64_t> seen;
  for (const CollectiveRecord& r : c.collectives_) {
    if (!named(r.operation) || !named(r.element_type) || !named(r.group) || !named(r.ranks)) {
      return refused_error(fmt::format("[capture] collective {}: a name does not exist", r.correlation));
    }
    if (r.correlation == 0 || !seen.insert(r.correlation).second) {
      return refused_error(fmt::format("[capture] collective {}: its correlation is 0 or listed twice", r.correlation));
    }
    if (r.in_elements < -1 || r.out_elements < -1 || r.in_bytes < -1 || r.out_bytes < -1 || r.group_size < -1) {
      return refused_error(fmt::format("[capture] collective {}: a negative figure", r.correlation));
    }
  }
  return {};
}

void CaptureBuilder::sort_observations() {
  for (CounterSeries& series : capture_.counters_) {
    if (std::is_sorted(series.time_ns.begin(), series.time_ns.end())) continue;
    std::vector<size_t> order(series.time_ns.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&series](size_t a, size_t b) { return series.time_ns[a] < series.time_ns[b]; });
    CounterSeries sorted = series;
    for (size_t i = 0; i < order.size(); ++i) {
      sorted.time_ns[i] = series.time_ns[order[i]];
      sorted.value[i] = series.value[order[i]];
    }
    series = std::move(sorted);
  }
  std::sort(capture_.collectives_.begin(), capture_.collectives_.end(),
            [](const CollectiveRecord& a, const CollectiveRecord& b) { return a.correlation < b.correlation; });
}

}  // namespace profiler
