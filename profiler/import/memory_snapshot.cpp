// SPDX-License-Identifier: Apache-2.0
// Memory snapshots of PyTorch (torch.cuda.memory._dump_snapshot): what its allocator held over time.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "profiler/import/importer.h"
#include "profiler/import/pickle.h"
#include "profiler/store/sqlite.h"

namespace profiler {
namespace {

using engine::Result;
using Kind = PickleValue::Kind;

/// -1: unknown.
int64_t figure(const Pickle& pickle, const PickleValue& dictionary, std::string_view key) {
  const PickleValue value = pickle.at(dictionary, key);
  constexpr int64_t kMost = int64_t{1} << 53;
  return value.kind == Kind::integer && value.integer >= 0 && value.integer < kMost ? value.integer : -1;
}

/// Bytes of one device when the snapshot was taken.
struct Held {
  double allocated = 0, reserved = 0;
};

/// What an event of the allocator's history adds.
struct BytesChange {
  int64_t time_ns = 0;
  double allocated = 0, reserved = 0;
};

std::map<int64_t, Held> held_at_end(const Pickle& pickle, TraceBuilder& builder) {
  std::map<int64_t, Held> devices;
  for (const PickleValue& segment : pickle.items(pickle.at(pickle.root(), "segments"))) {
    const int64_t device = figure(pickle, segment, "device"), size = figure(pickle, segment, "total_size");
    if (device < 0 || size < 0) {
      builder.findings().add(Finding::bad_row, "a segment without device or size");
      continue;
    }
    Held& held = devices[device];
    held.reserved += static_cast<double>(size);
    for (const PickleValue& block : pickle.items(pickle.at(segment, "blocks"))) {
      const int64_t bytes = figure(pickle, block, "size");
      if (bytes >= 0 && pickle.text(pickle.at(block, "state")) == "active_allocated")
        held.allocated += static_cast<double>(bytes);
    }
  }
  return devices;
}

std::vector<BytesChange> history_of(const Pickle& pickle, const PickleValue& events, TraceBuilder& builder) {
  std::vector<BytesChange> changes;
  for (const PickleValue& event : pickle.items(events)) {
    const std::string_view action = pickle.text(pickle.at(event, "action"));
    const bool gets = action == "alloc", frees = action == "free_completed", maps = action == "segment_alloc",
               unmaps = action == "segment_free", maps_part = action == "segment_map",
               unmaps_part = action == "segment_unmap";
    if (!gets && !frees && !maps && !unmaps && !maps_part && !unmaps_part) continue;  // requests, snapshots, failures
    const int64_t time_us = figure(pickle, event, "time_us"), size = figure(pickle, event, "size");
    if (time_us < 0 || size < 0 || time_us > kLatestTime / 1000) {
      builder.findings().add(Finding::bad_row, "an event of the allocator without time or size");
      continue;
    }
    const auto bytes = static_cast<double>(size);
    BytesChange change{.time_ns = time_us * 1000};
    if (gets || frees) change.allocated = gets ? bytes : -bytes;
    else change.reserved = maps || maps_part ? bytes : -bytes;
    changes.push_back(change);
  }
  std::ranges::stable_sort(changes, {}, &BytesChange::time_ns);
  return changes;
}

/// The history ends with what the snapshot holds: so it began with that less all changes.
void add_device(TraceBuilder& builder, int64_t device, const Held& end, const std::vector<BytesChange>& changes) {
  const std::string group = fmt::format("GPU {}", device);
  double allocated = end.allocated, reserved = end.reserved;
  for (const BytesChange& change : changes) allocated -= change.allocated, reserved -= change.reserved;
  if (changes.empty()) {
    builder.add_counter_value("allocated", group, "B", 0, end.allocated);
    builder.add_counter_value("reserved", group, "B", 0, end.reserved);
  }
  for (const BytesChange& change : changes) {
    allocated += change.allocated, reserved += change.reserved;
    if (change.allocated != 0) builder.add_counter_value("allocated", group, "B", change.time_ns, allocated);
    if (change.reserved != 0) builder.add_counter_value("reserved", group, "B", change.time_ns, reserved);
  }
  const TraceBuilder::Lane lane = builder.lane(0x4d53000000000000u | static_cast<uint64_t>(device));
  builder.name_lane(lane, TrackKind::host_thread, "history of the allocator", group);
  const int64_t begin = changes.empty() ? 0 : changes.front().time_ns,
                last = changes.empty() ? 1 : changes.back().time_ns;
  builder.add_range({.start_ns = begin,
                     .duration_ns = std::max<int64_t>(1, last - begin),
                     .name = builder.intern("recorded history"),
                     .track = lane});
}

int confidence(std::string_view first) {
  const bool pickle = first.size() > 2 && first[0] == '\x80' && first[1] >= 2 && first[1] <= 5;
  return pickle && first.find("segments") != first.npos ? 4 : 0;
}

Result<void> read(const std::filesystem::path& file, TraceBuilder& builder, const ImportControl& control) {
  const Result<Pickle> pickle = Pickle::read(file, control);
  if (!pickle) return pickle.error();
  if (pickle->root().kind != Kind::dictionary || pickle->at(pickle->root(), "segments").kind != Kind::list)
    return engine::refused_error(
        fmt::format("{}: is a pickle without \"segments\": no memory snapshot of PyTorch", sqlite::shown(file)));
  std::map<int64_t, Held> devices = held_at_end(*pickle, builder);
  const std::vector<PickleValue>& traces = pickle->items(pickle->at(pickle->root(), "device_traces"));
  for (size_t i = 0; i < traces.size(); ++i) {
    if (!pickle->items(traces[i]).empty()) devices.try_emplace(static_cast<int64_t>(i));
  }
  bool histories = false;
  for (const auto& [device, held] : devices) {
    const bool recorded = static_cast<size_t>(device) < traces.size();
    const std::vector<BytesChange> changes =
        recorded ? history_of(*pickle, traces[static_cast<size_t>(device)], builder) : std::vector<BytesChange>();
    histories = histories || !changes.empty();
    if (device < 4096) add_device(builder, device, held, changes);
  }
  builder.honesty().notes.emplace_back(
      histories ? "Import: a memory snapshot holds what the allocator did, and no ops or kernels."
                : "Import: the snapshot holds no history: torch.cuda.memory._record_memory_history() records it.");
  return {};
}

}  // namespace

Importer memory_snapshot_importer() {
  return {.name = "memory",
          .title = "PyTorch memory snapshot",
          .help = "pickle of torch.cuda.memory._dump_snapshot: bytes over time",
          .confidence = confidence,
          .read = read};
}

}  // namespace profiler
