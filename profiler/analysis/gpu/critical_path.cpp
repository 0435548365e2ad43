// SPDX-License-Identifier: Apache-2.0
// The critical path, walked from the end of each step to its begin.
#include "profiler/analysis/gpu/critical_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "profiler/analysis/base/time_origin.h"
#include "profiler/base/say.h"
#include "profiler/base/words.h"
#include "profiler/capture/host_copies.h"
#include "profiler/capture/timed_steps.h"

namespace profiler {
namespace {

constexpr uint32_t kNone = 0xffffffffu;

/// Work of a GPU.
struct Work {
  uint32_t row = 0, call = kNone;  ///< rows of activities
  TrackId track = 0;
  GpuPlace place{};
  int64_t begin_ns = 0, end_ns = 0;
  /// Work of one stream runs in order, on whatever engines. Without a stream, that of one track does.
  auto stream() const {
    return std::tuple(place.device, place.context, place.stream, place.stream < 0 ? int{track} : -1);
  }
};
using StreamKey = decltype(std::declval<Work>().stream());

/// A span of a host thread in which one activity is the innermost.
struct Leaf {
  uint32_t row = 0;
  int64_t begin_ns = 0, end_ns = 0;
};

/// A call by which a stream waits for others.
struct StreamWait {
  int64_t begin_ns = 0;
  int32_t stream = kUnknownFigure;  ///< that waits
};

/// What one rank did.
struct RankWork {
  std::vector<Work> works;                                ///< ascending by end
  std::map<StreamKey, std::vector<uint32_t>> streams;     ///< into works, ascending by begin
  std::map<TrackId, std::vector<Leaf>> threads;           ///< ascending
  std::map<TrackId, std::vector<StreamWait>> wait_calls;  ///< of a thread, ascending
  std::unordered_map<uint32_t, uint32_t> place;           ///< of a work in its stream's list
};

/// A wait is one where no call of it is recorded.
bool on_host_path(ActivityKind kind) {
  return kind == ActivityKind::op || kind == ActivityKind::api || kind == ActivityKind::overhead ||
         kind == ActivityKind::synchronization;
}

bool says(std::string_view name, std::string_view word) { return name.find(word) != name.npos; }

/// Spans that nest, cut into those of the innermost. Those that cross end where the outer one does.
std::vector<Leaf> leaves_of(const ActivityColumns& a, const std::vector<uint32_t>& rows) {
  std::vector<Leaf> leaves, open;
  int64_t now = 0;
  const auto advance = [&](int64_t to) {
    if (!open.empty() && to > now) {
      if (!leaves.empty() && leaves.back().row == open.back().row && leaves.back().end_ns == now)
        leaves.back().end_ns = to;
      else leaves.push_back({open.back().row, now, to});
    }
    now = std::max(now, to);
  };
  const auto close_until = [&](int64_t time) {
    while (!open.empty() && open.back().end_ns <= time) {
      advance(open.back().end_ns);
      open.pop_back();
    }
  };
  for (const uint32_t row : rows) {
    const int64_t begin = a.start_ns[row];
    int64_t end = begin + a.duration_ns[row];
    if (end <= begin) continue;
    close_until(begin);
    advance(begin);
    now = std::max(now, begin);
    if (!open.empty()) end = std::min(end, open.back().end_ns);
    open.push_back({row, begin, end});
  }
  close_until(std::numeric_limits<int64_t>::max());
  return leaves;
}

/// All ranks of a capture, and which calls wait for what.
class Walker {
 public:
  explicit Walker(const Capture& capture) : c_(capture), a_(capture.activities()), rank_of_(capture) {
    find_calls();
    find_threads();
    find_works();
  }

  CriticalPath walk(const StepWindow& window) {
    path_ = {window.rank, window.host.index, window.begin_ns, window.end_ns, {}};
    const auto found = ranks_.find(window.rank);
    if (found == ranks_.end()) {
      at_ = path_.end_ns;
      add(PathKind::outside, kNoActivity, 0, path_.begin_ns);
      return path_;
    }
    rank_ = &found->second;
    at_ = path_.end_ns;
    on_host_ = true;
    thread_ = main_thread(window);
    // the step ended with the work that ended last, unless the host went on behind it
    const auto last = std::upper_bound(rank_->works.begin(), rank_->works.end(), path_.end_ns,
                                       [](int64_t time, const Work& w) { return time < w.end_ns; });
    if (last != rank_->works.begin() && std::prev(last)->end_ns == path_.end_ns) {
      on_host_ = false;
      work_ = static_cast<uint32_t>(std::prev(last) - rank_->works.begin());
    }
    while (at_ > path_.begin_ns) {
      const int64_t before = at_;
      const bool was_host = on_host_;
      if (on_host_) step_host();
      else step_device();
      // a walk that neither goes back in time nor changes its place would not end
      if (at_ == before && was_host == on_host_ && ++idle_steps_ > 8)
        add(PathKind::outside, kNoActivity, thread_, path_.begin_ns);
      if (at_ != before) idle_steps_ = 0;
    }
    std::ranges::reverse(path_.parts);
    return std::move(path_);
  }

