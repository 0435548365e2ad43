// SPDX-License-Identifier: Apache-2.0
// Linear algebra: types, cost, gradients; the algorithms of the references are in dense_matrix.cpp.
#include "engine/ops/linear_algebra.h"

#include <algorithm>
#include <limits>

#include "engine/graph/autograd.h"
#include "engine/ops/check.h"
#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/ops/dense_matrix.h"
#include "engine/ops/ops.h"
#include "engine/ops/tangents.h"

namespace engine::ops {
namespace {

// ---- types
// ------------------------------------------------------------------------------------------------------------------

/// Leading axes, then `last`.
Shape batched(const Shape& a, std::initializer_list<int64_t> last) {
  Shape shape(a.begin(), a.end() - 2);
  shape.insert(shape.end(), last);
  return shape;
}

bool check_matrix(OperandCheck& check, std::span<const TensorType> inputs, bool square) {
  if (!check.operand_count() || !check.same_dtype() || !check.floating(0) ||
      !check.that(inputs[0].rank() >= 2, "a must have rank 2 or more, got {}", to_string(inputs[0].shape))) {
    return false;
  }
  const int64_t m = inputs[0].shape.end()[-2], n = inputs[0].shape.end()[-1];
  return !square || check.that(m == n, "a must be square, got {} x {}", m, n);
}

/// Results of these shapes, row-major in the dtype of a.
InferResult results(OperandCheck& check, const TensorType& a, std::initializer_list<Shape> shapes) {
  std::vector<TensorType> types;
  for (const Shape& shape : shapes) {
    if (!check.addressable("the result", a.dtype, shape)) return check.error();
    types.push_back(TensorType::contiguous(a.dtype, shape));
  }
  return types;
}

InferResult infer_solve(std::span<const TensorType> inputs, const Attributes&) {
  OperandCheck check("solve", inputs, {"a", "b"});
  if (!check_matrix(check, inputs, /*square=*/true)) return check.error();
  const Shape &a = inputs[0].shape, &b = inputs[1].shape;
  if (!check.that(a.size() == b.size() && std::equal(a.begin(), a.end() - 1, b.begin()),
                  "a {} and b {} must agree in all axes but the last", to_string(a), to_string(b))) {
    return check.error();
  }
  return results(check, inputs[0], {b});
}

InferResult infer_square(std::string_view op, std::span<const TensorType> inputs) {
  OperandCheck check(op, inputs, {"a"});
  if (!check_matrix(check, inputs, /*square=*/true)) return check.error();
  return results(check, inputs[0], {inputs[0].shape});
}

InferResult infer_determinant(std::span<const TensorType> inputs, const Attributes&) {
  OperandCheck check("determinant", inputs, {"a"});
  if (!check_matrix(check, inputs, /*square=*/true)) return check.error();
  return results(check, inputs[0], {batched(inputs[0].shape, {})});
}

InferResult infer_eigh(std::span<const TensorType> inputs, const Attributes&) {
  OperandCheck check("eigh", inputs, {"a"});
  if (!check_matrix(check, inputs, /*square=*/true)) return check.error();
  const Shape& a = inputs[0].shape;
  return results(check, inputs[0], {batched(a, {a.back()}), a});
}

InferResult infer_svd(std::span<const TensorType> inputs, const Attributes&) {
  OperandCheck check("svd", inputs, {"a"});
  if (!check_matrix(check, inputs, /*square=*/false)) return check.error();
  const Shape& a = inputs[0].shape;
  const int64_t m = a.end()[-2], n = a.end()[-1], r = std::min(m, n);
  return results(check, inputs[0], {batched(a, {m, r}), batched(a, {r}), batched(a, {r, n})});
}

InferResult infer_qr(std::span<const TensorType> inputs, const Attributes&) {
  OperandCheck check("qr", inputs, {"a"});
  if (!check_matrix(check, inputs, /*square=*/false)) return check.error();
  const Shape& a = inputs[0].shape;
  const int64_t m = a.end()[-2], n = a.end()[-1], r = std::min(m, n);
  return results(check, inputs[0], {batched(a, {m, r}), batched(a, {r, n})});
}

// ---- references
// ---------------------------------------------------------------------------------------------------------------

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Walks the matrices of a batch; results are gathered and stored at the end.
class Batch {
 public:
  explicit Batch(KernelArguments& arguments) : arguments_(arguments) {
    for (const Tensor& tensor : arguments.inputs) inputs_.push_back(load(tensor));
    results_.resize(arguments.outputs.size());
    const Shape& a = arguments.inputs[0].shape();
    const int64_t size = a.end()[-2] * a.end()[-1], elements = arguments.inputs[0].type().elements();
    if (size > 0) count_ = elements / size;
    if (size == 0) count_ = element_count(Shape(a.begin(), a.end() - 2)).value_or(0);
  }
  ~Batch() {
    for (size_t j = 0; j < results_.size(); ++j) store(arguments_.outputs[j], results_[j]);
  }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  int64_t count() const { return count_; }
  DenseMatrix input(size_t i, int64_t which) const {
    const Shape& shape = arguments_.inputs[i].shape();
    DenseMatrix matrix(shape.end()[-2], shape.end()[-1]);
    std::copy_n(inputs_[i].begin() + which * static_cast<int64_t>(matrix.values.size()), matrix.values.size(),
                matrix.values.begin());
    return matrix;
  }
  void give(size_t j, const std::vector<double>& values) {
    results_[j].insert(results_[j].end(), values.begin(), values.end());
  }
  void give_nan(size_t j, size_t elements) { results_[j].insert(results_[j].end(), elements, kNan); }

