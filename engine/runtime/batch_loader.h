// SPDX-License-Identifier: Apache-2.0
// BatchLoader: batches of a data set, read and decoded ahead by two threads, or in turn with the step.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "engine/graph/op.h"
#include "engine/runtime/data_set.h"
#include "engine/runtime/observer.h"

namespace engine {

class BatchLoader {
 public:
  /// One batch on its way. `pixels` stay empty where reading or decoding failed.
  struct Load {
    int64_t item = 0;
    std::vector<std::byte> encoded, pixels;
  };

  /// ahead: on two threads. in_turn: when a batch is taken. memory: one batch is read and decoded when the loader is
  /// made, and every take() is that one.
  enum class Way : uint8_t { ahead, in_turn, memory };
  /// `delay_us`: each read takes that much longer than the file system needs.
  BatchLoader(std::unique_ptr<DataSet> set, Way way, int64_t delay_us);
  /// Of a load_batch op.
  static Way way_of(const Attributes&);
  ~BatchLoader();

  bool ahead() const { return way_ == Way::ahead; }
  Way way() const { return way_; }
  /// The next batch: waits for it, or reads and decodes it now.
  Load take();
  /// The next batch where it is ready already; never without threads that work ahead.
  bool try_take(Load&);
  /// Its buffers are used again.
  void give_back(Load);

  /// A stage that ran from `begin_ticks` to now; the next report() has it.
  void note(std::string_view lane, int64_t item, size_t size_bytes, int64_t begin_ticks);
  void report(Observer&, uint32_t op);

 private:
  /// Hands loads from one thread to another; closed: nothing comes any more.
  class Channel {
   public:
    void put(Load load);
    /// False: closed, or there is none and nobody wants to wait.
    bool take(Load& load, bool wait = true);
    void close();

   private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Load> loads_;
    bool closed_ = false;
  };

  void start();
  void read(Load&);
  void decode(Load&);

  std::unique_ptr<DataSet> set_;
  const Way way_;
  const std::chrono::microseconds delay_;
  int64_t next_ = 0;  // the reader's
  Load own_;
  Channel unused_, encoded_, free_, ready_;
  std::vector<std::thread> threads_;
  std::mutex stages_mutex_;
  std::vector<Stage> stages_;
};

}  // namespace engine