  /// From the first begin to the last end of what each rank did.
  std::vector<StepWindow> whole() const {
    std::vector<StepWindow> windows;
    for (const auto& [rank, work] : ranks_) {
      StepWindow w{
          .rank = rank, .host = {.index = kNoStep}, .begin_ns = std::numeric_limits<int64_t>::max(), .end_ns = 0};
      for (const auto& [thread, leaves] : work.threads) {
        if (leaves.empty()) continue;
        w.begin_ns = std::min(w.begin_ns, leaves.front().begin_ns);
        w.end_ns = std::max(w.end_ns, leaves.back().end_ns);
      }
      for (const Work& one : work.works)
        w.begin_ns = std::min(w.begin_ns, one.begin_ns), w.end_ns = std::max(w.end_ns, one.end_ns);
      if (w.end_ns > w.begin_ns) windows.push_back(w);
    }
    return windows;
  }

 private:
  int64_t end_of(uint32_t row) const { return a_.start_ns[row] + a_.duration_ns[row]; }

  void find_calls() {
    for (const ApiCallRecord& call : c_.gpu().api_calls) {
      const uint64_t correlation = a_.correlation[call.activity];
      if (correlation != 0) call_of_.try_emplace(correlation, call.activity);
    }
    for (const SynchronizationRecord& s : c_.gpu().synchronizations) {
      const auto call = call_of_.find(a_.correlation[s.activity]);
      const bool known = call != call_of_.end() && a_.correlation[s.activity] != 0;
      if (s.kind == SyncKind::stream_wait_event) {  // streams wait there, not the host
        if (known) waiting_streams_[call->second] = s.place.stream;
        continue;
      }
      waits_[known ? call->second : s.activity] = s.kind == SyncKind::stream ? s.place.stream : kUnknownFigure;
    }
  }

  void find_threads() {
    std::map<TrackId, std::vector<uint32_t>> rows;
    for (uint32_t row = 0; row < a_.size(); ++row) {
      const TrackId track = a_.track[row];
      if (a_.kind[row] == ActivityKind::step && !main_of_.contains(rank_of_(track))) main_of_[rank_of_(track)] = track;
      if (on_host_path(a_.kind[row]) && c_.tracks()[track].kind == TrackKind::host_thread) rows[track].push_back(row);
    }
    for (const auto& [track, list] : rows) {
      RankWork& rank = ranks_[rank_of_(track)];
      rank.threads[track] = leaves_of(a_, list);
      for (const uint32_t row : list) {
        const auto waits = waiting_streams_.find(row);
        if (waits == waiting_streams_.end() &&
            (a_.kind[row] != ActivityKind::api || !says(c_.name(a_.name[row]), "StreamWaitEvent")))
          continue;
        rank.wait_calls[track].push_back(
            {a_.start_ns[row], waits == waiting_streams_.end() ? kUnknownFigure : waits->second});
      }
    }
  }

  template <class Record>
  void add_work(const Record& record) {
    const uint32_t row = record.activity;
    const uint64_t correlation = a_.correlation[row];
    const auto call = correlation == 0 ? call_of_.end() : call_of_.find(correlation);
    const Work w{
        row, call == call_of_.end() ? kNone : call->second, a_.track[row], record.place, a_.start_ns[row], end_of(row)};
    if (w.end_ns <= w.begin_ns) return;
    ranks_[rank_of_(w.track)].works.push_back(w);
  }

