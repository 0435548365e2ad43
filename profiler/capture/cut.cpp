// SPDX-License-Identifier: Apache-2.0
// CaptureBuilder::cut(): a part of a capture's time as a capture of its own.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
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

/// Steps that touch the part, by index and rank: with all of their work inside in all ranks that have them, or not.
struct KeptSteps {
  std::map<uint32_t, std::map<uint32_t, StepWindow>> whole, cut;
  bool counts(uint32_t rank, uint32_t step) const {
    const auto at = whole.find(step);
    return at != whole.end() && at->second.contains(rank);
  }
  bool has(uint32_t rank, uint32_t step) const {
    const auto at = cut.find(step);
    return counts(rank, step) || (at != cut.end() && at->second.contains(rank));
  }
  size_t counted() const {
    size_t count = 0;
    for (const auto& [index, ranks] : whole) count += ranks.size();
    return count;
  }
};

KeptSteps kept_steps(const Capture& capture, const Part& part) {
  std::map<uint32_t, std::map<uint32_t, StepWindow>> all;
  for (const StepWindow& w : step_windows(capture)) all[w.host.index][w.rank] = w;
  KeptSteps kept;
  for (auto& [index, ranks] : all) {
    bool touched = false, whole = true, counts = true;
    for (const auto& [rank, w] : ranks) {
      touched = touched || part.touches(w.begin_ns, w.end_ns - w.begin_ns);
      whole = whole && w.begin_ns >= part.begin_ns && w.end_ns <= part.end_ns;
      counts = counts && w.host.traced && !w.host.warmup && w.end_ns > w.begin_ns;
    }
    if (touched) (whole && counts ? kept.whole : kept.cut)[index] = ranks;
  }
  if (kept.whole.empty()) kept.cut.clear();  // without a step that counts, the part itself is one
  return kept;
}

/// The steps of a rank as far as they are kept. What counts begins where its window does, as before; what is cut counts
/// as little as a warm-up.
std::vector<StepRecord> only_kept(uint32_t rank, const KeptSteps& kept, const Part& part) {
  std::vector<StepRecord> list;
  for (const auto* steps : {&kept.whole, &kept.cut}) {
    for (const auto& [index, ranks] : *steps) {
      const auto at = ranks.find(rank);
      if (at == ranks.end()) continue;
      StepRecord step = at->second.host;
      step.start_ns = std::clamp(at->second.begin_ns, part.begin_ns, part.end_ns);
      step.duration_ns = std::clamp(at->second.end_ns, part.begin_ns, part.end_ns) - step.start_ns;
      step.warmup = step.warmup || steps == &kept.cut;
      list.push_back(step);
    }
  }
  return list;
}

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
      const bool gpu = of_gpu(a.kind[row], capture_.tracks()[a.track[row]].kind);
      if (gpu && a.correlation[row] != 0 && part.touches(a.start_ns[row], a.duration_ns[row]))
        launched_.insert(a.correlation[row]);
    }
  }

  /// The activity as far as it is kept; the share of it that is, 0: none.
  double keep(Activity& a) const {
    if (!part_.touches(a.start_ns, a.duration_ns))
      // The calls that launched what is kept say why the GPU stood still.
      return a.kind == ActivityKind::api && launched_.contains(a.correlation) ? 1 : 0;
    const int64_t whole = a.duration_ns, end = std::min(a.start_ns + whole, part_.end_ns);
    a.start_ns = std::max(a.start_ns, part_.begin_ns);
    a.duration_ns = end - a.start_ns;
    if (a.kind == ActivityKind::step && a.duration_ns < whole) return 0;  // a reader would take it for a step
    return whole > 0 ? static_cast<double>(a.duration_ns) / static_cast<double>(whole) : 1;
  }

 private:
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

/// How often each op worked: by its kernels, or where no GPU worked for it, by its spans.
struct Work {
  std::vector<double> kernels, spans;
  explicit Work(size_t ops) : kernels(ops, 0), spans(ops, 0) {}
  void add(OpId op, ActivityKind kind, double share) {
    if (op == kNoOp) return;
    if (kind == ActivityKind::kernel) kernels[op] += share;
    if (kind == ActivityKind::op) spans[op] += share;
  }
};

}  // namespace

