// SPDX-License-Identifier: Apache-2.0
// Building attention: the fused op, the chain of ops it replaces, and the views that split and merge heads.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/ops/attention.h"
#include "engine/ops/casting.h"
#include "engine/ops/indexing.h"
#include "engine/ops/math.h"
#include "engine/ops/ops.h"

namespace engine::ops {
namespace {

/// What is added to hidden scores: so low that their exponential is 0, yet finite in the dtype.
double hidden_score(DType dtype) { return dtype == DType::float16 ? -6e4 : -1e30; }

/// [S, T]: 0 where query i sees key j, hidden_score elsewhere.
ValueId causal_mask(GraphBuilder& builder, DType dtype, int64_t queries, int64_t keys) {
  Result<Tensor> mask = Tensor::empty(TensorType::contiguous(dtype, {queries, keys}));
  if (!mask) return builder.fail(mask.error());
  for (int64_t i = 0; i < queries; ++i) {
    for (int64_t j = 0; j < keys; ++j) mask->set_flat(i * keys + j, j > i + keys - queries ? hidden_score(dtype) : 0);
  }
  return builder.constant("causal_mask", std::move(*mask), Role::activation);
}

/// scores + mask; a bool mask becomes 0 or hidden_score.
ValueId add_mask(GraphBuilder& builder, ValueId scores, ValueId mask) {
  if (builder.failed() || mask == kNoValue) return scores;
  const DType dtype = builder.type(scores).dtype;
  if (builder.type(mask).dtype == DType::boolean) {
    const double hidden = hidden_score(dtype);
    mask = scale(builder, cast(builder, mask, dtype), -hidden, hidden);
  }
  return add(builder, scores, mask);
}

}  // namespace

namespace {

/// [queries, keys] flags: which keys a window of `window` holds for queries whose own key is `ahead` keys further.
ValueId window_mask(GraphBuilder& builder, int64_t queries, int64_t keys, int64_t ahead, int64_t window) {
  Result<Tensor> mask = Tensor::empty(TensorType::contiguous(DType::boolean, {queries, keys}));
  if (!mask) return builder.fail(mask.error());
  auto* flags = mask->data_as<uint8_t>();
  for (int64_t i = 0; i < queries; ++i) {
    for (int64_t j = 0; j < keys; ++j) flags[i * keys + j] = j <= i + ahead && j > i + ahead - window ? 1 : 0;
  }
  return builder.constant("window_mask", *std::move(mask), Role::activation);
}

/// Blocks of queries, each against the keys that one of them sees: of the others no score is computed.
ValueId windowed(GraphBuilder& builder, ValueId q, ValueId k, ValueId v, AttentionOptions options) {
  const int64_t window = options.window, count = builder.type(q).shape[2];
  const int64_t block = std::max<int64_t>(1, std::min<int64_t>(window, 1024));
  options.window = 0;
  std::vector<ValueId> parts;
  ValueId mask = kNoValue;  // of whole blocks that have a window's keys before them
  for (int64_t first = 0; first < count && !builder.failed(); first += block) {
    const int64_t end = std::min(count, first + block), begin = std::max<int64_t>(0, first - window + 1);
    const auto keys = [&](ValueId x) { return slice(builder, x, 2, begin, end); };
    ValueId hidden = kNoValue;
    if (end > window) {
      const bool whole = end - first == block && first >= window - 1;
      hidden = whole && mask != kNoValue ? mask : window_mask(builder, end - first, end - begin, first - begin, window);
      if (whole) mask = hidden;
    }
    parts.push_back(attention(builder, slice(builder, q, 2, first, end), keys(k), keys(v), hidden, options));
  }
  return parts.size() == 1 ? parts[0] : concat(builder, std::move(parts), 2);
}

bool has_window(const GraphBuilder& builder, ValueId q, ValueId k, const AttentionOptions& options) {
  return !builder.failed() && options.window > 0 && builder.type(q).rank() == 4 && builder.type(k).rank() == 4 &&
         builder.type(q).shape[2] == builder.type(k).shape[2] && options.window < builder.type(k).shape[2];
}

}  // namespace

ValueId attention(GraphBuilder& builder, ValueId q, ValueId k, ValueId v, ValueId mask,
                  const AttentionOptions& options) {
  if (mask == kNoValue && has_window(builder, q, k, options)) return windowed(builder, q, k, v, options);
  Attributes attributes{{"causal", int64_t{options.causal}}};
  if (options.scale != 0) attributes.set("scale", options.scale);
  std::vector<ValueId> inputs{q, k, v};
  if (mask != kNoValue) inputs.push_back(mask);
  return builder.append(kAttention, std::move(inputs), std::move(attributes))[0];
}

ValueId attention_unfused(GraphBuilder& builder, ValueId q, ValueId k, ValueId v, ValueId mask,
                          const AttentionOptions& options) {
  if (builder.failed()) return kNoValue;
  const Shape q_shape = builder.type(q).shape, k_shape = builder.type(k).shape;
  if (q_shape.size() != 4 || k_shape.size() != 4 || q_shape[3] == 0 || k_shape[1] == 0 ||
      q_shape[1] % k_shape[1] != 0) {
    return builder.fail(
        usage_error(fmt::format("[attention] q {} and k {} must be [B, heads, S, D] with heads that divide",
                                to_string(q_shape), to_string(k_shape))));
  }
  const int64_t batch = q_shape[0], heads = q_shape[1], queries = q_shape[2], keys = k_shape[2], groups = k_shape[1];
  const bool grouped = heads != groups, in_window = mask == kNoValue && has_window(builder, q, k, options);
  if (grouped) {  // [B, G, H / G, S, D] against [B, G, 1, T, D]
    q = reshape(builder, q, {batch, groups, heads / groups, queries, q_shape[3]});
    k = unsqueeze(builder, k, 2);
    v = unsqueeze(builder, v, 2);
  }
  const double factor = options.scale != 0 ? options.scale : 1 / std::sqrt(static_cast<double>(q_shape[3]));
  ValueId scores = scale(builder, matmul(builder, q, transpose(builder, k, -2, -1)),
                         options.cap > 0 ? factor / options.cap : factor);
  if (options.cap > 0) scores = scale(builder, tanh(builder, scores), options.cap);
  if (grouped) scores = reshape(builder, scores, {batch, heads, queries, keys});
  if (builder.failed()) return kNoValue;
  if (in_window) mask = window_mask(builder, queries, keys, 0, options.window);
  else if (options.causal)
    scores = add(builder, scores, causal_mask(builder, builder.type(scores).dtype, queries, keys));
  scores = softmax(builder, add_mask(builder, scores, mask), -1);
  if (!grouped) return matmul(builder, scores, v);
  if (builder.failed()) return kNoValue;
  const int64_t value_features = builder.type(v).shape.back();
  const ValueId y = matmul(builder, reshape(builder, scores, {batch, groups, heads / groups, queries, keys}), v);
  return reshape(builder, y, {batch, heads, queries, value_features});
}

ValueId split_heads(GraphBuilder& builder, ValueId x, int64_t heads) {
  if (builder.failed()) return kNoValue;
  const Shape shape = builder.type(x).shape;
  if (shape.size() != 3 || heads < 1 || shape[2] % heads != 0) {
    return builder.fail(usage_error(
        fmt::format("[split_heads] x {} must be [B, S, heads * D] with {} heads", to_string(shape), heads)));
  }
  return transpose(builder, reshape(builder, x, {shape[0], shape[1], heads, shape[2] / heads}), 1, 2);
}

ValueId merge_heads(GraphBuilder& builder, ValueId x) {
  if (builder.failed()) return kNoValue;
  const Shape shape = builder.type(x).shape;
  if (shape.size() != 4)
    return builder.fail(usage_error(fmt::format("[merge_heads] x must be [B, heads, S, D], got {}", to_string(shape))));
  return reshape(builder, transpose(builder, x, 1, 2), {shape[0], shape[2], shape[1] * shape[3]});
}

}  // namespace engine::ops
