// SPDX-License-Identifier: Apache-2.0
// Durations by name, and their nesting on each thread.
#include "profiler/analysis/named_times.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>

#include "profiler/analysis/base/time_origin.h"
#include "profiler/base/nesting.h"
#include "profiler/base/say.h"

namespace profiler {
namespace {

struct Samples {
  NamedTimes times;
  std::vector<int64_t> ns;
  std::unordered_map<NameId, int64_t> around;
};

NamedTimes finished(Samples& samples) {
  NamedTimes& t = samples.times;
  std::ranges::sort(samples.ns);
  const size_t n = samples.ns.size();
  t.count = static_cast<int64_t>(n);
  for (const int64_t ns : samples.ns) t.total_ns += static_cast<double>(ns);
  t.least_ns = static_cast<double>(samples.ns.front()), t.most_ns = static_cast<double>(samples.ns.back());
  t.median_ns = (static_cast<double>(samples.ns[(n - 1) / 2]) + static_cast<double>(samples.ns[n / 2])) / 2;
  if (n > 1) {
    double squares = 0;
    for (const int64_t ns : samples.ns) squares += std::pow(static_cast<double>(ns) - t.mean_ns(), 2);
    t.deviation_ns = std::sqrt(squares / static_cast<double>(n - 1));
  }
  const auto most = std::ranges::max_element(samples.around, [](const auto& x, const auto& y) {
    return x.second != y.second ? x.second < y.second : x.first > y.first;
  });
  if (most != samples.around.end()) t.around = most->first;
  return t;
}

template <class Key>
std::vector<NamedTimes> finished(std::map<Key, Samples>& all) {
  std::vector<NamedTimes> rows;
  for (auto& [key, samples] : all) rows.push_back(finished(samples));
  std::ranges::stable_sort(rows, std::greater(), &NamedTimes::total_ns);
  return rows;
}

bool is_range(ActivityKind kind) {
  return kind == ActivityKind::range || kind == ActivityKind::layer || kind == ActivityKind::step;
}

/// Spans of one track that may hold others, outer ones first.
struct Open {
  int64_t end_ns;
  Samples* range;  ///< null: an op, which takes time from what is around it
  NameId name;
  int depth;
};

Column measured(const char* key, const char* title, const char* help) {
  return {key, title, Quantity::duration_ns, Origin::measured, help};
}

Table table_of(const Capture& capture, const char* name, Column first, const std::vector<NamedTimes>& rows, bool ranges,
               bool calls) {
  Table table;
  table.name = name;
  table.columns = {std::move(first)};
  if (ranges) {
    table.columns.push_back(
        {"inside", "Inside", Quantity::text, Origin::exact, "The range that holds most of them; empty: none does"});
    table.columns.push_back(
        {"depth_count", "Depth", Quantity::count, Origin::exact, "Ranges around the outermost of them"});
    table.columns.push_back({"where", "Where", Quantity::text, Origin::exact,
                             "On a host thread, or on a GPU's stream beside the work of that range"});
  }
  table.columns.push_back({"calls_count", "Count", Quantity::count, Origin::measured, "In the whole capture"});
  table.columns.push_back(measured("time_ns", "Total", marked("Sum of all durations; what runs at once counts twice")));
  if (ranges)
    table.columns.push_back(
        measured("self_ns", "Self", marked("Total without the ranges and ops inside, on the same thread")));
  for (const auto& [key, title, help] :
       {std::tuple("mean_ns", "Mean", marked("Total / count")),
        std::tuple("least_ns", "Least", marked("Shortest duration")),
        std::tuple("median_ns", "Median", marked("Median duration")),
        std::tuple("most_ns", "Most", marked("Longest duration")),
        std::tuple("deviation_ns", marked("Std. dev."),
                   marked("Standard deviation of a sample (n - 1). Empty: one alone"))})
    table.columns.push_back(measured(key, title, help));
  if (calls)
    table.columns.push_back(
        {"failed_count", "Failed", Quantity::count, Origin::measured, "Calls that returned an error"});
  for (const NamedTimes& t : rows) {
    std::vector<Cell> row{std::string(capture.name(t.name))};
    if (ranges) {
      if (t.around == 0) row.emplace_back();
      else row.emplace_back(std::string(capture.name(t.around)));
      row.emplace_back(static_cast<double>(t.depth));
      row.emplace_back(std::string(t.on_device ? "GPU" : "host"));
    }
    row.emplace_back(static_cast<double>(t.count));
    row.emplace_back(t.total_ns);
    if (ranges) row.emplace_back(t.own_ns);
    for (const double ns : {t.mean_ns(), t.least_ns, t.median_ns, t.most_ns}) row.emplace_back(ns);
    row.push_back(std::isnan(t.deviation_ns) ? Cell() : Cell(t.deviation_ns));
    if (calls) row.emplace_back(static_cast<double>(t.failed));
    table.rows.push_back(std::move(row));
  }
  return with_time_origin(std::move(table), capture);
}

}  // namespace

std::vector<NamedTimes> kernel_times(const Capture& capture) {
  const ActivityColumns& a = capture.activities();
  std::map<NameId, Samples> all;
  for (const KernelRecord& kernel : capture.gpu().kernels) {
    Samples& samples = all[a.name[kernel.activity]];
    samples.times.name = a.name[kernel.activity];
    samples.ns.push_back(a.duration_ns[kernel.activity]);
  }
  return finished(all);
}

std::vector<NamedTimes> call_times(const Capture& capture) {
  const ActivityColumns& a = capture.activities();
  std::map<NameId, Samples> all;
  for (const ApiCallRecord& call : capture.gpu().api_calls) {
    Samples& samples = all[a.name[call.activity]];
    samples.times.name = a.name[call.activity];
    samples.times.failed += call.return_value != 0 ? 1 : 0;
    samples.ns.push_back(a.duration_ns[call.activity]);
  }
  return finished(all);
}

std::vector<NamedTimes> range_times(const Capture& capture) {
  const ActivityColumns& a = capture.activities();
  std::map<std::pair<bool, NameId>, Samples> all;
  std::unordered_map<TrackId, std::vector<Open>> open_of;  // rows are in the order of time, outer ones first
  for (size_t i = 0; i < a.size(); ++i) {
    const ActivityKind kind = a.kind[i];
    const int64_t start = a.start_ns[i], duration = a.duration_ns[i];
    if ((!is_range(kind) && kind != ActivityKind::op) || duration <= 0) continue;
    const TrackId track = a.track[i];
    std::vector<Open>& open = open_of[track];
    std::erase_if(open, [start](const Open& o) { return o.end_ns <= start; });
    const Open* around = innermost_holding(open, &Open::end_ns, start, start + duration);
    if (around != nullptr && around->range != nullptr)
      around->range->times.own_ns -= static_cast<double>(std::min(duration, around->end_ns - start));
    if (!is_range(kind)) {
      if (around != nullptr) open.push_back({start + duration, nullptr, around->name, around->depth});
      continue;
    }
    const bool device = capture.tracks()[track].kind != TrackKind::host_thread;
    const int depth = around == nullptr ? 0 : around->depth;
    const auto [entry, fresh] = all.try_emplace({device, a.name[i]});
    Samples& samples = entry->second;
    samples.times.name = a.name[i], samples.times.on_device = device;
    samples.times.depth = fresh ? depth : std::min(samples.times.depth, depth);
    samples.times.own_ns += static_cast<double>(duration);
    samples.ns.push_back(duration);
    if (around != nullptr && around->name != 0) ++samples.around[around->name];
    open.push_back({start + duration, &samples, a.name[i], depth + 1});
  }
  return finished(all);
}

Table kernels_table(const Capture& capture) {
  return table_of(capture, "kernels", {"kernel", "Kernel", Quantity::text, Origin::exact, "Name as the trace has it"},
                  kernel_times(capture), false, false);
}

Table calls_table(const Capture& capture) {
  return table_of(capture, "calls",
                  {"call", "Call", Quantity::text, Origin::exact, "Function of the CUDA runtime or driver"},
                  call_times(capture), false, true);
}

Table ranges_table(const Capture& capture) {
  return table_of(capture, "ranges",
                  {"range", "Range", Quantity::text, Origin::exact, "Name of the annotation, layer, step or span"},
                  range_times(capture), true, false);
}

}  // namespace profiler
