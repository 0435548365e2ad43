// SPDX-License-Identifier: Apache-2.0
// Commands of lessons as children; their files as results for queries.
#include "app/base/lesson_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <system_error>
#include <thread>

#include "app/base/child_run.h"
#include "app/base/roofs.h"
#include "engine/base/display_text.h"
#include "engine/base/json_text.h"
#include "engine/base/read_file.h"
#include "profiler/base/content_hash.h"
#include "profiler/lessons/lesson_blocks.h"
#include "profiler/lessons/lesson_reader.h"
#include "profiler/store/capture_file.h"
#include "profiler/sweep/file.h"

namespace app {
namespace {

namespace fs = std::filesystem;
using engine::Result;
using profiler::Lesson;
using profiler::LessonRun;
using profiler::SourceKind;

SourceKind kind_of(const Lesson& lesson, const LessonRun& run) { return profiler::query_kinds(lesson).at(run.id); }

/// A stop flag of its own: set by the user's, or when the time is over.
class Deadline {
 public:
  Deadline(double seconds, const std::atomic<bool>& stop)
      : watcher_([this, seconds, &stop](const std::stop_token& done) {
          const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
          while (!done.stop_requested()) {
            late_ = late_ || std::chrono::steady_clock::now() > end;
            if (stop || late_) flag_ = true;
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
          }
        }) {}
  const std::atomic<bool>& flag() const { return flag_; }
  bool late() const { return late_; }

 private:
  std::atomic<bool> flag_ = false, late_ = false;
  std::jthread watcher_;
};

/// The words with the value of a vary block: in place of what the option has, else behind.
void change(std::vector<std::string>& words, const std::string& option, const std::string& value) {
  const size_t blank = option.find(' ');
  if (blank == std::string::npos) {
    const auto at = std::ranges::find(words, option);
    if (at != words.end() && at + 1 != words.end()) *(at + 1) = value;
    else words.insert(words.end(), {option, value});
    return;
  }
  const std::string flag = option.substr(0, blank), key = option.substr(blank + 1);
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == flag && words[i + 1].starts_with(key)) {
      words[i + 1] = key + value;
      return;
    }
  }
  words.insert(words.end(), {flag, key + value});
}

/// Few steps, in place of those that the words may have.
void make_quick(std::vector<std::string>& words) {
  for (const auto& [option, value] : {std::pair{"--steps", "3"}, std::pair{"--warmup", "1"}}) {
    const auto at = std::ranges::find(words, option);
    if (at == words.end() || at + 1 == words.end()) words.insert(words.end(), {option, value});
    else if (at[1] == "auto" || std::atoi(at[1].c_str()) > std::atoi(value)) at[1] = value;
  }
}

/// A playground prints a document per line, but one in all with --graph static.
bool by_lines(const LessonRun& run) {
  return run.words.front() == "playground" && std::ranges::find(run.words, "static") == run.words.end();
}

Result<void> run_one(const Lesson& lesson, const LessonRun& run, const LessonRunOptions& options,
                     const std::atomic<bool>& stop) {
  const fs::path file = result_file(lesson, run, options.folder);
  std::error_code ignored;
  fs::remove(file, ignored);
  if (kind_of(lesson, run) == SourceKind::sweep) fs::remove_all(profiler::points_folder(file), ignored);
  const bool prints = kind_of(lesson, run) == SourceKind::document;
  const double most = options.most_seconds > 0 ? options.most_seconds : 10 * run.budget_s;
  const Deadline deadline(most, stop);
  const Result<ChildOutcome> child = run_child(options.program, words_of_run(lesson, run, options, file),
                                               deadline.flag(), options.told, {}, prints ? file : fs::path());
  if (!child) return child.error();
  if (child->end == ChildOutcome::End::done) return {};
  // That a kernel is wrong, or that nothing fits, is a result, too; so is a line of the playground that means nothing,
  // but not a playground that ran no line.
  const bool plays = by_lines(run) && child->exit_code == 2 && fs::file_size(file, ignored) > 0 && !ignored;
  if (child->end == ChildOutcome::End::refused && prints && (child->exit_code == 1 || plays)) return {};
  const std::string why = child->end != ChildOutcome::End::stopped ? child->message
                          : deadline.late()                        ? fmt::format("it took more than {:.0f} s", most)
                                                                   : std::string("it was stopped");
  return engine::refused_error(fmt::format("{}: run {}: {}", lesson.name, run.id, why));
}

