// SPDX-License-Identifier: Apache-2.0
// The catalog of tables: name, help, rows, and the sentences under them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "engine/base/nearest_name.h"
#include "profiler/analysis/allocated.h"
#include "profiler/analysis/base/pipeline.h"
#include "profiler/analysis/bytes_apart.h"
#include "profiler/analysis/dependent_work.h"
#include "profiler/analysis/divergence.h"
#include "profiler/analysis/duration_quantiles.h"
#include "profiler/analysis/findings/findings.h"
#include "profiler/analysis/fusion_ledger.h"
#include "profiler/analysis/gpu/collectives.h"
#include "profiler/analysis/gpu/critical_path.h"
#include "profiler/analysis/gpu/launch_queue.h"
#include "profiler/analysis/gpu/launches.h"
#include "profiler/analysis/gpu/links.h"
#include "profiler/analysis/gpu/overlap.h"
#include "profiler/analysis/gpu/transfers.h"
#include "profiler/analysis/instructions.h"
#include "profiler/analysis/named_times.h"
#include "profiler/analysis/network.h"
#include "profiler/analysis/on_chip.h"
#include "profiler/analysis/op_sequence.h"
#include "profiler/analysis/process_memory.h"
#include "profiler/analysis/result_table.h"
#include "profiler/analysis/reuse.h"
#include "profiler/analysis/roof_words.h"
#include "profiler/analysis/roofline.h"
#include "profiler/analysis/storage.h"
#include "profiler/analysis/tables/tables.h"
#include "profiler/analysis/tape.h"
#include "profiler/analysis/tensor_values.h"
#include "profiler/analysis/tokens.h"
#include "profiler/analysis/versions.h"
#include "profiler/analysis/work_shares.h"
#include "profiler/base/say.h"
#include "profiler/base/words.h"
#include "profiler/capture/op_devices.h"

