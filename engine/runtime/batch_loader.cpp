// SPDX-License-Identifier: Apache-2.0
// A reader and a decoder that work ahead on threads of their own, or in turn.
#include "engine/runtime/batch_loader.h"

#include <new>
#include <utility>

#include "engine/base/clock.h"

namespace engine {
namespace {

constexpr size_t kMostStages = 1 << 15;  // that wait to be told, where nobody listens
constexpr int kBuffers = 2;              // at each place: one being filled, one being used

}  // namespace

void BatchLoader::Channel::put(Load load) {
  {
    const std::lock_guard lock(mutex_);
    loads_.push_back(std::move(load));
  }
  changed_.notify_one();
}

bool BatchLoader::Channel::take(Load& load, bool wait) {
  std::unique_lock lock(mutex_);
  if (wait) changed_.wait(lock, [&] { return closed_ || !loads_.empty(); });
  if (closed_ || loads_.empty()) return false;
  load = std::move(loads_.front());
  loads_.pop_front();
  return true;
}

void BatchLoader::Channel::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

BatchLoader::BatchLoader(std::unique_ptr<DataSet> set, Way way, int64_t delay_us)
    : set_(std::move(set)), way_(way), delay_(delay_us) {
  // Here a lack of memory can still be told: threads could not.
  std::vector<std::vector<std::byte>> room(way_ == Way::ahead ? kBuffers + 1 : 1);
  for (auto& pixels : room) pixels.reserve(static_cast<size_t>(set_->batch_bytes()));
  if (way_ != Way::memory) return;
  read(own_);
  decode(own_);
  stages_.clear();  // they are no part of a step
}

BatchLoader::Way BatchLoader::way_of(const Attributes& load_batch) {
  if (load_batch.get_int("from_memory", 0) != 0) return Way::memory;
  return load_batch.get_int("overlap", 1) != 0 ? Way::ahead : Way::in_turn;
}

BatchLoader::~BatchLoader() {
  for (Channel* channel : {&unused_, &encoded_, &free_, &ready_}) channel->close();
  for (std::thread& thread : threads_) thread.join();
}

BatchLoader::Load BatchLoader::take() {
  Load load;
  if (way_ == Way::memory) {
    load = std::move(own_);
    load.item = next_++;
    return load;
  }
  if (way_ == Way::in_turn) {
    load = std::move(own_);
    load.item = next_++;
    read(load);
    decode(load);
    return load;
  }
  if (threads_.empty()) start();
  const int64_t begin = now_ticks();
  ready_.take(load);
  note("wait for data", load.item, 0, begin);
  return load;
}

bool BatchLoader::try_take(Load& load) { return !threads_.empty() && ready_.take(load, false); }

void BatchLoader::give_back(Load load) {
  if (ahead()) {
    free_.put(std::move(load));
  } else {
    own_ = std::move(load);
  }
}

// Buffers go round: encoded ones between reader and decoder, pixels between decoder and step.
void BatchLoader::start() {
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

void BatchLoader::note(std::string_view lane, int64_t item, size_t size_bytes, int64_t begin_ticks) {
  const int64_t end_ticks = now_ticks();
  const std::lock_guard lock(stages_mutex_);
  if (stages_.size() < kMostStages)
    stages_.push_back({lane, item, static_cast<int64_t>(size_bytes), begin_ticks, end_ticks});
}

void BatchLoader::report(Observer& observer, uint32_t op) {
  std::vector<Stage> stages;
  {
    const std::lock_guard lock(stages_mutex_);
    stages.swap(stages_);
  }
  for (const Stage& stage : stages) observer.stage_done(op, stage);
}

void BatchLoader::read(Load& load) {
  const int64_t begin = now_ticks();
  try {
    if (!set_->read(load.item % set_->batches(), load.encoded)) load.encoded.clear();
  } catch (const std::bad_alloc&) {
    load.encoded.clear();
  }
  if (delay_.count() > 0) std::this_thread::sleep_for(delay_);
  note(kReadLane, load.item, load.encoded.size(), begin);
}

void BatchLoader::decode(Load& load) {
  const int64_t begin = now_ticks();
  try {
    load.pixels.resize(static_cast<size_t>(set_->batch_bytes()));
    if (!set_->decode(load.encoded, load.pixels)) load.pixels.clear();
  } catch (const std::bad_alloc&) {  // of a limited process: what is not there becomes NaN, which shows
    load.pixels.clear();
  }
  note("decode", load.item, load.pixels.size(), begin);
}

}  // namespace engine
