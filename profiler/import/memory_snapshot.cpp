// SPDX-License-Identifier: Apache-2.0
// Memory snapshots of PyTorch (torch.cuda.memory._dump_snapshot): what its allocator held over time.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

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

/// An event of the history; a snapshot holds millions, each with the stack of its call.
struct AllocatorEvent {
  enum class Kind : uint8_t { other, gets, frees, maps, unmaps };
  int64_t time_us = -1, size = -1;
  Kind kind = Kind::other;  ///< other: requests, snapshots, failures
};

/// What counts of events and blocks; the pickle forgets the rest, as it reads them.
class KeptEvents {
 public:
  std::optional<int64_t> shorten(const Pickle& pickle, const PickleValue& dictionary) {
    if (const std::string_view state = pickle.text(pickle.at(dictionary, "state")); !state.empty()) {
      const int64_t bytes = figure(pickle, dictionary, "size");
      return state == "active_allocated" && bytes >= 0 ? bytes : 0;
    }
    const std::string_view action = pickle.text(pickle.at(dictionary, "action"));
    if (action.empty()) return {};
    using enum AllocatorEvent::Kind;
    constexpr std::pair<std::string_view, AllocatorEvent::Kind> kKinds[] = {
        {"alloc", gets},       {"free_completed", frees}, {"segment_alloc", maps},
        {"segment_map", maps}, {"segment_free", unmaps},  {"segment_unmap", unmaps}};
    AllocatorEvent event{.time_us = figure(pickle, dictionary, "time_us"), .size = figure(pickle, dictionary, "size")};
    for (const auto& [word, kind] : kKinds) {
      if (word == action) event.kind = kind;
    }
    events_.push_back(event);
    return static_cast<int64_t>(events_.size() - 1);
  }
  /// Null: the item of a list is no event.
  const AllocatorEvent* event(const PickleValue& item) const {
    const bool is =
        item.kind == Kind::integer && item.integer >= 0 && static_cast<size_t>(item.integer) < events_.size();
    return is ? &events_[static_cast<size_t>(item.integer)] : nullptr;
  }

 private:
  std::vector<AllocatorEvent> events_;
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
    for (const PickleValue& bytes : pickle.items(pickle.at(segment, "blocks"))) {
      if (bytes.kind == Kind::integer) held.allocated += static_cast<double>(bytes.integer);
    }
  }
  return devices;
}

BytesChange change_of(const AllocatorEvent& event, int64_t time_ns) {
  using enum AllocatorEvent::Kind;
  const bool of_program = event.kind == gets || event.kind == frees, less = event.kind == frees || event.kind == unmaps;
  const double bytes = static_cast<double>(event.size) * (less ? -1 : 1);
  return {time_ns, of_program ? bytes : 0, of_program ? 0 : bytes};
}

/// Whether no event has a time, as PyTorch before 2.2 wrote them: they are in order, and count as their time.
bool is_timeless(const Pickle& pickle, const PickleValue& list, const KeptEvents& events) {
  return std::ranges::none_of(pickle.items(list), [&](const PickleValue& item) {
    const AllocatorEvent* event = events.event(item);
    return event != nullptr && event->time_us >= 0;
  });
}

std::vector<BytesChange> history_of(const Pickle& pickle, const PickleValue& list, const KeptEvents& events,
                                    bool timeless, TraceBuilder& builder) {
  std::vector<BytesChange> changes;
  int64_t number = 0;
  for (const PickleValue& item : pickle.items(list)) {
    const AllocatorEvent* event = events.event(item);
    using enum AllocatorEvent::Kind;
    if (event == nullptr || event->kind == other) continue;
    const int64_t time_us = timeless ? number++ : event->time_us;
    if (time_us < 0 || event->size < 0 || time_us > kLatestTime / 1000) {
      builder.findings().add(Finding::bad_row, "an event of the allocator without time or size");
      continue;
    }
    changes.push_back(change_of(*event, time_us * 1000));
  }
  std::ranges::stable_sort(changes, {}, &BytesChange::time_ns);
  return changes;
}

/// The history ends with what the snapshot holds: so it began with that less all changes.
void add_device(TraceBuilder& builder, int64_t device, const Held& end, const std::vector<BytesChange>& changes) {
  const std::string group = fmt::format("GPU {}", device);
  double allocated = end.allocated, reserved = end.reserved;
  for (const BytesChange& change : changes) allocated -= change.allocated, reserved -= change.reserved;
  const auto changed = [&](double BytesChange::*part) {
    return std::ranges::any_of(changes, [part](const BytesChange& change) { return change.*part != 0; });
  };
  const int64_t first_ns = changes.empty() ? 0 : changes.front().time_ns;
  if (!changed(&BytesChange::allocated)) builder.add_counter_value("allocated", group, "B", first_ns, end.allocated);
  if (!changed(&BytesChange::reserved)) builder.add_counter_value("reserved", group, "B", first_ns, end.reserved);
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
  KeptEvents events;
  const Result<Pickle> pickle = Pickle::read(file, control, [&events](const Pickle& p, const PickleValue& dictionary) {
    return events.shorten(p, dictionary);
  });
  if (!pickle) return pickle.error();
  if (pickle->root().kind != Kind::dictionary || pickle->at(pickle->root(), "segments").kind != Kind::list)
    return engine::refused_error(
        fmt::format("{}: is a pickle without \"segments\": no memory snapshot of PyTorch", sqlite::shown(file)));
  std::map<int64_t, Held> devices = held_at_end(*pickle, builder);
  const std::vector<PickleValue>& traces = pickle->items(pickle->at(pickle->root(), "device_traces"));
  for (size_t i = 0; i < traces.size(); ++i) {
    if (!pickle->items(traces[i]).empty()) devices.try_emplace(static_cast<int64_t>(i));
  }
  bool histories = false, timeless = false;
  for (const auto& [device, held] : devices) {
    const bool recorded = static_cast<size_t>(device) < traces.size();
    std::vector<BytesChange> changes;
    if (recorded) {
      const PickleValue& list = traces[static_cast<size_t>(device)];
      const bool by_number = is_timeless(*pickle, list, events);
      changes = history_of(*pickle, list, events, by_number, builder);
      timeless = timeless || (by_number && !changes.empty());
    }
    histories = histories || !changes.empty();
    if (device < 4096) add_device(builder, device, held, changes);
  }
  if (timeless) {
    builder.honesty().notes.emplace_back(
        "Import: events of the allocator have no time (PyTorch before 2.2): each counts as a microsecond, in their "
        "order. No duration is measured.");
    builder.add_step({.index = 0, .start_ns = 0, .duration_ns = 1, .traced = false});
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
