// SPDX-License-Identifier: GPL-3.0-or-later
// SetupValues: what the form of a run says, as the command line takes it, as a request, and whether it can be run.
#pragma once

#include <QString>
#include <QStringList>

#include "app/base/workbench.h"
#include "engine/workloads/workload.h"

namespace app::gui {

/// What the form says.
struct SetupValues {
  QString workload;                 ///< name, or path of a model or network file
  engine::Arguments arguments;      ///< as typed
  engine::Arguments settings = {};  ///< of the run, by name of the RunSetting; absent or empty: the usual
};

/// Arguments of `tensortide run`, without -o and --progress.
QStringList run_arguments(const SetupValues&);
/// The same as a request. A collector and what else is only measured are left out.
RunRequest run_request(const SetupValues&);
/// Empty when the values can be run, else the first refusal in words.
QString check_values(const SetupValues&);
bool is_model_file(const QString& workload);
/// As `tensortide run` tells them.
bool is_network_file(const QString& workload);

}  // namespace app::gui
