// SPDX-License-Identifier: Apache-2.0
// Duration of each op in a step, from the steps that count.
#include "profiler/analysis/base/op_times.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "profiler/analysis/base/foreign_times.h"
#include "profiler/analysis/base/op_samples.h"
#include "profiler/base/change.h"
#include "profiler/base/statistics.h"
#include "profiler/capture/capture.h"
#include "profiler/capture/host_copies.h"
#include "profiler/capture/noise.h"

namespace profiler {

namespace {

/// Sums of neighbours that belong to one step: an op may run in several pieces.
std::vector<double> sums_by_step(std::vector<std::pair<uint32_t, double>>& pieces) {
  const auto earlier = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (!std::is_sorted(pieces.begin(), pieces.end(), earlier)) std::stable_sort(pieces.begin(), pieces.end(), earlier);
  std::vector<double> sums;
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (i == 0 || pieces[i].first != pieces[i - 1].first) sums.push_back(0);
    sums.back() += pieces[i].second;
  }
  return sums;
}

/// Of a run of ours that a GPU worked for.
std::vector<int64_t> op_ns_with_gpu(const Capture& capture) {
  const ActivityColumns& all = capture.activities();
  std::vector<bool> on_gpu(capture.ops().size(), false);
  const auto of_gpu = [&](size_t i) {
    const ActivityKind kind = all.kind[i];
    return kind == ActivityKind::kernel || kind == ActivityKind::memset ||
           (kind == ActivityKind::copy && !is_host_copy(capture, static_cast<uint32_t>(i)));
  };
  std::vector<int64_t> ns(all.size(), -1);
  for (size_t i = 0; i < all.size(); ++i) {
    if (!of_gpu(i)) continue;
    ns[i] = all.duration_ns[i];
    if (all.op[i] < on_gpu.size()) on_gpu[all.op[i]] = true;
  }
  for (size_t i = 0; i < all.size(); ++i) {
    if (all.kind[i] == ActivityKind::op && all.op[i] < on_gpu.size() && !on_gpu[all.op[i]]) ns[i] = all.duration_ns[i];
  }
  return ns;
}

}  // namespace

CountedSteps::CountedSteps(const Capture& capture) : any_(capture.steps().empty()) {
  for (const StepRecord& s : capture.steps()) {
    if (s.traced && !s.warmup) steps_.insert(s.index);
  }
}

std::vector<int64_t> op_ns(const Capture& capture) {
  if (!capture.run().source.empty()) return foreign_op_ns(capture);
  if (has_gpu_work(capture)) return op_ns_with_gpu(capture);
  const ActivityColumns& all = capture.activities();
  std::vector<int64_t> ns(all.size(), -1);
  for (size_t i = 0; i < all.size(); ++i) {
    if (all.kind[i] == ActivityKind::op) ns[i] = all.duration_ns[i];
  }
  return ns;
}

std::vector<std::vector<double>> op_samples(const Capture& capture) {
  const CountedSteps counted(capture);
  const bool any_step = counted.any();
  const ActivityColumns& all = capture.activities();
  const bool chosen =
      !capture.run().source.empty() || has_gpu_work(capture);  // else it is the duration that is at hand anyway
  const std::vector<int64_t> chosen_ns = chosen ? op_ns(capture) : std::vector<int64_t>();
  std::vector<std::vector<std::pair<uint32_t, double>>> pieces(capture.ops().size());  // step, ns
  // Chunk by chunk: the rows of one op lie far apart, and each would be looked up on its own.
  std::vector<ActivityKind> kind;
  std::vector<OpId> op;
  std::vector<uint32_t> step;
  std::vector<int64_t> duration;
  uint32_t last_step = kNoStep;
  bool last_counts = counted.contains(kNoStep);
  size_t row = 0;
  for (size_t chunk = 0; chunk < all.op.chunk_count(); ++chunk) {
    all.kind.decode(chunk, kind), all.op.decode(chunk, op), all.step.decode(chunk, step),
        all.duration_ns.decode(chunk, duration);
    for (size_t i = 0; i < op.size(); ++i, ++row) {
      if (op[i] >= pieces.size() || (chosen ? chosen_ns[row] < 0 : kind[i] != ActivityKind::op)) continue;
      if (!any_step && step[i] != last_step) last_step = step[i], last_counts = counted.contains(last_step);
      if (last_counts) pieces[op[i]].emplace_back(step[i], static_cast<double>(chosen ? chosen_ns[row] : duration[i]));
    }
  }
  std::vector<std::vector<double>> samples;
  for (auto& of_op : pieces) samples.push_back(sums_by_step(of_op));
  return samples;
}

std::vector<double> op_calls(const Capture& capture) {
  std::vector<double> calls;
  if (capture.run().source.empty()) {
    for (const OpRecord& op : capture.ops()) calls.push_back(op.view ? 0 : 1);
    return calls;
  }
  const ActivityColumns& all = capture.activities();
  const CountedSteps counted(capture);
  struct Pieces {
    std::vector<std::pair<uint32_t, double>> host, device;  // step, 1
  };
  std::vector<Pieces> pieces(capture.ops().size());
  for (size_t i = 0; i < all.size(); ++i) {
    const OpId op = all.op[i];
    const uint32_t step = all.step[i];
    if (op >= pieces.size() || !counted.contains(step)) continue;
    const ActivityKind kind = all.kind[i];
    if (kind == ActivityKind::op) pieces[op].host.emplace_back(step, 1);
    if (kind == ActivityKind::kernel || kind == ActivityKind::copy || kind == ActivityKind::memset)
      pieces[op].device.emplace_back(step, 1);
  }
  for (Pieces& p : pieces) {
    const std::vector<double> sums = sums_by_step(p.host.empty() ? p.device : p.host);
    calls.push_back(sums.empty() ? 0 : of_a_step(capture, sums, counted.count()));
  }
  return calls;
}

double of_a_step(const Capture& capture, std::span<const double> sums, size_t steps) {
  if (capture.run().source.empty() || sums.empty()) return median(sums);
  return std::accumulate(sums.begin(), sums.end(), 0.0) / static_cast<double>(std::max(steps, sums.size()));
}

Spread step_spread(const Capture& capture, std::vector<double> sums, size_t steps) {
  if (capture.run().source.empty() || sums.empty()) return spread(sums);
  sums.resize(std::max(steps, sums.size()), 0.0);
  return spread_of_mean(sums);
}

double judged_step_ns(const Capture& capture, std::span<const double> sums, const Spread& spread) {
  return capture.run().source.empty() && noisy(spread) ? process_time_ns(sums) : spread.median;
}

std::vector<OpTime> op_times(const Capture& capture) {
  const size_t steps = CountedSteps(capture).count();
  std::vector<OpTime> times;
  for (const std::vector<double>& samples : op_samples(capture)) {
    const Spread ns = step_spread(capture, samples, steps);
    times.push_back({ns, judged_step_ns(capture, samples, ns)});
  }
  return times;
}

}  // namespace profiler
