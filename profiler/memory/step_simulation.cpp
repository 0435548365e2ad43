// SPDX-License-Identifier: Apache-2.0
// Threads walk the step on slices of the sets; their counts per op are joined into records.
#include "profiler/memory/step_simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <map>
#include <mutex>
#include <numeric>
#include <thread>

#include "profiler/base/words.h"
#include "profiler/memory/byte_ranges.h"
#include "profiler/memory/cache_simulator.h"
#include "profiler/memory/captured_access.h"
#include "profiler/memory/load_steps.h"
#include "profiler/memory/op_simulation.h"
#include "profiler/memory/step_pace.h"

namespace profiler {

using engine::Result;
using engine::access::Fidelity;
using step_detail::Pace, step_detail::PacedSink, step_detail::Walk;

namespace {

/// Of a figure: its lower edge stays above 0, as something did move.
constexpr double kWidestBand = 0.95;
constexpr double kStridedShare = 0.1;
constexpr uint64_t kFarStep = 2048;  // bytes: as prefetch_stride_bytes of the verdicts' table
constexpr double kNearLow = 0.7, kNearHigh = 1.3;
/// Whose misses are told apart: those who fetch each line they need so many times into L1, with such a part of the
/// step's misses there.
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
  std::map<TensorId, LoadSteps> steps;
  Fidelity fidelity = Fidelity::loops;
  uint64_t accesses = 0;
  /// Whether more than a tenth of its loads of any tensor step farther than prefetchers follow.
  bool strided() const {
    return std::ranges::any_of(steps, [](const auto& t) { return t.second.far_ratio(kFarStep) > kStridedShare; });
  }
};

/// Bytes that the description names, by tensor.
class CoreBytes : public engine::AccessSink {
 public:
  CoreBytes(OpMoved& op, size_t links, uint64_t line, const std::atomic<bool>* stop)
      : op_(op), link_(links - 1), links_(links), line_(line), stop_(stop) {}
  using engine::AccessSink::group;
  void group(int64_t iterations, std::span<const engine::AccessStream> streams) override {
    if (iterations <= 0 || stopped()) return;
    for (const engine::AccessStream& s : streams) {
      if (part_ == nullptr || s.tensor != tensor_) {
        tensor_ = s.tensor;
        auto& links = op_.parts[s.tensor];
        links.resize(links_);
        part_ = &links[link_];
        steps_ = &op_.steps[s.tensor];
      }
      steps_->add(iterations, s, line_);
      const uint64_t bytes = static_cast<uint64_t>(iterations) * s.bytes;
      (s.kind == engine::AccessKind::load ? part_->read : part_->written) += bytes;
    }
    op_.accesses += static_cast<uint64_t>(iterations) * streams.size();
  }
  bool stopped() const override { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }

 private:
  OpMoved& op_;
  size_t link_, links_;
  uint64_t line_;
  const std::atomic<bool>* stop_;
  Moved* part_ = nullptr;
  LoadSteps* steps_ = nullptr;
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
      m.read = memory.read_bytes(), m.written = memory.all_written_bytes(),
      m.write_allocate = memory.write_allocate_bytes;
    } else {
      const CacheCounts& asked = epoch.levels[inner + 1][tensor];
      m.read = own.fetched_lines() * line, m.write_allocate = asked.stores * line;
      m.written = asked.write_backs * line + memory.past_caches_bytes;  // what goes past the caches crosses every link
    }
    links[l] += m;
  }
}

/// One thread's part.
struct Part {
  std::unique_ptr<CacheSimulator> simulator;
  std::vector<std::vector<std::pair<uint32_t, std::vector<Moved>>>> by_op;  // [index in Walk::ops] tensor, its links
  std::vector<std::vector<SliceCounts>> slice_misses;                       // the same by level, where sets are sampled
  size_t done = 0;                                                          // ops of the counted pass
};

/// Misses since `before`, which becomes what they are now.
std::vector<SliceCounts> new_misses(const CacheSimulator& simulator, std::vector<SliceCounts>& before) {
  std::vector<SliceCounts> difference;
  before.resize(simulator.config().levels.size());
  for (size_t l = 0; l < before.size(); ++l) {
    const SliceCounts now = simulator.slice_misses(l);
    SliceCounts& d = difference.emplace_back();
    for (size_t i = 0; i < now.size(); ++i) d[i] = now[i] - before[l][i];
    before[l] = now;
  }
  return difference;
}

