// SPDX-License-Identifier: Apache-2.0
// loops: one task as a loop over samples and as ops on whole tensors.
#include "engine/ops/indexing.h"
#include "engine/ops/ops.h"
#include "engine/workloads/catalog.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace {

void build_loops(GraphBuilder& builder, const Arguments& arguments) {
  const int64_t batch = integer_argument(arguments, "batch"), inputs = integer_argument(arguments, "inputs"),
                outputs = integer_argument(arguments, "outputs");
  const DType dtype = dtype_argument(arguments);
  const Fill fill{Fill::Kind::uniform, -1, 1};
  const ValueId x = builder.input("x", TensorType::contiguous(dtype, {batch, inputs}), fill);
  const ValueId weight = builder.parameter("weight", TensorType::contiguous(dtype, {outputs, inputs}), fill),
                bias = builder.parameter("bias", TensorType::contiguous(dtype, {outputs}), fill);
  if (builder.failed()) return;
  {
    const LayerScope layer(builder, "loop");
    std::vector<ValueId> rows;
    for (int64_t i = 0; i < batch; ++i) {
      const ValueId sample = ops::slice(builder, x, 0, i, i + 1);
      rows.push_back(ops::relu(builder, ops::linear(builder, sample, weight, bias)));
    }
    builder.mark_output(ops::concat(builder, rows, 0));
  }
  const LayerScope layer(builder, "tensor");
  builder.mark_output(ops::relu(builder, ops::linear(builder, x, weight, bias)));
}

}  // namespace

Workload loops_workload() {
  Workload workload;
  workload.name = "loops";
  workload.title = "A loop, or one tensor operation";
  workload.description =
      "y = relu(W x + b) for each sample of a batch, computed twice. A loop goes sample by sample; the tensor version "
      "is "
      "two ops on the whole batch. The loop reads the weights once per sample and stores each row apart. The table "
      "versions has time, "
      "tensors and the difference of the results. In eager mode each op of the loop also costs its call.";
  workload.parameters = {
      integer_parameter("batch", "Samples", "Turns of the loop; rows of the tensor.", 64, "samples", 1, 4096),
      integer_parameter("inputs", "Inputs", "Values of a sample.", 256, "values"),
      integer_parameter("outputs", "Outputs", "Values of a result.", 256, "values"), dtype_parameter({"f32", "f64"})};
  workload.small = {{"batch", "3"}, {"inputs", "5"}, {"outputs", "4"}};
  workload.build = build_loops;
  return workload;
}

}  // namespace engine
