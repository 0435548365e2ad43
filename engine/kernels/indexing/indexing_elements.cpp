// SPDX-License-Identifier: Apache-2.0
// Kernels that pick and place elements along an axis or by tuples: gather_elements, gather_nd, scatter_elements,
// scatter_nd, top_k. Where several updates meet at one place, one thread takes them in order: the bits do not depend on
// the thread count.
#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/kernels/core/copy.h"
#include "engine/kernels/core/loop_nest.h"
#include "engine/kernels/core/parallel.h"
#include "engine/kernels/indexing/indexing-inl.h"
#include "engine/kernels/indexing/indexing_kernels.h"
#include "engine/kernels/reduction/whole_reduce_simd.h"

namespace engine::cpu {
namespace {

size_t axis_of(const PrepareRequest& request, int64_t fallback) {
  const int64_t axis = request.node.attributes.get_int("axis", fallback);
  return static_cast<size_t>(axis < 0 ? axis + request.arguments.inputs[0].type().rank() : axis);
}

/// Of the lines of `shape` parallel to `axis`.
loops::IndexedRows lines_of(const Shape& shape, const Strides& strides, size_t axis) {
  const TensorType type{DType::uint8, shape, strides};
  return {element_offsets(some_axes(type, 0, axis)), element_offsets(some_axes(type, axis + 1, shape.size())),
          strides[axis]};
}

// ---- gather_elements
// --------------------------------------------------------------------------------------------------------

/// T: an unsigned integer as wide as an element.
template <class T>
class GatherElementsOp final : public PreparedOp {
 public:
  GatherElementsOp(const PrepareRequest& request, size_t axis, int threads)
      : arguments_(request.arguments),
        threads_(threads),
        lines_(lines_of(arguments_.inputs[1].shape(), arguments_.inputs[0].strides(), axis)),
        count_(arguments_.inputs[1].shape()[axis]),
        parts_(arguments_.inputs[1], arguments_.inputs[0].shape()[axis], arguments_.inputs[0].dtype(),
               arguments_.inputs[0].data_as<T>(), arguments_.outputs[0].data_as<T>()) {}
  void run() override {
    const int64_t rows = static_cast<int64_t>(lines_.outer.size()) * count_;
    parallel_for(threads_, rows, rows * lines_.width(),
                 [this](int64_t row) { loops::gather_elements_row(lines_, count_, row, parts_); });
  }
  KernelFacts facts() const override { return {.name = "own element copies"}; }

 private:
  KernelArguments arguments_;  ///< that they stay
  int threads_;
  loops::IndexedRows lines_;
  int64_t count_;
  const GatherElementsParts<T> parts_;
};

// ---- scatter
// ----------------------------------------------------------------------------------------------------------------

/// What both scatters do before the updates: y = x, or NaN (0) everywhere when an index lies outside.
class ScatterStart {
 public:
  ScatterStart(const PrepareRequest& request, int threads)
      : y_(request.arguments.outputs[0]), threads_(threads), outside_(y_.dtype(), outside_value(y_.dtype())) {
    const TensorType types[] = {y_.type(), request.arguments.inputs[0].type()};
    loops_ = make_tiled_loops(y_.shape(), types, 0);
    base_[0] = y_.data();
    base_[1] = request.arguments.inputs[0].data();
  }
  void copy() const {
    run_loops(loops_, base_, threads_, [this](const Addresses& at, int64_t count) {
      copy_row(at[1], loops_.inner_stride[1], at[0], loops_.inner_stride[0], count, size_bytes(y_.dtype()));
    });
  }
  void refuse() const { outside_.fill(y_.data(), y_.type().elements()); }  // y is dense

 private:
  Tensor y_;
  int threads_;
  ElementPattern outside_;
  LoopNest loops_;
  Addresses base_{};
};

/// Of no updates: y is x.
class NoUpdatesOp final : public PreparedOp {
 public:
  NoUpdatesOp(const PrepareRequest& request, int threads) : start_(request, threads) {}
  void run() override { start_.copy(); }
  KernelFacts facts() const override { return {.name = "own copy, no updates"}; }

 private:
  ScatterStart start_;
};

template <class T>
class ScatterElementsOp final : public PreparedOp {
 public:
  ScatterElementsOp(const PrepareRequest& request, ScatterReduction reduction, int threads)
      : ScatterElementsOp(request, reduction, axis_of(request, 0), threads) {}
  void run() override {
    const int64_t lines = to_.width() * static_cast<int64_t>(to_.outer.size());
    if (!loops::all_inside(parts_.indices.count(), parts_)) return start_.refuse();
    start_.copy();
    parallel_parts(threads_, lines, 1, lines * count_, [this](int64_t begin, int64_t end) {
      loops::scatter_elements(from_, to_, count_, {begin, end}, parts_);
    });
  }
  KernelFacts facts() const override { return {.name = "own scatter"}; }

