// SPDX-License-Identifier: Apache-2.0
// The memory pool: blocks never overlap, equal sequences get equal addresses, returned neighbours
// merge, refusals change nothing.
#include "engine/eager/pool.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "engine/null/backend.h"

namespace engine::eager {
namespace {

/// Sizes from one byte to some MiB, as tensors have them.
int64_t some_size(std::mt19937_64& random) {
  return static_cast<int64_t>(random() % (uint64_t{1} << random() % 23)) + 1;
}

/// A fixed sequence of requests and returns from an empty pool; the addresses handed out.
std::vector<std::byte*> sequence(MemoryPool& pool, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Block*> held;
  std::vector<std::byte*> addresses;
  for (int i = 0; i < 2000; ++i) {
    if (!held.empty() && random() % 5 < 2) {
      std::swap(held[random() % held.size()], held.back());
      pool.give_back(held.back());
      held.pop_back();
      continue;
    }
    if (held.size() > 60) continue;
    held.push_back(*pool.allocate(some_size(random)));
    addresses.push_back(held.back()->data);
  }
  for (Block* block : held) pool.give_back(block);
  return addresses;
}

TEST(MemoryPool, BlocksNeverOverlapAndAreCounted) {
  const auto backend = null::make_backend();
  MemoryPool pool(*backend);
  std::mt19937_64 random(1);
  std::map<std::byte*, Block*> held;
  int64_t live = 0, peak = 0;
  for (int i = 0; i < 5000; ++i) {
    if (!held.empty() && (random() % 5 < 2 || held.size() > 100)) {
      const auto gone = std::next(held.begin(), static_cast<std::ptrdiff_t>(random() % held.size()));
      live -= gone->second->size_bytes;
      pool.give_back(gone->second);
      held.erase(gone);
      continue;
    }
    const int64_t size = some_size(random);
    Result<Block*> block = pool.allocate(size);
    ASSERT_TRUE(block.ok()) << block.error().message;
    EXPECT_GE((*block)->size_bytes, size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>((*block)->data) % 64, 0u);
    EXPECT_LE((*block)->offset_bytes + (*block)->size_bytes, pool.reserved_bytes());
    const auto [at, is_new] = held.emplace((*block)->data, *block);
    ASSERT_TRUE(is_new);
    if (at != held.begin()) {
      const Block* before = std::prev(at)->second;
      EXPECT_LE(before->data + before->size_bytes, (*block)->data);
    }
    if (std::next(at) != held.end()) {
      EXPECT_LE((*block)->data + (*block)->size_bytes, std::next(at)->first);
    }
    live += (*block)->size_bytes;
    peak = std::max(peak, live);
    ASSERT_EQ(pool.live_bytes(), live);
  }
  EXPECT_EQ(pool.peak_bytes(), peak);
  EXPECT_EQ(pool.live_blocks(), static_cast<int64_t>(held.size()));
  for (const auto& [data, block] : held) pool.give_back(block);
  EXPECT_EQ(pool.live_bytes(), 0);
}

TEST(MemoryPool, TheSameSequenceGetsTheSameAddresses) {
  const auto backend = null::make_backend();
  MemoryPool pool(*backend);
  sequence(pool, 3);  // grows the pool
  const std::vector<std::byte*> second = sequence(pool, 3);
  const int64_t reserved = pool.reserved_bytes();
  sequence(pool, 4);
  EXPECT_EQ(sequence(pool, 3), second);
  EXPECT_GE(pool.reserved_bytes(), reserved);
  EXPECT_EQ(pool.live_blocks(), 0);
}

TEST(MemoryPool, ReturnedNeighboursMerge) {
  const auto backend = null::make_backend();
  MemoryPool pool(*backend);
  constexpr int64_t kMiB = int64_t{1} << 20;
  for (const std::vector<int>& order : std::vector<std::vector<int>>{{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}}) {
    std::vector<Block*> blocks;
    for (int i = 0; i < 4; ++i) blocks.push_back(*pool.allocate(8 * kMiB));
    for (const int i : order) pool.give_back(blocks[static_cast<size_t>(i)]);
    Result<Block*> whole = pool.allocate(32 * kMiB);
    ASSERT_TRUE(whole.ok());
    EXPECT_EQ(pool.reserved_bytes(), 32 * kMiB);
    pool.give_back(*whole);
  }
}

TEST(MemoryPool, RefusalsAreInWordsAndChangeNothing) {
  const auto backend = null::make_backend();
  MemoryPool pool(*backend);
  for (const int64_t size : {int64_t{1} << 50, (int64_t{1} << 62) + 1, INT64_MAX}) {
    const Result<Block*> block = pool.allocate(size);
    ASSERT_FALSE(block.ok());
    EXPECT_NE(block.error().message.find("iB"), std::string::npos) << block.error().message;
  }
  EXPECT_EQ(pool.live_bytes(), 0);
  EXPECT_EQ(pool.reserved_bytes(), 0);
  BlockUse empty_tensor(pool, *pool.allocate(0));
  EXPECT_NE(empty_tensor->data, nullptr);
}

}  // namespace
}  // namespace engine::eager
