// SPDX-License-Identifier: Apache-2.0
// Runs the commands of a lesson as child processes, and reads what they made.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "app/base/progress_line.h"
#include "engine/base/result.h"
#include "profiler/lessons/answer.h"
#include "profiler/lessons/lesson.h"
#include "profiler/lessons/query.h"

namespace app {

struct LessonRunOptions {
  std::filesystem::path program;  ///< tensortide itself
  std::filesystem::path folder;   ///< gets ID.tide or ID.json of each run
  std::filesystem::path roofs;    ///< given to all runs; empty: the remembered ones
  std::string only;               ///< id of the one run to do; empty: all
  /// A value of a vary block: the option of run `only` gets it. Empty: as the lesson says.
  std::string option, value;
  /// By exercise: the learner's file, or word. Exercises without work are not checked.
  std::map<std::string, std::string> work;
  bool quick = false;       ///< few steps per run: whether all of it works, not how long it takes
  double most_seconds = 0;  ///< of each run, then it is ended and refused; 0: ten times its budget
  std::function<void(const profiler::LessonRun&)> starts = nullptr;
  std::function<void(const ProgressLine&)> told = nullptr;
};

/// The words after `tensortide` that a run of a lesson becomes; `file`: what it writes.
std::vector<std::string> words_of_run(const profiler::Lesson&, const profiler::LessonRun&, const LessonRunOptions&,
                                      const std::filesystem::path& file);
/// FOLDER/ID.tide or FOLDER/ID.json.
std::filesystem::path result_file(const profiler::Lesson&, const profiler::LessonRun&,
                                  const std::filesystem::path& folder);

/// Whether an exercise can be checked with this work: a file that is there, or a plain word. Refused, naming the
/// exercise.
engine::Result<void> check_work(const profiler::Lesson&, const std::string& exercise, const std::string& work);

/// Seconds that each run took, by id. Refused, naming the run: it failed, took too long, was stopped.
engine::Result<std::map<std::string, double>> run_lesson(const profiler::Lesson&, const LessonRunOptions&,
                                                         const std::atomic<bool>& stop);

/// Results of the runs, and of the exercises that have one.
struct LessonResults {
  profiler::QueryResults values;               ///< by id; "machine"
  std::map<std::string, std::string> digests;  ///< "xxh3:..." of each file
  std::string machine;                         ///< its processor; empty: unknown
};
/// Whether all runs of a lesson must have left something, or those count that have.
enum class Runs { all, done };
/// What the runs left in a folder. Refused: a file is missing (unless `done`) or damaged.
engine::Result<LessonResults> lesson_results(const profiler::Lesson&, const std::filesystem::path& folder,
                                             Runs which = Runs::all);

/// Each exercise, judged; those without a result are not done. Refused where a query fails, with its lesson.
engine::Result<std::vector<profiler::JudgedExercise>> judge_exercises(const profiler::Lesson&,
                                                                      const profiler::QueryResults&);
/// What a check printed of a fault in the work: "mine.cpp:7: ..."; empty: nothing.
std::string fault_of_work(const profiler::QueryResults&, const std::string& exercise);

/// Each question of the lesson, judged. Refused where a query fails, with its lesson.
engine::Result<std::vector<profiler::Judged>> judge_all(const profiler::Lesson&, const profiler::QueryResults&,
                                                        const profiler::GivenAnswers&);

}  // namespace app
