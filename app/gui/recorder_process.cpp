// SPDX-License-Identifier: GPL-3.0-or-later
// The child process behind the Run button.
#include "app/gui/recorder_process.h"

#include <signal.h>

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardPaths>
#include <algorithm>
#include <cmath>
#include <limits>

#include "views/base/file_name.h"

namespace app::gui {

namespace {
constexpr int kKillAfterMs = 10000;
constexpr qsizetype kKeptLines = 20, kLongestLine = 1 << 20;
}  // namespace

bool parse_progress_line(const QByteArray& line, ProgressLine& out) {
  out = {};
  QJsonParseError error;
  const QJsonDocument document = QJsonDocument::fromJson(line, &error);
  if (!document.isObject()) return false;
  const QJsonObject o = document.object();
  const auto number = [&](const char* key, double unknown) {
    const QJsonValue v = o.value(QLatin1String(key));
    return v.isDouble() ? v.toDouble() : unknown;
  };
  if (o.contains(QLatin1String("stage"))) {
    out.is_progress = true;
    out.progress.stage = o.value(QLatin1String("stage")).toString();
    // Of a sweep: "measuring batch=4".
    if (const QString point = o.value(QLatin1String("point")).toString(); !point.isEmpty()) out.progress.stage += QLatin1Char(' ') + point;
    out.progress.step = static_cast<int>(number("step", 0));
    out.progress.steps = static_cast<int>(number("steps", 0));
    out.progress.fraction = std::clamp(number("fraction", 0), 0.0, 1.0);
    out.progress.last_step_ns = number("last_step_ns", std::numeric_limits<double>::quiet_NaN());
  }
  out.result_file =
      o.value(QLatin1String("result")).toObject().value(QLatin1String("file")).toString();
  out.result_note =
      o.value(QLatin1String("result")).toObject().value(QLatin1String("note")).toString();
  out.error_message =
      o.value(QLatin1String("error")).toObject().value(QLatin1String("message")).toString();
  return true;
}

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
  if (!cancelled_ && process_.processId() > 0)
    ::kill(static_cast<pid_t>(process_.processId()), SIGINT);
  if (!process_.waitForFinished(3000)) {
    process_.kill();
    process_.waitForFinished(3000);
  }
}

QString RecorderProcess::program() {
  const QString given = qEnvironmentVariable("TENSORTIDE_CLI");
  if (!given.isEmpty()) return given;
  const QString beside =
      QDir(QCoreApplication::applicationDirPath()).filePath(QStringLiteral("tensortide"));
  if (QFileInfo(beside).isExecutable()) return beside;
  return QStandardPaths::findExecutable(QStringLiteral("tensortide"));
}

Call byte_call(const QString& program, const QStringList& words) {
  if (views::qt_knows(program) && std::ranges::all_of(words, views::qt_knows)) return {program, words};
  // printf(1) writes octal bytes; the x behind them keeps the line ends that $() would cut off.
  QString set = QStringLiteral("set --"), line;
  int number = 0;
  for (const QString& word : QStringList{program} + words) {
    QString octal;
    for (const char byte : views::name_bytes(word)) octal += QStringLiteral("\\0%1").arg(static_cast<unsigned char>(byte), 3, 8, QLatin1Char('0'));
    line += QStringLiteral("w%1=$(printf '%b' '%2x'); ").arg(number).arg(octal);
    set += QStringLiteral(" \"${w%1%x}\"").arg(number++);
  }
  return {QStringLiteral("/bin/sh"), {QStringLiteral("-c"), line + set + QStringLiteral("; exec \"$@\"")}};
}

void RecorderProcess::start(const QString& verb, const QStringList& arguments, const QString& output) {
  verb_ = verb;
  output_ = output;
  result_.clear();
  note_.clear();
  error_.clear();
  buffer_.clear();
  other_lines_.clear();
  cancelled_ = reported_ = false;
  clock_.start();
  const QString cli = program();
  if (cli.isEmpty()) {
    reported_ = true;
    emit finished({RunOutcome::Kind::refused,
                   {},
                   tr("The program `tensortide` was found neither beside this window's program nor "
                      "on PATH: nothing can be run.")});
    return;
  }
  const Call call = byte_call(cli, QStringList{verb} + arguments + QStringList{QStringLiteral("-o"), output, QStringLiteral("--progress"), QStringLiteral("json")});
  process_.start(call.program, call.words);
}

