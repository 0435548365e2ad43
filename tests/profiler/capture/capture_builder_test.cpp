// SPDX-License-Identifier: Apache-2.0
// What the builder interns, orders, indexes and refuses.
#include "profiler/capture/capture_builder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "tests/support/sample_capture.h"

namespace profiler {
namespace {

using tests::sample_builder;
using tests::sample_capture;
using tests::SampleOps;

TEST(CaptureBuilder, InternsEachTextOnce) {
  CaptureBuilder b;
  EXPECT_EQ(b.intern(""), 0u);
  const NameId conv = b.intern("conv");
  EXPECT_EQ(b.intern("conv"), conv);
  EXPECT_NE(b.intern("Conv"), conv);
}

TEST(CaptureBuilder, EmptyIsACapture) {
  const auto capture = CaptureBuilder().finish();
  ASSERT_TRUE(capture.ok());
  EXPECT_EQ((*capture)->activities().size(), 0u);
  EXPECT_EQ((*capture)->begin_ns(), 0);
}

/// By pairs, as many would take minutes: a file may hold facts of any kernel that it likes.
TEST(CaptureBuilder, FactsOfOneNameMayBeMany) {
  constexpr OpId kOps = 200'000;
  CaptureBuilder builder;
  for (OpId op = 0; op < kOps; ++op) {
    builder.add_op({.name = builder.intern(fmt::format("op{}", op))}, {});
    builder.set_facts(op, {.name = "gemm", .tile_rows = op / 2, .single_thread = op % 3 == 0});
  }
  const auto finished = builder.finish();
  ASSERT_TRUE(finished.ok()) << finished.error().message;
  const auto capture = *finished;
  for (const OpId op : {OpId{0}, OpId{1}, OpId{77'777}, kOps - 1}) {
    EXPECT_EQ(capture->facts(op), (engine::KernelFacts{.tile_rows = op / 2, .single_thread = op % 3 == 0})) << op;
    EXPECT_EQ(capture->name(capture->ops()[op].kernel), "gemm");
  }
}

TEST(CaptureBuilder, ParentsComeBeforeChildren) {
  const auto capture = sample_capture();
  const ActivityColumns& a = capture->activities();
  std::vector<size_t> open;  // host track: every span lies inside the innermost one that is still open
  for (size_t i = 0; i < a.size(); ++i) {
    if (a.track[i] != 0) continue;
    const auto end = [&a](size_t k) { return a.start_ns[k] + a.duration_ns[k]; };
    while (!open.empty() && end(open.back()) <= a.start_ns[i]) open.pop_back();
    if (a.kind[i] == ActivityKind::step) {
      EXPECT_TRUE(open.empty());
    }
    if (a.kind[i] == ActivityKind::op) {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(a.kind[open.back()], ActivityKind::layer);
      EXPECT_EQ(capture->ops()[a.op[i]].layer, a.name[open.back()]);
    }
    if (!open.empty()) {
      EXPECT_LE(end(i), end(open.back()));
    }
    open.push_back(i);
  }
}

TEST(CaptureBuilder, IndexesActivitiesByOp) {
  const auto capture = sample_capture();
  size_t indexed = 0;
  for (const OpRecord& op : capture->ops()) {
    const auto rows = capture->activities_of(op.id);
    EXPECT_EQ(rows.size(), op.view ? 0u : 4u) << capture->name(op.name);
    for (const uint32_t row : rows) EXPECT_EQ(capture->activities().op[row], op.id);
    EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
    indexed += rows.size();
  }
  const auto& ops = capture->activities().op;
  size_t with_op = 0;
  for (size_t i = 0; i < ops.size(); ++i) with_op += ops[i] != kNoOp ? 1 : 0;
  EXPECT_EQ(indexed, with_op);
}

TEST(CaptureBuilder, ExtentCoversStepsAndActivities) {
  const auto capture = sample_capture();
  EXPECT_EQ(capture->begin_ns(), capture->steps().front().start_ns);
  EXPECT_GT(capture->end_ns(), capture->steps().back().start_ns + capture->steps().back().duration_ns);
}

struct Refusal {
  const char* what;
  std::function<void(CaptureBuilder&)> spoil;
  const char* named;
};

Activity plain_activity() { return {.start_ns = 10, .duration_ns = 5}; }

TEST(CaptureBuilder, RefusesWhatCannotBe) {
  const auto activity = [](std::function<void(Activity&)> change) {
    return [change](CaptureBuilder& b) {
      Activity a = plain_activity();
      change(a);
      b.add_activity(a);
    };
  };
  const auto tensor = [](std::function<void(TensorRecord&)> change) {
    return [change](CaptureBuilder& b) {
      TensorRecord t;
      change(t);
      b.add_tensor(t);
    };
  };
  const auto op = [](std::function<void(OpRecord&, std::vector<OperandRecord>&)> change) {
    return [change](CaptureBuilder& b) {
      OpRecord o;
      o.name = b.intern("new op");
      std::vector<OperandRecord> operands(1);
      operands[0].tensor = 0;
      change(o, operands);
      b.add_op(o, operands);
    };
  };
  const std::vector<Refusal> refusals{
      {"op", activity([](Activity& a) { a.op = 99; }), "op 99 does not exist, there are 16"},
      {"name", activity([](Activity& a) { a.name = 12345; }), "name 12345 does not exist"},
      {"track", activity([](Activity& a) { a.track = 7; }), "track 7 does not exist"},
      {"step", activity([](Activity& a) { a.step = 77; }), "step 77 does not exist"},
      {"duration", activity([](Activity& a) { a.duration_ns = -1; }), "lasts -1 ns"},
      {"end", activity([](Activity& a) { a.start_ns = std::numeric_limits<int64_t>::max(); }), "lasts 5 ns"},
      {"kind", activity([](Activity& a) { a.kind = static_cast<ActivityKind>(profiler::kActivityKindCount); }),
       "kind 10 is unknown"},
      {"tensor size", tensor([](TensorRecord& t) { t.size_bytes = -8; }), "-8 bytes"},
      {"extent", tensor([](TensorRecord& t) { t.shape = {-2}, t.strides = {1}; }), "negative extent"},
      {"rank", tensor([](TensorRecord& t) { t.shape = {2}; }), "1 extents but 0 strides"},
      {"alias", tensor([](TensorRecord& t) { t.alias_of = 4000; }), "tensor 4000"},
      {"lifetime", tensor([](TensorRecord& t) { t.last_op = 4000; }), "op 4000"},
      {"flops", op([](OpRecord& o, auto&) { o.flops = -1; }), "-1 FLOPs"},
      {"bytes", op([](OpRecord&, auto& operands) { operands[0].read_bytes = -1; }), "reads -1"},
      {"operand", op([](OpRecord&, auto& operands) { operands[0].tensor = 999; }), "tensor 999 does not exist"},
      {"same name", op([](OpRecord& o, auto&) { o.name = sample_builder().intern("features.conv1/conv2d"); }),
       "taken by an earlier op"},
      {"same step", [](CaptureBuilder& b) { b.add_step({.index = 1}); }, "step 1: listed twice"},
  };
  for (const Refusal& refusal : refusals) {
    CaptureBuilder b = sample_builder();
    refusal.spoil(b);
    const auto result = b.finish();
    ASSERT_FALSE(result.ok()) << refusal.what;
    EXPECT_NE(result.error().message.find(refusal.named), std::string::npos) << result.error().message;
  }
}

TEST(SampleCapture, HoldsWhatItPromises) {
  const auto capture = sample_capture();
  EXPECT_EQ(capture->ops().size(), SampleOps::count);
  EXPECT_EQ(capture->steps().size(), 5u);
  EXPECT_EQ(std::count_if(capture->steps().begin(), capture->steps().end(),
                          [](const StepRecord& s) { return s.traced && !s.warmup; }),
            3);
  EXPECT_EQ(capture->name(capture->ops()[SampleOps::conv].name), "features.conv1/conv2d");
  EXPECT_EQ(capture->operands(capture->ops()[SampleOps::conv_update]).size(), 5u);
  EXPECT_DOUBLE_EQ(capture->ops()[SampleOps::conv].flops, 2.0 * 16 * 32 * 4096 * 27);
}

}  // namespace
}  // namespace profiler
