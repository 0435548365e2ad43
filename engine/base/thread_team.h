// SPDX-License-Identifier: Apache-2.0
// Teams of threads: the one place where work is shared among threads. All are of one pool (thread_pool.h), which also
// runs oneDNN's parallel regions.
#pragma once

#include <memory>
#include <type_traits>

namespace engine {

/// What the members of a team do: refers to a callable (int member, int team), which must outlive the team.
class TeamWork {
 public:
  template <class Work>
  requires(!std::is_same_v<std::remove_cvref_t<Work>, TeamWork>)
      TeamWork(const Work& work)  // NOLINT: a reference that is made at the call
      : work_(std::addressof(work)),
        call_([](const void* w, int member, int team) { (*static_cast<const Work*>(w))(member, team); }) {}
  /// Where an exception leaves the work this ends the program with it, and members that throw meanwhile wait for the
  /// end: of two at once std::terminate() may print neither.
  void operator()(int member, int team) const noexcept {
    try {
      call_(work_, member, team);
    } catch (...) {
      end_with_exception();
    }
  }

 private:
  [[noreturn]] static void end_with_exception() noexcept;

  const void* work_;
  void (*call_)(const void*, int, int);
};

/// Calls work(member, team) for every member 0 .. team - 1, at most `threads` of them, and returns when all are done.
/// Members share nothing but may run one after another: our own pool lets the calling thread do what a thread that
/// still sleeps would come too late for. Inside a member of several, and where no second thread is to be had, the team
/// is of one. An exception that leaves `work` ends the program and is named as it does, of teams of one too.
void run_team(int threads, TeamWork work);
/// The same with each member on a thread of its own, all at once: they may wait for each other. Member 0 is the caller,
/// member k the same thread in every team.
void run_on_each_thread(int threads, TeamWork work);

namespace detail {
extern thread_local constinit int team_member;
extern thread_local constinit int largest_team;
/// A team of one.
void alone(const TeamWork&) noexcept;
}  // namespace detail

/// Which member of a team the calling thread is just being, 0 outside of any; a team of one inside a member leaves it
/// as it is. So two that run at once in one team have different ones, whatever each of them starts, and scratch for as
/// many as the team may have is enough.
inline int team_member() { return detail::team_member; }

/// Starts the threads that a team of `wanted` needs; how many it can have: fewer where the system starts no more
/// (RLIMIT_NPROC, memory) or OMP_THREAD_LIMIT says so.
int reserve_threads(int wanted);

/// What libraries on OpenMP take from the calling thread when they make and run something, and fill() for its own
/// loops. At first all processors that the process may run on.
int calling_thread_count();
void set_calling_thread_count(int threads);

/// While it lives, the calling thread asks for that many threads.
class CallingThreads {
 public:
  explicit CallingThreads(int threads) : before_(calling_thread_count()) { set_calling_thread_count(threads); }
  ~CallingThreads() { set_calling_thread_count(before_); }
  CallingThreads(const CallingThreads&) = delete;
  CallingThreads& operator=(const CallingThreads&) = delete;

 private:
  int before_;
};

/// What handing work to a team of that many costs now in ns (Contention::hand_over_ns()).
int64_t hand_over_ns(int threads);

/// Teams of several that the process has started so far, oneDNN's too: what others have to be told of and waited for.
uint64_t teams_started();

/// From here on largest_team() is of what the calling thread starts.
inline void forget_teams() { detail::largest_team = 1; }

/// The most threads of any team that the calling thread has started since forget_teams(), ours and oneDNN's alike:
/// seen, not asked of the kernels, so that it holds for libraries too. 1: it started none. Teams inside teams are not
/// counted. 0: that cannot be seen, as oneDNN runs on threads of its own here (see libgomp_entries.cpp).
int largest_team();

}  // namespace engine
