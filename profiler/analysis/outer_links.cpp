// SPDX-License-Identifier: Apache-2.0
// Copies of the measured steps, by tensor and direction; what the loader read.
#include "profiler/analysis/outer_links.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <unordered_set>
#include <utility>

#include "profiler/analysis/base/groups.h"
#include "profiler/analysis/base/intervals.h"
#include "profiler/analysis/base/pipeline.h"
#include "profiler/analysis/gpu/copy_contents.h"
#include "profiler/base/lane_names.h"
#include "profiler/base/say.h"
#include "profiler/base/statistics.h"
#include "profiler/capture/timed_steps.h"

namespace profiler {
namespace {

/// Steps whose copies are known: measured and traced. Copies of untraced steps are recorded as well, but nobody says
/// whose they are.
class CopySteps {
 public:
  explicit CopySteps(const Capture& capture)
      : foreign_(!capture.run().source.empty()), ranked_(!capture.ranks().empty()) {
    for (const StepRecord& step : capture.steps()) {
      if (step.warmup || !step.traced) continue;
      indices_.insert(step.index);
      spans_.push_back({step.start_ns, step.start_ns + step.duration_ns});
    }
    std::ranges::sort(spans_, {}, &Interval::begin_ns);
  }
  /// A trace without steps is one.
  double count() const { return spans_.empty() ? 1 : static_cast<double>(spans_.size()); }
  bool has(uint32_t step, int64_t time_ns) const {
    if (spans_.empty()) return foreign_;
    if (step != kNoStep) return indices_.contains(step);
    if (!foreign_ || ranked_)
      return false;  // of no traced step: of the start, or an untraced one; of ranks each has its own clock
    const auto after = std::ranges::upper_bound(spans_, time_ns, {}, &Interval::begin_ns);
    return after != spans_.begin() && time_ns < std::prev(after)->end_ns;
  }

