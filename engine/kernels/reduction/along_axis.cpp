// SPDX-License-Identifier: Apache-2.0
// cumulative_sum, argmax, argmin and hardmax of dense tensors: one stretch of neighbouring lines at a time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/parallel.h"
#include "engine/kernels/core/vector_unit.h"
#include "engine/kernels/reduction/along_axis-inl.h"
#include "engine/kernels/reduction/reduce_simd.h"
#include "engine/kernels/reduction/whole_reduce_simd.h"
#include "engine/tensor/operand_copies.h"

namespace engine::cpu {
namespace {

using loops::kSideBySide, loops::RowsAlong;

bool is_dense_number(const Tensor& t) {
  return !is_16_bit_float(t.dtype()) && t.dtype() != DType::boolean && is_contiguous(t.shape(), t.strides());
}

RowsAlong lines_of(const PrepareRequest& request) {
  return RowsAlong::of(request.arguments.inputs[0].shape(), request.node.attributes.get_int("axis", -1));
}

/// Of a dense tensor, whatever the order of its axes in memory: those closer than the axis are one, and so are the
/// others.
RowsAlong rows_as_they_lie(const PrepareRequest& request) {
  const TensorType& x = request.arguments.inputs[0].type();
  const int64_t elements = x.elements(), axis = request.node.attributes.get_int("axis", -1);
  const auto at = static_cast<size_t>(axis < 0 ? axis + x.rank() : axis);
  if (elements == 0 || x.shape[at] == 1) {
    return {.outer = 1, .length = std::min<int64_t>(elements, 1), .inner = elements};
  }
  return {.outer = elements / (x.shape[at] * x.strides[at]), .length = x.shape[at], .inner = x.strides[at]};
}

class AlongAxisOp : public PreparedOp {
 public:
  AlongAxisOp(const PrepareRequest& request, const RowsAlong& lines, int threads)
      : x_(request.arguments.inputs[0]),
        y_(request.arguments.outputs[0]),
        lines_(lines),
        threads_(threads),
        name_(fmt::format("own {} ({})", request.node.op->name, vector_unit())) {}
  KernelFacts facts() const override { return {.name = name_}; }

 protected:
  Tensor x_, y_;
  RowsAlong lines_;
  int threads_;
  std::string name_;
};

template <class T>
class CumulativeSumOp final : public AlongAxisOp {
 public:
  CumulativeSumOp(const PrepareRequest& request, int threads)
      : AlongAxisOp(request, lines_of(request), threads),
        exclusive_(request.node.attributes.get_int("exclusive", 0) != 0),
        reverse_(request.node.attributes.get_int("reverse", 0) != 0) {}
  void run() override {
    parallel_for(threads_, lines_.pieces(), lines_.elements(), [this](int64_t piece) {
      RunningSum<T> sums[kSideBySide];
      const CumulativeSumParts<T> parts{{}, x_.data_as<const T>(), y_.data_as<T>(), sums, exclusive_};
      loops::cumulative_sum(lines_, piece, reverse_, parts);
    });
  }

 private:
  bool exclusive_, reverse_;
};

/// Where the extrema of lines are: of equals the first or the last, and NaN before all numbers.
template <class T>
class Places {
 public:
  Places(const RowsAlong& lines, bool greatest, bool last) : lines_(lines), greatest_(greatest), last_(last) {
    if constexpr (std::is_same_v<T, float>) loops_ = reduce_loops_f32();
    else if constexpr (std::is_same_v<T, double>) loops_ = reduce_loops_f64();
    else loops_ = whole_reduce_loops<T>();
  }

  /// Whether in_line() is for them.
  bool are_of_neighbours() const { return lines_.inner == 1 && loops_.line != nullptr; }
  /// The extremum of a line of neighbours first, then where it is.
  int64_t in_line(const T* x) const {
    const T most = extremum(x);
    const bool none = is_none(most);
    const auto is_it = [=](T value) { return none ? is_none(value) : value == most; };
    if (!last_) return std::find_if(x, x + lines_.length, is_it) - x;
    int64_t i = lines_.length - 1;
    while (i > 0 && !is_it(x[i])) --i;
    return i;
  }
  /// Of `count` neighbouring lines, the first elements of which lie at x.
  [[gnu::noinline]] void side_by_side(const T* x, int64_t count, int64_t* y) const {
    T best[kSideBySide];
    std::copy_n(x, count, best);
    std::fill_n(y, count, int64_t{0});
    for (int64_t k = 1; k < lines_.length; ++k) {
      const T* row = x + k * lines_.inner;
      for (int64_t i = 0; i < count; ++i) {
        if (!beats(row[i], best[i]) && !(last_ && !beats(best[i], row[i]))) continue;
        best[i] = row[i];
        y[i] = k;
      }
    }
  }

 private:
  T extremum(const T* x) const {
    const Gathered what = greatest_ ? Gathered::most : Gathered::least;
    if constexpr (std::is_integral_v<T>) return static_cast<T>(loops_.line(what, x, lines_.length));
    else return static_cast<T>(loops_.line(what, x, lines_.length, T{0}));
  }
  static bool is_none(T value) {
    if constexpr (std::is_integral_v<T>) return false;
    else return std::isnan(value);
  }
  bool beats(T a, T b) const { return (greatest_ ? a > b : a < b) || (is_none(a) && !is_none(b)); }

