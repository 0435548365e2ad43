// SPDX-License-Identifier: Apache-2.0
// Out as Kineto's JSON and in again: all that the format can hold is there, exactly.
#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "profiler/analysis/analyze.h"
#include "profiler/analysis/base/scope.h"
#include "profiler/analysis/tables/ops_table.h"
#include "profiler/analysis/tables/summary.h"
#include "profiler/analysis/traffic.h"
#include "profiler/base/table.h"
#include "profiler/capture/capture.h"
#include "profiler/capture/phases.h"
#include "tests/profiler/export/export_support.h"
#include "tests/profiler/import/import_support.h"
#include "tests/support/sample_capture.h"
#include "tests/support/sample_gpu_capture.h"

namespace {

using namespace profiler;
using namespace tests;

CapturePtr again(const Capture& capture) {
  auto read = import_bytes(exported(capture, "chrome"));
  EXPECT_TRUE(read) << read.error().message;
  return read ? *read : nullptr;
}

/// Kind, start, duration, correlation, name and track of each activity.
using Span = std::tuple<ActivityKind, int64_t, int64_t, uint64_t, std::string, TrackKind, std::string, std::string>;
std::multiset<Span> spans(const Capture& c) {
  std::multiset<Span> all;
  for (size_t i = 0; i < c.activities().size(); ++i) {
    const Activity a = c.activities().row(i);
    const Track& t = c.tracks()[a.track];
    all.insert(
        {a.kind, a.start_ns, a.duration_ns, a.correlation, std::string(c.name(a.name)), t.kind, t.name, t.group});
  }
  return all;
}

/// Group, name and unit of each counter with its values.
std::map<std::tuple<std::string, std::string, std::string>, std::pair<std::vector<int64_t>, std::vector<double>>>
counters(const Capture& c) {
  std::map<std::tuple<std::string, std::string, std::string>, std::pair<std::vector<int64_t>, std::vector<double>>> all;
  for (const CounterSeries& s : c.counters())
    all[{std::string(c.name(s.group)), std::string(c.name(s.name)), std::string(c.name(s.unit))}] = {s.time_ns,
                                                                                                     s.value};
  return all;
}

template <class Record>
std::vector<Record> without_rows(std::vector<Record> list) {
  for (Record& r : list) r.activity = 0;
  return list;
}

TEST(RoundTrip, TimesKindsAndCorrelationsOfOurOwnGpuCapture) {
  const auto before = sample_gpu_capture();
  const auto after = again(*before);
  ASSERT_NE(after, nullptr);
  EXPECT_EQ(spans(*before), spans(*after));
  ASSERT_EQ(before->steps().size(), after->steps().size());
  for (size_t i = 0; i < before->steps().size(); ++i) EXPECT_EQ(before->steps()[i].index, after->steps()[i].index);
}

TEST(RoundTrip, KernelsCopiesAndMemsets) {
  const auto before = sample_gpu_capture();
  const auto after = again(*before);
  ASSERT_NE(after, nullptr);
  ASSERT_EQ(before->gpu().kernels.size(), after->gpu().kernels.size());
  for (size_t i = 0; i < before->gpu().kernels.size(); ++i) {
    KernelRecord x = before->gpu().kernels[i], y = after->gpu().kernels[i];
    EXPECT_EQ(before->name(x.short_name), after->name(y.short_name));
    EXPECT_EQ(before->name(before->activities().name[x.activity]), after->name(after->activities().name[y.activity]));
    EXPECT_EQ(x.place, y.place);
    EXPECT_EQ(x.grid, y.grid);
    EXPECT_EQ(x.block, y.block);
    EXPECT_EQ(x.cluster, y.cluster);
    EXPECT_EQ(x.registers_per_thread, y.registers_per_thread);
    EXPECT_EQ(x.static_shared_bytes, y.static_shared_bytes);
    EXPECT_EQ(x.dynamic_shared_bytes, y.dynamic_shared_bytes);
    EXPECT_EQ(x.graph_node, y.graph_node);
  }
  ASSERT_EQ(before->gpu().copies.size(), after->gpu().copies.size());
  for (size_t i = 0; i < before->gpu().copies.size(); ++i) {
    const CopyRecord &x = before->gpu().copies[i], &y = after->gpu().copies[i];
    EXPECT_EQ(std::tuple(x.place, x.kind, x.source, x.destination, x.bytes),
              std::tuple(y.place, y.kind, y.source, y.destination, y.bytes));
  }
  ASSERT_EQ(before->gpu().memsets.size(), after->gpu().memsets.size());
  for (size_t i = 0; i < before->gpu().memsets.size(); ++i) {
    const MemsetRecord &x = before->gpu().memsets[i], &y = after->gpu().memsets[i];
    EXPECT_EQ(std::tuple(x.place, x.memory, x.bytes, x.value), std::tuple(y.place, y.memory, y.bytes, y.value));
  }
}

TEST(RoundTrip, FlopsAndPhasesOfOps) {
  const auto before = sample_capture();
  const auto after = again(*before);
  ASSERT_NE(after, nullptr);
  const auto phases = [](const Capture& c) {
    std::map<Phase, int> counts;
    for (const OpRecord& op : c.ops()) {
      bool ran = false;
      for (const uint32_t row : c.activities_of(op.id)) ran = ran || c.activities().kind[row] == ActivityKind::op;
      counts[op.phase] += ran;
    }
    return counts;
  };
  EXPECT_EQ(phases(*before), phases(*after));
  EXPECT_EQ(spans(*before), spans(*after));
}

TEST(RoundTrip, CountersCollectivesDevicesAndRanks) {
  const CapturePtr before = import_file(trace_file("kineto_a100_nccl_rank0of2.pt.trace.json.gz"));
  ASSERT_NE(before, nullptr);
  const CapturePtr after = again(*before);
  ASSERT_NE(after, nullptr);
  EXPECT_EQ(spans(*before), spans(*after));
  ASSERT_EQ(before->collectives().size(), after->collectives().size());
  for (size_t i = 0; i < before->collectives().size(); ++i) {
    const CollectiveRecord &x = before->collectives()[i], &y = after->collectives()[i];
    EXPECT_EQ(std::tuple(x.correlation, before->name(x.operation), before->name(x.ranks), x.in_bytes, x.out_bytes,
                         x.group_size),
              std::tuple(y.correlation, after->name(y.operation), after->name(y.ranks), y.in_bytes, y.out_bytes,
                         y.group_size));
  }
  EXPECT_EQ(before->gpu().devices, after->gpu().devices);
  EXPECT_EQ(after->run().arguments.at("world_size"), "2");
}

/// What the first tool did not say is not known after an export of ours either, nor after two.
TEST(RoundTrip, UnknownPhasesStayUnknown) {
  const CapturePtr before = import_file(trace_file("kineto_a100_nccl_rank0of2.pt.trace.json.gz"));
  ASSERT_NE(before, nullptr);
  const auto phases = [](const Capture& c) {
    std::map<std::string, size_t> count;
    for (const OpRecord& op : c.ops()) ++count[std::string(phase_name(c, op.phase))];
    return count;
  };
  EXPECT_FALSE(phases(*before).contains("forward"));
  EXPECT_GT(phases(*before)["unknown"], 0u);
  EXPECT_GT(phases(*before)["backward"], 0u);
  const CapturePtr once = again(*before);
  ASSERT_NE(once, nullptr);
  const CapturePtr twice = again(*once);
  ASSERT_NE(twice, nullptr);
  for (const Capture* after : {once.get(), twice.get()}) {
    EXPECT_TRUE(after->run().source.starts_with(before->run().source)) << after->run().source;
    EXPECT_FALSE(phases(*after).contains("forward")) << after->run().source;
  }
  EXPECT_EQ(once->run().source, twice->run().source);
  EXPECT_TRUE(phases(*again(*sample_capture())).contains("forward")) << "a run of ours says it";
}

/// TensorBoard's plugin ties kernels to ops by it, and takes kernels without one for communication where there is any.
TEST(RoundTrip, WhatAnOpLaunchedCarriesItsId) {
  using nlohmann::json;
  const CapturePtr capture = import_file(trace_file("kineto_a100_nccl_rank0of2.pt.trace.json.gz"));
  ASSERT_NE(capture, nullptr);
  const json trace = json::parse(exported(*capture, "chrome"));
  std::map<int64_t, std::string> ops;
  size_t kernels = 0, launched = 0;
  for (const json& event : trace.at("traceEvents")) {
    if (event.value("cat", "") != "cpu_op") continue;
    EXPECT_TRUE(ops.try_emplace(event.at("args").at("External id").get<int64_t>(), event.at("name")).second)
        << "each call has its own";
  }
  for (const json& event : trace.at("traceEvents")) {
    if (event.value("cat", "") != "kernel") continue;
    ++kernels;
    const auto id = event.at("args").find("External id");
    if (id == event.at("args").end()) continue;
    ++launched;
    EXPECT_TRUE(ops.contains(id->get<int64_t>()));
  }
  EXPECT_EQ(kernels, 2700u);
  EXPECT_GT(launched, 2000u);
}

TEST(RoundTrip, LayersTypesAndKernelsOfOps) {
  const auto before = sample_capture();
  const auto after = again(*before);
  ASSERT_NE(after, nullptr);
  using Identity = std::tuple<std::string, std::string, std::string, std::string, Phase>;
  const auto identities = [](const Capture& c) {
    std::set<Identity> all;
    for (const OpRecord& op : c.ops()) {
      const auto rows = c.activities_of(op.id);
      const bool ran = std::any_of(rows.begin(), rows.end(),
                                   [&](uint32_t row) { return c.activities().kind[row] == ActivityKind::op; });
      if (ran)
        all.insert({std::string(c.name(op.name)), std::string(c.name(op.type)), std::string(c.name(op.layer)),
                    std::string(c.name(op.kernel)), op.phase});
    }
    return all;
  };
  EXPECT_FALSE(identities(*before).empty());
  EXPECT_EQ(identities(*before), identities(*after));
}

TEST(RoundTrip, MemoryOverTime) {
  const CapturePtr before = import_file(trace_file("kineto_h100_bert_small.pt.trace.json.gz"));
  ASSERT_NE(before, nullptr);
  const CapturePtr after = again(*before);
  ASSERT_NE(after, nullptr);
  EXPECT_TRUE(counters(*before).contains({"GPU 0", "allocated", "B"}));
  EXPECT_EQ(counters(*before), counters(*after));
}

/// Streams of the same device and number in two ranks stay two tracks.
TEST(RoundTrip, Ranks) {
  const std::string bert = trace_file("kineto_h100_bert_small.pt.trace.json.gz");
  const auto before = import_traces({.files = {bert, bert}, .format = {}, .command = {}, .control = {}});
  ASSERT_TRUE(before) << before.error().message;
  const CapturePtr after = again(**before);
  ASSERT_NE(after, nullptr);
  EXPECT_EQ(spans(**before), spans(*after));
  EXPECT_EQ(counters(**before), counters(*after));
}

/// Steps that warm up, or run without a tracer, are no more measured when they come back.
TEST(RoundTrip, StepsThatDoNotCount) {
  const auto before = sample_capture();
  const auto after = again(*before);
  ASSERT_NE(after, nullptr);
  ASSERT_EQ(before->steps().size(), after->steps().size());
  int special = 0;
  for (size_t i = 0; i < before->steps().size(); ++i) {
    const StepRecord &x = before->steps()[i], &y = after->steps()[i];
    EXPECT_EQ(std::tuple(x.index, x.start_ns, x.duration_ns, x.traced, x.warmup),
              std::tuple(y.index, y.start_ns, y.duration_ns, y.traced, y.warmup));
    special += x.warmup || !x.traced;
  }
  EXPECT_EQ(special, 2) << "step 0 warms up, step 3 is untraced";
  const Summary x = summary(*analyze(before)), y = summary(*analyze(after));
  EXPECT_EQ(x.step_ns.median, y.step_ns.median);
  EXPECT_EQ(x.step_ns.samples, y.step_ns.samples);
}

/// FLOPs, bytes and roles, exactly; each call carries the FLOPs of one.
TEST(RoundTrip, StepsThatARangeCutsAreNoSteps) {
  const auto before = import_file(trace_file("kineto_v100_resnet50_2021.pt.trace.json.gz"));
  ASSERT_TRUE(before);
  ASSERT_GT(before->steps().size(), 3u);
  const StepRecord &first = before->steps()[0], &second = before->steps()[1], &third = before->steps()[2];
  const ExportRange range{first.start_ns + 1000, third.start_ns + third.duration_ns / 2};
  EXPECT_EQ(steps_cut(*before, range), 2);
  EXPECT_EQ(steps_cut(*before, {}), 0);
  const auto read = import_bytes(exported(*before, "chrome", range));
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ((*read)->steps().size(), 1u) << "the parts of two others would pass for steps";
  EXPECT_EQ((*read)->steps()[0].index, second.index);
  EXPECT_EQ((*read)->steps()[0].duration_ns, second.duration_ns);
}

TEST(RoundTrip, WhatOpsComputeReadAndWrite) {
  const auto before = sample_capture();
  const auto after = again(*before);
  ASSERT_NE(after, nullptr);
  const auto work = [](const Capture& c) {
    std::map<
        std::string,
        std::tuple<double, std::vector<std::tuple<std::string, Role, bool, int64_t, int64_t, std::vector<int64_t>>>>>
        all;
    for (const OpRecord& op : c.ops()) {
      if (op.view) continue;  // never ran: not in a trace
      auto& [flops, operands] = all[std::string(c.name(op.name))];
      flops = op.flops;
      for (const OperandRecord& o : c.operands(op)) {
        const TensorRecord& t = c.tensors()[o.tensor];
        operands.emplace_back(std::string(c.name(t.name)), o.role, o.output, o.read_bytes, o.written_bytes, t.shape);
      }
    }
    return all;
  };
  EXPECT_FALSE(work(*before).empty());
  EXPECT_EQ(work(*before), work(*after));
  const Summary x = summary(*analyze(before)), y = summary(*analyze(after));
  EXPECT_GT(x.compulsory_bytes, 0);
  EXPECT_EQ(x.compulsory_bytes, y.compulsory_bytes);
  EXPECT_EQ(x.flops, y.flops);
  EXPECT_EQ(x.flop_per_s, y.flop_per_s);
  EXPECT_EQ(x.samples_per_s, y.samples_per_s);
  EXPECT_EQ(before->run().title, after->run().title);
  EXPECT_EQ(before->run().device, after->run().device);
  const nlohmann::json trace = nlohmann::json::parse(exported(*before, "chrome"));
  const OpRecord& conv = before->ops()[SampleOps::conv];
  size_t calls = 0;
  for (const nlohmann::json& event : trace.at("traceEvents")) {
    if (event.value("cat", "") != "cpu_op" || event.at("name") != before->name(conv.name)) continue;
    ++calls;
    EXPECT_EQ(event.at("args").at("flops").get<double>(), conv.flops) << "it runs once a step";
  }
  EXPECT_EQ(calls, 4u) << "in the traced steps";
}

/// Which bytes tensors share, and take in turns, comes back: else the working set would be that of a run without an
/// arena.
TEST(RoundTrip, TheWorkingSet) {
  const auto before = sample_capture();
  const auto after = again(*before);
  ASSERT_NE(after, nullptr);
  double apart = 0;
  std::set<TensorId> used;
  for (const OpRecord& op : before->ops()) {
    for (const OperandRecord& o : before->operands(op)) {
      if (!op.view && used.insert(o.tensor).second)
        apart += static_cast<double>(before->tensors()[o.tensor].size_bytes);
    }
  }
  const auto whole = [](const CapturePtr& c, const Scope& scope) {
    return traffic(*c, analyze(c)->model, scope).working_set_bytes;
  };
  EXPECT_LT(whole(before, {}), apart) << "else nothing is shared, and nothing tested";
  EXPECT_EQ(whole(before, {}), whole(after, {}));
  for (const OpRecord& op : before->ops()) {
    const auto same = std::ranges::find_if(
        after->ops(), [&](const OpRecord& o) { return after->name(o.name) == before->name(op.name); });
    if (op.view || same == after->ops().end()) continue;
    Scope x, y;
    x.op = op.id, y.op = same->id;
    EXPECT_EQ(whole(before, x), whole(after, y)) << before->name(op.name);
  }
  EXPECT_EQ(whole(after, {}), whole(again(*after), {})) << "and once more";
}

/// Of several ranks the times of all count, and so does what all of them compute and move.
TEST(RoundTrip, RanksOfOurOwnComputeTogether) {
  TemporaryFolder folder;
  const std::string bytes = exported(*sample_capture(), "chrome");
  for (const char* name : {"rank0.json", "rank1.json"}) write_bytes(folder / name, bytes);
  const auto two = import_traces(
      {.files = {folder / "rank0.json", folder / "rank1.json"}, .format = {}, .command = {}, .control = {}});
  ASSERT_TRUE(two) << two.error().message;
  const CapturePtr one = again(*sample_capture());
  ASSERT_NE(one, nullptr);
  const auto x = analyze(one), y = analyze(*two);
  EXPECT_GT(summary(*x).flops, 0);
  EXPECT_EQ(2 * summary(*x).flops, summary(*y).flops);
  EXPECT_EQ(2 * summary(*x).compulsory_bytes, summary(*y).compulsory_bytes);
  const double alone = traffic(*one, x->model, {}).working_set_bytes;
  EXPECT_GT(alone, 0);
  EXPECT_EQ(2 * alone, traffic(**two, y->model, {}).working_set_bytes) << "each in a memory of its own";
  std::set<std::string_view> names;
  for (const TensorRecord& t : (*two)->tensors())
    EXPECT_TRUE(names.insert((*two)->name(t.name)).second) << (*two)->name(t.name);
  ASSERT_EQ(one->ops().size(), (*two)->ops().size());
  for (const OpRecord& op : one->ops()) {
    if (!(op.flops > 0) || !(x->times[op.id].ns.median > 0)) continue;
    EXPECT_NEAR(op.flops / x->times[op.id].ns.median, (*two)->ops()[op.id].flops / y->times[op.id].ns.median, 1e-6)
        << one->name(op.name);
  }
}

/// Ops of another tool's trace are told apart by shapes, which their names say and their calls do not.
TEST(RoundTrip, OpsOfAnotherToolsTrace) {
  for (const char* name : {"kineto_h100_bert_small.pt.trace.json.gz", "kineto_a100_nccl_rank0of2.pt.trace.json.gz"}) {
    const CapturePtr before = import_file(trace_file(name));
    ASSERT_NE(before, nullptr);
    const CapturePtr after = again(*before);
    ASSERT_NE(after, nullptr);
    const auto rows = [](const CapturePtr& c) {
      Table table = ops_table(*analyze(c), OpsBy::op);
      std::ranges::sort(table.rows);
      return to_csv(table);
    };
    EXPECT_EQ(before->ops().size(), after->ops().size()) << name;
    EXPECT_EQ(rows(before), rows(after)) << name;
    EXPECT_EQ(before->run().title, after->run().title);
  }
}

/// Work that no call on the host names: of graphs' replays, and of compiled programs.
TEST(RoundTrip, OpsOfReplaysAndOfCompiledPrograms) {
  const auto replay = import_traces({.files = {trace_file("kineto_mi300_sglang_replay.pt.trace.json.gz")},
                                     .format = {},
                                     .command = {},
                                     .control = {},
                                     .graphs = {trace_file("kineto_mi300_sglang_capture.pt.trace.json.gz")}});
  const char* program = R"json({"traceEvents": [
    {"ph":"M","pid":3,"name":"process_name","args":{"name":"/device:GPU:0"}},
    {"ph":"M","pid":3,"tid":7,"name":"thread_name","args":{"name":"Stream #7(Compute)"}},
    {"ph":"X","pid":3,"tid":7,"ts":10,"dur":4,"name":"gemm_f32","args":{"hlo_op":"dot.3","hlo_module":"jit_f",
     "name":"jit(f)/mlp/dot_general","kernel_details":"regs:32 grid:4,1,1 block:128,1,1"}},
    {"ph":"X","pid":3,"tid":7,"ts":20,"dur":2,"name":"loop_add","args":{"hlo_op":"fusion","hlo_module":"jit_f",
     "name":"jit(f)/transpose(jvp(mlp))/add","kernel_details":"regs:16 grid:4,1,1 block:128,1,1"}},
    {"ph":"X","pid":3,"tid":7,"ts":30,"dur":2,"name":"transpose","args":{"hlo_op":"copy.3","hlo_module":"jit_f",
     "name":"jit(f)/mlp/transpose","kernel_details":"regs:16 grid:4,1,1 block:128,1,1"}},
    {"ph":"X","pid":3,"tid":7,"ts":40,"dur":2,"name":"MemcpyD2D","args":{"hlo_op":"copy.4","hlo_module":"jit_f",
     "name":"jit(f)/mlp/copy","memcpy_details":"kind_src:device kind_dst:device size:4096 dest:0 async:1"}}]})json";
  const auto compiled = import_bytes(program);
  // The same op by a replay, 8 us, and called, 6 us; its capture is in the same trace.
  const char* mixed = R"json({"traceEvents": [
    {"ph":"X","cat":"cuda_runtime","name":"hipStreamBeginCapture","pid":1,"tid":2,"ts":1,"dur":1,"args":{}},
    {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":2,"ts":5,"dur":5,"args":
     {"Input Dims":[[4,8],[8,2]],"Input type":["float","float"]}},
    {"ph":"X","cat":"cuda_runtime","name":"hipLaunchKernel","pid":1,"tid":2,"ts":6,"dur":1,"args":
     {"correlation":1,"kernel":"gemm"}},
    {"ph":"X","cat":"cuda_runtime","name":"hipStreamEndCapture","pid":1,"tid":2,"ts":20,"dur":1,"args":{}},
    {"ph":"X","cat":"cuda_runtime","name":"hipGraphLaunch","pid":1,"tid":2,"ts":30,"dur":1,"args":{"correlation":2}},
    {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":40,"dur":8,"args":
     {"device":0,"stream":7,"correlation":2}},
    {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":2,"ts":50,"dur":5,"args":
     {"Input Dims":[[4,8],[8,2]],"Input type":["float","float"]}},
    {"ph":"X","cat":"cuda_runtime","name":"hipLaunchKernel","pid":1,"tid":2,"ts":51,"dur":1,"args":{"correlation":3}},
    {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":60,"dur":6,"args":
     {"device":0,"stream":7,"correlation":3}}]})json";
  const auto both = import_bytes(mixed);
  for (const auto* before : {&replay, &compiled, &both}) {
    ASSERT_TRUE(*before) << before->error().message;
    const CapturePtr after = again(***before);
    ASSERT_NE(after, nullptr);
    const auto rows = [](const CapturePtr& c) {
      Table table = ops_table(*analyze(c), OpsBy::op);
      std::ranges::sort(table.rows);
      return to_csv(table);
    };
    EXPECT_EQ(rows(**before), rows(after));
    EXPECT_GE((**before)->ops().size(), 1u);
  }
}

