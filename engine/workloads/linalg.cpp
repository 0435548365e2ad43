// SPDX-License-Identifier: Apache-2.0
// linalg: one linear algebra routine on random square matrices.
#include "engine/ops/linear_algebra.h"
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

void build_linalg(GraphBuilder& builder, const Arguments& arguments) {
  const int64_t n = integer_argument(arguments, "n"), batch = integer_argument(arguments, "batch");
  const std::string& routine = text_argument(arguments, "routine");
  const TensorType type = TensorType::contiguous(dtype_argument(arguments), {batch, n, n});
  const Fill fill{Fill::Kind::normal, 0, 1};
  const ValueId a = builder.input("a", type, fill);
  builder.set_layer(routine);
  if (builder.failed()) return;
  const auto mark = [&](const auto& outputs) {
    for (const ValueId id : outputs) builder.mark_output(id);
  };
  if (routine == "solve") {
    const ValueId b = builder.input("b", TensorType::contiguous(type.dtype, {batch, n, 1}), fill);
    if (!builder.failed()) mark(std::array{ops::solve(builder, a, b)});
  } else if (routine == "inverse") {
    mark(std::array{ops::inverse(builder, a)});
  } else if (routine == "determinant") {
    mark(std::array{ops::determinant(builder, a)});
  } else if (routine == "cholesky") {
    const ValueId product = positive_definite(builder, a, type, fill);
    if (!builder.failed()) mark(std::array{ops::cholesky(builder, product)});
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
  workload.parameters = {choice_parameter("routine", "Routine",
                                          "solve: a x = b by elimination; inverse; determinant; cholesky: a = l l^T "
                                          "(two GEMMs make a). "
                                          "eigh: eigenvalues and vectors of a symmetric matrix; svd: singular values "
                                          "and vectors; qr.",
                                          {"solve", "inverse", "determinant", "cholesky", "eigh", "svd", "qr"}),
                         integer_parameter("n", "n", "Rows and columns of each matrix.", 256, "rows"),
                         batch_parameter(1), dtype_parameter({"f64", "f32"})};
  workload.small = {{"n", "5"}};
  workload.build = build_linalg;
  return workload;
}

}  // namespace engine
