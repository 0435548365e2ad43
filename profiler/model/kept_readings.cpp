// SPDX-License-Identifier: Apache-2.0
// Names of a probe's figures, and the notes that list some of them.
#include "profiler/model/kept_readings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "engine/base/memory.h"
#include "profiler/model/words.h"

namespace profiler {
namespace {

constexpr std::string_view kBeginning = "Kept from the probe of ", kBetweenDateAndNames = ": ", kBetweenNames = "; ";

std::string on_threads(int threads) { return counted(static_cast<uint64_t>(threads), "thread"); }

}  // namespace

std::string figure_name(const ComputeRoof& roof) { return fmt::format("{} arithmetic, {}", engine::name(roof.dtype), on_threads(roof.threads)); }

std::string figure_name(const BandwidthRoof& roof) { return fmt::format("{} {}, {}", roof.level, name(roof.mix), on_threads(roof.threads)); }

std::string figure_name(const LatencyPoint& point) { return fmt::format("latency at {}", engine::format_bytes(static_cast<double>(point.working_set_bytes))); }

std::string figure_name(const engine::MatmulTiming& t) {
  return fmt::format("{} product {} x {} x {}, {}", engine::name(t.dtype), t.m, t.n, t.k, on_threads(t.threads));
}

std::string figure_name(const engine::WinogradTiming& t) { return fmt::format("convolution of {0} channels of {1} x {1}", t.channels, t.extent); }

std::vector<KeptReading> kept_readings(const Machine& machine) {
  std::vector<KeptReading> kept;
  for (const std::string& note : machine.notes) {
    const size_t colon = note.find(kBetweenDateAndNames);
    if (!note.starts_with(kBeginning) || colon == std::string::npos) continue;
    const std::string date = note.substr(kBeginning.size(), colon - kBeginning.size());
    for (size_t begin = colon + kBetweenDateAndNames.size(); begin < note.size();) {
      const size_t end = std::min(note.find(kBetweenNames, begin), note.size() - (note.ends_with('.') ? 1 : 0));
      kept.push_back({note.substr(begin, end - begin), date});
      begin = end + kBetweenNames.size();
    }
  }
  return kept;
}

void set_kept_readings(Machine& machine, const std::vector<KeptReading>& kept) {
  std::erase_if(machine.notes, [](const std::string& note) { return note.starts_with(kBeginning); });
  std::map<std::string, std::vector<std::string>> by_date;
  for (const KeptReading& reading : kept) by_date[reading.probed_at].push_back(reading.figure);
  for (const auto& [date, names] : by_date) machine.notes.push_back(fmt::format("{}{}{}{}.", kBeginning, date, kBetweenDateAndNames, fmt::join(names, kBetweenNames)));
}

}  // namespace profiler
