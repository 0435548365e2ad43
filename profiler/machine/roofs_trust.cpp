// SPDX-License-Identifier: Apache-2.0
// What is known against roofs: what their probe met, and how far its repeats differ.
#include "profiler/machine/roofs_trust.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "profiler/base/foreign_load.h"
#include "profiler/base/say.h"
#include "profiler/base/statistics.h"
#include "profiler/base/words.h"

namespace profiler {
namespace {

/// Above this, too, the machine was busy while it was measured; ours. A quiet virtual machine stays below a third of
/// it.
constexpr double kBusySpread = 0.15;

/// "2 threads reach 0.86 of what 1 does in f32": more threads do not compute less, even of one core, so others had the
/// processors. Empty: no pair of roofs says so.
std::string slower_in_company(const Machine& machine) {
  for (const ComputeRoof& all : machine.compute) {
    for (const ComputeRoof& one : machine.compute) {
      if (one.dtype != all.dtype || one.threads >= all.threads || !one.flop_per_s.known() || !all.flop_per_s.known())
        continue;
      const double ratio = all.flop_per_s.median / one.flop_per_s.median;
      if (ratio < 0.95)
        return say("{} threads reach {:.2f} of what {} does in {}", all.threads, ratio, one.threads, name(one.dtype));
    }
  }
  return {};
}

}  // namespace

double roof_spread(const Machine& machine) {
  std::vector<double> spreads;
  const auto add = [&](const Measured& m) {
    if (m.known()) spreads.push_back((m.high - m.low) / m.median);
  };
  for (const ComputeRoof& roof : machine.compute) add(roof.flop_per_s);
  for (const BandwidthRoof& roof : machine.bandwidth) add(roof.bytes_per_s);
  return median(spreads);
}

std::string unfinished_words(const std::vector<std::string>& unfinished) {
  constexpr size_t kMostNamed = 3;
  const size_t named = std::min(kMostNamed, unfinished.size());
  std::vector<std::string> items(unfinished.begin(), unfinished.begin() + static_cast<std::ptrdiff_t>(named));
  if (named < unfinished.size()) items.push_back(say("{} more", unfinished.size() - named));
  return fmt::format("{}", fmt::join(items, "; "));
}

/// Here a background load is a reason of its own, unlike where times are compared (noise.h): a roof is a bound, and a
/// constant load lowers it without any scatter between its repeats, as programs do that use DRAM's bandwidth all the
/// time.
std::string roofs_weakness(const Machine& machine) {
  if (!machine.probed()) return {};
  const std::string left = unfinished_words(machine.unfinished),
                    unfinished = left.empty() ? std::string() : say("time ran out before: {}", left);
  std::string busy = machine.foreign_load_ratio > kBusyLoad
                         ? say("background load {:.0f} % of the processors", 100 * machine.foreign_load_ratio)
                         : std::string();
  if (const double spread = roof_spread(machine); spread > kBusySpread) {
    busy += say("{}repeats of a roof differ by {:.0f} %", busy.empty() ? "" : ", ", 100 * spread);
  }
  if (const std::string slower = slower_in_company(machine); !slower.empty())
    busy += (busy.empty() ? "" : ", ") + slower;
  if (const size_t kept = machine.kept.size(); kept > 0) {
    busy +=
        say("{}{} kept from earlier probes under background load, which measured {} better", busy.empty() ? "" : "; ",
            counted(kept, "figure is", "figures are"), kept == 1 ? say("it") : say("them"));
  }
  if (busy.empty() && unfinished.empty()) return {};
  std::string text;
  if (!busy.empty()) text += say("Roofs measured on a busy machine ({}). ", busy);
  if (!unfinished.empty()) text += say("Not all roofs were measured ({}). ", unfinished);
  return text + say("Shares of roofs, limits and predictions may be wrong. {}", say_marked(kMeasureAgain));
}

std::string roof_origin_words(Origin origin, const Machine& machine) {
  const bool weak = origin == Origin::measured && !roofs_weakness(machine).empty();
  return say_marked(name(origin)) + (weak ? say(", low confidence") : "");
}

}  // namespace profiler
