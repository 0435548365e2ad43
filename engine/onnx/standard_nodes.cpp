// SPDX-License-Identifier: Apache-2.0
// How each op is written in ONNX's standard operators (onnx/onnx, docs/Operators.md). A rule says whether the operator
// computes the same for this use of the op; which dtypes it takes is looked up afterwards (operator_types.cpp).
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "engine/onnx/node_writer.h"

namespace engine::onnx {
namespace {

bool floating(const NodeWriter& op, size_t input = 0) { return is_floating(op.input_type(input).dtype); }
bool boolean(const NodeWriter& op, size_t input = 0) { return op.input_type(input).dtype == DType::boolean; }

// ---- element by element

/// Operators of the same operands, without attributes.
struct Plain {
  std::string_view op, operator_name;
};
constexpr Plain kPlain[] = {
    {"absolute", "Abs"},
    {"acos", "Acos"},
    {"acosh", "Acosh"},
    {"add", "Add"},
    {"asin", "Asin"},
    {"asinh", "Asinh"},
    {"atan", "Atan"},
    {"atanh", "Atanh"},
    {"ceil", "Ceil"},
    {"contiguous", "Identity"},
    {"copy", "Identity"},
    {"cos", "Cos"},
    {"cosh", "Cosh"},
    {"determinant", "Det"},
    {"divide", "Div"},
    {"equal", "Equal"},
    {"erf", "Erf"},
    {"exp", "Exp"},
    {"floor", "Floor"},
    {"global_average_pool", "GlobalAveragePool"},
    {"greater", "Greater"},
    {"greater_equal", "GreaterOrEqual"},
    {"hard_swish", "HardSwish"},
    {"is_nan", "IsNaN"},
    {"less", "Less"},
    {"less_equal", "LessOrEqual"},
    {"log", "Log"},
    {"logical_and", "And"},
    {"logical_not", "Not"},
    {"logical_or", "Or"},
    {"logical_xor", "Xor"},
    {"matmul", "MatMul"},
    {"matmul_integer", "MatMulInteger"},
    {"maximum", "Max"},
    {"minimum", "Min"},
    {"mish", "Mish"},
    {"multiply", "Mul"},
    {"negate", "Neg"},
    {"power", "Pow"},
    {"prelu", "PRelu"},
    {"qlinear_matmul", "QLinearMatMul"},
    {"reciprocal", "Reciprocal"},
    {"relayout", "Identity"},
    {"relu", "Relu"},
    {"round", "Round"},
    {"sigmoid", "Sigmoid"},
    {"sign", "Sign"},
    {"sin", "Sin"},
    {"sinh", "Sinh"},
    {"softplus", "Softplus"},
    {"softsign", "Softsign"},
    {"sqrt", "Sqrt"},
    {"subtract", "Sub"},
    {"tan", "Tan"},
    {"tanh", "Tanh"},
    {"to_device", "Identity"},
    {"where", "Where"},
};

bool not_equal(NodeWriter& op) {
  const std::string equal = op.step("Equal", op.inputs()).output(0);
  op.add("Not", {equal});
  return true;
}

bool bits(NodeWriter& op, std::string_view of_integers, std::string_view of_bools) {
  op.add(boolean(op) ? of_bools : of_integers, op.inputs());
  return true;
}
bool bitwise_and(NodeWriter& op) { return bits(op, "BitwiseAnd", "And"); }
bool bitwise_or(NodeWriter& op) { return bits(op, "BitwiseOr", "Or"); }
bool bitwise_xor(NodeWriter& op) { return bits(op, "BitwiseXor", "Xor"); }
bool bitwise_not(NodeWriter& op) { return bits(op, "BitwiseNot", "Not"); }

bool bit_shift(NodeWriter& op) {
  set_text(op.add("BitShift", op.inputs()), "direction", op.word("direction") == "left" ? "LEFT" : "RIGHT");
  return true;
}

/// ONNX has the sign of the divisor for integers, that of the dividend for all.
bool modulo(NodeWriter& op) {
  const bool dividend = op.whole("fmod") != 0;
  if (!dividend && floating(op)) return false;
  set(op.add("Mod", op.inputs()), "fmod", int64_t{dividend});
  return true;
}

/// One operand and real attributes of the same meaning.
bool with_reals(NodeWriter& op, std::string_view name, std::initializer_list<std::array<std::string_view, 2>> reals) {
  ::onnx::NodeProto& node = op.add(name, op.inputs());
  for (const auto& [ours, theirs] : reals) set_real(node, theirs, op.real(ours));
  return true;
}
bool elu(NodeWriter& op) { return with_reals(op, "Elu", {{"alpha", "alpha"}}); }
bool selu(NodeWriter& op) { return with_reals(op, "Selu", {{"alpha", "alpha"}, {"gamma", "gamma"}}); }
bool celu(NodeWriter& op) { return with_reals(op, "Celu", {{"alpha", "alpha"}}); }
bool leaky_relu(NodeWriter& op) { return with_reals(op, "LeakyRelu", {{"alpha", "alpha"}}); }
bool hard_sigmoid(NodeWriter& op) { return with_reals(op, "HardSigmoid", {{"alpha", "alpha"}, {"beta", "beta"}}); }
bool thresholded_relu(NodeWriter& op) { return with_reals(op, "ThresholdedRelu", {{"alpha", "alpha"}}); }
bool shrink(NodeWriter& op) { return with_reals(op, "Shrink", {{"bias", "bias"}, {"lambda", "lambd"}}); }

bool gelu(NodeWriter& op) {
  set_text(op.add("Gelu", op.inputs()), "approximate", op.word("approximate"));
  return true;
}

bool silu(NodeWriter& op) {
  const std::string gate = op.step("Sigmoid", op.inputs()).output(0);
  op.add("Mul", {op.input(0), gate});
  return true;
}

/// What an end of clip is in ONNX: an input, absent where it is open.
std::string clip_end(NodeWriter& op, std::string_view key) {
  return op.has(key) && std::isfinite(op.real(key)) ? op.scalar(op.real(key), op.input_type(0).dtype) : std::string();
}

bool clip(NodeWriter& op) {
  const bool least = op.has("min") && op.real("min") == std::numeric_limits<double>::infinity();
  const bool most = op.has("max") && op.real("max") == -std::numeric_limits<double>::infinity();
  if (least || most || std::isnan(op.real("min")) || std::isnan(op.real("max"))) return false;
  op.add("Clip", {op.input(0), clip_end(op, "min"), clip_end(op, "max")});
  return true;
}

/// x times a factor; x itself for 1.
std::string times(NodeWriter& op, const std::string& x, double factor, DType dtype) {
  if (factor == 1) return x;
  return op.step("Mul", {x, op.scalar(factor, dtype)}).output(0);
}

bool scale(NodeWriter& op) {
  if (!floating(op)) return false;
  const DType dtype = op.input_type(0).dtype;
  const double factor = op.real("factor"), shift = op.real("shift");
  if (size_bytes(dtype) < 4 && factor != 1 && shift != 0) return false;  // the product would be rounded on its way
  if (shift == 0) {
    op.add("Mul", {op.input(0), op.scalar(factor, dtype)});
  } else {
    const std::string product = times(op, op.input(0), factor, dtype);
    op.add("Add", {product, op.scalar(shift, dtype)});
  }
  return true;
}

bool scaled_add(NodeWriter& op) {
  if (!floating(op) || (size_bytes(op.input_type(0).dtype) < 4 && op.real("factor") != 1)) return false;
  const std::string product = times(op, op.input(1), op.real("factor"), op.input_type(1).dtype);
  op.add("Add", {op.input(0), product});
  return true;
}

bool is_inf(NodeWriter& op) {
  ::onnx::NodeProto& node = op.add("IsInf", op.inputs());
  set(node, "detect_positive", op.whole("detect_positive"));
  set(node, "detect_negative", op.whole("detect_negative"));
  return true;
}

bool cast(NodeWriter& op) {
  set(op.add("Cast", op.inputs()), "to", int64_t{onnx_type(op.output_type().dtype)});
  return true;
}

// ---- views and movement

/// Extents are those of the result: -1 is resolved.
bool reshape(NodeWriter& op) {
  const Shape& shape = op.output_type().shape;
  ::onnx::NodeProto& node = op.add("Reshape", {op.input(0), op.integers(shape)});
  if (std::ranges::find(shape, 0) != shape.end()) set(node, "allowzero", int64_t{1});
  return true;
}

bool permute(NodeWriter& op) {
  std::vector<int64_t> axes = op.list("axes");
  for (int64_t& axis : axes) axis += axis < 0 ? op.input_type(0).rank() : 0;
  set(op.add("Transpose", op.inputs()), "perm", axes);
  return true;
}

bool slice(NodeWriter& op) {
  op.add("Slice", {op.input(0), op.integers({op.whole("start")}), op.integers({op.whole("end")}),
                   op.integers({op.whole("axis")}), op.integers({op.whole("step")})});
  return true;
}

bool expand(NodeWriter& op) {
  op.add("Expand", {op.input(0), op.integers(op.output_type().shape)});
  return true;
}

bool squeeze(NodeWriter& op) {
  op.add("Squeeze", {op.input(0), op.integers({op.whole("axis")})});
  return true;
}

bool unsqueeze(NodeWriter& op) {
  op.add("Unsqueeze", {op.input(0), op.integers({op.whole("axis")})});
  return true;
}

bool concat(NodeWriter& op) {
  set(op.add("Concat", op.inputs()), "axis", op.whole("axis"));
  return true;
}

bool pad(NodeWriter& op) {
  std::vector<int64_t> pads = op.list("before");
  const std::vector<int64_t> after = op.list("after");
  const std::string mode = op.word("mode");
  pads.insert(pads.end(), after.begin(), after.end());
  const Shape& shape = op.input_type(0).shape;
  if (pads.size() != 2 * shape.size()) return false;
  for (size_t i = 0; i < pads.size(); ++i) {  // what is copied more than once is left open there
    if (mode != "constant" && mode != "edge" && pads[i] >= shape[i % shape.size()]) return false;
  }
  if (mode == "wrap") op.need_opset(19);
  std::vector<std::string> inputs{op.input(0), op.integers(pads)};
  if (mode == "constant") inputs.push_back(op.scalar(op.real("value"), op.input_type(0).dtype));
  set_text(op.add("Pad", inputs), "mode", mode);
  return true;
}

bool tile(NodeWriter& op) {
  op.add("Tile", {op.input(0), op.integers(op.list("repeats"))});
  return true;
}

bool triangle(NodeWriter& op) {
  set(op.add("Trilu", {op.input(0), op.integers({op.whole("k")}, true)}), "upper", op.whole("upper"));
  return true;
}

// ---- picking and placing

bool along_axis(NodeWriter& op, std::string_view name) {
  set(op.add(name, op.inputs()), "axis", op.whole("axis"));
  return true;
}
bool gather(NodeWriter& op) { return along_axis(op, "Gather"); }
bool gather_elements(NodeWriter& op) { return along_axis(op, "GatherElements"); }

bool scatter_elements(NodeWriter& op) {
  ::onnx::NodeProto& node = op.add("ScatterElements", op.inputs());
  set(node, "axis", op.whole("axis"));
  set_text(node, "reduction", op.word("reduction"));
  return true;
}

bool gather_nd(NodeWriter& op) {
  if (op.input_type(1).dtype != DType::int64) return false;
  set(op.add("GatherND", op.inputs()), "batch_dims", op.whole("batch_dims"));
  return true;
}

bool scatter_nd(NodeWriter& op) {
  if (op.whole("batch_dims") != 0 || op.input_type(1).dtype != DType::int64) return false;
  set_text(op.add("ScatterND", op.inputs()), "reduction", op.word("reduction"));
  return true;
}

/// Rows picked, then summed or averaged.
bool embedding_bag(NodeWriter& op) {
  const bool mean = op.word("mode") == "mean";
  if (mean && op.input_type(1).shape[1] == 0) return false;
  ::onnx::NodeProto& rows = op.step("Gather", op.inputs());
  set(rows, "axis", int64_t{0});
  const std::string picked = rows.output(0);
  set(op.add(mean ? "ReduceMean" : "ReduceSum", {picked, op.integers({1})}), "keepdims", int64_t{0});
  return true;
}

bool reverse_sequence(NodeWriter& op) {
  const int64_t rank = op.input_type(0).rank();
  const auto from_front = [&](int64_t axis) { return axis < 0 ? axis + rank : axis; };
  const int64_t batch = from_front(op.whole("batch_axis")), time = from_front(op.whole("time_axis"));
  if (op.input_type(1).dtype != DType::int64 || batch > 1 || time > 1) return false;
  ::onnx::NodeProto& node = op.add("ReverseSequence", op.inputs());
  set(node, "batch_axis", batch);
  set(node, "time_axis", time);
  return true;
}

bool one_hot(NodeWriter& op) {
  if (op.whole("depth") < 1 || op.input_type(0).rank() == 0) return false;
  ::onnx::NodeProto& node = op.add("OneHot", {op.input(0), op.integers({op.whole("depth")}, true),
                                              op.vector({op.real("off"), op.real("on")}, op.output_type().dtype)});
  set(node, "axis", op.whole("axis"));
  return true;
}

/// In what order ONNX puts elements that are not sorted is left open; ours keep that of x.
bool top_k(NodeWriter& op) {
  if (op.whole("sorted") == 0) return false;
  ::onnx::NodeProto& node = op.add("TopK", {op.input(0), op.integers({op.whole("k")})}, 1);
  set(node, "axis", op.whole("axis"));
  set(node, "largest", op.whole("largest"));
  set(node, "sorted", op.whole("sorted"));
  return true;
}

/// ONNX takes extents or scales. Extents say it all where the scales are what follows from them.
bool resize(NodeWriter& op) {
  const Shape& from = op.input_type(0).shape;
  const Shape& to = op.output_type().shape;
  if (from.empty()) return false;
  if (op.word("coordinates") == "half_pixel_symmetric") op.need_opset(19);
  std::vector<double> scales;
  bool usual = true, held = true;
  for (size_t axis = 0; axis < from.size(); ++axis) {
    const std::string number = std::to_string(axis);
    if (op.has("roi_start_" + number) || op.has("roi_end_" + number)) return false;
    const double extent = static_cast<double>(from[axis]), follows = static_cast<double>(to[axis]) / extent;
    scales.push_back(op.node().attributes.get_double("scale_" + number, follows));
    usual = usual && scales.back() == follows;
    held = held && static_cast<double>(static_cast<float>(scales.back())) == scales.back() &&
           static_cast<int64_t>(std::floor(extent * scales.back())) == to[axis];
  }
  if (!usual && !held) return false;
  const std::string none;
  ::onnx::NodeProto& node = usual ? op.add("Resize", {op.input(0), none, none, op.integers(to)})
                                  : op.add("Resize", {op.input(0), none, op.vector(scales, DType::float32)});
  set_text(node, "mode", op.word("mode"));
  set_text(node, "coordinate_transformation_mode", op.word("coordinates"));
  set_text(node, "nearest_mode", op.word("nearest_mode"));
  set_real(node, "cubic_coeff_a", op.real("cubic_coefficient"));
  set(node, "exclude_outside", op.whole("exclude_outside"));
  set_real(node, "extrapolation_value", op.real("extrapolation_value"));
  return true;
}

bool roi_align(NodeWriter& op) {
  if (op.input_type(2).dtype != DType::int64) return false;
  const std::vector<int64_t> sizes = op.list("sizes");
  ::onnx::NodeProto& node = op.add("RoiAlign", op.inputs());
  set(node, "output_height", sizes.at(0));
  set(node, "output_width", sizes.at(1));
  set(node, "sampling_ratio", op.whole("sampling_ratio"));
  set_real(node, "spatial_scale", op.real("spatial_scale"));
  set_text(node, "coordinate_transformation_mode", op.whole("half_pixel") != 0 ? "half_pixel" : "output_half_pixel");
  set_text(node, "mode", op.word("mode"));
  return true;
}

// ---- reductions and softmax

/// "axes" empty: all of them.
bool reduction(NodeWriter& op, std::string_view name) {
  std::vector<std::string> inputs{op.input(0)};
  if (const std::vector<int64_t> axes = op.list("axes"); !axes.empty()) inputs.push_back(op.integers(axes));
  set(op.add(name, inputs), "keepdims", op.whole("keep_axes"));
  return true;
}
bool sum(NodeWriter& op) { return reduction(op, "ReduceSum"); }
bool mean(NodeWriter& op) { return reduction(op, "ReduceMean"); }
bool reduce_max(NodeWriter& op) { return reduction(op, "ReduceMax"); }
bool reduce_min(NodeWriter& op) { return reduction(op, "ReduceMin"); }
bool product(NodeWriter& op) { return reduction(op, "ReduceProd"); }
bool l1_norm(NodeWriter& op) { return reduction(op, "ReduceL1"); }
bool l2_norm(NodeWriter& op) { return reduction(op, "ReduceL2"); }
bool sum_of_squares(NodeWriter& op) { return reduction(op, "ReduceSumSquare"); }
bool log_sum(NodeWriter& op) { return reduction(op, "ReduceLogSum"); }
bool log_sum_exp(NodeWriter& op) { return reduction(op, "ReduceLogSumExp"); }

bool place_of_extremum(NodeWriter& op, std::string_view name) {
  ::onnx::NodeProto& node = op.add(name, op.inputs());
  set(node, "axis", op.whole("axis"));
  set(node, "keepdims", op.whole("keep_axis"));
  set(node, "select_last_index", op.whole("select_last_index"));
  return true;
}
bool argmax(NodeWriter& op) { return place_of_extremum(op, "ArgMax"); }
bool argmin(NodeWriter& op) { return place_of_extremum(op, "ArgMin"); }

bool cumulative_sum(NodeWriter& op) {
  ::onnx::NodeProto& node = op.add("CumSum", {op.input(0), op.integers({op.whole("axis")}, true)});
  set(node, "exclusive", op.whole("exclusive"));
  set(node, "reverse", op.whole("reverse"));
  return true;
}

bool softmax(NodeWriter& op) { return along_axis(op, "Softmax"); }
bool log_softmax(NodeWriter& op) { return along_axis(op, "LogSoftmax"); }
bool hardmax(NodeWriter& op) { return along_axis(op, "Hardmax"); }

/// Loss and probabilities: two operators where both are asked for.
bool softmax_cross_entropy(NodeWriter& op) {
  if (op.output_used(1)) {
    ::onnx::NodeProto& node = op.step("Softmax", {op.input(0)});
    set(node, "axis", int64_t{1});
    node.set_output(0, op.output(1));
    node.set_name(op.output(1));
  }
  set_text(op.add("SoftmaxCrossEntropyLoss", op.inputs()), "reduction", "mean");
  return true;
}

// ---- products, convolution, pooling

bool linear(NodeWriter& op) {
  if (op.input_type(0).rank() != 2 || !floating(op)) return false;
  set(op.add("Gemm", op.inputs()), "transB", int64_t{1});
  return true;
}

void set_window(::onnx::NodeProto& node, const NodeWriter& op) {
  set(node, "strides", op.list("stride"));
  set(node, "pads", op.list("padding"));
}

void set_convolution(::onnx::NodeProto& node, const NodeWriter& op) {
  set_window(node, op);
  set(node, "dilations", op.list("dilation"));
  set(node, "group", op.whole("groups"));
}

bool conv(NodeWriter& op) {
  set_convolution(op.add("Conv", op.inputs()), op);
  return true;
}
bool conv_integer(NodeWriter& op) {
  set_convolution(op.add("ConvInteger", op.inputs()), op);
  return true;
}
bool qlinear_conv(NodeWriter& op) {
  set_convolution(op.add("QLinearConv", op.inputs()), op);
  return true;
}

/// The gradient of a convolution by its input, used forward: a transposed convolution.
bool conv_transpose(NodeWriter& op) {
  const Shape &x = op.input_type(0).shape, &weight = op.input_type(1).shape, &y = op.output_type().shape;
  const std::vector<int64_t> stride = op.list("stride"), padding = op.list("padding"), dilation = op.list("dilation");
  std::vector<int64_t> extra;
  for (size_t axis = 0; axis + 2 < x.size(); ++axis) {
    const int64_t reach = dilation[axis] * (weight[axis + 2] - 1) + 1;
    extra.push_back(y[axis + 2] -
                    ((x[axis + 2] - 1) * stride[axis] + reach - padding[axis] - padding[axis + stride.size()]));
    if (extra.back() < 0 || extra.back() >= std::max(stride[axis], dilation[axis])) return false;
  }
  ::onnx::NodeProto& node = op.add("ConvTranspose", op.inputs());
  set_convolution(node, op);
  set(node, "output_padding", extra);
  return true;
}

/// The places of the maxima are for gradients: ONNX counts them otherwise.
bool max_pool(NodeWriter& op) {
  if (op.output_used(1)) return false;
  ::onnx::NodeProto& node = op.add("MaxPool", op.inputs());
  set(node, "kernel_shape", op.list("kernel"));
  set_window(node, op);
  if (const std::vector<int64_t> dilation = op.list("dilation"); !dilation.empty()) set(node, "dilations", dilation);
  set(node, "ceil_mode", op.whole("ceil_mode"));
  return true;
}

bool average_pool(NodeWriter& op) {
  const std::vector<int64_t> dilation = op.list("dilation");
  if (std::ranges::any_of(dilation, [](int64_t step) { return step != 1; })) op.need_opset(19);
  ::onnx::NodeProto& node = op.add("AveragePool", op.inputs());
  set(node, "kernel_shape", op.list("kernel"));
  set_window(node, op);
  if (std::ranges::any_of(dilation, [](int64_t step) { return step != 1; })) set(node, "dilations", dilation);
  set(node, "ceil_mode", op.whole("ceil_mode"));
  set(node, "count_include_pad", op.whole("count_include_pad"));
  return true;
}

// ---- normalisation

/// ONNX computes statistics in f32 ("stash_type").
bool wide_statistics(const NodeWriter& op) { return op.input_type(0).dtype == DType::float64; }

bool batch_norm(NodeWriter& op) {
  set_real(op.add("BatchNormalization", op.inputs()), "epsilon", op.real("epsilon"));
  return true;
}

bool layer_norm(NodeWriter& op) {
  if (op.output_used(1) || op.output_used(2) || wide_statistics(op)) return false;
  ::onnx::NodeProto& node = op.add("LayerNormalization", op.inputs());
  set(node, "axis", op.whole("axis"));
  set_real(node, "epsilon", op.real("epsilon"));
  return true;
}

bool rms_norm(NodeWriter& op) {
  if (op.output_used(1) || wide_statistics(op)) return false;
  ::onnx::NodeProto& node = op.add("RMSNormalization", op.inputs());
  set(node, "axis", op.whole("axis"));
  set_real(node, "epsilon", op.real("epsilon"));
  return true;
}

bool group_norm(NodeWriter& op) {
  if (op.output_used(1) || op.output_used(2) || wide_statistics(op)) return false;
  op.need_opset(21);  // before it, scale and bias were one per group
  std::vector<std::string> inputs = op.inputs();
  const TensorType& scale = op.input_type(1);
  if (inputs.size() < 3)
    inputs.push_back(op.vector(std::vector<double>(static_cast<size_t>(scale.elements())), scale.dtype));
  ::onnx::NodeProto& node = op.add("GroupNormalization", inputs);
  set(node, "num_groups", op.whole("groups"));
  set_real(node, "epsilon", op.real("epsilon"));
  return true;
}

bool local_response_norm(NodeWriter& op) {
  ::onnx::NodeProto& node = op.add("LRN", op.inputs());
  set(node, "size", op.whole("size"));
  set_real(node, "alpha", op.real("alpha"));
  set_real(node, "beta", op.real("beta"));
  set_real(node, "bias", op.real("bias"));
  return true;
}

// ---- integers that stand for reals

bool quantize(NodeWriter& op, std::string_view name) {
  const bool per_axis = op.input_type(1).rank() > 0;
  ::onnx::NodeProto& node = op.add(name, op.inputs());
  if (per_axis) set(node, "axis", op.whole("axis"));
  return true;
}
bool quantize_linear(NodeWriter& op) { return quantize(op, "QuantizeLinear"); }
bool dequantize_linear(NodeWriter& op) { return quantize(op, "DequantizeLinear"); }

bool dynamic_quantize_linear(NodeWriter& op) {
  op.add("DynamicQuantizeLinear", op.inputs(), 2);
  return true;
}

// ---- attention and recurrent layers

/// Opset 23. A causal mask there lets query i see the keys up to i: the same as ours with as many queries as keys, and
/// no mask at all for one query.
bool attention(NodeWriter& op) {
  const int64_t queries = op.input_type(0).shape[2], keys = op.input_type(1).shape[2];
  const bool causal = op.whole("causal") != 0 && queries != 1;
  if (op.output_used(1) || (causal && queries != keys)) return false;
  ::onnx::NodeProto& node = op.add("Attention", op.inputs());
  if (causal) set(node, "is_causal", int64_t{1});
  if (op.real("scale") != 0) set_real(node, "scale", op.real("scale"));
  return true;
}

/// Blocks of rows (axis 1 of [D, blocks * rows, ...]) in another order; -1: zeros.
Result<Tensor> with_blocks(const Tensor& from, int64_t blocks, const std::vector<int64_t>& order) {
  TensorType type = TensorType::contiguous(from.dtype(), from.shape());
  const int64_t rows = type.shape[1] / blocks;
  type.shape[1] = rows * static_cast<int64_t>(order.size());
  Result<Tensor> to = Tensor::empty(TensorType::contiguous(type.dtype, type.shape));
  if (!to) return to;
  fill(*to, {}, 0, 0);
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] < 0) continue;
    const auto place = static_cast<int64_t>(i);
    const Result<Tensor> source = from.slice(1, order[i] * rows, (order[i] + 1) * rows);
    const Result<Tensor> target = to->slice(1, place * rows, (place + 1) * rows);
    if (!source) return source.error();
    if (!target) return target.error();
    copy_elements(*source, *target);
  }
  return to;
}

