// SPDX-License-Identifier: Apache-2.0
// Sums and other reductions over any axes of f32 and f64 tensors whose innermost axis lies side by side (engine/loops/reduction.h).
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "engine/cpu/elementwise_simd.h"
#include "engine/cpu/kernels.h"
#include "engine/cpu/lines_simd.h"
#include "engine/cpu/reduction-inl.h"
#include "engine/cpu/scalar_memory.h"

namespace engine::cpu {
namespace {

using loops::ReductionNest;

std::optional<ReductionNest> nest_of(const Attributes& attributes, const TensorType& x, const TensorType& y) {
  if (x.dtype != y.dtype || (x.dtype != DType::float32 && (x.dtype != DType::float64 || reduce_loops_f64().line == nullptr))) return std::nullopt;
  return loops::reduction_nest(attributes.get_ints("axes", {}), x.shape, x.strides, y.shape, y.strides, size_bytes(x.dtype));
}

template <class T>
class ReduceOp final : public PreparedOp {
 public:
  ReduceOp(const PrepareRequest& request, ReductionNest nest, int threads)
      : plan_{.reduction = *std::ranges::find(kReductions, request.node.op->name, &Reduction::op), .nest = std::move(nest), .y = request.arguments.outputs[0].data(),
              .x = request.arguments.inputs[0].data(), .partial = reinterpret_cast<double*>(request.workspace), .loops = {}, .threads = threads},
        name_(fmt::format("own {} ({})", request.node.op->name, vector_unit())) {
    if constexpr (std::is_same_v<T, float>) {
      plan_.loops = reduce_loops_f32();
      plan_.add = line_loops_f32().add;
    } else {
      plan_.loops = reduce_loops_f64();
      plan_.add = line_loops_f64().add;
    }
  }

  void run() override {
    ReductionParts<T, ScalarMemory> parts(plan_);
    loops::reduce(plan_.reduction.gathered == Gathered::exponentials, parts);
  }
  std::string kernel_name() const override { return name_; }

 private:
  ReductionPlan<T> plan_;
  std::string name_;
};

}  // namespace

int64_t sum_workspace(Context&, const Node& node, const Call& call) {
  const auto nest = nest_of(node.attributes, call.inputs[0], call.outputs[0]);
  return nest ? reduction_workspace_bytes(*nest) : 0;
}

std::unique_ptr<PreparedOp> prepare_sum(Context& context, const PrepareRequest& request) {
  const Tensor &x = request.arguments.inputs[0], &y = request.arguments.outputs[0];
  const auto nest = nest_of(request.node.attributes, x.type(), y.type());
  if (!nest) return nullptr;
  if (x.dtype() == DType::float32)
    return std::make_unique<ReduceOp<float>>(request, *nest, context.threads);
  return std::make_unique<ReduceOp<double>>(request, *nest, context.threads);
}

}  // namespace engine::cpu