 private:
  bool foreign_, ranked_;
  std::unordered_set<uint32_t> indices_;
  std::vector<Interval> spans_;
};

bool goes_up(CopyKind kind) {
  return kind == CopyKind::host_to_device || kind == CopyKind::host_to_array || kind == CopyKind::managed_to_device;
}
bool goes_down(CopyKind kind) {
  return kind == CopyKind::device_to_host || kind == CopyKind::array_to_host || kind == CopyKind::managed_to_host;
}

size_t role_of(const Capture& capture, TensorId tensor) {
  return static_cast<size_t>(tensor < capture.tensors().size() ? capture.tensors()[tensor].role
                                                               : engine::Role::workspace);
}

std::vector<bool> ops_in(const Capture& capture, const Scope& scope) {
  std::vector<bool> inside(capture.ops().size(), false);
  for (const OpId id : ops_of(capture, scope)) inside[id] = true;
  return inside;
}

/// Calls f(copy, its bytes per step) for all copies in their order; 0 bytes: it does not count for the scope.
template <class F>
void for_each_copy(const Capture& capture, const Scope& scope, const CopySteps& steps, F&& f) {
  const std::vector<bool> inside = ops_in(capture, scope);
  const ActivityColumns& a = capture.activities();
  for (const CopyRecord& c : capture.gpu().copies) {
    const OpId op = a.op[c.activity];
    const bool counts = c.bytes > 0 && (scope.all() || (op < inside.size() && inside[op])) &&
                        steps.has(a.step[c.activity], a.start_ns[c.activity]);
    f(c, counts ? static_cast<double>(c.bytes) / steps.count() : 0.0);
  }
}

/// Between host and devices.
OuterLink copies(const Capture& capture, const Scope& scope, std::string_view ops_memory) {
  OuterLink link;
  link.bytes.outer = kHostMemory;
  link.bytes.inner = ops_memory;
  link.bytes.modelled_known = false;
  link.bytes.measured_known = true;
  const CopySteps steps(capture);
  const ActivityColumns& a = capture.activities();
  CopyContents contents;
  std::map<TensorId, OuterFlow> flows;
  const RankOfTrack rank_of(capture);
  std::map<uint32_t, std::vector<Interval>> spans;  // by rank: their clocks differ
  for_each_copy(capture, scope, steps, [&](const CopyRecord& c, double bytes) {
    const bool down = goes_down(c.kind);
    if (!down && !goes_up(c.kind)) return;
    const bool held = contents.unchanged(c).value_or(false);
    if (bytes == 0) return;
    const size_t role = role_of(capture, c.tensor);
    (down ? link.bytes.measured_written : link.bytes.measured_read)[role] += bytes;
    (down ? link.bytes.compulsory_written : link.bytes.compulsory_read)[role] += held ? 0 : bytes;
    OuterFlow& flow = flows[c.tensor];
    flow.tensor = c.tensor;
    if (c.tensor == kNoTensor)
      (down ? link.bytes.compulsory_written : link.bytes.compulsory_read)[role] =
          std::numeric_limits<double>::quiet_NaN();
    (down ? flow.written : flow.read) += bytes;
    (down ? flow.writes : flow.reads) += 1 / steps.count();
    spans[rank_of(a.track[c.activity])].push_back(
        {a.start_ns[c.activity], a.start_ns[c.activity] + a.duration_ns[c.activity]});
  });
  for (const auto& [tensor, flow] : flows) link.flows.push_back(flow);
  std::ranges::sort(link.flows, std::greater{}, [](const OuterFlow& f) { return f.read + f.written; });
  for (auto& [rank, intervals] : spans)
    link.busy_ns += static_cast<double>(IntervalSet(std::move(intervals)).length_ns());
  link.busy_ns /= steps.count() * static_cast<double>(std::max<size_t>(1, capture.ranks().size()));
  link.busy_ratio = link.busy_ns / median(timed_steps_ns(capture));
  link.how =
      say("Copies between host and device as they were recorded, of the measured and traced steps, per step; several "
          "devices together.");
  if (!capture.ranks().empty()) link.how += say(" Bytes are those of all ranks, times the mean of a rank.");
  return link;
}

/// From files, by a loader.
OuterLink files(const Capture& capture, const Scope& scope, std::string_view to) {
  OuterLink link;
  const double bytes = capture.run().read_bytes_per_batch;
  if (!std::isfinite(bytes)) return link;
  link.bytes.outer = kFiles;
  link.bytes.inner = to;
  link.bytes.modelled_known = false;
  link.bytes.measured_known = true;
  link.how =
      say("Bytes that the loader read from its files per batch, packed as on disk. The operating "
          "system may have "
          "had them in memory.");
  const bool loads = std::ranges::any_of(ops_of(capture, scope),
                                         [&](OpId id) { return capture.name(capture.ops()[id].type) == "load_batch"; });
  if (!loads) return link;
  const auto role = static_cast<size_t>(engine::Role::input);
  link.bytes.measured_read[role] = link.bytes.compulsory_read[role] = bytes;
  const Pipeline lanes = pipeline(capture);
  const auto lane = std::ranges::find(lanes.lanes, kReadLane, &PipelineLane::name);
  link.busy_ns = lane == lanes.lanes.end() ? std::numeric_limits<double>::quiet_NaN() : lane->busy_ns;
  link.busy_ratio = link.busy_ns / lanes.step_ns;
  return link;
}

}  // namespace

double copied_within_devices(const Capture& capture, const Scope& scope) {
  double bytes = 0;
  for_each_copy(capture, scope, CopySteps(capture), [&](const CopyRecord& c, double of_a_step) {
    const bool within = c.kind == CopyKind::device_to_device || c.kind == CopyKind::peer_to_peer ||
                        c.kind == CopyKind::managed_between_devices;
    if (within) bytes += of_a_step;
  });
  return bytes;
}

std::vector<OuterLink> outer_links(const Capture& capture, const Scope& scope, std::string_view ops_memory) {
  std::vector<OuterLink> links;
  const bool copied = std::ranges::any_of(capture.gpu().copies,
                                          [](const CopyRecord& c) { return goes_up(c.kind) || goes_down(c.kind); });
  if (!copied && capture.device().is_gpu) return links;  // nobody recorded copies: what crosses is unknown
  OuterLink from_files = files(capture, scope, copied ? kHostMemory : ops_memory);
  if (!from_files.bytes.outer.empty()) links.push_back(std::move(from_files));
  if (copied) links.push_back(copies(capture, scope, ops_memory));
  return links;
}

}  // namespace profiler