  void find_works() {
    for (const KernelRecord& kernel : c_.gpu().kernels) add_work(kernel);
    for (const MemsetRecord& memset : c_.gpu().memsets) add_work(memset);
    for (const CopyRecord& copy : c_.gpu().copies) {
      if (!is_host_copy(copy)) add_work(copy);
    }
    for (auto& [rank, work] : ranks_) {
      std::ranges::stable_sort(work.works, {}, [](const Work& w) { return std::pair(w.end_ns, w.begin_ns); });
      for (uint32_t i = 0; i < work.works.size(); ++i) work.streams[work.works[i].stream()].push_back(i);
      for (auto& [stream, list] : work.streams) {
        std::ranges::stable_sort(list, {}, [&](uint32_t i) { return work.works[i].begin_ns; });
        for (uint32_t at = 0; at < list.size(); ++at) work.place[list[at]] = at;
      }
    }
  }

  TrackId main_thread(const StepWindow& window) const {
    if (const auto known = main_of_.find(window.rank); known != main_of_.end()) return known->second;
    TrackId best = 0;
    int64_t most = -1;
    for (const auto& [track, leaves] : rank_->threads) {
      int64_t sum = 0;
      for (const Leaf& leaf : leaves) sum += leaf.end_ns - leaf.begin_ns;
      if (sum > most) most = sum, best = track;
    }
    return best;
  }

  /// Takes the path back to `to`.
  void add(PathKind kind, uint32_t activity, TrackId track, int64_t to) {
    to = std::max(to, path_.begin_ns);
    if (to < at_) path_.parts.push_back({kind, activity, track, to, at_});
    at_ = std::min(at_, to);
  }

  /// The work of another stream that `w` had to wait for, if a wait of streams stands between its call and that of the
  /// work before it on its stream.
  uint32_t waited_for(const Work& w, const Work* before) const {
    if (w.call == kNone) return kNone;
    const auto calls = rank_->wait_calls.find(a_.track[w.call]);
    if (calls == rank_->wait_calls.end()) return kNone;
    const int64_t called = a_.start_ns[w.call];
    const int64_t since =
        before != nullptr && before->call != kNone ? a_.start_ns[before->call] : std::numeric_limits<int64_t>::min();
    const StreamWait* wait = nullptr;
    auto at = std::lower_bound(calls->second.begin(), calls->second.end(), called,
                               [](const StreamWait& one, int64_t time) { return one.begin_ns < time; });
    while (at != calls->second.begin() && (--at)->begin_ns > since && wait == nullptr) {
      if (at->stream < 0 || w.place.stream < 0 || at->stream == w.place.stream) wait = &*at;
    }
    if (wait == nullptr) return kNone;
    auto end = std::upper_bound(rank_->works.begin(), rank_->works.end(), w.begin_ns,
                                [](int64_t time, const Work& other) { return time < other.end_ns; });
    while (end != rank_->works.begin()) {
      --end;
      if (end->stream() != w.stream() && end->call != kNone && a_.start_ns[end->call] < wait->begin_ns)
        return static_cast<uint32_t>(end - rank_->works.begin());
      if (before != nullptr && end->end_ns <= before->end_ns) break;  // that one lets it begin later
    }
    return kNone;
  }

  void step_device() {
    const Work& w = rank_->works[work_];
    add(PathKind::device, w.row, w.track, std::min(at_, w.begin_ns));
    if (at_ <= path_.begin_ns) return;
    const std::vector<uint32_t>& stream = rank_->streams.at(w.stream());
    const uint32_t place = rank_->place.at(work_);
    const uint32_t before = place > 0 ? stream[place - 1] : kNone;
    const Work* previous = before == kNone ? nullptr : &rank_->works[before];
    const uint32_t other = waited_for(w, previous);
    const int64_t none = std::numeric_limits<int64_t>::min();
    // a call hands its work over as it returns; one that waits for the work, as it begins
    const bool blocks = w.call != kNone && end_of(w.call) >= w.end_ns;
    const int64_t called = w.call == kNone ? none : a_.start_ns[w.call];
    const int64_t by_stream = previous == nullptr ? none : std::min(previous->end_ns, w.begin_ns),
                  by_other = other == kNone ? none : rank_->works[other].end_ns,
                  by_call = w.call == kNone ? none : std::min(blocks ? called : end_of(w.call), w.begin_ns);
    if (by_call == none && by_stream == none && by_other == none) {
      on_host_ = true;  // nobody recorded what let it begin
      return;
    }
    if (by_call >= by_stream && by_call >= by_other) {
      thread_ = a_.track[w.call];
      add(PathKind::launch, w.row, w.track, by_call);
      add(PathKind::call, w.call, thread_, std::min(by_call, called));
      on_host_ = true;
      return;
    }
    work_ = by_other > by_stream ? other : before;
    add(PathKind::queue, w.row, w.track, std::max(by_other, by_stream));
  }

