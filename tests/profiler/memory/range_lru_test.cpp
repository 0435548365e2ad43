// SPDX-License-Identifier: Apache-2.0
// The block LRU against hand counts and against an LRU cache simulated line by line.
#include "profiler/memory/range_lru.h"

#include <gtest/gtest.h>

#include <cmath>
#include <list>
#include <random>
#include <unordered_map>

namespace profiler {
namespace {

Touch touch(uint32_t block, double bytes, bool write = false) { return {block, block, bytes, 0, 1, write}; }

double missed(const RangeLru& lru, uint32_t operand, size_t level = 0) {
  double sum = 0;
  for (const Outcome& o : lru.outcomes()) sum += o.operand == operand ? o.missed[level] : 0;
  return sum;
}

TEST(RangeLru, FirstUseMissesEverything) {
  RangeLru lru({1000}, 1, 2);
  lru.sweep(std::vector{touch(0, 60)});
  EXPECT_DOUBLE_EQ(missed(lru, 0), 60);
  lru.sweep(std::vector{touch(0, 60)});
  EXPECT_DOUBLE_EQ(missed(lru, 0), 0);
}

TEST(RangeLru, CyclicStreamAboveTheCapacityHitsNothing) {
  RangeLru lru({119, 120}, 2, 6);
  for (uint32_t pass = 0; pass < 3; ++pass) {
    for (uint32_t block : {0u, 1u}) {
      lru.sweep(std::vector{touch(block, 60)});
      if (pass == 0) continue;
      EXPECT_DOUBLE_EQ(missed(lru, block, 0), 60) << "a byte short of fitting";
      EXPECT_DOUBLE_EQ(missed(lru, block, 1), 0) << "just fits";
    }
  }
}

TEST(RangeLru, LockstepPartnerPushesTheBeginningOut) {
  // X and A are walked together, then X alone: the first byte of X saw all of A after it, the last
  // byte none.
  RangeLru lru({90}, 2, 2);
  lru.sweep(std::vector{touch(0, 60), touch(1, 60)});
  lru.sweep(std::vector{touch(0, 60)});
  EXPECT_DOUBLE_EQ(missed(lru, 0), 30);
}

TEST(RangeLru, ASmallPartDoesNotBringTheWholeBack) {
  // A long cache of keys (0), a stream (1) larger than the memory, one new line of the cache, then all of it.
  RangeLru lru({90}, 2, 8);
  for (int step = 0; step < 2; ++step) {
    lru.sweep(std::vector{touch(0, 1, true)});
    lru.sweep(std::vector{touch(0, 80)});
    EXPECT_GE(missed(lru, 0), 79) << step;
    lru.sweep(std::vector{touch(1, 100)});
  }
  lru.sweep(std::vector{touch(0, 50)});
  lru.sweep(std::vector{touch(0, 50)});
  EXPECT_DOUBLE_EQ(missed(lru, 0), 0) << "half of it or more does";
}

TEST(RangeLru, DirtyBytesLeaveOnceAndAreChargedToTheirWriter) {
  RangeLru lru({50}, 2, 4);
  lru.sweep(std::vector{Touch{0, 7, 60, 0, 1, true}});
  EXPECT_TRUE(lru.write_backs().empty());
  lru.sweep(std::vector{touch(1, 60)});
  lru.sweep(std::vector{touch(0, 60)});
  ASSERT_EQ(lru.write_backs().size(), 1u);
  EXPECT_EQ(lru.write_backs()[0].operand, 7u);
  EXPECT_DOUBLE_EQ(lru.write_backs()[0].bytes, 60);
  lru.sweep(std::vector{touch(0, 60)});
  EXPECT_TRUE(lru.write_backs().empty()) << "clean bytes are not written again";
}

TEST(RangeLru, ReadAndWriteOfOneBlockIsOneTouchAndNoWriteAllocate) {
  RangeLru lru({1000}, 1, 1);
  lru.sweep(std::vector{Touch{0, 1, 64, 0, 1, false}, Touch{0, 2, 64, 0, 1, true}});
  ASSERT_EQ(lru.outcomes().size(), 1u);
  EXPECT_EQ(lru.outcomes()[0].operand, 1u);
  EXPECT_FALSE(lru.outcomes()[0].store_only);
  EXPECT_DOUBLE_EQ(lru.outcomes()[0].missed[0], 64);
}

TEST(RangeLru, NonTemporalStoresFetchNothingAndLeaveNothing) {
  RangeLru lru({1000}, 2, 4);
  const Touch cached{0, 0, 60, 0, 1, true}, past{0, 5, 60, 0, 1, true, true};
  lru.sweep(std::vector{cached});
  lru.sweep(std::vector{past});
  ASSERT_EQ(lru.write_backs().size(), 1u) << "the dirty bytes it overwrites need not leave";
  EXPECT_EQ(lru.write_backs()[0].operand, 5u);
  EXPECT_DOUBLE_EQ(lru.write_backs()[0].bytes, 60);
  EXPECT_DOUBLE_EQ(missed(lru, 5), 0);
  lru.sweep(std::vector{touch(0, 60)});
  EXPECT_DOUBLE_EQ(missed(lru, 0), 60) << "nothing stayed in the cache";
  EXPECT_TRUE(lru.write_backs().empty());
  lru.sweep(std::vector{touch(0, 60), past});
  EXPECT_TRUE(lru.write_backs().empty()) << "a block also read comes through the cache";
}

/// Fully associative LRU of single lines with write-back.
class LineLru {
 public:
  explicit LineLru(size_t lines) : lines_(lines) {}
  void access(uint64_t line, bool write) {
    auto found = at_.find(line);
    if (found == at_.end()) {
      ++misses;
      if (order_.size() == lines_) {
        write_backs += order_.back().second ? 1 : 0;
        at_.erase(order_.back().first);
        order_.pop_back();
      }
      order_.emplace_front(line, write);
    } else {
      const bool dirty = found->second->second || write;
      order_.erase(found->second);
      order_.emplace_front(line, dirty);
    }
    at_[line] = order_.begin();
  }
  size_t misses = 0, write_backs = 0;

