// SPDX-License-Identifier: Apache-2.0
// Matrix products: batched matmul and the linear layer.
#include <algorithm>
#include <cstdlib>

#include "engine/ops/check.h"
#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/ops/gradients.h"
#include "engine/ops/op_list.h"
#include "engine/ops/ops.h"
#include "engine/ops/tangents.h"

namespace engine::ops {
namespace {

/// c[m, n] += sum_k a[m, k] b[k, n], all row-major.
void multiply_add(const double* a, const double* b, double* c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    double* row = c + i * n;
    for (int64_t l = 0; l < k; ++l) {
      const double factor = a[i * k + l];
      const double* other = b + l * n;
      for (int64_t j = 0; j < n; ++j) row[j] += factor * other[j];
    }
  }
}

// ---- matmul
// -------------------------------------------------------------------------------------------------------------------

InferResult infer_matmul(std::span<const TensorType> inputs, const Attributes&) {
  OperandCheck check("matmul", inputs, {"a", "b"});
  if (!check.operand_count() || !check.same_dtype() || !check.numeric(0)) return check.error();
  const Shape &a = inputs[0].shape, &b = inputs[1].shape;
  if (!check.that(a.size() >= 2, "a must have rank 2 or more, got rank {} ({})", a.size(), to_string(a)) ||
      !check.that(b.size() >= 2, "b must have rank 2 or more, got rank {} ({})", b.size(), to_string(b)) ||
      !check.that(a.back() == b[b.size() - 2], "inner dimensions differ: a has k = {}, b has k = {}", a.back(),
                  b[b.size() - 2])) {
    return check.error();
  }
  const Result<Shape> batch = broadcast_shapes(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2));
  if (!batch) {
    check.that(false, "leading axes of a {} and b {}: {}", to_string(a), to_string(b), batch.error().message);
    return check.error();
  }
  Shape shape = *batch;
  shape.push_back(a[a.size() - 2]);
  shape.push_back(b.back());
  if (!check.addressable("the result", inputs[0].dtype, shape)) return check.error();
  return std::vector{TensorType::contiguous(inputs[0].dtype, shape)};
}

void reference_matmul(KernelArguments& arguments) {
  const Tensor& out = arguments.outputs[0];
  const int64_t m = out.shape()[out.shape().size() - 2], n = out.shape().back(), k = arguments.inputs[0].shape().back();
  const Shape batch(out.shape().begin(), out.shape().end() - 2);
  const auto with_batch = [&](int64_t rows, int64_t columns) {
    Shape shape = batch;
    shape.push_back(rows);
    shape.push_back(columns);
    return shape;
  };
  const std::vector<double> a = load_expanded(arguments.inputs[0], with_batch(m, k));
  const std::vector<double> b = load_expanded(arguments.inputs[1], with_batch(k, n));
  std::vector<double> c(static_cast<size_t>(out.type().elements()), 0.0);
  const int64_t products = c.empty() ? 0 : out.type().elements() / (m * n);
  for (int64_t i = 0; i < products; ++i) {
    multiply_add(a.data() + i * m * k, b.data() + i * k * n, c.data() + i * m * n, m, n, k);
  }
  store(out, c);
}

/// Whether the last two axes lie column-major in memory (a transposed view): then its gradient should as well.
bool is_column_major(const TensorType& type) {
  const size_t rank = type.shape.size();
  if (type.shape[rank - 1] == 1 || type.shape[rank - 2] == 1) return false;
  return std::abs(type.strides[rank - 2]) < std::abs(type.strides[rank - 1]);
}

ValueId transposed(GraphBuilder& builder, ValueId x) { return transpose(builder, x, -2, -1); }

/// dA = dC B^T and dB = A^T dC; where the operand is column-major, the transpose of the transposed product.
void gradient_matmul(GradientContext& context) {
  GraphBuilder& builder = context.builder();
  const ValueId a = context.input(0), b = context.input(1), dc = context.output_gradient(0);
  const TensorType a_type = builder.type(a), b_type = builder.type(b);
  if (context.needed(0)) {
    const ValueId da = is_column_major(a_type) ? transposed(builder, matmul(builder, b, transposed(builder, dc)))
                                               : matmul(builder, dc, transposed(builder, b));
    context.set_input_gradient(0, reduce_to(builder, da, a_type.shape));
  }
  if (context.needed(1)) {
    const ValueId db = is_column_major(b_type) ? transposed(builder, matmul(builder, transposed(builder, dc), a))
                                               : matmul(builder, transposed(builder, a), dc);
    context.set_input_gradient(1, reduce_to(builder, db, b_type.shape));
  }
}

