// SPDX-License-Identifier: Apache-2.0
// SQLite exports of NVIDIA Nsight Systems, schema 3.x: kernels, copies, API calls, NVTX ranges, synchronisation, GPU
// metrics.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <unordered_set>

#include "profiler/import/importer.h"
#include "profiler/import/nsys_host.h"
#include "profiler/import/nsys_tables.h"
#include "profiler/store/capture_schema.h"
#include "profiler/store/capture_target.h"

namespace profiler {
namespace {

using engine::refused_error;
using engine::Result;

class NsysReader {
 public:
  NsysReader(const NsysTables& tables, TraceBuilder& builder, const ImportControl& control)
      : tables_(tables), builder_(builder), control_(control) {}
  Result<void> read();

 private:
  Result<void> read_version();
  Result<void> read_names();
  Result<void> read_session();
  Result<void> read_devices();
  Result<void> read_processes();
  Result<void> read_kernels();
  Result<void> read_graphs();
  Result<void> read_copies();
  Result<void> read_memsets();
  Result<void> read_api();
  Result<void> read_synchronization();
  Result<void> read_overhead();
  Result<void> read_nvtx();
  Result<void> read_memory();
  Result<void> read_metrics();
  Result<void> read_host();
  Result<void> read_diagnostics();
  Result<void> note_what_is_not_read();
  void close_open_ranges();

  /// Name of an id; where the id points nowhere, the id itself.
  NameId name(const NsysRow& row, int column);
  /// Start and duration of two columns; false: the row cannot be used.
  bool span(const NsysRow& row, const char* table, int start, int end, Activity& a);
  TraceBuilder::Lane thread(int64_t global_tid);
  std::string thread_name(int64_t global_tid) const;
  uint32_t process_of(int64_t global_id);
  GpuPlace place(const NsysRow& row, int device) const {
    return {row.figure(device), row.figure(device + 1), row.figure(device + 2)};
  }
  template <class Kind>
  Kind kind(const NsysRow& row, int column, int count, Kind unknown);

