// SPDX-License-Identifier: GPL-3.0-or-later
// What a screen reader is told of the timeline: a list of rows, the chosen bar as their value.
#pragma once

namespace views {

/// Makes the timeline's rows known to assistive tools; may be called again.
void install_timeline_accessibility();

}  // namespace views
