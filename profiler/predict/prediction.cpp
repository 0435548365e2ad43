// SPDX-License-Identifier: Apache-2.0
// Captured ops as kernels of a modelled GPU.
#include "profiler/predict/prediction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "engine/ops/ops.h"
#include "profiler/base/say.h"
#include "profiler/memory/op_access.h"
#include "profiler/memory/traffic_bounds.h"
#include "profiler/predict/captured_work.h"
#include "profiler/predict/gpu_kernel.h"

namespace profiler {
namespace {

constexpr double kStreamError = 0.2;      // of modelled bytes beyond the last cache
constexpr double kMostFlopsPerByte = 64;  // a stream with more arithmetic than this is no stream

using Shape = std::vector<int64_t>;

/// lstm, gru, rnn (x [T, B, I], w [D, gates H, I], r [D, gates H, H]): the product with all inputs, then step after
/// step.
std::optional<GpuTime> recurrent_of(const ModelledGpu& gpu, const CapturedOperands& o) {
  if (o.in.size() < 3) return {};
  const Shape &x = o.in[0]->shape, &w = o.in[1]->shape, &r = o.in[2]->shape;
  if (x.size() != 3 || w.size() != 3 || r.size() != 3 || !countable(x) || !countable(w) || !countable(r) ||
      r[1] % r[2] != 0 || w[1] != r[1] || w[2] != x[2])
    return {};
  const GpuTime input =
      product_time(gpu, {.rows = w[1], .columns = x[0] * x[1], .depth = x[2], .left_transposed = true});
  GpuTime time = recurrent_time(gpu, {.gates = r[1] / r[2], .hidden = r[2], .batch = x[1], .steps = x[0]});
  const double directions = static_cast<double>(r[0]);
  const auto sum = [&](double GpuTime::*part) { time.*part = directions * (time.*part + input.*part); };
  for (const auto part : {&GpuTime::ns, &GpuTime::compute_ns, &GpuTime::dram_ns, &GpuTime::l2_ns, &GpuTime::launch_ns,
                          &GpuTime::dram_bytes, &GpuTime::l2_bytes})
    sum(part);
  time.how = say("inputs at once, then ") + time.how;
  return time;
}

bool all_f32(const CapturedOperands& o) {
  const auto f32 = [](const TensorRecord* t) { return t->dtype == engine::DType::float32 || t->shape.size() < 2; };
  return std::ranges::all_of(o.in, f32) && std::ranges::all_of(o.out, f32);
}

bool is_one_of(std::string_view type, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, type) != names.end();
}

PredictedOp unknown(OpId op, std::string why) {
  return {.op = op, .known = false, .time = {}, .error = 0, .note = say("not modelled: ") + std::move(why)};
}
PredictedOp known(OpId op, GpuTime time, double error) {
  std::string how = time.how;
  return {.op = op, .known = true, .time = std::move(time), .error = error, .note = std::move(how)};
}

/// A product whose tiles fill the GPU computes at the library's efficiency and the sustained clock.
GpuTime filled(GpuTime time, const ModelledGpu& gpu, double flops, double efficiency) {
  const double rate = 2.0 * gpu.multiprocessors * gpu.lanes * gpu.sustained_hz() * efficiency;
  time.peak_ns = flops > 0 ? flops / rate * kNsPerS : 0;
  return time;
}

PredictedOp stream_of(const Capture& capture, const OpRecord& op, std::string_view type, const ModelledGpu& gpu) {
  const TrafficBounds bounds = traffic_bounds(capture, op, kUnknownBytes);
  if (std::isnan(bounds.compulsory())) return unknown(op.id, say("its bytes are unknown"));
  if (op.flops > kMostFlopsPerByte * std::max(1.0, bounds.compulsory()))
    return unknown(op.id, say("more arithmetic than bytes, and no tiles of this op are known"));
  const int sweeps = sweeps_over_inputs(type);
  return known(op.id, stream_time(gpu, sweeps * bounds.compulsory_read, bounds.compulsory_written, sweeps),
               kStreamError);
}

PredictedOp predict_op(const Capture& capture, const OpRecord& op, const ModelledGpu& gpu) {
  const std::string_view whole = capture.name(op.type), type = whole.substr(0, whole.find('+'));
  if (is_one_of(type,
                {"to_device", "round_trip", "load_batch", "pointer_chase", "multiply_add_chain", "divergent_chain"}))
    return unknown(op.id, say("its time is not that of a kernel on the device's memory"));
  if (is_one_of(type, {"solve", "inverse", "determinant", "cholesky", "eigh", "svd", "qr"}))
    return unknown(op.id, say("decompositions wait for their own steps; neither bytes nor tiles give their time"));
  const engine::Op* described = engine::find_op(type);
  const bool product = is_product(type), recurrent = is_one_of(type, {"lstm", "gru", "rnn"});
  const auto pass = convolution_pass(type);
  if (!product && !pass && !recurrent) {
    if ((described != nullptr && described->matrix_product) || is_matrix_product(type) ||
        is_one_of(type, {"lstm_grad", "gru_grad", "rnn_grad"}))
      return unknown(op.id, say("its kernels were not compared with measurements"));
    return stream_of(capture, op, type, gpu);
  }
  const CapturedOperands operands = captured_operands(capture, op);
  if (!all_f32(operands)) return unknown(op.id, say("only f32 GEMMs were compared with measurements"));
  const std::string kStrange = say("its shapes are not those of such an op");
  if (recurrent) {
    const auto time = recurrent_of(gpu, operands);
    return time ? known(op.id, *time, gpu.errors.recurrent) : unknown(op.id, kStrange);
  }
  if (pass) {
    const auto convolution = captured_convolution(capture, op);
    if (!convolution) return unknown(op.id, kStrange);
    if (convolution->groups > 1 && convolution->groups == convolution->channels) {
      PredictedOp depthwise = stream_of(capture, op, type, gpu);
      depthwise.note += say(": depthwise, by its bytes; not compared with measurements");
      return depthwise;
    }
    const double efficiency = gpu.library.convolution_efficiency *
                              (*pass == ConvolutionPass::weight_gradient ? gpu.library.weight_gradient_ratio : 1);
    return known(op.id, filled(convolution_time(gpu, *convolution, *pass), gpu, op.flops, efficiency),
                 *pass == ConvolutionPass::forward ? gpu.errors.convolution : gpu.errors.gradient);
  }
  const auto shape = captured_product(capture, op);
  return shape ? known(op.id, filled(product_time(gpu, *shape), gpu, op.flops, gpu.library.efficiency),
                       gpu.errors.product)
               : unknown(op.id, kStrange);
}

}  // namespace

double Prediction::step_ns() const {
  return unknown_ops == 0 && modelled_ns > 0 ? modelled_ns : std::numeric_limits<double>::quiet_NaN();
}

Prediction predict(const Capture& capture, const ModelledGpu& gpu) {
  Prediction p{.gpu = gpu, .ops = {}};
  std::array<double, kGpuLimits> by_limit{};
  for (const OpRecord& op : capture.ops()) {
    if (op.view) continue;
    PredictedOp one = predict_op(capture, op, gpu);
    if (one.known) {
      p.modelled_ns += one.time.ns;
      p.error += one.error * one.time.ns;
      by_limit[static_cast<size_t>(one.time.limit())] += one.time.ns;
    } else {
      ++p.unknown_ops;
      p.unknown_flops += op.flops;
    }
    p.ops.push_back(std::move(one));
  }
  if (!(p.modelled_ns > 0)) return p;
  p.error /= p.modelled_ns;
  const auto most = std::ranges::max_element(by_limit);
  p.limit = static_cast<GpuLimit>(most - by_limit.begin());
  p.limit_share = *most / p.modelled_ns;
  return p;
}

}  // namespace profiler
