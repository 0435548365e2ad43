// SPDX-License-Identifier: Apache-2.0
// tensortide lesson: lists, checks, runs and grades lessons.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include "app/base/child_run.h"
#include "app/base/lesson_catalog.h"
#include "app/base/lesson_handout.h"
#include "app/base/lesson_pages.h"
#include "app/base/lesson_run.h"
#include "app/base/lesson_work.h"
#include "app/base/work_folder.h"
#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/lesson_list.h"
#include "app/cli/output.h"
#include "engine/base/json_text.h"
#include "engine/base/read_file.h"
#include "profiler/base/words.h"
#include "profiler/lessons/lesson_reader.h"
#include "profiler/store/whole_file.h"

namespace app::cli {
namespace {

namespace fs = std::filesystem;
using engine::Result;
using nlohmann::json;
using profiler::Lesson;

struct Options {
  std::string what, output, answers, student, from, keep, roofs, format = "csv", only, change, progress, language;
  std::vector<std::string> work;
  bool json = false, run = false, handout = false, quick = false, questions = false;
};

/// The verbs of a lesson: their options, and what they do.
struct LessonVerb {
  const char *name, *help, *what, *what_help;
  bool needs_what;
  int (*act)(const Options&);
  const char* footer;  ///< of its help: examples
};

json lesson_json(const Lesson& lesson) {
  return {{"name", lesson.name},       {"title", lesson.title}, {"chapter", lesson.chapter}, {"level", lesson.level},
          {"minutes", lesson.minutes}, {"rows", lesson.rows},   {"needs", lesson.needs}};
}

int list(const Options& o) {
  const auto lessons = lessons_in(o.what);
  if (!lessons) return report(lessons.error());
  if (o.json) {
    json all = json::array();
    for (const Lesson& lesson : *lessons) all.push_back(lesson_json(lesson));
    print_json(json{{"lessons", all}});
    return kDone;
  }
  show_lessons(*lessons);
  show("\nStart one: tensortide learn NAME\n");
  return kDone;
}

/// One run after the other, told on standard error.
LessonRunOptions run_options(const Options& o, const fs::path& folder) {
  LessonRunOptions options;
  if (const Result<fs::path> program = own_program()) options.program = *program;
  options.folder = folder;
  options.roofs = o.roofs;
  options.only = o.only;
  options.quick = o.quick;
  for (const std::string& work : o.work)
    options.work[work.substr(0, work.find('='))] = work.substr(std::min(work.find('='), work.size() - 1) + 1);
  if (const size_t equals = o.change.rfind('='); equals != std::string::npos) {
    options.option = o.change.substr(0, o.change.find(' ') != std::string::npos ? equals + 1 : equals);
    options.value = o.change.substr(equals + 1);
  }
  const bool as_json = o.progress == "json";
  options.starts = [as_json](const profiler::LessonRun& run) {
    if (as_json) tell_line({{"stage", "running " + run.id}, {"fraction", 0}});
    else tell("{}: tensortide {}\n", run.id, fmt::join(run.words, " "));
  };
  if (as_json) {
    options.told = [](const ProgressLine& line) {
      if (!line.is_progress) return;
      json told = {{"stage", line.stage}, {"fraction", line.fraction}};
      add_steps(told, line);
      tell_line(told);
    };
  }
  return options;
}

Result<profiler::GivenAnswers> given_answers(const Lesson& lesson, const std::string& file) {
  if (file.empty()) return profiler::GivenAnswers();
  const Result<std::string> text = engine::read_file(file, kMostWorkBytes);
  if (!text) return text.error();
  const json document = engine::parse_json(*text);
  if (document.is_discarded()) return engine::refused_error(fmt::format("{}: is no JSON", file));
  Result<profiler::GivenAnswers> answers = profiler::answers_from_json(lesson, document);
  if (!answers) return engine::refused_error(fmt::format("{}: {}", file, answers.error().message));
  return answers;
}

json judged_json(const profiler::Judged& q) {
  return {{"question", q.predict},
          {"answer", q.given ? json(q.answer) : json()},
          {"truth", q.known ? json(q.truth) : json()},
          {"right", q.known && q.given ? json(q.right) : json()},
          {"points", q.points},
          {"most_points", q.most_points}};
}

std::vector<profiler::CheckedClaim> claims_of(const Lesson& lesson, const profiler::QueryResults& values) {
  std::vector<profiler::CheckedClaim> claims;
  for (const profiler::LessonBlock& block : lesson.blocks)
    if (const auto* claim = std::get_if<profiler::LessonClaim>(&block.is))
      claims.push_back(profiler::check_claim(*claim, values));
  return claims;
}

/// Of a kind: its name, and what an answer in a file looks like.
struct QuestionKind {
  profiler::LessonQuestion::Kind kind;
  const char *name, *answer;
};
constexpr std::array kQuestionKinds{
    QuestionKind{profiler::LessonQuestion::Kind::choice, "choice", "the number of a choice"},
    QuestionKind{profiler::LessonQuestion::Kind::number, "number", "a number"},
    QuestionKind{profiler::LessonQuestion::Kind::order, "order", "the numbers of all, such as [1, 0], first to last"},
    QuestionKind{profiler::LessonQuestion::Kind::mark, "mark", "a number"},
    QuestionKind{profiler::LessonQuestion::Kind::point, "point", "[FLOP per byte, FLOP/s]"},
    QuestionKind{profiler::LessonQuestion::Kind::curve, "curve", "a list of numbers, one for each place"},
    QuestionKind{profiler::LessonQuestion::Kind::role, "role", "a role for each tensor, such as [\"weight\"]"}};

const QuestionKind& kind_of(const profiler::LessonQuestion& q) {
  return *std::ranges::find(kQuestionKinds, q.kind, &QuestionKind::kind);
}

/// The question with its id, its kind and numbered choices: all that a file of answers needs.
void show_question(const profiler::LessonQuestion& q) {
  show("\n{}\n  id: {} ({}; answer with {}{})\n", q.question, q.id, kind_of(q).name, kind_of(q).answer,
       q.unit.empty() ? "" : fmt::format(" in {}", q.unit));
  for (size_t i = 0; i < q.items.size(); ++i) show("  {}  {}\n", i, q.items[i]);
  if (!q.at.empty()) show("  at: {}{}{}\n", fmt::join(q.at, ", "), q.at_unit.empty() ? "" : " ", q.at_unit);
}

/// --questions: what the lesson asks, before anything runs.
int show_questions(const Lesson& lesson, bool as_json) {
  if (as_json) {
    json all = json::array();
    for (const profiler::LessonQuestion* q : lesson.predictions())
      all.push_back({{"id", q->id},
                     {"kind", kind_of(*q).name},
                     {"question", q->question},
                     {"unit", q->unit},
                     {"choices", q->items}});
    print_json(json{{"lesson", lesson_json(lesson)}, {"questions", all}});
    return kDone;
  }
  show("{}\n", lesson.title);
  for (const profiler::LessonQuestion* q : lesson.predictions()) show_question(*q);
  show("\nWrite answers as {{\"id\": answer}}, then: tensortide lesson run {} --answers FILE.json\n", lesson.name);
  return kDone;
}

void show_page(const Lesson& lesson, const profiler::QueryResults& values) {
  for (const profiler::LessonBlock& block : lesson.blocks) {
    if (const auto* text = std::get_if<profiler::LessonText>(&block.is);
        text != nullptr && text->kind == profiler::LessonText::Kind::explain)
      show("\n{}", profiler::with_values(text->markdown, values));
  }
}

void show_exercise(const Lesson& lesson, const profiler::JudgedExercise& e, const profiler::QueryResults& values) {
  show("\nExercise {}: {}\n", e.id, lesson.exercise(e.id)->task);
  if (!e.done) {
    show("  not done: hand it in with --work {}={}\n", e.id, lesson.exercise(e.id)->takes_file() ? "FILE" : "WORD");
    return;
  }
  if (const std::string fault = fault_of_work(values, e.id); !fault.empty()) show("  {}\n", fault);
  for (const std::string& one : e.passed) show("  passed: {}\n", one);
  for (const std::string& one : e.failed) show("  failed: {}\n", one);
  show("  {:g} of {:g} points\n", e.points, e.most_points);
}

/// Runs it in a folder that is kept or goes again; `use` gets what it made.
int with_results(const Options& o, const Lesson& lesson,
                 const std::function<int(const LessonResults&, const std::map<std::string, double>&)>& use) {
  std::optional<WorkFolder> temporary;
  fs::path folder = !o.from.empty() ? o.from : !o.keep.empty() ? o.keep : o.output;
  if (folder.empty()) {
    Result<WorkFolder> made = WorkFolder::make("lesson");
    if (!made) return report(made.error());
    temporary.emplace(*std::move(made));
    folder = temporary->path();
  }
  std::map<std::string, double> seconds;
  if (o.from.empty()) {
    const auto ran = run_lesson(lesson, run_options(o, folder), stop_on_interrupt());
    if (!ran) {
      if (o.progress == "json") {
        tell_line({{"error", {{"message", ran.error().message}, {"kind", "refused"}}}});
        return kRefused;
      }
      return report(ran.error());
    }
    seconds = *ran;
    if (!o.only.empty()) return kDone;
  }
  const Result<LessonResults> results = lesson_results(lesson, folder);
  if (!results) return report(results.error());
  return use(*results, seconds);
}

int run(const Options& o) {
  const Result<Lesson> lesson = find_lesson(o.what);
  if (!lesson) return report(lesson.error());
  if (o.questions) return show_questions(*lesson, o.json);
  const Result<profiler::GivenAnswers> answers = given_answers(*lesson, o.answers);
  if (!answers) return report(answers.error());
  return with_results(o, *lesson, [&](const LessonResults& results, const std::map<std::string, double>& seconds) {
    const auto judged = judge_all(*lesson, results.values, *answers);
    if (!judged) return report(judged.error());
    const auto claims = claims_of(*lesson, results.values);
    double points = 0, most = 0;
    for (const profiler::Judged& q : *judged) points += q.points, most += q.most_points;
    const auto exercises = judge_exercises(*lesson, results.values);
    if (!exercises) return report(exercises.error());
    for (const profiler::JudgedExercise& e : *exercises) points += e.points, most += e.most_points;
    if (o.json) {
      json document = {
          {"lesson", lesson_json(*lesson)}, {"machine", results.machine}, {"points", points},  {"most_points", most},
          {"questions", json::array()},     {"claims", json::array()},    {"seconds", seconds}};
      for (const profiler::Judged& q : *judged) document["questions"].push_back(judged_json(q));
      for (const auto& c : claims)
        document["claims"].push_back(
            {{"text", c.text}, {"applies", c.applies}, {"holds", c.holds}, {"values", c.values}});
      document["exercises"] = json::array();
      for (const profiler::JudgedExercise& e : *exercises)
        document["exercises"].push_back({{"exercise", e.id},
                                         {"done", e.done},
                                         {"passed", e.passed},
                                         {"failed", e.failed},
                                         {"fault", fault_of_work(results.values, e.id)},
                                         {"points", e.points},
                                         {"most_points", e.most_points}});
      print_json(document);
      return kDone;
    }
    show("{}\n", lesson->title);
    for (const profiler::Judged& q : *judged) {
      show_question(*lesson->prediction(q.predict));
      show("  here: {}\n", q.truth);
      if (q.given)
        show("  your prediction: {} ({}{})\n", q.answer,
             !q.known  ? "unknown"
             : q.right ? "right"
                       : "not right",
             q.difference.empty() ? "" : ", " + q.difference);
    }
    show_page(*lesson, results.values);
    for (const profiler::JudgedExercise& e : *exercises) show_exercise(*lesson, e, results.values);
    if (!o.answers.empty() || !o.work.empty()) show("\n{:g} of {:g} points\n", points, most);
    return kDone;
  });
}

/// Few steps say nothing about times and rates, and a training is not at its end.
bool is_timed(const profiler::LessonComparison& one) {
  const std::string both = one.left + one.right;
  return std::ranges::any_of(std::array{"_ns", "_per_s", "speed", "measured_ratio", "loss"},
                             [&](const char* word) { return both.find(word) != std::string::npos; });
}

/// What does not hold of a lesson that ran.
json faults_of_run(const Options& o, const Lesson& lesson, const LessonResults& results) {
  json failed = json::array();
  const auto judged = judge_all(lesson, results.values, {});
  if (!judged) failed.push_back(judged.error().message);
  for (size_t i = 0; judged && i < judged->size() && !o.quick; ++i)
    if (!(*judged)[i].known) failed.push_back(fmt::format("question {} has no answer here", (*judged)[i].predict));
  const auto exercises = judge_exercises(lesson, results.values);
  if (!exercises) failed.push_back(exercises.error().message);
  for (size_t i = 0; exercises && i < exercises->size(); ++i) {
    const profiler::JudgedExercise& e = (*exercises)[i];
    for (const std::string& one : e.failed)
      if (!o.quick || one.find("speedup") == std::string::npos)
        failed.push_back(fmt::format("the solution of exercise {} does not pass: {} {}", e.id, one,
                                     fault_of_work(results.values, e.id)));
  }
  for (const profiler::LessonBlock& block : lesson.blocks) {
    const auto* claim = std::get_if<profiler::LessonClaim>(&block.is);
    if (claim == nullptr || (o.quick && is_timed(claim->expect))) continue;
    const profiler::CheckedClaim c = profiler::check_claim(*claim, results.values);
    if (c.applies && !c.holds) failed.push_back(fmt::format("claim \"{}\" does not hold: {}", c.text, c.values));
  }
  for (const profiler::LessonBlock& block : lesson.blocks) {
    const auto* text = std::get_if<profiler::LessonText>(&block.is);
    for (const profiler::QueryPlace& place : profiler::queries_in(text != nullptr ? text->markdown : "")) {
      const auto value = profiler::evaluate(place.query, results.values);
      if (!value) failed.push_back(value.error().message);
    }
  }
  return failed;
}

int check_run(const Options& o, const Lesson& lesson, json& entry) {
  Options quiet = o;
  quiet.what.clear();
  quiet.output.clear();
  for (const profiler::LessonExercise* e : lesson.exercises()) {
    if (e->solution.empty()) continue;
    const fs::path home = fs::absolute(lesson.file).parent_path();
    quiet.work.push_back(e->check.id + "=" + (e->takes_file() ? (home / e->solution).string() : e->solution));
  }
  return with_results(quiet, lesson, [&](const LessonResults& results, const std::map<std::string, double>& seconds) {
    int code = kDone;
    double longest = 0;
    for (const auto& [id, s] : seconds) longest = std::max(longest, s);
    const json failed = faults_of_run(o, lesson, results);
    for (const json& why : failed) tell("{}: {}\n", lesson.file, why.get<std::string>());
    if (!failed.empty()) code = kNo;
    entry["failed"] = failed;
    entry["longest_run_s"] = longest;
    if (!o.json)
      show("{}: {}, longest run {:.1f} s\n", lesson.name, failed.empty() ? "holds" : "does not hold", longest);
    return code;
  });
}

int check(const Options& o) {
  std::error_code code;
  std::vector<fs::path> files;
  if (fs::is_directory(o.what, code)) {
    auto found = profiler::lesson_files(o.what);
    if (!found) return report(found.error());
    files = *std::move(found);
    if (files.empty()) return report(engine::refused_error(fmt::format("{}: has no lessons (*.md)", o.what)));
  } else {
    files.emplace_back(o.what);
  }
  json all = json::array();
  int worst = kDone;
  size_t faulty = 0;
  for (const fs::path& file : files) {
    const auto read = profiler::open_lesson(file);
    if (!read) {
      if (files.size() == 1) return report(read.error());
      tell("{}\n", engine::display_line(read.error().message));
      worst = kRefused, ++faulty;
      continue;
    }
    json entry = {{"file", file.string()}, {"title", read->lesson.title}, {"faults", json::array()}};
    for (const profiler::LessonFault& fault : read->faults) {
      tell("{}\n", fault.words());
      entry["faults"].push_back({{"line", fault.line}, {"message", fault.what}});
    }
    if (!read->faults.empty()) worst = std::max(worst, kNo), ++faulty;
    else if (o.run) {
      const int ran = check_run(o, read->lesson, entry);
      worst = std::max(worst, ran), faulty += ran == kDone ? 0 : 1;
    }
    all.push_back(entry);
    if (stop_on_interrupt()) break;
  }
  if (o.json) print_json(json{{"lessons", all}});
  else show("{} checked, {} with faults\n", profiler::counted(files.size(), "lesson"), faulty);
  return worst;
}

int submit(const Options& o) {
  const Result<Lesson> lesson = find_lesson(o.what);
  if (!lesson) return report(lesson.error());
  if (o.answers.empty()) return report(engine::usage_error("[--answers] is missing: name the file of your answers"));
  const Result<profiler::GivenAnswers> answers = given_answers(*lesson, o.answers);
  if (!answers) return report(answers.error());
  const std::string output = o.output.empty() ? lesson->name + ".tidework" : o.output;
  Options without_output = o;
  without_output.output.clear();
  return with_results(without_output, *lesson, [&](const LessonResults& results, const std::map<std::string, double>&) {
    const Result<LessonWork> work = make_work(*lesson, *answers, results, o.student);
    if (!work) return report(work.error());
    if (const Result<void> written = profiler::write_whole_file(output, work_text(*lesson, *work)); !written)
      return report(written.error());
    if (o.json) print_json(json{{"file", output}, {"lesson", lesson->name}});
    else show("Work: {}\n", engine::display_line(output));
    return kDone;
  });
}

Result<std::string> lesson_of_folder(const fs::path& folder) {
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(folder, code)) {
    if (entry.path().extension() != ".tidework") continue;
    const auto text = engine::read_file(entry.path(), kMostWorkBytes);
    const json document = text ? engine::parse_json(*text) : json();
    if (document.is_object() && document.contains("lesson") && document["lesson"].is_string())
      return document["lesson"].get<std::string>();
  }
  return engine::usage_error("[--lesson] is missing: no file of the folder names a lesson");
}

int grade(const Options& o) {
  std::string name = o.only;
  if (name.empty()) {
    Result<std::string> found = lesson_of_folder(o.what);
    if (!found) return report(found.error());
    name = *std::move(found);
  }
  const Result<Lesson> lesson = find_lesson(name);
  if (!lesson) return report(lesson.error());
  const Result<Grades> grades = grade_folder(*lesson, o.what);
  if (!grades) return report(grades.error());
  for (const RefusedWork& refused : grades->refused) tell("{}: {}\n", refused.file, refused.why);
  if (!o.output.empty()) {
    const auto written = profiler::write_whole_file(o.output, grades_text(*lesson, *grades, o.format));
    if (!written) return report(written.error());
  }
  if (o.json) {
    json document = {
        {"lesson", lesson->name}, {"graded", json::array()}, {"refused", json::array()}, {"tally", grades->tally}};
    for (const Grade& g : grades->grades)
      document["graded"].push_back({{"file", g.file},
                                    {"student", g.student},
                                    {"points", g.points},
                                    {"most_points", g.most_points},
                                    {"copies", g.copies}});
    for (const RefusedWork& r : grades->refused) document["refused"].push_back({{"file", r.file}, {"why", r.why}});
    print_json(document);
  } else {
    show("{} graded, {} refused\n", grades->grades.size(), grades->refused.size());
    for (const profiler::LessonQuestion* p : lesson->predictions()) {
      show("\n{}\n", p->question);
      const auto tally = grades->tally.find(p->id);
      if (tally == grades->tally.end()) continue;
      for (const auto& [answer, count] : tally->second)
        show("  {:>4}  {}\n", count, answer.empty() ? "skipped" : answer);
    }
  }
  return grades->refused.empty() ? kDone : kNo;
}

int slides(const Options& o) {
  const Result<Lesson> found = find_lesson(o.what);
  if (!found) return report(found.error());
  if (!o.output.ends_with(".html"))
    return report(
        engine::usage_error(fmt::format("[-o] {}: slides are written as .html, which any browser prints as PDF",
                                        o.output.empty() ? "is missing" : o.output)));
  const Lesson lesson = in_language(*found, o.language);
  if (o.handout && !o.run && o.from.empty())
    return report(engine::usage_error("[--handout] shows the figures of this machine: add --run, or --from FOLDER"));
  if (!o.handout && !o.answers.empty())
    return report(engine::usage_error("[--answers] only a handout shows answers: add --handout"));
  const Result<profiler::GivenAnswers> answers = given_answers(lesson, o.answers);
  if (!answers) return report(answers.error());
  const auto write = [&](const LessonResults& results, const std::map<std::string, double>&) {
    const Result<std::string> html = o.handout
                                         ? handout_html(lesson, results, *answers)
                                         : Result<std::string>(slides_html(lesson, results.values, results.machine));
    if (!html) return report(html.error());
    if (const Result<void> written = profiler::write_whole_file(o.output, *html); !written)
      return report(written.error());
    show("{}: {}\n", o.handout ? "Handout" : "Slides", engine::display_line(o.output));
    return kDone;
  };
  if (!o.run && o.from.empty()) return write(LessonResults(), {});
  Options without_output = o;
  without_output.output.clear();
  return with_results(without_output, lesson, write);
}

int make_new(const Options& o) {
  const std::string file = o.what.ends_with(".md") ? o.what : o.what + ".md";
  std::error_code code;
  if (fs::exists(fs::symlink_status(file, code)))
    return report(engine::refused_error(fmt::format("{}: is there already; choose another name", file)));
  if (const Result<void> written = profiler::write_whole_file(file, lesson_template()); !written)
    return report(written.error());
  show("Lesson: {}\nNext: tensortide lesson check {} --run\n", engine::display_line(file), engine::display_line(file));
  return kDone;
}

const LessonVerb kVerbs[] = {
    {"list", "List the lessons, by chapter", "folder", "Folder of lessons (default: those that ship)", false, list,
     "Example: tensortide lesson list"},
    {"check", "Check a lesson, or all of a folder", "path", "Lesson (.md), or a folder of lessons", true, check,
     "Example: tensortide lesson check my-lessons --run\nExit code 1: a lesson has faults."},
    {"run", "Run a lesson without a window, and show the answers", "lesson", "Name, or file", true, run,
     "Example: tensortide lesson run knee --questions\n"
     "Example: tensortide lesson run knee --answers answers.json\n"
     "Example: tensortide lesson run transpose_lab --work transpose=mine.cpp"},
    {"submit", "Run a lesson and write the work as one file", "lesson", "Name, or file", true, submit,
     "Example: tensortide lesson submit knee --answers answers.json --student s1 -o s1.tidework"},
    {"grade", "Grade a folder of works", "folder", "Folder of .tidework files", true, grade,
     "Example: tensortide lesson grade works --format csv -o grades.csv\nExit code 1: works were refused."},
    {"slides", "Write a lesson as slides", "lesson", "Name, or file", true, slides,
     "Example: tensortide lesson slides knee --run -o slides.html\n"
     "Example: tensortide lesson slides knee --handout --run -o handout.html"},
    {"new", "Write a template of a lesson", "name", "Name of the lesson, or its file", true, make_new,
     "Example: tensortide lesson new mine"}};

void add_options(CLI::App& verb, const std::string& name, Options& o) {
  const auto text = [&](const char* option, std::string& place, const char* help, const char* metavar) {
    return verb.add_option(option, place, help)->option_text(metavar);
  };
  const bool runs = name == "run" || name == "submit";
  if (runs || name == "slides") text("--answers", o.answers, "Answers, as {\"question\": answer}", "FILE.json");
  if (runs || name == "slides")
    verb.add_option("--work", o.work, "Your work on an exercise: its file, or a word; repeatable")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->check([](const std::string& work) {
          const size_t equals = work.find('=');
          return equals == std::string::npos || equals == 0 || equals + 1 == work.size()
                     ? fmt::format("\"{}\": expected EXERCISE=FILE", work)
                     : std::string();
        })
        ->option_text("EXERCISE=FILE");
  if (name == "submit") text("--student", o.student, "Who answered", "NAME");
  if (name == "check") {
    CLI::Option* const run = verb.add_flag("--run", o.run, "Run it, too: every claim and answer must hold here");
    verb.add_flag("--quick", o.quick, "With --run: 3 steps per run; claims about times are left out")->needs(run);
  }
  if (name == "slides") {
    verb.add_flag("--run", o.run, "Run it, and put the values on the slides");
    verb.add_flag("--handout", o.handout, "Write pages to keep: predictions, answers, figures, machine");
    text("--language", o.language, "Translation, such as de", "CODE");
  }
  if (runs || name == "slides") text("--from", o.from, "Use what --keep left in this folder; run nothing", "FOLDER");
  if (name == "run") {
    verb.add_flag("--questions", o.questions, "Show the questions with their ids and choices; run nothing");
    text("--keep", o.keep, "Keep the captures in this folder", "FOLDER");
    text("--only", o.only, "Do this run alone; needs --keep", "ID");
    text("--change", o.change, "With --only: an option and its value, such as --batch=8", "OPTION=VALUE");
    add_progress_option(verb, o.progress);
  }
  if (runs || name == "check")
    text("--roofs", o.roofs, "Take the roofs from a file of `tensortide probe --json`", "FILE");
  if (name == "grade") {
    text("--lesson", o.only, "Lesson (default: the one that the files name)", "NAME|FILE");
    verb.add_option("--format", o.format, "Format of -o [csv, gradescope, nbgrader] (default csv)")
        ->check(CLI::IsMember({"csv", "gradescope", "nbgrader"}))
        ->option_text("FORMAT");
  }
  if (name == "submit") text("-o,--output", o.output, "Work to write (default NAME.tidework)", "FILE");
  if (name == "run") text("-o,--output", o.output, "The same as --keep", "FOLDER");
  if (name == "grade") text("-o,--output", o.output, "Table of grades to write", "FILE");
  if (name == "slides") text("-o,--output", o.output, "Slides to write [.html]", "FILE")->required();
  if (name != "slides" && name != "new") verb.add_flag("--json", o.json, "Print one JSON document")->group("Output");
}

}  // namespace

