// SPDX-License-Identifier: Apache-2.0
// Where the program with the window is, and whether there is a display to show it on.
#pragma once

#include <filesystem>
#include <string>

#include "engine/base/result.h"

namespace app::cli {

/// $TENSORTIDE_GUI, else tensortide-gui beside this program, else on PATH. Refused: it is nowhere; the message says
/// what it does ("draws the charts of a report") and what to do instead.
engine::Result<std::filesystem::path> window_program(const std::string& what_it_does, const std::string& instead);

/// DISPLAY or WAYLAND_DISPLAY is set.
bool has_display();

}  // namespace app::cli
