// SPDX-License-Identifier: Apache-2.0
// Operators of transformers: those of opset 23 and later, and those that onnxruntime's optimizer writes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/onnx/convert_transformer.h"
#include "engine/onnx/convert_words.h"
#include "engine/onnx/operators.h"
#include "engine/ops/attention.h"
#include "engine/ops/casting.h"
#include "engine/ops/compare.h"
#include "engine/ops/indexing.h"
#include "engine/ops/math.h"
#include "engine/ops/norms.h"
#include "engine/ops/ops.h"
#include "engine/ops/reduce.h"

namespace engine::onnx {
namespace {

/// x sigmoid(alpha x).
ValueId swish(GraphBuilder& builder, ValueId x, double alpha) {
  if (alpha == 1) return ops::silu(builder, x);
  return ops::multiply(builder, x, ops::sigmoid(builder, ops::scale(builder, x, alpha)));
}

void set_swish(NodeContext& node, double alpha) {
  const ValueId x = node.input(0);
  if (!node.failed()) node.set_output(swish(node.builder(), x, alpha));
}

/// The axes that a normalisation leaves alone must come first, and its scale must have the others.
bool check_scale(NodeContext& node, size_t input, int64_t axis) {
  const Shape x = node.input_type(0).shape, scale = node.input_type(input).shape;
  if (node.failed()) return false;
  const Shape wanted(x.begin() + axis, x.end());
  if (scale == wanted) return true;
  node.fail(fmt::format("input {} (scale): is {}, {} is needed", input, to_string(scale), to_string(wanted)));
  return false;
}

}  // namespace

ValueId mask_of(NodeContext& node, int64_t queries, int64_t keys, const Sight& sight) {
  Result<Tensor> mask = Tensor::empty(TensorType::contiguous(DType::boolean, {queries, keys}));
  if (!mask) {
    node.fail(mask.error().message);
    return kNoValue;
  }
  auto* flags = mask->data_as<uint8_t>();
  for (int64_t i = 0; i < queries; ++i) {
    for (int64_t j = 0; j < keys; ++j) flags[i * keys + j] = sight.sees(i, j) ? 1 : 0;
  }
  return constant_of(node, mask);
}

namespace {

/// A boolean mask as one that is added: where it is false, minus infinity.
ValueId added_mask(NodeContext& node, ValueId mask, DType dtype) {
  GraphBuilder& builder = node.builder();
  if (builder.type(mask).dtype != DType::boolean) return mask;
  return ops::where(builder, mask, scalar(node, 0, dtype),
                    scalar(node, -std::numeric_limits<double>::infinity(), dtype));
}

}  // namespace

ValueId joined_masks(NodeContext& node, ValueId a, ValueId b, DType dtype) {
  if (a == kNoValue || b == kNoValue) return a == kNoValue ? b : a;
  GraphBuilder& builder = node.builder();
  if (builder.type(a).dtype == DType::boolean && builder.type(b).dtype == DType::boolean)
    return ops::logical_and(builder, a, b);
  return ops::add(builder, added_mask(node, a, dtype), added_mask(node, b, dtype));
}

namespace {

/// Each head of k or v as often as heads of q share it.
ValueId repeated_heads(GraphBuilder& builder, ValueId x, int64_t heads) {
  const Shape shape = builder.type(x).shape;
  if (shape[1] == heads || shape[1] == 0 || heads % shape[1] != 0) return x;
  const ValueId wide =
      ops::expand(builder, ops::unsqueeze(builder, x, 2), {shape[0], shape[1], heads / shape[1], shape[2], shape[3]});
  return ops::reshape(builder, ops::contiguous(builder, wide), {shape[0], heads, shape[2], shape[3]});
}

}  // namespace

namespace {

/// Attention op by op, with what lies between its products. `cap` 0: none.
struct WrittenOut {
  ValueId product = kNoValue, capped = kNoValue, masked = kNoValue, weights = kNoValue, y = kNoValue;
};

WrittenOut written_out(NodeContext& node, ValueId q, ValueId k, ValueId v, ValueId mask, double scale, double cap) {
  GraphBuilder& builder = node.builder();
  const TensorType type = builder.type(q);
  k = repeated_heads(builder, k, type.shape[1]);
  v = repeated_heads(builder, v, type.shape[1]);
  if (scale == 0) scale = 1 / std::sqrt(static_cast<double>(type.shape[3]));
  WrittenOut w;
  w.product = ops::scale(builder, ops::matmul(builder, q, ops::transpose(builder, k, 2, 3)), scale);
  w.capped =
      cap == 0 ? w.product : ops::scale(builder, ops::tanh(builder, ops::scale(builder, w.product, 1 / cap)), cap);
  w.masked = mask == kNoValue ? w.capped : ops::add(builder, w.capped, added_mask(node, mask, type.dtype));
  w.weights = ops::softmax(builder, w.masked, 3);
  if (mask != kNoValue) {  // a query that sees no key asks for nothing
    const ValueId blind = ops::is_inf(builder, ops::reduce_max(builder, w.masked, {3}, true), false, true);
    w.weights = ops::where(builder, blind, scalar(node, 0, type.dtype), w.weights);
  }
  w.y = ops::matmul(builder, w.weights, v);
  return w;
}

}  // namespace

ValueId capped_attention(NodeContext& node, ValueId q, ValueId k, ValueId v, ValueId mask, double scale, double cap) {
  return written_out(node, q, k, v, mask, scale, cap).y;
}

namespace {

/// Cosines or sines for x [batch, heads, sequence, rotated]: rows of the cache by position, or the cache itself.
ValueId angles(NodeContext& node, size_t input, bool by_position) {
  ValueId cache = node.input(input);
  if (node.failed()) return kNoValue;
  GraphBuilder& builder = node.builder();
  if (by_position) cache = ops::gather(builder, cache, node.input(3), 0);
  if (node.failed()) return kNoValue;
  if (builder.type(cache).rank() != 3) {
    node.fail(fmt::format("input {}: {} is no [batch, sequence, half] and no cache with position_ids", input,
                          to_string(builder.type(cache).shape)));
    return kNoValue;
  }
  return ops::unsqueeze(builder, cache, 1);
}

/// The pairs of x [.., rotated] turned by their angles.
ValueId rotated(GraphBuilder& builder, ValueId x, ValueId cosine, ValueId sine, bool interleaved) {
  const int64_t extent = builder.type(x).shape.back();
  const auto part = [&](int64_t which) {
    return interleaved ? ops::slice(builder, x, 3, which, extent, 2)
                       : ops::slice(builder, x, 3, which * extent / 2, (which + 1) * extent / 2);
  };
  const ValueId a = part(0), b = part(1);
  const ValueId real = ops::subtract(builder, ops::multiply(builder, cosine, a), ops::multiply(builder, sine, b));
  const ValueId imaginary = ops::add(builder, ops::multiply(builder, sine, a), ops::multiply(builder, cosine, b));
  if (!interleaved) return ops::concat(builder, {real, imaginary}, 3);
  const ValueId pairs =
      ops::concat(builder, {ops::unsqueeze(builder, real, 4), ops::unsqueeze(builder, imaginary, 4)}, 4);
  if (builder.failed()) return kNoValue;
  return ops::reshape(builder, pairs, builder.type(x).shape);
}

}  // namespace

ValueId rotated_front(GraphBuilder& builder, ValueId x, ValueId cosine, ValueId sine, bool interleaved) {
  if (builder.failed()) return kNoValue;
  const int64_t size = builder.type(x).shape.back(), width = 2 * builder.type(cosine).shape.back();
  if (width == size) return rotated(builder, x, cosine, sine, interleaved);
  const ValueId front = rotated(builder, ops::slice(builder, x, 3, 0, width), cosine, sine, interleaved);
  return ops::concat(builder, {front, ops::slice(builder, x, 3, width, size)}, 3);
}

namespace {

/// What Attention computes on: q, k and v by heads.
struct Heads {
  ValueId q = kNoValue, k = kNoValue, v = kNoValue;
  bool merged = false;  ///< they came as [batch, sequence, heads * size], and so goes the result
};

Heads read_heads(NodeContext& node) {
  Heads heads{node.input(0), node.input(1), node.input(2)};
  const int64_t of_q = node.integer("q_num_heads", 0, 0, 1 << 20), of_kv = node.integer("kv_num_heads", 0, 0, 1 << 20);
  if (node.failed()) return heads;
  GraphBuilder& builder = node.builder();
  heads.merged = builder.type(heads.q).rank() == 3;
  if (!heads.merged) return heads;
  if (of_q == 0 || of_kv == 0) {
    node.fail("attributes q_num_heads and kv_num_heads: are needed for inputs of 3 axes");
    return heads;
  }
  heads.q = ops::split_heads(builder, heads.q, of_q);
  heads.k = ops::split_heads(builder, heads.k, of_kv);
  heads.v = ops::split_heads(builder, heads.v, of_kv);
  return heads;
}

/// Which keys each query sees where sequence b has lengths[b] keys, its queries the last of them: [b, 1, queries,
/// keys].
ValueId mask_of_lengths(NodeContext& node, ValueId lengths, int64_t queries, int64_t keys, const Sight& sight) {
  GraphBuilder& builder = node.builder();
  if (node.failed()) return kNoValue;
  if (builder.type(lengths).rank() != 1) {
    node.fail(fmt::format("input 6 (nonpad_kv_seqlen) is {}; it must have one length per sequence",
                          to_string(builder.type(lengths))));
    return kNoValue;
  }
  const ValueId whole = ops::cast(builder, lengths, DType::int64);
  const ValueId length = ops::reshape(builder, whole, {-1, 1, 1, 1});
  const ValueId i = ops::reshape(builder, ops::range(builder, 0, static_cast<double>(queries), 1, DType::int64),
                                 {queries, 1}),
                j = ops::range(builder, 0, static_cast<double>(keys), 1, DType::int64);
  const ValueId at = ops::add(builder, length, ops::scale(builder, i, 1, -static_cast<double>(queries)));
  ValueId seen = ops::less(builder, ops::expand(builder, j, {queries, keys}), length);
  const auto also = [&](ValueId rule) { seen = ops::logical_and(builder, seen, rule); };
  if (sight.causal) also(ops::less_equal(builder, j, at));
  if (sight.left >= 0)
    also(ops::greater_equal(builder, j, ops::scale(builder, at, 1, -static_cast<double>(sight.left))));
  if (sight.right >= 0) also(ops::less_equal(builder, j, ops::scale(builder, at, 1, static_cast<double>(sight.right))));
  return seen;
}

/// A mask for fewer keys than there are hides the others.
ValueId fitted_mask(NodeContext& node, ValueId mask, int64_t keys) {
  GraphBuilder& builder = node.builder();
  if (mask == kNoValue || node.failed() || builder.type(mask).rank() == 0) return mask;
  const TensorType type = builder.type(mask);
  if (type.shape.back() >= keys || (type.shape.back() == 1 && node.opset() < 24)) return mask;
  std::vector<int64_t> before(type.shape.size(), 0), after = before;
  after.back() = keys - type.shape.back();
  const double hidden = type.dtype == DType::boolean ? 0 : -std::numeric_limits<double>::infinity();
  return ops::pad(builder, mask, before, after, {.mode = "constant", .value = hidden});
}

/// [skip + x + bias], what the optimizer's normalisations begin with.
ValueId skipped(NodeContext& node, size_t bias_input) {
  ValueId sum = ops::add(node.builder(), node.input(0), node.input(1));
  if (node.has_input(bias_input)) sum = ops::add(node.builder(), sum, node.input(bias_input));
  return sum;
}

}  // namespace

void convert_swish(NodeContext& node) { set_swish(node, node.real("alpha", 1)); }

void convert_swiglu(NodeContext& node) {
  const double alpha = node.real("alpha", 1);
  const ValueId gate = node.input(0), x = node.input(1);
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  if (builder.type(gate).shape != builder.type(x).shape)
    return node.fail(fmt::format("inputs 0 and 1 are {} and {}; their shapes must be equal",
                                 to_string(builder.type(gate)), to_string(builder.type(x))));
  node.set_output(ops::multiply(builder, swish(builder, gate, alpha), x));
}

void convert_rms_normalization(NodeContext& node) {
  const int64_t axis = read_axis(node, "axis", -1, node.input_type(0).rank());
  const double epsilon = node.real("epsilon", 1e-5);
  if (node.integer("stash_type", 1, 0, 16) != 1) node.fail("attribute stash_type: only 1 (f32) is supported");
  if (!check_scale(node, 1, axis)) return;
  const std::vector<ValueId> outputs =
      node.builder().append(ops::kRmsNorm, {node.input(0), node.input(1)}, {{"axis", axis}, {"epsilon", epsilon}});
  if (node.failed()) return;
  node.set_output(outputs[0]);
  if (node.has_output(1)) node.set_output(outputs[1], 1);
}

void convert_rotary_embedding(NodeContext& node) {
  const bool interleaved = node.flag("interleaved", false);
  const int64_t heads = node.integer("num_heads", 0, 0, 1 << 20);
  int64_t width = node.integer("rotary_embedding_dim", 0, 0, 1 << 20);
  ValueId x = node.input(0);
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  const bool merged = builder.type(x).rank() == 3;
  if (merged && heads == 0) return node.fail("attribute num_heads: is needed for an input of 3 axes");
  if (merged) x = ops::split_heads(builder, x, heads);
  if (node.failed()) return;
  if (builder.type(x).rank() != 4) return node.fail("input 0: must have 3 or 4 axes");
  const int64_t size = builder.type(x).shape.back();
  if (width == 0) width = size;
  if (width > size || width % 2 != 0)
    return node.fail(fmt::format("attribute rotary_embedding_dim: {} is no even number up to {}", width, size));
  const ValueId cosine = angles(node, 1, node.has_input(3)), sine = angles(node, 2, node.has_input(3));
  if (node.failed()) return;
  ValueId y = rotated(builder, width == size ? x : ops::slice(builder, x, 3, 0, width), cosine, sine, interleaved);
  if (width < size) y = ops::concat(builder, {y, ops::slice(builder, x, 3, width, size)}, 3);
  if (!node.failed()) node.set_output(merged ? ops::merge_heads(builder, y) : y);
}

void convert_attention(NodeContext& node) {
  ops::AttentionOptions options;
  Sight sight;
  sight.causal = node.flag("is_causal", false);
  sight.left = node.integer("left_window_size", -1, -1, kHighestInt);
  sight.right = node.integer("right_window_size", -1, -1, kHighestInt);
  options.scale = node.real("scale", 0);
  const double cap = node.real("softcap", 0);
  if (cap < 0) node.fail(fmt::format("attribute softcap: {} is negative", cap));
  node.ignore("softmax_precision");  // ours is f32 at least
  const int64_t shown = node.integer("qk_matmul_output_mode", 0, 0, 3);
  Heads heads = read_heads(node);
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  if (node.has_input(4) && node.has_input(5)) {
    sight.offset = node.input_type(4).rank() == 4 ? node.input_type(4).shape[2] : 0;
    heads.k = ops::concat(builder, {node.input(4), heads.k}, 2);
    heads.v = ops::concat(builder, {node.input(5), heads.v}, 2);
  }
  if (node.failed()) return;
  const TensorType q = builder.type(heads.q), k = builder.type(heads.k);
  if (q.rank() != 4 || k.rank() != 4 || builder.type(heads.v).rank() != 4)
    return node.fail("inputs 0 to 2: must have 3 or 4 axes");
  ValueId mask = node.has_input(3) ? node.input(3) : kNoValue;
  const int64_t queries = q.shape[2], keys = k.shape[2];
  // Our causal attention ends at the last key.
  const bool padded = node.has_input(6);
  mask = fitted_mask(node, mask, keys);
  options.causal =
      sight.causal && !sight.windowed() && cap == 0 && !padded && !node.has_output(3) && keys - queries == sight.offset;
  if (padded || (sight.causal && !options.causal) || sight.windowed()) {
    const ValueId seen =
        padded ? mask_of_lengths(node, node.input(6), queries, keys, sight) : mask_of(node, queries, keys, sight);
    if (node.failed()) return;
    mask = mask == kNoValue ? seen : joined_masks(node, mask, seen, q.dtype);
  }
  ValueId y = kNoValue;
  if (cap == 0 && !node.has_output(3)) {
    y = ops::attention(builder, heads.q, heads.k, heads.v, mask, options);
  } else {
    const WrittenOut w = written_out(node, heads.q, heads.k, heads.v, mask, options.scale, cap);
    y = w.y;
    if (node.failed()) return;
    if (node.has_output(3))
      node.set_output(
          ops::copy(builder, std::array{w.product, w.capped, w.masked, w.weights}[static_cast<size_t>(shown)]), 3);
  }
  if (node.failed()) return;
  node.set_output(heads.merged ? ops::merge_heads(builder, y) : y);
  if (node.has_output(1)) node.set_output(ops::copy(builder, heads.k), 1);
  if (node.has_output(2)) node.set_output(ops::copy(builder, heads.v), 2);
}

// ---- com.microsoft

void convert_quick_gelu(NodeContext& node) { set_swish(node, node.real("alpha", 1.702)); }

void convert_bias_gelu(NodeContext& node, std::string_view approximate) {
  ValueId x = node.input(0);
  if (node.has_input(1)) x = ops::add(node.builder(), x, node.input(1));
  if (!node.failed()) node.set_output(ops::gelu(node.builder(), x, approximate));
}

void convert_fused_matmul(NodeContext& node) {
  const double alpha = node.real("alpha", 1);
  const bool transpose_a = node.flag("transA", false), transpose_b = node.flag("transB", false);
  if (node.flag("transBatchA", false) || node.flag("transBatchB", false))
    node.fail("attributes transBatchA and transBatchB: only 0 is supported");
  ValueId a = node.input(0), b = node.input(1);
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  if (builder.type(a).rank() < 2 || builder.type(b).rank() < 2) return node.fail("inputs 0 and 1: must be matrices");
  if (transpose_a) a = ops::transpose(builder, a, -1, -2);
  if (transpose_b) b = ops::transpose(builder, b, -1, -2);
  const ValueId y = ops::matmul(builder, a, b);
  if (!node.failed()) node.set_output(alpha == 1 ? y : ops::scale(builder, y, alpha));
}

void convert_skip_layer_normalization(NodeContext& node) {
  const double epsilon = node.real("epsilon", 1e-12);
  const ValueId sum = skipped(node, 4);
  const int64_t axis = node.input_type(0).rank() - 1;
  std::vector<ValueId> inputs{sum, node.input(2)};
  if (node.has_input(3)) inputs.push_back(node.input(3));
  if (node.failed()) return;
  const std::vector<ValueId> outputs =
      node.builder().append(ops::kLayerNorm, inputs, {{"axis", axis}, {"epsilon", epsilon}});
  if (node.failed()) return;
  for (size_t i = 0; i < 3; ++i) {
    if (node.has_output(i)) node.set_output(outputs[i], i);
  }
  if (node.has_output(3)) node.set_output(sum, 3);
}

void convert_skip_rms_normalization(NodeContext& node) {
  const double epsilon = node.real("epsilon", 1e-12);
  const ValueId sum = skipped(node, 3);
  const int64_t axis = node.input_type(0).rank() - 1;
  const ValueId scale = node.input(2);
  if (node.failed()) return;
  node.set_output(ops::rms_norm(node.builder(), sum, scale, axis, epsilon));
  if (node.has_output(3)) node.set_output(sum, 3);
}

}  // namespace engine::onnx
