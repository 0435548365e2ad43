// SPDX-License-Identifier: Apache-2.0
// Groups copies, finds the ones nobody needed.
#include "profiler/analysis/gpu/transfers.h"
#include "profiler/analysis/base/time_origin.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>

#include "profiler/analysis/base/intervals.h"
#include "profiler/analysis/base/verdict_rules.h"
#include "profiler/analysis/gpu/copy_contents.h"
#include "profiler/base/say.h"
#include "profiler/base/unknown.h"
#include "profiler/capture/host_copies.h"
#include "profiler/capture/timed_steps.h"

namespace profiler {
namespace {

using Device = std::pair<uint32_t, int32_t>;  // rank, number

/// When kernels ran, by device.
std::map<Device, IntervalSet> kernel_times(const Capture& capture, const RankOfTrack& rank_of) {
  std::map<Device, std::vector<Interval>> spans;
  const ActivityColumns& a = capture.activities();
  for (const KernelRecord& k : capture.gpu().kernels) {
    spans[{rank_of(a.track[k.activity]), k.place.device}].push_back(
        {a.start_ns[k.activity], a.start_ns[k.activity] + a.duration_ns[k.activity]});
  }
  std::map<Device, IntervalSet> sets;
  for (auto& [device, list] : spans) sets.emplace(device, IntervalSet(std::move(list)));
  return sets;
}

/// The measured steps, by rank.
std::map<uint32_t, IntervalSet> step_times(const Capture& capture) {
  std::map<uint32_t, std::vector<Interval>> spans;
  for (const StepWindow& w : measured_step_windows(capture)) spans[w.rank].push_back({w.begin_ns, w.end_ns});
  std::map<uint32_t, IntervalSet> sets;
  for (auto& [rank, list] : spans) sets.emplace(rank, IntervalSet(std::move(list)));
  return sets;
}

/// Duration of the call with each correlation.
std::unordered_map<uint64_t, int64_t> call_times(const Capture& capture) {
  std::unordered_map<uint64_t, int64_t> times;
  const ActivityColumns& a = capture.activities();
  for (const ApiCallRecord& call : capture.gpu().api_calls) {
    if (a.correlation[call.activity] != 0) times[a.correlation[call.activity]] = a.duration_ns[call.activity];
  }
  return times;
}

/// Rows are found by what makes them one.
using Key = std::tuple<TensorId, NameId, CopyKind, MemoryKind, MemoryKind, Synchrony, int32_t, int64_t>;

Key key_of(const CopyRecord& c) {
  return {c.tensor,      c.reason,    c.kind,         c.source,
          c.destination, c.synchrony, c.place.device, c.tensor == kNoTensor ? c.bytes : 0};
}

class Ledger {
 public:
  explicit Ledger(const Capture& capture)
      : capture_(capture),
        rank_of_(capture),
        kernels_(kernel_times(capture, rank_of_)),
        steps_(step_times(capture)),
        calls_(call_times(capture)) {}

  Transfers write() {
    for (const CopyRecord& copy : capture_.gpu().copies) add(copy);
    std::sort(t_.rows.begin(), t_.rows.end(),
              [](const TransferRow& a, const TransferRow& b) { return a.device_ns > b.device_ns; });
    return std::move(t_);
  }

 private:
  TransferRow& row_of(const CopyRecord& c) {
    const auto [entry, added] = index_.try_emplace(key_of(c), t_.rows.size());
    if (added) {
      TransferRow row;
      row.tensor = c.tensor;
      row.reason = c.reason;
      row.kind = c.kind;
      row.source = c.source;
      row.destination = c.destination;
      row.synchrony = c.synchrony;
      row.device = c.place.device;
      row.host_ns = kUnknown;
      t_.rows.push_back(row);
    }
    return t_.rows[entry->second];
  }

  void add(const CopyRecord& c) {
    const ActivityColumns& a = capture_.activities();
    const int64_t begin = a.start_ns[c.activity], duration = a.duration_ns[c.activity];
    TransferRow& row = row_of(c);
    ++row.count, ++t_.count;
    if (c.bytes < 0) ++row.unsized;
    const int64_t bytes = std::max<int64_t>(c.bytes, 0);
    row.bytes += bytes, t_.bytes += bytes;
    row.device_ns += static_cast<double>(duration);
    t_.device_ns += static_cast<double>(duration);
    const auto busy = kernels_.find({rank_of_(a.track[c.activity]), c.place.device});
    const int64_t beside = busy == kernels_.end() ? 0 : busy->second.covered_ns(begin, begin + duration);
    row.exposed_ns += static_cast<double>(duration - beside);
    row.stepped_exposed_ns += exposed_in_steps(c, begin, begin + duration);
    t_.exposed_ns += static_cast<double>(duration - beside);
    if (const auto call = calls_.find(a.correlation[c.activity]); call != calls_.end()) {
      row.host_ns = (std::isnan(row.host_ns) ? 0 : row.host_ns) + static_cast<double>(call->second);
    }
    if (c.tensor == kNoTensor) ++t_.untied;
    judge(c, bytes, duration, row);
  }

