// SPDX-License-Identifier: Apache-2.0
// Attention: extents, strides, and the scratch memory for its weights.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/opencl/kernels.h"

namespace engine::opencl {
namespace {

/// As in attention.cl.
struct Geometry {
  int64_t heads = 0, kv_heads = 0, queries = 0, keys = 0, features = 0, value_features = 0, causal = 0;
  int64_t q[4] = {}, k[4] = {}, v[4] = {}, y[4] = {}, dy[4] = {}, dq[4] = {}, dk[4] = {}, dv[4] = {};
  int64_t log_sum[3] = {}, mask[4] = {}, mask_kind = 0;
  int64_t count = 0;
};

void set_strides(int64_t (&to)[4], const Tensor& tensor) { std::copy_n(tensor.strides().begin(), 4, to); }

Geometry geometry_of(const Attributes& attributes, const Tensor& q, const Tensor& k, const Tensor& v,
                     const Tensor& log_sum, const Tensor* mask) {
  Geometry g{.heads = q.shape()[1],
             .kv_heads = k.shape()[1],
             .queries = q.shape()[2],
             .keys = k.shape()[2],
             .features = q.shape()[3],
             .value_features = v.shape()[3],
             .causal = attributes.get_int("causal", 0)};
  set_strides(g.q, q);
  set_strides(g.k, k);
  set_strides(g.v, v);
  std::copy_n(log_sum.strides().begin(), 3, g.log_sum);
  if (mask == nullptr) return g;
  g.mask_kind = mask->dtype() == DType::boolean ? 2 : 1;
  const Strides strides =
      broadcast_strides(mask->shape(), mask->strides(), {q.shape()[0], q.shape()[1], q.shape()[2], k.shape()[2]});
  std::copy_n(strides.begin(), 4, g.mask);
  return g;
}

double scale_of(const Attributes& attributes, const Tensor& q) {
  const double scale = attributes.get_double("scale", 0);
  return scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(q.shape()[3]));
}

std::vector<int64_t> numbers_of(const Geometry& g) {
  static_assert(sizeof(Geometry) % sizeof(int64_t) == 0);
  std::vector<int64_t> numbers(sizeof g / sizeof(int64_t));
  std::memcpy(numbers.data(), &g, sizeof g);
  return numbers;
}

ProgramKey program(const Tensor& q, const Tensor* mask) {
  const bool boolean = mask != nullptr && mask->dtype() == DType::boolean;
  return {.file = "attention.cl",
          .doubles = q.dtype() == DType::float64,
          .options = boolean ? "-D MASK=uchar" : "-D MASK=real"};
}

/// q, k and v at `first`, a mask behind `operands`; other operands are of their dtype.
template <size_t first, size_t operands>
bool takes_attention(const Node& node, const Call& call) {
  const DType dtype = call.inputs[first].dtype;
  if (!is_real(dtype) || node.attributes.get_int("mask_gradient", 0) != 0) return false;
  const auto same = [&](const TensorType& type) { return type.dtype == dtype; };
  return std::ranges::all_of(call.inputs.first(operands), same) && std::ranges::all_of(call.outputs, same);
}

/// The scores of all queries and keys.
int64_t scores(const TensorType& q, const TensorType& k) { return q.shape[0] * q.shape[1] * q.shape[2] * k.shape[2]; }

int64_t forward_bytes(const Node&, const Call& call) {
  return scores(call.inputs[0], call.inputs[1]) * size_bytes(call.inputs[0].dtype);
}
int64_t grad_bytes(const Node&, const Call& call) {
  return 2 * scores(call.inputs[1], call.inputs[2]) * size_bytes(call.inputs[1].dtype);
}

PreparedKernel prepare_forward(Context& context, const PrepareRequest& request) {
  const auto& inputs = request.arguments.inputs;
  const Tensor &q = inputs[0], &k = inputs[1], &v = inputs[2], &y = request.arguments.outputs[0],
               &log_sum = request.arguments.outputs[1];
  const Tensor* const mask = inputs.size() > 3 ? &inputs[3] : nullptr;
  Geometry g = geometry_of(request.node.attributes, q, k, v, log_sum, mask);
  set_strides(g.y, y);
  g.count = y.type().elements();
  const int64_t element = size_bytes(q.dtype());
  const ProgramKey key = program(q, mask);
  const std::vector<int64_t> numbers = numbers_of(g);
  std::vector<Result<Launch>> launches;
  launches.push_back(LaunchBuilder(context, key, "attention_weights")
                         .memory(request.workspace, element)
                         .tensor(log_sum)
                         .tensor(q)
                         .tensor(k)
                         .tensor(mask == nullptr ? q : *mask)
                         .real(scale_of(request.node.attributes, q))
                         .numbers(numbers)
                         .groups(log_sum.type().elements(), 1, 1, kGroup));
  launches.push_back(LaunchBuilder(context, key, "attention_values")
                         .tensor(y)
                         .memory(request.workspace, element)
                         .tensor(v)
                         .numbers(numbers)
                         .over(g.count));
  return launched(context, request, {.name = "own attention (OpenCL)"}, std::move(launches));
}

PreparedKernel prepare_grad(Context& context, const PrepareRequest& request) {
  const auto& inputs = request.arguments.inputs;
  const auto& outputs = request.arguments.outputs;
  const Tensor &dy = inputs[0], &q = inputs[1], &k = inputs[2], &v = inputs[3], &y = inputs[4], &log_sum = inputs[5];
  const Tensor* const mask = inputs.size() > 6 ? &inputs[6] : nullptr;
  Geometry g = geometry_of(request.node.attributes, q, k, v, log_sum, mask);
  set_strides(g.y, y);
  set_strides(g.dy, dy);
  set_strides(g.dq, outputs[0]);
  const int64_t rows = log_sum.type().elements(), element = size_bytes(q.dtype());
  g.count = rows;
  const ProgramKey key = program(q, mask);
  const std::vector<int64_t> numbers = numbers_of(g);
  const double scale = scale_of(request.node.attributes, q);
  std::byte *const weights = request.workspace, *const slopes = weights + rows * g.keys * element;
  std::vector<Result<Launch>> launches;
  launches.push_back(LaunchBuilder(context, key, "attention_slopes")
                         .memory(weights, element)
                         .memory(slopes, element)
                         .tensor(q)
                         .tensor(k)
                         .tensor(v)
                         .tensor(y)
                         .tensor(dy)
                         .tensor(log_sum)
                         .tensor(mask == nullptr ? q : *mask)
                         .real(scale)
                         .numbers(numbers)
                         .groups(rows, 1, 1, kGroup));
  launches.push_back(LaunchBuilder(context, key, "attention_grad_q")
                         .tensor(outputs[0])
                         .memory(slopes, element)
                         .tensor(k)
                         .real(scale)
                         .numbers(numbers)
                         .over(rows * g.features));
  const auto of_keys = [&](const Tensor& result, const std::byte* matrix, const Tensor& lines, double factor) {
    const int64_t count = result.type().elements();
    launches.push_back(LaunchBuilder(context, key, "attention_grad_kv")
                           .tensor(result)
                           .memory(matrix, element)
                           .tensor(lines)
                           .whole(result.shape()[3])
                           .real(factor)
                           .numbers(result.strides())
                           .numbers(lines.strides())
                           .whole(count)
                           .numbers(numbers)
                           .over(count));
  };
  of_keys(outputs[1], slopes, q, scale);
  of_keys(outputs[2], weights, dy, 1);
  return launched(context, request, {.name = "own attention_grad (OpenCL)"}, std::move(launches));
}

}  // namespace

std::span<const Kernel> attention_kernels() {
  static constexpr Kernel kKernels[] = {
      {"attention", takes_attention<0, 3>, prepare_forward, forward_bytes},
      {"attention_grad", takes_attention<1, 6>, prepare_grad, grad_bytes},
  };
  return kKernels;
}

}  // namespace engine::opencl
