// SPDX-License-Identifier: Apache-2.0
// Profiles of ONNX Runtime, speedscope and oneDNN: what they hold, and what is broken in them.
#include <cmath>
#include <string>

#include "profiler/analysis/base/op_times.h"
#include "profiler/analysis/named_times.h"
#include "tests/profiler/import/import_support.h"

namespace {

using namespace profiler;
using namespace tests;

const OpRecord* op_of(const Capture& c, std::string_view type) {
  for (const OpRecord& op : c.ops()) {
    if (c.name(op.type) == type) return &op;
  }
  return nullptr;
}

double bytes_of(const Capture& c, const OpRecord& op) {
  double bytes = 0;
  for (const OperandRecord& o : c.operands(op)) bytes += static_cast<double>(o.read_bytes + o.written_bytes);
  return bytes;
}

constexpr const char* kOnnx = R"([
{"cat":"Session","pid":1,"tid":1,"dur":400,"ts":3,"ph":"X","name":"session_initialization","args":{}},
{"cat":"Node","pid":1,"tid":1,"dur":100,"ts":1000,"ph":"X","name":"conv1_kernel_time","args":{"op_name":"Conv",
 "provider":"CPUExecutionProvider","input_type_shape":[{"float":[1,3,32,32]},{"float":[16,3,3,3]}],
 "output_type_shape":[{"float":[1,16,32,32]}]}},
{"cat":"Node","pid":1,"tid":1,"dur":5,"ts":1100,"ph":"X","name":"flat_kernel_time","args":{"op_name":"Flatten",
 "provider":"CPUExecutionProvider","input_type_shape":[{"float":[1,16,32,32]}],
 "output_type_shape":[{"float":[1,16384]}]}},
{"cat":"Node","pid":1,"tid":1,"dur":20,"ts":1110,"ph":"X","name":"fc_kernel_time","args":{"op_name":"MatMul",
 "provider":"CPUExecutionProvider","input_type_shape":[{"float":[1,16384]}],"output_type_shape":[{"float":[1,10]}]}},
{"cat":"Node","pid":1,"tid":1,"dur":7,"ts":1131,"ph":"X","name":"odd_kernel_time","args":{"op_name":"Custom",
 "provider":"CPUExecutionProvider","input_type_shape":[{"float":[4]}],"output_type_shape":[{"float":[4]}]}},
{"cat":"Session","pid":1,"tid":1,"dur":150,"ts":998,"ph":"X","name":"model_run","args":{}}])";

TEST(OnnxRuntime, NodesWithTheirShapes) {
  const auto capture = import_bytes(kOnnx, "onnxruntime_profile.json");
  ASSERT_TRUE(capture) << capture.error().message;
  const Capture& c = **capture;
  EXPECT_EQ(c.run().source, "ONNX Runtime profile");
  ASSERT_EQ(c.steps().size(), 1u);
  EXPECT_EQ(c.steps()[0].duration_ns, 150'000);
  const OpRecord* conv = op_of(c, "Conv");
  ASSERT_NE(conv, nullptr);
  EXPECT_DOUBLE_EQ(conv->flops, 2.0 * 16 * 32 * 32 * 27);
  EXPECT_DOUBLE_EQ(bytes_of(c, *conv), 4.0 * (3 * 1024 + 16 * 27 + 16 * 1024));
  EXPECT_EQ(c.name(conv->kernel), "CPUExecutionProvider");
  const OpRecord* product = op_of(c, "MatMul");
  ASSERT_NE(product, nullptr);
  EXPECT_DOUBLE_EQ(product->flops, 2.0 * 16384 * 10);
  EXPECT_EQ(product->operand_count, 0u) << "weights that were laid out anew are no recorded input";
  EXPECT_TRUE(std::isnan(op_of(c, "Custom")->flops));
  EXPECT_EQ(op_of(c, "Flatten")->flops, 0);
}

TEST(Speedscope, OfFramesThatBeginAndEndTogetherTheOuterOneComesFirst) {
  const auto capture = import_bytes(R"({"$schema":"https://www.speedscope.app/file-format-schema.json",
    "shared":{"frames":[{"name":"main"},{"name":"work"}]},"profiles":[
    {"type":"sampled","name":"t","unit":"seconds","samples":[[0,1]],"weights":[1]}]})");
  ASSERT_TRUE(capture) << capture.error().message;
  ASSERT_EQ((*capture)->activities().size(), 2u);
  EXPECT_EQ((*capture)->name((*capture)->activities().name[0]), "main");
  EXPECT_EQ((*capture)->activities().duration_ns[1], 1'000'000'000);
}

TEST(Speedscope, FramesAndSamples) {
  const auto capture = import_bytes(R"({"$schema":"https://www.speedscope.app/file-format-schema.json",
    "shared":{"frames":[{"name":"main"},{"name":"work"},{"name":"rest"}]},"profiles":[
    {"type":"evented","name":"thread","unit":"microseconds","startValue":0,"endValue":10,"events":[
      {"type":"O","frame":0,"at":0},{"type":"O","frame":1,"at":2},{"type":"C","frame":1,"at":6},
      {"type":"C","frame":0,"at":10}]},
    {"type":"sampled","name":"sampled","unit":"milliseconds","startValue":1,"endValue":7,
     "samples":[[0,1],[0,1],[0,2],[0]],"weights":[1,2,1,2]},
    {"type":"sampled","name":"heap","unit":"bytes","samples":[[0]],"weights":[100]}]})");
  ASSERT_TRUE(capture) << capture.error().message;
  const Capture& c = **capture;
  EXPECT_EQ(c.run().source, "speedscope profile");
  double work_ns = 0, main_ns = 0;
  for (const NamedTimes& t : range_times(c)) {
    if (c.name(t.name) == "work") work_ns = t.total_ns;
    if (c.name(t.name) == "main") main_ns = t.total_ns;
  }
  EXPECT_DOUBLE_EQ(work_ns, 4'000 + 3'000'000);
  EXPECT_DOUBLE_EQ(main_ns, 10'000 + 6'000'000) << "one range while neighbouring samples share it";
  EXPECT_NE(notes(c).find("\"bytes\", no time"), std::string::npos) << notes(c);
  EXPECT_NE(notes(c).find("sampled"), std::string::npos);
}

TEST(Speedscope, BrokenOnesAreRefusedOrCounted) {
  const std::string schema = "\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"";
  const std::string frames = ",\"shared\":{\"frames\":[{\"name\":\"a\"}]}";
  for (const std::string& bad : {"{" + schema, "{" + schema + "}", "{" + schema + ",\"profiles\":7}",
                                 "{" + schema + frames + ",\"profiles\":[{\"unit\":\"none\"}]}"})
    EXPECT_FALSE(import_bytes(bad)) << bad;
  const auto capture = import_bytes("{" + schema + frames +
                                    R"(,"profiles":[{"type":"evented","unit":"seconds","events":[
    {"type":"C","frame":0,"at":1},{"type":"O","frame":9,"at":1},{"type":"O","frame":0,"at":1e300},7,
    {"type":"O","frame":0,"at":2},{"type":"O","frame":0,"at":3}]}]})");
  ASSERT_TRUE(capture) << capture.error().message;
  EXPECT_NE(notes(**capture).find("ends without a beginning"), std::string::npos) << notes(**capture);
  EXPECT_NE(notes(**capture).find("3 rows could not be read"), std::string::npos);
  EXPECT_NE(notes(**capture).find("2 ranges begin without an end"), std::string::npos);
}

