// SPDX-License-Identifier: Apache-2.0
// Lesson: one Markdown file that asks for a prediction, runs a command of ours and shows the answer. The format is
// described in docs/lessons.md.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace profiler {

/// Markdown between blocks (`text`), or of a block of its own: after the reveal (`explain`), for the presenter
/// (`note`).
struct LessonText {
  enum class Kind { text, explain, note };
  Kind kind = Kind::text;
  std::string markdown;  ///< "{query}" stands for a value of the learner's runs
};

/// An axis that predictions are placed on.
struct LessonAxis {
  double low = 0, high = 1;
  bool logarithmic = false;
  double place(double value) const;     ///< 0 to 1; what lies outside is at the end
  double value_at(double place) const;  ///< of 0 to 1
  /// Values to write beside it, ascending: powers of ten, else both ends and the middle.
  std::vector<double> ticks() const;
};

/// A question, answered before anything runs.
struct LessonQuestion {
  /// choice: one of `items`. number: with `unit`. order: all of `items`, first to last. mark: a place on an axis.
  /// point: a dot on the roofline. curve: a value at each of `at`. role: whose bytes each tensor of `items` has.
  enum class Kind { choice, number, order, mark, point, curve, role };
  std::string id, question, unit;
  Kind kind = Kind::choice;
  std::vector<std::string> items;          ///< choice, order: 2 to 12 texts; role: tensors, at least one
  double low = 0, high = 0;                ///< mark: ends of the axis; curve: of its values; point: FLOP/s
  bool logarithmic = false;                ///< mark: the axis; curve: both axes
  double across_low = 0, across_high = 0;  ///< point: FLOP per byte
  std::vector<double> at = {};             ///< curve: 3 to 12 places, ascending
  std::string at_unit = {};                ///< curve: of `at`: "samples"

  LessonAxis axis() const;    ///< mark: its axis; curve, point: the axis upwards
  LessonAxis across() const;  ///< curve, point: the axis to the right
};

/// The roles that a tensor may have, as tables name them: "weight".
const std::vector<std::string>& lesson_roles();

/// A command line of ours: "run mlp --batch 1". Its result is asked for by `id`.
struct LessonRun {
  std::string id;
  std::vector<std::string> words;  ///< "@other" is the file of an earlier run
  double budget_s = 20;            ///< a sweep starts no process after this time
};

/// A view on the result of a run, with a prediction drawn beside.
struct LessonReveal {
  std::string run, view;
  std::string predict;  ///< id of a prediction; empty: none
  std::string op;       ///< name of the op to select; empty: none
};

/// How a prediction is judged: by queries on the runs of this machine.
struct LessonAnswer {
  std::string predict;
  std::string query;                 ///< choice with `bins` or `values`; number, mark: the value itself
  std::vector<std::string> queries;  ///< choice with `pick`, order, role: one per item; curve: one per place;
                                     ///< point: FLOP per byte, FLOP/s
  std::vector<double> bins;          ///< ascending; a value below bins[0] means the first choice, and so on
  std::vector<std::string> values;   ///< texts that `query` may give, one per choice
  bool largest = true;               ///< choice by `queries`: the largest or the smallest; order: the largest first
  double within_factor = 0;          ///< all that are numbers: right up to this factor: "1.5x" is 1.5
  double within_share = 0;           ///< right up to this part of the value: "10 %" is 0.1
  double within = 0;                 ///< right up to this difference
  double rank_correlation = 0.8;     ///< order: Spearman's, at least
  double points = 1;
};

/// "QUERY <= QUERY" with <, <=, >, >=, ==.
struct LessonComparison {
  std::string left, sign, right;
};

/// A statement that must hold on every machine where `when` holds.
struct LessonClaim {
  std::string text;
  LessonComparison expect;
  std::vector<LessonComparison> when;  ///< none, or one
};

/// A setting of an earlier run to play with.
struct LessonVary {
  std::string run, option, question;  ///< option: "--batch", or "--set width="
  std::vector<std::string> values;
};

/// A task with an automatic check: a command on the learner's work, and what must hold of its result.
struct LessonExercise {
  std::string task;      ///< Markdown
  LessonRun check;       ///< its id is the exercise's; "@work" is the learner's file, "@value" a word of the learner's
  std::string starter;   ///< file of the lesson's folder to begin with; empty: none
  std::string solution;  ///< file of the lesson's folder, or a word: what `lesson check --run` tries; empty: none
  std::vector<LessonComparison> expect;  ///< 1 to 6; points are shared out evenly
  double points = 1;
  bool takes_file() const;  ///< else a word
};

struct LessonBlock {
  int line = 0;  ///< of the file, from 1: where it begins
  std::variant<LessonText, LessonQuestion, LessonRun, LessonReveal, LessonAnswer, LessonClaim, LessonVary,
               LessonExercise>
      is;
};

struct Lesson {
  std::string file, name;  ///< as opened; the file's stem: "knee"
  std::string title, level;
  int chapter = 0;
  double minutes = 0;
  std::vector<std::string> rows;   ///< of the curriculum: "B2"
  std::vector<std::string> needs;  ///< "cpu", "gpu", "cores>=2"
  std::vector<LessonBlock> blocks;

  const LessonQuestion* prediction(const std::string& id) const;
  const LessonAnswer* answer(const std::string& id) const;
  const LessonRun* run(const std::string& id) const;
  std::vector<const LessonRun*> runs() const;
  std::vector<const LessonQuestion*> predictions() const;
  const LessonExercise* exercise(const std::string& id) const;
  std::vector<const LessonExercise*> exercises() const;
};

/// What is shown at once: a question with the text before it, a run, a reveal with what explains it. Positions in
/// Lesson::blocks; answers, claims and notes belong to the page they stand in.
struct LessonPage {
  std::string title;  ///< of its first heading; empty: none
  std::vector<size_t> blocks;
};
std::vector<LessonPage> lesson_pages(const Lesson&);

}  // namespace profiler
