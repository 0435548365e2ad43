// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of dialogs without a display: a tool with its answer, a lesson at its end, a page of the handbook.
#pragma once

#include <QSize>
#include <QString>
#include <string>
#include <vector>

#include "engine/base/result.h"

class QWidget;

namespace app::gui {

class MainWindow;

/// "tool:predict", "tool:tables:versions" (a value of its first field), "lesson:pods", "lesson:pods:1" (a page, from
/// 0), "playground:to" (a scene, or lines with semicolons between them), "handbook:sweeps".
bool is_dialog_picture(const QString& name);
/// Of a kind of dialog that there is; what follows its last colon may be any value.
bool is_known_dialog(const QString& name);
/// Names without values, for suggestions.
std::vector<std::string> dialog_picture_names();
/// Opens the dialog in front of the window and waits until its answer is there, or its lesson is at its end.
engine::Result<QWidget*> open_dialog_picture(MainWindow&, const QString& name, const QSize&);

}  // namespace app::gui