TEST(OneDnn, PrimitivesWithTheirProblems) {
  const auto capture = import_bytes(
      "hello\n"
      "onednn_verbose,v1,info,oneDNN v3.5\n"
      "onednn_verbose,v1,primitive,create:cache_miss,cpu,matmul,brg,undef,a,,,4x8:8x2,1.5\n"
      "onednn_verbose,v1,primitive,exec,cpu,matmul,brg:avx512_core,undef,src:f32::blocked:ab::f0 "
      "wei:f32::blocked:ab::f0 dst:f32::blocked:ab::f0,,,4x8:8x2,0.25\n"
      "onednn_verbose,exec,cpu,convolution,jit:avx2,backward_weights,src_f32::blocked:abcd:f0,,"
      "alg:convolution_direct,g2mb4_ic4oc8_ih10oh8kh3sh1dh0ph0_iw10ow8kw3sw1dw0pw0,0.5\n"
      "onednn_verbose,v1,primitive,exec,cpu,eltwise,jit,forward,data_f32,,alg:eltwise_relu,4x8,nonsense\n"
      "onednn_verbose,v1,primitive,exec,cpu,eltwise,jit,forward,data_f32,,alg:eltwise_relu,4x8,0.125",
      "verbose.log");
  ASSERT_TRUE(capture) << capture.error().message;
  const Capture& c = **capture;
  EXPECT_EQ(c.activities().size(), 3u) << notes(c);
  EXPECT_DOUBLE_EQ(op_of(c, "matmul")->flops, 2.0 * 4 * 8 * 2);
  const OpRecord* conv = op_of(c, "convolution");
  ASSERT_NE(conv, nullptr);
  EXPECT_DOUBLE_EQ(conv->flops, 2.0 * 4 * 8 * 64 * (4 / 2) * 9);
  EXPECT_EQ(conv->phase, Phase::backward);
  EXPECT_EQ(c.name(conv->kernel), "jit:avx2");
  EXPECT_TRUE(std::isnan(op_of(c, "eltwise")->flops));
  EXPECT_EQ(c.end_ns() - c.begin_ns(), 875'000) << "one behind the other";
  EXPECT_NE(notes(c).find("say no start"), std::string::npos) << notes(c);
  EXPECT_NE(notes(c).find("1 row could not be read"), std::string::npos);
}

TEST(OneDnn, TimeStampsPlaceThem) {
  const auto capture = import_bytes(
      "onednn_verbose,v1,1000.5,primitive,exec,cpu,matmul,brg,undef,m,,,2x2:2x2,0.5\n"
      "onednn_verbose,v1,1003,primitive,exec,cpu,matmul,brg,undef,m,,,2x2:2x2,1\n",
      "verbose.log");
  ASSERT_TRUE(capture) << capture.error().message;
  EXPECT_EQ((*capture)->end_ns() - (*capture)->begin_ns(), 3'500'000);
  EXPECT_EQ(notes(**capture).find("say no start"), std::string::npos);
}

TEST(OneDnn, ImpossibleSizesHaveUnknownFlops) {
  for (const char* problem :
       {"g0mb4_ic4oc8_ih10oh8kh3sh1dh0ph0_iw10ow8kw3sw1dw0pw0", "g1mb9e300_ic9e300oc9e300_ih1oh1kh1_iw1ow1kw1",
        "g21e308mb4_ic4oc8_ih10oh8kh3_iw10ow8kw3"}) {
    const std::string line =
        "onednn_verbose,v1,primitive,exec,cpu,convolution,jit:avx2,forward_inference,src:f32 wei:f32 "
        "dst:f32,attr,alg:convolution_direct,";
    const auto capture = import_bytes(line + problem + ",0.5\n", "log.txt");
    ASSERT_TRUE(capture) << capture.error().message;
    ASSERT_FALSE((*capture)->ops().empty());
    EXPECT_TRUE(std::isnan((*capture)->ops()[0].flops)) << problem;
  }
}

}  // namespace
