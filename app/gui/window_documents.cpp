// SPDX-License-Identifier: GPL-3.0-or-later
// What is on the window's table: captures, sweeps and models that are opened, shown, compared and put away.
#include <QDockWidget>
#include <QFileInfo>
#include <QStackedWidget>
#include <QStatusBar>
#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/gui/main_window.h"
#include "app/gui/message_bar.h"
#include "app/gui/run_list.h"
#include "app/gui/setup_panel.h"
#include "engine/netfile/network_file.h"
#include "profiler/analysis/step_shares.h"
#include "profiler/import/importer.h"
#include "profiler/store/capture_file.h"
#include "profiler/sweep/file.h"
#include "views/base/file_name.h"
#include "views/base/paint.h"
#include "views/base/plain_text.h"
#include "views/summary/summary_strip.h"

namespace app::gui {

namespace {

constexpr size_t kCachedCaptures = 8;

/// "ResNet-50 · batch 4 · f32 · training · cpu (2 threads)"
QString run_title(const profiler::RunInfo& run, bool with_device) {
  QStringList parts{views::displayed(QString::fromStdString(run.title.empty() ? run.workload : run.title))};
  for (const char* key : {"batch", "dtype", "mode", "graph"}) {
    const auto at = run.arguments.find(key);
    if (at == run.arguments.end()) continue;
    const QString value = QString::fromStdString(at->second);
    parts << (key == std::string_view("batch") ? QObject::tr("batch %1").arg(value) : value);
  }
  if (with_device && run.threads == 0) parts << QString::fromStdString(run.device);
  if (with_device && run.threads > 0)
    parts << QObject::tr("%1 (%2)").arg(
        QString::fromStdString(run.device),
        run.threads == 1 ? QObject::tr("1 thread") : QObject::tr("%1 threads").arg(run.threads));
  return parts.join(QStringLiteral(" · "));
}

/// Whether a file is a trace of another tool: captures of ours and sweeps are not.
bool is_trace(const QString& file) {
  return !file.endsWith(QLatin1String(".tide")) &&
         profiler::is_foreign_trace(std::filesystem::path(views::name_bytes(file)));
}

/// Whether a file becomes a workload: ONNX models, and networks in JSON.
bool is_model(const QString& file) {
  return file.endsWith(QLatin1String(".onnx"), Qt::CaseInsensitive) ||
         engine::looks_like_network_file(views::name_bytes(file));
}

}  // namespace

void MainWindow::choose_model(const QString& file) {
  setup_->choose(QFileInfo(file).absoluteFilePath());
  setup_dock_->show();
}

void MainWindow::open(const QString& file) {
  messages_->dismiss();
  if (is_model(file)) {
    if (!views::file_exists(file)) {
      messages_->say(MessageBar::Kind::error, tr("%1 does not exist").arg(file));
      return;
    }
    choose_model(file);
    return;
  }
  const QFileInfo info(file);
  const QString path = info.absoluteFilePath();
  if (const auto known = cache_.find(path); known != cache_.end() && known->second.state == views::file_state(path)) {
    loader_.forget();
    on_loaded(path, known->second.analyzed);
    return;
  }
  if (is_trace(path)) {
    import({path});
    return;
  }
  statusBar()->showMessage(tr("Opening %1 …").arg(QFileInfo(file).fileName()));
  loader_.load(path);
}

void MainWindow::compare_with(const QString& file) {
  const QFileInfo info(file);
  if (!document_.loaded() || info.absoluteFilePath() == QFileInfo(document_.path()).absoluteFilePath()) {
    messages_->say(MessageBar::Kind::information,
                   document_.loaded()
                       ? tr("%1 is the capture shown: choose another one to compare with").arg(info.fileName())
                       : tr("Open a capture first, then choose the one to compare it with"));
    return;
  }
  const auto known = cache_.find(info.absoluteFilePath());
  if (known != cache_.end() && known->second.state == views::file_state(info.absoluteFilePath())) {
    reference_loader_.forget();
    document_.set_reference(known->second.analyzed, info.absoluteFilePath());
    return;
  }
  reference_loader_.load(info.absoluteFilePath());
}

void MainWindow::open_all(const QStringList& files) {
  if (files.size() > 1 && std::all_of(files.begin(), files.end(), is_trace)) {
    messages_->dismiss();
    ask_several_traces(files);
    return;
  }
  for (const QString& file : files)
    if (!is_model(file) && file != files.last() && views::file_exists(file))
      runs_->add_recent(file, settings_.detail(file));
  if (files.isEmpty()) return;
  // As on the command line: the first is what the last is compared with.
  const auto comparable = [](const QString& file) {
    return !is_model(file) && !is_trace(file) && views::file_exists(file) &&
           !profiler::is_sweep(views::name_bytes(file));
  };
  const auto path_of = [](const QString& file) { return QFileInfo(file).absoluteFilePath(); };
  if (files.size() > 1 && comparable(files.first()) && comparable(files.last()) &&
      path_of(files.first()) != path_of(files.last())) {
    compare_shown_ = path_of(files.last());
    compare_before_ = path_of(files.first());
  }
  open(files.last());
}

void MainWindow::on_loaded(const QString& file, std::shared_ptr<const profiler::Analyzed> analyzed) {
  statusBar()->clearMessage();
  const bool beside_another = document_.loaded() && !document_.capture().run().source.empty();
  show_capture(std::move(analyzed), file);
  if (!beside_another) show_what_there_is();
  if (QFileInfo(file).absoluteFilePath() == compare_shown_) {
    compare_with(compare_before_);
    bring_to_front(view_of(views::ViewEntry::Of::comparison));
  }
  compare_shown_.clear();
  compare_before_.clear();
  settings_.add_recent(file);
  settings_.keep_detail(file, runs_->detail(file));
  update_start_page();
}

void MainWindow::show_capture(std::shared_ptr<const profiler::Analyzed> analyzed, const QString& file) {
  if (cache_.size() >= kCachedCaptures) cache_.clear();
  const QFileInfo info(file);
  cache_[info.absoluteFilePath()] = {analyzed, views::file_state(file)};
  const double step_ns = profiler::median_step_ns(*analyzed->capture);
  // A capture that is no point of the sweep on the table takes its place.
  const QString point = point_label(file);
  if (document_.sweep() != nullptr && point.isEmpty()) document_.set_sweep(nullptr, {});
  const profiler::RunInfo& run = analyzed->capture->run();
  const QString title =
      point.isEmpty()
          ? run_title(run, false)
          : tr("%1 · %2").arg(views::displayed(QString::fromStdString(run.title.empty() ? run.workload : run.title)),
                              point);
  runs_->add(file, tr("%1\nmedian step %2").arg(title, views::quantity(step_ns, profiler::Quantity::duration_ns)));
  if (file != document_.path()) reference_loader_.forget();  // it was to be compared with what goes
  document_.set(std::move(analyzed), file);
}

/// "batch=4", of a capture that is a point of the sweep on the table; empty: it is none.
QString MainWindow::point_label(const QString& file) const {
  if (document_.sweep() == nullptr) return {};
  for (size_t point = 0; point < document_.sweep()->points.size(); ++point) {
    const QString own = point_capture(*document_.sweep(), document_.sweep_path(), point);
    if (!own.isEmpty() && QFileInfo(own).absoluteFilePath() == QFileInfo(file).absoluteFilePath())
      return views::displayed(QString::fromStdString(document_.sweep()->label(point)));
  }
  return {};
}

void MainWindow::show_sweep(std::shared_ptr<const profiler::Sweep> sweep, const QString& file) {
  const size_t points = sweep->points.size();
  const QString title =
      views::displayed(QString::fromStdString(sweep->title.empty() ? sweep->request.workload : sweep->title));
  if (file != document_.sweep_path()) {
    runs_->add(file, points == 1 ? tr("%1\nsweep over 1 point").arg(title)
                                 : tr("%1\nsweep over %2 points").arg(title).arg(points));
  }
  document_.set_sweep(std::move(sweep), file);
}

void MainWindow::on_sweep_loaded(const QString& file, std::shared_ptr<const profiler::Sweep> loaded) {
  statusBar()->clearMessage();
  const bool first = file != document_.sweep_path();
  show_sweep(std::move(loaded), file);
  if (first) {
    settings_.add_recent(file);
    settings_.keep_detail(file, runs_->detail(file));
    bring_to_front(view_of(views::ViewEntry::Of::sweep));
    document_.set(nullptr, {});
  }
  // The other views show a point of it, once no child writes to the captures any more.
  if (document_.loaded() || recorder_.running()) return;
  const QString capture = first_capture(*document_.sweep(), file);
  if (!capture.isEmpty()) open(capture);
}

void MainWindow::close_capture() {
  document_.set_sweep(nullptr, {});
  loader_.forget();
  statusBar()->clearMessage();
  document_.set(nullptr, {});
  runs_->mark_shown({});
}

void MainWindow::on_document() {
  stack_->setCurrentIndex(document_.loaded() || document_.sweep() != nullptr ? 1 : 0);
  inspector_dock_->setVisible(document_.loaded() && inspector_wanted_);
  summary_->setVisible(document_.loaded() || document_.sweep() != nullptr);
  setup_->follow(document_.loaded() ? &document_.capture().run() : nullptr, document_.path());
  QString title = document_.loaded() ? run_title(document_.capture().run(), true) : QString();
  if (document_.sweep() != nullptr)
    title = title.isEmpty() ? views::sweep_words(*document_.sweep())
                            : tr("%1, shown: %2").arg(views::sweep_words(*document_.sweep()), title);
  setWindowTitle(title.isEmpty() ? tr("Tensortide") : tr("%1 – Tensortide").arg(views::displayed(title)));
  update_tabs();
  update_state();
}

}  // namespace app::gui
