// SPDX-License-Identifier: Apache-2.0
// Threads of teams, each held on a processor of its own: cores first, their further hardware threads last.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace engine::cpu {

/// Processors that this process may run on, by the system's numbers.
struct ProcessorOrder {
  std::vector<int> processors;  ///< one of each core, in the order of the cores; then the second of each, and so on
  int cores = 0;                ///< how many of them, at the front, have a core of their own; 0: unknown
};
ProcessorOrder processor_order();

/// While it lives, member k of every team stays on processor k of the order. The thread that made it and threads that
/// it starts are held, too, until then.
class PinnedThreads {
 public:
  /// Fails (refused) for more threads than processors, and where the system does not allow it.
  static Result<std::unique_ptr<PinnedThreads>> make(int threads);
  ~PinnedThreads();
  PinnedThreads(const PinnedThreads&) = delete;
  PinnedThreads& operator=(const PinnedThreads&) = delete;
  /// "Threads stay on processors 0, 2, 4, 6: one per core."
  std::string words() const;

 private:
  PinnedThreads(ProcessorOrder order, std::vector<int> before, int threads)
      : order_(std::move(order)), before_(std::move(before)), threads_(threads) {}

  ProcessorOrder order_;
  std::vector<int> before_;  ///< what the calling thread could run on
  int threads_;
};

}  // namespace engine::cpu
