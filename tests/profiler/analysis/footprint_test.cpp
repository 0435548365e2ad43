// SPDX-License-Identifier: Apache-2.0
// Live bytes against a brute-force count over every tensor at every op.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "profiler/analysis/footprint.h"
#include "profiler/capture/capture.h"
#include "profiler/capture/capture_builder.h"
#include "tests/support/sample_capture.h"

namespace profiler {
namespace {

double total(const RoleBytes& bytes) { return std::accumulate(bytes.begin(), bytes.end(), 0.0); }

/// Bytes of tensors that own memory and are alive at `op`.
double brute_force(const Capture& capture, OpId op) {
  double bytes = static_cast<double>(capture.run().workspace_bytes);
  for (const TensorRecord& root : capture.tensors()) {
    if (root.alias_of != kNoTensor) continue;
    bool alive = root.persistent;
    for (const TensorRecord& t : capture.tensors()) {
      if (t.id != root.id && t.alias_of != root.id) continue;
      alive = alive || (t.first_op <= op && op <= t.last_op);
    }
    // A root whose views live later stays alive in between.
    OpId first = root.first_op, last = root.last_op;
    for (const TensorRecord& t : capture.tensors()) {
      if (t.alias_of == root.id) first = std::min(first, t.first_op), last = std::max(last, t.last_op);
    }
    if (alive || (first <= op && op <= last)) bytes += static_cast<double>(root.size_bytes);
  }
  return bytes;
}

void expect_brute_force(const Capture& capture) {
  const Footprint f = footprint(capture);
  ASSERT_EQ(f.points.size(), capture.ops().size());
  double peak = 0;
  for (const FootprintPoint& p : f.points) {
    EXPECT_DOUBLE_EQ(total(p.live_bytes), brute_force(capture, p.op)) << "op " << p.op;
    peak = std::max(peak, brute_force(capture, p.op));
  }
  EXPECT_DOUBLE_EQ(f.peak_bytes, peak);
  double contents = f.workspace_bytes;
  int64_t last = INT64_MAX;
  for (const TensorId t : f.at_peak) {
    contents += static_cast<double>(capture.tensors()[t].size_bytes);
    EXPECT_LE(capture.tensors()[t].size_bytes, last) << "largest first";
    last = capture.tensors()[t].size_bytes;
  }
  EXPECT_DOUBLE_EQ(contents, f.peak_bytes) << "every byte of the peak has an owner";
}

TEST(Footprint, SampleAgreesWithBruteForce) { expect_brute_force(*tests::sample_capture()); }

TEST(Footprint, OpsWithoutTensorsHaveAnUnknownFootprint) {
  CaptureBuilder b;
  OpRecord op;
  op.name = b.intern("aten::mm");
  b.add_op(op, {});
  const Footprint f = footprint(**b.finish());
  EXPECT_TRUE(f.points.empty());
  EXPECT_TRUE(std::isnan(f.peak_bytes)) << "unknown, not 0";
  EXPECT_TRUE(std::isnan(f.arena_bytes) && std::isnan(f.persistent_bytes) && std::isnan(f.workspace_bytes));
}

TEST(Footprint, RandomLifetimesAgreeWithBruteForce) {
  std::mt19937 random(11);
  for (int round = 0; round < 20; ++round) {
    CaptureBuilder b;
    constexpr OpId kOps = 30;
    for (int i = 0; i < 60; ++i) {
      TensorRecord t;
      t.name = b.intern("t");
      t.size_bytes = 1 + random() % 1000;
      t.role = static_cast<Role>(random() % engine::kRoleCount);
      t.persistent = random() % 5 == 0;
      t.first_op = random() % kOps;
      t.last_op = t.first_op + random() % (kOps - t.first_op);
      const auto earlier = static_cast<TensorId>(i > 0 ? random() % static_cast<unsigned>(i) : 0);
      if (i > 0 && random() % 4 == 0 && b.so_far().tensors()[earlier].alias_of == kNoTensor) t.alias_of = earlier;
      b.add_tensor(t);
    }
    for (OpId i = 0; i < kOps; ++i) {
      OpRecord op;
      op.name = op.type = op.kernel = b.intern(fmt::format("op{}", i));
      b.add_op(op, {});
    }
    b.run().workspace_bytes = 5000;
    const auto capture = b.finish();
    ASSERT_TRUE(capture.ok()) << capture.error().message;
    expect_brute_force(**capture);
  }
}

TEST(Footprint, PersistentAndWorkspaceArePartOfEveryPoint) {
  const auto capture = tests::sample_capture();
  const Footprint f = footprint(*capture);
  EXPECT_GT(f.persistent_bytes, 0);
  for (const FootprintPoint& p : f.points) {
    EXPECT_GE(total(p.live_bytes), f.persistent_bytes + f.workspace_bytes);
    EXPECT_DOUBLE_EQ(p.live_bytes[static_cast<size_t>(Role::workspace)], f.workspace_bytes);
  }
  EXPECT_DOUBLE_EQ(f.arena_bytes, static_cast<double>(capture->run().arena_bytes));
}

TEST(Footprint, CaptureWithoutOpsHasNoPeak) {
  CaptureBuilder b;
  const auto capture = b.finish();
  ASSERT_TRUE(capture.ok());
  const Footprint f = footprint(**capture);
  EXPECT_TRUE(f.points.empty());
  EXPECT_EQ(f.peak_op, kNoOp);
}

}  // namespace
}  // namespace profiler