/// `pace`: null for all threads but one.
void walk(Walk& shared, Part& part, bool sampled, Pace* pace) {
  const size_t levels = shared.request.config.levels.size();
  const auto line = static_cast<uint64_t>(shared.request.config.line_bytes());
  TensorOwners owners(shared.step);
  part.simulator->set_ranges(owners.ranges());
  PacedSink sink(*part.simulator, shared, pace);
  std::vector<SliceCounts> misses;
  for (const bool counted : {false, true}) {
    for (size_t i = 0; i < shared.ops.size(); ++i) {
      if (pace != nullptr) pace->look();
      if (shared.ended()) return;
      if (owners.produce(shared.ops[i])) part.simulator->set_ranges(owners.ranges());
      shared.step.describe(shared.ops[i], sink);
      if (pace != nullptr && shared.request.progress) {
        shared.shown = std::max(shared.shown, pace->part_done());
        shared.request.progress(shared.shown);
      }
      if (!counted || shared.ended()) continue;
      const CacheEpoch epoch = part.simulator->take_counts();
      for (uint32_t t = 0; t < shared.step.tensor_count(); ++t) {
        std::vector<Moved> links(levels + 1);
        add_counts(epoch, t, line, links);
        if (std::ranges::any_of(links, &Moved::any)) part.by_op[i].emplace_back(t, std::move(links));
      }
      if (sampled) part.slice_misses[i] = new_misses(*part.simulator, misses);
      part.done = i + 1;
    }
    part.simulator->take_epoch("");  // what the first pass missed in each set
  }
}

/// One thread per part. The first keeps the time, also while it waits for the others.
void walk_parts(Walk& shared, std::vector<Part>& parts, bool sampled, Pace& pace) {
  std::mutex mutex;
  std::condition_variable one_done;
  size_t walking = parts.size() - 1;
  std::vector<std::thread> others;
  for (size_t p = 1; p < parts.size(); ++p) {
    others.emplace_back([&, p] {
      walk(shared, parts[p], sampled, nullptr);
      const std::lock_guard lock(mutex);
      --walking;
      one_done.notify_one();
    });
  }
  walk(shared, parts[0], sampled, &pace);
  if (!others.empty()) {
    std::unique_lock lock(mutex);
    do {
      pace.look_at_end();
    } while (!one_done.wait_for(lock, step_detail::kWaitLook, [&] { return walking == 0; }));
  }
  for (std::thread& other : others) other.join();
}

/// By how much the misses of some ops together may be off where sets are sampled.
class SampledMisses {
 public:
  SampledMisses(const std::vector<Part>& parts, int sample, size_t levels)
      : parts_(parts), sample_(sample), sums_(levels) {
    for (const Part& part : parts) picked_ |= part.simulator->slices().picked;
  }
  void add(size_t op) {
    for (const Part& part : parts_) {
      for (size_t l = 0; l < part.slice_misses[op].size(); ++l) {
        for (size_t i = 0; i < sums_[l].size(); ++i) sums_[l][i] += part.slice_misses[op][l][i];
      }
    }
  }
  /// In lines, of all sets.
  double misses(size_t level) const {
    return static_cast<double>(sample_) *
           static_cast<double>(std::accumulate(sums_[level].begin(), sums_[level].end(), uint64_t{0}));
  }
  double error_lines(size_t level) const { return sampling_error(sums_[level], picked_, sample_); }
  /// Of these, or where none was seen of so many lines that moved: 0 of nothing.
  double error(size_t level, double moved_lines = 0) const {
    const double of = misses(level) > 0 ? misses(level) : moved_lines;
    return of > 0 ? error_lines(level) / of : 0;
  }

 private:
  const std::vector<Part>& parts_;
  int sample_;
  uint64_t picked_ = 0;
  std::vector<SliceCounts> sums_;
};

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

