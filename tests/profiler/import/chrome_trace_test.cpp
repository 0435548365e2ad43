// SPDX-License-Identifier: Apache-2.0
// Phases of Chrome's format, lanes, nesting, launches and XLA's texts, each on a trace of a few lines.
#include "tests/profiler/import/import_support.h"

namespace {

using namespace profiler;
using namespace tests;

CapturePtr events(const std::string& text) {
  auto capture = import_events(text);
  EXPECT_TRUE(capture) << capture.error().message;
  return capture ? *capture : nullptr;
}

std::vector<std::string> names_of(const Capture& c) {
  std::vector<std::string> names;
  for (size_t i = 0; i < c.activities().size(); ++i) {
    names.push_back(std::string(c.name(c.activities().name[i])) + " " + std::to_string(c.activities().duration_ns[i]));
  }
  return names;
}

TEST(ChromeTrace, HalvesBecomeSpans) {
  const auto c = events(
      R"({"ph":"B","name":"out","ts":1},{"ph":"B","name":"in","ts":2},{"ph":"E","ts":3},{"ph":"E","name":"out","ts":5})");
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(names_of(*c), (std::vector<std::string>{"out 4000", "in 1000"}));
}

TEST(ChromeTrace, BrokenHalvesAreMendedAndCounted) {
  const auto c = events(
      R"({"ph":"E","name":"x","ts":0},{"ph":"B","name":"a","ts":1},{"ph":"B","name":"b","ts":2},{"ph":"E","name":"a","ts":4},
                           {"ph":"B","name":"c","ts":5},{"ph":"i","name":"last","ts":9},{"ph":"B","name":"d","ts":9})");
  ASSERT_NE(c, nullptr);
  const std::string said = notes(*c);
  EXPECT_NE(said.find("1 range ends without a beginning"), std::string::npos) << said;
  EXPECT_NE(said.find("3 ranges begin without an end"), std::string::npos) << said;
  EXPECT_EQ(said.find("crosses"), std::string::npos) << "b never ends: it ends with a; " << said;
}

TEST(ChromeTrace, LaunchesJoinOpsAndKernels) {
  const auto c = events(
      R"~({"ph":"X","cat":"cpu_op","name":"aten::linear","ts":0,"dur":50,"pid":1,"tid":1,"args":{"External id":3}},
    {"ph":"X","cat":"cpu_op","name":"aten::addmm","ts":10,"dur":30,"pid":1,"tid":1,"args":{"Input Dims":[[4],[2,3],[3,4]]}},
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":20,"dur":5,"pid":1,"tid":1,"args":{"correlation":9}},
    {"ph":"X","cat":"kernel","name":"void gemm<1>(int)","ts":60,"dur":7,"pid":0,"tid":7,"args":{"correlation":9,"device":0,"stream":7}},
    {"ph":"X","cat":"kernel","name":"orphan","ts":70,"dur":2,"pid":0,"tid":7,"args":{"External id":3,"device":0,"stream":7}},
    {"ph":"X","cat":"kernel","name":"stray","ts":80,"dur":1,"pid":0,"tid":7,"args":{"device":0,"stream":7}})~");
  ASSERT_NE(c, nullptr);
  const auto op_of = [&](std::string_view kernel) {
    for (const KernelRecord& k : c->gpu().kernels) {
      if (c->name(c->activities().name[k.activity]) == kernel)
        return std::string(c->name(c->ops()[c->activities().op[k.activity]].type));
    }
    return std::string();
  };
  EXPECT_EQ(op_of("void gemm<1>(int)"), "aten::addmm") << "the innermost op launched it";
  EXPECT_EQ(op_of("orphan"), "aten::linear") << "by its external id";
  EXPECT_EQ(op_of("stray"), "kernel");
  EXPECT_NE(notes(*c).find("2 GPU activities have no launching call"), std::string::npos) << notes(*c);
}

/// Words that our own exports use for themselves mean nothing in a trace that does not say it is one.
TEST(ChromeTrace, OurWordsMeanNothingInForeignTraces) {
  const auto c = events(
      R"~({"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","ts":0,"dur":100,"pid":1,"tid":1,"args":{"warmup":1,"untraced":1,"name":"step"}},
    {"ph":"X","cat":"cpu_op","name":"aten::mm","ts":10,"dur":20,"pid":1,"tid":1,"args":{"type":"tensor","op":"mine","phase":"update","kernel":"k","Input Dims":[[2,3],[3,4]]}},
    {"ph":"X","cat":"cpu_op","name":"aten::mm","ts":40,"dur":20,"pid":1,"tid":1,"args":{"type":"tensor","op":"mine","Input Dims":[[20,3],[3,4]]}},
    {"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pageable -> Device)","ts":70,"dur":7,"pid":0,"tid":7,"args":{"name":"other","device":0,"stream":7,"bytes":8}})~");
  ASSERT_NE(c, nullptr);
  ASSERT_EQ(c->steps().size(), 1u);
  EXPECT_TRUE(c->steps()[0].traced);
  EXPECT_FALSE(c->steps()[0].warmup);
  size_t products = 0;
  for (const OpRecord& op : c->ops()) {
    EXPECT_NE(c->name(op.name), "mine");
    EXPECT_NE(c->name(op.type), "tensor");
    EXPECT_EQ(op.phase, Phase::forward);
    products += c->name(op.type) == "aten::mm";
  }
  EXPECT_EQ(products, 2u) << "told apart by their shapes";
  ASSERT_EQ(c->gpu().copies.size(), 1u);
  EXPECT_EQ(c->name(c->activities().name[c->gpu().copies[0].activity]), "Memcpy HtoD (Pageable -> Device)");
}

TEST(ChromeTrace, FlowsOfOneSideAndBackwardInTimeAreCounted) {
  const auto c = events(
      R"({"ph":"X","name":"a","ts":0,"dur":1},{"ph":"s","cat":"x","id":1,"ts":0},{"ph":"s","cat":"x","id":2,"ts":5},
    {"ph":"f","cat":"x","id":2,"ts":3},{"ph":"s","cat":"y","id":2,"ts":5},{"ph":"f","cat":"y","id":2,"ts":6},{"ph":"f","cat":"y","id":2,"ts":7})");
  ASSERT_NE(c, nullptr);
  EXPECT_NE(notes(*c).find("1 flow arrow has one end only"), std::string::npos) << notes(*c);
  EXPECT_NE(notes(*c).find("1 flow arrow ends before it starts"), std::string::npos);
}

TEST(ChromeTrace, XlaSaysWhatItsKernelsAndCopiesWere) {
  const auto c = events(R"~({"ph":"M","name":"process_name","pid":2,"args":{"name":"/device:GPU:1"}},
    {"ph":"M","name":"thread_name","pid":2,"tid":13,"args":{"name":"Stream #13(Compute)"}},
    {"ph":"M","name":"thread_name","pid":2,"tid":14,"args":{"name":"XLA Modules"}},
    {"ph":"X","name":"fusion","pid":2,"tid":13,"ts":1,"dur":2,"args":{"kernel_details":"regs:32 shared:64 grid:8,2,1 block:128,1,1 occ_pct:50","correlation_id":5}},
    {"ph":"X","name":"MemcpyH2D","pid":2,"tid":13,"ts":4,"dur":2,"args":{"memcpy_details":"kind_src:pinned kind_dst:device size:1024 dest:0 async:1"}},
    {"ph":"X","name":"gemm","pid":2,"tid":13,"ts":7,"dur":2},
    {"ph":"X","name":"jit_step","pid":2,"tid":14,"ts":1,"dur":9},{})~");
  ASSERT_NE(c, nullptr);
  ASSERT_EQ(c->gpu().kernels.size(), 2u) << "what stands on a device's stream without details is a kernel too";
  EXPECT_EQ(c->gpu().kernels[0].grid, (std::array<int32_t, 3>{8, 2, 1}));
  EXPECT_EQ(c->gpu().kernels[0].registers_per_thread, 32);
  EXPECT_EQ(c->gpu().kernels[1].place.device, 1);
  ASSERT_EQ(c->gpu().copies.size(), 1u);
  EXPECT_EQ(c->gpu().copies[0].kind, CopyKind::host_to_device);
  EXPECT_EQ(c->gpu().copies[0].bytes, 1024);
  EXPECT_EQ(c->gpu().copies[0].source, MemoryKind::pinned);
  EXPECT_EQ(c->gpu().copies[0].synchrony, Synchrony::asynchronous);
}

TEST(ChromeTrace, BareArraysMayEndAnywhere) {
  for (const char* text :
       {R"([{"ph":"X","name":"a","ts":1,"dur":1},{"ph":"X","name":"b","ts":2,"dur":1})",
        R"([{"ph":"X","name":"a","ts":1,"dur":1},{"ph":"X","name":"b","ts":2,"dur":1},)",
        "\xef\xbb\xbf"
        R"([{"ph":"X","name":"a","ts":1,"dur":1},{"ph":"X","name":"b","ts":2,"dur":1},{"ph":"X","na)"}) {
    const auto c = import_bytes(text);
    ASSERT_TRUE(c) << c.error().message;
    EXPECT_EQ((*c)->activities().size(), 2u);
    EXPECT_NE(notes(**c).find("the file breaks off"), std::string::npos);
  }
}

TEST(ChromeTrace, MetadataMayFollowTheEvents) {
  const auto c = import_bytes(
      R"({"deviceProperties":[],"traceEvents":[{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":1,"args":{"device":0,"stream":7}}],
    "distributedInfo":{"rank":3,"world_size":8},"host_name":"secret-host","baseTimeNanoseconds":1000})");
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ((*c)->run().arguments.at("rank"), "3");
  EXPECT_EQ((*c)->begin_ns(), 2000);
  for (const std::string& name : (*c)->names()) EXPECT_EQ(name.find("secret"), std::string::npos);
}

TEST(ChromeTrace, CancelledInTheMiddle) {
  TemporaryFolder folder;
  write_bytes(folder / "a.json", R"([{"ph":"X","name":"a","ts":1,"dur":1}])");
  const std::atomic<bool> stop{true};
  const auto c = import_traces(
      {.files = {folder / "a.json"}, .format = {}, .command = {}, .control = {.progress = {}, .stop = &stop}});
  ASSERT_FALSE(c);
  EXPECT_NE(c.error().message.find("cancelled"), std::string::npos);
}

}  // namespace
