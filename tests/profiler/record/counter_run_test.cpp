// SPDX-License-Identifier: Apache-2.0
// Counter runs against a stand-in for the kernel: who opens what, counts per op, lines as traffic, slots and cycles as
// top-down figures.
#include "profiler/record/counter_run.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "engine/base/thread_team.h"
#include "engine/cpu/backend.h"
#include "engine/workloads/workload.h"
#include "tests/support/op_lab.h"
#include "tests/support/temporary_folder.h"

namespace profiler {
namespace {

const std::atomic<bool> kGoOn{false};

/// A kernel whose events count `per_read` (by config) each time a group is read; configs it does not know cannot be
/// opened.
struct Fake {
  std::map<uint64_t, uint64_t> per_read;
  std::mutex mutex = {};
  std::map<int, std::vector<uint64_t>> groups = {};  ///< leader: configs
  std::map<int, uint64_t> enabled_ns =
      {};  ///< grows by 1000 from one read to the next, as if half of it ran, and is never reset
  int next = 100, resets = 0;
  bool workers_idle = false;  ///< only the times of the thread that made this grow
  std::thread::id own = std::this_thread::get_id();
  std::set<int> of_workers = {};
  PerfSystem system() {
    return {.open =
                [this](perf_event_attr& attr, int group) {
                  const std::lock_guard lock(mutex);
                  if (!per_read.contains(attr.config)) return errno = ENOENT, -1;
                  if (std::this_thread::get_id() != own) of_workers.insert(next);
                  groups[group < 0 ? next : group].push_back(attr.config);
                  return next++;
                },
            .read =
                [this](int file, void* to, size_t bytes) {
                  uint64_t& enabled = enabled_ns[file];
                  if (!workers_idle || !of_workers.contains(file)) enabled += 1000;
                  std::vector<uint64_t> words{groups.at(file).size(), enabled, enabled / 2 + 300};
                  for (const uint64_t config : groups.at(file)) words.push_back(per_read.at(config) / 2);
                  const size_t n = std::min(bytes, words.size() * sizeof(uint64_t));
                  std::memcpy(to, words.data(), n);
                  return static_cast<ssize_t>(n);
                },
            .control =
                [this](int, unsigned long request) {
                  if (request == PERF_EVENT_IOC_RESET) ++resets;
                  return 0;
                },
            .close = [](int) {}};
  }
};

std::map<uint64_t, uint64_t> lines(uint64_t into_l1, uint64_t from_l1, uint64_t into_l2, uint64_t from_l2) {
  return {
      {PERF_COUNT_HW_INSTRUCTIONS, 1000}, {0x0151, into_l1}, {0x0451, from_l1}, {0x1ff1, into_l2}, {0x40f0, from_l2}};
}

struct Ready {
  std::unique_ptr<engine::Backend> backend;
  std::unique_ptr<engine::Plan> plan;
};

Ready small_plan(int threads) {
  const engine::Workload& mlp = **engine::find_workload("mlp");
  auto graph = engine::build_graph(
      mlp, *engine::resolve(mlp, {{"input", "8"}, {"hidden", "8"}, {"batch", "4"}, {"mode", "inference"}}));
  EXPECT_TRUE(graph.ok());
  Ready ready{*engine::cpu::make_backend(threads), nullptr};
  ready.plan = *engine::Plan::make(std::make_shared<const engine::Graph>(*std::move(graph)), *ready.backend);
  return ready;
}

TEST(CounterRun, EveryThreadOpensItsGroupAndEveryOpIsCountedInEveryStep) {
  Fake fake{.per_read = lines(10, 4, 6, 2)};
  const Ready ready = small_plan(2);
  const auto counts = count_ops(*ready.plan, cache_events(), 2, 0, 3, fake.system(), kGoOn);
  ASSERT_TRUE(counts.ok()) << counts.error().message;
  EXPECT_EQ(fake.groups.size(), 2u) << "one group a thread";
  ASSERT_EQ(counts->size(), ready.plan->graph().nodes().size());
  int ran = 0;
  for (const std::vector<double>& op : *counts) {
    if (op.empty()) continue;
    ++ran;
    EXPECT_EQ(op, (std::vector<double>{2000, 20, 8, 12, 4})) << "sums over the threads";
  }
  EXPECT_GT(ran, 2);
  EXPECT_EQ(fake.resets, 2 * 3 * ran);
}

TEST(CounterRun, AWorkerThatDidNotRunAddsNothing) {
  Fake fake{.per_read = lines(10, 4, 6, 2), .workers_idle = true};
  const Ready ready = small_plan(2);
  const auto counts = count_ops(*ready.plan, cache_events(), 2, 0, 1, fake.system(), kGoOn);
  ASSERT_TRUE(counts.ok()) << counts.error().message;
  for (const std::vector<double>& op : *counts) {
    if (op.empty()) continue;
    EXPECT_EQ(op, (std::vector<double>{1000, 10, 4, 6, 2}));
  }
}

TEST(CounterRun, SmallerTeamsInBetweenChangeNothing) {
  if (engine::reserve_threads(3) < 3) GTEST_SKIP() << "the system gives no 3 threads here";
  Fake fake{.per_read = lines(10, 4, 6, 2)};
  auto team = TeamCounters::open(cache_events(), 3, fake.system());
  ASSERT_TRUE(team.ok()) << team.error().message;
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(team->start().ok());
    engine::run_on_each_thread(round, [](int, int) {});
    const auto counts = team->stop();
    ASSERT_TRUE(counts.ok()) << counts.error().message;
    EXPECT_EQ(*counts, (std::vector<double>{3000, 30, 12, 18, 6})) << round;
  }
  EXPECT_EQ(fake.groups.size(), 3u) << "one group a thread, for good";
}

TEST(CounterRun, LinesAreTrafficIntoL1AndL2AndNothingIsSaidOfMemory) {
  tests::OpLab lab;
  const OpId op = lab.op("relu", {lab.tensor(4096)}, {lab.tensor(4096)});
  const auto capture = lab.finish();
  const TrafficSource s = measured_traffic(*capture, cache_events(), {{1000, 10, 4, 6, 2}}, 5);
  EXPECT_EQ(s.origin, Origin::measured);
  const TrafficRecord* into_l1 = s.of(op, static_cast<uint32_t>(s.link_between("L2", "L1")));
  ASSERT_NE(into_l1, nullptr);
  EXPECT_EQ(into_l1->read_bytes, 640);
  EXPECT_EQ(into_l1->written_bytes, 256);
  const TrafficRecord* into_l2 = s.of(op, static_cast<uint32_t>(s.link_between("L3", "L2")));
  EXPECT_EQ(into_l2->read_bytes, 384);
  EXPECT_EQ(into_l2->written_bytes, 128);
  EXPECT_EQ(s.links.size(), 2u);
  EXPECT_TRUE(CaptureBuilder::with_traffic(*capture, s).ok());
}

TEST(CounterRun, WhatCannotBeOpenedIsRefusedInWords) {
  Fake fake{.per_read = {{PERF_COUNT_HW_INSTRUCTIONS, 1}}};
  const Ready ready = small_plan(1);
  const auto counts = count_ops(*ready.plan, cache_events(), 1, 0, 3, fake.system(), kGoOn);
  ASSERT_FALSE(counts.ok());
  EXPECT_NE(counts.error().message.find("lines into L1"), std::string::npos) << counts.error().message;
  const std::atomic<bool> stop{true};
  Fake good{.per_read = lines(1, 1, 1, 1)};
  EXPECT_FALSE(count_ops(*ready.plan, cache_events(), 1, 0, 3, good.system(), stop).ok());
}

TEST(CounterRun, TopDownEventsAreOfOneFamilyOfCores) {
  tests::TemporaryFolder folder;
  const std::string icelake =
      "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 106\nmodel name\t: Intel(R) Xeon(R)\n";
  EXPECT_NE(top_down_events(icelake, folder.path()).error().message.find("no topdown-be-bound"), std::string::npos);
  std::ofstream(folder / "topdown-be-bound") << "event=0x00,umask=0x83\n";
  const auto events = top_down_events(icelake, folder.path());
  ASSERT_TRUE(events.ok()) << events.error().message;
  EXPECT_EQ((*events)[0][0].name, "slots") << "slots lead their group, as the kernel demands";
  EXPECT_EQ((*events)[2][3].config, 0x50005a3u) << "STALLS_L2_MISS: event a3, umask 5, at least 5";
  const auto amd = top_down_events("vendor_id\t: AuthenticAMD\nmodel\t\t: 106\n", folder.path());
  EXPECT_NE(amd.error().message.find("AuthenticAMD model 106"), std::string::npos) << amd.error().message;
  EXPECT_FALSE(top_down_events("", folder.path()).ok());
}

TEST(CounterRun, SlotsAndCyclesBecomeRatios) {
  // 40 % retire, 10 % wait for instructions, 50 % are blocked behind; of the 60 stalled and thin cycles 45 wait for
  // memory.
  const std::vector<double> slots{1000, 400, 0, 100, 500}, stalls{100, 40, 40, 5, 10}, misses{100, 12.5, 30, 25, 20},
      reads{100, 15, 40};
  const auto t = top_down_of(3, {slots, stalls, misses, reads});
  ASSERT_TRUE(t.has_value());
  EXPECT_EQ(t->op, 3u);
  EXPECT_DOUBLE_EQ(t->backend_ratio, 0.5);
  EXPECT_DOUBLE_EQ(t->memory_ratio, 0.5 * 45 / 60);
  EXPECT_NEAR(t->l1_ratio, 0.1, 1e-12);
  EXPECT_NEAR(t->l2_ratio, 0.05, 1e-12);
  EXPECT_NEAR(t->l3_ratio, 0.05, 1e-12);
  EXPECT_NEAR(t->dram_ratio, 0.2, 1e-12);
  EXPECT_NEAR(t->store_ratio, 0.05, 1e-12);
  EXPECT_NEAR(t->bandwidth_ratio, 0.15, 1e-12);
  EXPECT_NEAR(t->latency_ratio, 0.25, 1e-12);
  EXPECT_FALSE(top_down_of(0, {slots, stalls, misses, {}}).has_value());
  EXPECT_FALSE(top_down_of(0, {std::vector<double>{0, 0, 0, 0, 0}, stalls, misses, reads}).has_value());
}

}  // namespace
}  // namespace profiler
