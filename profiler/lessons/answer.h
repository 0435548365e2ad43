// SPDX-License-Identifier: Apache-2.0
// Judges predictions: the true answer by the queries of a lesson, the learner's beside it, points.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "profiler/lessons/lesson.h"
#include "profiler/lessons/query.h"

namespace profiler {

/// What a learner answered: choice: an index from 0. number, mark: a number. order: indices, first to last. role: an
/// index of lesson_roles() per tensor. point: FLOP per byte and FLOP/s. curve: a value per place.
struct GivenAnswer {
  std::vector<int> items;
  double number = 0;
  std::vector<double> numbers = {};
};
/// By id of the question; a question that was skipped has none.
using GivenAnswers = std::map<std::string, GivenAnswer>;

/// Answers as JSON: {"knee": 16, "first": 0, "ranks": [2, 0, 1], "dot": [0.5, 2e10], "line": [1, 1.2, 3],
/// "whose": ["weight", "input"]}. Refused, naming the question: unknown ids, wrong types, indices that are not there or
/// twice.
engine::Result<GivenAnswers> answers_from_json(const Lesson&, const nlohmann::json&);
nlohmann::json answers_to_json(const Lesson&, const GivenAnswers&);

/// The values behind the queries of one answer, in their order: what a score is recomputed from.
using AnswerValues = std::vector<QueryValue>;
engine::Result<AnswerValues> answer_values(const LessonAnswer&, const QueryResults&);

struct Judged {
  std::string predict;
  bool given = false, right = false, known = false;  ///< known: this machine has an answer
  double points = 0, most_points = 0;
  std::string truth;            ///< in words; an en dash where it is unknown
  std::string answer = {};      ///< the learner's, in words; empty: skipped
  std::string difference = {};  ///< "2.3x too large"; empty: nothing to say
};
/// How much of a curve must be within the tolerance of its answer.
inline constexpr double kEnoughOfCurve = 0.75;

/// Unknown values earn nothing and cost nothing: most_points is 0 then. Each tensor of a `role` earns its share.
Judged judge(const LessonQuestion&, const LessonAnswer&, const AnswerValues&, const GivenAnswer*);

/// Of an exercise: the values on both sides of its comparisons, left, right, left, ...
engine::Result<AnswerValues> exercise_values(const LessonExercise&, const QueryResults&);

struct JudgedExercise {
  std::string id;
  bool done = false;  ///< there is work
  double points = 0, most_points = 0;
  std::vector<std::string> passed = {}, failed = {};  ///< comparisons with their values: "284 <= 300"
};
/// Each comparison that holds earns its share; an unknown value does not hold. No values: nothing was done.
JudgedExercise judge(const LessonExercise&, const AnswerValues&);

/// One answer of an audience, by show of hands.
struct Votes {
  std::string answer = {};  ///< as written: "B", "16"
  size_t item = 0;          ///< of the question's items; their count: none of them
  int count = 0;
};
/// "A 12, B 31": answers with their counts, the letters those of `items`. What is no such pair is left out.
std::vector<Votes> count_votes(const std::string& text, size_t items);

/// Spearman's rank correlation of the places in `given` with the order of `values`; equal values share their rank.
double rank_correlation(const std::vector<int>& given, const std::vector<double>& values, bool largest_first);

struct CheckedClaim {
  std::string text, values = {};  ///< values: "12.3 ms < 45.6 ms"
  bool applies = true, holds = false;
};
/// A claim with an unknown value does not hold.
CheckedClaim check_claim(const LessonClaim&, const QueryResults&);

}  // namespace profiler
