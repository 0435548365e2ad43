// SPDX-License-Identifier: Apache-2.0
// Real traces of other programs: totals equal to those counted by others, to the nanosecond and byte.
#include <cmath>
#include <map>
#include <numeric>

#include "profiler/analysis/allocated.h"
#include "profiler/analysis/analyze.h"
#include "profiler/analysis/base/op_times.h"
#include "profiler/analysis/findings/findings.h"
#include "profiler/analysis/footprint.h"
#include "profiler/analysis/gpu/overlap.h"
#include "profiler/analysis/roofline.h"
#include "profiler/analysis/tables/ops_table.h"
#include "profiler/analysis/tables/summary.h"
#include "profiler/analysis/tables/tables.h"
#include "profiler/analysis/traffic.h"
#include "profiler/analysis/verdict/verdict.h"
#include "profiler/base/table.h"
#include "profiler/capture/capture.h"
#include "profiler/store/capture_file.h"
#include "tests/profiler/import/import_support.h"
#include "tests/support/capture_difference.h"

namespace {

using namespace profiler;
using namespace tests;

int64_t kernel_ns(const Capture& c) {
  int64_t sum = 0;
  for (const KernelRecord& k : c.gpu().kernels) sum += c.activities().duration_ns[k.activity];
  return sum;
}

struct Copies {
  int64_t count = 0, bytes = 0;
  friend bool operator==(const Copies&, const Copies&) = default;
};
std::map<CopyKind, Copies> copies(const Capture& c) {
  std::map<CopyKind, Copies> all;
  for (const CopyRecord& r : c.gpu().copies) ++all[r.kind].count, all[r.kind].bytes += r.bytes;
  return all;
}

/// The nsys export, unpacked.
std::string nsys_bytes() { return *first_bytes(trace_file("nsys_h100_2gpu_1s.sqlite.gz"), size_t{4} << 20); }

TEST(RealTraces, NsysTotals) {
  const auto capture = import_bytes(nsys_bytes(), "h100.sqlite");
  ASSERT_TRUE(capture) << capture.error().message;
  const Capture& c = **capture;
  EXPECT_EQ(c.gpu().kernels.size(), 3442u);
  EXPECT_EQ(kernel_ns(c), 44'829'522);
  const auto all = copies(c);
  EXPECT_EQ(all.at(CopyKind::host_to_device), (Copies{450, 50'950'507'584}));
  EXPECT_EQ(all.at(CopyKind::device_to_host), (Copies{4, 18}));
  EXPECT_EQ(all.at(CopyKind::device_to_device), (Copies{450, 59'368'472'576}));
  EXPECT_EQ(c.gpu().memsets.size(), 22u);
  EXPECT_EQ(c.gpu().api_calls.size(), 5796u);
  EXPECT_EQ(c.gpu().synchronizations.size(), 244u);
  EXPECT_NE(notes(c).find("no launching call"), std::string::npos) << notes(c);
  EXPECT_EQ(c.run().source, "Nsight Systems export");
  const auto mm =
      std::find_if(c.ops().begin(), c.ops().end(), [&](const OpRecord& op) { return c.name(op.type) == "aten::view"; });
  ASSERT_NE(mm, c.ops().end()) << "ranges of emit_nvtx are ops";
}

TEST(RealTraces, BertOnH100) {
  const CapturePtr c = import_file(trace_file("kineto_h100_bert_small.pt.trace.json.gz"));
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->gpu().kernels.size(), 60u);
  EXPECT_EQ(kernel_ns(*c), 307'197);
  EXPECT_EQ(copies(*c).at(CopyKind::device_to_host), (Copies{1, 1}));
  EXPECT_EQ(c->gpu().copies.at(0).destination, MemoryKind::pinned);
  EXPECT_EQ(c->gpu().api_calls.size(), 132u);
  ASSERT_EQ(c->steps().size(), 1u);
  EXPECT_EQ(c->steps()[0].index, 6u);
  EXPECT_EQ(c->steps()[0].duration_ns, 4'426'114);
  EXPECT_EQ(c->steps()[0].start_ns, 1'751'410'836'000'000'000 + 1'419'247'332'972'313)
      << "the base is said behind the events";
  EXPECT_EQ(c->run().device, "NVIDIA H100 80GB HBM3");
  ASSERT_EQ(c->gpu().devices.size(), 1u);
  EXPECT_EQ(c->gpu().devices[0].multiprocessors, 132);
  const KernelRecord* first = c->kernel_of(c->gpu().kernels[0].activity);
  EXPECT_EQ(first->registers_per_thread, 32);
  EXPECT_EQ(first->grid, (std::array<int32_t, 3>{564, 1, 1}));
  EXPECT_EQ(c->name(first->short_name), "indexSelectLargeIndex");
}

TEST(RealTraces, ShapesGiveFlopsAndKernelsBelongToTheirOps) {
  const CapturePtr c = import_file(trace_file("kineto_h100_bert_small.pt.trace.json.gz"));
  ASSERT_NE(c, nullptr);
  const auto addmm = std::find_if(c->ops().begin(), c->ops().end(), [&](const OpRecord& op) {
    return c->name(op.name) == "aten::addmm [512] [141,512] [512,512] c10::BFloat16";
  });
  ASSERT_NE(addmm, c->ops().end());
  size_t calls = 0, kernels = 0;
  for (const uint32_t row : c->activities_of(addmm->id)) {
    calls += c->activities().kind[row] == ActivityKind::op;
    kernels += c->activities().kind[row] == ActivityKind::kernel;
  }
  EXPECT_GT(calls, 0u);
  EXPECT_GE(kernels, calls);
  EXPECT_DOUBLE_EQ(addmm->flops, 2.0 * 141 * 512 * 512 * static_cast<double>(calls));
  EXPECT_NE(addmm->kernel, 0u);
  // all GPU time is in some op's time
  const auto times = op_times(*c);
  double sum = 0;
  for (const OpTime& t : times) sum += t.ns.samples > 0 ? t.ns.median : 0;
  EXPECT_DOUBLE_EQ(sum, static_cast<double>(kernel_ns(*c) + 2240));
}

/// A decode step of Qwen3-8B (36 layers, batch 32) that a HIP graph replays: figures of TraceLens' ops_summary.csv.
TEST(RealTraces, AReplayedGraphHasTheOpsOfItsCapture) {
  const auto imported = import_traces({.files = {trace_file("kineto_mi300_sglang_replay.pt.trace.json.gz")},
                                       .format = {},
                                       .command = {},
                                       .control = {},
                                       .graphs = {trace_file("kineto_mi300_sglang_capture.pt.trace.json.gz")}});
  ASSERT_TRUE(imported) << imported.error().message;
  const Capture& c = **imported;
  EXPECT_NE(notes(c).find("544 of 544 kernels and copies that graphs launched have the op"), std::string::npos)
      << notes(c);
  EXPECT_EQ(c.run().device, "AMD Instinct MI300X") << "GPU 9 of agents is one of the 8 GPUs that are listed from 0 on";
  EXPECT_NE(notes(c).find("work ran on GPU 9, which the trace does not list"), std::string::npos) << notes(c);
  double flops = 0;
  std::map<std::string, int64_t> ns, kernels;
  for (const OpRecord& op : c.ops()) {
    const std::string type(c.name(op.type));
    if (type == "aten::mm") flops += op.flops;
    for (const uint32_t row : c.activities_of(op.id)) {
      if (c.activities().kind[row] == ActivityKind::kernel)
        ns[type] += c.activities().duration_ns[row], ++kernels[type];
    }
  }
  const std::vector<RunFinding> list = findings(*analyze(*imported));
  const auto held = std::ranges::find(list, "held-work", &RunFinding::rule);
  ASSERT_NE(held, list.end()) << "the trace begins while the GPU computes what was launched before";
  EXPECT_NEAR(held->gain_ns, 463.25e6, 0.1e6);
  EXPECT_EQ(kernels["aten::mm"], 4 * 36 + 1);
  EXPECT_NEAR(static_cast<double>(ns["aten::mm"]), 2417659 + 2064244 + 903519 + 396832, 10);
  EXPECT_NEAR(static_cast<double>(ns["sgl_kernel::silu_and_mul"]), 324367, 1);
  EXPECT_NEAR(static_cast<double>(ns["aiter::add_rmsnorm"]), 346842, 3);
  constexpr double kWide = 4096, kInner = 12288;
  EXPECT_EQ(flops, 2 * 32 * kWide * (36 * (3 * kInner + kWide + 6144) + 151936));
}

TEST(RealTraces, MemoryOverTime) {
  const CapturePtr c = import_file(trace_file("kineto_h100_bert_small.pt.trace.json.gz"));
  ASSERT_NE(c, nullptr);
  const auto series = std::find_if(c->counters().begin(), c->counters().end(), [&](const CounterSeries& s) {
    return c->name(s.name) == "allocated" && c->name(s.group) == "GPU 0";
  });
  ASSERT_NE(series, c->counters().end());
  EXPECT_EQ(c->name(series->unit), "B");
  EXPECT_EQ(series->value.front(), 91'505'152);
}

TEST(RealTraces, CollectivesOfRankZero) {
  const CapturePtr c = import_file(trace_file("kineto_a100_nccl_rank0of2.pt.trace.json.gz"));
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(kernel_ns(*c), 162'532'340);
  EXPECT_EQ(copies(*c).at(CopyKind::device_to_device), (Copies{960, 307'323'096}));
  EXPECT_EQ(c->gpu().memsets.size(), 114u);
  EXPECT_EQ(c->steps().size(), 3u);
  EXPECT_EQ(c->run().arguments.at("rank"), "0");
  EXPECT_EQ(c->run().arguments.at("world_size"), "2");
  ASSERT_EQ(c->collectives().size(), 21u);
  const auto big = std::find_if(c->collectives().begin(), c->collectives().end(),
                                [](const CollectiveRecord& r) { return r.in_elements == 6'637'568; });
  ASSERT_NE(big, c->collectives().end());
  EXPECT_EQ(c->name(big->operation), "allreduce");
  EXPECT_EQ(big->in_bytes, 4 * 6'637'568);
  EXPECT_EQ(c->name(big->ranks), "[0,1]");
  EXPECT_EQ(big->group_size, 2);
}

TEST(RealTraces, ResNetOf2021) {
  const CapturePtr c = import_file(trace_file("kineto_v100_resnet50_2021.pt.trace.json.gz"));
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->gpu().kernels.size(), 8772u);
  EXPECT_EQ(kernel_ns(*c), 591'532'000);
  EXPECT_EQ(copies(*c).at(CopyKind::host_to_device), (Copies{12, 115'607'040}));
  EXPECT_EQ(c->gpu().memsets.size(), 312u);
  EXPECT_EQ(c->steps().size(), 6u);
  EXPECT_EQ(c->gpu().api_calls.size(), 11'923u);
  const bool backward =
      std::any_of(c->ops().begin(), c->ops().end(), [](const OpRecord& op) { return op.phase == Phase::backward; });
  EXPECT_TRUE(backward);
}

/// 64 to 73 ms of each step pass in the data loader; in the median step the GPU idles for 58.8 ms of them.
TEST(RealTraces, ALoaderThatKeepsTheGpuWaitingIsFound) {
  const CapturePtr c = import_file(trace_file("kineto_v100_resnet50_2021.pt.trace.json.gz"));
  ASSERT_NE(c, nullptr);
  const std::vector<RunFinding> list = findings(*analyze(c));
  const auto input = std::ranges::find(list, "input-bound", &RunFinding::rule);
  ASSERT_NE(input, list.end());
  EXPECT_NEAR(input->gain_ns, 58.8e6, 1e6);
  EXPECT_FALSE(input->change) << "another tool recorded it";
  EXPECT_NE(input->no_change.find("imported from a trace"), std::string::npos);
  EXPECT_EQ(std::ranges::find(list, "launch-bound", &RunFinding::rule), list.end())
      << "fusing ops would win next to nothing";
}

/// cuDNN's forward convolution calls say no strides: unknown. Their gradients say all shapes.
TEST(RealTraces, WhatIsUnknownIsNotZeroAndGradientsAreKnown) {
  const CapturePtr c = import_file(trace_file("kineto_v100_resnet50_2021.pt.trace.json.gz"));
  ASSERT_NE(c, nullptr);
  size_t forward = 0, gradients = 0;
  double gradient_flops = 0;
  for (const OpRecord& op : c->ops()) {
    const std::string_view type = c->name(op.type);
    const auto rows = c->activities_of(op.id);
    const bool launches = std::any_of(rows.begin(), rows.end(),
                                      [&](uint32_t row) { return c->activities().kind[row] == ActivityKind::kernel; });
    if (type == "aten::cudnn_convolution" && launches) {
      ++forward;
      EXPECT_TRUE(std::isnan(op.flops)) << c->name(op.name);
    }
    if (type == "aten::cudnn_convolution_backward_input" || type == "aten::cudnn_convolution_backward_weight") {
      ++gradients;
      EXPECT_GT(op.flops, 0) << c->name(op.name);
      gradient_flops += op.flops;
    }
  }
  EXPECT_GT(forward, 10u);
  EXPECT_GT(gradients, 20u);
  // ResNet-50's convolutions are 4.09 GMAC an image without the last layer (torchvision's count); the first has no
  // input gradient
  const double forward_flops = 32 * 2 * 4.087e9, first = 32 * 2 * 118.0e6;
  EXPECT_NEAR(gradient_flops, 2 * forward_flops - first, 0.01 * gradient_flops);
}

TEST(RealTraces, OpsOfKnownShapesHaveDotsInTheRoofline) {
  const CapturePtr c = import_file(trace_file("kineto_h100_bert_small.pt.trace.json.gz"));
  ASSERT_NE(c, nullptr);
  const auto analyzed = analyze(c);
  const Roofline r = roofline(*c, analyzed->model);
  const auto dot = std::find_if(r.points.begin(), r.points.end(), [&](const RooflinePoint& p) {
    return c->name(c->ops()[p.op].name) == "aten::addmm [512] [141,512] [512,512] c10::BFloat16";
  });
  ASSERT_NE(dot, r.points.end());
  const double flops = 2.0 * 141 * 512 * 512, bytes = 2.0 * (141 * 512 + 512 * 512 + 512 + 141 * 512);
  EXPECT_NEAR(dot->intensity, flops / bytes, 1e-9);
  EXPECT_GT(dot->flop_per_s, 1e12);
  EXPECT_TRUE(std::isnan(footprint(*c).peak_bytes)) << "which tensors were alive when is not in a trace";
  EXPECT_GT(traffic(*c, analyzed->model, {}).links.front().compulsory_total(), bytes) << "all shapes are understood";
}

TEST(RealTraces, ChromesOwn) {
  const CapturePtr c = import_file(trace_file("chrome_x_event_trace.json.gz"));
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->run().source, "Chrome trace");
  EXPECT_GT(c->activities().size(), 3000u);
  EXPECT_FALSE(c->counters().empty());
  EXPECT_NE(notes(*c).find("4 events are of kinds that are not shown"), std::string::npos) << notes(*c);
  EXPECT_TRUE(c->ops().empty());
}

/// The first answers name what the findings found: nothing "stands out" beside a finding.
TEST(RealTraces, TheSummaryLeadsWithWhatWasFound) {
  for (const char* file : {"kineto_h100_bert_small.pt.trace.json.gz", "kineto_a100_nccl_rank0of2.pt.trace.json.gz",
                           "kineto_v100_resnet50_2021.pt.trace.json.gz"}) {
    const CapturePtr c = import_file(trace_file(file));
    ASSERT_NE(c, nullptr);
    const auto analyzed = analyze(c);
    const Summary s = summary(*analyzed);
    const std::vector<RunFinding> list = findings(*analyzed);
    ASSERT_FALSE(list.empty()) << file;
    EXPECT_TRUE(s.sentence.starts_with(list.front().sentence)) << s.sentence;
    EXPECT_EQ(s.advice, list.front().advice);
  }
}

TEST(RealTraces, ATraceWithoutOpsHasNoZeros) {
  const CapturePtr c = import_file(trace_file("chrome_x_event_trace.json.gz"));
  ASSERT_NE(c, nullptr);
  const auto analyzed = analyze(c);
  const Summary s = summary(*analyzed);
  for (const double unknown : {s.flops, s.flop_per_s, s.compulsory_bytes, s.dram_bytes, s.amplification})
    EXPECT_TRUE(std::isnan(unknown)) << unknown;
  const Traffic t = traffic(*c, analyzed->model, {});
  EXPECT_TRUE(std::isnan(t.links.front().compulsory_total()));
  EXPECT_TRUE(std::isnan(t.working_set_bytes));
}

TEST(RealTraces, AllocatedBytesAreTheMemoryOfATrace) {
  const CapturePtr c = import_file(trace_file("kineto_h100_bert_small.pt.trace.json.gz"));
  ASSERT_NE(c, nullptr);
  const auto series = allocated_series(*c);
  ASSERT_FALSE(series.empty());
  const auto allocated = std::ranges::find_if(
      series, [](const AllocatedSeries& s) { return s.name == "allocated" && s.group == "GPU 0"; });
  ASSERT_NE(allocated, series.end());
  EXPECT_EQ(allocated->peak_bytes, *std::ranges::max_element(allocated->series->value));
  const Table table = memory_table(*analyze(c));
  size_t rows = 0;
  for (const AllocatedSeries& s : series) rows += s.series->value.size();
  EXPECT_EQ(table.rows.size(), rows);
  EXPECT_NE(allocated_sentences(*c).front().find("at most"), std::string::npos);
}

TEST(RealTraces, SurviveTheCaptureFile) {
  TemporaryFolder folder;
  const CapturePtr c = import_file(trace_file("kineto_h100_bert_small.pt.trace.json.gz"));
  ASSERT_NE(c, nullptr);
  ASSERT_TRUE(save_capture(*c, folder / "a.tide"));
  const auto again = open_capture(folder / "a.tide");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(difference(*c, **again), "");
}

TEST(RealTraces, TwoFilesAreTwoRanks) {
  const std::string bert = trace_file("kineto_h100_bert_small.pt.trace.json.gz");
  const auto both = import_traces({.files = {bert, bert}, .format = {}, .command = {}, .control = {}});
  ASSERT_TRUE(both) << both.error().message;
  const Capture& c = **both;
  EXPECT_EQ(c.gpu().kernels.size(), 120u);
  std::map<std::string, int> groups;
  for (const Track& t : c.tracks()) ++groups[t.group];
  EXPECT_TRUE(groups.contains("rank 0 · GPU 0") && groups.contains("rank 1 · GPU 0"));
  EXPECT_EQ(notes(c).find("repeat the correlation"), std::string::npos) << "ids of different ranks are kept apart";
}

/// The cell in that column of the one row of that key.
double figure(const Table& table, const std::string& key, const std::string& column) {
  const auto at =
      std::find_if(table.columns.begin(), table.columns.end(), [&](const Column& c) { return c.key == column; }) -
      table.columns.begin();
  double found = std::nan("");
  int rows = 0;
  for (const auto& row : table.rows) {
    if (std::get<std::string>(row[0]) != key) continue;
    ++rows;
    if (const double* value = std::get_if<double>(&row.at(static_cast<size_t>(at)))) found = *value;
  }
  EXPECT_EQ(rows, 1) << key;
  return found;
}

// Figures of the trace by a script over its JSON: of a step, its median.
TEST(RealTraces, KernelRowsAreTheKernelsOfAStep) {
  const CapturePtr c = import_file(trace_file("kineto_a100_nccl_rank0of2.pt.trace.json.gz"));
  ASSERT_NE(c, nullptr);
  const Table a100 = ops_table(*analyze(c), OpsBy::kernel);
  EXPECT_EQ(figure(a100, "nchwToNhwcKernel", "calls_count"), 158);
  EXPECT_NEAR(figure(a100, "nchwToNhwcKernel", "time_ns"), 4.20e6, 0.01e6);
  EXPECT_EQ(figure(a100, "Kernel<cutlass_80_tensorop_s1688gemm_256x64_16x4_nn_align4>", "calls_count"), 23);
  EXPECT_NEAR(figure(a100, "Kernel<cutlass_80_tensorop_s1688gemm_256x64_16x4_nn_align4>", "time_ns"), 1.86e6, 0.01e6);
  EXPECT_EQ(figure(a100, "ncclKernel_AllReduce_RING_LL_Sum_float", "calls_count"), 5);
  const CapturePtr v = import_file(trace_file("kineto_v100_resnet50_2021.pt.trace.json.gz"));
  ASSERT_NE(v, nullptr);
  const Table v100 = ops_table(*analyze(v), OpsBy::kernel);
  EXPECT_EQ(figure(v100, "volta_sgemm_64x64_nt", "calls_count"), 17);
  EXPECT_NEAR(figure(v100, "volta_sgemm_64x64_nt", "time_ns"), 3.51e6, 0.01e6);
}

TEST(RealTraces, KernelRowsAddUpToAllGpuWork) {
  const CapturePtr c = import_file(trace_file("kineto_h100_bert_small.pt.trace.json.gz"));  // one step
  ASSERT_NE(c, nullptr);
  const Table table = ops_table(*analyze(c), OpsBy::kernel);
  double calls = 0, time = 0;
  for (const auto& row : table.rows) {
    if (std::get<std::string>(row[0]).starts_with("Mem")) continue;  // copies and memsets
    calls += figure(table, std::get<std::string>(row[0]), "calls_count");
    time += figure(table, std::get<std::string>(row[0]), "time_ns");
  }
  EXPECT_EQ(calls, 60);
  EXPECT_EQ(time, 307'197);
}

// Counts by scripts over the traces: events of category cpu_op, NVTX ranges.
TEST(RealTraces, CallsAreTheCallsOfAStep) {
  const CapturePtr h = import_file(trace_file("kineto_h100_bert_small.pt.trace.json.gz"));
  ASSERT_NE(h, nullptr);
  EXPECT_EQ(figure(ops_table(*analyze(h), OpsBy::type), "aten::addmm", "calls_count"), 26);
  const CapturePtr a = import_file(trace_file("kineto_a100_nccl_rank0of2.pt.trace.json.gz"));
  ASSERT_NE(a, nullptr);
  const Table a100 = ops_table(*analyze(a), OpsBy::type);
  EXPECT_EQ(figure(a100, "aten::convolution_backward", "calls_count"), 53) << "159 in three steps";
  EXPECT_EQ(figure(a100, "record_param_comms", "calls_count"), 9);
  const auto n = import_bytes(nsys_bytes(), "h100.sqlite");
  ASSERT_TRUE(n) << n.error().message;
  const Table nsys = ops_table(*analyze(*n), OpsBy::type);
  EXPECT_EQ(figure(nsys, "aten::copy_", "calls_count"), 1184);
  EXPECT_EQ(figure(nsys, "copy", "calls_count"), 466) << "copies that no op launched, each is one";
  const auto help =
      std::find_if(nsys.columns.begin(), nsys.columns.end(), [](const Column& c) { return c.key == "calls_count"; });
  EXPECT_TRUE(help->help.starts_with("Calls per step")) << help->help;
}

TEST(RealTraces, TheGpuStandsStillAsLongInEveryTable) {
  const auto nsys = import_bytes(nsys_bytes(), "h100.sqlite");  // two GPUs
  ASSERT_TRUE(nsys) << nsys.error().message;
  const CapturePtr a100 = import_file(trace_file("kineto_a100_nccl_rank0of2.pt.trace.json.gz"));
  ASSERT_NE(a100, nullptr);
  for (const auto& [capture, idle] :
       {std::pair{*nsys, 0.0068}, {a100, 0.764}}) {  // by a union of the trace's intervals
    const auto analyzed = analyze(capture);
    GpuRegion all;
    for (const GpuRegion& r : overlap(*capture).regions) {
      all.span_ns += r.span_ns, all.kernel_ns += r.kernel_ns, all.copy_ns += r.copy_ns,
          all.overlapped_ns += r.overlapped_ns, all.idle_ns += r.idle_ns;
    }
    const Summary s = summary(*analyzed);
    EXPECT_NEAR(s.untimed_ratio, idle, 0.001);
    EXPECT_NEAR(s.untimed_ratio, all.idle_ns / all.span_ns, 1e-12);
    double shares = s.untimed_ratio;
    for (const Limiter& limiter : s.limiters) shares += limiter.share;
    EXPECT_NEAR(shares, 1, 1e-9);
    // the two GPUs' copies run alone, so that their share by ops is that of the device
    const auto copies =
        std::find_if(s.limiters.begin(), s.limiters.end(), [](const Limiter& l) { return l.bound == Bound::transfer; });
    ASSERT_NE(copies, s.limiters.end());
    EXPECT_NEAR(copies->share, all.exposed_ns() / all.span_ns, 0.005);
  }
}

TEST(RealTraces, WhyTheGpuIdlesHasOneAnswer) {
  const auto c = import_file(trace_file("kineto_v100_resnet50_2021.pt.trace.json.gz"));
  ASSERT_TRUE(c);
  const Overlap o = overlap(*c);
  double fetching = 0, launching = 0;
  for (const GpuRegion& r : o.regions) {
    EXPECT_EQ(r.bound, GpuBound::input) << "step " << r.step << ": the findings say so, too";
    EXPECT_NEAR(r.idle.total(), r.idle_ns, 1);
    fetching += r.idle.fetch_ns, launching += r.idle.launching_ns();
  }
  EXPECT_GT(fetching, 3 * launching);
  for (const std::string& words : o.findings) EXPECT_EQ(words.find("Launch-bound"), words.npos) << words;
}

}  // namespace
