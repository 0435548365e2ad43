// SPDX-License-Identifier: Apache-2.0
// The one file that knows OpenMP: a region for a team, the figures that libraries take from the calling thread, and what stands before
// libgomp's entry to a parallel region, which all of the process goes through, and notes how many threads were asked for.
#include "engine/base/openmp.h"

#include <dlfcn.h>
#include <omp.h>

#include <algorithm>

#include "engine/base/check.h"

namespace engine {

void openmp::run(int threads, const TeamWork& work) {
  if (omp_in_parallel() != 0) return detail::alone(work);  // also where OMP_MAX_ACTIVE_LEVELS lets regions nest
#pragma omp parallel num_threads(threads)
  {
    const int outside = detail::team_member;
    detail::team_member = omp_get_thread_num();
    work(detail::team_member, omp_get_num_threads());
    detail::team_member = outside;
  }
}

int most_threads() {
  omp_set_dynamic(0);
  return omp_get_thread_limit();
}

int calling_thread_count() { return omp_get_max_threads(); }

void set_calling_thread_count(int threads) {
  if (omp_get_max_threads() != threads) omp_set_num_threads(threads);
}

}  // namespace engine

#if defined(__GNUC__) && !defined(__clang__)

namespace {

using Region = void (*)(void*);
using Entry = void (*)(Region, void*, unsigned, unsigned);

}  // namespace

/// libgomp's GOMP_parallel, of the same meaning (libgomp manual, "Implementing PARALLEL construct"; threads = 0: as many as
/// omp_get_max_threads()). What comes first of a name is what all callers get (System V ABI, "Dynamic Linking"): programs name the engine
/// before libgomp.
extern "C" __attribute__((visibility("hidden"))) void tensortide_parallel_region(Region region, void* data, unsigned threads, unsigned flags) {
  static const Entry next = reinterpret_cast<Entry>(dlsym(RTLD_NEXT, "GOMP_parallel"));
  CHECK(next != nullptr);
  if (omp_in_parallel() == 0) {
    int& largest = engine::detail::largest_team;
    largest = std::max(largest, threads == 0 ? omp_get_max_threads() : static_cast<int>(threads));
  }
  next(region, data, threads, flags);
}
extern "C" __attribute__((visibility("default"), alias("tensortide_parallel_region"))) void GOMP_parallel(Region, void*, unsigned, unsigned);

int engine::largest_team() {
  // Where libgomp was loaded before us, nobody comes by here.
  static const bool entered_here = dlsym(RTLD_DEFAULT, "GOMP_parallel") == reinterpret_cast<void*>(&tensortide_parallel_region);
  return entered_here ? detail::largest_team : 0;
}

#else

int engine::largest_team() { return 0; }

#endif
