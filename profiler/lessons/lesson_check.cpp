// SPDX-License-Identifier: Apache-2.0
// What must hold between the blocks of a lesson, and for its commands.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <system_error>

#include "engine/base/display_text.h"
#include "engine/base/nearest_name.h"
#include "profiler/lessons/lesson_blocks.h"
#include "profiler/lessons/lesson_reader.h"

namespace profiler {
namespace {

namespace fs = std::filesystem;

const std::map<std::string, SourceKind>& commands() {
  static const std::map<std::string, SourceKind> all{
      {"run", SourceKind::capture},       {"sweep", SourceKind::sweep},       {"cache", SourceKind::document},
      {"compare", SourceKind::document},  {"predict", SourceKind::document},  {"number", SourceKind::document},
      {"fit", SourceKind::document},      {"devices", SourceKind::document},  {"kernel", SourceKind::document},
      {"import", SourceKind::capture},    {"inspect", SourceKind::document},  {"playground", SourceKind::document},
      {"systolic", SourceKind::document}, {"published", SourceKind::document}};
  return all;
}

/// Options that the program that runs a lesson gives itself.
const std::vector<std::string> kOurs{"-o",      "--output",   "--progress", "--json",         "--format",
                                     "--roofs", "--no-probe", "--restart",  "--check-finite", "-h",
                                     "--help",  "--trusted",  "--new"};

class Checker {
 public:
  Checker(const Lesson& lesson, const fs::path& folder, const TomlBlock::Fault& fault)
      : lesson_(lesson), folder_(folder), fault_(fault), kinds_(query_kinds(lesson)) {}

  void check() {
    bool any = false;
    for (const LessonBlock& block : lesson_.blocks) {
      line_ = block.line;
      std::visit([&](const auto& is) { check_block(is); }, block.is);
      any = any || !std::holds_alternative<LessonText>(block.is);
    }
    line_ = 1;
    for (const LessonQuestion* p : lesson_.predictions())
      if (!p->id.empty() && lesson_.answer(p->id) == nullptr)
        fault_(line_of(p->id),
               fmt::format("[predict] {} has no answer: add a block answer with predict = \"{}\"", p->id, p->id));
  }

 private:
  void wrong(const std::string& what) { fault_(line_, what); }
  int line_of(const std::string& prediction) const {
    for (const LessonBlock& block : lesson_.blocks)
      if (const auto* p = std::get_if<LessonQuestion>(&block.is); p != nullptr && p->id == prediction)
        return block.line;
    return 1;
  }
  void own_id(const char* kind, const std::string& id) {
    if (id.empty()) return;
    if (id == "machine" || !ids_.insert(id).second)
      wrong(fmt::format("{} id: \"{}\" {}", kind, id,
                        id == "machine" ? "is taken: it names the machine" : "is used twice"));
  }
  void query(const char* where, const std::string& text) {
    if (text.empty()) return;
    if (const std::string what = query_fault(text, kinds_); !what.empty()) wrong(fmt::format("{}: {}", where, what));
  }

  void check_block(const LessonText& text) {
    for (const QueryPlace& place : queries_in(text.markdown)) {
      const int before = static_cast<int>(
          std::count(text.markdown.begin(), text.markdown.begin() + static_cast<std::ptrdiff_t>(place.begin), '\n'));
      const std::string what = query_fault(place.query, kinds_);
      if (!what.empty())
        fault_(line_ + before + (text.kind == LessonText::Kind::text ? 0 : 1), what + " (a brace of the text is \\{)");
    }
  }
  void check_block(const LessonQuestion& p) { own_id("[predict]", p.id); }
  void check_block(const LessonReveal& reveal) {
    const auto kind = kinds_.find(reveal.run);
    if (reveal.run.empty()) return;
    if (lesson_.run(reveal.run) == nullptr || kind == kinds_.end()) {
      wrong(fmt::format("[reveal] run: no run has the id \"{}\"", reveal.run));
      return;
    }
    if (reveal.view == "sweep" && kind->second != SourceKind::sweep)
      wrong(fmt::format("[reveal] view: \"{}\" is no sweep", reveal.run));
    if (reveal.view != "sweep" && reveal.view != "summary" && kind->second != SourceKind::capture)
      wrong(fmt::format("[reveal] view: {} shows captures, and \"{}\" records none", reveal.view, reveal.run));
    if (!reveal.predict.empty() && lesson_.prediction(reveal.predict) == nullptr)
      wrong(fmt::format("[reveal] predict: there is no question \"{}\"", reveal.predict));
  }
  void check_block(const LessonClaim& claim) {
    query("[claim] expect", claim.expect.left);
    query("[claim] expect", claim.expect.right);
    for (const LessonComparison& when : claim.when) {
      query("[claim] when", when.left);
      query("[claim] when", when.right);
    }
  }
  void check_block(const LessonVary& vary) {
    const LessonRun* run = lesson_.run(vary.run);
    if (run == nullptr) wrong(fmt::format("[vary] run: no run has the id \"{}\"", vary.run));
    else if (!run->words.empty() && run->words.front() != "run")
      wrong(fmt::format("[vary] run: \"{}\" is no run of a workload", vary.run));
    for (const std::string& value : vary.values) check_word("[vary] values", value, false);
    refuse_ours("[vary] option", vary.option);
  }

