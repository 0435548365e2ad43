// SPDX-License-Identifier: GPL-3.0-or-later
// Sessions: what was on the table is there again after a restart; what is gone is said.
#include <QLabel>

#include "app/gui/view_area.h"
#include "tests/app/gui/window_test.h"

namespace app::gui {
namespace {

class SessionTest : public WindowTest {
 protected:
  void SetUp() override {
    QSettings(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("tensortide"), QStringLiteral("tensortide"))
        .clear();
    WindowTest::SetUp();
    window->begin_session({});
  }
  void restart() {
    window->close();
    window = std::make_unique<MainWindow>();
    window->resize(1280, 720);
    window->show();
    window->begin_session({});
  }
  bool shows(const QString& file) {
    return wait_for([&] { return window->document().path() == file; });
  }
};

TEST_F(SessionTest, CaptureComparisonAndViewAreThereAgain) {
  const QString before = save(QStringLiteral("before.tide")), after = save(QStringLiteral("after.tide"));
  open(before);
  open(after);
  window->compare_with(before);
  ASSERT_TRUE(wait_for([&] { return window->document().reference() != nullptr; }));
  window->show_view(QStringLiteral("memory"));
  restart();
  ASSERT_TRUE(shows(after));
  EXPECT_TRUE(wait_for([&] { return window->document().reference_path() == before; }));
  EXPECT_EQ(window->current_view(), window->view(QStringLiteral("memory")));
  EXPECT_EQ(window->mode(), Mode::analyse);
}

TEST_F(SessionTest, AFileThatIsGoneIsSaidAndStaysInTheRecentOnes) {
  const QString file = save(QStringLiteral("gone.tide"));
  open(file);
  QFile::rename(file, folder.filePath(QStringLiteral("elsewhere.tide")));
  restart();
  EXPECT_FALSE(window->document().loaded());
  EXPECT_EQ(window->mode(), Mode::record);
  EXPECT_TRUE(window->messages()->text().contains(QStringLiteral("gone.tide")))
      << window->messages()->text().toStdString();
  const auto recent = window->settings().all_recent();
  ASSERT_FALSE(recent.isEmpty());
  EXPECT_EQ(recent.front().file, file);
  EXPECT_FALSE(recent.front().there);
}

TEST_F(SessionTest, AReferenceThatIsGoneLeavesTheCapture) {
  const QString before = save(QStringLiteral("before.tide")), after = save(QStringLiteral("after.tide"));
  open(after);
  window->compare_with(before);
  ASSERT_TRUE(wait_for([&] { return window->document().reference() != nullptr; }));
  QFile::remove(before);
  restart();
  ASSERT_TRUE(shows(after));
  EXPECT_EQ(window->document().reference(), nullptr);
  EXPECT_TRUE(window->messages()->text().contains(QStringLiteral("before.tide")));
}

TEST_F(SessionTest, FilesThatAreNamedAreOpenedInstead) {
  const QString one = save(QStringLiteral("one.tide")), other = save(QStringLiteral("other.tide"));
  open(one);
  window->close();
  window = std::make_unique<MainWindow>();
  window->begin_session({other});
  EXPECT_TRUE(shows(other));
}

TEST_F(SessionTest, WhoDoesNotWantItStartsWithTheStartPage) {
  open(save(QStringLiteral("one.tide")));
  window->settings().set_restores_session(false);
  restart();
  EXPECT_FALSE(wait_for([&] { return window->document().loaded(); }, 300));
  EXPECT_EQ(window->mode(), Mode::record);
}

TEST_F(SessionTest, WhatWasClosedIsNotOpenedAgain) {
  open(save(QStringLiteral("one.tide")));
  window->close_capture();
  restart();
  EXPECT_TRUE(window->settings().session().empty());
  EXPECT_EQ(window->mode(), Mode::record);
}

}  // namespace
}  // namespace app::gui
