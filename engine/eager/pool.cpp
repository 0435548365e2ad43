// SPDX-License-Identifier: Apache-2.0
// MemoryPool: slots of equal size for small tensors, best fit with merging for large ones.
#include "engine/eager/pool.h"

#include <algorithm>
#include <bit>

#include "engine/base/check.h"

namespace engine::eager {
namespace {

constexpr int64_t kLine = 64;
constexpr int64_t kLargestSmall = 4096;
constexpr int64_t kSlabBytes = int64_t{256} << 10;
constexpr int64_t kSegmentBytes = int64_t{32} << 20;  // smaller requests share one

int size_class_of(int64_t size_bytes) {
  const auto lines = static_cast<uint64_t>((std::max<int64_t>(size_bytes, 1) + kLine - 1) / kLine);
  return std::bit_width(lines - 1);
}

}  // namespace

/// Slots of one size; a bit per free slot, so that the lowest is found at once.
struct Slab {
  int size_class = 0;
  size_t index = 0;  // among the slabs of its class
  std::vector<Block> blocks;
  std::vector<uint64_t> free_bits;
  size_t free_count = 0;
  size_t first_word = 0;  // no free slot lies in a word before it

  Block* take() {
    while (free_bits[first_word] == 0) ++first_word;
    const int bit = std::countr_zero(free_bits[first_word]);
    free_bits[first_word] &= free_bits[first_word] - 1;
    --free_count;
    return &blocks[first_word * 64 + static_cast<size_t>(bit)];
  }
  void put(const Block* block) {
    const auto slot = static_cast<size_t>(block - blocks.data());
    free_bits[slot / 64] |= uint64_t{1} << (slot % 64);
    first_word = std::min(first_word, slot / 64);
    ++free_count;
  }
};

MemoryPool::MemoryPool(Backend& backend) : backend_(backend) {}

MemoryPool::~MemoryPool() {
  for (Block* block : segments_) {
    while (block != nullptr) delete std::exchange(block, block->after);
  }
}

bool MemoryPool::smaller(const std::pair<int64_t, Block*>& a, const std::pair<int64_t, Block*>& b) {
  if (a.first != b.first) return a.first < b.first;
  return a.second->offset_bytes < b.second->offset_bytes;
}

Result<const std::shared_ptr<Storage>*> MemoryPool::reserve(int64_t size_bytes) {
  Result<std::shared_ptr<Storage>> storage = backend_.allocate(size_bytes);
  if (!storage) return storage.error();
  storages_.push_back(std::make_unique<std::shared_ptr<Storage>>(std::move(*storage)));
  reserved_bytes_ += size_bytes;
  return static_cast<const std::shared_ptr<Storage>*>(storages_.back().get());
}

Result<Block*> MemoryPool::allocate(int64_t size_bytes) {
  CHECK(size_bytes >= 0);
  Result<Block*> block =
      size_bytes <= kLargestSmall ? allocate_small(size_class_of(size_bytes)) : allocate_large(size_bytes);
  if (block) count(*block);
  return block;
}

void MemoryPool::count(Block* block) {
  block->users = 1;
  block->free = false;
  live_bytes_ += block->size_bytes;
  peak_bytes_ = std::max(peak_bytes_, live_bytes_);
  ++live_blocks_;
  ++requests_;
}

Result<Block*> MemoryPool::allocate_small(int size_class) {
  auto& slabs = slabs_[static_cast<size_t>(size_class)];
  size_t& first = first_with_room_[static_cast<size_t>(size_class)];
  while (first < slabs.size() && slabs[first]->free_count == 0) ++first;
  if (first == slabs.size()) {
    const int64_t slot_bytes = kLine << size_class;
    const auto slots = static_cast<size_t>(kSlabBytes / slot_bytes);
    const int64_t offset = reserved_bytes_;
    auto storage = reserve(kSlabBytes);
    if (!storage) return storage.error();
    auto slab = std::make_unique<Slab>();
    slab->size_class = size_class;
    slab->index = first;
    slab->blocks.resize(slots);
    for (size_t i = 0; i < slots; ++i) {
      Block& block = slab->blocks[i];
      const auto start = static_cast<int64_t>(i) * slot_bytes;
      block.data = (**storage)->data() + start;
      block.size_bytes = slot_bytes;
      block.offset_bytes = offset + start;
      block.storage = *storage;
      block.slab = slab.get();
    }
    slab->free_bits.assign(slots / 64, ~uint64_t{0});
    slab->free_count = slots;
    slabs.push_back(std::move(slab));
  }
  return slabs[first]->take();
}

Result<Block*> MemoryPool::new_segment(int64_t size_bytes) {
  const int64_t offset = reserved_bytes_;
  int64_t segment_bytes = std::max(size_bytes, kSegmentBytes);
  auto storage = reserve(segment_bytes);
  if (!storage && segment_bytes > size_bytes) {
    segment_bytes = size_bytes;
    storage = reserve(segment_bytes);
  }
  if (!storage) return storage.error();
  auto* block = new Block;
  block->data = (**storage)->data();
  block->size_bytes = segment_bytes;
  block->offset_bytes = offset;
  block->storage = *storage;
  block->free = true;
  segments_.push_back(block);
  return block;
}

Result<Block*> MemoryPool::allocate_large(int64_t size_bytes) {
  // Beyond 62 bits the device refuses, and whole lines would overflow.
  const int64_t size = size_bytes > (int64_t{1} << 62) ? size_bytes : (size_bytes + kLine - 1) / kLine * kLine;
  Block wanted;
  wanted.offset_bytes = -1;
  const auto found = free_.lower_bound({size, &wanted});
  Block* block = nullptr;
  if (found != free_.end()) {
    block = found->second;
    free_.erase(found);
  } else {
    Result<Block*> segment = new_segment(size);
    if (!segment) return segment;
    block = *segment;
  }
  if (block->size_bytes > size) {
    auto* rest = new Block(*block);
    rest->data += size;
    rest->offset_bytes += size;
    rest->size_bytes -= size;
    rest->free = true;
    rest->before = block;
    if (rest->after != nullptr) rest->after->before = rest;
    block->after = rest;
    block->size_bytes = size;
    free_.insert({rest->size_bytes, rest});
  }
  return block;
}

void MemoryPool::release(Block* block) {
  live_bytes_ -= block->size_bytes;
  --live_blocks_;
  block->free = true;
  if (block->slab == nullptr) {
    release_large(block);
    return;
  }
  block->slab->put(block);
  size_t& first = first_with_room_[static_cast<size_t>(block->slab->size_class)];
  first = std::min(first, block->slab->index);
}

void MemoryPool::release_large(Block* block) {
  const auto swallow = [](Block* kept, Block* gone) {
    kept->size_bytes += gone->size_bytes;
    kept->after = gone->after;
    if (kept->after != nullptr) kept->after->before = kept;
    delete gone;
  };
  if (Block* next = block->after; next != nullptr && next->free) {
    free_.erase({next->size_bytes, next});
    swallow(block, next);
  }
  if (Block* previous = block->before; previous != nullptr && previous->free) {
    free_.erase({previous->size_bytes, previous});
    swallow(previous, block);
    block = previous;
  }
  free_.insert({block->size_bytes, block});
}

}  // namespace engine::eager
