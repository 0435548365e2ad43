// SPDX-License-Identifier: Apache-2.0
// Recorded runs on several devices, and with a loader: lanes, copies with bytes and reasons, which lane limits.
#include "profiler/record/side_lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "engine/cpu/backend.h"
#include "engine/runtime/data_set.h"
#include "engine/sim/backend.h"
#include "engine/workloads/workload.h"
#include "profiler/analysis/analyze.h"
#include "profiler/analysis/base/pipeline.h"
#include "profiler/analysis/findings/findings.h"
#include "profiler/analysis/footprint.h"
#include "profiler/analysis/gpu/links.h"
#include "profiler/analysis/gpu/transfers.h"
#include "profiler/analysis/outer_links.h"
#include "profiler/analysis/step_shares.h"
#include "profiler/analysis/tables/ops_table.h"
#include "profiler/analysis/verdict/verdict.h"
#include "profiler/analysis/verdict/verdict_text.h"
#include "profiler/capture/capture.h"
#include "profiler/capture/host_copies.h"
#include "profiler/capture/op_devices.h"
#include "profiler/record/recorder.h"

namespace profiler {
namespace {

class SideLanesOf : public testing::Test {
 protected:
  std::shared_ptr<const Capture> record_workload(const std::string& name, const engine::Arguments& given, bool eager) {
    const engine::Workload* workload = *engine::find_workload(name);
    request_.workload = name;
    request_.arguments = *engine::resolve(*workload, given);
    request_.graph = std::make_shared<const engine::Graph>(*engine::build_graph(*workload, request_.arguments));
    if (eager) {
      request_.build = [workload, arguments = request_.arguments](engine::GraphBuilder& builder) {
        workload->build(builder, arguments);
      };
      request_.further_devices = {sim0_.get(), sim1_.get()};
    }
    request_.backend = cpu_.get();
    request_.warmup_steps = 1;
    request_.steps = 4;
    request_.measure_cost = false;
    auto capture = record(request_, {}, stop_);
    if (!capture) {
      ADD_FAILURE() << capture.error().message;
      return nullptr;
    }
    return *capture;
  }
  std::unique_ptr<engine::Backend> cpu_ = *engine::cpu::make_backend(1);
  std::unique_ptr<engine::Backend> sim0_ = engine::sim::make_backend(0, *engine::cpu::make_backend(1)),
                                   sim1_ = engine::sim::make_backend(1, *engine::cpu::make_backend(1));
  RecordRequest request_;
  std::atomic<bool> stop_ = false;
};

/// Bytes per step and copies per step, by reason.
std::map<std::string, std::pair<int64_t, int64_t>> by_reason(const Capture& capture, uint32_t step) {
  std::map<std::string, std::pair<int64_t, int64_t>> sums;
  for (const CopyRecord& copy : capture.gpu().copies) {
    if (capture.activities().step[copy.activity] != step) continue;
    auto& [bytes, count] = sums[std::string(capture.name(copy.reason))];
    bytes += copy.bytes;
    ++count;
  }
  return sums;
}

TEST_F(SideLanesOf, DevicesHaveALaneEachAndCopiesSayBytesAndWhy) {
  const auto capture = record_workload("devices", {}, true);
  ASSERT_NE(capture, nullptr);
  std::set<std::string> tracks;
  for (const Track& track : capture->tracks()) tracks.insert(track.name);
  for (const char* lane : {"main thread", "sim:0", "sim:1", "copies cpu to sim:0", "copies sim:0 to cpu",
                           "copies cpu to sim:1", "copies sim:1 to cpu"})
    EXPECT_TRUE(tracks.contains(lane)) << lane;
  // m and x (10x10, 10x100), half of the batch (25x5), weight and bias.
  const auto sums = by_reason(*capture, 2);
  EXPECT_EQ(sums.at("cpu to sim:0, asked for"), (std::pair<int64_t, int64_t>{400 + 4000 + 500 + 40 + 8, 5}));
  EXPECT_EQ(sums.at("cpu to sim:1, asked for"), (std::pair<int64_t, int64_t>{500 + 40 + 8, 3}));
  EXPECT_EQ(sums.at("sim:1 to cpu, asked for"), (std::pair<int64_t, int64_t>{200, 1}));
  EXPECT_EQ(sums.at("cpu to sim:0, hidden: 0-d operand of multiply"), (std::pair<int64_t, int64_t>{4, 1}));
  // Backwards: the results' gradients out, the parameters' back.
  EXPECT_EQ(sums.at("cpu to sim:1, gradient"), (std::pair<int64_t, int64_t>{200, 1}));
  EXPECT_EQ(sums.at("sim:1 to cpu, gradient"), (std::pair<int64_t, int64_t>{48, 2}));
  // Every op lies on the lane of its device.
  const ActivityColumns& all = capture->activities();
  size_t on_sim0 = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all.kind[i] != ActivityKind::op) continue;
    const std::string& lane = capture->tracks()[all.track[i]].name;
    if (capture->name(capture->ops()[all.op[i]].layer) == "product.here") {
      EXPECT_EQ(lane, "main thread");
    }
    const bool moved = capture->name(capture->ops()[all.op[i]].name) == "product.there/matmul";
    on_sim0 += moved && lane == "sim:0" ? 1U : 0U;
  }
  EXPECT_EQ(on_sim0, capture->steps().size());
  EXPECT_FALSE(has_gpu_work(*capture));
  bool said = false;
  for (const std::string& note : capture->honesty().notes)
    said = said || note.find("sim:0, sim:1 are simulated") != std::string::npos;
  EXPECT_TRUE(said);
}

