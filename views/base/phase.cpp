// SPDX-License-Identifier: GPL-3.0-or-later
// Which phases are known.
#include "views/base/phase.h"

#include <QObject>

namespace views {

bool phase_known(const profiler::Capture& capture, engine::Phase phase) {
  const std::string& source = capture.run().source;
  return phase != engine::Phase::forward || source.empty() || source.ends_with("of Tensortide");
}

QString phase_words(const profiler::Capture& capture, engine::Phase phase) { return phase_known(capture, phase) ? phase_title(phase) : QObject::tr("phase unknown"); }

QColor phase_colour(const Theme& theme, const profiler::Capture& capture, engine::Phase phase) {
  return phase_known(capture, phase) ? theme.phase(phase) : theme.bound(profiler::Bound::unknown);
}

}  // namespace views
