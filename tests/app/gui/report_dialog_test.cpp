// SPDX-License-Identifier: GPL-3.0-or-later
// The report's dialog: its boxes are the table of sections, ticked as usual, and what is ticked is asked for.
#include "app/gui/report_dialog.h"

#include <gtest/gtest.h>

#include <QTest>
#include <algorithm>

#include "profiler/report/section_catalog.h"
#include "tests/support/sample_document.h"
#include "tests/support/sample_sweep.h"

namespace app::gui {
namespace {

using profiler::ReportKind;

class ReportDialogTest : public testing::Test {
 protected:
  ReportDialogTest() { document.set(tests::sample_analyzed(), QStringLiteral("/tmp/r.tide")); }
  static QCheckBox* box(const ReportDialog& dialog, const char* key) {
    return dialog.findChild<QCheckBox*>(QLatin1String(key));
  }
  static QPushButton* button(const ReportDialog& dialog, const QString& text) {
    for (auto* each : dialog.findChildren<QPushButton*>()) {
      if (each->text() == text) return each;
    }
    return nullptr;
  }
  views::Document document;
};

TEST_F(ReportDialogTest, OffersEverySectionOfTheKindTickedAsUsual) {
  ReportDialog dialog(document, ReportKind::capture, nullptr);
  for (const profiler::ReportSectionEntry& entry : profiler::report_sections()) {
    EXPECT_EQ(box(dialog, entry.key) != nullptr, entry.of(ReportKind::capture)) << entry.key;
    if (!entry.of(ReportKind::capture)) continue;
    EXPECT_FALSE(box(dialog, entry.key)->text().isEmpty());
    EXPECT_FALSE(box(dialog, entry.key)->accessibleDescription().isEmpty());
  }
  EXPECT_TRUE(box(dialog, "answers")->isChecked());
  EXPECT_FALSE(box(dialog, "thresholds")->isChecked());
  EXPECT_EQ(*dialog.request().sections, views::usual_sections(document, ReportKind::capture));
}

TEST_F(ReportDialogTest, WhatIsTickedIsAskedFor) {
  ReportDialog dialog(document, ReportKind::capture, nullptr);
  dialog.show();
  QTest::mouseClick(button(dialog, QStringLiteral("Tick none")), Qt::LeftButton);
  EXPECT_FALSE(button(dialog, QStringLiteral("Save as…"))->isEnabled()) << "a report of nothing";
  QTest::keyClick(box(dialog, "ops"), Qt::Key_Space);
  QTest::keyClick(box(dialog, "command"), Qt::Key_Space);
  EXPECT_EQ(*dialog.request().sections, (std::vector<std::string>{"ops", "command"}));
  EXPECT_TRUE(button(dialog, QStringLiteral("Save as…"))->isEnabled());
  QTest::mouseClick(button(dialog, QStringLiteral("Save as…")), Qt::LeftButton);
  EXPECT_EQ(dialog.result(), QDialog::Accepted);
}

TEST_F(ReportDialogTest, EachThingOnTheTableHasItsOwnSections) {
  document.set_reference(tests::unprobed_analyzed(), QStringLiteral("/tmp/b.tide"));
  document.set_sweep(tests::sample_sweep(false), QStringLiteral("/tmp/s.tide"));
  ReportDialog dialog(document, ReportKind::comparison, nullptr);
  auto* kinds = dialog.findChild<QComboBox*>(QStringLiteral("report_kind"));
  ASSERT_NE(kinds, nullptr);
  EXPECT_EQ(kinds->count(), 3);
  EXPECT_EQ(dialog.request().kind, ReportKind::comparison);
  EXPECT_NE(box(dialog, "changes"), nullptr);
  kinds->setCurrentIndex(kinds->findData(static_cast<int>(ReportKind::sweep)));
  EXPECT_EQ(dialog.request().kind, ReportKind::sweep);
  EXPECT_EQ(box(dialog, "changes"), nullptr);
  EXPECT_NE(box(dialog, "points"), nullptr);
}

}  // namespace
}  // namespace app::gui
