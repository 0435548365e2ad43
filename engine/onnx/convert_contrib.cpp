// SPDX-License-Identifier: Apache-2.0
// Operators of com.microsoft that onnxruntime's optimizer and its quantizer write.
#include <fmt/format.h>

#include <algorithm>

#include "engine/onnx/convert_transformer.h"
#include "engine/onnx/convert_words.h"
#include "engine/onnx/operators.h"
#include "engine/onnx/tensor_proto.h"
#include "engine/onnx/windows.h"
#include "engine/ops/attention.h"
#include "engine/ops/casting.h"
#include "engine/ops/compare.h"
#include "engine/ops/convolution_nd.h"
#include "engine/ops/indexing.h"
#include "engine/ops/math.h"
#include "engine/ops/norms.h"
#include "engine/ops/ops.h"
#include "engine/ops/quantized.h"
#include "engine/ops/reduce.h"

namespace engine::onnx {
namespace {

ValueId optional_input(NodeContext& node, size_t i) { return node.has_input(i) ? node.input(i) : kNoValue; }

/// Element k of a list of settings, or what holds without it.
double setting(const std::vector<double>& settings, size_t k, double fallback) {
  return k < settings.size() ? settings[k] : fallback;
}

/// The function that follows a fused convolution or product.
ValueId activated(NodeContext& node, ValueId x, const std::string& name, const std::vector<double>& settings) {
  if (node.failed()) return kNoValue;
  GraphBuilder& builder = node.builder();
  if (name.empty()) return x;
  if (name == "Relu") return ops::relu(builder, x);
  if (name == "Tanh") return ops::tanh(builder, x);
  if (name == "Sigmoid") return ops::sigmoid(builder, x);
  if (name == "LeakyRelu") return ops::leaky_relu(builder, x, setting(settings, 0, 0.01));
  if (name == "HardSigmoid") return ops::hard_sigmoid(builder, x, setting(settings, 0, 0.2), setting(settings, 1, 0.5));
  if (name == "Clip" && settings.size() == 2) return ops::clip(builder, x, settings[0], settings[1]);
  node.fail(fmt::format("attribute activation: \"{}\" is not supported", name));
  return kNoValue;
}

// ---- attention

/// q, k and v by heads, with what says who sees whom.
struct Parts {
  ValueId q = kNoValue, k = kNoValue, v = kNoValue, mask = kNoValue;
  bool causal = false;
  double scale = 0;
};

/// A vector of lengths [batch] as flags [batch, 1, 1, keys]: key j is seen where it is below (or, `from`, not below).
ValueId keys_below(NodeContext& node, ValueId lengths, int64_t keys, bool from = false) {
  GraphBuilder& builder = node.builder();
  const ValueId places = ops::range(builder, 0, static_cast<double>(keys), 1, builder.type(lengths).dtype);
  const ValueId limits = ops::reshape(builder, lengths, {-1, 1, 1, 1});
  return from ? ops::greater_equal(builder, places, limits) : ops::less(builder, places, limits);
}

/// The mask of keys in the forms that the optimizer writes: lengths [batch], ends and starts [2 batch], or flags
/// [batch, keys] or [batch, queries, keys].
ValueId key_mask(NodeContext& node, size_t input, int64_t batch, int64_t queries, int64_t keys) {
  const ValueId given = node.input(input);
  if (node.failed()) return kNoValue;
  GraphBuilder& builder = node.builder();
  const Shape shape = builder.type(given).shape;
  if (shape == Shape{batch}) return keys_below(node, given, keys);
  if (shape == Shape{2 * batch}) {
    const ValueId below = keys_below(node, ops::slice(builder, given, 0, 0, batch), keys);
    return ops::logical_and(builder, below,
                            keys_below(node, ops::slice(builder, given, 0, batch, 2 * batch), keys, true));
  }
  const ValueId flags = ops::cast(builder, given, DType::boolean);
  if (shape == Shape{batch, keys}) return ops::reshape(builder, flags, {batch, 1, 1, keys});
  if (shape == Shape{batch, queries, keys}) return ops::unsqueeze(builder, flags, 1);
  node.fail(fmt::format("input {} (mask): {} is no mask of {} x {} keys", input, to_string(shape), batch, keys));
  return kNoValue;
}

/// Reads what past keys and values there are: [2, batch, heads, past, size] or two inputs; puts them in front.
void put_past(NodeContext& node, Parts& parts, ValueId past_k, ValueId past_v) {
  GraphBuilder& builder = node.builder();
  parts.k = ops::concat(builder, {past_k, parts.k}, 2);
  parts.v = ops::concat(builder, {past_v, parts.v}, 2);
}

/// Computes and sets output 0.
void set_attention(NodeContext& node, const Parts& parts) {
  if (node.failed()) return;
  const ValueId y = ops::attention(node.builder(), parts.q, parts.k, parts.v, parts.mask,
                                   {.causal = parts.causal, .scale = parts.scale});
  if (!node.failed()) node.set_output(ops::merge_heads(node.builder(), y));
}

/// Attributes that Attention and QAttention have in common. `x`: real numbers [batch, sequence, width].
void attend(NodeContext& node, ValueId x, ValueId weight, ValueId bias, size_t mask_input, size_t past_input,
            size_t bias_input) {
  const int64_t heads = node.integer("num_heads", 0, 1, 1 << 20);
  Parts parts;
  parts.causal = node.flag("unidirectional", false);
  parts.scale = node.real("scale", 0);
  node.ignore("mask_filter_value");
  node.ignore("past_present_share_buffer");
  if (node.flag("do_rotary", false)) node.fail("attribute do_rotary: is not supported");
  std::vector<int64_t> sizes = node.integers("qkv_hidden_sizes", {}, 1, 1 << 30);
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  const Shape shape = builder.type(x).shape, wide = builder.type(weight).shape;
  if (shape.size() != 3 || wide.size() != 2) return node.fail("inputs 0 and 1: must have 3 and 2 axes");
  if (sizes.empty()) sizes.assign(3, wide[1] / 3);
  if (sizes.size() != 3 || sizes[0] + sizes[1] + sizes[2] != wide[1])
    return node.fail(fmt::format("attribute qkv_hidden_sizes: does not add up to the {} columns of input 1", wide[1]));
  ValueId all = ops::matmul(builder, x, weight);
  if (bias != kNoValue) all = ops::add(builder, all, bias);
  const std::vector<ValueId> pieces = ops::split(builder, all, sizes, 2);
  if (node.failed()) return;
  parts.q = ops::split_heads(builder, pieces[0], heads);
  parts.k = ops::split_heads(builder, pieces[1], heads);
  parts.v = ops::split_heads(builder, pieces[2], heads);
  if (node.has_input(past_input)) {
    const ValueId past = node.input(past_input);
    if (node.failed()) return;
    put_past(node, parts, ops::squeeze(builder, ops::slice(builder, past, 0, 0, 1), 0),
             ops::squeeze(builder, ops::slice(builder, past, 0, 1, 2), 0));
  }
  if (node.failed()) return;
  const int64_t keys = builder.type(parts.k).shape[2];
  if (node.has_input(mask_input)) parts.mask = key_mask(node, mask_input, shape[0], shape[1], keys);
  if (node.has_input(bias_input))
    parts.mask = joined_masks(node, parts.mask, node.input(bias_input), builder.type(parts.q).dtype);
  set_attention(node, parts);
  if (node.failed() || !node.has_output(1)) return;
  node.set_output(ops::concat(builder, {ops::unsqueeze(builder, parts.k, 0), ops::unsqueeze(builder, parts.v, 0)}, 0),
                  1);
}

/// Keys or values [batch, keys, width], or by heads already; or one part of several that came together in an input
/// [batch, sequence, heads, parts, size].
ValueId by_heads(GraphBuilder& builder, ValueId x, int64_t heads, int64_t part) {
  if (builder.failed()) return kNoValue;
  const int64_t rank = builder.type(x).rank();
  if (rank == 3) return ops::split_heads(builder, x, heads);
  if (rank == 5)
    return ops::transpose(builder, ops::squeeze(builder, ops::slice(builder, x, 3, part, part + 1), 3), 1, 2);
  return x;
}

/// x plus its part of the bias of all three.
ValueId biased(NodeContext& node, ValueId x, int64_t begin, int64_t width) {
  if (!node.has_input(3) || node.failed()) return x;
  GraphBuilder& builder = node.builder();
  if (builder.type(x).rank() != 3) {
    node.fail("input 3 (bias): goes with queries, keys and values of 3 axes alone");
    return kNoValue;
  }
  return ops::add(builder, x, ops::slice(builder, node.input(3), 0, begin, begin + width));
}

}  // namespace

void convert_contrib_attention(NodeContext& node) {
  const ValueId x = node.input(0), weight = node.input(1), bias = optional_input(node, 2);
  if (node.has_input(6)) return node.fail("input 6 (past_sequence_length): is not supported");
  attend(node, x, weight, bias, 3, 4, 5);
}

void convert_qattention(NodeContext& node) {
  GraphBuilder& builder = node.builder();
  const auto dequantized = [&](size_t values, size_t scale, size_t zero) {
    if (node.failed()) return kNoValue;
    const ValueId zero_point = node.has_input(zero)
                                   ? node.input(zero)
                                   : filled(node, 0, node.input_type(values).dtype, node.input_type(scale).shape);
    return node.failed() ? kNoValue
                         : ops::dequantize_linear(builder, {node.input(values), node.input(scale), zero_point});
  };
  const ValueId x = dequantized(0, 3, 6), weight = dequantized(1, 4, 7), bias = node.input(2);
  attend(node, x, weight, bias, 5, 8, node.input_count());
}

void convert_multi_head_attention(NodeContext& node) {
  const int64_t heads = node.integer("num_heads", 0, 1, 1 << 20);
  Parts parts;
  parts.causal = node.flag("unidirectional", false);
  parts.scale = node.real("scale", 0);
  node.ignore("mask_filter_value");
  ValueId q = node.input(0), k = optional_input(node, 1), v = optional_input(node, 2);
  if (node.failed()) return;
  for (size_t i = 8; i < node.input_count(); ++i) {
    if (node.has_input(i)) return node.fail(fmt::format("input {}: is not supported", i));
  }
  GraphBuilder& builder = node.builder();
  const Shape first = builder.type(q).shape;
  if (first.size() != 3 && first.size() != 5) return node.fail("input 0 (query): must have 3 or 5 axes");
  if (first.size() == 5) k = v = q;  // [batch, sequence, heads, 3, size]
  if (k == kNoValue) return node.fail("input 1 (key): is missing");
  const bool pair = first.size() == 3 && builder.type(k).rank() == 5;  // keys and values in one
  if (v == kNoValue && !pair) return node.fail("input 2 (value): is missing");
  if (first.size() == 3) {
    const int64_t width = first[2];
    q = biased(node, q, 0, width);
    if (builder.type(k).rank() == 3) {
      const int64_t of_v = builder.type(v).shape.back();
      k = biased(node, k, width, builder.type(k).shape.back());
      v = biased(node, v, 2 * width, of_v);
    }
  } else if (node.has_input(3)) {
    return node.fail("input 3 (bias): goes with queries, keys and values of 3 axes alone");
  }
  if (node.failed()) return;
  const bool all = first.size() == 5;
  parts.q = by_heads(builder, q, heads, 0);
  parts.v = by_heads(builder, pair ? k : v, heads, all ? 2 : 1);
  parts.k = by_heads(builder, k, heads, all ? 1 : 0);
  if (node.has_input(6) && node.has_input(7)) put_past(node, parts, node.input(6), node.input(7));
  if (node.failed()) return;
  const Shape queries = builder.type(parts.q).shape, keys = builder.type(parts.k).shape;
  if (node.has_input(4)) parts.mask = key_mask(node, 4, queries[0], queries[2], keys[2]);
  if (node.has_input(5)) parts.mask = joined_masks(node, parts.mask, node.input(5), builder.type(parts.q).dtype);
  set_attention(node, parts);
  if (node.failed()) return;
  if (node.has_output(1)) node.set_output(ops::copy(builder, parts.k), 1);
  if (node.has_output(2)) node.set_output(ops::copy(builder, parts.v), 2);
}

namespace {

/// Cosines or sines of `count` positions from `first` on, for [batch, heads, sequence, size].
ValueId angles_from(GraphBuilder& builder, ValueId cache, int64_t first, int64_t count) {
  const ValueId rows = ops::slice(builder, cache, 0, first, first + count);
  return ops::unsqueeze(builder, ops::unsqueeze(builder, rows, 0), 0);
}

/// The keys that each sequence has with those of this step; all sequences have as many.
int64_t read_total(NodeContext& node) {
  const std::vector<double> last = node.constant_reals(5, "seqlens_k");
  if (node.failed()) return 0;
  if (last.empty() || std::ranges::any_of(last, [&](double each) { return each != last[0]; })) {
    node.fail("input 5 (seqlens_k): sequences of several lengths are not supported");
    return 0;
  }
  return static_cast<int64_t>(last[0]) + 1;
}

}  // namespace

void convert_group_query_attention(NodeContext& node) {
  const int64_t heads = node.integer("num_heads", 0, 1, 1 << 20), of_kv = node.integer("kv_num_heads", 0, 1, 1 << 20);
  const bool rotates = node.flag("do_rotary", false), interleaved = node.flag("rotary_interleaved", false);
  const int64_t window = node.integer("local_window_size", -1, -1, kHighestInt);
  const double cap = node.real("softcap", 0), scale = node.real("scale", 0);
  if (node.flag("smooth_softmax", false)) node.fail("attribute smooth_softmax: is not supported");
  node.ignore("kv_cache_bit_width");
  for (size_t i = 9; i < node.input_count(); ++i) {
    if (node.has_input(i)) node.fail(fmt::format("input {}: is not supported", i));
  }
  const int64_t total = read_total(node);
  ValueId q = node.input(0), k = optional_input(node, 1), v = optional_input(node, 2);
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  if (builder.type(q).rank() != 3) return node.fail("input 0 (query): must have 3 axes");
  if (k == kNoValue) {
    const int64_t size = builder.type(q).shape[2] / (heads + 2 * of_kv);
    const std::vector<ValueId> pieces = ops::split(builder, q, {heads * size, of_kv * size, of_kv * size}, 2);
    if (node.failed()) return;
    q = pieces[0], k = pieces[1], v = pieces[2];
  }
  if (v == kNoValue) return node.fail("input 2 (value): is missing");
  Parts parts{ops::split_heads(builder, q, heads), ops::split_heads(builder, k, of_kv),
              ops::split_heads(builder, v, of_kv)};
  if (node.failed()) return;
  const int64_t count = builder.type(parts.q).shape[2], past = total - count;
  if (past < 0) return node.fail(fmt::format("input 5 (seqlens_k): {} keys are fewer than {} queries", total, count));
  if (rotates) {
    if (!node.has_input(7) || !node.has_input(8))
      return node.fail("inputs 7 and 8 (cos_cache, sin_cache): are missing");
    const ValueId cosine = angles_from(builder, node.input(7), past, count),
                  sine = angles_from(builder, node.input(8), past, count);
    if (node.failed()) return;
    parts.q = rotated_front(builder, parts.q, cosine, sine, interleaved);
    parts.k = rotated_front(builder, parts.k, cosine, sine, interleaved);
  }
  if (past > 0) {
    if (!node.has_input(3) || !node.has_input(4)) return node.fail("inputs 3 and 4 (past): are missing");
    const ValueId past_k = node.input(3), past_v = node.input(4);
    if (node.failed()) return;
    put_past(node, parts, ops::slice(builder, past_k, 2, 0, past), ops::slice(builder, past_v, 2, 0, past));
  }
  if (node.failed()) return;
  Sight sight{.causal = true, .left = window > 0 ? window - 1 : -1, .right = -1, .offset = past};
  parts.causal = !sight.windowed() && cap == 0;
  parts.scale = scale;
  if (!parts.causal) parts.mask = mask_of(node, count, total, sight);
  if (node.failed()) return;
  if (cap == 0) {
    set_attention(node, parts);
  } else {
    const ValueId y = capped_attention(node, parts.q, parts.k, parts.v, parts.mask, scale, cap);
    if (!node.failed()) node.set_output(ops::merge_heads(builder, y));
  }
  if (node.failed()) return;
  if (node.has_output(1)) node.set_output(ops::copy(builder, parts.k), 1);
  if (node.has_output(2)) node.set_output(ops::copy(builder, parts.v), 2);
}

/// Positions are one for all sequences, counted on from there, or one for each element.
void convert_contrib_rotary_embedding(NodeContext& node) {
  const bool interleaved = node.flag("interleaved", false);
  int64_t heads = node.integer("num_heads", 0, 0, 1 << 20);
  node.ignore("rotary_embedding_dim");  // the caches have it
  node.ignore("is_packed_batching");
  if (node.real("scale", 1) != 1) node.fail("attribute scale: only 1 is supported");
  ValueId x = node.input(0);
  const ValueId cosines = node.input(2), sines = node.input(3);
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  const bool merged = builder.type(x).rank() == 3;
  if (!merged && builder.type(x).rank() != 4) return node.fail("input 0: must have 3 or 4 axes");
  if (merged && heads == 0 && builder.type(cosines).shape.back() > 0)
    heads = builder.type(x).shape[2] / (2 * builder.type(cosines).shape.back());
  if (merged) x = ops::split_heads(builder, x, heads);
  if (node.failed()) return;
  const int64_t count = builder.type(x).shape[2];
  ValueId cosine = kNoValue, sine = kNoValue;
  if (node.input_type(1).elements() == 1 && node.input_type(1).rank() <= 1) {
    const int64_t first = node.constant_integer(1, "position_ids");
    if (node.failed()) return;
    cosine = angles_from(builder, cosines, first, count);
    sine = angles_from(builder, sines, first, count);
  } else {
    const ValueId places = node.input(1);
    if (node.failed()) return;
    cosine = ops::unsqueeze(builder, ops::gather(builder, cosines, places, 0), 1);
    sine = ops::unsqueeze(builder, ops::gather(builder, sines, places, 0), 1);
  }
  if (node.failed()) return;
  const ValueId y = rotated_front(builder, x, cosine, sine, interleaved);
  if (!node.failed()) node.set_output(merged ? ops::merge_heads(builder, y) : y);
}

void convert_embed_layer_normalization(NodeContext& node) {
  const double epsilon = node.real("epsilon", 1e-12);
  node.ignore("mask_index_type");
  const ValueId words = node.input(0), table = node.input(2), place_table = node.input(3);
  const ValueId scale = node.input(5), bias = node.input(6);
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  if (builder.type(words).rank() != 2) return node.fail("input 0 (input_ids): must have 2 axes");
  const int64_t count = builder.type(words).shape[1];
  ValueId sum = ops::gather(builder, table, words, 0);
  const ValueId places = node.has_input(8) ? ops::gather(builder, place_table, node.input(8), 0)
                                           : ops::slice(builder, place_table, 0, 0, count);
  sum = ops::add(builder, sum, places);
  if (node.has_input(1) && node.has_input(4))
    sum = ops::add(builder, sum, ops::gather(builder, node.input(4), node.input(1), 0));
  if (node.failed()) return;
  node.set_output(ops::layer_norm(builder, sum, scale, bias, -1, epsilon));
  if (node.has_output(1)) {
    const ValueId counts = node.has_input(7) ? ops::sum(builder, ops::cast(builder, node.input(7), DType::int32), {1})
                                             : filled(node, 0, DType::int32, {builder.type(words).shape[0]});
    if (node.failed()) return;
    node.set_output(counts, 1);
  }
  if (node.has_output(2)) node.set_output(sum, 2);
}

// ---- fused products

void convert_fused_conv(NodeContext& node) {
  const std::string name = node.text("activation", "");
  const std::vector<double> settings = node.reals("activation_params", {});
  convert_conv(node);
  if (node.failed()) return;
  ValueId y = node.made();
  if (node.has_input(3)) y = ops::add(node.builder(), y, node.input(3));
  y = activated(node, y, name, settings);
  if (!node.failed()) node.set_output(y);
}

void convert_fused_gemm(NodeContext& node) {
  const std::string name = node.text("activation", "");
  std::vector<double> settings;
  if (name == "LeakyRelu") settings = {node.real("activation_alpha", 0.01)};
  else if (name == "HardSigmoid") settings = {node.real("activation_alpha", 0.2), node.real("activation_beta", 0.5)};
  for (const char* other : {"activation_alpha", "activation_beta", "activation_gamma"}) node.ignore(other);
  convert_gemm(node);
  if (node.failed()) return;
  const ValueId y = activated(node, node.made(), name, settings);
  if (!node.failed()) node.set_output(y);
}

void convert_bias_softmax(NodeContext& node) {
  node.ignore("is_inner_broadcast");
  const int64_t rank = node.input_type(0).rank(), axis = read_axis(node, "axis", 1, rank);
  const ValueId x = node.input(0), bias = node.input(1);
  if (node.failed()) return;
  if (axis != rank - 1) return node.fail("attribute axis: only the last axis is supported");
  node.set_output(ops::softmax(node.builder(), ops::add(node.builder(), x, bias), axis));
}

// ---- integers that stand for real numbers

namespace {

/// The zero point at an input, or zeros.
ValueId zero_at(NodeContext& node, size_t i, DType dtype, const Shape& shape) {
  return node.has_input(i) ? node.input(i) : filled(node, 0, dtype, shape);
}

/// Inputs i to i + 2 as real numbers.
ValueId real_input(NodeContext& node, size_t i) {
  const ValueId values = node.input(i), scale = node.input(i + 1);
  const ValueId zero = zero_at(node, i + 2, node.input_type(i).dtype, node.input_type(i + 1).shape);
  return node.failed() ? kNoValue : ops::dequantize_linear(node.builder(), {values, scale, zero});
}

/// Sets output 0, quantised by the scale at input i and the zero point behind it.
void set_quantized(NodeContext& node, ValueId y, size_t i, DType dtype) {
  const ValueId scale = node.input(i), zero = zero_at(node, i + 1, dtype, node.input_type(i).shape);
  if (!node.failed()) node.set_output(ops::quantize_linear(node.builder(), y, scale, zero));
}

}  // namespace

void convert_qlinear_pair(NodeContext& node, BinaryOp op) {
  const ValueId a = real_input(node, 0), b = real_input(node, 3);
  if (!node.failed()) set_quantized(node, op(node.builder(), a, b), 6, node.input_type(0).dtype);
}

void convert_qlinear_sigmoid(NodeContext& node) {
  const ValueId x = real_input(node, 0);
  if (!node.failed()) set_quantized(node, ops::sigmoid(node.builder(), x), 3, node.input_type(0).dtype);
}

void convert_qlinear_leaky_relu(NodeContext& node) {
  const double alpha = node.real("alpha", 0.01);
  const ValueId x = real_input(node, 0);
  if (!node.failed()) set_quantized(node, ops::leaky_relu(node.builder(), x, alpha), 3, node.input_type(0).dtype);
}

void convert_qlinear_softmax(NodeContext& node) {
  node.ignore("opset");
  const int64_t axis = read_axis(node, "axis", -1, node.input_type(0).rank());
  const ValueId x = real_input(node, 0);
  if (!node.failed()) set_quantized(node, ops::softmax(node.builder(), x, axis), 3, node.input_type(0).dtype);
}

void convert_qlinear_global_average_pool(NodeContext& node) {
  const bool channels_last = node.flag("channels_last", false);
  ValueId x = real_input(node, 0);
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  const int64_t rank = builder.type(x).rank();
  if (rank < 3) return node.fail("input 0: must have 3 axes or more");
  std::vector<int64_t> axes;
  for (int64_t axis = channels_last ? 1 : 2; axis < (channels_last ? rank - 1 : rank); ++axis) axes.push_back(axis);
  x = !channels_last && rank == 4 ? ops::global_average_pool(builder, x) : ops::mean(builder, x, axes, true);
  set_quantized(node, x, 3, node.input_type(0).dtype);
}

/// A pool of real numbers between both scales.
void convert_qlinear_average_pool(NodeContext& node) {
  if (node.flag("channels_last", false)) node.fail("attribute channels_last: only 0 is supported");
  const std::vector<int64_t> extents = spatial_extents(node, 0);
  const Window window = read_window(node, extents, {});
  ops::PoolOptions options{.kernel = window.kernel, .stride = window.stride, .padding = pads_of(window)};
  options.count_include_pad = node.flag("count_include_pad", false);
  options.ceil_mode = node.flag("ceil_mode", false);
  if (!node.failed() && std::ranges::any_of(window.dilation, [](int64_t dilation) { return dilation != 1; }))
    node.fail("attribute dilations: only 1 is supported");
  const ValueId x = real_input(node, 0);
  if (!node.failed()) set_quantized(node, ops::average_pool(node.builder(), x, options), 3, node.input_type(0).dtype);
}

void convert_qlinear_reduce_mean(NodeContext& node) {
  const bool keep = node.flag("keepdims", true);
  const int64_t rank = node.input_type(0).rank();
  std::vector<int64_t> axes = node.integers("axes", {}, -kLargestRank, kLargestRank - 1);
  for (int64_t& axis : axes) axis = front_axis(node, axis, rank, "attribute axes");
  for (int64_t axis = 0; axes.empty() && axis < rank; ++axis) axes.push_back(axis);
  const ValueId x = real_input(node, 0);
  if (!node.failed()) set_quantized(node, ops::mean(node.builder(), x, axes, keep), 3, node.input_type(0).dtype);
}

void convert_qlinear_where(NodeContext& node) {
  const ValueId condition = node.input(0), x = real_input(node, 1), y = real_input(node, 4);
  if (!node.failed()) set_quantized(node, ops::where(node.builder(), condition, x, y), 7, node.input_type(1).dtype);
}

void convert_expand_dims(NodeContext& node) {
  const int64_t axis = node.constant_integer(1, "axis");
  const ValueId x = node.input(0);
  if (node.failed()) return;
  const int64_t front = front_axis(node, axis, node.builder().type(x).rank() + 1, "input 1 (axis)");
  if (!node.failed()) node.set_output(ops::unsqueeze(node.builder(), x, front));
}

void convert_qlinear_concat(NodeContext& node) {
  if (node.input_count() < 5) return node.fail("has no tensors to join");
  const int64_t axis = read_axis(node, "axis", 0, node.input_type(2).rank());
  std::vector<ValueId> values;
  for (size_t i = 2; i + 1 < node.input_count(); i += 3) values.push_back(real_input(node, i));
  if (!node.failed()) set_quantized(node, ops::concat(node.builder(), values, axis), 0, node.input_type(2).dtype);
}

void convert_qgemm(NodeContext& node) {
  const bool transpose_a = node.flag("transA", false), transpose_b = node.flag("transB", false);
  const double alpha = node.real("alpha", 1);
  ValueId a = real_input(node, 0), b = kNoValue;
  GraphBuilder& builder = node.builder();
  const ValueId weights = node.input(3), scale = node.input(4);
  const ValueId zero = zero_at(node, 5, node.input_type(3).dtype, node.input_type(4).shape);
  if (node.failed()) return;
  b = ops::dequantize_linear(builder, {weights, scale, zero}, transpose_b ? 0 : 1);
  if (transpose_a) a = ops::transpose(builder, a, 0, 1);
  if (transpose_b) b = ops::transpose(builder, b, 0, 1);
  ValueId y = ops::matmul(builder, a, b);
  if (alpha != 1) y = ops::scale(builder, y, alpha);
  if (node.has_input(6)) {
    const ValueId unit = ops::multiply(builder, node.input(1), scale);
    y = ops::add(builder, y,
                 ops::multiply(builder, ops::cast(builder, node.input(6), DType::float32),
                               alpha == 1 ? unit : ops::scale(builder, unit, alpha)));
  }
  if (node.failed()) return;
  if (!node.has_input(7)) return node.set_output(y);
  set_quantized(node, y, 7, node.input_type(0).dtype);
}

namespace {

/// The real product of integers: (i32 sums) * scale_a * scale_b + bias.
void set_real_product(NodeContext& node, const ops::Quantized& a, const ops::Quantized& b, size_t bias_input) {
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  const ValueId sums = ops::matmul_integer(builder, a.values, b.values, a.zero_point, b.zero_point);
  ValueId y =
      ops::multiply(builder, ops::cast(builder, sums, DType::float32), ops::multiply(builder, a.scale, b.scale));
  if (node.has_input(bias_input)) y = ops::add(builder, y, node.input(bias_input));
  if (!node.failed()) node.set_output(y);
}

}  // namespace

void convert_matmul_integer_to_float(NodeContext& node) {
  const ops::Quantized a{node.input(0), node.input(2), optional_input(node, 4)},
      b{node.input(1), node.input(3), optional_input(node, 5)};
  set_real_product(node, a, b, 6);
}

void convert_dynamic_quantize_matmul(NodeContext& node) {
  const ValueId x = node.input(0);
  const ops::Quantized b{node.input(1), node.input(2), optional_input(node, 3)};
  if (!node.failed()) set_real_product(node, ops::dynamic_quantize_linear(node.builder(), x), b, 4);
}

}  // namespace engine::onnx
