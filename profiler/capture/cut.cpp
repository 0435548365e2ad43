// SPDX-License-Identifier: Apache-2.0
// CaptureBuilder::cut(): a part of a capture's time as a capture of its own.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "profiler/base/table.h"
#include "profiler/base/words.h"
#include "profiler/capture/capture_builder.h"
#include "profiler/capture/timed_steps.h"

namespace profiler {
namespace {

using engine::Result;

/// [begin_ns, end_ns) of a capture's time.
struct Part {
  int64_t begin_ns = 0, end_ns = 0;
  bool has(int64_t time) const { return time >= begin_ns && time < end_ns; }
  /// What lasts no time touches the part where it lies in it.
  bool touches(int64_t start, int64_t duration) const {
    return has(start) || (start < begin_ns && start + duration > begin_ns);
  }
};

/// Steps that touch the part, by rank and index; of those that it cuts, none counts.
struct KeptSteps {
  std::set<std::pair<uint32_t, uint32_t>> whole, cut;
  bool has(uint32_t rank, uint32_t step) const { return whole.contains({rank, step}) || cut.contains({rank, step}); }
};

KeptSteps kept_steps(const Capture& capture, const Part& part) {
  KeptSteps kept;
  for (const StepWindow& w : step_windows(capture)) {
    if (!part.touches(w.begin_ns, w.end_ns - w.begin_ns)) continue;
    const bool whole = w.begin_ns >= part.begin_ns && w.end_ns <= part.end_ns;
    (whole ? kept.whole : kept.cut).insert({w.rank, w.host.index});
  }
  if (kept.whole.empty()) kept.cut.clear();  // without a step that counts, the part itself is one
  return kept;
}

/// `steps` of a rank as far as they are kept: those that are cut count as little as a warm-up.
std::vector<StepRecord> only_kept(const std::vector<StepRecord>& steps, uint32_t rank, const KeptSteps& kept,
                                  const Part& part) {
  std::vector<StepRecord> list;
  for (StepRecord step : steps) {
    if (!kept.has(rank, step.index)) continue;
    if (!kept.whole.contains({rank, step.index})) {
      const int64_t end = std::min(step.start_ns + step.duration_ns, part.end_ns);
      step.start_ns = std::min(std::max(step.start_ns, part.begin_ns), end);
      step.duration_ns = end - step.start_ns;
      step.warmup = true;
    }
    list.push_back(step);
  }
  return list;
}

/// Work of a GPU: it counts where it begins, whole. A copy within the host is the host's.
bool of_gpu(ActivityKind kind, TrackKind track) {
  return kind == ActivityKind::kernel || kind == ActivityKind::memset ||
         (kind == ActivityKind::copy && track != TrackKind::host_thread);
}

/// Which rows of a capture stay, and with which of their time.
class Selection {
 public:
  Selection(const Capture& capture, const Part& part) : capture_(capture), part_(part) {
    const ActivityColumns& a = capture.activities();
    for (size_t row = 0; row < a.size(); ++row) {
      if (a.correlation[row] != 0 && part.has(a.start_ns[row]) && of_gpu(a.kind[row], track(a.track[row])))
        launched_.insert(a.correlation[row]);
    }
  }

  /// The activity as far as it is kept; false: it is not.
  bool keep(Activity& a) const {
    if (of_gpu(a.kind, track(a.track))) return part_.has(a.start_ns);
    // The calls that launched what is kept say why the GPU stood still.
    if (a.kind == ActivityKind::api && launched_.contains(a.correlation)) return true;
    if (!part_.touches(a.start_ns, a.duration_ns)) return false;
    const int64_t end = std::min(a.start_ns + a.duration_ns, part_.end_ns);
    if (a.kind == ActivityKind::step && (a.start_ns < part_.begin_ns || end < a.start_ns + a.duration_ns)) return false;
    a.start_ns = std::max(a.start_ns, part_.begin_ns);
    a.duration_ns = end - a.start_ns;
    return true;
  }

 private:
  TrackKind track(TrackId id) const { return capture_.tracks()[id].kind; }

