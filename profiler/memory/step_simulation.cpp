// SPDX-License-Identifier: Apache-2.0
// Threads walk the step on slices of the sets; their counts per op are joined into records.
#include "profiler/memory/step_simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <thread>

#include "profiler/memory/byte_ranges.h"
#include "profiler/memory/cache_simulator.h"
#include "profiler/memory/captured_access.h"
#include "profiler/memory/op_simulation.h"
#include "profiler/memory/stoppable_sink.h"

namespace profiler {

using engine::Result;
using engine::access::Fidelity;

namespace {

constexpr double kRate = 150e6;          // accesses per second and thread that slow descriptions reach
constexpr double kNearLow = 0.7, kNearHigh = 1.3;
/// Whose misses are told apart: those who fetch each line they need so many times into L1, with such a part of the step's misses there.
constexpr double kOftenFetched = 4, kWorthTelling = 0.02;
constexpr uint64_t kToldAccesses = 40'000'000;  // of each: about two seconds of stack distances
constexpr double kToldShare = 0.5;              // of the time allowed for the whole

/// What crosses one link.
struct Moved {
  uint64_t read = 0, written = 0, write_allocate = 0, hits = 0, misses = 0;
  Moved& operator+=(const Moved& o) {
    read += o.read, written += o.written, write_allocate += o.write_allocate, hits += o.hits, misses += o.misses;
    return *this;
  }
  bool any() const { return read + written + hits + misses > 0; }
};

/// [link] the op's sum, and its tensors' parts.
struct OpMoved {
  std::vector<Moved> sum;
  std::map<TensorId, std::vector<Moved>> parts;
  Fidelity fidelity = Fidelity::loops;
  uint64_t accesses = 0;
};

/// Bytes that the description names, by tensor.
class CoreBytes : public engine::AccessSink {
 public:
  CoreBytes(OpMoved& op, size_t link, size_t links, const std::atomic<bool>* stop) : op_(op), link_(link), links_(links), stop_(stop) {}
  using engine::AccessSink::group;
  void group(int64_t iterations, std::span<const engine::AccessStream> streams) override {
    if (iterations <= 0 || stopped()) return;
    for (const engine::AccessStream& s : streams) {
      if (part_ == nullptr || s.tensor != tensor_) {
        tensor_ = s.tensor;
        auto& links = op_.parts[s.tensor];
        links.resize(links_);
        part_ = &links[link_];
      }
      const uint64_t bytes = static_cast<uint64_t>(iterations) * s.bytes;
      (s.kind == engine::AccessKind::load ? part_->read : part_->written) += bytes;
    }
    op_.accesses += static_cast<uint64_t>(iterations) * streams.size();
  }
  bool stopped() const override { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }

