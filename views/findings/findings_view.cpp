// SPDX-License-Identifier: GPL-3.0-or-later
// Cards painted on a scrolled canvas, with real buttons on them.
#include "views/findings/findings_view.h"

#include <QScrollBar>
#include <QStyle>
#include <algorithm>
#include <cmath>

#include "profiler/analysis/findings/findings_caveat.h"
#include "profiler/analysis/step_shares.h"
#include "profiler/capture/accelerator.h"
#include "profiler/capture/only_planned.h"
#include "views/base/paint.h"

namespace views {

FindingsView::FindingsView(Document& document, QWidget* parent)
    : View(document, parent), scroll_(new QScrollArea(this)), cards_(new Canvas) {
  setWindowTitle(tr("Findings"));
  setAccessibleName(tr("Findings: what should be changed"));
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setWidget(cards_);
  cards_->setAccessibleName(tr("Cards of findings"));
  cards_->paint = [this](QPainter& p, const QRectF& r) {
    p.fillRect(r, theme_->background);
    p.setFont(data_font());
    if (findings_.empty()) {
      draw_message(p, r, *theme_,
                   this->document().loaded() ? tr("Nothing worth changing was found") : tr("No capture on the table"),
                   hint());
    } else {
      paint_cards(p, layout_, r, *theme_, false);
    }
  };
  connect(cards_, &Canvas::pressed, this, [this](QPointF at) {
    for (size_t i = 0; i < layout_.cards.size(); ++i) {
      if (layout_.cards[i].rect.contains(at) && !findings_[i].ops.empty())
        this->document().selection().select_op(findings_[i].ops.front());
    }
  });
  cards_->clickable = [this](QPointF at) {
    for (size_t i = 0; i < layout_.cards.size(); ++i) {
      if (layout_.cards[i].rect.contains(at)) return !findings_[i].ops.empty();
    }
    return false;
  };
  connect(&document, &Document::replaced, this, &FindingsView::fill);
  connect(&document, &Document::run_refusal_changed, this, &FindingsView::enable_buttons);
  connect(&document.selection(), &Selection::changed, cards_, qOverload<>(&QWidget::update));
  refresh_records();
  fill();
}

QString FindingsView::hint() const {
  if (!document().loaded())
    return tr(
        "Run a workload or open a .tide file to see proposed changes, with evidence and "
        "expected gain.");
  if (const std::string caveat = profiler::findings_caveat(document().capture()); !caveat.empty())
    return tr("No rule found anything worth changing. %1").arg(QString::fromStdString(caveat));
  if (!document().capture().run().source.empty()) {
    return tr(
        "Rules that need roofs do not apply: an imported trace does not hold those of its "
        "machine.");
  }
  if (!profiler::unprobed_kind(document().capture()).empty())
    return tr("No rule found anything worth changing. Rules that need measured roofs do not apply to this device.");
  return document().capture().machine().probed()
             ? tr("No rule found a change that saves 1 % of the step.")
             : tr("Most rules need this machine's roofs: run a probe, then record again.");
}

QString FindingsView::caveat() const {
  const std::string said = document().loaded() ? profiler::findings_caveat(document().capture()) : std::string();
  return said.empty() ? QString() : QStringLiteral("⚠ ") + QString::fromStdString(said);
}

void FindingsView::refresh_records() {
  const auto ledger = profiler::read_ledger(profiler::advice_file());
  ledger_ = ledger ? ledger->trials : std::vector<profiler::AdviceTrial>();
  records_ = profiler::advice_records(ledger_);
  match_trials();
  place();
}

/// The ledger keeps what was tried on each capture: a card shows it again when the capture is opened again.
void FindingsView::match_trials() {
  trials_.assign(findings_.size(), std::nullopt);
  for (size_t i = 0; i < findings_.size(); ++i) {
    if (const auto* trial = profiler::trial_of(ledger_, document().capture(), findings_[i])) trials_[i] = *trial;
  }
}

void FindingsView::fill() {
  findings_.clear();
  if (document().loaded()) {
    findings_ = profiler::findings(document().analyzed());
    step_ns_ = profiler::median_step_ns(document().capture());
  }
  for (QPushButton* button : buttons_) {
    if (button != nullptr) button->deleteLater();
  }
  buttons_.assign(findings_.size(), nullptr);
  for (size_t i = 0; i < findings_.size(); ++i) {
    if (!findings_[i].change) continue;
    buttons_[i] = new QPushButton(cards_);
    connect(buttons_[i], &QPushButton::clicked, this, [this, i] { emit try_requested(static_cast<int>(i) + 1); });
    buttons_[i]->show();
  }
  enable_buttons();
  scroll_->verticalScrollBar()->setValue(0);
  match_trials();
  place();
}

void FindingsView::enable_buttons() {
  const QString& why = document().run_refusal();
  const QString tip = QStringLiteral("<p>%1</p><p>%2</p>")
                          .arg(tr("Runs the captured command with and without this change, in pairs of "
                                  "processes, and compares the gain with the one expected."),
                               caveat().toHtmlEscaped());
  for (QPushButton* button : buttons_) {
    if (button == nullptr) continue;
    button->setEnabled(why.isEmpty());
    button->setToolTip(why.isEmpty() ? tip : why);
  }
}

QPushButton* FindingsView::button(int finding) const {
  return finding >= 1 && static_cast<size_t>(finding) <= buttons_.size() ? buttons_[static_cast<size_t>(finding) - 1]
                                                                         : nullptr;
}

void FindingsView::place() {
  // Not the viewport's own width: a view that was never shown has another one, and the bar's coming must not move the
  // cards.
  const double width =
      std::max(0, scroll_->width() - scroll_->style()->pixelMetric(QStyle::PM_ScrollBarExtent, nullptr, scroll_));
  layout_ = findings_layout(findings_, records_, step_ns_, data_font(), width, {},
                            trials_);  // noisy times: the window has one badge for them
  cards_->resize(static_cast<int>(width), std::max(scroll_->height(), static_cast<int>(layout_.height)));
  for (size_t i = 0; i < buttons_.size(); ++i) {
    if (buttons_[i] == nullptr) continue;
    const FindingCard& card = layout_.cards[i];
    buttons_[i]->setText(card.button_text);
    buttons_[i]->setAccessibleDescription(card.trial ? card.gain.text + QStringLiteral(". ") + card.trial->text.text
                                                     : card.gain.text);
    buttons_[i]->setGeometry(layout_.cards[i].button.toAlignedRect());
  }
  cards_->update();
}

void FindingsView::resizeEvent(QResizeEvent* event) {
  View::resizeEvent(event);
  scroll_->setGeometry(rect());
  place();
}

void FindingsView::set_theme(const Theme& theme) {
  theme_ = &theme;
  cards_->update();
}

namespace {

/// What was obtained, with its interval; what got slower has a bar of its own colour, and says so.
void paint_trial(QPainter& p, const CardTrial& trial, const QFont& font, const Theme& theme) {
  if (!trial.bar.isEmpty()) {
    const auto x = [&](double ratio) {
      return trial.bar.left() + trial.bar.width() * std::clamp(std::abs(ratio), 0.0, 1.0);
    };
    draw_bar(p, trial.bar, std::abs(trial.ratio), trial.ratio < 0 ? theme.slower : theme.faster, theme);
    if ((trial.low < 0) == (trial.high < 0)) {  // else it holds none at all
      const double y = trial.bar.center().y();
      p.setPen(QPen(theme.text, 1));
      p.drawLine(QPointF(x(trial.low), y), QPointF(x(trial.high), y));
      for (const double end : {trial.low, trial.high}) p.drawLine(QPointF(x(end), y - 3), QPointF(x(end), y + 3));
    }
  }
  p.setFont(font);
  p.setPen(theme.text);
  p.drawText(trial.text.rect, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, trial.text.text);
}

}  // namespace

void FindingsView::paint_cards(QPainter& p, const FindingsLayout& layout, const QRectF& visible, const Theme& theme,
                               bool with_buttons) const {
  const QFont font = data_font();
  const auto wrapped = [&](const CardText& t, const QFont& f, const QColor& color) {
    p.setFont(f);
    p.setPen(color);
    p.drawText(t.rect, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, t.text);
  };
  if (!layout.caveat.text.isEmpty()) wrapped(layout.caveat, font, theme.warning);
  for (size_t i = 0; i < layout.cards.size(); ++i) {
    const FindingCard& c = layout.cards[i];
    if (!c.rect.intersects(visible)) continue;
    // A card that speaks of the selected op stands out.
    const std::vector<profiler::OpId>& ops = findings_[i].ops;
    const std::optional<profiler::OpId> selected = document().selection().state().op;
    const bool marked = selected && std::find(ops.begin(), ops.end(), *selected) != ops.end();
    p.setPen(QPen(marked ? theme.accent : theme.border, marked ? 2 : 1));
    p.setBrush(theme.surface);
    p.drawRoundedRect(c.rect.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    p.setBrush(Qt::NoBrush);
    wrapped(c.title, scaled_font(font, 1.1, true), theme.text);
    wrapped(c.advice, font, theme.text);
    p.setFont(font);
    draw_bar(p, c.bar, c.gain_ratio, origin_brush(profiler::Origin::modelled, theme.measure).color(), theme);
    p.setPen(origin_pen(profiler::Origin::modelled, theme.measure));
    p.setBrush(Qt::NoBrush);
    if (c.gain_ratio > 0)
      p.drawRect(QRectF(c.bar.left(), c.bar.top(), c.bar.width() * std::min(c.gain_ratio, 1.0), c.bar.height()));
    wrapped(c.gain, font, theme.text);
    if (c.trial) paint_trial(p, *c.trial, font, theme);
    wrapped(c.how, scaled_font(font, 0.9), theme.text_secondary);
    p.setFont(font);
    for (const CardFigure& e : c.evidence) {
      draw_swatch(p, e.swatch, theme.text_secondary, e.origin);
      draw_text(p, e.text.rect, Qt::AlignLeft | Qt::AlignVCenter, e.text.text, theme.text);
    }
    if (!c.record.text.isEmpty())
      draw_text(p, c.record.rect, Qt::AlignLeft | Qt::AlignVCenter, c.record.text, theme.text_secondary);
    if (with_buttons && !c.button.isEmpty()) {
      p.setPen(QPen(theme.accent, 1));
      p.drawRoundedRect(c.button, 4, 4);
      draw_text(p, c.button, Qt::AlignCenter, c.button_text, theme.accent);
    }
  }
}

void FindingsView::render_picture(QPainter& p, const QRectF& rect, const Theme& theme) {
  p.save();
  p.setClipRect(rect);
  p.fillRect(rect, theme.background);
  p.setFont(data_font());
  if (findings_.empty()) {
    draw_message(p, rect, theme,
                 document().loaded() ? tr("Nothing worth changing was found") : tr("No capture on the table"), hint());
  } else {
    p.translate(rect.topLeft());
    paint_cards(p, findings_layout(findings_, records_, step_ns_, data_font(), rect.width(), caveat(), trials_),
                QRectF(QPointF(), rect.size()), theme, true);
  }
  p.restore();
}

profiler::Table FindingsView::data() const {
  return document().loaded() ? profiler::findings_table(document().analyzed()) : profiler::Table{};
}

QString FindingsView::nothing() const {
  if (document().loaded() && profiler::only_planned(document().capture())) return tr("Nothing has run yet.");
  if (!document().loaded() || !findings_.empty() || document().capture().run().source.empty()) return {};
  return document().capture().ops().empty() ? tr("The trace names no ops, and nothing else in it calls for a change.")
                                            : QString();
}

}  // namespace views
