// SPDX-License-Identifier: Apache-2.0
// Handouts: text by md4c, axes as SVG.
#include "app/base/lesson_handout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/base/lesson_pages.h"
#include "engine/base/clock.h"
#include "engine/base/display_text.h"
#include "profiler/base/table.h"
#include "profiler/report/html_text.h"

namespace app {
namespace {

using profiler::escaped;
using profiler::Lesson;
using profiler::LessonQuestion;
using profiler::LessonText;

profiler::LessonAxis axis_of(const LessonQuestion& p, double truth, double given) {
  if (p.kind == LessonQuestion::Kind::mark) return p.axis();
  constexpr double kFar = 20;
  const double least = std::min(truth, given), most = std::max(truth, given);
  if (least > 0 && most / least > kFar) return {least / 2, most * 2, true};
  const double low = std::min(0.0, least * 1.2), high = std::max(0.0, most * 1.2);
  return {low, high > low ? high : low + 1, false};
}

std::string number_text(double value, const std::string& unit) {
  return unit.empty() ? fmt::format("{:.4g}", value) : fmt::format("{:.4g} {}", value, unit);
}

std::string verdict_html(const LessonQuestion& p, const profiler::Judged& judged, const profiler::AnswerValues& values,
                         const profiler::GivenAnswer* given) {
  std::string html = fmt::format("<p>Your prediction: <b>{}</b>. On this machine: <b>{}</b>.",
                                 judged.given ? escaped(judged.answer) : std::string("none"), escaped(judged.truth));
  if (judged.given && judged.known) html += judged.right ? " Right." : " Not right.";
  if (!judged.difference.empty()) html += fmt::format(" ({})", escaped(judged.difference));
  html += "</p>\n";
  const bool number = p.kind == LessonQuestion::Kind::number || p.kind == LessonQuestion::Kind::mark;
  if (number && given != nullptr && !values.empty() && judged.known)
    html += prediction_svg(p, values.front().number(), given->number);
  if (p.kind == LessonQuestion::Kind::point || p.kind == LessonQuestion::Kind::curve) {
    std::vector<double> truth;
    for (const profiler::QueryValue& value : values) truth.push_back(value.number());
    html += prediction_plot_svg(p, truth, given != nullptr ? given->numbers : std::vector<double>());
  }
  return html;
}

/// The plot of a point or a curve: 600 x 300, the axes' titles outside.
class PlotSvg {
 public:
  explicit PlotSvg(const LessonQuestion& p) : p_(p), across_(p.across()), up_(p.axis()) {}

  std::string axes() const {
    const bool point = p_.kind == LessonQuestion::Kind::point;
    std::string svg =
        fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#999\"/>\n", kLeft, kTop,
                    kWidth, kHeight);
    for (const double tick : point ? across_.ticks() : p_.at)
      svg += text(x(tick), kTop + kHeight + 16, "middle", fmt::format("{:.4g}", tick));
    for (const double tick : up_.ticks())
      svg +=
          text(kLeft - 6, y(tick) + 4, "end",
               point ? profiler::format_quantity(tick, profiler::Quantity::flop_per_s) : fmt::format("{:.4g}", tick));
    svg += text(kLeft + kWidth / 2, kTop + kHeight + 34, "middle", point ? "FLOP per byte" : p_.at_unit);
    return svg + (point ? "" : text(kLeft, kTop - 6, "start", p_.unit));
  }
  std::string series(const std::vector<double>& values, const char* colour, const char* name) const {
    const bool point = p_.kind == LessonQuestion::Kind::point;
    std::string line, dots;
    std::pair<double, double> last;
    for (size_t i = 0; i < (point ? 1 : p_.at.size()); ++i) {
      const double px = x(point ? values.at(0) : p_.at[i]), value = values.at(point ? 1 : i);
      if (std::isnan(value) || std::isnan(px)) continue;
      line += fmt::format("{:.1f},{:.1f} ", px, y(value));
      dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" fill=\"{}\"/>", px, y(value), colour);
      last = {px, y(value)};
    }
    if (dots.empty()) return {};
    return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>", line, colour) +
           dots + text(std::min(last.first, kLeft + kWidth - 20), last.second - 10, "middle", name) + "\n";
  }

 private:
  static constexpr double kLeft = 90, kTop = 20, kWidth = 490, kHeight = 230;
  double x(double value) const { return kLeft + kWidth * across_.place(value); }
  double y(double value) const { return kTop + kHeight * (1 - up_.place(value)); }
  static std::string text(double x, double y, const char* anchor, const std::string& words) {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"12\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                       escaped(words));
  }
  const LessonQuestion& p_;
  profiler::LessonAxis across_, up_;
};

/// The figures of a run that its kind of result has.
std::string figures_html(const Lesson& lesson, const profiler::QueryResults& values) {
  static constexpr std::array kFigures{std::pair{"step_ns", "Time of a step"},
                                       std::pair{"flop_per_s", "Rate"},
                                       std::pair{"dram_bytes", "Bytes from and to memory"},
                                       std::pair{"limit", "Limited by"},
                                       std::pair{"knee", "Knee"},
                                       std::pair{"misses", "Misses of the first cache"}};
  std::string rows;
  for (const profiler::LessonRun* run : lesson.runs()) {
    const auto source = values.find(run->id);
    if (source == values.end()) continue;
    for (const auto& [name, title] : kFigures) {
      const auto* figure = source->second->find(name);
      if (figure == nullptr || figure->is_null() || figure->is_structured()) continue;
      const auto value = profiler::evaluate(run->id + "." + name, values);
      if (value && value->known())
        rows += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n", escaped(run->id), title,
                            escaped(value->shown()));
    }
  }
  return rows.empty()
             ? rows
             : "<h2>Figures of this machine</h2>\n<table><tr><th>Run</th><th>Figure</th><th>Value</th></tr>\n" + rows +
                   "</table>\n";
}

