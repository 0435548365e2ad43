// SPDX-License-Identifier: Apache-2.0
// The kernel's account of how long a thread waited for a processor while it could have run (proc(5),
// /proc/PID/schedstat).
#pragma once

#include <cstdint>

namespace engine {

/// Of the calling thread, in ns since it began. Below 0: the kernel keeps no account (CONFIG_SCHED_INFO), or there is
/// no /proc.
int64_t queued_ns();

/// The same of an open file /proc/PID/task/TID/schedstat.
int64_t queued_ns(int account);

}  // namespace engine
