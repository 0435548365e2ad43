// SPDX-License-Identifier: Apache-2.0
// divergence: elements that take different paths, side by side or apart, to see what threads in lockstep wait for.
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include "engine/ops/probes.h"
#include "engine/workloads/catalog.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace {

/// Which path each element takes: as many elements for each, in runs, in turn, or in any order.
Result<Tensor> paths_of(int64_t n, int64_t paths, const std::string& order) {
  Result<Tensor> tensor = Tensor::empty(TensorType::contiguous(DType::int32, {n}));
  if (!tensor) return tensor;
  auto* path = tensor->data_as<int32_t>();
  const int64_t run = (n + paths - 1) / paths;
  for (int64_t i = 0; i < n; ++i) path[i] = static_cast<int32_t>(order == "sorted" ? i / run : i % paths);
  if (order == "shuffled") {
    std::mt19937_64 random(1);
    for (int64_t i = n - 1; i > 0; --i) std::swap(path[i], path[random() % static_cast<uint64_t>(i + 1)]);
  }
  return tensor;
}

void build_divergence(GraphBuilder& builder, const Arguments& arguments) {
  const int64_t n = integer_argument(arguments, "n"), paths = integer_argument(arguments, "paths");
  const ValueId x =
      builder.input("x", TensorType::contiguous(dtype_argument(arguments), {n}), Fill{Fill::Kind::uniform, 0, 1});
  Result<Tensor> path = paths_of(n, paths, text_argument(arguments, "order"));
  if (!path) return static_cast<void>(builder.fail(path.error()));
  const auto chain = [&](const char* layer, Tensor order) {
    builder.set_layer(layer);
    const ValueId chosen = builder.constant(fmt::format("{}/path", layer), std::move(order), Role::input);
    builder.mark_output(ops::divergent_chain(builder, x, chosen, integer_argument(arguments, "rounds"), paths,
                                             text_argument(arguments, "version") == "masked"));
  };
  if (text_argument(arguments, "control") == "on") {
    Result<Tensor> sorted = paths_of(n, paths, "sorted");
    if (!sorted) return static_cast<void>(builder.fail(sorted.error()));
    chain("control", *std::move(sorted));
  }
  chain("chains", *std::move(path));
}

}  // namespace

Workload divergence_workload() {
  Workload workload;
  workload.name = "divergence";
  workload.title = "Divergence";
  workload.description =
      "Elements take one of several paths through equal work. A GPU runs 32 threads in lockstep and takes paths that "
      "are "
      "mixed among them one after the other. So do the lanes of a processor's vectors: under masks, all lanes compute "
      "every path among them. The step takes up to as many times longer as there are paths or lanes. The control does "
      "the same work sorted: neighbours agree. The table divergence has the predicted factor beside the measured one.";
  workload.parameters = {
      integer_parameter("n", "Elements", "Elements of x.", int64_t{1} << 20, "elements"),
      integer_parameter("paths", "Paths", "Different paths; as many elements take each.", 32, "paths", 1, 64),
      choice_parameter(
          "order", "Order",
          "sorted: neighbours take one path; in_turn: neighbours take different paths; shuffled: any order.",
          {"shuffled", "sorted", "in_turn"}),
      choice_parameter("version", "Version",
                       "On a processor. masked: vectors, whose lanes take every path among them; elements: one element "
                       "after the other, which no mix of paths slows down.",
                       {"masked", "elements"}),
      choice_parameter("control", "Control", "on: the same work with sorted paths runs in the same step.",
                       {"on", "off"}),
      integer_parameter("rounds", "Rounds", "Multiply-adds of each path.", 256, "multiply-adds", 0, 1e9),
      dtype_parameter({"f32", "f64"})};
  workload.small = {{"n", "203"}, {"rounds", "9"}};
  workload.build = build_divergence;
  return workload;
}

}  // namespace engine