/// What stands in the description is not believed unchecked.
TEST(RoundTrip, DescriptionsThatLie) {
  const std::string good = exported(*sample_capture(), "chrome");
  const auto whole = nlohmann::json::parse(good);
  const auto read = [&](const std::function<void(nlohmann::json&)>& change) {
    nlohmann::json trace = whole;
    change(trace["tensortide"]);
    auto capture = import_bytes(trace.dump());
    EXPECT_TRUE(capture) << capture.error().message;
    return capture ? notes(**capture) : std::string();
  };
  EXPECT_EQ(read([](auto&) {}).find("tensortide"), std::string::npos);
  for (const auto& change : std::vector<std::function<void(nlohmann::json&)>>{
           [](auto& d) { d["tensors"][0]["shape"] = {-1}; },
           [](auto& d) {
             d["tensors"][0]["shape"] = {int64_t{1} << 40, int64_t{1} << 40};
           },
           [](auto& d) { d["tensors"][0]["dtype"] = "f31"; }, [](auto& d) { d["tensors"][0]["size_bytes"] = "many"; },
           [](auto& d) { d["tensors"][0]["alias_of"] = 1'000'000; }, [](auto& d) { d["tensors"][0]["alias_of"] = 0; },
           [](auto& d) { d["tensors"][0]["alias_of"] = 1, d["tensors"][1]["alias_of"] = 0; },
           [](auto& d) { d["tensors"][0]["alias_of"] = -1; }, [](auto& d) { d["tensors"][0]["offset_bytes"] = -4; },
           [](auto& d) { d["tensors"][0]["offset_bytes"] = uint64_t{1} << 63; },
           [](auto& d) { d["tensors"][0]["persistent"] = "yes"; },
           [](auto& d) { d["ops"][0]["operands"][0]["tensor"] = 1'000'000; },
           [](auto& d) { d["ops"][0]["operands"][0]["read_bytes"] = -1; }, [](auto& d) { d["ops"][0]["flops"] = -1.0; },
           [](auto& d) { d["tracks"][0]["kind"] = 99; }, [](auto& d) { d["ops"][0] = 7; }}) {
    EXPECT_NE(read(change).find("of \"tensortide\""), std::string::npos) << read(change);
  }
  for (const auto& change : std::vector<std::function<void(nlohmann::json&)>>{
           [](auto& d) { d = 5; }, [](auto& d) { d["ops"] = "x"; },
           [](auto& d) {
             d["arguments"] = {1, 2};
           },
           [](auto& d) { d["threads"] = -3; }, [](auto& d) { d["title"] = nullptr; }}) {
    read(change);
  }
}

TEST(RoundTrip, OnlyTheRange) {
  const auto before = sample_gpu_capture();
  const StepRecord& second = before->steps().at(1);
  auto part = import_bytes(
      exported(*before, "chrome", {.begin_ns = second.start_ns, .end_ns = second.start_ns + second.duration_ns}));
  ASSERT_TRUE(part) << part.error().message;
  ASSERT_EQ((*part)->steps().size(), 1u);
  EXPECT_EQ((*part)->steps()[0].index, second.index);
  EXPECT_EQ(2 * (*part)->gpu().kernels.size(), before->gpu().kernels.size());
}

}  // namespace
