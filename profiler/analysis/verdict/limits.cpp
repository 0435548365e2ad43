// SPDX-License-Identifier: Apache-2.0
// Times at the roofs for one op.
#include "profiler/analysis/verdict/limits.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "profiler/analysis/base/dependent_chain.h"
#include "profiler/base/say.h"
#include "profiler/base/words.h"
#include "profiler/capture/accelerator.h"
#include "profiler/machine/roofs_trust.h"
#include "profiler/memory/op_access.h"

namespace profiler {

std::optional<double> traffic_bandwidth(const Machine& machine, const std::string& outer, bool core, double read,
                                        double written, int threads, bool past_caches, RoofEdge edge) {
  if (past_caches) {
    if (const auto past = machine.bandwidth_past_caches(outer, read, written, threads, edge); past && *past > 0)
      return past;
  }
  const double named_read = core ? read : std::max(0.0, read - written);
  const double named = named_read + written;
  if (!(named > 0)) return {};
  const auto roof = machine.bandwidth_for(outer, named_read, written, threads, edge);
  if (!roof || !(*roof > 0)) return {};
  return core ? *roof : *roof * (named_read + 2 * written) / named;
}

engine::DType dtype_of(const Capture& capture, const OpRecord& op) {
  const bool integers = capture.facts(op.id).format == engine::ProductFormat::int8;
  return integers ? engine::DType::int8 : dtype_of_bytes(capture, op);
}

engine::DType dtype_of_bytes(const Capture& capture, const OpRecord& op) {
  std::array<double, 16> bytes{};
  for (const OperandRecord& o : capture.operands(op)) {
    const engine::DType dtype = capture.tensors()[o.tensor].dtype;
    if (engine::is_floating(dtype))
      bytes[static_cast<size_t>(dtype)] += static_cast<double>(o.read_bytes + o.written_bytes);
  }
  const auto most = std::max_element(bytes.begin(), bytes.end());
  return *most > 0 ? static_cast<engine::DType>(most - bytes.begin()) : engine::DType::float32;
}

double OpLimits::data_ns(double bytes_sign, double bandwidth_factor, RoofEdge edge) const {
  double sum = 0, longest = 0;
  for (const LevelLimit& l : levels) {
    const double bytes_factor = 1 + bytes_sign * l.band;
    sum += std::max(0.0, l.at(edge) - l.nearer_time_ns) * bytes_factor / bandwidth_factor;
    longest = std::max(longest, l.at(edge) * bytes_factor / bandwidth_factor);
  }
  return std::max(sum, longest);
}

OpLimits OpLimits::with(const std::vector<LevelLimit>& other) const {
  OpLimits limits = *this;
  limits.levels = other;
  return limits;
}

std::string OpLimits::nearest_roof() const {
  double longest = compute_ns;
  std::string roof = say("arithmetic");
  for (const LevelLimit& l : levels) {
    if (l.time_ns > longest) longest = l.time_ns, roof = say("{} bandwidth", l.level);
  }
  return roof;
}

namespace {

std::string missing_roof(const Machine& machine, const std::string& what, int threads) {
  if (!machine.probed()) return say("the roofs of this machine are unknown: run `tensortide probe`, then record again");
  if (!machine.unfinished.empty())
    return say("the probe ran out of time before it measured {} at {}: run `tensortide probe`, then record again", what,
               counted(static_cast<uint64_t>(threads), "thread"));
  return say("the probe has no roof for {} at {}: measure the roofs with that number of threads, then record again",
             what, counted(static_cast<uint64_t>(threads), "thread"));
}

/// The fewest threads, from `used` on, that the probe measured; the run's where there are none.
int threads_with_roofs(const Machine& machine, int used, int run) {
  int fewest = run;
  for (const BandwidthRoof& roof : machine.bandwidth) {
    if (roof.threads >= used) fewest = std::min(fewest, roof.threads);
  }
  return fewest;
}

/// The same physical traffic from the nearest farther-in level that was measured; 0: none.
double nearer_ns(const Machine& machine, const TrafficModel& model, const LevelLimit& l, int threads) {
  for (size_t i = l.link + 1; i < model.links.size(); ++i) {
    const auto roof = traffic_bandwidth(machine, model.links[i], false, l.read, l.written, threads);
    if (roof) return std::min(l.time_ns, l.bytes / *roof * 1e9);
  }
  return 0;
}

/// The best way the op's bytes across a link are known beyond the model; null: none.
const TrafficRecord* better_known(const Capture& capture, OpId op, const std::string& outer, Origin& origin) {
  for (const Origin candidate : {Origin::measured, Origin::simulated}) {
    const TrafficSource* source = capture.traffic_of(candidate);
    if (source == nullptr) continue;
    const auto link = std::ranges::find(source->links, outer, &TrafficLink::outer);
    if (link == source->links.end()) continue;
    const TrafficRecord* record = source->of(op, static_cast<uint32_t>(link - source->links.begin()));
    if (record == nullptr || !record->known()) continue;
    origin = candidate;
    return record;
  }
  return nullptr;
}

/// What is known of an op's bytes across one link.
struct Crossing {
  double read = 0, written = 0, write_allocate = 0, band = 0;
  Origin origin = Origin::modelled;
  bool near_capacity = false, lower_bound = false;
  double may_stay_bytes = 0;
  double bytes() const { return read + written; }
};

Crossing crossing(const Capture& capture, const TrafficModel& model, OpId op, size_t link) {
  const TrafficModel::OpLevel& moved = model.op_levels[op][link];
  Crossing c{.read = moved.read_total(),
             .written = moved.written_total(),
             .write_allocate = moved.write_allocate,
             .band = model.error_band[link] * (moved.near_capacity ? 2 : 1)};
  c.near_capacity = moved.near_capacity, c.may_stay_bytes = moved.may_stay_bytes, c.lower_bound = moved.lower_bound;
  if (const TrafficRecord* record = better_known(capture, op, model.links[link], c.origin)) {
    c.read = record->read_bytes, c.written = record->written_bytes;
    c.write_allocate = record->write_allocate_bytes >= 0 ? record->write_allocate_bytes : 0;
    if (record->error_band >= 0) c.band = record->error_band;
    c.near_capacity = record->near_capacity && c.origin != Origin::measured, c.may_stay_bytes = 0,
    c.lower_bound = false;
  }
  c.band = std::min(c.band, kMostBand);
  return c;
}

/// The most that may cross a link: where its inner cache may be of no help, what the next nearer link moves. What
/// nearly fits the cache next to the core comes anew with each use of an operand, not with each load.
Crossing most_crossing(const Capture& capture, const TrafficModel& model, const OpRecord& op,
                       const std::vector<Crossing>& all, size_t link) {
  Crossing c = all[link];
  const size_t core = model.links.size() - 1;
  if (link == core || !(c.near_capacity || c.lower_bound)) return c;
  Crossing more;
  if (c.lower_bound || link + 1 < core) {
    more = all[link + 1];
  } else {
    for (const OperandRecord& o : capture.operands(op)) {
      more.read += static_cast<double>(o.read_bytes), more.written += static_cast<double>(o.written_bytes);
      if (o.written_bytes > 0 && o.read_bytes == 0 && !capture.facts(op.id).streaming_stores)
        more.write_allocate += static_cast<double>(o.written_bytes);
    }
    more.read += more.write_allocate;
  }
  c.read = std::max(c.read, more.read), c.written = std::max(c.written, more.written),
  c.write_allocate = std::max(c.write_allocate, more.write_allocate);
  return c;
}

/// What stays is neither read nor, where it is written, written back: of both alike, as the model does not say which
/// bytes are whose. A rest within rounding is none.
Crossing without_what_may_stay(Crossing c) {
  const double left = c.read > 0             ? std::max(0.0, 1 - c.may_stay_bytes / c.read)
                      : c.may_stay_bytes > 0 ? 0
                                             : 1,
               part = left < 1e-6 ? 0 : left;
  c.read *= part, c.written *= part, c.write_allocate *= part;
  return c;
}

class LevelMaker {
 public:
  LevelMaker(const Capture& capture, const TrafficModel& model, const OpRecord& op, int threads)
      : machine_(capture.machine()),
        model_(model),
        threads_(threads),
        past_caches_(capture.facts(op.id).streaming_stores) {}

