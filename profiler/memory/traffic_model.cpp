// SPDX-License-Identifier: Apache-2.0
// The traffic model: levels of the machine, two passes of the LRU stack, re-reads of matrix products, chains of loads.
#include "profiler/memory/traffic_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "profiler/base/say.h"
#include "profiler/base/unknown.h"
#include "profiler/base/words.h"
#include "profiler/capture/accelerator.h"
#include "profiler/memory/byte_ranges.h"
#include "profiler/memory/cache_config.h"
#include "profiler/memory/op_access.h"
#include "profiler/memory/range_lru.h"

namespace profiler {
namespace {

/// Error bands of modelled traffic against hardware counters (design notes, from the validation of
/// pycachesim and kerncraft layer conditions against LIKWID on six CPUs): 10 % next to the core, 20
/// % elsewhere.
constexpr double kBandInner = 0.10, kBandOuter = 0.20;
/// Within +-30 % of a capacity hardware is soft where LRU is hard.
constexpr double kNearLow = 0.7, kNearHigh = 1.3;
/// A tenth of an op's bytes near the capacity makes the op's figure doubtful.
constexpr double kNearShare = 0.10;

/// "L1d" in topologies is "L1" in measured levels.
std::string level_name(std::string name) {
  if (name.size() > 2 && name.back() == 'd') name.pop_back();
  return name;
}

/// Vector registers of one core as a memory: 32 of 512 bits with AVX-512, else 16 (x86-64).
double register_bytes(const engine::DeviceInfo& info) {
  const int bits = info.vector_bits > 0 ? info.vector_bits : 128;
  return (bits >= 512 ? 32 : 16) * bits / 8.0;
}

struct Levels {
  std::vector<double> instance_bytes;  // capacity of one instance of each link's inner level
  std::vector<int> sharing;            // threads that share one
  std::vector<double> doubt;  // how many times as large it may be: what the system claims over what the probe saw

