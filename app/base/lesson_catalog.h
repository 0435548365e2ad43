// SPDX-License-Identifier: Apache-2.0
// The lessons that ship: where they lie, by name.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "profiler/lessons/lesson.h"

namespace app {

/// $TENSORTIDE_LESSONS, else share/tensortide/lessons beside the folder of the program, as built or installed. Refused:
/// it is not there.
engine::Result<std::filesystem::path> lessons_folder();

/// The lessons of a folder (empty: those that ship) by chapter and name. Refused with the first fault of a file.
engine::Result<std::vector<profiler::Lesson>> lessons_in(const std::filesystem::path& folder = {});

/// A lesson by its file, or by the name of one that ships; refused with the nearest name.
engine::Result<profiler::Lesson> find_lesson(const std::string& name_or_file);

/// Names of the lessons that ship whose text has these words, most often first; empty: none, or there are no lessons.
std::vector<std::string> lessons_about(std::string_view words);

/// "Memory" of chapter 3; empty: it has no title of ours.
std::string_view chapter_title(int chapter);

/// The text of the lesson in a language, if a translation lies beside it: "knee.de.md"; else the lesson itself.
profiler::Lesson in_language(const profiler::Lesson&, const std::string& language);

}  // namespace app
