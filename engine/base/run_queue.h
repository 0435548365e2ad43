// SPDX-License-Identifier: Apache-2.0
// The kernel's account of how long a thread waited for a processor while it could have run (proc(5), /proc/PID/schedstat).
#pragma once

#include <cstdint>

namespace engine {

/// Opens the account of the calling thread, to be closed with close(2). Below 0 where the kernel keeps none (CONFIG_SCHED_INFO).
int open_queue_account();

/// What an open account says, in ns since the thread began; below 0 where it cannot be read.
int64_t queued_ns(int account);

}  // namespace engine
