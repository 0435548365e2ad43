// SPDX-License-Identifier: Apache-2.0
#include "engine/base/run_queue.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>

namespace engine {

int64_t queued_ns(int account) {
  std::array<char, 128> text{};
  if (account < 0 || pread(account, text.data(), text.size() - 1, 0) <= 0) return -1;
  long long ran = 0, queued = 0, slices = 0;
  // A thread that runs has had a slice: kernels that count nothing print zeros.
  return std::sscanf(text.data(), "%lld %lld %lld", &ran, &queued, &slices) == 3 && slices > 0 ? queued : -1;
}

int64_t queued_ns() {
  const int account = open("/proc/thread-self/schedstat",
                           O_RDONLY | O_CLOEXEC);  // kept open it would be one descriptor for each thread
  const int64_t queued = queued_ns(account);
  if (account >= 0) close(account);
  return queued;
}

}  // namespace engine
