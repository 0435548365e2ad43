// SPDX-License-Identifier: Apache-2.0
// tensortide learn: lessons in the window, or step by step in the terminal.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "app/base/child_run.h"
#include "app/base/lesson_catalog.h"
#include "app/base/lesson_run.h"
#include "app/base/work_folder.h"
#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/lesson_list.h"
#include "app/cli/page_text.h"
#include "app/cli/terminal_table.h"
#include "app/cli/window_program.h"
#include "engine/base/shell_words.h"
#include "profiler/base/words.h"

namespace app::cli {
namespace {

namespace fs = std::filesystem;
using engine::Result;
using nlohmann::json;
using profiler::Lesson;
using profiler::LessonQuestion;
using Kind = LessonQuestion::Kind;

struct Options {
  std::string what, language;
  bool terminal = false;
};

/// Lines of standard input. Ctrl+C ends them as its end does.
class TypedLines {
 public:
  bool next(std::string& line) {
    std::fflush(stdout);
    for (;;) {
      if (const size_t end = read_.find('\n'); end != std::string::npos) {
        line = read_.substr(0, end);
        read_.erase(0, end + 1);
        return true;
      }
      pollfd input{STDIN_FILENO, POLLIN, 0};
      constexpr int kLookEvery_ms = 100;
      const int ready = ::poll(&input, 1, kLookEvery_ms);
      if (stop_on_interrupt()) return false;
      if (ready <= 0) continue;
      std::array<char, 4096> some;
      const ssize_t count = ::read(STDIN_FILENO, some.data(), some.size());
      if (count < 0 && errno == EINTR) continue;
      if (count == 0 && !read_.empty()) read_ += '\n';  // the last line has no end
      else if (count <= 0 || read_.size() > kMostBytes) return false;
      else read_.append(some.data(), static_cast<size_t>(count));
    }
  }

 private:
  static constexpr size_t kMostBytes = 1 << 20;  ///< of one line
  std::string read_;
};

/// One lesson, page by page: text, questions, runs, what they showed. Answers come from standard input; at its end the
/// remaining questions are skipped.
class TerminalLesson {
 public:
  TerminalLesson(const Lesson& lesson, fs::path program, fs::path folder)
      : lesson_(lesson), folder_(std::move(folder)), columns_(page_columns()) {
    options_.program = std::move(program);
    options_.folder = folder_;
  }

  int go() {
    show("{}\n", lesson_.title);
    show("{:g} min, {}. An empty line skips a question.\n", lesson_.minutes, lesson_.level);
    for (const profiler::LessonPage& page : profiler::lesson_pages(lesson_)) {
      show("\n");
      for (const size_t at : page.blocks) {
        if (const Result<void> shown = show_block(lesson_.blocks[at]); !shown) return report(shown.error());
        if (stop_on_interrupt()) return report(engine::refused_error("[learn] stopped"));
      }
    }
    for (const LessonQuestion* q : lesson_.predictions()) {
      if (const Result<void> shown = show_truth(*q); !shown) return report(shown.error());
    }
    show("\n{:g} of {:g} points\n", points_, most_);
    return kDone;
  }

 private:
  Result<void> show_block(const profiler::LessonBlock& block) {
    if (const auto* text = std::get_if<profiler::LessonText>(&block.is)) {
      if (text->kind != profiler::LessonText::Kind::note)
        show("{}\n", page_text(profiler::with_values(text->markdown, results_.values), columns_));
    } else if (const auto* question = std::get_if<LessonQuestion>(&block.is)) {
      ask(*question);
    } else if (const auto* run = std::get_if<profiler::LessonRun>(&block.is)) {
      return do_run(*run);
    } else if (const auto* reveal = std::get_if<profiler::LessonReveal>(&block.is)) {
      if (const LessonQuestion* question = lesson_.prediction(reveal->predict)) return show_truth(*question);
    } else if (const auto* vary = std::get_if<profiler::LessonVary>(&block.is)) {
      show_vary(*vary);
    } else if (const auto* exercise = std::get_if<profiler::LessonExercise>(&block.is)) {
      show("Exercise: {}\nCheck it: tensortide lesson run {} --work {}={}\n", page_text(exercise->task, columns_),
           lesson_.name, exercise->check.id, exercise->takes_file() ? "FILE" : "WORD");
    }
    return {};
  }

