// SPDX-License-Identifier: Apache-2.0
// Kernels that add up rows chosen by index: the gradient of gather (and so of embeddings) and bags of embeddings, in
// f32 and f64. Every element of a result is summed by one thread in the order of the indices: the bits do not depend on
// the thread count.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <type_traits>

#include "engine/kernels/core/parallel.h"
#include "engine/kernels/core/vector_unit.h"
#include "engine/kernels/indexing/indexing-inl.h"
#include "engine/kernels/indexing/indexing_kernels.h"

namespace engine::cpu {
namespace {

template <class T>
RowLoops<T> line_loops() {
  if constexpr (std::is_same_v<T, float>) return row_loops_f32();
  else return row_loops_f64();
}

/// Columns a thread must get for splitting columns to pay: a few cache lines.
constexpr int64_t kColumnsPerThread = 64;

/// dx = 0, then each row of dy added at its index. Threads own columns of dx where rows are wide, rows of dx where not.
template <class T>
class GatherGradOp final : public PreparedOp {
 public:
  GatherGradOp(const PrepareRequest& request, size_t axis, int threads)
      : arguments_(request.arguments), threads_(threads), name_(fmt::format("own row sums ({})", vector_unit())) {
    const Tensor &dy = arguments_.inputs[0], &indices = arguments_.inputs[1], &dx = arguments_.outputs[0];
    const AxisSplit split = split_at(dx.shape(), static_cast<int64_t>(axis));
    shape_ = {split.outer, split.extent, split.inner, indices.type().elements(),
              element_offsets(some_axes(dy.type(), 0, axis + indices.shape().size()))};
    parts_.emplace(indices, split.extent, dy.data_as<const T>(), dx.data_as<T>(), line_loops<T>());
  }
  void run() override {
    const int64_t inner = shape_.inner, rows = shape_.outer * shape_.extent,
                  work = (rows + static_cast<int64_t>(shape_.rows.size())) * inner;
    if (inner >= kColumnsPerThread * threads_) {
      parallel_parts(threads_, inner, kColumnsPerThread, work, [&](int64_t begin, int64_t end) {
        loops::gather_gradient(shape_, {0, rows}, {begin, end}, *parts_);
      });
    } else {
      parallel_parts(threads_, rows, 1, work, [&](int64_t begin, int64_t end) {
        loops::gather_gradient(shape_, {begin, end}, {0, inner}, *parts_);
      });
    }
  }
  KernelFacts facts() const override { return {.name = name_}; }

 private:
  KernelArguments arguments_;  ///< that they stay
  int threads_;
  std::string name_;
  loops::GatherGradientShape shape_;
  std::optional<const GatherGradientParts<T>> parts_;
};

template <class T>
class EmbeddingBagOp final : public PreparedOp {
 public:
  EmbeddingBagOp(const PrepareRequest& request, int threads)
      : arguments_(request.arguments),
        threads_(threads),
        bags_(arguments_.inputs[1].shape()[0]),
        name_(fmt::format("own row sums ({})", vector_unit())),
        parts_(arguments_.inputs[1], table().shape()[0], table().template data_as<const T>(),
               arguments_.outputs[0].template data_as<T>(), table().strides()[0], table().shape()[1],
               arguments_.inputs[1].shape()[1], request.node.attributes.get_string("mode", "sum") == "mean",
               line_loops<T>()) {}
  void run() override {
    parallel_for(threads_, bags_, bags_ * parts_.length * parts_.width,
                 [this](int64_t bag) { loops::embedding_bag(parts_.length, bag, parts_); });
  }
  KernelFacts facts() const override { return {.name = name_}; }

 private:
  const Tensor& table() const { return arguments_.inputs[0]; }

  KernelArguments arguments_;  ///< that they stay
  int threads_;
  int64_t bags_;
  std::string name_;
  const EmbeddingBagParts<T> parts_;
};

bool computable(DType dtype) {
  return dtype == DType::float32 || (dtype == DType::float64 && row_loops_f64().add != nullptr);
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