/// How ONNX orders the gates of a layer, by ours; its bias is that of W, then that of R.
struct Gates {
  std::string_view name;
  int64_t count = 0, bias_blocks = 0;
  std::vector<int64_t> weights, bias;
};

bool recurrent(NodeWriter& op, const Gates& gates) {
  const size_t states = gates.name == "LSTM" ? 2 : 1;
  for (size_t output = states + 1; output < 5; ++output) {
    if (op.output_used(output)) return false;  // what gradients read
  }
  const auto w = op.known(1), r = op.known(2), bias = op.known(3);
  if (!w || !r || !bias || !floating(op)) return false;
  const auto reordered = [&](size_t input, const Result<Tensor>& data, int64_t blocks,
                             const std::vector<int64_t>& order) {
    return op.constant(op.input(input) + ".onnx", data ? with_blocks(*data, blocks, order) : data);
  };
  const Shape& y = op.output_type().shape;  // [T, B, D H]
  const int64_t directions = op.input_type(1).shape[0], hidden = op.input_type(2).shape[2];
  std::vector<std::string> inputs{op.input(0), reordered(1, *w, gates.count, gates.weights),
                                  reordered(2, *r, gates.count, gates.weights),
                                  reordered(3, *bias, gates.bias_blocks, gates.bias), ""};
  for (size_t state = 0; state < states; ++state) inputs.push_back(op.input(4 + state));
  ::onnx::NodeProto& node = op.step(gates.name, inputs);
  for (size_t state = 0; state < states; ++state) node.add_output(op.output(1 + state));
  set_text(node, "direction", op.word("direction"));
  set(node, "hidden_size", hidden);
  if (gates.name == "GRU") set(node, "linear_before_reset", op.whole("linear_before_reset"));
  if (gates.name == "RNN") {
    ::onnx::AttributeProto& list = *node.add_attribute();
    list.set_name("activations");
    list.set_type(::onnx::AttributeProto::STRINGS);
    for (int64_t d = 0; d < directions; ++d) list.add_strings(op.word("activation") == "relu" ? "Relu" : "Tanh");
  }
  ::onnx::NodeProto& turned = op.step("Transpose", {node.output(0)});  // [T, D, B, H] -> [T, B, D, H]
  set(turned, "perm", std::vector<int64_t>{0, 2, 1, 3});
  op.add("Reshape", {turned.output(0), op.integers(y)});
  return true;
}

