// SPDX-License-Identifier: GPL-3.0-or-later
// `tensortide-gui --report`: a report without a window.
#pragma once

#include "app/gui/command_line.h"

namespace app::gui {

/// Reads the command line's file (a capture, a sweep, or a trace of another tool), or two to compare, and writes the
/// report. Needs a QApplication.
engine::Result<void> write_report(const CommandLine&);

}  // namespace app::gui
