// SPDX-License-Identifier: Apache-2.0
// Softmax, cross entropy and their gradients: one line at a time stays in the cache. Lines whose elements do not lie
// side by side are gathered first.
#include <fmt/format.h>

#include <array>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/loop_nest.h"
#include "engine/kernels/core/rows_simd.h"
#include "engine/kernels/core/scalar_memory.h"
#include "engine/kernels/core/vector_unit.h"
#include "engine/kernels/softmax/cross_entropy-inl.h"
#include "engine/kernels/softmax/row_nest_loops.h"
#include "engine/kernels/softmax/softmax-inl.h"

namespace engine::cpu {
namespace {

template <class T>
RowLoops<T> loops_of() {
  if constexpr (std::is_same_v<T, float>) return row_loops_f32();
  else return row_loops_f64();
}

bool computable(DType dtype) {
  return dtype == DType::float32 || (dtype == DType::float64 && row_loops_f64().softmax != nullptr);
}

/// The operands without `axis`: what the lines along it are counted by.
LoopNest rows_without(int64_t axis, std::vector<TensorType> types) {
  for (TensorType& type : types) {
    type.shape.erase(type.shape.begin() + axis);
    type.strides.erase(type.strides.begin() + axis);
  }
  const Shape shape = types[0].shape;
  return loops::row_by_row(make_loops(shape, types, 0));
}

std::string shown_name(const Node& node) { return fmt::format("own {} ({})", node.op->name, vector_unit()); }

/// softmax(x) -> y, softmax_grad(dy, y) -> dx, and their logarithmic kin: operands of one shape, output first.
template <class T>
class SoftmaxOp final : public PreparedOp {
 public:
  /// `steps`: bytes between neighbours of a line, output first.
  SoftmaxOp(const PrepareRequest& request, LoopNest lines, std::array<int64_t, 3> steps, int64_t length, int threads)
      : lines_(std::move(lines)),
        parts_{loops_of<T>(), steps, length, request.arguments.inputs.size() == 2,
               request.node.op->name.starts_with("log_")},
        threads_(threads),
        name_(shown_name(request.node)) {
    base_[0] = request.arguments.outputs[0].data();
    for (size_t i = 0; i < request.arguments.inputs.size(); ++i) base_[i + 1] = request.arguments.inputs[i].data();
  }
  void run() override {
    const int64_t count = lines_.rows();
    parallel_parts(threads_, count, 1, count * parts_.length, [this](int64_t begin, int64_t end) {
      std::array<std::vector<T>, 3> room;
      std::array<T*, 3> gathered{};
      for (size_t i = 0; i < 3; ++i) {
        if (parts_.apart(i)) room[i].resize(static_cast<size_t>(parts_.length));
        gathered[i] = room[i].data();
      }
      for (int64_t line = begin; line < end; ++line) parts_.line(lines_.row(base_, line), gathered);
    });
  }
  KernelFacts facts() const override { return {.name = name_}; }

 private:
  LoopNest lines_;
  SoftmaxParts<T> parts_;
  int threads_;
  std::string name_;
  Addresses base_{};
};

Labels labels_of(const Tensor& t) { return {t.data(), t.strides()[0], t.dtype() == DType::int64}; }

/// Of a [B, classes] tensor.
template <class T>
ClassRows<T> class_rows_of(const Tensor& t) {
  return {t.data_as<T>(), t.strides()[0]};
}

/// (logits, labels) -> loss, probabilities.
template <class T>
class CrossEntropyOp final : public PreparedOp {
 public:
  CrossEntropyOp(const PrepareRequest& request, int threads)
      : tensors_(request.arguments),
        threads_(threads),
        losses_(static_cast<size_t>(tensors_.inputs[0].shape()[0])),
        name_(shown_name(request.node)) {
    const Tensor &logits = tensors_.inputs[0], &probabilities = tensors_.outputs[1];
    arguments_ = {logits.shape()[0],
                  logits.shape()[1],
                  class_rows_of<const T>(logits),
                  labels_of(tensors_.inputs[1]),
                  tensors_.outputs[0].template data_as<T>(),
                  class_rows_of<T>(probabilities),
                  losses_.data()};
  }
  void run() override { CrossEntropyParts<T, ScalarMemory>(arguments_, loops_, threads_).run(); }
  KernelFacts facts() const override { return {.name = name_}; }