// ---- linear
// -------------------------------------------------------------------------------------------------------------------

InferResult infer_linear(std::span<const TensorType> inputs, const Attributes&) {
  OperandCheck check("linear", inputs, {"x", "weight", "bias"}, 1);
  if (!check.operand_count() || !check.same_dtype() || !check.numeric(0) || !check.rank(0, 2) || !check.rank(1, 2)) {
    return check.error();
  }
  const Shape &x = inputs[0].shape, &weight = inputs[1].shape;
  if (!check.that(x[1] == weight[1], "input features differ: x has {} ({}), weight has {} ({})", x[1], to_string(x),
                  weight[1], to_string(weight)) ||
      (inputs.size() == 3 && !check.shape(2, {weight[0]}, "the output features of weight")) ||
      !check.addressable("the result", inputs[0].dtype, {x[0], weight[0]})) {
    return check.error();
  }
  return std::vector{TensorType::contiguous(inputs[0].dtype, {x[0], weight[0]})};
}

void reference_linear(KernelArguments& arguments) {
  const Tensor& out = arguments.outputs[0];
  const int64_t m = out.shape()[0], n = out.shape()[1], k = arguments.inputs[0].shape()[1];
  const std::vector<double> x = load(arguments.inputs[0]);
  const Result<Tensor> weight = arguments.inputs[1].transpose(0, 1);
  CHECK(weight.ok());
  const std::vector<double> w = load(*weight);
  std::vector<double> y(static_cast<size_t>(m * n), 0.0);
  if (arguments.inputs.size() == 3) y = load_expanded(arguments.inputs[2], out.shape());
  multiply_add(x.data(), w.data(), y.data(), m, n, k);
  store(out, y);
}

void gradient_linear(GradientContext& context) {
  GraphBuilder& builder = context.builder();
  const ValueId dy = context.output_gradient(0);
  if (context.needed(0)) context.set_input_gradient(0, matmul(builder, dy, context.input(1)));
  if (context.needed(1)) {
    context.set_input_gradient(1, matmul(builder, transposed(builder, dy), context.input(0)));
  }
  if (context.input_count() == 3 && context.needed(2)) context.set_input_gradient(2, sum(builder, dy, {0}));
}

}  // namespace

const Op kMatmul{
    .name = "matmul",
    .formula = "c[..., m, n] = sum_k a[..., m, k] b[..., k, n]",
    .infer = infer_matmul,
    .cost =
        [](const Call& call) { return elementwise_cost(call, 2.0 * static_cast<double>(call.inputs[0].shape.back())); },
    .reference = reference_matmul,
    .gradient = gradient_matmul,
    .tangent = tangent_multilinear,
    .matrix_product = true,
    .attributes = {AttributeSpec::whole("library", 0)},
    .fusion = FusionPart::product,
};

const Op kLinear{
    .name = "linear",
    .formula = "y[b, o] = sum_i x[b, i] weight[o, i] + bias[o]",
    .infer = infer_linear,
    .cost =
        [](const Call& call) { return elementwise_cost(call, 2.0 * static_cast<double>(call.inputs[0].shape.back())); },
    .reference = reference_linear,
    .gradient = gradient_linear,
    .tangent = tangent_product_with_bias,
    .matrix_product = true,
    .fusion = FusionPart::product,
};

ValueId matmul(GraphBuilder& builder, ValueId a, ValueId b) { return builder.append1(kMatmul, {a, b}); }
ValueId library_matmul(GraphBuilder& builder, ValueId a, ValueId b) {
  return builder.append1(kMatmul, {a, b}, {{"library", int64_t{1}}});
}

ValueId linear(GraphBuilder& builder, ValueId x, ValueId weight, ValueId bias) {
  if (bias == kNoValue) return builder.append1(kLinear, {x, weight});
  return builder.append1(kLinear, {x, weight, bias});
}

}  // namespace engine::ops
