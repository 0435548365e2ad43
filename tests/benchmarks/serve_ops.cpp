// SPDX-License-Identifier: Apache-2.0
// Cases of one op, or of a few in a row.
#include <fmt/format.h>

#include <set>

#include "engine/cpu/backend.h"
#include "engine/ops/attention.h"
#include "engine/ops/fusion.h"
#include "engine/ops/gradients.h"
#include "engine/ops/norms.h"
#include "engine/ops/op_list.h"
#include "engine/ops/ops.h"
#include "engine/ops/recurrent.h"
#include "engine/runtime/plan.h"
#include "serve_cases.h"

namespace benchmarks {
namespace {

using engine::GraphBuilder;
using engine::kNoValue;
using engine::Shape;
using engine::TensorType;
using engine::ValueId;

const engine::Fill kFill{engine::Fill::Kind::uniform, -1, 1};

TensorType rows(Shape shape) { return TensorType::contiguous(engine::DType::float32, std::move(shape)); }
TensorType images(Shape shape) { return TensorType::channels_last(engine::DType::float32, std::move(shape)); }

ValueId input(GraphBuilder& builder, const char* name, Shape shape) {
  return builder.input(name, rows(std::move(shape)), kFill);
}
ValueId weight(GraphBuilder& builder, const char* name, Shape shape) {
  return builder.parameter(name, rows(std::move(shape)), kFill);
}

ValueId gemm(GraphBuilder& builder, CaseText& text) {
  const int64_t m = text.count("m"), n = text.count("n"), k = text.count("k");
  const engine::DType dtype =
      text.choice("dtype", "f32 bf16") == "bf16" ? engine::DType::bfloat16 : engine::DType::float32;
  const auto matrix = [&](const char* name, Shape shape) {
    return builder.input(name, TensorType::contiguous(dtype, std::move(shape)), kFill);
  };
  return engine::ops::matmul(builder, matrix("a", {m, k}), matrix("b", {k, n}));
}

ValueId linear(GraphBuilder& builder, CaseText& text) {
  const int64_t batch = text.count("batch"), in = text.count("in"), out = text.count("out");
  return engine::ops::linear(builder, input(builder, "x", {batch, in}), weight(builder, "weight", {out, in}), kNoValue);
}

ValueId conv(GraphBuilder& builder, CaseText& text) {
  const int64_t batch = text.count("batch"), channels = text.count("channels"), out = text.count("out");
  const int64_t kernel = text.count("kernel"), stride = text.count("stride"), side = text.count("image");
  const std::string pass = text.choice("pass", "forward data weights");
  const int64_t out_side = (side + 2 * (kernel / 2) - kernel) / stride + 1;
  const int64_t padding = kernel / 2;
  engine::ops::Conv2dOptions options;
  options.stride = {stride, stride};
  options.padding.fill(padding);
  const TensorType x_type = images({batch, channels, side, side});
  const Shape weight_shape{out, channels, kernel, kernel};
  if (pass == "forward") {
    return engine::ops::conv2d(builder, builder.input("x", x_type, kFill), weight(builder, "weight", weight_shape),
                               kNoValue, options);
  }
  const ValueId dy = builder.input("dy", images({batch, out, out_side, out_side}), kFill);
  engine::Attributes attributes{{"stride", std::vector<int64_t>{stride, stride}},
                                {"padding", std::vector<int64_t>(4, padding)},
                                {"dilation", std::vector<int64_t>{1, 1}},
                                {"groups", int64_t{1}}};
  if (pass == "data") {
    engine::ops::set_result_type(attributes, "input", x_type);
    return builder.append1(engine::ops::kConv2dGradInput, {dy, weight(builder, "weight", weight_shape)}, attributes);
  }
  engine::ops::set_result_type(attributes, "weight", rows(weight_shape));
  return builder.append1(engine::ops::kConv2dGradWeight, {dy, builder.input("x", x_type, kFill)}, attributes);
}

/// A tensor of `bytes` bytes of f32 as a matrix with rows of 1024.
Shape shape_of_bytes(CaseText& text) {
  const int64_t floats = text.count("bytes", kMostBytes) / 4;
  return floats % 1024 == 0 && floats > 0 ? Shape{floats / 1024, 1024} : Shape{floats};
}

ValueId elementwise(GraphBuilder& builder, CaseText& text) {
  const Shape shape = shape_of_bytes(text);
  const std::string op = text.choice("op", "relu add sigmoid");
  const ValueId x = input(builder, "x", shape);
  if (op == "relu") return engine::ops::relu(builder, x);
  if (op == "sigmoid") return engine::ops::sigmoid(builder, x);
  return engine::ops::add(builder, x, input(builder, "y", shape));
}

ValueId chain(GraphBuilder& builder, CaseText& text) {
  const Shape shape = shape_of_bytes(text);
  const ValueId x = input(builder, "x", shape), b = input(builder, "b", {shape.back()}), z = input(builder, "z", shape);
  const ValueId line = engine::ops::add(builder, engine::ops::scale(builder, x, 2), b);
  return engine::ops::sigmoid(builder, engine::ops::add(builder, engine::ops::relu(builder, line), z));
}

ValueId softmax(GraphBuilder& builder, CaseText& text) {
  const int64_t height = text.count("rows"), width = text.count("columns");
  return engine::ops::softmax(builder, input(builder, "x", {height, width}), 1);
}

ValueId layer_norm(GraphBuilder& builder, CaseText& text) {
  const int64_t height = text.count("rows"), width = text.count("columns");
  return engine::ops::layer_norm(builder, input(builder, "x", {height, width}), weight(builder, "scale", {width}),
                                 weight(builder, "bias", {width}));
}

ValueId attention(GraphBuilder& builder, CaseText& text) {
  const Shape shape{text.count("batch"), text.count("heads"), text.count("length"), text.count("depth")};
  return engine::ops::attention(builder, input(builder, "q", shape), input(builder, "k", shape),
                                input(builder, "v", shape), kNoValue);
}

ValueId lstm(GraphBuilder& builder, CaseText& text) {
  const int64_t steps = text.count("steps"), batch = text.count("batch"), inputs = text.count("inputs"),
                hidden = text.count("hidden");
  engine::ops::RecurrentOptions options;
  options.training = false;
  return engine::ops::lstm(builder, input(builder, "x", {steps, batch, inputs}),
                           weight(builder, "w", {1, 4 * hidden, inputs}), weight(builder, "r", {1, 4 * hidden, hidden}),
                           weight(builder, "bias", {1, 4 * hidden}), kNoValue, kNoValue, options)
      .y;
}

struct Entry {
  const char* name;
  ValueId (*build)(GraphBuilder&, CaseText&);
};
constexpr Entry kEntries[] = {{"gemm", gemm},
                              {"linear", linear},
                              {"conv", conv},
                              {"elementwise", elementwise},
                              {"chain", chain},
                              {"softmax", softmax},
                              {"layer_norm", layer_norm},
                              {"attention", attention},
                              {"lstm", lstm}};

}  // namespace

std::optional<engine::Result<Timed>> op_case(Devices& devices, CaseText& text) {
  for (const Entry& entry : kEntries) {
    if (text.name() != entry.name) continue;
    const bool fused = text.name() == "chain" && text.choice("fuse", "on off") == "on";
    const bool own = text.name() == "gemm" && text.choice("rung", "plan own") == "own";
    GraphBuilder builder;
    builder.mark_output(entry.build(builder, text));
    if (auto checked = text.check(); !checked) return checked.error();
    auto graph = builder.finish();
    if (!graph) return graph.error();
    if (fused) *graph = engine::fuse(*graph);
    return timed_plan(std::move(*graph), own ? *devices.own : *devices.plan);
  }
  return std::nullopt;
}

engine::Result<Timed> timed_plan(engine::Graph graph, engine::Backend& backend, engine::Observer* observer) {
  auto made = engine::Plan::make(std::make_shared<const engine::Graph>(std::move(graph)), backend);
  if (!made) return made.error();
  const std::shared_ptr<engine::Plan> plan = std::move(*made);
  std::set<std::string> kernels;
  int ops = 0;
  for (const engine::Node& node : plan->graph().nodes()) {
    if (node.op->view != nullptr) continue;
    ++ops;
    kernels.insert(plan->kernel_name(node.id));
  }
  std::string note = fmt::format("{} op{}", ops, ops == 1 ? "" : "s");
  if (ops <= 8) note += fmt::format(": {}", fmt::join(kernels, " + "));
  return repeated([plan, observer] { plan->run_step(0, observer); }, std::move(note));
}

engine::Result<Devices> make_devices(int threads, bool measure) {
  using engine::MatmulTiming;
  const std::vector<MatmulTiming> timings =
      measure ? engine::cpu::measure_matmul(threads) : std::vector<MatmulTiming>{};
  auto plan = engine::cpu::make_backend(engine::cpu::BackendOptions{
      .threads = threads,
      .matmul_timings = timings,
      .winograd_timings = measure ? engine::cpu::measure_winograd() : std::vector<engine::WinogradTiming>{}});
  auto direct = engine::cpu::make_backend(engine::cpu::BackendOptions{
      .threads = threads, .matmul_timings = timings, .winograd = engine::WinogradUse::never});
  if (!plan) return plan.error();
  if (!direct) return direct.error();
  MatmulTiming own_wins;
  own_wins.m = own_wins.n = own_wins.k = 2;  // 1 would speak for vectors alone
  own_wins.threads = (*plan)->threads();
  own_wins.own_ns = 1;
  own_wins.onednn_ns = own_wins.openblas_ns = 1e9;
  auto own = engine::cpu::make_backend(engine::cpu::BackendOptions{.threads = threads, .matmul_timings = {own_wins}});
  if (!own) return own.error();
  Devices devices{std::move(*plan), std::move(*own), std::move(*direct), own_wins.threads};
  return devices;
}

engine::Result<Timed> make_case(Devices& devices, CaseText& text) {
  for (const auto room : {op_case, net_case, overhead_case, hardware_case}) {
    if (auto timed = room(devices, text)) return *std::move(timed);
  }
  return engine::usage_error("no case named " + text.name());
}

}  // namespace benchmarks
