// SPDX-License-Identifier: GPL-3.0-or-later
// A change of a run in words, for buttons and cards.
#pragma once

#include <QString>

#include "profiler/analysis/findings/findings.h"

namespace views {

/// "batch 8", "fusion on", "data type bf16"; never an option of the command line.
QString change_words(const profiler::RunChange&);

}  // namespace views