TEST_F(SideLanesOf, TablesNameTheDeviceThatTheLaneShows) {
  const auto capture = record_workload("devices", {}, true);
  ASSERT_NE(capture, nullptr);
  const OpDevices devices(*capture);
  EXPECT_EQ(devices.names(), (std::vector<std::string>{"cpu", "sim:0", "sim:1"}));
  const ActivityColumns& all = capture->activities();
  for (size_t i = 0; i < all.size(); ++i) {
    if (all.kind[i] != ActivityKind::op) continue;
    const std::string& lane = capture->tracks()[all.track[i]].name;
    EXPECT_EQ(devices.of_op(all.op[i]), lane == "main thread" ? "cpu" : lane)
        << capture->name(capture->ops()[all.op[i]].name);
  }
  // Live bytes per device add up to those of all roles.
  for (const FootprintPoint& point : footprint(*capture).points) {
    const double roles = std::accumulate(point.live_bytes.begin(), point.live_bytes.end(), 0.0);
    ASSERT_EQ(point.by_device.size(), 3U);
    EXPECT_DOUBLE_EQ(std::accumulate(point.by_device.begin(), point.by_device.end(), 0.0), roles);
  }
  // The sum of the rows by device is the sum of all ops.
  const auto analyzed = analyze(capture);
  const Table by_device = ops_table(*analyzed, OpsBy::device), ops = ops_table(*analyzed, OpsBy::op);
  EXPECT_EQ(by_device.rows.size(), 3U);
  EXPECT_NE(std::ranges::find(ops.columns, "device", &Column::key), ops.columns.end());
  EXPECT_NE(several_devices_words(*capture), "");
}

TEST_F(SideLanesOf, SpansOfOneLaneNeverOverlapThoughLanesDo) {
  const auto capture = record_workload(
      "devices", {{"batch", "256"}, {"inputs", "512"}, {"outputs", "512"}, {"mode", "inference"}}, true);
  ASSERT_NE(capture, nullptr);
  const ActivityColumns& all = capture->activities();
  std::map<TrackId, int64_t> ends;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all.kind[i] != ActivityKind::op) continue;
    EXPECT_GE(all.start_ns[i], ends[all.track[i]]);
    ends[all.track[i]] = all.start_ns[i] + all.duration_ns[i];
  }
  const double untimed = untimed_ratio(*capture);
  EXPECT_TRUE(untimed >= 0 && untimed <= 1) << untimed;
  EXPECT_FALSE(step_parts(*analyze(capture)).known()) << "times of ops at once do not add up to a step";
}

