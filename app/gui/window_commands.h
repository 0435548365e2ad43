// SPDX-License-Identifier: GPL-3.0-or-later
// All commands of the window, menu by menu.
#pragma once

namespace app::gui {

class ActionRegistry;
class MainWindow;

/// Makes the menus. A new command is one entry there.
void add_commands(ActionRegistry&, MainWindow&);

}  // namespace app::gui
