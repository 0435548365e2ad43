// SPDX-License-Identifier: Apache-2.0
// The table of ONNX operators we can read. To add one: write its function, declare it here, add its
// line in operators.cpp.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/onnx/node_context.h"

namespace engine::onnx {

/// Appends what the node computes and sets the outputs. Reads every attribute the operator has.
using Convert = void (*)(NodeContext&);

struct Operator {
  std::string_view name;
  Convert convert;
};

/// Those of ONNX, sorted by name.
std::span<const Operator> operators();
/// Those of com.microsoft, which onnxruntime's optimizer writes, sorted by name.
std::span<const Operator> contrib_operators();
/// Null for an operator we have not.
const Operator* find_operator(std::string_view domain, std::string_view name);

// Building functions of our ops by their form: many operators are one of these and nothing else.
using UnaryOp = ValueId (*)(GraphBuilder&, ValueId);
using AlphaOp = ValueId (*)(GraphBuilder&, ValueId, double alpha);
using BinaryOp = ValueId (*)(GraphBuilder&, ValueId, ValueId);
using ReduceOp = ValueId (*)(GraphBuilder&, ValueId, std::vector<int64_t> axes, bool keep_axes);
using ArgOp = ValueId (*)(GraphBuilder&, ValueId, int64_t axis, bool keep_axis, bool select_last_index);
using AxisOp = ValueId (*)(GraphBuilder&, ValueId, int64_t axis);

// convert_constant.cpp: folded at import, nothing runs
void convert_constant(NodeContext&);
void convert_constant_of_shape(NodeContext&);
void convert_dropout(NodeContext&);
void convert_identity(NodeContext&);
void convert_shape(NodeContext&);
void convert_size(NodeContext&);

// convert_control.cpp
void convert_if(NodeContext&);
void convert_loop(NodeContext&);
void convert_scan(NodeContext&);

// convert_detection.cpp
void convert_non_max_suppression(NodeContext&);
void convert_roi_align(NodeContext&);

// convert_grid.cpp
void convert_affine_grid(NodeContext&);
void convert_deform_conv(NodeContext&);
void convert_grid_sample(NodeContext&);

// convert_indexing.cpp
void convert_compress(NodeContext&);
void convert_concat(NodeContext&);
void convert_depth_to_space(NodeContext&);
void convert_eye_like(NodeContext&);
void convert_gather(NodeContext&);
void convert_gather_elements(NodeContext&);
void convert_gather_nd(NodeContext&);
void convert_non_zero(NodeContext&);
void convert_one_hot(NodeContext&);
void convert_center_crop_pad(NodeContext&);
void convert_pad(NodeContext&);
void convert_range(NodeContext&);
void convert_reverse_sequence(NodeContext&);
void convert_scatter_elements(NodeContext&);
void convert_scatter_nd(NodeContext&);
void convert_space_to_depth(NodeContext&);
void convert_split(NodeContext&);
void convert_tile(NodeContext&);
void convert_top_k(NodeContext&);
void convert_trilu(NodeContext&);
void convert_unique(NodeContext&);

// convert_linear.cpp
void convert_conv_integer(NodeContext&);
void convert_dequantize_linear(NodeContext&);
void convert_dynamic_quantize_linear(NodeContext&);
void convert_einsum(NodeContext&);
void convert_gemm(NodeContext&);
void convert_matmul(NodeContext&);
void convert_matmul_integer(NodeContext&);
void convert_qlinear_conv(NodeContext&);
void convert_qlinear_matmul(NodeContext&);
void convert_quantize_linear(NodeContext&);

// convert_loss.cpp
void convert_negative_log_likelihood_loss(NodeContext&);
void convert_softmax_cross_entropy_loss(NodeContext&);

// convert_math.cpp
/// One operand, no attribute.
void convert_function(NodeContext&, UnaryOp);
/// One operand and the attribute alpha.
void convert_alpha_function(NodeContext&, AlphaOp, double alpha);
/// Two operands, broadcast.
void convert_pair(NodeContext&, BinaryOp);
/// Any number of operands, broadcast, from left to right.
void convert_many(NodeContext&, BinaryOp);
void convert_bit_shift(NodeContext&);
void convert_cast(NodeContext&);
void convert_cast_like(NodeContext&);
void convert_clip(NodeContext&);
void convert_gelu(NodeContext&);
void convert_hard_sigmoid(NodeContext&);
void convert_is_inf(NodeContext&);
void convert_mean(NodeContext&);
void convert_mod(NodeContext&);
void convert_prelu(NodeContext&);
void convert_selu(NodeContext&);
void convert_shrink(NodeContext&);
void convert_where(NodeContext&);

// convert_norm.cpp
void convert_batch_normalization(NodeContext&);
void convert_group_normalization(NodeContext&);
void convert_instance_normalization(NodeContext&);
void convert_layer_normalization(NodeContext&);
void convert_lrn(NodeContext&);

// convert_pool.cpp
void convert_average_pool(NodeContext&);
void convert_global_average_pool(NodeContext&);
void convert_global_lp_pool(NodeContext&);
void convert_global_max_pool(NodeContext&);
void convert_lp_pool(NodeContext&);
void convert_max_pool(NodeContext&);
void convert_max_unpool(NodeContext&);

// convert_random.cpp: drawn at import, nothing runs
void convert_bernoulli(NodeContext&);
void convert_multinomial(NodeContext&);
/// `like`: the shape of input 0.
void convert_random_normal(NodeContext&, bool like);
void convert_random_uniform(NodeContext&, bool like);

// convert_reduce.cpp
void convert_reduction(NodeContext&, ReduceOp);
void convert_arg(NodeContext&, ArgOp);
void convert_cum_prod(NodeContext&);
void convert_cum_sum(NodeContext&);
void convert_hardmax(NodeContext&);
void convert_log_softmax(NodeContext&);
void convert_lp_normalization(NodeContext&);
void convert_mean_variance_normalization(NodeContext&);
void convert_softmax(NodeContext&);

// convert_resize.cpp
void convert_resize(NodeContext&);
void convert_upsample(NodeContext&);

// convert_sequence.cpp
void convert_concat_from_sequence(NodeContext&);
void convert_optional(NodeContext&);
void convert_optional_get_element(NodeContext&);
void convert_optional_has_element(NodeContext&);
void convert_sequence_at(NodeContext&);
void convert_sequence_construct(NodeContext&);
void convert_sequence_empty(NodeContext&);
void convert_sequence_erase(NodeContext&);
void convert_sequence_insert(NodeContext&);
void convert_sequence_length(NodeContext&);
void convert_sequence_map(NodeContext&);
void convert_split_to_sequence(NodeContext&);

// convert_shape.cpp
/// Two extents: the axes before `axis`, and those from it on. Fails when a product overflows.
Shape flat_shape(NodeContext&, const Shape& shape, int64_t axis);
void convert_expand(NodeContext&);
void convert_flatten(NodeContext&);
void convert_reshape(NodeContext&);
void convert_slice(NodeContext&);
void convert_squeeze(NodeContext&);
void convert_transpose(NodeContext&);
void convert_unsqueeze(NodeContext&);

// convert_signal.cpp
void convert_blackman_window(NodeContext&);
void convert_hamming_window(NodeContext&);
void convert_hann_window(NodeContext&);
void convert_mel_weight_matrix(NodeContext&);
void convert_dft(NodeContext&);
void convert_stft(NodeContext&);

// convert_state.cpp
void convert_causal_convolution(NodeContext&);
void convert_linear_attention(NodeContext&);
void convert_tensor_scatter(NodeContext&);

// convert_transformer.cpp
void convert_attention(NodeContext&);
void convert_rms_normalization(NodeContext&);
void convert_rotary_embedding(NodeContext&);
void convert_swiglu(NodeContext&);
void convert_swish(NodeContext&);
void convert_bias_gelu(NodeContext&, std::string_view approximate);
void convert_fused_matmul(NodeContext&);
void convert_quick_gelu(NodeContext&);
void convert_skip_layer_normalization(NodeContext&);
void convert_skip_rms_normalization(NodeContext&);

// convert_contrib.cpp: com.microsoft's
void convert_bias_softmax(NodeContext&);
void convert_contrib_attention(NodeContext&);
void convert_contrib_rotary_embedding(NodeContext&);
void convert_dynamic_quantize_matmul(NodeContext&);
void convert_embed_layer_normalization(NodeContext&);
void convert_fused_conv(NodeContext&);
void convert_fused_gemm(NodeContext&);
void convert_group_query_attention(NodeContext&);
void convert_matmul_integer_to_float(NodeContext&);
void convert_multi_head_attention(NodeContext&);
void convert_qattention(NodeContext&);
void convert_qgemm(NodeContext&);
void convert_qlinear_concat(NodeContext&);
void convert_qlinear_global_average_pool(NodeContext&);
/// Dequantised, computed, quantised again.
void convert_qlinear_pair(NodeContext&, BinaryOp);
void convert_qlinear_leaky_relu(NodeContext&);
void convert_qlinear_sigmoid(NodeContext&);
void convert_qlinear_softmax(NodeContext&);

void convert_expand_dims(NodeContext&);
void convert_qlinear_average_pool(NodeContext&);
void convert_qlinear_reduce_mean(NodeContext&);
void convert_qlinear_where(NodeContext&);

// convert_packed.cpp: com.microsoft's, of weights of few bits
void convert_gather_block_quantized(NodeContext&);
void convert_matmul_nbits(NodeContext&);

// convert_own.cpp
void convert_own(NodeContext&);

// convert_vision.cpp
void convert_conv(NodeContext&);
void convert_conv_transpose(NodeContext&);
void convert_col2im(NodeContext&);

// recurrent.cpp
void convert_gru(NodeContext&);
void convert_lstm(NodeContext&);
void convert_rnn(NodeContext&);

}  // namespace engine::onnx
