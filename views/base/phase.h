// SPDX-License-Identifier: GPL-3.0-or-later
// Phases as they are known: traces of other tools tell of backward and update ops alone, so the others' phase is
// unknown there.
#pragma once

#include "profiler/capture/phases.h"
#include "views/base/theme.h"

namespace views {

using profiler::phase_known;
/// "backward", "phase unknown".
QString phase_words(const profiler::Capture&, engine::Phase);
/// The phase's colour; of an unknown one none that means something.
QColor phase_colour(const Theme&, const profiler::Capture&, engine::Phase);

}  // namespace views
