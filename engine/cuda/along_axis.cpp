// SPDX-License-Identifier: Apache-2.0
// Ops along one axis, and softmax with cross entropy, made ready.
#include "engine/cuda/along_axis.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/cuda/kernels.h"

namespace engine::cuda {
namespace {

struct Entry {
  std::string_view op;
  Along kind;
};
constexpr Entry kEntries[] = {
    {"softmax", Along::softmax},         {"softmax_grad", Along::softmax_grad},
    {"log_softmax", Along::log_softmax}, {"log_softmax_grad", Along::log_softmax_grad},
    {"hardmax", Along::hardmax},         {"argmax", Along::argmax},
    {"argmin", Along::argmin},           {"cumulative_sum", Along::cumulative_sum},
};

Arithmetic arithmetic_of(DType dtype) {
  if (dtype == DType::float64) return Arithmetic::float64;
  return is_floating(dtype) ? Arithmetic::float32 : Arithmetic::whole;
}

PreparedKernel prepare_along(Context& context, const PrepareRequest& request) {
  const Attributes& attributes = request.node.attributes;
  const Tensor &a = request.arguments.inputs[0], &b = request.arguments.inputs.back(),
               &y = request.arguments.outputs[0];
  AlongAxis work;
  work.kind = std::ranges::find(kEntries, request.node.op->name, &Entry::op)->kind;
  work.arithmetic = arithmetic_of(a.dtype());
  const int64_t axis = attributes.get_int("axis", -1);
  const auto along = static_cast<size_t>(axis < 0 ? axis + a.type().rank() : axis);
  const bool chooses = work.kind == Along::argmax || work.kind == Along::argmin;
  const Shape shape = without_axis(a.shape(), along);
  const Strides y_strides = chooses ? contiguous_strides(shape) : without_axis(y.strides(), along);
  const auto lines =
      make_walk<3>(shape, {y_strides, without_axis(a.strides(), along), without_axis(b.strides(), along)});
  if (!lines) return refuse(request, "the operands have more than 8 axes that cannot be merged");
  work.lines = *lines;
  work.y = Data(y);
  work.a = Data(a);
  work.b = Data(b);
  work.length = a.shape()[along];
  work.step[0] = chooses ? 0 : y.strides()[along];
  work.step[1] = a.strides()[along];
  work.step[2] = b.strides()[along];
  work.last = attributes.get_int("select_last_index", 0) != 0;
  work.exclusive = attributes.get_int("exclusive", 0) != 0;
  work.reverse = attributes.get_int("reverse", 0) != 0;
  return launched(context, request, fmt::format("own {} (CUDA)", request.node.op->name),
                  [work](const Launcher& launcher) { return launch(launcher, work); });
}

void set_strides(int64_t (&strides)[2], const Tensor& tensor) {
  strides[0] = tensor.strides()[0];
  strides[1] = tensor.strides()[1];
}

int64_t entropy_workspace(const Context&, const Node&, const Call& call) {
  return call.inputs[0].shape[0] * (call.inputs[0].dtype == DType::float64 ? 8 : 4);
}

PreparedKernel prepare_entropy(Context& context, const PrepareRequest& request) {
  const Tensor &scores = request.arguments.inputs[0], &labels = request.arguments.inputs[1];
  const Tensor &loss = request.arguments.outputs[0], &probabilities = request.arguments.outputs[1];
  CrossEntropy work;
  work.wide = scores.dtype() == DType::float64;
  work.scores = Data(scores);
  work.labels = Data(labels);
  work.loss = Data(loss);
  work.probabilities = Data(probabilities);
  work.batch = scores.shape()[0];
  work.classes = scores.shape()[1];
  set_strides(work.score_strides, scores);
  set_strides(work.probability_strides, probabilities);
  work.label_stride = labels.strides()[0];
  work.row_losses = request.workspace;
  return launched(context, request, "own softmax_cross_entropy (CUDA)",
                  [work](const Launcher& launcher) { return launch(launcher, work); });
}

PreparedKernel prepare_entropy_grad(Context& context, const PrepareRequest& request) {
  const Tensor &dloss = request.arguments.inputs[0], &probabilities = request.arguments.inputs[1],
               &labels = request.arguments.inputs[2];
  const Tensor& result = request.arguments.outputs[0];
  CrossEntropyGrad work;
  work.wide = result.dtype() == DType::float64;
  work.dloss = Data(dloss);
  work.probabilities = Data(probabilities);
  work.labels = Data(labels);
  work.result = Data(result);
  work.batch = result.shape()[0];
  work.classes = result.shape()[1];
  set_strides(work.probability_strides, probabilities);
  set_strides(work.result_strides, result);
  work.label_stride = labels.strides()[0];
  return launched(context, request, "own softmax_cross_entropy_grad (CUDA)",
                  [work](const Launcher& launcher) { return launch(launcher, work); });
}

}  // namespace

std::span<const Kernel> along_axis_kernels() {
  static const std::vector<Kernel> kernels = [] {
    std::vector<Kernel> all{{"softmax_cross_entropy", takes_any, prepare_entropy, entropy_workspace},
                            {"softmax_cross_entropy_grad", takes_any, prepare_entropy_grad}};
    for (const Entry& entry : kEntries) all.push_back({entry.op, takes_any, prepare_along});
    return all;
  }();
  return kernels;
}

}  // namespace engine::cuda