  std::vector<double> capacities(int threads) const {
    std::vector<double> all(instance_bytes.size());
    for (size_t i = 0; i < all.size(); ++i) all[i] = instance_bytes[i] * ((threads + sharing[i] - 1) / sharing[i]);
    return all;
  }
};

/// Fills links, capacities and known/unknown_reason; the last link is L1 -> core.
Levels make_links(const Capture& capture, TrafficModel& model) {
  const Machine& machine = capture.machine();
  const int threads = std::max(1, capture.run().threads);
  std::vector<MemoryLevel> levels = machine.levels;  // nearest first, DRAM last
  if (levels.empty()) {
    for (const auto& c : machine.info.caches)
      levels.push_back({level_name(c.name), c.size_bytes, 0, c.line_bytes, 1, {}, {}});
    levels.push_back({"DRAM", machine.info.memory_bytes, 0, 64, threads, {}, {}});
  }
  model.known = machine.probed() && !machine.levels.empty();
  if (!model.known) {
    model.unknown_reason =
        say("this machine was not probed, so the effective cache sizes are unknown: run `tensortide "
            "probe`, then record again");
  }
  if (!unprobed_kind(capture).empty()) {
    model.known = false;
    model.unknown_reason = unprobed_bytes_words(capture);
  }
  if (!capture.computed()) {
    model.known = false;
    model.unknown_reason = say("the null device runs no kernel, so nothing was moved");
  } else if (capture.time_origin() == Origin::emulated) {
    model.known = false;
    model.unknown_reason = say("the GPU was emulated, and an emulation has no caches of its own");
  }
  Levels out;
  for (size_t i = levels.size(); i-- > 0;) {
    const bool core = i == 0;
    model.links.push_back(levels[i].name);
    model.shared.push_back(levels[i].shared_by_threads > 1 || i + 1 == levels.size());
    model.inner.push_back(core ? "core" : levels[i - 1].name);
    model.error_band.push_back(i <= 1 ? kBandInner : kBandOuter);
    const double one = core ? register_bytes(machine.info) : static_cast<double>(levels[i - 1].effective_size_bytes);
    const int sharing = core ? 1 : std::max(1, levels[i - 1].shared_by_threads);
    model.capacity_origin.push_back(core ? Origin::specified : levels[i - 1].size_origin());
    out.instance_bytes.push_back(one);
    out.doubt.push_back(core || !(one > 0) ? 1 : size_doubt(levels[i - 1]));
    out.sharing.push_back(sharing);
    if (one <= 0 && model.known) {
      model.known = false;
      model.unknown_reason =
          say("the probe found no effective size of {}: run `tensortide probe --again` on an idle "
              "machine, then record again",
              levels[i - 1].name);
    }
  }
  if (model.known && model.links.size() - 1 > kMaxCacheLevels) {
    model.known = false;
    model.unknown_reason =
        say("the machine lists {} cache levels, at most {} are modelled", model.links.size() - 1, kMaxCacheLevels);
  }
  model.capacity_bytes = out.capacities(threads);
  for (const OpRecord& op : capture.ops()) model.op_capacity_bytes.push_back(out.capacities(threads_of(capture, op)));
  return out;
}

std::string bytes_text(double bytes) {
  if (bytes >= 1024 * 1024) return say("{:.4g} MiB", bytes / (1024 * 1024));
  return say("{:.4g} KiB", bytes / 1024);
}

std::string describe(const TrafficModel& model, const ByteRanges& ranges, int threads) {
  if (!model.known)
    return say("Modelled bytes are unknown: ") + model.unknown_reason + say(". Compulsory bytes are exact.");
  std::string sizes;
  for (size_t i = model.links.size() - 1; i-- > 0;) {
    sizes += fmt::format("{}{} {}{}", sizes.empty() ? "" : ", ", model.inner[i], bytes_text(model.capacity_bytes[i]),
                         model.capacity_origin[i] == Origin::measured ? "" : say(" as the system claims"));
  }
  return say(
      "Modelled: fully associative LRU over {} in the steady state, effective sizes for {} "
      "({}). "
      "Write-allocate (but for non-temporal stores), write-back on eviction. GEMMs, also inside "
      "attention and "
      "recurrent layers, at the I/O lower bound of their level; real tiles move more. Error band ± "
      "20 % at DRAM and "
      "L3, ± 10 % nearer. It doubles where the working set is within 30 % of a capacity, or "
      "between probed and claimed "
      "size.",
      ranges.by_address() ? say("the addresses of all tensors") : say("tensors"),
      counted(static_cast<uint64_t>(threads), "thread"), sizes);
}

/// The touches of one op: one sweep, or several behind each other.
class SweepMaker {
 public:
  SweepMaker(const Capture& capture, const ByteRanges& ranges, const TrafficModel& model)
      : capture_(capture), ranges_(ranges), transformed_(model.transformed) {}

  std::vector<std::vector<Touch>> of(const OpRecord& op) const {
    std::vector<std::vector<Touch>> sweeps;
    if (op.view) return sweeps;
    if (const auto& made = transformed_[op.id]; made && made->each_step) {
      sweeps.emplace_back();
      add_operand(op, sweeps.back(), made->operand, false);
      sweeps.back().push_back(transformed_touch(op, *made, true));
    }
    for (int extra = sweeps_over_inputs(capture_.name(op.type)) - 1; extra > 0; --extra) {
      int64_t largest = 0;
      for (const OperandRecord& o : capture_.operands(op)) largest = std::max(largest, o.read_bytes);
      sweeps.emplace_back();
      add(op, sweeps.back(), false, largest);
    }
    sweeps.emplace_back();
    add(op, sweeps.back(), false, 1);
    add(op, sweeps.back(), true, 1);
    if (capture_.facts(op.id).streaming_stores) {
      for (Touch& t : sweeps.back()) t.past_caches = t.write;
    }
    return sweeps;
  }

