// SPDX-License-Identifier: Apache-2.0
// Convolution ops: geometry from shapes and attributes. Those that are plain products of matrices (one tap, stride 1,
// nothing padded, one group) go to the products.
#include "engine/cuda/convolution.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/cuda/cudnn.h"
#include "engine/cuda/kernels.h"

namespace engine::cuda {
namespace {

/// Types of x, weight and y of the forward op, whichever of them is the result here.
struct Operands {
  Convolve kind;
  const TensorType *x, *w, *y;
};

Operands operands_of(const Node& node, std::span<const TensorType> inputs, std::span<const TensorType> outputs) {
  if (node.op->name.ends_with("_grad_input")) return {Convolve::by_input, &outputs[0], &inputs[1], &inputs[0]};
  if (node.op->name.ends_with("_grad_weight")) return {Convolve::by_weight, &inputs[1], &outputs[0], &inputs[0]};
  return {Convolve::forward, &inputs[0], &inputs[1], &outputs[0]};
}

ConvolutionShape shape_of(const Operands& operands, const Attributes& attributes) {
  ConvolutionShape s;
  const TensorType &x = *operands.x, &w = *operands.w, &y = *operands.y;
  const size_t spatial = x.shape.size() - 2, first = 3 - spatial;
  s.groups = attributes.get_int("groups", 1);
  s.batch = x.shape[0];
  s.in_channels = x.shape[1] / s.groups;
  s.out_channels = y.shape[1] / s.groups;
  const std::vector<int64_t> ones(spatial, 1), none(2 * spatial, 0);
  const auto stride = attributes.get_ints("stride", ones), dilation = attributes.get_ints("dilation", ones),
             padding = attributes.get_ints("padding", none);
  for (size_t n = 0; n < 2; ++n) {
    s.x_strides[n] = x.strides[n];
    s.w_strides[n] = w.strides[n];
    s.y_strides[n] = y.strides[n];
  }
  for (size_t i = 0; i < spatial; ++i) {
    s.input[first + i] = x.shape[2 + i];
    s.output[first + i] = y.shape[2 + i];
    s.kernel[first + i] = w.shape[2 + i];
    s.stride[first + i] = stride[i];
    s.dilation[first + i] = dilation[i];
    s.padding[first + i] = padding[i];
    s.x_strides[2 + first + i] = x.strides[2 + i];
    s.w_strides[2 + first + i] = w.strides[2 + i];
    s.y_strides[2 + first + i] = y.strides[2 + i];
  }
  return s;
}

/// All pixels of x or y as the rows of one matrix: their common stride; nothing when they lie otherwise.
std::optional<int64_t> pixel_stride(const int64_t (&strides)[5], int64_t batch, const int64_t (&extents)[3]) {
  const Shape shape{batch, extents[0], extents[1], extents[2]};
  const auto walk = make_logical_walk<1>(shape, {Strides{strides[0], strides[2], strides[3], strides[4]}});
  if (!walk || walk->axes > 1) return std::nullopt;
  return walk->axes == 0 ? 1 : walk->strides[1][0];
}

/// A convolution that is a product: y[pixels, O] = x[pixels, C] w[O, C]^T and its two gradients.
std::optional<Product> as_product(Convolve kind, const ConvolutionShape& s, DType dtype) {
  const bool plain =
      s.groups == 1 && s.taps() == 1 && std::ranges::all_of(s.stride, [](int64_t v) { return v == 1; }) &&
      std::ranges::all_of(s.padding, [](int64_t v) { return v == 0; }) && std::ranges::equal(s.input, s.output);
  if (!plain) return std::nullopt;
  const auto x = pixel_stride(s.x_strides, s.batch, s.input), y = pixel_stride(s.y_strides, s.batch, s.output);
  if (!x || !y) return std::nullopt;
  const int64_t pixels = s.batch * s.outputs();
  Product p;
  p.a.dtype = p.b.dtype = p.c.dtype = dtype;
  p.batch = *make_walk<3>({}, {Strides{}, Strides{}, Strides{}});
  const auto set = [](int64_t(&strides)[2], int64_t rows, int64_t columns) {
    strides[0] = rows;
    strides[1] = columns;
  };
  switch (kind) {
    case Convolve::forward:
      p.m = pixels, p.n = s.out_channels, p.k = s.in_channels;
      set(p.a_strides, *x, s.x_strides[1]);
      set(p.b_strides, s.w_strides[1], s.w_strides[0]);
      set(p.c_strides, *y, s.y_strides[1]);
      break;
    case Convolve::by_input:
      p.m = pixels, p.n = s.in_channels, p.k = s.out_channels;
      set(p.a_strides, *y, s.y_strides[1]);
      set(p.b_strides, s.w_strides[0], s.w_strides[1]);
      set(p.c_strides, *x, s.x_strides[1]);
      break;
    case Convolve::by_weight:
      p.m = s.out_channels, p.n = s.in_channels, p.k = pixels;
      set(p.a_strides, s.y_strides[1], *y);
      set(p.b_strides, *x, s.x_strides[1]);
      set(p.c_strides, s.w_strides[0], s.w_strides[1]);
      break;
  }
  return p;
}

void plan(Convolution& c, int multiprocessors) {
  const ProductExtents e = product_extents(c.kind, c.shape);
  c.parts = plan_parts(e.m, e.n, e.k, e.batches, multiprocessors);
}

int64_t own_bytes(const Convolution& c) {
  if (c.parts.count == 1) return 0;
  const ProductExtents e = product_extents(c.kind, c.shape);
  return c.parts.count * e.m * e.n * e.batches * (c.arithmetic == Arithmetic::float32 ? 4 : 8);
}

Convolution convolution_of(const Node& node, std::span<const TensorType> inputs, std::span<const TensorType> outputs) {
  const Operands operands = operands_of(node, inputs, outputs);
  Convolution c;
  c.kind = operands.kind;
  c.shape = shape_of(operands, node.attributes);
  c.arithmetic = product_arithmetic(outputs[0].dtype);
  c.x.dtype = operands.x->dtype;
  c.w.dtype = operands.w->dtype;
  c.y.dtype = operands.y->dtype;
  return c;
}

int64_t convolution_workspace(const Context& context, const Node& node, const Call& call) {
  Convolution c = convolution_of(node, call.inputs, call.outputs);
  if (const auto product = as_product(c.kind, c.shape, call.outputs[0].dtype))
    return product_workspace(context, *product);
  plan(c, context.launcher.multiprocessors);
  return std::max(own_bytes(c), cudnn_workspace(context, c));
}

PreparedKernel prepare_convolution(Context& context, const PrepareRequest& request) {
  std::vector<TensorType> inputs, outputs;
  for (const Tensor& tensor : request.arguments.inputs) inputs.push_back(tensor.type());
  for (const Tensor& tensor : request.arguments.outputs) outputs.push_back(tensor.type());
  Convolution c = convolution_of(request.node, inputs, outputs);
  const Tensor &first = request.arguments.inputs[0], &second = request.arguments.inputs[1],
               &result = request.arguments.outputs[0];
  c.x = Data(c.kind == Convolve::forward ? first : c.kind == Convolve::by_input ? result : second);
  c.w = Data(c.kind == Convolve::by_weight ? result : second);
  c.y = Data(c.kind == Convolve::forward ? result : first);
  if (request.arguments.inputs.size() == 3) {
    c.bias = Data(request.arguments.inputs[2]);
    c.bias_stride = request.arguments.inputs[2].strides()[0];
  }
  if (std::optional<Product> product = as_product(c.kind, c.shape, result.dtype())) {
    product->a = c.kind == Convolve::forward ? c.x : c.y;
    product->b = c.kind == Convolve::by_weight ? c.x : c.w;
    product->c = Data(result);
    product->bias = c.bias;
    product->bias_stride = c.bias_stride;
    return prepare_product(context, request, *product);
  }
  std::string why;
  PreparedKernel by_cudnn = prepare_cudnn(context, request, c, why);
  if (!by_cudnn || *by_cudnn != nullptr) return by_cudnn;
  plan(c, context.launcher.multiprocessors);
  c.sums = request.workspace;
  std::string kernel = fmt::format("own implicit product (CUDA) 64x64x16{}{}",
                                   c.parts.count > 1 ? fmt::format(" in {} parts", c.parts.count) : "",
                                   why.empty() ? "" : "; not cuDNN: " + why);
  return launched(context, request, KernelFacts{.name = std::move(kernel), .tile_rows = 64, .tile_columns = 64},
                  [c](const Launcher& launcher) { return launch(launcher, c); });
}

}  // namespace

ProductExtents product_extents(Convolve kind, const ConvolutionShape& s) {
  switch (kind) {
    case Convolve::forward: return {s.batch * s.outputs(), s.out_channels, s.taps() * s.in_channels, s.groups};
    case Convolve::by_input: return {s.batch * s.inputs(), s.in_channels, s.taps() * s.out_channels, s.groups};
    default: return {s.out_channels, s.taps() * s.in_channels, s.batch * s.outputs(), s.groups};
  }
}

std::span<const Kernel> convolution_kernels() {
  static constexpr Kernel kKernels[] = {
      {"conv2d", takes_any, prepare_convolution, convolution_workspace},
      {"conv2d_grad_input", takes_any, prepare_convolution, convolution_workspace},
      {"conv2d_grad_weight", takes_any, prepare_convolution, convolution_workspace},
      {"conv3d", takes_any, prepare_convolution, convolution_workspace},
      {"conv3d_grad_input", takes_any, prepare_convolution, convolution_workspace},
      {"conv3d_grad_weight", takes_any, prepare_convolution, convolution_workspace},
  };
  return kKernels;
}

}  // namespace engine::cuda
