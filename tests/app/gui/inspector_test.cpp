// SPDX-License-Identifier: GPL-3.0-or-later
// What the inspector says about op, tensor, layer, range and run; and the summary's tiles.
#include "views/inspector/inspector.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QPushButton>
#include <QTextEdit>
#include <QToolButton>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "profiler/analysis/footprint.h"
#include "profiler/analysis/step_shares.h"
#include "profiler/analysis/verdict/verdict_text.h"
#include "profiler/capture/capture_builder.h"
#include "tests/app/gui/gui_test_support.h"
#include "tests/support/sample_sweep.h"
#include "views/base/paint.h"
#include "views/summary/summary_strip.h"

namespace app::gui {
namespace {

using tests::SampleOps;
using views::inspect;
using views::InspectorContent;
using views::SelectionState;

class InspectorTest : public ::testing::Test {
 protected:
  std::shared_ptr<const profiler::Analyzed> analyzed = profiler::analyze(tests::sample_capture());
  const profiler::Capture& capture = *analyzed->capture;
  static QString all(const InspectorContent& c) {
    QStringList lines{c.title, c.subtitle};
    for (const auto& s : c.sections) {
      lines << s.title;
      for (const auto& r : s.rows) {
        QStringList values;
        for (const auto& v : r.values) values << v.text;
        lines << r.label + QStringLiteral(": ") + values.join(QStringLiteral(", "));
      }
      lines += s.sentences + s.why;
    }
    return lines.join(QLatin1Char('\n'));
  }
  static bool says(const QString& text, const char* part) { return text.contains(QString::fromUtf8(part)); }
};

TEST_F(InspectorTest, OpShowsVerdictTimeBytesAndTensors) {
  SelectionState state;
  state.op = SampleOps::conv;
  const InspectorContent c = inspect(*analyzed, state);
  const QString text = all(c);
  EXPECT_EQ(c.title.toStdString(), std::string(capture.name(capture.ops()[SampleOps::conv].name)));
  for (const auto& why : profiler::verdict_text(analyzed->verdicts[SampleOps::conv]))
    EXPECT_TRUE(text.contains(QString::fromStdString(why))) << why;
  EXPECT_TRUE(says(text, "DRAM – L3"));
  size_t linked = 0;
  for (const auto& s : c.sections)
    for (const auto& r : s.rows) linked += r.tensor ? 1 : 0;
  EXPECT_EQ(linked, capture.operands(capture.ops()[SampleOps::conv]).size());
}

TEST_F(InspectorTest, BytesAreThoseThatCountAndModelledOnesNameTheCacheTheyHangOn) {
  SelectionState state;
  state.op = SampleOps::conv;
  const auto links = [&](const profiler::Analyzed& a) {
    const InspectorContent c = inspect(a, state);
    const auto found = std::ranges::find(c.sections, QStringLiteral("Bytes per link"), &views::InspectorSection::title);
    return found == c.sections.end() ? views::InspectorSection() : *found;
  };
  const views::InspectorSection modelled = links(*analyzed);
  ASSERT_EQ(modelled.columns.size(), 2);
  EXPECT_EQ(modelled.columns[1], QStringLiteral("modelled"));
  EXPECT_TRUE(says(modelled.why.join(QLatin1Char(' ')), "that the probe saw"))
      << modelled.why.join(QLatin1Char(' ')).toStdString();
  EXPECT_FALSE(says(modelled.why.join(QLatin1Char(' ')), "apart"));
  profiler::TrafficSource simulated;
  simulated.origin = profiler::Origin::simulated;
  simulated.links = {{"DRAM", "L3", 1e6}};
  for (const auto& op : capture.ops()) {
    if (!op.view) simulated.records.push_back({.op = op.id, .link = 0, .read_bytes = 5e9, .written_bytes = 0});
  }
  const auto with = profiler::CaptureBuilder::with_traffic(capture, simulated);
  ASSERT_TRUE(with.ok()) << with.error().message;
  const views::InspectorSection apart = links(*profiler::analyze(*with));
  EXPECT_EQ(apart.columns[1], QStringLiteral("simulated"));
  EXPECT_EQ(apart.rows.front().values[1].text, QStringLiteral("5.00 GB"));
  EXPECT_EQ(apart.rows[1].values[1].text, QStringLiteral("–")) << "the simulation says nothing of this link";
  const QString said = apart.why.join(QLatin1Char(' '));
  EXPECT_TRUE(says(said, "Simulated and modelled bytes are more than 2x apart at DRAM (5.00 GB and ") &&
              says(said, "The simulated ones count: "))
      << said.toStdString();
}

TEST_F(InspectorTest, NumbersComeFirstAsBarsThenTheVerdict) {
  SelectionState state;
  state.op = SampleOps::conv;
  const InspectorContent c = inspect(*analyzed, state);
  ASSERT_GE(c.sections.size(), 3u);
  // Above its roof no share of it is known.
  state.op = SampleOps::relu;
  const InspectorContent below = inspect(*analyzed, state);
  ASSERT_FALSE(std::isnan(analyzed->verdicts[SampleOps::relu].utilisation));
  QStringList labels;
  for (const auto& r : c.sections[0].rows) {
    ASSERT_TRUE(r.bar) << r.label.toStdString();
    EXPECT_FALSE(r.bar->words.isEmpty());
    labels << r.label;
  }
  EXPECT_EQ(labels.join(QLatin1Char('|')), QStringLiteral("Median|Share of the median step|Of its roof"));
  EXPECT_TRUE(c.sections[0].sentences.empty());
  EXPECT_TRUE(std::isnan(c.sections[0].rows[2].bar->ratio));
  EXPECT_NEAR(below.sections[0].rows[2].bar->ratio, analyzed->verdicts[SampleOps::relu].utilisation, 1e-12);
  EXPECT_EQ(c.sections[1].title, QStringLiteral("Bytes per link"));
  for (const auto& r : c.sections[1].rows) {
    ASSERT_TRUE(r.bar && r.bar->tick) << r.label.toStdString() << ": bytes beside compulsory ones";
    EXPECT_LE(std::max(r.bar->ratio, *r.bar->tick), 1 + 1e-9);
  }
  ASSERT_TRUE(c.sections[2].bound);
  EXPECT_LE(c.sections[2].sentences.size(), 1);
  EXPECT_FALSE(c.sections[2].why.empty());
  for (const auto& section : c.sections)
    EXPECT_FALSE(says(section.sentences.join(QLatin1Char(' ')), "--")) << "no flags: " << section.title.toStdString();
}

TEST_F(InspectorTest, ProseIsFoldedUntilItIsAskedForAndThenStaysOpen) {
  views::Document document;
  document.set(analyzed, QStringLiteral("sample.tide"));
  views::Inspector inspector(document, nullptr);
  inspector.resize(300, 900);
  inspector.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&inspector));
  document.selection().select_op(SampleOps::conv);
  QCoreApplication::processEvents();
  const auto why = [&] {
    for (QToolButton* button : inspector.widget()->findChildren<QToolButton*>(QStringLiteral("inspector.why"))) {
      if (button->text() == QStringLiteral("Why?")) return button;
    }
    return static_cast<QToolButton*>(nullptr);
  };
  const auto reason_shown = [&] {
    const QString reason =
        QString::fromStdString(profiler::verdict_text(analyzed->verdicts[*document.selection().state().op]).front());
    return std::ranges::any_of(inspector.widget()->findChildren<QLabel*>(),
                               [&](const QLabel* label) { return label->isVisible() && label->text() == reason; });
  };
  ASSERT_NE(why(), nullptr);
  EXPECT_TRUE(why()->accessibleName().startsWith(QStringLiteral("Why? ")));
  EXPECT_FALSE(reason_shown());
  QTest::mouseClick(why(), Qt::LeftButton);
  EXPECT_TRUE(reason_shown());
  document.selection().select_op(SampleOps::relu);
  QCoreApplication::processEvents();
  ASSERT_NE(why(), nullptr);
  EXPECT_TRUE(reason_shown()) << "who reads reasons reads the next one's too";
  why()->setFocus();
  QTest::keyClick(why(), Qt::Key_Space);
  EXPECT_FALSE(reason_shown());
}

