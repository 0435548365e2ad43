// SPDX-License-Identifier: Apache-2.0
// The last readings of the process beside its memory plan.
#include "profiler/analysis/process_memory.h"

#include <array>
#include <cmath>

#include "profiler/base/say.h"
#include "profiler/base/unknown.h"
#include "profiler/capture/resident_series.h"

namespace profiler {

ProcessMemory process_memory(const Capture& capture) {
  ProcessMemory found;
  for (const CounterSeries& series : capture.counters()) {
    if (capture.name(series.group) != kProcessMemoryGroup || series.value.empty()) continue;
    if (capture.name(series.name) == kResidentName) found.resident_bytes = series.value.back();
    if (capture.name(series.name) == kResidentFilesName) found.files_bytes = series.value.back();
  }
  if (!found.known()) return found;
  const RunInfo& run = capture.run();
  found.persistent_bytes = static_cast<double>(run.persistent_bytes);
  found.arena_bytes = static_cast<double>(run.arena_bytes);
  found.workspace_bytes = static_cast<double>(run.workspace_bytes);
  found.unaccounted_bytes =
      found.resident_bytes - found.files_bytes - found.persistent_bytes - found.arena_bytes - found.workspace_bytes;
  return found;
}

Table process_memory_table(const Analyzed& analyzed) {
  Table table;
  table.name = "process_memory";
  table.columns = {{"owner", "Owner", Quantity::text, Origin::exact, "Whose bytes"},
                   {"held_bytes", "Bytes", Quantity::bytes, Origin::measured,
                    "Resident at the end of the steps; of tensors as planned (exact)"},
                   {"share_ratio", "Share", Quantity::percent_of, Origin::measured, "Of the resident memory"}};
  const ProcessMemory m = process_memory(*analyzed.capture);
  if (!m.known()) return table;
  const bool eager = analyzed.capture->run().eager();
  const std::array<std::pair<std::string, double>, 6> rows{
      {{say("weights, optimiser state, inputs"), m.persistent_bytes},
       {eager ? say("pool of the step's tensors") : say("arena of the step's tensors"), m.arena_bytes},
       {say("workspace of kernels"), m.workspace_bytes},
       {say("code and mapped files"), m.files_bytes},
       {say("unaccounted"), m.unaccounted_bytes},
       {say("resident memory of the process"), m.resident_bytes}}};
  for (const auto& [owner, bytes] : rows)
    table.rows.push_back(
        {owner, std::isnan(bytes) ? Cell() : Cell(bytes), std::isnan(bytes) ? Cell() : Cell(bytes / m.resident_bytes)});
  return table;
}

std::vector<std::string> process_memory_sentences(const Analyzed& analyzed) {
  const ProcessMemory m = process_memory(*analyzed.capture);
  if (!m.known()) return {};
  const auto bytes = [](double value) { return format_quantity(value, Quantity::bytes); };
  if (m.unaccounted_bytes < 0)
    return {say("The plan has {} that the process never touched, so the system gave no memory for them.",
                bytes(-m.unaccounted_bytes))};
  return {say("{} of {} resident have no owner: buffers of libraries, the recording and the heap.",
              bytes(m.unaccounted_bytes), bytes(m.resident_bytes))};
}

}  // namespace profiler
