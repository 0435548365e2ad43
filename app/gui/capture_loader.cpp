// SPDX-License-Identifier: GPL-3.0-or-later
// CaptureLoader.
#include "app/gui/capture_loader.h"

#include <QThread>
#include <algorithm>

#include "profiler/model/capture_file.h"

namespace app::gui {

engine::Result<std::shared_ptr<const profiler::Analyzed>> load_capture(const QString& file) {
  auto capture = profiler::open_capture(file.toStdString());
  if (!capture) return capture.error();
  return profiler::analyze(*capture);
}

CaptureLoader::CaptureLoader(QObject* parent) : QObject(parent) {}

CaptureLoader::~CaptureLoader() {
  for (QThread* thread : threads_) {
    thread->wait();
    delete thread;
  }
}

void CaptureLoader::forget() {
  ++generation_;
  pending_ = false;
}

void CaptureLoader::load(const QString& file) {
  const quint64 generation = ++generation_;
  pending_ = true;
  using Answer = engine::Result<std::shared_ptr<const profiler::Analyzed>>;
  auto answer = std::make_shared<std::unique_ptr<Answer>>();
  QThread* thread =
      QThread::create([answer, file] { *answer = std::make_unique<Answer>(load_capture(file)); });
  threads_.push_back(thread);
  connect(thread, &QThread::finished, this, [this, thread, answer, generation, file] {
    threads_.erase(std::remove(threads_.begin(), threads_.end(), thread), threads_.end());
    thread->deleteLater();
    if (generation != generation_) return;
    pending_ = false;
    if ((*answer)->ok()) {
      emit loaded(file, ***answer);
    } else {
      emit failed(file, QString::fromStdString((*answer)->error().message));
    }
  });
  thread->start();
}

}  // namespace app::gui