TEST_F(InspectorTest, WhatIsNotFirmHasOneBadge) {
  profiler::Analyzed changed = *analyzed;
  profiler::Verdict& v = changed.verdicts[SampleOps::conv];
  SelectionState state;
  state.op = SampleOps::conv;
  const auto verdict = [&] {
    const InspectorContent c = inspect(changed, state);
    return *std::ranges::find_if(c.sections, [](const auto& s) { return s.bound.has_value(); });
  };
  v.bound = profiler::Bound::compute;
  v.firm = false;
  v.runner_up = "memory-bound at DRAM";
  EXPECT_EQ(verdict().title, QStringLiteral("Compute-bound"));
  EXPECT_EQ(verdict().badge, QStringLiteral("likely"));
  EXPECT_TRUE(says(verdict().badge_tip, "memory-bound at DRAM"));
  v.firm = true;
  EXPECT_TRUE(verdict().badge.isEmpty());
}

TEST_F(InspectorTest, TheRunsRowsAddUpToItsStep) {
  const InspectorContent c = inspect(*analyzed, {});
  const auto found = std::ranges::find(c.sections, QStringLiteral("Time per step"), &views::InspectorSection::title);
  ASSERT_NE(found, c.sections.end());
  const profiler::StepParts parts = profiler::step_parts(*analyzed);
  ASSERT_TRUE(parts.known());
  ASSERT_EQ(found->rows.size(), parts.has_rest() ? 4u : 3u);
  EXPECT_EQ(found->rows.front().values[0].text, views::quantity(parts.ops_ns, profiler::Quantity::duration_ns));
  EXPECT_EQ(found->rows.back().values[0].text, views::quantity(parts.step_ns, profiler::Quantity::duration_ns));
}

