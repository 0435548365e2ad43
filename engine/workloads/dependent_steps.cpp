// SPDX-License-Identifier: Apache-2.0
// dependent_steps: the same matrix multiplication at once, or as steps of which each needs the one before.
#include <fmt/format.h>

#include <cmath>

#include "engine/ops/ops.h"
#include "engine/workloads/catalog.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace {

void build_dependent_steps(GraphBuilder& builder, const Arguments& arguments) {
  const int64_t rows = integer_argument(arguments, "rows"), width = integer_argument(arguments, "width"),
                steps = integer_argument(arguments, "steps");
  if (rows % steps != 0)
    return static_cast<void>(
        builder.fail(usage_error(fmt::format("[steps] {} steps must divide the {} rows: give --set rows={} or so",
                                             steps, rows, (rows / steps + 1) * steps))));
  const DType dtype = dtype_argument(arguments);
  // Variance 1 / width: what is multiplied again and again neither grows nor fades.
  const double bound = std::sqrt(3.0 / static_cast<double>(width));
  const ValueId w =
      builder.parameter("w", TensorType::contiguous(dtype, {width, width}), Fill{Fill::Kind::uniform, -bound, bound});
  ValueId x =
      builder.input("x", TensorType::contiguous(dtype, {rows / steps, width}), Fill{Fill::Kind::uniform, -1, 1});
  for (int64_t i = 0; i < steps && !builder.failed(); ++i) {
    const LayerScope layer(builder, fmt::format("step{}", i + 1));
    x = ops::matmul(builder, x, w);
  }
  builder.mark_output(x);
}

}  // namespace

Workload dependent_steps_workload() {
  Workload workload;
  workload.name = "dependent_steps";
  workload.title = "Dependent steps";
  workload.description =
      "One matrix multiplication of all rows, or the same FLOPs as a chain of steps. Each step multiplies rows / steps "
      "rows and needs the result of the one before, like a recurrent network over a sequence. More steps mean more "
      "launches and "
      "narrower matrices.";
  workload.parameters = {
      integer_parameter("rows", "Rows", "Rows over all steps; 4096 are 128 sequences of 32 words.", 4096, "rows"),
      integer_parameter("width", "Width", "Columns of the rows, and both extents of the weights.", 512, "values"),
      integer_parameter("steps", "Steps", "1: one matrix multiplication. n: n of them, one after the other.", 32,
                        "steps", 1, 65536),
      dtype_parameter()};
  workload.small = {{"rows", "12"}, {"width", "5"}, {"steps", "3"}};
  workload.build = build_dependent_steps;
  return workload;
}

}  // namespace engine
