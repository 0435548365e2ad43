// SPDX-License-Identifier: Apache-2.0
// Looks up the blocks of a lesson, and puts them on pages.
#include "profiler/lessons/lesson.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/graph/graph.h"

namespace profiler {
namespace {

template <class Block, class Wanted>
const Block* find_block(const Lesson& lesson, const Wanted& wanted) {
  for (const LessonBlock& block : lesson.blocks) {
    const auto* of_kind = std::get_if<Block>(&block.is);
    if (of_kind != nullptr && wanted(*of_kind)) return of_kind;
  }
  return nullptr;
}

template <class Block>
std::vector<const Block*> blocks_of(const Lesson& lesson) {
  std::vector<const Block*> found;
  for (const LessonBlock& block : lesson.blocks)
    if (const auto* of_kind = std::get_if<Block>(&block.is); of_kind != nullptr) found.push_back(of_kind);
  return found;
}

/// "Two runs" of "## Two runs"; empty: the text has no heading.
std::string heading(const std::string& markdown) {
  for (size_t begin = 0; begin < markdown.size();) {
    const size_t end = std::min(markdown.find('\n', begin), markdown.size());
    if (markdown[begin] == '#') {
      const size_t text = std::min(markdown.find_first_not_of("# ", begin), end);
      return markdown.substr(text, end - text);
    }
    begin = end + 1;
  }
  return {};
}

/// Where a block stands among the kinds of blocks of one page: those after it on the page have a higher place.
enum class Place { reading, asking, running, revealing, playing, doing, attached };

Place place_of(const LessonBlock& block) {
  if (const auto* text = std::get_if<LessonText>(&block.is)) {
    if (text->kind == LessonText::Kind::text) return Place::reading;
    return text->kind == LessonText::Kind::explain ? Place::revealing : Place::attached;
  }
  if (std::holds_alternative<LessonQuestion>(block.is)) return Place::asking;
  if (std::holds_alternative<LessonRun>(block.is)) return Place::running;
  if (std::holds_alternative<LessonReveal>(block.is)) return Place::revealing;
  if (std::holds_alternative<LessonExercise>(block.is)) return Place::doing;
  return std::holds_alternative<LessonVary>(block.is) ? Place::playing : Place::attached;
}

}  // namespace

double LessonAxis::place(double value) const {
  const double part =
      logarithmic ? std::log(std::max(value, low * 1e-3) / low) / std::log(high / low) : (value - low) / (high - low);
  return std::clamp(part, 0.0, 1.0);
}

double LessonAxis::value_at(double place) const {
  return logarithmic ? low * std::pow(high / low, place) : low + (high - low) * place;
}

std::vector<double> LessonAxis::ticks() const {
  if (!logarithmic) return {low, (low + high) / 2, high};
  constexpr double kMostTicks = 7;
  const double first = std::ceil(std::log10(low) - 1e-9), last = std::floor(std::log10(high) + 1e-9);
  const double step = std::max(1.0, std::ceil((last - first + 1) / kMostTicks));
  std::vector<double> all;
  for (double power = first; power <= last; power += step) all.push_back(std::pow(10.0, power));
  return all.size() > 1 ? all : std::vector<double>{low, high};
}

LessonAxis LessonQuestion::axis() const { return {low, high, logarithmic || kind == Kind::point}; }

LessonAxis LessonQuestion::across() const {
  if (kind == Kind::point) return {across_low, across_high, true};
  return at.empty() ? LessonAxis() : LessonAxis{at.front(), at.back(), logarithmic};
}

const std::vector<std::string>& lesson_roles() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for (int i = 0; i < engine::kRoleCount; ++i) names.emplace_back(engine::name(static_cast<engine::Role>(i)));
    return names;
  }();
  return all;
}

const LessonQuestion* Lesson::prediction(const std::string& id) const {
  return find_block<LessonQuestion>(*this, [&](const LessonQuestion& p) { return p.id == id; });
}
const LessonAnswer* Lesson::answer(const std::string& id) const {
  return find_block<LessonAnswer>(*this, [&](const LessonAnswer& a) { return a.predict == id; });
}
const LessonRun* Lesson::run(const std::string& id) const {
  return find_block<LessonRun>(*this, [&](const LessonRun& r) { return r.id == id; });
}
std::vector<const LessonRun*> Lesson::runs() const { return blocks_of<LessonRun>(*this); }
std::vector<const LessonQuestion*> Lesson::predictions() const { return blocks_of<LessonQuestion>(*this); }

const LessonExercise* Lesson::exercise(const std::string& id) const {
  return find_block<LessonExercise>(*this, [&](const LessonExercise& e) { return e.check.id == id; });
}
std::vector<const LessonExercise*> Lesson::exercises() const { return blocks_of<LessonExercise>(*this); }

bool LessonExercise::takes_file() const { return std::ranges::find(check.words, "@work") != check.words.end(); }

std::vector<LessonPage> lesson_pages(const Lesson& lesson) {
  std::vector<LessonPage> pages;
  Place last = Place::attached;
  for (size_t i = 0; i < lesson.blocks.size(); ++i) {
    const LessonBlock& block = lesson.blocks[i];
    const Place place = place_of(block);
    // Reading goes before a question, runs go together, and what is revealed together is one page.
    const bool goes_on = place == Place::attached || last == Place::attached ||
                         (last == Place::reading && place != Place::revealing) ||
                         (last == place && (place == Place::running || place == Place::revealing));
    if (pages.empty() || !goes_on) pages.emplace_back();
    LessonPage& page = pages.back();
    page.blocks.push_back(i);
    if (const auto* text = std::get_if<LessonText>(&block.is);
        text != nullptr && page.title.empty() && text->kind != LessonText::Kind::note)
      page.title = heading(text->markdown);
    if (place != Place::attached) last = place;
  }
  return pages;
}

}  // namespace profiler
