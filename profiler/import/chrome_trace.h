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
  /// Counts a finding at the event that is being read.
  void found(Finding, std::string_view what = {});
  /// A signed figure that has to fit 32 bits; -1: unknown.
  int32_t figure(int64_t value);
  /// Bytes and the like; -1: unknown.
  int64_t count(int64_t value);
  TraceBuilder::Lane lane_of(const ChromeEvent&);
  /// Of our own exports the track an event lay on; nothing: the trace does not say.
  std::optional<TraceBuilder::Lane> own_lane(const ChromeEvent&);
  /// Bytes that a device's allocator handed out (negative: took back), where totals are not given.
  void add_allocation(const std::string& group, int64_t time_ns, int64_t bytes) {
    allocations_[group].emplace_back(time_ns, bytes);
  }

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
    size_t span = 0, mark = 0;  // of B: where its span and step mark are, if one of them
    bool has_span = false, has_mark = false;
  };
  struct AsyncHalf {        // b or e
    uint64_t key, process;  // by category, id and name
    int64_t time_ns;
    NameId name;
    TraceBuilder::Lane lane;
    bool begins;
  };
  struct FlowEnd {
    int64_t time_ns = 0;
    TraceBuilder::Lane lane = 0;
    bool seen = false, backward = false;  ///< backward: from an op to one that computes its gradients
  };
  bool take(const ChromeEvent&);
  void take_metadata(const ChromeEvent&);
  void take_async(const ChromeEvent&);
  void take_flow(const ChromeEvent&);
  void take_span(const ChromeEvent&, int64_t duration_ns);
  void take_begin(const ChromeEvent&);
  void close(const Half&, int64_t end_ns);
  void close_halves();
  void close_halves_of(std::vector<Half>&);
  void close_async();
  void count_flows();
  void name_lanes();
  std::string process_of(uint64_t process, bool& host) const;
  void take_steps_of_devices(const std::vector<LaneFacts>&, const std::vector<LaneChoice>&);
  void sum_allocations();
  static uint64_t key_of(const TraceId&);

  TraceBuilder& builder_;
  const Dialect& dialect_;
  std::unordered_map<uint64_t, size_t> lane_index_;  // by key of pid and tid
  std::vector<LaneName> lanes_;
  std::unordered_map<uint64_t, std::string> process_names_, process_labels_;
  std::unordered_map<TraceBuilder::Lane, std::vector<Half>> halves_;
  std::vector<AsyncHalf> async_;
  int64_t event_byte_ = 0;
  std::unordered_map<uint64_t, std::pair<FlowEnd, FlowEnd>> flows_;
  std::map<std::string, std::vector<std::pair<int64_t, int64_t>>> allocations_;
};

}  // namespace profiler
