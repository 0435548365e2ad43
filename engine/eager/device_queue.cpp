// SPDX-License-Identifier: Apache-2.0
// DeviceQueue: takes all items that wait, computes them without the lock, and tells those who wait.
#include "engine/eager/device_queue.h"

#include <system_error>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/thread_pool.h"
#include "engine/base/thread_team.h"

namespace engine::eager {

std::unique_ptr<DeviceQueue> DeviceQueue::start(size_t number, int threads) {
  // A library's primitive may be made for so many threads and wait for all of them.
  if (ThreadPool::numbered(number).reserve(threads) < threads) return nullptr;
  std::unique_ptr<DeviceQueue> queue(new DeviceQueue);
  try {
    queue->thread_ = std::thread(&DeviceQueue::serve, queue.get(), number);
  } catch (const std::system_error&) {
    return nullptr;
  }
  return queue;
}

DeviceQueue::~DeviceQueue() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  came_.notify_one();
  thread_.join();
}

void DeviceQueue::submit(PreparedOp& op, uint32_t number) {
  {
    const std::lock_guard lock(mutex_);
    items_.push_back({&op, number});
  }
  came_.notify_one();
}

void DeviceQueue::wait() {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return items_.empty() && !busy_; });
}

std::vector<DoneOp> DeviceQueue::take_done() {
  const std::lock_guard lock(mutex_);
  return std::exchange(finished_, {});
}

void DeviceQueue::serve(size_t number) {
  ThreadPool::use(number);
  std::vector<Item> taken;
  std::vector<DoneOp> done;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      finished_.insert(finished_.end(), done.begin(), done.end());
      busy_ = false;
      if (items_.empty()) done_.notify_all();
      came_.wait(lock, [&] { return ends_ || !items_.empty(); });
      if (items_.empty()) return;  // it ends, and all is done
      taken.clear();
      std::swap(taken, items_);
      busy_ = true;
    }
    done.clear();
    int64_t begin = now_ticks();
    for (const Item& item : taken) {
      forget_teams();
      item.op->run();
      const int64_t end = now_ticks();
      if (item.number != kUnnumbered) done.push_back({item.number, largest_team(), begin, end});
      begin = end;
    }
  }
}

void see_team_of(const DoneOp& op) { detail::largest_team = op.threads; }

}  // namespace engine::eager
