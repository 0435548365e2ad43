// SPDX-License-Identifier: GPL-3.0-or-later
// The sweep's dialog: what it makes of axes and studies, and that a choice can be offered again.
#include "app/gui/sweep_dialog.h"

#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

#include "app/gui/setup_panel.h"
#include "tests/app/gui/gui_test_support.h"

namespace app::gui {
namespace {

SetupValues values_of(const char* workload) {
  SetupPanel panel;
  panel.choose(QString::fromLatin1(workload));
  return panel.values();
}

TEST(SweepDialog, AChoiceIsOfferedAgainWithTheAxesTheWorkloadHas) {
  const SetupValues mlp = values_of("mlp");
  SweepDialog first(mlp, nullptr);
  first.findChild<QLineEdit*>(QStringLiteral("sweep.values1"))->setText(QStringLiteral("1,3"));
  auto* second_axis = first.findChild<QComboBox*>(QStringLiteral("sweep.axis2"));
  second_axis->setCurrentIndex(second_axis->findData(QStringLiteral("hidden")));
  first.findChild<QLineEdit*>(QStringLiteral("sweep.values2"))->setText(QStringLiteral("8,16"));
  first.findChild<QLineEdit*>(QStringLiteral("sweep.seconds"))->setText(QStringLiteral("9"));
  SweepDialog again(mlp, nullptr);
  again.offer(first.choice());
  EXPECT_EQ(again.arguments(), first.arguments());
  EXPECT_TRUE(again.arguments().contains(QStringLiteral("batch=1,3")));
  EXPECT_TRUE(again.arguments().contains(QStringLiteral("hidden=8,16")));
  SweepDialog other(values_of("gemm"), nullptr);
  other.offer(first.choice());
  EXPECT_FALSE(other.arguments().contains(QStringLiteral("hidden=8,16"))) << "gemm has no such axis";
}

TEST(SweepDialog, WhatAnAxisVariesIsNotSetBesideIt) {
  SetupValues values = values_of("mlp");
  values.settings["threads"] = "2";
  SweepDialog dialog(values, nullptr);
  EXPECT_FALSE(dialog.arguments().filter(QStringLiteral("batch=")).isEmpty());
  EXPECT_EQ(dialog.arguments().filter(QStringLiteral("batch=")).size(), 1)
      << dialog.arguments().join(QLatin1Char(' ')).toStdString();
  EXPECT_TRUE(dialog.arguments().contains(QStringLiteral("--threads")));
  auto* study = dialog.findChild<QComboBox*>(QStringLiteral("sweep.study"));
  study->setCurrentIndex(study->findData(QStringLiteral("threads")));
  EXPECT_FALSE(dialog.arguments().contains(QStringLiteral("--threads"))) << "the study's axis";
}

TEST(SweepDialog, CachesAreSimulatedWhereThatIsWanted) {
  SweepDialog first(values_of("stream"), nullptr);
  EXPECT_FALSE(first.arguments().contains(QStringLiteral("--collect")));
  auto* simulate = first.findChild<QCheckBox*>(QStringLiteral("sweep.simulate"));
  ASSERT_NE(simulate, nullptr);
  QTest::mouseClick(simulate, Qt::LeftButton, {}, QPoint(8, simulate->height() / 2));
  const QStringList words = first.arguments();
  ASSERT_TRUE(words.contains(QStringLiteral("--collect")));
  EXPECT_EQ(words[words.indexOf(QStringLiteral("--collect")) + 1], QStringLiteral("simulate"));
  auto* study = first.findChild<QComboBox*>(QStringLiteral("sweep.study"));
  study->setCurrentIndex(study->findData(QStringLiteral("bandwidth")));
  EXPECT_TRUE(first.arguments().contains(QStringLiteral("--collect"))) << "of a study as well";
  SweepDialog again(values_of("stream"), nullptr);
  again.offer(first.choice());
  EXPECT_TRUE(again.arguments().contains(QStringLiteral("--collect")));
}

TEST(SweepDialog, NonsenseIsSaidAndNotStarted) {
  SweepDialog dialog(values_of("mlp"), nullptr);
  auto* values = dialog.findChild<QLineEdit*>(QStringLiteral("sweep.values1"));
  QPushButton* start = nullptr;
  for (QPushButton* button : dialog.findChildren<QPushButton*>())
    start = button->text().contains(QLatin1String("Start")) ? button : start;
  ASSERT_NE(start, nullptr);
  values->setText(QStringLiteral("1..."));
  EXPECT_FALSE(start->isEnabled());
  EXPECT_FALSE(dialog.findChild<QLabel*>(QStringLiteral("sweep.verdict"))->text().isEmpty());
  values->setText(QStringLiteral("1,2"));
  EXPECT_TRUE(start->isEnabled());
}

/// Runs the program itself.
TEST(SweepDialog, TheTimeOfASweepIsEstimatedBeforeItRuns) {
  QTemporaryDir folder;
  const Environment cli("TENSORTIDE_CLI", real_program(folder));
  SetupValues values = values_of("mlp");
  values.arguments["hidden"] = "8";
  values.arguments["input"] = "8";
  values.settings["threads"] = "1";
  SweepDialog dialog(values, nullptr);
  dialog.show();
  dialog.findChild<QLineEdit*>(QStringLiteral("sweep.values1"))->setText(QStringLiteral("1,2,4"));
  auto* button = dialog.findChild<QPushButton*>(QStringLiteral("sweep.estimate"));
  auto* cost = dialog.findChild<QLabel*>(QStringLiteral("sweep.cost"));
  ASSERT_NE(button, nullptr);
  ASSERT_NE(cost, nullptr);
  QTest::mouseClick(button, Qt::LeftButton);
  EXPECT_EQ(button->text(), QStringLiteral("Stop estimating"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return button->text() == QStringLiteral("Estimate its time"); }, 120000));
  EXPECT_TRUE(cost->text().startsWith(QStringLiteral("3 points, 3 to 10 processes each.")))
      << cost->text().toStdString();
  EXPECT_TRUE(cost->text().contains(QStringLiteral("Base (measured)"))) << cost->text().toStdString();
  dialog.findChild<QLineEdit*>(QStringLiteral("sweep.values1"))->setText(QStringLiteral("1,2"));
  EXPECT_TRUE(cost->text().isEmpty()) << "it was of other values";
}

TEST(SweepDialog, AnEstimateThatIsUnderWayEndsWithTheDialog) {
  QTemporaryDir folder;
  const Environment cli("TENSORTIDE_CLI", real_program(folder));
  SweepDialog dialog(values_of("mlp"), nullptr);
  QTest::mouseClick(dialog.findChild<QPushButton*>(QStringLiteral("sweep.estimate")), Qt::LeftButton);
}

}  // namespace
}  // namespace app::gui
