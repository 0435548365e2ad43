// SPDX-License-Identifier: GPL-3.0-or-later
// What the window's tests share: waiting, captures on disk, and stand-ins for the command line
// program.
#pragma once

#include <gtest/gtest.h>

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <functional>

#include "profiler/store/capture_file.h"
#include "tests/support/sample_capture.h"

namespace app::gui {

/// Processes events until `done` or the time is over.
inline bool wait_for(const std::function<bool()>& done, int most_ms = 20000) {
  QElapsedTimer clock;
  clock.start();
  while (!done() && clock.elapsed() < most_ms) QTest::qWait(10);
  return done();
}

/// Sets a variable of the environment for one test.
class Environment {
 public:
  Environment(const char* name, const QString& value)
      : name_(name), before_(qgetenv(name)), was_set_(qEnvironmentVariableIsSet(name)) {
    qputenv(name, value.toLocal8Bit());
  }
  ~Environment() { was_set_ ? static_cast<void>(qputenv(name_, before_)) : static_cast<void>(qunsetenv(name_)); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  QByteArray before_;
  bool was_set_;
};

inline QString save_sample(const QTemporaryDir& folder, const QString& name = QStringLiteral("sample.tide")) {
  const QString file = folder.filePath(name);
  const auto saved = profiler::save_capture(*tests::sample_capture(), file.toStdString());
  EXPECT_TRUE(saved.ok()) << (saved.ok() ? "" : saved.error().message);
  return file;
}

/// An executable shell script; $OUT in it is the value after -o.
inline QString write_script(const QTemporaryDir& folder, const QString& name, const QString& body) {
  const QString file = folder.filePath(name);
  QFile out(file);
  EXPECT_TRUE(out.open(QIODevice::WriteOnly));
  out.write("#!/bin/sh\nprev=; for a in \"$@\"; do [ \"$prev\" = -o ] && OUT=$a; prev=$a; done\n");
  out.write(body.toUtf8());
  out.close();
  out.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
  return file;
}

/// The real program, without measuring roofs first (20 s that these tests do not need).
inline QString real_program(const QTemporaryDir& folder) {
  return write_script(
      folder, QStringLiteral("tensortide-without-probe"),
      QStringLiteral("case $1 in run|sweep) set -- \"$@\" --no-probe ;; esac\nexec '%1/bin/tensortide' \"$@\"\n")
          .arg(QStringLiteral(TENSORTIDE_BINARY_DIR)));
}

}  // namespace app::gui
