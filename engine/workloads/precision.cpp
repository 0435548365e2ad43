// SPDX-License-Identifier: Apache-2.0
// precision: one GEMM in every number format, so that rate and error stand side by side.
#include "engine/ops/casting.h"
#include "engine/ops/ops.h"
#include "engine/ops/quantized.h"
#include "engine/workloads/catalog.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace {

/// Both operands quantised to u8 by their ranges; i32 sums made real again.
ValueId integer_product(GraphBuilder& builder, ValueId a, ValueId b) {
  const ops::Quantized x = ops::dynamic_quantize_linear(builder, ops::cast(builder, a, DType::float32)),
                       y = ops::dynamic_quantize_linear(builder, ops::cast(builder, b, DType::float32));
  const ValueId sums = ops::matmul_integer(builder, x.values, y.values, x.zero_point, y.zero_point);
  return ops::multiply(builder, ops::cast(builder, sums, DType::float32), ops::multiply(builder, x.scale, y.scale));
}

void build_precision(GraphBuilder& builder, const Arguments& arguments) {
  const int64_t size = integer_argument(arguments, "size");
  const TensorType type = TensorType::contiguous(DType::float64, {size, size});
  const Fill fill{Fill::Kind::uniform, -1, 1};
  const ValueId a = builder.input("a", type, fill), b = builder.input("b", type, fill);
  for (const DType dtype : {DType::float64, DType::float32, DType::bfloat16, DType::float16}) {
    const LayerScope layer(builder, name(dtype));
    builder.mark_output(ops::matmul(builder, ops::cast(builder, a, dtype), ops::cast(builder, b, dtype)));
  }
  const LayerScope layer(builder, name(DType::uint8));
  builder.mark_output(integer_product(builder, a, b));
}

}  // namespace

Workload precision_workload() {
  Workload workload;
  workload.name = "precision";
  workload.title = "Precision: rate and error";
  workload.description =
      "One GEMM in f64, f32, bf16, f16 and 8-bit integers, from the same numbers. Fewer bits move fewer bytes and "
      "round "
      "more. A format is faster only where the processor has a unit for it. The table versions has rate and error side "
      "by side.";
  workload.parameters = {
      integer_parameter("size", "Size", "Side of the matrices; errors of sums grow with it.", 512, "elements")};
  workload.small = {{"size", "24"}};
  workload.build = build_precision;
  return workload;
}

}  // namespace engine
