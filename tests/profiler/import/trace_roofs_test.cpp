// SPDX-License-Identifier: Apache-2.0
// Roofs of imported traces: the data sheet of the GPU they name, or this machine's where the user says so; totals that
// lack parts.
#include <cmath>

#include "profiler/analysis/analyze.h"
#include "profiler/analysis/roof_words.h"
#include "profiler/analysis/roofline.h"
#include "profiler/analysis/tables/summary.h"
#include "tests/profiler/import/import_support.h"
#include "tests/support/sample_capture.h"

namespace {

using namespace profiler;
using namespace tests;

constexpr const char* kProducts = R"(
    {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":0,"dur":100,"args":{"External id":1,
     "Input Dims":[[4096,4096],[4096,4096]],"Input type":["c10::Half","c10::Half"]}},
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":10,"dur":5,"args":{"correlation":9}},
    {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":200,"dur":1000,
     "args":{"correlation":9,"device":0,"stream":7}},
    {"ph":"X","cat":"cpu_op","name":"my::op","pid":1,"tid":1,"ts":120,"dur":30,"args":{"External id":2}},
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":125,"dur":5,
     "args":{"correlation":10}},
    {"ph":"X","cat":"kernel","name":"mine","pid":0,"tid":7,"ts":1300,"dur":250,
     "args":{"correlation":10,"device":0,"stream":7}})";

std::string on_gpu(const std::string& name, int multiprocessors) {
  return R"({"deviceProperties":[{"id":0,"name":")" + name + R"(","computeMajor":8,"computeMinor":0,"numSms":)" +
         std::to_string(multiprocessors) + R"(,"totalGlobalMem":42297524224}],"traceEvents":[)" + kProducts + "]}";
}

TEST(TraceRoofs, TheDataSheetOfTheNamedGpu) {
  const auto capture = import_bytes(on_gpu("NVIDIA A100-SXM4-40GB", 108));
  ASSERT_TRUE(capture) << capture.error().message;
  const auto analyzed = analyze(*capture);
  const Roofline r = roofline(**capture, analyzed->model);
  ASSERT_EQ(r.roofs.size(), 2u);
  EXPECT_EQ(r.roofs[0].origin, Origin::specified);
  EXPECT_DOUBLE_EQ(r.roofs[0].value, 1555e9);
  EXPECT_DOUBLE_EQ(r.roofs[1].value, 312e12);
  ASSERT_EQ(r.points.size(), 1u);
  const double flops = 2.0 * 4096 * 4096 * 4096;
  EXPECT_DOUBLE_EQ(r.points[0].flop_per_s, flops / 1e-3);
  EXPECT_NEAR(r.points[0].attainable, 312e12, 1e6);
  EXPECT_NEAR(r.points[0].winnable_ns, 1e6 - flops / 312e12 * 1e9, 1);
  EXPECT_TRUE(no_roofs_words(**capture).empty());
  const Summary s = summary(*analyzed);
  EXPECT_DOUBLE_EQ(s.flops, flops) << "what is known";
  EXPECT_NEAR(s.flops_known_ratio, 0.8, 1e-9) << "1000 of 1250 us";
  EXPECT_DOUBLE_EQ(s.compulsory_bytes, 3.0 * 2 * 4096 * 4096);
  EXPECT_NEAR(s.bytes_known_ratio, 0.8, 1e-9);
  EXPECT_GT(s.roof_ratio, 0.2);
  EXPECT_LT(s.roof_ratio, 0.5);
}

TEST(TraceRoofs, PartsOfAGpuAndUnknownOnesHaveNone) {
  for (const auto& [name, multiprocessors] : {std::pair("NVIDIA A100-SXM4-40GB", 14), std::pair("Some GPU", 108)}) {
    const auto capture = import_bytes(on_gpu(name, multiprocessors));
    ASSERT_TRUE(capture) << capture.error().message;
    EXPECT_TRUE(roofline(**capture, analyze(*capture)->model).roofs.empty()) << name;
    EXPECT_FALSE(no_roofs_words(**capture).empty());
    EXPECT_TRUE(std::isnan(summary(*analyze(*capture)).roof_ratio));
  }
}

engine::Result<CapturePtr> here(const std::string& events) {
  TemporaryFolder folder;
  write_bytes(folder / "trace.json", "{\"traceEvents\": [" + events + "]}");
  ImportRequest request{.files = {folder / "trace.json"}, .format = {}, .command = {}, .control = {}};
  request.machine = sample_capture()->machine();
  return import_traces(request);
}

TEST(TraceRoofs, ThisMachinesWhereTheUserSaysSo) {
  const auto capture = here(R"(
    {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":0,"dur":10000,
     "args":{"Input Dims":[[512,512],[512,512]],"Input type":["float","float"]}},
    {"ph":"X","cat":"cpu_op","name":"aten::strange","pid":1,"tid":1,"ts":10000,"dur":2500,"args":{}})");
  ASSERT_TRUE(capture) << capture.error().message;
  EXPECT_TRUE((*capture)->device().is_processor);
  EXPECT_NE(notes(**capture).find("are those of this machine"), std::string::npos) << notes(**capture);
  const auto analyzed = analyze(*capture);
  const Summary s = summary(*analyzed);
  EXPECT_DOUBLE_EQ(s.flops, 2.0 * 512 * 512 * 512);
  EXPECT_NEAR(s.flops_known_ratio, 0.8, 1e-9);
  EXPECT_GT(s.roof_ratio, 0) << "of the sample machine's 100 GFLOP/s";
  EXPECT_FALSE(std::isnan(s.dram_bytes));
  EXPECT_NE(analyzed->verdicts[0].bound, Bound::unknown);
  EXPECT_EQ(analyzed->verdicts[1].bound, Bound::unknown) << "nothing is known of what it does";
}

TEST(TraceRoofs, TheProcessorsAreNotThoseOfAGpu) {
  const auto capture = here(kProducts);
  ASSERT_FALSE(capture);
  EXPECT_EQ(capture.error().kind, engine::ErrorKind::usage);
  EXPECT_NE(capture.error().message.find("--roofs"), std::string::npos);
}

TEST(TraceRoofs, KernelsOfTensorCoresSayTheirFormat) {
  const auto format_of = [](const std::string& kernel) {
    const auto capture = import_events(R"(
      {"ph":"X","cat":"kernel","name":")" +
                                       kernel + R"(","pid":0,"tid":7,"ts":200,"dur":1000,
       "args":{"correlation":9,"device":0,"stream":7}})");
    EXPECT_TRUE(capture);
    return (*capture)->facts((*capture)->ops().at(0).id).format;
  };
  EXPECT_EQ(format_of("cutlass_80_tensorop_s1688gemm_256x64"), engine::ProductFormat::tf32);
  EXPECT_EQ(format_of("sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n"), engine::ProductFormat::tf32);
  EXPECT_EQ(format_of("ampere_sgemm_128x64_nn"), engine::ProductFormat::as_it_is);
}

}  // namespace