TEST_F(SideLanesOf, CopiesOfWhatNeverChangesAreAvoidable) {
  const auto capture = record_workload("devices", {}, true);
  ASSERT_NE(capture, nullptr);
  const Transfers ledger = transfers(*capture);
  for (const TransferRow& row : ledger.rows) {
    if (row.tensor == kNoTensor) continue;
    const std::string tensor(capture->name(capture->tensors()[row.tensor].name));
    if (tensor == "m") {
      EXPECT_EQ(row.avoidable, row.count - 1) << "an input that no step writes";
    }
    if (tensor == "parallel.weight") {
      EXPECT_EQ(row.judged, 0) << "SGD writes it: each copy is a new one";
    }
  }
  EXPECT_GT(ledger.avoidable, 0);
  // The step's verdict is the processor's.
  const Verdict step = analyze(capture)->step;
  for (const ReasonKind kind :
       {ReasonKind::gpu_kernels, ReasonKind::gpu_copies, ReasonKind::gpu_copies_alone, ReasonKind::gpu_calls})
    EXPECT_EQ(find(step.reasons, kind), nullptr) << headline(step);
  EXPECT_NE(step.bound, Bound::transfer) << headline(step);
}

TEST_F(SideLanesOf, ALoaderHasALanePerStageAndTheSlowedReaderLimits) {
  const auto capture = record_workload(
      "data_pipeline", {{"batch", "8"}, {"size", "16"}, {"hidden", "16"}, {"read_delay_us", "100000"}}, false);
  ASSERT_NE(capture, nullptr);
  const Pipeline p = pipeline(*capture);
  ASSERT_EQ(p.lanes.size(), 5U);
  EXPECT_TRUE(p.overlapped);
  EXPECT_EQ(p.limit, "read");
  EXPECT_EQ(p.lanes[0].name, "read");
  EXPECT_GE(p.lanes[0].busy_ns, 100e6);
  EXPECT_GE(p.lanes[0].batches, 2);
  EXPECT_FALSE(p.lanes[0].in_step);
  EXPECT_GT(p.wait_ns, 0);
  EXPECT_NE(p.sentence.find("The lane read limits"), std::string::npos) << p.sentence;
  bool found = false;
  for (const RunFinding& finding : findings(*analyze(capture))) found = found || finding.rule == "input-bound";
  EXPECT_TRUE(found);
  const auto analyzed = analyze(capture);
  EXPECT_EQ(analyzed->step.bound, Bound::waiting) << headline(analyzed->step);
  EXPECT_EQ(analyzed->waits.what, "read");
  EXPECT_GT(capture->honesty().asleep_ratio, 0) << "the reader sleeps, and nobody else has anything to do";
}

TEST_F(SideLanesOf, TheSameStepsWithABatchInMemoryWaitForNothing) {
  const engine::Arguments slow{{"batch", "8"}, {"size", "16"}, {"hidden", "16"}, {"read_delay_us", "100000"}};
  engine::Arguments removed = slow;
  removed["source"] = "memory";
  const auto waits = record_workload("data_pipeline", slow, false),
             runs = record_workload("data_pipeline", removed, false);
  ASSERT_NE(waits, nullptr);
  ASSERT_NE(runs, nullptr);
  const Pipeline with = pipeline(*waits), without = pipeline(*runs);
  for (const PipelineLane& lane : without.lanes) EXPECT_TRUE(lane.in_step) << lane.name;
  EXPECT_EQ(without.wait_ns, 0);
  EXPECT_GT(with.wait_ns, 0);
  EXPECT_LT(without.step_ns, with.step_ns - with.wait_ns / 2) << "what is left is copy and compute";
  EXPECT_NE(analyze(runs)->step.bound, Bound::waiting);
  bool proposed = false;
  for (const RunFinding& finding : findings(*analyze(waits))) {
    if (finding.rule != "input-bound") continue;
    proposed = true;
    ASSERT_TRUE(finding.change);
    EXPECT_EQ(finding.change->flag(), "--set source=memory");
    EXPECT_NEAR(finding.gain_ns, with.wait_ns, 1);
  }
  EXPECT_TRUE(proposed);
  for (const RunFinding& finding : findings(*analyze(runs))) EXPECT_NE(finding.rule, "input-bound");
}

