// SPDX-License-Identifier: Apache-2.0
// Reductions over axes.
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/check.h"
#include "engine/opencl/kernels.h"

namespace engine::opencl {
namespace {

struct Reduction {
  std::string_view op, take, join, idle;  ///< functions of reduce.cl
};
constexpr Reduction kReductions[] = {
    {"sum", "itself", "added", "nothing"},           {"sum_of_squares", "squared", "added", "nothing"},
    {"squared_norm", "squared", "added", "nothing"}, {"reduce_max", "itself", "larger", "itself"},
    {"reduce_min", "itself", "smaller", "itself"},
};

/// Axes that go; none named: all.
std::vector<bool> reduced_axes(const Shape& x, const Attributes& attributes) {
  const std::vector<int64_t> axes = attributes.get_ints("axes", {});
  std::vector<bool> reduced(x.size(), axes.empty());
  for (const int64_t axis : axes)
    reduced[static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(x.size()) : axis)] = true;
  return reduced;
}

PreparedKernel prepare_reduction(Context& context, const PrepareRequest& request) {
  const auto* const reduction = std::ranges::find(kReductions, request.node.op->name, &Reduction::op);
  CHECK(reduction != std::end(kReductions));
  const Tensor &x = request.arguments.inputs[0], &y = request.arguments.outputs[0];
  const std::vector<bool> reduced = reduced_axes(x.shape(), request.node.attributes);
  // The result's axes are those that stay, in order, whether or not the others are kept with extent 1.
  Shape kept, gone;
  Strides of_x, of_y, along_x;
  size_t result_axis = 0;
  const bool keeps = y.shape().size() == x.shape().size();
  for (size_t axis = 0; axis < x.shape().size(); ++axis) {
    if (reduced[axis]) {
      gone.push_back(x.shape()[axis]);
      along_x.push_back(x.strides()[axis]);
    } else {
      kept.push_back(x.shape()[axis]);
      of_x.push_back(x.strides()[axis]);
      of_y.push_back(y.strides()[keeps ? axis : result_axis]);
      ++result_axis;
    }
  }
  const std::optional<Walk> results = make_walk(kept, {of_y, of_x}), along = make_walk(gone, {along_x});
  if (!results || !along) return refuse(request, kTooManyAxes);
  constexpr int64_t kManyResults = 1024;  // a work-item each keeps the device busy; ours
  const bool by_items = results->count >= kManyResults || along->count < kGroup;
  LaunchBuilder builder(
      context,
      {.file = "reduce.cl",
       .doubles = y.dtype() == DType::float64,
       .options = fmt::format("-D TAKE={} -D JOIN={} -D IDLE={}", reduction->take, reduction->join, reduction->idle)},
      by_items ? "reduce_items" : "reduce_groups");
  builder.tensor(y).tensor(x).walk(*results).walk(*along);
  return launched(context, request, fmt::format("own {} (OpenCL)", reduction->op),
                  by_items ? builder.over(results->count) : builder.groups(results->count, 1, 1, kGroup));
}

}  // namespace

std::span<const Kernel> reduce_kernels() {
  static const std::vector<Kernel> all = [] {
    std::vector<Kernel> list;
    for (const Reduction& reduction : kReductions) list.push_back({reduction.op, takes_reals, prepare_reduction});
    return list;
  }();
  return all;
}

}  // namespace engine::opencl