TEST_F(InspectorTest, WhatIsKeptAcrossStepsIsByRole) {
  const profiler::Footprint kept = profiler::footprint(capture);
  double sum = 0;
  std::array<double, engine::kRoleCount> by_role{};
  for (const profiler::TensorRecord& t : capture.tensors()) {
    if (t.persistent && t.alias_of == profiler::kNoTensor)
      by_role[static_cast<size_t>(t.role)] += static_cast<double>(t.size_bytes);
  }
  const QString text = all(inspect(*analyzed, {}));
  for (size_t r = 0; r < engine::kRoleCount; ++r) {
    const double bytes = by_role[r];
    sum += bytes;
    const QString label = QStringLiteral("%1, kept: ").arg(views::role_title(static_cast<engine::Role>(r)));
    EXPECT_EQ(says(text, (label + views::quantity(bytes, profiler::Quantity::bytes)).toUtf8().constData()), bytes > 0)
        << label.toStdString();
  }
  EXPECT_GT(sum, 0);
  EXPECT_EQ(sum, kept.persistent_bytes);
}

TEST_F(InspectorTest, WhereThereIsNoClassThereIsNoConfidenceAndALimitAsNearWinsNothing) {
  SelectionState state;
  state.op = SampleOps::conv;
  profiler::Analyzed changed = *analyzed;
  profiler::Verdict& v = changed.verdicts[SampleOps::conv];
  v.bound = profiler::Bound::inconsistent;
  v.next_speedup = 1;
  const QString text = all(inspect(changed, state));
  const InspectorContent content = inspect(changed, state);
  const auto found = std::ranges::find_if(content.sections, [](const auto& s) { return s.bound.has_value(); });
  ASSERT_NE(found, content.sections.end());
  EXPECT_TRUE(found->badge.isEmpty());
  EXPECT_TRUE(says(text, "Speed-up without it: – (the next limit is as near)\n")) << text.toStdString();
}

