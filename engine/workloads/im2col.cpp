// SPDX-License-Identifier: Apache-2.0
// im2col: a convolution done directly, and as the matrix product of all its windows laid out.
#include "engine/ops/indexing.h"
#include "engine/ops/ops.h"
#include "engine/workloads/catalog.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace {

struct Windows {
  int64_t kernel, stride, padding, outputs;  ///< the same for height and width
};

/// [N, C, H, W] -> [N * outputs^2, kernel^2 * C]: row by row what each window sees.
ValueId columns_of(GraphBuilder& builder, ValueId x, const Windows& w) {
  if (w.padding > 0) x = ops::pad(builder, x, {0, 0, w.padding, w.padding}, {0, 0, w.padding, w.padding});
  const int64_t reach = (w.outputs - 1) * w.stride + 1;
  std::vector<ValueId> taps;
  for (int64_t row = 0; row < w.kernel; ++row) {
    const ValueId rows = ops::slice(builder, x, 2, row, row + reach, w.stride);
    for (int64_t column = 0; column < w.kernel; ++column)
      taps.push_back(ops::slice(builder, rows, 3, column, column + reach, w.stride));
  }
  const ValueId joined = ops::concat(builder, taps, 1);
  if (builder.failed()) return kNoValue;
  const int64_t features = builder.type(joined).shape[1];
  return ops::reshape(builder, ops::permute(builder, joined, {0, 2, 3, 1}), {-1, features});
}

ValueId product_of_columns(GraphBuilder& builder, ValueId x, ValueId filters, const Windows& w) {
  const ValueId columns = columns_of(builder, x, w);
  if (builder.failed()) return kNoValue;
  const int64_t batch = builder.type(x).shape[0], out = builder.type(filters).shape[0];
  const ValueId matrix = ops::reshape(builder, ops::permute(builder, filters, {0, 2, 3, 1}), {out, -1});
  const ValueId product = ops::matmul(builder, columns, ops::transpose(builder, matrix, 0, 1));
  return ops::permute(builder, ops::reshape(builder, product, {batch, w.outputs, w.outputs, out}), {0, 3, 1, 2});
}

void build_im2col(GraphBuilder& builder, const Arguments& arguments) {
  const DType dtype = dtype_argument(arguments);
  const int64_t channels = integer_argument(arguments, "channels"), filters = integer_argument(arguments, "filters");
  const int64_t side = integer_argument(arguments, "image_size");
  Windows w{.kernel = integer_argument(arguments, "kernel"),
            .stride = integer_argument(arguments, "stride"),
            .padding = 0,
            .outputs = 0};
  w.padding = w.kernel / 2;
  w.outputs = (side + 2 * w.padding - w.kernel) / w.stride + 1;
  const Fill fill{Fill::Kind::uniform, -1, 1};
  const ValueId x = builder.input(
      "images", TensorType::channels_last(dtype, {integer_argument(arguments, "batch"), channels, side, side}), fill);
  const ValueId weight =
      builder.parameter("filters", TensorType::contiguous(dtype, {filters, channels, w.kernel, w.kernel}), fill);
  if (builder.failed()) return;
  if (text_argument(arguments, "method") == "im2col") {
    const LayerScope layer(builder, "im2col");
    builder.mark_output(product_of_columns(builder, x, weight, w));
    return;
  }
  const LayerScope layer(builder, "direct");
  ops::Conv2dOptions options;
  options.stride.fill(w.stride);
  options.padding.fill(w.padding);
  builder.mark_output(ops::conv2d(builder, x, weight, kNoValue, options));
}

}  // namespace

Workload im2col_workload() {
  Workload workload;
  workload.name = "im2col";
  workload.title = "Convolution as matrix multiplication";
  workload.description =
      "The same convolution in two ways: directly, or with each window copied to a row of a matrix "
      "(im2col). That "
      "takes kernel^2 times the memory of the image and turns it into one GEMM.";
  workload.parameters = {
      batch_parameter(8),
      integer_parameter("channels", "Channels", "Channels of the images.", 64, "channels"),
      integer_parameter("filters", "Filters", "Channels of the result.", 64, "channels"),
      integer_parameter("image_size", "Image size", "Height and width of the images.", 56, "pixels", 1, 65536),
      integer_parameter("kernel", "Kernel", "Height and width of a window; the images are padded by half of it.", 3,
                        "pixels", 1, 15),
      integer_parameter("stride", "Stride", "Pixels from one window to the next.", 1, "pixels", 1, 64),
      choice_parameter("method", "Method", "direct: a convolution; im2col: copies of all windows, then a GEMM.",
                       {"im2col", "direct"}),
      dtype_parameter()};
  workload.presets = {{"direct",
                       "One convolution with 3 x 3 filters, each weight used at every pixel",
                       {{"method", "direct"}, {"batch", "1"}}}};
  workload.small = {{"batch", "2"}, {"channels", "3"}, {"filters", "4"}, {"image_size", "7"}};
  workload.build = build_im2col;
  return workload;
}

}  // namespace engine