 private:
  KernelArguments tensors_;  ///< that they stay
  int threads_;
  std::vector<double> losses_;
  std::string name_;
  CrossEntropyArguments<T> arguments_;
  RowLoops<T> loops_ = loops_of<T>();
};

/// (dloss, probabilities, labels) -> dlogits.
template <class T>
class CrossEntropyGradOp final : public PreparedOp {
 public:
  CrossEntropyGradOp(const PrepareRequest& request, int threads)
      : tensors_(request.arguments), threads_(threads), name_(shown_name(request.node)) {
    const Tensor& probabilities = tensors_.inputs[1];
    arguments_ = {probabilities.shape()[0],
                  probabilities.shape()[1],
                  tensors_.inputs[0].template data_as<const T>(),
                  class_rows_of<const T>(probabilities),
                  labels_of(tensors_.inputs[2]),
                  class_rows_of<T>(tensors_.outputs[0])};
  }
  void run() override { CrossEntropyGradientParts<T, ScalarMemory>(arguments_, loops_, threads_).run(); }
  KernelFacts facts() const override { return {.name = name_}; }

 private:
  KernelArguments tensors_;  ///< that they stay
  int threads_;
  std::string name_;
  CrossEntropyGradientArguments<T> arguments_;
  RowLoops<T> loops_ = loops_of<T>();
};

template <template <class> class Op, class... A>
std::unique_ptr<PreparedOp> make(DType dtype, A&&... arguments) {
  if (dtype == DType::float32) return std::make_unique<Op<float>>(std::forward<A>(arguments)...);
  return std::make_unique<Op<double>>(std::forward<A>(arguments)...);
}

bool rows_side_by_side(const Tensor& t) { return t.shape()[1] == 1 || t.strides()[1] == 1; }

std::unique_ptr<PreparedOp> prepare_softmax(Context& context, const PrepareRequest& request) {
  const Tensor& y = request.arguments.outputs[0];
  std::vector<TensorType> types = {y.type()};
  for (const Tensor& t : request.arguments.inputs) types.push_back(t.type());
  int64_t axis = request.node.attributes.get_int("axis", -1);
  if (axis < 0) axis += y.type().rank();
  if (!computable(y.dtype()) || axis < 0 || axis >= y.type().rank()) return nullptr;
  const size_t a = static_cast<size_t>(axis);
  std::array<int64_t, 3> steps{};
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i].dtype != y.dtype()) return nullptr;
    steps[i] = types[i].strides[a] * size_bytes(y.dtype());
  }
  return make<SoftmaxOp>(y.dtype(), request, rows_without(axis, types), steps, y.shape()[a], context.threads);
}

std::unique_ptr<PreparedOp> prepare_cross_entropy(Context& context, const PrepareRequest& request) {
  const Tensor &logits = request.arguments.inputs[0], &probabilities = request.arguments.outputs[1];
  if (!computable(logits.dtype()) || !rows_side_by_side(logits) || !rows_side_by_side(probabilities)) return nullptr;
  return make<CrossEntropyOp>(logits.dtype(), request, context.threads);
}

std::unique_ptr<PreparedOp> prepare_cross_entropy_grad(Context& context, const PrepareRequest& request) {
  const Tensor &probabilities = request.arguments.inputs[1], &dlogits = request.arguments.outputs[0];
  if (!computable(probabilities.dtype()) || !rows_side_by_side(probabilities) || !rows_side_by_side(dlogits))
    return nullptr;
  return make<CrossEntropyGradOp>(probabilities.dtype(), request, context.threads);
}

}  // namespace

std::span<const Kernel> softmax_kernels() {
  static constexpr Kernel kKernels[] = {
      {"softmax", prepare_softmax},
      {"softmax_grad", prepare_softmax},
      {"softmax_cross_entropy", prepare_cross_entropy},
      {"softmax_cross_entropy_grad", prepare_cross_entropy_grad},
      {"log_softmax", prepare_softmax},
      {"log_softmax_grad", prepare_softmax},
  };
  return kKernels;
}

}  // namespace engine::cpu
