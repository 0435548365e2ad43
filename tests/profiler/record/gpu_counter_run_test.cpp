// SPDX-License-Identifier: Apache-2.0
// Counter runs with counters of our own: every op lies in a range, medians and bands are those of the steps, refusals
// are told.
#include "profiler/record/gpu_counter_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "engine/null/backend.h"
#include "engine/workloads/workload.h"
#include "profiler/capture/capture_builder.h"
#include "profiler/record/recorder.h"

namespace profiler {
namespace {

/// Op k reads 1000 (k + 1) bytes, 10 more with each step, and writes 100.
class FakeCounters final : public GpuCounters {
 public:
  struct World {
    int made = 0, steps = 0;
    bool lose = false;
    size_t room = 0;
    std::set<OpId> ops;
  };
  FakeCounters(World& world, size_t room) : world_(world) {
    ++world_.made;
    world_.room = room;
  }
  std::vector<std::string> keys() const override {
    return {"time_ns", "dram_read_bytes", "dram_written_bytes", "tensor_active_ratio"};
  }
  std::vector<std::string> missing() const override { return {"l1_bytes"}; }
  std::string chip() const override { return "GH100"; }
  engine::Result<void> begin() override {
    EXPECT_FALSE(open_);
    ranges_.clear();
    ++world_.steps;
    return {};
  }
  engine::Result<void> push(OpId op) override {
    EXPECT_FALSE(open_) << "ranges do not nest";
    open_ = true;
    world_.ops.insert(op);
    ranges_.push_back({op, {500.0, 1000.0 * (op + 1) + 10 * world_.steps, 100.0, 0.25}});
    return {};
  }
  engine::Result<void> pop() override {
    EXPECT_TRUE(open_);
    open_ = false;
    return {};
  }
  engine::Result<std::vector<CounterRange>> end() override {
    if (world_.lose) return engine::refused_error("[counters] 3 ranges were dropped");
    EXPECT_LE(ranges_.size(), world_.room);
    return ranges_;
  }

 private:
  World& world_;
  bool open_ = false;
  std::vector<CounterRange> ranges_;
};

class GpuCounterRun : public testing::Test {
 protected:
  void SetUp() override {
    const engine::Workload* mlp = *engine::find_workload("mlp");
    RecordRequest record_request;
    record_request.workload = "mlp";
    record_request.arguments = *engine::resolve(*mlp, mlp->small);
    record_request.graph = request_.graph =
        std::make_shared<const engine::Graph>(*engine::build_graph(*mlp, record_request.arguments));
    record_request.backend = request_.backend = backend_.get();
    record_request.warmup_steps = 0;
    record_request.steps = 1;
    const std::atomic<bool> go_on{false};
    auto capture = record(record_request, {}, go_on);
    ASSERT_TRUE(capture.ok()) << capture.error().message;
    capture_ = *capture;
    request_.start = [this](size_t room) -> engine::Result<std::unique_ptr<GpuCounters>> {
      return std::unique_ptr<GpuCounters>(std::make_unique<FakeCounters>(world_, room));
    };
  }
  std::unique_ptr<engine::Backend> backend_ = engine::null::make_backend();
  std::shared_ptr<const Capture> capture_;
  FakeCounters::World world_;
  CounterRunRequest request_;
};

TEST_F(GpuCounterRun, EveryOpIsCountedInEachStep) {
  const auto source = count_step(*capture_, request_);
  ASSERT_TRUE(source.ok()) << source.error().message;
  EXPECT_EQ(world_.made, 1);
  EXPECT_EQ(world_.steps, 3);
  EXPECT_EQ(source->origin, Origin::measured);
  size_t ran = 0;
  for (const OpRecord& op : capture_->ops()) {
    const TrafficRecord* dram = source->of(op.id, 0);
    ASSERT_EQ(dram != nullptr, !op.view) << op.id;
    if (op.view) continue;
    ++ran;
    const double read = 1000.0 * (op.id + 1) + 20;
    EXPECT_DOUBLE_EQ(dram->read_bytes, read) << "the median of three steps";
    EXPECT_DOUBLE_EQ(dram->written_bytes, 100);
    EXPECT_DOUBLE_EQ(dram->error_band, 10 / (read + 100));
    EXPECT_EQ(source->of(op.id, 1), nullptr) << "L2 was not counted: unknown, not 0";
    EXPECT_NE(source->op_notes[op.id].find("tensor cores active 25 %"), std::string::npos) << source->op_notes[op.id];
  }
  EXPECT_EQ(world_.ops.size(), ran);
  EXPECT_NE(source->method.find("GH100"), std::string::npos) << source->method;
  EXPECT_NE(source->method.find("l1_bytes"), std::string::npos) << "what is missing is said: " << source->method;
  const auto with = CaptureBuilder::with_traffic(*capture_, *source);
  ASSERT_TRUE(with.ok()) << with.error().message;
  EXPECT_NE((*with)->traffic_of(Origin::measured), nullptr);
}

TEST_F(GpuCounterRun, LostRangesRefusedStartAndCancelAreToldInWords) {
  world_.lose = true;
  const auto lost = count_step(*capture_, request_);
  ASSERT_FALSE(lost.ok());
  EXPECT_NE(lost.error().message.find("3 ranges were dropped"), std::string::npos);
  request_.start = [](size_t) -> engine::Result<std::unique_ptr<GpuCounters>> {
    return engine::refused_error("ERR_NVGPUCTRPERM");
  };
  const auto refused = count_step(*capture_, request_);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "ERR_NVGPUCTRPERM");
  request_.start = [this](size_t room) -> engine::Result<std::unique_ptr<GpuCounters>> {
    return std::unique_ptr<GpuCounters>(std::make_unique<FakeCounters>(world_, room));
  };
  const std::atomic<bool> stop{true};
  request_.stop = &stop;
  EXPECT_FALSE(count_step(*capture_, request_).ok());
}

TEST_F(GpuCounterRun, NotesOfASecondRunJoinThoseOfTheFirst) {
  TrafficSource first, second;
  first.op_notes = {"a", ""};
  second.op_notes = {"b", "c", ""};
  EXPECT_EQ(joined(first, second).op_notes, (std::vector<std::string>{"a, b", "c", ""}));
}

}  // namespace
}  // namespace profiler
