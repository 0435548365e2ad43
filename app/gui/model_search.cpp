// SPDX-License-Identifier: GPL-3.0-or-later
// ModelSearch.
#include "app/gui/model_search.h"

#include <QThread>
#include <utility>

#include "app/base/input_files.h"
#include "views/base/file_name.h"

namespace app::gui {

namespace {
constexpr int kFirstMs = 300, kNextMs = 100;  // a search that is over at once shows nothing
}

ModelSearch::ModelSearch(QObject* parent) : QObject(parent) {
  connect(&timer_, &QTimer::timeout, this, [this] {
    timer_.setInterval(kNextMs);
    if (state_ != nullptr) emit progressed(state_->fraction);
  });
}

ModelSearch::~ModelSearch() {
  if (state_ != nullptr) state_->stop = true;
  for (QThread* thread : threads_) {
    thread->wait();
    delete thread;
  }
}

void ModelSearch::cancel() {
  if (state_ == nullptr) return;
  state_->stop = true;
  state_.reset();
  timer_.stop();
  emit cancelled();
}

void ModelSearch::start(const std::string& stored, const std::string& content, const QString& capture) {
  if (state_ != nullptr) state_->stop = true;
  state_ = std::make_shared<State>();
  QThread* thread = QThread::create([state = state_, stored, content, capture = views::name_bytes(capture)] {
    const auto found = find_file(stored, content, capture, [&](double fraction) {
      state->fraction = fraction;
      return !state->stop;
    });
    if (found && found->note.empty())
      state->file = views::name_text(found->path.string());  // else nowhere, or another file of that name
  });
  threads_.push_back(thread);
  connect(thread, &QThread::finished, this, [this, thread, state = state_] {
    std::erase(threads_, thread);
    thread->deleteLater();
    if (state != state_) return;
    state_.reset();
    timer_.stop();
    emit ended(state->file);
  });
  timer_.start(kFirstMs);
  thread->start();
}

}  // namespace app::gui
