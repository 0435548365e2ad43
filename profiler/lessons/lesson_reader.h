// SPDX-License-Identifier: Apache-2.0
// Reads lessons: TOML front matter, Markdown, fenced blocks of TOML; everything is checked, every refusal has a line.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "profiler/lessons/lesson.h"

namespace profiler {

inline constexpr size_t kMostLessonBytes = 1 << 20;  ///< of a lesson's file

/// "knee.md:12: [answer] query: ...".
struct LessonFault {
  std::string file;
  int line = 0;
  std::string what;
  std::string words() const;
};

struct ReadLesson {
  Lesson lesson;  ///< what could be read
  std::vector<LessonFault> faults;
};

/// A lesson out of the text of its file. Faults: no front matter, TOML that is none, unknown keys and blocks, wrong
/// types, ids that are missing, twice or not there, questions without an answer, commands that are not ours, files
/// outside `folder`, queries that no run of the lesson can answer.
ReadLesson read_lesson(std::string_view text, const std::filesystem::path& file);

/// The same of a file. Refused: what is no regular file, or over kMostLessonBytes.
engine::Result<ReadLesson> open_lesson(const std::filesystem::path& file);
/// Of a file without faults; refused with the first of them otherwise.
engine::Result<Lesson> whole_lesson(const std::filesystem::path& file);

/// The lessons below a folder, by chapter and then by file: names ending in .md; translations (name.de.md) and
/// README.md are none. Refused: no folder, more than 2000 files.
engine::Result<std::vector<std::filesystem::path>> lesson_files(const std::filesystem::path& folder);

/// Whether the word `at` of a run's command is a file of the lesson's folder.
bool names_file(const LessonRun&, size_t at);

/// The commands that a lesson may run.
const std::vector<std::string>& lesson_commands();

}  // namespace profiler
