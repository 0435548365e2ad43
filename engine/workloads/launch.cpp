// SPDX-License-Identifier: Apache-2.0
// launch: a chain of tiny ops, to see what starting an op costs.
#include "engine/ops/ops.h"
#include "engine/workloads/catalog.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace {

void build_launch(GraphBuilder& builder, const Arguments& arguments) {
  const TensorType type = TensorType::contiguous(dtype_argument(arguments), {integer_argument(arguments, "n")});
  ValueId x = builder.input("x", type, Fill{Fill::Kind::uniform, 0, 1});
  builder.set_layer("chain");
  const int64_t count = integer_argument(arguments, "ops");
  for (int64_t i = 0; i < count && !builder.failed(); ++i) x = ops::scale(builder, x, i % 2 == 0 ? 2.0 : 0.5);
  builder.mark_output(x);
}

}  // namespace

Workload launch_workload() {
  Workload workload;
  workload.name = "launch";
  workload.title = "Launches";
  workload.description =
      "A chain of ops with almost no work: the time per op is the cost of starting one. That is "
      "some tens of "
      "nanoseconds on a processor, some microseconds on a GPU. Make n larger until the time per op "
      "grows: from there "
      "on, work counts.";
  workload.parameters = {
      integer_parameter("ops", "Ops", "Length of the chain; each op needs the one before it.", 1000, "ops", 1, 1e6),
      integer_parameter("n", "Elements", "Elements each op reads and writes.", 1, "elements"),
      dtype_parameter({"f32", "f64", "bf16", "f16"})};
  workload.small = {{"ops", "20"}};
  workload.build = build_launch;
  return workload;
}

}  // namespace engine
