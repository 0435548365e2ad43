// SPDX-License-Identifier: Apache-2.0
// Traced copies find their tensor and a reason: first bytes by order and size, copies of ops by the op.
#include "profiler/record/copy_ties.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "engine/ops/ops.h"
#include "engine/ops/probes.h"

namespace profiler {
namespace {

using engine::DType;
using engine::TensorType;

/// x [4 MiB + 100 B], two weights of 400 B; y = round_trip(x) and the sum of the weights.
engine::Graph make_graph() {
  engine::GraphBuilder b;
  const auto x = b.input("x", TensorType::contiguous(DType::uint8, {(4 << 20) + 100}), {});
  const auto w = b.parameter("w", TensorType::contiguous(DType::float32, {100}), {}),
             v = b.parameter("v", TensorType::contiguous(DType::float32, {100}), {});
  b.mark_output(engine::ops::round_trip(b, x, "pinned", false));
  b.mark_output(engine::ops::add(b, w, v));
  auto graph = b.finish();
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  return *std::move(graph);
}

class Batch {
 public:
  Batch& copy(int64_t start_ns, int64_t bytes, OpId op = kNoOp, uint32_t step = kNoStep,
              CopyKind kind = CopyKind::host_to_device) {
    Activity a;
    a.start_ns = start_ns;
    a.duration_ns = 10;
    a.op = op;
    a.step = step;
    a.kind = ActivityKind::copy;
    CopyRecord record;
    record.activity = static_cast<uint32_t>(batch.activities.size());
    record.kind = kind;
    record.bytes = bytes;
    batch.activities.push_back(a);
    batch.records.copies.push_back(record);
    return *this;
  }
  GpuBatch batch;
};

constexpr int64_t kNever = INT64_MAX;

std::string reason(const CaptureBuilder& builder, const CopyRecord& copy) {
  return std::string(builder.so_far().name(copy.reason));
}

TEST(CopyTies, FirstBytesAreTheLeavesInTheirOrder) {
  const engine::Graph graph = make_graph();
  CaptureBuilder builder;
  CopyTies ties(builder, graph);
  Batch first, second;
  first.copy(200, 100).copy(100, 4 << 20);  // x in two parts, told in another order
  second.copy(300, 400).copy(400, 400);
  ties.tie(first.batch, kNever);
  ties.tie(second.batch, kNever);
  EXPECT_EQ(first.batch.records.copies[0].tensor, 0u);
  EXPECT_EQ(first.batch.records.copies[1].tensor, 0u);
  EXPECT_EQ(second.batch.records.copies[0].tensor, 1u);
  EXPECT_EQ(second.batch.records.copies[1].tensor, 2u);
  EXPECT_EQ(reason(builder, second.batch.records.copies[1]), "first bytes, before the first step");
}

TEST(CopyTies, WhereSizesDoNotFitNothingIsGuessed) {
  const engine::Graph graph = make_graph();
  CaptureBuilder builder;
  CopyTies ties(builder, graph);
  Batch batch;
  batch.copy(100, 5 << 20).copy(200, 400).copy(300, 400, kNoOp, 3);
  batch.copy(1000, 400);
  ties.tie(batch.batch, 1000);
  EXPECT_EQ(reason(builder, batch.batch.records.copies[3]), "of a step that was not traced");
  EXPECT_EQ(batch.batch.records.copies[0].tensor, kNoTensor) << "larger than x";
  EXPECT_EQ(batch.batch.records.copies[1].tensor, kNoTensor) << "the order is lost";
  EXPECT_EQ(reason(builder, batch.batch.records.copies[1]), "first bytes, before the first step");
  EXPECT_EQ(batch.batch.records.copies[2].reason, 0u) << "within a step, of no op";
}

TEST(CopyTies, CopiesOfAnOpAreWhatItReadsOrMakes) {
  const engine::Graph graph = make_graph();
  CaptureBuilder builder;
  CopyTies ties(builder, graph);
  Batch batch;
  batch.copy(100, 64, 0, 2, CopyKind::device_to_host).copy(200, 64, 1, 2, CopyKind::device_to_device);
  ties.tie(batch.batch, kNever);
  EXPECT_EQ(batch.batch.records.copies[0].tensor, graph.node(0).inputs[0]);
  EXPECT_EQ(reason(builder, batch.batch.records.copies[0]), "work of round_trip");
  EXPECT_EQ(batch.batch.records.copies[0].content_version, 0u) << "not to be called avoidable";
  EXPECT_EQ(batch.batch.records.copies[1].tensor, graph.node(1).outputs[0]);
}

}  // namespace
}  // namespace profiler
