// SPDX-License-Identifier: Apache-2.0
// A build without OpenMP: all threads are of our own pool.
#include <algorithm>
#include <limits>
#include <thread>

#include "engine/base/check.h"
#include "engine/base/openmp.h"

namespace engine {
namespace {
thread_local constinit int count = 0;  // 0: as at first
}

void openmp::run(int /*threads*/, const TeamWork& /*work*/) { CHECK(kBuilt); }

int most_threads() { return std::numeric_limits<int>::max(); }

int calling_thread_count() { return count > 0 ? count : std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }
void set_calling_thread_count(int threads) { count = threads; }

int largest_team() { return detail::largest_team; }

}  // namespace engine
