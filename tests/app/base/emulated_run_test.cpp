// SPDX-License-Identifier: Apache-2.0
// Runs on the emulated GPU, from the backend through CUPTI's records and the joiner to the capture: the whole path of a
// GPU, without one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "app/base/workbench.h"
#include "profiler/analysis/analyze.h"
#include "profiler/analysis/base/verdict_rules.h"
#include "profiler/analysis/findings/findings.h"
#include "profiler/analysis/tables/summary.h"
#include "profiler/analysis/verdict/verdict.h"
#include "profiler/capture/capture.h"

namespace {

using profiler::ActivityKind;
using profiler::Capture;

app::RunRequest request_of(const std::string& workload, engine::Arguments settings) {
  app::RunRequest request;
  request.workload = workload;
  request.settings = std::move(settings);
  request.device = "emu:0";
  request.collect = {"cupti"};
  request.probe = false;
  request.warmup_steps = 1;
  request.steps = 2;
  return request;
}

std::shared_ptr<const Capture> recorded(const app::RunRequest& request) {
  auto capture = app::record(request, {}, false);
  EXPECT_TRUE(capture.ok()) << capture.error().message;
  return capture.ok() ? *std::move(capture) : nullptr;
}

struct Network {
  const char* name;
  const char* workload;
  engine::Arguments settings;
  bool replay = false;
};

class RunOnTheEmulatedGpu : public testing::TestWithParam<Network> {};

TEST_P(RunOnTheEmulatedGpu, EveryKernelAndCopyFindsItsCallOpAndStep) {
  app::RunRequest request = request_of(GetParam().workload, GetParam().settings);
  if (GetParam().replay) request.run["graph"] = "replay";
  const auto capture = recorded(request);
  ASSERT_NE(capture, nullptr);
  const profiler::ActivityColumns& all = capture->activities();
  std::map<uint64_t, int64_t> call_of;  // correlation -> begin of the call
  for (const profiler::ApiCallRecord& call : capture->gpu().api_calls) {
    EXPECT_EQ(call.return_value, 0u);
    call_of[all.correlation[call.activity]] = all.start_ns[call.activity];
  }
  ASSERT_FALSE(capture->gpu().kernels.empty());
  std::set<profiler::OpId> computed;
  std::set<int32_t> streams;
  int replayed = 0;
  for (const profiler::KernelRecord& kernel : capture->gpu().kernels) {
    const uint32_t at = kernel.activity;
    ASSERT_TRUE(call_of.contains(all.correlation[at]));
    EXPECT_GE(all.start_ns[at], call_of[all.correlation[at]]) << "work begins behind its call";
    EXPECT_NE(capture->name(all.name[at]).find("engine::cuda::"), std::string_view::npos)
        << capture->name(all.name[at]);
    EXPECT_GT(kernel.grid[0], 0);
    EXPECT_EQ(kernel.registers_per_thread, profiler::kUnknownFigure) << "nobody knows what nvcc would have made of it";
    EXPECT_EQ(kernel.graph != 0, kernel.graph_node != 0);
    EXPECT_TRUE(kernel.graph == 0 || GetParam().replay);
    replayed += kernel.graph != 0;
    if (all.step[at] != profiler::kNoStep) computed.insert(all.op[at]);
    streams.insert(kernel.place.stream);
  }
  for (const profiler::OpRecord& op : capture->ops()) {
    EXPECT_TRUE(op.view || !(op.flops > 0) || computed.contains(op.id)) << capture->name(op.name) << " has no kernel";
  }
  EXPECT_EQ(streams.size(), 1u);
  EXPECT_EQ(replayed > 0, GetParam().replay);
  for (const profiler::CopyRecord& copy : capture->gpu().copies) {
    EXPECT_TRUE(call_of.contains(all.correlation[copy.activity]));
    EXPECT_GT(copy.bytes, 0);
  }
  EXPECT_FALSE(capture->gpu().copies.empty()) << "parameters go up before the first step";
  EXPECT_FALSE(capture->gpu().synchronizations.empty());
  EXPECT_EQ(capture->honesty().dropped_records, 0);
  if (std::string(GetParam().workload) == "data_pipeline") {
    const auto other = std::ranges::find_if(
        capture->gpu().copies, [&](const profiler::CopyRecord& c) { return !streams.contains(c.place.stream); });
    EXPECT_NE(other, capture->gpu().copies.end()) << "batches go up on a stream of their own";
  }
}

TEST_P(RunOnTheEmulatedGpu, NothingIsSaidOfItsTimesAsOfAGpus) {
  app::RunRequest request = request_of(GetParam().workload, GetParam().settings);
  if (GetParam().replay) request.run["graph"] = "replay";
  const auto capture = recorded(request);
  ASSERT_NE(capture, nullptr);
  EXPECT_EQ(capture->run().device, "emu:0");
  EXPECT_TRUE(capture->run().title.ends_with(" (emulated)")) << capture->run().title;
  EXPECT_FALSE(capture->machine().probed());
  for (const profiler::GpuDevice& device : capture->gpu().devices) {
    EXPECT_EQ(device.name, "emulated GPU");
    EXPECT_EQ(device.memory_bytes_per_s, profiler::kUnknownFigure);
    EXPECT_EQ(device.clock_hz, profiler::kUnknownFigure);
    EXPECT_EQ(device.compute_major, profiler::kUnknownFigure);
  }
  for (const profiler::Track& track : capture->tracks()) {
    EXPECT_TRUE(!track.group.starts_with("GPU") || track.group == "GPU 0 (emulated)") << track.group;
  }
  const auto analyzed = profiler::analyze(capture, profiler::VerdictRules::built_in());
  for (const profiler::Verdict& verdict : analyzed->verdicts) EXPECT_EQ(verdict.bound, profiler::Bound::unknown);
  EXPECT_TRUE(profiler::findings(*analyzed).empty());
  const profiler::Summary summary = profiler::summary(*analyzed);
  EXPECT_TRUE(std::isnan(summary.flop_per_s) && std::isnan(summary.roof_ratio) && std::isnan(summary.samples_per_s));
  EXPECT_TRUE(summary.limiters.empty());
  EXPECT_NE(summary.sentence.find("emulated"), std::string::npos) << summary.sentence;
}

INSTANTIATE_TEST_SUITE_P(
    Networks, RunOnTheEmulatedGpu,
    testing::Values(
        Network{
            "mlp", "mlp", {{"mode", "training"}, {"batch", "4"}, {"input", "12"}, {"hidden", "8,6"}, {"output", "5"}}},
        Network{"mlp_replayed",
                "mlp",
                {{"mode", "training"}, {"batch", "4"}, {"input", "12"}, {"hidden", "8,6"}, {"output", "5"}},
                true},
        Network{"data_pipeline", "data_pipeline", {{"batch", "2"}, {"size", "4"}, {"hidden", "8"}, {"batches", "2"}}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(EmulatedGpuRuns, RefuseWhatItHasNot) {
  app::RunRequest counted = request_of("mlp", {});
  counted.collect.insert("counters");
  const auto refused = app::record(counted, {}, false);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("--device cuda"), std::string::npos) << refused.error().message;
  app::RunRequest narrow = request_of("mlp", {});
  narrow.run["fp8"] = "e4m3";
  const auto no_fp8 = app::record(narrow, {}, false);
  ASSERT_FALSE(no_fp8.ok());
  EXPECT_NE(no_fp8.error().message.find("the emulated GPU has none"), std::string::npos) << no_fp8.error().message;
}

}  // namespace
