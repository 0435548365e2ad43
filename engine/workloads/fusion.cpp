// SPDX-License-Identifier: Apache-2.0
// fusion: y = relu(a x + b), three passes over memory where one would do.
#include "engine/ops/ops.h"
#include "engine/workloads/catalog.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace {

void build_fusion(GraphBuilder& builder, const Arguments& arguments) {
  const DType dtype = dtype_argument(arguments);
  const TensorType array = TensorType::contiguous(dtype, {integer_argument(arguments, "n")}),
                   scalar = TensorType::contiguous(dtype, {});
  const ValueId x = builder.input("x", array, Fill{Fill::Kind::uniform, -1, 1});
  const ValueId a = builder.parameter("a", scalar, Fill{Fill::Kind::constant, 1.5});
  const ValueId b = builder.parameter("b", scalar, Fill{Fill::Kind::constant, 0.25});
  builder.set_layer("chain");
  builder.mark_output(ops::relu(builder, ops::add(builder, ops::multiply(builder, x, a), b)));
}

}  // namespace

Workload fusion_workload() {
  Workload workload;
  workload.name = "fusion";
  workload.title = "Fusion";
  workload.description =
      "y = relu(a x + b) with numbers a and b. Three ops read and write n elements each, 6 n in all. "
      "Fused, they are one op and 2 n are moved. Long arrays show the traffic saved, tiny ones the dispatches.";
  workload.on_command_line = "--fuse on fuses them.";
  workload.parameters = {
      integer_parameter("n", "Array length",
                        "Elements of x and of y. Long: more than the last cache holds; tiny: a few thousand.",
                        int64_t{32} << 20, "elements"),
      dtype_parameter({"f32", "f64", "bf16", "f16"})};
  workload.presets = {{"large", "Out of cache", {{"n", "33554432"}}},
                      {"tiny", "In the first cache level", {{"n", "2048"}}}};
  workload.small = {{"n", "1003"}};
  workload.build = build_fusion;
  return workload;
}

}  // namespace engine
