// SPDX-License-Identifier: Apache-2.0
// matmul and linear: strides and batches of the operands.
#include "engine/opencl/product.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace engine::opencl {
namespace {

/// As in product.cl.
struct Geometry {
  int64_t m = 0, n = 0, k = 0, a_along_k = 0, b_along_k = 0;
  int64_t a_row = 0, a_k = 0, b_k = 0, b_column = 0, c_row = 0, c_column = 0, bias_column = 0, has_bias = 0;
  Walk batch = {};
};

/// The last two axes are the matrix, those before it the batch, which is broadcast.
std::optional<Geometry> geometry_of(const TensorType& a, const TensorType& b, const TensorType& c) {
  const size_t rank = c.shape.size();
  const Shape batch(c.shape.begin(), c.shape.end() - 2);
  const auto leading = [&](const TensorType& type) {
    return broadcast_strides(Shape(type.shape.begin(), type.shape.end() - 2),
                             Strides(type.strides.begin(), type.strides.end() - 2), batch);
  };
  const std::optional<Walk> walk = make_walk(batch, {leading(c), leading(a), leading(b)});
  if (!walk) return std::nullopt;
  Geometry g{.m = c.shape[rank - 2], .n = c.shape[rank - 1], .k = a.shape.back()};
  g.a_row = a.strides[a.strides.size() - 2];
  g.a_k = a.strides.back();
  g.b_k = b.strides[b.strides.size() - 2];
  g.b_column = b.strides.back();
  g.c_row = c.strides[rank - 2];
  g.c_column = c.strides[rank - 1];
  g.a_along_k = g.a_k == 1 ? 1 : 0;
  g.b_along_k = g.b_k == 1 ? 1 : 0;
  g.batch = *walk;
  return g;
}

PreparedKernel prepare_product(Context& context, const PrepareRequest& request, const Geometry& g) {
  static_assert(sizeof(Geometry) % sizeof(int64_t) == 0);
  std::vector<int64_t> numbers(sizeof g / sizeof(int64_t));
  std::memcpy(numbers.data(), &g, sizeof g);
  const auto& inputs = request.arguments.inputs;
  std::vector<Result<Launch>> launches;
  launches.push_back(tile_launch(context, "product.cl", "gemm", {}, request.arguments.outputs[0], inputs[0], inputs[1],
                                 inputs.size() > 2 ? &inputs[2] : nullptr, numbers, g.m, g.n, g.batch.count));
  return launched(context, request, tile_facts("gemm"), std::move(launches));
}

PreparedKernel prepare_matmul(Context& context, const PrepareRequest& request) {
  const auto& inputs = request.arguments.inputs;
  const std::optional<Geometry> g =
      geometry_of(inputs[0].type(), inputs[1].type(), request.arguments.outputs[0].type());
  if (!g) return refuse(request, kTooManyAxes);
  return prepare_product(context, request, *g);
}

/// y = x weight^T + bias.
PreparedKernel prepare_linear(Context& context, const PrepareRequest& request) {
  const auto& inputs = request.arguments.inputs;
  TensorType turned = inputs[1].type();
  std::swap(turned.shape[0], turned.shape[1]);
  std::swap(turned.strides[0], turned.strides[1]);
  std::optional<Geometry> g = geometry_of(inputs[0].type(), turned, request.arguments.outputs[0].type());
  if (inputs.size() == 3) {
    g->has_bias = 1;
    g->bias_column = inputs[2].strides()[0];
  }
  return prepare_product(context, request, *g);  // no batch axes: nothing to merge
}

}  // namespace

Result<Launch> tile_launch(Context& context, std::string_view file, const std::string& kernel,
                           const std::string& options, const Tensor& c, const Tensor& a, const Tensor& b,
                           const Tensor* bias, std::span<const int64_t> geometry, int64_t m, int64_t n,
                           int64_t batches) {
  return LaunchBuilder(context,
                       {.file = file,
                        .doubles = c.dtype() == DType::float64,
                        .options = fmt::format("-D NAME={}{}{}", kernel, options.empty() ? "" : " ", options),
                        .tile = true},
                       kernel)
      .tensor(c)
      .tensor(a)
      .tensor(b)
      .tensor(bias == nullptr ? a : *bias)  // never read without one
      .numbers(geometry)
      .groups((m + kTile - 1) / kTile, (n + kTile - 1) / kTile, batches, kGroup);
}

KernelFacts tile_facts(std::string_view what) {
  return {.name = fmt::format("own {} (OpenCL) 64x64x16", what), .tile_rows = kTile, .tile_columns = kTile};
}

std::span<const Kernel> product_kernels() {
  static constexpr Kernel kKernels[] = {
      {"matmul", takes_reals, prepare_matmul},
      {"linear", takes_reals, prepare_linear},
  };
  return kKernels;
}

}  // namespace engine::opencl
