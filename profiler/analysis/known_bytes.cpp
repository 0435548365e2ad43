// SPDX-License-Identifier: Apache-2.0
// One origin for a figure: sources are never mixed in it.
#include "profiler/analysis/known_bytes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace profiler {

double known_bytes(const Analyzed& analyzed, Origin origin, OpId op, std::string_view outer) {
  if (analyzed.capture->ops()[op].view) return origin == Origin::modelled && !analyzed.model.known ? kUnknownBytes : 0;
  const KnownTraffic found = analyzed.sources.of(origin, op, outer);
  return found.known() ? found.record->total_bytes() : kUnknownBytes;
}

Origin best_origin(const Analyzed& analyzed, std::span<const OpId> ops) {
  const auto view = [&](OpId op) { return analyzed.capture->ops()[op].view; };
  if (std::ranges::all_of(ops, view) || analyzed.model.links.empty()) return Origin::modelled;
  for (const Origin origin : {Origin::measured, Origin::simulated}) {
    if (analyzed.sources.of(origin) == nullptr) continue;
    const auto knows = [&](OpId op) {
      return !std::isnan(known_bytes(analyzed, origin, op, analyzed.model.links.front()));
    };
    if (std::ranges::all_of(ops, knows)) return origin;
  }
  return Origin::modelled;
}

Origin best_origin_of_step(const Analyzed& analyzed) {
  std::vector<OpId> all(analyzed.capture->ops().size());
  std::iota(all.begin(), all.end(), OpId{0});
  return best_origin(analyzed, all);
}

}  // namespace profiler
