// SPDX-License-Identifier: Apache-2.0
// Softmax, and softmax with cross entropy as the loss.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/graph/autograd.h"
#include "engine/ops/check.h"
#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/ops/op_list.h"
#include "engine/ops/ops.h"
#include "engine/ops/tangents.h"

namespace engine::ops {
namespace {

/// x as outer x length x inner around one axis, row-major.
struct Lines {
  int64_t outer = 1, length = 1, inner = 1;

  Lines(const Shape& shape, int64_t axis) {
    if (element_count(shape).value_or(0) == 0) {
      outer = 0;
      return;
    }
    const auto middle = static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(shape.size()) : axis);
    for (size_t i = 0; i < shape.size(); ++i) (i < middle ? outer : i == middle ? length : inner) *= shape[i];
  }
  /// Calls visit(first index, step) for each line.
  template <class Visit>
  void for_each(Visit visit) const {
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t i = 0; i < inner; ++i) visit(o * length * inner + i, inner);
    }
  }
};

/// Turns one line of x into its softmax; returns the logarithm of sum exp(x).
double softmax_row(double* x, int64_t length, int64_t step) {
  double largest = -std::numeric_limits<double>::infinity(), total = 0;
  for (int64_t i = 0; i < length; ++i) largest = std::max(largest, x[i * step]);
  for (int64_t i = 0; i < length; ++i) total += std::exp(x[i * step] - largest);
  for (int64_t i = 0; i < length; ++i) x[i * step] = std::exp(x[i * step] - largest) / total;
  return largest + std::log(total);
}

// ---- softmax
// ----------------------------------------------------------------------------------------------------------------

InferResult infer_softmax(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("softmax", inputs, {"x"});
  int64_t axis = attributes.get_int("axis", -1);
  if (!check.operand_count() || !check.floating(0) || !check.axis(axis, inputs[0].rank()) ||
      !check.addressable("the result", inputs[0].dtype, inputs[0].shape)) {
    return check.error();
  }
  return std::vector{
      TensorType{inputs[0].dtype, inputs[0].shape, dense_strides_like(inputs[0].shape, inputs[0].strides)}};
}

InferResult infer_softmax_grad(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("softmax_grad", inputs, {"dy", "y"});
  int64_t axis = attributes.get_int("axis", -1);
  if (!check.operand_count() || !check.floating(0) || !check.same_dtype() || !check.axis(axis, inputs[0].rank()) ||
      !check.shape(0, inputs[1].shape, "the shape of y") ||
      !check.addressable("the result", inputs[1].dtype, inputs[1].shape)) {
    return check.error();
  }
  return std::vector{
      TensorType{inputs[1].dtype, inputs[1].shape, dense_strides_like(inputs[1].shape, inputs[1].strides)}};
}

void reference_softmax(KernelArguments& arguments) {
  const Lines lines(arguments.inputs[0].shape(), arguments.attributes->get_int("axis", -1));
  std::vector<double> x = load(arguments.inputs[0]);
  lines.for_each([&](int64_t first, int64_t step) { softmax_row(x.data() + first, lines.length, step); });
  store(arguments.outputs[0], x);
}

void reference_softmax_grad(KernelArguments& arguments) {
  const Lines lines(arguments.inputs[0].shape(), arguments.attributes->get_int("axis", -1));
  std::vector<double> dy = load(arguments.inputs[0]);
  const std::vector<double> y = load(arguments.inputs[1]);
  lines.for_each([&](int64_t first, int64_t step) {
    double total = 0;
    for (int64_t i = 0; i < lines.length; ++i) total += dy[first + i * step] * y[first + i * step];
    for (int64_t i = 0; i < lines.length; ++i)
      dy[first + i * step] = y[first + i * step] * (dy[first + i * step] - total);
  });
  store(arguments.outputs[0], dy);
}

// ---- softmax cross entropy
// ----------------------------------------------------------------------------------------------------

