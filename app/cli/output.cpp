// SPDX-License-Identifier: Apache-2.0
// What several verbs print: tables in three formats, the summary as text and as JSON.
#include "app/cli/output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "app/cli/command.h"
#include "engine/base/display_text.h"
#include "profiler/analysis/base/groups.h"
#include "profiler/analysis/bytes_apart.h"
#include "profiler/analysis/gpu/overlap.h"
#include "profiler/analysis/gpu/transfers.h"
#include "profiler/analysis/reference_code.h"
#include "profiler/analysis/roof_words.h"
#include "profiler/analysis/step_shares.h"
#include "profiler/analysis/tables/summary.h"
#include "profiler/analysis/tensor_values.h"
#include "profiler/analysis/tokens.h"
#include "profiler/analysis/winograd_ops.h"
#include "profiler/analysis/work_shares.h"
#include "profiler/base/row_origin.h"
#include "profiler/base/words.h"
#include "profiler/capture/accelerator.h"
#include "profiler/capture/noise.h"
#include "profiler/capture/results.h"
#include "profiler/capture/training_loss.h"
#include "profiler/machine/roofs_beside.h"
#include "profiler/machine/roofs_trust.h"
#include "profiler/report/report.h"

namespace app::cli {
namespace {

using nlohmann::json;
using profiler::counted;
using profiler::format_quantity;
using profiler::Origin;
using profiler::Quantity;

std::string percent(double ratio) { return format_quantity(ratio, Quantity::percent_of); }

json spread_json(const profiler::Spread& spread, Origin origin) {
  return {{"value", json_number(spread.median)}, {"low", json_number(spread.low)}, {"high", json_number(spread.high)},
          {"mad", json_number(spread.mad)},      {"samples", spread.samples},      {"origin", name(origin)}};
}

/// null: no loss was kept (training_loss.h says when). The figures are those of the steps whose loss is finite.
json loss_json(const profiler::Capture& capture) {
  const auto loss = profiler::training_loss(capture);
  if (!loss) return nullptr;
  json after = json::array();
  for (const auto& [steps, value] : loss->after) after.push_back({{"steps", steps}, {"loss", json_number(value)}});
  return {{"after", after},
          {"value", json_number(loss->last)},
          {"origin", name(Origin::measured)},
          {"steps", loss->steps},
          {"first", json_number(loss->first)},
          {"values", loss->values},
          {"finite", !loss->failed_step},
          {"failed_step", loss->failed_step ? json(*loss->failed_step) : json(nullptr)}};
}

std::string cost_sentence(const profiler::Capture& capture) {
  const profiler::Honesty& honesty = capture.honesty();
  std::string text;
  if (!capture.run().source.empty()) {
    text = "profiling cost – (not in the trace)";
  } else if (const profiler::Honesty::Cost cost = honesty.cost(); cost.kind == profiler::Honesty::Cost::Kind::unknown) {
    text = "profiling cost not measured (too few steps)";
  } else if (cost.kind == profiler::Honesty::Cost::Kind::within_noise) {
    text = fmt::format("profiling cost not measurable: {} (steps with and without tracing)",
                       profiler::noise_text(cost.noise));
  } else {
    text = fmt::format("profiling cost {:+.2f} % ± {:.2f} % of a step (measured, steps with and without tracing)",
                       100 * cost.ratio, 100 * cost.noise);
  }
  if (!std::isnan(honesty.cost_bound_ratio)) {
    text += fmt::format("; the stamps alone: {:.4f} % (measured per op)", 100 * honesty.cost_bound_ratio);
  }
  return text;
}

}  // namespace

void print_json(const json& document) {
  show("{}\n", engine::display_json(document.dump(2, ' ', false, json::error_handler_t::replace)));
}

void tell_line(const json& line) {
  tell("{}\n", engine::display_json(line.dump(-1, ' ', false, json::error_handler_t::replace)));
}

void add_steps(json& line, const ProgressLine& of_process) {
  line["last_step_ns"] = json_number(of_process.last_step_ns);
  line["recent"] = {{"steps", of_process.recent_steps},
                    {"shortest_ns", json_number(of_process.shortest_ns)},
                    {"longest_ns", json_number(of_process.longest_ns)}};
  line["loss"] = json_number(of_process.loss);
  if (of_process.loss_failed) line["loss_failed"] = true;
}

json json_number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json json_figure(double value, Origin origin) { return {{"value", json_number(value)}, {"origin", name(origin)}}; }

json run_json(const profiler::Capture& capture) {
  const profiler::RunInfo& run = capture.run();
  return {{"workload", run.workload},
          {"title", run.title},
          {"arguments", run.arguments},
          {"device", run.device},
          {"threads", run.threads},
          {"seed", run.seed},
          {"command", run.command},
          {"created_at", run.created_at},
          {"version", run.product_version},
          {"complete", run.complete},
          {"incomplete_reason", run.incomplete_reason},
          {"parameter_count", run.parameter_count},
          {"matrix_weight_count", run.matrix_weight_count},
          {"activation_count", json_number(profiler::activation_count(capture))},
          {"arena_bytes", run.eager() ? json(nullptr) : json(run.arena_bytes)},
          {"pool_reserved_bytes", run.eager() ? json(run.arena_bytes) : json(nullptr)},
          {"persistent_bytes", run.persistent_bytes},
          {"workspace_bytes", run.workspace_bytes},
          {"machine", capture.machine().info.model},
          {"roofs_measured_at", capture.machine().probed() ? json(capture.machine().probed_at) : json(nullptr)}};
}

namespace {

/// What the GPU counted between L2 and its memory in a step; NaN: nothing, or not for all of its ops.
double counted_dram_bytes(const profiler::Analyzed& analyzed) {
  const profiler::TrafficSource* source = analyzed.sources.measured();
  if (source == nullptr) return profiler::kUnknownBytes;
  const size_t link = source->link_between("DRAM", "L2");
  double sum = 0;
  for (const profiler::OpRecord& op : analyzed.capture->ops()) {
    if (op.view) continue;
    const profiler::TrafficRecord* record = source->of(op.id, static_cast<uint32_t>(link));
    sum += record == nullptr ? profiler::kUnknownBytes : record->total_bytes();
  }
  return sum;
}

/// Only of kernels of this program is it known; NaN: another tool's, or nothing was computed.
double winograd_ops_known(const profiler::Capture& capture) {
  if (!capture.run().source.empty() || !capture.computed()) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(profiler::winograd_ops(capture).count());
}

/// null: nobody said what kind of code computed the ops.
json reference_json(const profiler::Analyzed& analyzed) {
  const auto known = [&](const profiler::OpRecord& op) {
    return code_of(*analyzed.capture, op) != engine::CodeKind::unknown;
  };
  if (std::ranges::none_of(analyzed.capture->ops(), known)) return nullptr;
  const profiler::ReferenceCode code = profiler::reference_code(analyzed);
  const std::string words = profiler::reference_words(analyzed, code);
  json ops = json::array();
  for (const profiler::OpId op : code.ops) ops.push_back(analyzed.capture->name(analyzed.capture->ops()[op].name));
  return {{"share_ratio", json_figure(code.share, analyzed.capture->time_origin())},
          {"time_ns", json_figure(code.time_ns, analyzed.capture->time_origin())},
          {"ops", ops},
          {"sentence", words.empty() ? json() : json(words)}};
}

}  // namespace

json summary_json(const profiler::Analyzed& analyzed) {
  const profiler::Summary s = profiler::summary(analyzed);
  const Origin timed = analyzed.capture->time_origin();
  const profiler::Honesty& honesty = analyzed.capture->honesty();
  const profiler::Machine& machine = analyzed.capture->machine();
  const std::string weakness = profiler::roofs_weakness(machine), beside = profiler::roofs_beside_words(machine);
  json apart = json::array();
  for (const profiler::BytesApart& b : profiler::bytes_apart(analyzed, profiler::ops_of(*analyzed.capture, {}))) {
    apart.push_back({{"level", b.outer},
                     {"preferred", name(b.preferred)},
                     {"preferred_bytes", json_figure(b.preferred_bytes, b.preferred)},
                     {"modelled_bytes", json_figure(b.modelled_bytes, Origin::modelled)},
                     {"ops", b.apart},
                     {"sentence", profiler::bytes_apart_words(*analyzed.capture, std::span(&b, 1))}});
  }
  const profiler::AboveRoof above = profiler::above_roof_ops(analyzed);
  const json above_bandwidth = {
      {"level", above.level.empty() ? json() : json(above.level)},
      {"ops", above.ops},
      {"of_ops", above.of},
      {"highest_bytes_per_s", json_figure(above.ops > 0 ? above.bytes_per_s : std::nan(""), Origin::modelled)},
      {"its_roof_bytes_per_s", json_figure(above.ops > 0 ? above.roof_bytes_per_s : std::nan(""), Origin::measured)},
      {"sentence", above.ops > 0 ? json(profiler::above_roof_words(analyzed)) : json()}};
  json limiters = json::array();
  for (const profiler::Limiter& limiter : s.limiters) {
    limiters.push_back({{"what", limiter.what},
                        {"bound", name(limiter.bound)},
                        {"level", limiter.level},
                        {"share_ratio", json_number(limiter.share)}});
  }
  return {{"step_ns", spread_json(s.step_ns, timed)},
          {"mean_step_ns", json_figure(profiler::mean_step_ns(*analyzed.capture), timed)},
          {"step_flops", json_figure(s.flops, Origin::exact)},
          {"flops_known_ratio", json_number(s.flops_known_ratio)},
          {"bytes_known_ratio", json_number(s.bytes_known_ratio)},
          {"step_flop_per_s", json_figure(s.flop_per_s, timed)},
          {"winograd_ops", json_figure(winograd_ops_known(*analyzed.capture), Origin::exact)},
          {"roof_ratio", json_figure(s.roof_ratio, timed)},
          {"above_roof", s.above_roof},
          {"samples_per_s", json_figure(s.samples_per_s, timed)},
          {"tokens_per_s", json_figure(profiler::token_figures(analyzed).tokens_per_s(), timed)},
          {"compulsory_bytes", json_figure(s.compulsory_bytes, Origin::exact)},
          {"dram_bytes", json_figure(s.dram_bytes, s.dram_origin)},
          {"counted_dram_bytes", json_figure(counted_dram_bytes(analyzed), Origin::measured)},
          {"amplification_ratio", json_figure(s.amplification, s.dram_origin)},
          {"step_energy_j", json_figure(analyzed.capture->run().step_energy_j, Origin::measured)},
          {"untimed_ratio", json_figure(s.untimed_ratio, timed)},
          {"step_parts", step_parts_json(analyzed)},
          {"bytes_apart", apart},
          {"above_bandwidth", above_bandwidth},
          {"loss", loss_json(*analyzed.capture)},
          {"reference_code", reference_json(analyzed)},
          {"limiters", limiters},
          {"sentence", s.sentence},
          {"time_doubt", s.time_doubt.empty() ? json(nullptr) : json(s.time_doubt)},
          {"advice", s.advice},
          {"honesty",
           {{"profiling_cost_ratio", json_figure(honesty.cost_ratio, Origin::measured)},
            {"profiling_cost_noise_ratio", json_figure(honesty.cost_noise_ratio, Origin::measured)},
            {"profiling_cost_bound_ratio", json_figure(honesty.cost_bound_ratio, Origin::measured)},
            {"clock_drift_ratio", json_figure(honesty.clock_drift_ratio, Origin::measured)},
            {"throttle_events", json_figure(honesty.throttle_events, Origin::measured)},
            {"foreign_load_ratio", json_figure(honesty.foreign_load_ratio, Origin::measured)},
            {"queued_ratio", json_figure(honesty.queued_ratio, Origin::measured)},
            {"dropped_records", honesty.dropped_records},
            {"roofs_weakness", weakness.empty() ? json() : json(weakness)},
            {"roofs_beside",
             {{"state", name(profiler::roofs_beside(machine))}, {"sentence", beside.empty() ? json() : json(beside)}}},
            {"notes", honesty.notes}}}};
}

json step_parts_json(const profiler::Analyzed& analyzed) {
  const profiler::StepParts parts = profiler::step_parts(analyzed);
  const Origin timed = analyzed.capture->time_origin();
  return {{"step_ns", json_figure(parts.step_ns, timed)},
          {"ops_ns", json_figure(parts.ops_ns, timed)},
          {"between_ops_ns", json_figure(parts.between_ns, timed)},
          {"beyond_medians_ns", json_figure(parts.rest_ns, timed)}};
}

json table_json(const profiler::Table& table) {
  json columns = json::array();
  for (const profiler::Column& column : table.columns) {
    json entry = {
        {"key", column.key}, {"title", column.title}, {"origin", origin_name(table, column)}, {"help", column.help}};
    if (const std::string_view said = row_origin_key(table, column); !said.empty()) entry["origin_column"] = said;
    columns.push_back(std::move(entry));
  }
  return {{"table", table.name}, {"columns", columns}, {"rows", json::parse(profiler::to_json(table))}};
}

namespace {

/// "median of 5; all within 3 ms to 4 ms".
std::string steps_text(const profiler::Spread& step_ns) {
  if (step_ns.samples == 1) return "one step";
  return fmt::format("median of {}; {} {} to {}", step_ns.samples,
                     step_ns.samples < profiler::kSamplesOfAnInterval ? "all within" : "95 % interval",
                     format_quantity(step_ns.low, Quantity::duration_ns),
                     format_quantity(step_ns.high, Quantity::duration_ns));
}

/// "1.2 GFLOP known, 93 % of the time of all ops"; empty: all is known, or nothing.
std::string known_part(double known, Quantity quantity, double ratio) {
  if (std::isnan(known) || ratio >= 0.995) return {};
  return fmt::format("{} known, {} of the time of all ops", format_quantity(known, quantity), percent(ratio));
}

/// The rate of a step and its part of the roof; what is unknown comes with the reason.
std::string rate_line(const profiler::Capture& capture, const profiler::Summary& s) {
  const bool foreign = !capture.run().source.empty();
  if (capture.device().emulated) return "– FLOP/s, – of the roof (the GPU was emulated)";
  std::string text = format_quantity(s.flop_per_s, Quantity::flop_per_s);
  if (std::isnan(s.flop_per_s))
    text = capture.ops().empty() ? "– FLOP/s (no ops were recorded)" : "– FLOP/s (the FLOPs of the ops are unknown)";
  if (const std::string part = known_part(s.flops, Quantity::flops, s.flops_known_ratio); !part.empty())
    text = fmt::format("at least {} ({})", text, part);
  const bool specified = foreign && !capture.gpu().kernels.empty();
  if (s.above_roof)
    return text + fmt::format(", above the {} roof, which is no bound here", specified ? "specified" : "measured");
  if (!std::isnan(s.roof_ratio))
    return text + fmt::format(", {} of the {} roof", percent(s.roof_ratio), specified ? "specified" : "measured");
  if (foreign && !profiler::no_roofs_words(capture).empty())
    return text + (specified ? ", – of the roof (no data sheet of its GPU is known; --roofs NAME says which it is)"
                             : ", – of the roof (not in the trace; --roofs here takes this machine's)");
  if (!profiler::unprobed_kind(capture).empty()) return text + ", – of the roof";
  return text + (specified ? ", – of the specified roof" : ", – of the measured roof");
}

/// Bytes of a step; what is unknown comes with the reason.
std::string bytes_line(const profiler::Analyzed& analyzed, const profiler::Summary& s) {
  const profiler::Capture& capture = *analyzed.capture;
  const std::string dram = format_quantity(s.dram_bytes, Quantity::bytes),
                    compulsory = format_quantity(s.compulsory_bytes, Quantity::bytes);
  if (capture.run().source.empty() && s.dram_bytes == 0) {
    return fmt::format(
        "nothing through DRAM once the caches are warm ({}); the compulsory {} (exact) stay in them from op to op",
        name(s.dram_origin), compulsory);
  }
  if (capture.run().source.empty() && std::isnan(s.dram_bytes)) {
    const std::string why = analyzed.model.known ? "the bytes of some ops are unknown" : analyzed.model.unknown_reason;
    return std::isnan(s.compulsory_bytes)
               ? fmt::format("unknown: {}", why)
               : fmt::format("at least the compulsory {} (exact); through DRAM unknown: {}", compulsory, why);
  }
  if (capture.run().source.empty()) {
    // Modelled bytes hang on one measured size; who reads them elsewhere should know it.
    const std::string size =
        s.dram_origin == Origin::modelled ? profiler::last_cache_words(analyzed.model) : std::string();
    return fmt::format("{} through DRAM per step ({}{}), {} the compulsory {} (exact)", dram, name(s.dram_origin),
                       size.empty() ? "" : fmt::format(" with {}", size),
                       format_quantity(s.amplification, Quantity::ratio), compulsory);
  }
  std::string text;
  if (const profiler::Transfers copies = profiler::transfers(capture); copies.count > 0) {
    text = fmt::format("{} in {} GPU {} of the whole trace (measured); ",
                       format_quantity(static_cast<double>(copies.bytes), Quantity::bytes), copies.count,
                       copies.count == 1 ? "copy" : "copies");
  }
  const std::string part = known_part(s.compulsory_bytes, Quantity::bytes, s.bytes_known_ratio);
  text += std::isnan(s.dram_bytes)
              ? std::string("– through DRAM (the trace does not hold the caches of its machine), ")
              : fmt::format("{} through DRAM per step ({}; no tensor is known to be reused by another op), ", dram,
                            name(s.dram_origin));
  if (!std::isnan(s.compulsory_bytes))
    return text + fmt::format("at least the compulsory {} (exact{}{})", compulsory, part.empty() ? "" : "; ", part);
  return text + (capture.ops().empty() ? "compulsory – (it names no ops)"
                                       : "compulsory – (the shapes of the ops are unknown)");
}

/// "7 steps (1 warm-up, 3 timed, 3 untraced: what tracing costs)": each of them trains.
std::string trained_steps(const profiler::Capture& capture, size_t count) {
  const std::span<const profiler::StepRecord> steps =
      std::span(capture.steps()).first(std::min(count, capture.steps().size()));
  const auto of = [&](auto which) { return static_cast<uint64_t>(std::ranges::count_if(steps, which)); };
  const uint64_t warmup = of([](const auto&s) { return s.warmup; }),
                 timed = of([](const auto&s) { return s.traced && !s.warmup; });
  std::vector<std::string> kinds;
  if (warmup > 0) kinds.push_back(fmt::format("{} to warm up", warmup));
  if (timed > 0) kinds.push_back(fmt::format("{} timed", timed));
  if (const uint64_t untraced = steps.size() - warmup - timed; untraced > 0)
    kinds.push_back(fmt::format("{} without tracing, to measure its cost", untraced));
  std::string text = profiler::counted(count, "step");
  return kinds.size() > 1 ? fmt::format("{} ({})", text, fmt::join(kinds, ", ")) : text;
}

/// What was learned, beside the four answers; all digits, to hold two runs against each other.
std::string loss_line(const profiler::Capture& capture, const profiler::TrainingLoss& loss) {
  std::string text = "\nLoss                 ";
  if (loss.values == 0) {
    const char* others = *loss.failed_step == 0 ? "" : "; those before were not read";
    return text + fmt::format("– (no number after step {}: this training has failed{})\n", *loss.failed_step, others);
  }
  text += fmt::format("{} after {}", loss.last, trained_steps(capture, loss.steps));
  if (loss.values > 1 && loss.after.empty()) text += fmt::format(", {} after the first", loss.first);
  if (loss.failed_step) text += fmt::format("; no number since step {}: this training has failed", *loss.failed_step);
  text += "; computed by the run, each step trains\n";
  if (loss.values < 2 || loss.after.empty()) return text;
  std::vector<std::string> along;
  for (const auto& [steps, value] : loss.after) along.push_back(fmt::format("{} after {}", value, steps));
  return text +
         fmt::format("                     {} (to compare with runs of other lengths)\n", fmt::join(along, ", "));
}

/// What a step put out, in a line: two runs with equal checksums gave the same.
std::string results_line(const profiler::Capture& capture) {
  constexpr size_t kShown = 2;
  std::vector<std::string> parts;
  for (const profiler::ResultRecord& r : profiler::step_results(capture)) {
    if (parts.size() == kShown) {
      parts.push_back(fmt::format("{} more", profiler::step_results(capture).size() - kShown));
      break;
    }
    parts.push_back(fmt::format("{} {:016x}", engine::display_line(result_name(capture, r)), r.checksum));
  }
  return fmt::format("Results              {} (checksums after step {})\n", fmt::join(parts, ", "),
                     profiler::step_results(capture).front().step + 1);
}

/// What the values of a step show first; empty: none were kept.
std::string values_line(const profiler::Capture& capture) {
  const std::vector<std::string> sentences = profiler::values_sentences(capture);
  return sentences.empty() ? std::string()
                           : fmt::format("Values               {}\n", engine::display_line(sentences.front()));
}

/// The joules of a step with their origin; unknown with the reason.
std::string energy_line(const profiler::RunInfo& run) {
  if (run.step_energy_j >= 0) {
    return fmt::format(
        "Energy: {} per step (measured by counters of the processor packages, other programs included).\n",
        format_quantity(run.step_energy_j, Quantity::energy_j));
  }
  return run.source.empty() ? "Energy: unknown (no counter was read; `tensortide doctor` shows why).\n"
                            : "Energy: unknown (the trace holds none).\n";
}

/// Where a GPU's work lies that the steps as they were marked do not have; empty: there is too little to speak of.
std::string gpu_places_line(const profiler::Analyzed& analyzed) {
  constexpr double kWorthSaying = 0.01;
  if (analyzed.capture->run().source.empty()) return {};
  const profiler::GpuWorkPlaces places = profiler::overlap(*analyzed.capture, analyzed.rules).places;
  const double behind = places.behind_host_ns / places.busy_ns, outside = places.stepless_ns / places.busy_ns;
  std::string text;
  if (behind >= kWorthSaying) {
    text += fmt::format(
        "\n                     on the GPU's side: {} of its work ran after the host had left the step that launched "
        "it",
        format_quantity(behind, Quantity::percent_of));
  }
  if (outside >= kWorthSaying)
    text += fmt::format(
        "\n                     {} of the GPU's work is outside the steps "
        "and counts in none",
        format_quantity(outside, Quantity::percent_of));
  return text;
}

}  // namespace

std::string summary_text(const profiler::Analyzed& analyzed) {
  const profiler::Capture& capture = *analyzed.capture;
  const profiler::Summary s = profiler::summary(analyzed);
  std::string text = profiler::run_heading(capture.run()) + "\n\n";
  if (!capture.run().complete) text += fmt::format("Incomplete: {}\n\n", capture.run().incomplete_reason);

  if (s.step_ns.samples == 0) return text + "No step was measured: the run ended before its first timed step.\n";
  text +=
      fmt::format("How long?            {} per step ({}, {})", format_quantity(s.step_ns.median, Quantity::duration_ns),
                  name(capture.time_origin()), steps_text(s.step_ns));
  if (const double mean = profiler::mean_step_apart_ns(capture); !std::isnan(mean)) {
    text += fmt::format("; the mean step, which shares are of, takes {}", format_quantity(mean, Quantity::duration_ns));
  }
  if (capture.device().emulated) text += "; of the emulation, not of a GPU";
  if (!std::isnan(s.samples_per_s)) text += ", " + format_quantity(s.samples_per_s, Quantity::count) + " samples/s";
  if (const std::string words = profiler::token_words(profiler::token_figures(analyzed)); !words.empty())
    text += "\n                     = " + words;
  if (const std::string parts = profiler::step_parts_words(profiler::step_parts(analyzed)); !parts.empty())
    text += "\n                     = " + parts;
  if (!s.time_doubt.empty()) text += "\n                     " + s.time_doubt;
  text += gpu_places_line(analyzed);
  text += fmt::format("\nWhat limits it?      {}\n", s.sentence);
  if (capture.computed()) {
    text += fmt::format("                     {}\n", rate_line(capture, s));
    if (const std::string words = profiler::winograd_words(profiler::winograd_ops(analyzed)); !words.empty())
      text += fmt::format("                     {}\n", words);
    text += fmt::format("Where do bytes go?   {}\n", bytes_line(analyzed, s));
  }
  if (const double counted = counted_dram_bytes(analyzed); !std::isnan(counted) && s.dram_origin != Origin::measured) {
    text += fmt::format(
        "                     {} between L2 and the GPU's memory (measured by its counters), {} the compulsory\n",
        format_quantity(counted, Quantity::bytes), format_quantity(counted / s.compulsory_bytes, Quantity::ratio));
  }
  if (const std::string above = profiler::above_roof_words(analyzed); !above.empty())
    text += fmt::format("                     {}\n", above);
  for (const std::string& sentence : profiler::bytes_apart_sentences(analyzed, true))
    text += fmt::format("                     {}\n", sentence);
  text += fmt::format("What to change?      {}\n", s.advice.empty() ? "No change is proposed." : s.advice);
  if (const auto loss = profiler::training_loss(capture)) text += loss_line(capture, *loss);
  if (!profiler::step_results(capture).empty()) text += results_line(capture);
  text += values_line(capture);

  const bool of_mean = !capture.run().source.empty();
  if (!s.limiters.empty()) {
    text += of_mean ? fmt::format("\nTime by limit, of the mean step ({}):\n",
                                  format_quantity(profiler::mean_step_ns(capture), Quantity::duration_ns))
                    : std::string("\nTime by limit, of the median step:\n");
  }
  for (const profiler::Limiter& limiter : s.limiters)
    text += fmt::format("  {:>7}  {}\n", percent(limiter.share), limiter.what);
  if (!std::isnan(s.untimed_ratio))
    text +=
        fmt::format("  {:>7}  {}\n", percent(s.untimed_ratio),
                    capture.gpu().kernels.empty() ? std::string("between ops")
                                                  : fmt::format("the {} idles", profiler::accelerator_noun(capture)));
  if (const profiler::StepParts parts = profiler::step_parts(analyzed); parts.known() && parts.has_rest())
    text += fmt::format("  {:>7}  unexplained ({})\n", percent(parts.rest_ns / parts.step_ns), profiler::kRestName);

  text += fmt::format("\nHow far to trust it: {}", cost_sentence(capture));
  text += fmt::format("; {} {}",
                      counted(static_cast<uint64_t>(capture.honesty().dropped_records),
                              capture.run().source.empty() ? "record" : "event"),
                      capture.run().source.empty() ? "dropped" : "left out");
  if (!capture.run().source.empty() && !capture.gpu().kernels.empty() && profiler::no_roofs_words(capture).empty()) {
    text += "; roofs of the data sheet (specified)";
  } else if (capture.machine().probed()) {
    text += fmt::format("; roofs measured {}", capture.machine().probed_at);
  } else if (capture.device().emulated) {
    text += "; no roofs: the GPU was emulated";
  } else if (!capture.computed()) {
    text += "; no roofs: the device null computes nothing that they could bound";
  } else if (capture.run().source.empty() && capture.device().vendor != engine::Vendor::none) {
    text += "; roofs of the data sheet (specified)";
  } else if (capture.run().source.empty() && capture.device().is_gpu) {
    text += "; roofs unknown: OpenCL has no figures for them";
  } else {
    text += capture.run().source.empty() ? "; roofs unknown: run `tensortide probe`"
                                         : "; roofs unknown: they are not in the trace";
  }
  text += ".\n";
  for (const std::string& doubt :
       {profiler::background_load_words(capture.honesty().foreign_load_ratio),
        profiler::roofs_weakness(capture.machine()), profiler::roofs_beside_words(capture.machine())}) {
    if (!doubt.empty()) text += "  - " + doubt + "\n";
  }
  for (const std::string& note : capture.honesty().notes) text += "  - " + note + "\n";
  if (capture.computed()) text += energy_line(capture.run());
  return text;
}

}  // namespace app::cli
