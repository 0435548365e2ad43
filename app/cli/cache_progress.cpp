// SPDX-License-Identifier: Apache-2.0
// Counts accesses and tells their part.
#include "app/cli/cache_progress.h"

#include <algorithm>

#include "app/cli/output.h"

namespace app::cli {

CacheProgress::CacheProgress(bool wanted, double accesses)
    : wanted_(wanted), all_(accesses), thread_(std::this_thread::get_id()) {
  tell(0);
}

void CacheProgress::add(uint64_t accesses) {
  if (!wanted_ || std::this_thread::get_id() != thread_) return;
  done_ += static_cast<double>(accesses);
  if (all_ > 0) tell(done_ / all_);
}

void CacheProgress::tell(double fraction) {
  const double within = std::clamp(fraction, 0.0, 1.0);
  if (const int hundredths = static_cast<int>(100 * within); wanted_ && hundredths > told_) {
    told_ = hundredths;
    tell_line({{"stage", "simulating"}, {"fraction", within}});
  }
}

void CountingSink::group(int64_t iterations, std::span<const engine::AccessStream> streams) {
  sink_.group(iterations, streams);
  progress_.add(static_cast<uint64_t>(std::max<int64_t>(0, iterations)) * streams.size());
}

void CountingSink::nest(int64_t outer, int64_t inner, std::span<const engine::NestedGroup> groups) {
  sink_.nest(outer, inner, groups);
  progress_.add(static_cast<uint64_t>(std::max<int64_t>(0, outer)) *
                static_cast<uint64_t>(std::max<int64_t>(0, inner)) * engine::accesses_of(groups));
}

}  // namespace app::cli
