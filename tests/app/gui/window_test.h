// SPDX-License-Identifier: GPL-3.0-or-later
// WindowTest: a window of 1280 x 720 that is shown and active, and what its tests do in it.
#pragma once

#include <QAction>
#include <QTemporaryDir>
#include <memory>

#include "app/gui/main_window.h"
#include "app/gui/message_bar.h"
#include "app/gui/run_list.h"
#include "tests/app/gui/gui_test_support.h"

namespace app::gui {

class WindowTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Settings().clear_recent();  // what other tests of this process opened
    window = std::make_unique<MainWindow>();
    window->resize(1280, 720);
    window->show();
    window->activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(window.get()));
  }
  void TearDown() override { window.reset(); }
  template <class T>
  T* find(const char* name) {
    T* found = window->findChild<T*>(QString::fromLatin1(name));
    EXPECT_NE(found, nullptr) << name;
    return found;
  }
  template <class T>
  T* find() {
    T* found = window->findChild<T*>();
    EXPECT_NE(found, nullptr);
    return found;
  }
  /// The list of runs, which a capture hides until it is asked for.
  void show_runs() {
    auto* toggle = find<QAction>("action.toggle.dock.runs");
    if (!toggle->isChecked()) toggle->trigger();
    QCoreApplication::processEvents();
    ASSERT_TRUE(window->runs()->isVisible());
  }
  QString save(const QString& name) { return save_sample(folder, name); }
  void open(const QString& file) {
    window->open(file);
    ASSERT_TRUE(wait_for([&] { return window->document().path() == file; }))
        << window->messages()->text().toStdString();
  }

  QTemporaryDir folder;
  std::unique_ptr<MainWindow> window;
};

}  // namespace app::gui
