// SPDX-License-Identifier: Apache-2.0
// Puts back the thread pool that a test sets, wherever the test ends.
#pragma once

#include "engine/base/thread_team.h"

namespace tests {

class ThreadPoolGuard {
 public:
  ThreadPoolGuard() = default;
  ThreadPoolGuard(const ThreadPoolGuard&) = delete;
  ThreadPoolGuard& operator=(const ThreadPoolGuard&) = delete;
  ~ThreadPoolGuard() { engine::set_thread_pool(before_); }

 private:
  engine::ThreadPool before_ = engine::thread_pool();
};

}  // namespace tests
