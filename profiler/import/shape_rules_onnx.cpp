// SPDX-License-Identifier: Apache-2.0
// Rules by shape for nodes of ONNX Runtime: inputs and outputs are recorded, attributes are not.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "profiler/import/shape_known.h"

namespace profiler {
namespace {

using Name = std::string_view;

struct Rule {
  Name type;
  double flops;  ///< per element of the first output
};
// As the engine's ops of that kind count.
constexpr Rule kElementwise[] = {{"Add", 1},
                                 {"Sub", 1},
                                 {"Mul", 1},
                                 {"Div", 1},
                                 {"Relu", 1},
                                 {"LeakyRelu", 1},
                                 {"Sigmoid", 4},
                                 {"Tanh", 1},
                                 {"Exp", 1},
                                 {"Log", 1},
                                 {"Sqrt", 1},
                                 {"Neg", 1},
                                 {"Abs", 1},
                                 {"Erf", 1},
                                 {"Pow", 1},
                                 {"Softmax", 5},
                                 {"LogSoftmax", 5},
                                 {"Gelu", 5},
                                 {"BiasGelu", 6},
                                 {"FastGelu", 8},
                                 {"QuickGelu", 5},
                                 {"HardSwish", 5},
                                 {"HardSigmoid", 4},
                                 {"Clip", 2},
                                 {"Min", 1},
                                 {"Max", 1},
                                 {"Reciprocal", 1},
                                 {"Sum", 1},
                                 {"Equal", 1},
                                 {"Less", 1},
                                 {"Greater", 1},
                                 {"LayerNormalization", 8},
                                 {"SkipLayerNormalization", 9},
                                 {"BatchNormalization", 2}};
// Per element of the first input.
constexpr Rule kReductions[] = {{"GlobalAveragePool", 1}, {"GlobalMaxPool", 1}, {"ReduceMean", 1}, {"ReduceSum", 1},
                                {"ReduceMax", 1},         {"ReduceMin", 1},     {"ArgMax", 1},     {"ArgMin", 1}};
// They move elements.
constexpr std::array kMoves{Name("Transpose"),    Name("Concat"),         Name("Slice"),        Name("Split"),
                            Name("Cast"),         Name("Expand"),         Name("Tile"),         Name("Pad"),
                            Name("ReorderInput"), Name("ReorderOutput"),  Name("MemcpyToHost"), Name("MemcpyFromHost"),
                            Name("Where"),        Name("ConstantOfShape")};
// They say how elements are looked at; the runtime copies where it has to.
constexpr std::array kViews{Name("Reshape"),  Name("Flatten"), Name("Squeeze"), Name("Unsqueeze"),
                            Name("Identity"), Name("Shape"),   Name("Size"),    Name("Constant")};

const Rule* rule_of(Name type, std::span<const Rule> rules) {
  const auto found = std::ranges::find(rules, type, &Rule::type);
  return found == rules.end() ? nullptr : &*found;
}

/// Multiply-adds of a product or convolution with that first output.
std::optional<double> products(Name type, const CallArguments& in, double outputs) {
  const TracedShape *a = in.tensor(0), *b = in.tensor(1);
  if (a == nullptr || a->empty()) return {};
  if (type == "MatMul" || type == "FusedMatMul" || type == "MatMulInteger")
    return outputs * static_cast<double>(a->back());
  if (type == "Gemm" || type == "FusedGemm") {  // transposed or not, the first operand has rows x depth elements
    const double rows = b == nullptr ? -1 : outputs * elements_of(*a) * elements_of(*b);
    return rows > 0 ? std::optional(std::sqrt(rows)) : std::nullopt;
  }
  const bool convolution = type == "Conv" || type == "FusedConv" || type == "NhwcFusedConv" || type == "ConvInteger";
  if (!convolution || b == nullptr || b->size() < 3) return {};
  return outputs * elements_of(*b) / static_cast<double>(std::max<int64_t>(1, b->front()));
}

}  // namespace

std::optional<KnownCall> known_onnx(std::string_view name, const CallArguments& in, const CallArguments& out) {
  constexpr Name kMark = "onnx::";
  const TracedShape* first = out.tensor(0);
  if (!name.starts_with(kMark) || first == nullptr) return {};
  name.remove_prefix(kMark.size());
  for (const CallArguments* side : {&in, &out}) {
    for (size_t i = 0; i < side->shapes.size(); ++i) {
      if (side->elements(i) > 1e15) return {};  // nobody's
    }
  }
  KnownCall known;
  if (std::ranges::find(kViews, name) != kViews.end()) {
    known.flops = 0, known.whole = false;
    return known;
  }
  const double outputs = elements_of(*first);
  const auto macs = products(name, in, outputs);
  if (macs) known.flops = 2 * *macs;
  else if (const Rule* rule = rule_of(name, kElementwise)) known.flops = rule->flops * outputs;
  else if (const Rule* sums = rule_of(name, kReductions); sums != nullptr && in.tensor(0) != nullptr)
    known.flops = sums->flops * elements_of(*in.tensor(0));
  else if (std::ranges::find(kMoves, name) != kMoves.end()) known.flops = 0;
  else return {};
  for (size_t i = 0; i < in.shapes.size(); ++i) {
    if (in.tensor(i) != nullptr) known.inputs.push_back({*in.tensor(i), i, in.type(i)});
  }
  for (size_t i = 0; i < out.shapes.size(); ++i) {
    if (out.tensor(i) != nullptr) known.outputs.push_back({*out.tensor(i), i, out.type(i)});
  }
  // weights that the runtime laid out anew are no inputs any more
  known.whole = !macs || in.shapes.size() >= 2;
  return known;
}

}  // namespace profiler
