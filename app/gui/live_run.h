// SPDX-License-Identifier: GPL-3.0-or-later
// What the page of a run in progress shows of a child process.
#pragma once

#include <QString>
#include <QStringList>

#include "app/gui/recorder_process.h"
#include "views/start/run_page.h"

namespace app::gui {

/// "Running ResNet-50", "Importing trace.json.gz".
QString run_words(const QString& verb, const QStringList& arguments);
views::RunNews run_news(const RunProgress&);

}  // namespace app::gui
