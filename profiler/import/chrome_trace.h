// SPDX-License-Identifier: Apache-2.0
// ChromeTrace: reads any JSON in Chrome's trace format into a TraceBuilder; what a span means is up to a dialect.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "profiler/import/byte_stream.h"
#include "profiler/import/chrome_event.h"
#include "profiler/import/trace_builder.h"

namespace profiler {

class ChromeTrace {
 public:
  /// Takes a complete span (X, or B with its E); false: it is a plain range.
  using SpanReader = bool (*)(ChromeTrace&, const ChromeEvent&, Activity&);
  /// Takes an instant; false: it is a plain one.
  using InstantReader = bool (*)(ChromeTrace&, const ChromeEvent&);
  /// Takes an entry beside the events; false: it is no valid JSON.
  using MemberReader = bool (*)(ChromeTrace&, std::string_view key, std::string_view value);
  struct Dialect {
    SpanReader span;
    InstantReader instant;
    MemberReader member;
  };

  ChromeTrace(TraceBuilder& builder, const Dialect& dialect) : builder_(builder), dialect_(dialect) {}
  /// One file; refused when it is no trace at all.
  engine::Result<void> read(const std::filesystem::path& file, const ImportControl&);

  TraceBuilder& builder() { return builder_; }
  /// A signed figure that has to fit 32 bits; -1: unknown.
  int32_t figure(int64_t value);
  /// Bytes and the like; -1: unknown.
  int64_t count(int64_t value);
  TraceBuilder::Lane lane_of(const ChromeEvent&);
  /// Of our own exports the track an event lay on; nothing: the trace does not say.
  std::optional<TraceBuilder::Lane> own_lane(const ChromeEvent&);
  /// Bytes that a device's allocator handed out (negative: took back), where totals are not given.
  void add_allocation(const std::string& group, int64_t time_ns, int64_t bytes) { allocations_[group].emplace_back(time_ns, bytes); }

 private:
  struct LaneName {
    TraceBuilder::Lane lane;
    uint64_t process = 0;
    std::string process_id, thread_id, thread;
  };
  struct Half {  // B or E
    int64_t time_ns;
    NameId name;
    bool begins;
  };
  struct FlowEnd {
    int64_t time_ns = 0;
    bool seen = false;
  };
  bool take(const ChromeEvent&);
  void take_metadata(const ChromeEvent&);
  void take_async(const ChromeEvent&);
  void take_flow(const ChromeEvent&);
  void close_halves();
  void count_flows();
  void name_lanes();
  void sum_allocations();
  static uint64_t key_of(const TraceId&);

  TraceBuilder& builder_;
  const Dialect& dialect_;
  std::unordered_map<uint64_t, size_t> lane_index_;  // by key of pid and tid
  std::vector<LaneName> lanes_;
  std::unordered_map<uint64_t, std::string> process_names_;
  std::unordered_map<TraceBuilder::Lane, std::vector<Half>> halves_;
  std::unordered_map<uint64_t, Half> async_;  // open, by category, id and name
  std::unordered_map<uint64_t, std::pair<FlowEnd, FlowEnd>> flows_;
  std::map<std::string, std::vector<std::pair<int64_t, int64_t>>> allocations_;
};

}  // namespace profiler
