// SPDX-License-Identifier: Apache-2.0
// Descriptions fed to simulators: exact where there is time for it, else on part of the sets.
#include "profiler/memory/op_simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "profiler/memory/captured_access.h"
#include "profiler/memory/stoppable_sink.h"

namespace profiler {

using engine::Result;
using engine::access::Fidelity;
using engine::access::OpCall;

namespace {

/// Accesses per second and thread that slow descriptions reach (column walks); with stack distances.
constexpr double kRate = 150e6, kRateWithDistances = 25e6;
constexpr double kCurvePatience = 10;  // causes and curves may take so many times as long

struct AccessCounter : engine::AccessSink {
  uint64_t count = 0;
  using engine::AccessSink::group;
  void group(int64_t iterations, std::span<const engine::AccessStream> streams) override {
    if (iterations > 0) count += static_cast<uint64_t>(iterations) * streams.size();
  }
  void nest(int64_t outer, int64_t inner, std::span<const engine::NestedGroup> groups) override {
    if (outer > 0 && inner > 0) count += static_cast<uint64_t>(outer * inner) * engine::accesses_of(groups);
  }
};

/// Feeds the first accesses one by one and notes where each was served from.
class OneByOne : public engine::AccessSink {
 public:
  OneByOne(CacheSimulator& simulator, size_t most, std::vector<OrderedAccess>& list)
      : simulator_(simulator), most_(most), list_(list) {}
  using engine::AccessSink::group;
  void group(int64_t iterations, std::span<const engine::AccessStream> streams) override {
    for (int64_t i = 0; i < iterations && list_.size() < most_; ++i) {
      for (engine::AccessStream s : streams) {
        if (list_.size() >= most_) return;
        s.address += static_cast<uint64_t>(i * s.stride);
        s.stride = 0;
        simulator_.group(1, {s});
        const CacheEpoch counts = simulator_.take_counts();
        uint8_t level = 0;
        for (size_t l = 0; l < counts.levels.size(); ++l) {
          if (counts.total(l).misses() > 0) level = static_cast<uint8_t>(l + 1);
        }
        if (s.kind == engine::AccessKind::store_past_caches) level = static_cast<uint8_t>(counts.levels.size());
        list_.push_back({s.address, s.tensor, s.bytes, s.kind, level});
      }
    }
  }
  bool stopped() const override { return list_.size() >= most_; }

 private:
  CacheSimulator& simulator_;
  size_t most_;
  std::vector<OrderedAccess>& list_;
};

/// Passes the first so many accesses on.
class FirstAccesses : public engine::AccessSink {
 public:
  FirstAccesses(engine::AccessSink& to, uint64_t most, const std::function<bool()>& late, const std::atomic<bool>* stop)
      : to_(to), left_(most), late_(late), stop_(stop) {}
  using engine::AccessSink::group;
  void group(int64_t iterations, std::span<const engine::AccessStream> streams) override {
    if (iterations <= 0 || streams.empty() || stopped()) return;
    const auto whole = static_cast<int64_t>(std::max<uint64_t>(1, left_ / streams.size()));
    const int64_t taken = std::min(iterations, whole);
    to_.group(taken, streams);
    const uint64_t passed = static_cast<uint64_t>(taken) * streams.size();
    left_ -= std::min(left_, passed);
    unwatched_ += passed;
    if (unwatched_ < kWatch) return;
    unwatched_ = 0;
    if (late_()) left_ = 0;
  }
  bool stopped() const override { return left_ == 0 || (stop_ != nullptr && stop_->load(std::memory_order_relaxed)); }

