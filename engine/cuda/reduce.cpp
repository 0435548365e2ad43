// SPDX-License-Identifier: Apache-2.0
// Reductions: which axes go, and how the work is spread.
#include "engine/cuda/reduce.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/cuda/kernels.h"

namespace engine::cuda {
namespace {

constexpr int64_t kThreadsPerMultiprocessor = 2048, kShortestPart = 64, kLoadBytes = 16;  // of a column; ours

/// The reduction that an op is, and the operand it reads.
struct Entry {
  std::string_view op;
  Reduction kind;
};
constexpr Entry kEntries[] = {
    {"sum", Reduction::sum},
    {"mean", Reduction::mean},
    {"reduce_max", Reduction::max},
    {"reduce_min", Reduction::min},
    {"product", Reduction::product},
    {"l1_norm", Reduction::l1},
    {"l2_norm", Reduction::l2},
    {"sum_of_squares", Reduction::squares},
    {"log_sum", Reduction::log_sum},
    {"log_sum_exp", Reduction::log_sum_exp},
    {"squared_norm", Reduction::squares},
    {"found_nonfinite", Reduction::nonfinite},
};

Reduction kind_of(std::string_view op) {
  const auto entry = std::ranges::find(kEntries, op, &Entry::op);
  CHECK(entry != std::end(kEntries));
  return entry->kind;
}

/// Doubles for f64 and for what whole numbers do not give (a root); whole numbers among themselves.
Arithmetic arithmetic_of(Reduction kind, DType dtype) {
  if (dtype == DType::float64) return Arithmetic::float64;
  if (is_floating(dtype)) return Arithmetic::float32;
  return kind == Reduction::l2 ? Arithmetic::float64 : Arithmetic::whole;
}

/// Without addresses: also what workspace_bytes() asks. Nothing when the axes do not merge.
std::optional<Reduce> plan(const Node& node, const TensorType& x, int multiprocessors) {
  Reduce work;
  work.kind = kind_of(node.op->name);
  work.arithmetic = arithmetic_of(work.kind, x.dtype);
  const std::vector<int64_t> axes = node.attributes.get_ints("axes", {});
  std::vector<bool> reduced(x.shape.size(), axes.empty());
  for (const int64_t axis : axes) reduced[static_cast<size_t>(axis < 0 ? axis + x.rank() : axis)] = true;
  Shape kept_shape, reduced_shape;
  Strides kept_strides, reduced_strides;
  for (size_t i = 0; i < reduced.size(); ++i) {
    (reduced[i] ? reduced_shape : kept_shape).push_back(x.shape[i]);
    (reduced[i] ? reduced_strides : kept_strides).push_back(x.strides[i]);
  }
  const auto kept = make_walk<2>(kept_shape, {contiguous_strides(kept_shape), kept_strides});
  const auto within = make_walk<1>(reduced_shape, {reduced_strides});
  if (!kept || !within) return std::nullopt;
  work.kept = *kept;
  work.reduced = *within;
  spread(work, x.dtype, multiprocessors);
  return work;
}

PreparedKernel prepare_reduce(Context& context, const PrepareRequest& request) {
  const Tensor& x = request.arguments.inputs[0];
  std::optional<Reduce> work = plan(request.node, x.type(), context.launcher.multiprocessors);
  if (!work) return refuse(request, "the operand has more than 8 axes that cannot be merged");
  work->x = Data(x);
  work->y = Data(request.arguments.outputs[0]);
  work->partials = request.workspace;
  std::string kernel =
      fmt::format("own {} (CUDA), {}{}", request.node.op->name, work->columns ? "by columns" : "by rows",
                  work->splits > 1 ? fmt::format(" in {} parts", work->splits) : "");
  return launched(context, request, std::move(kernel),
                  [work = *work](const Launcher& launcher) { return launch(launcher, work); });
}

int64_t reduce_workspace(const Context& context, const Node& node, const Call& call) {
  const std::optional<Reduce> work = plan(node, call.inputs[0], context.launcher.multiprocessors);
  return work ? partials_bytes(*work) : 0;
}

}  // namespace

void spread(Reduce& work, DType dtype, int multiprocessors) {
  const int64_t groups = work.kept.count, length = work.reduced.count;
  const auto innermost = [](const auto& walk, int operand) {
    return walk.axes == 0 ? 0 : walk.strides[operand][walk.axes - 1];
  };
  work.columns = innermost(work.kept, 1) == 1 && innermost(work.reduced, 0) != 1;
  work.splits = work.lanes = 1;
  if (work.kind == Reduction::log_sum_exp) {
    work.columns = false;
    return;
  }
  const int64_t lanes = kLoadBytes / size_bytes(dtype);
  const bool whole = (work.columns ? groups : length) % lanes == 0;
  const auto apart = [&](const auto& walk, int operand, int last) {  // whether all steps are multiples of a vector
    bool multiples = true;
    for (int axis = 0; axis < last; ++axis) multiples = multiples && walk.strides[operand][axis] % lanes == 0;
    return multiples;
  };
  const bool steps = work.columns ? by_lanes(work.kept, lanes) && apart(work.reduced, 0, work.reduced.axes)
                                  : by_lanes(work.reduced, lanes) && apart(work.kept, 1, work.kept.axes);
  if (work.arithmetic == Arithmetic::float32 && whole && steps) work.lanes = lanes;
  const int64_t threads = kThreadsPerMultiprocessor * std::max(1, multiprocessors);
  if (work.columns) {
    // a thread with several loads of 16 bytes under way needs fewer others beside it
    const int64_t wanted = work.lanes > 1 ? threads / 2 / std::max<int64_t>(groups / work.lanes, 1)
                                          : threads / std::max<int64_t>(groups, 1);
    work.splits = std::clamp<int64_t>(wanted, 1, std::max<int64_t>(1, length / kShortestPart));
  } else {  // a block of 1024 threads per part, each with a few elements
    constexpr int64_t kRowPart = 16 * 1024;
    work.splits = std::clamp<int64_t>(2 * multiprocessors / std::max<int64_t>(groups, 1), 1,
                                      std::max<int64_t>(1, length / kRowPart));
  }
}

int64_t partials_bytes(const Reduce& work) {
  if (work.splits == 1) return 0;
  return work.splits * work.kept.count * (work.arithmetic == Arithmetic::float32 ? 4 : 8);
}

std::span<const Kernel> reduce_kernels() {
  static const std::vector<Kernel> kernels = [] {
    std::vector<Kernel> all;
    for (const Entry& entry : kEntries) all.push_back({entry.op, takes_any, prepare_reduce, reduce_workspace});
    return all;
  }();
  return kernels;
}

}  // namespace engine::cuda
