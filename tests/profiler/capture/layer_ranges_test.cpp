// SPDX-License-Identifier: Apache-2.0
// Layers around ops: nesting, breaks between phases, exact extents.
#include "profiler/capture/layer_ranges.h"

#include <gtest/gtest.h>

namespace profiler {
namespace {

std::vector<std::string> ranges(const std::vector<std::pair<std::string, Phase>>& layers) {
  CaptureBuilder builder;
  std::vector<Activity> ops, all;
  for (const auto& [layer, phase] : layers) {
    OpRecord op;
    op.name = builder.intern("op" + std::to_string(ops.size()));
    op.layer = builder.intern(layer);
    op.phase = phase;
    const auto begin = static_cast<int64_t>(ops.size()) * 10;
    ops.push_back({.start_ns = begin,
                   .duration_ns = 10,
                   .correlation = 0,
                   .name = op.name,
                   .op = builder.add_op(op, {}),
                   .step = 3,
                   .track = 0,
                   .kind = ActivityKind::op,
                   .flags = 0});
  }
  LayerRanges(builder).append(ops, all);
  std::vector<std::string> text;
  for (const Activity& a : all) {
    EXPECT_EQ(a.step, 3u);
    EXPECT_EQ(a.op == kNoOp, a.kind == ActivityKind::layer);
    text.push_back(std::string(name(a.kind)) + " " + std::string(builder.so_far().name(a.name)) + " " +
                   std::to_string(a.start_ns) + "-" + std::to_string(a.start_ns + a.duration_ns));
  }
  return text;
}

TEST(LayerRanges, NestByPathComponent) {
  using Lines = std::vector<std::string>;
  constexpr Phase f = Phase::forward;
  EXPECT_EQ(ranges({{"a.x", f}, {"a.x", f}, {"a.y", f}, {"b", f}}),
            (Lines{"layer a 0-30", "layer a.x 0-20", "op op0 0-10", "op op1 10-20", "layer a.y 20-30", "op op2 20-30",
                   "layer b 30-40", "op op3 30-40"}));
}

TEST(LayerRanges, APrefixOfANameIsNotItsParent) {
  EXPECT_EQ(ranges({{"conv1", Phase::forward}, {"conv10", Phase::forward}}),
            (std::vector<std::string>{"layer conv1 0-10", "op op0 0-10", "layer conv10 10-20", "op op1 10-20"}));
}

TEST(LayerRanges, BreakBetweenForwardAndBackward) {
  EXPECT_EQ(ranges({{"loss", Phase::forward}, {"loss", Phase::backward}}),
            (std::vector<std::string>{"layer loss 0-10", "op op0 0-10", "layer loss 10-20", "op op1 10-20"}));
}

TEST(LayerRanges, OpsWithoutLayerStandAlone) {
  EXPECT_EQ(ranges({{"", Phase::forward}}), (std::vector<std::string>{"op op0 0-10"}));
}

}  // namespace
}  // namespace profiler