  /// Nothing where the probe has no bandwidth of the link's outer level.
  std::optional<LevelLimit> of(size_t link, const Crossing& c) const {
    LevelLimit l{.level = model_.links[link],
                 .link = link,
                 .read = c.read,
                 .written = c.written,
                 .bytes = c.bytes(),
                 .write_allocate = c.write_allocate};
    l.band = c.band, l.origin = c.origin, l.shared = model_.shared[link];
    const bool core = link + 1 == model_.links.size();
    const auto roof = [&](RoofEdge edge) {
      return traffic_bandwidth(machine_, l.level, core, l.read, l.written, threads_, past_caches_, edge);
    };
    const auto likely = roof(RoofEdge::likely);
    if (!likely) return {};
    l.bytes_per_s = *likely;
    l.time_ns = l.bytes / *likely * 1e9;
    l.low_roof_ns = l.bytes / roof(RoofEdge::low).value_or(*likely) * 1e9,
    l.high_roof_ns = l.bytes / roof(RoofEdge::high).value_or(*likely) * 1e9;
    if (!core) l.nearer_time_ns = nearer_ns(machine_, model_, l, threads_);
    return l;
  }

 private:
  const Machine& machine_;
  const TrafficModel& model_;
  int threads_;
  bool past_caches_;
};

/// Fills `out.levels`; false with the reason when the roof of the outermost level is missing.
bool add_levels(const Capture& capture, const TrafficModel& model, const OpRecord& op, OpLimits& out) {
  const LevelMaker maker(capture, model, op, out.threads);
  std::vector<Crossing> crossings;
  for (size_t i = 0; i < model.links.size(); ++i) crossings.push_back(crossing(capture, model, op.id, i));
  for (size_t i = 0; i < model.links.size(); ++i) {
    const Crossing& c = crossings[i];
    const Crossing most = most_crossing(capture, model, op, crossings, i);
    if (most.bytes() > c.bytes()) {
      if (auto l = maker.of(i, most)) out.most.push_back(*std::move(l));
    }
    if (!(c.bytes() > 0)) {
      out.idle_links.push_back(i);
      continue;
    }
    if (auto l = maker.of(i, c)) {
      if (!(most.bytes() > c.bytes())) out.most.push_back(*l);
      if (const Crossing least = without_what_may_stay(c); least.bytes() > 0) {
        if (auto left = maker.of(i, least)) out.least.push_back(*std::move(left));
      }
      out.levels.push_back(*std::move(l));
      continue;
    }
    out.unmeasured.push_back(model.links[i]);
    if (i == 0) break;
  }
  const bool outermost = !out.unmeasured.empty() && out.unmeasured.front() == model.links.front();
  if (!outermost && (!out.levels.empty() || out.unmeasured.empty())) return true;
  out.unknown_reason = missing_roof(capture.machine(), say("{} bandwidth", out.unmeasured.front()), out.threads);
  return false;
}

}  // namespace

OpLimits op_limits(const Capture& capture, const TrafficModel& model, const OpRecord& op, int threads) {
  const Machine& machine = capture.machine();
  OpLimits out;
  out.flops = op.flops;
  out.dtype = dtype_of(capture, op);
  out.run_threads = std::max(1, capture.run().threads);
  out.used_threads = threads > 0 ? threads : threads_of(capture, op);
  out.threads = threads_with_roofs(machine, out.used_threads, out.run_threads);
  if (!capture.device().is_processor) {
    out.unknown_reason =
        unprobed_kind(capture).empty()
            ? say("roofs were measured on the processor, but the ops ran on device {}", capture.run().device)
            : say("roofs of {} are not measured", unprobed_kind(capture));
    return out;
  }
  if (!capture.run().source.empty() && (std::isnan(op.flops) || op.operand_count == 0)) {
    out.unknown_reason = say("the trace does not hold the {} of this op",
                             std::isnan(op.flops) ? std::string("FLOPs") : say("shapes of all tensors"));
    return out;
  }
  if (const auto peak = machine.compute_roof(out.dtype, out.threads); peak && peak->flop_per_s.median > 0) {
    out.peak_flop_per_s = peak->flop_per_s.median;
    out.compute_ns = out.flops / out.peak_flop_per_s * 1e9;
  } else if (out.flops > 0) {
    out.unknown_reason =
        out.dtype == engine::DType::int8 && machine.probed() && !machine.compute_roof(out.dtype, 1)
            ? say("an older version probed this machine and measured no arithmetic of 8-bit integers: run "
                  "`tensortide probe`, then record again")
            : missing_roof(machine, say("{} arithmetic", engine::name(out.dtype)), out.threads);
    return out;
  }
  if (!model.known) {
    out.unknown_reason = model.unknown_reason;
    return out;
  }
  if (const double in_a_row = multiply_adds_in_a_row(capture, op, out.used_threads); in_a_row > 0) {
    out.chain_known = machine.multiply_add_ns > 0;
    out.chain_ns = in_a_row * machine.multiply_add_ns;
  }
  out.known = add_levels(capture, model, op, out);
  return out;
}

std::optional<double> direct_roof_ns(const Capture& capture, const OpRecord& op, const OpLimits& limits) {
  const auto direct = direct_flops(capture, op);
  if (!direct || !(limits.peak_flop_per_s > 0)) return {};
  return *direct / limits.peak_flop_per_s * 1e9;
}

}  // namespace profiler
