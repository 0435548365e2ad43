// SPDX-License-Identifier: Apache-2.0
// Collectives by their records and kernels; exposed time by the kernels beside them; ranks compared call by call.
#include "profiler/analysis/gpu/collectives.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>

#include "profiler/analysis/base/intervals.h"
#include "profiler/base/statistics.h"
#include "profiler/capture/communication.h"
#include "profiler/capture/timed_steps.h"

namespace profiler {
namespace {

struct KindName {
  std::string_view word;  ///< small letters without '_' and '-'
  CollectiveKind kind;
};
/// The first that is in a name counts.
constexpr std::array kWords{KindName{"allreduce", CollectiveKind::all_reduce},
                            KindName{"crossdevicereduce", CollectiveKind::all_reduce},
                            KindName{"crossreplicasum", CollectiveKind::all_reduce},
                            KindName{"allgather", CollectiveKind::all_gather},
                            KindName{"reducescatter", CollectiveKind::reduce_scatter},
                            KindName{"alltoall", CollectiveKind::all_to_all},
                            KindName{"broadcast", CollectiveKind::broadcast},
                            KindName{"sendrecv", CollectiveKind::point_to_point},
                            KindName{"collectivepermute", CollectiveKind::point_to_point},
                            KindName{"barrier", CollectiveKind::barrier},
                            KindName{"scatter", CollectiveKind::scatter},
                            KindName{"gather", CollectiveKind::gather},
                            KindName{"reduce", CollectiveKind::reduce}};

/// Small letters without '_' and '-', up to the parameters.
std::string plain(std::string_view name) {
  std::string text;
  for (const char c : name.substr(0, name.find_first_of("(<"))) {
    if (c != '_' && c != '-') text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return text;
}

double known_bytes(int64_t bytes) { return bytes >= 0 ? static_cast<double>(bytes) : kUnknown; }

/// The larger of what is sent and received; what one side lacks follows from the other and the number of ranks.
double message_bytes(const CollectiveRecord& r, CollectiveKind kind) {
  double in = known_bytes(r.in_bytes), out = known_bytes(r.out_bytes);
  const double ranks = r.group_size > 0 ? static_cast<double>(r.group_size) : kUnknown;
  if (kind == CollectiveKind::all_gather && std::isnan(out)) out = in * ranks;
  if (kind == CollectiveKind::reduce_scatter && std::isnan(in)) in = out * ranks;
  const bool one_sided = kind == CollectiveKind::all_gather || kind == CollectiveKind::reduce_scatter;
  if (one_sided && (std::isnan(in) || std::isnan(out))) return kUnknown;
  return std::fmax(in, out);
}

using DeviceKey = std::pair<uint32_t, int32_t>;  // rank, device

CollectiveCall call_of(const Capture& capture, uint32_t row, uint32_t rank) {
  const ActivityColumns& a = capture.activities();
  CollectiveCall call{.activity = row, .rank = rank};
  const CollectiveRecord* record = a.correlation[row] == 0 ? nullptr : capture.collective_of(a.correlation[row]);
  call.kind = collective_kind(capture.name(record != nullptr ? record->operation : a.name[row]));
  call.operation = record != nullptr ? capture.name(record->operation) : name(call.kind);
  if (record != nullptr) {
    call.group = capture.name(record->group), call.ranks = capture.name(record->ranks);
    call.group_size = record->group_size;
    call.bytes = message_bytes(*record, call.kind);
  }
  call.time_ns = static_cast<double>(a.duration_ns[row]);
  return call;
}

/// Collectives that processors carry out (gloo, MPI): spans of host threads. Ops on other threads hide them, but for
/// those that start collectives or wait for them.
void add_host_calls(const Capture& capture, const RankOfTrack& rank_of, std::vector<CollectiveCall>& calls,
                    std::map<DeviceKey, std::vector<Interval>>& computing) {
  if (capture.collectives().empty()) return;
  const ActivityColumns& a = capture.activities();
  std::unordered_map<NameId, bool> computes;
  const size_t first = calls.size();
  for (uint32_t row = 0; row < a.size(); ++row) {
    if (a.kind[row] == ActivityKind::range && a.correlation[row] != 0 &&
        capture.collective_of(a.correlation[row]) != nullptr)
      calls.push_back(call_of(capture, row, rank_of(a.track[row])));
  }
  if (calls.size() == first) return;
  for (uint32_t row = 0; row < a.size(); ++row) {
    if (a.kind[row] != ActivityKind::op) continue;
    const auto [known, fresh] = computes.try_emplace(a.name[row], false);
    if (fresh) {
      const std::string_view called = capture.name(a.name[row]);
      known->second = !called.starts_with("c10d::") && called != "record_param_comms";
    }
    if (known->second)
      computing[{rank_of(a.track[row]), kUnknownFigure}].push_back(
          {a.start_ns[row], a.start_ns[row] + a.duration_ns[row]});
  }
}

std::vector<CollectiveCall> calls_of(const Capture& capture) {
  const ActivityColumns& a = capture.activities();
  const RankOfTrack rank_of(capture);
  Communication communication(capture);
  std::map<DeviceKey, std::vector<Interval>> computing;
  std::vector<CollectiveCall> calls;
  const auto span = [&](uint32_t row) { return Interval{a.start_ns[row], a.start_ns[row] + a.duration_ns[row]}; };
  for (const KernelRecord& kernel : capture.gpu().kernels) {
    const uint32_t row = kernel.activity, rank = rank_of(a.track[row]);
    if (!communication.is(row)) {
      computing[{rank, kernel.place.device}].push_back(span(row));
      continue;
    }
    calls.push_back(call_of(capture, row, rank));
    calls.back().device = kernel.place.device;
  }
  add_host_calls(capture, rank_of, calls, computing);
  if (calls.empty()) return calls;
  for (const MemsetRecord& memset : capture.gpu().memsets)
    computing[{rank_of(a.track[memset.activity]), memset.place.device}].push_back(span(memset.activity));
  std::map<DeviceKey, IntervalSet> busy;
  for (auto& [device, spans] : computing) busy.emplace(device, IntervalSet(std::move(spans)));
  for (CollectiveCall& call : calls) {
    const Interval i = span(call.activity);
    const auto beside = busy.find({call.rank, call.device});
    call.exposed_ns = call.time_ns -
                      (beside == busy.end() ? 0 : static_cast<double>(beside->second.covered_ns(i.begin_ns, i.end_ns)));
  }
  std::ranges::stable_sort(calls, [&](const CollectiveCall& x, const CollectiveCall& y) {
    return std::tuple(x.rank, a.start_ns[x.activity]) < std::tuple(y.rank, a.start_ns[y.activity]);
  });
  return calls;
}

/// Collectives of a group run in one order on all of its ranks: the nth of a step on one is the nth on the others.
void compare_ranks(const Capture& capture, Collectives& all) {
  if (capture.ranks().size() < 2) return;
  const ActivityColumns& a = capture.activities();
  using Group = std::tuple<std::string_view, std::string_view, uint32_t>;  // group, its ranks, step
  std::map<Group, std::map<uint32_t, std::vector<size_t>>> groups;         // by rank
  for (size_t i = 0; i < all.calls.size(); ++i) {
    const CollectiveCall& call = all.calls[i];
    const bool named = !call.ranks.empty() || !call.group.empty();
    if (named && call.kind != CollectiveKind::point_to_point)
      groups[{call.group, call.ranks, a.step[call.activity]}][call.rank].push_back(i);
  }
  for (const auto& [group, of_rank] : groups) {
    if (of_rank.size() < 2) continue;
    const std::vector<size_t>& first = of_rank.begin()->second;
    const auto alike = [&](const auto& other) {
      return std::ranges::equal(
          other.second, first, {}, [&](size_t i) { return all.calls[i].operation; },
          [&](size_t i) { return all.calls[i].operation; });
    };
    if (!std::ranges::all_of(of_rank, alike)) continue;  // a cut window: which is which is not known
    for (size_t n = 0; n < first.size(); ++n) {
      int64_t earliest = INT64_MAX, latest = INT64_MIN, first_end = INT64_MAX;
      for (const auto& [rank, calls] : of_rank) {
        const uint32_t row = all.calls[calls[n]].activity;
        earliest = std::min(earliest, a.start_ns[row]), latest = std::max(latest, a.start_ns[row]);
        first_end = std::min(first_end, a.start_ns[row] + a.duration_ns[row]);
      }
      // none can be done before all have begun
      const bool together = latest < first_end;
      for (const auto& [rank, calls] : of_rank) {
        CollectiveCall& call = all.calls[calls[n]];
        ++(together ? all.compared : all.contradicted);
        if (!together) continue;
        call.skew_ns = static_cast<double>(latest - earliest);
        call.wait_ns = static_cast<double>(latest - a.start_ns[call.activity]);
        call.last = a.start_ns[call.activity] == latest && latest > earliest;
      }
    }
  }
}

/// Sums of a row while its calls are added.
struct RowSums {
  CollectiveRow row;
  std::vector<double> bytes;
  double sized_ns = 0, skew_ns = 0, wait_ns = 0;
  int64_t compared = 0;
};

void finish_row(RowSums& sums, std::vector<CollectiveRow>& rows) {
  CollectiveRow& r = sums.row;
  r.sized = static_cast<int64_t>(sums.bytes.size());
  r.median_bytes = median(sums.bytes);
  if (r.sized == 0) r.bytes = kUnknown;
  r.algorithm_bytes_per_s = r.bytes > 0 && sums.sized_ns > 0 ? r.bytes / sums.sized_ns * 1e9 : kUnknown;
  r.bus_bytes_per_s = r.algorithm_bytes_per_s * bus_factor(r.kind, r.group_size);
  if (sums.compared > 0) r.skew_ns = sums.skew_ns / static_cast<double>(sums.compared), r.wait_ns = sums.wait_ns;
  rows.push_back(r);
}

std::vector<CollectiveRow> rows_of(const std::vector<CollectiveCall>& calls) {
  using Key = std::tuple<uint32_t, std::string_view, std::string_view, std::string_view, int32_t>;
  std::map<Key, RowSums> sums;
  for (const CollectiveCall& call : calls) {
    RowSums& s = sums[{call.rank, call.operation, call.group, call.ranks, call.group_size}];
    CollectiveRow& r = s.row;
    r.rank = call.rank, r.kind = call.kind, r.operation = call.operation, r.group = call.group,
    r.group_size = call.group_size;
    ++r.count;
    r.time_ns += call.time_ns, r.exposed_ns += call.exposed_ns;
    if (!std::isnan(call.bytes)) s.bytes.push_back(call.bytes), r.bytes += call.bytes, s.sized_ns += call.time_ns;
    if (!std::isnan(call.wait_ns)) ++s.compared, s.skew_ns += call.skew_ns, s.wait_ns += call.wait_ns;
  }
  std::vector<CollectiveRow> rows;
  for (auto& [key, s] : sums) finish_row(s, rows);
  std::ranges::stable_sort(rows, [](const CollectiveRow& x, const CollectiveRow& y) {
    return x.rank != y.rank ? x.rank < y.rank : x.time_ns > y.time_ns;
  });
  return rows;
}

}  // namespace

CollectiveKind collective_kind(std::string_view called) {
  const std::string text = plain(called);
  for (const KindName& known : kWords) {
    if (text.find(known.word) != text.npos) return known.kind;
  }
  const bool sends = text == "send" || text == "recv" || text.find("sendtensor") != text.npos ||
                     text.starts_with("isend") || text.starts_with("irecv");
  return sends ? CollectiveKind::point_to_point : CollectiveKind::unknown;
}

std::string_view name(CollectiveKind kind) {
  constexpr std::array<std::string_view, 11> names{"unknown",    "allreduce", "allgather", "reduce_scatter",
                                                   "all_to_all", "broadcast", "reduce",    "gather",
                                                   "scatter",    "send_recv", "barrier"};
  return names[static_cast<size_t>(kind)];
}

double bus_factor(CollectiveKind kind, int32_t ranks) {
  const double n = ranks > 0 ? ranks : kUnknown;
  switch (kind) {
    case CollectiveKind::all_reduce: return 2 * (n - 1) / n;
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_to_all:
    case CollectiveKind::gather:
    case CollectiveKind::scatter: return (n - 1) / n;
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce:
    case CollectiveKind::point_to_point: return 1;
    case CollectiveKind::unknown:
    case CollectiveKind::barrier: return kUnknown;
  }
  return kUnknown;
}

double CollectiveCall::algorithm_bytes_per_s() const {
  return bytes > 0 && time_ns > 0 ? bytes / time_ns * 1e9 : kUnknown;
}

Collectives collectives(const Capture& capture) {
  Collectives all;
  all.calls = calls_of(capture);
  compare_ranks(capture, all);
  all.rows = rows_of(all.calls);
  all.unsized = std::ranges::count_if(all.calls, [](const CollectiveCall& c) { return std::isnan(c.bytes); });
  return all;
}

}  // namespace profiler
