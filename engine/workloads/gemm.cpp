// SPDX-License-Identifier: Apache-2.0
// gemm: one matrix product.
#include "engine/ops/ops.h"
#include "engine/workloads/catalog.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace {

void build_gemm(GraphBuilder& builder, const Arguments& arguments) {
  const int64_t m = integer_argument(arguments, "m");
  const int64_t n = integer_argument(arguments, "n");
  const int64_t k = integer_argument(arguments, "k");
  const DType dtype = dtype_argument(arguments);
  const bool transposed = text_argument(arguments, "transposed_b") == "yes";
  const Shape a_shape{m, k}, b_shape = transposed ? Shape{n, k} : Shape{k, n};

  const Fill fill{Fill::Kind::uniform, -1, 1};
  builder.set_layer("gemm");
  const ValueId a = builder.input("a", TensorType::contiguous(dtype, a_shape), fill);
  ValueId b = builder.input("b", TensorType::contiguous(dtype, b_shape), fill);
  if (transposed) b = ops::transpose(builder, b, 0, 1);
  builder.mark_output(ops::matmul(builder, a, b));
}

}  // namespace

Workload gemm_workload() {
  Workload workload;
  workload.name = "gemm";
  workload.title = "Matrix multiplication";
  workload.description =
      "C[m,n] = A[m,k] B[k,n]: 2mnk FLOPs on mk + kn + mn elements. Square and large it is bound "
      "by arithmetic; with m = 1 "
      "it is a matrix-vector product, bound by memory.";
  workload.parameters = {
      integer_parameter("m", "m", "Rows of A and C.", 1024, "rows"),
      integer_parameter("n", "n", "Columns of B and C.", 1024, "columns"),
      integer_parameter("k", "k", "Columns of A, rows of B: the length of each sum.", 1024, "elements"),
      dtype_parameter(),
      choice_parameter("transposed_b", "B stored transposed",
                       "yes: B is stored as [n,k], like the weights of a linear layer, and read through a view.",
                       {"no", "yes"})};
  workload.small = {{"m", "5"}, {"n", "4"}, {"k", "3"}};
  workload.build = build_gemm;
  return workload;
}

}  // namespace engine
