// SPDX-License-Identifier: Apache-2.0
// Teams of threads: every member once, at once where asked for, teams inside teams, many callers, threads that sleep.
#include "engine/base/thread_team.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/clock.h"
#include "tests/support/thread_state.h"

namespace engine {
namespace {

constexpr int kTeam = 3;

class ThreadTeam : public testing::Test {
 protected:
  void SetUp() override {
    if (reserve_threads(kTeam) < kTeam) GTEST_SKIP() << "the system gives no " << kTeam << " threads here";
  }
  /// The threads of a team, by member.
  static std::vector<std::thread::id> threads_of(int team) {
    std::vector<std::thread::id> ids(static_cast<size_t>(team));
    run_on_each_thread(team, [&](int member, int) { ids[static_cast<size_t>(member)] = std::this_thread::get_id(); });
    return ids;
  }
};

TEST_F(ThreadTeam, EveryMemberWorksOnceAndIsDoneBehindTheTeam) {
  for (int round = 0; round < 2000; ++round) {
    std::atomic<int> calls[kTeam] = {};
    run_team(kTeam, [&](int member, int team) {
      EXPECT_EQ(team, kTeam);
      EXPECT_EQ(team_member(), member);
      calls[member].fetch_add(1, std::memory_order_relaxed);
    });
    for (const auto& count : calls) ASSERT_EQ(count.load(), 1) << round;
    ASSERT_EQ(team_member(), 0);
  }
}

TEST_F(ThreadTeam, OnEachThreadAllAreThereAtOnceAndTheSameOnes) {
  std::vector<std::thread::id> first(kTeam);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::thread::id> ids(kTeam);
    std::atomic<int> here{0};
    run_on_each_thread(kTeam, [&](int member, int team) {
      here.fetch_add(1);
      while (here.load() < team) std::this_thread::yield();  // ends only if they run at once
      ids[static_cast<size_t>(member)] = std::this_thread::get_id();
    });
    EXPECT_EQ(ids[0], std::this_thread::get_id());
    EXPECT_EQ(std::set<std::thread::id>(ids.begin(), ids.end()).size(), static_cast<size_t>(kTeam));
    if (round == 0) first = ids;
    EXPECT_EQ(ids, first) << round;
  }
}

TEST_F(ThreadTeam, TeamsInsideTeamsAreOfOne) {
  std::atomic<int> inner{0}, largest{0};
  run_on_each_thread(2, [&](int outer, int) {
    run_team(kTeam, [&](int member, int team) {
      inner.fetch_add(1);
      if (team > 1 || member > 0) largest = team;
      EXPECT_EQ(team_member(), outer) << "scratch of the member that started it is nobody else's";
    });
    EXPECT_EQ(team_member(), outer);
  });
  EXPECT_EQ(inner.load(), 2);
  EXPECT_EQ(largest.load(), 0);
}

TEST_F(ThreadTeam, OtherThreadsTakePartsOfWorkThatIsLong) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one processor";
  std::mutex mutex;
  std::set<std::thread::id> ids;
  for (int round = 0; round < 50 && ids.size() < 2; ++round) {  // several, as others may hold the other processor
    run_team(kTeam, [&](int, int) {
      const int64_t until = now_ns() + 5'000'000;
      while (now_ns() < until) {
      }
      const std::lock_guard lock(mutex);
      ids.insert(std::this_thread::get_id());
    });
  }
  EXPECT_GE(ids.size(), 2u);
}

TEST_F(ThreadTeam, ExceptionsEndTheProgramHoweverFewMembersThereAre) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const int threads : {1, 2}) {
    EXPECT_DEATH(run_team(threads, [](int, int) { throw std::runtime_error("left its work"); }), "left its work");
  }
}

TEST_F(ThreadTeam, SeveralCallersEachGetAllTheirPartsDone) {
  std::vector<std::thread> callers;
  std::atomic<int> halves{0};
  constexpr int kCallers = 3, kRounds = 300;
  for (int caller = 0; caller < kCallers; ++caller) {
    callers.emplace_back([&halves] {
      for (int round = 0; round < kRounds; ++round) {
        run_team(2, [&](int, int team) {
          halves.fetch_add(2 / team);
        });  // one does both where the other threads are another caller's
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(halves.load(), kCallers * kRounds * 2);
}

TEST_F(ThreadTeam, WorkIsDoneByThreadsThatHadGoneToSleep) {
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::atomic<int> calls{0};
    run_team(kTeam, [&](int, int) { ++calls; });
    EXPECT_EQ(calls.load(), kTeam);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    run_on_each_thread(kTeam, [&](int, int) { ++calls; });
    EXPECT_EQ(calls.load(), 2 * kTeam);
  }
}

TEST_F(ThreadTeam, SmallerTeamsBetweenLargerOnesTakeTheFirstThreads) {
  std::atomic<int> calls{0}, strangers{0};
  const std::vector<std::thread::id> first = threads_of(3);
  for (int round = 0; round < 500; ++round) {
    for (const int threads : {3, 2, 1}) {
      run_team(threads, [&](int member, int team) {
        calls.fetch_add(member < team && team == threads ? 1 : 1000);
        if (std::find(first.begin(), first.begin() + threads, std::this_thread::get_id()) == first.begin() + threads)
          strangers.fetch_add(1);
      });
    }
  }
  EXPECT_EQ(calls.load(), 500 * 6);
  EXPECT_EQ(strangers.load(), 0);
}

TEST_F(ThreadTeam, MembersBehindSmallerTeams) {
  if (reserve_threads(4) < 4) GTEST_SKIP() << "the system gives no 4 threads here";
  const std::vector<std::thread::id> first = threads_of(4);
  for (const int threads : {4, 2, 1, 3, 4, 2, 4}) {
    const std::vector<std::thread::id> ids = threads_of(threads);
    EXPECT_EQ(ids[0], std::this_thread::get_id());
    EXPECT_EQ(std::set<std::thread::id>(ids.begin(), ids.end()).size(), static_cast<size_t>(threads));
    EXPECT_EQ(ids, std::vector<std::thread::id>(first.begin(), first.begin() + threads)) << threads;
  }
}

TEST_F(ThreadTeam, WhoIsNoMemberSleepsThroughSmallerTeams) {
  std::atomic<pid_t> last = 0;
  run_on_each_thread(4, [&](int member, int) {
    if (member == 3) last = gettid();
  });
  run_team(2, [](int, int) {});
  for (int i = 0; i < 10'000 && !tests::thread_state(last).asleep; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const tests::ThreadState before = tests::thread_state(last);
  ASSERT_TRUE(before.asleep);
  for (int team = 0; team < 5000; ++team) run_team(2, [](int, int) {});
  const tests::ThreadState after = tests::thread_state(last);
  EXPECT_TRUE(after.asleep);
  EXPECT_LE(after.times_lain_down - before.times_lain_down, 2) << "no team of two woke it";
  const std::vector<std::thread::id> ids = threads_of(4);
  EXPECT_EQ(std::set<std::thread::id>(ids.begin(), ids.end()).size(), 4u) << "it wakes for the next larger one";
}

TEST_F(ThreadTeam, TheCallingThreadsCountIsItsOwn) {
  const int before = calling_thread_count();
  EXPECT_GE(before, 1);
  set_calling_thread_count(before + 2);
  EXPECT_EQ(calling_thread_count(), before + 2);
  int elsewhere = 0;
  std::thread([&] { elsewhere = calling_thread_count(); }).join();
  EXPECT_EQ(elsewhere, before);
  set_calling_thread_count(before);
}

}  // namespace
}  // namespace engine