Result<std::shared_ptr<const Capture>> CaptureBuilder::cut(const Capture& whole, int64_t begin_ns, int64_t end_ns) {
  const Part part{std::max(begin_ns, whole.begin_ns()), std::min(end_ns, whole.end_ns())};
  if (part.end_ns <= part.begin_ns)
    return engine::refused_error("[capture] the range to cut out lies outside the capture's time");
  const KeptSteps steps = kept_steps(whole, part);
  const Selection selection(whole, part);
  const RankOfTrack rank_of(whole);
  CaptureBuilder builder;
  Capture& c = builder.capture_ = whole;
  c.activities_ = {};
  const bool stepless = steps.whole.empty();
  const StepRecord all{.index = 0, .start_ns = part.begin_ns, .duration_ns = part.end_ns - part.begin_ns};
  std::map<uint32_t, StepRecord> once;
  for (uint32_t r = 0; r < std::max<size_t>(1, whole.ranks().size()); ++r) {
    const std::vector<StepRecord> kept = stepless ? std::vector<StepRecord>{all} : only_kept(r, steps, part);
    for (const StepRecord& step : kept) once.try_emplace(step.index, step);
    if (r < c.ranks_.size()) c.ranks_[r].steps = kept;
  }
  c.steps_.clear();
  for (const auto& [index, step] : once) c.steps_.push_back(step);

  std::set<std::pair<uint32_t, uint32_t>> counted_before;
  for (const StepWindow& w : measured_step_windows(whole)) counted_before.insert({w.rank, w.host.index});
  Work before(whole.ops().size()), after(whole.ops().size());
  constexpr uint32_t kDropped = 0xffffffffu;
  std::vector<uint32_t> row_of(whole.activities().size(), kDropped);
  std::vector<double> share_of(row_of.size(), 0);
  std::unordered_set<uint64_t> correlations;
  for (size_t row = 0; row < row_of.size(); ++row) {
    Activity a = whole.activities().row(row);
    const uint32_t rank = rank_of(a.track);
    if (counted_before.empty() || counted_before.contains({rank, a.step})) before.add(a.op, a.kind, 1);
    const double share = selection.keep(a);
    const bool outside = share == 0;
    if (outside) continue;
    share_of[row] = share;
    if (stepless || steps.counts(rank, a.step)) after.add(a.op, a.kind, share);
    if (stepless) a.step = all.index;
    else if (!steps.has(rank, a.step)) a.step = kNoStep;
    if (a.correlation != 0) correlations.insert(a.correlation);
    row_of[row] = builder.activities_.next_row();
    builder.activities_.add(a);
  }
  GpuRecords::visit_lists(c.gpu_, [&](auto& list) {
    std::erase_if(list, [&](const auto& record) { return row_of[record.activity] == kDropped; });
    for (auto& record : list) {
      // Bytes of a copy or fill that the part cuts, in proportion.
      if constexpr (requires { record.bytes; }) {
        if (record.bytes > 0)
          record.bytes = std::llround(static_cast<double>(record.bytes) * share_of[record.activity]);
      }
      record.activity = row_of[record.activity];
    }
  });
  // FLOPs and bytes of an op are those of a step. A part may hold fewer of its calls, or a part of one.
  const auto ranks = static_cast<double>(std::max<size_t>(1, whole.ranks().size()));
  const double steps_before = counted_before.empty() ? ranks : static_cast<double>(counted_before.size()),
               steps_after = stepless ? ranks : static_cast<double>(steps.counted());
  for (OpRecord& op : c.ops_) {
    const bool by_kernels = before.kernels[op.id] > 0;
    const double was = (by_kernels ? before.kernels : before.spans)[op.id] / steps_before,
                 is = (by_kernels ? after.kernels : after.spans)[op.id] / steps_after;
    if (!(was > 0) || is == was) continue;
    op.flops *= is / was;
    for (uint32_t i = 0; i < op.operand_count; ++i) {
      OperandRecord& operand = c.operands_[op.first_operand + i];
      operand.read_bytes = std::llround(static_cast<double>(operand.read_bytes) * is / was);
      operand.written_bytes = std::llround(static_cast<double>(operand.written_bytes) * is / was);
    }
  }
  if (stepless) c.traffic_.clear();  // it is of whole steps
  for (CounterSeries& series : c.counters_) cut_series(series, part);
  std::erase_if(c.counters_, [](const CounterSeries& series) { return series.time_ns.empty(); });
  std::erase_if(c.collectives_, [&](const CollectiveRecord& r) { return !correlations.contains(r.correlation); });
  const auto time = [&](int64_t at) {
    return format_quantity(static_cast<double>(at - whole.begin_ns()), Quantity::duration_ns);
  };
  const std::string of_steps = stepless            ? std::string(" No whole step lies in it: it counts as one.")
                               : steps.cut.empty() ? std::string()
                                                   : fmt::format(" {} that it cuts count in no figure per step.",
                                                                 counted(steps.cut.size(), "step"));
  c.honesty_.notes.push_back(fmt::format("Range: only {} to {} of the capture's {} is looked at.{}",
                                         time(part.begin_ns), time(part.end_ns), time(whole.end_ns()), of_steps));
  auto finished = builder.finish();
  if (!finished) return finished;
  auto of_range = std::make_shared<Capture>(**finished);
  of_range->begin_ns_ = part.begin_ns, of_range->end_ns_ = part.end_ns;  // launches before it do not move its begin
  return std::shared_ptr<const Capture>(std::move(of_range));
}

}  // namespace profiler