TEST_F(InspectorTest, ViewSaysItMovesNothing) {
  SelectionState state;
  state.op = SampleOps::flatten;
  EXPECT_TRUE(says(all(inspect(*analyzed, state)), "moves nothing"));
}

TEST_F(InspectorTest, TensorShowsWhoReadsAndWritesIt) {
  SelectionState state;
  for (const auto& operand : capture.operands(capture.ops()[SampleOps::conv]))
    if (operand.output) state.tensor = operand.tensor;
  ASSERT_TRUE(state.tensor);
  const InspectorContent c = inspect(*analyzed, state);
  std::vector<profiler::OpId> written, read;
  for (const auto& s : c.sections)
    for (const auto& r : s.rows) {
      if (r.op && s.title == QStringLiteral("Written by")) written.push_back(*r.op);
      if (r.op && s.title == QStringLiteral("Read by")) read.push_back(*r.op);
    }
  EXPECT_EQ(written, std::vector<profiler::OpId>{SampleOps::conv});
  EXPECT_NE(std::find(read.begin(), read.end(), SampleOps::relu), read.end());
  EXPECT_TRUE(says(all(c), "16×32×64×64"));
}

TEST_F(InspectorTest, UnknownSelectionFallsBackToTheRun) {
  SelectionState state;
  state.op = 100000;
  EXPECT_TRUE(says(all(inspect(*analyzed, state)), "the whole run"));
  EXPECT_TRUE(says(all(inspect(*analyzed, {})), "Sample CPU"));
}

TEST_F(InspectorTest, RangeShowsBusyAndTopOps) {
  SelectionState state;
  state.range =
      views::TimeRange{capture.steps()[1].start_ns, capture.steps()[1].start_ns + capture.steps()[1].duration_ns};
  const InspectorContent c = inspect(*analyzed, state);
  EXPECT_EQ(c.title, QStringLiteral("Time range"));
  EXPECT_TRUE(says(all(c), "Busy: "));
  EXPECT_TRUE(says(all(c), "DRAM traffic: "));
}

TEST_F(InspectorTest, WithoutProbeBytesAreADashWithAReason) {
  profiler::CaptureBuilder builder = tests::sample_builder();
  builder.machine() = {};
  const auto blind = profiler::analyze(*builder.finish());
  SelectionState state;
  state.op = SampleOps::relu;
  const QString text = all(inspect(*blind, state));
  EXPECT_TRUE(says(text, "–")) << text.toStdString();
  EXPECT_TRUE(says(text, "Measure the roofs")) << text.toStdString();
}

TEST_F(InspectorTest, ClickOnATensorSelectsIt) {
  views::Document document;
  document.set(analyzed, QStringLiteral("sample.tide"));
  views::Inspector inspector(document, nullptr);
  inspector.resize(280, 900);
  inspector.show();
  document.selection().select_op(SampleOps::relu);
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&inspector));
  const auto links = inspector.widget()->findChildren<QPushButton*>();
  ASSERT_FALSE(links.empty());
  QTest::mouseClick(links.front(), Qt::LeftButton);
  EXPECT_TRUE(wait_for([&] { return document.selection().state().tensor.has_value(); }, 2000));
  EXPECT_TRUE(inspector.content().subtitle.startsWith(QStringLiteral("tensor")));
}

TEST_F(InspectorTest, NoFigureIsCutInTheNarrowestPanel) {
  views::Document document;
  document.set(analyzed, QStringLiteral("sample.tide"));
  views::Inspector inspector(document, nullptr);
  inspector.resize(232, 400);  // the least width of its dock, with a scroll bar
  inspector.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&inspector));
  document.selection().select_op(SampleOps::conv);
  QCoreApplication::processEvents();
  int figures = 0;
  for (const QLabel* label : inspector.widget()->findChildren<QLabel*>()) {
    if (label->wordWrap()) continue;
    ++figures;
    EXPECT_GE(label->width(), label->sizeHint().width()) << label->text().toStdString();
  }
  EXPECT_GT(figures, 5);
}

