// SPDX-License-Identifier: Apache-2.0
// Sums and other reductions over any axes of f32 and f64 tensors whose innermost axis lies side by side (engine/loops/reduction.h).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/cpu/elementwise_simd.h"
#include "engine/cpu/kernels.h"
#include "engine/cpu/lines_simd.h"
#include "engine/cpu/parallel.h"
#include "engine/cpu/reduce_simd.h"
#include "engine/loops/reduction.h"

namespace engine::cpu {
namespace {

using loops::ReductionNest;

std::optional<ReductionNest> nest_of(const Attributes& attributes, const TensorType& x, const TensorType& y) {
  if (x.dtype != y.dtype || (x.dtype != DType::float32 && (x.dtype != DType::float64 || reduce_loops_f64().line == nullptr))) return std::nullopt;
  return loops::reduction_nest(attributes.get_ints("axes", {}), x.shape, x.strides, y.shape, y.strides, size_bytes(x.dtype));
}

/// How a reduction comes from what is gathered.
struct Reduction {
  std::string_view op;
  Gathered gathered = Gathered::sum;
  bool mean = false, root = false, logarithm = false;
};
constexpr Reduction kReductions[] = {
    {"sum"},
    {"mean", Gathered::sum, true},
    {"log_sum", Gathered::sum, false, false, true},
    {"l1_norm", Gathered::absolute},
    {"l2_norm", Gathered::squares, false, true},
    {"sum_of_squares", Gathered::squares},
    {"reduce_max", Gathered::most},
    {"reduce_min", Gathered::least},
    {"product", Gathered::product},
    {"log_sum_exp", Gathered::exponentials, false, false, true},  // of the differences to the greatest, which comes first
};

template <class T>
class ReduceOp final : public PreparedOp {
 public:
  ReduceOp(const PrepareRequest& request, ReductionNest nest, int threads)
      : reduction_(*std::ranges::find(kReductions, request.node.op->name, &Reduction::op)),
        nest_(std::move(nest)),
        count_(static_cast<double>(nest_.gathered.rows() * (nest_.inner_gathered ? nest_.inner : 1))),
        threads_(threads),
        partial_(reinterpret_cast<double*>(request.workspace)),
        scratch_(reinterpret_cast<T*>(partial_ + nest_.partial_count())),
        name_(fmt::format("own {} ({})", request.node.op->name, vector_unit())) {
    base_[0] = request.arguments.outputs[0].data();
    base_[1] = request.arguments.inputs[0].data();
    if constexpr (std::is_same_v<T, float>) {
      lines_ = reduce_loops_f32();
      add_ = line_loops_f32().add;
    } else {
      lines_ = reduce_loops_f64();
      add_ = line_loops_f64().add;
    }
  }

  void run() override { loops::reduce(reduction_.gathered == Gathered::exponentials, *this); }
  std::string kernel_name() const override { return name_; }

  /// Part of all: gathers all blocks, then y = finish(what they gathered together, y before).
  void pass(bool greatest) {
    const Gathered what = greatest ? Gathered::most : reduction_.gathered;
    const int64_t kept = nest_.kept.rows(), width = nest_.width(), blocks = nest_.blocks;
    const int64_t work = kept * nest_.gathered.rows() * nest_.inner;
    parallel_for(threads_, kept * blocks, work, [&](int64_t task) {
      Block block{{}, *this, what, nest_.kept.row(base_, task / blocks), width, partial_ + task * width, scratch_ + task * width};
      loops::gather_block(nest_, task, what == Gathered::sum, block);
    });
    parallel_for(threads_, kept, kept * blocks * width, [&](int64_t row) {
      T* y = reinterpret_cast<T*>(nest_.kept.row(base_, row)[0]);
      const double* first = partial_ + row * blocks * width;
      for (int64_t i = 0; i < width; ++i) {
        double total = first[i];
        for (int64_t block = 1; block < blocks; ++block) total = join(what, total, first[block * width + i]);
        y[i] = static_cast<T>(what == Gathered::exponentials ? shifted_back(total, y[i]) : greatest ? total : finished(total));
      }
    });
  }

 private:
  using Addresses = std::array<std::byte*, 2>;

  static double shifted_back(double value, T greatest) { return std::isfinite(greatest) ? static_cast<double>(greatest) + std::log(value) : static_cast<double>(greatest); }
  double finished(double value) const {
    if (reduction_.logarithm) return std::log(value);
    if (reduction_.root) return std::sqrt(value);
    return reduction_.mean ? value / count_ : value;
  }

  /// The parts of a block.
  struct Block : loops::Computes {
    const ReduceOp& op;
    Gathered what;
    Addresses row;  ///< the kept one
    int64_t width;
    double* sums;
    T* near;
    double total = 0;
    bool empty = true;

    const T* x(int64_t gathered) const { return reinterpret_cast<const T*>(op.nest_.gathered.row(row, gathered)[1]); }
    const T* shift() const { return reinterpret_cast<const T*>(row[0]); }  ///< the greatest, from the pass before
    void clear() const { std::fill_n(sums, width, 0.0); }
    void clear_near() const { std::fill_n(near, width, T{0}); }
    void add(int64_t gathered) const { op.add_(x(gathered), width, near); }
    void flush() const {
      for (int64_t i = 0; i < width; ++i) sums[i] += static_cast<double>(near[i]);
    }
    void start() const { std::fill_n(sums, width, start_of(what)); }
    void across(int64_t gathered) const { op.lines_.across(what, x(gathered), width, shift(), sums); }
    void line(int64_t gathered, loops::Range elements) {
      const double own = op.lines_.line(what, x(gathered) + elements.begin, elements.size(), what == Gathered::exponentials ? *shift() : T{0});
      total = empty ? own : join(what, total, own);
      empty = false;
    }
    void keep() const { *sums = total; }
  };

  Reduction reduction_;
  ReductionNest nest_;
  double count_;  ///< elements of x per element of y
  int threads_;
  double* partial_;
  T* scratch_;
  std::string name_;
  Addresses base_{};
  ReduceLoops<T> lines_{};
  void (*add_)(const T*, int64_t, T*) = nullptr;
};

}  // namespace

int64_t sum_workspace(Context&, const Node& node, const Call& call) {
  const auto nest = nest_of(node.attributes, call.inputs[0], call.outputs[0]);
  return nest ? nest->partial_count() * static_cast<int64_t>(2 * sizeof(double)) : 0;
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
