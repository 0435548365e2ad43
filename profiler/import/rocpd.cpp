// SPDX-License-Identifier: Apache-2.0
// SQLite files of AMD's tools: rocpd of rocprofv3, whose tables end in the run's id, and RPD of rocmProfileData.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "profiler/import/importer.h"
#include "profiler/import/nsys_tables.h"
#include "profiler/store/capture_target.h"
#include "profiler/store/sqlite.h"

namespace profiler {
namespace {

using engine::refused_error;
using engine::Result;

bool calls_runtime(std::string_view name) { return name.starts_with("hip") || name.starts_with("hsa_"); }

class RocpdReader {
 public:
  RocpdReader(const NsysTables& tables, TraceBuilder& builder) : tables_(tables), b_(builder) {}

  Result<void> read() {
    auto found = tables_.with_rows({"id", "api_id"});
    if (!found) return found.error();
    for (const NsysTables::Rows& table : *found) {
      if (!table.view) names_.push_back(table.name);
    }
    if (tables_.has("rocpd_op")) return read_rpd();
    const std::set<std::string> runs = runs_of({"rocpd_kernel_dispatch", "rocpd_region", "rocpd_memory_copy"});
    if (runs.empty()) {
      return refused_error(fmt::format("{}: has no rows of kernels, copies or regions in the tables of rocpd",
                                       sqlite::shown(tables_.file())));
    }
    for (const std::string& run : runs) {  // several: of processes that were merged
      run_ = run;
      strings_.clear(), kernels_.clear(), stacks_.clear(), agents_.clear();
      for (const auto part : {&RocpdReader::read_words, &RocpdReader::read_events, &RocpdReader::read_agents,
                              &RocpdReader::read_regions, &RocpdReader::read_kernels, &RocpdReader::read_copies}) {
        if (Result<void> done = (this->*part)(); !done) return done;
      }
      ++process_;
    }
    b_.honesty().notes.emplace_back(
        "Import: rocpd has kernels, copies and calls. Shapes of ops, counters and samples of its tables are not read.");
    return {};
  }

 private:
  /// What stands behind these names in tables with rows: ids of runs; empty of a file without ids.
  std::set<std::string> runs_of(std::initializer_list<std::string> stems) const {
    std::set<std::string> runs;
    for (const std::string& name : names_) {
      for (const std::string& stem : stems) {
        const bool of_run = name.starts_with(stem + "_") && name.size() >= stem.size() + 33 &&
                            name.find_first_not_of("0123456789abcdefABCDEF_", stem.size()) == name.npos;
        if (name == stem || of_run) runs.insert(name.substr(stem.size()));
      }
    }
    return runs;
  }
  /// The table of that name of the run; empty: there is none with rows.
  std::string find(const std::string& stem) const {
    return std::ranges::find(names_, stem + run_) == names_.end() ? std::string() : stem + run_;
  }

  bool span(const NsysRow& row, const std::string& table, Activity& a) {
    const int64_t begin = row.integer(0, kLatestTime + 1), end = row.integer(1, kLatestTime + 1);
    if (!is_time(begin) || !is_time(end)) {
      b_.findings().add(Finding::bad_row, fmt::format("in {:.40}: start or end is no time", table));
      return false;
    }
    a.start_ns = begin, a.duration_ns = end - begin;
    return true;
  }

  std::string word(const std::unordered_map<int64_t, std::string>& words, int64_t id) {
    const auto found = words.find(id);
    if (found != words.end()) return found->second;
    b_.findings().add(Finding::missing_name, fmt::format("id {}", id));
    return fmt::format("name_{}", id);
  }

  Result<void> read_words() {
    const auto take = [](std::unordered_map<int64_t, std::string>& to) {
      return [&to](const NsysRow& row) {
        if (row.has(0)) to.try_emplace(row.integer(0, 0), std::string(row.text(1).empty() ? row.text(2) : row.text(1)));
      };
    };
    if (Result<void> done = tables_.each(find("rocpd_string"), {"id", "string", "string"}, 0, take(strings_)); !done)
      return done;
    return tables_.each(find("rocpd_info_kernel_symbol"), {"id", "display_name", "kernel_name"}, 0, take(kernels_));
  }

  /// Work and the call that launched it have events of one stack.
  Result<void> read_events() {
    return tables_.each(find("rocpd_event"), {"id", "stack_id"}, 0, [&](const NsysRow& row) {
      if (row.has(0) && row.integer(1, 0) > 0) stacks_[row.integer(0, 0)] = row.integer(1, 0);
    });
  }
  uint64_t correlation(int64_t event) const {
    const auto stack = stacks_.find(event);
    return stack == stacks_.end() ? 0 : b_.correlation(stack->second, process_);
  }

