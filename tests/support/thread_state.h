// SPDX-License-Identifier: Apache-2.0
// What the system counts of one thread of this process: whether it sleeps, and how often it lay down.
#pragma once

#include <sys/types.h>

#include <fstream>
#include <string>
#include <string_view>

namespace tests {

struct ThreadState {
  bool asleep = false;
  long times_lain_down = -1;  ///< each time it slept or waited; -1: there is no such thread
};

/// Of the thread whose gettid() that is.
inline ThreadState thread_state(pid_t thread) {
  ThreadState state;
  std::ifstream status("/proc/self/task/" + std::to_string(thread) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("State:")) state.asleep = line.find('S', 6) != std::string::npos;
    constexpr std::string_view kSwitches = "voluntary_ctxt_switches:";
    if (line.starts_with(kSwitches)) state.times_lain_down = std::stol(line.substr(kSwitches.size()));
  }
  return state;
}

}  // namespace tests
