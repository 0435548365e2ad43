// SPDX-License-Identifier: Apache-2.0
// matmul and linear: strides and batches of the operands, and who computes the product.
#include "engine/cuda/product.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/cuda/cublas_lt.h"
#include "engine/cuda/fp8.h"

namespace engine::cuda {
namespace {

/// The last two axes are the matrix, those before it the batch, which is broadcast.
std::optional<Product> matmul_of(const TensorType& a, const TensorType& b, const TensorType& c) {
  Product p;
  const size_t rank = c.shape.size();
  p.m = c.shape[rank - 2];
  p.n = c.shape[rank - 1];
  p.k = a.shape.back();
  const auto last_two = [](const TensorType& type, int64_t(&strides)[2]) {
    strides[0] = type.strides[type.strides.size() - 2];
    strides[1] = type.strides.back();
  };
  last_two(a, p.a_strides);
  last_two(b, p.b_strides);
  last_two(c, p.c_strides);
  const Shape batch(c.shape.begin(), c.shape.end() - 2);
  const auto leading = [&](const TensorType& type) {
    return broadcast_strides(Shape(type.shape.begin(), type.shape.end() - 2),
                             Strides(type.strides.begin(), type.strides.end() - 2), batch);
  };
  const auto walk = make_walk<3>(batch, {leading(c), leading(a), leading(b)});
  if (!walk) return std::nullopt;
  p.batch = *walk;
  p.arithmetic = product_arithmetic(c.dtype);
  p.a.dtype = a.dtype;
  p.b.dtype = b.dtype;
  p.c.dtype = c.dtype;
  return p;
}

/// y = x weight^T.
Product linear_of(const TensorType& x, const TensorType& weight, const TensorType& y) {
  TensorType turned = weight;
  std::swap(turned.shape[0], turned.shape[1]);
  std::swap(turned.strides[0], turned.strides[1]);
  return *matmul_of(x, turned, y);  // no batch axes: nothing to merge
}

void set_addresses(Product& p, const PrepareRequest& request) {
  p.a = Data(request.arguments.inputs[0]);
  p.b = Data(request.arguments.inputs[1]);
  p.c = Data(request.arguments.outputs[0]);
}

PreparedKernel prepare_matmul(Context& context, const PrepareRequest& request) {
  const auto& inputs = request.arguments.inputs;
  std::optional<Product> p = matmul_of(inputs[0].type(), inputs[1].type(), request.arguments.outputs[0].type());
  if (!p) return refuse(request, "the operands have more than 8 batch axes that cannot be merged");
  set_addresses(*p, request);
  return prepare_product(context, request, *p);
}

PreparedKernel prepare_linear(Context& context, const PrepareRequest& request) {
  const auto& inputs = request.arguments.inputs;
  Product p = linear_of(inputs[0].type(), inputs[1].type(), request.arguments.outputs[0].type());
  set_addresses(p, request);
  if (inputs.size() == 3) {
    p.bias = Data(inputs[2]);
    p.bias_stride = inputs[2].strides()[0];
  }
  return prepare_product(context, request, p);
}

int64_t matmul_workspace(const Context& context, const Node&, const Call& call) {
  const std::optional<Product> p = matmul_of(call.inputs[0], call.inputs[1], call.outputs[0]);
  return p ? product_workspace(context, *p) : 0;
}

int64_t linear_workspace(const Context& context, const Node&, const Call& call) {
  return product_workspace(context, linear_of(call.inputs[0], call.inputs[1], call.outputs[0]));
}

}  // namespace

Arithmetic product_arithmetic(DType dtype) {
  if (dtype == DType::float64) return Arithmetic::float64;
  return is_floating(dtype) ? Arithmetic::float32 : Arithmetic::whole;
}

PartPlan plan_parts(int64_t m, int64_t n, int64_t k, int64_t batches, int multiprocessors) {
  constexpr int64_t kTileExtent = 64, kShortest = 256, kMostParts = 256;
  const int64_t tiles =
      ((m + kTileExtent - 1) / kTileExtent) * ((n + kTileExtent - 1) / kTileExtent) * std::max<int64_t>(batches, 1);
  const int64_t wanted =
      4 * int64_t{std::max(1, multiprocessors)} / std::max<int64_t>(tiles, 1);  // four blocks fit a multiprocessor
  PartPlan plan;
  plan.count = std::clamp<int64_t>(std::min(wanted, k / kShortest), 1, kMostParts);
  plan.length = (k + plan.count - 1) / plan.count;
  plan.count = plan.length == 0 ? 1 : std::max<int64_t>(1, (k + plan.length - 1) / plan.length);
  return plan;
}

int64_t sums_bytes(const Product& p) {
  if (p.parts.count == 1) return 0;
  return p.parts.count * p.batch.count * p.m * p.n * (p.arithmetic == Arithmetic::float32 ? 4 : 8);
}

int64_t product_workspace(const Context& context, const Product& product) {
  Product p = product;
  p.parts = plan_parts(p.m, p.n, p.k, p.batch.count, context.launcher.multiprocessors);
  const bool by_library = context.cublas_lt != nullptr && lt_shape(p).has_value();
  return std::max({sums_bytes(p), by_library ? lt_workspace_bytes(context.capability) + kLtAlignment : 0,
                   context.fp8 == Fp8::off ? 0 : fp8_workspace(context, p)});
}

PreparedKernel prepare_product(Context& context, const PrepareRequest& request, Product product) {
  product.arithmetic = product_arithmetic(product.c.dtype);
  std::string not_fp8;
  if (context.fp8 != Fp8::off) {
    PreparedKernel prepared = prepare_fp8(context, request, product, not_fp8);
    if (!prepared || *prepared != nullptr) return prepared;
  }
  const std::optional<LtShape> shape = context.cublas_lt != nullptr ? lt_shape(product) : std::nullopt;
  if (shape) {
    PreparedKernel prepared = prepare_lt(context, request, product, *shape, {}, not_fp8);
    if (!prepared || *prepared != nullptr) return prepared;
  }
  product.parts = plan_parts(product.m, product.n, product.k, product.batch.count, context.launcher.multiprocessors);
  product.sums = request.workspace;
  const char* why = context.cublas_lt == nullptr && is_floating(product.c.dtype) ? "; cuBLASLt is not here" : "";
  std::string kernel = fmt::format("own product (CUDA) 64x64x16{}{}{}",
                                   product.parts.count > 1 ? fmt::format(" in {} parts", product.parts.count) : "", why,
                                   not_fp8_words(not_fp8));
  return launched(context, request,
                  KernelFacts{.name = std::move(kernel), .not_fp8 = not_fp8, .tile_rows = 64, .tile_columns = 64},
                  [product](const Launcher& launcher) { return launch(launcher, product); });
}

std::span<const Kernel> product_kernels() {
  static constexpr Kernel kKernels[] = {
      {"matmul", takes_any, prepare_matmul, matmul_workspace},
      {"linear", takes_any, prepare_linear, linear_workspace},
  };
  return kKernels;
}

}  // namespace engine::cuda
