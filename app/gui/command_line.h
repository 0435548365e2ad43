// SPDX-License-Identifier: GPL-3.0-or-later
// The window's command line: files to open, or a picture or report to make without a display.
#pragma once

#include <QSize>
#include <QString>
#include <QStringList>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace app::gui {

struct CommandLine {
  QStringList files;
  QString screenshot;  ///< view key, "window", "window:KEY" or "start"; empty: open the window
  QString output, theme, select;
  QSize size{1280, 720};
  bool report = false;                               ///< --report: write one instead of opening the window
  std::optional<std::vector<std::string>> sections;  ///< --sections of the report; nothing: the usual ones
  bool learn = false;  ///< --learn: lessons beside the views; files: a lesson, or a folder
  bool help = false, version = false;
};

/// Fails (usage) naming the argument and, for an unknown view, the nearest one.
engine::Result<CommandLine> parse_command_line(const QStringList& arguments);
QString command_line_help();
/// What messages begin with: --speak-as, which the program that starts this one for a report gives; else this program's
/// own name. Of a command line that is refused, too.
QString speaker(const QStringList& arguments);

/// Draws the picture the command line asks for. Needs a QApplication.
engine::Result<void> take_screenshot(const CommandLine&);

}  // namespace app::gui
