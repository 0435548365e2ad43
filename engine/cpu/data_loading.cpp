// SPDX-License-Identifier: Apache-2.0
// load_batch: a reader and a decoder that work ahead on threads of their own, or in turn with the step.
#include "engine/cpu/data_loading.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "engine/base/clock.h"
#include "engine/cpu/data_set.h"

namespace engine::cpu {
namespace {

constexpr size_t kMostStages = 1 << 15;  // that wait to be told, where nobody listens
constexpr int kBuffers = 2;              // at each place: one being filled, one being used

/// One batch on its way. `pixels` stay empty where reading or decoding failed.
struct Load {
  int64_t item = 0;
  std::vector<std::byte> encoded, pixels;
};

/// Hands loads from one thread to another; closed: nothing comes any more.
class Channel {
 public:
  void put(Load load) {
    {
      const std::lock_guard lock(mutex_);
      loads_.push_back(std::move(load));
    }
    changed_.notify_one();
  }
  /// Waits for one; false: closed.
  bool take(Load& load) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || !loads_.empty(); });
    if (closed_) return false;
    load = std::move(loads_.front());
    loads_.pop_front();
    return true;
  }
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Load> loads_;
  bool closed_ = false;
};

class LoadBatch final : public PreparedOp {
 public:
  LoadBatch(std::unique_ptr<DataSet> set, Tensor target, bool overlap, int64_t delay_us)
      : set_(std::move(set)), target_(std::move(target)), overlap_(overlap), delay_(delay_us) {}
  ~LoadBatch() override {
    for (Channel* channel : {&unused_, &encoded_, &free_, &ready_}) channel->close();
    for (std::thread& thread : threads_) thread.join();
  }

  void run() override {
    if (overlap_) {
      if (threads_.empty()) start();
      const int64_t begin = now_ticks();
      Load load;
      if (!ready_.take(load)) return;
      note("wait for data", load.item, 0, begin);
      copy(load);
      free_.put(std::move(load));
    } else {
      own_.item = next_++;
      read(own_);
      decode(own_);
      copy(own_);
    }
  }
  std::string kernel_name() const override {
    return overlap_ ? "own load_batch: reads and decodes ahead (zlib)" : "own load_batch: reads and decodes in turn (zlib)";
  }
  bool reports() const override { return true; }
  void report(Observer& observer, uint32_t op) override {
    std::vector<Stage> stages;
    {
      const std::lock_guard lock(stages_mutex_);
      stages.swap(stages_);
    }
    for (const Stage& stage : stages) observer.stage_done(op, stage);
  }

 private:
  // Buffers go round: encoded ones between reader and decoder, pixels between decoder and step.
  void start() {
    for (int i = 0; i < kBuffers; ++i) {
      unused_.put({});
      free_.put({});
    }
    threads_.emplace_back([this] {
      Load load;
      while (unused_.take(load)) {
        load.item = next_++;
        read(load);
        encoded_.put(std::move(load));
      }
    });
    threads_.emplace_back([this] {
      Load encoded, decoded;
      while (encoded_.take(encoded) && free_.take(decoded)) {
        std::swap(encoded.encoded, decoded.encoded);
        decoded.item = encoded.item;
        decode(decoded);
        std::swap(encoded.encoded, decoded.encoded);
        unused_.put(std::move(encoded));
        ready_.put(std::move(decoded));
      }
    });
  }

  void note(std::string_view lane, int64_t item, size_t size_bytes, int64_t begin_ticks) {
    const int64_t end_ticks = now_ticks();
    const std::lock_guard lock(stages_mutex_);
    if (stages_.size() < kMostStages) stages_.push_back({lane, item, static_cast<int64_t>(size_bytes), begin_ticks, end_ticks});
  }

  void read(Load& load) {
    const int64_t begin = now_ticks();
    if (!set_->read(load.item % set_->batches(), load.encoded)) load.encoded.clear();
    if (delay_.count() > 0) std::this_thread::sleep_for(delay_);
    note("read", load.item, load.encoded.size(), begin);
  }

  void decode(Load& load) {
    const int64_t begin = now_ticks();
    load.pixels.resize(static_cast<size_t>(set_->batch_bytes()));
    if (!set_->decode(load.encoded, load.pixels)) load.pixels.clear();
    note("decode", load.item, load.pixels.size(), begin);
  }

  /// Into the tensor of the step; what could not be read is NaN, so that it shows.
  void copy(const Load& load) {
    const int64_t begin = now_ticks();
    auto* y = target_.data_as<float>();
    const auto count = static_cast<size_t>(target_.type().elements());
    for (size_t i = 0; i < count; ++i) {
      y[i] = load.pixels.empty() ? std::numeric_limits<float>::quiet_NaN()
                                 : static_cast<float>(std::to_integer<int>(load.pixels[i])) * (1 / 127.5F) - 1.0F;
    }
    note("copy", load.item, count * sizeof(float), begin);
  }

  std::unique_ptr<DataSet> set_;
  Tensor target_;
  bool overlap_;
  std::chrono::microseconds delay_;
  int64_t next_ = 0;  // the reader's
  Load own_;
  Channel unused_, encoded_, free_, ready_;
  std::vector<std::thread> threads_;
  std::mutex stages_mutex_;
  std::vector<Stage> stages_;
};

}  // namespace

Result<std::unique_ptr<PreparedOp>> prepare_load_batch(const PrepareRequest& request) {
  const Attributes& a = request.node.attributes;
  const Tensor& target = request.arguments.outputs[0];
  auto set = DataSet::make(a.get_int("batches", 1), target.type().elements(), static_cast<uint64_t>(a.get_int("seed", 1)));
  if (!set) return set.error();
  return std::unique_ptr<PreparedOp>(
      std::make_unique<LoadBatch>(*std::move(set), target, a.get_int("overlap", 1) != 0, a.get_int("delay", 0)));
}

}  // namespace engine::cpu