  // ---- questions

  static std::string how_to_answer(const LessonQuestion& q) {
    const std::string in_unit = q.unit.empty() ? std::string() : " in " + q.unit;
    switch (q.kind) {
      case Kind::choice: return "one letter";
      case Kind::order: return "all letters, first to last, such as BAC";
      case Kind::role: return fmt::format("for each, one of {}", fmt::join(profiler::lesson_roles(), ", "));
      case Kind::point: return "FLOP per byte, then FLOP/s, such as 0.5 2e10";
      case Kind::curve: return fmt::format("{} numbers{}, one for each place", q.at.size(), in_unit);
      case Kind::number:
      case Kind::mark: return "a number" + in_unit;
    }
    return {};
  }

  static char letter(size_t item) { return static_cast<char>('A' + item); }

  void ask(const LessonQuestion& q) {
    show("? {}\n", q.question);
    for (size_t i = 0; i < q.items.size(); ++i) show("  {}  {}\n", q.kind == Kind::role ? '-' : letter(i), q.items[i]);
    if (!q.at.empty()) show("  at {}{}\n", fmt::join(q.at, ", "), q.at_unit.empty() ? "" : " " + q.at_unit);
    while (!at_end_) {
      show("Your prediction ({}): ", how_to_answer(q));
      std::string line;
      if (!typed_.next(line)) {
        at_end_ = true;
        show("\n");
        return;
      }
      if (line.find_first_not_of(" \t\r") == std::string::npos) return;
      const json answer = read_answer(q, line);
      const Result<profiler::GivenAnswers> given = profiler::answers_from_json(lesson_, json{{q.id, answer}});
      if (given && !answer.is_null()) {
        answers_[q.id] = given->at(q.id);
        return;
      }
      show("That is no answer here{}.\n", given ? std::string() : ": " + given.error().message);
    }
  }

  /// As a file of answers has it; null: the line is none.
  static json read_answer(const LessonQuestion& q, const std::string& line) {
    std::vector<std::string> words;
    std::string word;
    std::string spaced = line;
    std::ranges::replace(spaced, ',', ' ');
    for (std::istringstream all(spaced); all >> word;) words.push_back(word);
    json list = json::array();
    if (q.kind == Kind::choice || q.kind == Kind::order) {
      for (const std::string& each : words) {
        for (const char c : each) {
          const int item = (c & ~0x20) - 'A';
          if (item < 0 || item >= static_cast<int>(q.items.size())) return {};
          list.push_back(item);
        }
      }
      return q.kind == Kind::order ? list : list.size() == 1 ? list[0] : json();
    }
    if (q.kind == Kind::role) return words;
    for (const std::string& each : words) {
      char* end = nullptr;
      const double number = std::strtod(each.c_str(), &end);
      if (end == each.c_str() || *end != '\0') return {};
      list.push_back(number);
    }
    const bool one = q.kind == Kind::number || q.kind == Kind::mark;
    return !one ? list : list.size() == 1 ? list[0] : json();
  }

  // ---- runs and what they showed

  Result<void> do_run(const profiler::LessonRun& run) {
    show("> tensortide {}\n", engine::shell_line(run.words));
    std::fflush(stdout);
    options_.only = run.id;
    const auto ran = run_lesson(lesson_, options_, stop_on_interrupt());
    if (!ran) return ran.error();
    for (const auto& [id, seconds] : *ran) show("  done in {:.1f} s\n", seconds);
    Result<LessonResults> results = lesson_results(lesson_, folder_, Runs::done);
    if (!results) return results.error();
    results_ = *std::move(results);
    return {};
  }

