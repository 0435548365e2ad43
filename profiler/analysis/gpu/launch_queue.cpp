// SPDX-License-Identifier: Apache-2.0
// Queues by sweeping over calls and begins in the order of time.
#include "profiler/analysis/gpu/launch_queue.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "profiler/analysis/base/time_origin.h"
#include "profiler/base/say.h"
#include "profiler/base/statistics.h"
#include "profiler/capture/host_copies.h"

namespace profiler {
namespace {

struct Stream {
  StreamQueue queue;
  std::vector<std::pair<int64_t, int>> changes;  ///< time, +1 launched or -1 begun
  std::vector<double> waits;
};

void finish(Stream& stream) {
  StreamQueue& q = stream.queue;
  if (stream.waits.empty()) return;
  q.median_wait_ns = median(stream.waits);
  q.most_wait_ns = *std::ranges::max_element(stream.waits);
  std::ranges::sort(stream.changes);  // of one instant those that begin come first
  int64_t depth = 0;
  double weighted = 0, empty = 0;
  for (size_t i = 0; i < stream.changes.size(); ++i) {
    depth += stream.changes[i].second;
    q.deepest = std::max(q.deepest, depth);
    if (i + 1 == stream.changes.size()) break;
    const auto ns = static_cast<double>(stream.changes[i + 1].first - stream.changes[i].first);
    weighted += ns * static_cast<double>(depth);
    if (depth == 0) empty += ns;
  }
  const auto span = static_cast<double>(stream.changes.back().first - stream.changes.front().first);
  if (span > 0) q.mean_depth = weighted / span, q.empty_ratio = empty / span;
}

}  // namespace

std::vector<StreamQueue> launch_queues(const Capture& capture) {
  const ActivityColumns& a = capture.activities();
  std::unordered_map<uint64_t, int64_t> called_at;
  for (const ApiCallRecord& call : capture.gpu().api_calls) {
    if (a.correlation[call.activity] != 0)
      called_at.try_emplace(a.correlation[call.activity], a.start_ns[call.activity]);
  }
  std::map<TrackId, Stream> streams;
  const auto add = [&](uint32_t row) {
    Stream& stream = streams[a.track[row]];
    stream.queue.track = a.track[row];
    const auto call = called_at.find(a.correlation[row]);
    if (a.correlation[row] == 0 || call == called_at.end()) {
      ++stream.queue.unknown;
      return;
    }
    ++stream.queue.launched;
    const int64_t waited = a.start_ns[row] - call->second;
    if (waited < 0) {
      ++stream.queue.early;
      return;
    }
    stream.waits.push_back(static_cast<double>(waited));
    stream.changes.emplace_back(call->second, 1), stream.changes.emplace_back(a.start_ns[row], -1);
  };
  for (const KernelRecord& kernel : capture.gpu().kernels) add(kernel.activity);
  for (const MemsetRecord& memset : capture.gpu().memsets) add(memset.activity);
  for (const CopyRecord& copy : capture.gpu().copies) {
    if (!is_host_copy(copy)) add(copy.activity);
  }
  std::vector<StreamQueue> queues;
  for (auto& [track, stream] : streams) {
    finish(stream);
    queues.push_back(stream.queue);
  }
  return queues;
}

Table launch_queue_table(const Capture& capture) {
  Table table;
  table.name = "launch_queue";
  const auto count = [](const char* key, const char* title, const char* help) {
    return Column{key, title, Quantity::count, Origin::measured, help};
  };
  const auto time = [](const char* key, const char* title, const char* help) {
    return Column{key, title, Quantity::duration_ns, Origin::measured, help};
  };
  table.columns = {
      {"device", "GPU", Quantity::text, Origin::exact, "Device, with its rank where there are several"},
      {"stream", "Stream", Quantity::text, Origin::exact, "Stream of that device"},
      count("launched_count", "Launched", marked("Kernels, copies and memsets whose call is known")),
      count("unknown_count", marked("Call unknown"), marked("Those whose call is not in the trace; they are left out")),
      count("early_count", marked("Too early"),
            marked("Begun before their call by the clocks of host and GPU; they are left out")),
      count("deepest_count", "Deepest", marked("Most at a time between their call and their begin")),
      count("mean_depth_count", marked("Mean depth"), marked("Mean over time, from the first call to the last begin")),
      {"empty_ratio", "Empty", Quantity::percent_of, Origin::measured,
       "Part of that time in which nothing waits: the GPU is ahead of the host"},
      time("median_wait_ns", marked("Median wait"), marked("From the begin of the call to the begin of its work")),
      time("most_wait_ns", marked("Longest wait"), marked("The same, of the one that waits longest"))};
  const auto cell = [](double value) { return std::isfinite(value) ? Cell(value) : Cell(); };
  for (const StreamQueue& q : launch_queues(capture)) {
    const Track& track = capture.tracks()[q.track];
    const bool known = !std::isnan(q.median_wait_ns);
    table.rows.push_back({track.group, track.name, static_cast<double>(q.launched), static_cast<double>(q.unknown),
                          static_cast<double>(q.early), known ? Cell(static_cast<double>(q.deepest)) : Cell(),
                          cell(q.mean_depth), cell(q.empty_ratio), cell(q.median_wait_ns), cell(q.most_wait_ns)});
  }
  return with_time_origin(std::move(table), capture);
}

}  // namespace profiler
