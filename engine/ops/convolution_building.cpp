// SPDX-License-Identifier: Apache-2.0
// Convolution and pooling by the number of spatial axes: one is a view with a height of 1, two and three have ops of
// their own.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/ops/convolution_nd.h"
#include "engine/ops/gradients.h"
#include "engine/ops/math.h"
#include "engine/ops/op_list.h"
#include "engine/ops/ops.h"
#include "engine/ops/reduce.h"
#include "engine/ops/volume.h"

namespace engine::ops {
namespace {

using Ints = std::vector<int64_t>;

/// Puts `value` before the entries of each of the `parts` equal parts of `list`: a setting of one more, leading axis.
Ints with_leading(const Ints& list, int64_t value, size_t parts) {
  Ints result;
  const size_t size = list.size() / parts;
  for (size_t part = 0; part < parts; ++part) {
    result.push_back(value);
    result.insert(result.end(), list.begin() + static_cast<int64_t>(part * size),
                  list.begin() + static_cast<int64_t>((part + 1) * size));
  }
  return result;
}

/// The spatial axes of x [N, C, spatial...], 1 to 3 of them; 0 after telling the builder otherwise.
size_t spatial_axes(GraphBuilder& builder, std::string_view what, ValueId x) {
  if (builder.failed()) return 0;
  const Shape& shape = builder.type(x).shape;
  if (shape.size() >= 3 && shape.size() <= 5) return shape.size() - 2;
  builder.fail(
      usage_error(fmt::format("[{}] x must be [N, C] and 1 to 3 spatial axes, got {}", what, to_string(shape))));
  return 0;
}

/// `list`, or `count` times `value` when it is empty; fails when it has another length.
Ints or_default(GraphBuilder& builder, std::string_view what, std::string_view setting, const Ints& list, size_t count,
                int64_t value) {
  if (list.empty()) return Ints(count, value);
  if (list.size() != count) {
    builder.fail(
        usage_error(fmt::format("[{}] {} has {} entries for an x that needs {}", what, setting, list.size(), count)));
    return Ints(count, value);
  }
  return list;
}

/// ConvolutionOptions with every list as long as the spatial axes demand.
ConvolutionOptions completed(GraphBuilder& builder, std::string_view what, const ConvolutionOptions& given,
                             size_t axes) {
  ConvolutionOptions options = given;
  options.stride = or_default(builder, what, "stride", given.stride, axes, 1);
  options.dilation = or_default(builder, what, "dilation", given.dilation, axes, 1);
  options.padding = or_default(builder, what, "padding", given.padding, 2 * axes, 0);
  options.output_padding = or_default(builder, what, "output_padding", given.output_padding, axes, 0);
  return options;
}

/// The same for a leading axis of extent 1.
ConvolutionOptions with_leading_axis(const ConvolutionOptions& given) {
  ConvolutionOptions options = given;
  options.stride = with_leading(given.stride, 1, 1);
  options.dilation = with_leading(given.dilation, 1, 1);
  options.padding = with_leading(given.padding, 0, 2);
  options.output_padding = with_leading(given.output_padding, 0, 1);
  return options;
}

Attributes attributes_of(const ConvolutionOptions& options) {
  return {{"stride", options.stride},
          {"padding", options.padding},
          {"dilation", options.dilation},
          {"groups", options.groups}};
}

/// bias [O] added to y [N, O, spatial...].
ValueId add_bias(GraphBuilder& builder, ValueId y, ValueId bias) {
  if (builder.failed() || bias == kNoValue) return y;
  Shape shape = builder.type(bias).shape;
  shape.resize(static_cast<size_t>(builder.type(y).rank()) - 1, 1);
  return add(builder, y, reshape(builder, bias, shape));
}

/// The shape a transposed convolution puts out; empty after telling the builder why there is none.
Shape transposed_shape(GraphBuilder& builder, const Shape& x, const Shape& weight, const ConvolutionOptions& options) {
  const size_t axes = x.size() - 2;
  if (weight.size() != x.size() || options.groups < 1) {
    builder.fail(
        usage_error(fmt::format("[conv_transpose] weight {} must have the rank of x {}, groups ({}) be at least 1",
                                to_string(weight), to_string(x), options.groups)));
    return {};
  }
  Shape shape{x[0], weight[1] * options.groups};
  for (size_t i = 0; i < axes; ++i) {
    constexpr int64_t kLargest = int64_t{1} << 30;
    const int64_t stride = options.stride[i], dilation = options.dilation[i], kernel = weight[2 + i],
                  before = options.padding[i], after = options.padding[axes + i], more = options.output_padding[i];
    const Ints settings{stride, dilation, kernel, before, after, more};
    if (std::ranges::any_of(settings, [](int64_t value) { return value < 0 || value > kLargest; }) ||
        x[2 + i] > kLargest || more >= std::max(stride, dilation)) {
      builder.fail(
          usage_error(fmt::format("[conv_transpose] axis {}: stride {}, dilation {}, kernel {}, padding {} + "
                                  "{}, output padding {}, input {}. Each must be between 0 and 2^30, and the "
                                  "output padding below stride or dilation",
                                  2 + i, stride, dilation, kernel, before, after, more, x[2 + i])));
      return {};
    }
    shape.push_back((x[2 + i] - 1) * stride - before - after + dilation * (kernel - 1) + 1 + more);
  }
  return shape;
}

}  // namespace

ValueId convolution(GraphBuilder& builder, ValueId x, ValueId weight, ValueId bias, const ConvolutionOptions& given) {
  const size_t axes = spatial_axes(builder, "convolution", x);
  const ConvolutionOptions options = completed(builder, "convolution", given, axes);
  if (builder.failed()) return kNoValue;
  if (axes == 1) {
    const ValueId y =
        convolution(builder, unsqueeze(builder, x, 2), unsqueeze(builder, weight, 2), bias, with_leading_axis(options));
    return squeeze(builder, y, 2);
  }
  std::vector<ValueId> inputs{x, weight};
  if (bias != kNoValue) inputs.push_back(bias);
  return builder.append1(axes == 2 ? kConv2d : kConv3d, std::move(inputs), attributes_of(options));
}

ValueId conv_transpose(GraphBuilder& builder, ValueId x, ValueId weight, ValueId bias,
                       const ConvolutionOptions& given) {
  const size_t axes = spatial_axes(builder, "conv_transpose", x);
  const ConvolutionOptions options = completed(builder, "conv_transpose", given, axes);
  if (builder.failed()) return kNoValue;
  if (axes == 1) {
    const ValueId y = conv_transpose(builder, unsqueeze(builder, x, 2), unsqueeze(builder, weight, 2), bias,
                                     with_leading_axis(options));
    return squeeze(builder, y, 2);
  }
  const DType dtype = builder.type(x).dtype;
  const Shape shape = transposed_shape(builder, builder.type(x).shape, builder.type(weight).shape, options);
  if (builder.failed()) return kNoValue;
  Attributes attributes = attributes_of(options);
  set_result_type(attributes, "input", axes == 2 ? TensorType::channels_last(dtype, shape) : volume_type(dtype, shape));
  return add_bias(builder,
                  builder.append1(axes == 2 ? kConv2dGradInput : kConv3dGradInput, {x, weight}, std::move(attributes)),
                  bias);
}

// ---- pooling
// ----------------------------------------------------------------------------------------------------------------

namespace {

/// x as an image or a volume, with the settings to match.
struct PoolView {
  ValueId x = kNoValue;
  size_t added = 0;  ///< leading spatial axes of extent 1
  bool volume = false;
  Attributes attributes;