std::string exercise_html(const profiler::LessonExercise& exercise, const profiler::JudgedExercise& judged,
                          const std::string& fault) {
  std::string html = fmt::format("<h2>Exercise {} ({:g} of {:g} points)</h2>\n", escaped(judged.id), judged.points,
                                 judged.most_points) +
                     markdown_html(engine::display_text(exercise.task));
  if (!judged.done) return html + "<p>Not done.</p>\n";
  if (!fault.empty()) html += fmt::format("<pre>{}</pre>\n", escaped(fault));
  for (const std::string& one : judged.passed) html += fmt::format("<p>Passed: {}</p>\n", escaped(one));
  for (const std::string& one : judged.failed) html += fmt::format("<p>Failed: {}</p>\n", escaped(one));
  return html;
}

}  // namespace

std::string prediction_svg(const LessonQuestion& p, double truth, double given) {
  if (!std::isfinite(truth) || !std::isfinite(given)) return {};
  const profiler::LessonAxis axis = axis_of(p, truth, given);
  constexpr double kLeft = 20, kWidth = 560;
  const auto x = [&](double value) { return kLeft + kWidth * axis.place(value); };
  return fmt::format(
      "<svg width=\"600\" height=\"84\" role=\"img\" aria-label=\"{0}\"><line x1=\"{1}\" y1=\"50\" x2=\"{2}\" "
      "y2=\"50\" "
      "stroke=\"#333\"/>\n"
      "<text x=\"{1}\" y=\"76\" font-size=\"12\">{3}</text>"
      "<text x=\"{2}\" y=\"76\" font-size=\"12\" text-anchor=\"end\">{4}</text>\n"
      "<path d=\"M{5:.1f} 48 l-6 -12 h12 z\" fill=\"#b3541e\"/>"
      "<text x=\"{5:.1f}\" y=\"30\" font-size=\"12\" text-anchor=\"middle\">you</text>\n"
      "<circle cx=\"{6:.1f}\" cy=\"50\" r=\"5\" fill=\"#1f5fa8\"/>"
      "<text x=\"{6:.1f}\" y=\"68\" font-size=\"12\" text-anchor=\"middle\">here</text></svg>\n",
      escaped(fmt::format("prediction {}, here {}", number_text(given, p.unit), number_text(truth, p.unit))), kLeft,
      kLeft + kWidth, escaped(number_text(axis.low, p.unit)), escaped(number_text(axis.high, p.unit)), x(given),
      x(truth));
}

std::string prediction_plot_svg(const LessonQuestion& p, const std::vector<double>& truth,
                                const std::vector<double>& given) {
  const size_t wanted = p.kind == LessonQuestion::Kind::point ? 2 : p.at.size();
  const PlotSvg plot(p);
  std::string svg =
      fmt::format("<svg width=\"600\" height=\"300\" role=\"img\" aria-label=\"{}\">\n", escaped(p.question));
  svg += plot.axes();
  if (truth.size() == wanted) svg += plot.series(truth, "#1f5fa8", "here");
  if (given.size() == wanted) svg += plot.series(given, "#b3541e", "you");
  return svg + "</svg>\n";
}

engine::Result<std::string> handout_html(const Lesson& lesson, const LessonResults& results,
                                         const profiler::GivenAnswers& answers) {
  const auto exercises = judge_exercises(lesson, results.values);
  if (!exercises) return exercises.error();
  std::string html = html_head(lesson.title, "body { font: 12pt/1.4 sans-serif; max-width: 45em; margin: 2em auto; }") +
                     fmt::format("<h1>{}</h1>\n<p class=\"small\">{}{}</p>\n", escaped(lesson.title),
                                 escaped(engine::local_time_now()),
                                 results.machine.empty() ? "" : ", measured on " + escaped(results.machine));
  size_t exercise = 0;
  for (const profiler::LessonBlock& block : lesson.blocks) {
    if (const auto* text = std::get_if<LessonText>(&block.is)) {
      if (text->kind != LessonText::Kind::note)
        html += markdown_html(engine::display_text(profiler::with_values(text->markdown, results.values)));
    } else if (const auto* p = std::get_if<LessonQuestion>(&block.is)) {
      html += fmt::format("<p class=\"ask\">{}</p>\n", escaped(p->question));
      const profiler::LessonAnswer* answer = lesson.answer(p->id);
      if (answer == nullptr) continue;
      const auto values = profiler::answer_values(*answer, results.values);
      if (!values) return values.error();
      const auto given = answers.find(p->id);
      const profiler::GivenAnswer* own = given != answers.end() ? &given->second : nullptr;
      html += verdict_html(*p, profiler::judge(*p, *answer, *values, own), *values, own);
    } else if (const auto* run = std::get_if<profiler::LessonRun>(&block.is)) {
      html += fmt::format("<pre>tensortide {}</pre>\n", escaped(fmt::format("{}", fmt::join(run->words, " "))));
    } else if (const auto* task = std::get_if<profiler::LessonExercise>(&block.is)) {
      const profiler::JudgedExercise& judged = (*exercises)[exercise++];
      html += exercise_html(*task, judged, fault_of_work(results.values, judged.id));
    }
  }
  return html + figures_html(lesson, results.values) + "</body></html>\n";
}

}  // namespace app
