// SPDX-License-Identifier: Apache-2.0
// One pass over the activities of a range, chunk by chunk.
#include "profiler/analysis/range.h"
#include "profiler/base/nesting.h"
#include "profiler/base/say.h"
#include "profiler/capture/phases.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_map>

namespace profiler {
namespace {

constexpr double kWideRatio = 20;  ///< longest over shortest from which on bins are of equal ratio
constexpr size_t kFewestBins = 8, kMostBins = 48;

/// One row of the columns, clipped.
struct Part {
  uint32_t row = 0;
  int64_t begin_ns = 0, end_ns = 0;   ///< inside the range
  int64_t start_ns = 0, stop_ns = 0;  ///< whole
  int64_t inside_ns() const { return end_ns - begin_ns; }
};

/// Calls use(Part, kind, name, op, track) for all activities but steps that overlap [begin, end) or, lasting 0 ns,
/// begin in it.
template <class Use>
void each_part(const Capture& capture, int64_t begin, int64_t end, Use use) {
  const ActivityColumns& a = capture.activities();
  std::vector<int64_t> start, duration;
  std::vector<NameId> name;
  std::vector<OpId> op;
  std::vector<TrackId> track;
  std::vector<ActivityKind> kind;
  uint32_t row = 0;
  for (size_t chunk = 0; chunk < a.start_ns.chunk_count(); ++chunk) {
    a.start_ns.decode(chunk, start);
    if (!start.empty() && start.front() >= end) return;
    a.duration_ns.decode(chunk, duration);
    bool more = false;  // the other columns are looked at only where something is inside
    for (size_t i = 0; i < start.size(); ++i, ++row) {
      if (start[i] >= end) return;
      const int64_t stop = start[i] + duration[i];
      if (stop <= begin && !(stop == start[i] && start[i] >= begin)) continue;
      if (!more) {
        a.name.decode(chunk, name), a.op.decode(chunk, op), a.track.decode(chunk, track), a.kind.decode(chunk, kind);
        more = true;
      }
      if (kind[i] == ActivityKind::step) continue;
      use(Part{row, std::max(begin, start[i]), std::min(end, stop), start[i], stop}, kind[i], name[i], op[i], track[i]);
    }
  }
}

uint64_t pair_key(uint64_t high, uint64_t low) { return high << 32 | low; }

class Stacks {
 public:
  explicit Stacks(const Capture& capture) : capture_(capture), threads_(capture.tracks().size()) {
    nodes_.push_back({});
  }

  /// `key` tells activities of one kind and name from others; that of the activity around this one on its thread comes
  /// back.
  std::optional<uint64_t> add(const Part& p, ActivityKind kind, NameId shown, OpId op, TrackId track, uint64_t key) {
    Thread& thread = threads_[track];
    if (thread.node == 0) thread.node = child_named(0, track_title(track), kNoOp);
    const bool nests =
        capture_.tracks()[track].kind == TrackKind::host_thread || capture_.tracks()[track].kind == TrackKind::overhead;
    uint32_t parent = thread.node;
    std::optional<uint64_t> around;
    int64_t stop_ns = p.stop_ns;
    if (nests) {
      while (!thread.open.empty() && thread.open.back().stop_ns <= p.start_ns) thread.open.pop_back();
      if (const auto* outer = innermost_holding(thread.open, &Thread::Open::stop_ns, p.start_ns, p.stop_ns)) {
        parent = outer->node, around = outer->key;
        stop_ns = std::min(stop_ns, outer->stop_ns);  // every nanosecond belongs to one frame
      }
    }
    const bool known = op < capture_.ops().size();
    if (parent == thread.node && known) parent = grouping(thread.node, op);
    if (known && kind != ActivityKind::op && !nests) parent = child(parent, Tag::op, capture_.ops()[op].name, op);
    const uint32_t node = child(parent, Tag::activity, shown, known ? op : kNoOp);
    nodes_[node].total_ns += std::max<int64_t>(0, std::min(p.end_ns, stop_ns) - p.begin_ns);
    nodes_[node].count += 1;
    nodes_[node].kind = kind;
    if (known && nodes_[node].op != op) nodes_[node].op = kNoOp;
    if (nests) thread.open.push_back({stop_ns, node, key});
    return around;
  }

