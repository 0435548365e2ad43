// SPDX-License-Identifier: Apache-2.0
#include "engine/base/run_queue.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>

namespace engine {

int open_queue_account() { return open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC); }

int64_t queued_ns(int account) {
  std::array<char, 128> text{};
  if (account < 0 || pread(account, text.data(), text.size() - 1, 0) <= 0) return -1;
  long long ran = 0, queued = 0;
  return std::sscanf(text.data(), "%lld %lld", &ran, &queued) == 2 ? queued : -1;
}

}  // namespace engine
