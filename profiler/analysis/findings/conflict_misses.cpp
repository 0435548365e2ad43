// SPDX-License-Identifier: Apache-2.0
// conflict-misses: lines lost to crowded sets of a cache that would hold them: told apart by a simulation, else
// foreseen where a column walk in steps of a power of two uses few sets.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "profiler/analysis/findings/finding_input.h"
#include "profiler/analysis/verdict/verdict_class.h"
#include "profiler/base/say.h"

namespace profiler {
namespace {

struct Walk {
  double lines = 0;   ///< of one column: they are used again by the next columns
  double usable = 0;  ///< of those, how many the sets they fall into can hold
  double stride_bytes = 0;
};

/// How the op walks an operand along its output's fastest axis; nothing where that is no column walk.
std::optional<Walk> walk_of(const Capture& capture, const OperandRecord& operand, const TensorRecord& output,
                            const engine::CacheLevel& cache) {
  const TensorRecord& t = capture.tensors()[operand.tensor];
  if (t.shape != output.shape || t.strides.size() != output.strides.size() || cache.ways <= 0 || cache.line_bytes <= 0)
    return {};
  for (size_t axis = 0; axis < t.strides.size(); ++axis) {
    if (output.strides[axis] != 1 || output.shape[axis] <= 1) continue;
    const int64_t stride = std::abs(t.strides[axis]) * static_cast<int64_t>(engine::size_bytes(t.dtype));
    if (stride <= cache.line_bytes) return {};
    const int64_t sets = std::max<int64_t>(1, cache.size_bytes / cache.line_bytes / cache.ways);
    // Lines k * stride / line fall into sets / gcd(sets, stride / line) sets; other strides than whole lines spread
    // further.
    const int64_t step = stride % cache.line_bytes == 0 ? stride / cache.line_bytes : 1;
    const int64_t used = sets / std::gcd(sets, step);
    const auto lines = static_cast<double>(output.shape[axis]);
    return Walk{lines, std::min(lines, static_cast<double>(used) * cache.ways), static_cast<double>(stride)};
  }
  return {};
}

/// What some ops fetch again for conflicts, and how that is known.
struct Conflicts {
  std::vector<OpId> ops;
  double refetched_bytes = 0, gain_ns = 0;
  double share = 0;  ///< of the worst op
};

/// Time of bytes fetched again from the level behind the link's inner one, or of waiting for them where that is more,
/// at most what the op takes beyond its roofs.
double gain_of(const FindingInput& in, OpId op, const std::string& outer, double bytes, double waiting_ns = 0) {
  const auto roof = traffic_bandwidth(in.capture.machine(), outer, false, bytes, 0, in.limits[op].threads);
  const double lower = std::max(in.limits[op].compute_ns, in.limits[op].data_ns(0, 1));
  return std::clamp(std::max(waiting_ns, roof ? bytes / *roof * 1e9 : 0), 0.0, std::max(0.0, in.time(op) - lower));
}

/// Of the time an op waits for misses that no prefetcher foresees, the part of conflicts.
double conflict_waiting(const FindingInput& in, OpId op, const TrafficSource& source) {
  const OpLimits& limits = in.limits[op];
  const std::vector<double> waiting =
      find_waiting(in.capture, in.a.model, in.capture.ops()[op], limits, in.rules, in.time(op)).ns;
  double sum = 0;
  for (const MissCauses& c : source.causes) {
    if (c.op != op || c.link >= source.links.size()) continue;
    const auto level = std::ranges::find(limits.levels, source.links[c.link].outer, &LevelLimit::level);
    const auto at = static_cast<size_t>(level - limits.levels.begin());
    if (at < waiting.size()) sum += waiting[at] * c.conflict_ratio;
  }
  return sum;
}

/// Ops whose misses the simulation told apart: each at the level where conflicts fetch most bytes.
Conflicts simulated_conflicts(const FindingInput& in, const TrafficSource& source, std::string& level) {
  Conflicts found;
  double most = 0;
  for (size_t i = 0; i < source.causes.size();) {
    const OpId op = source.causes[i].op;
    const MissCauses* worst = nullptr;
    double bytes = 0;
    for (; i < source.causes.size() && source.causes[i].op == op; ++i) {
      const TrafficRecord* r = source.of(op, source.causes[i].link);
      if (r == nullptr || !r->known() || source.causes[i].conflict_ratio < in.rules[Rule::conflict_ratio]) continue;
      if (const double again = r->read_bytes * source.causes[i].conflict_ratio; again > bytes)
        bytes = again, worst = &source.causes[i];
    }
    if (worst == nullptr || !(in.time(op) > 0) || !in.limits[op].known) continue;
    found.ops.push_back(op);
    found.refetched_bytes += bytes;
    found.gain_ns += gain_of(in, op, source.links[worst->link].outer, bytes, conflict_waiting(in, op, source));
    if (bytes > most) most = bytes, found.share = worst->conflict_ratio, level = source.links[worst->link].inner;
  }
  std::ranges::sort(found.ops, std::greater(), [&](OpId op) { return in.time(op); });
  return found;
}

/// Pads rows by a line where the workload lets a run do that.
void propose_padding(const FindingInput& in, RunFinding& f) {
  const Capture& capture = in.capture;
  f.advice = say("Choose row lengths that are no multiple of a large power of two, or pad the rows.");
  f.no_change = say("No option of this run pads rows: change the sizes of the workload.");
  const std::string now = in.argument("padding");
  if (now.empty() || f.ops.empty() || capture.machine().info.caches.empty()) return;
  int64_t padding = 0;
  constexpr int64_t kMostPadding = 1 << 16;
  const auto [end, error] = std::from_chars(now.data(), now.data() + now.size(), padding);
  if (error != std::errc() || end != now.data() + now.size() || padding < 0 || padding >= kMostPadding) return;
  const auto element = static_cast<int64_t>(engine::size_bytes(dtype_of_bytes(capture, capture.ops()[f.ops.front()])));
  const int64_t line = capture.machine().info.caches.front().line_bytes / std::max<int64_t>(1, element);
  f.change = RunChange::of_workload("padding", now, std::to_string(padding + line));
  f.no_change.clear();
  f.advice = say("Leave {} elements, a line, unused behind each row: columns then spread over all sets.", line);
}

}  // namespace

void find_conflict_misses(const FindingInput& in, FindingList& list) {
  if (in.capture.machine().info.caches.empty()) return;
  std::set<OpId> told;
  if (const TrafficSource* simulated = in.capture.traffic_of(Origin::simulated)) {
    std::string level;
    const Conflicts c = simulated_conflicts(in, *simulated, level);
    for (const MissCauses& causes : simulated->causes) told.insert(causes.op);
    if (!c.ops.empty()) {
      RunFinding f;
      f.ops = c.ops, f.gain_ns = c.gain_ns;
      f.sentence =
          say("{} have conflict misses: {:.0f} % of the misses in {} would hit if it were fully "
              "associative.",
              in.types(f.ops), 100 * c.share, level);
      f.evidence = {
          {"conflict_ratio", say("of the misses are conflicts"), c.share, Quantity::percent_of, Origin::simulated},
          {"refetched_bytes", say("fetched again for conflicts"), c.refetched_bytes, Quantity::bytes,
           Origin::simulated},
          {"time_ns", say("spent in these ops per step"), in.sum_time(f.ops), Quantity::duration_ns, Origin::measured}};
      f.gain_how =
          say("conflicts' share of its bytes (first accesses of the op alone) at the next level's "
              "bandwidth or latency, at "
              "most the time above the roofs");
      propose_padding(in, f);
      list.push_back(std::move(f));
    }
  }
  const engine::CacheLevel& l1 = in.capture.machine().info.caches.front();
  Conflicts c;
  double stride = 0;
  for (const OpRecord& op : in.capture.ops()) {
    if (op.view || !(in.time(op.id) > 0) || !in.limits[op.id].known || told.contains(op.id)) continue;
    const std::span<const OperandRecord> operands = in.capture.operands(op);
    const auto output = std::ranges::find_if(operands, &OperandRecord::output);
    if (output == operands.end()) continue;
    double op_bytes = 0;
    for (const OperandRecord& o : operands) {
      if (o.output || o.read_bytes == 0) continue;
      const std::optional<Walk> walk = walk_of(in.capture, o, in.capture.tensors()[output->tensor], l1);
      // What would not fit anyway is lost to capacity, not to conflicts.
      if (!walk || walk->lines * l1.line_bytes > static_cast<double>(l1.size_bytes)) continue;
      const double conflict = 1 - walk->usable / walk->lines;
      if (conflict < in.rules[Rule::conflict_ratio]) continue;
      const double per_line = static_cast<double>(l1.line_bytes) /
                              static_cast<double>(engine::size_bytes(in.capture.tensors()[o.tensor].dtype));
      op_bytes += static_cast<double>(o.read_bytes) * (per_line - 1) * conflict;
      stride = walk->stride_bytes, c.share = std::max(c.share, conflict);
    }
    if (op_bytes == 0) continue;
    c.gain_ns += gain_of(in, op.id, in.a.model.links[in.a.model.links.size() - 2], op_bytes);
    c.ops.push_back(op.id);
    c.refetched_bytes += op_bytes;
  }
  if (c.ops.empty()) return;
  RunFinding f;
  f.ops = c.ops, f.gain_ns = c.gain_ns;
  f.sentence =
      say("{} walk columns {} apart: {:.0f} % of the lines of a column evict each other from the same "
          "sets of the {}.",
          in.types(f.ops), format_quantity(stride, Quantity::bytes), 100 * c.share, l1.name);
  f.evidence = {{"stride_bytes", say("between neighbours of a column"), stride, Quantity::bytes, Origin::exact},
                {"conflict_ratio", say("of a column's lines do not fit their sets"), c.share, Quantity::percent_of,
                 Origin::modelled},
                {"refetched_bytes", say("fetched again"), c.refetched_bytes, Quantity::bytes, Origin::modelled}};
  f.gain_how =
      say("the lines fetched again at the bandwidth of the next level, at most the time above the "
          "roofs");
  propose_padding(in, f);
  list.push_back(std::move(f));
}

}  // namespace profiler
