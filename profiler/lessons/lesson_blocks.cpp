// SPDX-License-Identifier: Apache-2.0
// Reads the blocks of a lesson, a function per kind.
#include "profiler/lessons/lesson_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <tuple>
#include <utility>

#include "profiler/lessons/lesson_reader.h"

namespace profiler {
namespace {

using Block = decltype(LessonBlock::is);

std::string read_id(TomlBlock& block, const char* key, bool required = true) {
  const std::string id = block.text(key, required, 40);
  const bool good = std::ranges::all_of(id, [](char c) {
    return std::islower(static_cast<unsigned char>(c)) != 0 || std::isdigit(static_cast<unsigned char>(c)) != 0 ||
           c == '_';
  });
  if (!id.empty() && (!good || std::isdigit(static_cast<unsigned char>(id[0])) != 0)) {
    block.fault(key, "an id has small letters, digits and _, and begins with a letter");
    return {};
  }
  return id;
}

/// "intensity = [0.01, 1000]".
std::pair<double, double> read_range(TomlBlock& block, const char* key, std::pair<double, double> usual) {
  const std::vector<double> ends = block.numbers(key);
  if (ends.empty()) return usual;
  if (ends.size() == 2 && ends[0] > 0 && ends[0] < ends[1]) return {ends[0], ends[1]};
  block.fault(key, "expected the two ends of a logarithmic axis, such as [0.01, 1000]");
  return usual;
}

/// Where a curve has its values.
void read_places(TomlBlock& block, LessonQuestion& p) {
  p.at = block.numbers("at");
  p.at_unit = block.text("at_unit", false, 40);
  const bool ascend = p.at.size() >= 3 && std::ranges::adjacent_find(p.at, std::greater_equal<>()) == p.at.end();
  if (!ascend) block.fault("at", "expected 3 to 12 places that ascend, such as [1, 4, 16, 64]");
  else if (p.logarithmic && p.at.front() <= 0) block.fault("at", "a logarithmic axis begins above 0");
}

Block read_predict(TomlBlock& block) {
  using Kind = LessonQuestion::Kind;
  static const std::map<std::string, Kind> kinds{
      {"choice", Kind::choice}, {"number", Kind::number}, {"order", Kind::order}, {"mark", Kind::mark},
      {"point", Kind::point},   {"curve", Kind::curve},   {"role", Kind::role}};
  LessonQuestion p;
  p.id = read_id(block, "id");
  const std::string kind = block.word("kind", {"choice", "number", "order", "mark", "point", "curve", "role"});
  const auto found = kinds.find(kind);
  p.kind = found != kinds.end() ? found->second : Kind::choice;
  p.question = block.text("question", true, 1000);
  if (p.kind == Kind::choice || p.kind == Kind::order) {
    p.items = block.texts(p.kind == Kind::choice ? "choices" : "items", 2, 12, true);
  } else if (p.kind == Kind::role) {
    p.items = block.texts("tensors", 1, 12, true);
  } else if (p.kind != Kind::point) {
    p.unit = block.text("unit", false, 40);
  }
  if (p.kind == Kind::mark || p.kind == Kind::curve) {
    p.low = block.number("low", 0, -1e18, 1e18, true);
    p.high = block.number("high", 1, -1e18, 1e18, true);
    p.logarithmic = block.flag("log");
    if (!(p.low < p.high)) block.fault("high", "the axis ends where it begins, or before");
    if (p.logarithmic && p.low <= 0) block.fault("low", "a logarithmic axis begins above 0");
  }
  if (p.kind == Kind::curve) read_places(block, p);
  if (p.kind == Kind::point) {
    std::tie(p.across_low, p.across_high) = read_range(block, "intensity", {0.01, 1000});
    std::tie(p.low, p.high) = read_range(block, "rate", {1e8, 1e13});
  }
  block.finish();
  return p;
}

/// Words of a command line, blanks between them; quotes keep blanks.
std::vector<std::string> words_of_line(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  bool any = false;
  for (const char c : line) {
    if (quote != 0) {
      if (c == quote) quote = 0;
      else word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      any = true;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (any || !word.empty()) words.push_back(word);
      word.clear();
      any = false;
    } else {
      word += c;
    }
  }
  if (any || !word.empty()) words.push_back(word);
  return words;
}

Block read_run(TomlBlock& block) {
  LessonRun run;
  run.id = read_id(block, "id");
  run.words = words_of_line(block.text("command", true, 2000));
  if (!run.words.empty() && run.words.front() == "tensortide") run.words.erase(run.words.begin());
  run.budget_s = block.number("budget_s", 20, 1, 600);
  block.finish();
  return run;
}

Block read_reveal(TomlBlock& block) {
  LessonReveal reveal;
  reveal.run = read_id(block, "run");
  reveal.view = block.word("view",
                           {"traffic", "timeline", "network", "roofline", "findings", "cache", "memory", "ops", "sweep",
                            "values", "summary"},
                           "summary");
  reveal.predict = read_id(block, "predict", false);
  reveal.op = block.text("op", false, 200);
  block.finish();
  return reveal;
}

/// "1.5x", "10 %", "0.5".
void read_within(TomlBlock& block, LessonAnswer& answer) {
  const std::string text = block.text("within", false, 40);
  if (text.empty()) {
    answer.within_factor = 1.5;
    return;
  }
  double value = 0;
  const auto [rest, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string unit(rest, text.data() + text.size());
  std::erase(unit, ' ');
  if (code == std::errc() && unit == "x" && value > 1 && value <= 1000) answer.within_factor = value;
  else if (code == std::errc() && unit == "%" && value > 0 && value <= 100) answer.within_share = value / 100;
  else if (code == std::errc() && unit.empty() && value >= 0) answer.within = value;
  else block.fault("within", "expected a factor above 1 (\"1.5x\"), a share (\"10 %\") or a difference (\"0.5\")");
}

Block read_answer(TomlBlock& block) {
  LessonAnswer answer;
  answer.predict = read_id(block, "predict");
  answer.query = block.text("query", false, kMostQueryBytes);
  answer.queries = block.texts("queries", 1, 12);
  answer.bins = block.numbers("bins");
  answer.values = block.texts("values", 2, 12);
  const std::string pick = block.word("pick", {"largest", "smallest"}, "largest");
  answer.largest = pick != "smallest";
  read_within(block, answer);
  answer.rank_correlation = block.number("rank_correlation", 0.8, 0, 1);
  answer.points = block.number("points", 1, 0, 100);
  if (!std::ranges::is_sorted(answer.bins, std::less_equal<>()) && answer.bins.size() > 1)
    block.fault("bins", "expected numbers that ascend");
  if (answer.query.empty() == answer.queries.empty())
    block.fault("query", "give either query, or queries with one for each item");
  block.finish();
  return answer;
}

LessonComparison read_comparison(TomlBlock& block, const char* key, bool required) {
  const std::string text = block.text(key, required, 2 * kMostQueryBytes);
  LessonComparison comparison = parse_comparison(text);
  if (!text.empty() && comparison.sign.empty())
    block.fault(key, "expected a comparison with <, <=, >, >= or ==, as in small.step_ns < large.step_ns");
  return comparison;
}

Block read_claim(TomlBlock& block) {
  LessonClaim claim;
  claim.text = block.text("text", true, 500);
  claim.expect = read_comparison(block, "expect", true);
  if (block.has("when")) claim.when.push_back(read_comparison(block, "when", false));
  block.finish();
  return claim;
}

Block read_vary(TomlBlock& block) {
  LessonVary vary;
  vary.run = read_id(block, "run");
  vary.option = block.text("option", true, 60);
  vary.values = block.texts("values", 2, 12, true);
  vary.question = block.text("question", true, 1000);
  if (!vary.option.empty() && !vary.option.starts_with("--"))
    block.fault("option", "expected an option of the command, such as --batch or --set width=");
  block.finish();
  return vary;
}

Block read_exercise(TomlBlock& block) {
  LessonExercise exercise;
  exercise.check.id = read_id(block, "id");
  exercise.task = block.text("task", true);
  exercise.check.words = words_of_line(block.text("check", true, 2000));
  if (!exercise.check.words.empty() && exercise.check.words.front() == "tensortide")
    exercise.check.words.erase(exercise.check.words.begin());
  exercise.check.budget_s = block.number("budget_s", 20, 1, 600);
  exercise.starter = block.text("starter", false, 200);
  exercise.solution = block.text("solution", false, 200);
  for (const std::string& text : block.texts("expect", 1, 6, true)) {
    exercise.expect.push_back(parse_comparison(text));
    if (exercise.expect.back().sign.empty())
      block.fault("expect", "expected comparisons with <, <=, >, >= or ==, as in tiles.misses <= 300");
  }
  exercise.points = block.number("points", 1, 0, 100);
  block.finish();
  return exercise;
}

constexpr std::array kReaders{std::pair{"predict", &read_predict},  std::pair{"run", &read_run},
                              std::pair{"reveal", &read_reveal},    std::pair{"answer", &read_answer},
                              std::pair{"claim", &read_claim},      std::pair{"vary", &read_vary},
                              std::pair{"exercise", &read_exercise}};

}  // namespace

const std::vector<std::string>& block_kinds() {
  static const std::vector<std::string> kinds = [] {
    std::vector<std::string> all;
    for (const auto& [kind, reader] : kReaders) all.emplace_back(kind);
    all.insert(all.end(), {"explain", "note"});
    return all;
  }();
  return kinds;
}

Block read_block(const std::string& kind, TomlBlock& block) {
  const auto found = std::ranges::find_if(kReaders, [&](const auto& reader) { return kind == reader.first; });
  CHECK(found != kReaders.end());
  return found->second(block);
}

bool is_row_id(const std::string& row) {
  if (row == "L") return true;
  return row.size() >= 2 && row.size() <= 3 && row[0] >= 'A' && row[0] <= 'K' && row[1] != '0' &&
         std::ranges::all_of(row.substr(1), [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

LessonComparison parse_comparison(const std::string& text) {
  int depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '[') ++depth;
    if (text[at] == ']') --depth;
    if (depth > 0) continue;
    for (const char* sign : {"<=", ">=", "==", "<", ">"}) {
      if (!text.substr(at).starts_with(sign)) continue;
      return {text.substr(0, at), sign, text.substr(at + std::string(sign).size())};
    }
  }
  return {text, "", ""};
}

}  // namespace profiler
