// SPDX-License-Identifier: Apache-2.0
// Lessons by chapter.
#include "app/cli/lesson_list.h"

#include "app/base/lesson_catalog.h"
#include "app/cli/command.h"

namespace app::cli {

void show_lessons(const std::vector<profiler::Lesson>& lessons, const std::string& language) {
  int chapter = 0;
  for (const profiler::Lesson& lesson : lessons) {
    if (lesson.chapter != chapter) {
      chapter = lesson.chapter;
      show("{}{}. {}\n", &lesson == &lessons.front() ? "" : "\n", chapter, chapter_title(chapter));
    }
    show("  {:<24} {} ({:g} min, {})\n", lesson.name, in_language(lesson, language).title, lesson.minutes,
         lesson.level);
  }
}

}  // namespace app::cli
