// SPDX-License-Identifier: Apache-2.0
// A gap is cut at the launch's return: before it the host is asked, after it the work was on its way or held.
#include "profiler/analysis/gpu/idle_causes.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_set>

#include "profiler/analysis/gpu/fetches.h"
#include "profiler/capture/host_copies.h"
#include "profiler/capture/timed_steps.h"

namespace profiler {
namespace {

Interval span_of(const Capture& c, uint32_t row) {
  const ActivityColumns& a = c.activities();
  return {a.start_ns[row], a.start_ns[row] + a.duration_ns[row]};
}

double length(int64_t begin, int64_t end) { return static_cast<double>(end - begin); }

}  // namespace

IdleCauses& IdleCauses::operator+=(const IdleCauses& o) {
  calls_ns += o.calls_ns, setup_ns += o.setup_ns, waits_ns += o.waits_ns, fetch_ns += o.fetch_ns, host_ns += o.host_ns;
  start_ns += o.start_ns, queued_ns += o.queued_ns, held_ns += o.held_ns;
  unknown_ns += o.unknown_ns;
  return *this;
}

IdleExplainer::IdleExplainer(const Capture& capture) {
  const GpuRecords& gpu = capture.gpu();
  const ActivityColumns& a = capture.activities();
  const RankOfTrack rank_of(capture);
  struct Spans {
    std::vector<Interval> calls, waits, fetches, launches;
  };
  std::map<TrackId, Spans> threads;
  const auto of = [&](uint32_t row) -> Spans& { return threads[a.track[row]]; };
  std::unordered_map<uint64_t, Interval> copying;
  for (const CopyRecord& copy : gpu.copies) {
    // What a graph copies, and what is said to go on alone, nobody waits for in the call.
    const bool alone = copy.graph != 0 || copy.graph_node != 0 || copy.synchrony == Synchrony::asynchronous;
    if (const uint64_t id = a.correlation[copy.activity]; id != 0 && !alone && !is_host_copy(copy))
      copying.try_emplace(id, span_of(capture, copy.activity));
  }
  std::unordered_set<uint64_t> launched;  // what some call of that correlation launched
  const auto collect = [&](const auto& records) {
    for (const auto& record : records) launched.insert(a.correlation[record.activity]);
  };
  collect(gpu.kernels), collect(gpu.copies), collect(gpu.memsets);
  struct Named {
    bool synchronises = false, goes_on = false, launches = false;
  };
  std::unordered_map<NameId, Named> names;
  for (const ApiCallRecord& call : gpu.api_calls) {
    const Interval called = span_of(capture, call.activity);
    Spans& host = of(call.activity);
    host.calls.push_back(called);
    const auto [name, fresh] = names.try_emplace(a.name[call.activity]);
    if (fresh) {
      const std::string_view text = capture.name(name->first);
      name->second = {text.find("Synchronize") != text.npos, text.find("Async") != text.npos,
                      text.find("Launch") != text.npos};
    }
    if (name->second.synchronises) host.waits.push_back(called);
    const uint64_t id = a.correlation[call.activity];
    if (name->second.launches || (id != 0 && launched.contains(id))) host.launches.push_back(called);
    if (id == 0) continue;
    calls_by_id_[id] = {called, a.track[call.activity]};
    if (name->second.goes_on) continue;
    if (const auto copy = copying.find(id); copy != copying.end() && copy->second.end_ns <= called.end_ns)
      host.waits.push_back({std::max(called.begin_ns, copy->second.begin_ns), copy->second.end_ns});
  }
  std::map<uint32_t, std::vector<Interval>> waits_of_rank;  // of threads that are not known
  for (const SynchronizationRecord& wait : gpu.synchronizations) {
    if (wait.kind == SyncKind::stream_wait_event) continue;
    const TrackId track = a.track[wait.activity];
    const auto call = calls_by_id_.find(a.correlation[wait.activity]);
    const bool called = a.correlation[wait.activity] != 0 && call != calls_by_id_.end();
    const bool on_thread = threads.contains(track);  // of one that calls: CUPTI's lie on a track of their own
    std::vector<Interval>& waits = called      ? threads[call->second.thread].waits
                                   : on_thread ? threads[track].waits
                                               : waits_of_rank[rank_of(track)];
    waits.push_back(span_of(capture, wait.activity));
  }
  const std::vector<OpId> ops = fetching_ops(capture);
  const std::set<OpId> fetching(ops.begin(), ops.end());
  for (uint32_t row = 0; !fetching.empty() && row < a.size(); ++row) {
    if (a.kind[row] == ActivityKind::op && fetching.contains(a.op[row]))
      of(row).fetches.push_back(span_of(capture, row));
  }
  const auto join = [](std::vector<Interval>& all, const std::vector<Interval>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  const auto frozen = [](Spans spans) {
    return Host{IntervalSet(std::move(spans.calls)), IntervalSet(std::move(spans.waits)),
                IntervalSet(std::move(spans.fetches)), IntervalSet(std::move(spans.launches))};
  };
  std::map<uint32_t, Spans> ranks;
  for (auto& [thread, spans] : threads) {
    join(spans.waits, waits_of_rank[rank_of(thread)]);
    Spans& rank = ranks[rank_of(thread)];
    join(rank.calls, spans.calls), join(rank.waits, spans.waits), join(rank.fetches, spans.fetches);
    join(rank.launches, spans.launches);
    threads_.emplace(thread, frozen(std::move(spans)));
  }
  for (auto& [rank, spans] : ranks) ranks_.emplace(rank, frozen(std::move(spans)));
}

const Interval* IdleExplainer::call(uint64_t correlation) const {
  const auto found = calls_by_id_.find(correlation);
  return correlation == 0 || found == calls_by_id_.end() ? nullptr : &found->second.span;
}

IdleCauses IdleExplainer::before_work(const Interval& gap, uint64_t correlation) const {
  IdleCauses causes;
  const auto found = calls_by_id_.find(correlation);
  if (correlation == 0 || found == calls_by_id_.end()) {
    causes.unknown_ns = length(gap.begin_ns, gap.end_ns);
    return causes;
  }
  const Launch& launch = found->second;
  const int64_t returned = std::clamp(launch.span.end_ns, gap.begin_ns, gap.end_ns);
  if (returned > gap.begin_ns) host_side(&threads_.at(launch.thread), gap.begin_ns, returned, causes);
  double& cause = gap.end_ns - returned > kLongestStartNs ? causes.held_ns
                  : launch.span.end_ns <= gap.begin_ns    ? causes.queued_ns
                                                          : causes.start_ns;
  cause = length(returned, gap.end_ns);
  return causes;
}

IdleCauses IdleExplainer::without_work(uint32_t rank, const Interval& gap) const {
  IdleCauses causes;
  const auto found = ranks_.find(rank);
  host_side(found == ranks_.end() ? nullptr : &found->second, gap.begin_ns, gap.end_ns, causes);
  return causes;
}

/// Waits are calls too: they are told apart first.
void IdleExplainer::host_side(const Host* host, int64_t begin, int64_t end, IdleCauses& causes) {
  if (host == nullptr) {
    causes.host_ns += length(begin, end);
    return;
  }
  const auto& [calls, waits, fetches, launches] = *host;
  const auto waiting = static_cast<double>(waits.covered_ns(begin, end));
  double calling = 0, fetching = 0, setup = 0;
  const IntervalSet called = calls.within(begin, end), fetched = fetches.within(begin, end);
  for (const Interval& call : called.spans()) {
    const double waited = static_cast<double>(waits.covered_ns(call.begin_ns, call.end_ns));
    calling += length(call.begin_ns, call.end_ns) - waited;
    setup += length(call.begin_ns, call.end_ns) -
             std::max(waited, static_cast<double>(launches.covered_ns(call.begin_ns, call.end_ns)));
  }
  const double other = length(begin, end) - waiting - calling;
  for (const Interval& fetch : fetched.spans()) {
    fetching +=
        length(fetch.begin_ns, fetch.end_ns) - static_cast<double>(calls.covered_ns(fetch.begin_ns, fetch.end_ns));
  }
  fetching = std::clamp(fetching, 0.0, std::max(0.0, other));
  causes.waits_ns += waiting;
  causes.setup_ns += std::clamp(setup, 0.0, calling);
  causes.calls_ns += calling;
  causes.fetch_ns += fetching;
  causes.host_ns += other - fetching;
}

}  // namespace profiler
