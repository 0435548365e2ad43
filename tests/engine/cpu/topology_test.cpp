// SPDX-License-Identifier: Apache-2.0
// What the CPU says of itself hangs together.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/memory.h"
#include "engine/base/thread_team.h"
#include "engine/cpu/backend.h"
#include "engine/cpu/pinned_threads.h"

namespace engine {
namespace {

TEST(CpuTopology, CoresAndThreadsAreThoseThisProcessMayUse) {
  const DeviceInfo info = cpu::describe();
  EXPECT_EQ(info.device.kind, "cpu");
  EXPECT_FALSE(info.model.empty());
  EXPECT_GE(info.cores, 1);
  EXPECT_GE(info.hardware_threads, info.cores);
  EXPECT_EQ(info.hardware_threads,
            static_cast<int>(std::thread::hardware_concurrency()));  // glibc: the affinity mask
}

TEST(CpuTopology, CachesGrowWithDistance) {
  const DeviceInfo info = cpu::describe();
  for (size_t i = 0; i < info.caches.size(); ++i) {
    const CacheLevel& cache = info.caches[i];
    EXPECT_GT(cache.size_bytes, 0) << cache.name;
    EXPECT_EQ(cache.line_bytes & (cache.line_bytes - 1), 0) << cache.name;
    EXPECT_GE(cache.shared_by_cores, 1);
    EXPECT_LE(cache.shared_by_cores, info.cores);
    if (i > 0) {
      EXPECT_GT(cache.size_bytes, info.caches[i - 1].size_bytes) << cache.name;
    }
  }
}

TEST(CpuTopology, MemoryIsTheKernelsFigure) {
  const DeviceInfo info = cpu::describe();
  EXPECT_EQ(info.memory_bytes,
            host_memory().total_bytes);  // hwloc's is wrong where memory is hot-plugged
  EXPECT_GT(info.memory_available_bytes, 0);
  EXPECT_LE(info.memory_available_bytes, info.memory_bytes);
}

TEST(CpuTopology, VectorWidthFollowsTheFeatures) {
  const DeviceInfo info = cpu::describe();
  const auto has = [&](const char* feature) {
    return std::find(info.features.begin(), info.features.end(), feature) != info.features.end();
  };
  EXPECT_EQ(info.vector_bits, has("avx512f") ? 512 : has("avx2") ? 256 : 128);
#if defined(__x86_64__)
  EXPECT_EQ(has("avx2"),
            static_cast<bool>(__builtin_cpu_supports("avx2")));  // the compiler's own detection agrees
  EXPECT_EQ(has("avx512f"), static_cast<bool>(__builtin_cpu_supports("avx512f")));
  EXPECT_EQ(has("fma"), static_cast<bool>(__builtin_cpu_supports("fma")));
#endif
}

TEST(CpuTopology, LibrariesCarryTheirVersions) {
  const DeviceInfo info = cpu::describe();
  const size_t blas = cpu::has_onednn() ? 1 : 0;
  ASSERT_GE(info.libraries.size(), blas + 2);
  EXPECT_EQ(info.libraries[0].starts_with("oneDNN "), cpu::has_onednn()) << info.libraries[0];
  EXPECT_EQ(info.libraries[blas].rfind("OpenBLAS ", 0), 0u) << info.libraries[blas];
  for (size_t i = 0; i < blas + 2; ++i) EXPECT_NE(info.libraries[i].find('.'), std::string::npos) << info.libraries[i];
}

TEST(CpuTopology, EachProcessorHasItsPlaceAndCoresComeFirst) {
  const cpu::ProcessorOrder order = cpu::processor_order();
  std::vector<int> sorted = order.processors;
  std::ranges::sort(sorted);
  EXPECT_TRUE(std::ranges::adjacent_find(sorted) == sorted.end()) << "none twice";
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  EXPECT_EQ(static_cast<int>(sorted.size()), CPU_COUNT(&allowed));
  for (const int processor : sorted) EXPECT_TRUE(CPU_ISSET(static_cast<size_t>(processor), &allowed)) << processor;
  EXPECT_EQ(order.cores, cpu::describe().cores);
}

TEST(CpuTopology, PinnedThreadsStayUntilTheEnd) {
  const cpu::ProcessorOrder order = cpu::processor_order();
  const int threads = static_cast<int>(std::min<size_t>(2, order.processors.size()));
  const auto masks = [&] {
    std::vector<cpu_set_t> all(static_cast<size_t>(threads));
    run_on_each_thread(
        threads, [&](int member, int) { sched_getaffinity(0, sizeof(cpu_set_t), &all[static_cast<size_t>(member)]); });
    return all;
  };
  const std::vector<cpu_set_t> before = masks();
  {
    const auto pinned = cpu::PinnedThreads::make(threads);
    ASSERT_TRUE(pinned.ok()) << pinned.error().message;
    const std::vector<cpu_set_t> held = masks();
    for (int k = 0; k < threads; ++k) {
      EXPECT_EQ(CPU_COUNT(&held[static_cast<size_t>(k)]), 1);
      EXPECT_TRUE(
          CPU_ISSET(static_cast<size_t>(order.processors[static_cast<size_t>(k)]), &held[static_cast<size_t>(k)]));
    }
    EXPECT_NE((*pinned)->words().find(std::to_string(order.processors[0])), std::string::npos) << (*pinned)->words();
  }
  const std::vector<cpu_set_t> after = masks();
  for (int k = 0; k < threads; ++k)
    EXPECT_TRUE(CPU_EQUAL(&after[static_cast<size_t>(k)], &before[static_cast<size_t>(k)])) << k;
  const auto many = cpu::PinnedThreads::make(static_cast<int>(order.processors.size()) + 1);
  ASSERT_FALSE(many.ok());
  EXPECT_NE(many.error().message.find("--threads"), std::string::npos) << many.error().message;
}

}  // namespace
}  // namespace engine
