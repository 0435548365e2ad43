// SPDX-License-Identifier: GPL-3.0-or-later
// Which phases are known.
#include "views/base/phase.h"

#include <QObject>

namespace views {

QString phase_words(const profiler::Capture& capture, engine::Phase phase) {
  return phase_known(capture, phase) ? phase_title(phase) : QObject::tr("phase unknown");
}

QColor phase_colour(const Theme& theme, const profiler::Capture& capture, engine::Phase phase) {
  return phase_known(capture, phase) ? theme.phase(phase) : theme.unknown_phase;
}

}  // namespace views
