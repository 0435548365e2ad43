// SPDX-License-Identifier: Apache-2.0
// Truth, points and words of the predictions of a lesson.
#include "profiler/lessons/answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>

#include "engine/base/display_text.h"

namespace profiler {
namespace {

using engine::Result;
using nlohmann::json;
using Kind = LessonQuestion::Kind;

engine::Error wrong_answer(const LessonQuestion& p, const std::string& what) {
  return engine::refused_error(fmt::format("answer to \"{}\": {}", p.id, what));
}

/// point: [FLOP per byte, FLOP/s]; curve: a value per place.
Result<GivenAnswer> numbers_answer(const LessonQuestion& p, const json& list) {
  const bool point = p.kind == Kind::point;
  const size_t wanted = point ? 2 : p.at.size();
  const auto good = [&](const json& one) {
    return one.is_number() && std::isfinite(one.get<double>()) && (!point || one.get<double>() > 0);
  };
  if (!list.is_array() || list.size() != wanted || !std::ranges::all_of(list, good))
    return wrong_answer(p, point ? "expected two numbers above 0: [FLOP per byte, FLOP/s]"
                                 : fmt::format("expected a list of {} numbers", wanted));
  return GivenAnswer{{}, 0, list.get<std::vector<double>>()};
}

json roles_json(const GivenAnswer& answer) {
  json roles = json::array();
  for (const int item : answer.items) roles.push_back(lesson_roles().at(static_cast<size_t>(item)));
  return roles;
}

Result<GivenAnswer> role_answer(const LessonQuestion& p, const json& list) {
  if (!list.is_array() || list.size() != p.items.size())
    return wrong_answer(p, fmt::format("expected a list of {} roles", p.items.size()));
  GivenAnswer answer;
  for (const json& one : list) {
    const auto at = std::ranges::find(lesson_roles(), one.is_string() ? one.get<std::string>() : std::string());
    if (at == lesson_roles().end())
      return wrong_answer(p, fmt::format("expected roles of: {}", fmt::join(lesson_roles(), ", ")));
    answer.items.push_back(static_cast<int>(at - lesson_roles().begin()));
  }
  return answer;
}

Result<GivenAnswer> one_answer(const LessonQuestion& p, const json& value) {
  const auto wrong = [&](const std::string& what) { return wrong_answer(p, what); };
  GivenAnswer answer;
  if (p.kind == Kind::number || p.kind == Kind::mark) {
    if (!value.is_number() || !std::isfinite(value.get<double>())) return wrong("expected a number");
    answer.number = value.get<double>();
    return answer;
  }
  if (p.kind == Kind::point || p.kind == Kind::curve) return numbers_answer(p, value);
  if (p.kind == Kind::role) return role_answer(p, value);
  const json list = p.kind == Kind::choice ? json::array({value}) : value;
  const size_t wanted = p.kind == Kind::choice ? 1 : p.items.size();
  if (!list.is_array() || list.size() != wanted)
    return wrong(fmt::format("expected {}", p.kind == Kind::choice ? "the position of a choice, from 0"
                                                                   : fmt::format("{} positions", wanted)));
  std::set<int> seen;
  for (const json& item : list) {
    if (!item.is_number_integer() || item < 0 || item >= static_cast<int>(p.items.size()))
      return wrong(fmt::format("expected a position from 0 to {}", p.items.size() - 1));
    const int at = item.get<int>();
    if (!seen.insert(at).second) return wrong(fmt::format("position {} is there twice", at));
    answer.items.push_back(at);
  }
  return answer;
}

/// Which choice the values mean; nothing: unknown.
std::optional<int> true_choice(const LessonAnswer& answer, const AnswerValues& values) {
  if (!answer.queries.empty()) {
    std::optional<int> best;
    for (size_t i = 0; i < values.size(); ++i) {
      const double x = values[i].number();
      if (std::isnan(x)) return std::nullopt;
      const double so_far = best ? values[static_cast<size_t>(*best)].number() : 0;
      if (!best || (answer.largest ? x > so_far : x < so_far)) best = static_cast<int>(i);
    }
    return best;
  }
  if (values.empty() || !values.front().known()) return std::nullopt;
  if (!answer.values.empty()) {
    const auto at = std::ranges::find(answer.values, values.front().text());
    if (at == answer.values.end()) return std::nullopt;
    return static_cast<int>(at - answer.values.begin());
  }
  const double x = values.front().number();
  if (std::isnan(x)) return std::nullopt;
  return static_cast<int>(std::ranges::count_if(answer.bins, [&](double bin) { return x >= bin; }));
}

std::vector<int> true_order(const LessonAnswer& answer, const AnswerValues& values) {
  std::vector<int> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](int a, int b) {
    const double x = values[static_cast<size_t>(a)].number(), y = values[static_cast<size_t>(b)].number();
    return answer.largest ? x > y : x < y;
  });
  return order;
}