/// What a command printed: a document, or (`by_lines`) one per line. Those become {"lines": [...]}, each with its
/// number, from 1.
profiler::QuerySource::Json printed_document(const std::string& text, bool by_lines) {
  using Json = profiler::QuerySource::Json;
  if (!by_lines) return engine::parse_json<Json>(text);
  Json lines = Json::array();
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) {
    Json one = engine::parse_json<Json>(line);
    if (!one.is_object()) return {};
    Json numbered = {{"number", lines.size() + 1}};
    numbered.update(one);
    lines.push_back(std::move(numbered));
  }
  return {{"lines", std::move(lines)}};
}

/// Files of roofs speak of the processor.
bool runs_on_gpu(const std::vector<std::string>& words) {
  const auto option = std::ranges::find(words, "--device");
  return words.end() - option > 1 && engine::traits_of(option[1]).is_gpu;
}

/// What a lesson computes from roofs needs them once.
Result<void> measure_roofs(const LessonRunOptions& options, const std::atomic<bool>& stop) {
  if (!options.roofs.empty() || remembered_roofs()) return {};
  const Result<ChildOutcome> child = run_child(options.program, {"probe"}, stop, options.told);
  return child ? Result<void>() : Result<void>(child.error());
}

}  // namespace

std::vector<std::string> words_of_run(const Lesson& lesson, const LessonRun& run, const LessonRunOptions& options,
                                      const fs::path& file) {
  std::vector<std::string> words = run.words;
  const fs::path home = fs::absolute(lesson.file).parent_path();
  for (size_t i = 1; i < words.size(); ++i) {
    if (const auto work = options.work.find(run.id);
        work != options.work.end() && (words[i] == "@work" || words[i] == "@value")) {
      words[i] = words[i] == "@work" ? fs::absolute(work->second).string() : work->second;
    } else if (words[i].starts_with('@')) {
      if (const LessonRun* other = lesson.run(words[i].substr(1)); other != nullptr)
        words[i] = result_file(lesson, *other, options.folder).string();
    } else if (profiler::names_file(run, i)) {
      words[i] = (home / words[i]).string();
    }
  }
  if (!options.option.empty() && run.id == options.only) change(words, options.option, options.value);
  const SourceKind kind = kind_of(lesson, run);
  if (kind == SourceKind::document) {
    words.emplace_back("--json");
    return words;
  }
  if (words.front() == "import") {
    words.insert(words.end(), {"-o", file.string()});
    return words;
  }
  if (kind == SourceKind::sweep) {
    const auto gives = [&](const char* option) { return std::ranges::find(words, option) != words.end(); };
    if (!gives("--samples")) words.insert(words.end(), {"--samples", "1..3"});
    if (!gives("--seconds")) words.insert(words.end(), {"--seconds", fmt::format("{:g}", run.budget_s)});
    words.emplace_back("--restart");
  }
  if (options.quick) make_quick(words);
  words.emplace_back("--no-probe");
  if (!options.roofs.empty() && !runs_on_gpu(words)) words.insert(words.end(), {"--roofs", options.roofs.string()});
  words.insert(words.end(), {"--progress", "json", "-o", file.string()});
  return words;
}

fs::path result_file(const Lesson& lesson, const LessonRun& run, const fs::path& folder) {
  return folder / (run.id + (kind_of(lesson, run) == SourceKind::document ? ".json" : ".tide"));
}

