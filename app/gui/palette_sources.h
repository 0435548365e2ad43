// SPDX-License-Identifier: GPL-3.0-or-later
// What the palette finds beside commands: workloads, captures, ops.
#pragma once

namespace app::gui {

class CommandPalette;
class MainWindow;

void add_palette_sources(CommandPalette&, MainWindow&);

}  // namespace app::gui
