// SPDX-License-Identifier: GPL-3.0-or-later
// CaptureLoader.
#include "app/gui/capture_loader.h"

#include <QThread>
#include <algorithm>

#include "app/base/child_run.h"
#include "app/base/model_preview.h"
#include "app/base/work_folder.h"
#include "app/gui/recorder_process.h"
#include "profiler/store/capture_file.h"
#include "profiler/sweep/file.h"
#include "views/base/file_name.h"

namespace app::gui {

engine::Result<std::shared_ptr<const profiler::Analyzed>> load_capture(const QString& file) {
  auto capture = profiler::open_capture(views::name_bytes(file));
  if (!capture) return capture.error();
  const auto rules = profiler::VerdictRules::of_user();
  if (!rules) return rules.error();
  return profiler::analyze(*capture, *rules);
}

namespace {

struct Planned {
  std::shared_ptr<const profiler::Capture> capture;
  std::string does_not_fit;
};

/// A model file is read, and what decides its shapes computed, by a process of its own: a file that brings that down,
/// or takes all memory, leaves the window alone.
engine::Result<Planned> plan_model_file(const RunRequest& request, const std::atomic<bool>& stop) {
  auto folder = WorkFolder::make("plan");
  if (!folder) return folder.error();
  const std::filesystem::path file = folder->path() / "plan.tide";
  std::vector<std::string> words{"run"};
  for (std::string& word : words_of(request)) words.push_back(std::move(word));
  words.insert(words.end(), {"--plan", "-o", file.string(), "--progress", "json"});
  const auto child = run_child(views::name_bytes(RecorderProcess::program()), words, stop);
  if (!child) return child.error();
  if (child->end == ChildOutcome::End::stopped) return engine::refused_error("cancelled");
  if (child->end != ChildOutcome::End::done) {
    return engine::refused_error(child->end == ChildOutcome::End::refused
                                     ? child->message
                                     : request.workload + ": its reader was " + child->message);
  }
  auto capture = profiler::open_capture(file);
  if (!capture) return capture.error();
  return Planned{*std::move(capture), child->note};
}

engine::Result<Planned> plan_request(const RunRequest& request, const std::atomic<bool>& stop) {
  if (names_model_file(request.workload)) return plan_model_file(request, stop);
  auto preview = preview_model(request);
  if (!preview) return preview.error();
  return Planned{std::move(preview->capture), std::move(preview->does_not_fit)};
}

}  // namespace

engine::Result<LoadedPreview> load_preview(const RunRequest& request, const std::atomic<bool>& stop) {
  const auto planned = plan_request(request, stop);
  if (!planned) return planned.error();
  const auto rules = profiler::VerdictRules::of_user();
  if (!rules) return rules.error();
  return LoadedPreview{profiler::analyze(planned->capture, *rules), planned->does_not_fit};
}

engine::Result<std::shared_ptr<const profiler::Capture>> plan_with(const profiler::RunInfo& run,
                                                                   const std::map<std::string, std::string>& settings,
                                                                   const std::atomic<bool>& stop) {
  RunRequest request = request_of(run, run.workload);
  for (const auto& [name, value] : settings) request.settings[name] = value;
  auto planned = plan_request(request, stop);
  if (!planned) return planned.error();
  return std::move(planned->capture);
}

QString point_capture(const profiler::Sweep& sweep, const QString& sweep_file, size_t point) {
  const std::string& name = sweep.points[point].capture;
  if (name.empty()) return {};
  return views::name_text((profiler::points_folder(views::name_bytes(sweep_file)) / name).string());
}

QString first_capture(const profiler::Sweep& sweep, const QString& sweep_file) {
  for (size_t point = 0; point < sweep.points.size(); ++point) {
    const QString file = point_capture(sweep, sweep_file, point);
    if (!file.isEmpty() && views::file_exists(file)) return file;
  }
  return {};
}

CaptureLoader::CaptureLoader(QObject* parent) : QObject(parent) {}

CaptureLoader::~CaptureLoader() {
  forget();
  for (QThread* thread : threads_) {
    thread->wait();
    delete thread;
  }
}

void CaptureLoader::forget() {
  ++generation_;
  pending_ = false;
  if (stop_ != nullptr) *stop_ = true;
}

void CaptureLoader::load(const QString& file) {
  if (stop_ != nullptr) *stop_ = true;  // the process that reads a model nobody waits for any longer
  start(file, [file](Answer& answer) {
    if (profiler::is_sweep(views::name_bytes(file))) {
      auto sweep = profiler::open_sweep(views::name_bytes(file));
      if (sweep) answer.sweep = std::make_shared<const profiler::Sweep>(*std::move(sweep));
      else answer.refusal = QString::fromStdString(sweep.error().message);
      return;
    }
    auto capture = load_capture(file);
    if (capture) answer.capture = *std::move(capture);
    else answer.refusal = QString::fromStdString(capture.error().message);
  });
}

void CaptureLoader::preview(const RunRequest& request, const QString& file) {
  if (stop_ != nullptr) *stop_ = true;
  stop_ = std::make_shared<std::atomic<bool>>(false);
  start(file, [request, stop = stop_](Answer& answer) {
    answer.planned = true;
    auto preview = load_preview(request, *stop);
    if (!preview) {
      answer.refusal = QString::fromStdString(preview.error().message);
      return;
    }
    answer.capture = std::move(preview->analyzed);
    answer.does_not_fit = QString::fromStdString(preview->does_not_fit);
  });
}

void CaptureLoader::start(const QString& file, std::function<void(Answer&)> work) {
  const quint64 generation = ++generation_;
  pending_ = true;
  auto answer = std::make_shared<Answer>();
  QThread* thread = QThread::create([answer, work = std::move(work)] { work(*answer); });
  threads_.push_back(thread);
  connect(thread, &QThread::finished, this, [this, thread, answer, generation, file] {
    threads_.erase(std::remove(threads_.begin(), threads_.end(), thread), threads_.end());
    thread->deleteLater();
    if (generation != generation_) return;
    pending_ = false;
    if (answer->sweep != nullptr) emit sweep_loaded(file, answer->sweep);
    else if (answer->capture == nullptr) emit failed(file, answer->refusal);
    else if (answer->planned) emit previewed(file, answer->capture, answer->does_not_fit);
    else emit loaded(file, answer->capture);
  });
  thread->start();
}

}  // namespace app::gui