  /// Calls f(begin, end) for each part of a span that lies in a measured step of its rank.
  template <class F>
  void for_each_stepped(const CopyRecord& c, int64_t begin, int64_t end, F&& f) const {
    if (steps_.empty()) return f(begin, end);
    const auto steps = steps_.find(rank_of_(capture_.activities().track[c.activity]));
    if (steps == steps_.end()) return;
    const IntervalSet within = steps->second.within(begin, end);
    for (const Interval& part : within.spans()) f(part.begin_ns, part.end_ns);
  }

  double exposed_in_steps(const CopyRecord& c, int64_t begin, int64_t end) const {
    const auto busy = kernels_.find({rank_of_(capture_.activities().track[c.activity]), c.place.device});
    double ns = 0;
    for_each_stepped(c, begin, end, [&](int64_t from, int64_t to) {
      ns += static_cast<double>(to - from - (busy == kernels_.end() ? 0 : busy->second.covered_ns(from, to)));
    });
    return ns;
  }

  void judge(const CopyRecord& c, int64_t bytes, int64_t duration, TransferRow& row) {
    const std::optional<bool> unchanged = contents_.unchanged(c);
    if (!unchanged) return;
    ++row.judged, ++t_.judged;
    if (!*unchanged) return;
    ++row.avoidable, ++t_.avoidable;
    row.avoidable_bytes += bytes, t_.avoidable_bytes += bytes;
    row.avoidable_ns += static_cast<double>(duration), t_.avoidable_ns += static_cast<double>(duration);
    const int64_t begin = capture_.activities().start_ns[c.activity];
    for_each_stepped(c, begin, begin + duration, [&](int64_t from, int64_t to) {
      row.stepped_avoidable_ns += static_cast<double>(to - from),
          t_.stepped_avoidable_ns += static_cast<double>(to - from);
    });
  }

