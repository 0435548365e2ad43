// SPDX-License-Identifier: GPL-3.0-or-later
// What the parts of the inspector's content are made with: rows, their bars, and names.
#pragma once

#include <algorithm>
#include <cmath>

#include "views/base/paint.h"
#include "views/base/plain_text.h"
#include "views/inspector/inspector_content.h"

namespace views::content {

inline QString op_name(const profiler::Capture& c, profiler::OpId op) {
  return op < c.ops().size() ? text(c.name(c.ops()[op].name)) : QStringLiteral("–");
}

/// A label and a figure, with what it means.
InspectorRow row(const QString& label, const QString& value, std::optional<profiler::Origin> origin = {},
                 const QString& definition = {}, const QString& formula = {});

/// The row with a bar of `ratio`, which `words` say.
InspectorRow with_bar(InspectorRow, double ratio, const QString& words, std::optional<profiler::Bound> = {},
                      std::optional<double> tick = {});

/// What is known of the run, when nothing is selected: its step, settings, model and machine.
void inspect_run(const profiler::Analyzed&, InspectorContent&);
/// What happens within a range of time.
InspectorSection range_section(const profiler::Analyzed&, const TimeRange&);

}  // namespace views::content
