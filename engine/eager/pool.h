// SPDX-License-Identifier: Apache-2.0
// MemoryPool: blocks of device memory that are used again; the same requests and returns give the
// same addresses.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/runtime/backend.h"
#include "engine/tensor/storage.h"

namespace engine::eager {

struct Slab;

/// A piece of one allocation, counted by its users.
struct Block {
  std::byte* data = nullptr;
  int64_t size_bytes = 0;    ///< as reserved: whole lines
  int64_t offset_bytes = 0;  ///< in the pool, whose allocations are counted one after the other
  const std::shared_ptr<Storage>* storage = nullptr;  ///< the allocation it lies in
  uint32_t users = 0;
  uint32_t version = 0;   ///< counts overwriting ops
  uint32_t recorded = 0;  ///< recorded ops that need these bytes for their gradient
  bool free = false;
  Slab* slab = nullptr;                       ///< small blocks: where they are given back to
  Block *before = nullptr, *after = nullptr;  ///< large blocks: neighbours in the same allocation
};

/// Memory for tensors that come and go. Requests up to 4 KiB take the lowest free slot of their size. Larger ones take
/// the smallest free piece that fits, the lowest of those. Free neighbours merge. For one thread.
class MemoryPool {
 public:
  explicit MemoryPool(Backend& backend);
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  /// A block with one user. Refused in the backend's words when the device has not got the bytes.
  Result<Block*> allocate(int64_t size_bytes);
  void keep(Block* block) { ++block->users; }
  void give_back(Block* block) {
    if (--block->users == 0) release(block);
  }

  int64_t live_bytes() const { return live_bytes_; }
  int64_t peak_bytes() const { return peak_bytes_; }
  int64_t reserved_bytes() const { return reserved_bytes_; }  ///< taken from the device
  int64_t live_blocks() const { return live_blocks_; }
  /// Blocks handed out since the beginning.
  int64_t requests() const { return requests_; }
  void reset_peak() { peak_bytes_ = live_bytes_; }

 private:
  using BySize = std::set<std::pair<int64_t, Block*>,
                          bool (*)(const std::pair<int64_t, Block*>&, const std::pair<int64_t, Block*>&)>;
  static constexpr int kClasses = 7;  // 64 B, 128 B, ... 4 KiB
  static bool smaller(const std::pair<int64_t, Block*>& a, const std::pair<int64_t, Block*>& b);

  Result<const std::shared_ptr<Storage>*> reserve(int64_t size_bytes);
  Result<Block*> allocate_small(int size_class);
  Result<Block*> allocate_large(int64_t size_bytes);
  Result<Block*> new_segment(int64_t size_bytes);
  void release(Block* block);
  void release_large(Block* block);
  void count(Block* block);

  Backend& backend_;
  std::vector<std::unique_ptr<std::shared_ptr<Storage>>> storages_;
  std::array<std::vector<std::unique_ptr<Slab>>, kClasses> slabs_;
  std::array<size_t, kClasses> first_with_room_{};
  BySize free_{smaller};
  std::vector<Block*> segments_;  // the first block of each allocation of large blocks
  int64_t live_bytes_ = 0, peak_bytes_ = 0, reserved_bytes_ = 0, live_blocks_ = 0, requests_ = 0;
};

/// One use of a block.
class BlockUse {
 public:
  BlockUse() = default;
  /// Takes over the use that `block` was handed out with.
  BlockUse(MemoryPool& pool, Block* block) : pool_(&pool), block_(block) {}
  BlockUse(const BlockUse& other) : pool_(other.pool_), block_(other.block_) {
    if (block_ != nullptr) pool_->keep(block_);
  }
  BlockUse(BlockUse&& other) noexcept : pool_(other.pool_), block_(std::exchange(other.block_, nullptr)) {}
  BlockUse& operator=(BlockUse other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(block_, other.block_);
    return *this;
  }
  ~BlockUse() {
    if (block_ != nullptr) pool_->give_back(block_);
  }
  Block* get() const { return block_; }
  MemoryPool* pool() const { return pool_; }
  Block* operator->() const { return block_; }
  explicit operator bool() const { return block_ != nullptr; }

 private:
  MemoryPool* pool_ = nullptr;
  Block* block_ = nullptr;
};

}  // namespace engine::eager
