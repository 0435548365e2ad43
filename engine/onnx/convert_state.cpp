// SPDX-License-Identifier: Apache-2.0
// What decoders keep from token to token: caches, the states of linear attention and of causal convolutions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/onnx/convert_words.h"
#include "engine/onnx/operators.h"
#include "engine/ops/casting.h"
#include "engine/ops/convolution_nd.h"
#include "engine/ops/indexing.h"
#include "engine/ops/math.h"
#include "engine/ops/ops.h"

namespace engine::onnx {
namespace {

/// Tokens that are written out one by one, a few ops each.
constexpr int64_t kMostTokens = 1024;

}  // namespace

/// The cache with `update` from index write_indices[batch] on.
void convert_tensor_scatter(NodeContext& node) {
  const TensorType cache = node.input_type(0), news = node.input_type(1);
  const int64_t axis = read_axis(node, "axis", -2, cache.rank());
  const std::string mode = node.text("mode", "linear");
  if (!node.failed() && mode != "linear" && mode != "circular")
    node.fail(fmt::format("attribute mode: {} is neither linear nor circular", mode));
  Shape expected = cache.shape;
  if (!node.failed() && axis != 0 && news.rank() == cache.rank())
    expected[static_cast<size_t>(axis)] = news.shape[static_cast<size_t>(axis)];
  if (!node.failed() && (axis == 0 || news.shape != expected ||
                         news.shape[static_cast<size_t>(axis)] > cache.shape[static_cast<size_t>(axis)]))
    node.fail(fmt::format("input 1 (update) is {}; it must be part of {} along axis {}, which is not 0",
                          to_string(news), to_string(cache), axis));
  const ValueId past = node.input(0), update = node.input(1);
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  const int64_t count = news.shape[static_cast<size_t>(axis)], extent = cache.shape[static_cast<size_t>(axis)];
  if (!node.has_input(2)) {
    const ValueId rest = ops::slice(builder, past, axis, count, extent);
    const ValueId y = count == extent ? ops::copy(builder, update) : ops::concat(builder, {update, rest}, axis);
    return node.failed() ? void() : node.set_output(y);
  }
  const ValueId starts = node.input(2);
  if (!node.failed() && builder.type(starts).shape != Shape{cache.shape[0]})
    node.fail(fmt::format("input 2 (write_indices) is {}; it must have an index for each of {} sequences",
                          to_string(builder.type(starts)), cache.shape[0]));
  if (node.failed()) return;
  Shape first(cache.shape.size(), 1), along = first;
  first[0] = cache.shape[0];
  along[static_cast<size_t>(axis)] = count;
  ValueId index = ops::add(
      builder, ops::reshape(builder, starts, first),
      ops::reshape(builder, ops::range(builder, 0, static_cast<double>(count), 1, builder.type(starts).dtype), along));
  if (mode == "circular")
    index = ops::modulo(builder, index, scalar(node, static_cast<double>(extent), builder.type(starts).dtype));
  const ValueId all = ops::contiguous(builder, ops::expand(builder, index, news.shape));
  const ValueId y = ops::scatter_elements(builder, past, all, update, axis);
  if (!node.failed()) node.set_output(y);
}

/// A depthwise convolution that sees the past only; the last k - 1 inputs are the state.
void convert_causal_convolution(NodeContext& node) {
  const TensorType type = node.input_type(0), weights = node.input_type(1);
  const std::string activation = node.text("activation", "none");
  if (!node.failed() && activation != "none" && activation != "silu" && activation != "swish")
    node.fail(fmt::format("attribute activation: {} is none of none, silu and swish", activation));
  if (!node.failed() && (type.rank() != 3 || weights.rank() != 3 || weights.shape[0] != type.shape[1] ||
                         weights.shape[1] != 1 || weights.shape[2] < 1))
    node.fail(fmt::format("inputs 0 and 1 are {} and {}; they must be [n, channels, length] and [channels, 1, k]",
                          to_string(type), to_string(weights)));
  if (node.failed()) return;
  const int64_t kept = weights.shape[2] - 1, channels = type.shape[1];
  const Shape state{type.shape[0], channels, kept};
  if (node.has_input(3) && node.input_type(3).shape != state)
    return node.fail(
        fmt::format("input 3 (past_state) is {}, must be {}", to_string(node.input_type(3)), to_string(state)));
  const ValueId x = node.input(0), weight = node.input(1), bias = node.has_input(2) ? node.input(2) : kNoValue;
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  ValueId whole = x;
  if (kept > 0)
    whole =
        node.has_input(3) ? ops::concat(builder, {node.input(3), x}, 2) : ops::pad(builder, x, {0, 0, kept}, {0, 0, 0});
  ValueId y = ops::convolution(builder, whole, weight, bias, {.groups = channels});
  if (activation != "none") y = ops::silu(builder, y);
  if (node.failed()) return;
  node.set_output(y);
  if (!node.has_output(1)) return;
  const int64_t length = builder.type(whole).shape[2];
  node.set_output(ops::contiguous(builder, ops::slice(builder, whole, 2, length - kept, length)), 1);
}

namespace {

/// What linear attention reads, as [batch, heads of keys, tokens, ..].
struct LinearAttention {
  int64_t batch = 1, tokens = 1, heads = 1, queries = 1, key_size = 1, value_size = 1;
  double scale = 1;
  bool decays = false, corrects = false;
  DType computed = DType::float32;  ///< what the state adds up in
  ValueId q = kNoValue, k = kNoValue, v = kNoValue, decay = kNoValue, beta = kNoValue;
};

/// [batch, tokens, heads * size] -> [batch, heads, tokens, size].
ValueId heads_first(GraphBuilder& builder, ValueId x, int64_t heads) {
  const Shape shape = builder.type(x).shape;
  return ops::permute(builder, ops::reshape(builder, x, {shape[0], shape[1], heads, shape[2] / heads}), {0, 2, 1, 3});
}

/// Reads and checks the inputs; after an error the node has failed.
LinearAttention read_linear_attention(NodeContext& node) {
  LinearAttention a;
  a.queries = node.integer("q_num_heads", 0, 1, 1 << 20);
  a.heads = node.integer("kv_num_heads", 0, 1, 1 << 20);
  node.ignore("chunk_size");
  const std::string rule = node.text("update_rule", "gated_delta");
  a.decays = rule == "gated" || rule == "gated_delta";
  a.corrects = rule == "delta" || rule == "gated_delta";
  if (!node.failed() && !a.decays && !a.corrects && rule != "linear")
    node.fail(fmt::format("attribute update_rule: {} is none of linear, gated, delta and gated_delta", rule));
  const TensorType q = node.input_type(0), k = node.input_type(1), v = node.input_type(2);
  if (node.failed()) return a;
  const bool fits = q.rank() == 3 && k.rank() == 3 && v.rank() == 3 && q.shape[0] == k.shape[0] &&
                    q.shape[0] == v.shape[0] && q.shape[1] == k.shape[1] && q.shape[1] == v.shape[1] &&
                    a.queries % a.heads == 0 && q.shape[2] % a.queries == 0 && k.shape[2] % a.heads == 0 &&
                    v.shape[2] % a.heads == 0 && q.shape[2] / a.queries == k.shape[2] / a.heads && q.shape[2] > 0;
  if (!fits) {
    node.fail(fmt::format("query {}, key {} and value {} do not fit {} and {} heads", to_string(q), to_string(k),
                          to_string(v), a.queries, a.heads));
    return a;
  }
  a.batch = q.shape[0], a.tokens = q.shape[1], a.key_size = k.shape[2] / a.heads, a.value_size = v.shape[2] / a.heads;
  if (a.tokens > kMostTokens)
    node.fail(fmt::format("input 0 (query): {} tokens, at most {} are supported", a.tokens, kMostTokens));
  if (q.dtype == DType::float64) a.computed = DType::float64;
  a.scale = node.real("scale", 0);
  if (a.scale == 0) a.scale = 1 / std::sqrt(static_cast<double>(a.key_size));
  const auto extra = [&](size_t i, std::string_view what, bool needed, int64_t wide) {
    if (!needed || node.failed()) return kNoValue;
    const TensorType type = node.input_type(i);
    if (!node.failed() && (type.rank() != 3 || type.shape[0] != a.batch || type.shape[1] != a.tokens ||
                           (type.shape[2] != wide && type.shape[2] != a.heads && type.shape[2] != 1)))
      node.fail(fmt::format("input {} ({}) is {}, which does not fit {} heads", i, what, to_string(type), a.heads));
    const ValueId x = node.input(i);
    if (node.failed()) return kNoValue;
    return heads_first(node.builder(), ops::cast(node.builder(), x, a.computed), type.shape[2] == 1 ? 1 : a.heads);
  };
  a.decay = extra(4, "decay", a.decays, a.heads * a.key_size);
  a.beta = extra(5, "beta", a.corrects, a.heads);
  a.q = node.input(0), a.k = node.input(1), a.v = node.input(2);
  if (node.failed()) return a;
  GraphBuilder& builder = node.builder();
  const auto real = [&](ValueId x) { return ops::cast(builder, x, a.computed); };
  a.q = ops::scale(builder, heads_first(builder, real(a.q), a.queries), a.scale);
  a.k = heads_first(builder, real(a.k), a.heads);
  a.v = heads_first(builder, real(a.v), a.heads);
  return a;
}

}  // namespace

/// Token by token: the state [batch, heads, key size, value size] decays, is corrected by key and value, and is asked.
void convert_linear_attention(NodeContext& node) {
  const LinearAttention a = read_linear_attention(node);
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  const Shape shape{a.batch, a.heads, a.key_size, a.value_size};
  const DType kept = node.has_input(3) ? node.input_type(3).dtype : node.input_type(0).dtype;
  ValueId state = kNoValue;
  if (node.has_input(3)) {
    state = node.input(3);
    if (!node.failed() && builder.type(state).shape != shape)
      node.fail(
          fmt::format("input 3 (past_state) is {}, must be {}", to_string(builder.type(state)), to_string(shape)));
    state = node.failed() ? kNoValue : ops::cast(builder, state, a.computed);
  }
  std::vector<ValueId> rows;
  for (int64_t t = 0; t < a.tokens && !node.failed(); ++t) {
    const auto token = [&](ValueId x) { return ops::slice(builder, x, 2, t, t + 1); };
    const ValueId key = ops::transpose(builder, token(a.k), 2, 3);  // [.., key size, 1]
    ValueId value = token(a.v);
    if (state != kNoValue && a.decays)
      state = ops::multiply(builder, state, ops::transpose(builder, ops::exp(builder, token(a.decay)), 2, 3));
    if (state != kNoValue && a.corrects) value = ops::subtract(builder, value, ops::matmul(builder, token(a.k), state));
    if (a.corrects) value = ops::multiply(builder, value, token(a.beta));
    const ValueId news = ops::multiply(builder, key, value);
    state = state == kNoValue ? news : ops::add(builder, state, news);
    const ValueId asked = ops::reshape(builder, ops::contiguous(builder, token(a.q)),
                                       {a.batch, a.heads, a.queries / a.heads, a.key_size});
    rows.push_back(ops::reshape(builder, ops::matmul(builder, asked, state), {a.batch, 1, a.queries * a.value_size}));
  }
  if (node.failed() || rows.empty()) return node.failed() ? void() : node.fail("input 0 (query): has no token");
  const ValueId all = rows.size() == 1 ? rows[0] : ops::concat(builder, rows, 1);
  node.set_output(ops::cast(builder, all, node.input_type(0).dtype));
  if (node.has_output(1)) node.set_output(ops::cast(builder, state, kept), 1);
}

}  // namespace engine::onnx
