// SPDX-License-Identifier: Apache-2.0
// Pre-norm blocks as in GPT-2: x + attention(norm(x)), then x + mlp(norm(x)).
#include "engine/workloads/transformer_layers.h"

#include <fmt/format.h>

#include "engine/ops/attention.h"
#include "engine/ops/cache.h"
#include "engine/ops/indexing.h"
#include "engine/ops/math.h"
#include "engine/ops/norms.h"
#include "engine/ops/ops.h"
#include "engine/workloads/parameters.h"

namespace engine {

std::vector<Parameter> transformer_parameters(int64_t width, int64_t heads, int64_t mlp, int64_t layers,
                                              int64_t vocabulary) {
  return {integer_parameter("width", "Model width", "Values per token; the heads share them.", width, "values"),
          integer_parameter("heads", "Heads", "Attentions side by side in each layer; divides the model width.", heads,
                            "heads"),
          integer_parameter("mlp", "MLP width", "Hidden values of the two fully connected layers after each attention.",
                            mlp, "values"),
          integer_parameter("layers", "Layers", "Blocks of attention and MLP.", layers, "layers", 1, 1024),
          integer_parameter("vocabulary", "Vocabulary", "Tokens of the vocabulary.", vocabulary, "tokens"),
          choice_parameter("attention", "Attention",
                           "fused: one op, the scores never reach memory; unfused: GEMMs, scale and softmax as "
                           "separate ops, with the square of the sequence in memory.",
                           {"fused", "unfused"}),
          mode_parameter({"inference", "training"}),
          dtype_parameter()};
}

TransformerShape transformer_arguments(const Arguments& arguments) {
  TransformerShape shape;
  shape.width = integer_argument(arguments, "width");
  shape.heads = shape.kv_heads = integer_argument(arguments, "heads");
  shape.mlp = integer_argument(arguments, "mlp");
  shape.layers = integer_argument(arguments, "layers");
  shape.fused = text_argument(arguments, "attention") == "fused";
  return shape;
}

bool check_shape(GraphBuilder& builder, const TransformerShape& shape) {
  if (shape.width % shape.heads != 0) {
    builder.fail(usage_error(fmt::format("heads = {} must divide width = {}", shape.heads, shape.width)));
  } else if (shape.heads % shape.kv_heads != 0) {
    builder.fail(usage_error(fmt::format("kv_heads = {} must divide heads = {}", shape.kv_heads, shape.heads)));
  }
  return !builder.failed();
}

ValueId Transformer::embed(ValueId tokens, int64_t vocabulary, int64_t positions, int64_t start) {
  GraphBuilder& builder = net_.graph();
  if (builder.failed()) return kNoValue;
  const LayerScope layer(builder, "embedding");
  const Fill fill{Fill::Kind::normal, 0, 0.02};
  token_table_ = net_.weight("tokens", {vocabulary, shape_.width}, fill);
  const ValueId position_table = net_.weight("positions", {positions, shape_.width}, fill);
  if (builder.failed()) return kNoValue;
  const int64_t count = builder.type(tokens).shape[1];
  const ValueId x = ops::embedding(builder, token_table_, tokens);
  return ops::add(builder, x, ops::slice(builder, position_table, 0, start, start + count));
}

ValueId Transformer::norm(ValueId x, std::string_view name) {
  GraphBuilder& builder = net_.graph();
  const LayerScope layer(builder, name);
  const TensorType type = TensorType::contiguous(statistics_dtype(net_.dtype()), {shape_.width});
  const ValueId scale = builder.parameter(builder.layer() + ".weight", type, Fill{Fill::Kind::ones});
  const ValueId bias = builder.parameter(builder.layer() + ".bias", type, Fill{Fill::Kind::zeros});
  return ops::layer_norm(builder, x, scale, bias);
}

/// The cache with what this step adds, from [B, heads, S, D].
ValueId Transformer::cached(ValueId now, std::string_view name, const KeyValueCache& cache) {
  GraphBuilder& builder = net_.graph();
  if (builder.failed()) return kNoValue;
  const TensorType type = builder.type(now);
  const Shape shape{type.shape[0], type.shape[1], cache.length, type.shape[3]};
  const ValueId state =
      builder.state(fmt::format("{}.{}", builder.layer(), name), TensorType::contiguous(type.dtype, shape),
                    Fill{Fill::Kind::normal, 0, 1}, Role::activation);
  return ops::write_slice(builder, state, now, 2, cache.start);
}

ValueId Transformer::attention(ValueId x, const KeyValueCache& cache) {
  GraphBuilder& builder = net_.graph();
  const LayerScope layer(builder, "attention");
  const int64_t kv_width = shape_.width / shape_.heads * shape_.kv_heads;
  const ValueId q = ops::split_heads(builder, net_.linear(x, "query", shape_.width), shape_.heads);
  ValueId k = ops::split_heads(builder, net_.linear(x, "key", kv_width), shape_.kv_heads);
  ValueId v = ops::split_heads(builder, net_.linear(x, "value", kv_width), shape_.kv_heads);
  if (cache.length > 0) {
    k = cached(k, "key_cache", cache);
    v = cached(v, "value_cache", cache);
  }
  ops::AttentionOptions options;
  options.causal = shape_.causal;
  const auto attend = shape_.fused ? ops::attention : ops::attention_unfused;
  return net_.linear(ops::merge_heads(builder, attend(builder, q, k, v, kNoValue, options)), "output", shape_.width);
}

ValueId Transformer::mlp(ValueId x) {
  const LayerScope layer(net_.graph(), "mlp");
  return net_.linear(ops::gelu(net_.graph(), net_.linear(x, "fc1", shape_.mlp)), "fc2", shape_.width);
}

ValueId Transformer::blocks(ValueId x, const KeyValueCache& cache) {
  GraphBuilder& builder = net_.graph();
  for (int64_t i = 0; i < shape_.layers && !builder.failed(); ++i) {
    const LayerScope layer(builder, fmt::format("block{}", i));
    x = ops::add(builder, x, attention(norm(x, "norm1"), cache));
    x = ops::add(builder, x, mlp(norm(x, "norm2")));
    outputs_.push_back(x);
  }
  return norm(x, "norm");
}

ValueId Transformer::logits(ValueId x) {
  const LayerScope layer(net_.graph(), "logits");
  return ops::linear(net_.graph(), ops::reshape(net_.graph(), x, {-1, shape_.width}), token_table_, kNoValue);
}

}  // namespace engine