std::string order_words(const LessonQuestion& p, const std::vector<int>& order) {
  std::vector<std::string> words;
  for (const int at : order) words.push_back(p.items[static_cast<size_t>(at)]);
  return fmt::format("{}", fmt::join(words, ", then "));
}

bool near(const LessonAnswer& answer, double given, double truth) {
  if (answer.within_factor > 0)
    return given == truth ||
           (given > 0 && truth > 0 && std::abs(std::log(given / truth)) <= std::log(answer.within_factor) + 1e-12);
  if (answer.within_share > 0) return std::abs(given - truth) <= answer.within_share * std::abs(truth) * (1 + 1e-12);
  return std::abs(given - truth) <= answer.within + 1e-12 * std::abs(truth);
}

std::string difference_words(double given, double truth) {
  if (given == truth) return "exact";
  if (given > 0 && truth > 0) {
    const double ratio = given / truth;
    return ratio > 1 ? fmt::format("{:.3g}x too large", ratio) : fmt::format("{:.3g}x too small", 1 / ratio);
  }
  return fmt::format("{:.3g} too {}", std::abs(given - truth), given > truth ? "large" : "small");
}

std::string with_unit(double value, const std::string& unit) {
  const std::string number =
      value == std::floor(value) && std::abs(value) < 1e7 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
  return unit.empty() ? number : fmt::format("{} {}", number, unit);
}

void judge_number(const LessonQuestion& p, const LessonAnswer& answer, const AnswerValues& values,
                  const GivenAnswer* given, Judged& judged) {
  const double truth = values.empty() ? std::nan("") : values.front().number();
  judged.known = !std::isnan(truth);
  if (judged.known) judged.truth = with_unit(truth, p.unit);
  if (given == nullptr) return;
  judged.answer = with_unit(given->number, p.unit);
  if (!judged.known) return;
  judged.right = near(answer, given->number, truth);
  judged.difference = difference_words(given->number, truth);
}

std::string point_words(double intensity, double rate) {
  return fmt::format("{}, {}", format_quantity(intensity, Quantity::intensity),
                     format_quantity(rate, Quantity::flop_per_s));
}

void judge_point(const LessonAnswer& answer, const AnswerValues& values, const GivenAnswer* given, Judged& judged) {
  const double x = values.size() == 2 ? values[0].number() : std::nan(""),
               y = values.size() == 2 ? values[1].number() : std::nan("");
  judged.known = x > 0 && y > 0;
  if (judged.known) judged.truth = point_words(x, y);
  if (given == nullptr) return;
  judged.answer = point_words(given->numbers.at(0), given->numbers.at(1));
  if (!judged.known) return;
  judged.right = near(answer, given->numbers[0], x) && near(answer, given->numbers[1], y);
  judged.difference = fmt::format("intensity {}, rate {}", difference_words(given->numbers[0], x),
                                  difference_words(given->numbers[1], y));
}

std::string list_words(const std::vector<double>& values, const std::string& unit) {
  std::vector<std::string> words;
  for (const double value : values) words.push_back(std::isnan(value) ? "–" : fmt::format("{:.3g}", value));
  return fmt::format("{}{}{}", fmt::join(words, ", "), unit.empty() ? "" : " ", unit);
}

/// Places without a value count neither for nor against; with fewer than two there is no curve.
void judge_curve(const LessonQuestion& p, const LessonAnswer& answer, const AnswerValues& values,
                 const GivenAnswer* given, Judged& judged) {
  std::vector<double> truth;
  for (const QueryValue& value : values) truth.push_back(value.number());
  const auto there = std::ranges::count_if(truth, [](double value) { return !std::isnan(value); });
  judged.known = truth.size() == p.at.size() && there >= 2;
  if (judged.known) judged.truth = list_words(truth, p.unit);
  if (given == nullptr) return;
  judged.answer = list_words(given->numbers, p.unit);
  if (!judged.known) return;
  std::ptrdiff_t close = 0;
  size_t worst = 0;
  double furthest = -1;
  for (size_t i = 0; i < truth.size(); ++i) {
    if (std::isnan(truth[i])) continue;
    if (near(answer, given->numbers.at(i), truth[i])) ++close;
    const double given_here = given->numbers[i];
    const double apart =
        given_here > 0 && truth[i] > 0 ? std::abs(std::log(given_here / truth[i])) : std::abs(given_here - truth[i]);
    if (apart > furthest) furthest = apart, worst = i;
  }
  judged.right = static_cast<double>(close) >= kEnoughOfCurve * static_cast<double>(there) - 1e-12;
  judged.difference =
      fmt::format("{} of {} places close; furthest at {}: {}", close, there, with_unit(p.at[worst], p.at_unit),
                  difference_words(given->numbers[worst], truth[worst]));
}

