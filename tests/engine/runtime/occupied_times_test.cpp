// SPDX-License-Identifier: Apache-2.0
// OccupiedTimes against a list of everything added.
#include "engine/runtime/occupied_times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace engine {
namespace {

struct Added {
  uint32_t first, last;
  int64_t begin, end;
};

/// Each byte from 0 to 200 that is taken at some time between two ops.
std::vector<bool> by_hand(const std::vector<Added>& all, uint32_t first, uint32_t last) {
  std::vector<bool> taken(200, false);
  for (const Added& one : all) {
    if (one.last < first || one.first > last) continue;
    for (int64_t i = one.begin; i < one.end; ++i) taken[static_cast<size_t>(i)] = true;
  }
  return taken;
}

class Lengths : public testing::TestWithParam<uint32_t> {};

TEST_P(Lengths, AgreeWithAList) {
  const uint32_t ops = GetParam();
  std::mt19937 random(ops);
  const auto draw = [&](uint32_t below) { return static_cast<uint32_t>(random() % below); };
  OccupiedTimes occupied(ops);
  std::vector<Added> all;
  for (int i = 0; i < 120; ++i) {
    const uint32_t a = draw(ops), b = draw(ops), begin = draw(180);
    const Added added{std::min(a, b), i % 3 == 0 ? std::min(a, b) : std::max(a, b), begin, begin + 1 + draw(10)};
    occupied.add(added.first, added.last, {added.begin, added.end});
    all.push_back(added);
    const uint32_t c = draw(ops), d = draw(ops), first = std::min(c, d), last = std::max(c, d);
    std::vector<bool> found(200, false);
    Wide behind = -1;
    for (const OccupiedTimes::Stretch& stretch : occupied.during(first, last)) {
      ASSERT_GT(stretch.begin, behind) << "stretches are sorted and do not touch";
      for (Wide at = stretch.begin; at < stretch.end; ++at) found[static_cast<size_t>(at)] = true;
      behind = stretch.end;
    }
    ASSERT_EQ(found, by_hand(all, first, last)) << first << " to " << last;
  }
}

INSTANTIATE_TEST_SUITE_P(OccupiedTimes, Lengths, testing::Values(1, 2, 3, 7, 8, 9, 31, 100));

TEST(OccupiedTimes, AreFreeAtFirst) { EXPECT_TRUE(OccupiedTimes(5).during(0, 4).empty()); }

}  // namespace
}  // namespace engine
