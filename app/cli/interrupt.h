// SPDX-License-Identifier: Apache-2.0
// Ctrl+C, SIGTERM and SIGHUP as a flag that long work looks at.
#pragma once

#include <atomic>

namespace app::cli {

/// From now on the first SIGINT, SIGTERM or SIGHUP (unless that was ignored, as nohup does) sets the flag; a second one
/// ends the program at once.
const std::atomic<bool>& stop_on_interrupt();

}  // namespace app::cli
