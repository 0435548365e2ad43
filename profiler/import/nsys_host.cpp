// SPDX-License-Identifier: Apache-2.0
// Tables of nsys about the host.
#include "profiler/import/nsys_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

namespace profiler {
namespace {

using engine::Result;

/// Calls that take long enough for nsys: pthread_cond_wait, poll, read. They nest in what their thread does.
Result<void> read_os_calls(const NsysTables& tables, TraceBuilder& builder, const NsysWords& words) {
  return tables.each("OSRT_API", {"start", "end", "globalTid", "nameId"}, 2, [&](const NsysRow& row) {
    const int64_t begin = row.integer(0, kLatestTime + 1), end = row.integer(1, kLatestTime + 1);
    if (!is_time(begin) || !is_time(end))
      return builder.findings().add(Finding::bad_row, "in OSRT_API: start or end is no time");
    Activity a{.start_ns = begin, .duration_ns = end - begin};
    a.name = words.name(row, 3);
    a.track = words.thread(row.integer(2, 0));
    builder.add_range(a);
  });
}

struct ThreadSwitch {
  int64_t time_ns = 0, tid = 0;
  int32_t processor = 0;
  bool in = false;
};

/// Which thread each processor ran, from switch to switch. What runs at the end of the trace has no end.
Result<void> read_scheduling(const NsysTables& tables, TraceBuilder& builder, const NsysWords& words) {
  constexpr int32_t kMostProcessors = 65536;
  std::vector<ThreadSwitch> switches;
  Result<void> done =
      tables.each("SCHED_EVENTS", {"start", "cpu", "isSchedIn", "globalTid"}, 4, [&](const NsysRow& row) {
        const ThreadSwitch s{row.integer(0, kLatestTime + 1), row.integer(3, 0), row.figure(1), row.integer(2, 0) != 0};
        if (!is_time(s.time_ns) || s.processor < 0 || s.processor >= kMostProcessors || !row.has(2))
          return builder.findings().add(Finding::bad_row, "in SCHED_EVENTS");
        switches.push_back(s);
      });
  if (!done) return done;
  std::ranges::stable_sort(switches, {}, &ThreadSwitch::time_ns);
  std::map<int32_t, ThreadSwitch> running;
  for (const ThreadSwitch& s : switches) {
    const auto was = running.find(s.processor);
    if (was != running.end() && (s.in || was->second.tid == s.tid)) {
      Activity a{.start_ns = was->second.time_ns, .duration_ns = s.time_ns - was->second.time_ns};
      a.name = builder.intern(words.thread_name(was->second.tid));
      a.track = builder.lane(0x5343000000000000u | static_cast<uint32_t>(s.processor));
      builder.name_lane(a.track, TrackKind::host_thread, fmt::format("processor {}", s.processor), "Processors");
      builder.add_range(a);
      running.erase(was);
    }
    if (s.in) running[s.processor] = s;
  }
  return {};
}

/// Where each processor was, as a mark with the innermost function.
Result<void> read_cpu_samples(const NsysTables& tables, TraceBuilder& builder, const NsysWords& words) {
  std::unordered_map<int64_t, NameId> innermost;  // by sample
  Result<void> done = tables.each("SAMPLING_CALLCHAINS", {"id", "symbol", "stackDepth"}, 3, [&](const NsysRow& row) {
    if (row.has(0) && row.integer(2, -1) == 0) innermost.try_emplace(row.integer(0, 0), words.name(row, 1));
  });
  if (!done) return done;
  return tables.each("COMPOSITE_EVENTS", {"id", "start", "globalTid"}, 2, [&](const NsysRow& row) {
    const int64_t time = row.integer(1, kLatestTime + 1), tid = row.integer(2, 0);
    if (!is_time(time)) return builder.findings().add(Finding::bad_row, "in COMPOSITE_EVENTS: start is no time");
    const auto known = innermost.find(row.integer(0, -1));
    Activity a{.start_ns = time};
    a.name = known == innermost.end() ? builder.intern("sample without a stack") : known->second;
    a.track = builder.lane(0x5341000000000000u ^ static_cast<uint64_t>(tid));
    builder.name_lane(a.track, TrackKind::host_thread, words.thread_name(tid), "Samples of processors");
    builder.add_range(a);
  });
}

}  // namespace

Result<void> read_nsys_host(const NsysTables& tables, TraceBuilder& builder, const NsysWords& words) {
  for (const auto part : {read_os_calls, read_scheduling, read_cpu_samples}) {
    if (Result<void> done = part(tables, builder, words); !done) return done;
  }
  return {};
}

}  // namespace profiler
