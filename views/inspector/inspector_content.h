// SPDX-License-Identifier: GPL-3.0-or-later
// InspectorContent: what is known about the selection, as sections of rows; pure, so that it can be
// tested without a widget.
#pragma once

#include <QImage>
#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "profiler/analysis/analyze.h"
#include "profiler/analysis/verdict/verdict.h"
#include "profiler/base/origin.h"
#include "profiler/capture/capture.h"
#include "views/base/selection.h"

namespace views {

/// One figure with where it comes from.
struct InspectorValue {
  QString text;
  QString tip;  ///< rich text; empty: none
  std::optional<profiler::Origin> origin;
};

/// How much of something a row's figure is, drawn under it.
struct InspectorBar {
  double ratio = 0;                      ///< filled part, 0..1; NaN: unknown
  std::optional<double> tick;            ///< where what it is held against ends, 0..1
  std::optional<profiler::Bound> bound;  ///< whose colour it has; none: that of figures
  QString words;                         ///< the same for who does not see it: "12 % of the median step"
};

/// Label and one or more values; clicking a linked row selects that op, tensor or event.
struct InspectorRow {
  QString label;
  std::vector<InspectorValue> values;
  std::optional<profiler::OpId> op;
  std::optional<profiler::TensorId> tensor;
  QString tip;
  std::optional<uint32_t> activity = {};  ///< row of Capture::activities()
  std::optional<InspectorBar> bar = {};
};

struct InspectorSection {
  QString title;
  QStringList columns;  ///< heads of the values; empty: none
  std::vector<InspectorRow> rows;
  QStringList sentences;                 ///< plain text below the rows
  std::optional<profiler::Bound> bound;  ///< colours the title
  QStringList why = {};                  ///< prose that is folded until it is asked for
  QString why_title = {};                ///< what unfolds it: "Why?"
  QString badge = {}, badge_tip = {};    ///< beside the title: "likely", and of what one cannot be sure
  QImage picture = {};                   ///< below the rows: values as shades; null: none
  QString picture_words = {};            ///< the same for who does not see it
};

struct InspectorContent {
  QString title, subtitle;
  std::vector<InspectorSection> sections;
};

/// Tensor, event, op or layer, and range as far as selected; nothing selected: the run and the machine.
InspectorContent inspect(const profiler::Analyzed&, const SelectionState&);

}  // namespace views
