// SPDX-License-Identifier: GPL-3.0-or-later
// The summary strip.
#include "views/summary/summary_strip.h"

#include <QFileInfo>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "profiler/analysis/base/time_origin.h"
#include "profiler/analysis/findings/findings.h"
#include "profiler/analysis/findings/findings_caveat.h"
#include "profiler/analysis/roof_words.h"
#include "profiler/analysis/step_shares.h"
#include "profiler/capture/accelerator.h"
#include "profiler/capture/only_planned.h"
#include "profiler/machine/roofs_trust.h"
#include "views/base/change_words.h"
#include "views/base/paint.h"
#include "views/base/plain_text.h"
#include "views/widgets/flow_layout.h"

namespace views {

namespace {

using profiler::Quantity;

SummaryTile time_tile(const profiler::Summary& s, const profiler::Capture& capture) {
  const profiler::Origin timed = capture.time_origin();
  SummaryTile tile{
      QStringLiteral("time"), quantity(s.step_ns.median, Quantity::duration_ns), QObject::tr("median step"), {}};
  if (s.step_ns.samples == 0) tile.value = QStringLiteral("–");
  Tip tip;
  tip.title = QObject::tr("Median step");
  tip.definition = QObject::tr("Median over the traced steps after the warm-up.");
  tip.origin = timed;
  if (s.step_ns.samples == 1) {
    tip.value = tile.value;
    tip.note = QObject::tr("One step was timed: its spread is unknown.");
    tile.caption = QObject::tr("the only step");
  } else if (s.step_ns.samples > 1) {
    tip.value = QObject::tr("%1, between %2 and %3")
                    .arg(tile.value, quantity(s.step_ns.low, Quantity::duration_ns),
                         quantity(s.step_ns.high, Quantity::duration_ns));
    tip.note = (s.step_ns.samples < profiler::kSamplesOfAnInterval
                    ? QObject::tr("Fastest and slowest of %1 steps.")
                    : QObject::tr("95 % interval of the median from %1 steps (order statistics). The medians of "
                                  "ops "
                                  "need not add up to it. Compare uses the lower quartile of the steps, which "
                                  "background load changes less."))
                   .arg(s.step_ns.samples);
    const double half = (s.step_ns.high - s.step_ns.low) / 2;
    if (half > s.step_ns.median)  // no part of it: a few steps took many times as long
      tile.caption =
          QObject::tr("median of steps from %1 to %2")
              .arg(quantity(s.step_ns.low, Quantity::duration_ns), quantity(s.step_ns.high, Quantity::duration_ns));
    else if (s.step_ns.median > 0)
      tile.caption = QObject::tr("median step, ± %1").arg(quantity(half / s.step_ns.median, Quantity::percent_of));
  }
  if (const double mean = profiler::mean_step_apart_ns(capture); !std::isnan(mean)) {
    const QString words = quantity(mean, Quantity::duration_ns);
    tile.caption += QObject::tr("; mean %1").arg(words);
    tip.note += (tip.note.isEmpty() ? QString() : QStringLiteral(" ")) +
                QObject::tr("The mean step, which shares are of, takes %1.").arg(words);
  }
  tile.tip = tip.html();
  return tile;
}

SummaryTile rate_tile(const profiler::Summary& s, const profiler::Capture& capture) {
  const bool foreign = !capture.run().source.empty();
  const QString no_rates = QString::fromStdString(profiler::no_rates_words(capture));
  SummaryTile tile{QStringLiteral("rate"), quantity(s.flop_per_s, Quantity::flop_per_s), {}, {}};
  if (s.flops == 0) tile.value = QObject::tr("no FLOPs");
  tile.caption =
      s.flops == 0          ? QObject::tr("nothing is computed, exact")
      : s.above_roof        ? QObject::tr("above its roof: no bound")
      : !capture.computed() ? QObject::tr("nothing was computed")
      : !no_rates.isEmpty() ? QObject::tr("no rate: emulated")
      : std::isnan(s.roof_ratio)
          ? (foreign && profiler::no_roofs_words(capture).empty() ? QObject::tr("roof unknown: not in the data sheet")
             : foreign                                            ? QObject::tr("roofs are not in the trace")
             : !profiler::unprobed_kind(capture).empty()          ? QObject::tr("roof unknown: not measured here")
             : capture.machine().probed()                         ? QObject::tr("roof unknown: not all were measured")
                                                                  : QObject::tr("roof unknown: run a probe"))
          : QObject::tr("%1 of the roof").arg(quantity(s.roof_ratio, Quantity::percent_of));
  if (s.flops > 0 && s.flops_known_ratio < 0.995) {
    tile.value = QObject::tr("at least %1").arg(tile.value);
    tile.caption =
        QObject::tr("FLOPs known for %1 of the time").arg(quantity(s.flops_known_ratio, Quantity::percent_of));
  }
  Tip tip;
  tip.title = QObject::tr("Arithmetic rate");
  tip.value = QObject::tr("%1 per step in %2")
                  .arg(quantity(s.flops, Quantity::flops), quantity(s.step_ns.median, Quantity::duration_ns));
  tip.definition = QObject::tr(
      "FLOPs of all ops, divided by the time of a step. The share of the roof is the time of their "
      "arithmetic at the "
      "measured peak of their dtypes, by the time of the step.");
  tip.formula = QObject::tr("FLOP / s; a multiply-add is 2 FLOP");
  tip.origin = capture.time_origin();
  tip.note = !no_rates.isEmpty() ? no_rates
             : foreign           ? QObject::tr(
                                       "Time: measured by the tool that made the trace. FLOPs: counted from the shapes "
                                                 "in it, where it has them.")
                       : QObject::tr(
                             "FLOPs: exact, counted from shapes. Time: measured. Roof: measured once per "
                             "machine, not in this run.");
  tile.tip = tip.html();
  return tile;
}

SummaryTile bytes_tile(const profiler::Summary& s, const QString& unknown) {
  SummaryTile tile{
      QStringLiteral("bytes"), QObject::tr("%1 via DRAM").arg(quantity(s.dram_bytes, Quantity::bytes)), {}, {}};
  if (std::isnan(s.dram_bytes))
    tile.value = std::isnan(s.compulsory_bytes)
                     ? QObject::tr("bytes unknown")
                     : QObject::tr("%1 at least").arg(quantity(s.compulsory_bytes, Quantity::bytes));
  const QString origin = origin_text(s.dram_origin);
  tile.caption = std::isnan(s.amplification)
                     ? (s.bytes_known_ratio < 0.995 ? QObject::tr("compulsory; known for %1 of the time")
                                                          .arg(quantity(s.bytes_known_ratio, Quantity::percent_of))
                                                    : QObject::tr("compulsory; traffic unknown"))
                     : QObject::tr("%1 compulsory, %2").arg(quantity(s.amplification, Quantity::ratio), origin);
  if (s.dram_bytes == 0) {
    tile.value = QObject::tr("nothing via DRAM");
    tile.caption = QObject::tr("stays in the caches, %1").arg(origin);
  }
  if (std::isnan(s.dram_bytes) && std::isnan(s.compulsory_bytes)) {
    tile.value = quantity(s.compulsory_bytes, Quantity::bytes);
    tile.caption = QObject::tr("bytes are not in the trace");
  }
  Tip tip;
  tip.title = QObject::tr("Bytes through DRAM per step");
  tip.value = QObject::tr("%1 %2, %3 compulsory")
                  .arg(quantity(s.dram_bytes, Quantity::bytes), origin, quantity(s.compulsory_bytes, Quantity::bytes));
  tip.definition = QObject::tr("Compulsory: every operand byte of every op once (exact). ") +
                   (s.dram_origin == profiler::Origin::measured
                        ? QObject::tr("Measured: bytes that counters saw between DRAM and the last cache. ")
                    : s.dram_origin == profiler::Origin::simulated
                        ? QObject::tr("Simulated: bytes between DRAM and the last cache when each op's loops run on "
                                      "this machine's caches. ")
                        : QObject::tr("Modelled: bytes that must cross between DRAM and the last cache when tensors "
                                      "stay in the caches as long as they fit. ")) +
                   QObject::tr("Below 1x the caches carry data from op to op.");
  tip.formula = QObject::tr("amplification = %1 / compulsory").arg(origin);
  if (!std::isnan(s.dram_bytes)) tip.origin = s.dram_origin;
  else if (!std::isnan(s.compulsory_bytes)) tip.origin = profiler::Origin::exact;
  if (std::isnan(s.dram_bytes))
    tip.note = unknown.isEmpty()
                   ? QObject::tr("What crosses is unknown: the sizes of the caches are, or the shapes of some ops.")
                   : unknown;
  else if (s.dram_origin != profiler::Origin::measured)
    tip.note =
        QObject::tr("These bytes are %1. Hardware counters measure them, where the system allows it: Record > Collect.")
            .arg(origin);
  tile.tip = tip.html();
  return tile;
}

SummaryTile exact_tile(const char* key, const QString& value, const QString& caption, const QString& definition,
                       const QString& note = {}) {
  return {QString::fromLatin1(key), value, caption,
          Tip{caption, value, definition, {}, profiler::Origin::exact, note}.html()};
}

/// Of a network that was not run: what its graph and its memory plan say.
std::vector<SummaryTile> planned_tiles(const profiler::Summary& s, const profiler::Capture& capture) {
  const profiler::RunInfo& run = capture.run();
  const auto memory = static_cast<double>(run.persistent_bytes) + static_cast<double>(run.arena_bytes);
  return {
      exact_tile("parameters", quantity(static_cast<double>(run.parameter_count), Quantity::count),
                 run.parameter_count == 1 ? QObject::tr("parameter") : QObject::tr("parameters"),
                 QObject::tr("Elements of all weights.")),
      exact_tile("flops", s.flops == 0 ? QObject::tr("no FLOPs") : quantity(s.flops, Quantity::flops),
                 QObject::tr("per step"), QObject::tr("Counted from the shapes of all ops; a multiply-add is 2 FLOP.")),
      exact_tile("bytes", quantity(s.compulsory_bytes, Quantity::bytes), QObject::tr("compulsory, per step"),
                 QObject::tr("Every operand byte of every op once.")),
      exact_tile("memory", quantity(memory, Quantity::bytes), QObject::tr("of memory, planned"),
                 QObject::tr("Weights, inputs and the arena that all other tensors share in turn."),
                 QObject::tr("Workspace of kernels comes on top."))};
}

/// Only between numbers there is something.
bool is_number(const std::string& text) {
  bool all = false;
  QString::fromStdString(text).toDouble(&all);
  return all;
}

}  // namespace

std::vector<SummaryTile> summary_tiles(const profiler::Summary& s, const profiler::Capture& capture) {
  if (profiler::only_planned(capture)) return planned_tiles(s, capture);
  std::vector<SummaryTile> tiles{
      time_tile(s, capture), rate_tile(s, capture),
      bytes_tile(s, capture.rates_known() ? QString() : QString::fromStdString(profiler::no_roofs_words(capture)))};
  if (!std::isnan(s.samples_per_s)) {
    const auto batch = capture.run().arguments.find("batch");
    Tip tip;
    tip.title = QObject::tr("Throughput");
    tip.value = QObject::tr("%1/s").arg(quantity(s.samples_per_s, Quantity::count));
    tip.definition = QObject::tr("Batch size divided by the time of a step.");
    tip.formula = QObject::tr("throughput = batch / median step");
    tip.origin = capture.time_origin();
    tip.note = QObject::tr("Batch: exact, as it was set. Time: measured.");
    tiles.push_back({QStringLiteral("throughput"), QObject::tr("%1/s").arg(quantity(s.samples_per_s, Quantity::count)),
                     batch == capture.run().arguments.end()
                         ? QObject::tr("samples")
                         : QObject::tr("samples, batch %1").arg(QString::fromStdString(batch->second)),
                     tip.html()});
  }
  return tiles;
}

QString sweep_words(const profiler::Sweep& sweep) {
  QStringList axes;
  for (const profiler::SweepAxis& axis : sweep.request.axes) {
    QString values = axis.values.empty() ? QString() : displayed(QString::fromStdString(axis.values.front()));
    const QString last = axis.values.empty() ? QString() : displayed(QString::fromStdString(axis.values.back()));
    if (axis.values.size() == 2) values += QObject::tr(", %1").arg(last);
    else if (axis.values.size() > 2)
      values += std::ranges::all_of(axis.values, is_number) ? QObject::tr(" to %1").arg(last)
                                                            : QObject::tr(" and %1 others").arg(axis.values.size() - 1);
    axes << QStringLiteral("%1 (%2)").arg(QString::fromStdString(axis.name), values);
  }
  const auto measured = static_cast<size_t>(
      std::ranges::count(sweep.points, profiler::PointOutcome::measured, &profiler::SweepPoint::outcome));
  QString points =
      sweep.points.size() == 1 ? QObject::tr("1 point") : QObject::tr("%1 points").arg(sweep.points.size());
  if (measured < sweep.points.size()) points += QObject::tr(", %1 of them measured").arg(measured);
  const QString what = displayed(QString::fromStdString(sweep.title.empty() ? sweep.request.workload : sweep.title));
  return axes.isEmpty() ? QObject::tr("Sweep of %1: %2").arg(what, points)
                        : QObject::tr("Sweep of %1 over %2: %3").arg(what, axes.join(QObject::tr(" and ")), points);
}

QString point_words(const profiler::Sweep& sweep, const QString& capture_file) {
  const std::string name = QFileInfo(capture_file).fileName().toStdString();
  const auto point = std::ranges::find(sweep.points, name, [](const profiler::SweepPoint& p) {
    return std::filesystem::path(p.capture).filename().string();
  });
  return name.empty() || point == sweep.points.end()
             ? QString()
             : QString::fromStdString(sweep.label(static_cast<size_t>(point - sweep.points.begin())));
}

SummaryStrip::SummaryStrip(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      theme_(&Theme::light()),
      sweep_(new QLabel(this)),
      mark_(new QWidget(this)),
      verdict_(new QLabel(this)),
      try_(new QPushButton(this)) {
  auto* row = new FlowLayout;
  row->setSpacing(3 * kGrid);
  for (int i = 0; i < 4; ++i) {
    Tile tile{new QWidget(this), nullptr, nullptr};
    auto* column = new QVBoxLayout(tile.frame);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    tile.value = new QLabel(tile.frame);
    tile.caption = new QLabel(tile.frame);
    column->addWidget(tile.value);
    column->addWidget(tile.caption);
    row->add(tile.frame);
    tiles_.push_back(tile);
  }
  mark_->setFixedWidth(4);
  mark_->setAutoFillBackground(true);
  verdict_->setWordWrap(true);
  verdict_->setTextFormat(Qt::RichText);
  verdict_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* sentence = new QHBoxLayout;
  sentence->setSpacing(kGrid);
  sentence->addWidget(mark_);
  sentence->addWidget(verdict_, 1);
  sentence->addWidget(try_, 0, Qt::AlignVCenter);
  connect(try_, &QPushButton::clicked, this, [this] { emit try_requested(finding_); });
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
  all->setSpacing(kGrid);
  sweep_->setWordWrap(true);
  sweep_->setTextFormat(Qt::RichText);
  all->addWidget(sweep_);
  all->addLayout(row);
  all->addLayout(sentence);
  setAutoFillBackground(true);
  connect(&document, &Document::replaced, this, &SummaryStrip::rebuild);
  connect(&document, &Document::sweep_changed, this, &SummaryStrip::paint_sweep);
  connect(&document, &Document::run_refusal_changed, this, &SummaryStrip::enable_try);
  rebuild();
}

void SummaryStrip::set_theme(const Theme& theme) {
  theme_ = &theme;
  paint_texts();
}

void SummaryStrip::rebuild() {
  summary_.reset();
  advice_.clear();
  finding_ = 0;
  if (document_.loaded()) {
    summary_ = profiler::summary(document_.analyzed());
    advice_ = QString::fromStdString(summary_->advice);
    const std::vector<profiler::RunFinding> findings = profiler::findings(document_.analyzed());
    if (const profiler::RunFinding* first = profiler::first_to_try(findings)) {
      finding_ = static_cast<int>(first - findings.data()) + 1;
      // Beside the advice to record again: a trial is the user's own risk.
      const QString caveat = QString::fromStdString(profiler::findings_caveat(document_.capture())).toHtmlEscaped();
      const QString change = change_words(*first->change);
      const bool rash = !caveat.isEmpty();
      // The sentence is of the first finding. Where no run can try that, the button names the one that it tries.
      const QString what = finding_ == 1 ? tr("Try it") : tr("Try finding %1").arg(finding_);
      try_->setText(rash ? tr("%1 anyway: %2").arg(what, change) : tr("%1: %2").arg(what, change));
      try_tip_ = (caveat.isEmpty() ? QString() : QStringLiteral("<p>%1</p>").arg(change.toHtmlEscaped())) +
                 tr("<b>%1</b><p>%2</p><p>Expected: %3 (modelled: %4).</p>")
                     .arg(QString::fromStdString(first->sentence).toHtmlEscaped(),
                          QString::fromStdString(first->advice).toHtmlEscaped(),
                          QString::fromStdString(profiler::gain_text(*first, summary_->step_ns.median)).toHtmlEscaped(),
                          QString::fromStdString(first->gain_how).toHtmlEscaped()) +
                 (caveat.isEmpty() ? QString() : QStringLiteral("<p>⚠ %1</p>").arg(caveat));
    }
  }
  try_->setVisible(finding_ > 0);
  enable_try();
  paint_texts();
}

void SummaryStrip::enable_try() {
  const QString& why = document_.run_refusal();
  try_->setEnabled(why.isEmpty());
  try_->setToolTip(why.isEmpty() ? try_tip_ : why);
}

void SummaryStrip::set_low(bool low) {
  if (low != std::exchange(low_, low)) paint_texts();
}

QString SummaryStrip::sweep_line() const {
  if (document_.sweep() == nullptr) return {};
  const QString point = shown_point();
  return sweep_words(*document_.sweep()) + (point.isEmpty() ? QString() : QStringLiteral(". ") + point);
}

QString SummaryStrip::shown_point() const {
  const QString point = document_.loaded() ? point_words(*document_.sweep(), document_.path()) : QString();
  return point.isEmpty() ? QString() : tr("Shown below and in the other views: its point %1.").arg(point);
}

void SummaryStrip::paint_sweep() {
  sweep_->setVisible(document_.sweep() != nullptr);
  if (document_.sweep() == nullptr) return sweep_->clear();
  sweep_->setText(QStringLiteral("<b>%1.</b> %2")
                      .arg(sweep_words(*document_.sweep()).toHtmlEscaped(), shown_point().toHtmlEscaped()));
  sweep_->setToolTip(
      !shown_point().isEmpty() ? tr("The view Sweep shows all points; the figures here and the other views are of one "
                                    "of them. Choose a point in Sweep to see another.")
      : document_.loaded()
          ? tr("The view Sweep shows all points; the figures here and the other views are of a capture that is none of "
               "them. Choose a point in Sweep to see it here.")
          : tr("The view Sweep shows all points. Choose one there to see its figures here and in the other views."));
}

void SummaryStrip::paint_texts() {
  paint_sweep();
  const QFont font = data_font();
  std::vector<SummaryTile> texts;
  if (summary_) texts = summary_tiles(*summary_, document_.capture());
  for (size_t i = 0; i < tiles_.size(); ++i) {
    tiles_[i].frame->setVisible(i < texts.size());
    if (i >= texts.size()) continue;
    tiles_[i].value->setFont(scaled_font(font, low_ ? 1.15 : 1.5, true));
    tiles_[i].value->setText(texts[i].value);
    tiles_[i].caption->setFont(font);
    tiles_[i].caption->setText(texts[i].caption);
    for (QWidget* part : std::initializer_list<QWidget*>{tiles_[i].frame, tiles_[i].value, tiles_[i].caption})
      part->setToolTip(texts[i].tip);
    tiles_[i].frame->setAccessibleName(texts[i].value + QLatin1Char(' ') + texts[i].caption);
    QPalette quiet = tiles_[i].caption->palette();
    quiet.setColor(QPalette::WindowText, theme_->text_secondary);
    tiles_[i].caption->setPalette(quiet);
  }
  sentence_.clear();
  QColor color = theme_->border;
  if (summary_) {
    sentence_ = QString::fromStdString(summary_->sentence);
    if (!advice_.isEmpty()) sentence_ += QLatin1Char(' ') + advice_;
    if (!summary_->limiters.empty()) color = theme_->bound(summary_->limiters.front().bound);
    verdict_->setText(QStringLiteral("<b>%1</b> %2")
                          .arg(quoted_commands(QString::fromStdString(summary_->sentence)).toHtmlEscaped(),
                               low_ ? QString() : quoted_commands(advice_).toHtmlEscaped()));
    QString rows;
    for (const auto& l : summary_->limiters)
      rows += QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td align='right'>%2</td></tr>")
                  .arg(QString::fromStdString(l.what).toHtmlEscaped(), quantity(l.share, Quantity::percent_of));
    verdict_->setToolTip((low_ && !advice_.isEmpty()
                              ? QStringLiteral("<p>%1</p>").arg(quoted_commands(advice_).toHtmlEscaped())
                              : QString()) +
                         tr("<b>The step by what limits it</b><table>%1</table><p>The rest passes outside all ops, or "
                            "its ops differ from their medians. Verdicts are modelled from "
                            "exact FLOPs, the best known "
                            "bytes, measured times and measured roofs. Select an op to read why.</p><p>Origin: "
                            "<b>modelled</b>; shares are of measured times.</p>")
                             .arg(rows));
  } else {
    verdict_->clear();
    verdict_->setToolTip({});
  }
  mark_->setVisible(summary_.has_value());
  verdict_->setVisible(summary_.has_value());
  QPalette bar = mark_->palette();
  bar.setColor(QPalette::Window, color);
  mark_->setPalette(bar);
}

}  // namespace views
