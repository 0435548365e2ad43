// SPDX-License-Identifier: GPL-3.0-or-later
// One thread per wish; a stopped one ends by itself and its result is dropped.
#include "views/network/network_worker.h"

#include <QThread>

namespace views {
namespace {

NetworkPicture picture_of(const profiler::Analyzed& analyzed, std::shared_ptr<const profiler::Network> network,
                          NetworkWish& wish, const std::atomic<bool>* stop) {
  if (network == nullptr) {
    network = std::make_shared<const profiler::Network>(profiler::network(analyzed));
    wish.open = first_open(*network);
  }
  return {network, layout_network(*network, *analyzed.capture, wish, stop), wish.open};
}

}  // namespace

NetworkWorker::~NetworkWorker() {
  cancel();
  for (QThread* thread : threads_) {
    thread->wait();
    delete thread;
  }
}

void NetworkWorker::cancel() {
  if (stop_ != nullptr) *stop_ = true;
  stop_.reset();
}

void NetworkWorker::start(std::shared_ptr<const profiler::Analyzed> analyzed,
                          std::shared_ptr<const profiler::Network> network, NetworkWish wish) {
  cancel();
  if (analyzed->capture->ops().size() <= kLaidOutAtOnce) {
    emit laid_out(picture_of(*analyzed, std::move(network), wish, nullptr));
    return;
  }
  stop_ = std::make_shared<std::atomic<bool>>(false);
  auto made = std::make_shared<NetworkPicture>();
  QThread* thread = QThread::create([analyzed, network, wish, made, stop = stop_]() mutable {
    *made = picture_of(*analyzed, std::move(network), wish, stop.get());
  });
  threads_.push_back(thread);
  connect(thread, &QThread::finished, this, [this, thread, made, stop = stop_] {
    std::erase(threads_, thread);
    thread->deleteLater();
    if (stop != stop_) return;
    stop_.reset();
    emit laid_out(*made);
  });
  thread->start(QThread::LowPriority);
}

}  // namespace views