 private:
  void add(const OpRecord& op, std::vector<Touch>& touches, bool writes, int64_t at_least) const {
    const auto& made = transformed_[op.id];
    for (uint32_t i = op.first_operand; i < op.first_operand + op.operand_count; ++i) {
      const OperandRecord& o = capture_.operands()[i];
      if ((writes ? o.written_bytes : o.read_bytes) < at_least) continue;
      if (made && made->operand == i && !writes) touches.push_back(transformed_touch(op, *made, false));
      else add_operand(op, touches, i, writes);
    }
  }

  void add_operand(const OpRecord& op, std::vector<Touch>& touches, uint32_t i, bool writes) const {
    const auto chain = chain_access(capture_, op);
    const OperandRecord& o = capture_.operands()[i];
    int64_t named = writes ? o.written_bytes : o.read_bytes;
    if (chain && chain->operand == i) named = static_cast<int64_t>(chain->footprint_bytes());
    const double size = ranges_.bytes(o.tensor);
    const double part = size > 0 ? std::min(1.0, static_cast<double>(named) / size) : 0;
    const BlockRange blocks = ranges_.blocks(o.tensor);
    double position = 0;
    for (uint32_t b = blocks.first; b < blocks.last; ++b) {
      const double length = ranges_.block_bytes(b);
      touches.push_back({b, i, part * length, position / size, (position + length) / size, writes});
      position += length;
    }
  }

  /// They lie beside the graph's tensors, each op's apart.
  Touch transformed_touch(const OpRecord& op, const TransformedWeights& made, bool writes) const {
    return {static_cast<uint32_t>(ranges_.block_count() + op.id), made.operand, made.bytes, 0, 1, writes};
  }