  /// Groups get the sum of what is in them; all get what is theirs alone.
  std::vector<StackNode> finish() {
    std::vector<int64_t> inside(nodes_.size(), 0);
    for (size_t i = nodes_.size(); i-- > 1;) {
      StackNode& n = nodes_[i];
      if (n.count == 0) n.total_ns = inside[i];
      n.self_ns = std::max<int64_t>(0, n.total_ns - inside[i]);
      inside[n.parent] += n.total_ns;
    }
    nodes_[0].total_ns = inside[0];
    if (nodes_.size() == 1) nodes_.clear();
    return std::move(nodes_);
  }

 private:
  enum class Tag : uint32_t { activity, op };
  struct Thread {
    uint32_t node = 0;
    struct Open {
      int64_t stop_ns;
      uint32_t node;
      uint64_t key;
    };
    std::vector<Open> open;
  };

  std::string track_title(TrackId track) const {
    const Track& t = capture_.tracks()[track];
    return t.group.empty() ? t.name : t.group + " / " + t.name;
  }

  uint32_t new_node(uint32_t parent, std::string name, OpId op) {
    nodes_.push_back({parent, nodes_[parent].depth + 1, std::move(name), op, ActivityKind::range, 0, 0, 0});
    return static_cast<uint32_t>(nodes_.size() - 1);
  }
  uint32_t child(uint32_t parent, Tag tag, NameId name, OpId op) {
    auto& known = tag == Tag::op ? ops_ : activities_;
    const auto [at, is_new] = known.try_emplace(pair_key(parent, name), 0);
    if (is_new) at->second = new_node(parent, std::string(capture_.name(name)), op);
    return at->second;
  }
  uint32_t child_named(uint32_t parent, const std::string& name, OpId op) {
    for (uint32_t i = parent + 1; i < nodes_.size(); ++i) {
      if (nodes_[i].parent == parent && nodes_[i].count == 0 && nodes_[i].name == name) return i;
    }
    return new_node(parent, name, op);
  }
  /// Phase and layers of an op below a track.
  uint32_t grouping(uint32_t parent, OpId op) {
    const auto [at, is_new] = groups_.try_emplace(pair_key(parent, op), 0);
    if (!is_new) return at->second;
    const OpRecord& record = capture_.ops()[op];
    uint32_t node = child_named(
        parent, phase_known(capture_, record.phase) ? std::string(engine::name(record.phase)) : say("phase unknown"),
        kNoOp);
    std::string_view path = capture_.name(record.layer);
    while (!path.empty()) {
      const size_t dot = std::min(path.find('.'), path.size());
      node = child_named(node, std::string(path.substr(0, dot)), kNoOp);
      path.remove_prefix(std::min(dot + 1, path.size()));
    }
    return groups_[pair_key(parent, op)] = node;
  }

  const Capture& capture_;
  std::vector<StackNode> nodes_;
  std::vector<Thread> threads_;
  std::unordered_map<uint64_t, uint32_t> activities_, ops_, groups_;
};

class CopySums {
 public:
  explicit CopySums(const Capture& capture) : capture_(capture) {}
  void add(const Part& p) {
    const CopyRecord* copy = capture_.copy_of(p.row);
    if (copy == nullptr) return;
    const auto kind = static_cast<size_t>(copy->kind);
    CopiedBytes& sum = sums_[kind];
    ++sum.count;
    sum.time_ns += p.inside_ns();
    if (copy->bytes < 0) {
      ++sum.unsized;
    } else {
      const int64_t whole = p.stop_ns - p.start_ns;
      sum.bytes += static_cast<double>(copy->bytes) *
                   (whole > 0 ? static_cast<double>(p.inside_ns()) / static_cast<double>(whole) : 1.0);
    }
  }
  std::vector<CopiedBytes> finish() {
    std::vector<CopiedBytes> present;
    for (size_t k = 0; k < sums_.size(); ++k) {
      sums_[k].kind = static_cast<CopyKind>(k);
      if (sums_[k].count > 0) present.push_back(sums_[k]);
    }
    return present;
  }

