// SPDX-License-Identifier: Apache-2.0
// A free list and a queue.
#include "profiler/cupti/buffers.h"

#include <cstdlib>
#include <cstring>

namespace profiler::cupti {

void BufferPool::Free::operator()(uint8_t* data) const { std::free(data); }

BufferPool::BufferPool(Size size) : size_(size) {
  // nothing on CUPTI's side may allocate: room for every buffer there can be
  memory_.reserve(size_.at_most);
  free_.reserve(size_.at_most);
  filled_.reserve(2 * size_.at_most);
  for (size_t i = 0; i < size_.at_first; ++i) {
    uint8_t* data = make_buffer();
    if (data == nullptr) return;
    memory_.emplace_back(data);
    free_.push_back(data);
  }
}

/// nullptr when there is no memory: request() then refuses.
uint8_t* BufferPool::make_buffer() const {
  auto* data = static_cast<uint8_t*>(std::aligned_alloc(64, size_.buffer_bytes));
  if (data != nullptr) std::memset(data, 0, size_.buffer_bytes);  // touched here, not under CUPTI's hands
  return data;
}

uint8_t* BufferPool::request() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    ++refused_;
    return nullptr;
  }
  uint8_t* buffer = free_.back();
  free_.pop_back();
  return buffer;
}

void BufferPool::complete(uint8_t* buffer, size_t valid_bytes) {
  if (buffer == nullptr) return;
  const std::lock_guard lock(mutex_);
  filled_.push_back({buffer, valid_bytes < size_.buffer_bytes ? valid_bytes : size_.buffer_bytes});
}

std::optional<BufferPool::Filled> BufferPool::next_filled() {
  const std::lock_guard lock(mutex_);
  if (next_ == filled_.size()) {
    filled_.clear();
    next_ = 0;
    return std::nullopt;
  }
  return filled_[next_++];
}

void BufferPool::recycle(const Filled& buffer) {
  std::memset(buffer.data, 0, buffer.valid_bytes);
  const std::lock_guard lock(mutex_);
  free_.push_back(buffer.data);
}

void BufferPool::top_up() {
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      if (free_.size() >= size_.at_first / 2 || memory_.size() == size_.at_most) return;
    }
    uint8_t* data = make_buffer();
    if (data == nullptr) return;
    const std::lock_guard lock(mutex_);
    memory_.emplace_back(data);
    free_.push_back(data);
  }
}

size_t BufferPool::allocated() const {
  const std::lock_guard lock(mutex_);
  return memory_.size();
}

int64_t BufferPool::refused() const {
  const std::lock_guard lock(mutex_);
  return refused_;
}

}  // namespace profiler::cupti