Result<std::map<std::string, double>> run_lesson(const Lesson& lesson, const LessonRunOptions& options,
                                                 const std::atomic<bool>& stop) {
  std::error_code code;
  fs::create_directories(options.folder, code);
  if (code) return engine::refused_error(fmt::format("{}: {}", options.folder.string(), code.message()));
  if (!options.only.empty() && lesson.run(options.only) == nullptr && lesson.exercise(options.only) == nullptr)
    return engine::usage_error(fmt::format("{} has no run \"{}\"", lesson.name, options.only));
  std::vector<const LessonRun*> runs = lesson.runs();
  for (const auto& [id, work] : options.work) {
    if (Result<void> possible = check_work(lesson, id, work); !possible) return possible.error();
    runs.push_back(&lesson.exercise(id)->check);
  }
  const bool records =
      std::ranges::any_of(runs, [&](const LessonRun* run) { return kind_of(lesson, *run) != SourceKind::document; });
  if (Result<void> probed = records ? measure_roofs(options, stop) : Result<void>(); !probed) return probed.error();
  std::map<std::string, double> seconds;
  for (const LessonRun* run : runs) {
    if (!options.only.empty() && run->id != options.only) continue;
    if (options.starts) options.starts(*run);
    const auto begin = std::chrono::steady_clock::now();
    if (Result<void> done = run_one(lesson, *run, options, stop); !done) return done.error();
    seconds[run->id] = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  return seconds;
}

Result<LessonResults> lesson_results(const Lesson& lesson, const fs::path& folder, Runs which) {
  constexpr uint64_t kMostJsonBytes = uint64_t{64} << 20;
  LessonResults results;
  const auto met = [&](const profiler::Machine& machine) {
    if (results.values.contains("machine")) return;
    results.values["machine"] = profiler::machine_source(machine);
    results.machine = machine.info.model;
  };
  std::vector<const LessonRun*> runs = lesson.runs();
  for (const profiler::LessonExercise* exercise : lesson.exercises()) {
    std::error_code code;
    if (fs::exists(result_file(lesson, exercise->check, folder), code)) runs.push_back(&exercise->check);
  }
  for (const LessonRun* run : runs) {
    const fs::path file = result_file(lesson, *run, folder);
    if (std::error_code code; which == Runs::done && !fs::exists(file, code)) continue;
    const SourceKind kind = kind_of(lesson, *run);
    Result<std::string> digest = profiler::content_hash(file);
    if (!digest) return digest.error();
    results.digests[run->id] = *digest;
    if (kind == SourceKind::capture) {
      auto capture = profiler::open_capture(file);
      if (!capture) return capture.error();
      met((*capture)->machine());
      results.values[run->id] = profiler::capture_source(profiler::analyze(*capture));
    } else if (kind == SourceKind::sweep) {
      Result<profiler::Sweep> sweep = profiler::open_sweep(file);
      if (!sweep) return sweep.error();
      met(sweep->machine);
      results.values[run->id] = profiler::sweep_source(std::make_shared<const profiler::Sweep>(*std::move(sweep)));
    } else {
      const Result<std::string> text = engine::read_file(file, kMostJsonBytes);
      if (!text) return text.error();
      const auto document = printed_document(*text, by_lines(*run));
      if (!document.is_object()) return engine::refused_error(fmt::format("{}: holds no JSON object", file.string()));
      results.values[run->id] = profiler::document_source(document);
    }
  }
  if (!results.values.contains("machine")) met(remembered_roofs().value_or(profiler::Machine()));
  return results;
}

Result<void> check_work(const Lesson& lesson, const std::string& exercise, const std::string& work) {
  const profiler::LessonExercise* found = lesson.exercise(exercise);
  if (found == nullptr)
    return engine::usage_error(
        fmt::format("{} has no exercise \"{}\"", lesson.name, engine::display_line(exercise, 60)));
  std::error_code code;
  if (found->takes_file()) {
    if (fs::is_regular_file(work, code)) return {};
    return engine::refused_error(fmt::format("exercise {}: {} is no file", exercise, engine::display_line(work, 200)));
  }
  constexpr size_t kMost = 60;
  if (!work.empty() && work.size() <= kMost && work[0] != '-' && work[0] != '@') return {};
  return engine::usage_error(
      fmt::format("exercise {}: \"{}\": expected a word such as 64", exercise, engine::display_line(work, kMost)));
}

Result<std::vector<profiler::JudgedExercise>> judge_exercises(const Lesson& lesson,
                                                              const profiler::QueryResults& values) {
  std::vector<profiler::JudgedExercise> all;
  for (const profiler::LessonExercise* exercise : lesson.exercises()) {
    profiler::AnswerValues found;
    if (values.contains(exercise->check.id)) {
      Result<profiler::AnswerValues> known = profiler::exercise_values(*exercise, values);
      if (!known)
        return engine::refused_error(
            fmt::format("{}: exercise {}: {}", lesson.name, exercise->check.id, known.error().message));
      found = *std::move(known);
    }
    all.push_back(profiler::judge(*exercise, found));
  }
  return all;
}

std::string fault_of_work(const profiler::QueryResults& values, const std::string& exercise) {
  const auto result = values.find(exercise);
  const auto* fault = result != values.end() ? result->second->find("fault") : nullptr;
  if (fault == nullptr || !fault->is_object() || !fault->contains("message") || !(*fault)["message"].is_string())
    return {};
  return engine::display_text((*fault)["message"].get<std::string>());
}

Result<std::vector<profiler::Judged>> judge_all(const Lesson& lesson, const profiler::QueryResults& values,
                                                const profiler::GivenAnswers& answers) {
  std::vector<profiler::Judged> all;
  for (const profiler::LessonQuestion* p : lesson.predictions()) {
    const profiler::LessonAnswer* answer = lesson.answer(p->id);
    if (answer == nullptr) continue;
    const Result<profiler::AnswerValues> found = profiler::answer_values(*answer, values);
    if (!found)
      return engine::refused_error(fmt::format("{}: question {}: {}", lesson.name, p->id, found.error().message));
    const auto given = answers.find(p->id);
    all.push_back(profiler::judge(*p, *answer, *found, given != answers.end() ? &given->second : nullptr));
  }
  return all;
}

}  // namespace app
