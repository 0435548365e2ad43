// SPDX-License-Identifier: Apache-2.0
// Out as Kineto's JSON and in again: all that the format can hold is there, exactly.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

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

/// Kind, start, duration, correlation of each activity; layers and annotations share one category in the format.
std::multiset<std::tuple<ActivityKind, int64_t, int64_t, uint64_t>> spans(const Capture& c) {
  std::multiset<std::tuple<ActivityKind, int64_t, int64_t, uint64_t>> all;
  for (size_t i = 0; i < c.activities().size(); ++i) {
    const Activity a = c.activities().row(i);
    if (a.kind == ActivityKind::step) continue;  // a step may be known without a span of its own
    all.insert({a.kind == ActivityKind::layer ? ActivityKind::range : a.kind, a.start_ns, a.duration_ns, a.correlation});
  }
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
    EXPECT_EQ(std::tuple(x.place, x.kind, x.source, x.destination, x.bytes), std::tuple(y.place, y.kind, y.source, y.destination, y.bytes));
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
    EXPECT_EQ(std::tuple(x.correlation, before->name(x.operation), before->name(x.ranks), x.in_bytes, x.out_bytes, x.group_size),
              std::tuple(y.correlation, after->name(y.operation), after->name(y.ranks), y.in_bytes, y.out_bytes, y.group_size));
  }
  EXPECT_EQ(before->gpu().devices, after->gpu().devices);
  EXPECT_EQ(after->run().arguments.at("world_size"), "2");
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
    EXPECT_TRUE(ops.try_emplace(event.at("args").at("External id").get<int64_t>(), event.at("name")).second) << "each call has its own";
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
      const bool ran = std::any_of(rows.begin(), rows.end(), [&](uint32_t row) { return c.activities().kind[row] == ActivityKind::op; });
      if (ran) all.insert({std::string(c.name(op.name)), std::string(c.name(op.type)), std::string(c.name(op.layer)), std::string(c.name(op.kernel)), op.phase});
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
  const auto allocated = [](const Capture& c) {
    for (const CounterSeries& s : c.counters()) {
      if (c.name(s.name) == "allocated" && c.name(s.group) == "GPU 0") return std::pair(s.time_ns, s.value);
    }
    return std::pair<std::vector<int64_t>, std::vector<double>>();
  };
  EXPECT_FALSE(allocated(*before).first.empty());
  EXPECT_EQ(allocated(*before), allocated(*after));
}

TEST(RoundTrip, OnlyTheRange) {
  const auto before = sample_gpu_capture();
  const StepRecord& second = before->steps().at(1);
  auto part = import_bytes(exported(*before, "chrome", {.begin_ns = second.start_ns, .end_ns = second.start_ns + second.duration_ns}));
  ASSERT_TRUE(part) << part.error().message;
  ASSERT_EQ((*part)->steps().size(), 1u);
  EXPECT_EQ((*part)->steps()[0].index, second.index);
  EXPECT_EQ(2 * (*part)->gpu().kernels.size(), before->gpu().kernels.size());
}

}  // namespace
