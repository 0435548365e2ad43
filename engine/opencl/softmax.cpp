// SPDX-License-Identifier: Apache-2.0
// Softmax, its gradient, and the cross entropy of classes.
#include <algorithm>
#include <array>

#include "engine/opencl/kernels.h"
#include "engine/opencl/lines.h"

namespace engine::opencl {
namespace {

ProgramKey program(DType dtype, DType labels = DType::int64) {
  return {.file = "softmax.cl",
          .doubles = dtype == DType::float64,
          .options = labels == DType::int64 ? "-D LABEL=long" : "-D LABEL=int"};
}

std::vector<bool> along_axis(const PrepareRequest& request, const Shape& shape) {
  int64_t axis = request.node.attributes.get_int("axis", -1);
  if (axis < 0) axis += static_cast<int64_t>(shape.size());
  std::vector<bool> along(shape.size(), false);
  if (!along.empty()) along[static_cast<size_t>(axis)] = true;
  return along;
}

template <bool logarithm>
PreparedKernel prepare_softmax(Context& context, const PrepareRequest& request) {
  const Tensor &x = request.arguments.inputs[0], &y = request.arguments.outputs[0];
  const std::optional<Lines> lines = make_lines(x.shape(), along_axis(request, x.shape()), {y.strides(), x.strides()});
  if (!lines) return refuse(request, kTooManyAxes);
  return launched(context, request, logarithm ? "own log_softmax (OpenCL)" : "own softmax (OpenCL)",
                  LaunchBuilder(context, program(y.dtype()), "softmax")
                      .tensor(y)
                      .tensor(x)
                      .whole(logarithm ? 1 : 0)
                      .walk(lines->lines)
                      .walk(lines->along)
                      .groups(lines->lines.count, 1, 1, kGroup));
}

PreparedKernel prepare_softmax_grad(Context& context, const PrepareRequest& request) {
  const Tensor &dy = request.arguments.inputs[0], &y = request.arguments.inputs[1], &dx = request.arguments.outputs[0];
  const std::optional<Lines> lines =
      make_lines(y.shape(), along_axis(request, y.shape()), {dx.strides(), dy.strides(), y.strides()});
  if (!lines) return refuse(request, kTooManyAxes);
  return launched(context, request, "own softmax_grad (OpenCL)",
                  LaunchBuilder(context, program(y.dtype()), "softmax_grad")
                      .tensor(dx)
                      .tensor(dy)
                      .tensor(y)
                      .walk(lines->lines)
                      .walk(lines->along)
                      .groups(lines->lines.count, 1, 1, kGroup));
}

bool takes_logits(const Node&, const Call& call) {
  const DType dtype = call.inputs[0].dtype;
  return is_real(dtype) && call.outputs[0].dtype == dtype && call.outputs[1].dtype == dtype;
}

int64_t losses_bytes(const Node&, const Call& call) {
  return call.inputs[0].shape[0] * size_bytes(call.inputs[0].dtype);
}

PreparedKernel prepare_cross_entropy(Context& context, const PrepareRequest& request) {
  const Tensor &logits = request.arguments.inputs[0], &labels = request.arguments.inputs[1];
  const Tensor &loss = request.arguments.outputs[0], &probabilities = request.arguments.outputs[1];
  const int64_t rows = logits.shape()[0], element = size_bytes(logits.dtype());
  const std::array<int64_t, 6> numbers{logits.shape()[1],          logits.strides()[0],        logits.strides()[1],
                                       probabilities.strides()[0], probabilities.strides()[1], labels.strides()[0]};
  const ProgramKey key = program(logits.dtype(), labels.dtype());
  std::vector<Result<Launch>> launches;
  launches.push_back(LaunchBuilder(context, key, "cross_entropy_rows")
                         .tensor(probabilities)
                         .memory(request.workspace, element)
                         .tensor(logits)
                         .tensor(labels)
                         .numbers(numbers)
                         .groups(rows, 1, 1, kGroup));
  launches.push_back(LaunchBuilder(context, key, "cross_entropy_mean")
                         .tensor(loss)
                         .memory(request.workspace, element)
                         .whole(rows)
                         .groups(1, 1, 1, kGroup));
  return launched(context, request, {.name = "own softmax_cross_entropy (OpenCL)"}, std::move(launches));
}

bool takes_probabilities(const Node&, const Call& call) {
  const DType dtype = call.inputs[1].dtype;
  return is_real(dtype) && call.inputs[0].dtype == dtype && call.outputs[0].dtype == dtype;
}

PreparedKernel prepare_cross_entropy_grad(Context& context, const PrepareRequest& request) {
  const auto& inputs = request.arguments.inputs;
  const Tensor &p = inputs[1], &labels = inputs[2], &dx = request.arguments.outputs[0];
  const int64_t rows = p.shape()[0], classes = p.shape()[1];
  const std::array<int64_t, 7> numbers{
      classes, dx.strides()[0], dx.strides()[1], p.strides()[0], p.strides()[1], labels.strides()[0], rows};
  return launched(context, request, "own softmax_cross_entropy_grad (OpenCL)",
                  LaunchBuilder(context, program(p.dtype(), labels.dtype()), "cross_entropy_grad")
                      .tensor(dx)
                      .tensor(inputs[0])
                      .tensor(p)
                      .tensor(labels)
                      .numbers(numbers)
                      .over(rows * classes));
}

}  // namespace

std::span<const Kernel> softmax_kernels() {
  static constexpr Kernel kKernels[] = {
      {"softmax", takes_reals, prepare_softmax<false>},
      {"log_softmax", takes_reals, prepare_softmax<true>},
      {"softmax_grad", takes_reals, prepare_softmax_grad},
      {"softmax_cross_entropy", takes_logits, prepare_cross_entropy, losses_bytes},
      {"softmax_cross_entropy_grad", takes_probabilities, prepare_cross_entropy_grad},
  };
  return kKernels;
}

}  // namespace engine::opencl
