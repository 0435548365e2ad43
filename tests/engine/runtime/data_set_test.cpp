// SPDX-License-Identifier: Apache-2.0
// The data set of load_batch: what is written is read again, in order, in turn and ahead; refusals.
#include "engine/runtime/data_set.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "engine/cpu/backend.h"
#include "engine/ops/data_loading.h"
#include "engine/runtime/plan.h"

namespace engine {
namespace {

TEST(DataSet, GivesBackWhatItMadeCompressed) {
  const auto set = DataSet::make(3, 10'000, 7);
  ASSERT_TRUE(set.ok()) << set.error().message;
  std::vector<std::byte> encoded, first(10'000), pixels(10'000);
  ASSERT_TRUE((*set)->read(0, encoded));
  EXPECT_LT(encoded.size(), 9'000U);
  ASSERT_TRUE((*set)->decode(encoded, first));
  ASSERT_TRUE((*set)->read(2, encoded));
  ASSERT_TRUE((*set)->decode(encoded, pixels));
  EXPECT_NE(first, pixels);
  encoded[encoded.size() / 2] ^= std::byte{0x55};
  EXPECT_FALSE((*set)->decode(encoded, pixels));
  const auto again = DataSet::make(3, 10'000, 7);
  ASSERT_TRUE((*again)->read(0, encoded));
  ASSERT_TRUE((*again)->decode(encoded, pixels));
  EXPECT_EQ(first, pixels);
}

TEST(DataSet, RefusesWhatIsTooLargeOrCannotBeWritten) {
  const auto large = DataSet::make(1000, int64_t{1} << 40, 1);
  ASSERT_FALSE(large.ok());
  EXPECT_NE(large.error().message.find("smaller"), std::string::npos) << large.error().message;
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("TMPDIR", "/nonexistent", 1);
  const auto nowhere = DataSet::make(1, 10, 1);
  before != nullptr ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
  ASSERT_FALSE(nowhere.ok());
  EXPECT_NE(nowhere.error().message.find("TMPDIR"), std::string::npos) << nowhere.error().message;
}

struct Stages final : Observer {
  void step_begin(uint32_t, int64_t) override {}
  void step_end(uint32_t, int64_t) override {}
  void op_done(uint32_t, int64_t, int64_t) override {}
  void stage_done(uint32_t, const Stage& stage) override { all.push_back(stage); }
  std::vector<Stage> all;
};

/// First pixels of the batches of `steps` steps.
std::vector<float> first_pixels(bool overlap, int steps, Stages& stages) {
  GraphBuilder builder;
  const ValueId x =
      ops::load_batch(builder, {2, 1, 3, 5}, {.batches = 3, .overlap = overlap, .delay_us = 0, .seed = 9});
  builder.mark_output(x);
  const auto graph = std::make_shared<const Graph>(*builder.finish());
  const auto cpu = *cpu::make_backend(1);
  auto plan = Plan::make(graph, *cpu);
  if (!plan) {
    ADD_FAILURE() << plan.error().message;
    return {};
  }
  std::vector<float> pixels;
  for (int step = 0; step < steps; ++step) {
    (*plan)->run_step(static_cast<uint32_t>(step), &stages);
    pixels.push_back(*(*plan)->tensor(x).data_as<const float>());
  }
  return pixels;
}

TEST(LoadBatch, CyclesThroughTheSetTheSameAheadAndInTurn) {
  Stages ahead, in_turn;
  const std::vector<float> first = first_pixels(true, 8, ahead), second = first_pixels(false, 8, in_turn);
  ASSERT_EQ(first.size(), 8U);
  EXPECT_EQ(first, second);
  EXPECT_EQ(first[0], first[3]);
  EXPECT_EQ(first[4], first[7]);
  for (const float pixel : first) EXPECT_LE(std::abs(pixel), 1);
  int64_t next = 0, bytes = 0;
  for (const Stage& stage : in_turn.all) {
    EXPECT_LE(stage.begin_ticks, stage.end_ticks);
    if (stage.lane != "copy") continue;
    EXPECT_EQ(stage.item, next++);
    bytes += stage.size_bytes;
  }
  EXPECT_EQ(next, 8);
  EXPECT_EQ(bytes, 8 * 2 * 3 * 5 * 4);
  EXPECT_EQ(in_turn.all.size(), 24U);
  int64_t waits = 0, reads = 0;
  for (const Stage& stage : ahead.all)
    waits += stage.lane == "wait for data" ? 1 : 0, reads += stage.lane == "read" ? 1 : 0;
  EXPECT_EQ(waits, 8);
  EXPECT_GE(reads, 8);
}

TEST(LoadBatch, EndsWhileItsThreadsWait) {
  GraphBuilder builder;
  builder.mark_output(ops::load_batch(builder, {1, 1, 2, 2}, {}));
  const auto cpu = *cpu::make_backend(1);
  const auto plan = Plan::make(std::make_shared<const Graph>(*builder.finish()), *cpu);
  ASSERT_TRUE(plan.ok());
  (*plan)->run_step(0, nullptr);  // both have filled their buffers when the plan goes, or are about to
}

TEST(LoadBatch, SaysWhatIsWrong) {
  for (const Shape& shape : {Shape{2, 2}, Shape{-1, 1, 1, 1}}) {
    GraphBuilder builder;
    ops::load_batch(builder, shape, {});
    EXPECT_TRUE(builder.failed());
  }
  GraphBuilder builder;
  ops::load_batch(builder, {1, 1, 1, 1}, {.batches = 0});
  EXPECT_NE(builder.finish().error().message.find("batches = 0"), std::string::npos);
}

}  // namespace
}  // namespace engine
