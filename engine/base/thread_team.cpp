// SPDX-License-Identifier: Apache-2.0
// Teams on the process's pool, and what the calling thread asks for.
#include "engine/base/thread_team.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <mutex>

#include "engine/base/thread_pool.h"

namespace engine {
namespace detail {
thread_local constinit int team_member = 0;
thread_local constinit int largest_team = 1;
}  // namespace detail

namespace {

thread_local constinit int asked_for = 0;  // 0: as at first

/// OMP_THREAD_LIMIT (OpenMP 5.0, section 6.10), which users of OpenMP set for the whole process; what is no positive
/// number counts as unset.
int thread_limit() {
  static const int limit = [] {
    const char* text = std::getenv("OMP_THREAD_LIMIT");
    int value = 0;
    if (text != nullptr && std::from_chars(text, text + std::strlen(text), value).ec == std::errc() && value > 0)
      return value;
    return std::numeric_limits<int>::max();
  }();
  return limit;
}

}  // namespace

void TeamWork::end_with_exception() noexcept {
  static constinit std::mutex first;
  first.lock();  // and never unlocked
  std::terminate();
}

void detail::alone(const TeamWork& work) noexcept { work(0, 1); }

int reserve_threads(int wanted) { return ThreadPool::instance().reserve(std::clamp(wanted, 1, thread_limit())); }

int calling_thread_count() {
  return asked_for > 0 ? asked_for : std::min(thread_limit(), ThreadPool::instance().contention().processors());
}
void set_calling_thread_count(int threads) { asked_for = threads; }

int64_t hand_over_ns(int threads) { return ThreadPool::instance().contention().hand_over_ns(threads); }
uint64_t teams_started() { return ThreadPool::instance().teams(); }

void run_team(int threads, TeamWork work) {
  if (threads <= 1) return detail::alone(work);
  ThreadPool::instance().run(std::min(threads, thread_limit()), work);
}

void run_on_each_thread(int threads, TeamWork work) {
  if (threads <= 1) return detail::alone(work);
  ThreadPool::instance().run_on_each(std::min(threads, thread_limit()), work);
}

}  // namespace engine