  RowsAlong lines_;
  bool greatest_, last_;
  std::conditional_t<std::is_integral_v<T>, WholeReduceLoops<T>, ReduceLoops<T>> loops_{};
};

template <class T>
class ArgOp final : public AlongAxisOp {
 public:
  ArgOp(const PrepareRequest& request, int threads)
      : AlongAxisOp(request, lines_of(request), threads),
        places_(lines_, request.node.op->name == "argmax",
                request.node.attributes.get_int("select_last_index", 0) != 0) {}
  void run() override {
    if (places_.are_of_neighbours()) {
      parallel_for(threads_, lines_.outer, lines_.outer * lines_.length, [this](int64_t line) {
        y_.data_as<int64_t>()[line] = places_.in_line(x_.data_as<const T>() + line * lines_.length);
      });
      return;
    }
    parallel_for(threads_, lines_.pieces(), lines_.elements(), [this](int64_t number) {
      const RowsAlong::Piece piece = lines_.piece(number);
      places_.side_by_side(x_.data_as<const T>() + piece.first, piece.count, y_.data_as<int64_t>() + piece.line);
    });
  }

 private:
  Places<T> places_;
};

/// Zeros, and a one where argmax says. x and y lie alike, densely.
template <class T>
class HardmaxOp final : public AlongAxisOp {
 public:
  HardmaxOp(const PrepareRequest& request, int threads)
      : AlongAxisOp(request, rows_as_they_lie(request), threads), places_(lines_, /*greatest=*/true, /*last=*/false) {}
  void run() override {
    if (lines_.elements() == 0) return;
    if (places_.are_of_neighbours()) {
      parallel_for(threads_, lines_.outer, lines_.elements(), [this](int64_t line) {
        T* const y = y_.data_as<T>() + line * lines_.length;
        const int64_t place = places_.in_line(x_.data_as<const T>() + line * lines_.length);
        std::fill_n(y, lines_.length, T{0});
        y[place] = T{1};
      });
      return;
    }
    parallel_for(threads_, lines_.pieces(), lines_.elements(), [this](int64_t number) {
      const RowsAlong::Piece piece = lines_.piece(number);
      int64_t places[kSideBySide];
      places_.side_by_side(x_.data_as<const T>() + piece.first, piece.count, places);
      T* const y = y_.data_as<T>() + piece.first;
      for (int64_t k = 0; k < lines_.length; ++k) std::fill_n(y + k * lines_.inner, piece.count, T{0});
      for (int64_t i = 0; i < piece.count; ++i) y[places[i] * lines_.inner + i] = T{1};
    });
  }

 private:
  Places<T> places_;
};

template <template <class> class Op>
std::unique_ptr<PreparedOp> made(Context& context, const PrepareRequest& request) {
  const DType dtype = request.arguments.inputs[0].dtype();
  if (dtype == DType::float32) return std::make_unique<Op<float>>(request, context.threads);
  if (dtype == DType::float64) return std::make_unique<Op<double>>(request, context.threads);
  return with_integer(dtype, [&]<class T>() -> std::unique_ptr<PreparedOp> {
    return std::make_unique<Op<T>>(request, context.threads);
  });
}

std::unique_ptr<PreparedOp> prepare_cumulative_sum(Context& context, const PrepareRequest& request) {
  const Tensor &x = request.arguments.inputs[0], &y = request.arguments.outputs[0];
  if (!is_dense_number(x) || !is_dense_number(y) || x.shape().empty()) return nullptr;
  return made<CumulativeSumOp>(context, request);
}

std::unique_ptr<PreparedOp> prepare_arg(Context& context, const PrepareRequest& request) {
  const Tensor &x = request.arguments.inputs[0], &y = request.arguments.outputs[0];
  if (!is_dense_number(x) || !is_contiguous(y.shape(), y.strides()) || x.shape().empty()) return nullptr;
  return made<ArgOp>(context, request);
}

std::unique_ptr<PreparedOp> prepare_hardmax(Context& context, const PrepareRequest& request) {
  const Tensor &x = request.arguments.inputs[0], &y = request.arguments.outputs[0];
  if (is_16_bit_float(x.dtype()) || x.shape().empty()) return nullptr;
  if (!is_dense(x.shape(), x.strides()) || !lie_alike(x.type(), y.type())) return nullptr;
  if (x.dtype() == DType::float32) return std::make_unique<HardmaxOp<float>>(request, context.threads);
  return std::make_unique<HardmaxOp<double>>(request, context.threads);
}

}  // namespace

std::span<const Kernel> along_axis_kernels() {
  static constexpr Kernel kKernels[] = {
      {"cumulative_sum", prepare_cumulative_sum},
      {"argmax", prepare_arg},
      {"argmin", prepare_arg},
      {"hardmax", prepare_hardmax},
  };
  return kKernels;
}

}  // namespace engine::cpu
