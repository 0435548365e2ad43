// SPDX-License-Identifier: Apache-2.0
// small-collectives: many collectives move their bytes far slower than the large ones of the same trace.
#include <algorithm>
#include <cmath>
#include <map>

#include "profiler/analysis/base/op_samples.h"
#include "profiler/analysis/findings/finding_input.h"
#include "profiler/analysis/gpu/collectives.h"
#include "profiler/base/say.h"

namespace profiler {
namespace {

/// Small: a quarter of the largest message at most, at half of its rate at most.
constexpr double kSmallBytes = 0.25, kSlowRate = 0.5;

/// Collectives of one kind and one number of ranks.
struct Kind {
  double largest_bytes = 0, largest_ns = 0;  ///< of messages of that size together
  std::vector<const CollectiveCall*> calls;
  double rate() const { return largest_bytes > 0 && largest_ns > 0 ? largest_bytes / largest_ns : kUnknown; }
};

struct SmallOnes {
  double count = 0, bytes = 0, ns = 0, exposed_ns = 0, gain_ns = 0;
};

SmallOnes small_ones(const Kind& kind) {
  SmallOnes small;
  for (const CollectiveCall* call : kind.calls) {
    const double at_rate_ns = call->bytes / kind.rate();
    if (!(call->bytes <= kSmallBytes * kind.largest_bytes) || !(at_rate_ns <= kSlowRate * call->time_ns)) continue;
    ++small.count;
    small.bytes += call->bytes, small.ns += call->time_ns, small.exposed_ns += call->exposed_ns;
    small.gain_ns += std::min(call->exposed_ns, call->time_ns - at_rate_ns);
  }
  return small;
}

}  // namespace

void find_small_collectives(const FindingInput& in, FindingList& list) {
  const Collectives all = collectives(in.capture);
  const CountedSteps counted(in.capture);
  const ActivityColumns& a = in.capture.activities();
  std::map<std::pair<CollectiveKind, int32_t>, Kind> kinds;
  for (const CollectiveCall& call : all.calls) {
    if (!(call.bytes > 0) || !(call.time_ns > 0) || !counted.contains(a.step[call.activity])) continue;
    Kind& kind = kinds[{call.kind, call.group_size}];
    kind.calls.push_back(&call);
    if (call.bytes > kind.largest_bytes) kind.largest_bytes = call.bytes, kind.largest_ns = call.time_ns;
    else if (call.bytes == kind.largest_bytes) kind.largest_ns = std::min(kind.largest_ns, call.time_ns);
  }
  const double steps = in.steps_of_ranks(counted);
  for (const auto& [key, kind] : kinds) {
    const SmallOnes small = small_ones(kind);
    if (small.count / steps < in.rules[Rule::many_small_copies]) continue;
    RunFinding f;
    f.gain_ns = small.gain_ns / steps;
    f.sentence = say("{:.0f} small {} calls of a step move {} at {}; the largest calls reach {}.", small.count / steps,
                     name(key.first), format_quantity(small.bytes / steps, Quantity::bytes),
                     format_quantity(small.bytes / small.ns * 1e9, Quantity::bytes_per_s),
                     format_quantity(kind.rate() * 1e9, Quantity::bytes_per_s));
    f.evidence = {
        {"small_count", say("small calls per step"), small.count / steps, Quantity::count, Origin::measured},
        {"small_ns", say("in small calls per step"), small.ns / steps, Quantity::duration_ns, Origin::measured},
        {"exposed_ns", say("of that exposed"), small.exposed_ns / steps, Quantity::duration_ns, Origin::measured},
        {"largest_bytes", say("in the largest call"), kind.largest_bytes, Quantity::bytes, Origin::exact}};
    f.gain_how = say("exposed time of the small calls beyond their bytes at the rate of the largest, at most");
    f.advice = say("Send them together: larger buckets of gradients, fewer shards, or coalesced collectives.");
    f.no_change = say("This run has no setting for how ranks exchange data.");
    list.push_back(std::move(f));
  }
}

}  // namespace profiler
