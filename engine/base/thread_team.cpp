// SPDX-License-Identifier: Apache-2.0
// Which pool has the threads.
#include "engine/base/thread_team.h"

#include <atomic>
#include <exception>
#include <mutex>

#include "engine/base/openmp.h"
#include "engine/base/thread_pool.h"

namespace engine {
namespace detail {
thread_local constinit int team_member = 0;
thread_local constinit int largest_team = 1;
}  // namespace detail

namespace {
constinit std::atomic<ThreadPool> chosen{openmp::kBuilt ? ThreadPool::openmp : ThreadPool::own};
}

void TeamWork::end_with_exception() noexcept {
  static constinit std::mutex first;
  first.lock();  // and never unlocked
  std::terminate();
}

void detail::alone(const TeamWork& work) noexcept { work(0, 1); }

ThreadPool thread_pool() { return chosen.load(std::memory_order_relaxed); }

bool set_thread_pool(ThreadPool pool) {
  if (pool == ThreadPool::openmp && !openmp::kBuilt) return false;
  chosen = pool;
  return true;
}

void run_team(int threads, TeamWork work) {
  if (threads <= 1) return detail::alone(work);
  if (thread_pool() == ThreadPool::own) return ClaimedPartsPool::instance().run(threads, work);
  openmp::run(threads, work);
}

void run_on_each_thread(int threads, TeamWork work) {
  if (threads <= 1) return detail::alone(work);
  if (thread_pool() == ThreadPool::own) return ClaimedPartsPool::instance().run_on_each(threads, work);
  openmp::run(threads, work);
}

}  // namespace engine
