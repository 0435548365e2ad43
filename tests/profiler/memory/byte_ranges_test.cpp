// SPDX-License-Identifier: Apache-2.0
// Roots of views, blocks shared by address, and captures whose addresses cannot be believed.
#include "profiler/memory/byte_ranges.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/op_lab.h"
#include "tests/support/sample_capture.h"

namespace profiler {
namespace {

TensorRecord arena_tensor(CaptureBuilder& b, int64_t offset, int64_t size, OpId first, OpId last) {
  TensorRecord t;
  t.name = b.intern("t");
  t.size_bytes = size;
  t.offset_bytes = offset;
  t.first_op = first;
  t.last_op = last;
  return t;
}

/// Freezes tensors whose lifetimes lie within ops 0..5.
std::shared_ptr<const Capture> with_six_ops(CaptureBuilder& b) {
  for (int i = 0; i < 6; ++i) {
    OpRecord op;
    op.name = op.type = op.kernel = b.intern(fmt::format("op{}", i));
    b.add_op(op, {});
  }
  auto capture = b.finish();
  EXPECT_TRUE(capture.ok()) << (capture.ok() ? "" : capture.error().message);
  return *capture;
}

TEST(ByteRanges, TensorsOnTheSameAddressShareBlocks) {
  CaptureBuilder b;
  const TensorId a = b.add_tensor(arena_tensor(b, 0, 100, 0, 1));
  const TensorId c = b.add_tensor(arena_tensor(b, 40, 100, 2, 3));  // a is dead by then
  const ByteRanges ranges(*with_six_ops(b));
  EXPECT_TRUE(ranges.by_address());
  const BlockRange ra = ranges.blocks(a), rc = ranges.blocks(c);
  double shared = 0;
  for (uint32_t i = ra.first; i < ra.last; ++i) shared += i >= rc.first && i < rc.last ? ranges.block_bytes(i) : 0;
  EXPECT_DOUBLE_EQ(shared, 60);
  EXPECT_DOUBLE_EQ(ranges.bytes(a), 100);
}

TEST(ByteRanges, OverlappingLifetimesMakeAddressesUnbelievable) {
  CaptureBuilder b;
  const TensorId a = b.add_tensor(arena_tensor(b, 0, 100, 0, 2));
  const TensorId c = b.add_tensor(arena_tensor(b, 40, 100, 2, 3));
  const ByteRanges ranges(*with_six_ops(b));
  EXPECT_FALSE(ranges.by_address());
  EXPECT_GE(ranges.blocks(c).first, ranges.blocks(a).last);
}

TEST(ByteRanges, ViewsResolveToTheirRootAndKeepItAlive) {
  CaptureBuilder b;
  const TensorId root = b.add_tensor(arena_tensor(b, 0, 100, 0, 1));
  TensorRecord view = arena_tensor(b, 0, 100, 1, 5);
  view.alias_of = root;
  const TensorId shared = b.add_tensor(view);
  // Alive from op 3 on: legal beside the root itself, but not beside the view that keeps it alive.
  b.add_tensor(arena_tensor(b, 50, 10, 3, 4));
  const ByteRanges ranges(*with_six_ops(b));
  EXPECT_EQ(ranges.root(shared), root);
  EXPECT_EQ(ranges.root(root), root);
  EXPECT_FALSE(ranges.by_address());
}

TEST(ByteRanges, SampleCaptureIsPlacedByAddress) {
  const auto capture = tests::sample_capture();
  const ByteRanges ranges(*capture);
  EXPECT_TRUE(ranges.by_address());
  for (const TensorRecord& t : capture->tensors()) {
    if (t.alias_of != kNoTensor) continue;
    double bytes = 0;
    for (uint32_t b = ranges.blocks(t.id).first; b < ranges.blocks(t.id).last; ++b) bytes += ranges.block_bytes(b);
    EXPECT_DOUBLE_EQ(bytes, static_cast<double>(t.size_bytes)) << capture->name(t.name);
  }
}

}  // namespace
}  // namespace profiler