/// Relative errors seen where others compared simulations with counters (pycachesim's validation against LIKWID on six
/// processors): exact loops that walk memory in order; loops with far steps, and tiles or indices that are assumed.
/// Between further levels the policy is assumed and no victim cache modelled: far off there.
double band_of(size_t link, size_t links, const OpMoved& op) {
  const bool known = op.fidelity == Fidelity::loops, regular = known && !op.strided();
  if (link + 1 == links) return known ? 0.05 : 0.15;         // L1 to the registers: what the description names
  if (link == 0 && links > 2) return regular ? 0.20 : 0.30;  // memory
  if (link + 2 == links) return regular ? 0.05 : 0.15;       // into L1
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
  /// `misses`: of this op.
  void known(OpId op, const OpMoved& moved, const SampledMisses& misses) {
    const Capture& c = step_.capture();
    source_.op_notes[op] = access_note(moved.fidelity, c.facts(op), c.name(c.ops()[op].kernel));
    const double bytes = footprint(c, c.ops()[op], ranges_);
    for (uint32_t l = 0; l < links_; ++l) {
      const double ratio = bytes / source_.links[l].capacity_bytes;
      const bool near = ratio > kNearLow / doubt(l) && ratio < kNearHigh;
      const auto lines = static_cast<double>(moved.sum[l].read + moved.sum[l].written) / request_.config.line_bytes();
      const double sampling = l + 1 < links_ ? misses.error(links_ - 2 - l, lines) : 0;  // what an op names is known
      const double band = std::min(kWidestBand, std::hypot(band_of(l, links_, moved) * (near ? 2 : 1), sampling));
      add(op, kNoTensor, l, moved.sum[l], band, near);
      for (const auto& [tensor, links] : moved.parts) {
        if (tensor != step_.panels() && links[l].any()) add(op, tensor, l, links[l], band, near);
      }
      if (l + 1 < links_) add_strided(op, l, moved);
    }
  }

 private:
  /// size_doubt() of a link's inner level, where the machine's own is simulated.
  double doubt(uint32_t link) const {
    const std::vector<MemoryLevel>& levels = step_.capture().machine().levels;
    const auto level = std::ranges::find(levels, source_.links[link].inner, &MemoryLevel::name);
    return level != levels.end() &&
                   static_cast<double>(level->specified_size_bytes) == source_.links[link].capacity_bytes
               ? size_doubt(*level)
               : 1;
  }
  void add(OpId op, TensorId tensor, uint32_t link, const Moved& m, double band, bool near) {
    TrafficRecord r{.op = op,
                    .tensor = tensor,
                    .link = link,
                    .read_bytes = static_cast<double>(m.read),
                    .written_bytes = static_cast<double>(m.written)};
    if (link + 1 < links_) {  // registers are asked for nothing
      r.write_allocate_bytes = static_cast<double>(m.write_allocate);
      r.hits = static_cast<double>(m.hits), r.misses = static_cast<double>(m.misses);
    }
    r.error_band = band, r.near_capacity = near;
    source_.records.push_back(r);
  }
  /// A tensor's misses are taken to be those of all its loads alike.
  void add_strided(OpId op, uint32_t link, const OpMoved& moved) {
    std::map<double, double> misses;
    for (const auto& [tensor, links] : moved.parts) {
      const auto steps = moved.steps.find(tensor);
      if (steps == moved.steps.end() || links[link].misses == 0) continue;
      steps->second.each_far(
          [&](double step, double ratio) { misses[step] += ratio * static_cast<double>(links[link].misses); });
    }
    for (const auto& [step, lines] : misses) source_.strided.push_back({op, link, step, lines});
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
    source.links.push_back({l + 1 == config.levels.size() ? "DRAM" : config.levels[l + 1].name, config.levels[l].name,
                            static_cast<double>(config.levels[l].size_bytes)});
  }
  source.links.push_back({config.levels.front().name, "core", kUnknownBytes});
  return source;
}

/// Splits the misses of ops whose lines come again and again, the worst first, while there is time.
void tell_causes(const std::shared_ptr<const CapturedStep>& step, const Walk& walk, const std::vector<OpMoved>& moved,
                 size_t done, TrafficSource& source) {
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
  const double deadline = Pace::now(walk.request) + kToldShare * walk.request.seconds;
  const auto late = [&] { return Pace::now(walk.request) > deadline; };
  for (const auto& [misses, op] : often) {
    if (late()) return;
    const auto description = describe_op(step, op);
    if (!description) continue;
    const std::vector<MissCauses> causes =
        miss_causes(*description, walk.request.config, kToldAccesses, late, walk.request.stop);
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
      return engine::usage_error(
          fmt::format("{} {}: steps are simulated on write-back caches", level.name, name_of(level)));
  }
  return {};
}

