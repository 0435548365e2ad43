// SPDX-License-Identifier: Apache-2.0
// parallel_width: independent chains of arithmetic, to see how many of them a machine works on at once.
#include "engine/ops/probes.h"
#include "engine/workloads/catalog.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace {

void build_parallel_width(GraphBuilder& builder, const Arguments& arguments) {
  const TensorType type = TensorType::contiguous(dtype_argument(arguments), {integer_argument(arguments, "batch")});
  const ValueId x = builder.input("x", type, Fill{Fill::Kind::uniform, 0, 1});
  builder.set_layer("chains");
  builder.mark_output(ops::multiply_add_chain(builder, x, integer_argument(arguments, "rounds"),
                                              integer_argument(arguments, "chains")));
}

}  // namespace

Workload parallel_width_workload() {
  Workload workload;
  workload.name = "parallel_width";
  workload.title = "Parallel width";
  workload.description =
      "Each item is a chain of multiply-adds, one after the other; items are independent. With "
      "fewer items than the "
      "machine has lanes in all cores, more items cost nothing and the time per step stays flat. "
      "The knee is the "
      "machine's parallel width.";
  workload.parameters = {
      integer_parameter("batch", "Items", "Independent chains.", 1024, "items"),
      integer_parameter("rounds", "Rounds",
                        "Multiply-adds of a chain: enough that a processor does not look beyond its end.", 16384,
                        "multiply-adds"),
      choice_parameter("chains", "Vectors in flight",
                       "Vectors each core works on at once: more hide the latency of the multiply-add.",
                       {"1", "2", "4", "8"}),
      dtype_parameter({"f32", "f64"})};
  workload.small = {{"batch", "37"}, {"rounds", "100"}};
  workload.build = build_parallel_width;
  return workload;
}

}  // namespace engine
