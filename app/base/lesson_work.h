// SPDX-License-Identifier: Apache-2.0
// A learner's work as one file (.tidework), and the grades of a folder of them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "app/base/lesson_run.h"
#include "engine/base/result.h"
#include "profiler/lessons/answer.h"

namespace app {

inline constexpr size_t kMostWorkBytes = 1 << 20;  ///< of one .tidework
inline constexpr size_t kMostWorks = 10000;        ///< in one folder

/// What was answered, and the figures that the learner's machine gave for the queries of the lesson.
struct LessonWork {
  std::string student, lesson, lesson_hash, created_at, machine;
  profiler::GivenAnswers answers;
  std::map<std::string, profiler::AnswerValues> values;  ///< by question, and by exercise that was done
  std::map<std::string, std::string> captures;           ///< digest of each run's file, by id
};

engine::Result<LessonWork> make_work(const profiler::Lesson&, const profiler::GivenAnswers&, const LessonResults&,
                                     const std::string& student);
/// The file's text: JSON, with a digest of its content.
std::string work_text(const profiler::Lesson&, const LessonWork&);
/// Refused: no work of this lesson, a digest that does not fit its content, answers that are none.
engine::Result<LessonWork> work_from_text(const profiler::Lesson&, const std::string& text);
engine::Result<LessonWork> open_work(const profiler::Lesson&, const std::filesystem::path& file);

struct Grade {
  std::string file, student;
  double points = 0, most_points = 0;
  std::vector<profiler::Judged> questions;
  std::vector<profiler::JudgedExercise> exercises;
  std::vector<std::string> copies;  ///< files with the digest of one of its captures
};
struct RefusedWork {
  std::string file, why;
};
struct Grades {
  std::vector<Grade> grades;         ///< by file name
  std::vector<RefusedWork> refused;  ///< by file name
  /// Per question: how often each answer was given, in words; "" is skipped.
  std::map<std::string, std::map<std::string, int>> tally;
};

/// Grades the .tidework files of a folder. Refused: no folder, no such file in it, more than kMostWorks.
engine::Result<Grades> grade_folder(const profiler::Lesson&, const std::filesystem::path& folder);

/// One row per work. format: "csv", "gradescope" or "nbgrader".
std::string grades_text(const profiler::Lesson&, const Grades&, const std::string& format);

}  // namespace app