void RecorderProcess::cancel() {
  if (!running() || cancelled_) return;
  cancelled_ = true;
  kill_timer_.start(kKillAfterMs);
  if (process_.processId() > 0) ::kill(static_cast<pid_t>(process_.processId()), SIGINT);
}

void RecorderProcess::read() {
  buffer_ += process_.readAllStandardError();
  for (qsizetype end = buffer_.indexOf('\n'); end >= 0; end = buffer_.indexOf('\n')) {
    take_line(buffer_.left(end));
    buffer_.remove(0, end + 1);
  }
  if (buffer_.size() > kLongestLine) buffer_.clear();  // not ours: progress lines are short
}

void RecorderProcess::take_line(const QByteArray& bytes) {
  ProgressLine line;
  if (!parse_progress_line(bytes, line)) {
    const QString text = QString::fromUtf8(bytes).trimmed();
    if (!text.isEmpty()) other_lines_ << text;
    if (other_lines_.size() > kKeptLines) other_lines_.removeFirst();
    return;
  }
  if (!line.result_file.isEmpty()) result_ = line.result_file;
  if (!line.result_note.isEmpty()) note_ = line.result_note;
  if (!line.error_message.isEmpty()) error_ = line.error_message;
  if (!line.is_progress) return;
  line.progress.elapsed_ms = clock_.elapsed();
  const double f = line.progress.fraction;
  line.progress.left_ms = f > 0.02 ? static_cast<double>(line.progress.elapsed_ms) * (1 - f) / f
                                   : std::numeric_limits<double>::quiet_NaN();
  emit progressed(line.progress);
}

void RecorderProcess::on_error(QProcess::ProcessError error) {
  if (error != QProcess::FailedToStart || reported_) return;
  reported_ = true;
  kill_timer_.stop();
  emit finished(
      {RunOutcome::Kind::refused,
       {},
       tr("%1 could not be started: %2").arg(process_.program(), process_.errorString())});
}

void RecorderProcess::on_finished(int code, QProcess::ExitStatus status) {
  kill_timer_.stop();
  read();
  if (!buffer_.isEmpty()) take_line(std::exchange(buffer_, {}));
  if (std::exchange(reported_, true)) return;
  // an export appears when it is whole; what lies there else is an older file
  const bool has_file = verb_ != QLatin1String("export") && QFileInfo(output_).size() > 0;
  if (!has_file && verb_ != QLatin1String("export") && QFileInfo(output_).isFile()) QFile::remove(output_);  // claimed, and ended before a step
  RunOutcome outcome;
  outcome.note = note_;
  outcome.file = !result_.isEmpty() ? result_ : has_file ? output_ : QString();
  if (cancelled_) {
    outcome.kind = RunOutcome::Kind::cancelled;
    outcome.message = outcome.file.isEmpty()
                          ? verb_ == QLatin1String("import")   ? tr("Cancelled: nothing was imported.")
                            : verb_ == QLatin1String("export") ? tr("Cancelled: nothing was exported.")
                            : tr("Cancelled before the first step was recorded: there is no capture.")
                          : tr("Cancelled: what was recorded until then is shown.");
  } else if (status == QProcess::CrashExit) {
    outcome.kind = RunOutcome::Kind::crashed;
    outcome.message =
        tr("The run crashed%1. %2")
            .arg(other_lines_.isEmpty() ? QString() : tr(" (%1)").arg(other_lines_.last()),
                 outcome.file.isEmpty() ? tr("Nothing had been recorded.")
                                        : tr("What was recorded until then is shown."));
  } else if (code != 0) {
    outcome.kind = RunOutcome::Kind::refused;
    outcome.file = result_;
    outcome.message = !error_.isEmpty() ? error_
                      : !other_lines_.isEmpty()
                          ? other_lines_.join(QLatin1Char('\n'))
                          : tr("The run ended with exit code %1 and said nothing.").arg(code);
  }
  emit finished(outcome);
}

}  // namespace app::gui
