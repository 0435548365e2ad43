// SPDX-License-Identifier: Apache-2.0
// Sums and other reductions over any axes of f32 and f64 tensors whose innermost axis lies side by side. The work is cut
// into blocks whose number does not depend on the thread count, so results do not either.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/cpu/elementwise_simd.h"
#include "engine/cpu/kernels.h"
#include "engine/cpu/lines_simd.h"
#include "engine/cpu/loops.h"
#include "engine/cpu/reduce_simd.h"

namespace engine::cpu {
namespace {

constexpr int64_t kBlockElements = 64 * 1024;
constexpr int64_t kMostBlocks = 64;

/// Operand 0 is y (stride 0 along summed axes), operand 1 is x.
struct SumLoops {
  LoopNest kept;    ///< outer axes that stay; its rows are y's lines
  LoopNest summed;  ///< outer axes that are summed
  int64_t inner = 1;
  bool inner_summed = false;
  int64_t blocks = 1;  ///< per kept row

  /// Elements of y per kept row.
  int64_t width() const { return inner_summed ? 1 : inner; }
  /// What blocks divide: summed rows, or the inner axis where there is only one.
  bool splits_inner() const { return inner_summed && summed.rows() == 1; }
  int64_t length() const { return splits_inner() ? inner : summed.rows(); }
  int64_t partial_count() const { return kept.rows() * blocks * width(); }
};

/// y's type with the summed axes present as extent 1.
TensorType with_all_axes(const TensorType& y, const TensorType& x, std::vector<int64_t> axes) {
  if (y.rank() == x.rank()) return y;
  for (int64_t& axis : axes) axis = axis < 0 ? axis + x.rank() : axis;
  std::sort(axes.begin(), axes.end());
  TensorType type = y;
  for (const int64_t axis : axes) {
    type.shape.insert(type.shape.begin() + axis, 1);
    type.strides.insert(type.strides.begin() + axis, 1);
  }
  return type;
}

std::optional<SumLoops> make_sum_loops(const Attributes& attributes, const TensorType& x,
                                       const TensorType& y) {
  if (x.dtype != y.dtype ||
      (x.dtype != DType::float32 && (x.dtype != DType::float64 || reduce_loops_f64().line == nullptr)))
    return std::nullopt;
  std::vector<int64_t> axes = attributes.get_ints("axes", {});
  if (axes.empty()) {  // all
    axes.resize(x.shape.size());
    std::iota(axes.begin(), axes.end(), int64_t{0});
  }
  if (y.rank() != x.rank() && y.rank() + static_cast<int64_t>(axes.size()) != x.rank())
    return std::nullopt;
  const TensorType types[] = {with_all_axes(y, x, axes), x};
  const LoopNest all = make_loops(x.shape, types, 1);
  const int64_t bytes = size_bytes(x.dtype);
  if (all.inner_stride[1] != bytes || (all.inner_stride[0] != 0 && all.inner_stride[0] != bytes))
    return std::nullopt;
  SumLoops loops;
  loops.inner = all.inner;
  loops.inner_summed = all.inner_stride[0] == 0;
  loops.kept.operands = loops.summed.operands = 2;
  for (const LoopNest::Axis& axis : all.outer)
    (axis.stride[0] == 0 ? loops.summed : loops.kept).outer.push_back(axis);
  const int64_t per_row = loops.summed.rows() * loops.inner;
  loops.blocks =
      std::clamp<int64_t>(per_row / kBlockElements, 1, std::min(kMostBlocks, loops.length()));
  return loops;
}

/// Rows summed in T before the sums go to doubles.
constexpr int64_t kRowsPerFlush = 256;

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
  ReduceOp(const PrepareRequest& request, SumLoops loops, int threads)
      : reduction_(*std::ranges::find(kReductions, request.node.op->name, &Reduction::op)),
        loops_(std::move(loops)),
        threads_(threads),
        partial_(reinterpret_cast<double*>(request.workspace)),
        scratch_(reinterpret_cast<T*>(partial_ + loops_.partial_count())),
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

