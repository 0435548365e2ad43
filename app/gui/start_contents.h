// SPDX-License-Identifier: GPL-3.0-or-later
// What stands on the start page: cards of workloads, recent files, example captures, this machine.
#pragma once

#include <QString>
#include <vector>

#include "app/gui/settings.h"
#include "views/start/start_page.h"

namespace app::gui {

/// All workloads, the picked ones first in their groups, and the card of a model of one's own.
std::vector<views::StartCard> start_cards();

/// "today 14:02", "yesterday 09:30", "12 Nov", "12 Nov 2025".
QString when_text(const QDateTime&, const QDateTime& now);
std::vector<views::StartFile> recent_files(const Settings&, const QDateTime& now);

/// Where the example captures are: $TENSORTIDE_EXAMPLES, else share/tensortide/examples beside the folder of the
/// program, as built or installed. Empty: nowhere.
QString examples_folder();
/// The example captures that are there.
std::vector<views::StartFile> example_files();

/// This machine in one line.
struct MachineLine {
  QString text;
  QString action;  ///< on the button behind it: what measures the roofs
  QString why;     ///< what that does, and what is doubtful of the roofs there are
};
MachineLine machine_line();

}  // namespace app::gui
