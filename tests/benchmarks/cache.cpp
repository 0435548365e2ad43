// SPDX-License-Identifier: Apache-2.0
// Speed of the cache simulator: accesses per second of processor time, whole, in two slices, and hearing what accesses
// there are alone; of stack distances, from all lines and from a sample; and Haystack's example at full size.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "benchmarks.h"
#include "profiler/memory/cache_simulator.h"
#include "profiler/memory/miss_curve.h"
#include "tests/profiler/memory/cache_streams.h"

namespace benchmarks {
namespace {

using engine::AccessSink;
using test::ThreeArrays;

struct Kernel {
  std::string name;  ///< as cache_kernels is called
  int64_t elements;
  void (*loop)(AccessSink&, const ThreeArrays&);
};

const Kernel kKernels[] = {
    {"ikj 512", 512 * 512, [](AccessSink& s, const ThreeArrays& x) { test::ikj(s, x, 512); }},
    {"tiled 500 32", 500 * 500, [](AccessSink& s, const ThreeArrays& x) { test::tiled(s, x, 500, 32); }},
    {"triad 4000000 3", 4000000, [](AccessSink& s, const ThreeArrays& x) { test::triad(s, x, 3); }},
    {"stencil 4000 1000", 4000 * 1000, [](AccessSink& s, const ThreeArrays& x) { test::stencil(s, x, 4000, 1000); }},
    {"ijk 512", 512 * 512, [](AccessSink& s, const ThreeArrays& x) { test::ijk(s, x, 512); }},
    {"transpose 1024 16", 1024 * 1024,
     [](AccessSink& s, const ThreeArrays& x) {
       for (int repeat = 0; repeat < 16; ++repeat) test::transpose(s, x, 1024);
     }},
};

profiler::CacheConfig config() {
  profiler::CacheConfig c;
  for (const char* text : {"32KiB/8/64:lru", "2MiB/16/64:lru"})
    c.levels.push_back(*profiler::parse_cache_level(text, fmt::format("L{}", c.levels.size() + 1)));
  return c;
}

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Run {
  uint64_t refs = 0, misses = 0;
  double seconds = 0;  ///< of this thread's processor time
};

/// One slice's part of a kernel, after the arrays were filled.
Run run(const Kernel& kernel, const profiler::CacheSlices& slices) {
  profiler::CacheSimulator simulator(config(), {.slices = slices});
  const ThreeArrays arrays(kernel.elements);
  test::fill(simulator, arrays);
  simulator.take_epoch("fill");
  const double start = processor_seconds();
  kernel.loop(simulator, arrays);
  const double seconds = processor_seconds() - start;
  const profiler::CacheEpoch epoch = simulator.take_epoch("kernel");
  return {epoch.refs, epoch.total(0).misses(), seconds};
}

/// Haystack's examples/gemm.c at D = 1024: compulsory 196,608, capacity 67,043,328 lines at 512 and at 8192 lines. 1:
/// it is not so.
int haystack() {
  profiler::CacheConfig c;
  c.levels.push_back(*profiler::parse_cache_level("32KiB/8/64:lru", "L1"));
  profiler::CacheSimulator simulator(c, {.classify = true});
  const double start = processor_seconds();
  test::haystack_gemm(simulator, 1024);
  const double seconds = processor_seconds() - start;
  const profiler::StackDistance& d = *simulator.distances();
  fmt::print(
      "haystack gemm 1024: {} accesses, compulsory {}, capacity {} (32 KiB) and {} (512 KiB), {:.1f} s of processor "
      "time\n",
      d.accesses(), d.first_uses(), d.misses(512) - d.first_uses(), d.misses(8192) - d.first_uses(), seconds);
  const bool equal = d.accesses() == 4297064448u && d.first_uses() == 196608u && d.misses(512) - 196608u == 67043328u &&
                     d.misses(8192) - 196608u == 67043328u;
  fmt::print("published by Haystack: {}\n", equal ? "equal" : "NOT EQUAL");
  return equal ? 0 : 1;
}

/// Stack distances of every kernel: of all lines, alone and with the causes of misses beside them, and of a hundredth
/// of the lines.
int distances(const std::string& only) {
  constexpr int kRounds = 3;
  const auto timed = [](const Kernel& kernel, AccessSink& sink) {
    const double start = processor_seconds();
    kernel.loop(sink, ThreeArrays(kernel.elements));
    return processor_seconds() - start;
  };
  fmt::print("{:<18} {:>10} {:>12} {:>12} {:>14} {:>8} {:>11} {:>11}\n", "kernel", "refs", "all M refs/s",
             "with causes", "1/100 M refs/s", "ratio", "error", "said");
  for (const Kernel& kernel : kKernels) {
    if (!only.empty() && only != kernel.name) continue;
    std::vector<double> all, part;
    double causes = 0;
    profiler::MissCurve want, got;
    double off = 0;
    for (int round = 0; round < kRounds; ++round) {
      profiler::SampledDistance every({}), sampled({.rate = 0.01});
      profiler::CacheSimulator simulator(config(), {.classify = true});
      all.push_back(timed(kernel, every));
      part.push_back(timed(kernel, sampled));
      if (round > 0) continue;
      causes = timed(kernel, simulator);
      want = profiler::curve_of(every, 64), got = profiler::curve_of(sampled, 64);
      for (const profiler::CurvePoint& p : want.points)
        off += std::abs(sampled.misses(static_cast<uint64_t>(p.cache_bytes / 64)) / static_cast<double>(want.accesses) -
                        p.miss_ratio);
    }
    const auto refs = static_cast<double>(want.accesses);
    fmt::print("{:<18} {:>10} {:>12.0f} {:>12.0f} {:>14.0f} {:>8.1f} {:>11.5f} {:>11.5f}\n", kernel.name, want.accesses,
               refs / median(all) / 1e6, refs / causes / 1e6, refs / median(part) / 1e6, median(all) / median(part),
               off / static_cast<double>(want.points.size()), got.mean_error());
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int cache(std::span<const std::string> arguments) {
  if (arguments.size() == 1 && arguments[0] == "--haystack") return haystack();
  if (!arguments.empty() && arguments[0] == "--distances") return distances(arguments.size() > 1 ? arguments[1] : "");
  const std::string only = arguments.empty() ? "" : arguments[0];
  constexpr int kRounds = 5;
  bool found = false;
  // hearing: the time of a slice that no line lies in, as a part of the whole's.
  fmt::print("{:<18} {:>10} {:>12} {:>10} {:>10} {:>8} {:>8}\n", "kernel", "refs", "L1 misses", "seconds", "M refs/s",
             "2 slices", "hearing");
  for (const Kernel& kernel : kKernels) {
    if (!only.empty() && only != kernel.name) continue;
    found = true;
    std::vector<double> whole, sliced, heard;
    Run one;
    for (int round = 0; round < kRounds; ++round) {
      one = run(kernel, {});
      whole.push_back(one.seconds);
      profiler::CacheSlices slices = profiler::slices_of(config(), 2);
      double longest = 0;
      for (const uint64_t slice : {1u, 2u}) {
        slices.picked = slice;
        longest = std::max(longest, run(kernel, slices).seconds);
      }
      sliced.push_back(longest);
      slices.picked = 0;
      heard.push_back(run(kernel, slices).seconds);
    }
    const double seconds = median(whole);
    fmt::print("{:<18} {:>10} {:>12} {:>10.4f} {:>10.0f} {:>8.2f} {:>8.3f}\n", kernel.name, one.refs, one.misses,
               seconds, static_cast<double>(one.refs) / seconds / 1e6, seconds / median(sliced),
               median(heard) / seconds);
  }
  if (found) return 0;
  fmt::print(stderr, "there is no cache kernel \"{}\"\n", only);
  return 2;
}

}  // namespace benchmarks