TEST_F(InspectorTest, LongKeysBreakInsteadOfBeingCut) {
  profiler::CaptureBuilder builder = tests::sample_builder();
  builder.run().arguments["max_gradient_norm"] = "5";
  builder.run().arguments["checkpointing"] = "sqrt";
  const auto made = builder.finish();
  ASSERT_TRUE(made.ok());
  views::Document document;
  document.set(profiler::analyze(*made), QStringLiteral("sample.tide"));
  views::Inspector inspector(document, nullptr);
  inspector.resize(232, 300);
  inspector.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&inspector));
  QCoreApplication::processEvents();
  int keys = 0;
  for (const QLabel* label : inspector.widget()->findChildren<QLabel*>()) {
    const QRect needed = label->fontMetrics().boundingRect(
        QRect(0, 0, label->wordWrap() ? label->width() : 10000, 10000), Qt::TextWordWrap, label->text());
    EXPECT_LE(needed.width(), label->width()) << label->text().toStdString();
    EXPECT_LE(needed.height(), label->height()) << label->text().toStdString();
    keys += label->text().contains(QStringLiteral("gradient")) ? 1 : 0;
  }
  EXPECT_EQ(keys, 1);
}

TEST_F(InspectorTest, WhatIsCopiedIsTheTextAsItIs) {
  const QString path = QStringLiteral("/home/someone/my_models.v2/resnet_50.batch_16/model.final_version.onnx");
  profiler::CaptureBuilder builder = tests::sample_builder();
  builder.run().arguments["checkpoint_file"] = path.toStdString();
  const auto made = builder.finish();
  ASSERT_TRUE(made.ok());
  views::Document document;
  document.set(profiler::analyze(*made), QStringLiteral("sample.tide"));
  views::Inspector inspector(document, nullptr);
  inspector.resize(232, 300);
  inspector.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&inspector));
  QCoreApplication::processEvents();
  for (const QLabel* label : inspector.widget()->findChildren<QLabel*>()) {
    if (label->textInteractionFlags() & Qt::TextSelectableByMouse) {
      EXPECT_FALSE(label->text().contains(QChar(0x200B))) << label->text().toStdString();
    }
  }
  int found = 0;
  for (QTextEdit* value : inspector.widget()->findChildren<QTextEdit*>()) {
    EXPECT_LE(value->document()->size().height(), value->viewport()->height() + 0.5)
        << value->toPlainText().toStdString();
    EXPECT_LE(value->document()->idealWidth(), value->viewport()->width() + 0.5) << value->toPlainText().toStdString();
    if (value->toPlainText() != path) continue;
    ++found;
    EXPECT_GT(value->height(), 2 * value->fontMetrics().lineSpacing() - 2) << "it is wider than the panel, and broken";
    QApplication::clipboard()->clear();
    value->selectAll();
    QTest::keyClick(value, Qt::Key_C, Qt::ControlModifier);
    EXPECT_EQ(QApplication::clipboard()->text(), path);
  }
  EXPECT_EQ(found, 1);
}

TEST_F(InspectorTest, AnOpenSweepIsDescribedAndItsShownPointNamed) {
  const auto sweep = tests::sample_sweep(false);
  EXPECT_EQ(views::sweep_words(*sweep),
            QStringLiteral("Sweep of mlp over batch (1 to 32): 6 points, 5 of them measured"));
  EXPECT_EQ(views::sweep_words(*tests::sample_sweep(true)),
            QStringLiteral("Sweep of mlp over dtype (f32, bf16) and batch (1 to 32): 12 points, 10 of them measured"));
  views::Document document;
  views::SummaryStrip strip(document, nullptr);
  EXPECT_TRUE(strip.sweep_line().isEmpty());
  document.set_sweep(sweep, QStringLiteral("/s.tide"));
  EXPECT_EQ(strip.sweep_line(), views::sweep_words(*sweep));
  document.set(analyzed, QStringLiteral("/s.points/0000.tide"));
  EXPECT_TRUE(strip.sweep_line().endsWith(QStringLiteral("its point batch=1."))) << strip.sweep_line().toStdString();
  document.set(analyzed, QStringLiteral("/elsewhere.tide"));
  EXPECT_EQ(strip.sweep_line(), views::sweep_words(*sweep)) << "no point of it";
}