  /// The work that a call on a host thread waited for until `at_`; kNone: it did not wait.
  uint32_t work_waited_with(uint32_t row) const {
    if (a_.kind[row] != ActivityKind::api && a_.kind[row] != ActivityKind::synchronization) return kNone;
    const auto sync = waits_.find(row);
    const bool synchronises = sync != waits_.end() || says(c_.name(a_.name[row]), "Synchronize");
    const int64_t begin = a_.start_ns[row];
    auto end = std::upper_bound(rank_->works.begin(), rank_->works.end(), at_,
                                [](int64_t time, const Work& w) { return time < w.end_ns; });
    for (; end != rank_->works.begin() && std::prev(end)->end_ns > begin; --end) {
      const Work& w = *std::prev(end);
      const bool own = w.call == row;  // a copy that the host waits for
      const bool launched_before = w.call == kNone || a_.start_ns[w.call] < begin;
      const bool same_stream = sync == waits_.end() || sync->second < 0 || w.place.stream == sync->second;
      if (own || (synchronises && launched_before && same_stream))
        return static_cast<uint32_t>(std::prev(end) - rank_->works.begin());
    }
    return kNone;
  }

  static PathKind kind_of(ActivityKind kind) {
    if (kind == ActivityKind::op) return PathKind::op;
    return kind == ActivityKind::overhead ? PathKind::other : PathKind::call;
  }

  /// The last leaf of a thread that begins before a time; nullptr: none.
  const Leaf* leaf_before(TrackId thread, int64_t time) const {
    const auto leaves = rank_->threads.find(thread);
    if (leaves == rank_->threads.end()) return nullptr;
    const auto after = std::lower_bound(leaves->second.begin(), leaves->second.end(), time,
                                        [](const Leaf& leaf, int64_t t) { return leaf.begin_ns < t; });
    return after == leaves->second.begin() ? nullptr : &*std::prev(after);
  }

  void step_host() {
    const Leaf* leaf = leaf_before(thread_, at_);
    if (leaf != nullptr && leaf->end_ns >= at_) {
      if (const uint32_t work = work_waited_with(leaf->row);
          work != kNone && rank_->works[work].end_ns > leaf->begin_ns) {
        add(PathKind::wake, leaf->row, thread_, rank_->works[work].end_ns);
        work_ = work;
        on_host_ = false;
        return;
      }
      add(kind_of(a_.kind[leaf->row]), leaf->row, thread_, leaf->begin_ns);
      return;
    }
    const int64_t since = leaf == nullptr ? std::numeric_limits<int64_t>::min() : leaf->end_ns;
    TrackId next = thread_;
    int64_t latest = since;
    for (const auto& [thread, leaves] : rank_->threads) {
      if (thread == thread_) continue;
      const Leaf* other = leaf_before(thread, at_);
      if (other != nullptr && std::min(other->end_ns, at_) > latest)
        latest = std::min(other->end_ns, at_), next = thread;
    }
    add(PathKind::outside, kNoActivity, thread_, latest);
    thread_ = next;
  }

  const Capture& c_;
  const ActivityColumns& a_;
  RankOfTrack rank_of_;
  std::unordered_map<uint64_t, uint32_t> call_of_;         // by correlation
  std::unordered_map<uint32_t, int32_t> waits_;            // calls that synchronise, by row: the stream, or -1
  std::unordered_map<uint32_t, int32_t> waiting_streams_;  // calls by which a stream waits, by row
  std::map<uint32_t, TrackId> main_of_;                    // by rank
  std::map<uint32_t, RankWork> ranks_;