 private:
  OpMoved& op_;
  size_t link_, links_;
  const std::atomic<bool>* stop_;
  Moved* part_ = nullptr;
  TensorId tensor_ = 0;
};

/// What one tensor moved across each link but the innermost, outermost first.
void add_counts(const CacheEpoch& epoch, size_t tensor, uint64_t line, std::vector<Moved>& links) {
  const size_t levels = epoch.levels.size();
  const MemoryCounts& memory = epoch.memory[tensor];
  for (size_t l = 0; l < levels; ++l) {
    const size_t inner = levels - 1 - l;  // links[0]: memory to the last level
    const CacheCounts& own = epoch.levels[inner][tensor];
    Moved m;
    m.misses = own.misses();
    m.hits = own.accesses() - own.misses();
    if (l == 0) {
      m.read = memory.read_bytes(), m.written = memory.all_written_bytes(), m.write_allocate = memory.write_allocate_bytes;
    } else {
      const CacheCounts& asked = epoch.levels[inner + 1][tensor];
      m.read = asked.accesses() * line, m.write_allocate = asked.stores * line;
      m.written = asked.write_backs * line + memory.past_caches_bytes;  // what goes past the caches crosses every link
    }
    links[l] += m;
  }
}

/// All that is shared while the threads walk.
struct Walk {
  const CapturedStep& step;
  const StepSimulationRequest& request;
  std::vector<OpId> ops;      // that are walked
  std::atomic<bool> over = false;  // stopped, or too late
  std::chrono::steady_clock::time_point deadline = {};
};

/// One thread's part.
struct Part {
  std::unique_ptr<CacheSimulator> simulator;
  std::vector<std::vector<std::pair<uint32_t, std::vector<Moved>>>> by_op;  // [index in Walk::ops] tensor, its links
  size_t done = 0;                                                          // ops of the counted pass
  std::vector<std::vector<uint64_t>> set_misses;
};

void walk(Walk& shared, Part& part, bool tells) {
  const size_t levels = shared.request.config.levels.size();
  const auto line = static_cast<uint64_t>(shared.request.config.line_bytes());
  TensorOwners owners(shared.step);
  part.simulator->set_ranges(owners.ranges());
  StoppableSink sink(*part.simulator, &shared.over);
  for (const bool counted : {false, true}) {
    for (size_t i = 0; i < shared.ops.size(); ++i) {
      const bool stop = shared.request.stop != nullptr && shared.request.stop->load();
      if (stop || std::chrono::steady_clock::now() > shared.deadline) shared.over = true;
      if (shared.over) return;
      if (owners.produce(shared.ops[i])) part.simulator->set_ranges(owners.ranges());
      shared.step.describe(shared.ops[i], sink);
      if (tells && shared.request.progress) {
        const size_t at = i + 1 + (counted ? shared.ops.size() : 0);
        shared.request.progress(static_cast<double>(at) / static_cast<double>(2 * shared.ops.size()));
      }
      if (!counted || shared.over) continue;
      const CacheEpoch epoch = part.simulator->take_counts();
      for (uint32_t t = 0; t < shared.step.tensor_count(); ++t) {
        std::vector<Moved> links(levels + 1);
        add_counts(epoch, t, line, links);
        if (std::ranges::any_of(links, &Moved::any)) part.by_op[i].emplace_back(t, std::move(links));
      }
      part.done = i + 1;
    }
    const CacheEpoch epoch = part.simulator->take_epoch("");
    part.set_misses = epoch.set_misses;
  }
}

/// Twice the standard error of the misses, relative, from the spread between the sets that were simulated; of the worst level.
double sampling_error(const std::vector<Part>& parts, const CacheConfig& config, int sample) {
  double worst = 0;
  for (size_t l = 0; l < config.levels.size(); ++l) {
    double n = 0, sum = 0, squares = 0;
    for (const Part& part : parts) {
      const auto& sets = part.set_misses[l];
      const CacheSlices& slices = part.simulator->slices();
      for (uint32_t set = 0; set < sets.size(); ++set) {
        if (!slices.has(set)) continue;  // the slice number is part of the set number at every level
        const auto misses = static_cast<double>(sets[set]);
        n += 1, sum += misses, squares += misses * misses;
      }
    }
    if (n < 2 || sum <= 0) continue;
    const double mean = sum / n, variance = std::max(0.0, squares / n - mean * mean) * n / (n - 1);
    worst = std::max(worst, 2 * std::sqrt(variance / n * (1 - 1.0 / sample)) / mean);
  }
  return worst;
}

/// Distinct bytes an op names.
double footprint(const Capture& c, const OpRecord& op, const ByteRanges& ranges) {
  std::map<TensorId, double> touched;
  for (const OperandRecord& o : c.operands(op)) {
    double& t = touched[ranges.root(o.tensor)];
    t = std::max(t, static_cast<double>(std::max(o.read_bytes, o.written_bytes)));
  }
  double sum = 0;
  for (const auto& [tensor, bytes] : touched) sum += bytes;
  return sum;
}

/// Relative errors seen where others compared simulations with counters (pycachesim's validation against LIKWID on six processors): exact
/// loops, and tiles or indices that are assumed. Between further levels the policy is assumed and no victim cache modelled: far off there.
double band_of(size_t link, size_t links, Fidelity fidelity) {
  const bool regular = fidelity == Fidelity::loops;
  if (link + 1 == links) return regular ? 0.05 : 0.15;      // L1 to the registers: what the description names
  if (link == 0 && links > 2) return regular ? 0.20 : 0.30;  // memory
  if (link + 2 == links) return regular ? 0.05 : 0.15;      // into L1
  return 0.40;
}

class Joiner {
 public:
  Joiner(const CapturedStep& step, const StepSimulationRequest& request, TrafficSource& source)
      : step_(step), request_(request), source_(source), ranges_(step.capture()), links_(source.links.size()) {}

  void unknown(OpId op, const std::string& why) {
    source_.op_notes[op] = why;
    for (uint32_t l = 0; l < links_; ++l) source_.records.push_back({.op = op, .link = l});
  }
  void known(OpId op, const OpMoved& moved, double sampling) {
    const Capture& c = step_.capture();
    source_.op_notes[op] = access_note(moved.fidelity, c.name(c.ops()[op].kernel));
    const double bytes = footprint(c, c.ops()[op], ranges_);
    for (uint32_t l = 0; l < links_; ++l) {
      const double ratio = bytes / source_.links[l].capacity_bytes;
      const bool near = ratio > kNearLow && ratio < kNearHigh;
      const double band = band_of(l, links_, moved.fidelity) * (near ? 2 : 1) + sampling;
      add(op, kNoTensor, l, moved.sum[l], band, near);
      for (const auto& [tensor, links] : moved.parts) {
        if (tensor != step_.panels() && links[l].any()) add(op, tensor, l, links[l], band, near);
      }
    }
  }