TEST_F(InspectorTest, AnAxisOfWordsHasNoEnds) {
  profiler::Sweep sweep;
  sweep.request.workload = "mlp";
  sweep.request.axes = {{"activation", {"relu", "tanh", "gelu"}}};
  EXPECT_EQ(views::sweep_words(sweep), QStringLiteral("Sweep of mlp over activation (relu and 2 others): 0 points"));
  sweep.request.axes = {{"rate", {"0.1", "0.2", "1e1"}}};
  EXPECT_EQ(views::sweep_words(sweep), QStringLiteral("Sweep of mlp over rate (0.1 to 1e1): 0 points"));
}

TEST_F(InspectorTest, TheSweepsTipSaysWhatTheFiguresAreOf) {
  views::Document document;
  views::SummaryStrip strip(document, nullptr);
  const auto tip = [&] {
    for (const QLabel* label : strip.findChildren<QLabel*>()) {
      if (label->toolTip().contains(QStringLiteral("Sweep shows all points"))) return label->toolTip();
    }
    return QString();
  };
  document.set_sweep(tests::sample_sweep(false), QStringLiteral("/s.tide"));
  EXPECT_FALSE(tip().isEmpty());
  EXPECT_FALSE(tip().contains(QStringLiteral("of one of them"))) << "nothing is shown: " << tip().toStdString();
  document.set(analyzed, QStringLiteral("/s.points/0000.tide"));
  EXPECT_TRUE(tip().contains(QStringLiteral("are of one of them"))) << tip().toStdString();
  document.set(analyzed, QStringLiteral("/elsewhere.tide"));
  EXPECT_TRUE(tip().contains(QStringLiteral("none of them"))) << tip().toStdString();
}

TEST_F(InspectorTest, MarksBesideFiguresAreExplained) {
  views::Document document;
  views::Inspector inspector(document, nullptr);
  EXPECT_EQ(inspector.findChild<QWidget*>(QStringLiteral("inspector.legend")), nullptr) << "no figure, no mark";
  document.set(analyzed, QStringLiteral("/x.tide"));
  document.selection().select_op(SampleOps::conv);
  std::set<QString> explained, wanted;
  const auto* legend = inspector.findChild<QWidget*>(QStringLiteral("inspector.legend"));
  ASSERT_NE(legend, nullptr);
  for (const QLabel* label : legend->findChildren<QLabel*>()) explained.insert(label->text());
  for (const auto& section : inspect(*analyzed, document.selection().state()).sections)
    for (const auto& row : section.rows)
      for (const auto& value : row.values)
        if (value.origin) wanted.insert(QString::fromUtf8(profiler::name(*value.origin).data()));
  ASSERT_GE(wanted.size(), 2u);
  for (const QString& origin : wanted)
    EXPECT_TRUE(std::ranges::any_of(explained, [&](const QString& text) { return text.contains(origin); }))
        << origin.toStdString();
}

TEST_F(InspectorTest, EachFigureOfTheStripSaysUnderTheMouseHowItWasObtained) {
  views::Document document;
  views::SummaryStrip strip(document, nullptr);
  document.set(analyzed, QStringLiteral("/x.tide"));
  strip.resize(900, 120);
  strip.show();
  QApplication::processEvents();
  int figures = 0;
  for (QLabel* label : strip.findChildren<QLabel*>()) {
    if (!label->isVisible() || label->text().isEmpty()) continue;
    ++figures;
    EXPECT_TRUE(label->toolTip().contains(QStringLiteral("Origin: <b>")))
        << label->text().toStdString() << ": " << label->toolTip().toStdString();
  }
  EXPECT_EQ(figures, 9) << "value and caption of four, and what limits";
  const auto tiles = views::summary_tiles(profiler::summary(*analyzed), capture);
  EXPECT_TRUE(tiles[1].tip.contains(QStringLiteral("FLOPs: exact"))) << tiles[1].tip.toStdString();
  EXPECT_TRUE(tiles[2].tip.contains(QStringLiteral("Origin: <b>modelled"))) << tiles[2].tip.toStdString();
  EXPECT_TRUE(tiles[3].tip.contains(tiles[3].value)) << tiles[3].tip.toStdString();
}