  // of the walk
  CriticalPath path_;
  const RankWork* rank_ = nullptr;
  int64_t at_ = 0;
  bool on_host_ = true;
  TrackId thread_ = 0;
  uint32_t work_ = kNone;
  int idle_steps_ = 0;
};

struct Sums {
  double ns = 0, count = 0;
};

using RowKey = std::tuple<PathKind, std::string, std::string>;

std::map<RowKey, Sums> summed(const Capture& capture, const std::vector<CriticalPath>& paths) {
  std::map<RowKey, Sums> sums;
  const ActivityColumns& a = capture.activities();
  for (const CriticalPath& path : paths) {
    uint32_t last = kNoActivity;
    for (const PathPart& part : path.parts) {
      const bool known = part.activity != kNoActivity;
      const bool somewhere = part.track < capture.tracks().size();
      const Track track = somewhere ? capture.tracks()[part.track] : Track();
      const std::string what = known ? std::string(capture.name(a.name[part.activity])) : std::string();
      Sums& sum = sums[{part.kind, what, somewhere ? fmt::format("{} {}", track.group, track.name) : std::string()}];
      sum.ns += static_cast<double>(part.end_ns - part.begin_ns);
      // A delay before an activity names it, too; it is no part of that activity.
      sum.count += known && part.kind <= PathKind::call && part.activity == last ? 0 : 1;
      if (part.kind <= PathKind::call) last = part.activity;
    }
  }
  return sums;
}

double length_of(const std::vector<CriticalPath>& paths) {
  double sum = 0;
  for (const CriticalPath& path : paths) sum += static_cast<double>(path.end_ns - path.begin_ns);
  return sum;
}

}  // namespace

std::string_view name(PathKind kind) {
  constexpr std::array<std::string_view, kPathKindCount> kNames{
      "GPU work", "op", "API call", "overhead", "outside ops", "launch delay", "queue delay", "wake-up"};
  return kNames[static_cast<size_t>(kind)];
}

std::vector<CriticalPath> critical_paths(const Capture& capture) {
  Walker walker(capture);
  std::vector<StepWindow> windows = measured_step_windows(capture);
  if (windows.empty()) windows = walker.whole();
  std::vector<CriticalPath> paths;
  for (const StepWindow& window : windows) paths.push_back(walker.walk(window));
  return paths;
}

Table critical_path_table(const Capture& capture, const std::vector<CriticalPath>& paths) {
  Table table;
  table.name = "critical_path";
  table.columns = {
      {"kind", "Kind", Quantity::text, Origin::exact, "GPU work, op, API call, or the delay between two of them"},
      {"name", "Name", Quantity::text, Origin::exact, "Kernel, copy, op or call; of a delay: what began behind it"},
      {"place", "Place", Quantity::text, Origin::exact, "Stream or thread"},
      {"time_ns", "Time", Quantity::duration_ns, Origin::measured,
       "On the critical path, mean over the measured steps"},
      {"share_ratio", "Share", Quantity::percent_of, Origin::measured, "Of the step; all rows add up to it"},
      {"count", "Count", Quantity::count, Origin::measured, "Parts of the path, mean over the measured steps"}};
  const double length = length_of(paths), steps = static_cast<double>(paths.size());
  std::vector<std::pair<RowKey, Sums>> rows;
  for (const auto& entry : summed(capture, paths)) rows.emplace_back(entry);
  std::ranges::stable_sort(rows, [](const auto& x, const auto& y) { return x.second.ns > y.second.ns; });
  for (const auto& [key, sum] : rows) {
    const auto& [kind, what, place] = key;
    table.rows.push_back({std::string(name(kind)), what, place, sum.ns / steps,
                          length > 0 ? Cell(sum.ns / length) : Cell(), sum.count / steps});
  }
  return with_time_origin(std::move(table), capture);
}

std::vector<std::string> critical_path_sentences(const Capture& capture, const std::vector<CriticalPath>& paths) {
  const double length = length_of(paths);
  if (!(length > 0)) return {};
  std::array<double, kPathKindCount> of{};
  for (const CriticalPath& path : paths) {
    for (const PathPart& part : path.parts)
      of[static_cast<size_t>(part.kind)] += static_cast<double>(part.end_ns - part.begin_ns);
  }
  const auto at = [&of](PathKind kind) { return of[static_cast<size_t>(kind)]; };
  const auto part = [length](double ns) { return format_quantity(ns / length, Quantity::percent_of); };
  const double host = at(PathKind::op) + at(PathKind::call) + at(PathKind::other) + at(PathKind::outside);
  const double delays = at(PathKind::launch) + at(PathKind::queue) + at(PathKind::wake);
  std::vector<std::string> sentences;
  if (!has_gpu_work(capture)) {
    sentences.push_back(say("No work of a GPU was recorded: the path is the host's. Ops have {}, the rest {}.",
                            part(at(PathKind::op)), part(host - at(PathKind::op))));
    return sentences;
  }
  sentences.push_back(say("Work of GPUs has {} of the critical path, the host {}, delays between them {}.",
                          part(at(PathKind::device)), part(host), part(delays)));
  if (host + delays > 0.5 * length)
    sentences.emplace_back(say("Faster kernels alone shorten less than half of the step."));
  return sentences;
}

}  // namespace profiler