 private:
  void add(OpId op, TensorId tensor, uint32_t link, const Moved& m, double band, bool near) {
    TrafficRecord r{.op = op, .tensor = tensor, .link = link, .read_bytes = static_cast<double>(m.read), .written_bytes = static_cast<double>(m.written)};
    if (link + 1 < links_) {  // registers are asked for nothing
      r.write_allocate_bytes = static_cast<double>(m.write_allocate);
      r.hits = static_cast<double>(m.hits), r.misses = static_cast<double>(m.misses);
    }
    r.error_band = band, r.near_capacity = near;
    source_.records.push_back(r);
  }
  const CapturedStep& step_;
  const StepSimulationRequest& request_;
  TrafficSource& source_;
  ByteRanges ranges_;
  size_t links_;
};

TrafficSource empty_source(const CacheConfig& config, const Capture& capture) {
  TrafficSource source;
  source.origin = Origin::simulated;
  source.policy = config.text();
  source.op_notes.resize(capture.ops().size());
  for (size_t l = config.levels.size(); l-- > 0;) {
    source.links.push_back({l + 1 == config.levels.size() ? "DRAM" : config.levels[l + 1].name, config.levels[l].name, static_cast<double>(config.levels[l].size_bytes)});
  }
  source.links.push_back({config.levels.front().name, "core", kUnknownBytes});
  return source;
}

/// Splits the misses of ops whose lines come again and again, the worst first, while there is time.
void tell_causes(const std::shared_ptr<const CapturedStep>& step, const Walk& walk, const std::vector<OpMoved>& moved, size_t done, TrafficSource& source) {
  const size_t links = source.links.size(), into_l1 = links - 2;
  const ByteRanges ranges(step->capture());
  const auto line = static_cast<double>(walk.request.config.line_bytes());
  double all = 0;
  for (size_t i = 0; i < done; ++i) all += moved[i].sum.empty() ? 0 : static_cast<double>(moved[i].sum[into_l1].misses);
  std::vector<std::pair<double, OpId>> often;
  for (size_t i = 0; i < done; ++i) {
    if (moved[i].sum.empty() || moved[i].fidelity != Fidelity::loops) continue;
    const auto misses = static_cast<double>(moved[i].sum[into_l1].misses);
    const double needed = footprint(step->capture(), step->capture().ops()[walk.ops[i]], ranges) / line;
    if (misses > kOftenFetched * needed && misses > kWorthTelling * all) often.emplace_back(misses, walk.ops[i]);
  }
  std::ranges::sort(often, std::greater());
  const auto deadline = std::chrono::steady_clock::now() +
                        std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(kToldShare * walk.request.seconds));
  for (const auto& [misses, op] : often) {
    if (std::chrono::steady_clock::now() > deadline) return;
    const auto description = describe_op(step, op);
    if (!description) continue;
    const std::vector<MissCauses> causes = miss_causes(*description, walk.request.config, kToldAccesses, deadline, walk.request.stop);
    for (size_t level = 0; level < causes.size(); ++level) {
      MissCauses c = causes[level];
      c.op = op, c.link = static_cast<uint32_t>(into_l1 - level);
      if (c.compulsory_ratio + c.capacity_ratio + c.conflict_ratio > 0) source.causes.push_back(c);
    }
  }
}

Result<void> check_request(const StepSimulationRequest& request) {
  if (auto ok = check(request.config); !ok) return ok;
  for (const CacheLevelConfig& level : request.config.levels) {
    if (!level.write_back)
      return engine::usage_error(fmt::format("{} {}: steps are simulated on write-back caches", level.name, name_of(level)));
  }
  return {};
}

/// Ops with their core bytes; and how many accesses all make.
uint64_t count_step(Walk& walk, std::vector<OpMoved>& moved) {
  const size_t links = walk.request.config.levels.size() + 1;
  uint64_t accesses = 0;
  for (size_t i = 0; i < walk.ops.size(); ++i) {
    if (walk.request.stop != nullptr && *walk.request.stop) break;
    CoreBytes sink(moved[i], links - 1, links, walk.request.stop);
    moved[i].fidelity = walk.step.describe(walk.ops[i], sink);
    accesses += moved[i].accesses;
  }
  return accesses;
}

void join(const std::vector<Part>& parts, int sample, std::vector<OpMoved>& moved, size_t done) {
  const auto by = static_cast<uint64_t>(sample);
  for (size_t i = 0; i < done; ++i) {
    OpMoved& op = moved[i];
    for (const Part& part : parts) {
      for (const auto& [tensor, links] : part.by_op[i]) {
        auto& own = op.parts[tensor];
        own.resize(links.size());
        for (size_t l = 0; l < links.size(); ++l) {
          Moved scaled = links[l];
          for (uint64_t* n : {&scaled.read, &scaled.written, &scaled.write_allocate, &scaled.hits, &scaled.misses}) *n *= by;
          own[l] += scaled;
        }
      }
    }
    for (const auto& [tensor, links] : op.parts) {
      op.sum.resize(links.size());
      for (size_t l = 0; l < links.size(); ++l) op.sum[l] += links[l];
    }
  }
}

std::string method_of(const TrafficSource& source, const StepSimulationRequest& request, size_t ops, size_t unknown) {
  std::string text = fmt::format("Simulated: {}; the accesses of the step's ops as one thread would make them, line by line, caches carried from op to op, second pass of two",
                                 request.config.text());
  if (source.sampled > 1) text += fmt::format("; one set of {} simulated and scaled (sampling error +-{:.2g} %)", source.sampled, 100 * source.sampling_error);
  text += "; policies beyond L1 are assumed.";
  if (!source.causes.empty()) {
    text += fmt::format(" Causes of misses: of each such op alone, from empty caches, over its first {} million accesses at most.", kToldAccesses / 1'000'000);
  }
  if (unknown > 0) text += fmt::format(" {} of {} ops are not simulated: see their notes.", unknown, ops);
  return text;
}

}  // namespace