namespace profiler {
namespace {

using Sentences = std::vector<std::string>;

Sentences above_roof_sentences(const Analyzed& analyzed) {
  std::string words = above_roof_words(analyzed);
  return words.empty() ? Sentences() : Sentences{std::move(words)};
}

/// Where bytes known in two ways are apart, or move faster than the measured roof lets them.
Sentences byte_sentences(const Analyzed& analyzed) {
  Sentences sentences = bytes_apart_sentences(analyzed, false);
  std::ranges::move(above_roof_sentences(analyzed), std::back_inserter(sentences));
  return sentences;
}

/// Whether sums are of several devices.
Sentences device_sentences(const Analyzed& analyzed) {
  std::string words = several_devices_words(*analyzed.capture);
  return words.empty() ? Sentences() : Sentences{std::move(words)};
}

/// What matrix multiplication has of the step, then the bytes.
Sentences ops_sentences(const Analyzed& analyzed) {
  Sentences sentences = device_sentences(analyzed);
  if (std::string words = matrix_share_words(analyzed); !words.empty()) sentences.push_back(std::move(words));
  std::ranges::move(byte_sentences(analyzed), std::back_inserter(sentences));
  return sentences;
}

Sentences roofline_sentences(const Analyzed& analyzed) {
  const Roofline points = roofline(*analyzed.capture, analyzed.model);
  const auto none = std::ranges::count_if(points.points, [](const auto& p) { return std::isnan(p.intensity); });
  Sentences sentences;
  if (none > 0) {
    const std::string all =
        points.points.size() == 1 ? say("1 point has") : say("{} points have", points.points.size());
    sentences.push_back(
        none == 1
            ? say("{} of {} no bytes at its level, and so no intensity: there arithmetic alone is the roof.", none, all)
            : say("{} of {} no bytes at their level, and so no intensity: there arithmetic alone is the roof.", none,
                  all));
  }
  if (points.ops_without_flops > 0) {
    sentences.push_back(say("{} without FLOPs {} not listed.",
                            counted(static_cast<uint64_t>(points.ops_without_flops), "op"),
                            points.ops_without_flops == 1 ? say("is") : say("are")));
  }
  std::ranges::move(byte_sentences(analyzed), std::back_inserter(sentences));
  return sentences;
}

Sentences roofs_sentences(const Analyzed& analyzed) {
  std::string none =
      roofline(*analyzed.capture, analyzed.model).roofs.empty() ? no_roofs_words(*analyzed.capture) : std::string();
  return none.empty() ? above_roof_sentences(analyzed) : Sentences{std::move(none)};
}

Sentences memory_sentences(const Analyzed& analyzed) {
  if (analyzed.capture->run().source.empty()) return device_sentences(analyzed);
  Sentences sentences = allocated_sentences(*analyzed.capture);
  sentences.emplace_back(say("Live tensors are unknown: an imported trace does not hold their lifetimes."));
  return sentences;
}

TableText pipeline_text(const Analyzed& analyzed) {
  const Pipeline lanes = pipeline(*analyzed.capture);
  return {pipeline_table(*analyzed.capture, lanes),
          {!lanes.sentence.empty() ? lanes.sentence
           : analyzed.capture->run().source.empty()
               ? say("This run loaded no data while it was recorded.")
               : say("The trace has no lanes of a data loader; what waits for one is in --table overlap and the "
                     "findings.")}};
}

TableText transfers_text(const Analyzed& analyzed) {
  Transfers copies = transfers(*analyzed.capture, analyzed.rules);
  return {transfers_table(*analyzed.capture, copies), std::move(copies.findings)};
}

TableText overlap_text(const Analyzed& analyzed) {
  Overlap work = overlap(*analyzed.capture, analyzed.rules);
  return {overlap_table(*analyzed.capture, work), std::move(work.findings)};
}

TableText communication_text(const Analyzed& analyzed) {
  const Collectives all = collectives(*analyzed.capture);
  return {communication_table(*analyzed.capture, all), communication_sentences(*analyzed.capture, all)};
}

TableText collectives_text(const Analyzed& analyzed) {
  const Collectives all = collectives(*analyzed.capture);
  return {collectives_table(*analyzed.capture, all), communication_sentences(*analyzed.capture, all)};
}

TableText critical_path_text(const Analyzed& analyzed) {
  const std::vector<CriticalPath> paths = critical_paths(*analyzed.capture);
  return {critical_path_table(*analyzed.capture, paths), critical_path_sentences(*analyzed.capture, paths)};
}

Sentences fusion_sentences(const Analyzed& analyzed) { return fusion_ledger(analyzed).findings; }

std::string no_gpu_work(const Analyzed&) { return say("No rows: no work or copies of a GPU were recorded."); }
std::string no_path(const Analyzed&) { return say("No rows: no step, op, call or work of a GPU has a time."); }
std::string no_times(const Analyzed&) { return say("No rows: no op and no call has a time."); }
std::string no_calls(const Analyzed&) { return say("No rows: no calls of a GPU's runtime or driver were recorded."); }
std::string no_ranges(const Analyzed&) { return say("No rows: no named ranges were recorded."); }
std::string no_communication(const Analyzed&) {
  return say("No rows: no communication was recorded: no kernel of NCCL, RCCL or their like, and no collective.");
}
std::string no_traffic(const Analyzed& analyzed) {
  return analyzed.capture->run().source.empty()
             ? ""
             : say("No rows: the trace holds neither the caches of its machine nor the shapes of all ops.");
}
std::string no_simulation(const Analyzed& analyzed) {
  const TrafficSource* source = analyzed.sources.simulated();
  if (source != nullptr && !source->method.empty()) return source->method;  // "Not simulated: ..."
  return analyzed.capture->run().source.empty()
             ? say("No rows: no caches were simulated; record with simulated caches.")
             : say("No rows: ops of an imported trace are not simulated.");
}
std::string no_edges(const Analyzed& analyzed) {
  const std::string why = no_network_words(*analyzed.capture);
  return why.empty() ? say("No rows: no op reads what another op wrote.") : say("No rows: ") + why;
}
std::string no_results(const Analyzed& analyzed) {
  const std::string why = no_results_words(*analyzed.capture);
  return why.empty() ? why : say("No rows: ") + why;
}
std::string no_on_chip(const Analyzed& analyzed) {
  return analyzed.capture->run().source.empty()
             ? say("No rows: no op was recorded.")
             : say("No rows: an imported trace does not hold the operands of its ops.");
}
std::string no_process_memory(const Analyzed& analyzed) {
  return analyzed.capture->run().source.empty()
             ? say("No rows: the resident memory of the process was not recorded; record the run again.")
             : say("No rows: an imported trace does not hold the resident memory of its process.");
}
std::string no_sequence(const Analyzed&) { return say("No rows: no traced step has known ops."); }
std::string no_tape(const Analyzed& analyzed) {
  const std::string why = no_tape_words(*analyzed.capture);
  return why.empty() ? say("No rows: no op was recorded.") : say("No rows: ") + why;
}
std::string no_storage(const Analyzed& analyzed) {
  const std::string why = no_storage_words(*analyzed.capture);
  return why.empty() ? why : say("No rows: ") + why;
}
std::string no_values(const Analyzed& analyzed) {
  const std::string why = no_values_words(*analyzed.capture);
  return why.empty() ? why : say("No rows: ") + why;
}
std::string no_tokens(const Analyzed&) {
  return say("No rows: the run has no tokens, whose phase and context it would have been recorded with.");
}
std::string no_chains(const Analyzed&) { return say("No rows: no op is a chain of dependent loads or multiply-adds."); }
std::string no_branches(const Analyzed&) { return say("No rows: no op has a branch for each element."); }
std::string no_versions(const Analyzed&) {
  return say("No rows: no two layers put out the same from the same tensors.");
}
std::string no_points(const Analyzed&) { return say("No rows: no op has known FLOPs, bytes and a time."); }

constexpr std::array kTables{
    TableEntry{"summary", marked("The step in short: time, bytes, limits, advice"),
               [](const Analyzed& a, OpsBy) { return summary_table(a); }},
    TableEntry{"ops", marked("Time, bytes and limit of each op, or of each group of ops"),
               [](const Analyzed& a, OpsBy by) { return ops_table(a, by); }, ops_sentences},
    TableEntry{"traffic", marked("Bytes between memory levels, by role"),
               [](const Analyzed& a, OpsBy) { return traffic_table(a, {}); }, byte_sentences, no_traffic},
    TableEntry{"cache", marked("Bytes, hits and misses of each op at each level"),
               [](const Analyzed& a, OpsBy) { return cache_table(a); }, byte_sentences},
    TableEntry{"cache_tensors", marked("Simulated bytes of each op, by tensor"),
               [](const Analyzed& a, OpsBy) { return cache_tensors_table(a); }, nullptr, no_simulation},
    TableEntry{"roofline", marked("Intensity, FLOP/s and roof of each op"),
               [](const Analyzed& a, OpsBy) { return roofline_table(a); }, roofline_sentences, no_points},
    TableEntry{"roofs", marked("Bandwidths and arithmetic peaks of the machine"),
               [](const Analyzed& a, OpsBy) { return roofs_table(a); }, roofs_sentences},
    TableEntry{"memory", marked("Live bytes at each op, by role"),
               [](const Analyzed& a, OpsBy) { return memory_table(a); }, memory_sentences},
    TableEntry{"tensors", marked("Each tensor with its device, type, shape, role and bytes"),
               [](const Analyzed& a, OpsBy) { return tensors_table(a); }, device_sentences},
    TableEntry{"verdicts", marked("The limit of each op, and why"),
               [](const Analyzed& a, OpsBy) { return verdicts_table(a); }, byte_sentences},
    TableEntry{"findings", marked("Changes to try, with their potential savings"),
               [](const Analyzed& a, OpsBy) { return findings_table(a); }},
    TableEntry{"rules", marked("Thresholds of verdicts and findings"),
               [](const Analyzed& a, OpsBy) { return rules_table(a.rules); }},
    TableEntry{.name = "transfers",
               .help = marked("Copies to and from GPUs, by tensor and reason"),
               .why_empty = no_gpu_work,
               .without_ops = true,
               .together = transfers_text},
    TableEntry{"links", marked("Time per copy and bandwidth of links to GPUs"),
               [](const Analyzed& a, OpsBy) { return links_table(*a.capture); }, nullptr, no_gpu_work, true},
    TableEntry{.name = "overlap",
               .help = marked("What GPUs do at once: compute, communicate, copy, wait"),
               .why_empty = no_gpu_work,
               .without_ops = true,
               .together = overlap_text},
    TableEntry{.name = "communication",
               .help = marked("Collectives: time, exposed time, bandwidths, skew of ranks"),
               .why_empty = no_communication,
               .without_ops = true,
               .together = communication_text},
    TableEntry{.name = "collectives",
               .help = marked("Each collective call with its step, layer and ranks"),
               .why_empty = no_communication,
               .without_ops = true,
               .together = collectives_text},
    TableEntry{.name = "critical_path",
               .help = marked("The chain of work and waits that a step is as long as"),
               .why_empty = no_path,
               .without_ops = true,
               .together = critical_path_text},
    TableEntry{"kernels", marked("Durations of each kernel: mean, least, median, most"),
               [](const Analyzed& a, OpsBy) { return kernels_table(*a.capture); }, nullptr, no_gpu_work, true},
    TableEntry{"launches", marked("Kernels that each op launched: grid, blocks, threads"),
               [](const Analyzed& a, OpsBy) { return launches_table(*a.capture); },
               [](const Analyzed& a) { return launches_sentences(*a.capture); }, no_gpu_work, true},
    TableEntry{"quantiles", marked("How the durations of ops and calls are distributed"),
               [](const Analyzed& a, OpsBy) { return quantiles_table(*a.capture); },
               [](const Analyzed& a) { return quantiles_sentences(*a.capture); }, no_times, true},
    TableEntry{"calls", marked("Durations of each call of the CUDA runtime and driver"),
               [](const Analyzed& a, OpsBy) { return calls_table(*a.capture); }, nullptr, no_calls, true},
    TableEntry{"ranges", marked("Named ranges (NVTX, record_function, spans): total, self, nesting"),
               [](const Analyzed& a, OpsBy) { return ranges_table(*a.capture); }, nullptr, no_ranges, true},
    TableEntry{"launch_queue", marked("Work launched and not begun, by stream"),
               [](const Analyzed& a, OpsBy) { return launch_queue_table(*a.capture); }, nullptr, no_gpu_work, true},
    TableEntry{.name = "pipeline", .help = marked("Lanes of the data loader"), .together = pipeline_text},
    TableEntry{"latency", marked("Chains of dependent operations: ns each, operations per second"),
               [](const Analyzed& a, OpsBy) { return latency_table(a); }, latency_sentences, no_chains},
    TableEntry{"divergence", marked("Lanes in lockstep: work done against work kept, predicted and measured factor"),
               [](const Analyzed& a, OpsBy) { return divergence_table(a); }, divergence_sentences, no_branches},
    TableEntry{"results", marked("What a step put out: checksum, range, mean, norm"),
               [](const Analyzed& a, OpsBy) { return results_table(*a.capture); },
               [](const Analyzed& a) { return results_sentences(*a.capture); }, no_results},
    TableEntry{"instructions", marked("Loads, stores and branches of each op's loops, per multiply-add"),
               [](const Analyzed& a, OpsBy) { return instructions_table(a); }, instructions_sentences},
    TableEntry{"versions", marked("Layers that compute the same: speed-up, rate, error, tensors, library"),
               [](const Analyzed& a, OpsBy) { return versions_table(a); }, versions_sentences, no_versions},
    TableEntry{"reuse", marked("Bytes touched from one use of each buffer to the next"),
               [](const Analyzed& a, OpsBy) { return reuse_table(a); }, reuse_sentences},
    TableEntry{"on_chip", marked("Bytes of a step off the chip, over the memory on it"),
               [](const Analyzed& a, OpsBy) { return on_chip_table(a); }, on_chip_sentences, no_on_chip},
    TableEntry{"process_memory", marked("Resident bytes of the process: tensors, files, and what has no owner"),
               [](const Analyzed& a, OpsBy) { return process_memory_table(a); }, process_memory_sentences,
               no_process_memory},
    TableEntry{"sequence", marked("Whether each step runs the same ops in the same order"),
               [](const Analyzed& a, OpsBy) { return sequence_table(a); }, sequence_sentences, no_sequence},
    TableEntry{"network", marked("Tensors that one op writes and another reads"),
               [](const Analyzed& a, OpsBy) { return network_table(a); }, network_sentences, no_edges},
    TableEntry{"tape", marked("What each op stores and frees, and what is kept for the backward pass"),
               [](const Analyzed& a, OpsBy) { return tape_table(*a.capture); }, nullptr, no_tape},
    TableEntry{"tokens", marked("A language model's step by its tokens: rate and bytes of each"),
               [](const Analyzed& a, OpsBy) { return tokens_table(a); }, token_sentences, no_tokens},
    TableEntry{"fusion", marked("Pairs of ops: fused or not, and why"),
               [](const Analyzed& a, OpsBy) { return fusion_table(a); }, fusion_sentences},
    TableEntry{"fused_ops", marked("Bytes and dispatches that each fused op saves"),
               [](const Analyzed& a, OpsBy) { return fused_ops_table(a); }, fusion_sentences},
    TableEntry{"storage", marked("Shape, strides and offset of each tensor, whose bytes, bytes moved"),
               [](const Analyzed& a, OpsBy) { return storage_table(*a.capture); },
               [](const Analyzed& a) { return storage_sentences(*a.capture); }, no_storage},
    TableEntry{"values", marked("Each tensor of a step: least, largest, mean, NaN, histogram (--collect values)"),
               [](const Analyzed& a, OpsBy) { return values_table(*a.capture); },
               [](const Analyzed& a) { return values_sentences(*a.capture); }, no_values}};

}  // namespace

Table TableEntry::table(const Analyzed& analyzed, OpsBy by) const {
  return together != nullptr ? together(analyzed).table : make(analyzed, by);
}

TableText TableEntry::text(const Analyzed& analyzed, OpsBy by) const {
  if (together != nullptr) return together(analyzed);
  return {make(analyzed, by), sentences != nullptr ? sentences(analyzed) : Sentences()};
}

std::span<const TableEntry> table_catalog() { return kTables; }

const std::vector<std::string>& table_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const TableEntry& entry : kTables) all.emplace_back(entry.name);
    return all;
  }();
  return names;
}

engine::Result<const TableEntry*> find_table(const std::string& name) {
  if (const auto found = std::ranges::find(kTables, name, &TableEntry::name); found != kTables.end()) return &*found;
  return engine::usage_error(fmt::format("[table] unknown table \"{}\"{} There are: {}", name,
                                         engine::did_you_mean(name, table_names()), fmt::join(table_names(), ", ")));
}

std::string why_empty(const TableEntry& entry, const Analyzed& analyzed) {
  if (!entry.without_ops && analyzed.capture->ops().empty())
    return say("No rows: no ops were recorded, only what the timeline shows.");
  const std::string why = entry.why_empty != nullptr ? entry.why_empty(analyzed) : std::string();
  return why.empty() ? say("No rows.") : why;
}

engine::Result<Table> table_by_name(const Analyzed& analyzed, const std::string& name, OpsBy by) {
  const engine::Result<const TableEntry*> entry = find_table(name);
  if (!entry) return entry.error();
  return (*entry)->table(analyzed, by);
}

}  // namespace profiler
