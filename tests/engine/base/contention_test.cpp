// SPDX-License-Identifier: Apache-2.0
// How long threads wait awake, and oneDNN's way to our threads: libgomp's entries.
#include "engine/base/contention.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <ctime>
#include <thread>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/run_queue.h"
#include "engine/base/thread_team.h"
#include "tests/support/thread_state.h"

namespace engine {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr bool kOneDnnOnOurThreads = TENSORTIDE_ONEDNN_ON_OUR_THREADS != 0;

TEST(Contention, NobodyStaysAwakeForLongOnceAThreadLostItsProcessor) {
  Contention contention;
  const int64_t quiet = contention.awake_ns(WaitFor::others, 1);
  EXPECT_LT(quiet, contention.awake_ns(WaitFor::next_team, 1)) << "serial code lies between two teams";
  const int64_t now = now_ns();
  contention.gap(now - 20'000, now);
  EXPECT_EQ(contention.awake_ns(WaitFor::others, 1), quiet) << "an interrupt";
  contention.lost(now);
  EXPECT_TRUE(contention.contended(now + kMs));
  EXPECT_LE(contention.awake_ns(WaitFor::others, 1) * 100, quiet);
  EXPECT_LE(contention.awake_ns(WaitFor::next_team, 1) * 100, quiet);
  EXPECT_FALSE(contention.contended(now + 1000 * kMs)) << "and it is forgotten";
}

TEST(Contention, TwoSlicesOfOthersAreSeenADaemonIsNot) {
  int64_t now = 1000 * kMs;
  Contention::Waited daemon;
  for (int second = 0; second < 20; ++second) {
    for (int i = 0; i < 500; ++i)
      EXPECT_FALSE(daemon.add(i % 250 == 0 ? 1'700'000 : 20'000, now += 2 * kMs)) << "1.7 ms two times a second";
  }
  Contention::Waited busy;
  EXPECT_FALSE(busy.add(0, now));
  EXPECT_FALSE(busy.add(3 * kMs, now += 5 * kMs)) << "one slice";
  EXPECT_TRUE(busy.add(3 * kMs, now += 5 * kMs)) << "two";
  EXPECT_TRUE(busy.add(3 * kMs, now += 100 * kMs)) << "one is enough to know them again";
  for (int look = 0; look < 200; ++look)
    EXPECT_FALSE(busy.add(20'000, now += 2 * kMs)) << "wake-ups of sleeping threads are no others";
  EXPECT_FALSE(busy.add(0, now += 200 * kMs)) << "they ended";
  Contention::Waited kernel;
  EXPECT_FALSE(kernel.add(0, now));
  EXPECT_TRUE(kernel.add(300 * kMs, now += 900 * kMs)) << "a long kernel beside two busy programs";
}

/// Programs begin with files and locks: 200 steps of a small network once ran on one thread behind them.
TEST(Contention, AThreadThatSleptLostNothing) {
  Contention contention;
  contention.look();
  for (int round = 0; round < 10; ++round) {
    const timespec pause{0, 5 * kMs};
    nanosleep(&pause, nullptr);
    if (queued_ns() < 0) GTEST_SKIP() << "this kernel keeps no account of waiting";
    const int64_t before = now_ns();
    contention.gap(before - 3 * kMs, before);  // as a host that takes the processor of a virtual machine
  }
  // On a busy machine the thread may really have waited: then its account says so.
  if (queued_ns() < kMs / 2) {
    EXPECT_FALSE(contention.contended(now_ns()));
  }
}

TEST(Contention, AProgramOnTheSameProcessorIsSeen) {
  cpu_set_t all, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  CPU_ZERO(&one);
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (CPU_ISSET(processor, &all)) {
      CPU_SET(processor, &one);
      break;
    }
  }
  if (queued_ns() < 0) GTEST_SKIP() << "this kernel keeps no account of waiting";
  Contention contention;
  std::atomic<bool> stop = false;
  std::thread other([&] {
    sched_setaffinity(0, sizeof one, &one);
    while (!stop) {
    }
  });
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const int64_t until = now_ns() + 10'000 * kMs;
  while (!contention.contended(now_ns()) && now_ns() < until) contention.look();
  EXPECT_TRUE(contention.contended(now_ns()));
  stop = true;
  other.join();
  EXPECT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
}

TEST(Contention, MoreThreadsThanProcessorsDoNotStayAwake) {
  const Contention contention;
  EXPECT_LE(contention.awake_ns(WaitFor::next_team, contention.processors() + 1) * 100,
            contention.awake_ns(WaitFor::next_team, contention.processors()));
}

/// What a hand-over costs decides what work is worth one.
TEST(Contention, HandingWorkOverIsDearWhereThreadsHaveToBeWoken) {
  Contention contention;
  const int all = contention.processors();
  EXPECT_EQ(contention.hand_over_ns(all), kHandOverAwakeNs);
  EXPECT_EQ(contention.hand_over_ns(all + 1), kHandOverAsleepNs);
  const int64_t now = now_ns();
  contention.lost(now);
  EXPECT_EQ(contention.hand_over_ns(all), kHandOverAsleepNs);
}

TEST(Contention, TeamsOfSeveralAreCounted) {
  if (reserve_threads(2) < 2) GTEST_SKIP() << "the system gives no second thread here";
  const uint64_t before = teams_started();
  run_team(1, [](int, int) {});
  EXPECT_EQ(teams_started(), before);
  for (int i = 0; i < 5; ++i) run_team(2, [](int, int) {});
  run_on_each_thread(2, [](int, int) { run_team(2, [](int, int) {}); });
  EXPECT_EQ(teams_started(), before + 6) << "teams inside teams are of one";
}

/// Woken threads often begin on one processor, and a worker moves itself away from it: what it may run on is not the
/// pool's to change.
TEST(Contention, AWorkerThatMovesKeepsWhatItMayRunOn) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  if (CPU_COUNT(&all) < 2 || reserve_threads(2) < 2) GTEST_SKIP() << "one processor, or no second thread";
  bool kept = true;
  for (int round = 0; round < 50; ++round) {
    const int caller = sched_getcpu();
    run_on_each_thread(2, [&](int member, int) {
      if (member == 0) return;
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(static_cast<size_t>(caller), &one);
      sched_setaffinity(0, sizeof one, &one);  // it is there now,
      sched_setaffinity(0, sizeof all, &all);  // and may leave
    });
    for (int team = 0; team < 20; ++team) {
      const timespec until_it_sleeps{0, team % 10 == 0 ? 4 * kMs : 0};  // only a worker that was woken moves
      nanosleep(&until_it_sleeps, nullptr);
      run_on_each_thread(2, [&](int member, int) {
        if (member == 0) return;
        cpu_set_t now;
        kept = kept && sched_getaffinity(0, sizeof now, &now) == 0 && CPU_EQUAL(&now, &all);
      });
    }
  }
  EXPECT_TRUE(kept);
}

TEST(Contention, AThreadThatWaitsForLongSleeps) {
  if (reserve_threads(2) < 2) GTEST_SKIP() << "the system gives no second thread here";
  std::atomic<pid_t> waiting = 0;
  run_on_each_thread(2, [&](int member, int) {
    if (member == 1) waiting = gettid();
  });
  bool slept = false;
  run_on_each_thread(2, [&](int member, int) {  // the other is done at once, and waits for this one
    const int64_t until = now_ns() + 10'000 * kMs;
    while (member == 0 && !slept && now_ns() < until) slept = tests::thread_state(waiting).asleep;
  });
  EXPECT_TRUE(slept);
}

using Body = void (*)(void*);
template <class Function>
Function entry(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

/// What a compiler makes of `#pragma omp parallel`.
struct OpenMp {
  void (*parallel)(Body, void*, unsigned, unsigned) = entry<void (*)(Body, void*, unsigned, unsigned)>("GOMP_parallel");
  void (*barrier)() = entry<void (*)()>("GOMP_barrier");
  int (*max_threads)() = entry<int (*)()>("omp_get_max_threads");
  int (*threads)() = entry<int (*)()>("omp_get_num_threads");
  int (*me)() = entry<int (*)()>("omp_get_thread_num");
  int (*inside)() = entry<int (*)()>("omp_in_parallel");
};

struct Seen {
  OpenMp omp;
  std::vector<std::atomic<int>> calls = std::vector<std::atomic<int>>(3);
  std::atomic<int> arrived{0}, inner{0}, wrong{0};
};

TEST(LibgompEntries, ARegionIsATeamOfOurs) {
  forget_teams();
  if (!kOneDnnOnOurThreads) GTEST_SKIP() << "built without oneDNN, or with one that has threads of its own";
  ASSERT_EQ(largest_team(), 1) << "libgomp comes before the engine: oneDNN is on threads of its own";
  if (reserve_threads(3) < 3) GTEST_SKIP() << "the system gives no 3 threads here";
  Seen seen;
  const OpenMp& omp = seen.omp;
  ASSERT_NE(omp.parallel, nullptr);
  EXPECT_EQ(omp.threads(), 1);
  EXPECT_EQ(omp.me(), 0);
  EXPECT_EQ(omp.inside(), 0);
  EXPECT_EQ(omp.max_threads(), calling_thread_count());
  constexpr int kRounds = 200;
  for (int round = 0; round < kRounds; ++round) {
    seen.arrived = 0;
    omp.parallel(
        [](void* data) {
          Seen& s = *static_cast<Seen*>(data);
          const int me = s.omp.me();
          ++s.calls[static_cast<size_t>(me)];
          if (s.omp.threads() != 3 || s.omp.inside() != 1 || team_member() != me) ++s.wrong;
          for (int barrier = 1; barrier <= 3; ++barrier) {
            ++s.arrived;
            s.omp.barrier();
            if (s.arrived < 3 * barrier) ++s.wrong;
            s.omp.barrier();
          }
          s.omp.parallel(
              [](void* inner) {
                Seen& within = *static_cast<Seen*>(inner);
                ++within.inner;
                if (within.omp.threads() != 1 || within.omp.me() != 0 || within.omp.inside() != 1) ++within.wrong;
                within.omp.barrier();
              },
              data, 2, 0);
          if (s.omp.me() != me) ++s.wrong;
        },
        &seen, 3, 0);
  }
  for (const auto& calls : seen.calls) EXPECT_EQ(calls.load(), kRounds);
  EXPECT_EQ(seen.inner.load(), 3 * kRounds);
  EXPECT_EQ(seen.wrong.load(), 0);
  EXPECT_EQ(largest_team(), 3);
  EXPECT_EQ(omp.inside(), 0);
}

TEST(LibgompEntries, RegionsWithoutACountAreAsLargeAsTheThreadAskedFor) {
  forget_teams();
  if (!kOneDnnOnOurThreads) GTEST_SKIP() << "built without oneDNN, or with one that has threads of its own";
  ASSERT_EQ(largest_team(), 1) << "libgomp comes before the engine: oneDNN is on threads of its own";
  const OpenMp omp;
  if (reserve_threads(2) < 2) GTEST_SKIP() << "the system gives no second thread here";
  const int before = calling_thread_count();
  for (const int threads : {1, 2}) {
    set_calling_thread_count(threads);
    std::atomic<int> calls{0};
    omp.parallel([](void* data) { ++*static_cast<std::atomic<int>*>(data); }, &calls, 0, 0);
    EXPECT_EQ(calls.load(), threads);
  }
  set_calling_thread_count(before);
}

}  // namespace
}  // namespace engine
