// SPDX-License-Identifier: Apache-2.0
// The table of ONNX operators we can read, sorted by name.
#include "engine/onnx/operators.h"

#include <algorithm>
#include <array>

#include "engine/onnx/save.h"
#include "engine/ops/compare.h"
#include "engine/ops/linear_algebra.h"
#include "engine/ops/math.h"
#include "engine/ops/ops.h"
#include "engine/ops/reduce.h"

namespace engine::onnx {
namespace {

template <UnaryOp op>
void function(NodeContext& node) {
  convert_function(node, op);
}

template <BinaryOp op>
void pair(NodeContext& node) {
  convert_pair(node, op);
}

template <BinaryOp op>
void many(NodeContext& node) {
  convert_many(node, op);
}

template <ReduceOp op>
void reduction(NodeContext& node) {
  convert_reduction(node, op);
}

template <ArgOp op>
void arg(NodeContext& node) {
  convert_arg(node, op);
}

constexpr std::array kOperators{
    Operator{"Abs", function<ops::absolute>},
    Operator{"Acos", function<ops::acos>},
    Operator{"Acosh", function<ops::acosh>},
    Operator{"Add", pair<ops::add>},
    Operator{"AffineGrid", convert_affine_grid},
    Operator{"And", pair<ops::logical_and>},
    Operator{"ArgMax", arg<ops::argmax>},
    Operator{"ArgMin", arg<ops::argmin>},
    Operator{"Asin", function<ops::asin>},
    Operator{"Asinh", function<ops::asinh>},
    Operator{"Atan", function<ops::atan>},
    Operator{"Atanh", function<ops::atanh>},
    Operator{"Attention", convert_attention},
    Operator{"AveragePool", convert_average_pool},
    Operator{"BatchNormalization", convert_batch_normalization},
    Operator{"Bernoulli", convert_bernoulli},
    Operator{"BitShift", convert_bit_shift},
    Operator{"BitwiseAnd", pair<ops::bitwise_and>},
    Operator{"BitwiseNot", function<ops::bitwise_not>},
    Operator{"BitwiseOr", pair<ops::bitwise_or>},
    Operator{"BitwiseXor", pair<ops::bitwise_xor>},
    Operator{"BlackmanWindow", convert_blackman_window},
    Operator{"Cast", convert_cast},
    Operator{"CastLike", convert_cast_like},
    Operator{"CausalConvWithState", convert_causal_convolution},
    Operator{"Ceil", function<ops::ceil>},
    Operator{"Celu", [](NodeContext& node) { convert_alpha_function(node, ops::celu, 1); }},
    Operator{"CenterCropPad", convert_center_crop_pad},
    Operator{"Clip", convert_clip},
    Operator{"Col2Im", convert_col2im},
    Operator{"Compress", convert_compress},
    Operator{"Concat", convert_concat},
    Operator{"ConcatFromSequence", convert_concat_from_sequence},
    Operator{"Constant", convert_constant},
    Operator{"ConstantOfShape", convert_constant_of_shape},
    Operator{"Conv", convert_conv},
    Operator{"ConvInteger", convert_conv_integer},
    Operator{"ConvTranspose", convert_conv_transpose},
    Operator{"Cos", function<ops::cos>},
    Operator{"Cosh", function<ops::cosh>},
    Operator{"CumProd", convert_cum_prod},
    Operator{"CumSum", convert_cum_sum},
    Operator{"DFT", convert_dft},
    Operator{"DeformConv", convert_deform_conv},
    Operator{"DepthToSpace", convert_depth_to_space},
    Operator{"DequantizeLinear", convert_dequantize_linear},
    Operator{"Det", function<ops::determinant>},
    Operator{"Div", pair<ops::divide>},
    Operator{"Dropout", convert_dropout},
    Operator{"DynamicQuantizeLinear", convert_dynamic_quantize_linear},
    Operator{"Einsum", convert_einsum},
    Operator{"Elu", [](NodeContext& node) { convert_alpha_function(node, ops::elu, 1); }},
    Operator{"Equal", pair<ops::equal>},
    Operator{"Erf", function<ops::erf>},
    Operator{"Exp", function<ops::exp>},
    Operator{"Expand", convert_expand},
    Operator{"EyeLike", convert_eye_like},
    Operator{"Flatten", convert_flatten},
    Operator{"Floor", function<ops::floor>},
    Operator{"GRU", convert_gru},
    Operator{"Gather", convert_gather},
    Operator{"GatherElements", convert_gather_elements},
    Operator{"GatherND", convert_gather_nd},
    Operator{"Gelu", convert_gelu},
    Operator{"Gemm", convert_gemm},
    Operator{"GlobalAveragePool", convert_global_average_pool},
    Operator{"GlobalLpPool", convert_global_lp_pool},
    Operator{"GlobalMaxPool", convert_global_max_pool},
    Operator{"Greater", pair<ops::greater>},
    Operator{"GreaterOrEqual", pair<ops::greater_equal>},
    Operator{"GridSample", convert_grid_sample},
    Operator{"GroupNormalization", convert_group_normalization},
    Operator{"HammingWindow", convert_hamming_window},
    Operator{"HannWindow", convert_hann_window},
    Operator{"HardSigmoid", convert_hard_sigmoid},
    Operator{"HardSwish", function<ops::hard_swish>},
    Operator{"Hardmax", convert_hardmax},
    Operator{"Identity", convert_identity},
    Operator{"If", convert_if},
    Operator{"InstanceNormalization", convert_instance_normalization},
    Operator{"IsInf", convert_is_inf},
    Operator{"IsNaN", function<ops::is_nan>},
    Operator{"LRN", convert_lrn},
    Operator{"LSTM", convert_lstm},
    Operator{"LayerNormalization", convert_layer_normalization},
    Operator{"LeakyRelu", [](NodeContext& node) { convert_alpha_function(node, ops::leaky_relu, 0.01); }},
    Operator{"Less", pair<ops::less>},
    Operator{"LessOrEqual", pair<ops::less_equal>},
    Operator{"LinearAttention", convert_linear_attention},
    Operator{"Log", function<ops::log>},
    Operator{"LogSoftmax", convert_log_softmax},
    Operator{"Loop", convert_loop},
    Operator{"LpNormalization", convert_lp_normalization},
    Operator{"LpPool", convert_lp_pool},
    Operator{"MatMul", convert_matmul},
    Operator{"MatMulInteger", convert_matmul_integer},
    Operator{"Max", many<ops::maximum>},
    Operator{"MaxPool", convert_max_pool},
    Operator{"MaxUnpool", convert_max_unpool},
    Operator{"Mean", convert_mean},
    Operator{"MeanVarianceNormalization", convert_mean_variance_normalization},
    Operator{"MelWeightMatrix", convert_mel_weight_matrix},
    Operator{"Min", many<ops::minimum>},
    Operator{"Mish", function<ops::mish>},
    Operator{"Mod", convert_mod},
    Operator{"Mul", pair<ops::multiply>},
    Operator{"Multinomial", convert_multinomial},
    Operator{"Neg", function<ops::negate>},
    Operator{"NegativeLogLikelihoodLoss", convert_negative_log_likelihood_loss},
    Operator{"NonMaxSuppression", convert_non_max_suppression},
    Operator{"NonZero", convert_non_zero},
    Operator{"Not", function<ops::logical_not>},
    Operator{"OneHot", convert_one_hot},
    Operator{"Optional", convert_optional},
    Operator{"OptionalGetElement", convert_optional_get_element},
    Operator{"OptionalHasElement", convert_optional_has_element},
    Operator{"Or", pair<ops::logical_or>},
    Operator{"PRelu", convert_prelu},
    Operator{"Pad", convert_pad},
    Operator{"Pow", pair<ops::power>},
    Operator{"QLinearConv", convert_qlinear_conv},
    Operator{"QLinearMatMul", convert_qlinear_matmul},
    Operator{"QuantizeLinear", convert_quantize_linear},
    Operator{"RMSNormalization", convert_rms_normalization},
    Operator{"RNN", convert_rnn},
    Operator{"RandomNormal", [](NodeContext& node) { convert_random_normal(node, false); }},
    Operator{"RandomNormalLike", [](NodeContext& node) { convert_random_normal(node, true); }},
    Operator{"RandomUniform", [](NodeContext& node) { convert_random_uniform(node, false); }},
    Operator{"RandomUniformLike", [](NodeContext& node) { convert_random_uniform(node, true); }},
    Operator{"Range", convert_range},
    Operator{"Reciprocal", function<ops::reciprocal>},
    Operator{"ReduceL1", reduction<ops::l1_norm>},
    Operator{"ReduceL2", reduction<ops::l2_norm>},
    Operator{"ReduceLogSum", reduction<ops::log_sum>},
    Operator{"ReduceLogSumExp", reduction<ops::log_sum_exp>},
    Operator{"ReduceMax", reduction<ops::reduce_max>},
    Operator{"ReduceMean", reduction<ops::mean>},
    Operator{"ReduceMin", reduction<ops::reduce_min>},
    Operator{"ReduceProd", reduction<ops::product>},
    Operator{"ReduceSum", reduction<ops::sum>},
    Operator{"ReduceSumSquare", reduction<ops::sum_of_squares>},
    Operator{"Relu", function<ops::relu>},
    Operator{"Reshape", convert_reshape},
    Operator{"Resize", convert_resize},
    Operator{"ReverseSequence", convert_reverse_sequence},
    Operator{"RoiAlign", convert_roi_align},
    Operator{"RotaryEmbedding", convert_rotary_embedding},
    Operator{"Round", function<ops::round>},
    Operator{"STFT", convert_stft},
    Operator{"Scan", convert_scan},
    Operator{"Scatter", convert_scatter_elements},
    Operator{"ScatterElements", convert_scatter_elements},
    Operator{"ScatterND", convert_scatter_nd},
    Operator{"Selu", convert_selu},
    Operator{"SequenceAt", convert_sequence_at},
    Operator{"SequenceConstruct", convert_sequence_construct},
    Operator{"SequenceEmpty", convert_sequence_empty},
    Operator{"SequenceErase", convert_sequence_erase},
    Operator{"SequenceInsert", convert_sequence_insert},
    Operator{"SequenceLength", convert_sequence_length},
    Operator{"SequenceMap", convert_sequence_map},
    Operator{"Shape", convert_shape},
    Operator{"Shrink", convert_shrink},
    Operator{"Sigmoid", function<ops::sigmoid>},
    Operator{"Sign", function<ops::sign>},
    Operator{"SimplifiedLayerNormalization", convert_rms_normalization},
    Operator{"Sin", function<ops::sin>},
    Operator{"Sinh", function<ops::sinh>},
    Operator{"Size", convert_size},
    Operator{"Slice", convert_slice},
    Operator{"Softmax", convert_softmax},
    Operator{"SoftmaxCrossEntropyLoss", convert_softmax_cross_entropy_loss},
    Operator{"Softplus", function<ops::softplus>},
    Operator{"Softsign", function<ops::softsign>},
    Operator{"SpaceToDepth", convert_space_to_depth},
    Operator{"Split", convert_split},
    Operator{"SplitToSequence", convert_split_to_sequence},
    Operator{"Sqrt", function<ops::sqrt>},
    Operator{"Squeeze", convert_squeeze},
    Operator{"Sub", pair<ops::subtract>},
    Operator{"Sum", many<ops::add>},
    Operator{"SwiGLU", convert_swiglu},
    Operator{"Swish", convert_swish},
    Operator{"Tan", function<ops::tan>},
    Operator{"Tanh", function<ops::tanh>},
    Operator{"TensorScatter", convert_tensor_scatter},
    Operator{"ThresholdedRelu", [](NodeContext& node) { convert_alpha_function(node, ops::thresholded_relu, 1); }},
    Operator{"Tile", convert_tile},
    Operator{"TopK", convert_top_k},
    Operator{"Transpose", convert_transpose},
    Operator{"Trilu", convert_trilu},
    Operator{"Unique", convert_unique},
    Operator{"Unsqueeze", convert_unsqueeze},
    Operator{"Upsample", convert_upsample},
    Operator{"Where", convert_where},
    Operator{"Xor", pair<ops::logical_xor>},
};

constexpr std::array kContrib{
    Operator{"Attention", convert_contrib_attention},
    Operator{"BiasGelu", [](NodeContext& node) { convert_bias_gelu(node, "none"); }},
    Operator{"BiasSoftmax", convert_bias_softmax},
    Operator{"DequantizeLinear", convert_dequantize_linear},
    Operator{"DynamicQuantizeMatMul", convert_dynamic_quantize_matmul},
    Operator{"EmbedLayerNormalization", convert_embed_layer_normalization},
    Operator{"ExpandDims", convert_expand_dims},
    Operator{"FastGelu", [](NodeContext& node) { convert_bias_gelu(node, "tanh"); }},
    Operator{"FusedConv", convert_fused_conv},
    Operator{"FusedGemm", convert_fused_gemm},
    Operator{"FusedMatMul", convert_fused_matmul},
    Operator{"GatherBlockQuantized", convert_gather_block_quantized},
    Operator{"Gelu", [](NodeContext& node) { convert_bias_gelu(node, "none"); }},
    Operator{"GroupQueryAttention", convert_group_query_attention},
    Operator{"Inverse", function<ops::inverse>},
    Operator{"MatMulIntegerToFloat", convert_matmul_integer_to_float},
    Operator{"MatMulNBits", convert_matmul_nbits},
    Operator{"MultiHeadAttention", convert_multi_head_attention},
    Operator{"QAttention", convert_qattention},
    Operator{"QGemm", convert_qgemm},
    Operator{"QLinearAdd", [](NodeContext& node) { convert_qlinear_pair(node, ops::add); }},
    Operator{"QLinearAveragePool", convert_qlinear_average_pool},
    Operator{"QLinearConcat", convert_qlinear_concat},
    Operator{"QLinearGlobalAveragePool", convert_qlinear_global_average_pool},
    Operator{"QLinearLeakyRelu", convert_qlinear_leaky_relu},
    Operator{"QLinearMul", [](NodeContext& node) { convert_qlinear_pair(node, ops::multiply); }},
    Operator{"QLinearReduceMean", convert_qlinear_reduce_mean},
    Operator{"QLinearSigmoid", convert_qlinear_sigmoid},
    Operator{"QLinearSoftmax", convert_qlinear_softmax},
    Operator{"QLinearWhere", convert_qlinear_where},
    Operator{"QuantizeLinear", convert_quantize_linear},
    Operator{"QuickGelu", convert_quick_gelu},
    Operator{"RotaryEmbedding", convert_contrib_rotary_embedding},
    Operator{"SkipLayerNormalization", convert_skip_layer_normalization},
    Operator{"SkipSimplifiedLayerNormalization", convert_skip_rms_normalization},
    Operator{"Trilu", convert_trilu},
};

}  // namespace

std::span<const Operator> operators() { return kOperators; }
std::span<const Operator> contrib_operators() { return kContrib; }

const Operator* find_operator(std::string_view domain, std::string_view name) {
  static constexpr Operator kOwn{"", convert_own};
  if (domain == kOwnDomain) return find_op(name) == nullptr ? nullptr : &kOwn;
  const bool contrib = domain == "com.microsoft";
  if (!domain.empty() && domain != "ai.onnx" && !contrib) return nullptr;
  const std::span<const Operator> all = contrib ? contrib_operators() : operators();
  const auto found = std::ranges::lower_bound(all, name, {}, &Operator::name);
  return found == all.end() || found->name != name ? nullptr : &*found;
}

}  // namespace engine::onnx
