// SPDX-License-Identifier: Apache-2.0
// Local response normalisation (A. Krizhevsky, I. Sutskever, G. E. Hinton, NIPS 2012, section 3.3), and the list of
// this family.
#include <algorithm>
#include <cmath>

#include "engine/ops/check.h"
#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/ops/gradients.h"
#include "engine/ops/norms.h"

namespace engine::ops {
namespace {

struct Settings {
  int64_t size;
  double alpha, beta, bias;

  explicit Settings(const Attributes& attributes)
      : size(attributes.get_int("size", 5)),
        alpha(attributes.get_double("alpha", 1e-4)),
        beta(attributes.get_double("beta", 0.75)),
        bias(attributes.get_double("bias", 1)) {}
  /// Channels before and after the one in the middle.
  int64_t before() const { return (size - 1) / 2; }
  int64_t after() const { return size / 2; }
};

bool check_operand(OperandCheck& check, const TensorType& x, const Attributes& attributes) {
  const int64_t size = attributes.get_int("size", 5);
  return check.that(x.rank() >= 2, "x must have rank 2 or more, got {}", to_string(x.shape)) &&
         check.that(size >= 1 && size <= (int64_t{1} << 31), "size is {}: must be from 1 to 2^31", size) &&
         check.addressable("the result", x.dtype, x.shape);
}

InferResult infer_forward(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("local_response_norm", inputs, {"x"});
  if (!check.operand_count() || !check.floating(0) || !check_operand(check, inputs[0], attributes))
    return check.error();
  return std::vector{
      TensorType{inputs[0].dtype, inputs[0].shape, dense_strides_like(inputs[0].shape, inputs[0].strides)}};
}

InferResult infer_grad(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("local_response_norm_grad", inputs, {"dy", "x"});
  if (!check.operand_count() || !check.floating(0) || !check.same_dtype() ||
      !check.shape(0, inputs[1].shape, "the shape of x") || !check_operand(check, inputs[1], attributes)) {
    return check.error();
  }
  return std::vector{
      TensorType{inputs[1].dtype, inputs[1].shape, dense_strides_like(inputs[1].shape, inputs[1].strides)}};
}

/// Sums over the channels around each one: result[c] = sum of values[c - before ... c + after], for x [N, C, ...] in
/// row-major order.
std::vector<double> window_sums(const std::vector<double>& values, const Shape& shape, int64_t before, int64_t after) {
  std::vector<double> sums(values.size(), 0.0);
  if (values.empty()) return sums;
  const int64_t batch = shape[0], channels = shape[1], inner = static_cast<int64_t>(values.size()) / (batch * channels);
  for (int64_t n = 0; n < batch; ++n) {
    for (int64_t c = 0; c < channels; ++c) {
      const int64_t end = std::min(channels - 1, c + after);
      for (int64_t other = std::max<int64_t>(0, c - before); other <= end; ++other) {
        for (int64_t i = 0; i < inner; ++i)
          sums[(n * channels + c) * inner + i] += values[(n * channels + other) * inner + i];
      }
    }
  }
  return sums;
}

/// bias + alpha / size * sum of squares, per element.
std::vector<double> denominators(const std::vector<double>& x, const Shape& shape, const Settings& s) {
  std::vector<double> squares = x;
  for (double& value : squares) value *= value;
  std::vector<double> result = window_sums(squares, shape, s.before(), s.after());
  for (double& value : result) value = s.bias + s.alpha / static_cast<double>(s.size) * value;
  return result;
}

void reference_forward(KernelArguments& arguments) {
  const Settings s(*arguments.attributes);
  std::vector<double> x = load(arguments.inputs[0]);
  const std::vector<double> d = denominators(x, arguments.inputs[0].shape(), s);
  for (size_t i = 0; i < x.size(); ++i) x[i] *= std::pow(d[i], -s.beta);
  store(arguments.outputs[0], x);
}

/// dx_i = dy_i d_i^-beta - 2 alpha beta / size x_i sum_j dy_j x_j d_j^(-beta - 1), over the j whose window holds i.
void reference_grad(KernelArguments& arguments) {
  const Settings s(*arguments.attributes);
  const Shape& shape = arguments.inputs[1].shape();
  std::vector<double> dy = load(arguments.inputs[0]);
  const std::vector<double> x = load(arguments.inputs[1]), d = denominators(x, shape, s);
  std::vector<double> terms(x.size());
  for (size_t i = 0; i < x.size(); ++i) terms[i] = dy[i] * x[i] * std::pow(d[i], -s.beta - 1);
  const std::vector<double> sums = window_sums(terms, shape, s.after(), s.before());
  const double factor = 2 * s.alpha * s.beta / static_cast<double>(s.size);
  for (size_t i = 0; i < x.size(); ++i) dy[i] = dy[i] * std::pow(d[i], -s.beta) - factor * x[i] * sums[i];
  store(arguments.outputs[0], dy);
}

/// Channels a window of `size` can meet.
double reach(const Call& call) {
  return static_cast<double>(std::min(call.attributes.get_int("size", 5), call.inputs[0].shape[1]));
}

}  // namespace

const Op kLocalResponseNorm{
    .name = "local_response_norm",
    .formula = "y[c] = x[c] / (bias + alpha / size * sum_j x[j]^2) ^ beta, j over the size channels around c",
    .infer = infer_forward,
    // Per element: the square, the sum, a multiply-add, the power, the product.
    .cost = [](const Call& call) { return elementwise_cost(call, reach(call) + 5); },
    .reference = reference_forward,
    .gradient =
        [](GradientContext& context) {
          if (!context.needed(0)) return;
          context.set_input_gradient(
              0, context.builder().append1(kLocalResponseNormGrad, {context.output_gradient(0), context.input(0)},
                                           context.attributes()));
        },
    .attributes = {AttributeSpec::whole("size", 5), AttributeSpec::real("alpha", 1e-4),
                   AttributeSpec::real("beta", 0.75), AttributeSpec::real("bias", 1)},
    .fusion = FusionPart::reduction,
};

const Op kLocalResponseNormGrad{
    .name = "local_response_norm_grad",
    .formula =
        "dx[i] = dy[i] d[i]^-beta - 2 alpha beta / size * x[i] * sum_j dy[j] x[j] d[j]^(-beta-1); d = bias + alpha / "
        "size * sum x^2",
    .infer = infer_grad,
    // Per element: both window sums, square, multiply-add, two powers, two products for the terms, four for dx.
    .cost = [](const Call& call) { return elementwise_cost(call, 2 * reach(call) + 11); },
    .reference = reference_grad,
    .attributes = kLocalResponseNorm.attributes,
};

std::span<const Op* const> norms_ops() {
  static constexpr const Op* kOps[] = {&kLayerNorm, &kLayerNormGrad, &kRmsNorm,           &kRmsNormGrad,
                                       &kGroupNorm, &kGroupNormGrad, &kLocalResponseNorm, &kLocalResponseNormGrad};
  return kOps;
}

ValueId local_response_norm(GraphBuilder& builder, ValueId x, int64_t size, double alpha, double beta, double bias) {
  return builder.append1(kLocalResponseNorm, {x}, {{"size", size}, {"alpha", alpha}, {"beta", beta}, {"bias", bias}});
}

}  // namespace engine::ops
