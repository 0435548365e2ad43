// SPDX-License-Identifier: GPL-3.0-or-later
// The cards keep apart, say what the rules say, and their buttons ask for the right trial.
#include "views/findings/findings_view.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTest>
#include <filesystem>

#include "profiler/analysis/step_shares.h"

#include "tests/support/op_lab.h"
#include "tests/support/sample_document.h"

namespace {

/// A triad out of DRAM in f32: memory-bound (with a change to try) and write-allocate (without).
std::shared_ptr<const profiler::Analyzed> triad() {
  tests::OpLab lab;
  lab.builder().run().arguments["dtype"] = "f32";
  const int64_t n = 256 * tests::OpLab::kMiB;
  lab.op("scaled_add", {lab.tensor(n), lab.tensor(n)}, {lab.tensor(n)}, 2.0 * n / 4, 4.0 * n / 20 / 0.95);
  return profiler::analyze(lab.finish());
}

TEST(FindingsLayout, CardsAndTheirPartsKeepApart) {
  const auto findings = profiler::findings(*triad());
  ASSERT_EQ(findings.size(), 2u);
  const std::vector<profiler::AdviceRecord> records{{"memory-bound", 3, 2, 1, 0.8}};
  const QFont font = QApplication::font();
  for (const double width : {300.0, 360.0, 420.0, 480.0, 540.0, 900.0, 1900.0}) {
    const views::FindingsLayout layout = views::findings_layout(findings, records, 6e7, font, width);
    ASSERT_EQ(layout.cards.size(), 2u);
    std::vector<QRectF> cards;
    for (const views::FindingCard& c : layout.cards) {
      cards.push_back(c.rect);
      std::vector<QRectF> parts{c.title.rect, c.advice.rect, c.bar, c.gain.rect, c.how.rect, c.button};
      for (const views::CardFigure& e : c.evidence) parts.push_back(e.swatch), parts.push_back(e.text.rect);
      if (!c.record.text.isEmpty()) parts.push_back(c.record.rect);
      const auto [a, b] = tests::first_overlap(parts);
      EXPECT_EQ(a, -1) << "parts " << a << " and " << b << " overlap at width " << width;
      for (const QRectF& part : parts)
        EXPECT_TRUE(part.isEmpty() || c.rect.contains(part)) << part.y() << " at width " << width;
    }
    EXPECT_EQ(tests::first_overlap(cards).first, -1);
    EXPECT_GE(layout.height, cards.back().bottom());
    EXPECT_FALSE(layout.cards[0].button.isEmpty());
    EXPECT_TRUE(layout.cards[1].button.isEmpty()) << "no option of a run chooses how kernels store";
    EXPECT_TRUE(layout.cards[0].record.text.contains(QStringLiteral("right in 2 of 3 trials")));
    EXPECT_TRUE(layout.cards[1].record.text.isEmpty());
  }
}

TEST(FindingsLayout, TheHeadlineIsOneSentenceAndTheRestStandsBelow) {
  auto findings = profiler::findings(*triad());
  findings[0].sentence = "Ops wait for memory.";
  findings[0].besides = "So do others.";
  findings[0].advice = "Use a narrower format.";
  const auto layout = views::findings_layout(findings, {}, 6e7, QApplication::font(), 900);
  EXPECT_EQ(layout.cards[0].title.text, QStringLiteral("1. Ops wait for memory."));
  EXPECT_TRUE(layout.cards[0].advice.text.startsWith(QStringLiteral("So do others. Use a narrower format.")))
      << layout.cards[0].advice.text.toStdString();
}

TEST(FindingsLayout, ACaveatStandsAboveAllCards) {
  const auto findings = profiler::findings(*triad());
  const QString caveat = QStringLiteral(
                             "Other programs used 84 % of the processor while this was recorded: the gains "
                             "are rough. ")
                             .repeated(2);
  for (const double width : {420.0, 1900.0}) {
    const views::FindingsLayout layout = views::findings_layout(findings, {}, 6e7, QApplication::font(), width, caveat);
    EXPECT_EQ(layout.caveat.text, caveat);
    EXPECT_LE(layout.caveat.rect.bottom(), layout.cards.front().rect.top());
  }
  EXPECT_TRUE(views::findings_layout(findings, {}, 6e7, QApplication::font(), 900).caveat.text.isEmpty());
}

TEST(FindingsLayout, TheGainWrapsBesideItsButton) {
  auto findings = profiler::findings(*triad());
  const QFont font = QApplication::font();
  for (const double width : {300.0, 420.0, 540.0}) {
    const views::FindingsLayout layout = views::findings_layout(findings, {}, 6e7, font, width);
    for (const views::FindingCard& card : layout.cards) {
      const QRectF needed =
          QFontMetricsF(font).boundingRect(QRectF(0, 0, card.gain.rect.width(), 1e4), Qt::TextWordWrap, card.gain.text);
      EXPECT_LE(needed.height(), card.gain.rect.height() + 0.5) << width;
      EXPECT_LE(needed.width(), card.gain.rect.width() + 0.5) << width << ": no word is wider than its room";
    }
  }
}

TEST(FindingsView, AButtonAsksForItsFindingAndACardSelectsItsOp) {
  views::Document document;
  views::FindingsView view(document, nullptr);
  view.resize(1000, 600);
  view.show();
  EXPECT_EQ(view.data().rows.size(), 0u);
  document.set(triad(), QStringLiteral("triad.tide"));
  QApplication::processEvents();
  EXPECT_EQ(view.data().rows.size(), 2u);
  QSignalSpy asked(&view, &views::FindingsView::try_requested);
  ASSERT_NE(view.button(1), nullptr);
  EXPECT_EQ(view.button(1)->text(), QStringLiteral("Try it: data type bf16"));
  EXPECT_EQ(view.button(2), nullptr);
  EXPECT_EQ(view.button(3), nullptr);
  QTest::mouseClick(view.button(1), Qt::LeftButton);
  ASSERT_EQ(asked.size(), 1);
  EXPECT_EQ(asked[0][0].toInt(), 1);
  EXPECT_TRUE(document.selection().state().empty());
  QTest::mouseClick(view.button(1)->parentWidget(), Qt::LeftButton, {}, QPoint(40, 20));
  EXPECT_EQ(document.selection().state().op, 0u);
  document.set(nullptr, {});
  EXPECT_EQ(view.button(1), nullptr);
}

/// A trial of the first finding of `run`, as `tensortide try` keeps it.
profiler::AdviceTrial trial_of_first(const profiler::Analyzed& run) {
  const profiler::RunFinding finding = profiler::findings(run).front();
  profiler::AdviceTrial t;
  t.command = run.capture->run().command;
  t.rule = finding.rule;
  t.option = finding.change->option, t.before = finding.change->before, t.value = finding.change->value;
  t.captured_step_ns = profiler::median_step_ns(*run.capture);
  t.predicted_gain_ns = finding.gain_ns;
  t.step_ns = 1000, t.obtained_gain_ns = 410, t.obtained_low_ns = 370, t.obtained_high_ns = 446;
  t.pairs = 5;
  t.verdict = profiler::ChangeClass::faster;
  return t;
}

TEST(FindingsView, WhatWasTriedStaysOnItsCard) {
  const auto file = profiler::advice_file();
  std::filesystem::remove(file);
  const auto run = triad();
  views::Document document;
  views::FindingsView view(document, nullptr);
  view.resize(1000, 600);
  view.show();
  document.set(run, QStringLiteral("triad.tide"));
  EXPECT_FALSE(view.cards().cards[0].trial);
  ASSERT_TRUE(profiler::append_trial(file, trial_of_first(*run)).ok());
  view.refresh_records();
  ASSERT_TRUE(view.cards().cards[0].trial);
  const views::CardTrial& shown = *view.cards().cards[0].trial;
  EXPECT_NEAR(shown.ratio, 0.41, 1e-9);
  EXPECT_GT(shown.bar.top(), view.cards().cards[0].bar.top()) << "obtained below predicted";
  EXPECT_DOUBLE_EQ(shown.bar.left(), view.cards().cards[0].bar.left());
  EXPECT_DOUBLE_EQ(shown.bar.width(), view.cards().cards[0].bar.width()) << "one scale";
  EXPECT_EQ(shown.text.text, QStringLiteral("Obtained: 41 % saved (95 % interval 37 % to 45 %; 5 pairs, measured)"));
  EXPECT_EQ(view.button(1)->text(), QStringLiteral("Try again: data type bf16"));
  EXPECT_TRUE(view.button(1)->accessibleDescription().contains(QStringLiteral("Obtained")));
  document.set(nullptr, {});
  views::FindingsView later(document, nullptr);  // another day
  later.resize(1000, 600);
  document.set(run, QStringLiteral("triad.tide"));
  EXPECT_TRUE(later.cards().cards[0].trial.has_value());
  std::filesystem::remove(file);
}

TEST(FindingsLayout, ATrialTakesRoomOfItsOwn) {
  const auto run = triad();
  const auto findings = profiler::findings(*run);
  auto slower = trial_of_first(*run);
  slower.obtained_gain_ns = -200, slower.obtained_low_ns = -300, slower.obtained_high_ns = 50;
  slower.verdict = profiler::ChangeClass::unsure;
  const std::vector<std::optional<profiler::AdviceTrial>> trials{slower, std::nullopt};
  for (const double width : {300.0, 420.0, 900.0, 1900.0}) {
    const auto layout = views::findings_layout(findings, {}, 6e7, QApplication::font(), width, {}, trials);
    const views::FindingCard& c = layout.cards[0];
    ASSERT_TRUE(c.trial);
    EXPECT_TRUE(c.trial->text.text.startsWith(QStringLiteral("Obtained: 20 % longer")));
    EXPECT_TRUE(c.trial->text.text.contains(QStringLiteral("−30 % to 5.0 %")));
    EXPECT_TRUE(c.trial->text.text.endsWith(QStringLiteral("not certain")));
    const std::vector<QRectF> parts{c.title.rect, c.advice.rect,      c.bar,      c.gain.rect,
                                    c.trial->bar, c.trial->text.rect, c.how.rect, c.button};
    const auto [a, b] = tests::first_overlap(parts);
    EXPECT_EQ(a, -1) << a << " and " << b << " overlap at width " << width;
    for (const QRectF& part : parts) EXPECT_TRUE(part.isEmpty() || c.rect.contains(part)) << width;
    EXPECT_FALSE(layout.cards[1].trial);
  }
}

TEST(FindingsView, ATabThatWasNeverShownLaysItsCardsOutAllTheSame) {
  views::Document document;
  QTabWidget tabs;
  tabs.addTab(new QWidget, QStringLiteral("front"));
  auto* view = new views::FindingsView(document, &tabs);
  tabs.addTab(view, QStringLiteral("findings"));
  tabs.resize(1000, 600);
  tabs.show();
  document.set(triad(), QStringLiteral("triad.tide"));
  tabs.setCurrentWidget(view);
  QApplication::processEvents();
  ASSERT_NE(view->button(1), nullptr);
  EXPECT_GT(view->button(1)->parentWidget()->width(), 900);
  EXPECT_GT(view->button(1)->geometry().right(), 800) << "at the right of its card";
  EXPECT_TRUE(view->rect().contains(QRect(view->button(1)->mapTo(view, QPoint(0, 0)), view->button(1)->size())));
}

}  // namespace