  void check_block(const LessonAnswer& answer) {
    const LessonQuestion* p = lesson_.prediction(answer.predict);
    if (!answer.predict.empty() && !answered_.insert(answer.predict).second)
      wrong(fmt::format("[answer] predict: \"{}\" is answered twice", answer.predict));
    query("[answer] query", answer.query);
    for (const std::string& one : answer.queries) query("[answer] queries", one);
    if (p == nullptr) {
      if (!answer.predict.empty()) wrong(fmt::format("[answer] predict: there is no question \"{}\"", answer.predict));
      return;
    }
    if (answer.query.empty() && answer.queries.empty()) return;
    const size_t items = p->items.size();
    const auto needs = [&](const char* key, size_t wanted, size_t given) {
      if (wanted != given) wrong(fmt::format("[answer] {}: has {}, and \"{}\" needs {}", key, given, p->id, wanted));
    };
    using Kind = LessonQuestion::Kind;
    if (p->kind == Kind::order || p->kind == Kind::role || (p->kind == Kind::choice && answer.query.empty())) {
      needs("queries", items, answer.queries.size());
    } else if (p->kind == Kind::curve) {
      needs("queries", p->at.size(), answer.queries.size());
    } else if (p->kind == Kind::point) {
      needs("queries", 2, answer.queries.size());
      if (answer.within_factor <= 0)
        wrong("[answer] within: a point is right up to a factor on both axes, such as \"2x\"");
    } else if (p->kind == Kind::choice) {
      if (answer.bins.empty() == answer.values.empty())
        wrong(
            "[answer] query: say which choice it means, by bins (numbers between the choices) or values (a text for "
            "each)");
      else if (!answer.bins.empty()) needs("bins", items - 1, answer.bins.size());
      else needs("values", items, answer.values.size());
    } else if (!answer.queries.empty()) {
      wrong(fmt::format("[answer] queries: \"{}\" is one number, and has one query", p->id));
    }
  }

  void check_block(const LessonRun& run) {
    own_id("[run]", run.id);
    check_command("[run] command", run, false);
  }

  void check_block(const LessonExercise& exercise) {
    own_id("[exercise]", exercise.check.id);
    for (const LessonComparison& one : exercise.expect) {
      query("[exercise] expect", one.left);
      query("[exercise] expect", one.right);
    }
    const auto count = [&](const char* word) { return std::ranges::count(exercise.check.words, word); };
    if (!exercise.check.words.empty() && count("@work") + count("@value") != 1)
      wrong("[exercise] check: give either @work (the file of the learner) or @value (a word of the learner), once");
    check_command("[exercise] check", exercise.check, true);
    for (const auto& [key, file] : {std::pair{"starter", &exercise.starter}, {"solution", &exercise.solution}}) {
      if (file->empty()) continue;
      const bool is_file = exercise.takes_file();
      if (!is_file && file == &exercise.starter) wrong("[exercise] starter: a word begins with nothing");
      else check_word(fmt::format("[exercise] {}", key).c_str(), *file, is_file);
    }
  }

