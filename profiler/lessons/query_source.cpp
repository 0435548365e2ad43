// SPDX-License-Identifier: Apache-2.0
// Figures and tables that queries may name, made of captures, sweeps, documents and machines.
#include "profiler/lessons/query_source.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "engine/base/json_text.h"
#include "profiler/analysis/network.h"
#include "profiler/analysis/op_sequence.h"
#include "profiler/analysis/tables/summary.h"
#include "profiler/analysis/tables/tables.h"
#include "profiler/analysis/verdict/verdict_text.h"
#include "profiler/base/say.h"
#include "profiler/capture/training_loss.h"
#include "profiler/sweep/curve.h"
#include "profiler/sweep/losses.h"

namespace profiler {
namespace {

using Json = QuerySource::Json;

constexpr const char* kGroupColumns =
    "calls_count time_ns share_ratio flops flop_per_s compulsory_bytes dram_bytes l3_bytes l2_bytes l1_bytes "
    "amplification_ratio intensity_flop_per_byte roof_ratio bytes_origin verdict";
constexpr auto kCapture = SourceKind::capture;
constexpr auto kSweep = SourceKind::sweep;
constexpr auto kMachine = SourceKind::machine;

constexpr std::array kNames{
    QueryName{kCapture, "step_ns", "Median step (measured)"},
    QueryName{kCapture, "flops", "FLOPs of a step (exact)"},
    QueryName{kCapture, "flop_per_s", "FLOPs / step (measured)"},
    QueryName{kCapture, "roof_ratio", "FLOP/s over the measured arithmetic peak"},
    QueryName{kCapture, "compulsory_bytes", "Each operand's bytes once per op (exact)"},
    QueryName{kCapture, "dram_bytes", "Bytes to and from DRAM, best known"},
    QueryName{kCapture, "amplification_ratio", "DRAM bytes / compulsory bytes"},
    QueryName{kCapture, "samples_per_s", "Samples per second (measured)"},
    QueryName{kCapture, "batch", "Samples of a step"},
    QueryName{kCapture, "limit", "The limit that takes most of the step, in words"},
    QueryName{kCapture, "limit_class", "The same without ops, in the summary's words"},
    QueryName{kCapture, "limit_ratio", "Its share of the step"},
    QueryName{kCapture, "parameters_count", "Parameters of the network (exact)"},
    QueryName{kCapture, "memory_bytes", "Parameters, states, activations and scratch, as planned"},
    QueryName{kCapture, "ops_count", "Ops of a step"},
    QueryName{kCapture, "threads", "Worker threads"},
    QueryName{kCapture, "ops", "Ops",
              "op type layer phase kernel time_ns share_ratio flops flop_per_s compulsory_bytes dram_bytes l3_bytes "
              "l2_bytes l1_bytes amplification_ratio intensity_flop_per_byte roof_ratio bytes_origin verdict "
              "next_speedup_ratio"},
    QueryName{kCapture, "types", "Ops by type", kGroupColumns},
    QueryName{kCapture, "layers", "Ops by layer", kGroupColumns},
    QueryName{kCapture, "ops_by_kernel", "Ops by kernel", kGroupColumns},
    QueryName{kCapture, "traffic", "Bytes between memory levels, by role",
              "link role compulsory_read_bytes compulsory_written_bytes modelled_read_bytes modelled_written_bytes "
              "amplification_ratio simulated_read_bytes simulated_written_bytes"},
    QueryName{kCapture, "cache", "Bytes, hits and misses of each op at each level",
              "op link compulsory_bytes lower_bound_bytes modelled_bytes simulated_bytes amplification_ratio "
              "hits_count misses_count miss_ratio"},
    QueryName{kCapture, "memory", "Live bytes at each op, by role",
              "op phase live_bytes input_bytes weight_bytes activation_bytes gradient_bytes optimizer_state_bytes "
              "workspace_bytes"},
    QueryName{kCapture, "verdicts", "The limit of each op",
              "op time_ns bound level confidence utilisation_ratio next_speedup_ratio"},
    QueryName{kCapture, "transfers", "Copies to and from devices",
              "tensor reason device direction memory order copies_count copied_bytes device_ns rate_bytes_per_s "
              "exposed_ns avoidable_count avoidable_bytes"},
    QueryName{kCapture, "launches", "Kernels that each op launched",
              "op kernel launches_count grid block blocks_count threads_count total_ns op_bytes"},
    QueryName{kCapture, "quantiles", "Distribution of durations by type of op and by call",
              "name what count p1_ns p5_ns p25_ns p50_ns p75_ns p95_ns p99_ns longest_ns"},
    QueryName{kCapture, "pipeline", "Lanes of the data loader", "lane thread batches_count busy_ns step_ratio limits"},
    QueryName{kCapture, "network", "Tensors between ops", "from to tensor role dtype shape read_bytes"},
    QueryName{kCapture, "fused_ops", "Fused ops",
              "op members spared_bytes time_ns unfused_ns predicted_ns obtained_ns"},
    QueryName{
        kCapture, "storage", "Tensors over storages",
        "tensor made_by kind role dtype shape strides offset_count storage elements_count size_bytes moved_bytes"},
    QueryName{
        kCapture, "values", "Values of each tensor (--collect values)",
        "tensor op role dtype shape elements_count kept_count least most mean nan_count not_finite_count histogram"},
    QueryName{kCapture, "findings", "Changes to try", "number rule gain_ns gain_ratio saved_bytes change"},
    QueryName{kCapture, "edges_count", "Tensors that one op writes and another reads (exact)"},
    QueryName{kCapture, "layers_count", "Layers, those inside others included (exact)"},
    QueryName{kCapture, "first_loss", "Loss of the first training step that was read"},
    QueryName{kCapture, "last_loss", "Loss of the last one"},
    QueryName{kCapture, "changed_steps", "Steps whose ops are not those of the first, in order (exact)"},
    QueryName{kCapture, "losses", "Loss after 1, 2, 5, 10, ... training steps", "steps_count loss"},
    QueryName{kCapture, "tensors", "Tensors of a step", "tensor device dtype shape role stored_bytes lives"},
    QueryName{kCapture, "sequence", "Whether each step runs the same ops", "step_count ops_count same apart_count op"},
    QueryName{kCapture, "reuse", "Bytes touched between two uses of a buffer",
              "tensor role size_bytes uses_count reuses_count shortest_bytes longest_bytes beyond_count"},
    QueryName{kCapture, "divergence", "Lanes in lockstep",
              "op lanes_count done_count kept_count work_ratio time_ns predicted_ratio measured_ratio"},
    QueryName{kCapture, "latency", "Chains of dependent operations",
              "op operation in_a_row_count in_all_count each_ns operations_per_s"},
    QueryName{kCapture, "instructions", "Instructions of each op's loops",
              "op loads_count stores_count branches_count multiply_adds_count accesses_per_multiply_add_ratio "
              "branches_per_multiply_add_ratio"},
    QueryName{kCapture, "versions", "Layers that compute the same in several ways",
              "version dtype ops_count time_ns speed_up_ratio library_ratio flop_per_s tensors_count tensors_bytes "
              "largest_error_ratio library"},
    QueryName{kCapture, "tape", "What each op stores and frees",
              "op phase stored_bytes freed_bytes live_bytes kept_bytes"},
    QueryName{kCapture, "results", "What a step put out",
              "result dtype shape step_count checksum elements_count not_finite_count least most mean norm values"},

    QueryName{kSweep, "knee", "Where time turns from flat to growing; unknown: there is no knee"},
    QueryName{kSweep, "predicted_knee", "The same of the times that the roofs predict"},
    QueryName{kSweep, "serial_ratio", "Serial part by Amdahl's law, of an axis threads"},
    QueryName{kSweep, "losses", "Losses of its trainings", "steps_count processes_count loss loss_least loss_most"},
    QueryName{kSweep, "points", "Points",
              "outcome processes step_ns step_low_ns step_high_ns noise_ratio sample_ns samples_per_s flop_per_s "
              "roof_ratio flops ops_count compulsory_bytes_per_s compulsory_bytes compulsory_bytes_per_sample "
              "weight_bytes_per_sample speed_up_ratio efficiency_ratio memory_bytes predicted_step_ns limit"},
    QueryName{kSweep, "series", "Curves",
              "series axis knee predicted_knee knee_ratio limit_left limit_right "
              "serial_ratio cliffs"},

    QueryName{kMachine, "cores", "Physical cores"},
    QueryName{kMachine, "lanes", "f32 lanes of the widest vector unit"},
    QueryName{kMachine, "memory_bytes", "Main memory"},
    QueryName{kMachine, "peak_flop_per_s", "Highest measured arithmetic peak of f32"},
    QueryName{kMachine, "dram_bytes_per_s", "Highest measured read bandwidth of DRAM"},
    QueryName{kMachine, "ridge_flop_per_byte", "Peak / DRAM bandwidth"},
    QueryName{kMachine, "levels", "Memory levels, nearest first", "level size_bytes latency_ns read_bytes_per_s"}};

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json rows(const Table& table) { return engine::parse_json<Json>(to_json(table)); }

/// "arithmetic", "DRAM bandwidth", "kernel inefficiency".
std::string limit_class(const Summary& summary) {
  if (summary.limiters.empty()) return {};
  const InEnglish as_lessons_are_written;
  return cause_words(summary.limiters.front().bound, summary.limiters.front().level);
}

void add_summary(QuerySource::Makers& makers, const std::shared_ptr<const Analyzed>& analyzed) {
  const InEnglish as_lessons_are_written;
  const auto whole = std::make_shared<Summary>(summary(*analyzed));
  const auto add = [&](const char* name, double value) { makers[name] = [value] { return number(value); }; };
  add("step_ns", whole->step_ns.median);
  add("flops", whole->flops);
  add("flop_per_s", whole->flop_per_s);
  add("roof_ratio", whole->roof_ratio);
  add("compulsory_bytes", whole->compulsory_bytes);
  add("dram_bytes", whole->dram_bytes);
  add("amplification_ratio", whole->amplification);
  add("samples_per_s", whole->samples_per_s);
  const RunInfo& run = analyzed->capture->run();
  const auto batch = run.arguments.find("batch");
  add("batch", batch != run.arguments.end() ? std::atof(batch->second.c_str()) : std::nan(""));
  add("parameters_count", static_cast<double>(run.parameter_count));
  add("memory_bytes", static_cast<double>(run.arena_bytes + run.persistent_bytes + run.workspace_bytes));
  add("ops_count", static_cast<double>(analyzed->capture->ops().size()));
  add("threads", run.threads);
  const bool known = !whole->limiters.empty();
  makers["limit"] = [whole, known] { return known ? Json(whole->limiters.front().what) : Json(); };
  makers["limit_class"] = [whole, known] { return known ? Json(limit_class(*whole)) : Json(); };
  add("limit_ratio", known ? whole->limiters.front().share : std::nan(""));
}

/// Counts of the graph, losses of a training, tensors with their roles.
void add_counts(QuerySource::Makers& makers, const std::shared_ptr<const Analyzed>& analyzed) {
  makers["edges_count"] = [analyzed] { return Json(network(*analyzed).edges.size()); };
  makers["layers_count"] = [analyzed] { return Json(network(*analyzed).layers.size()); };
  makers["changed_steps"] = [analyzed] {
    const std::vector<StepSequence> all = op_sequences(*analyzed->capture);
    return all.empty() ? Json() : Json(std::ranges::count(all, false, &StepSequence::same));
  };
  const auto loss = [analyzed](double TrainingLoss::*which) {
    const std::optional<TrainingLoss> known = training_loss(*analyzed->capture);
    return known ? number((*known).*which) : Json();
  };
  makers["first_loss"] = [loss] { return loss(&TrainingLoss::first); };
  makers["last_loss"] = [loss] { return loss(&TrainingLoss::last); };
  makers["losses"] = [analyzed] {
    Json all = Json::array();
    if (const std::optional<TrainingLoss> known = training_loss(*analyzed->capture); known)
      for (const TrainingLoss::After& one : known->after)
        all.push_back({{"steps_count", one.steps}, {"loss", number(one.loss)}});
    return all;
  };
}

/// The table's rows, with losses as numbers: the table writes them as text of six digits.
Json rows_of_losses(const Sweep& sweep) {
  Json all = rows(sweep_losses_table(sweep));
  const std::vector<StepLosses> losses = sweep_losses(sweep);
  for (size_t i = 0; i < losses.size(); ++i) {
    all[i]["loss"] = number(losses[i].median);
    all[i]["loss_least"] = number(losses[i].least);
    all[i]["loss_most"] = number(losses[i].most);
  }
  return all;
}

/// The one value of a column over all curves; unknown where they differ in having one, or are several.
Json of_one_series(const Json& series, const char* column) {
  return series.size() == 1 && series.front().contains(column) ? series.front()[column] : Json();
}

}  // namespace

const QuerySource::Json* QuerySource::find(const std::string& name) const {
  const auto maker = makers_.find(name);
  if (maker == makers_.end()) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto [at, added] = made_.try_emplace(name);
  if (added) at->second = maker->second();
  return &at->second;
}

std::shared_ptr<const QuerySource> capture_source(std::shared_ptr<const Analyzed> analyzed) {
  QuerySource::Makers makers;
  add_summary(makers, analyzed);
  add_counts(makers, analyzed);
  for (const QueryName& name : query_names()) {
    if (name.kind != SourceKind::capture || *name.columns == '\0' || makers.contains(name.name) ||
        !find_table(name.name))
      continue;
    makers[name.name] = [analyzed, name] { return rows((*find_table(name.name))->table(*analyzed, OpsBy::op)); };
  }
  makers["types"] = [analyzed] { return rows(ops_table(*analyzed, OpsBy::type)); };
  makers["layers"] = [analyzed] { return rows(ops_table(*analyzed, OpsBy::layer)); };
  makers["ops_by_kernel"] = [analyzed] { return rows(ops_table(*analyzed, OpsBy::kernel)); };
  return std::make_shared<const QuerySource>(std::move(makers));
}

std::shared_ptr<const QuerySource> sweep_source(std::shared_ptr<const Sweep> sweep) {
  QuerySource::Makers makers;
  makers["points"] = [sweep] { return rows(sweep_table(*sweep)); };
  makers["series"] = [sweep] { return rows(sweep_series_table(*sweep)); };
  makers["losses"] = [sweep] { return rows_of_losses(*sweep); };
  for (const char* column : {"knee", "predicted_knee", "serial_ratio"})
    makers[column] = [sweep, column] { return of_one_series(rows(sweep_series_table(*sweep)), column); };
  return std::make_shared<const QuerySource>(std::move(makers));
}

std::shared_ptr<const QuerySource> document_source(const QuerySource::Json& document) {
  QuerySource::Makers makers;
  for (const auto& [key, value] : document.items()) makers[key] = [value = Json(value)] { return value; };
  return std::make_shared<const QuerySource>(std::move(makers));
}

std::shared_ptr<const QuerySource> machine_source(const Machine& machine) {
  double peak = std::nan(""), dram = std::nan("");
  const auto highest = [](double& most, const Measured& measured) {
    if (measured.known()) most = std::fmax(most, measured.median);
  };
  for (const ComputeRoof& roof : machine.compute)
    if (roof.dtype == engine::DType::float32) highest(peak, roof.flop_per_s);
  const auto read_rate = [&](const std::string& level) {
    double most = std::nan("");
    for (const BandwidthRoof& roof : machine.bandwidth)
      if (roof.level == level && roof.mix == AccessMix::read) highest(most, roof.bytes_per_s);
    return most;
  };
  dram = read_rate("DRAM");
  Json levels = Json::array();
  for (const MemoryLevel& level : machine.levels) {
    const double size =
        static_cast<double>(level.effective_size_bytes > 0 ? level.effective_size_bytes : level.specified_size_bytes);
    levels.push_back({{"level", level.name},
                      {"size_bytes", size > 0 ? Json(size) : Json()},
                      {"latency_ns", level.latency_ns.known() ? Json(level.latency_ns.median) : Json()},
                      {"read_bytes_per_s", number(read_rate(level.name))}});
  }
  QuerySource::Makers makers;
  const auto add = [&](const char* name, double value) { makers[name] = [value] { return number(value); }; };
  add("cores", machine.info.cores > 0 ? machine.info.cores : std::nan(""));
  add("lanes", machine.info.vector_bits > 0 ? machine.info.vector_bits / 32.0 : std::nan(""));
  add("memory_bytes", machine.info.memory_bytes > 0 ? static_cast<double>(machine.info.memory_bytes) : std::nan(""));
  add("peak_flop_per_s", peak);
  add("dram_bytes_per_s", dram);
  add("ridge_flop_per_byte", peak / dram);
  makers["levels"] = [levels] { return levels; };
  return std::make_shared<const QuerySource>(std::move(makers));
}

std::span<const QueryName> query_names() { return kNames; }

const QueryName* find_query_name(SourceKind kind, std::string_view name) {
  const auto found = std::ranges::find_if(kNames, [&](const QueryName& n) { return n.kind == kind && name == n.name; });
  return found == kNames.end() ? nullptr : &*found;
}

bool may_have_column(const QueryName& name, std::string_view column) {
  const std::string all = std::string(" ") + name.columns + " ";
  if (all.find(" " + std::string(column) + " ") != std::string::npos) return true;
  // Levels of a machine: "L3_L2_bytes" of a sweep.
  if (name.kind == SourceKind::sweep && name.name == std::string_view("losses")) return true;  // a setting
  return name.kind == SourceKind::sweep && name.name == std::string_view("points") &&
         (column.ends_with("_bytes") || column.ends_with("_bytes_per_sample") || column.ends_with("_bytes_per_s")) &&
         std::ranges::count(column, '_') >= 2;
}

}  // namespace profiler
