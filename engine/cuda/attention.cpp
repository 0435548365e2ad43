// SPDX-License-Identifier: Apache-2.0
// attention and attention_grad made ready.
#include "engine/cuda/attention.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/cuda/kernels.h"

namespace engine::cuda {
namespace {

bool is_gradient(const Node& node) { return node.op->name == "attention_grad"; }

constexpr int64_t kFewestTileQueries = 16, kMostTileFeatures = 128;  // fewer leave most of a tile empty; ours

/// What the shapes say.
Attention attention_of(const Context& context, const Node& node, const TensorType& q, const TensorType& k,
                       const TensorType& v) {
  Attention t;
  t.gradient = is_gradient(node);
  t.wide = q.dtype == DType::float64;
  t.causal = node.attributes.get_int("causal", 0) != 0;
  t.batch = q.shape[0];
  t.heads = q.shape[1];
  t.kv_heads = k.shape[1];
  t.queries = q.shape[2];
  t.keys = k.shape[2];
  t.features = q.shape[3];
  t.value_features = v.shape[3];
  const double scale = node.attributes.get_double("scale", 0);
  t.scale = scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(t.features));
  t.tiled = !context.launcher.on_host && is_floating(q.dtype) && !t.wide && k.dtype == q.dtype && v.dtype == q.dtype &&
            t.queries >= kFewestTileQueries && t.keys > 0 && t.features > 0 && t.features <= kMostTileFeatures &&
            t.value_features <= kMostTileFeatures;
  return t;
}

template <size_t kRank>
void set_strides(int64_t (&strides)[kRank], const Tensor& tensor) {
  for (size_t i = 0; i < kRank; ++i) strides[i] = tensor.strides()[i];
}

void set_mask(Attention& t, const Tensor& mask) {
  t.mask = Data(mask);
  t.boolean_mask = mask.dtype() == DType::boolean;
  const Strides strides = broadcast_strides(mask.shape(), mask.strides(), {t.batch, t.heads, t.queries, t.keys});
  for (size_t i = 0; i < 4; ++i) t.mask_strides[i] = strides[i];
}

void set_mask_gradient(Attention& t, const Tensor& dmask) {
  t.dmask = Data(dmask);
  const size_t missing = 4 - dmask.shape().size();
  for (size_t i = 0; i < dmask.shape().size(); ++i) {
    t.mask_extents[missing + i] = dmask.shape()[i];
    t.dmask_strides[missing + i] = dmask.strides()[i];
  }
}

int64_t attention_workspace(const Context& context, const Node& node, const Call& call) {
  const size_t first = is_gradient(node) ? 1 : 0;
  const Attention t = attention_of(context, node, call.inputs[first], call.inputs[first + 1], call.inputs[first + 2]);
  return sums_elements(t) * (t.wide ? 8 : 4);
}

PreparedKernel prepare_attention(Context& context, const PrepareRequest& request) {
  const auto &inputs = request.arguments.inputs, &outputs = request.arguments.outputs;
  const size_t first = is_gradient(request.node) ? 1 : 0;
  const Tensor &q = inputs[first], &k = inputs[first + 1], &v = inputs[first + 2];
  Attention t = attention_of(context, request.node, q.type(), k.type(), v.type());
  const Tensor &y = t.gradient ? inputs[4] : outputs[0], &log_sum = t.gradient ? inputs[5] : outputs[1];
  t.q = Data(q);
  t.k = Data(k);
  t.v = Data(v);
  t.y = Data(y);
  t.log_sum = Data(log_sum);
  set_strides(t.q_strides, q);
  set_strides(t.k_strides, k);
  set_strides(t.v_strides, v);
  set_strides(t.y_strides, y);
  set_strides(t.sum_strides, log_sum);
  const size_t mask = t.gradient ? 6 : 3;
  if (inputs.size() > mask) set_mask(t, inputs[mask]);
  if (t.gradient) {
    t.dy = Data(inputs[0]);
    t.dq = Data(outputs[0]);
    t.dk = Data(outputs[1]);
    t.dv = Data(outputs[2]);
    set_strides(t.dy_strides, inputs[0]);
    set_strides(t.dq_strides, outputs[0]);
    set_strides(t.dk_strides, outputs[1]);
    set_strides(t.dv_strides, outputs[2]);
    if (outputs.size() > 3) set_mask_gradient(t, outputs[3]);
  }
  t.sums = request.workspace;
  return launched(context, request,
                  fmt::format("own {} (CUDA){}", t.gradient ? "attention_grad" : "attention", t.tiled ? ", tiles" : ""),
                  [t](const Launcher& launcher) { return launch(launcher, t); });
}

}  // namespace

std::span<const Kernel> attention_kernels() {
  static constexpr Kernel kKernels[] = {
      {"attention", takes_any, prepare_attention, attention_workspace},
      {"attention_grad", takes_any, prepare_attention, attention_workspace},
  };
  return kKernels;
}

}  // namespace engine::cuda
