// SPDX-License-Identifier: Apache-2.0
// Whole passes, as the probe does them: shorter ones over parts of the memory find some of it in the caches, and the
// start of the threads in their time (measured: up to 40 % off).
#include "profiler/record/probe_beside.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "engine/base/clock.h"
#include "engine/base/memory.h"
#include "profiler/record/probe_timing.h"

namespace profiler {
namespace {

/// No round of passes is begun after this time; one takes some 11 ms.
constexpr int64_t kEnoughNs = 18'000'000;
/// ... unless none counted of some loop.
constexpr int64_t kLongestNs = 50'000'000;
/// A thread that is on its processor for a smaller part of its time waits for it.
constexpr double kOnProcessor = 0.95;
/// Threads whose own time is shorter than the whole by more than this did not work together; their loops take a few
/// percent more or less.
constexpr double kLateness = 0.15;
/// Touching more takes over 100 ms (1.3 us per 4 KiB page at worst, a third of it in huge pages).
constexpr int64_t kMostBytes = int64_t{512} << 20;

int64_t thread_cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

engine::Result<std::unique_ptr<BesideProbe>> BesideProbe::make(const Machine& probed, int threads) {
  const auto roof = std::ranges::find_if(probed.bandwidth, [&](const BandwidthRoof& r) {
    return r.level == "DRAM" && r.mix == AccessMix::read && r.threads == threads && r.bytes_per_s.known() &&
           r.working_set_bytes > 0;
  });
  if (roof == probed.bandwidth.end()) return std::unique_ptr<BesideProbe>();
  const int64_t all = roof->working_set_bytes * threads,
                most = std::min(kMostBytes, engine::host_memory().available_bytes / 4);
  if (all > most) {
    return engine::refused_error(
        fmt::format("DRAM's bandwidth was not measured again beside the run: it takes {}, and "
                    "the limit is {}",
                    engine::format_bytes(static_cast<double>(all)), engine::format_bytes(static_cast<double>(most))));
  }
  auto beside = std::unique_ptr<BesideProbe>(new BesideProbe(threads, roof->working_set_bytes));
  for (int thread = 0; thread < threads; ++thread) {
    auto block = engine::Storage::allocate_host(roof->working_set_bytes + probe::Arrays::kSlackBytes);
    if (!block)
      return engine::refused_error("DRAM's bandwidth was not measured again beside the run: " + block.error().message);
    beside->blocks_.push_back(std::move(*block));
  }
  probe::timed(threads, 1, [&](int thread, int64_t) {  // each its own, near its core
    beside->loops_.write(beside->base(thread), (roof->working_set_bytes + probe::Arrays::kSlackBytes) / 4, 1);
  });
  return beside;
}

template <class Loop>
void BesideProbe::add_rate(AccessMix mix, std::vector<double>& rates, const Loop& loop) {
  const auto arrays = [&](int thread) { return probe::Arrays(base(thread), working_set_bytes_, mix); };
  std::vector<int64_t> own_ns(static_cast<size_t>(threads_)), on_processor_ns(own_ns);
  const double seconds = probe::timed(threads_, 1, [&](int thread, int64_t) {
    const int64_t begin = engine::now_ns(), begin_on = thread_cpu_ns();
    loop(arrays(thread));
    own_ns[static_cast<size_t>(thread)] = engine::now_ns() - begin;
    on_processor_ns[static_cast<size_t>(thread)] = thread_cpu_ns() - begin_on;
  });
  if (std::isnan(seconds)) return;
  for (size_t i = 0; i < own_ns.size(); ++i) {
    const bool waited = static_cast<double>(on_processor_ns[i]) < kOnProcessor * static_cast<double>(own_ns[i]);
    if (waited || static_cast<double>(own_ns[i]) < kOnProcessor * 1e9 * seconds / (1 + kLateness))
      return;  // it began late, or the others had memory for themselves
  }
  rates.push_back(static_cast<double>(arrays(0).floats()) * 4 * probe::arrays_of(mix) * threads_ / seconds);
}

std::vector<BandwidthRoof> BesideProbe::measure() {
  std::vector<double> read, ahead, copy, past;
  const int64_t begin = engine::now_ns();
  const auto sum_into = [this](float (*loop)(const float*, int64_t, int64_t)) {
    return
        [this, loop](const probe::Arrays& a) { sink_.store(loop(a.at(0), a.floats(), 1), std::memory_order_relaxed); };
  };
  const auto missing = [&] { return read.empty() || ahead.empty() || copy.empty() || past.empty(); };
  for (int64_t spent = 0; spent < (missing() ? kLongestNs : kEnoughNs); spent = engine::now_ns() - begin) {
    if (missing()) probe::part_threads(threads_);
    add_rate(AccessMix::read, read, sum_into(loops_.read));  // two loops read; the roof is what the better one reaches
    add_rate(AccessMix::copy, copy, [&](const probe::Arrays& a) { loops_.copy(a.at(0), a.at(1), a.floats(), 1); });
    add_rate(AccessMix::read, ahead, sum_into(loops_.read_ahead));
    add_rate(AccessMix::copy_past, past,
             [&](const probe::Arrays& a) { loops_.copy_past(a.at(0), a.at(1), a.floats(), 1); });
  }
  if (missing()) return {};
  const Measured plain = probe::summarize(std::move(read)), with_prefetch = probe::summarize(std::move(ahead));
  const auto roof = [&](AccessMix mix, const Measured& rate) {
    return BandwidthRoof{
        .level = "DRAM", .mix = mix, .threads = threads_, .bytes_per_s = rate, .working_set_bytes = working_set_bytes_};
  };
  return {roof(AccessMix::read, with_prefetch.median > plain.median ? with_prefetch : plain),
          roof(AccessMix::copy, probe::summarize(std::move(copy))),
          roof(AccessMix::copy_past, probe::summarize(std::move(past)))};
}

}  // namespace profiler
