// SPDX-License-Identifier: Apache-2.0
// Looks up the blocks of a lesson, and puts them on pages.
#include "profiler/lessons/lesson.h"

#include <algorithm>
#include <utility>

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
