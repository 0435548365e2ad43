// SPDX-License-Identifier: GPL-3.0-or-later
// The window's runs: what the setup panel says, sweeps and trials, from their start in a child process to what comes of
// them.
#include <QDateTime>
#include <QDir>
#include <QDockWidget>
#include <QFileInfo>
#include <QStatusBar>

#include "app/gui/main_window.h"
#include "app/gui/message_bar.h"
#include "app/gui/setup_panel.h"

namespace app::gui {

void MainWindow::run() {
  if (recorder_.running()) return;
  if (setup_->folded()) {  // what would run is not in sight
    setup_dock_->show();
    setup_->unfold();
    return;
  }
  if (!setup_->ready()) {
    messages_->say(MessageBar::Kind::error, check_values(setup_->values()));
    return;
  }
  start(QStringLiteral("run"), run_arguments(setup_->values()));
}

void MainWindow::ask_sweep() {
  if (recorder_.running()) return;
  if (setup_->folded()) {
    setup_dock_->show();
    setup_->unfold();
    return;
  }
  if (!setup_->ready()) {
    messages_->say(MessageBar::Kind::error, check_values(setup_->values()));
    return;
  }
  auto* dialog = new SweepDialog(setup_->values(), this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  const QString workload = setup_->values().workload;
  if (sweep_choice_.first == workload) dialog->offer(sweep_choice_.second);
  connect(dialog, &QDialog::accepted, this, [this, dialog, workload] {
    sweep_choice_ = {workload, dialog->choice()};
    sweep(dialog->arguments());
  });
  dialog->open();
}

void MainWindow::sweep(const QStringList& arguments) {
  if (recorder_.running()) return;
  start(QStringLiteral("sweep"), arguments);
}

void MainWindow::start(const QString& verb, const QStringList& arguments) {
  messages_->dismiss();
  const bool is_run = verb == QLatin1String("run");
  // A trial runs the capture's workload again, whatever the form says by now.
  const QString workload = verb == QLatin1String("try") ? QString::fromStdString(document_.capture().run().workload)
                                                        : setup_->values().workload;
  // A name that Qt knows: the child names the capture in a line of JSON, which holds no other.
  const QString stem = QString::fromUtf8(QFileInfo(workload).completeBaseName().toUtf8()) +
                       (is_run ? QString() : QLatin1Char('-') + verb);
  const QString stamp = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
  const QDir folder(settings_.captures_folder());
  QString file = folder.filePath(QStringLiteral("%1-%2.tide").arg(stem, stamp));
  for (int n = 2; QFileInfo::exists(file); ++n)
    file = folder.filePath(QStringLiteral("%1-%2-%3.tide").arg(stem, stamp).arg(n));
  setup_dock_->show();
  setup_->set_running(true, is_run);
  partial_shown_.start();
  recorder_.start(verb, arguments, file);
  update_state();
}

/// While a sweep goes on its file grows: shown at most once a second.
void MainWindow::show_partial_sweep() {
  constexpr qint64 kEveryMs = 1000;
  if (recorder_.verb() != QLatin1String("sweep") || loader_.busy() || partial_shown_.elapsed() < kEveryMs) return;
  if (!QFileInfo::exists(recorder_.output())) return;
  partial_shown_.restart();
  loader_.load(QFileInfo(recorder_.output()).absoluteFilePath());
}

void MainWindow::cancel_run() {
  recorder_.cancel();
  statusBar()->showMessage(tr("Cancelling: the step that runs now is finished first"), 4000);
}

void MainWindow::try_finding(int finding) {
  if (!document_.loaded() || recorder_.running()) return;
  start(QStringLiteral("try"), {document_.path(), QStringLiteral("--finding"), QString::number(finding)});
}

void MainWindow::on_run_finished(const RunOutcome& outcome) {
  setup_->set_running(false);
  statusBar()->clearMessage();
  update_state();
  if (recorder_.verb() == QLatin1String("try") && !outcome.note.isEmpty()) {
    // The capture the finding is of stays on the table; that of the changed run is one click away.
    for (views::View* v : views_) v->refresh_records();
    messages_->say(MessageBar::Kind::information, outcome.note, tr("Open the changed run"),
                   [this, file = outcome.file] { open(file); });
    return;
  }
  if (recorder_.verb() == QLatin1String("export")) {
    on_exported(outcome);
    return;
  }
  if (!compared_traces_.isEmpty() && on_compared_trace(outcome)) return;
  if (!outcome.file.isEmpty()) open(outcome.file);
  if (outcome.message.isEmpty()) return;
  const bool mild = outcome.kind == RunOutcome::Kind::cancelled;
  messages_->say(mild ? MessageBar::Kind::information : MessageBar::Kind::error, outcome.message);
}

}  // namespace app::gui
