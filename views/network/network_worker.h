// SPDX-License-Identifier: GPL-3.0-or-later
// NetworkWorker: makes the network of a capture and lays it out, large ones on a thread; a newer wish stops the older.
#pragma once

#include <QObject>
#include <atomic>
#include <memory>
#include <vector>

#include "views/network/network_layout.h"

class QThread;

namespace views {

/// Networks of at most so many ops are laid out at once: that takes a few milliseconds.
inline constexpr size_t kLaidOutAtOnce = 2000;

struct NetworkPicture {
  std::shared_ptr<const profiler::Network> network;
  std::shared_ptr<const NetworkLayout> layout;
  std::vector<bool> open;  ///< by layer
};

class NetworkWorker : public QObject {
  Q_OBJECT

 public:
  explicit NetworkWorker(QObject* parent = nullptr) : QObject(parent) {}
  ~NetworkWorker() override;
  /// `network` null: it is made first, and its layers are open as first_open() says.
  void start(std::shared_ptr<const profiler::Analyzed>, std::shared_ptr<const profiler::Network> network, NetworkWish);
  void cancel();
  bool busy() const { return stop_ != nullptr; }

 signals:
  void laid_out(const views::NetworkPicture&);

 private:
  std::shared_ptr<std::atomic<bool>> stop_;  // of what is under way
  std::vector<QThread*> threads_;
};

}  // namespace views
