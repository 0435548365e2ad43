// SPDX-License-Identifier: GPL-3.0-or-later
// RunController.
#include "app/gui/run_controller.h"

#include <QDateTime>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <algorithm>
#include <utility>

#include "app/base/input_files.h"
#include "app/base/rerun.h"
#include "app/gui/notices.h"
#include "app/gui/settings.h"
#include "app/gui/setup_panel.h"
#include "profiler/export/exporter.h"
#include "views/base/file_name.h"
#include "views/base/plain_text.h"

namespace app::gui {

namespace {

/// "FOLDER/STEM.tide", or with a number where that name is taken.
QString free_name(const QString& folder, const QString& stem) {
  QString file = QDir(folder).filePath(stem + QStringLiteral(".tide"));
  for (int n = 2; QFileInfo::exists(file); ++n)
    file = QDir(folder).filePath(QStringLiteral("%1-%2.tide").arg(stem).arg(n));
  return file;
}

}  // namespace

RunController::RunController(views::Document& document, Settings& settings, SetupPanel& setup, Notices& notices,
                             QWidget& window)
    : document_(document), settings_(settings), setup_(setup), notices_(notices), window_(window) {
  document_.set_collect_refusal([&document](const QString& collector) {
    return document.loaded() ? QString::fromStdString(cannot_collect(document.capture().run(), collector.toStdString()))
                             : QString();
  });
  connect(&document_, &views::Document::collect_requested, this, &RunController::collect_again);
  connect(&setup_, &SetupPanel::run_requested, this, &RunController::run);
  connect(&setup_, &SetupPanel::cancel_requested, this, &RunController::cancel);
  connect(&recorder_, &RecorderProcess::progressed, &setup_, &SetupPanel::show_progress);
  connect(&recorder_, &RecorderProcess::progressed, this, &RunController::show_partial_sweep);
  // The panel's own bar may be scrolled out of sight, or the panel closed.
  connect(&recorder_, &RecorderProcess::progressed, this,
          [this](const RunProgress& p) { notices_.progress(SetupPanel::stage_text(p)); });
  connect(&recorder_, &RecorderProcess::finished, this, &RunController::on_finished);
  connect(&search_, &ModelSearch::ended, this, [this](const QString& file) {
    notices_.end_progress();
    emit changed();
    if (searched_for_ != document_.path()) return;  // another capture has taken its place
    if (!file.isEmpty()) return start_again(file);
    notices_.error(tr("%1, which this run used, was not found: open the model file to run it.")
                       .arg(views::displayed(QString::fromStdString(document_.capture().run().workload))));
  });
  connect(&search_, &ModelSearch::cancelled, this, &RunController::changed);
}

RunController::~RunController() { recorder_.disconnect(); }

QString RunController::refusal() const {
  return running() ? tr("A run goes on: wait until it has ended, or cancel it.") : QString();
}

bool RunController::form_is_ready() {
  emit form_wanted();
  if (!setup_.ready()) notices_.error(check_values(setup_.values()));
  return setup_.ready();
}

void RunController::run() {
  if (running() || !form_is_ready()) return;
  const SetupValues values = setup_.values();
  start(QStringLiteral("run"), run_arguments(values), values.workload);
}

void RunController::collect_again(const QString& collector) { again(collector); }

void RunController::again(const QString& collector) {
  if (running() || !document_.loaded() || !document_.capture().run().source.empty()) return;
  const profiler::RunInfo& run = document_.capture().run();
  collector_ = collector;
  if (!is_input_file(run.workload)) return start_again();
  searched_for_ = document_.path();
  search_.start(run.workload, recorded_content(run), document_.path());
  notices_.progress(tr("Looking for %1 …").arg(views::displayed(QString::fromStdString(run.workload))));
  emit changed();
}

void RunController::start_again(const QString& model) {
  const profiler::RunInfo& run = document_.capture().run();
  const auto found =
      found_run(run.command, recorded_content(run), views::name_bytes(document_.path()), views::name_bytes(model));
  if (!found) return notices_.error(QString::fromStdString(found.error().message));
  const std::vector<std::string> words =
      collector_.isEmpty() ? found->words : with_collector(found->words, collector_.toStdString());
  QStringList arguments;
  for (size_t i = 1; i < words.size(); ++i) arguments << views::name_text(words[i]);
  differences_.clear();
  for (const std::string& note : found->notes) differences_ << QString::fromStdString(note);
  start(QStringLiteral("run"), arguments, QString::fromStdString(run.workload));
}

void RunController::ask_sweep() {
  if (running() || !form_is_ready()) return;
  auto* dialog = new SweepDialog(setup_.values(), &window_);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  const QString workload = setup_.values().workload;
  if (sweep_choice_.first == workload) dialog->offer(sweep_choice_.second);
  connect(dialog, &QDialog::accepted, this, [this, dialog, workload] {
    sweep_choice_ = {workload, dialog->choice()};
    if (!running()) start(QStringLiteral("sweep"), dialog->arguments(), workload);
  });
  dialog->open();
}

void RunController::start(const QString& verb, const QStringList& arguments, const QString& workload) {
  notices_.dismiss();
  const bool is_run = verb == QLatin1String("run");
  // A name that Qt knows: the child names the capture in a line of JSON, which holds no other.
  const QString stem = QString::fromUtf8(QFileInfo(workload).completeBaseName().toUtf8()) +
                       (is_run ? QString() : QLatin1Char('-') + verb);
  const QString stamp = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
  const bool of_form = is_run && arguments == run_arguments(setup_.values());
  partial_shown_.start();
  launch(verb, arguments, free_name(settings_.captures_folder(), stem + QLatin1Char('-') + stamp), of_form);
}

void RunController::launch(const QString& verb, const QStringList& arguments, const QString& file,
                           bool what_is_set_up) {
  setup_.set_running(true, what_is_set_up);
  recorder_.start(verb, arguments, file);
  emit changed();
}

/// While a sweep goes on its file grows: shown at most once a second.
void RunController::show_partial_sweep() {
  constexpr qint64 kEveryMs = 1000;
  if (recorder_.verb() != QLatin1String("sweep") || partial_shown_.elapsed() < kEveryMs) return;
  if (!QFileInfo::exists(recorder_.output())) return;
  partial_shown_.restart();
  emit sweep_grew(recorder_.output());
}

void RunController::probe() {
  if (running()) return;
  notices_.dismiss();
  launch(QStringLiteral("probe"), {QStringLiteral("--again")}, {}, false);
}

void RunController::begin_tool(std::function<void()> cancel) {
  cancel_tool_ = std::move(cancel);
  emit changed();
}

void RunController::end_tool() {
  cancel_tool_ = nullptr;
  emit changed();
}

void RunController::cancel() {
  search_.cancel();
  if (cancel_tool_) return cancel_tool_();
  if (!recorder_.running()) return notices_.end_progress();
  recorder_.cancel();
  notices_.progress(tr("Cancelling: the step that runs now is finished first"), 4000);
}

void RunController::try_finding(int finding) {
  if (!document_.loaded() || running()) return;
  start(QStringLiteral("try"), {document_.path(), QStringLiteral("--finding"), QString::number(finding)},
        QString::fromStdString(document_.capture().run().workload));
}

void RunController::on_finished(const RunOutcome& outcome) {
  setup_.set_running(false);
  notices_.end_progress();
  emit changed();
  if (recorder_.verb() == QLatin1String("try") && !outcome.note.isEmpty()) {
    // The capture the finding is of stays on the table; that of the changed run is one click away.
    emit records_changed();
    notices_.inform(outcome.note, tr("Open the changed run"),
                    [this, file = outcome.file] { emit finished_file(file); });
    return;
  }
  if (recorder_.verb() == QLatin1String("export")) {
    on_exported(outcome);
    return;
  }
  if (recorder_.verb() == QLatin1String("probe")) {
    emit roofs_measured();
    if (outcome.kind == RunOutcome::Kind::done) notices_.inform(tr("The roofs of this machine were measured."));
  }
  if (!compared_traces_.isEmpty() && on_compared_trace(outcome)) return;
  if (!outcome.file.isEmpty()) emit finished_file(outcome.file);
  const QStringList differences = std::exchange(differences_, {});
  if (outcome.message.isEmpty() && !differences.isEmpty()) notices_.inform(differences.join(QLatin1Char(' ')));
  if (outcome.message.isEmpty()) return;
  outcome.kind == RunOutcome::Kind::cancelled ? notices_.inform(outcome.message) : notices_.error(outcome.message);
}

void RunController::import(const QStringList& files) {
  const QString name = QFileInfo(files.first()).fileName();
  if (running()) {
    notices_.inform(tr("A run goes on: open %1 when it has ended.").arg(name));
    return;
  }
  const QString stem = QString::fromUtf8(name.section(QLatin1Char('.'), 0, 0).toUtf8());  // a name that Qt knows
  notices_.progress(tr("Importing %1 …").arg(name));
  launch(QStringLiteral("import"), files, free_name(settings_.captures_folder(), stem), false);
}

void RunController::take_traces(const QStringList& files) {
  files.size() == 1 ? import(files) : ask_several_traces(files);
}

void RunController::run_picture(const QString& file) {
  if (running()) return;
  start(QStringLiteral("run"),
        {QStringLiteral("tensors"), QStringLiteral("--set"), QStringLiteral("example=image"), QStringLiteral("--input"),
         QStringLiteral("image=") + file, QStringLiteral("--collect"), QStringLiteral("ops,values")},
        QFileInfo(file).completeBaseName());
}

void RunController::ask_several_traces(const QStringList& files) {
  QStringList names;
  for (const QString& file : files) names << views::displayed(QFileInfo(file).fileName());
  auto* box =
      new QMessageBox(QMessageBox::Question, tr("Several traces"),
                      tr("What are these %1 traces?\n\n%2").arg(files.size()).arg(names.join(QLatin1Char('\n'))),
                      QMessageBox::Cancel, &window_);
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

void RunController::import_to_compare(const QStringList& files) {
  if (files.isEmpty()) return;
  if (!running()) {
    compared_traces_ = files;
    compared_captures_.clear();
  }
  import({files.first()});
}

/// Takes one of the traces to compare and goes on to the next. False: it was refused or cancelled, which ends the
/// comparison.
bool RunController::on_compared_trace(const RunOutcome& outcome) {
  compared_traces_.removeFirst();
  if (outcome.kind != RunOutcome::Kind::done || outcome.file.isEmpty()) {
    compared_traces_.clear();
    return false;
  }
  compared_captures_ << outcome.file;
  if (!compared_traces_.isEmpty()) {
    import({compared_traces_.first()});
  } else {
    emit compare_wanted(compared_captures_);
  }
  return true;
}

void RunController::ask_export_trace(bool range_only) {
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
      &window_, range_only ? tr("Export the selected range as a trace") : tr("Export as a trace"),
      settings_.export_path(name), filters.join(QStringLiteral(";;")));
  if (!file.isEmpty()) export_trace(file, range_only);
}

void RunController::export_trace(const QString& file, bool range_only) {
  if (!document_.loaded() || running()) return;
  QStringList arguments{document_.path()};
  const auto& range = document_.selection().state().range;
  if (range_only && range) {
    const int64_t origin = document_.capture().begin_ns();
    arguments << QStringLiteral("--range")
              << QStringLiteral("%1ns:%2ns")
                     .arg(std::max<int64_t>(0, range->begin_ns - origin))
                     .arg(std::max<int64_t>(1, range->end_ns - origin));
  }
  notices_.dismiss();
  notices_.progress(tr("Exporting %1 …").arg(QFileInfo(file).fileName()));
  launch(QStringLiteral("export"), arguments, file, false);
}

void RunController::on_exported(const RunOutcome& outcome) {
  if (outcome.kind == RunOutcome::Kind::done) {
    notices_.inform(tr("Trace saved to %1").arg(recorder_.output()));
  } else {
    outcome.kind == RunOutcome::Kind::cancelled ? notices_.inform(outcome.message) : notices_.error(outcome.message);
  }
}

}  // namespace app::gui