  void run() override {
    const auto count = static_cast<double>(loops_.summed.rows() * (loops_.inner_summed ? loops_.inner : 1));
    if (reduction_.gathered == Gathered::exponentials) pass(Gathered::most, [](double value, T) { return value; });
    pass(reduction_.gathered, [&](double value, T before) {
      if (reduction_.gathered == Gathered::exponentials) return std::isfinite(before) ? static_cast<double>(before) + std::log(value) : static_cast<double>(before);
      if (reduction_.logarithm) return std::log(value);
      return reduction_.root ? std::sqrt(value) : reduction_.mean ? value / count : value;
    });
  }
  std::string kernel_name() const override { return name_; }

 private:
  /// Gathers all blocks, then y = finish(what they gathered together, y before).
  template <class Finish>
  void pass(Gathered what, const Finish& finish) {
    const int64_t kept = loops_.kept.rows(), width = loops_.width(), blocks = loops_.blocks;
    const int64_t work = kept * loops_.summed.rows() * loops_.inner;
    parallel_for(threads_, kept * blocks, work, [&](int64_t task) { gather_block(what, task); });
    parallel_for(threads_, kept, kept * blocks * width, [&](int64_t row) {
      T* y = reinterpret_cast<T*>(loops_.kept.row(base_, row)[0]);
      const double* first = partial_ + row * blocks * width;
      for (int64_t i = 0; i < width; ++i) {
        double total = first[i];
        for (int64_t block = 1; block < blocks; ++block) total = join(what, total, first[block * width + i]);
        y[i] = static_cast<T>(finish(total, y[i]));
      }
    });
  }

  void gather_block(Gathered what, int64_t task) const {
    const Addresses row = loops_.kept.row(base_, task / loops_.blocks);
    const int64_t block = task % loops_.blocks, width = loops_.width();
    const int64_t begin = loops_.length() * block / loops_.blocks,
                  end = loops_.length() * (block + 1) / loops_.blocks;
    double* mine = partial_ + task * width;
    const bool shifts = what == Gathered::exponentials;
    const T* shift = reinterpret_cast<const T*>(row[0]);  // the greatest, from the pass before
    if (!loops_.inner_summed && what == Gathered::sum) return add_rows(row, begin, end, scratch_ + task * width, mine);
    if (!loops_.inner_summed) {
      std::fill_n(mine, width, start_of(what));
      for (int64_t r = begin; r < end; ++r) lines_.across(what, summed_row(row, r), width, shift, mine);
      return;
    }
    const T by = shifts ? *shift : T{0};
    if (loops_.splits_inner()) {
      *mine = lines_.line(what, reinterpret_cast<const T*>(row[1]) + begin, end - begin, by);
      return;
    }
    *mine = start_of(what);
    for (int64_t r = begin; r < end; ++r) *mine = join(what, *mine, lines_.line(what, summed_row(row, r), loops_.inner, by));
  }

  /// The most frequent case, in T where the others take doubles.
  void add_rows(const Addresses& row, int64_t begin, int64_t end, T* scratch, double* sums) const {
    const int64_t width = loops_.inner;
    std::fill_n(sums, width, 0.0);
    for (int64_t from = begin; from < end; from += kRowsPerFlush) {
      std::fill_n(scratch, width, T{0});
      for (int64_t r = from; r < std::min(end, from + kRowsPerFlush); ++r) add_(summed_row(row, r), width, scratch);
      for (int64_t i = 0; i < width; ++i) sums[i] += static_cast<double>(scratch[i]);
    }
  }
  const T* summed_row(const Addresses& row, int64_t r) const {
    return reinterpret_cast<const T*>(loops_.summed.row(row, r)[1]);
  }

  Reduction reduction_;
  SumLoops loops_;
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
  const auto loops = make_sum_loops(node.attributes, call.inputs[0], call.outputs[0]);
  return loops ? loops->partial_count() * static_cast<int64_t>(2 * sizeof(double)) : 0;
}

std::unique_ptr<PreparedOp> prepare_sum(Context& context, const PrepareRequest& request) {
  const Tensor &x = request.arguments.inputs[0], &y = request.arguments.outputs[0];
  const auto loops = make_sum_loops(request.node.attributes, x.type(), y.type());
  if (!loops) return nullptr;
  if (x.dtype() == DType::float32)
    return std::make_unique<ReduceOp<float>>(request, *loops, context.threads);
  return std::make_unique<ReduceOp<double>>(request, *loops, context.threads);
}

}  // namespace engine::cpu