  /// Once for each question, as soon as its runs are done.
  Result<void> show_truth(const LessonQuestion& q) {
    if (std::ranges::find(shown_, q.id) != shown_.end()) return {};
    shown_.push_back(q.id);
    const profiler::LessonAnswer* answer = lesson_.answer(q.id);
    if (answer == nullptr) return {};
    const Result<profiler::AnswerValues> values = profiler::answer_values(*answer, results_.values);
    if (!values) return values.error();
    const auto given = answers_.find(q.id);
    const profiler::Judged judged =
        profiler::judge(q, *answer, *values, given == answers_.end() ? nullptr : &given->second);
    points_ += judged.points, most_ += judged.most_points;
    show("? {}\n  Here: {}\n", q.question, judged.truth);
    if (!judged.given) return {};
    show("  Your prediction: {}{}{}\n", judged.answer,
         !judged.known  ? ""
         : judged.right ? ", right"
                        : ", not right",
         judged.difference.empty() ? "" : " (" + judged.difference + ")");
    return {};
  }

  void show_vary(const profiler::LessonVary& vary) {
    const profiler::LessonRun* run = lesson_.run(vary.run);
    show("{}\nTry: tensortide {}, with {} {}\n", vary.question, run != nullptr ? engine::shell_line(run->words) : "",
         vary.option, fmt::join(vary.values, " or "));
  }

  const Lesson& lesson_;
  fs::path folder_;
  size_t columns_;
  LessonRunOptions options_;
  LessonResults results_;
  profiler::GivenAnswers answers_;
  std::vector<std::string> shown_;
  double points_ = 0, most_ = 0;
  TypedLines typed_;
  bool at_end_ = false;
};

/// A folder, unless it is the name of a lesson that ships: then the folder is "./memory".
bool means_folder(const std::string& what) {
  std::error_code code;
  const bool name = what.find('/') == std::string::npos && find_lesson(what).ok();
  return what.empty() || (!name && fs::is_directory(what, code));
}

int learn_here(const Options& o) {
  if (means_folder(o.what)) {
    const Result<std::vector<Lesson>> lessons = lessons_in(o.what);
    if (!lessons) return report(lessons.error());
    show_lessons(*lessons, o.language);
    const std::string how = o.what.empty() ? "NAME" : (fs::path(o.what) / "NAME.md").string();
    show("\nStart one: tensortide learn {}\n", how);
    return kDone;
  }
  const Result<Lesson> found = find_lesson(o.what);
  if (!found) return report(found.error());
  const Result<fs::path> program = own_program();
  if (!program) return report(program.error());
  const Result<WorkFolder> folder = WorkFolder::make("learn");
  if (!folder) return report(folder.error());
  const Lesson lesson = in_language(*found, o.language);
  return TerminalLesson(lesson, *program, folder->path()).go();
}

int learn(const Options& o) {
  if (o.terminal || !has_display()) return learn_here(o);
  if (!o.language.empty())
    return report(engine::usage_error("[--language] the window has a setting for it: leave it out, or add --terminal"));
  // What is wrong is said here, not in a window.
  if (means_folder(o.what)) {
    if (const auto lessons = lessons_in(o.what); !lessons) return report(lessons.error());
  } else if (const Result<Lesson> lesson = find_lesson(o.what); !lesson) {
    return report(lesson.error());
  }
  const Result<fs::path> program = window_program("shows lessons", "Or add --terminal");
  if (!program) return report(program.error());
  std::vector<std::string> words{"--learn"};
  if (!o.what.empty()) words.push_back(o.what.starts_with('-') ? "./" + o.what : o.what);
  const Result<int> ended = run_program(*program, words);
  return ended ? *ended : report(ended.error());
}

}  // namespace

Handler add_learn(CLI::App& verb) {
  auto o = std::make_shared<Options>();
  verb.add_option("lesson", o->what, "Lesson, its file, or a folder of lessons (default: those that ship)")
      ->option_text("[LESSON|FOLDER]");
  verb.add_flag("--terminal", o->terminal, "Here, also where there is a display");
  verb.add_option("--language", o->language, "Translation, such as de; the window has a setting")->option_text("CODE");
  verb.footer(
      "Example: tensortide learn\n"
      "Example: tensortide learn knee --terminal\n"
      "Without a display, lessons run in the terminal.\n"
      "More: tensortide help lessons");
  return [o] { return learn(*o); };
}

}  // namespace app::cli
