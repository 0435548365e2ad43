// SPDX-License-Identifier: Apache-2.0
// Ctrl+C and SIGTERM as a flag that long work looks at.
#pragma once

#include <atomic>

namespace app::cli {

/// From now on the first SIGINT or SIGTERM sets the flag; a second Ctrl+C ends the program at once.
const std::atomic<bool>& stop_on_interrupt();

}  // namespace app::cli