  const NsysTables& tables_;
  TraceBuilder& builder_;
  const ImportControl& control_;
  std::unordered_map<int64_t, std::string> strings_;
  std::unordered_map<int64_t, NameId> interned_;
  std::unordered_map<int64_t, uint32_t> processes_;  // by pid
  std::unordered_map<int64_t, std::string> process_names_, thread_names_;
  std::unordered_set<uint64_t> launched_kernels_;  // correlations
  std::vector<Activity> open_ranges_;
  int64_t last_ns_ = kEarliestTime;  // end of what was read
};

int64_t pid_of(int64_t global_id) { return (global_id >> 24) & 0xffffff; }

NameId NsysReader::name(const NsysRow& row, int column) {
  const int64_t id = row.integer(column, -1);
  if (const auto known = interned_.find(id); known != interned_.end()) return known->second;
  const auto text = strings_.find(id);
  if (text == strings_.end()) builder_.findings().add(Finding::missing_name, fmt::format("id {}", id));
  const NameId made = builder_.intern(text == strings_.end() ? fmt::format("name_{}", id) : text->second);
  interned_[id] = made;
  return made;
}

bool NsysReader::span(const NsysRow& row, const char* table, int start, int end, Activity& a) {
  if (!row.has(start) || !row.has(end)) {
    builder_.findings().add(Finding::bad_row, fmt::format("in {}: start or end is no integer", table));
    return false;
  }
  a.start_ns = row.integer(start, 0);
  const int64_t end_ns = row.integer(end, 0);
  if (!is_time(a.start_ns) || !is_time(end_ns)) {
    builder_.findings().add(Finding::bad_row, fmt::format("in {}: from {} to {} ns, possible are {} to {}", table,
                                                          a.start_ns, end_ns, kEarliestTime, kLatestTime));
    return false;
  }
  a.duration_ns = end_ns - a.start_ns;
  last_ns_ = std::max(last_ns_, end_ns);
  return true;
}

uint32_t NsysReader::process_of(int64_t global_id) {
  return processes_.try_emplace(pid_of(global_id), static_cast<uint32_t>(processes_.size() % 4096)).first->second;
}

std::string NsysReader::thread_name(int64_t global_tid) const {
  const auto known = thread_names_.find(global_tid);
  return known == thread_names_.end() ? fmt::format("thread {}", global_tid & 0xffffff)
                                      : fmt::format("{} ({})", known->second, global_tid & 0xffffff);
}

TraceBuilder::Lane NsysReader::thread(int64_t global_tid) {
  const auto lane = builder_.lane(static_cast<uint64_t>(global_tid) & ~(uint64_t{1} << 63));
  if (builder_.lane_named(lane)) return lane;
  const int64_t pid = pid_of(global_tid);
  const auto process = process_names_.find(pid);
  builder_.name_lane(
      lane, TrackKind::host_thread, thread_name(global_tid),
      process == process_names_.end() ? fmt::format("process {}", pid) : fmt::format("{} ({})", process->second, pid));
  return lane;
}

template <class Kind>
Kind NsysReader::kind(const NsysRow& row, int column, int count, Kind unknown) {
  if (!row.has(column)) return unknown;
  const int64_t value = row.integer(column, -1);
  if (value >= 0 && value < count) return static_cast<Kind>(value);
  builder_.findings().add(Finding::unknown_kind, fmt::format("{}", value));
  return unknown;
}

Result<void> NsysReader::read_version() {
  int64_t major = 3;
  std::string version;
  Result<void> done = tables_.each("META_DATA_EXPORT", {"name", "value"}, 0, [&](const NsysRow& row) {
    if (row.text(0) == "EXPORT_SCHEMA_VERSION") version = row.text(1).substr(0, 40);
    if (row.text(0) == "EXPORT_SCHEMA_VERSION_MAJOR") {
      const std::string text(row.text(1));
      major = row.has(1) ? row.integer(1, 3) : 3;
      std::from_chars(text.data(), text.data() + text.size(), major);
    }
  });
  if (done && major != 3) {
    return refused_error(fmt::format("{}: has schema {} ({}); schema 3 is read: export it with nsys 2023.3 to 2026.4",
                                     sqlite::shown(tables_.file()), major, sqlite::shown(version)));
  }
  if (done && !version.empty()) builder_.run().arguments["nsys_schema"] = sqlite::shown(version);
  return done;
}

Result<void> NsysReader::read_names() {
  return tables_.each("StringIds", {"id", "value"}, 2, [&](const NsysRow& row) {
    if (row.has(0)) strings_.try_emplace(row.integer(0, 0), row.text(1));
  });
}

Result<void> NsysReader::read_session() {
  return tables_.each("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"}, 0, [&](const NsysRow& row) {
    if (const int64_t epoch = row.integer(0, 0); epoch > 0 && epoch < int64_t{4} << 60) builder_.set_base(epoch);
  });
}

Result<void> NsysReader::read_processes() {
  Result<void> done = tables_.each("PROCESSES", {"globalPid", "name"}, 0, [&](const NsysRow& row) {
    if (row.has(0)) process_names_.try_emplace(pid_of(row.integer(0, 0)), row.text(1).substr(0, 200));
  });
  if (!done) return done;
  return tables_.each("ThreadNames", {"globalTid", "nameId"}, 0, [&](const NsysRow& row) {
    const auto text = strings_.find(row.integer(1, -1));
    if (row.has(0) && text != strings_.end()) thread_names_.try_emplace(row.integer(0, 0), text->second.substr(0, 200));
  });
}

Result<void> NsysReader::read_devices() {
  std::map<int64_t, int32_t> ordinals;  // TARGET_INFO_GPU.id is not the ordinal of CUDA
  Result<void> done = tables_.each("TARGET_INFO_CUDA_DEVICE", {"gpuId", "cudaId"}, 0, [&](const NsysRow& row) {
    if (row.has(0) && row.has(1)) ordinals.try_emplace(row.integer(0, 0), row.figure(1));
  });
  if (!done) return done;
  return tables_.each(
      "TARGET_INFO_GPU",
      {"id", "cuDevice", "name", "chipName", "uuid", "busLocation", "computeMajor", "computeMinor", "smCount",
       "asyncEngines", "totalMemory", "l2CacheSize", "memoryBandwidth", "clockRate"},
      1, [&](const NsysRow& row) {
        GpuDevice d;
        const auto ordinal = ordinals.find(row.integer(0, -1));
        d.device = ordinal != ordinals.end() ? ordinal->second : row.figure(row.has(1) ? 1 : 0);
        d.name = row.text(2), d.chip = row.text(3), d.uuid = row.text(4), d.bus = row.text(5);
        d.compute_major = row.figure(6), d.compute_minor = row.figure(7), d.multiprocessors = row.figure(8);
        d.copy_engines = row.figure(9);
        d.memory_bytes = row.count(10), d.l2_bytes = row.count(11), d.memory_bytes_per_s = row.count(12);
        d.clock_hz = row.count(13);
        builder_.add_device(std::move(d));
      });
}

Result<void> NsysReader::read_kernels() {
  return tables_.each(
      "CUPTI_ACTIVITY_KIND_KERNEL",
      {"start",
       "end",
       "deviceId",
       "contextId",
       "streamId",
       "correlationId",
       "globalPid",
       "demangledName",
       "shortName",
       "gridX",
       "gridY",
       "gridZ",
       "blockX",
       "blockY",
       "blockZ",
       "clusterX",
       "clusterY",
       "clusterZ",
       "registersPerThread",
       "staticSharedMemory",
       "dynamicSharedMemory",
       "localMemoryTotal",
       "graphId",
       "graphNodeId"},
      2, [&](const NsysRow& row) {
        Activity a;
        if (!span(row, "CUPTI_ACTIVITY_KIND_KERNEL", 0, 1, a)) return;
        a.name = name(row, row.has(7) ? 7 : 8);
        a.correlation = builder_.correlation(row.integer(5, 0), process_of(row.integer(6, 0)));
        KernelRecord k{.place = place(row, 2)};
        for (int i = 0; i < 3; ++i) {
          k.grid[static_cast<size_t>(i)] = row.figure(9 + i);
          k.block[static_cast<size_t>(i)] = row.figure(12 + i);
          k.cluster[static_cast<size_t>(i)] = row.figure(15 + i);
        }
        k.registers_per_thread = row.figure(18);
        k.static_shared_bytes = row.count(19), k.dynamic_shared_bytes = row.count(20), k.local_bytes = row.count(21);
        k.graph = static_cast<uint64_t>(row.integer(22, 0)), k.graph_node = static_cast<uint64_t>(row.integer(23, 0));
        a.track = builder_.stream_lane(k.place.device, k.place.stream, process_of(row.integer(6, 0)));
        launched_kernels_.insert(a.correlation);
        builder_.add(a, k);
      });
}

/// Launches of CUDA graphs that were traced as a whole, as nsys does unless it is asked for their nodes.
Result<void> NsysReader::read_graphs() {
  return tables_.each("CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                      {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "graphId"}, 2,
                      [&](const NsysRow& row) {
                        Activity a;
                        if (!span(row, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", 0, 1, a)) return;
                        a.correlation = builder_.correlation(row.integer(5, 0), process_of(row.integer(6, 0)));
                        if (a.correlation != 0 && launched_kernels_.contains(a.correlation))
                          return;  // its kernels are there
                        KernelRecord k{.place = place(row, 2)};
                        k.graph = static_cast<uint64_t>(std::max<int64_t>(0, row.integer(7, 0)));
                        a.name = builder_.intern(row.has(7) ? fmt::format("CUDA_graph_{}", row.integer(7, 0))
                                                            : std::string("CUDA_graph"));
                        a.track = builder_.stream_lane(k.place.device, k.place.stream, process_of(row.integer(6, 0)));
                        builder_.findings().add(Finding::whole_graph, builder_.name(a.name));
                        builder_.add(a, k);
                      });
}

Result<void> NsysReader::read_copies() {
  return tables_.each("CUPTI_ACTIVITY_KIND_MEMCPY",
                      {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "bytes",
                       "copyKind", "srcKind", "dstKind", "srcDeviceId", "dstDeviceId", "copyCount", "graphNodeId"},
                      2, [&](const NsysRow& row) {
                        Activity a;
                        if (!span(row, "CUPTI_ACTIVITY_KIND_MEMCPY", 0, 1, a)) return;
                        CopyRecord c{.place = place(row, 2)};
                        c.kind = kind(row, 8, kCopyKindCount, CopyKind::unknown);
                        c.source = kind(row, 9, kMemoryKindCount, MemoryKind::unknown);
                        c.destination = kind(row, 10, kMemoryKindCount, MemoryKind::unknown);
                        c.bytes = row.count(7);
                        c.source_device = row.figure(11), c.destination_device = row.figure(12),
                        c.copies = row.figure(13);
                        c.graph_node = static_cast<uint64_t>(row.integer(14, 0));
                        a.name = builder_.intern(fmt::format("copy {}", profiler::name(c.kind)));
                        a.correlation = builder_.correlation(row.integer(5, 0), process_of(row.integer(6, 0)));
                        a.track = builder_.stream_lane(c.place.device, c.place.stream, process_of(row.integer(6, 0)));
                        builder_.add(a, c);
                      });
}

Result<void> NsysReader::read_memsets() {
  return tables_.each("CUPTI_ACTIVITY_KIND_MEMSET",
                      {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "bytes",
                       "value", "memKind", "graphNodeId"},
                      2, [&](const NsysRow& row) {
                        Activity a{.name = builder_.intern("memset")};
                        if (!span(row, "CUPTI_ACTIVITY_KIND_MEMSET", 0, 1, a)) return;
                        MemsetRecord m{.place = place(row, 2), .bytes = row.count(7)};
                        m.value = static_cast<uint32_t>(row.integer(8, 0));
                        m.memory = kind(row, 9, kMemoryKindCount, MemoryKind::unknown);
                        m.graph_node = static_cast<uint64_t>(row.integer(10, 0));
                        a.correlation = builder_.correlation(row.integer(5, 0), process_of(row.integer(6, 0)));
                        a.track = builder_.stream_lane(m.place.device, m.place.stream, process_of(row.integer(6, 0)));
                        builder_.add(a, m);
                      });
}

Result<void> NsysReader::read_api() {
  return tables_.each("CUPTI_ACTIVITY_KIND_RUNTIME",
                      {"start", "end", "globalTid", "correlationId", "nameId", "returnValue", "eventClass"}, 2,
                      [&](const NsysRow& row) {
                        Activity a;
                        if (!span(row, "CUPTI_ACTIVITY_KIND_RUNTIME", 0, 1, a)) return;
                        const int64_t tid = row.integer(2, 0);
                        a.name = name(row, 4);
                        a.correlation = builder_.correlation(row.integer(3, 0), process_of(tid));
                        a.track = thread(tid);
                        builder_.add(a, ApiCallRecord{.driver = row.integer(6, 0) == 1,
                                                      .return_value = static_cast<uint32_t>(row.integer(5, 0))});
                      });
}

Result<void> NsysReader::read_synchronization() {
  return tables_.each(
      "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
      {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "syncType", "eventId"}, 2,
      [&](const NsysRow& row) {
        Activity a;
        if (!span(row, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", 0, 1, a)) return;
        SynchronizationRecord s{.place = place(row, 2), .kind = kind(row, 7, kSyncKindCount, SyncKind::unknown)};
        s.event = row.figure(8);
        a.name = builder_.intern(fmt::format("synchronise {}", profiler::name(s.kind)));
        a.correlation = builder_.correlation(row.integer(5, 0), process_of(row.integer(6, 0)));
        a.track = builder_.lane(0x5359000000000000u | static_cast<uint32_t>(s.place.device));
        builder_.name_lane(a.track, TrackKind::stream, "synchronisation",
                           s.place.device < 0 ? std::string("GPU unknown") : fmt::format("GPU {}", s.place.device));
        builder_.add(a, s);
      });
}

Result<void> NsysReader::read_overhead() {
  for (const char* table : {"CUPTI_ACTIVITY_KIND_OVERHEAD", "PROFILER_OVERHEAD"}) {
    Result<void> done =
        tables_.each(table, {"start", "end", "globalTid", "nameId", "overheadType"}, 2, [&](const NsysRow& row) {
          Activity a;
          if (!span(row, table, 0, 1, a)) return;
          a.name = row.has(3) ? name(row, 3) : builder_.intern("profiler overhead");
          a.track = builder_.lane(0x4f56000000000000u);
          builder_.name_lane(a.track, TrackKind::overhead, "overhead", "Profiler");
          builder_.add(a, OverheadRecord{.kind = static_cast<uint32_t>(std::max(0, row.figure(4)))});
        });
    if (!done) return done;
  }
  return {};
}

/// "aten::mm, seq = 3, op_id = 17, sizes = [[2, 3], [3, 4]]" of torch.autograd's emit_nvtx: an op; anything else: a
/// range.
Result<void> NsysReader::read_nvtx() {
  constexpr int kMark = 34, kPushPop = 59, kStartEnd = 60;
  return tables_.each(
      "NVTX_EVENTS", {"start", "end", "eventType", "globalTid", "text", "textId"}, 1, [&](const NsysRow& row) {
        const int64_t type = row.integer(2, 0);
        if (type != kMark && type != kPushPop && type != kStartEnd) return;
        Activity a;
        const bool open = type != kMark && row.has(0) && !row.has(1) && is_time(row.integer(0, 0));
        if (open || (type == kMark && row.has(0) && is_time(row.integer(0, 0)))) {
          a.start_ns = row.integer(0, 0);
        } else if (!span(row, "NVTX_EVENTS", 0, 1, a)) {
          return;
        }
        a.track = thread(row.integer(3, 0));
        const std::string_view text = row.text(4);
        if (open) {
          builder_.findings().add(Finding::unmatched_begin);
          a.name = text.empty() && row.has(5) ? name(row, 5) : builder_.intern(text);
          open_ranges_.push_back(a);
          return;
        }
        const size_t at = std::min(text.find(", op_id = "), text.find(", seq = "));
        if (type == kPushPop && at != text.npos) {
          a.name = builder_.intern(text.substr(0, at));
          TraceCall call;
          if (const size_t sizes = text.find(", sizes = "); sizes != text.npos)
            call.dimensions = builder_.intern(text.substr(sizes + 10));
          builder_.add_op(a, call);
          return;
        }
        if (text.empty() && row.has(5)) {
          a.name = name(row, 5);
        } else {
          a.name = builder_.intern(text);
        }
        if (type == kStartEnd) {  // these may overlap what is pushed and popped
          a.track = builder_.lane(0x4e56000000000000u | (static_cast<uint64_t>(row.integer(3, 0)) & 0xffffffffffffu));
          builder_.name_lane(a.track, TrackKind::host_thread,
                             fmt::format("NVTX start/end {}", row.integer(3, 0) & 0xffffff), "NVTX");
        }
        builder_.add_range(a);
      });
}

Result<void> NsysReader::read_memory() {
  std::map<int32_t, double> allocated;
  struct Change {
    int64_t time_ns;
    int32_t device;
    double bytes;
  };
  std::vector<Change> changes;
  Result<void> done =
      tables_.each("CUDA_GPU_MEMORY_USAGE_EVENTS", {"start", "deviceId", "bytes", "memoryOperationType"}, 4,
                   [&](const NsysRow& row) {
                     if (!row.has(0) || !is_time(row.integer(0, 0)) || !row.has(2) || row.integer(2, -1) < 0)
                       return builder_.findings().add(Finding::bad_row, "in CUDA_GPU_MEMORY_USAGE_EVENTS");
                     changes.push_back({row.integer(0, 0), row.figure(1),
                                        static_cast<double>(row.integer(2, 0)) * (row.integer(3, 0) == 1 ? -1 : 1)});
                   });
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.time_ns < b.time_ns; });
  for (const Change& c : changes) {
    builder_.add_counter_value("allocated since the trace began", fmt::format("GPU {}", c.device), "B", c.time_ns,
                               allocated[c.device] += c.bytes);
  }
  return done;
}

Result<void> NsysReader::read_metrics() {
  std::map<std::pair<int64_t, int64_t>, std::string> metrics;
  Result<void> done =
      tables_.each("TARGET_INFO_GPU_METRICS", {"typeId", "metricId", "metricName"}, 3, [&](const NsysRow& row) {
        metrics[{row.integer(0, 0), row.integer(1, 0)}] = row.text(2).substr(0, 200);
      });
  if (!done) return done;
  return tables_.each("GPU_METRICS", {"timestamp", "typeId", "metricId", "value"}, 4, [&](const NsysRow& row) {
    const std::optional<double> value = row.real(3);
    if (!row.has(0) || !value) return builder_.findings().add(Finding::bad_row, "in GPU_METRICS");
    const auto known = metrics.find({row.integer(1, 0), row.integer(2, 0)});
    builder_.add_counter_value(known == metrics.end() ? fmt::format("metric {}", row.integer(2, 0)) : known->second,
                               fmt::format("GPU {}", row.integer(1, 0) & 0xff), "", row.integer(0, 0), *value);
  });
}

/// Calls of the operating system, switches of threads and samples of processors.
Result<void> NsysReader::read_host() {
  const NsysWords words{.name = [this](const NsysRow& row, int column) { return name(row, column); },
                        .thread = [this](int64_t tid) { return thread(tid); },
                        .thread_name = [this](int64_t tid) { return thread_name(tid); }};
  return read_nsys_host(tables_, builder_, words);
}

/// Up to the end of what was recorded.
void NsysReader::close_open_ranges() {
  for (Activity& a : open_ranges_) {
    a.duration_ns = std::max<int64_t>(0, last_ns_ - a.start_ns);
    builder_.add_range(a);
  }
  open_ranges_.clear();
}

/// Warnings and errors of nsys itself: "CUDA profiling might have not been started correctly." Each text once.
Result<void> NsysReader::read_diagnostics() {
  constexpr int64_t kWarning = 2, kError = 3;
  constexpr size_t kMostTexts = 8, kLongestText = 300;
  std::map<std::pair<int64_t, std::string>, int64_t> counts;
  Result<void> done = tables_.each("DIAGNOSTIC_EVENT", {"severity", "text"}, 0, [&](const NsysRow& row) {
    const int64_t severity = row.integer(0, 0);
    if (severity == kWarning || severity == kError)
      ++counts[{-severity, builder_.keeper().place(sqlite::shown(std::string(row.text(1).substr(0, kLongestText))))}];
  });
  size_t left = 0;
  for (const auto& [diagnostic, count] : counts) {
    if (left++ >= kMostTexts) continue;
    const bool ends = diagnostic.second.ends_with('.');
    builder_.honesty().notes.push_back(fmt::format(
        "Import: nsys reports {}: {}{}{}", diagnostic.first == -kError ? "an error" : "a warning", diagnostic.second,
        count > 1 ? fmt::format(" ({} times)", count) : "", ends && count == 1 ? "" : "."));
  }
  if (left > kMostTexts)
    builder_.honesty().notes.push_back(
        fmt::format("Import: nsys reports {} other warnings or errors.", left - kMostTexts));
  return done;
}

/// Tables of what took time that none of the parts reads, and views in their places; what describes a session is no
/// loss.
Result<void> NsysReader::note_what_is_not_read() {
  constexpr std::array kRead{"CUPTI_ACTIVITY_KIND_KERNEL",
                             "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                             "CUPTI_ACTIVITY_KIND_MEMCPY",
                             "CUPTI_ACTIVITY_KIND_MEMSET",
                             "CUPTI_ACTIVITY_KIND_RUNTIME",
                             "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                             "CUPTI_ACTIVITY_KIND_OVERHEAD",
                             "PROFILER_OVERHEAD",
                             "NVTX_EVENTS",
                             "CUDA_GPU_MEMORY_USAGE_EVENTS",
                             "GPU_METRICS",
                             "OSRT_API",
                             "SCHED_EVENTS",
                             "COMPOSITE_EVENTS",
                             "SAMPLING_CALLCHAINS",
                             "StringIds"};
  auto left = tables_.with_rows({"start", "timestamp"});
  if (!left) return left.error();
  std::string names;
  for (const NsysTables::Rows& table : *left) {
    const bool read = std::ranges::any_of(kRead, [&table](const char* name) { return table.name == name; });
    const bool of_session = table.name.starts_with("TARGET_INFO_") || table.name.starts_with("ENUM_") ||
                            table.name.starts_with("DIAGNOSTIC_");
    if (of_session || read != table.view) continue;
    if (!table.view) builder_.findings().add(Finding::unread_table, fmt::format("{:.60}", table.name), table.count);
    names +=
        fmt::format("{}{:.60} ({})", names.empty() ? "" : ", ", table.name,
                    table.view ? std::string("a view, which could be anything") : fmt::format("{} rows", table.count));
  }
  if (!names.empty())
    builder_.honesty().notes.push_back(
        fmt::format("Import: tables with events that are not read: {:.600}.", sqlite::shown(names)));
  return {};
}

Result<void> NsysReader::read() {
  const auto parts = {
      &NsysReader::read_version,   &NsysReader::read_names,           &NsysReader::read_session,
      &NsysReader::read_processes, &NsysReader::read_devices,         &NsysReader::read_kernels,
      &NsysReader::read_graphs,    &NsysReader::read_copies,          &NsysReader::read_memsets,
      &NsysReader::read_api,       &NsysReader::read_overhead,        &NsysReader::read_nvtx,
      &NsysReader::read_memory,    &NsysReader::read_synchronization, &NsysReader::read_metrics,
      &NsysReader::read_host,      &NsysReader::read_diagnostics,     &NsysReader::note_what_is_not_read};
  double done_parts = 0;
  for (const auto part : parts) {
    if (Result<void> done = (this->*part)(); !done) return done;
    if (control_.progress) control_.progress(++done_parts / static_cast<double>(parts.size()));
  }
  close_open_ranges();
  return {};
}

int confidence(std::string_view first) {
  const FileHeader header = parse_file_header(std::string(first.substr(0, 100)));
  return header.sqlite && !header.ours ? 5 : 0;
}

Result<void> read(const std::filesystem::path& file, TraceBuilder& builder, const ImportControl& control) {
  auto tables = NsysTables::open(file, control);
  if (!tables) return tables.error();
  if (!tables->has("StringIds")) {
    return refused_error(fmt::format(
        "{}: is an SQLite database, but no export of nsys (no table StringIds) and no trace of ROCm (no table rocpd_*)",
        sqlite::shown(file)));
  }
  return NsysReader(*tables, builder, control).read();
}

}  // namespace

Importer nsys_importer() {
  return {.name = "nsys",
          .title = "Nsight Systems export",
          .help = "`nsys export --type sqlite`, schema 3.4 to 3.28",
          .confidence = confidence,
          .read = read};
}

}  // namespace profiler
