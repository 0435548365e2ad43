// SPDX-License-Identifier: GPL-3.0-or-later
// main() of tests with widgets: an application without display, settings and folders of its own.
#include <gtest/gtest.h>

#include <QApplication>
#include <QLoggingCategory>
#include <QSettings>
#include <QTemporaryDir>

#include "views/base/plain_text.h"
#include "views/base/window_style.h"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QTemporaryDir home;
  qputenv("XDG_CONFIG_HOME", home.path().toUtf8());
  qputenv("XDG_DATA_HOME", home.filePath(QStringLiteral("data")).toUtf8());
  qputenv("XDG_CACHE_HOME", home.filePath(QStringLiteral("cache")).toUtf8());
  qputenv("XDG_RUNTIME_DIR", home.path().toUtf8());
  QSettings::setDefaultFormat(QSettings::IniFormat);
  QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, home.path());
  QApplication application(argc, argv);
  QApplication::setApplicationName(QStringLiteral("tensortide-test"));
  QApplication::setStyle(views::make_window_style());
  views::keep_labels_plain(application);
  QLoggingCategory::setFilterRules(QStringLiteral("qt.qpa.*=false"));
  return RUN_ALL_TESTS();
}
