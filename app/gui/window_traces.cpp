// SPDX-License-Identifier: GPL-3.0-or-later
// The window's traces of other tools: reading them, and writing captures as theirs. A child process does the work, as
// for runs.
#include <QDir>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QStatusBar>
#include <algorithm>

#include "app/gui/main_window.h"
#include "app/gui/message_bar.h"
#include "app/gui/setup_panel.h"
#include "profiler/export/exporter.h"
#include "views/base/plain_text.h"

namespace app::gui {

void MainWindow::import(const QStringList& files) {
  if (recorder_.running()) {
    messages_->say(MessageBar::Kind::information,
                   tr("A run goes on: open %1 when it has ended.").arg(QFileInfo(files.first()).fileName()));
    return;
  }
  const QDir folder(settings_.captures_folder());
  const QString stem = QString::fromUtf8(
      QFileInfo(files.first()).fileName().section(QLatin1Char('.'), 0, 0).toUtf8());  // a name that Qt knows
  QString file = folder.filePath(stem + QStringLiteral(".tide"));
  for (int n = 2; QFileInfo::exists(file); ++n) file = folder.filePath(QStringLiteral("%1-%2.tide").arg(stem).arg(n));
  statusBar()->showMessage(tr("Importing %1 …").arg(QFileInfo(files.first()).fileName()));
  setup_dock_->show();
  setup_->set_running(true);
  recorder_.start(QStringLiteral("import"), files, file);
  update_state();
}

void MainWindow::ask_several_traces(const QStringList& files) {
  QStringList names;
  for (const QString& file : files) names << views::displayed(QFileInfo(file).fileName());
  auto* box =
      new QMessageBox(QMessageBox::Question, tr("Several traces"),
                      tr("What are these %1 traces?\n\n%2").arg(files.size()).arg(names.join(QLatin1Char('\n'))),
                      QMessageBox::Cancel, this);
  box->setObjectName(QStringLiteral("several_traces"));
  box->setAttribute(Qt::WA_DeleteOnClose);
  auto* ranks = box->addButton(tr("&Ranks of one run"), QMessageBox::AcceptRole);
  auto* runs = box->addButton(tr("Runs to &compare"), QMessageBox::AcceptRole);
  ranks->setObjectName(QStringLiteral("ranks"));
  runs->setObjectName(QStringLiteral("runs"));
  box->setDefaultButton(ranks);
  connect(ranks, &QPushButton::clicked, this, [this, files] { import(files); });
  connect(runs, &QPushButton::clicked, this, [this, files] { import_to_compare(files); });
  box->open();
}

void MainWindow::import_to_compare(const QStringList& files) {
  if (files.isEmpty()) return;
  if (!recorder_.running()) {
    compared_traces_ = files;
    compared_captures_.clear();
  }
  import({files.first()});
}

/// Takes one of the traces to compare and goes on to the next. False: it was refused or cancelled, which ends the
/// comparison.
bool MainWindow::on_compared_trace(const RunOutcome& outcome) {
  compared_traces_.removeFirst();
  if (outcome.kind != RunOutcome::Kind::done || outcome.file.isEmpty()) {
    compared_traces_.clear();
    return false;
  }
  compared_captures_ << outcome.file;
  if (!compared_traces_.isEmpty()) {
    import({compared_traces_.first()});
  } else {
    open_all(compared_captures_);
  }
  return true;
}

void MainWindow::ask_export_trace(bool range_only) {
  if (!document_.loaded()) return;
  QStringList filters;
  for (const profiler::Exporter& exporter : profiler::exporters())
    filters << tr("%1 (*%2)")
                   .arg(QString::fromUtf8(exporter.help)
                            .replace(QLatin1Char('('), QLatin1Char('['))
                            .replace(QLatin1Char(')'), QLatin1Char(']')),
                        QString::fromUtf8(exporter.extension));
  const QString name =
      QFileInfo(document_.path()).completeBaseName() + QString::fromUtf8(profiler::exporters().front().extension);
  const QString file = QFileDialog::getSaveFileName(
      this, range_only ? tr("Export the selected range as a trace") : tr("Export as a trace"), name,
      filters.join(QStringLiteral(";;")));
  if (!file.isEmpty()) export_trace(file, range_only);
}

void MainWindow::export_trace(const QString& file, bool range_only) {
  if (!document_.loaded() || recorder_.running()) return;
  QStringList arguments{document_.path()};
  const auto& range = document_.selection().state().range;
  if (range_only && range) {
    const int64_t origin = document_.capture().begin_ns();
    arguments << QStringLiteral("--range")
              << QStringLiteral("%1ns:%2ns")
                     .arg(std::max<int64_t>(0, range->begin_ns - origin))
                     .arg(std::max<int64_t>(1, range->end_ns - origin));
  }
  messages_->dismiss();
  statusBar()->showMessage(tr("Exporting %1 …").arg(QFileInfo(file).fileName()));
  setup_dock_->show();
  setup_->set_running(true);
  recorder_.start(QStringLiteral("export"), arguments, file);
  update_state();
}

void MainWindow::on_exported(const RunOutcome& outcome) {
  const bool done = outcome.kind == RunOutcome::Kind::done;
  messages_->say(
      done || outcome.kind == RunOutcome::Kind::cancelled ? MessageBar::Kind::information : MessageBar::Kind::error,
      done ? tr("Trace saved to %1").arg(recorder_.output()) : outcome.message);
}

}  // namespace app::gui
