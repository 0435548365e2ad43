// SPDX-License-Identifier: Apache-2.0
// A lesson as a handout: one HTML file with what a learner predicted, what the machine gave, and the explanation.
#pragma once

#include <string>
#include <vector>

#include "app/base/lesson_run.h"
#include "profiler/lessons/answer.h"
#include "profiler/lessons/lesson.h"

namespace app {

/// Pages to keep: text, questions with prediction and answer, figures of the runs, explanations, exercises, machine.
/// Markup inside the Markdown is shown, not obeyed; the file runs no scripts and loads nothing. Refused where a query
/// of an answer fails.
engine::Result<std::string> handout_html(const profiler::Lesson&, const LessonResults&, const profiler::GivenAnswers&);

/// Prediction and answer of a question on one axis, as SVG; empty: both are not numbers. The axis of a `mark` is the
/// question's. Others begin at 0. Where both differ by more than 20 times, the axis is logarithmic.
std::string prediction_svg(const profiler::LessonQuestion&, double truth, double given);
/// The same of a `point` or a `curve`: its axes with the answers; `given` may be empty: the axes alone.
std::string prediction_plot_svg(const profiler::LessonQuestion&, const std::vector<double>& truth,
                                const std::vector<double>& given);

}  // namespace app