/// Ops with their core bytes; and how many accesses all make.
uint64_t count_step(Walk& walk, std::vector<OpMoved>& moved) {
  const size_t links = walk.request.config.levels.size() + 1;
  uint64_t accesses = 0;
  for (size_t i = 0; i < walk.ops.size(); ++i) {
    if (walk.stopped()) break;
    CoreBytes sink(moved[i], links, static_cast<uint64_t>(walk.request.config.line_bytes()), walk.request.stop);
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
          for (uint64_t* n : {&scaled.read, &scaled.written, &scaled.write_allocate, &scaled.hits, &scaled.misses})
            *n *= by;
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
  std::string text = fmt::format(
      "Simulated: {}; accesses of one thread, line by line, caches carried from op to op, "
      "second pass of two",
      request.config.text());
  if (source.sampled > 1) {
    text +=
        fmt::format("; one set of {} simulated and scaled ({})", source.sampled,
                    source.sampling_error > 0 ? fmt::format("error of the step's misses {}, twice the standard error "
                                                            "between sets; of single ops: part of their bands",
                                                            error_text(source.sampling_error))
                                              : "no misses in these sets");
  }
  if (!request.config.sizes_note.empty()) text += "; " + request.config.sizes_note;
  text += "; policies beyond L1 are assumed.";
  if (!source.causes.empty()) {
    text += fmt::format(
        " Causes of misses: of each such op alone, from empty caches, over its first {} million accesses at most.",
        kToldAccesses / 1'000'000);
  }
  if (unknown > 0)
    text += fmt::format(" {} of {} {} not simulated: see their notes.", unknown, counted(ops, "op"),
                        unknown == 1 ? "is" : "are");
  return text;
}

Result<std::vector<Part>> make_parts(const Walk& walk, const CapturedStep& step, int sample) {
  const auto slices = parts_of(walk.request.config, walk.request.threads, sample);
  if (!slices) return slices.error();
  std::vector<Part> parts;
  for (const CacheSlices& slice : *slices) {
    Part& part = parts.emplace_back();
    part.simulator = std::make_unique<CacheSimulator>(
        walk.request.config, CacheSimulator::Options{.tensors = step.tensor_count(), .slices = slice});
    part.by_op.resize(walk.ops.size());
    part.slice_misses.resize(walk.ops.size());
  }
  return parts;
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
  const double started = Pace::now(request);
  const uint64_t accesses = count_step(shared, moved);
  const int most = std::max(1, most_slices(request.config) / 2);  // one slice alone could not say how far off it is
  int sample = 1;
  std::vector<Part> parts;
  for (int next = 1; next > 0;) {
    sample = next;
    auto made_parts = make_parts(shared, *step, sample);
    if (!made_parts) return made_parts.error();
    parts = *std::move(made_parts);
    shared.over = false;
    Pace pace(shared, started, accesses, sample, most);
    walk_parts(shared, parts, sample > 1, pace);
    next = pace.next_sample();
    if (shared.stopped()) break;
  }
  if (shared.stopped()) return engine::refused_error("the simulation was stopped");
  const size_t done = std::ranges::min_element(parts, {}, &Part::done)->done;
  join(parts, sample, moved, done);
  source.sampled = sample;
  SampledMisses all_misses(parts, sample, request.config.levels.size());
  for (size_t i = 0; i < done; ++i) all_misses.add(i);
  for (size_t l = 0; l < request.config.levels.size(); ++l)
    source.sampling_error = std::max(source.sampling_error, all_misses.error(l));
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
      joiner.unknown(op.id, access_note(Fidelity::assumed, {}, {}));
    } else {
      if (moved[i].sum.empty()) moved[i].sum.resize(source.links.size());
      SampledMisses misses(parts, sample, request.config.levels.size());
      misses.add(i);
      joiner.known(op.id, moved[i], misses);
      unknown = before;
    }
  }
  tell_causes(step, shared, moved, done, source);
  if (shared.stopped()) return engine::refused_error("the simulation was stopped");
  source.method = method_of(source, request, all, unknown);
  return source;
}

}  // namespace profiler
