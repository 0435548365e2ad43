// SPDX-License-Identifier: Apache-2.0
// jacobian: all derivatives of a small network's outputs by its inputs, forwards or backwards.
#include <fmt/format.h>

#include "engine/ops/forward.h"
#include "engine/ops/ops.h"
#include "engine/workloads/catalog.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace {

void build_jacobian(GraphBuilder& builder, const Arguments& arguments) {
  const DType dtype = dtype_argument(arguments);
  const int64_t inputs = integer_argument(arguments, "inputs"), outputs = integer_argument(arguments, "outputs");
  const int64_t hidden = integer_argument(arguments, "hidden");
  const Fill fill{Fill::Kind::uniform, -0.1, 0.1};
  const ValueId x = builder.input("x", TensorType::contiguous(dtype, {1, inputs}), Fill{Fill::Kind::uniform, -1, 1});
  const auto linear_layer = [&](ValueId value, const char* name, int64_t in, int64_t out) {
    const LayerScope layer(builder, name);
    const ValueId weight =
        builder.parameter(builder.layer() + ".weight", TensorType::contiguous(dtype, {out, in}), fill);
    const ValueId bias = builder.parameter(builder.layer() + ".bias", TensorType::contiguous(dtype, {out}), fill);
    return builder.failed() ? kNoValue : ops::linear(builder, value, weight, bias);
  };
  ValueId y = linear_layer(x, "fc1", inputs, hidden);
  const int64_t depth = integer_argument(arguments, "depth");
  for (int64_t i = 2; i <= depth && !builder.failed(); ++i)
    y = linear_layer(ops::sigmoid(builder, y), fmt::format("fc{}", i).c_str(), hidden, i < depth ? hidden : outputs);
  if (builder.failed()) return;
  const bool forward = text_argument(arguments, "mode") == "forward";
  const std::vector<ValueId> lines = forward ? jacobian_forward(builder, y, x) : jacobian_reverse(builder, y, x);
  for (const ValueId line : lines) builder.mark_output(line);
}

}  // namespace

Workload jacobian_workload() {
  Workload workload;
  workload.name = "jacobian";
  workload.title = "Jacobian";
  workload.description =
      "All derivatives of a network's outputs by its inputs. Forward mode takes a pass per input "
      "and finds a column "
      "each, reverse mode a pass per output and a row each. The fewer passes are the cheaper "
      "Jacobian.";
  workload.parameters = {
      integer_parameter("inputs", "Inputs", "Inputs of the network: passes of forward mode.", 8, "values"),
      integer_parameter("outputs", "Outputs", "Outputs of the network: passes of reverse mode.", 8, "values"),
      integer_parameter("hidden", "Hidden width", "Width of the layer between them.", 1024, "values"),
      integer_parameter("depth", "Depth",
                        "Linear layers. Reverse mode keeps what lies between them, forward mode does not.", 2, "layers",
                        2, 256),
      choice_parameter("mode", "Mode",
                       "forward: tangents run along with the network, a column per pass; reverse: gradients run back "
                       "through it, a row per pass.",
                       {"forward", "reverse"}),
      dtype_parameter({"f32", "f64"})};
  workload.small = {{"inputs", "3"}, {"outputs", "2"}, {"hidden", "7"}};
  workload.build = build_jacobian;
  return workload;
}

}  // namespace engine
