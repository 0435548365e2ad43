// SPDX-License-Identifier: Apache-2.0
// linalg: one linear algebra routine on random square matrices.
#include <fmt/format.h>

#include "engine/ops/linear_algebra.h"
#include "engine/ops/math.h"
#include "engine/ops/ops.h"
#include "engine/workloads/catalog.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace {

/// a a^T + b b^T of two random matrices: positive definite, and far enough from singular for f32.
ValueId positive_definite(GraphBuilder& builder, ValueId a, const TensorType& type, const Fill& fill) {
  const ValueId b = builder.input("b", type, fill);
  if (builder.failed()) return kNoValue;
  const ValueId first = ops::matmul(builder, a, ops::transpose(builder, a, -2, -1));
  return ops::add(builder, first, ops::matmul(builder, b, ops::transpose(builder, b, -2, -1)));
}

/// The norm of `difference` over that of `whole`, each of all matrices together: a scalar called "residual".
void mark_residual(GraphBuilder& builder, ValueId difference, ValueId whole) {
  if (builder.failed()) return;
  const auto squares = [&](ValueId x) { return ops::sum(builder, ops::multiply(builder, x, x), {0, 1, 2}); };
  builder.mark_output(ops::sqrt(builder, ops::divide(builder, squares(difference), squares(whole))));
}

void build_linalg(GraphBuilder& builder, const Arguments& arguments) {
  const int64_t n = integer_argument(arguments, "n"), batch = integer_argument(arguments, "batch");
  const std::string& routine = text_argument(arguments, "routine");
  const TensorType type = TensorType::contiguous(dtype_argument(arguments), {batch, n, n});
  const Fill fill{Fill::Kind::normal, 0, 1};
  const ValueId a = builder.input("a", type, fill);
  builder.set_layer(routine);
  if (builder.failed()) return;
  const bool residual = text_argument(arguments, "residual") == "yes";
  if (residual && routine != "solve" && routine != "eigh") {
    builder.fail(usage_error(fmt::format(
        "residual = yes is for routine solve or eigh, got {}: choose one of these, or residual = no", routine)));
    return;
  }
  const auto mark = [&](const auto& outputs) {
    for (const ValueId id : outputs) builder.mark_output(id);
  };
  if (routine == "solve") {
    const ValueId b = builder.input("b", TensorType::contiguous(type.dtype, {batch, n, 1}), fill);
    if (builder.failed()) return;
    const ValueId x = ops::solve(builder, a, b);
    mark(std::array{x});
    const LayerScope check(builder, "residual");
    if (residual) mark_residual(builder, ops::subtract(builder, ops::matmul(builder, a, x), b), b);
  } else if (routine == "inverse") {
    mark(std::array{ops::inverse(builder, a)});
  } else if (routine == "determinant") {
    mark(std::array{ops::determinant(builder, a)});
  } else if (routine == "cholesky") {
    const ValueId product = positive_definite(builder, a, type, fill);
    if (!builder.failed()) mark(std::array{ops::cholesky(builder, product)});
  } else if (routine == "eigh" && residual) {
    const ValueId symmetric = positive_definite(builder, a, type, fill);
    if (builder.failed()) return;
    const auto [values, vectors] = ops::eigh(builder, symmetric);
    mark(std::array{values, vectors});
    const LayerScope check(builder, "residual");
    const ValueId scaled = ops::multiply(builder, vectors, ops::unsqueeze(builder, values, 1));
    mark_residual(builder, ops::subtract(builder, ops::matmul(builder, symmetric, vectors), scaled), symmetric);
  } else if (routine == "eigh") {
    mark(ops::eigh(builder, a));
  } else if (routine == "svd") {
    mark(ops::svd(builder, a));
  } else {
    mark(ops::qr(builder, a));
  }
}

}  // namespace

Workload linalg_workload() {
  Workload workload;
  workload.name = "linalg";
  workload.title = "Linear algebra";
  workload.description =
      "One routine of LAPACK on random n x n matrices. All do some n^3 operations on n^2 numbers. "
      "Yet eigenvalues and "
      "singular values reach a small part of the speed of a GEMM: half of their work is "
      "matrix-vector multiplication, "
      "bound by memory.";
  workload.parameters = {
      choice_parameter("routine", "Routine",
                       "solve: a x = b by elimination; inverse; determinant; cholesky: a = l l^T "
                       "(two GEMMs make a). "
                       "eigh: eigenvalues and vectors of a symmetric matrix; svd: singular values "
                       "and vectors; qr.",
                       {"solve", "inverse", "determinant", "cholesky", "eigh", "svd", "qr"}),
      integer_parameter("n", "n", "Rows and columns of each matrix.", 256, "rows"),
      choice_parameter("residual", "Residual",
                       "yes: the step also puts out |a x - b| / |b| of solve, or |a v - v w| / |a| of "
                       "eigh. The table of results shows it.",
                       {"no", "yes"}),
      batch_parameter(1), dtype_parameter({"f64", "f32"})};
  workload.presets = {
      {"solve-checked", "A system of equations, with its residual", {{"routine", "solve"}, {"residual", "yes"}}},
      {"eigenvalues-checked",
       "Eigenvalues of a symmetric matrix, with their residual",
       {{"routine", "eigh"}, {"residual", "yes"}}}};
  workload.small = {{"n", "5"}};
  workload.build = build_linalg;
  return workload;
}

}  // namespace engine
