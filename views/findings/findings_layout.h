// SPDX-License-Identifier: GPL-3.0-or-later
// Where the cards of findings and their texts go; pure, so that it can be tested without a widget.
#pragma once

#include <QFont>
#include <QRectF>
#include <QString>
#include <optional>
#include <span>
#include <vector>

#include "profiler/advice/ledger.h"
#include "profiler/analysis/findings/findings.h"

namespace views {

/// One line of a card with the rectangle it may fill.
struct CardText {
  QRectF rect;
  QString text;
};
/// A figure of the evidence; the swatch before it shows its origin.
struct CardFigure {
  QRectF swatch;
  CardText text;
  profiler::Origin origin;
};

/// What a change that was tried brought, beside what was predicted.
struct CardTrial {
  QRectF bar;                           ///< as long as the bar of the gain; empty: it was tried for memory
  double ratio = 0, low = 0, high = 0;  ///< of a step, with its 95 % interval; negative: slower
  profiler::ChangeClass verdict = profiler::ChangeClass::unsure;
  CardText text;  ///< "Obtained: 41 % of the step (37 % to 45 %, 5 pairs)"; wrapped
};

struct FindingCard {
  QRectF rect;
  CardText title, advice;          ///< wrapped
  QRectF bar;                      ///< the whole is a step
  double gain_ratio = 0;           ///< filled part; NaN: unknown
  CardText gain;                   ///< "20.1 µs per step, 37 %"
  std::optional<CardTrial> trial;  ///< the newest on this capture
  CardText how;                    ///< wrapped
  std::vector<CardFigure> evidence;
  CardText record;      ///< "This rule was right in 2 of 3 trials."
  QRectF button;        ///< empty: nothing to try
  QString button_text;  ///< "Try it: batch 8"
};

struct FindingsLayout {
  CardText caveat;                 ///< wrapped, above all cards; empty: there is none
  std::vector<FindingCard> cards;  ///< in the order of the findings
  double height = 0;               ///< of all
};

FindingsLayout findings_layout(std::span<const profiler::RunFinding>, std::span<const profiler::AdviceRecord>,
                               double step_ns, const QFont&, double width, const QString& caveat = {},
                               std::span<const std::optional<profiler::AdviceTrial>> trials = {});

}  // namespace views
