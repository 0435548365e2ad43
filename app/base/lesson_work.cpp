// SPDX-License-Identifier: Apache-2.0
// Writes, reads and grades the work of learners; a bad file is named and the others go on.
#include "app/base/lesson_work.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "engine/base/clock.h"
#include "engine/base/display_text.h"
#include "engine/base/json_text.h"
#include "engine/base/read_file.h"
#include "profiler/base/content_hash.h"
#include "profiler/base/csv_text.h"

namespace app {
namespace {

namespace fs = std::filesystem;
using engine::Result;
using nlohmann::json;
using profiler::AnswerValues;
using profiler::Lesson;
using profiler::QueryValue;

constexpr const char* kFormat = "tidework";
constexpr int kVersion = 1;
constexpr size_t kMostText = 200;

json value_json(const QueryValue& value) {
  if (const auto* text = std::get_if<std::string>(&value.value)) return *text;
  return value.known() ? json(value.number()) : json();
}

/// What decides the score: questions, how they are judged. Words may be corrected meanwhile.
std::string hash_of(const Lesson& lesson) {
  json all = json::array();
  for (const profiler::LessonQuestion* p : lesson.predictions())
    all.push_back({p->id, static_cast<int>(p->kind), p->items.size() + p->at.size()});
  for (const profiler::LessonExercise* e : lesson.exercises())
    all.push_back({e->check.id, e->check.words, e->expect.size()});
  return profiler::text_hash(lesson.name + all.dump());
}

Result<std::string> text_of(const json& document, const char* key, size_t most = kMostText) {
  const auto at = document.find(key);
  if (at == document.end() || !at->is_string() || at->get<std::string>().size() > most)
    return engine::refused_error(fmt::format("\"{}\" is missing, no text, or longer than {} bytes", key, most));
  return engine::display_line(at->get<std::string>());
}

Result<AnswerValues> values_of(const std::string& id, const json& list) {
  constexpr size_t kMost = 12;
  AnswerValues values;
  const auto wrong = engine::refused_error(fmt::format("values of \"{}\": expected a list of numbers or texts", id));
  if (!list.is_array() || list.size() > kMost) return wrong;
  for (const json& one : list) {
    if (one.is_number()) values.push_back({one.get<double>(), profiler::Quantity::count});
    else if (one.is_string() && one.get<std::string>().size() <= kMostText)
      values.push_back({one.get<std::string>(), profiler::Quantity::text});
    else if (one.is_null()) values.emplace_back();
    else return wrong;
  }
  return values;
}

json content_of(const Lesson& lesson, const LessonWork& work) {
  json values = json::object();
  for (const auto& [id, list] : work.values) {
    json all = json::array();
    for (const QueryValue& value : list) all.push_back(value_json(value));
    values[id] = all;
  }
  return {{"format", kFormat},
          {"version", kVersion},
          {"student", work.student},
          {"lesson", work.lesson},
          {"lesson_hash", work.lesson_hash},
          {"created_at", work.created_at},
          {"machine", work.machine},
          {"answers", profiler::answers_to_json(lesson, work.answers)},
          {"values", values},
          {"captures", work.captures}};
}

std::string column_of(const std::string& text) { return profiler::csv_text(text); }

}  // namespace

Result<LessonWork> make_work(const Lesson& lesson, const profiler::GivenAnswers& answers, const LessonResults& results,
                             const std::string& student) {
  LessonWork work{.student = student,
                  .lesson = lesson.name,
                  .lesson_hash = hash_of(lesson),
                  .created_at = engine::local_time_now(),
                  .machine = results.machine,
                  .answers = answers,
                  .values = {},
                  .captures = results.digests};
  if (student.size() > kMostText)
    return engine::usage_error(fmt::format("[--student] has {} bytes; at most {}", student.size(), kMostText));
  for (const profiler::LessonQuestion* p : lesson.predictions()) {
    const profiler::LessonAnswer* answer = lesson.answer(p->id);
    if (answer == nullptr) continue;
    Result<AnswerValues> values = profiler::answer_values(*answer, results.values);
    if (!values) return values.error();
    work.values[p->id] = *std::move(values);
  }
  for (const profiler::LessonExercise* exercise : lesson.exercises()) {
    if (!results.values.contains(exercise->check.id)) continue;
    Result<AnswerValues> values = profiler::exercise_values(*exercise, results.values);
    if (!values) return values.error();
    work.values[exercise->check.id] = *std::move(values);
  }
  return work;
}

std::string work_text(const Lesson& lesson, const LessonWork& work) {
  json document = content_of(lesson, work);
  const auto replace = json::error_handler_t::replace;
  document["digest"] = profiler::text_hash(document.dump(-1, ' ', false, replace));
  return document.dump(1, ' ', false, replace) + "\n";
}

Result<LessonWork> work_from_text(const Lesson& lesson, const std::string& text) {
  json document = engine::parse_json(text);
  if (!document.is_object() || document.value("format", json()) != kFormat)
    return engine::refused_error("it is no .tidework: JSON with format = \"tidework\" is expected");
  if (document.value("version", json()) != kVersion)
    return engine::refused_error(fmt::format("it has another version; this program reads version {}", kVersion));
  const json digest = document.value("digest", json());
  document.erase("digest");
  if (digest != profiler::text_hash(document.dump(-1, ' ', false, json::error_handler_t::replace)))
    return engine::refused_error("its digest does not fit its content: it was changed or damaged");
  LessonWork work;
  for (const auto& [key, place] : {std::pair{"student", &work.student},
                                   {"lesson", &work.lesson},
                                   {"lesson_hash", &work.lesson_hash},
                                   {"created_at", &work.created_at},
                                   {"machine", &work.machine}}) {
    Result<std::string> word = text_of(document, key);
    if (!word) return word.error();
    *place = *std::move(word);
  }
  if (work.lesson != lesson.name)
    return engine::refused_error(fmt::format("it is of the lesson \"{}\", not of \"{}\"", work.lesson, lesson.name));
  if (work.lesson_hash != hash_of(lesson))
    return engine::refused_error("it is of another version of the lesson: its questions differ");
  Result<profiler::GivenAnswers> answers = profiler::answers_from_json(lesson, document.value("answers", json()));
  if (!answers) return answers.error();
  work.answers = *std::move(answers);
  const json values = document.value("values", json()), captures = document.value("captures", json());
  if (!values.is_object() || !captures.is_object() || captures.size() > 100)
    return engine::refused_error("\"values\" and \"captures\" are expected to be objects");
  for (const auto& [id, list] : values.items()) {
    Result<AnswerValues> one = values_of(engine::display_line(id, kMostText), list);
    if (!one) return one.error();
    work.values[id] = *std::move(one);
  }
  for (const auto& [id, hash] : captures.items()) {
    if (!hash.is_string() || hash.get<std::string>().size() > kMostText || id.size() > kMostText)
      return engine::refused_error("\"captures\": a digest is no text");
    work.captures[id] = hash.get<std::string>();
  }
  return work;
}

Result<LessonWork> open_work(const Lesson& lesson, const fs::path& file) {
  const Result<std::string> text = engine::read_file(file, kMostWorkBytes);
  if (!text) return text.error();
  return work_from_text(lesson, *text);
}

Result<Grades> grade_folder(const Lesson& lesson, const fs::path& folder) {
  std::error_code code;
  fs::directory_iterator entries(folder, code);
  if (code) return engine::refused_error(fmt::format("{}: {}", folder.string(), code.message()));
  std::vector<fs::path> files;
  for (const fs::directory_iterator end; entries != end; entries.increment(code)) {
    if (code) break;
    if (entries->path().extension() != ".tidework") continue;
    files.push_back(entries->path());
    if (files.size() > kMostWorks)
      return engine::refused_error(fmt::format("{}: has more than {} files", folder.string(), kMostWorks));
  }
  if (files.empty()) return engine::refused_error(fmt::format("{}: has no .tidework files", folder.string()));
  std::ranges::sort(files);
  Grades all;
  std::map<std::string, std::set<std::string>> files_of_digest;
  std::vector<std::map<std::string, std::string>> captures;
  for (const fs::path& file : files) {
    const std::string name = engine::display_line(file.filename().string());
    const Result<LessonWork> work = open_work(lesson, file);
    if (!work) {
      all.refused.push_back({name, engine::display_line(work.error().message)});
      continue;
    }
    Grade grade{.file = name,
                .student = work->student.empty() ? file.stem().string() : work->student,
                .questions = {},
                .exercises = {},
                .copies = {}};
    for (const profiler::LessonQuestion* p : lesson.predictions()) {
      const profiler::LessonAnswer* answer = lesson.answer(p->id);
      if (answer == nullptr) continue;
      const auto values = work->values.find(p->id);
      const auto given = work->answers.find(p->id);
      grade.questions.push_back(profiler::judge(*p, *answer,
                                                values != work->values.end() ? values->second : AnswerValues(),
                                                given != work->answers.end() ? &given->second : nullptr));
      grade.points += grade.questions.back().points;
      grade.most_points += grade.questions.back().most_points;
      ++all.tally[p->id][grade.questions.back().answer];
    }
    for (const profiler::LessonExercise* exercise : lesson.exercises()) {
      const auto values = work->values.find(exercise->check.id);
      grade.exercises.push_back(
          profiler::judge(*exercise, values != work->values.end() ? values->second : AnswerValues()));
      grade.points += grade.exercises.back().points;
      grade.most_points += grade.exercises.back().most_points;
    }
    for (const auto& [id, digest] : work->captures) files_of_digest[digest].insert(name);
    captures.push_back(work->captures);
    all.grades.push_back(std::move(grade));
  }
  for (size_t i = 0; i < all.grades.size(); ++i) {
    std::set<std::string> copies;
    for (const auto& [id, digest] : captures[i])
      if (const profiler::LessonRun* run = lesson.run(id); run != nullptr && run->words.front() != "number")
        copies.insert(files_of_digest[digest].begin(), files_of_digest[digest].end());
    copies.erase(all.grades[i].file);
    all.grades[i].copies.assign(copies.begin(), copies.end());
  }
  return all;
}

std::string grades_text(const Lesson& lesson, const Grades& grades, const std::string& format) {
  std::string text;
  if (format == "gradescope") {
    text = "SID,Assignment,Total Score,Max Points\n";
    for (const Grade& g : grades.grades)
      text += fmt::format("{},{},{:g},{:g}\n", column_of(g.student), column_of(lesson.title), g.points, g.most_points);
    return text;
  }
  if (format == "nbgrader") {
    text = "assignment,student_id,score,max_score\n";
    for (const Grade& g : grades.grades)
      text += fmt::format("{},{},{:g},{:g}\n", column_of(lesson.name), column_of(g.student), g.points, g.most_points);
    return text;
  }
  text = "file,student,points,most_points,copies";
  for (const profiler::LessonQuestion* p : lesson.predictions())
    text += fmt::format(",{0},{0}_right", column_of(p->id));
  for (const profiler::LessonExercise* e : lesson.exercises())
    text += fmt::format(",{}_points", column_of(e->check.id));
  text += '\n';
  for (const Grade& g : grades.grades) {
    text += fmt::format("{},{},{:g},{:g},{}", column_of(g.file), column_of(g.student), g.points, g.most_points,
                        column_of(fmt::format("{}", fmt::join(g.copies, " "))));
    for (const profiler::Judged& q : g.questions)
      text += fmt::format(",{},{}", column_of(q.answer),
                          !q.given   ? "skipped"
                          : !q.known ? "unknown"
                          : q.right  ? "yes"
                                     : "no");
    for (const profiler::JudgedExercise& e : g.exercises)
      text += e.done ? fmt::format(",{:g}", e.points) : std::string(",not done");
    text += '\n';
  }
  return text;
}

}  // namespace app