bool lstm(NodeWriter& op) {  // i f g o -> i o f c
  return recurrent(op, {"LSTM", 4, 4, {0, 3, 1, 2}, {0, 3, 1, 2, -1, -1, -1, -1}});
}
bool gru(NodeWriter& op) {  // z r n (m) -> z r h, z r h
  if (op.whole("linear_before_reset") != 0) return recurrent(op, {"GRU", 3, 4, {0, 1, 2}, {0, 1, 2, -1, -1, 3}});
  return recurrent(op, {"GRU", 3, 3, {0, 1, 2}, {0, 1, 2, -1, -1, -1}});
}
bool rnn(NodeWriter& op) { return recurrent(op, {"RNN", 1, 1, {0}, {0, -1}}); }

const std::map<std::string_view, Standard>& rules() {
  static const std::map<std::string_view, Standard> all{
      {"argmax", argmax},
      {"argmin", argmin},
      {"attention", attention},
      {"average_pool2d", average_pool},
      {"average_pool3d", average_pool},
      {"batch_norm_inference", batch_norm},
      {"bit_shift", bit_shift},
      {"bitwise_and", bitwise_and},
      {"bitwise_not", bitwise_not},
      {"bitwise_or", bitwise_or},
      {"bitwise_xor", bitwise_xor},
      {"cast", cast},
      {"celu", celu},
      {"clip", clip},
      {"concat", concat},
      {"conv2d", conv},
      {"conv2d_grad_input", conv_transpose},
      {"conv3d", conv},
      {"conv3d_grad_input", conv_transpose},
      {"conv_integer", conv_integer},
      {"cumulative_sum", cumulative_sum},
      {"dequantize_linear", dequantize_linear},
      {"dynamic_quantize_linear", dynamic_quantize_linear},
      {"elu", elu},
      {"embedding_bag", embedding_bag},
      {"expand", expand},
      {"gather", gather},
      {"gather_elements", gather_elements},
      {"gather_nd", gather_nd},
      {"gelu", gelu},
      {"group_norm", group_norm},
      {"gru", gru},
      {"hard_sigmoid", hard_sigmoid},
      {"hardmax", hardmax},
      {"is_inf", is_inf},
      {"l1_norm", l1_norm},
      {"l2_norm", l2_norm},
      {"layer_norm", layer_norm},
      {"leaky_relu", leaky_relu},
      {"linear", linear},
      {"local_response_norm", local_response_norm},
      {"log_softmax", log_softmax},
      {"log_sum", log_sum},
      {"log_sum_exp", log_sum_exp},
      {"lstm", lstm},
      {"max_pool2d", max_pool},
      {"max_pool3d", max_pool},
      {"mean", mean},
      {"modulo", modulo},
      {"not_equal", not_equal},
      {"one_hot", one_hot},
      {"pad", pad},
      {"permute", permute},
      {"product", product},
      {"qlinear_conv", qlinear_conv},
      {"quantize_linear", quantize_linear},
      {"reduce_max", reduce_max},
      {"reduce_min", reduce_min},
      {"reshape", reshape},
      {"resize", resize},
      {"reverse_sequence", reverse_sequence},
      {"rms_norm", rms_norm},
      {"rnn", rnn},
      {"roi_align", roi_align},
      {"scale", scale},
      {"scaled_add", scaled_add},
      {"scatter_elements", scatter_elements},
      {"scatter_nd", scatter_nd},
      {"selu", selu},
      {"shrink", shrink},
      {"silu", silu},
      {"slice", slice},
      {"softmax", softmax},
      {"softmax_cross_entropy", softmax_cross_entropy},
      {"squeeze", squeeze},
      {"sum", sum},
      {"sum_of_squares", sum_of_squares},
      {"thresholded_relu", thresholded_relu},
      {"tile", tile},
      {"top_k", top_k},
      {"triangle", triangle},
      {"unsqueeze", unsqueeze},
  };
  return all;
}

bool plain(NodeWriter& op) {
  const Plain* const found = std::ranges::find(kPlain, op.node().op->name, &Plain::op);
  op.add(found->operator_name, op.inputs());
  return true;
}

}  // namespace

Standard find_standard(std::string_view op) {
  if (std::ranges::find(kPlain, op, &Plain::op) != std::end(kPlain)) return plain;
  const auto found = rules().find(op);
  return found == rules().end() ? nullptr : found->second;
}

}  // namespace engine::onnx