 private:
  KernelArguments& arguments_;
  std::vector<std::vector<double>> inputs_, results_;
  int64_t count_ = 0;
};

void reference_solve(KernelArguments& arguments) {
  Batch batch(arguments);
  for (int64_t i = 0; i < batch.count(); ++i) {
    DenseMatrix x = batch.input(1, i);
    if (eliminate(batch.input(0, i), x) == 0) std::ranges::fill(x.values, kNan);
    batch.give(0, x.values);
  }
}

void reference_inverse(KernelArguments& arguments) {
  Batch batch(arguments);
  for (int64_t i = 0; i < batch.count(); ++i) {
    const DenseMatrix a = batch.input(0, i);
    DenseMatrix y(a.rows, a.rows);
    for (int64_t k = 0; k < a.rows; ++k) y.at(k, k) = 1;
    if (eliminate(a, y) == 0) std::ranges::fill(y.values, kNan);
    batch.give(0, y.values);
  }
}

void reference_determinant(KernelArguments& arguments) {
  Batch batch(arguments);
  for (int64_t i = 0; i < batch.count(); ++i) {
    const DenseMatrix a = batch.input(0, i);
    DenseMatrix nothing(a.rows, 0);
    batch.give(0, {eliminate(a, nothing)});
  }
}

void reference_cholesky(KernelArguments& arguments) {
  Batch batch(arguments);
  for (int64_t i = 0; i < batch.count(); ++i) {
    DenseMatrix a = batch.input(0, i);
    if (!cholesky_in_place(a)) std::ranges::fill(a.values, kNan);
    batch.give(0, a.values);
  }
}

void reference_eigh(KernelArguments& arguments) {
  Batch batch(arguments);
  for (int64_t i = 0; i < batch.count(); ++i) {
    const DenseMatrix a = batch.input(0, i);
    DenseMatrix vectors(a.rows, a.rows);
    batch.give(0, eigh_jacobi(a, vectors));
    batch.give(1, vectors.values);
  }
}

void reference_svd(KernelArguments& arguments) {
  Batch batch(arguments);
  for (int64_t i = 0; i < batch.count(); ++i) {
    const DenseMatrix a = batch.input(0, i);
    const int64_t r = std::min(a.rows, a.columns);
    DenseMatrix u(a.rows, r), vt(r, a.columns);
    batch.give(1, svd_jacobi(a, u, vt));
    batch.give(0, u.values);
    batch.give(2, vt.values);
  }
}

void reference_qr(KernelArguments& arguments) {
  Batch batch(arguments);
  for (int64_t i = 0; i < batch.count(); ++i) {
    const DenseMatrix a = batch.input(0, i);
    const int64_t rank = std::min(a.rows, a.columns);
    DenseMatrix q(a.rows, rank), r(rank, a.columns);
    qr_householder(a, q, r);
    batch.give(0, q.values);
    batch.give(1, r.values);
  }
}

// ---- gradients and tangents
// -----------------------------------------------------------------------------------------------------

ValueId transposed(GraphBuilder& builder, ValueId a) {
  return builder.failed() ? kNoValue : transpose(builder, a, -2, -1);
}

/// x = a^-1 b: db = a^-T dx, da = -db x^T.
void gradient_solve(GradientContext& context) {
  GraphBuilder& builder = context.builder();
  if (!context.needed(0) && !context.needed(1)) return;
  const ValueId db = solve(builder, transposed(builder, context.input(0)), context.output_gradient(0));
  if (context.needed(1)) context.set_input_gradient(1, db);
  if (!context.needed(0)) return;
  context.set_input_gradient(0, scale(builder, matmul(builder, db, transposed(builder, context.output(0))), -1));
}

/// a dx = db - da x.
void tangent_solve(TangentContext& context) {
  GraphBuilder& builder = context.builder();
  ValueId right = context.input_tangent(1);
  if (context.input_tangent(0) != kNoValue) {
    const ValueId moved = matmul(builder, context.input_tangent(0), context.output(0));
    right = right == kNoValue ? scale(builder, moved, -1) : subtract(builder, right, moved);
  }
  context.set_output_tangent(0, solve(builder, context.input(0), right));
}

/// y = a^-1: da = -y^T dy y^T.
void gradient_inverse(GradientContext& context) {
  if (!context.needed(0)) return;
  GraphBuilder& builder = context.builder();
  const ValueId yt = transposed(builder, context.output(0));
  const ValueId product = matmul(builder, matmul(builder, yt, context.output_gradient(0)), yt);
  context.set_input_gradient(0, scale(builder, product, -1));
}

void tangent_inverse(TangentContext& context) {
  GraphBuilder& builder = context.builder();
  const ValueId y = context.output(0);
  context.set_output_tangent(0, scale(builder, matmul(builder, matmul(builder, y, context.input_tangent(0)), y), -1));
}

/// y = det a: da = dy y a^-T (where a can be inverted).
ValueId cofactors(GraphBuilder& builder, ValueId a, ValueId factor) {
  const ValueId inverse_transposed = transposed(builder, inverse(builder, a));
  if (builder.failed()) return kNoValue;
  return multiply(builder, inverse_transposed, unsqueeze(builder, unsqueeze(builder, factor, -1), -1));
}

void gradient_determinant(GradientContext& context) {
  if (!context.needed(0)) return;
  GraphBuilder& builder = context.builder();
  const ValueId factor = multiply(builder, context.output_gradient(0), context.output(0));
  context.set_input_gradient(0, cofactors(builder, context.input(0), factor));
}

void tangent_determinant(TangentContext& context) {
  GraphBuilder& builder = context.builder();
  const ValueId slopes = cofactors(builder, context.input(0), context.output(0));
  context.set_output_tangent(0, sum(builder, multiply(builder, slopes, context.input_tangent(0)), {-2, -1}));
}

// ---- cost
// -----------------------------------------------------------------------------------------------------------------------

/// Leading-order FLOPs of one m x n matrix, times the batch. Source: Golub, Van Loan, sections 3.2, 4.2, 5.2, 8.3, 8.6.
template <class Flops>
Cost cost_of(const Call& call, Flops flops) {
  const Shape& a = call.inputs[0].shape;
  double batch = 1;
  for (size_t i = 0; i + 2 < a.size(); ++i) batch *= static_cast<double>(a[i]);
  return full_cost(call, batch * flops(static_cast<double>(a.end()[-2]), static_cast<double>(a.end()[-1])));
}

double qr_flops(double m, double n) {
  const double r = std::min(m, n);
  return 2 * m * n * r - (m + n) * r * r + 2.0 / 3 * r * r * r;  // the reflections of a
}

}  // namespace

const Op kSolve{
    .name = "solve",
    .formula = "a x = b",
    .infer = infer_solve,
    .cost =
        [](const Call& call) {
          const auto columns = static_cast<double>(call.inputs[1].shape.back());
          return cost_of(call, [columns](double n, double) { return 2.0 / 3 * n * n * n + 2 * n * n * columns; });
        },
    .reference = reference_solve,
    .gradient = gradient_solve,
    .tangent = tangent_solve,
};

const Op kInverse{
    .name = "inverse",
    .formula = "y = a^-1",
    .infer = [](std::span<const TensorType> inputs, const Attributes&) { return infer_square("inverse", inputs); },
    .cost = [](const Call& call) { return cost_of(call, [](double n, double) { return 2 * n * n * n; }); },
    .reference = reference_inverse,
    .gradient = gradient_inverse,
    .tangent = tangent_inverse,
};

const Op kDeterminant{
    .name = "determinant",
    .formula = "y = det a",
    .infer = infer_determinant,
    .cost = [](const Call& call) { return cost_of(call, [](double n, double) { return 2.0 / 3 * n * n * n; }); },
    .reference = reference_determinant,
    .gradient = gradient_determinant,
    .tangent = tangent_determinant,
};

const Op kCholesky{
    .name = "cholesky",
    .formula = "a = l l^T, l lower triangular",
    .infer = [](std::span<const TensorType> inputs, const Attributes&) { return infer_square("cholesky", inputs); },
    .cost = [](const Call& call) { return cost_of(call, [](double n, double) { return n * n * n / 3; }); },
    .reference = reference_cholesky,
};

const Op kEigh{
    .name = "eigh",
    .formula = "a vectors = vectors diag(values), a symmetric",
    .infer = infer_eigh,
    .cost = [](const Call& call) { return cost_of(call, [](double n, double) { return 9 * n * n * n; }); },
    .reference = reference_eigh,
};

const Op kSvd{
    .name = "svd",
    .formula = "a = u diag(s) vt",
    .infer = infer_svd,
    .cost =
        [](const Call& call) {
          return cost_of(call, [](double m, double n) {
            const double r = std::min(m, n), longer = std::max(m, n);
            return 6 * longer * r * r + 20 * r * r * r;
          });
        },
    .reference = reference_svd,
};

const Op kQr{
    .name = "qr",
    .formula = "a = q r, r upper triangular",
    .infer = infer_qr,
    // The reflections of a, and the same again on the identity for q.
    .cost =
        [](const Call& call) {
          return cost_of(call, [](double m, double n) { return qr_flops(m, n) + qr_flops(m, std::min(m, n)); });
        },
    .reference = reference_qr,
};

std::span<const Op* const> linear_algebra_ops() {
  static constexpr const Op* kOps[] = {&kSolve, &kInverse, &kDeterminant, &kCholesky, &kEigh, &kSvd, &kQr};
  return kOps;
}

ValueId solve(GraphBuilder& builder, ValueId a, ValueId b) { return builder.append1(kSolve, {a, b}); }
ValueId inverse(GraphBuilder& builder, ValueId a) { return builder.append1(kInverse, {a}); }
ValueId determinant(GraphBuilder& builder, ValueId a) { return builder.append1(kDeterminant, {a}); }
ValueId cholesky(GraphBuilder& builder, ValueId a) { return builder.append1(kCholesky, {a}); }
std::array<ValueId, 2> eigh(GraphBuilder& builder, ValueId a) {
  const std::vector<ValueId> outputs = builder.append(kEigh, {a});
  return {outputs[0], outputs[1]};
}
std::array<ValueId, 3> svd(GraphBuilder& builder, ValueId a) {
  const std::vector<ValueId> outputs = builder.append(kSvd, {a});
  return {outputs[0], outputs[1], outputs[2]};
}
std::array<ValueId, 2> qr(GraphBuilder& builder, ValueId a) {
  const std::vector<ValueId> outputs = builder.append(kQr, {a});
  return {outputs[0], outputs[1]};
}

}  // namespace engine::ops