 private:
  ScatterElementsOp(const PrepareRequest& request, ScatterReduction reduction, size_t axis, int threads)
      : start_(request, threads),
        arguments_(request.arguments),
        from_(lines_of(arguments_.inputs[1].shape(), arguments_.inputs[2].strides(), axis)),
        to_(lines_of(arguments_.inputs[1].shape(), arguments_.outputs[0].strides(), axis)),
        count_(arguments_.inputs[1].shape()[axis]),
        threads_(threads),
        parts_(arguments_.inputs[1], arguments_.outputs[0].shape()[axis], arguments_.inputs[2].data_as<const T>(),
               arguments_.outputs[0].data_as<T>(), reduction) {}

  ScatterStart start_;
  KernelArguments arguments_;  ///< that they stay
  loops::IndexedRows from_, to_;
  int64_t count_;
  int threads_;
  const ScatterParts<T> parts_;
};

template <class T>
class ScatterNdOp final : public PreparedOp {
 public:
  ScatterNdOp(const PrepareRequest& request, ScatterReduction reduction, int threads)
      : start_(request, threads),
        arguments_(request.arguments),
        threads_(threads),
        parts_(arguments_.inputs[1], 0, arguments_.inputs[2].data_as<const T>(), arguments_.outputs[0].data_as<T>(),
               reduction) {
    const TensorType &y = arguments_.outputs[0].type(), &updates = arguments_.inputs[2].type();
    const Shape& indices = arguments_.inputs[1].shape();
    const size_t tuple_axes = indices.size() - 1,
                 batch = static_cast<size_t>(request.node.attributes.get_int("batch_dims", 0)),
                 named = batch + static_cast<size_t>(indices.back());
    for (size_t axis = batch; axis < named; ++axis) tuples_.named.push_back({y.shape[axis], y.strides[axis]});
    tuples_.batches = element_offsets(some_axes(y, 0, batch));
    tuples_.rows = element_offsets(some_axes(updates, 0, tuple_axes));
    tuples_.from = element_offsets(some_axes(updates, tuple_axes, updates.shape.size()));
    tuples_.to = element_offsets(some_axes(y, named, y.shape.size()));
  }
  void run() override {
    if (!loops::scatter_places(tuples_, places_, parts_)) return start_.refuse();
    start_.copy();
    parallel_parts(threads_, tuples_.width(), 64, tuples_.width() * tuples_.tuples(),
                   [this](int64_t begin, int64_t end) {
                     const ScatterParts<T> parts = parts_;  // so that what is written is not taken for them
                     loops::scatter_slices(tuples_, places_, {begin, end}, parts);
                   });
  }
  KernelFacts facts() const override { return {.name = "own scatter"}; }

 private:
  ScatterStart start_;
  KernelArguments arguments_;  ///< that they stay
  int threads_;
  const ScatterParts<T> parts_;
  loops::ScatterTuples tuples_;
  std::vector<int64_t> places_;
};

/// T: an unsigned integer as wide as an element.
template <class T>
class GatherNdOp final : public PreparedOp {
 public:
  GatherNdOp(const PrepareRequest& request, int threads)
      : arguments_(request.arguments),
        threads_(threads),
        parts_(arguments_.inputs[1], 0, arguments_.inputs[0].dtype(), arguments_.inputs[0].data_as<const T>(),
               arguments_.outputs[0].data_as<T>()) {
    const TensorType& x = arguments_.inputs[0].type();
    const Shape& indices = arguments_.inputs[1].shape();
    const size_t batch = static_cast<size_t>(request.node.attributes.get_int("batch_dims", 0)),
                 named = batch + static_cast<size_t>(indices.back());
    for (size_t axis = batch; axis < named; ++axis) named_.push_back({x.shape[axis], x.strides[axis]});
    batches_ = element_offsets(some_axes(x, 0, batch));
    slice_ = element_offsets(some_axes(x, named, x.shape.size()));
    tuples_ = arguments_.outputs[0].type().elements() / static_cast<int64_t>(slice_.size());
    for (size_t k = 0; k < slice_.size(); ++k) side_by_side_ = side_by_side_ && slice_[k] == static_cast<int64_t>(k);
  }
  void run() override {
    const auto width = static_cast<int64_t>(slice_.size()), per_batch = tuples_ / static_cast<int64_t>(batches_.size());
    parallel_parts(threads_, tuples_, 1, tuples_ * width, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) copy(t, batches_[static_cast<size_t>(t / per_batch)], width);
    });
  }
  KernelFacts facts() const override { return {.name = "own slice copies"}; }

