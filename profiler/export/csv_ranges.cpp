// SPDX-License-Identifier: Apache-2.0
// CSV of what the host did, with the headers of `nsys stats`: ranges one by one (nvtx_pushpop_trace), by name
// (nvtx_sum), API calls by name.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "profiler/base/csv_text.h"
#include "profiler/export/csv_sums.h"
#include "profiler/export/exporter.h"

namespace profiler {
namespace {

/// Steps, layers, ops and annotations of threads: what nsys has as push/pop ranges.
bool is_range(const Capture& c, const Activity& a) {
  const bool kind = a.kind == ActivityKind::op || a.kind == ActivityKind::layer || a.kind == ActivityKind::step ||
                    a.kind == ActivityKind::range;
  return kind && c.tracks()[a.track].kind != TrackKind::stream;
}

/// A name as nsys has it: behind a colon, before which a domain would stand.
std::string range_name(const Capture& c, const Activity& a) { return ":" + std::string(c.name(a.name)); }

/// "----:name" as nsys writes it. Dashes and a colon begin no formula that works, unless a name helps.
std::string tree_name(std::string_view name, uint32_t level) {
  if (name.find_first_of("=|!(") != std::string_view::npos)
    return csv_text(std::string(2 * size_t{level}, '-') + std::string(name));
  std::string field = csv_text(name);
  return field.insert(field.starts_with('"') ? 1 : 0, 2 * size_t{level}, '-');
}

struct Range {
  uint32_t row = 0;
  uint32_t parent = 0;  ///< index + 1; 0: none
  uint32_t level = 0, children = 0;
  int64_t children_ns = 0;
};

/// Ranges as they nest on their threads, in order of their start.
std::vector<Range> nested_ranges(const Capture& c, const ExportRange& part, ExportSink& sink) {
  struct Open {
    uint32_t range;
    int64_t end_ns;
  };
  std::vector<Range> ranges;
  std::vector<std::vector<Open>> open(c.tracks().size());
  const ActivityColumns& all = c.activities();
  for (size_t i = 0; i < all.size() && sink.go_on(i, 2 * all.size()); ++i) {
    const Activity a = all.row(i);
    if (!is_range(c, a) || !part.touches(a.start_ns, a.duration_ns)) continue;
    std::vector<Open>& around = open[a.track];
    const int64_t end_ns = a.start_ns + a.duration_ns;
    while (!around.empty() && around.back().end_ns < std::max(end_ns, a.start_ns + 1)) around.pop_back();
    Range range{.row = static_cast<uint32_t>(i),
                .parent = around.empty() ? 0 : around.back().range + 1,
                .level = static_cast<uint32_t>(around.size())};
    if (range.parent > 0) {
      ++ranges[range.parent - 1].children;
      ranges[range.parent - 1].children_ns += a.duration_ns;
    }
    around.push_back({static_cast<uint32_t>(ranges.size()), end_ns});
    ranges.push_back(range);
  }
  return ranges;
}

/// ":1:4:5", the ids of the ranges around and its own.
std::string stack_of(const std::vector<Range>& ranges, size_t i) {
  std::string stack;
  for (size_t id = i + 1; id > 0; id = ranges[id - 1].parent) stack.insert(0, fmt::format(":{}", id));
  return stack;
}

void write_ranges(const Capture& c, const ExportRange& part, ExportSink& sink) {
  const RankColumn rank(c);
  sink.write(
      "Start (ns),End (ns),Duration (ns),DurChild (ns),DurNonChild "
      "(ns),Name,PID,TID,Lvl,NumChild,RangeId,ParentId,RangeStack,NameTree" +
      rank.head() + "\n");
  const std::vector<Range> ranges = nested_ranges(c, part, sink);
  for (size_t i = 0; i < ranges.size() && sink.go_on(i + ranges.size(), 2 * ranges.size()); ++i) {
    const Range& r = ranges[i];
    const Activity a = c.activities().row(r.row);
    const int64_t start = a.start_ns - c.begin_ns();
    // process ids are not recorded; the number of a track stands for its thread
    sink.write(fmt::format("{},{},{},{},{},{},,{},{},{},{},{},{},{}{}\n", start, start + a.duration_ns, a.duration_ns,
                           r.children_ns, a.duration_ns - r.children_ns, csv_text(range_name(c, a)), a.track, r.level,
                           r.children, i + 1, r.parent > 0 ? fmt::format("{}", r.parent) : std::string(),
                           stack_of(ranges, i), tree_name(range_name(c, a), r.level), rank.cell(a.track)));
  }
}

void write_range_sum(const Capture& c, const ExportRange& part, ExportSink& sink) {
  sink.write("Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Style,Range\n");
  std::map<std::string, std::vector<double>> groups;
  std::unordered_map<NameId, std::vector<double>*> group_of;
  for (size_t i = 0; i < c.activities().size() && sink.go_on(i, c.activities().size()); ++i) {
    const Activity a = c.activities().row(i);
    if (!is_range(c, a) || !part.touches(a.start_ns, a.duration_ns)) continue;
    auto& group = group_of[a.name];
    if (group == nullptr) group = &groups[range_name(c, a)];
    group->push_back(static_cast<double>(a.duration_ns));
  }
  write_csv_sums(groups, "PushPop,", sink);
}

void write_call_sum(const Capture& c, const ExportRange& part, ExportSink& sink) {
  sink.write("Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n");
  std::map<std::string, std::vector<double>> groups;
  for (const ApiCallRecord& r : c.gpu().api_calls) {
    const Activity a = c.activities().row(r.activity);
    if (part.touches(a.start_ns, a.duration_ns))
      groups[std::string(c.name(a.name))].push_back(static_cast<double>(a.duration_ns));
  }
  write_csv_sums(groups, "", sink);
}

bool has_ranges(const Capture& c) {
  for (size_t i = 0; i < c.activities().size(); ++i) {
    if (is_range(c, c.activities().row(i))) return true;
  }
  return false;
}

}  // namespace

Exporter ranges_csv_exporter() {
  return {.name = "csv-ranges",
          .extension = ".ranges.csv",
          .help = "steps, layers and ops, one per line, as nsys nvtx_pushpop_trace",
          .write = write_ranges,
          .has_content = has_ranges,
          .content = "ranges of the host"};
}
Exporter range_sum_csv_exporter() {
  return {.name = "csv-range-sum",
          .extension = ".rangesum.csv",
          .help = "steps, layers and ops of the host by name, as nsys stats nvtx_sum",
          .write = write_range_sum,
          .has_content = has_ranges,
          .content = "ranges of the host"};
}
Exporter call_sum_csv_exporter() {
  return {.name = "csv-calls",
          .extension = ".calls.csv",
          .help = "CUDA calls by name, as nsys stats cuda_api_sum",
          .write = write_call_sum,
          .has_content = [](const Capture& c) { return !c.gpu().api_calls.empty(); },
          .content = "CUDA calls"};
}

}  // namespace profiler
