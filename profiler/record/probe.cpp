// SPDX-License-Identifier: Apache-2.0
// Probe: arithmetic, latency, then bandwidth level by level, each repeated, within a budget of
// time.
#include "profiler/record/probe.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <ctime>
#include <memory>
#include <numeric>
#include <random>
#include <tuple>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/memory.h"
#include "engine/cpu/backend.h"
#include "engine/tensor/storage.h"
#include "profiler/machine/probe_figures.h"
#include "profiler/record/host_load.h"
#include "profiler/record/probe_kernels.h"
#include "profiler/record/probe_levels.h"
#include "profiler/record/probe_merge.h"
#include "profiler/record/probe_streams.h"
#include "profiler/record/probe_timing.h"

namespace profiler {
namespace {

using probe::Arrays;
using probe::arrays_of;
using probe::Effort;
using probe::Loops;
using probe::run_passes;

constexpr int64_t kMiB = int64_t{1} << 20;

bool goes_past_caches(AccessMix mix) { return mix == AccessMix::write_past || mix == AccessMix::copy_past; }

/// Of the products whose fastest library is told; first those whose rate is a peak.
constexpr engine::DType kTypesOfChoices[] = {engine::DType::bfloat16, engine::DType::int8, engine::DType::float32,
                                             engine::DType::float64};

/// Links the lines of `size` bytes into one random cycle through all of them (Sattolo's algorithm).
void link_lines(std::byte* memory, int64_t size, int64_t line, std::mt19937_64& random) {
  const auto count = static_cast<uint32_t>(size / line);
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  for (uint32_t i = count - 1; i > 0; --i) std::swap(order[i], order[random() % i]);
  for (uint32_t i = 0; i < count; ++i) {
    *reinterpret_cast<void**>(memory + order[i] * line) = memory + order[(i + 1) % count] * line;
  }
}

/// One run of the probe.
class Probe {
 public:
  explicit Probe(const ProbeOptions& options)
      : options_(options), loops_(probe::best_loops()), start_ns_(engine::now_ns()) {
    machine_.info = engine::cpu::describe();
    machine_.info.vector_bits = loops_.vector_bits;
    threads_ = options.threads > 0 ? options.threads : std::max(1, machine_.info.cores);
  }

  engine::Result<Machine> run();

 private:
  double elapsed_s() const { return static_cast<double>(engine::now_ns() - start_ns_) * 1e-9; }
  bool cancelled() const { return options_.cancelled && options_.cancelled(); }
  /// False: leave it out (cancelled, or the budget is used up, which `gaps` notes). Reports progress and shortens the
  /// effort when late.
  bool next(const std::string& what, std::vector<std::string> Machine::*gaps = &Machine::unfinished);
  std::vector<int> thread_counts() const {
    if (options_.add_threads) return {threads_};
    return threads_ == 1 ? std::vector<int>{1} : std::vector<int>{1, threads_};
  }
  int64_t memory_limit() const { return engine::host_memory().available_bytes / 4; }

  void measure_compute();
  void measure_multiply_add();
  void measure_latency();
  void measure_bandwidth();
  void measure_level(const MemoryLevel& level, int threads, int64_t working_set);
  std::vector<engine::MatmulTiming> time_products(engine::DType);
  /// Which library or way is the fastest, of products and convolutions that ProbeOptions::earlier lacks, or the others.
  void measure_choices(bool lacking);
  void explain_narrow_types();
  void join(const Machine& earlier);