 private:
  void copy(int64_t tuple, int64_t place, int64_t width) const {
    T* const to = parts_.y + tuple * width;
    for (size_t m = 0; m < named_.size(); ++m) {
      const int64_t index =
          parts_.index(tuple * static_cast<int64_t>(named_.size()) + static_cast<int64_t>(m), named_[m].extent);
      if (index < 0) {
        std::fill_n(to, width, parts_.beyond);
        return;
      }
      place += index * named_[m].step;
    }
    if (side_by_side_) std::copy_n(parts_.x + place, width, to);
    else
      for (int64_t k = 0; k < width; ++k) to[k] = parts_.x[place + slice_[static_cast<size_t>(k)]];
  }

  KernelArguments arguments_;  ///< that they stay
  int threads_;
  const GatherElementsParts<T> parts_;
  std::vector<loops::ScatterTuples::Axis> named_;  ///< the axes of x that a tuple's indices go along
  std::vector<int64_t> batches_, slice_;           ///< where x's batches begin; elements of a slice
  int64_t tuples_ = 0;
  bool side_by_side_ = true;
};

template <template <class> class Op>
std::unique_ptr<PreparedOp> prepare_scatter(Context& context, const PrepareRequest& request) {
  const DType dtype = request.arguments.outputs[0].dtype();
  const auto reduction = parse_scatter_reduction(request.node.attributes.get_string("reduction", "none"));
  if (request.arguments.inputs[2].type().elements() == 0)
    return std::make_unique<NoUpdatesOp>(request, context.threads);
  if (!reduction || !row_major(request.arguments.inputs[1].type())) return nullptr;
  if (*reduction == ScatterReduction::replace) return make_moving<Op>(dtype, request, *reduction, context.threads);
  if (dtype == DType::float32) return std::make_unique<Op<float>>(request, *reduction, context.threads);
  if (dtype == DType::float64) return std::make_unique<Op<double>>(request, *reduction, context.threads);
  if (dtype == DType::boolean) return nullptr;
  return with_integer(dtype, [&]<class T>() -> std::unique_ptr<PreparedOp> {
    return std::make_unique<Op<T>>(request, *reduction, context.threads);
  });
}

// ---- top_k
// ------------------------------------------------------------------------------------------------------------------

/// The best few of a line, best first, in one pass: most elements are only compared to the last of them. As
/// select_top_k() has it: of equal values the first, NaN larger than any number.
template <bool kLargest, class T>
class FewBest {
 public:
  static constexpr int64_t kMost = 32;

  void select(const T* line, int64_t step, int64_t extent, int64_t k) {
    int64_t kept = 0;
    for (int64_t i = 0; i < extent; ++i) {
      const T value = line[i * step];
      if (kept == k && !better(value, values[k - 1])) continue;
      int64_t place = kept < k ? kept++ : k - 1;
      for (; place > 0 && better(value, values[place - 1]); --place) {
        values[place] = values[place - 1];
        positions[place] = positions[place - 1];
      }
      values[place] = value;
      positions[place] = i;
    }
  }
  /// By position instead.
  void by_position(int64_t k) {
    for (int64_t i = 1; i < k; ++i) {
      for (int64_t j = i; j > 0 && positions[j] < positions[j - 1]; --j) {
        std::swap(positions[j], positions[j - 1]);
        std::swap(values[j], values[j - 1]);
      }
    }
  }

  T values[kMost];
  int64_t positions[kMost];

 private:
  static bool better(T a, T b) {
    if constexpr (std::is_integral_v<T>) return kLargest ? a > b : a < b;
    else if constexpr (kLargest) return a > b || (a != a && b == b);
    else return a < b || (b != b && a == a);
  }
};