  const Capture& capture_;
  RankOfTrack rank_of_;
  std::map<Device, IntervalSet> kernels_;
  std::map<uint32_t, IntervalSet> steps_;
  std::unordered_map<uint64_t, int64_t> calls_;
  std::map<Key, size_t> index_;
  CopyContents contents_;
  Transfers t_;
};

std::string copies(int64_t count) { return count == 1 ? say("1 copy") : say("{} copies", count); }

std::string bytes_text(int64_t bytes) { return format_quantity(static_cast<double>(bytes), Quantity::bytes); }
std::string time_text(double ns) { return format_quantity(ns, Quantity::duration_ns); }

void find_faults(const Capture& capture, const VerdictRules& rules, Transfers& t) {
  if (t.avoidable > 0) {
    const auto worst = std::max_element(t.rows.begin(), t.rows.end(), [](const TransferRow& a, const TransferRow& b) {
      return a.avoidable_ns < b.avoidable_ns;
    });
    t.findings.push_back(
        say("{} of {} moved bytes that were there already ({}, {}), mostly {}: keep it on the "
            "device.",
            copies(t.avoidable), t.count, bytes_text(t.avoidable_bytes), time_text(t.avoidable_ns),
            capture.name(capture.tensors()[worst->tensor].name)));
  }
  double pageable_ns = 0;
  int64_t pageable = 0, small = 0;
  double small_ns = 0;
  const double limit = rules[Rule::small_copy_bytes];
  for (const TransferRow& row : t.rows) {
    const bool over_the_link = row.kind == CopyKind::host_to_device || row.kind == CopyKind::device_to_host;
    if (over_the_link && (row.source == MemoryKind::pageable || row.destination == MemoryKind::pageable)) {
      pageable += row.count;
      pageable_ns += row.device_ns;
    }
    if (over_the_link && row.unsized == 0 && static_cast<double>(row.bytes) < limit * static_cast<double>(row.count)) {
      small += row.count;
      small_ns += row.device_ns;
    }
  }
  if (pageable > 0) {
    t.findings.push_back(
        say("{} used pageable host memory ({}). The driver stages such copies, and the host "
            "waits even for asynchronous ones. Pinned memory lets them run beside kernels.",
            copies(pageable), time_text(pageable_ns)));
  }
  if (small >= rules[Rule::many_small_copies]) {
    t.findings.push_back(
        say("{} copies are smaller than {} on average ({}). Their fixed cost outweighs their "
            "bytes; one larger copy is faster.",
            small, format_quantity(limit, Quantity::bytes), time_text(small_ns)));
  }
}

Cell figure(double value) { return std::isfinite(value) ? Cell(value) : Cell(); }

std::string_view synchrony_text(Synchrony s) {
  switch (s) {
    case Synchrony::synchronous: return "synchronous";
    case Synchrony::asynchronous: return "asynchronous";
    default: return "";
  }
}

}  // namespace

double TransferRow::bytes_per_s() const {
  const auto copies = static_cast<double>(count);
  const bool shown = unsized == 0 && count > 0 && shows_rate(static_cast<double>(bytes) / copies, device_ns / copies);
  return shown ? static_cast<double>(bytes) / device_ns * 1e9 : kUnknown;
}

Transfers transfers(const Capture& capture, const VerdictRules& rules) {
  Transfers t = Ledger(capture).write();
  find_faults(capture, rules, t);
  return t;
}

Table transfers_table(const Capture& capture, const Transfers& transfers) {
  Table table;
  table.name = "transfers";
  table.columns = {
      {"tensor", "Tensor", Quantity::text, Origin::exact, "Whose bytes; empty: not recorded"},
      {"reason", "Reason", Quantity::text, Origin::exact, "Why it was copied; empty: unknown"},
      {"device", "GPU", Quantity::text, Origin::measured, "Number of the device that copied; empty: unknown"},
      {"direction", "Direction", Quantity::text, Origin::measured, "From where to where"},
      {"memory", "Memory", Quantity::text, Origin::measured,
       "Kinds of memory at both ends; pageable memory is staged by the driver"},
      {"order", "Order", Quantity::text, Origin::measured, "Whether the caller asked to go on while it ran"},
      {"copies_count", "Copies", Quantity::count, Origin::measured, "In the whole capture"},
      {"copied_bytes", "Bytes", Quantity::bytes, Origin::measured, "Sum; unknown sizes are left out"},
      {"each_bytes", "Bytes each", Quantity::bytes, Origin::measured, "Sum / copies of known size: of one copy"},
      {"device_ns", "Time", Quantity::duration_ns, Origin::measured, "Sum of the copies' own times"},
      {"rate_bytes_per_s", "Rate", Quantity::bytes_per_s, Origin::measured,
       "Bytes / time; empty: unknown sizes, or copies of less than 4 KiB or 100 ns"},
      {"exposed_ns", "Exposed", Quantity::duration_ns, Origin::measured,
       "Time of the copies during which no kernel ran on that device"},
      {"host_ns", "Calls", Quantity::duration_ns, Origin::measured,
       "Time the host spent in the calls that ordered them"},
      {"avoidable_count", "Avoidable", Quantity::count, Origin::measured,
       "Copies whose source had not been written since the copy before to the same place; unknown "
       "without a record of writes"},
      {"avoidable_bytes", "Avoidable bytes", Quantity::bytes, Origin::measured, "Bytes of those"}};
  for (const TransferRow& r : transfers.rows) {
    const bool sized = r.unsized<r.count, judged = r.judged> 0;
    table.rows.push_back(
        {r.tensor == kNoTensor ? Cell() : Cell(std::string(capture.name(capture.tensors()[r.tensor].name))),
         r.reason == 0 ? Cell() : Cell(std::string(capture.name(r.reason))),
         r.device < 0 ? Cell() : Cell(std::to_string(r.device)), std::string(name(r.kind)),
         say("{} to {}", name(r.source), name(r.destination)), std::string(synchrony_text(r.synchrony)),
         static_cast<double>(r.count), sized ? Cell(static_cast<double>(r.bytes)) : Cell(),
         sized ? Cell(static_cast<double>(r.bytes) / static_cast<double>(r.count - r.unsized)) : Cell(), r.device_ns,
         figure(r.bytes_per_s()), r.exposed_ns, figure(r.host_ns),
         judged ? Cell(static_cast<double>(r.avoidable)) : Cell(),
         judged ? Cell(static_cast<double>(r.avoidable_bytes)) : Cell()});
  }
  return with_time_origin(std::move(table), capture);
}

}  // namespace profiler
