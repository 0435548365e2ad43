// SPDX-License-Identifier: Apache-2.0
// Lessons as lines of text.
#pragma once

#include <string>
#include <vector>

#include "profiler/lessons/lesson.h"

namespace app::cli {

/// A line for each, under the titles of their chapters. `language`: of titles, where there is a translation; empty: as
/// they are.
void show_lessons(const std::vector<profiler::Lesson>&, const std::string& language = {});

}  // namespace app::cli