/// Logits or probabilities [B, classes] at operand `scores`, labels [B] at `labels`.
bool check_classification(OperandCheck& check, std::span<const TensorType> inputs, size_t scores, size_t labels) {
  return check.floating(scores) && check.rank(scores, 2) && check.rank(labels, 1) &&
         check.that(inputs[labels].dtype == DType::int64 || inputs[labels].dtype == DType::int32,
                    "labels must be i64 or i32, got {}", name(inputs[labels].dtype)) &&
         check.that(inputs[scores].shape[0] == inputs[labels].shape[0],
                    "batches differ: logits have B = {}, labels have B = {}", inputs[scores].shape[0],
                    inputs[labels].shape[0]) &&
         check.that(inputs[scores].elements() > 0, "logits {} have no mean loss", to_string(inputs[scores].shape));
}

DType loss_dtype(DType logits) { return logits == DType::float64 ? DType::float64 : DType::float32; }

InferResult infer_cross_entropy(std::span<const TensorType> inputs, const Attributes&) {
  OperandCheck check("softmax_cross_entropy", inputs, {"logits", "labels"});
  if (!check.operand_count() || !check_classification(check, inputs, 0, 1)) return check.error();
  return std::vector{
      TensorType::contiguous(loss_dtype(inputs[0].dtype), {}),
      TensorType{inputs[0].dtype, inputs[0].shape, dense_strides_like(inputs[0].shape, inputs[0].strides)}};
}

InferResult infer_cross_entropy_grad(std::span<const TensorType> inputs, const Attributes&) {
  OperandCheck check("softmax_cross_entropy_grad", inputs, {"dloss", "probabilities", "labels"});
  if (!check.operand_count() || !check_classification(check, inputs, 1, 2) || !check.rank(0, 0) ||
      !check.that(inputs[0].dtype == loss_dtype(inputs[1].dtype), "dloss must be {} for probabilities of {}, got {}",
                  name(loss_dtype(inputs[1].dtype)), name(inputs[1].dtype), name(inputs[0].dtype))) {
    return check.error();
  }
  return std::vector{
      TensorType{inputs[1].dtype, inputs[1].shape, dense_strides_like(inputs[1].shape, inputs[1].strides)}};
}

/// A label outside of the classes makes the loss (and its row's gradient) NaN: seen, and nothing is read out of bounds.
bool is_class(double label, int64_t classes) { return label >= 0 && label < static_cast<double>(classes); }

void reference_cross_entropy(KernelArguments& arguments) {
  const Shape& shape = arguments.inputs[0].shape();
  const int64_t batch = shape[0], classes = shape[1];
  std::vector<double> scores = load(arguments.inputs[0]);
  const std::vector<double> labels = load(arguments.inputs[1]);
  double loss = 0;
  for (int64_t b = 0; b < batch; ++b) {
    double* row = scores.data() + b * classes;
    const double label = labels[b];
    const double chosen =
        is_class(label, classes) ? row[static_cast<int64_t>(label)] : std::numeric_limits<double>::quiet_NaN();
    loss += softmax_row(row, classes, 1) - chosen;
  }
  store(arguments.outputs[0], std::vector{loss / static_cast<double>(batch)});
  store(arguments.outputs[1], scores);
}

void reference_cross_entropy_grad(KernelArguments& arguments) {
  const Shape& shape = arguments.inputs[1].shape();
  const int64_t batch = shape[0], classes = shape[1];
  const double factor = load(arguments.inputs[0])[0] / static_cast<double>(batch);
  std::vector<double> scores = load(arguments.inputs[1]);
  const std::vector<double> labels = load(arguments.inputs[2]);
  for (int64_t b = 0; b < batch; ++b) {
    double* row = scores.data() + b * classes;
    const bool known = is_class(labels[b], classes);
    if (known) row[static_cast<int64_t>(labels[b])] -= 1;
    for (int64_t c = 0; c < classes; ++c) row[c] = known ? row[c] * factor : std::numeric_limits<double>::quiet_NaN();
  }
  store(arguments.outputs[0], scores);
}

