// SPDX-License-Identifier: Apache-2.0
// Machine and method: what ran, on what, and what measuring did to it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "engine/base/display_text.h"
#include "profiler/analysis/work_shares.h"
#include "profiler/base/unknown.h"
#include "profiler/base/words.h"
#include "profiler/capture/accelerator.h"
#include "profiler/machine/probe_notes.h"
#include "profiler/report/words.h"

namespace profiler {
namespace {

/// "2026-11-21 05:25" from ISO 8601.
std::string minute_of(const std::string& iso) {
  std::string text = iso.substr(0, 16);
  std::ranges::replace(text, 'T', ' ');
  return text;
}

void add_words(std::vector<ReportFact>& facts, const char* label, const std::string& text,
               Origin origin = Origin::exact) {
  if (!text.empty()) facts.push_back(words_fact(label, text, origin));
}

void add_bytes(std::vector<ReportFact>& facts, const char* label, int64_t value, const char* note) {
  if (value > 0)
    facts.push_back(number_fact("", label, static_cast<double>(value), Quantity::bytes, Origin::exact, note));
}

std::string steps_text(const Capture& capture) {
  const auto count = [&](auto which) { return std::ranges::count_if(capture.steps(), which); };
  const auto warm = count([](const StepRecord& s) { return s.warmup; });
  const auto traced = count([](const StepRecord& s) { return !s.warmup && s.traced; });
  const auto untraced = count([](const StepRecord& s) { return !s.warmup && !s.traced; });
  std::string text = fmt::format("{} timed", traced);
  if (untraced > 0) text += fmt::format(", {} without tracing (to measure what it costs)", untraced);
  if (warm > 0) text += fmt::format(", {} to warm up", warm);
  return text;
}

ReportFacts run_facts(const Capture& capture) {
  const RunInfo& run = capture.run();
  ReportFacts all;
  add_words(all.facts, "Recorded by", run.source.empty() ? "Tensortide " + run.product_version : run.source,
            Origin::specified);
  add_words(all.facts, "Recorded at", minute_of(run.created_at), Origin::specified);
  add_words(all.facts, "Workload", engine::display_line(run.workload));
  std::vector<std::string> arguments;
  for (const auto& [key, value] : run.arguments) arguments.push_back(fmt::format("{} {}", key, value));
  add_words(all.facts, "Parameters", fmt::format("{}", fmt::join(arguments, " · ")));
  add_words(all.facts, "Device", run.device);
  if (run.threads > 0)
    all.facts.push_back(number_fact("threads", "Threads", run.threads, Quantity::count, Origin::exact));
  if (run.source.empty()) add_words(all.facts, "Seed", std::to_string(run.seed));
  add_words(all.facts, "Steps", steps_text(capture));
  const auto ops = std::ranges::count_if(capture.ops(), [](const OpRecord& op) { return !op.view; });
  const bool named = !capture.ops().empty();
  all.facts.push_back(number_fact("", "Ops in a step", named ? static_cast<double>(ops) : kUnknown, Quantity::count,
                                  Origin::exact, named ? "views left out" : "none were recorded"));
  if (run.parameter_count > 0) {
    all.facts.push_back(number_fact("parameter_count", "Weights and biases", static_cast<double>(run.parameter_count),
                                    Quantity::count, Origin::exact));
    all.facts.push_back(number_fact("activation_count", "Activations", activation_count(capture), Quantity::count,
                                    Origin::exact, "elements that forward ops write"));
  }
  add_bytes(all.facts, "Reserved across steps", run.persistent_bytes,
            "weights, states, inputs; each as large as it was placed in memory, with what aligns it");
  if (run.eager())
    add_bytes(all.facts, "Reserved by the pool", run.arena_bytes,
              "for activations and gradients, in segments larger than they need");
  else add_bytes(all.facts, "Activations and gradients", run.arena_bytes, "as planned, memory reused");
  add_bytes(all.facts, "Workspace", run.workspace_bytes, "scratch of the kernels");
  return all;
}

ReportTable levels_table(const Machine& machine, int threads) {
  ReportTable block{.title = "Memory levels", .table = {}, .rest = {}};
  Table& table = block.table;
  table.name = "levels";
  table.columns = {
      {"level", "Level", Quantity::text, Origin::exact, "Nearest to the arithmetic first"},
      {"specified_bytes", "Claimed size", Quantity::capacity_bytes, Origin::specified,
       "As the system claims, for one instance"},
      {"effective_bytes", "Useful size", Quantity::capacity_bytes, Origin::modelled,
       "Size at which bandwidth falls to the next level's; DRAM: all memory"},
      {"effective_origin", "Useful size is", Quantity::text, Origin::exact,
       "measured: seen by the probe; specified: it saw no other edge than the claimed one"},
      {"read_bytes_per_s", "Reads", Quantity::bytes_per_s, Origin::measured, "All threads of the run together"},
      {"copy_bytes_per_s", "Copies", Quantity::bytes_per_s, Origin::measured, "Bytes read and bytes written"},
      {"latency_ns", "Latency", Quantity::duration_ns, Origin::measured, "Of dependent loads"},
      {"note", "Note", Quantity::text, Origin::measured, ""}};
  const auto known = [](double v) { return v > 0 ? Cell(v) : Cell(); };
  const auto bandwidth = [&](const std::string& level, AccessMix mix) {
    const auto roof = machine.bandwidth_roof(level, mix, threads);
    return roof ? known(roof->bytes_per_s.median) : Cell();
  };
  for (const MemoryLevel& level : machine.levels) {
    table.rows.push_back({level.name, known(static_cast<double>(level.specified_size_bytes)),
                          known(static_cast<double>(level.effective_size_bytes)),
                          level.effective_size_bytes > 0 ? Cell(std::string(name(level.size_origin()))) : Cell(),
                          bandwidth(level.name, AccessMix::read), bandwidth(level.name, AccessMix::copy),
                          level.latency_ns.known() ? known(level.latency_ns.median) : Cell(),
                          level.note.empty() ? Cell() : Cell(level.note)});
  }
  return block;
}

/// What the probe met, with counts in place of long lists.
std::vector<std::string> short_notes(const Machine& machine) {
  constexpr size_t kMostListed = 3;
  Machine few = machine;
  std::map<std::string, size_t> kept;
  for (const KeptReading& reading : machine.kept) ++kept[reading.probed_at];
  few.kept.clear();
  const size_t gaps = few.unfinished.size() > kMostListed ? std::exchange(few.unfinished, {}).size() : 0;
  std::vector<std::string> notes = probe_notes(few);
  if (gaps > 0) notes.push_back(fmt::format("Time ran out before {}.", counted(gaps, "figure")));
  for (const auto& [date, count] : kept) {
    notes.push_back(
        fmt::format("{} kept from the probe of {}.", counted(count, "figure is", "figures are"), minute_of(date)));
  }
  return notes;
}

void add_peaks(const Machine& machine, int threads, std::vector<ReportFact>& facts) {
  for (const ComputeRoof& roof : machine.compute) {
    if (roof.threads != threads || !roof.flop_per_s.known()) continue;
    facts.push_back(number_fact(
        "", fmt::format("{} arithmetic peak", engine::name(roof.dtype)), roof.flop_per_s.median, Quantity::flop_per_s,
        Origin::measured, fmt::format("{}, {} thread{}", roof.method, roof.threads, roof.threads == 1 ? "" : "s")));
  }
}

}  // namespace

std::vector<ReportBlock> machine_blocks(const Machine& machine, int threads, const std::string& no_roofs) {
  ReportFacts facts;
  add_words(facts.facts, "Processor", machine.info.model, Origin::specified);
  if (machine.info.cores > 0)
    facts.facts.push_back(number_fact("", "Cores", machine.info.cores, Quantity::count, Origin::specified));
  if (machine.info.memory_bytes > 0) {
    facts.facts.push_back(number_fact("", "Memory", static_cast<double>(machine.info.memory_bytes),
                                      Quantity::capacity_bytes, Origin::specified));
  }
  add_words(facts.facts, "Libraries", fmt::format("{}", fmt::join(machine.info.libraries, ", ")), Origin::specified);
  if (machine.probed()) {
    add_words(facts.facts, "Roofs measured at", minute_of(machine.probed_at), Origin::measured);
    add_peaks(machine, threads, facts.facts);
  } else {
    facts.facts.push_back(number_fact("", "Roofs", kUnknown, Quantity::flop_per_s, Origin::measured,
                                      no_roofs.empty() ? "this machine was not probed" : no_roofs));
  }
  std::vector<ReportBlock> blocks{std::move(facts)};
  if (!machine.levels.empty()) blocks.emplace_back(levels_table(machine, threads));
  for (const std::string& note : short_notes(machine)) blocks.emplace_back(ReportText{.text = note});
  return blocks;
}

std::vector<ReportBlock> capture_method(const Capture& capture) {
  std::vector<ReportBlock> blocks{run_facts(capture)};
  const std::string_view unprobed = unprobed_kind(capture);
  const std::string why = unprobed.empty() ? std::string() : fmt::format("roofs of {} are not measured", unprobed);
  for (ReportBlock& block : machine_blocks(capture.machine(), std::max(1, capture.run().threads), why))
    blocks.push_back(std::move(block));
  return blocks;
}

ReportSection machine_section(const SectionInput& in) {
  ReportSection section{.id = "machine", .title = "Machine and method", .blocks = {}};
  if (in.sweep != nullptr) {
    section.blocks = sweep_method(*in.sweep);
    return section;
  }
  const Capture& capture = *in.analyzed->capture;
  section.blocks = capture_method(capture);
  if (!capture.run().source.empty()) {
    section.blocks.emplace_back(ReportText{.text = "Bytes per memory level are unknown: a trace of another tool holds "
                                                   "neither the caches nor the roofs of its machine."});
  }
  for (const std::string& note : capture.honesty().notes) section.blocks.emplace_back(ReportText{.text = note});
  return section;
}

}  // namespace profiler
