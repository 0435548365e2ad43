// SPDX-License-Identifier: GPL-3.0-or-later
// The child process behind the Run button.
#include "app/gui/recorder_process.h"

#include <signal.h>

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStandardPaths>
#include <algorithm>
#include <cmath>
#include <limits>

#include "views/base/file_name.h"

namespace app::gui {

namespace {
constexpr int kKillAfterMs = 10000;

/// A line that a program wrote for a terminal, without its name in front and the way to its help behind.
QString without_program(QString line) {
  static const QRegularExpression name(QStringLiteral("^tensortide: "));
  static const QRegularExpression help(QStringLiteral(" \\(see `tensortide [^`]*--help`\\)$"));
  return line.remove(name).remove(help);
}
}  // namespace

RecorderProcess::RecorderProcess(QObject* parent) : QObject(parent) {
  kill_timer_.setSingleShot(true);
  connect(&kill_timer_, &QTimer::timeout, &process_, &QProcess::kill);
  connect(&process_, &QProcess::readyReadStandardError, this, &RecorderProcess::read);
  connect(&process_, &QProcess::finished, this, &RecorderProcess::on_finished);
  connect(&process_, &QProcess::errorOccurred, this, &RecorderProcess::on_error);
  process_.setStandardOutputFile(QProcess::nullDevice());
  process_.setStandardInputFile(QProcess::nullDevice());
}

RecorderProcess::~RecorderProcess() {
  if (!running()) return;
  process_.disconnect(this);
  // A second signal would end it at once, in the middle of writing.
  if (!cancelled_ && process_.processId() > 0) ::kill(static_cast<pid_t>(process_.processId()), SIGINT);
  if (!process_.waitForFinished(3000)) {
    process_.kill();
    process_.waitForFinished(3000);
  }
}

QString RecorderProcess::program() {
  const QString given = qEnvironmentVariable("TENSORTIDE_CLI");
  if (!given.isEmpty()) return given;
  const QString beside = QDir(QCoreApplication::applicationDirPath()).filePath(QStringLiteral("tensortide"));
  if (QFileInfo(beside).isExecutable()) return beside;
  return QStandardPaths::findExecutable(QStringLiteral("tensortide"));
}

QString left_text(const RunProgress& p) {
  if (std::isnan(p.left_ms)) return {};
  const int seconds = static_cast<int>(std::lround(p.left_ms / 1000));
  const QString text = seconds < 60
                           ? QObject::tr("%1 s").arg(seconds)
                           : QObject::tr("%1:%2 min").arg(seconds / 60).arg(seconds % 60, 2, 10, QLatin1Char('0'));
  return QObject::tr("about %1 left").arg(text);
}

Call byte_call(const QString& program, const QStringList& words) {
  if (views::qt_knows(program) && std::ranges::all_of(words, views::qt_knows)) return {program, words};
  // printf(1) writes octal bytes; the x behind them keeps the line ends that $() would cut off.
  QString set = QStringLiteral("set --"), line;
  int number = 0;
  for (const QString& word : QStringList{program} + words) {
    QString octal;
    for (const char byte : views::name_bytes(word))
      octal += QStringLiteral("\\0%1").arg(static_cast<unsigned char>(byte), 3, 8, QLatin1Char('0'));
    line += QStringLiteral("w%1=$(printf '%b' '%2x'); ").arg(number).arg(octal);
    set += QStringLiteral(" \"${w%1%x}\"").arg(number++);
  }
  return {QStringLiteral("/bin/sh"), {QStringLiteral("-c"), line + set + QStringLiteral("; exec \"$@\"")}};
}

void RecorderProcess::start(const QString& verb, const QStringList& arguments, const QString& output) {
  verb_ = verb;
  output_ = output;
  told_ = ProgressReader([this](const ProgressLine& line) { take(line); });
  cancelled_ = reported_ = false;
  clock_.start();
  emit started(verb, arguments);
  const QString cli = program();
  if (cli.isEmpty()) {
    reported_ = true;
    emit finished({RunOutcome::Kind::refused,
                   {},
                   tr("The program `tensortide` was found neither beside this window's program nor "
                      "on PATH: nothing can be run.")});
    return;
  }
  QStringList words = QStringList{verb} + arguments;
  if (!output.isEmpty()) words << QStringLiteral("-o") << output;
  words << QStringLiteral("--progress") << QStringLiteral("json");
  const Call call = byte_call(cli, words);
  process_.start(call.program, call.words);
}

void RecorderProcess::cancel() {
  if (!running() || cancelled_) return;
  cancelled_ = true;
  kill_timer_.start(kKillAfterMs);
  if (process_.processId() > 0) ::kill(static_cast<pid_t>(process_.processId()), SIGINT);
}

void RecorderProcess::read() {
  const QByteArray bytes = process_.readAllStandardError();
  told_.add({bytes.constData(), static_cast<size_t>(bytes.size())});
}

void RecorderProcess::take(const ProgressLine& line) {
  RunProgress p{.stage = QString::fromStdString(line.stage),
                .step = line.step,
                .steps = line.steps,
                .fraction = line.fraction,
                .last_step_ns = line.last_step_ns,
                .elapsed_ms = clock_.elapsed(),
                .line = line};
  // A trial names its change as the command line writes it.
  if (line.changed) p.stage = *line.changed ? tr("with the change") : tr("without the change");
  p.left_ms = p.fraction > 0.02 ? static_cast<double>(p.elapsed_ms) * (1 - p.fraction) / p.fraction
                                : std::numeric_limits<double>::quiet_NaN();
  emit progressed(p);
}

void RecorderProcess::on_error(QProcess::ProcessError error) {
  if (error != QProcess::FailedToStart || reported_) return;
  reported_ = true;
  kill_timer_.stop();
  emit finished({RunOutcome::Kind::refused,
                 {},
                 tr("%1 could not be started: %2").arg(process_.program(), process_.errorString())});
}

void RecorderProcess::on_finished(int code, QProcess::ExitStatus status) {
  kill_timer_.stop();
  read();
  told_.finish();
  const QString result = QString::fromStdString(told_.result_file());
  QStringList other_lines;
  for (const std::string& line : told_.other_lines()) other_lines << without_program(QString::fromStdString(line));
  if (std::exchange(reported_, true)) return;
  // an export appears when it is whole; what lies there else is an older file
  const bool has_file = verb_ != QLatin1String("export") && QFileInfo(output_).size() > 0;
  if (!has_file && verb_ != QLatin1String("export") && QFileInfo(output_).isFile())
    QFile::remove(output_);  // claimed, and ended before a step
  RunOutcome outcome;
  outcome.note = QString::fromStdString(told_.result_note());
  outcome.file = !result.isEmpty() ? result : has_file ? output_ : QString();
  if (cancelled_) {
    outcome.kind = RunOutcome::Kind::cancelled;
    outcome.message = outcome.file.isEmpty()
                          ? verb_ == QLatin1String("import")  ? tr("Cancelled: nothing was imported.")
                            : verb_ == QLatin1String("probe") ? tr("Cancelled: the roofs were not measured.")
                            : verb_ == QLatin1String("export")
                                ? tr("Cancelled: nothing was exported.")
                                : tr("Cancelled before the first step was recorded: there is no capture.")
                          : tr("Cancelled: what was recorded until then is shown.");
  } else if (status == QProcess::CrashExit) {
    outcome.kind = RunOutcome::Kind::crashed;
    outcome.message = tr("The run crashed%1. %2")
                          .arg(other_lines.isEmpty() ? QString() : tr(" (%1)").arg(other_lines.last()),
                               outcome.file.isEmpty() ? tr("Nothing had been recorded.")
                                                      : tr("What was recorded until then is shown."));
  } else if (code != 0) {
    outcome.kind = RunOutcome::Kind::refused;
    outcome.file = result;
    outcome.message = !told_.error().empty()   ? QString::fromStdString(told_.error())
                      : !other_lines.isEmpty() ? other_lines.join(QLatin1Char('\n'))
                                               : tr("The run ended with exit code %1 and without a message.").arg(code);
  }
  emit finished(outcome);
}

}  // namespace app::gui