 private:
  const Capture& capture_;
  std::array<CopiedBytes, kCopyKindCount> sums_{};
};

void fill_bins(const std::vector<int64_t>& sorted, DurationSpread& s) {
  const double low = static_cast<double>(sorted.front()), high = static_cast<double>(sorted.back());
  s.logarithmic = low > 0 && high / low >= kWideRatio;
  const double wanted = 2 * std::cbrt(static_cast<double>(sorted.size()));  // Rice's rule
  size_t bins = std::clamp(static_cast<size_t>(wanted), kFewestBins, kMostBins);
  if (high == low) bins = 1;
  else if (!s.logarithmic)
    bins = std::min(bins, static_cast<size_t>(high - low) + 1);  // none narrower than a nanosecond
  const auto edge = [&](size_t i) {
    const double share = static_cast<double>(i) / static_cast<double>(bins);
    return i == bins ? high : s.logarithmic ? low * std::pow(high / low, share) : low + (high - low) * share;
  };
  size_t at = 0;
  for (size_t b = 0; b < bins; ++b) {
    DurationSpread::Bin bin{edge(b), edge(b + 1), 0};
    while (at < sorted.size() && (b + 1 == bins || static_cast<double>(sorted[at]) < bin.to_ns)) ++at, ++bin.count;
    s.bins.push_back(bin);
  }
}

}  // namespace

NameId shown_name(const Capture& capture, ActivityKind kind, NameId own, OpId op) {
  return kind == ActivityKind::op && op < capture.ops().size() ? capture.ops()[op].name : own;
}

RangeProfile range_profile(const Capture& capture, int64_t begin_ns, int64_t end_ns) {
  RangeProfile profile;
  profile.begin_ns = begin_ns, profile.end_ns = end_ns;
  if (end_ns <= begin_ns) return profile;
  Stacks stacks(capture);
  CopySums copies(capture);
  struct Sum {
    NamedTime named;
    int64_t covered_until_ns = std::numeric_limits<int64_t>::min();
  };
  std::unordered_map<uint64_t, Sum> names;
  each_part(capture, begin_ns, end_ns, [&](const Part& p, ActivityKind kind, NameId own, OpId op, TrackId track) {
    const NameId shown = shown_name(capture, kind, own, op);
    ++profile.activities;
    const uint64_t key = pair_key(static_cast<uint64_t>(kind), shown);
    Sum& sum = names[key];
    sum.named.name = shown, sum.named.kind = kind;
    sum.named.time_ns += p.inside_ns();
    sum.named.own_ns += p.inside_ns();
    sum.named.covered_ns += std::max<int64_t>(
        0, p.end_ns - std::max(p.begin_ns, sum.covered_until_ns));  // parts come in the order of their starts
    sum.covered_until_ns = std::max(sum.covered_until_ns, p.end_ns);
    ++sum.named.count;
    if (const auto around = stacks.add(p, kind, shown, op, track, key)) names[*around].named.own_ns -= p.inside_ns();
    if (kind == ActivityKind::copy) copies.add(p);
  });
  profile.names.reserve(names.size());
  for (auto& [key, sum] : names) {
    sum.named.own_ns =
        std::max<int64_t>(0, sum.named.own_ns);  // parts inside one that overlap each other are taken off twice
    profile.names.push_back(sum.named);
  }
  std::sort(profile.names.begin(), profile.names.end(), [](const NamedTime& a, const NamedTime& b) {
    return a.own_ns != b.own_ns     ? a.own_ns > b.own_ns
           : a.time_ns != b.time_ns ? a.time_ns > b.time_ns
           : a.kind != b.kind       ? a.kind < b.kind
                                    : a.name < b.name;
  });
  profile.stacks = stacks.finish();
  profile.copies = copies.finish();
  return profile;
}

DurationSpread duration_spread(std::vector<int64_t> durations) {
  DurationSpread s;
  if (durations.empty()) return s;
  std::sort(durations.begin(), durations.end());
  s.count = static_cast<int64_t>(durations.size());
  s.total_ns = std::accumulate(durations.begin(), durations.end(), int64_t{0});
  s.mean_ns = static_cast<double>(s.total_ns) / static_cast<double>(s.count);
  const auto rank = [&](double share) {
    const auto at = static_cast<size_t>(std::ceil(share * static_cast<double>(durations.size())));
    return durations[std::clamp<size_t>(at, 1, durations.size()) - 1];
  };
  s.least_ns = durations.front(), s.p5_ns = rank(0.05), s.p25_ns = rank(0.25), s.p50_ns = rank(0.5);
  s.p75_ns = rank(0.75), s.p95_ns = rank(0.95), s.p99_ns = rank(0.99), s.most_ns = durations.back();
  fill_bins(durations, s);
  return s;
}

DurationSpread duration_spread(const Capture& capture, ActivityKind wanted, NameId shown, int64_t begin_ns,
                               int64_t end_ns) {
  std::vector<int64_t> durations;
  each_part(capture, begin_ns, end_ns, [&](const Part& p, ActivityKind kind, NameId own, OpId op, TrackId) {
    if (kind == wanted && p.start_ns >= begin_ns && shown_name(capture, kind, own, op) == shown)
      durations.push_back(p.stop_ns - p.start_ns);
  });
  return duration_spread(std::move(durations));
}

}  // namespace profiler