 private:
  size_t lines_;
  std::list<std::pair<uint64_t, bool>> order_;
  std::unordered_map<uint64_t, std::list<std::pair<uint64_t, bool>>::iterator> at_;
};

TEST(RangeLru, AgreesWithALineByLineCacheOnRandomOps) {
  constexpr uint32_t kBlocks = 12, kLines = 240;
  std::mt19937 random(3);
  for (const size_t capacity : {300u, 700u, 1500u, 2500u}) {
    LineLru truth(capacity);
    RangeLru lru({static_cast<double>(capacity)}, kBlocks, 400);
    double misses = 0, write_backs = 0, touched = 0;
    for (int sweep = 0; sweep < 400; ++sweep) {
      std::vector<uint32_t> blocks(kBlocks);
      for (uint32_t b = 0; b < kBlocks; ++b) blocks[b] = b;
      std::shuffle(blocks.begin(), blocks.end(), random);
      blocks.resize(1 + random() % 4);
      std::vector<Touch> touches;
      for (const uint32_t b : blocks) touches.push_back({b, b, kLines, 0, 1, random() % 3 == 0});
      for (uint32_t line = 0; line < kLines; ++line) {
        for (const Touch& t : touches) truth.access(t.block * kLines + line, t.write);
      }
      lru.sweep(touches);
      for (const Outcome& o : lru.outcomes()) misses += o.missed[0], touched += o.bytes;
      for (const WriteBack& w : lru.write_backs()) write_backs += w.bytes;
    }
    EXPECT_NEAR(misses, static_cast<double>(truth.misses), 0.005 * touched) << "capacity " << capacity;
    // The model charges a write-back when the block comes back, so at the end some are outstanding.
    EXPECT_NEAR(write_backs, static_cast<double>(truth.write_backs), 0.02 * touched + capacity)
        << "capacity " << capacity;
  }
}

TEST(RangeLru, LargerCachesNeverMissMore) {
  std::mt19937 random(5);
  RangeLru lru({100, 300, 900}, 20, 500);
  for (int sweep = 0; sweep < 500; ++sweep) {
    std::vector<Touch> touches;
    for (size_t i = 0, n = 1 + random() % 5; i < n; ++i) {
      const uint32_t block = random() % 20;
      touches.push_back({block, block, 10.0 + 10 * block, 0, 1, random() % 2 == 0});
    }
    lru.sweep(touches);
    for (const Outcome& o : lru.outcomes()) {
      EXPECT_LE(o.missed[1], o.missed[0] + 1e-9);
      EXPECT_LE(o.missed[2], o.missed[1] + 1e-9);
      EXPECT_GE(o.missed[2], 0);
      EXPECT_LE(o.missed[0], o.bytes + 1e-9);
    }
  }
}

}  // namespace
}  // namespace profiler