  Result<void> read_agents() {
    return tables_.each(
        find("rocpd_info_agent"), {"id", "type", "logical_index", "type_index", "product_name", "name"}, 0,
        [&](const NsysRow& row) {
          if (!row.has(0) || row.text(1) != "GPU") return;
          GpuDevice d{.device = row.figure(row.has(3) ? 3 : 2)};
          d.name = sqlite::shown(std::string((row.text(4).empty() ? row.text(5) : row.text(4)).substr(0, 200)));
          agents_[row.integer(0, 0)] = d.device;
          const bool known =
              std::ranges::any_of(b_.devices(), [&](const GpuDevice& other) { return other.device == d.device; });
          if (!known) b_.add_device(std::move(d));
        });
  }
  int32_t device(int64_t agent) const {
    const auto found = agents_.find(agent);
    return found == agents_.end() ? kUnknownFigure : found->second;
  }

  TraceBuilder::Lane thread(int64_t pid, int64_t tid) {
    const auto lane = b_.lane(0x5243000000000000u ^ (static_cast<uint64_t>(pid) << 24) ^ static_cast<uint64_t>(tid));
    if (!b_.lane_named(lane))
      b_.name_lane(lane, TrackKind::host_thread, fmt::format("thread {}", tid), fmt::format("process {}", pid));
    return lane;
  }

  void add_call(Activity a, const std::string& name) {
    a.name = b_.intern(name);
    if (calls_runtime(name)) b_.add(a, ApiCallRecord{.driver = name.starts_with("hsa_")});
    else b_.add_range(a);
  }

  Result<void> read_regions() {
    const std::string table = find("rocpd_region");
    return tables_.each(table, {"start", "end", "pid", "tid", "name_id", "event_id"}, 0, [&](const NsysRow& row) {
      Activity a;
      if (!span(row, table, a)) return;
      a.track = thread(row.integer(2, 0), row.integer(3, 0));
      a.correlation = correlation(row.integer(5, 0));
      add_call(a, word(strings_, row.integer(4, 0)));
    });
  }

  Result<void> read_kernels() {
    const std::string table = find("rocpd_kernel_dispatch");
    return tables_.each(
        table,
        {"start", "end", "agent_id", "stream_id", "queue_id", "kernel_id", "event_id", "workgroup_size_x",
         "workgroup_size_y", "workgroup_size_z", "grid_size_x", "grid_size_y", "grid_size_z", "group_segment_size",
         "private_segment_size"},
        0, [&](const NsysRow& row) {
          Activity a;
          if (!span(row, table, a)) return;
          KernelRecord k{.place = {.device = device(row.integer(2, 0)), .stream = row.figure(row.has(3) ? 3 : 4)}};
          for (int i = 0; i < 3; ++i) {
            const int32_t block = row.figure(7 + i), threads = row.figure(10 + i);
            k.block[static_cast<size_t>(i)] = block;
            // their grid counts threads
            k.grid[static_cast<size_t>(i)] =
                block > 0 && threads >= 0 ? threads / block + (threads % block != 0 ? 1 : 0) : -1;
          }
          k.static_shared_bytes = row.count(13);
          a.name = b_.intern(word(kernels_, row.integer(5, 0)));
          a.correlation = correlation(row.integer(6, 0));
          a.track = b_.stream_lane(k.place.device, k.place.stream, process_);
          b_.add(a, k);
        });
  }

  Result<void> read_copies() {
    const std::string table = find("rocpd_memory_copy");
    return tables_.each(
        table, {"start", "end", "name_id", "dst_agent_id", "src_agent_id", "size", "stream_id", "event_id"}, 0,
        [&](const NsysRow& row) {
          Activity a;
          if (!span(row, table, a)) return;
          const int32_t to = device(row.integer(3, 0)), from = device(row.integer(4, 0));
          CopyRecord c{.place = {.device = to >= 0 ? to : from, .stream = row.figure(6)}};
          c.kind = to >= 0 && from >= 0 ? (to == from ? CopyKind::device_to_device : CopyKind::peer_to_peer)
                   : to >= 0            ? CopyKind::host_to_device
                   : from >= 0          ? CopyKind::device_to_host
                                        : CopyKind::unknown;
          c.bytes = row.count(5);
          c.source_device = from, c.destination_device = to;
          a.name = b_.intern(word(strings_, row.integer(2, 0)));
          a.correlation = correlation(row.integer(7, 0));
          a.track = b_.stream_lane(c.place.device, c.place.stream, process_);
          b_.add(a, c);
        });
  }

  /// What a call of rocmProfileData launched.
  struct RpdLaunch {
    std::array<int32_t, 3> block{-1, -1, -1};
    int64_t shared_bytes = -1, name = -1;
  };
  static CopyKind copy_kind(std::string_view kind) {
    constexpr std::pair<std::string_view, CopyKind> kKinds[] = {{"CopyHostToDevice", CopyKind::host_to_device},
                                                                {"CopyDeviceToHost", CopyKind::device_to_host},
                                                                {"CopyDeviceToDevice", CopyKind::device_to_device}};
    for (const auto& [text, value] : kKinds) {
      if (kind == text) return value;
    }
    return CopyKind::unknown;
  }

