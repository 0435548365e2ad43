// SPDX-License-Identifier: Apache-2.0
// What is known against roofs: two notes of their probe, and how far its repeats differ.
#include "profiler/model/roofs_trust.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "profiler/model/foreign_load.h"
#include "profiler/model/kept_readings.h"
#include "profiler/model/statistics.h"
#include "profiler/model/words.h"

namespace profiler {
namespace {

/// Above this, too, the machine was busy while it was measured; ours. A quiet virtual machine stays below a third of it.
constexpr double kBusySpread = 0.15;
/// How the notes begin: they are read again from captures and from the probe's file.
constexpr std::string_view kLoad = "Others used ", kUnfinished = "Time ran out before ";
/// Of older versions.
constexpr std::string_view kUnfinishedOnce = "Not everything was measured: ";

/// What follows the beginning of a note, without its full stop; empty: there is no such note.
std::string noted(const Machine& machine, std::string_view beginning) {
  for (const std::string& note : machine.notes) {
    if (note.starts_with(beginning)) return note.substr(beginning.size(), note.size() - beginning.size() - (note.ends_with('.') ? 1 : 0));
  }
  return {};
}

/// "2 threads reach 0.86 of what 1 does in f32": more threads do not compute less, even of one core, so others had the processors.
/// Empty: no pair of roofs says so.
std::string slower_in_company(const Machine& machine) {
  for (const ComputeRoof& all : machine.compute) {
    for (const ComputeRoof& one : machine.compute) {
      if (one.dtype != all.dtype || one.threads >= all.threads || !one.flop_per_s.known() || !all.flop_per_s.known()) continue;
      const double ratio = all.flop_per_s.median / one.flop_per_s.median;
      if (ratio < 0.95) return fmt::format("{} threads reach {:.2f} of what {} does in {}", all.threads, ratio, one.threads, name(one.dtype));
    }
  }
  return {};
}

}  // namespace

void note_foreign_load(Machine& machine, double foreign_load_ratio) {
  if (foreign_load_ratio > kBusyLoad) machine.notes.push_back(fmt::format("{}{:.0f} % of the processors.", kLoad, 100 * foreign_load_ratio));
}

void note_unfinished(Machine& machine, const std::string& what) { machine.notes.push_back(fmt::format("{}{}.", kUnfinished, what)); }

bool is_unfinished(const Machine& machine) { return !noted(machine, kUnfinished).empty() || !noted(machine, kUnfinishedOnce).empty(); }

void forget_unfinished(Machine& machine) {
  std::erase_if(machine.notes, [](const std::string& note) { return note.starts_with(kUnfinished) || note.starts_with(kUnfinishedOnce); });
}

double roof_spread(const Machine& machine) {
  std::vector<double> spreads;
  const auto add = [&](const Measured& m) {
    if (m.known()) spreads.push_back((m.high - m.low) / m.median);
  };
  for (const ComputeRoof& roof : machine.compute) add(roof.flop_per_s);
  for (const BandwidthRoof& roof : machine.bandwidth) add(roof.bytes_per_s);
  return median(spreads);
}

/// Here a background load is a reason of its own, unlike where times are compared (noise.h): a roof is a bound, and a constant load lowers it without
/// any scatter between its repeats, as programs do that use DRAM's bandwidth all the time.
std::string roofs_weakness(const Machine& machine) {
  if (!machine.probed()) return {};
  const std::string load = noted(machine, kLoad), once = noted(machine, kUnfinishedOnce);
  std::string unfinished = noted(machine, kUnfinished);
  if (!unfinished.empty()) unfinished = "time ran out before: " + unfinished;
  else unfinished = once;
  std::string busy = load.empty() ? std::string() : "others used " + load;
  if (const double spread = roof_spread(machine); spread > kBusySpread) {
    busy += fmt::format("{}repeats of a roof differ by {:.0f} %", busy.empty() ? "" : ", ", 100 * spread);
  }
  if (const std::string slower = slower_in_company(machine); !slower.empty()) busy += (busy.empty() ? "" : ", ") + slower;
  if (const size_t kept = kept_readings(machine).size(); kept > 0) {
    busy += fmt::format("{}{} kept from earlier probes as disturbed, which measured {} better", busy.empty() ? "" : "; ", counted(kept, "figure is", "figures are"), kept == 1 ? "it" : "them");
  }
  if (busy.empty() && unfinished.empty()) return {};
  std::string text = busy.empty() ? "Not all roofs were measured" : fmt::format("Roofs measured on a busy machine ({})", busy);
  if (!unfinished.empty()) text += fmt::format("{} ({})", busy.empty() ? "" : " and not all of them", unfinished);
  return text + ": shares of roofs, limits and predictions may be wrong. Run `tensortide probe` on a quiet machine, then record again.";
}

}  // namespace profiler
