// SPDX-License-Identifier: Apache-2.0
// Batch, layer, root-mean-square and group normalisation made ready.
#include "engine/cuda/norms.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/cuda/kernels.h"

namespace engine::cuda {
namespace {

bool is_row_major(const Tensor& tensor) { return is_contiguous(tensor.shape(), tensor.strides()); }

// ---- per channel
// -----------------------------------------------------------------------------------------------------------------

struct BatchEntry {
  std::string_view op;
  BatchNormKind kind;
  int x, dy, scale, bias, mean, variance;  ///< positions among the inputs; -1: none
};
constexpr BatchEntry kBatchEntries[] = {
    {"batch_norm_training", BatchNormKind::training, 0, -1, 1, 2, -1, -1},
    {"batch_norm_grad", BatchNormKind::gradient, 1, 0, 4, -1, 2, 3},
    {"batch_norm_inference", BatchNormKind::inference, 0, -1, 1, 2, 3, 4},
    {"batch_norm_inference_grad", BatchNormKind::inference_gradient, 1, 0, 2, -1, 3, 4},
};

const BatchEntry& batch_entry(std::string_view op) { return *std::ranges::find(kBatchEntries, op, &BatchEntry::op); }

bool channels_are_neighbours(const TensorType& x) { return x.strides[1] == 1 && x.shape[1] > 1; }

SumSpread batch_spread(const TensorType& x, int multiprocessors) {
  return spread_sums(x.shape[1], x.elements() / std::max<int64_t>(1, x.shape[1]), channels_are_neighbours(x),
                     multiprocessors);
}

int64_t batch_workspace(const Context& context, const Node& node, const Call& call) {
  const BatchEntry& entry = batch_entry(node.op->name);
  if (entry.kind == BatchNormKind::inference) return 0;
  const TensorType& x = call.inputs[static_cast<size_t>(entry.x)];
  return spread_bytes(batch_spread(x, context.launcher.multiprocessors), x.shape[1], x.dtype == DType::float64);
}

PreparedKernel prepare_batch_norm(Context& context, const PrepareRequest& request) {
  const BatchEntry& entry = batch_entry(request.node.op->name);
  const auto& inputs = request.arguments.inputs;
  const auto input = [&](int position) { return position < 0 ? Data() : Data(inputs[static_cast<size_t>(position)]); };
  for (const int position : {entry.scale, entry.bias, entry.mean, entry.variance}) {
    if (position >= 0 && !is_row_major(inputs[static_cast<size_t>(position)]))
      return refuse(request, "a vector of channels must be dense");
  }
  const Tensor &x = inputs[static_cast<size_t>(entry.x)], &y = request.arguments.outputs[0];
  const Tensor& dy = entry.dy < 0 ? x : inputs[static_cast<size_t>(entry.dy)];
  BatchNorm b;
  b.kind = entry.kind;
  b.wide = x.dtype() == DType::float64;
  b.x = Data(x);
  b.dy = Data(dy);
  b.y = Data(y);
  b.scale = input(entry.scale);
  b.bias = input(entry.bias);
  b.mean = input(entry.mean);
  b.variance = input(entry.variance);
  for (size_t j = 1; j < request.arguments.outputs.size(); ++j) b.out[j - 1] = Data(request.arguments.outputs[j]);
  b.epsilon = request.node.attributes.get_double("epsilon", 1e-5);
  const Shape channels{x.shape()[1]}, inside = without_axis(x.shape(), 1);
  Strides channel(x.shape().size(), 0);
  channel[1] = 1;
  const auto by_channel =
      make_walk<4>(channels, {Strides{1}, Strides{x.strides()[1]}, Strides{y.strides()[1]}, Strides{dy.strides()[1]}});
  const auto within = make_walk<4>(inside, {without_axis(y.strides(), 1), without_axis(x.strides(), 1),
                                            without_axis(y.strides(), 1), without_axis(dy.strides(), 1)});
  const auto all = make_walk<4>(x.shape(), {y.strides(), x.strides(), dy.strides(), channel});
  if (!by_channel || !within || !all)
    return refuse(request, "the operands have more than 8 axes that cannot be merged");
  b.channel = *by_channel;
  b.inside = *within;
  b.all = *all;
  b.spread = batch_spread(x.type(), context.launcher.multiprocessors);
  b.spread.pairs = request.workspace;
  return launched(context, request, fmt::format("own {} (CUDA)", entry.op),
                  [b](const Launcher& launcher) { return launch(launcher, b); });
}

PreparedKernel prepare_running_update(Context& context, const PrepareRequest& request) {
  const auto& inputs = request.arguments.inputs;
  const Attributes& attributes = request.node.attributes;
  RunningUpdate u;
  u.wide = inputs[0].dtype() == DType::float64;
  u.running_mean = Data(request.arguments.outputs[0]);
  u.running_variance = Data(request.arguments.outputs[1]);
  u.mean = Data(inputs[2]);
  u.inv_std = Data(inputs[3]);
  const Tensor* order[] = {&inputs[2], &inputs[3], &request.arguments.outputs[0], &request.arguments.outputs[1]};
  for (size_t i = 0; i < 4; ++i) u.strides[i] = order[i]->strides()[0];
  u.channels = inputs[0].shape()[0];
  u.epsilon = attributes.get_double("epsilon", 1e-5);
  u.momentum = attributes.get_double("momentum", 0.1);
  u.count = static_cast<double>(attributes.get_int("count", 1));
  return launched(context, request, "own batch_norm_running_update (CUDA)",
                  [u](const Launcher& launcher) { return launch(launcher, u); });
}

// ---- per line
// --------------------------------------------------------------------------------------------------------------------

bool is_gradient(const Node& node) { return node.op->name.ends_with("_grad"); }

/// What the shapes say: statistics and parameters of x.
LineNorm lines_of(const Node& node, const TensorType& x) {
  LineNorm n;
  n.gradient = is_gradient(node);
  n.centred = !node.op->name.starts_with("rms_norm");
  n.wide = x.dtype == DType::float64;
  if (node.op->name.starts_with("group_norm")) {
    const int64_t groups = node.attributes.get_int("groups", 1);
    n.lines = x.shape[0] * groups;
    n.period = groups;
    n.per_line = x.shape[1] / groups;
  } else {
    const int64_t axis = node.attributes.get_int("axis", -1);
    n.lines = n.per_line = 1;
    for (int64_t i = 0; i < x.rank(); ++i) {
      (i < (axis < 0 ? axis + x.rank() : axis) ? n.lines : n.per_line) *= x.shape[static_cast<size_t>(i)];
    }
  }
  n.length = n.lines == 0 ? 0 : x.elements() / n.lines;
  n.inner = n.per_line == 0 ? 1 : n.length / n.per_line;
  return n;
}

SumSpread line_spread(const LineNorm& n, const TensorType& x, int multiprocessors) {
  const bool columns = n.inner == 1 || (x.shape.size() > 1 && channels_are_neighbours(x));
  return spread_sums(n.period * n.per_line, n.lines / n.period * n.inner, columns, multiprocessors);
}

int64_t line_workspace(const Context& context, const Node& node, const Call& call) {
  if (!is_gradient(node)) return 0;
  const LineNorm n = lines_of(node, call.inputs[1]);
  return spread_bytes(line_spread(n, call.inputs[1], context.launcher.multiprocessors), n.period * n.per_line, n.wide);
}

PreparedKernel prepare_line_norm(Context& context, const PrepareRequest& request) {
  const auto &inputs = request.arguments.inputs, &outputs = request.arguments.outputs;
  const bool gradient = is_gradient(request.node);
  const Tensor &x = inputs[gradient ? 1 : 0], &dy = inputs[0], &y = outputs[0];
  for (size_t i = 2; gradient && i + 1 < inputs.size(); ++i) {
    if (!is_row_major(inputs[i])) return refuse(request, "statistics must be row-major");
  }
  const Tensor &scale = inputs[gradient ? inputs.size() - 1 : 1],
               &bias = !gradient && inputs.size() > 2 ? inputs[2] : scale;
  LineNorm n = lines_of(request.node, x.type());
  n.x = Data(x);
  n.dy = Data(dy);
  n.y = Data(y);
  n.scale = Data(scale);
  n.epsilon = request.node.attributes.get_double("epsilon", 1e-5);
  if (gradient) {
    if (n.centred) n.mean = Data(inputs[2]);
    n.inverse = Data(inputs[n.centred ? 3 : 2]);
    n.dscale = Data(outputs[1]);
    if (n.centred) n.dbias = Data(outputs[2]);
    n.spread = line_spread(n, x.type(), context.launcher.multiprocessors);
    n.spread.pairs = request.workspace;
  } else {
    if (inputs.size() > 2) n.bias = Data(bias);
    if (n.centred) n.mean = Data(outputs[1]);
    n.inverse = Data(outputs.back());
  }
  const auto all = make_logical_walk<3>(x.shape(), {x.strides(), y.strides(), dy.strides()});
  const auto parameters = make_logical_walk<2>(scale.shape(), {scale.strides(), bias.strides()});
  if (!all || !parameters) return refuse(request, "the operands have more than 8 axes that cannot be merged");
  n.all = *all;
  n.parameters = *parameters;
  return launched(context, request, fmt::format("own {} (CUDA)", request.node.op->name),
                  [n](const Launcher& launcher) { return launch(launcher, n); });
}

}  // namespace

SumSpread spread_sums(int64_t groups, int64_t length, bool columns, int multiprocessors) {
  constexpr int64_t kThreadsPerMultiprocessor = 2048, kShortestColumn = 64, kShortestRow = 16 * 1024;  // ours
  SumSpread spread;
  spread.columns = columns;
  const int64_t wanted = columns
                             ? kThreadsPerMultiprocessor * std::max(1, multiprocessors) / std::max<int64_t>(1, groups)
                             : 2 * int64_t{multiprocessors} / std::max<int64_t>(1, groups);
  spread.parts =
      std::clamp<int64_t>(wanted, 1, std::max<int64_t>(1, length / (columns ? kShortestColumn : kShortestRow)));
  return spread;
}

int64_t spread_bytes(const SumSpread& spread, int64_t groups, bool wide) {
  return spread.parts == 1 ? 0 : spread.parts * groups * 2 * (wide ? 8 : 4);
}

std::span<const Kernel> norm_kernels() {
  static const std::vector<Kernel> kernels = [] {
    std::vector<Kernel> all{{"batch_norm_running_update", takes_floats, prepare_running_update}};
    for (const BatchEntry& entry : kBatchEntries)
      all.push_back({entry.op, takes_floats, prepare_batch_norm, batch_workspace});
    for (const char* op :
         {"layer_norm", "layer_norm_grad", "rms_norm", "rms_norm_grad", "group_norm", "group_norm_grad"}) {
      all.push_back({op, takes_floats, prepare_line_norm, line_workspace});
    }
    return all;
  }();
  return kernels;
}

}  // namespace engine::cuda