  /// rocmProfileData: rocpd_api and rocpd_op, joined by rocpd_api_ops.
  Result<void> read_rpd() {
    Result<void> done = tables_.each("rocpd_string", {"id", "string"}, 2, [&](const NsysRow& row) {
      if (row.has(0)) strings_.try_emplace(row.integer(0, 0), std::string(row.text(1)));
    });
    if (!done) return done;
    std::unordered_map<int64_t, int64_t> call_of, works_of;
    done = tables_.each("rocpd_api_ops", {"api_id", "op_id"}, 0, [&](const NsysRow& row) {
      if (!row.has(0) || !row.has(1)) return;
      call_of.try_emplace(row.integer(1, 0), row.integer(0, 0));
      ++works_of[row.integer(0, 0)];
    });
    if (!done) return done;
    std::unordered_map<int64_t, RpdLaunch> launches;
    done = tables_.each("rocpd_kernelapi",
                        {"api_ptr_id", "workgroupX", "workgroupY", "workgroupZ", "groupSegmentSize", "kernelName_id"},
                        0, [&](const NsysRow& row) {
                          if (row.has(0) && row.integer(1, 0) > 0)
                            launches[row.integer(0, 0)] = {
                                {row.figure(1), row.figure(2), row.figure(3)}, row.count(4), row.integer(5, -1)};
                        });
    if (!done) return done;
    std::unordered_map<int64_t, int64_t> copied;  // bytes by call
    done = tables_.each("rocpd_copyapi", {"api_ptr_id", "size"}, 0, [&](const NsysRow& row) {
      // of a call with several pieces of work, none has all bytes
      if (row.has(0) && works_of[row.integer(0, 0)] == 1) copied[row.integer(0, 0)] = row.count(1);
    });
    if (!done) return done;
    done = tables_.each("rocpd_api", {"start", "end", "pid", "tid", "apiName_id", "id"}, 2, [&](const NsysRow& row) {
      Activity a;
      if (!span(row, "rocpd_api", a)) return;
      a.track = thread(row.integer(2, 0), row.integer(3, 0));
      a.correlation = b_.correlation(std::max<int64_t>(0, row.integer(5, 0)));
      add_call(a, word(strings_, row.integer(4, 0)));
    });
    if (!done) return done;
    done = tables_.each("rocpd_op", {"start", "end", "gpuId", "queueId", "description_id", "opType_id", "id"}, 2,
                        [&](const NsysRow& row) {
                          Activity a;
                          if (!span(row, "rocpd_op", a)) return;
                          const std::string kind = word(strings_, row.integer(5, 0));
                          const auto call = call_of.find(row.integer(6, 0));
                          const int64_t api = call == call_of.end() ? 0 : call->second;
                          const auto launch = launches.find(api);
                          const auto description = strings_.find(row.integer(4, -1));
                          std::string name = description == strings_.end() ? "" : description->second;
                          if (name.empty() && launch != launches.end() && strings_.contains(launch->second.name))
                            name = strings_[launch->second.name];
                          const GpuPlace place{.device = row.figure(2), .stream = row.figure(3)};
                          a.name = b_.intern(name.empty() ? kind : name);
                          a.correlation = b_.correlation(std::max<int64_t>(0, api));
                          a.track = b_.stream_lane(place.device, place.stream);
                          if (kind.starts_with("Copy")) {
                            const auto bytes = copied.find(api);
                            CopyRecord c{.place = place, .kind = copy_kind(kind)};
                            if (bytes != copied.end()) c.bytes = bytes->second;
                            b_.add(a, c);
                          } else if (kind.starts_with("Fill")) {
                            b_.add(a, MemsetRecord{.place = place});
                          } else {
                            KernelRecord k{.place = place};
                            if (launch != launches.end())
                              k.block = launch->second.block, k.static_shared_bytes = launch->second.shared_bytes;
                            b_.add(a, k);
                          }
                        });
    if (done) {
      b_.honesty().notes.emplace_back(
          "Import: RPD has kernels, copies and calls. Shapes of ops are unknown. Grids of kernels are unknown, too: "
          "RPD counts blocks or threads, and does not say which.");
    }
    return done;
  }

  const NsysTables& tables_;
  TraceBuilder& b_;
  std::vector<std::string> names_;
  std::string run_;       // whose tables are read
  uint32_t process_ = 0;  // its number
  std::unordered_map<int64_t, std::string> strings_, kernels_;
  std::unordered_map<int64_t, int64_t> stacks_;
  std::unordered_map<int64_t, int32_t> agents_;
};

int confidence_of_rocpd(std::string_view first) {
  const FileHeader header = parse_file_header(std::string(first.substr(0, 100)));
  const bool tables = first.find("rocpd_string") != first.npos || first.find("rocpd_op") != first.npos;
  return header.sqlite && !header.ours && tables ? 6 : 0;
}

Result<void> read_rocpd(const std::filesystem::path& file, TraceBuilder& builder, const ImportControl& control) {
  auto tables = NsysTables::open(file, control);
  if (!tables) return tables.error();
  return RocpdReader(*tables, builder).read();
}

}  // namespace

Importer rocpd_importer() {
  return {.name = "rocpd",
          .title = "ROCm profile",
          .help = "SQLite of rocprofv3 (rocpd) and of rocmProfileData (RPD)",
          .confidence = confidence_of_rocpd,
          .read = read_rocpd};
}

}  // namespace profiler
