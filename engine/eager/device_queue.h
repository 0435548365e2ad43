// SPDX-License-Identifier: Apache-2.0
// DeviceQueue: the thread of a simulated device, which computes ops in the order they come while the host goes on.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/runtime/backend.h"

namespace engine::eager {

/// An op that a queue has computed.
struct DoneOp {
  uint32_t op = 0;
  int threads = 0;  ///< the most of any team it started: see engine::largest_team()
  int64_t begin_ticks = 0, end_ticks = 0;
};

/// All members but the queue's own thread are called by one thread. What an op reads and writes belongs to the queue
/// from submit() to wait().
class DeviceQueue {
 public:
  /// An op that nobody asks about.
  static constexpr uint32_t kUnnumbered = std::numeric_limits<uint32_t>::max();

  /// Its teams have up to `threads` threads of pool `number` (ThreadPool::numbered), so that queues do not wait for
  /// each other. Null: the system starts no such thread.
  static std::unique_ptr<DeviceQueue> start(size_t number, int threads);
  ~DeviceQueue();
  DeviceQueue(const DeviceQueue&) = delete;
  DeviceQueue& operator=(const DeviceQueue&) = delete;

  void submit(PreparedOp& op, uint32_t number);
  /// Returns when all ops that were submitted have ended.
  void wait();
  /// Numbered ops that have ended since the last call, in their order. After wait().
  std::vector<DoneOp> take_done();

 private:
  struct Item {
    PreparedOp* op = nullptr;
    uint32_t number = kUnnumbered;
  };
  DeviceQueue() = default;
  void serve(size_t number);

  std::mutex mutex_;
  std::condition_variable came_, done_;
  std::vector<Item> items_;  ///< not yet begun
  bool busy_ = false;        ///< the thread has taken items that it has not done
  bool ends_ = false;
  std::vector<DoneOp> finished_;
  std::thread thread_;
};

/// From here on largest_team() of the calling thread is what `op` had on its own.
void see_team_of(const DoneOp& op);

}  // namespace engine::eager
