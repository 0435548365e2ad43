// SPDX-License-Identifier: Apache-2.0
// quantized_mlp: inference of a fully connected network whose weights are 8-bit integers.
#include <fmt/format.h>

#include <cmath>

#include "engine/ops/casting.h"
#include "engine/ops/ops.h"
#include "engine/ops/quantized.h"
#include "engine/workloads/catalog.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace {

/// Weights i8 with one scale per output, drawn as integers; activations quantised to u8 by the range they have in this
/// step; i32 sums made real again, and biased, in f32.
ValueId quantized_layer(GraphBuilder& builder, ValueId x, int64_t out) {
  if (builder.failed()) return kNoValue;
  const int64_t in = builder.type(x).shape[1];
  const double bound = 1 / std::sqrt(static_cast<double>(in));
  const std::string& layer = builder.layer();
  const ValueId weight = builder.parameter(layer + ".weight", TensorType::contiguous(DType::int8, {out, in}),
                                           Fill{Fill::Kind::integers, -127, 128});
  const ValueId scale = builder.state(layer + ".weight_scale", TensorType::contiguous(DType::float32, {out}),
                                      Fill{Fill::Kind::constant, bound / 127}, Role::weight);
  const ValueId bias = builder.parameter(layer + ".bias", TensorType::contiguous(DType::float32, {out}),
                                         Fill{Fill::Kind::uniform, -bound, bound});
  const ops::Quantized input = ops::dynamic_quantize_linear(builder, x);
  const ValueId sums =
      ops::matmul_integer(builder, input.values, ops::transpose(builder, weight, 0, 1), input.zero_point);
  const ValueId factor = ops::multiply(builder, scale, input.scale);
  const ValueId real = ops::multiply(builder, ops::cast(builder, sums, DType::float32), factor);
  return ops::add(builder, real, bias);
}

void build_quantized_mlp(GraphBuilder& builder, const Arguments& arguments) {
  const int64_t layers = integer_argument(arguments, "layers"), hidden = integer_argument(arguments, "hidden");
  const Shape shape{integer_argument(arguments, "batch"), integer_argument(arguments, "input")};
  ValueId x = builder.input("input", TensorType::contiguous(DType::float32, shape), Fill{Fill::Kind::uniform, 0, 1});
  for (int64_t i = 1; i <= layers + 1; ++i) {
    const LayerScope layer(builder, fmt::format("fc{}", i));
    x = quantized_layer(builder, x, i <= layers ? hidden : integer_argument(arguments, "output"));
    if (i <= layers) x = ops::relu(builder, x);
  }
  builder.mark_output(x);
}

}  // namespace

Workload quantized_mlp_workload() {
  Workload workload;
  workload.name = "quantized_mlp";
  workload.title = "Perceptron in 8-bit integers";
  workload.description =
      "Inference of fully connected layers with i8 weights (one scale per output) and u8 "
      "activations, quantised by the "
      "range of each step. It moves a quarter of mlp's weight bytes; sums are exact in i32.";
  workload.parameters = {
      integer_parameter("input", "Inputs", "Values per sample; 784 is a 28 x 28 image.", 784, "values"),
      integer_parameter("hidden", "Hidden width", "Outputs of each hidden layer.", 1024, "values"),
      integer_parameter("layers", "Hidden layers", "Layers between input and output.", 2, "layers", 0, 256),
      integer_parameter("output", "Outputs", "Classes of the last layer.", 10, "classes"), batch_parameter(64)};
  workload.small = {{"batch", "3"}, {"input", "12"}, {"hidden", "8"}, {"output", "5"}};
  workload.build = build_quantized_mlp;
  return workload;
}

}  // namespace engine
