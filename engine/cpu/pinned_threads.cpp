// SPDX-License-Identifier: Apache-2.0
// Masks of processors, set by each member of a team for itself.
#include "engine/cpu/pinned_threads.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <span>

#include "engine/base/thread_team.h"

namespace engine::cpu {
namespace {

/// Holds the calling thread on these processors; the system's number of the error, 0: done.
int hold(std::span<const int> processors) {
  const int last = *std::ranges::max_element(processors);
  cpu_set_t* const mask = CPU_ALLOC(static_cast<size_t>(last) + 1);
  if (mask == nullptr) return ENOMEM;
  const size_t bytes = CPU_ALLOC_SIZE(static_cast<size_t>(last) + 1);
  CPU_ZERO_S(bytes, mask);
  for (const int processor : processors) CPU_SET_S(static_cast<size_t>(processor), bytes, mask);
  const int error = sched_setaffinity(0, bytes, mask) == 0 ? 0 : errno;
  CPU_FREE(mask);
  return error;
}

}  // namespace

Result<std::unique_ptr<PinnedThreads>> PinnedThreads::make(int threads) {
  ProcessorOrder order = processor_order();
  if (order.processors.empty())
    return refused_error("[--pin] on: the system does not tell which processors there are; leave it out");
  if (threads > static_cast<int>(order.processors.size())) {
    return refused_error(
        fmt::format("[--pin] on: {} threads cannot have a processor each, as this process may run on {}; "
                    "use --threads {}",
                    threads, order.processors.size(), order.processors.size()));
  }
  std::vector<int> before = order.processors;
  std::unique_ptr<PinnedThreads> pinned(new PinnedThreads(std::move(order), std::move(before), threads));
  std::atomic<int> error{0};
  run_on_each_thread(threads, [&](int member, int) {
    const int failed = hold(std::span(pinned->order_.processors).subspan(static_cast<size_t>(member), 1));
    if (failed != 0) error.store(failed);
  });
  if (error.load() != 0)
    return refused_error(
        fmt::format("[--pin] on: the system refused it ({}); leave it out", std::strerror(error.load())));
  return pinned;
}

PinnedThreads::~PinnedThreads() {
  run_on_each_thread(threads_, [&](int, int) { hold(before_); });
}

std::string PinnedThreads::words() const {
  const auto used = std::span(order_.processors).first(static_cast<size_t>(threads_));
  const std::string where = threads_ == 1 ? fmt::format("The thread stays on processor {}", used.front())
                                          : fmt::format("Threads stay on processors {}", fmt::join(used, ", "));
  if (order_.cores == 0) return where + ". Which of them share a core is unknown.";
  if (threads_ <= order_.cores) return where + (threads_ == 1 ? "." : ": one per core.");
  return where +
         fmt::format(": {} on cores, then {} more on their hyper-threads.", order_.cores, threads_ - order_.cores);
}

}  // namespace engine::cpu