Result<TrafficSource> simulate_step(std::shared_ptr<const Capture> capture, const StepSimulationRequest& request) {
  if (auto ok = check_request(request); !ok) return ok.error();
  auto made = CapturedStep::make(capture, CacheSimulator::address_limit(request.config));
  if (!made) return made.error();
  const auto step = std::make_shared<const CapturedStep>(*std::move(made));
  Walk shared{.step = *step, .request = request, .ops = {}};
  TrafficSource source = empty_source(request.config, *capture);
  for (const OpRecord& op : capture->ops()) {
    if (!op.view && step->objection(op.id).empty()) shared.ops.push_back(op.id);
  }
  std::vector<OpMoved> moved(shared.ops.size());
  const auto start = std::chrono::steady_clock::now();
  const auto accesses = static_cast<double>(count_step(shared, moved));
  int sample = 1;
  const double bearable = request.seconds * kRate * std::max(1, request.threads) / 2;  // two passes
  while (2 * sample <= most_slices(request.config) && accesses / sample > bearable) sample *= 2;
  shared.deadline = start + std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(2 * request.seconds));
  const auto slices = parts_of(request.config, request.threads, sample);
  if (!slices) return slices.error();
  std::vector<Part> parts;
  for (const CacheSlices& slice : *slices) {
    Part& part = parts.emplace_back();
    part.simulator = std::make_unique<CacheSimulator>(request.config, CacheSimulator::Options{.tensors = step->tensor_count(), .slices = slice});
    part.by_op.resize(shared.ops.size());
    part.set_misses.resize(request.config.levels.size());
  }
  std::vector<std::thread> others;
  for (size_t p = 1; p < parts.size(); ++p) others.emplace_back([&, p] { walk(shared, parts[p], false); });
  walk(shared, parts[0], true);
  for (std::thread& other : others) other.join();
  if (request.stop != nullptr && *request.stop) return engine::refused_error("the simulation was stopped");
  const size_t done = std::ranges::min_element(parts, {}, &Part::done)->done;
  join(parts, sample, moved, done);
  source.sampled = sample;
  if (sample > 1) source.sampling_error = sampling_error(parts, request.config, sample);
  Joiner joiner(*step, request, source);
  size_t unknown = 0, all = 0, next = 0;
  for (const OpRecord& op : capture->ops()) {
    if (op.view) continue;
    ++all;
    const size_t before = unknown++;
    if (!step->objection(op.id).empty()) {
      joiner.unknown(op.id, "not simulated: " + step->objection(op.id));
      continue;
    }
    const size_t i = next++;
    if (i >= done) {
      joiner.unknown(op.id, fmt::format("not simulated: the time allowed ({:.3g} s) was over", request.seconds));
    } else if (moved[i].fidelity == Fidelity::assumed) {
      joiner.unknown(op.id, access_note(Fidelity::assumed, {}));
    } else {
      if (moved[i].sum.empty()) moved[i].sum.resize(source.links.size());
      joiner.known(op.id, moved[i], source.sampling_error);
      unknown = before;
    }
  }
  tell_causes(step, shared, moved, done, source);
  if (request.stop != nullptr && *request.stop) return engine::refused_error("the simulation was stopped");
  source.method = method_of(source, request, all, unknown);
  return source;
}

}  // namespace profiler
