// SPDX-License-Identifier: Apache-2.0
// The catalog of collectors: what each says of itself, who is asked when, and what becomes of captures afterwards.
#include <gtest/gtest.h>

#include <set>
#include <span>

#include "profiler/record/catalog.h"
#include "tests/support/op_lab.h"

namespace profiler {
namespace {

class NoTracer final : public GpuTracer {
 public:
  void push(ExternalKind, uint64_t) override {}
  void pop(ExternalKind) override {}
  std::vector<GpuEvents> take() override { return {}; }
  std::vector<GpuEvents> stop() override { return {}; }
};

std::vector<ChainLink> whole_chain() { return {{.name = "module", .works = true, .found = "m.so", .remedy = ""}}; }
std::vector<ChainLink> broken_chain() {
  return {{.name = "driver", .works = false, .found = "none", .remedy = "install it"}};
}

std::shared_ptr<const Capture> lab_capture() {
  tests::OpLab lab;
  const TensorId x = lab.tensor(1 << 20), y = lab.tensor(1 << 20);
  lab.op("relu", {x}, {y});
  return lab.finish();
}

TEST(Collectors, SayWhatTheyAreAndStartUnlessEveryRunHasThem) {
  std::set<std::string_view> names;
  for (const Collector* collector : collectors()) {
    EXPECT_TRUE(names.insert(collector->name).second) << collector->name;
    EXPECT_FALSE(collector->title.empty()) << collector->name;
    EXPECT_EQ(collector->start == nullptr, collector->when == When::always) << collector->name;
    EXPECT_TRUE(!collector->changes_times || collector->when == When::during) << collector->name;
    EXPECT_EQ(find_collector(collector->name), collector);
    EXPECT_FALSE(collector->check(broken_chain).why.empty()) << collector->name;
  }
  EXPECT_EQ(find_collector("opps"), nullptr);
}

TEST(Collectors, OfAListAreThoseThatAreStarted) {
  const auto two = parse_collectors("cupti,ops,simulate,alloc", "cuda:1", whole_chain);
  ASSERT_TRUE(two.ok()) << two.error().message;
  EXPECT_EQ(*two, (CollectorNames{"cupti", "simulate"}));
  EXPECT_EQ(collector_list(*two), "ops,simulate,cupti");
  EXPECT_EQ(collector_list({}), "");
  EXPECT_EQ(collector_choices(true), "ops,simulate,cupti");
  for (const Collector* collector : collectors()) {
    EXPECT_EQ(
        ("," + collector_choices(false) + ",").find("," + std::string(collector->name) + ",") != std::string::npos,
        collector->start != nullptr || collector->name == "ops");
  }
}

TEST(Collectors, ThatCannotBeHadAreRefused) {
  struct Case {
    const char *list, *device;
    std::vector<ChainLink> (*chain)();
    engine::ErrorKind kind;
    const char* names;
  };
  for (const Case& c :
       {Case{"ops,simulated", "cpu", whole_chain, engine::ErrorKind::usage, "\"simulate\""},
        Case{"", "cpu", whole_chain, engine::ErrorKind::usage, "unknown source"},
        Case{"cupti", "cuda", broken_chain, engine::ErrorKind::refused, "driver: none; what helps: install it"},
        Case{"counters", "cpu", whole_chain, engine::ErrorKind::usage, "--device cpu"},
        Case{"pm_sampling", "emu:0", whole_chain, engine::ErrorKind::usage, "--device emu:0"},
        Case{"ops,simulate", "null", whole_chain, engine::ErrorKind::usage, "--device null"}}) {
    const auto refused = parse_collectors(c.list, c.device, c.chain);
    ASSERT_FALSE(refused.ok()) << c.list << " on " << c.device;
    EXPECT_EQ(refused.error().kind, c.kind) << refused.error().message;
    EXPECT_NE(refused.error().message.find(c.names), std::string::npos) << refused.error().message;
  }
  EXPECT_FALSE(check_device({"perf"}, "cuda").ok());
  EXPECT_TRUE(check_device({"perf", "simulate"}, "cpu").ok());
}

TEST(Collectors, OfTheGpuPutThemselvesIntoTheRecording) {
  const std::atomic<bool> stop = false;
  RecordRequest record;
  CollectContext context{
      .device = "cuda", .asked = {"cupti", "pm_sampling", "simulate"}, .record = record, .stop = stop};
  context.gpu.start_trace = [](const std::string&) -> engine::Result<std::unique_ptr<GpuTracer>> {
    return std::unique_ptr<GpuTracer>(new NoTracer);
  };
  context.time_untraced = []() -> engine::Result<std::vector<double>> { return std::vector<double>{3, 4}; };
  const auto started = start_collectors(context, When::during);
  ASSERT_TRUE(started.ok()) << started.error().message;
  EXPECT_EQ(started->size(), 2u) << "what works afterwards is started then";
  EXPECT_NE(record.tracer, nullptr);
  EXPECT_EQ(record.untraced_steps_ns, (std::vector<double>{3, 4}));
  EXPECT_TRUE(record.start_samples);

  RecordRequest emulated;
  CollectContext of_emulation{
      .device = "emu:0", .asked = {"cupti"}, .record = emulated, .gpu = context.gpu, .stop = stop};
  ASSERT_TRUE(start_collectors(of_emulation, When::during).ok()) << "nobody times an emulation without its tracer";
  EXPECT_NE(emulated.untraced_why, "");

  context.time_untraced = []() -> engine::Result<std::vector<double>> { return engine::refused_error("no time"); };
  context.gpu.start_trace = [](const std::string&) -> engine::Result<std::unique_ptr<GpuTracer>> {
    return engine::refused_error("taken");
  };
  const auto refused = start_collectors(context, When::during);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "taken");
}

TEST(Collectors, BehindTheRunLeaveTheCaptureAndSayWhyTheyFoundNothing) {
  const std::atomic<bool> stop = true;
  RecordRequest record;
  CollectContext context{.device = "cpu", .asked = {"simulate", "perf"}, .eager = true, .record = record, .stop = stop};
  std::vector<std::string> stages;
  context.progress = [&](const RecordProgress& p) { stages.push_back(p.stage); };
  const auto capture = lab_capture();
  const auto collected = collect_afterwards(context, capture);
  ASSERT_TRUE(collected.ok()) << collected.error().message;
  ASSERT_EQ((*collected)->traffic().size(), capture->traffic().size() + 2);
  const auto found = std::span((*collected)->traffic()).last(2);
  EXPECT_EQ(found[0].origin, Origin::measured) << "what needs the device comes first";
  EXPECT_TRUE(found[0].method.starts_with("Not measured: ")) << found[0].method;
  EXPECT_EQ(found[1].origin, Origin::simulated);
  EXPECT_TRUE(found[1].method.starts_with("Not simulated: ")) << found[1].method;
  EXPECT_EQ(stages.front(), "counting around each op");
  context.asked = {};
  EXPECT_EQ(*collect_afterwards(context, capture), capture) << "nothing was asked for";
}

TEST(Collectors, HitRatesCountTheBytesToo) {
  const std::atomic<bool> stop = false;
  RecordRequest record;
  CollectContext context{.device = "cuda", .asked = {"counters"}, .record = record, .stop = stop};
  EXPECT_EQ(start_collectors(context, When::after)->size(), 1u);
  context.asked = {"counters", "hit_rates"};
  EXPECT_EQ(start_collectors(context, When::after)->size(), 1u) << "one source for both";
}

}  // namespace
}  // namespace profiler
