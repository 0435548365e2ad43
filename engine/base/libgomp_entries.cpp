// SPDX-License-Identifier: Apache-2.0
// oneDNN's parallel regions on our threads. Debian's oneDNN runs on libgomp, whose waiting threads stay awake for
// milliseconds whoever wants the processor: beside two busy programs that made two threads 24 times as slow as sleeping
// ones, and libgomp reads how long to stay awake once, when it is loaded. It needs six of libgomp's functions, which
// are here, of the same meaning (libgomp manual, "Implementing PARALLEL construct" and "Implementing BARRIER
// construct"; OpenMP 5.0, 3.2). What comes first of a name is what all callers get (System V ABI, "Dynamic Linking"):
// programs name the engine before libgomp. The build checks that oneDNN needs no others (cmake/dependencies.cmake).
#include <dlfcn.h>

#include "engine/base/thread_pool.h"
#include "engine/base/thread_team.h"

namespace {

/// The innermost region of the calling thread: inside a team of several a region is of one.
struct Region {
  int member = 0, team = 1;
};
thread_local constinit Region region{};

class Inside {
 public:
  Inside(int member, int team) : outer_(region) { region = {member, team}; }
  ~Inside() { region = outer_; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  Region outer_;
};

using Body = void (*)(void*);

}  // namespace

extern "C" {

/// threads = 0: as many as omp_get_max_threads().
__attribute__((visibility("hidden"))) void tensortide_parallel_region(Body body, void* data, unsigned threads,
                                                                      unsigned /*flags*/) {
  const auto work = [&](int member, int team) {
    const Inside inside(member, team);
    body(data);
  };
  engine::run_on_each_thread(threads == 0 ? engine::calling_thread_count() : static_cast<int>(threads), work);
}
__attribute__((visibility("default"), alias("tensortide_parallel_region"))) void GOMP_parallel(Body, void*, unsigned,
                                                                                               unsigned);

__attribute__((visibility("default"))) void GOMP_barrier() {
  if (region.team > 1) engine::ThreadPool::instance().barrier();
}
__attribute__((visibility("default"))) int omp_get_max_threads() { return engine::calling_thread_count(); }
__attribute__((visibility("default"))) int omp_get_num_threads() { return region.team; }
__attribute__((visibility("default"))) int omp_get_thread_num() { return region.member; }
__attribute__((visibility("default"))) int omp_in_parallel() { return engine::ThreadPool::inside() ? 1 : 0; }
/// Not oneDNN's: OpenBLAS's OpenMP flavour, where the system has that one.
__attribute__((visibility("default"))) void omp_set_num_threads(int threads) {
  engine::set_calling_thread_count(threads);
}
}

int engine::largest_team() {
  // Where libgomp was loaded before us, nobody comes by here.
  static const bool entered_here =
      dlsym(RTLD_DEFAULT, "GOMP_parallel") == reinterpret_cast<void*>(&tensortide_parallel_region);
  return entered_here ? detail::largest_team : 0;
}
