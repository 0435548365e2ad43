// SPDX-License-Identifier: Apache-2.0
// Slides by md4c, which turns Markdown into HTML.
#include "app/base/lesson_pages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <md4c-html.h>

#include "app/base/lesson_handout.h"
#include "engine/base/display_text.h"
#include "profiler/lessons/answer.h"
#include "profiler/report/html_text.h"

namespace app {
namespace {

using profiler::escaped;
using profiler::Lesson;
using profiler::QueryResults;

void append(const MD_CHAR* text, MD_SIZE size, void* to) { static_cast<std::string*>(to)->append(text, size); }

std::string question_html(const profiler::LessonQuestion& p) {
  std::string html = fmt::format("<p class=\"ask\">{}</p>\n", escaped(p.question));
  using Kind = profiler::LessonQuestion::Kind;
  if (p.kind == Kind::point || p.kind == Kind::curve) return html + prediction_plot_svg(p, {}, {});
  if (p.items.empty()) return html + fmt::format("<p>Answer: ________ {}</p>\n", escaped(p.unit));
  html += "<ol type=\"A\">\n";
  for (const std::string& item : p.items) html += fmt::format("<li>{}</li>\n", escaped(item));
  html += "</ol>\n";
  if (p.kind == Kind::role)
    html += fmt::format("<p>Roles: {}</p>\n", escaped(fmt::format("{}", fmt::join(profiler::lesson_roles(), ", "))));
  return html;
}

std::string answers_html(const Lesson& lesson, const QueryResults& values) {
  std::string html;
  for (const profiler::LessonQuestion* p : lesson.predictions()) {
    const profiler::LessonAnswer* answer = lesson.answer(p->id);
    if (answer == nullptr) continue;
    const auto found = profiler::answer_values(*answer, values);
    const std::string truth = found ? profiler::judge(*p, *answer, *found, nullptr).truth : std::string("–");
    html += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", escaped(p->question), escaped(truth));
  }
  return html.empty() ? html
                      : "<table><tr><th>Question</th><th>Answer on this machine</th></tr>\n" + html + "</table>\n";
}

}  // namespace

std::string markdown_html(const std::string& markdown) {
  std::string html;
  md_html(markdown.data(), static_cast<MD_SIZE>(markdown.size()), append, &html,
          MD_DIALECT_COMMONMARK | MD_FLAG_TABLES | MD_FLAG_NOHTML, 0);
  return html;
}

std::string html_head(const std::string& title, const std::string& style) {
  return fmt::format(
      "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>{}</title>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
      "<style>\nbody {{ color: #1a1a1a; background: #fff; }}\n{}\n"
      "code, pre {{ font-family: monospace; }} pre {{ background: #f2f2f2; padding: .5em; white-space: pre-wrap; }}\n"
      "table {{ border-collapse: collapse; }} td, th {{ border: 1px solid #999; padding: .2em .6em; text-align: left; "
      "}}\n.ask {{ font-weight: bold; }} .small {{ color: #555; }}\n</style></head><body>\n",
      escaped(title), style);
}

std::string slides_html(const Lesson& lesson, const QueryResults& values, const std::string& machine) {
  std::string html = html_head(lesson.title,
                               "body { font: 22pt/1.4 sans-serif; margin: 0; }\n"
                               "section { max-width: 30em; min-height: 92vh; margin: 0 auto; padding: 4vh 1em; "
                               "page-break-after: always; }\n"
                               "code, pre { font-size: 18pt; } .small { font-size: 14pt; }");
  html += fmt::format(
      "<section><h1>{0}</h1><p class=\"small\">{1:g} minutes, {2}. Rows of the curriculum: {3}.{4}</p></section>\n",
      escaped(lesson.title), lesson.minutes, escaped(lesson.level),
      escaped(fmt::format("{}", fmt::join(lesson.rows, ", "))),
      machine.empty() ? std::string() : " Measured on " + escaped(machine) + ".");
  for (const profiler::LessonPage& page : profiler::lesson_pages(lesson)) {
    html += "<section>\n";
    for (const size_t at : page.blocks) {
      const auto& is = lesson.blocks[at].is;
      if (const auto* text = std::get_if<profiler::LessonText>(&is)) {
        if (text->kind != profiler::LessonText::Kind::note)
          html += markdown_html(engine::display_text(profiler::with_values(text->markdown, values)));
      } else if (const auto* p = std::get_if<profiler::LessonQuestion>(&is)) {
        html += question_html(*p);
      } else if (const auto* run = std::get_if<profiler::LessonRun>(&is)) {
        html += fmt::format("<pre>tensortide {}</pre>\n", escaped(fmt::format("{}", fmt::join(run->words, " "))));
      } else if (const auto* exercise = std::get_if<profiler::LessonExercise>(&is)) {
        html += fmt::format("<p class=\"ask\">Exercise ({:g} points)</p>\n", exercise->points);
        html += markdown_html(engine::display_text(exercise->task));
      } else if (const auto* vary = std::get_if<profiler::LessonVary>(&is)) {
        html += fmt::format("<p class=\"ask\">{}</p>\n", escaped(vary->question));
      }
    }
    html += "</section>\n";
  }
  return html + "<section><h2>Answers</h2>\n" + answers_html(lesson, values) + "</section>\n</body></html>\n";
}

std::string lesson_template() {
  return R"lesson(+++
# What the list of lessons shows. rows: of the curriculum; needs: "cpu", "gpu", "cores>=2".
title = "One batch, eight batches"
chapter = 2
level = "beginner"
minutes = 5
rows = []
needs = ["cpu"]
+++

## One sample, or eight

Text is Markdown. Ask before you run: a prediction makes the answer stay.

```predict
# kind: choice (choices), number (unit), order (items), mark (low, high, log), point (intensity, rate),
# curve (at, at_unit, low, high, log, unit), role (tensors).
id = "factor"
kind = "number"
question = "A step has 8 samples instead of 1. How many times as long does it take?"
unit = "times"
```

```run
# A command line without "tensortide". Its result is named by its id.
id = "one"
command = "run mlp --set inputs=512 --set hidden=512 --batch 1"
```

```run
id = "eight"
command = "run mlp --set inputs=512 --set hidden=512 --batch 8"
```

```answer
# A query on the results; within: a factor ("1.5x"), a share ("10 %"), a difference ("0.5").
predict = "factor"
query = "eight.step_ns / one.step_ns"
within = "1.5x"
```

```reveal
# A view of the window on the result of a run.
run = "eight"
view = "traffic"
predict = "factor"
```

```explain
One sample takes {one.step_ns}, eight take {eight.step_ns}. That is {eight.step_ns / one.step_ns}.
```

```claim
# Must hold on every machine: `tensortide lesson check FILE --run` tries it.
text = "Eight samples are 8 times the arithmetic"
expect = "eight.flops == 8 * one.flops"
```

```note
Only presenters see notes.
```
)lesson";
}

}  // namespace app