 private:
  static constexpr uint64_t kWatch = 1'000'000;  // accesses between two looks at the clock
  engine::AccessSink& to_;
  uint64_t left_, unwatched_ = 0;
  const std::function<bool()>& late_;
  const std::atomic<bool>* stop_;
};

std::vector<TensorRange> ranges_of(const AccessDescription& d) {
  std::vector<TensorRange> ranges;
  for (size_t i = 0; i < d.tensors.size(); ++i) {
    const SimulatedTensor& t = d.tensors[i];
    if (t.size_bytes > 0)
      ranges.push_back({t.address, t.address + static_cast<uint64_t>(t.size_bytes), static_cast<uint32_t>(i)});
  }
  return ranges;
}

/// Every so many sets, so that it takes about the time asked for; two slices at least, which say how far off they are.
int affordable_sample(const OpSimulationRequest& r, uint64_t accesses) {
  const double bearable = r.seconds * kRate * std::max(1, r.threads) / 2;  // cold and warm
  int sample = 1;
  while (4 * sample <= most_slices(r.config) && static_cast<double>(accesses) / sample > bearable) sample *= 2;
  return sample;
}

void classify(const AccessDescription& d, const OpSimulationRequest& r, OpSimulation& result) {
  CacheSimulator simulator(
      r.config, {.tensors = static_cast<uint32_t>(d.tensors.size()), .ranges = ranges_of(d), .classify = true});
  StoppableSink sink(simulator, r.stop);
  for (const char* epoch : {"cold", "warm"}) {
    result.fidelity = d.describe(sink);
    result.epochs.push_back(simulator.take_epoch(epoch));
    if (result.epochs.size() > 1 || (r.stop != nullptr && *r.stop)) continue;
    result.curve = curve_of(*simulator.distances(), r.config.line_bytes());
  }
  result.classified = true;
}

/// The curve from some of the lines.
void sample_curve(const AccessDescription& d, const OpSimulationRequest& r, OpSimulation& result) {
  uint64_t bytes = 0;
  for (const SimulatedTensor& t : d.tensors) {
    if (t.tensor != kNoTensor)
      bytes += static_cast<uint64_t>(std::max<int64_t>(0, t.size_bytes));  // of panels, room for the most there may be
  }
  SampledDistance distances(usual_sample(bytes / static_cast<uint64_t>(r.config.line_bytes()), r.config.line_bytes()));
  StoppableSink sink(distances, r.stop);
  d.describe(sink);
  result.curve = curve_of(distances, r.config.line_bytes());
}

}  // namespace

Result<AccessDescription> describe_op(std::shared_ptr<const Capture> capture, OpId op, uint64_t address_limit) {
  const OpRecord& record = capture->ops()[op];
  if (record.view)
    return engine::refused_error(
        fmt::format("{} is a view: it runs nothing and moves nothing", capture->name(record.name)));
  auto step = CapturedStep::make(std::move(capture), address_limit);
  if (!step) return step.error();
  return describe_op(std::make_shared<const CapturedStep>(*std::move(step)), op);
}

Result<AccessDescription> describe_op(std::shared_ptr<const CapturedStep> step, OpId op) {
  const Capture& capture = step->capture();
  const OpRecord& record = capture.ops()[op];
  if (!step->objection(op).empty())
    return engine::refused_error(
        fmt::format("{}: its accesses are unknown: {}", capture.name(record.name), step->objection(op)));
  AccessDescription d;
  d.title = std::string(capture.name(record.name));
  d.kernel = capture.facts(op);
  d.kernel.name = capture.name(record.kernel);
  OpCall call = step->call(op);
  const auto local = [&](TensorId owner) {
    for (size_t i = 0; i < d.tensors.size(); ++i) {
      if (d.tensors[i].tensor == owner) return static_cast<uint32_t>(i);
    }
    const TensorRecord& t = capture.tensors()[owner];
    d.tensors.push_back({owner, std::string(capture.name(t.name)), t.role, step->address(owner), t.size_bytes});
    return static_cast<uint32_t>(d.tensors.size() - 1);
  };
  for (auto* list : {&call.inputs, &call.outputs}) {
    for (engine::access::Operand& o : *list) o.tensor = local(o.tensor);
  }
  call.workspace_tensor = static_cast<uint32_t>(d.tensors.size());
  d.tensors.push_back({kNoTensor, "(packed panels)", Role::workspace, step->panels_address(),
                       static_cast<int64_t>(engine::access::kWorkspaceBytes)});
  // `call` refers to its node, which `step` owns.
  d.describe = [step, call, kernel = d.kernel](engine::AccessSink& sink) {
    return describe_as_run(call, kernel, sink);
  };
  return d;
}

uint64_t count_accesses(const AccessDescription& description, const std::atomic<bool>* stop) {
  AccessCounter counter;
  StoppableSink sink(counter, stop);
  description.describe(sink);
  return counter.count;
}

Result<OpSimulation> simulate_accesses(const AccessDescription& d, const OpSimulationRequest& r) {
  if (auto ok = check(r.config); !ok) return ok.error();
  const auto start = std::chrono::steady_clock::now();
  OpSimulation result;
  result.title = d.title, result.config = r.config, result.tensors = d.tensors;
  const auto stopped = [&] { return r.stop != nullptr && r.stop->load(); };
  const Result<OpSimulation> cancelled = engine::refused_error(fmt::format("{}: the simulation was stopped", d.title));
  result.accesses = count_accesses(d, r.stop);
  const auto count = static_cast<double>(result.accesses);
  const bool wants_all = r.causes || r.curve;
  const int sample = r.sample > 0 ? r.sample : affordable_sample(r, result.accesses);
  const bool all = wants_all && r.sample <= 1 && 2 * count <= kCurvePatience * r.seconds * kRateWithDistances;
  if (all) {
    classify(d, r, result);
  } else {
    std::atomic<int> fidelity = 0;
    const SimulationRequest request{.tensors = static_cast<uint32_t>(d.tensors.size()),
                                    .ranges = ranges_of(d),
                                    .threads = r.threads,
                                    .sample = sample};
    auto epochs = simulate(r.config, request, {"cold", "warm"}, [&](engine::AccessSink& to, size_t) {
      StoppableSink sink(to, r.stop);
      fidelity = static_cast<int>(d.describe(sink));
    });
    if (!epochs) return epochs.error();
    result.epochs = *std::move(epochs);
    result.fidelity = static_cast<Fidelity>(fidelity.load());
    if (r.curve && !stopped()) sample_curve(d, r, result);
  }
  if (stopped()) return cancelled;
  if (r.first_accesses > 0) {
    CacheSimulator simulator(r.config, {.tensors = static_cast<uint32_t>(d.tensors.size()), .ranges = ranges_of(d)});
    OneByOne sink(simulator, r.first_accesses, result.first_accesses);
    StoppableSink stoppable(sink, r.stop);
    d.describe(stoppable);
  }
  if (stopped()) return cancelled;
  result.how = result.fidelity == Fidelity::assumed
                   ? "accesses assumed: every operand once, in the order of memory; its own loops have no description"
                   : access_note(result.fidelity, d.kernel, d.kernel.name);
  result.how += ", as one thread would";
  if (!all && sample > 1) {
    result.how += fmt::format(
        "; one set of {} was simulated and scaled: misses of the cold run {} (twice the standard error between sets)",
        sample, sampling_text(result.epochs.front(), r.config));
  }
  if (!all && r.curve)
    result.how += fmt::format("; the curve is sampled by lines (SHARDS), {}", sampling_text(result.curve));
  if (!all && r.causes) {
    result.how += r.sample > 1 ? "; causes need all sets, so they were left out"
                               : fmt::format("; causes were left out: {:.3g} accesses would take longer than {:.3g} s",
                                             count, kCurvePatience * r.seconds);
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

std::vector<MissCauses> miss_causes(const AccessDescription& d, const CacheConfig& config, uint64_t most_accesses,
                                    const std::function<bool()>& late, const std::atomic<bool>* stop) {
  CacheSimulator simulator(
      config, {.tensors = static_cast<uint32_t>(d.tensors.size()), .ranges = ranges_of(d), .classify = true});
  FirstAccesses sink(simulator, most_accesses, late, stop);
  d.describe(sink);
  if (stop != nullptr && *stop) return {};
  const CacheEpoch epoch = simulator.take_epoch("");
  std::vector<MissCauses> causes;
  for (size_t level = 0; level < epoch.levels.size(); ++level) {
    const CacheCounts c = epoch.total(level);
    const auto part = [all = static_cast<double>(c.compulsory + c.capacity + c.conflict)](uint64_t n) {
      return all > 0 ? static_cast<double>(n) / all : 0;
    };
    causes.push_back({.compulsory_ratio = part(c.compulsory),
                      .capacity_ratio = part(c.capacity),
                      .conflict_ratio = part(c.conflict)});
  }
  return causes;
}

Result<OpSimulation> simulate_op(std::shared_ptr<const Capture> capture, OpId op, const OpSimulationRequest& request) {
  if (auto ok = check(request.config); !ok) return ok.error();
  const auto description = describe_op(std::move(capture), op, CacheSimulator::address_limit(request.config));
  if (!description) return description.error();
  return simulate_accesses(*description, request);
}

}  // namespace profiler