  /// Takes the added axes off a result.
  ValueId back(GraphBuilder& builder, ValueId y) const {
    for (size_t i = 0; i < added; ++i) y = squeeze(builder, y, 2);
    return y;
  }
};

PoolView pool_view(GraphBuilder& builder, std::string_view what, ValueId x, const PoolOptions& given) {
  PoolView view;
  size_t axes = spatial_axes(builder, what, x);
  if (builder.failed()) return view;
  Ints kernel = or_default(builder, what, "kernel", given.kernel, axes, 1),
       stride = or_default(builder, what, "stride", given.stride, axes, 1);
  Ints padding = or_default(builder, what, "padding", given.padding, 2 * axes, 0);
  Ints dilation = or_default(builder, what, "dilation", given.dilation, axes, 1);
  const bool dilated = std::ranges::any_of(dilation, [](int64_t value) { return value != 1; });
  view.x = x;
  view.volume = axes == 3 || dilated;
  for (; axes < (view.volume ? 3u : 2u); ++axes, ++view.added) {
    view.x = unsqueeze(builder, view.x, 2);
    kernel = with_leading(kernel, 1, 1);
    stride = with_leading(stride, 1, 1);
    padding = with_leading(padding, 0, 2);
    dilation = with_leading(dilation, 1, 1);
  }
  view.attributes = {
      {"kernel", kernel}, {"stride", stride}, {"padding", padding}, {"ceil_mode", int64_t{given.ceil_mode}}};
  if (dilated) view.attributes.set("dilation", dilation);
  return view;
}

}  // namespace

MaxPoolResult max_pool(GraphBuilder& builder, ValueId x, const PoolOptions& options) {
  PoolView view = pool_view(builder, "max_pool", x, options);
  if (builder.failed()) return {};
  const std::vector<ValueId> results =
      builder.append(view.volume ? kMaxPool3d : kMaxPool2d, {view.x}, std::move(view.attributes));
  if (builder.failed()) return {};
  return {view.back(builder, results[0]), view.back(builder, results[1])};
}

ValueId average_pool(GraphBuilder& builder, ValueId x, const PoolOptions& options) {
  PoolView view = pool_view(builder, "average_pool", x, options);
  if (builder.failed()) return kNoValue;
  view.attributes.set("count_include_pad", int64_t{options.count_include_pad});
  return view.back(
      builder, builder.append1(view.volume ? kAveragePool3d : kAveragePool2d, {view.x}, std::move(view.attributes)));
}

ValueId global_max_pool(GraphBuilder& builder, ValueId x) {
  const size_t axes = spatial_axes(builder, "global_max_pool", x);
  Ints list(axes);
  std::iota(list.begin(), list.end(), int64_t{2});
  return builder.failed() ? kNoValue : reduce_max(builder, x, list, /*keep_axes=*/true);
}

ValueId lp_pool(GraphBuilder& builder, ValueId x, double p, const PoolOptions& given) {
  if (!(p >= 1)) return builder.fail(usage_error(fmt::format("[lp_pool] p is {}: must be at least 1", p)));
  if (given.ceil_mode) return builder.fail(usage_error("[lp_pool] ceil_mode is not supported in pooling by norms"));
  double window = 1;
  for (const int64_t extent : given.kernel) window *= static_cast<double>(extent);
  PoolOptions options = given;
  options.count_include_pad = true;  // the sum is the average times the whole window
  const auto sum_of = [&](ValueId terms) { return scale(builder, average_pool(builder, terms, options), window); };
  if (p == 1) return sum_of(absolute(builder, x));
  if (p == 2) return ops::sqrt(builder, sum_of(multiply(builder, x, x)));
  if (builder.failed()) return kNoValue;
  const auto exponent = [&](double value) {
    Result<Tensor> tensor = Tensor::from_values({}, {&value, 1}, builder.type(x).dtype);
    return tensor ? builder.constant("exponent", std::move(*tensor), Role::activation) : builder.fail(tensor.error());
  };
  return power(builder, sum_of(power(builder, absolute(builder, x), exponent(p))), exponent(1 / p));
}

ValueId conv2d_im2col(GraphBuilder& builder, ValueId x, ValueId weight, ValueId bias, const ConvolutionOptions& given) {
  const size_t axes = spatial_axes(builder, "conv2d_im2col", x);
  const ConvolutionOptions options = completed(builder, "conv2d_im2col", given, axes);
  if (builder.failed()) return kNoValue;
  const Shape image = builder.type(x).shape, taps = builder.type(weight).shape;
  const int64_t groups = options.groups;
  if (axes != 2 || taps.size() != 4 || groups < 1 || taps[0] % groups != 0 || image[1] % groups != 0 ||
      taps[1] != image[1] / groups) {
    return builder.fail(
        usage_error(fmt::format("[conv2d_im2col] x {} and weight {} do not make a convolution in {} groups",
                                to_string(image), to_string(taps), groups)));
  }
  const ValueId columns = im2col(builder, x,
                                 {.kernel = {taps[2], taps[3]},
                                  .stride = options.stride,
                                  .padding = options.padding,
                                  .dilation = options.dilation});
  if (builder.failed()) return kNoValue;
  const auto output = [&](size_t i) {  // extents im2col has accepted
    return (image[2 + i] + options.padding[i] + options.padding[2 + i] - options.dilation[i] * (taps[2 + i] - 1) - 1) /
               options.stride[i] +
           1;
  };
  const int64_t terms = taps[1] * taps[2] * taps[3], windows = builder.type(columns).shape[2];
  const ValueId matrices = reshape(builder, columns, {image[0], groups, terms, windows});
  const ValueId filters = reshape(builder, weight, {groups, taps[0] / groups, terms});
  const ValueId y = reshape(builder, matmul(builder, filters, matrices), {image[0], taps[0], output(0), output(1)});
  return add_bias(builder, y, bias);
}

}  // namespace engine::ops