Handler add_lesson(CLI::App& verb) {
  auto verbs = std::make_shared<std::vector<std::pair<CLI::App*, std::shared_ptr<Options>>>>();
  verb.require_subcommand(1);
  for (const LessonVerb& one : kVerbs) {
    CLI::App* sub = verb.add_subcommand(one.name, one.help);
    auto o = std::make_shared<Options>();
    sub->add_option(one.what, o->what, one.what_help)
        ->required(one.needs_what)
        ->option_text(one.needs_what ? "" : "[FOLDER]");
    add_options(*sub, one.name, *o);
    sub->set_help_flag("-h,--help", "Print this help")->group("Output");
    sub->footer(fmt::format("{}\nMore: tensortide help lessons", one.footer));
    verbs->emplace_back(sub, o);
  }
  verb.footer(
      "Example: tensortide lesson run knee --questions\n"
      "Example: tensortide lesson run knee --answers answers.json\n"
      "Example: tensortide lesson check my-lessons --run\n"
      "Example: tensortide lesson submit knee --answers answers.json --student s1 -o s1.tidework\n"
      "Example: tensortide lesson grade works --format csv -o grades.csv\n"
      "Example: tensortide lesson run transpose_lab --work transpose=mine.cpp\n"
      "Example: tensortide lesson slides knee --run -o slides.html\n"
      "Example: tensortide lesson slides knee --handout --run -o handout.html\n"
      "Exit codes: 0 done, 1 a lesson has faults or works were refused, 2 wrong usage, 3 runtime error");
  return [verbs] {
    for (size_t i = 0; i < verbs->size(); ++i)
      if ((*verbs)[i].first->parsed()) return kVerbs[i].act(*(*verbs)[i].second);
    return kUsage;
  };
}

}  // namespace app::cli