TEST_F(InspectorTest, AStepThatComputesNothingIsNotSaidToLackARoof) {
  profiler::Summary s = profiler::summary(*analyzed);
  s.flops = s.flop_per_s = 0;
  s.roof_ratio = std::numeric_limits<double>::quiet_NaN();
  const auto tile = views::summary_tiles(s, capture)[1];
  EXPECT_EQ(tile.value, QStringLiteral("no FLOPs"));
  EXPECT_FALSE(tile.caption.contains(QStringLiteral("probe"))) << tile.caption.toStdString();
}

TEST_F(InspectorTest, AnEmulatedRunShowsNoRateAndNoWayToTheProbe) {
  profiler::CaptureBuilder builder = tests::sample_builder();
  builder.run().device = "emu:0";
  builder.machine() = {};
  const auto emulated = profiler::analyze(*builder.finish());
  const auto tiles = views::summary_tiles(profiler::summary(*emulated), *emulated->capture);
  EXPECT_EQ(tiles[1].value, QStringLiteral("–"));
  EXPECT_FALSE(tiles[1].caption.contains(QStringLiteral("probe"))) << tiles[1].caption.toStdString();
  EXPECT_TRUE(tiles[0].tip.contains(QStringLiteral("Origin: <b>emulated</b>"))) << tiles[0].tip.toStdString();
  SelectionState op;
  op.op = SampleOps::conv;
  for (const SelectionState& state : {SelectionState(), op}) {
    const InspectorContent content = inspect(*emulated, state);
    for (const auto& section : content.sections) {
      const QString said = (section.sentences + section.why).join(QLatin1Char(' '));
      EXPECT_FALSE(said.contains(QStringLiteral("probe"))) << said.toStdString();
      for (const auto& row : section.rows) {
        EXPECT_NE(row.label, QStringLiteral("Rate"));
        for (const auto& value : row.values)
          EXPECT_TRUE(value.origin != profiler::Origin::measured) << row.label.toStdString();
      }
    }
  }
}

TEST_F(InspectorTest, AStepAloneHasNoSpread) {
  profiler::Summary s = profiler::summary(*analyzed);
  s.step_ns.samples = 1;
  const auto tile = views::summary_tiles(s, capture)[0];
  EXPECT_EQ(tile.caption, QStringLiteral("the only step"));
  EXPECT_TRUE(tile.tip.contains(QStringLiteral("its spread is unknown"))) << tile.tip.toStdString();
  EXPECT_FALSE(tile.tip.contains(QStringLiteral("between"))) << tile.tip.toStdString();
}

TEST_F(InspectorTest, SummaryTilesSayUnknownWhereItIs) {
  profiler::Summary s = profiler::summary(*analyzed);
  auto tiles = views::summary_tiles(s, capture);
  ASSERT_EQ(tiles.size(), 4u);
  for (const auto& tile : tiles) EXPECT_FALSE(tile.tip.isEmpty()) << tile.key.toStdString();
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  s.roof_ratio = s.dram_bytes = s.amplification = s.samples_per_s = unknown;
  tiles = views::summary_tiles(s, capture);
  ASSERT_EQ(tiles.size(), 3u);
  EXPECT_TRUE(tiles[1].caption.contains(QStringLiteral("roof unknown")));
  EXPECT_TRUE(tiles[2].value.contains(QStringLiteral("at least")));
}

}  // namespace
}  // namespace app::gui
