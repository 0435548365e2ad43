// SPDX-License-Identifier: GPL-3.0-or-later
// Cards below each other; texts wrap to the width, the button stands at the right of the gain, or below it where that
// leaves it no room.
#include "views/findings/findings_layout.h"

#include <QFontMetricsF>
#include <QObject>
#include <algorithm>
#include <cmath>

#include "views/base/change_words.h"
#include "views/base/paint.h"
#include "views/base/plain_text.h"

namespace views {
namespace {

constexpr double kGap = kGrid, kInside = 2 * kGrid, kBarWidth = 180, kBarHeight = kGrid, kButtonPadding = 3 * kGrid,
                 kSwatch = 8;
constexpr double kNarrowestGain = 120;  // beside the button; with less it stands below the bar
constexpr double kWidestText = 900;     // longer lines are hard to follow

QString in_qt(const std::string& text) { return QString::fromStdString(text); }

/// A text wrapped from (x, y) on; moves y below it.
CardText wrapped(const QFont& font, const QString& text, double x, double& y, double width) {
  const QRectF needed = QFontMetricsF(font).boundingRect(QRectF(0, 0, width, 10000), Qt::TextWordWrap, text);
  const CardText card{{x, y, width, std::ceil(needed.height())}, text};
  y += card.rect.height();
  return card;
}

QString gain_of(const profiler::RunFinding& f, double step_ns) {
  return QObject::tr("%1 (modelled)").arg(in_qt(profiler::gain_text(f, step_ns)));
}

QString trial_words(const profiler::AdviceTrial& t) {
  const QString pairs = t.pairs == 1 ? QObject::tr("1 pair") : QObject::tr("%1 pairs").arg(t.pairs);
  if (t.for_memory())
    return QObject::tr("Obtained: %1 of memory freed, of %2 predicted (%3)")
        .arg(quantity(t.obtained_saved_bytes, profiler::Quantity::bytes),
             quantity(t.predicted_saved_bytes, profiler::Quantity::bytes), pairs);
  const auto percent = [&](double ns) { return quantity(std::abs(ns / t.step_ns), profiler::Quantity::percent_of); };
  const auto signed_percent = [&](double ns) { return (ns < 0 ? QStringLiteral("−") : QString()) + percent(ns); };
  QString said = t.obtained_gain_ns < 0 ? QObject::tr("Obtained: %1 longer").arg(percent(t.obtained_gain_ns))
                                        : QObject::tr("Obtained: %1 saved").arg(percent(t.obtained_gain_ns));
  said += QObject::tr(" (95 % interval %1 to %2; %3, measured)")
              .arg(signed_percent(t.obtained_low_ns), signed_percent(t.obtained_high_ns), pairs);
  if (t.verdict == profiler::ChangeClass::unsure) said += QObject::tr(", not certain");
  return said;
}

/// The bar of what was obtained below that of what was predicted; moves y below it.
CardTrial placed_trial(const profiler::AdviceTrial& t, const QRectF& predicted, const QFont& font, double line,
                       double& y, double width) {
  CardTrial out;
  out.verdict = t.verdict;
  double left = predicted.left();
  if (!t.for_memory()) {
    out.bar = QRectF(left, y + (line - kBarHeight) / 2, predicted.width(), kBarHeight);
    out.ratio = t.obtained_ratio(), out.low = t.obtained_low_ns / t.step_ns, out.high = t.obtained_high_ns / t.step_ns;
    if (width - kBarWidth - kGrid >= kNarrowestGain) left = out.bar.right() + kGrid;
    else y += line;
  }
  out.text = wrapped(font, trial_words(t), left, y, predicted.left() + width - left);
  return out;
}

/// Below the headline: what else is so, what to do, why no run does it.
std::string body_of(const profiler::RunFinding& f) {
  std::string text = f.besides;
  for (const std::string* more : {&f.advice, &f.no_change})
    if (!more->empty()) text += (text.empty() ? "" : " ") + *more;
  return text;
}

}  // namespace

FindingsLayout findings_layout(std::span<const profiler::RunFinding> findings,
                               std::span<const profiler::AdviceRecord> records, double step_ns, const QFont& font,
                               double width, const QString& caveat,
                               std::span<const std::optional<profiler::AdviceTrial>> trials) {
  FindingsLayout layout;
  const QFont bold = scaled_font(font, 1.1, true), small = scaled_font(font, 0.9);
  const double line = std::ceil(QFontMetricsF(font).height());
  double y = kGap;
  if (!caveat.isEmpty()) {
    layout.caveat =
        wrapped(font, caveat, kGap + kInside, y, std::min(std::max(200.0, width - 2 * (kGap + kInside)), kWidestText));
    y += kGap;
  }
  for (size_t i = 0; i < findings.size(); ++i) {
    const profiler::RunFinding& f = findings[i];
    FindingCard card;
    const double left = kGap + kInside, right = std::max(left + 200, width - kGap - kInside),
                 text_width = std::min(right - left, kWidestText);
    const double top = y;
    y += kInside * 0.75;
    card.title = wrapped(bold, QStringLiteral("%1. %2").arg(i + 1).arg(in_qt(f.sentence)), left, y, text_width);
    y += kGrid / 2;
    card.advice = wrapped(font, in_qt(body_of(f)), left, y, text_width);
    y += kGrid;
    card.gain_ratio = f.gain_ns / step_ns;
    card.bar = {left, y + (line - kBarHeight) / 2, kBarWidth, kBarHeight};
    const double gain_left = left + kBarWidth + kGrid;
    double gain_right = right;
    if (f.change) {
      const bool tried = i < trials.size() && trials[i];
      card.button_text =
          (tried ? QObject::tr("Try again: %1") : QObject::tr("Try it: %1")).arg(change_words(*f.change));
      const double w = std::min(right - left,
                                QFontMetricsF(font).horizontalAdvance(card.button_text) + 2 * kButtonPadding),
                   h = line + 1.5 * kGrid;
      card.button = {right - w, y + line / 2 - h / 2, w, h};
      gain_right = card.button.left() - kGrid;
    }
    if (gain_right - gain_left >= kNarrowestGain) {
      card.gain = wrapped(font, gain_of(f, step_ns), gain_left, y, gain_right - gain_left);
    } else {
      y = std::max(y + line, gain_right < gain_left ? 0 : card.button.bottom() + kGrid / 2);
      card.gain = wrapped(font, gain_of(f, step_ns), left, y, text_width);
      if (gain_right < gain_left) {  // the bar alone fills the line
        card.button.moveTop(y + kGrid / 2);
        y = card.button.bottom();
      }
    }
    if (i < trials.size() && trials[i]) {
      y = std::max(y, card.button.bottom()) + kGrid / 2;
      card.trial = placed_trial(*trials[i], card.bar, font, line, y, text_width);
    }
    y += kGrid;
    card.how = wrapped(small, QObject::tr("How: %1.").arg(in_qt(f.gain_how)), left, y, text_width);
    y += kGrid / 2;
    for (const profiler::FindingFigure& e : f.evidence) {
      card.evidence.push_back(
          {{left, y + (line - kSwatch) / 2, kSwatch, kSwatch},
           {{left + kSwatch + kGrid, y, text_width - kSwatch - kGrid, line},
            QStringLiteral("%1 %2 (%3)").arg(quantity(e.value, e.quantity), in_qt(e.title), origin_text(e.origin))},
           e.origin});
      y += line;
    }
    if (const std::string record = profiler::record_text(records, f.rule); !record.empty()) {
      y += kGrid / 2;
      card.record = {{left, y, text_width, line},
                     QObject::tr("This rule (%1) was %2 on this account.").arg(in_qt(f.rule), in_qt(record))};
      y += line;
    }
    y += kInside * 0.75;
    card.rect = {kGap, top, std::max(0.0, width - 2 * kGap), y - top};
    y += kGap;
    layout.cards.push_back(std::move(card));
  }
  layout.height = y;
  return layout;
}

}  // namespace views
