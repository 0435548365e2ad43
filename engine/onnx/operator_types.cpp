// SPDX-License-Identifier: Apache-2.0
// Which dtypes ONNX' operators take, and since which opset: their schemas (onnx/onnx 1.18 and later, onnx.defs), for
// the input that names the type.
#include <algorithm>
#include <iterator>

#include "engine/onnx/node_writer.h"

namespace engine::onnx {
namespace {

struct Taken {
  std::string_view name;
  int64_t opset;  ///< the oldest of those from 18 on
  std::string_view dtypes;
};
/// By name, then by opset.
constexpr Taken kTaken[] = {
    {"Abs", 18, "f64 f32 bf16 f16 i64 i32 i8 u8"},
    {"Acos", 18, "f64 f32 f16"},
    {"Acos", 22, "bf16"},
    {"Acosh", 18, "f64 f32 f16"},
    {"Acosh", 22, "bf16"},
    {"Add", 18, "f64 f32 bf16 f16 i64 i32 i8 u8"},
    {"And", 18, "bool"},
    {"ArgMax", 18, "f64 f32 bf16 f16 i64 i32 i8 u8"},
    {"ArgMin", 18, "f64 f32 bf16 f16 i64 i32 i8 u8"},
    {"Asin", 18, "f64 f32 f16"},
    {"Asin", 22, "bf16"},
    {"Asinh", 18, "f64 f32 f16"},
    {"Asinh", 22, "bf16"},
    {"Atan", 18, "f64 f32 f16"},
    {"Atan", 22, "bf16"},
    {"Atanh", 18, "f64 f32 f16"},
    {"Atanh", 22, "bf16"},
    {"Attention", 23, "f64 f32 bf16 f16"},
    {"AveragePool", 18, "f64 f32 f16"},
    {"AveragePool", 22, "bf16"},
    {"BatchNormalization", 18, "f64 f32 bf16 f16"},
    {"BitShift", 18, "u8"},
    {"BitwiseAnd", 18, "i64 i32 i8 u8"},
    {"BitwiseNot", 18, "i64 i32 i8 u8"},
    {"BitwiseOr", 18, "i64 i32 i8 u8"},
    {"BitwiseXor", 18, "i64 i32 i8 u8"},
    {"Cast", 18, "f64 f32 bf16 f16 i64 i32 i8 u8 bool"},
    {"Ceil", 18, "f64 f32 bf16 f16"},
    {"Celu", 18, "f32"},
    {"Clip", 18, "f64 f32 bf16 f16 i64 i32 i8 u8"},
    {"Concat", 18, "f64 f32 bf16 f16 i64 i32 i8 u8 bool"},
    {"Conv", 18, "f64 f32 f16"},
    {"Conv", 22, "bf16"},
    {"ConvInteger", 18, "i8 u8"},
    {"ConvTranspose", 18, "f64 f32 f16"},
    {"ConvTranspose", 22, "bf16"},
    {"Cos", 18, "f64 f32 f16"},
    {"Cos", 22, "bf16"},
    {"Cosh", 18, "f64 f32 f16"},
    {"Cosh", 22, "bf16"},
    {"CumSum", 18, "f64 f32 bf16 f16 i64 i32"},
    {"DequantizeLinear", 18, "i32 i8 u8"},
    {"Det", 18, "f64 f32 f16"},
    {"Det", 22, "bf16"},
    {"Div", 18, "f64 f32 bf16 f16 i64 i32 i8 u8"},
    {"DynamicQuantizeLinear", 18, "f32"},
    {"Elu", 18, "f64 f32 f16"},
    {"Elu", 22, "bf16"},
    {"Equal", 18, "f64 f32 bf16 f16 i64 i32 i8 u8 bool"},
    {"Erf", 18, "f64 f32 bf16 f16"},
    {"Exp", 18, "f64 f32 bf16 f16"},
    {"Expand", 18, "f64 f32 bf16 f16 i64 i32 i8 u8 bool"},
    {"Floor", 18, "f64 f32 bf16 f16"},
    {"GRU", 18, "f64 f32 f16"},
    {"GRU", 22, "bf16"},
    {"Gather", 18, "f64 f32 bf16 f16 i64 i32 i8 u8 bool"},
    {"GatherElements", 18, "f64 f32 bf16 f16 i64 i32 i8 u8 bool"},
    {"GatherND", 18, "f64 f32 bf16 f16 i64 i32 i8 u8 bool"},
    {"Gelu", 20, "f64 f32 bf16 f16"},
    {"Gemm", 18, "f64 f32 bf16 f16 i64 i32"},
    {"GlobalAveragePool", 18, "f64 f32 f16"},
    {"GlobalAveragePool", 22, "bf16"},
    {"Greater", 18, "f64 f32 bf16 f16 i64 i32 i8 u8"},
    {"GreaterOrEqual", 18, "f64 f32 bf16 f16 i64 i32 i8 u8"},
    {"GroupNormalization", 18, "f64 f32 bf16 f16"},
    {"HardSigmoid", 18, "f64 f32 f16"},
    {"HardSigmoid", 22, "bf16"},
    {"HardSwish", 18, "f64 f32 f16"},
    {"HardSwish", 22, "bf16"},
    {"Hardmax", 18, "f64 f32 bf16 f16"},
    {"Identity", 18, "f64 f32 bf16 f16 i64 i32 i8 u8 bool"},
    {"IsInf", 18, "f64 f32"},
    {"IsInf", 20, "bf16 f16"},
    {"IsNaN", 18, "f64 f32 bf16 f16"},
    {"LRN", 18, "f64 f32 bf16 f16"},
    {"LSTM", 18, "f64 f32 f16"},
    {"LSTM", 22, "bf16"},
    {"LayerNormalization", 18, "f64 f32 bf16 f16"},
    {"LeakyRelu", 18, "f64 f32 bf16 f16"},
    {"Less", 18, "f64 f32 bf16 f16 i64 i32 i8 u8"},
    {"LessOrEqual", 18, "f64 f32 bf16 f16 i64 i32 i8 u8"},
    {"Log", 18, "f64 f32 bf16 f16"},
    {"LogSoftmax", 18, "f64 f32 bf16 f16"},
    {"MatMul", 18, "f64 f32 bf16 f16 i64 i32"},
    {"MatMulInteger", 18, "i8 u8"},
    {"Max", 18, "f64 f32 bf16 f16 i64 i32 i8 u8"},
    {"MaxPool", 18, "f64 f32 f16 i8 u8"},
    {"MaxPool", 22, "bf16"},
    {"Min", 18, "f64 f32 bf16 f16 i64 i32 i8 u8"},
    {"Mish", 18, "f64 f32 f16"},
    {"Mish", 22, "bf16"},
    {"Mod", 18, "f64 f32 bf16 f16 i64 i32 i8 u8"},
    {"Mul", 18, "f64 f32 bf16 f16 i64 i32 i8 u8"},
    {"Neg", 18, "f64 f32 bf16 f16 i64 i32 i8"},
    {"Not", 18, "bool"},
    {"OneHot", 18, "f64 f32 f16 i64 i32 i8 u8 bool"},
    {"Or", 18, "bool"},
    {"PRelu", 18, "f64 f32 bf16 f16 i64 i32"},
    {"Pad", 18, "f64 f32 bf16 f16 i64 i32 i8 u8 bool"},
    {"Pow", 18, "f64 f32 bf16 f16 i64 i32"},
    {"QLinearConv", 18, "i8 u8"},
    {"QLinearMatMul", 18, "i8 u8"},
    {"QuantizeLinear", 18, "f32 i32"},
    {"QuantizeLinear", 19, "bf16 f16"},
    {"RMSNormalization", 23, "f64 f32 bf16 f16"},
    {"RNN", 18, "f64 f32 f16"},
    {"RNN", 22, "bf16"},
    {"Reciprocal", 18, "f64 f32 bf16 f16"},
    {"ReduceL1", 18, "f64 f32 bf16 f16 i64 i32"},
    {"ReduceL2", 18, "f64 f32 bf16 f16 i64 i32"},
    {"ReduceLogSum", 18, "f64 f32 bf16 f16 i64 i32"},
    {"ReduceLogSumExp", 18, "f64 f32 bf16 f16 i64 i32"},
    {"ReduceMax", 18, "f64 f32 bf16 f16 i64 i32 i8 u8"},
    {"ReduceMax", 20, "bool"},
    {"ReduceMean", 18, "f64 f32 bf16 f16 i64 i32"},
    {"ReduceMin", 18, "f64 f32 bf16 f16 i64 i32 i8 u8"},
    {"ReduceMin", 20, "bool"},
    {"ReduceProd", 18, "f64 f32 bf16 f16 i64 i32"},
    {"ReduceSum", 18, "f64 f32 bf16 f16 i64 i32"},
    {"ReduceSumSquare", 18, "f64 f32 bf16 f16 i64 i32"},
    {"Relu", 18, "f64 f32 bf16 f16 i64 i32 i8"},
    {"Reshape", 18, "f64 f32 bf16 f16 i64 i32 i8 u8 bool"},
    {"Resize", 18, "f64 f32 bf16 f16 i64 i32 i8 u8 bool"},
    {"ReverseSequence", 18, "f64 f32 f16 i64 i32 i8 u8 bool"},
    {"RoiAlign", 18, "f64 f32 f16"},
    {"RoiAlign", 22, "bf16"},
    {"Round", 18, "f64 f32 f16"},
    {"Round", 22, "bf16"},
    {"ScatterElements", 18, "f64 f32 bf16 f16 i64 i32 i8 u8 bool"},
    {"ScatterND", 18, "f64 f32 bf16 f16 i64 i32 i8 u8 bool"},
    {"Selu", 18, "f64 f32 f16"},
    {"Selu", 22, "bf16"},
    {"Shrink", 18, "f64 f32 f16 i64 i32 i8 u8"},
    {"Sigmoid", 18, "f64 f32 bf16 f16"},
    {"Sign", 18, "f64 f32 bf16 f16 i64 i32 i8 u8"},
    {"Sin", 18, "f64 f32 f16"},
    {"Sin", 22, "bf16"},
    {"Sinh", 18, "f64 f32 f16"},
    {"Sinh", 22, "bf16"},
    {"Slice", 18, "f64 f32 bf16 f16 i64 i32 i8 u8 bool"},
    {"Softmax", 18, "f64 f32 bf16 f16"},
    {"SoftmaxCrossEntropyLoss", 18, "f64 f32 bf16 f16"},
    {"Softplus", 18, "f64 f32 f16"},
    {"Softplus", 22, "bf16"},
    {"Softsign", 18, "f64 f32 f16"},
    {"Softsign", 22, "bf16"},
    {"Sqrt", 18, "f64 f32 bf16 f16"},
    {"Squeeze", 18, "f64 f32 bf16 f16 i64 i32 i8 u8 bool"},
    {"Sub", 18, "f64 f32 bf16 f16 i64 i32 i8 u8"},
    {"Tan", 18, "f64 f32 f16"},
    {"Tan", 22, "bf16"},
    {"Tanh", 18, "f64 f32 bf16 f16"},
    {"ThresholdedRelu", 18, "f64 f32 f16"},
    {"ThresholdedRelu", 22, "bf16"},
    {"Tile", 18, "f64 f32 bf16 f16 i64 i32 i8 u8 bool"},
    {"TopK", 18, "f64 f32 f16 i64 i32 i8 u8"},
    {"TopK", 24, "bf16"},
    {"Transpose", 18, "f64 f32 bf16 f16 i64 i32 i8 u8 bool"},
    {"Trilu", 18, "f64 f32 bf16 f16 i64 i32 i8 u8 bool"},
    {"Unsqueeze", 18, "f64 f32 bf16 f16 i64 i32 i8 u8 bool"},
    {"Where", 18, "f64 f32 bf16 f16 i64 i32 i8 u8 bool"},
    {"Xor", 18, "bool"},
};

/// Whether a word is one of those that spaces part.
bool has_word(std::string_view words, std::string_view word) {
  for (size_t at = words.find(word); at != std::string_view::npos; at = words.find(word, at + 1)) {
    const bool begins = at == 0 || words[at - 1] == ' ', ends = at + word.size() == words.size();
    if (begins && (ends || words[at + word.size()] == ' ')) return true;
  }
  return false;
}

}  // namespace

std::optional<int64_t> opset_of(std::string_view operator_name, DType dtype) {
  for (const Taken& taken : kTaken) {
    if (taken.name == operator_name && has_word(taken.dtypes, name(dtype))) return taken.opset;
  }
  return std::nullopt;
}

size_t typed_input(std::string_view operator_name) {
  return operator_name == "Where" ? 1 : operator_name == "OneHot" ? 2 : 0;
}

}  // namespace engine::onnx
