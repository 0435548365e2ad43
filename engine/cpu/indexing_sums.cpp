// SPDX-License-Identifier: Apache-2.0
// Kernels that add up rows chosen by index: the gradient of gather (and so of embeddings) and bags of embeddings, in f32 and f64.
// Every element of a result is summed by one thread in the order of the indices: the bits do not depend on the thread count.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>

#include "engine/cpu/elementwise_simd.h"
#include "engine/cpu/indexing.h"
#include "engine/cpu/indexing_kernels.h"
#include "engine/cpu/lines_simd.h"
#include "engine/cpu/parallel.h"
#include "engine/graph/element_maps.h"

namespace engine::cpu {
namespace {

template <class T>
LineLoops<T> line_loops() {
  if constexpr (std::is_same_v<T, float>)
    return line_loops_f32();
  else
    return line_loops_f64();
}

/// Columns a thread must get for splitting columns to pay: a few cache lines.
constexpr int64_t kColumnsPerThread = 64;

/// dx = 0, then each row of dy added at its index. Threads own columns of dx where rows are wide, rows of dx where not.
template <class T>
class GatherGradOp final : public PreparedOp {
 public:
  GatherGradOp(const PrepareRequest& request, size_t axis, int threads)
      : dy_(request.arguments.inputs[0].data_as<const T>()),
        dx_(request.arguments.outputs[0].data_as<T>()),
        indices_(request.arguments.inputs[1]),
        split_(split_at(request.arguments.outputs[0].shape(), static_cast<int64_t>(axis))),
        threads_(threads),
        name_(fmt::format("own row sums ({})", vector_unit())) {
    const TensorType& dy = request.arguments.inputs[0].type();
    rows_ = element_offsets(some_axes(dy, 0, axis + request.arguments.inputs[1].shape().size()));
  }
  void run() override {
    const int64_t inner = split_.inner, work = (split_.outer * split_.extent + static_cast<int64_t>(rows_.size())) * inner;
    if (inner >= kColumnsPerThread * threads_) {
      parallel_parts(threads_, inner, kColumnsPerThread, work,
                     [&](int64_t begin, int64_t end) { add(0, split_.outer * split_.extent, begin, end); });
    } else {
      parallel_parts(threads_, split_.outer * split_.extent, 1, work, [&](int64_t begin, int64_t end) { add(begin, end, 0, inner); });
    }
  }
  std::string kernel_name() const override { return name_; }

 private:
  /// Computes columns [first, last) of the rows [begin, end) of dx seen as [outer * extent, inner].
  void add(int64_t begin, int64_t end, int64_t first, int64_t last) const {
    const int64_t inner = split_.inner, extent = split_.extent, count = indices_.count(), width = last - first;
    for (int64_t row = begin; row < end; ++row) std::fill_n(dx_ + row * inner + first, width, T{0});
    for (int64_t o = begin / extent; o * extent < end; ++o) {
      for (int64_t i = 0; i < count; ++i) {
        const int64_t index = indices_.at(i, extent), row = o * extent + index;
        if (index < 0 || row < begin || row >= end) continue;
        const T* from = dy_ + rows_[static_cast<size_t>(o * count + i)] + first;
        T* to = dx_ + row * inner + first;
        if (width < 16) {
          for (int64_t k = 0; k < width; ++k) to[k] += from[k];
        } else {
          lines_.add(from, width, to);
        }
      }
    }
  }

  const T* dy_;
  T* dx_;
  IndexReader indices_;
  AxisSplit split_;
  int threads_;
  std::string name_;
  std::vector<int64_t> rows_;  ///< where each row of dy begins, in elements
  LineLoops<T> lines_ = line_loops<T>();
};

template <class T>
class EmbeddingBagOp final : public PreparedOp {
 public:
  EmbeddingBagOp(const PrepareRequest& request, int threads)
      : weight_(request.arguments.inputs[0]),
        y_(request.arguments.outputs[0].data_as<T>()),
        indices_(request.arguments.inputs[1]),
        bags_(request.arguments.inputs[1].shape()[0]),
        length_(request.arguments.inputs[1].shape()[1]),
        mean_(request.node.attributes.get_string("mode", "sum") == "mean"),
        threads_(threads),
        name_(fmt::format("own row sums ({})", vector_unit())) {}
  void run() override {
    parallel_for(threads_, bags_, bags_ * length_ * width_, [this](int64_t bag) {
      T* sum = y_ + bag * width_;
      std::fill_n(sum, width_, T{0});
      for (int64_t i = 0; i < length_; ++i) {
        const int64_t index = indices_.at(bag * length_ + i, weight_.shape()[0]);
        if (index < 0) return std::fill_n(sum, width_, std::numeric_limits<T>::quiet_NaN()), void();
        lines_.add(weight_.data_as<const T>() + index * weight_.strides()[0], width_, sum);
      }
      if (mean_) {
        for (int64_t k = 0; k < width_; ++k) sum[k] /= static_cast<T>(length_);
      }
    });
  }
  std::string kernel_name() const override { return name_; }

 private:
  Tensor weight_;
  T* y_;
  IndexReader indices_;
  int64_t bags_, length_, width_ = weight_.shape()[1];
  bool mean_;
  int threads_;
  std::string name_;
  LineLoops<T> lines_ = line_loops<T>();
};

bool computable(DType dtype) {
  return dtype == DType::float32 || (dtype == DType::float64 && line_loops_f64().add != nullptr);
}

template <template <class> class Op, class... A>
std::unique_ptr<PreparedOp> make(DType dtype, A&&... arguments) {
  if (dtype == DType::float32) return std::make_unique<Op<float>>(std::forward<A>(arguments)...);
  return std::make_unique<Op<double>>(std::forward<A>(arguments)...);
}

}  // namespace

std::unique_ptr<PreparedOp> prepare_gather_grad(Context& context, const PrepareRequest& request) {
  const TensorType &dy = request.arguments.inputs[0].type(), &dx = request.arguments.outputs[0].type();
  int64_t axis = request.node.attributes.get_int("axis", 0);
  if (axis < 0) axis += dx.rank();
  const auto along = static_cast<size_t>(axis);
  const size_t row_axes = along + request.arguments.inputs[1].shape().size();
  if (!computable(dx.dtype) || !row_major(dx) || !row_major(request.arguments.inputs[1].type()) ||
      !row_major(some_axes(dy, row_axes, dy.shape.size()))) {
    return nullptr;
  }
  return make<GatherGradOp>(dx.dtype, request, along, context.threads);
}

std::unique_ptr<PreparedOp> prepare_embedding_bag(Context& context, const PrepareRequest& request) {
  const TensorType& weight = request.arguments.inputs[0].type();
  if (!computable(weight.dtype) || (weight.shape[1] != 1 && weight.strides[1] != 1) ||
      !row_major(request.arguments.inputs[1].type()) || !row_major(request.arguments.outputs[0].type())) {
    return nullptr;
  }
  return make<EmbeddingBagOp>(weight.dtype, request, context.threads);
}

}  // namespace engine::cpu