template <class T>
class TopKOp final : public PreparedOp {
 public:
  TopKOp(const PrepareRequest& request, size_t axis, int threads)
      : x_(request.arguments.inputs[0].data_as<const T>()),
        values_(request.arguments.outputs[0].data_as<T>()),
        indices_(request.arguments.outputs[1].data_as<int64_t>()),
        lines_(lines_of(request.arguments.inputs[0].shape(), request.arguments.inputs[0].strides(), axis)),
        extent_(request.arguments.inputs[0].shape()[axis]),
        k_(request.arguments.outputs[0].shape()[axis]),
        largest_(request.node.attributes.get_int("largest", 1) != 0),
        sorted_(request.node.attributes.get_int("sorted", 1) != 0),
        threads_(threads) {}
  void run() override {
    const auto inner = static_cast<int64_t>(lines_.inner.size()),
               count = inner * static_cast<int64_t>(lines_.outer.size());
    parallel_parts(threads_, count, 1, count * extent_, [&](int64_t begin, int64_t end) {
      if (k_ > FewBest<true, T>::kMost) return select_many(begin, end);
      if (largest_) select_few<true>(begin, end);
      else select_few<false>(begin, end);
    });
  }
  KernelFacts facts() const override { return {.name = "own selection"}; }

 private:
  const T* line(int64_t number) const {
    const auto inner = static_cast<int64_t>(lines_.inner.size());
    return x_ + lines_.outer[static_cast<size_t>(number / inner)] + lines_.inner[static_cast<size_t>(number % inner)];
  }
  void put(int64_t line_number, int64_t i, int64_t position, T value) const {
    const auto inner = static_cast<int64_t>(lines_.inner.size());
    const int64_t at = line_number / inner * k_ * inner + line_number % inner + i * inner;
    indices_[at] = position;
    values_[at] = value;
  }
  template <bool kLargest>
  void select_few(int64_t begin, int64_t end) const {
    FewBest<kLargest, T> best;
    for (int64_t l = begin; l < end; ++l) {
      best.select(line(l), lines_.step, extent_, k_);
      if (!sorted_) best.by_position(k_);
      for (int64_t i = 0; i < k_; ++i) put(l, i, best.positions[i], best.values[i]);
    }
  }
  void select_many(int64_t begin, int64_t end) const {
    std::vector<int64_t> order(static_cast<size_t>(extent_));
    std::vector<T> values(order.size());
    for (int64_t l = begin; l < end; ++l) {
      const T* const from = line(l);
      for (int64_t i = 0; i < extent_; ++i) values[static_cast<size_t>(i)] = from[i * lines_.step];
      select_top_k(k_, largest_, sorted_, order, [&](int64_t i) { return values[static_cast<size_t>(i)]; });
      for (int64_t i = 0; i < k_; ++i)
        put(l, i, order[static_cast<size_t>(i)], values[static_cast<size_t>(order[static_cast<size_t>(i)])]);
    }
  }

  const T* x_;
  T* values_;
  int64_t* indices_;
  loops::IndexedRows lines_;
  int64_t extent_, k_;
  bool largest_, sorted_;
  int threads_;
};

}  // namespace

std::unique_ptr<PreparedOp> prepare_gather_elements(Context& context, const PrepareRequest& request) {
  if (!row_major(request.arguments.inputs[1].type()) || !row_major(request.arguments.outputs[0].type())) return nullptr;
  return make_moving<GatherElementsOp>(request.arguments.inputs[0].dtype(), request, axis_of(request, 0),
                                       context.threads);
}

std::unique_ptr<PreparedOp> prepare_scatter_elements(Context& context, const PrepareRequest& request) {
  return prepare_scatter<ScatterElementsOp>(context, request);
}

std::unique_ptr<PreparedOp> prepare_scatter_nd(Context& context, const PrepareRequest& request) {
  return prepare_scatter<ScatterNdOp>(context, request);
}

std::unique_ptr<PreparedOp> prepare_gather_nd(Context& context, const PrepareRequest& request) {
  if (!row_major(request.arguments.inputs[1].type()) || !row_major(request.arguments.outputs[0].type())) return nullptr;
  return make_moving<GatherNdOp>(request.arguments.inputs[0].dtype(), request, context.threads);
}

std::unique_ptr<PreparedOp> prepare_top_k(Context& context, const PrepareRequest& request) {
  const size_t axis = axis_of(request, -1);
  if (!row_major(request.arguments.outputs[0].type()) || !row_major(request.arguments.outputs[1].type()))
    return nullptr;
  switch (request.arguments.inputs[0].dtype()) {
    case DType::float32: return std::make_unique<TopKOp<float>>(request, axis, context.threads);
    case DType::float64: return std::make_unique<TopKOp<double>>(request, axis, context.threads);
    case DType::boolean: return nullptr;
    default:
      return with_integer(request.arguments.inputs[0].dtype(), [&]<class T>() -> std::unique_ptr<PreparedOp> {
        return std::make_unique<TopKOp<T>>(request, axis, context.threads);
      });
  }
}

}  // namespace engine::cpu