  const ProbeOptions& options_;
  const Loops loops_;
  const int64_t start_ns_;
  int threads_ = 1;
  int unsettled_ =
      0;  ///< shapes of products and convolutions that others disturbed too much to tell which way is the fastest
  Effort effort_;
  bool late_ = false;
  int done_ = 0, planned_ = 1;
  Machine machine_;
};

bool Probe::next(const std::string& what, std::vector<std::string> Machine::*gaps) {
  if (cancelled()) return false;
  const double used = elapsed_s() / options_.budget_s;
  late_ = late_ || used > 1;
  if (late_) {
    (machine_.*gaps).push_back(what);
    return false;
  }
  if (used > 0.6) effort_.repeats = 3;
  if (options_.progress) options_.progress(std::min(1.0, static_cast<double>(done_) / planned_), what);
  ++done_;
  return true;
}

void Probe::measure_compute() {
  std::atomic<double> sink{0};
  for (const int threads : thread_counts()) {
    for (const engine::DType dtype : {engine::DType::float32, engine::DType::float64}) {
      const bool single = dtype == engine::DType::float32;
      const auto loop = single ? loops_.multiply_add_f32 : loops_.multiply_add_f64;
      if (loop == nullptr) continue;
      ComputeRoof roof;
      roof.dtype = dtype;
      roof.threads = threads;
      if (!next(figure_name(roof))) continue;
      constexpr int64_t kRounds = 10'000;
      const double flops = static_cast<double>(kRounds) *
                           static_cast<double>(single ? loops_.flops_per_round_f32 : loops_.flops_per_round_f64);
      roof.flop_per_s = probe::measure_rate(threads, flops * threads, effort_, [&](int, int64_t passes) {
        double sum = 0;
        for (int64_t i = 0; i < passes; ++i) sum += loop(kRounds);
        sink.store(sum, std::memory_order_relaxed);
      });
      roof.method = fmt::format("register-only multiply-add, {}-bit ({})", loops_.vector_bits, loops_.target);
      machine_.compute.push_back(std::move(roof));
    }
  }
}

void Probe::measure_multiply_add() {
  if (!next(kMultiplyAddFigure)) return;
  constexpr int64_t kRounds = 4096;
  std::atomic<double> sink{0};
  const Measured each = probe::measure_step_ns(kRounds, effort_, [&](int, int64_t passes) {
    double sum = 0;
    for (int64_t i = 0; i < passes; ++i) sum += loops_.multiply_add_chain(kRounds);
    sink.store(sum, std::memory_order_relaxed);
  });
  if (each.known()) machine_.multiply_add_ns = each.median;
}

void Probe::measure_latency() {
  const bool coarse = options_.budget_s < 5;
  int64_t claimed = 0;
  for (const engine::CacheLevel& cache : machine_.info.caches) claimed = std::max(claimed, cache.size_bytes);
  const int64_t wished = std::clamp(4 * claimed, 128 * kMiB, coarse ? 128 * kMiB : 512 * kMiB);
  const int64_t largest = std::min(wished, memory_limit());
  const auto storage = engine::Storage::allocate_host(std::max<int64_t>(largest, kMiB));
  if (!storage) {
    machine_.notes.push_back("Latency was not measured: " + storage.error().message);
    return;
  }
  const int64_t line = machine_.info.caches.empty() ? 64 : std::max(64, machine_.info.caches.front().line_bytes);
  std::mt19937_64 random(1);
  std::atomic<const void*> sink{nullptr};
  const Effort effort{3, effort_.slice_s / 2};
  for (const int64_t size : probe::latency_sizes(largest, coarse)) {
    LatencyPoint point;
    point.working_set_bytes = size;
    if (!next(figure_name(point))) continue;
    link_lines((*storage)->data(), size, line, random);
    const void* at = (*storage)->data();
    // Once around, so that what fits is in its cache; where nothing fits, part of it tells as much.
    at = probe::follow_links(at, std::min<int64_t>(size / line, 1'000'000) / 16 * 16);
    constexpr int64_t kSteps = 1024;
    point.latency_ns = probe::measure_step_ns(kSteps, effort, [&](int, int64_t passes) {
      at = probe::follow_links(at, passes * kSteps);
      sink.store(at, std::memory_order_relaxed);
    });
    machine_.latency.push_back(point);
  }
}

void Probe::measure_level(const MemoryLevel& level, int threads, int64_t working_set) {
  std::vector<AccessMix> mixes;
  std::ranges::copy_if(kAccessMixes, std::back_inserter(mixes),
                       [&](AccessMix mix) { return level.name == "DRAM" || !goes_past_caches(mix); });
  const auto roof_of = [&](AccessMix mix) {
    BandwidthRoof roof;
    roof.level = level.name;
    roof.mix = mix;
    roof.threads = threads;
    return roof;
  };
  if (late_) {  // there is no need to touch memory for them
    for (const AccessMix mix : mixes) next(figure_name(roof_of(mix)));
    return;
  }
  std::vector<std::shared_ptr<engine::Storage>> blocks;
  for (int thread = 0; thread < threads; ++thread) {
    auto block = engine::Storage::allocate_host(working_set + Arrays::kSlackBytes);
    if (!block) {
      machine_.unmeasured.push_back({level.name, threads, block.error().message});
      return;
    }
    blocks.push_back(std::move(*block));
  }
  const auto base = [&](int thread) { return reinterpret_cast<float*>(blocks[static_cast<size_t>(thread)]->data()); };
  // Each thread touches its own memory first, so that it gets pages near its core, and ones rather
  // than what was there before.
  probe::timed(threads, 1,
               [&](int thread, int64_t) { loops_.write(base(thread), (working_set + Arrays::kSlackBytes) / 4, 1); });
  std::atomic<float> sink{0};
  for (const AccessMix mix : mixes) {
    BandwidthRoof roof = roof_of(mix);
    if (!next(figure_name(roof))) continue;
    const double bytes = static_cast<double>(Arrays(base(0), working_set, mix).floats()) * 4 * arrays_of(mix);
    roof.working_set_bytes = working_set;
    roof.bytes_per_s = probe::measure_rate(threads, bytes * threads, effort_, [&](int thread, int64_t passes) {
      run_passes(loops_, mix, Arrays(base(thread), working_set, mix), passes, sink);
    });
    if (mix == AccessMix::read && level.name == "DRAM") {  // the roof is what the better loop reaches
      const Measured ahead = probe::measure_rate(threads, bytes * threads, effort_, [&](int thread, int64_t passes) {
        const Arrays arrays(base(thread), working_set, mix);
        sink.store(loops_.read_ahead(arrays.at(0), arrays.floats(), passes), std::memory_order_relaxed);
      });
      if (ahead.known() && ahead.median > roof.bytes_per_s.median) roof.bytes_per_s = ahead;
    }
    machine_.bandwidth.push_back(std::move(roof));
  }
}

void Probe::measure_bandwidth() {
  for (size_t i = 0; i < machine_.levels.size(); ++i) {
    for (const int threads : thread_counts()) {
      const auto working_set = probe::working_set(machine_.levels, i, threads, memory_limit());
      if (!working_set && late_) {  // nor were sizes found
        measure_level(machine_.levels[i], threads, 0);
        continue;
      }
      if (!working_set) {
        machine_.unmeasured.push_back({machine_.levels[i].name, threads, "no working set lies in this level alone"});
        continue;
      }
      measure_level(machine_.levels[i], threads, *working_set);
      if (cancelled()) return;
    }
  }
}

std::vector<engine::MatmulTiming> Probe::time_products(engine::DType dtype) {
  return dtype == engine::DType::int8 ? engine::cpu::measure_integer_matmul(threads_, &unsettled_)
                                      : engine::cpu::measure_matmul(threads_, dtype, &unsettled_);
}

void Probe::measure_choices(bool lacking) {
  const Machine* earlier = options_.earlier;
  const auto lacked = [&](const std::string& what, std::vector<std::string> Machine::*gaps) {
    return earlier != nullptr && std::ranges::find(earlier->*gaps, what) != (earlier->*gaps).end();
  };
  size_t peaks = 0;  // that the earlier probe lacks, of the products below
  for (const engine::DType dtype : kTypesOfProducts) peaks += lacked(products_figure(dtype), &Machine::unfinished);
  // Not before other roofs that it lacks, too.
  const bool first = earlier != nullptr && earlier->unfinished.size() == peaks;
  const auto now = [&](const std::string& what, std::vector<std::string> Machine::*gaps) {
    return (first && lacked(what, gaps)) == lacking && next(what, gaps);
  };
  for (const engine::DType dtype : kTypesOfChoices) {  // seconds each on a busy machine
    if (!now(products_figure(dtype), peak_is_of_products(dtype) ? &Machine::unfinished : &Machine::unfinished_choices))
      continue;
    const auto timings = time_products(dtype);
    machine_.matmul.insert(machine_.matmul.end(), timings.begin(), timings.end());
  }
  if (now(kConvolutionsFigure, &Machine::unfinished_choices))
    machine_.winograd = engine::cpu::measure_winograd(&unsettled_);
}

/// Peaks of types that no kernel of ours uses would be roofs nobody can reach.
void Probe::explain_narrow_types() {
  const auto has_peak = [this](engine::DType dtype) {
    return std::ranges::find(machine_.compute, dtype, &ComputeRoof::dtype) != machine_.compute.end();
  };
  const auto unit_of = [](engine::DType dtype, const std::string& feature) {
    switch (dtype) {
      case engine::DType::bfloat16: return feature == "amx-bf16" || feature == "avx512-bf16";
      case engine::DType::int8: return feature == "amx-int8" || feature.ends_with("vnni");
      default: return feature == "amx-fp16" || feature == "avx512-fp16";
    }
  };
  std::vector<std::string_view> types;
  std::vector<std::string> units;
  for (const engine::DType dtype : {engine::DType::float16, engine::DType::bfloat16, engine::DType::int8}) {
    if (has_peak(dtype)) continue;
    types.push_back(name(dtype));
    std::ranges::copy_if(machine_.info.features, std::back_inserter(units),
                         [&](const std::string& feature) { return unit_of(dtype, feature); });
  }
  const bool one = types.size() == 1;
  std::string note =
      fmt::format("{} {}: the engine's kernels do not use faster units for {}", fmt::join(types, " and "),
                  one ? "has no peak of its own" : "have no peak of their own", one ? "it" : "them");
  note +=
      units.empty() ? ", and this CPU names none." : fmt::format(", though this CPU names {}.", fmt::join(units, ", "));
  machine_.notes.push_back(std::move(note));
}

/// The roofs of an earlier probe, with its date, beside those of one more thread count.
void Probe::join(const Machine& earlier) {
  const auto other = [this](const auto& roof) { return roof.threads != threads_; };
  std::vector<ComputeRoof> compute = std::move(machine_.compute);
  std::vector<BandwidthRoof> bandwidth = std::move(machine_.bandwidth);
  std::vector<std::string> notes = std::move(machine_.notes);
  const auto is_of = [](const auto& roofs, const std::string& what) {
    return std::ranges::any_of(roofs, [&](const auto& roof) { return figure_name(roof) == what; });
  };
  for (const std::string& what : earlier.unfinished) {
    if (!is_of(compute, what) && !is_of(bandwidth, what) && std::ranges::count(machine_.unfinished, what) == 0)
      machine_.unfinished.push_back(what);
  }
  machine_.compute.clear(), machine_.bandwidth.clear();
  std::ranges::copy_if(earlier.compute, std::back_inserter(machine_.compute), other);
  std::ranges::copy_if(earlier.bandwidth, std::back_inserter(machine_.bandwidth), other);
  machine_.compute.insert(machine_.compute.end(), compute.begin(), compute.end());
  machine_.bandwidth.insert(machine_.bandwidth.end(), bandwidth.begin(), bandwidth.end());
  machine_.notes = earlier.notes;
  for (std::string& note : notes) {
    if (std::ranges::find(machine_.notes, note) == machine_.notes.end()) machine_.notes.push_back(std::move(note));
  }
  machine_.foreign_load_ratio = std::fmax(earlier.foreign_load_ratio, machine_.foreign_load_ratio);  // NaN is no load
  std::ranges::copy_if(earlier.unmeasured, std::back_inserter(machine_.unmeasured), other);
  machine_.unsettled_shapes = earlier.unsettled_shapes;  // products are those of the earlier probe
  machine_.kept = earlier.kept;
}

engine::Result<Machine> Probe::run() {
  const std::optional<HostTicks> before = host_ticks_now();
  const int counts = static_cast<int>(thread_counts().size());
  const int points = options_.levels_of != nullptr
                         ? 0
                         : static_cast<int>(probe::latency_sizes(256 * kMiB, options_.budget_s < 5).size());
  planned_ = 2 * counts + points + 4 * counts * (static_cast<int>(machine_.info.caches.size()) + 1) + 2 * counts + 1;
  // About six slices per item (warm-up, finding the passes, repeats) shall use less than half of
  // the budget: pages, links and other processes want the rest.
  effort_.slice_s = std::clamp(options_.budget_s / (planned_ * 14.0), 0.0005, 0.012);

  measure_compute();
  if (!options_.add_threads) measure_multiply_add();
  if (options_.levels_of != nullptr) {
    const Machine& known = *options_.levels_of;
    std::tie(machine_.timer_ns, machine_.fork_join_ns, machine_.latency, machine_.levels, machine_.matmul,
             machine_.winograd, machine_.unfinished_choices) =
        std::tie(known.timer_ns, known.fork_join_ns, known.latency, known.levels, known.matmul, known.winograd,
                 known.unfinished_choices);
    if (options_.add_threads) machine_.multiply_add_ns = known.multiply_add_ns;
    measure_bandwidth();
    for (const engine::DType dtype : kTypesOfProducts) {  // their rate is a peak, and as fresh as the others
      if (options_.add_threads || !next(products_figure(dtype))) continue;
      const auto fresh = time_products(dtype);
      unsettled_ = probe::renew(machine_.matmul, dtype, fresh, unsettled_);
    }
  } else {
    measure_choices(true);
    if (next("cost of a time stamp")) machine_.timer_ns = probe::measure_timer_ns();
    if (threads_ > 1 && next("cost of a parallel region"))
      machine_.fork_join_ns = probe::measure_fork_join_ns(threads_);
    measure_latency();
    machine_.levels = probe::derive_levels(machine_.info, machine_.latency, threads_);
    measure_bandwidth();
    // Last: where time is short, roofs matter more, and without these figures a rule chooses the library.
    measure_choices(false);
  }
  if (cancelled()) return engine::refused_error("the probe was cancelled; nothing was saved");
  machine_.unsettled_shapes = unsettled_;
  probe::add_product_peaks(machine_, thread_counts());
  explain_narrow_types();
  const std::optional<HostTicks> after = host_ticks_now();
  if (before && after) machine_.foreign_load_ratio = foreign_load(*before, *after);
  if (options_.add_threads) join(*options_.levels_of);
  machine_.probed_at = options_.add_threads ? options_.levels_of->probed_at
                                            : fmt::format("{:%Y-%m-%dT%H:%M:%S%z}", fmt::localtime(std::time(nullptr)));
  machine_.probe_seconds = elapsed_s();
  if (options_.progress) options_.progress(1, "done");
  return std::move(machine_);
}

}  // namespace

engine::Result<Machine> probe_machine(const ProbeOptions& options) {
  if (options.threads < 0 || !(options.budget_s > 0)) {
    return engine::usage_error(
        fmt::format("[probe] threads = {} and budget = {} s: neither may be negative, the budget must not be 0",
                    options.threads, options.budget_s));
  }
  CHECK(!options.add_threads || (options.levels_of != nullptr && options.threads > 0));
  return Probe(options).run();
}

}  // namespace profiler