void gradient_cross_entropy(GradientContext& context) {
  GraphBuilder& builder = context.builder();
  if (context.output_gradient(1) != kNoValue) {
    builder.fail(usage_error("[softmax_cross_entropy] has no gradient through its probabilities"));
    return;
  }
  if (!context.needed(0)) return;
  context.set_input_gradient(
      0, builder.append1(kSoftmaxCrossEntropyGrad, {context.output_gradient(0), context.output(1), context.input(1)}));
}

void tangent_cross_entropy(TangentContext& context) {
  if (context.needed(0)) tangent_reduction(context);
  if (!context.needed(1)) return;
  context.set_output_tangent(1, context.builder().append1(kSoftmaxGrad, {context.input_tangent(0), context.output(1)},
                                                          {{"axis", int64_t{1}}}));
}

double elements(const TensorType& type) { return static_cast<double>(type.elements()); }

}  // namespace

const Op kSoftmax{
    .name = "softmax",
    .formula = "y_i = exp(x_i - max x) / sum_j exp(x_j - max x) along axis",
    .infer = infer_softmax,
    // Per element: maximum, subtraction, exponential, sum, division.
    .cost = [](const Call& call) { return elementwise_cost(call, 5); },
    .reference = reference_softmax,
    .gradient =
        [](GradientContext& context) {
          if (!context.needed(0)) return;
          context.set_input_gradient(
              0, context.builder().append1(kSoftmaxGrad, {context.output_gradient(0), context.output(0)},
                                           context.attributes()));
        },
    .tangent = tangent_symmetric,
    .attributes = {AttributeSpec::whole("axis", -1)},
    .fusion = FusionPart::reduction,
};

const Op kSoftmaxGrad{
    .name = "softmax_grad",
    .formula = "dx_i = y_i * (dy_i - sum_j dy_j y_j) along axis",
    .infer = infer_softmax_grad,
    // Per element: a multiply-add for the sum, a subtraction, a product.
    .cost = [](const Call& call) { return elementwise_cost(call, 4); },
    .reference = reference_softmax_grad,
    .attributes = {AttributeSpec::whole("axis", -1)},
    .fusion = FusionPart::reduction,
};

const Op kSoftmaxCrossEntropy{
    .name = "softmax_cross_entropy",
    .formula = "loss = mean_b (log sum_c exp(logits[b,c]) - logits[b,labels[b]])",
    .infer = infer_cross_entropy,
    // Per element as softmax; per row the logarithm and three additions.
    .cost =
        [](const Call& call) { return full_cost(call, 5 * elements(call.inputs[0]) + 4 * elements(call.inputs[1])); },
    .reference = reference_cross_entropy,
    .gradient = gradient_cross_entropy,
    .tangent = tangent_cross_entropy,
    .fusion = FusionPart::reduction,
};

const Op kSoftmaxCrossEntropyGrad{
    .name = "softmax_cross_entropy_grad",
    .formula = "dlogits[b,c] = dloss / B * (probabilities[b,c] - (c == labels[b]))",
    .infer = infer_cross_entropy_grad,
    // One product per element, one subtraction per row.
    .cost = [](const Call& call) { return full_cost(call, elements(call.inputs[1]) + elements(call.inputs[2])); },
    .reference = reference_cross_entropy_grad,
    .fusion = FusionPart::reduction,
};

ValueId softmax(GraphBuilder& builder, ValueId x, int64_t axis) {
  return builder.append1(kSoftmax, {x}, {{"axis", axis}});
}

ValueId softmax_cross_entropy(GraphBuilder& builder, ValueId logits, ValueId labels) {
  return builder.append(kSoftmaxCrossEntropy, {logits, labels})[0];
}

}  // namespace engine::ops
