// SPDX-License-Identifier: Apache-2.0
// A lesson as slides of one HTML file, and the template of a new one.
#pragma once

#include <string>

#include "profiler/lessons/lesson.h"
#include "profiler/lessons/query.h"

namespace app {

/// One page per step, which a browser prints as one sheet each. Without values the places of figures show an en dash.
/// Markup inside the Markdown is shown, not obeyed; the file runs no scripts and loads nothing.
std::string slides_html(const profiler::Lesson&, const profiler::QueryResults&, const std::string& machine);

/// Markdown as HTML; markup inside is shown, not obeyed.
std::string markdown_html(const std::string& markdown);
/// The begin of a file up to <body>, without scripts; `style`: rules of its own.
std::string html_head(const std::string& title, const std::string& style);

/// A commented lesson that checks without faults.
std::string lesson_template();

}  // namespace app
