// SPDX-License-Identifier: Apache-2.0
// One function per field.
#include "profiler/machine/probe_notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "profiler/base/foreign_load.h"
#include "profiler/base/table.h"
#include "profiler/base/words.h"
#include "profiler/machine/roofs_trust.h"

namespace profiler {
namespace {

/// "Kept from the probe of 2026-11-22T18:20:11+0000: f32 arithmetic, 2 threads; L3 copy, 1 thread.", a sentence per
/// probe.
void add_kept(const Machine& machine, std::vector<std::string>& notes) {
  std::map<std::string, std::vector<std::string>> by_date;
  for (const KeptReading& reading : machine.kept) by_date[reading.probed_at].push_back(reading.figure);
  for (const auto& [date, figures] : by_date)
    notes.push_back(fmt::format("Kept from the probe of {}: {}.", date, fmt::join(figures, "; ")));
}

/// "L3 is slower than DRAM: read, 2 threads (28.6 GB/s against 50.6 GB/s)."
void add_slow_caches(const Machine& machine, std::vector<std::string>& notes) {
  const auto rate = [](const BandwidthRoof& roof) {
    return format_quantity(roof.bytes_per_s.median, Quantity::bytes_per_s);
  };
  for (size_t i = 0; i + 1 < machine.levels.size(); ++i) {
    const std::string &near = machine.levels[i].name, &far = machine.levels[i + 1].name;
    std::vector<std::string> slower;
    for (const BandwidthRoof& inner : machine.bandwidth) {
      const auto outer = std::ranges::find_if(machine.bandwidth, [&](const BandwidthRoof& r) {
        return r.level == far && r.mix == inner.mix && r.threads == inner.threads;
      });
      if (inner.level != near || outer == machine.bandwidth.end()) continue;
      if (inner.bytes_per_s.high < outer->bytes_per_s.low)
        slower.push_back(fmt::format("{}, {} ({} against {})", name(inner.mix),
                                     counted(static_cast<uint64_t>(inner.threads), "thread"), rate(inner),
                                     rate(*outer)));
    }
    if (slower.empty()) continue;
    notes.push_back(
        fmt::format("{0} is slower than {1}: {2}. Other programs used it, the clock changed, or its reads wait where "
                    "those of {1} are fetched ahead. Limits that name {0} may be wrong; `tensortide probe --again` "
                    "measures again.",
                    near, far, fmt::join(slower, "; ")));
  }
}

}  // namespace

std::vector<std::string> probe_notes(const Machine& machine) {
  std::vector<std::string> notes;
  for (const UnmeasuredBandwidth& u : machine.unmeasured) {
    notes.push_back(fmt::format("{} bandwidth at {} was not measured: {}.", u.level,
                                counted(static_cast<uint64_t>(u.threads), "thread"), u.why));
  }
  if (const std::string left = unfinished_words(machine.unfinished); !left.empty())
    notes.push_back(fmt::format("Time ran out before {}.", left));
  if (const std::string left = unfinished_words(machine.unfinished_choices); !left.empty())
    notes.push_back(fmt::format("Time ran out before {}. A rule made on another machine chooses there.", left));
  if (machine.unsettled_shapes > 0) {
    notes.push_back(
        fmt::format("At {} of matrix multiplications or convolutions every run had background "
                    "load. The fastest "
                    "library there is unknown: the nearest other shape, or a rule, chooses. Probe "
                    "again on a quiet "
                    "machine.",
                    counted(static_cast<uint64_t>(machine.unsettled_shapes), "shape")));
  }
  notes.insert(notes.end(), machine.notes.begin(), machine.notes.end());
  if (machine.foreign_load_ratio > kBusyLoad)
    notes.push_back(fmt::format("Background load: {:.0f} % of the processors.", 100 * machine.foreign_load_ratio));
  add_slow_caches(machine, notes);
  add_kept(machine, notes);
  return notes;
}

}  // namespace profiler
