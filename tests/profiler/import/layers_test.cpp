// SPDX-License-Identifier: Apache-2.0
// Layers of ops of PyTorch's traces: frames of modules, named ranges, and backward ops by their forward ops. FLOPs of
// ops that hold others.
#include <cmath>

#include "profiler/analysis/analyze.h"
#include "profiler/analysis/tables/ops_table.h"
#include "profiler/base/table.h"
#include "profiler/capture/capture.h"
#include "tests/profiler/import/import_support.h"

using namespace profiler;
using namespace tests;

namespace {

std::string span(const char* category, const std::string& name, int thread, int time, int duration,
                 const std::string& args = "") {
  return std::string(R"({"ph":"X","cat":")") + category + R"(","name":")" + name + R"(","pid":1,"tid":)" +
         std::to_string(thread) + R"(,"ts":)" + std::to_string(time) + R"(,"dur":)" + std::to_string(duration) +
         R"(,"args":{)" + args + "}},";
}
std::string module(const char* name, int time, int duration, int thread = 1) {
  return span("python_function", std::string("nn.Module: ") + name, thread, time, duration);
}
std::string range(const std::string& name, int time, int duration) {
  return span("user_annotation", name, 1, time, duration);
}
std::string forward(const char* name, int time, int duration, int sequence, int thread = 1) {
  return span("cpu_op", name, thread, time, duration,
              R"("Sequence number":)" + std::to_string(sequence) + R"(,"Fwd thread id":0)");
}
std::string backward(const char* name, int time, int duration, int sequence, int thread = 1) {
  return span("cpu_op", name, thread, time, duration,
              R"("Sequence number":)" + std::to_string(sequence) + R"(,"Fwd thread id":1)");
}
std::string flow(const char* end, int id, int thread, int time) {
  return std::string(R"({"ph":")") + end + R"(","cat":"fwdbwd","name":"fwdbwd","bp":"e","pid":1,"id":)" +
         std::to_string(id) + R"(,"tid":)" + std::to_string(thread) + R"(,"ts":)" + std::to_string(time) + "},";
}

CapturePtr import_torch_spans(const std::string& text) {
  const auto c = import_events(text + "{}");
  EXPECT_TRUE(c) << c.error().message;
  return c ? *c : nullptr;
}

/// The op of the first call of that name.
const OpRecord* op_called(const Capture& c, std::string_view call) {
  const auto& a = c.activities();
  for (size_t i = 0; i < a.size(); ++i) {
    if (a.kind[i] == ActivityKind::op && c.name(a.name[i]) == call) return &c.ops()[a.op[i]];
  }
  ADD_FAILURE() << "no call of " << call;
  return nullptr;
}
std::string layer_of(const Capture& c, std::string_view call) {
  const OpRecord* op = op_called(c, call);
  return op == nullptr ? "no such call" : std::string(c.name(op->layer));
}

const std::string kNet = module("Net_0", 10, 90) + module("Sequential_0", 20, 60) + module("Conv2d_1", 30, 20) +
                         forward("aten::conv2d", 32, 15, 7) + forward("aten::view", 34, 2, 7) +
                         module("ReLU_0", 60, 10) + forward("aten::relu", 62, 5, 8) + forward("aten::mean", 85, 5, 9);

TEST(Layers, AreTheModulesAroundAnOp) {
  const auto c = import_torch_spans(kNet + forward("aten::randn", 2, 3, 7));
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(layer_of(*c, "aten::conv2d"), "Net_0.Sequential_0.Conv2d_1");
  EXPECT_EQ(layer_of(*c, "aten::view"), "Net_0.Sequential_0.Conv2d_1");
  EXPECT_EQ(layer_of(*c, "aten::relu"), "Net_0.Sequential_0.ReLU_0");
  EXPECT_EQ(layer_of(*c, "aten::mean"), "Net_0");
  EXPECT_EQ(layer_of(*c, "aten::randn"), "");
  EXPECT_NE(notes(*c).find("layers of ops: 4 calls have the nn.Module frames around them."), std::string::npos)
      << notes(*c);
  const auto analyzed = analyze(c);
  const Table table = ops_table(*analyzed, OpsBy::layer);
  std::vector<std::string> rows;
  for (const auto& row : table.rows) rows.push_back(std::get<std::string>(row[0]));
  EXPECT_NE(std::ranges::find(rows, "Net_0.Sequential_0"), rows.end()) << "layers roll up";
}

TEST(Layers, OfBackwardOpsAreThoseOfTheirForwardOps) {
  const auto c = import_torch_spans(
      kNet + backward("autograd::engine::evaluate_function: ConvolutionBackward0", 200, 40, 7) +
      backward("ConvolutionBackward0", 205, 30, 7) + span("cpu_op", "aten::convolution_backward", 1, 210, 20) +
      span("cpu_op", "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", 1, 300, 9));
  ASSERT_NE(c, nullptr);
  for (const char* call : {"autograd::engine::evaluate_function: ConvolutionBackward0", "ConvolutionBackward0",
                           "aten::convolution_backward"}) {
    EXPECT_EQ(layer_of(*c, call), "Net_0.Sequential_0.Conv2d_1") << call;
    EXPECT_EQ(op_called(*c, call)->phase, Phase::backward) << call;
  }
  EXPECT_EQ(layer_of(*c, "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad"), "")
      << "of which layer is not said";
  EXPECT_NE(notes(*c).find("3 calls of the backward pass have the layer of their forward op"), std::string::npos)
      << notes(*c);
}

/// A module that calls backward() is around all of it; modules that run again inside a backward op are around theirs.
TEST(Layers, OfBackwardOpsAreNotWhatCalledThem) {
  const auto c = import_torch_spans(module("Trainer_0", 0, 1000) + module("Block_0", 10, 50) +
                                    module("Linear_0", 20, 20) + forward("aten::addmm", 22, 9, 5) +
                                    backward("AddmmBackward0", 200, 40, 5) + span("cpu_op", "aten::mm", 1, 210, 5) +
                                    backward("CheckpointBackward", 300, 100, 77) + module("Block_0", 310, 50) +
                                    module("GELU_0", 320, 20) + span("cpu_op", "aten::gelu", 1, 325, 9));
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(layer_of(*c, "aten::addmm"), "Trainer_0.Block_0.Linear_0");
  EXPECT_EQ(layer_of(*c, "aten::mm"), "Trainer_0.Block_0.Linear_0");
  EXPECT_EQ(layer_of(*c, "CheckpointBackward"), "Trainer_0") << "its forward op is not in the trace";
  EXPECT_EQ(layer_of(*c, "aten::gelu"), "Block_0.GELU_0");
}

/// Two threads count their forward ops alike: only the flows say whose gradients are computed.
TEST(Layers, OfBackwardOpsByFlow) {
  const std::string threads = module("First_0", 0, 50, 1) + forward("aten::mul", 10, 9, 5, 1) +
                              module("Second_0", 0, 50, 2) + forward("aten::exp", 11, 9, 5, 2);
  const std::string gradients = backward("MulBackward0", 100, 20, 5, 3) + backward("ExpBackward0", 130, 20, 5, 4) +
                                span("cpu_op", "my_gradient", 5, 160, 20);
  const auto numbers = import_torch_spans(threads + gradients);
  ASSERT_NE(numbers, nullptr);
  EXPECT_EQ(layer_of(*numbers, "MulBackward0"), "") << "no guess";
  const auto flows =
      import_torch_spans(threads + gradients + flow("s", 1, 1, 10) + flow("f", 1, 3, 100) + flow("s", 2, 2, 11) +
                         flow("f", 2, 4, 130) + flow("s", 3, 2, 11) + flow("f", 3, 5, 160));
  ASSERT_NE(flows, nullptr);
  EXPECT_EQ(layer_of(*flows, "MulBackward0"), "First_0");
  EXPECT_EQ(layer_of(*flows, "ExpBackward0"), "Second_0");
  EXPECT_EQ(layer_of(*flows, "my_gradient"), "Second_0");
  EXPECT_EQ(op_called(*flows, "my_gradient")->phase, Phase::backward) << "its name does not say it";
}

TEST(Layers, WithoutModulesAreTheNamedRanges) {
  const auto c = import_torch_spans(
      range("ProfilerStep#3", 0, 900) + range("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 5, 20) +
      span("cpu_op", "aten::stack", 1, 10, 5) + range("fwd", 100, 100) + range("seq", 110, 50) +
      forward("aten::tanh", 120, 9, 3) + range("nccl:all_reduce", 170, 20) +
      span("cpu_op", "c10d::allreduce_", 1, 175, 5) + range("Optimizer.step#SGD.step", 300, 50) +
      span("cpu_op", "aten::_foreach_add_", 1, 310, 9) + backward("TanhBackward0", 400, 20, 3));
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(layer_of(*c, "aten::tanh"), "fwd.seq");
  EXPECT_EQ(layer_of(*c, "TanhBackward0"), "fwd.seq");
  EXPECT_EQ(layer_of(*c, "c10d::allreduce_"), "fwd");
  EXPECT_EQ(layer_of(*c, "aten::stack"), "");
  EXPECT_EQ(layer_of(*c, "aten::_foreach_add_"), "");
  EXPECT_EQ(op_called(*c, "aten::_foreach_add_")->phase, Phase::update);
  EXPECT_NE(notes(*c).find("2 calls without such frames have the named ranges (record_function) around them"),
            std::string::npos)
      << notes(*c);
}

TEST(Layers, ModulesCountBeforeRanges) {
  const auto c = import_torch_spans(range("fwd", 0, 100) + module("Net_0", 10, 50) + range("head", 20, 20) +
                                    span("cpu_op", "aten::mm", 1, 25, 5) + span("cpu_op", "aten::sum", 1, 80, 5));
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(layer_of(*c, "aten::mm"), "Net_0");
  EXPECT_EQ(layer_of(*c, "aten::sum"), "fwd");
}

/// Neither deep ranges nor modules that call themselves make long paths.
TEST(Layers, PathsStayShort) {
  constexpr int kDeep = 2000;
  std::string deep, same;
  for (int i = 0; i < kDeep; ++i)
    deep += range("r" + std::to_string(i), i, 2 * kDeep + 10 - 2 * i),
        same += module("Tree_0", i, 2 * kDeep + 10 - 2 * i);
  const auto ranges = import_torch_spans(deep + span("cpu_op", "aten::mm", 1, kDeep, 5));
  ASSERT_NE(ranges, nullptr);
  EXPECT_EQ(std::ranges::count(layer_of(*ranges, "aten::mm"), '.'), 63);
  const auto modules = import_torch_spans(same + span("cpu_op", "aten::mm", 1, kDeep, 5));
  ASSERT_NE(modules, nullptr);
  EXPECT_EQ(layer_of(*modules, "aten::mm"), "Tree_0");
}

/// What no rule knows is unknown, though other calls are inside; what is counted inside, or only moves elements, is 0.
TEST(FlopsOfOpsThatHoldOthers, AreUnknownUnlessAllOfThemIsKnown) {
  const std::string shapes = R"("Input Dims":[[4,4],[4,4]],"Input type":["float","float"])";
  const auto c = import_torch_spans(
      span("cpu_op", "aten::erfinv", 1, 0, 10, shapes) + span("cpu_op", "aten::polygamma", 1, 2, 5, shapes) +
      span("cpu_op", "aten::logcumsumexp", 1, 20, 10, shapes) + span("cpu_op", "aten::as_strided", 1, 22, 2) +
      span("cpu_op", "aten::fill_", 1, 25, 2) + span("cpu_op", "aten::gru", 1, 40, 30, shapes) +
      span("cpu_op", "aten::mm", 1, 42, 5, shapes) + span("cpu_op", "aten::digamma_", 1, 50, 5, shapes) +
      span("cpu_op", "my::product", 1, 80, 10) + span("cpu_op", "aten::mul", 1, 82, 5, shapes) +
      span("cpu_op", "aten::clone", 1, 100, 10) + span("cpu_op", "aten::copy_", 1, 102, 5) +
      span("cpu_op", "autograd::engine::evaluate_function: ReluBackward0", 1, 120, 20) +
      span("cpu_op", "my::Backward", 1, 122, 10) + span("cpu_op", "aten::lgamma", 1, 124, 5, shapes));
  ASSERT_NE(c, nullptr);
  for (const char* unknown : {"aten::erfinv", "aten::polygamma", "aten::logcumsumexp", "aten::gru", "aten::digamma_",
                              "my::Backward", "aten::lgamma"}) {
    EXPECT_TRUE(std::isnan(op_called(*c, unknown)->flops)) << unknown << " " << op_called(*c, unknown)->flops;
  }
  for (const char* nothing : {"aten::as_strided", "aten::fill_", "my::product", "aten::clone", "aten::copy_",
                              "autograd::engine::evaluate_function: ReluBackward0"}) {
    EXPECT_EQ(op_called(*c, nothing)->flops, 0) << nothing;
  }
  EXPECT_EQ(op_called(*c, "aten::mm")->flops, 2 * 4 * 4 * 4);
  EXPECT_EQ(op_called(*c, "aten::mul")->flops, 16);
}

}  // namespace
