// SPDX-License-Identifier: Apache-2.0
// Captured ops as kernels of a modelled GPU. A file may say anything: shapes are held against each other before they are used.
#include "profiler/predict/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <variant>

#include "engine/ops/ops.h"
#include "profiler/memory/op_access.h"
#include "profiler/memory/traffic_bounds.h"
#include "profiler/predict/gpu_convolution.h"

namespace profiler {
namespace {

constexpr double kStreamError = 0.2;     // of modelled bytes beyond the last cache
constexpr double kMostFlopsPerByte = 64; // a stream with more arithmetic than this is no stream
constexpr int64_t kLargestExtent = int64_t{1} << 40;

using Shape = std::vector<int64_t>;

/// What one op is made of: tensors in and out, as far as the capture has them.
struct Operands {
  std::vector<const TensorRecord*> in, out;
};
Operands operands_of(const Capture& capture, const OpRecord& op) {
  Operands found;
  for (const OperandRecord& o : capture.operands(op)) (o.output ? found.out : found.in).push_back(&capture.tensors()[o.tensor]);
  return found;
}

bool sound(const Shape& shape) {
  double elements = 1;
  for (const int64_t extent : shape) elements *= static_cast<double>(extent);
  return !shape.empty() && std::ranges::all_of(shape, [](int64_t e) { return e > 0; }) && elements < static_cast<double>(kLargestExtent);
}

bool all_f32(const Operands& o) {
  const auto f32 = [](const TensorRecord* t) { return t->dtype == engine::DType::float32 || t->shape.size() < 2; };
  return std::ranges::all_of(o.in, f32) && std::ranges::all_of(o.out, f32);
}

std::vector<int64_t> list_of(const Capture& capture, OpId op, std::string_view key, std::vector<int64_t> otherwise) {
  const auto& items = capture.attributes(op).items();
  const auto found = items.find(key);
  const auto* list = found == items.end() ? nullptr : std::get_if<std::vector<int64_t>>(&found->second);
  const bool usable = list != nullptr && list->size() >= otherwise.size() && std::ranges::all_of(*list, [](int64_t x) { return x > 0; });
  return usable ? *list : otherwise;
}

int64_t whole_of(const Capture& capture, OpId op, std::string_view key, int64_t otherwise) {
  const auto& items = capture.attributes(op).items();
  const auto found = items.find(key);
  const auto* number = found == items.end() ? nullptr : std::get_if<int64_t>(&found->second);
  return number != nullptr && *number > 0 ? *number : otherwise;
}

/// Whether the last axis does not lie at stride 1 but the one before it does.
bool lies_along_rows(const TensorRecord& t) {
  const size_t rank = t.strides.size();
  return rank >= 2 && rank == t.shape.size() && t.strides[rank - 2] == 1 && t.strides[rank - 1] != 1;
}

/// matmul(a [..., m, k], b [..., k, n]) and linear(x [..., k], weight [n, k]), row-major: the transposed product, column-major.
std::optional<GpuProduct> product_of(std::string_view type, const Operands& o) {
  if (o.in.size() < 2 || o.out.empty()) return {};
  const TensorRecord &a = *o.in[0], &b = *o.in[1], &c = *o.out[0];
  if (a.shape.size() < 2 || b.shape.size() < 2 || c.shape.size() < 2 || !sound(a.shape) || !sound(b.shape) || !sound(c.shape)) return {};
  const bool linear = type == "linear";
  GpuProduct p{.rows = c.shape.back(), .columns = c.shape[c.shape.size() - 2], .depth = a.shape.back()};
  if (b.shape[b.shape.size() - (linear ? 1 : 2)] != p.depth) return {};
  int64_t leading = 1;
  for (size_t i = 0; i + 2 < c.shape.size(); ++i) leading *= c.shape[i];
  (b.shape.size() == 2 ? p.columns : p.batch) *= leading;
  p.left_transposed = linear != lies_along_rows(b);
  p.right_transposed = lies_along_rows(a);
  return p;
}

std::optional<ConvolutionPass> pass_of(std::string_view type) {
  if (type == "conv2d") return ConvolutionPass::forward;
  if (type == "conv2d_grad_input") return ConvolutionPass::input_gradient;
  if (type == "conv2d_grad_weight") return ConvolutionPass::weight_gradient;
  return {};
}

std::optional<GpuConvolution> convolution_of(const Capture& capture, OpId op, ConvolutionPass pass, const Operands& o) {
  if (o.in.size() < 2 || o.out.empty()) return {};
  const TensorRecord *x = o.in[0], *w = o.in[1], *y = o.out[0];
  if (pass == ConvolutionPass::input_gradient) y = o.in[0], x = o.out[0];
  if (pass == ConvolutionPass::weight_gradient) y = o.in[0], x = o.in[1], w = o.out[0];
  for (const TensorRecord* t : {x, w, y}) {
    if (t->shape.size() != 4 || !sound(t->shape)) return {};
  }
  const auto stride = list_of(capture, op, "stride", {1, 1});
  const GpuConvolution c{.batch = x->shape[0], .channels = x->shape[1], .filters = y->shape[1], .height = x->shape[2], .width = x->shape[3], .out_height = y->shape[2],
                         .out_width = y->shape[3], .kernel_height = w->shape[2], .kernel_width = w->shape[3], .stride_height = stride[0], .stride_width = stride[1],
                         .groups = whole_of(capture, op, "groups", 1)};
  const bool fits = y->shape[0] == c.batch && w->shape[0] == c.filters && c.groups <= c.channels && w->shape[1] == c.channels / c.groups;
  return fits ? std::optional(c) : std::nullopt;
}

/// lstm, gru, rnn (x [T, B, I], w [D, gates H, I], r [D, gates H, H]): the product with all inputs, then step after step.
std::optional<GpuTime> recurrent_of(const ModelledGpu& gpu, const Operands& o) {
  if (o.in.size() < 3) return {};
  const Shape &x = o.in[0]->shape, &w = o.in[1]->shape, &r = o.in[2]->shape;
  if (x.size() != 3 || w.size() != 3 || r.size() != 3 || !sound(x) || !sound(w) || !sound(r) || r[1] % r[2] != 0 || w[1] != r[1] || w[2] != x[2]) return {};
  const GpuTime input = product_time(gpu, {.rows = w[1], .columns = x[0] * x[1], .depth = x[2], .left_transposed = true});
  GpuTime time = recurrent_time(gpu, {.gates = r[1] / r[2], .hidden = r[2], .batch = x[1], .steps = x[0]});
  const double directions = static_cast<double>(r[0]);
  const auto sum = [&](double GpuTime::*part) { time.*part = directions * (time.*part + input.*part); };
  for (const auto part : {&GpuTime::ns, &GpuTime::compute_ns, &GpuTime::dram_ns, &GpuTime::l2_ns, &GpuTime::launch_ns, &GpuTime::dram_bytes, &GpuTime::l2_bytes}) sum(part);
  time.how = "inputs at once, then " + time.how;
  return time;
}

bool is_one_of(std::string_view type, std::initializer_list<std::string_view> names) { return std::ranges::find(names, type) != names.end(); }

PredictedOp unknown(OpId op, std::string why) { return {.op = op, .known = false, .time = {}, .error = 0, .note = "not modelled: " + std::move(why)}; }
PredictedOp known(OpId op, GpuTime time, double error) {
  std::string how = time.how;
  return {.op = op, .known = true, .time = std::move(time), .error = error, .note = std::move(how)};
}

PredictedOp stream_of(const Capture& capture, const OpRecord& op, std::string_view type, const ModelledGpu& gpu) {
  const TrafficBounds bounds = traffic_bounds(capture, op, kUnknownBytes);
  if (std::isnan(bounds.compulsory())) return unknown(op.id, "its bytes are unknown");
  if (op.flops > kMostFlopsPerByte * std::max(1.0, bounds.compulsory())) return unknown(op.id, "more arithmetic than bytes, and no tiles of this op are known");
  const int sweeps = sweeps_over_inputs(type);
  return known(op.id, stream_time(gpu, sweeps * bounds.compulsory_read, bounds.compulsory_written, sweeps), kStreamError);
}

PredictedOp predict_op(const Capture& capture, const OpRecord& op, const ModelledGpu& gpu) {
  const std::string_view whole = capture.name(op.type), type = whole.substr(0, whole.find('+'));
  if (is_one_of(type, {"to_device", "load_batch", "pointer_chase", "multiply_add_chain"})) return unknown(op.id, "its time is not that of a kernel on the device's memory");
  const engine::Op* described = engine::find_op(type);
  const bool product = type == "matmul" || type == "linear" || type == "ladder_product", recurrent = is_one_of(type, {"lstm", "gru", "rnn"});
  const auto pass = pass_of(type);
  if (!product && !pass && !recurrent) {
    if ((described != nullptr && described->matrix_product) || is_matrix_product(type) || is_one_of(type, {"lstm_grad", "gru_grad", "rnn_grad"}))
      return unknown(op.id, "its kernels have not been held against measurements");
    return stream_of(capture, op, type, gpu);
  }
  const Operands operands = operands_of(capture, op);
  if (!all_f32(operands)) return unknown(op.id, "products of f32 alone were held against measurements");
  constexpr const char* kStrange = "its shapes are not those of such an op";
  if (recurrent) {
    const auto time = recurrent_of(gpu, operands);
    return time ? known(op.id, *time, gpu.errors.recurrent) : unknown(op.id, kStrange);
  }
  if (pass) {
    const auto convolution = convolution_of(capture, op.id, *pass, operands);
    if (!convolution) return unknown(op.id, kStrange);
    return known(op.id, convolution_time(gpu, *convolution, *pass), *pass == ConvolutionPass::forward ? gpu.errors.convolution : gpu.errors.gradient);
  }
  const auto shape = product_of(type, operands);
  return shape ? known(op.id, product_time(gpu, *shape), gpu.errors.product) : unknown(op.id, kStrange);
}

}  // namespace

Prediction predict(const Capture& capture, const ModelledGpu& gpu) {
  Prediction p{.gpu = gpu, .ops = {}};
  std::array<double, 4> by_limit{};
  for (const OpRecord& op : capture.ops()) {
    if (op.view) continue;
    PredictedOp one = predict_op(capture, op, gpu);
    if (one.known) {
      p.step_ns += one.time.ns;
      p.error += one.error * one.time.ns;
      by_limit[static_cast<size_t>(one.time.limit())] += one.time.ns;
    } else {
      ++p.unknown_ops;
      p.unknown_flops += op.flops;
    }
    p.ops.push_back(std::move(one));
  }
  if (!(p.step_ns > 0)) return p;
  p.error /= p.step_ns;
  const auto most = std::ranges::max_element(by_limit);
  p.limit = static_cast<GpuLimit>(most - by_limit.begin());
  p.limit_share = *most / p.step_ns;
  return p;
}

}  // namespace profiler
