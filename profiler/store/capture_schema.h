// SPDX-License-Identifier: Apache-2.0
// The tables of a .tide file: what writer and reader agree on.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "profiler/capture/capture.h"
#include "profiler/store/sqlite.h"

namespace profiler {

inline constexpr uint32_t kApplicationId = 0x54494445;  ///< "TIDE"
/// user_version; a file with a higher one is from a newer program, one with a lower one is read. 2: GPU tables and
/// losses. 3: facts of kernels.
inline constexpr uint32_t kSchemaNumber = 3;
inline constexpr uint32_t kSchemaWithFacts = 3;  ///< of older files, kernels' names tell them (facts_from_name.h)
inline constexpr std::string_view kArgumentPrefix = "argument.";  ///< keys of TIDE_RUN that hold a workload argument
inline constexpr std::string_view kClosedKey = "closed";  ///< key of TIDE_RUN: 1 when the writer's close() was reached
inline constexpr int kPushPopRange = 59;                  ///< NVTX_EVENTS.eventType, ENUM_NSYS_EVENT_TYPE

/// One table: nsys 3.25 names and types where nsys has the table, TIDE_* else.
struct TableSpec {
  std::string name;
  std::string definition;  ///< what follows CREATE TABLE name
  std::string columns;     ///< all columns in order, as read, written and summed
  bool lazy = false;       ///< made with its first row: a file may lack it
};

enum class Tide : uint8_t {
  strings,
  events,
  thread_names,
  processes,
  export_info,
  capture_info,
  session,
  details,
  event_types,
  run,
  notes,
  machine,
  tracks,
  ops,
  operands,
  tensors,
  steps,
  activity_kinds,
  kernels,  // kernels to overheads: rows are activities
  copies,
  memsets,
  api_calls,
  synchronizations,
  overheads,
  gpus,
  gpu_contexts,
  gpu_streams,
  copy_kinds,
  memory_kinds,
  sync_kinds,
  counters,
  counter_values,
  collectives,
  op_attributes,
  traffic_sources,
  traffic_links,
  traffic_notes,
  traffic,
  miss_causes,
  strided_misses,
  top_down,
  fused_members,
  fusion_pairs,
  op_threads,
  kernel_facts,
  lane_work,
  ranks,
  rank_tracks,
  rank_steps,
  results,
  checksums
};
const TableSpec& spec(Tide);
std::span<const TableSpec> all_tables();  ///< in the order of Tide; checksums last

/// Calls f(key, member) for every scalar of a run: strings, ints, uint64_t, bools and doubles. One
/// list for writer and reader.
template <class Run, class Honest, class F>
void visit_run(Run& run, Honest& honesty, F&& f) {
  f("workload", run.workload);
  f("title", run.title);
  f("device", run.device);
  f("threads", run.threads);
  f("seed", run.seed);
  f("command", run.command);
  f("created_at", run.created_at);
  f("product_version", run.product_version);
  f("parameter_count", run.parameter_count);
  f("matrix_weight_count", run.matrix_weight_count);
  f("arena_bytes", run.arena_bytes);
  f("persistent_bytes", run.persistent_bytes);
  f("workspace_bytes", run.workspace_bytes);
  f("arena_bytes_without_reuse", run.arena_bytes_without_reuse);
  f("complete", run.complete);
  f("incomplete_reason", run.incomplete_reason);
  f("cost_ratio", honesty.cost_ratio);
  f("cost_noise_ratio", honesty.cost_noise_ratio);
  f("cost_bound_ratio", honesty.cost_bound_ratio);
  f("dropped_records", honesty.dropped_records);
  f("clock_drift_ratio", honesty.clock_drift_ratio);
  f("foreign_load_ratio", honesty.foreign_load_ratio);
}

/// The same for what came with format 2; a file of format 1 has none of it.
template <class Run, class Honest, class F>
void visit_run_since_2(Run& run, Honest& honesty, F&& f) {
  f("source", run.source);
  f("gpu_dropped_records", honesty.gpu_losses.dropped);
  f("gpu_untimed_records", honesty.gpu_losses.untimed);
  f("gpu_unattributed_records", honesty.gpu_losses.unattributed);
  f("gpu_unreadable_records", honesty.gpu_losses.unreadable);
  f("gpu_clock_steps", honesty.gpu_losses.clock_steps);
}

/// The same for figures and texts that a file may lack: NaN or empty then. Readers pass over keys they do not know, so
/// that format 2 stays.
template <class Run, class Honest, class F>
void visit_run_optional(Run& run, Honest& honesty, F&& f) {
  f("step_energy_j", run.step_energy_j);
  f("read_bytes_per_batch", run.read_bytes_per_batch);
  f("spin_ns", honesty.spin_ns);
  f("throttle_events", honesty.throttle_events);
  f("asleep_ratio", honesty.asleep_ratio);
  f("queued_ratio", honesty.queued_ratio);
  f("dtype_choices", run.dtype_choices);
  f("device_traits", run.device_traits);
}

/// Rows and XXH3-64 over all values (type and bytes, in rowid order) of one table.
struct TableSum {
  int64_t rows = 0;
  std::string xxh3;  ///< 16 hex digits
  friend bool operator==(const TableSum&, const TableSum&) = default;
};

/// Sums rows as they are stepped over.
class RowHasher {
 public:
  RowHasher();
  ~RowHasher();
  RowHasher(const RowHasher&) = delete;
  RowHasher& operator=(const RowHasher&) = delete;
  void add_row(sqlite3_stmt*);
  TableSum sum() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::string row_;
  int64_t rows_ = 0;
};

/// SELECT of all columns in rowid order.
std::string select_all(const TableSpec&);
engine::Result<TableSum> sum_table(const sqlite::Database&, const TableSpec&);

std::string_view track_kind_name(TrackKind);

}  // namespace profiler
