// SPDX-License-Identifier: Apache-2.0
// straggler: the other ranks wait for one that arrives last at most collectives.
#include <algorithm>
#include <cmath>
#include <vector>

#include "profiler/analysis/base/op_samples.h"
#include "profiler/analysis/findings/finding_input.h"
#include "profiler/analysis/gpu/collectives.h"
#include "profiler/base/say.h"

namespace profiler {
namespace {

/// A rank that is last this often is no accident of two or more that take turns.
constexpr double kMostlyLast = 0.6;

}  // namespace

void find_straggler(const FindingInput& in, FindingList& list) {
  const size_t ranks = in.capture.ranks().size();
  if (ranks < 2) return;
  const Collectives all = collectives(in.capture);
  const CountedSteps counted(in.capture);
  std::vector<double> last(ranks, 0), waited_ns(ranks, 0);
  double collectives_count = 0;
  for (const CollectiveCall& call : all.calls) {
    if (std::isnan(call.wait_ns) || !counted.contains(in.capture.activities().step[call.activity])) continue;
    waited_ns[call.rank] += call.wait_ns;
    if (call.last) ++last[call.rank], ++collectives_count;
  }
  const auto latest = static_cast<size_t>(std::ranges::max_element(last) - last.begin());
  if (!(last[latest] > kMostlyLast * collectives_count)) return;
  double of_others_ns = 0;
  for (size_t r = 0; r < ranks; ++r) of_others_ns += r == latest ? 0 : waited_ns[r];
  const double own_ns = waited_ns[latest] / static_cast<double>(std::max<size_t>(1, counted.count())),
               mean_ns = of_others_ns / static_cast<double>((ranks - 1) * std::max<size_t>(1, counted.count()));
  if (!(mean_ns - own_ns >= in.rules[Rule::worth_finding_ratio] * in.step_ns)) return;
  const std::string_view who = in.capture.name(in.capture.ranks()[latest].name);
  RunFinding f;
  f.gain_ns = mean_ns - own_ns;
  f.sentence = say("{} arrives last at {:.0f} of {:.0f} collectives; the other ranks wait {} per step for it.", who,
                   last[latest], collectives_count, format_quantity(mean_ns, Quantity::duration_ns));
  f.evidence = {
      {"waited_ns", say("the others wait per step (mean)"), mean_ns, Quantity::duration_ns, Origin::measured},
      {"own_waited_ns", say("{} waits itself per step", who), own_ns, Quantity::duration_ns, Origin::measured},
      {"last_ratio", say("of the collectives it is last"), last[latest] / collectives_count, Quantity::percent_of,
       Origin::measured}};
  f.gain_how = say("waiting of the other ranks beyond its own; by the clocks of the ranks");
  f.advice = say("Compare {} with the others: its batch, its input, its clock rate and its launches.", who);
  f.no_change = say("This run has no setting for one rank alone.");
  list.push_back(std::move(f));
}

}  // namespace profiler
