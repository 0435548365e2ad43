// SPDX-License-Identifier: Apache-2.0
// PendingActivities: checks of single activities, and their order.
#include "profiler/capture/pending_activities.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_set>

#include "engine/base/check.h"
#include "profiler/capture/capture_checks.h"

namespace profiler {

using engine::Error;
using engine::Result;

namespace {

/// Parents before children where they start and end together: a step holds layers, a layer holds
/// ops.
int depth(ActivityKind kind) {
  if (kind == ActivityKind::step) return 0;
  return kind == ActivityKind::layer || kind == ActivityKind::range ? 1 : 2;
}

bool before(const Activity& a, const Activity& b) {
  if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
  if (a.duration_ns != b.duration_ns) return a.duration_ns > b.duration_ns;
  if (depth(a.kind) != depth(b.kind)) return depth(a.kind) < depth(b.kind);
  return a.kind <
         b.kind;  // a file keeps the kinds in tables of their own: their order must not depend on who came first
}

/// Follows activities that were moved (row i is now what stood at order[i]; empty: none moved) and sorts the records by
/// row.
void move_gpu_records(GpuRecords& gpu, const std::vector<uint32_t>& order) {
  std::vector<uint32_t> now_at(order.size());
  for (size_t i = 0; i < order.size(); ++i) now_at[order[i]] = static_cast<uint32_t>(i);
  GpuRecords::visit_lists(gpu, [&now_at](auto& list) {
    const auto earlier = [](const auto& a, const auto& b) { return a.activity < b.activity; };
    for (auto& record : list) {
      if (!now_at.empty()) record.activity = now_at[record.activity];
    }
    if (!std::is_sorted(list.begin(), list.end(), earlier)) std::sort(list.begin(), list.end(), earlier);
  });
}

/// Checks single activities against what a capture holds.
class ActivityCheck {
 public:
  explicit ActivityCheck(const Capture& c) : c_(c) {
    for (const StepRecord& step : c.steps()) steps_.insert(step.index);
  }
  /// Whether row `i` may be in the capture; cheap where it may.
  bool possible(const Activity& a) {
    if (a.step != last_step_ && a.step != kNoStep && !steps_.contains(a.step)) return false;
    last_step_ = a.step;  // consecutive activities mostly share a step: look up once
    return a.name < c_.names().size() && static_cast<int>(a.kind) < kActivityKindCount &&
           span_is_possible(a.start_ns, a.duration_ns) && (a.op == kNoOp || a.op < c_.ops().size()) &&
           a.track < c_.tracks().size();
  }
  /// Why it may not.
  Error objection(size_t i, const Activity& a) const {
    if (a.name >= c_.names().size()) {
      return impossible("activity {}: name {} does not exist, there are {}", i, a.name, c_.names().size());
    }
    const std::string& called = c_.names()[a.name];
    if (static_cast<int>(a.kind) >= kActivityKindCount) {
      return impossible("activity {} ({}): kind {} is unknown", i, called, static_cast<int>(a.kind));
    }
    if (!span_is_possible(a.start_ns, a.duration_ns)) {
      return impossible("activity {} ({}): starts at {} ns and lasts {} ns", i, called, a.start_ns, a.duration_ns);
    }
    if (a.op != kNoOp && a.op >= c_.ops().size()) {
      return impossible("activity {} ({}): op {} does not exist, there are {}", i, called, a.op, c_.ops().size());
    }
    if (a.track >= c_.tracks().size()) {
      return impossible("activity {} ({}): track {} does not exist, there are {}", i, called, a.track,
                        c_.tracks().size());
    }
    return impossible("activity {} ({}): step {} does not exist", i, called, a.step);
  }

 private:
  const Capture& c_;
  std::unordered_set<uint32_t> steps_;
  uint32_t last_step_ = kNoStep;
};

/// Calls f(i, activity) for all rows, a chunk of every column at a time.
template <class F>
void each_row(const ActivityColumns& columns, F&& f) {
  std::vector<int64_t> start, duration;
  std::vector<uint64_t> correlation;
  std::vector<NameId> name;
  std::vector<OpId> op;
  std::vector<uint32_t> step;
  std::vector<TrackId> track;
  std::vector<ActivityKind> kind;
  std::vector<uint8_t> flags;
  for (size_t chunk = 0, first = 0; chunk < columns.start_ns.chunk_count(); ++chunk) {
    columns.start_ns.decode(chunk, start), columns.duration_ns.decode(chunk, duration);
    columns.correlation.decode(chunk, correlation), columns.name.decode(chunk, name);
    columns.op.decode(chunk, op), columns.step.decode(chunk, step), columns.track.decode(chunk, track);
    columns.kind.decode(chunk, kind), columns.flags.decode(chunk, flags);
    for (size_t i = 0; i < start.size(); ++i) {
      if (!f(first + i, Activity{.start_ns = start[i],
                                 .duration_ns = duration[i],
                                 .correlation = correlation[i],
                                 .name = name[i],
                                 .op = op[i],
                                 .step = step[i],
                                 .track = track[i],
                                 .kind = kind[i],
                                 .flags = flags[i]})) {
        return;
      }
    }
    first += start.size();
  }
}

}  // namespace

Result<void> PendingActivities::check(const Capture& capture) const {
  ActivityCheck check(capture);
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (!check.possible(rows_[i])) return check.objection(i, rows_[i]);
  }
  Result<void> checked;
  each_row(adopted_, [&](size_t i, const Activity& a) {
    if (!check.possible(a)) checked = check.objection(i, a);
    return checked.ok();
  });
  return checked;
}

void PendingActivities::adopt(ActivityColumns columns) {
  CHECK(size() == 0);
  adopted_ = std::move(columns);
  ActivityColumns::visit(adopted_, [this](const auto& column) { CHECK(column.size() == adopted_.size()); });
}

bool PendingActivities::adopted_in_order() const {
  bool in_order = true;
  Activity last;
  last.start_ns = std::numeric_limits<int64_t>::min();
  each_row(adopted_, [&](size_t, const Activity& a) {
    in_order = in_order && !before(a, last);
    last = a;
    return in_order;
  });
  return in_order;
}

ActivityColumns PendingActivities::take_sorted(GpuRecords& gpu) {
  if (rows_.empty() && adopted_in_order()) return std::exchange(adopted_, {});
  rows_.reserve(size());
  each_row(adopted_, [this](size_t, const Activity& a) {
    rows_.push_back(a);
    return true;
  });
  adopted_ = {};
  std::vector<uint32_t> order;
  if (!std::is_sorted(rows_.begin(), rows_.end(), before)) {
    order.resize(rows_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) { return before(rows_[a], rows_[b]); });
    std::vector<Activity> sorted;
    sorted.reserve(order.size());
    for (const uint32_t i : order) sorted.push_back(rows_[i]);
    rows_ = std::move(sorted);
  }
  move_gpu_records(gpu, order);
  ActivityColumns columns;
  for (const Activity& a : rows_) columns.push_back(a);
  ActivityColumns::visit(columns, [](auto& column) { column.seal(); });
  rows_.clear();
  return columns;
}

}  // namespace profiler