TEST_F(SideLanesOf, WithoutOverlapTheLanesTakeTurns) {
  const auto capture = record_workload(
      "data_pipeline",
      {{"batch", "8"}, {"size", "16"}, {"hidden", "16"}, {"read_delay_us", "5000"}, {"overlap", "off"}}, false);
  ASSERT_NE(capture, nullptr);
  const Pipeline p = pipeline(*capture);
  ASSERT_EQ(p.lanes.size(), 4U);
  EXPECT_FALSE(p.overlapped);
  double sum = 0;
  for (const PipelineLane& lane : p.lanes) {
    EXPECT_TRUE(lane.in_step);
    sum += lane.busy_ns;
  }
  EXPECT_NEAR(sum, p.step_ns, 0.01 * p.step_ns);
  EXPECT_GE(p.step_ns, 5e6);
  EXPECT_NE(p.sentence.find("take turns"), std::string::npos) << p.sentence;
}

TEST_F(SideLanesOf, WhatALoaderReadIsALinkFromFilesToMemory) {
  const auto capture = record_workload("data_pipeline", {{"batch", "8"}, {"size", "16"}, {"hidden", "16"}}, false);
  ASSERT_NE(capture, nullptr);
  const auto links = outer_links(*capture, {}, "DRAM");
  ASSERT_EQ(links.size(), 1u);
  const double bytes = links[0].bytes.measured_read[static_cast<size_t>(engine::Role::input)];
  const engine::Attributes& loads = request_.graph->nodes()[0].attributes;
  const auto set = engine::DataSet::make(loads.get_int("batches", 0), 8 * 3 * 16 * 16,
                                         static_cast<uint64_t>(loads.get_int("seed", 0)));
  ASSERT_TRUE(set.ok());
  size_t least = SIZE_MAX, most = 0;
  for (int64_t batch = 0; batch < (*set)->batches(); ++batch) {
    std::vector<std::byte> encoded;
    ASSERT_TRUE((*set)->read(batch, encoded));
    least = std::min(least, encoded.size());
    most = std::max(most, encoded.size());
  }
  EXPECT_GE(bytes, static_cast<double>(least));
  EXPECT_LE(bytes, static_cast<double>(most));
  EXPECT_LT(most, least + least / 4) << "the bounds must be narrow";
  EXPECT_FALSE(links[0].busy_ns <= 0)
      << "unknown (NaN) where the loader was so far ahead that it read nothing during the steps";
}

TEST_F(SideLanesOf, ARunThatLoadsNothingHasNoPipeline) {
  const auto capture = record_workload("gemm", {{"m", "4"}, {"n", "4"}, {"k", "4"}}, false);
  ASSERT_NE(capture, nullptr);
  EXPECT_TRUE(pipeline(*capture).lanes.empty());
  EXPECT_TRUE(pipeline_table(*capture, pipeline(*capture)).rows.empty());
  EXPECT_EQ(capture->tracks().size(), 2U);
}

TEST_F(SideLanesOf, ARoundTripIsTwoCopiesOfItsOperandAndItsLinkIsFitted) {
  const auto capture = record_workload("transfer", {{"smallest", "65536"}, {"largest", "16777216"}}, false);
  ASSERT_NE(capture, nullptr);
  const size_t traced =
      static_cast<size_t>(std::ranges::count_if(capture->steps(), [](const StepRecord& s) { return s.traced; }));
  ASSERT_EQ(capture->gpu().copies.size(), traced * 5 * 2) << "five sizes, there and back";
  for (const CopyRecord& copy : capture->gpu().copies) {
    EXPECT_EQ(copy.kind, CopyKind::host_to_host);
    EXPECT_NE(copy.tensor, kNoTensor);
    EXPECT_EQ(copy.content_version, 0u) << "copying is the op's work: none of it is called avoidable";
  }
  const auto fits = link_fits(*capture);
  ASSERT_EQ(fits.size(), 1u);
  EXPECT_EQ(fits[0].sizes, 5);
  EXPECT_GT(fits[0].rate_bytes_per_s(), 1e8);
  EXPECT_LT(fits[0].rate_bytes_per_s(), 1e12);
  EXPECT_FALSE(has_gpu_work(*capture));
}

}  // namespace
}  // namespace profiler