  const Capture& capture_;
  const ByteRanges& ranges_;
  const std::vector<std::optional<TransformedWeights>>& transformed_;
};

/// Adds what one walked sweep moved. `near_bytes`: per link, bytes whose reuse distance lies near
/// the capacity.
void account(const RangeLru& lru, OpId op, const std::vector<double>& doubt, TrafficModel& model,
             std::vector<double>& near_bytes) {
  const size_t caches = model.links.size() - 1;
  for (const Outcome& o : lru.outcomes()) {
    for (size_t l = 0; l < caches; ++l) {
      model.operand_levels[o.operand][l].read += o.missed[l];
      if (o.store_only) model.op_levels[op][l].write_allocate += o.missed[l];
      const double c = model.op_capacity_bytes[op][l];
      if (o.distance_high > kNearLow * c && o.distance_low < kNearHigh * doubt[l] * c) {
        near_bytes[l] += o.bytes;
        model.op_levels[op][l].may_stay_bytes += o.missed[l];
      }
    }
  }
  for (const WriteBack& w : lru.write_backs()) model.operand_levels[w.operand][w.level].written += w.bytes;
}

void walk(const Capture& capture, const ByteRanges& ranges, const std::vector<double>& doubt, TrafficModel& model) {
  const SweepMaker maker(capture, ranges, model);
  size_t sweeps = 0;
  std::vector<std::vector<std::vector<Touch>>> of_op(capture.ops().size());
  for (const OpRecord& op : capture.ops()) sweeps += (of_op[op.id] = maker.of(op)).size();
  const size_t caches = model.links.size() - 1;
  RangeLru lru({model.capacity_bytes.begin(), model.capacity_bytes.begin() + static_cast<std::ptrdiff_t>(caches)},
               ranges.block_count() + capture.ops().size(), 2 * sweeps);
  const auto capacities = [&](OpId op) { return std::span(model.op_capacity_bytes[op]).first(caches); };
  for (size_t op = 0; op < of_op.size(); ++op) {
    for (const auto& touches : of_op[op]) lru.sweep(touches, capacities(static_cast<OpId>(op)));
  }
  for (const OpRecord& op : capture.ops()) {
    std::vector<double> near_bytes(caches, 0);
    double bytes = 0;
    for (const auto& touches : of_op[op.id]) {
      lru.sweep(touches, capacities(op.id));
      account(lru, op.id, doubt, model, near_bytes);
      for (const Outcome& o : lru.outcomes()) bytes += o.bytes;
    }
    for (size_t l = 0; l < caches; ++l) {
      const double ratio = model.op_footprint_bytes[op.id] / model.op_capacity_bytes[op.id][l];
      TrafficModel::OpLevel& level = model.op_levels[op.id][l];
      level.near_capacity =
          bytes > 0 && (near_bytes[l] > kNearShare * bytes || (ratio > kNearLow && ratio < kNearHigh * doubt[l]));
    }
  }
}

/// Between L1 and the registers every named byte crosses once per sweep.
void add_core_link(const Capture& capture, TrafficModel& model) {
  const size_t core = model.links.size() - 1;
  for (const OpRecord& op : capture.ops()) {
    if (op.view) continue;
    const int sweeps = sweeps_over_inputs(capture.name(op.type));
    int64_t largest = 0;
    for (const OperandRecord& o : capture.operands(op)) largest = std::max(largest, o.read_bytes);
    for (uint32_t i = op.first_operand; i < op.first_operand + op.operand_count; ++i) {
      const OperandRecord& o = capture.operands()[i];
      model.operand_levels[i][core].read = static_cast<double>(o.read_bytes) * (o.read_bytes == largest ? sweeps : 1);
      model.operand_levels[i][core].written = static_cast<double>(o.written_bytes);
    }
    if (const auto& made = model.transformed[op.id]) {
      TrafficModel::OperandLevel& moved = model.operand_levels[made->operand][core];
      moved.read = made->bytes + (made->each_step ? moved.read : 0);
      moved.written += made->each_step ? made->bytes : 0;
    }
  }
}

/// Raises the reads of matrix products to the lower bound of each level they exceed, half of it per
/// operand; what is read anew in every step comes as often where it exceeds a level by itself.
void add_rereads(const Capture& capture, const std::vector<double>& instance_bytes, TrafficModel& model) {
  for (const OpRecord& op : capture.ops()) {
    const auto access = matrix_access(capture, op);
    if (op.view || !access) continue;
    for (size_t l = 0; l < model.links.size(); ++l) {
      if (model.op_footprint_bytes[op.id] <= instance_bytes[l]) continue;
      double& a = model.operand_levels[access->operands[0]][l].read;
      double& b = model.operand_levels[access->operands[1]][l].read;
      const auto whole = static_cast<double>(capture.operands()[access->operands[1]].read_bytes);
      if (access->passes > 1 && whole > instance_bytes[l]) b = std::max(b, access->passes * whole);
      const double bound = access->lower_bound_bytes(instance_bytes[l]);
      const double missing = bound - (a + b);
      if (missing <= 0) continue;
      model.op_levels[op.id][l].lower_bound = true;
      const double short_a = std::max(0.0, bound / 2 - a), short_b = std::max(0.0, bound / 2 - b);
      a += missing * short_a / (short_a + short_b);
      b += missing * short_b / (short_a + short_b);
    }
  }
}

/// Chains of loads: to the core go the bytes loaded, and where the lines a chain comes by exceed a cache of the one
/// core it runs on, each load fetches its line anew.
void add_chains(const Capture& capture, const std::vector<double>& instance_bytes, TrafficModel& model) {
  const size_t core = model.links.size() - 1;
  for (const OpRecord& op : capture.ops()) {
    const auto chain = chain_access(capture, op);
    if (op.view || !chain) continue;
    auto& moved = model.operand_levels[chain->operand];
    moved[core].read = chain->loads * chain->load_bytes;
    for (size_t l = 0; l < core; ++l) {
      if (chain->footprint_bytes() > instance_bytes[l])
        moved[l].read = std::max(moved[l].read, chain->loads * ChainAccess::kLineBytes);
    }
  }
}

/// Ops that move their bytes more than once move them each time alike: what lies between is as large as they are.
void add_moves(const Capture& capture, TrafficModel& model) {
  if (!capture.device().is_processor) return;
  for (const OpRecord& op : capture.ops()) {
    const int moves = capture.facts(op.id).round_trip ? 2 : 1;  // to host memory, and from there to where they go
    for (uint32_t i = op.first_operand; moves > 1 && i < op.first_operand + op.operand_count; ++i) {
      for (TrafficModel::OperandLevel& moved : model.operand_levels[i]) moved.read *= moves, moved.written *= moves;
    }
    if (moves == 1) continue;
    for (TrafficModel::OpLevel& level : model.op_levels[op.id])
      level.write_allocate *= moves, level.may_stay_bytes *= moves;
  }
}

void find_footprints(const Capture& capture, const ByteRanges& ranges, TrafficModel& model) {
  model.op_footprint_bytes.assign(capture.ops().size(), 0);
  std::vector<double> touched(capture.tensors().size(), 0);
  for (const OpRecord& op : capture.ops()) {
    if (op.view) continue;
    for (const OperandRecord& o : capture.operands(op)) {
      double& t = touched[ranges.root(o.tensor)];
      t = std::max(t, static_cast<double>(std::max(o.read_bytes, o.written_bytes)));
    }
    if (const auto chain = chain_access(capture, op))
      touched[ranges.root(capture.operands()[chain->operand].tensor)] = chain->footprint_bytes();
    if (const auto& made = model.transformed[op.id]) {
      double& weights = touched[ranges.root(capture.operands()[made->operand].tensor)];
      weights = made->bytes + (made->each_step ? weights : 0);
    }
    for (const OperandRecord& o : capture.operands(op)) {
      model.op_footprint_bytes[op.id] += std::exchange(touched[ranges.root(o.tensor)], 0);
    }
  }
}

}  // namespace

double TrafficModel::OpLevel::read_total() const { return std::accumulate(read.begin(), read.end(), 0.0); }
double TrafficModel::OpLevel::written_total() const { return std::accumulate(written.begin(), written.end(), 0.0); }

TrafficModel model_traffic(const Capture& capture) {
  TrafficModel model;
  const Levels levels = make_links(capture, model);
  const size_t links = model.links.size();
  model.op_levels.assign(capture.ops().size(), std::vector<TrafficModel::OpLevel>(links));
  model.operand_levels.assign(capture.operands().size(), std::vector<TrafficModel::OperandLevel>(links));
  const ByteRanges ranges(capture);
  const bool prepared = prepares_weights(capture);
  for (const OpRecord& op : capture.ops())
    model.transformed.push_back(op.view ? std::nullopt : transformed_weights(capture, op, prepared));
  find_footprints(capture, ranges, model);
  model.method = describe(model, ranges, std::max(1, capture.run().threads));
  if (!model.known) {
    for (auto& operand : model.operand_levels)
      std::fill(operand.begin(), operand.end(), TrafficModel::OperandLevel{kUnknown, kUnknown});
  } else {
    walk(capture, ranges, levels.doubt, model);
    add_core_link(capture, model);
    add_rereads(capture, levels.instance_bytes, model);
    add_chains(capture, levels.instance_bytes, model);
    add_moves(capture, model);
  }
  for (size_t i = 0; i < capture.operands().size(); ++i) {
    const OperandRecord& o = capture.operands()[i];
    for (size_t l = 0; l < links; ++l) {
      model.op_levels[o.op][l].read[static_cast<size_t>(o.role)] += model.operand_levels[i][l].read;
      model.op_levels[o.op][l].written[static_cast<size_t>(o.role)] += model.operand_levels[i][l].written;
    }
  }
  return model;
}

}  // namespace profiler
