// SPDX-License-Identifier: GPL-3.0-or-later
// RecorderProcess: starts `tensortide run` as a child, reads its progress lines, cancels it, and
// tells what became of it.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTimer>

#include "app/base/progress_line.h"

namespace app::gui {

/// One line of progress.
struct RunProgress {
  QString stage;            ///< "recording"
  int step = 0, steps = 0;  ///< steps = 0: not known yet
  double fraction = 0;      ///< 0..1 of the whole
  double last_step_ns = 0;  ///< NaN: unknown
  qint64 elapsed_ms = 0;
  double left_ms = 0;      ///< estimate; NaN: not yet possible
  ProgressLine line = {};  ///< as the child wrote it: steps, loss, what a step needs
};

/// "about 20 s left"; empty: not known yet.
QString left_text(const RunProgress&);

/// How a run ended.
struct RunOutcome {
  enum class Kind { done, cancelled, refused, crashed } kind = Kind::done;
  QString file;       ///< a capture that can be opened; empty: none
  QString message;    ///< what to tell; empty for a plain success
  QString note = {};  ///< what the program says of its result: how a trial went; empty: nothing
};

/// What QProcess is to start so that a program gets these words byte for byte: itself, or, where a word is a file's
/// name that Qt does not know (views/base/file_name.h), the shell, which becomes that program.
struct Call {
  QString program;
  QStringList words;
};
Call byte_call(const QString& program, const QStringList& words);

class RecorderProcess : public QObject {
  Q_OBJECT

 public:
  explicit RecorderProcess(QObject* parent = nullptr);
  ~RecorderProcess() override;

  /// The `tensortide` beside this program, else on PATH; $TENSORTIDE_CLI wins (tests).
  static QString program();
  /// Starts `program() VERB ARGUMENTS -o output --progress json`, VERB being run or sweep; without -o where `output` is
  /// empty. Only while not running.
  void start(const QString& verb, const QStringList& arguments, const QString& output);
  /// The verb of what runs or ran last.
  const QString& verb() const { return verb_; }
  bool running() const { return process_.state() != QProcess::NotRunning; }
  /// SIGINT: the run finishes its step and writes what it has; after ten seconds it is killed.
  void cancel();
  const QString& output() const { return output_; }

 signals:
  void started(const QString& verb, const QStringList& arguments);
  void progressed(const app::gui::RunProgress&);
  void finished(const app::gui::RunOutcome&);

 private:
  void read();
  void take(const ProgressLine&);
  void on_finished(int code, QProcess::ExitStatus status);
  void on_error(QProcess::ProcessError error);

  QProcess process_;
  QTimer kill_timer_;
  QElapsedTimer clock_;
  QString verb_, output_;
  ProgressReader told_;
  bool cancelled_ = false, reported_ = false;
};

}  // namespace app::gui
