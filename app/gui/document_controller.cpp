// SPDX-License-Identifier: GPL-3.0-or-later
// DocumentController.
#include "app/gui/document_controller.h"

#include <QDateTime>
#include <QFileDialog>
#include <QFileInfo>
#include <QLocale>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "app/gui/notices.h"
#include "app/gui/run_list.h"
#include "app/gui/settings.h"
#include "engine/files/picture.h"
#include "engine/netfile/network_file.h"
#include "profiler/analysis/step_shares.h"
#include "profiler/import/importer.h"
#include "profiler/lessons/lesson_reader.h"
#include "profiler/sweep/file.h"
#include "views/base/paint.h"
#include "views/base/plain_text.h"

namespace app::gui {

namespace {

constexpr size_t kCachedCaptures = 8;

/// Whether a file is a trace of another tool: captures of ours and sweeps are not.
bool is_trace(const QString& file) {
  return !file.endsWith(QLatin1String(".tide")) &&
         profiler::is_foreign_trace(std::filesystem::path(views::name_bytes(file)));
}

/// Whether a path is a lesson, or a folder with some.
bool holds_lessons(const QString& path) {
  if (path.endsWith(QLatin1String(".md"), Qt::CaseInsensitive)) return true;
  if (!QFileInfo(path).isDir()) return false;
  const auto lessons = profiler::lesson_files(views::name_bytes(path));
  return lessons && !lessons->empty();
}

QString path_of(const QString& file) { return QFileInfo(file).absoluteFilePath(); }

/// Title, then what tells repeats of one run apart: "median step 1.2 ms · 23 Nov 08:34:14".
QString run_detail(const QString& title, double step_ns, const profiler::RunInfo& run) {
  QStringList parts;
  if (!std::isnan(step_ns))
    parts << QObject::tr("median step %1").arg(views::quantity(step_ns, profiler::Quantity::duration_ns));
  const QDateTime time = QDateTime::fromString(QString::fromStdString(run.created_at).left(19), Qt::ISODate);
  if (time.isValid()) parts << QLocale(QLocale::English).toString(time, QStringLiteral("d MMM HH:mm:ss"));
  return parts.isEmpty() ? title : title + QLatin1Char('\n') + parts.join(QStringLiteral(" · "));
}

}  // namespace

bool is_model(const QString& file) {
  return file.endsWith(QLatin1String(".onnx"), Qt::CaseInsensitive) ||
         engine::looks_like_network_file(views::name_bytes(file));
}

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

QStringList open_filters() {
  const QString captures = QStringLiteral("*.tide"), traces = QStringLiteral("*.json *.json.gz *.gz *.sqlite *.db"),
                models = QStringLiteral("*.onnx *.json"), pictures = QStringLiteral("*.png *.jpg *.jpeg");
  return {QObject::tr("All that can be opened (%1 %2 *.onnx *.md %3)").arg(captures, traces, pictures),
          QObject::tr("Captures and sweeps (%1)").arg(captures),
          QObject::tr("Traces of other tools (%1)").arg(traces),
          QObject::tr("ONNX models and networks in JSON (%1)").arg(models),
          QObject::tr("Pictures, as tensors (%1)").arg(pictures),
          QObject::tr("Lessons (%1)").arg(QStringLiteral("*.md")),
          QObject::tr("All files (*)")};
}

DocumentController::DocumentController(views::Document& document, Settings& settings, RunList& runs, Notices& notices,
                                       QWidget& window)
    : document_(document), settings_(settings), runs_(runs), notices_(notices), window_(window) {
  for (const QString& file : settings_.recent()) runs_.add_recent(file, settings_.detail(file));
  connect_loaders();
  connect(&runs_, &RunList::chosen, this, &DocumentController::open);
  connect(&runs_, &RunList::compare_chosen, this, [this](const QString& file) {
    compare_with(file);
    emit view_wanted(views::ViewEntry::Of::comparison);
  });
  connect(&document_, &views::Document::reference_requested, this, &DocumentController::ask_reference);
  connect(&document_, &views::Document::point_requested, this, [this](size_t point) {
    const QString file = point_capture(*document_.sweep(), document_.sweep_path(), point);
    if (!file.isEmpty()) open(file);
  });
}

void DocumentController::connect_loaders() {
  connect(&loader_, &CaptureLoader::loaded, this, &DocumentController::on_loaded);
  connect(&loader_, &CaptureLoader::failed, this, [this](const QString& file, const QString& message) {
    notices_.end_progress();
    compare_shown_.clear();
    compare_before_.clear();
    runs_.mark_shown(document_.loaded() ? document_.path() : QString());
    notices_.error(message.contains(QFileInfo(file).fileName()) ? message : tr("%1: %2").arg(file, message));
    emit settled();
  });
  connect(&loader_, &CaptureLoader::sweep_loaded, this, &DocumentController::on_sweep_loaded);
  connect(&loader_, &CaptureLoader::previewed, this, &DocumentController::on_previewed);
  connect(&reference_loader_, &CaptureLoader::loaded, this,
          [this](const QString& file, const std::shared_ptr<const profiler::Analyzed>& analyzed) {
            document_.set_reference(analyzed, file);
          });
  connect(&reference_loader_, &CaptureLoader::failed, this,
          [this](const QString&, const QString& message) { notices_.error(message); });
  connect(&reference_loader_, &CaptureLoader::sweep_loaded, this, [this](const QString& file) {
    notices_.error(tr("%1 is a sweep: open one of its points to compare with").arg(QFileInfo(file).fileName()));
  });
}

std::shared_ptr<const profiler::Analyzed> DocumentController::kept(const QString& path) const {
  const auto known = cache_.find(path);
  return known != cache_.end() && known->second.state == views::file_state(path) ? known->second.analyzed : nullptr;
}

void DocumentController::open(const QString& file) {
  notices_.dismiss();
  if (is_model(file)) {
    if (!views::file_exists(file)) {
      notices_.error(tr("%1 does not exist").arg(file));
      return;
    }
    emit model_chosen(file);
    RunRequest request;
    request.workload = views::name_bytes(path_of(file));
    preview(request);
    return;
  }
  const QString path = path_of(file);
  if (holds_lessons(path)) {
    emit lessons_chosen(path);
    return;
  }
  if (engine::names_picture(views::name_bytes(path))) {
    emit picture_chosen(path);
    return;
  }
  if (auto known = kept(path)) {
    loader_.forget();
    on_loaded(path, std::move(known));
    return;
  }
  if (is_trace(path)) {
    emit traces_chosen({path});
    return;
  }
  notices_.progress(tr("Opening %1 …").arg(QFileInfo(file).fileName()));
  loader_.load(path);
}

void DocumentController::preview(const RunRequest& request) {
  const QString what = views::name_text(request.workload);
  notices_.progress(tr("Reading %1 …").arg(views::displayed(QFileInfo(what).fileName())));
  loader_.preview(request, what);
}

void DocumentController::on_previewed(const QString& file, std::shared_ptr<const profiler::Analyzed> analyzed,
                                      const QString& does_not_fit) {
  if (still_written_ && still_written_()) return;  // it was started meanwhile: its progress is what is looked at
  notices_.end_progress();
  document_.set_sweep(nullptr, {});
  document_.set(std::move(analyzed), file);
  runs_.mark_shown({});
  emit preview_shown();
  if (!does_not_fit.isEmpty()) notices_.inform(does_not_fit);
}

void DocumentController::compare_with(const QString& file) {
  const QString path = path_of(file);
  if (!document_.loaded() || path == path_of(document_.path())) {
    notices_.inform(
        document_.loaded()
            ? tr("%1 is the capture shown: choose another one to compare with").arg(QFileInfo(file).fileName())
            : tr("Open a capture first, then choose the one to compare it with"));
    return;
  }
  if (auto known = kept(path)) {
    reference_loader_.forget();
    document_.set_reference(std::move(known), path);
    return;
  }
  reference_loader_.load(path);
}

void DocumentController::open_all(const QStringList& files) {
  if (files.size() > 1 && std::all_of(files.begin(), files.end(), is_trace)) {
    notices_.dismiss();
    emit traces_chosen(files);
    return;
  }
  for (const QString& file : files)
    if (!is_model(file) && file != files.last() && views::file_exists(file))
      runs_.add_recent(file, settings_.detail(file));
  if (files.isEmpty()) return;
  // As on the command line: the first is what the last is compared with.
  const auto comparable = [](const QString& file) {
    return !is_model(file) && !is_trace(file) && views::file_exists(file) &&
           !profiler::is_sweep(views::name_bytes(file));
  };
  if (files.size() > 1 && comparable(files.first()) && comparable(files.last()) &&
      path_of(files.first()) != path_of(files.last())) {
    compare_shown_ = path_of(files.last());
    compare_before_ = path_of(files.first());
  }
  open(files.last());
}

void DocumentController::on_loaded(const QString& file, std::shared_ptr<const profiler::Analyzed> analyzed) {
  notices_.end_progress();
  const bool beside_another = document_.loaded() && !document_.capture().run().source.empty();
  show_capture(std::move(analyzed), file);
  if (!beside_another) emit first_look_wanted();
  if (path_of(file) == compare_shown_) {
    compare_with(compare_before_);
    emit view_wanted(views::ViewEntry::Of::comparison);
  }
  compare_shown_.clear();
  compare_before_.clear();
  keep_as_recent(file);
  emit settled();
}

void DocumentController::restore(const Settings::Session& session) {
  QStringList gone;
  const auto there = [&](const QString& file) {
    if (file.isEmpty()) return false;
    if (!views::file_exists(file)) gone << views::displayed(file);
    return views::file_exists(file);
  };
  const bool sweep = there(session.sweep), capture = there(session.capture), reference = there(session.reference);
  if (capture && reference) {
    compare_shown_ = path_of(session.capture);
    compare_before_ = path_of(session.reference);
  }
  if (sweep) {
    point_wanted_ = capture ? session.capture : QString();
    open(session.sweep);
  } else if (capture) {
    open(session.capture);
  }
  if (!gone.isEmpty())
    notices_.inform(
        gone.size() == 1
            ? tr("%1, which was shown last, is no longer there.").arg(gone.front())
            : tr("These files, which were shown last, are no longer there: %1.").arg(gone.join(QStringLiteral(", "))));
  if (!sweep && !capture) emit settled();
}

void DocumentController::keep_as_recent(const QString& file) {
  settings_.add_recent(file);
  settings_.keep_detail(file, runs_.detail(file));
  emit recent_changed();
}

void DocumentController::show_capture(std::shared_ptr<const profiler::Analyzed> analyzed, const QString& file) {
  if (cache_.size() >= kCachedCaptures) cache_.clear();
  cache_[path_of(file)] = {analyzed, views::file_state(file)};
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
  runs_.add(file, run_detail(title, step_ns, run));
  if (file != document_.path()) reference_loader_.forget();  // it was to be compared with what goes
  document_.set(std::move(analyzed), file);
}

/// "batch=4", of a capture that is a point of the sweep on the table; empty: it is none.
QString DocumentController::point_label(const QString& file) const {
  if (document_.sweep() == nullptr) return {};
  for (size_t point = 0; point < document_.sweep()->points.size(); ++point) {
    const QString own = point_capture(*document_.sweep(), document_.sweep_path(), point);
    if (!own.isEmpty() && path_of(own) == path_of(file))
      return views::displayed(QString::fromStdString(document_.sweep()->label(point)));
  }
  return {};
}

void DocumentController::show_sweep(std::shared_ptr<const profiler::Sweep> sweep, const QString& file) {
  const size_t points = sweep->points.size();
  const QString title =
      views::displayed(QString::fromStdString(sweep->title.empty() ? sweep->request.workload : sweep->title));
  if (file != document_.sweep_path()) {
    runs_.add(file, points == 1 ? tr("%1\nsweep over 1 point").arg(title)
                                : tr("%1\nsweep over %2 points").arg(title).arg(points));
  }
  document_.set_sweep(std::move(sweep), file);
}

void DocumentController::reread_sweep(const QString& file) {
  // It comes to the table once; what the user opens after stays there.
  if (path_of(file) == followed_sweep_ && path_of(file) != path_of(document_.sweep_path())) return;
  if (!loader_.busy()) loader_.load(path_of(file));
}

void DocumentController::on_sweep_loaded(const QString& file, std::shared_ptr<const profiler::Sweep> loaded) {
  notices_.end_progress();
  const bool first = file != document_.sweep_path();
  show_sweep(std::move(loaded), file);
  if (first) {
    followed_sweep_ = path_of(file);
    keep_as_recent(file);
    emit view_wanted(views::ViewEntry::Of::sweep);
    document_.set(nullptr, {});
  }
  // The other views show a point of it, once no child writes to the captures any more.
  if (document_.loaded() || (still_written_ && still_written_())) return emit settled();
  const QString wanted = std::exchange(point_wanted_, {}),
                capture = wanted.isEmpty() ? first_capture(*document_.sweep(), file) : wanted;
  if (capture.isEmpty()) emit settled();
  else open(capture);
}

void DocumentController::close_capture() {
  document_.set_sweep(nullptr, {});
  loader_.forget();
  notices_.end_progress();
  document_.set(nullptr, {});
  runs_.mark_shown({});
}

QStringList DocumentController::recent() const { return settings_.recent(); }

void DocumentController::ask_open() {
  const QStringList files =
      QFileDialog::getOpenFileNames(&window_, tr("Open a capture, or several to compare"), settings_.captures_folder(),
                                    open_filters().join(QStringLiteral(";;")));
  if (files.size() == 1) open(files.front());
  if (files.size() > 1) open_all(files);
}

void DocumentController::ask_reference() {
  const QString file = QFileDialog::getOpenFileName(&window_, tr("Compare with a capture"), settings_.captures_folder(),
                                                    tr("Captures (*.tide);;All files (*)"));
  if (!file.isEmpty()) compare_with(file);
}

void DocumentController::ask_model() {
  const QString file = QFileDialog::getOpenFileName(
      &window_, tr("Open a model"), {}, tr("ONNX models and networks in JSON (*.onnx *.json);;All files (*)"));
  if (file.isEmpty()) return;
  if (file.endsWith(QLatin1String(".json")) && !is_model(file))
    return emit model_chosen(file);  // the form says what is wrong with it
  open(file);
}

}  // namespace app::gui