  const Capture& capture_;
  Part part_;
  std::unordered_set<uint64_t> launched_;
};

void cut_series(CounterSeries& series, const Part& part) {
  const auto first = std::ranges::upper_bound(series.time_ns, part.begin_ns);
  const auto last = std::ranges::lower_bound(series.time_ns, part.end_ns);
  // The value before the part holds until the first within it.
  const auto from = static_cast<size_t>(std::max<std::ptrdiff_t>(0, first - series.time_ns.begin() - 1)),
             to = std::max(from, static_cast<size_t>(last - series.time_ns.begin()));
  const auto only = [&](auto& list) {
    list = {list.begin() + static_cast<std::ptrdiff_t>(from), list.begin() + static_cast<std::ptrdiff_t>(to)};
  };
  only(series.time_ns), only(series.value);
  if (!series.time_ns.empty()) series.time_ns.front() = std::max(series.time_ns.front(), part.begin_ns);
}

}  // namespace

Result<std::shared_ptr<const Capture>> CaptureBuilder::cut(const Capture& whole, int64_t begin_ns, int64_t end_ns) {
  const Part part{begin_ns, end_ns};
  const KeptSteps steps = kept_steps(whole, part);
  const Selection selection(whole, part);
  const RankOfTrack rank_of(whole);
  CaptureBuilder builder;
  Capture& c = builder.capture_ = whole;
  c.activities_ = {};
  const bool stepless = steps.whole.empty();
  StepRecord all{.index = 0, .start_ns = std::max(begin_ns, whole.begin_ns()), .duration_ns = 0};
  all.duration_ns = std::max(all.start_ns, std::min(end_ns, whole.end_ns())) - all.start_ns;
  if (stepless) {
    c.steps_ = {all};
    for (RankRecord& rank : c.ranks_) rank.steps = {all};
  } else if (whole.ranks().empty()) {
    c.steps_ = only_kept(whole.steps(), 0, steps, part);
  } else {
    std::map<uint32_t, StepRecord> once;
    for (uint32_t r = 0; r < whole.ranks().size(); ++r) {
      c.ranks_[r].steps = only_kept(whole.ranks()[r].steps, r, steps, part);
      for (const StepRecord& step : c.ranks_[r].steps) once.try_emplace(step.index, step);
    }
    c.steps_.clear();
    for (const auto& [index, step] : once) c.steps_.push_back(step);
  }
  constexpr uint32_t kDropped = 0xffffffffu;
  std::vector<uint32_t> row_of(whole.activities().size(), kDropped);
  std::unordered_set<uint64_t> correlations;
  for (size_t row = 0; row < row_of.size(); ++row) {
    Activity a = whole.activities().row(row);
    if (!selection.keep(a)) continue;
    if (stepless) a.step = all.index;
    else if (!steps.has(rank_of(a.track), a.step)) a.step = kNoStep;
    if (a.correlation != 0) correlations.insert(a.correlation);
    row_of[row] = builder.activities_.next_row();
    builder.activities_.add(a);
  }
  GpuRecords::visit_lists(c.gpu_, [&](auto& list) {
    std::erase_if(list, [&](const auto& record) { return row_of[record.activity] == kDropped; });
    for (auto& record : list) record.activity = row_of[record.activity];
  });
  for (CounterSeries& series : c.counters_) cut_series(series, part);
  std::erase_if(c.counters_, [](const CounterSeries& series) { return series.time_ns.empty(); });
  std::erase_if(c.collectives_, [&](const CollectiveRecord& r) { return !correlations.contains(r.correlation); });
  const auto time = [&](int64_t at) {
    return format_quantity(static_cast<double>(std::clamp(at, whole.begin_ns(), whole.end_ns()) - whole.begin_ns()),
                           Quantity::duration_ns);
  };
  const std::string of_steps = stepless            ? std::string(" No whole step lies in it: it counts as one.")
                               : steps.cut.empty() ? std::string()
                                                   : fmt::format(" {} that it cuts count in no figure per step.",
                                                                 counted(steps.cut.size(), "step"));
  c.honesty_.notes.push_back(fmt::format("Range: only {} to {} of the capture's {} is looked at.{}", time(begin_ns),
                                         time(end_ns), time(whole.end_ns()), of_steps));
  return builder.finish();
}

}  // namespace profiler