std::string role_words(const LessonQuestion& p, size_t tensor, const std::string& role) {
  return fmt::format("{}: {}", p.items[tensor], role);
}

void judge_roles(const LessonQuestion& p, const LessonAnswer& answer, const AnswerValues& values,
                 const GivenAnswer* given, Judged& judged) {
  std::vector<std::string> truths, answers;
  size_t there = 0, right = 0;
  for (size_t i = 0; i < p.items.size(); ++i) {
    const std::string truth = i < values.size() ? values[i].text() : std::string();
    truths.push_back(role_words(p, i, truth.empty() ? "–" : truth));
    there += truth.empty() ? 0 : 1;
    if (given == nullptr) continue;
    const std::string& role = lesson_roles().at(static_cast<size_t>(given->items.at(i)));
    answers.push_back(role_words(p, i, role));
    right += !truth.empty() && role == truth ? 1 : 0;
  }
  judged.known = there > 0;
  if (judged.known) judged.truth = fmt::format("{}", fmt::join(truths, ", "));
  judged.answer = fmt::format("{}", fmt::join(answers, ", "));
  judged.right = judged.known && right == there;
  if (!judged.known) return;
  judged.points = answer.points * static_cast<double>(right) / static_cast<double>(there);
  if (given != nullptr) judged.difference = fmt::format("{} of {} right", right, there);
}

/// Unknown values compare as nothing.
bool holds(const std::string& sign, const QueryValue& a, const QueryValue& b) {
  if (!a.known() || !b.known()) return false;
  if (sign == "==" && (a.value.index() == 2 || b.value.index() == 2)) return a.text() == b.text();
  const double x = a.number(), y = b.number();
  return sign == "<" ? x < y : sign == "<=" ? x <= y : sign == ">" ? x > y : sign == ">=" ? x >= y : x == y;
}

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<double> rank(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    double below = 0, equal = 0;
    for (const double other : values) {
      below += other < values[i] ? 1 : 0;
      equal += other == values[i] ? 1 : 0;
    }
    rank[i] = below + (equal - 1) / 2;
  }
  return rank;
}

}  // namespace

Result<GivenAnswers> answers_from_json(const Lesson& lesson, const json& document) {
  if (!document.is_object()) return engine::refused_error("answers: expected an object such as {\"knee\": 16}");
  GivenAnswers answers;
  for (const auto& [id, value] : document.items()) {
    const LessonQuestion* p = lesson.prediction(id);
    if (p == nullptr)
      return engine::refused_error(
          fmt::format("answers: the lesson has no question \"{}\"", engine::display_line(id, 60)));
    if (value.is_null()) continue;  // skipped
    Result<GivenAnswer> answer = one_answer(*p, value);
    if (!answer) return answer.error();
    answers[id] = *std::move(answer);
  }
  return answers;
}

json answers_to_json(const Lesson& lesson, const GivenAnswers& answers) {
  json document = json::object();
  for (const LessonQuestion* p : lesson.predictions()) {
    const auto given = answers.find(p->id);
    if (given == answers.end()) document[p->id] = nullptr;
    else if (p->kind == Kind::choice) document[p->id] = given->second.items.at(0);
    else if (p->kind == Kind::order) document[p->id] = given->second.items;
    else if (p->kind == Kind::point || p->kind == Kind::curve) document[p->id] = given->second.numbers;
    else if (p->kind == Kind::role) document[p->id] = roles_json(given->second);
    else document[p->id] = given->second.number;
  }
  return document;
}

Result<AnswerValues> answer_values(const LessonAnswer& answer, const QueryResults& results) {
  AnswerValues values;
  const std::vector<std::string> queries =
      answer.queries.empty() ? std::vector<std::string>{answer.query} : answer.queries;
  for (const std::string& query : queries) {
    Result<QueryValue> value = evaluate(query, results);
    if (!value) return value.error();
    values.push_back(*std::move(value));
  }
  return values;
}

