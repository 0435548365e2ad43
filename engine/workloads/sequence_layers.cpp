// SPDX-License-Identifier: Apache-2.0
// Layers over sequences, made of ops.
#include "engine/workloads/sequence_layers.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/ops/attention.h"
#include "engine/ops/indexing.h"
#include "engine/ops/norms.h"
#include "engine/ops/ops.h"
#include "engine/ops/recurrent.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace {

bool takes_sequences(LayerBuilder& net, ValueId x, std::string_view kind) {
  GraphBuilder& builder = net.graph();
  if (builder.failed()) return false;
  const TensorType& type = builder.type(x);
  if (type.rank() == 3 && is_floating(type.dtype)) return true;
  builder.fail(
      usage_error(fmt::format("[{}] works on [batch, steps, values], but its operand is {}", kind, to_string(type))));
  return false;
}

}  // namespace

ValueId embedding_layer(LayerBuilder& net, ValueId tokens, int64_t vocabulary, int64_t width) {
  GraphBuilder& builder = net.graph();
  if (builder.failed()) return kNoValue;
  if (const TensorType& type = builder.type(tokens); is_floating(type.dtype) || type.rank() != 2) {
    return builder.fail(
        usage_error(fmt::format("[embedding] works on tokens [batch, steps], but its operand is {}", to_string(type))));
  }
  const ValueId table = net.weight("weight", {vocabulary, width}, Fill{Fill::Kind::uniform, -0.1, 0.1});
  return ops::embedding(builder, table, tokens);
}

LstmParameters lstm_parameters(LayerBuilder& net, int64_t in, int64_t hidden) {
  const double bound = 1 / std::sqrt(static_cast<double>(hidden));
  const Fill fill{Fill::Kind::uniform, -bound, bound};
  const ValueId w = net.weight("weight_ih", {1, 4 * hidden, in}, fill);
  const ValueId r = net.weight("weight_hh", {1, 4 * hidden, hidden}, fill);
  return {w, r, ops::unsqueeze(net.graph(), net.weight("bias", {4 * hidden}, fill), 0)};
}

ValueId lstm_layer(LayerBuilder& net, ValueId x, int64_t hidden, bool all_steps) {
  if (!takes_sequences(net, x, "lstm")) return kNoValue;
  GraphBuilder& builder = net.graph();
  const int64_t batch = builder.type(x).shape[0], in = builder.type(x).shape[2];
  const auto [w, r, bias] = lstm_parameters(net, in, hidden);
  ops::RecurrentOptions options;
  options.training = net.training();
  const ValueId steps_first = ops::permute(builder, x, {1, 0, 2});
  const ops::RecurrentResult result = ops::lstm(builder, steps_first, w, r, bias, kNoValue, kNoValue, options);
  if (builder.failed()) return kNoValue;
  if (all_steps) return ops::permute(builder, result.y, {1, 0, 2});
  return ops::reshape(builder, result.h, {batch, hidden});
}

ValueId attention_layer(LayerBuilder& net, ValueId x, int64_t heads, bool causal) {
  if (!takes_sequences(net, x, "attention")) return kNoValue;
  GraphBuilder& builder = net.graph();
  const int64_t width = builder.type(x).shape[2];
  if (width % heads != 0)
    return builder.fail(usage_error(fmt::format("[attention] {} heads must divide the {} values", heads, width)));
  const auto split = [&](const char* name) { return ops::split_heads(builder, net.linear(x, name, width), heads); };
  const ValueId q = split("query"), k = split("key"), v = split("value");
  ops::AttentionOptions options;
  options.causal = causal;
  if (builder.failed()) return kNoValue;
  return net.linear(ops::merge_heads(builder, ops::attention(builder, q, k, v, kNoValue, options)), "output", width);
}

ValueId layer_norm_layer(LayerBuilder& net, ValueId x) {
  GraphBuilder& builder = net.graph();
  if (builder.failed()) return kNoValue;
  const TensorType type = TensorType::contiguous(statistics_dtype(net.dtype()), {builder.type(x).shape.back()});
  const ValueId scale = builder.parameter(builder.layer() + ".weight", type, Fill{Fill::Kind::ones});
  const ValueId bias = builder.parameter(builder.layer() + ".bias", type, Fill{Fill::Kind::zeros});
  return ops::layer_norm(builder, x, scale, bias);
}

}  // namespace engine
