// SPDX-License-Identifier: GPL-3.0-or-later
// What is known of one event (an op's run, a kernel, a copy, a call, a wait) as a section of the inspector.
#pragma once

#include "views/inspector/inspector_content.h"

namespace views {

/// Name, as it was recorded: of a kernel with its parameters.
QString activity_name(const profiler::Capture&, uint32_t row);
/// "kernel on stream 7, GPU 0".
QString activity_words(const profiler::Capture&, uint32_t row);
/// When it ran and for how long, where, what launched it and after which delay, its figures, and its op. What the
/// capture does not hold is an en dash with the reason.
InspectorSection activity_section(const profiler::Analyzed&, uint32_t row);

}  // namespace views