Judged judge(const LessonQuestion& p, const LessonAnswer& answer, const AnswerValues& values,
             const GivenAnswer* given) {
  Judged judged{.predict = p.id, .given = given != nullptr, .truth = "–"};
  if (p.kind == Kind::number || p.kind == Kind::mark) {
    judge_number(p, answer, values, given, judged);
  } else if (p.kind == Kind::point) {
    judge_point(answer, values, given, judged);
  } else if (p.kind == Kind::curve) {
    judge_curve(p, answer, values, given, judged);
  } else if (p.kind == Kind::role) {
    judge_roles(p, answer, values, given, judged);
  } else if (p.kind == Kind::choice) {
    const std::optional<int> truth = true_choice(answer, values);
    judged.known = truth && *truth < static_cast<int>(p.items.size());
    if (judged.known) judged.truth = p.items[static_cast<size_t>(*truth)];
    if (given != nullptr) judged.answer = p.items[static_cast<size_t>(given->items.at(0))];
    judged.right = judged.known && given != nullptr && given->items.at(0) == *truth;
  } else {
    judged.known = values.size() == p.items.size() &&
                   std::ranges::none_of(values, [](const QueryValue& v) { return std::isnan(v.number()); });
    if (judged.known) judged.truth = order_words(p, true_order(answer, values));
    if (given != nullptr) judged.answer = order_words(p, given->items);
    if (judged.known && given != nullptr) {
      std::vector<double> numbers;
      for (const QueryValue& value : values) numbers.push_back(value.number());
      const double correlation = rank_correlation(given->items, numbers, answer.largest);
      judged.right = correlation >= answer.rank_correlation - 1e-12;
      judged.difference = fmt::format("rank correlation {:.2g}", correlation);
    }
  }
  judged.most_points = judged.known ? answer.points : 0;
  if (p.kind != Kind::role) judged.points = judged.right ? answer.points : 0;
  return judged;
}

Result<AnswerValues> exercise_values(const LessonExercise& exercise, const QueryResults& results) {
  AnswerValues values;
  for (const LessonComparison& one : exercise.expect) {
    for (const std::string* side : {&one.left, &one.right}) {
      Result<QueryValue> value = evaluate(*side, results);
      if (!value) return value.error();
      values.push_back(*std::move(value));
    }
  }
  return values;
}

JudgedExercise judge(const LessonExercise& exercise, const AnswerValues& values) {
  JudgedExercise judged{.id = exercise.check.id, .done = !values.empty(), .most_points = exercise.points};
  for (size_t i = 0; 2 * i + 1 < values.size() && i < exercise.expect.size(); ++i) {
    const QueryValue &left = values[2 * i], &right = values[2 * i + 1];
    const LessonComparison& one = exercise.expect[i];
    const std::string words =
        fmt::format("{} {} {}: {} {} {}", one.left, one.sign, one.right, left.shown(), one.sign, right.shown());
    (holds(one.sign, left, right) ? judged.passed : judged.failed).push_back(words);
  }
  if (!exercise.expect.empty())
    judged.points =
        exercise.points * static_cast<double>(judged.passed.size()) / static_cast<double>(exercise.expect.size());
  return judged;
}

std::vector<Votes> count_votes(const std::string& text, size_t items) {
  constexpr int kMostVotes = 100000;
  std::vector<Votes> all;
  std::istringstream pairs(text);
  for (std::string pair; std::getline(pairs, pair, ',');) {
    std::istringstream words(pair);
    Votes votes{.item = items};
    std::string rest;
    if (!(words >> votes.answer >> votes.count) || words >> rest || votes.count < 0 || votes.count > kMostVotes)
      continue;
    const int letter = std::toupper(static_cast<unsigned char>(votes.answer[0])) - 'A';
    if (votes.answer.size() == 1 && letter >= 0 && static_cast<size_t>(letter) < items)
      votes.item = static_cast<size_t>(letter);
    all.push_back(votes);
  }
  return all;
}

double rank_correlation(const std::vector<int>& given, const std::vector<double>& values, bool largest_first) {
  const size_t n = values.size();
  std::vector<double> place(n), wanted(n);
  for (size_t i = 0; i < given.size() && i < n; ++i) place[static_cast<size_t>(given[i])] = static_cast<double>(i);
  std::ranges::transform(values, wanted.begin(), [&](double v) { return largest_first ? -v : v; });
  const std::vector<double> a = ranks(place), b = ranks(wanted);
  const double mean = (static_cast<double>(n) - 1) / 2;
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < n; ++i) {
    ab += (a[i] - mean) * (b[i] - mean);
    aa += (a[i] - mean) * (a[i] - mean);
    bb += (b[i] - mean) * (b[i] - mean);
  }
  return bb == 0 ? 1 : ab / std::sqrt(aa * bb);  // all equal: every order is right
}

CheckedClaim check_claim(const LessonClaim& claim, const QueryResults& results) {
  const auto sides = [&](const LessonComparison& c) {
    return std::pair{evaluate(c.left, results), evaluate(c.right, results)};
  };
  CheckedClaim checked{.text = claim.text};
  for (const LessonComparison& when : claim.when) {
    const auto [left, right] = sides(when);
    checked.applies = left && right && holds(when.sign, *left, *right);
  }
  const auto [left, right] = sides(claim.expect);
  if (!left || !right) {
    checked.values = !left ? left.error().message : right.error().message;
    return checked;
  }
  checked.values = fmt::format("{} {} {}", left->shown(), claim.expect.sign, right->shown());
  checked.holds = holds(claim.expect.sign, *left, *right);
  return checked;
}

}  // namespace profiler
