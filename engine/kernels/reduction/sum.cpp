// SPDX-License-Identifier: Apache-2.0
// Sums and other reductions over any axes of tensors whose innermost axis lies side by side (reduction_loops.h): of f32
// and f64, and of integers, which are gathered in 64 bits.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/rows_simd.h"
#include "engine/kernels/core/scalar_memory.h"
#include "engine/kernels/core/vector_unit.h"
#include "engine/kernels/reduction/reduction-inl.h"
#include "engine/kernels/reduction/whole_reduce_simd.h"
#include "engine/tensor/operand_copies.h"

namespace engine::cpu {
namespace {

using loops::ReductionNest;

std::optional<ReductionNest> nest_of(const Node& node, const TensorType& x, const TensorType& y) {
  if (x.dtype != y.dtype || is_16_bit_float(x.dtype) ||
      (x.dtype == DType::float64 && reduce_loops_f64().line == nullptr))
    return std::nullopt;
  return loops::reduction_nest(node.attributes.get_ints("axes", {}), x.shape, x.strides, y.shape, y.strides,
                               size_bytes(x.dtype), node.op->name == "log_sum_exp");
}

template <class T>
class ReduceOp final : public PreparedOp {
 public:
  ReduceOp(const PrepareRequest& request, ReductionNest nest, int threads)
      : plan_{.reduction = *std::ranges::find(kReductions, request.node.op->name, &Reduction::op),
              .nest = std::move(nest),
              .y = request.arguments.outputs[0].data(),
              .x = request.arguments.inputs[0].data(),
              .partial = reinterpret_cast<double*>(request.workspace),
              .loops = {},
              .threads = threads},
        name_(fmt::format("own {} ({})", request.node.op->name, vector_unit())) {
    if constexpr (std::is_same_v<T, float>) {
      plan_.loops = reduce_loops_f32();
      plan_.add = row_loops_f32().add;
    } else {
      plan_.loops = reduce_loops_f64();
      plan_.add = row_loops_f64().add;
    }
  }

  void run() override {
    ReductionParts<T, ScalarMemory> parts(plan_);
    loops::reduce(plan_.reduction.gathered == Gathered::exponentials, parts);
  }
  KernelFacts facts() const override { return {.name = name_}; }

 private:
  ReductionPlan<T> plan_;
  std::string name_;
};

/// Integers: what is gathered, and what comes of it, is what the reference computes, whatever comes first.
template <class T>
class WholeReduceOp final : public PreparedOp {
 public:
  WholeReduceOp(const PrepareRequest& request, ReductionNest nest, int threads)
      : tensors_(request.arguments),
        reduction_(*std::ranges::find(kReductions, request.node.op->name, &Reduction::op)),
        nest_(std::move(nest)),
        partial_(reinterpret_cast<int64_t*>(request.workspace)),
        threads_(threads),
        name_(fmt::format("own {} ({}, in 64 bits)", request.node.op->name, vector_unit())) {}

  void run() override {
    const Gathered what = reduction_.gathered;
    const std::array<std::byte*, 2> base{tensors_.outputs[0].data(), tensors_.inputs[0].data()};
    const int64_t kept = nest_.kept.rows(), width = nest_.width(), blocks = nest_.blocks,
                  gathered = nest_.gathered.rows() * nest_.inner;
    parallel_for(threads_, kept * blocks, kept * gathered, [&](int64_t task) {
      Block block{{}, nest_, loops_, what, nest_.kept.row(base, task / blocks), width, partial_ + task * width};
      loops::gather_block(nest_, task, /*sums=*/false, block);
    });
    const int64_t count = nest_.gathered.rows() * (nest_.inner_gathered ? nest_.inner : 1);
    parallel_for(threads_, kept, kept * blocks * width, [&](int64_t row) {
      std::byte* const y = nest_.kept.row(base, row)[0];
      const int64_t* const first = partial_ + row * blocks * width;
      for (int64_t i = 0; i < width; ++i) {
        int64_t total = first[i];
        for (int64_t block = 1; block < blocks; ++block) total = whole_join(what, total, first[block * width + i]);
        *reinterpret_cast<T*>(y + i * nest_.y_step) = static_cast<T>(reduction_.mean ? total / count : total);
      }
    });
  }
  KernelFacts facts() const override { return {.name = name_}; }

 private:
  struct Block : loops::Computes {
    const ReductionNest& nest;
    const WholeReduceLoops<T>& loops;
    Gathered what;
    std::array<std::byte*, 2> row;  ///< the kept one
    int64_t width;
    int64_t* partial;
    int64_t total = 0;
    bool empty = true;

    const T* x(int64_t gathered) const { return reinterpret_cast<const T*>(nest.gathered.row(row, gathered)[1]); }
    void clear() const {}  // of sums in two types, which integers do not need
    void clear_near() const {}
    void add(int64_t) const {}
    void flush() const {}
    void start() const { std::fill_n(partial, width, whole_start_of(what)); }
    void across(int64_t gathered) const { loops.across(what, x(gathered), width, partial); }
    void line(int64_t gathered, loops::Range elements) {
      const int64_t own = loops.line(what, x(gathered) + elements.begin, elements.size());
      total = empty ? own : whole_join(what, total, own);
      empty = false;
    }
    void keep() const { *partial = total; }
  };

  KernelArguments tensors_;
  Reduction reduction_;
  ReductionNest nest_;
  int64_t* partial_;
  int threads_;
  WholeReduceLoops<T> loops_ = whole_reduce_loops<T>();
  std::string name_;
};

int64_t sum_workspace(Context&, const Node& node, const Call& call) {
  const auto nest = nest_of(node, call.inputs[0], call.outputs[0]);
  return nest ? reduction_workspace_bytes(*nest) : 0;
}

std::unique_ptr<PreparedOp> prepare_sum(Context& context, const PrepareRequest& request) {
  const Tensor &x = request.arguments.inputs[0], &y = request.arguments.outputs[0];
  const auto nest = nest_of(request.node, x.type(), y.type());
  if (!nest) return nullptr;
  if (!is_floating(x.dtype())) {
    if (request.node.op->name == "l2_norm")
      return nullptr;  // a root of doubles, whose sum depends on the order of what is added
    return with_integer(x.dtype(), [&]<class T>() -> std::unique_ptr<PreparedOp> {
      return std::make_unique<WholeReduceOp<T>>(request, *nest, context.threads);
    });
  }
  if (x.dtype() == DType::float32) return std::make_unique<ReduceOp<float>>(request, *nest, context.threads);
  return std::make_unique<ReduceOp<double>>(request, *nest, context.threads);
}

}  // namespace

std::span<const Kernel> reduction_kernels() {
  static constexpr Kernel kKernels[] = {
      {"sum", prepare_sum, sum_workspace},        {"mean", prepare_sum, sum_workspace},
      {"log_sum", prepare_sum, sum_workspace},    {"l1_norm", prepare_sum, sum_workspace},
      {"l2_norm", prepare_sum, sum_workspace},    {"sum_of_squares", prepare_sum, sum_workspace},
      {"reduce_max", prepare_sum, sum_workspace}, {"reduce_min", prepare_sum, sum_workspace},
      {"product", prepare_sum, sum_workspace},    {"log_sum_exp", prepare_sum, sum_workspace},
  };
  return kKernels;
}

}  // namespace engine::cpu