  /// `of_work`: a check of an exercise.
  void check_command(const char* where, const LessonRun& run, bool of_work) {
    if (run.words.empty()) return;
    std::vector<std::string> names;
    for (const auto& [name, kind] : commands()) names.push_back(name);
    const std::string& command = run.words.front();
    if (std::ranges::find(names, command) == names.end()) {
      wrong(fmt::format("{}: a lesson cannot run \"{}\"{} There are: {}", where, engine::display_line(command, 60),
                        engine::did_you_mean(command, names), fmt::join(names, ", ")));
      return;
    }
    for (size_t i = 1; i < run.words.size(); ++i) {
      if (of_work && (run.words[i] == "@work" || run.words[i] == "@value")) continue;
      refuse_ours(where, run.words[i]);
      check_word(where, run.words[i], names_file(run, i));
    }
    if (run.words.size() > 1 && command == "run" && run.words[1].starts_with('-'))
      wrong(fmt::format("{}: name the workload first, as in run mlp --batch 8", where));
  }

  void refuse_ours(const char* where, const std::string& word) {
    const std::string option = word.substr(0, word.find_first_of("= "));
    if (std::ranges::find(kOurs, option) != kOurs.end() || (word.starts_with("-o") && !word.starts_with("--")))
      wrong(fmt::format("{}: {} is not for lessons: files and formats are chosen by who runs it", where,
                        engine::display_line(option, 60)));
  }

  /// A word may name a file of the lesson's folder, or the result of an earlier run.
  void check_word(const char* where, const std::string& word, bool is_file) {
    if (word.starts_with("--trace=")) wrong(fmt::format("{}: write --trace FILE, with a blank between", where));
    const size_t equals = word.find('=');
    for (const std::string& part : {word, equals == std::string::npos ? std::string() : word.substr(equals + 1)}) {
      const std::string shown = engine::display_line(part, 80);
      if (part.starts_with('@')) {
        if (!ids_.contains(part.substr(1)) || lesson_.run(part.substr(1)) == nullptr)
          wrong(fmt::format("{}: \"{}\" names no earlier run", where, shown));
        continue;
      }
      const fs::path path(part);
      if (path.is_absolute() || part.starts_with('~') ||
          std::ranges::any_of(path, [](const fs::path& one) { return one == ".."; })) {
        wrong(fmt::format("{}: \"{}\" leaves the folder of the lesson", where, shown));
        return;
      }
      if (!is_file) continue;
      std::error_code code;
      const fs::path whole = fs::weakly_canonical(folder_ / path, code);
      const fs::path root = fs::weakly_canonical(folder_.empty() ? fs::path(".") : folder_, code);
      if (const fs::path inside = whole.lexically_relative(root); inside.empty() || *inside.begin() == "..")
        wrong(fmt::format("{}: \"{}\" leads out of the folder of the lesson", where, shown));
      else if (!fs::is_regular_file(whole, code))
        wrong(fmt::format("{}: \"{}\" is no file in the folder of the lesson", where, shown));
      return;
    }
  }

  const Lesson& lesson_;
  const fs::path& folder_;
  const TomlBlock::Fault& fault_;
  QueryKinds kinds_;
  std::set<std::string> ids_, answered_;
  int line_ = 1;
};

}  // namespace

bool names_file(const LessonRun& run, size_t at) {
  if (at == 0 || at >= run.words.size() || run.words[at].starts_with('-') || run.words[at].starts_with('@'))
    return false;
  if (run.words[at - 1] == "--trace" || run.words[at - 1] == "--against") return true;
  static const std::set<std::string> without_files{"number", "devices", "systolic", "published"};
  const bool computes = !without_files.contains(run.words.front());
  return (at == 1 && computes && run.words[1].find_first_of("./") != std::string::npos) ||
         (run.words.front() == "compare" && !run.words[at - 1].starts_with("--"));
}

const std::vector<std::string>& lesson_commands() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& [name, kind] : commands()) all.push_back(name);
    return all;
  }();
  return names;
}

QueryKinds query_kinds(const Lesson& lesson) {
  QueryKinds kinds{{"machine", SourceKind::machine}};
  for (const LessonRun* run : lesson.runs()) {
    const auto command = run->words.empty() ? commands().end() : commands().find(run->words.front());
    kinds[run->id] = command != commands().end() ? command->second : SourceKind::document;
  }
  for (const LessonExercise* exercise : lesson.exercises()) {
    const std::vector<std::string>& words = exercise->check.words;
    const auto command = words.empty() ? commands().end() : commands().find(words.front());
    kinds[exercise->check.id] = command != commands().end() ? command->second : SourceKind::document;
  }
  return kinds;
}

void check_lesson(const Lesson& lesson, const fs::path& folder, const TomlBlock::Fault& fault) {
  Checker(lesson, folder, fault).check();
}

}  // namespace profiler
