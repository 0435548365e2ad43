// SPDX-License-Identifier: Apache-2.0
// Live and kept bytes of a step written by hand, op by op.
#include "profiler/analysis/tape.h"

#include <gtest/gtest.h>

#include "profiler/analysis/tables/tables.h"
#include "tests/support/network_lab.h"
#include "tests/support/sample_capture.h"

namespace profiler {
namespace {

constexpr double kBytes = static_cast<double>(tests::NetworkLab::kBytes);

/// x -> a -> b -> loss, then gradients of b and a: a and b are read behind the forward pass.
std::shared_ptr<const Analyzed> small_step() {
  CaptureBuilder builder;
  const auto tensor = [&](const char* name, OpId first, OpId last, bool persistent = false) {
    TensorRecord t;
    t.name = builder.intern(name);
    t.shape = {256};
    t.strides = {1};
    t.size_bytes = tests::NetworkLab::kBytes;
    t.first_op = first;
    t.last_op = last;
    t.persistent = persistent;
    return builder.add_tensor(t);
  };
  tensor("w", 0, 4, true);
  tensor("a", 0, 4);
  tensor("b", 1, 3);
  tensor("loss", 2, 3);
  tensor("db", 3, 4);
  tensor("da", 4, 4);
  for (const auto& [name, phase] :
       {std::pair("f", Phase::forward), std::pair("g", Phase::forward), std::pair("l", Phase::forward),
        std::pair("dg", Phase::backward), std::pair("df", Phase::backward)}) {
    OpRecord op;
    op.name = op.type = builder.intern(name);
    op.phase = phase;
    builder.add_op(op, {});
  }
  return analyze(*builder.finish());
}

TEST(Tape, LiveAndKeptBytesAreThoseOfTheLifetimes) {
  const auto analyzed = small_step();
  const Tape t = tape(*analyzed->capture);
  ASSERT_EQ(t.live_bytes.size(), 5U);
  const double live[] = {1, 2, 3, 4, 3}, kept[] = {1, 2, 3, 3, 1};
  for (size_t op = 0; op < 5; ++op) {
    EXPECT_EQ(t.live_bytes[op], live[op] * kBytes) << op;
    EXPECT_EQ(t.kept_bytes[op], kept[op] * kBytes) << op;
  }
  EXPECT_EQ(t.peak_op, 3U);
  EXPECT_EQ(t.peak_bytes, 4 * kBytes);
  EXPECT_EQ(t.peak_kept_bytes, 3 * kBytes);
  EXPECT_EQ(t.persistent_bytes, kBytes) << "weights are no part of the curve";
}

TEST(Tape, EachTensorIsStoredOnceAndFreedOnce) {
  const Tape t = tape(*small_step()->capture);
  size_t stored = 0, freed = 0;
  for (OpId op = 0; op < 5; ++op) stored += t.stored(op).size(), freed += t.freed(op).size();
  EXPECT_EQ(stored, t.tensors.size());
  EXPECT_EQ(freed, t.tensors.size());
  ASSERT_EQ(t.stored(1).size(), 1U);
  EXPECT_TRUE(t.stored(1).front().kept);
  EXPECT_EQ(t.freed(3).size(), 2U);
  EXPECT_TRUE(t.freed(0).empty());
}

TEST(Tape, TheTableAddsUp) {
  const auto analyzed = small_step();
  const Table table = tape_table(*analyzed->capture);
  ASSERT_EQ(table.rows.size(), 5U);
  double sum = 0;
  for (const auto& row : table.rows) sum += std::get<double>(row[2]) - std::get<double>(row[3]);
  EXPECT_EQ(sum, 0) << "all that is stored is freed";
}

TEST(Tape, WhatKeepsNoLifetimesSaysWhy) {
  CaptureBuilder builder;
  builder.run().source = "some trace";
  const auto capture = builder.finish();
  ASSERT_TRUE(capture);
  EXPECT_FALSE(no_tape_words(**capture).empty());
  EXPECT_TRUE(tape(**capture).live_bytes.empty());
}

}  // namespace
}  // namespace profiler
