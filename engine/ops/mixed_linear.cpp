// SPDX-License-Identifier: Apache-2.0
// mixed_linear: types, cost, truth.
#include "engine/ops/mixed_linear.h"

#include <algorithm>

#include "engine/ops/check.h"
#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/tensor/quantization.h"

namespace engine::ops {
namespace {

bool is_half(DType dtype) { return dtype == DType::bfloat16 || dtype == DType::float16; }

InferResult infer(std::span<const TensorType> inputs, const Attributes&) {
  OperandCheck check("mixed_linear", inputs, {"x", "w", "scales"}, 1);
  if (!check.operand_count() || !check.floating(0) || !check.rank(1, 2)) return check.error();
  const TensorType &x = inputs[0], &w = inputs[1];
  if (!check.that(x.rank() >= 1, "x must have rank 1 or more, got rank 0")) return check.error();
  const int64_t k = x.shape.back(), n = w.shape[0];
  const bool blocks = inputs.size() > 2;
  if (!check.that(blocks ? w.dtype == DType::int8 || w.dtype == DType::uint8 : is_half(w.dtype), "w must be {}, got {}",
                  blocks ? "i8 or u8 where there are scales" : "bf16 or f16 without scales", name(w.dtype)))
    return check.error();
  if (!check.that(!blocks || k % kBlock == 0, "x has K = {}: blocks are {} long and must divide it", k, kBlock) ||
      !check.shape(1, {n, w.dtype == DType::uint8 ? k / 2 : k},
                   w.dtype == DType::uint8 ? "rows of K / 2 bytes" : "rows of K") ||
      (blocks && !check.that(inputs[2].dtype == DType::float16, "scales must be f16, got {}", name(inputs[2].dtype))) ||
      (blocks && !check.shape(2, {n, k / kBlock}, "one scale per block")))
    return check.error();
  Shape shape = x.shape;
  shape.back() = n;
  if (!check.addressable("the result", x.dtype, shape)) return check.error();
  return std::vector{TensorType::contiguous(x.dtype, shape)};
}

/// A multiply-add per weight and row of x.
Cost cost(const Call& call) {
  const auto rows = static_cast<double>(call.outputs[0].elements());
  return full_cost(call, 2 * rows * static_cast<double>(call.inputs[0].shape.back()));
}

/// Row-major weights as doubles.
std::vector<double> weights_of(const KernelArguments& arguments, int64_t k) {
  const Tensor& w = arguments.inputs[1];
  std::vector<double> values = load(w);
  if (arguments.inputs.size() < 3) return values;
  const std::vector<double> scales = load(arguments.inputs[2]);
  if (w.dtype() == DType::uint8) {
    std::vector<double> both(values.size() * 2);
    for (size_t i = 0; i < both.size(); ++i) {
      const size_t block = i / kBlock, at = i % kBlock, half = kBlock / 2;
      const auto byte = static_cast<int>(values[block * half + at % half]);
      both[i] = (at < half ? byte & 15 : byte >> 4) - 8;
    }
    values = std::move(both);
  }
  CHECK(k % kBlock == 0);
  for (size_t i = 0; i < values.size(); ++i) values[i] *= scales[i / kBlock];
  return values;
}

void reference(KernelArguments& arguments) {
  const Tensor& y = arguments.outputs[0];
  const int64_t k = arguments.inputs[0].shape().back(), n = y.shape().back();
  std::vector<double> x = load(arguments.inputs[0]);
  if (arguments.inputs.size() > 2) {
    float block[kBlock];
    int8_t rounded[kBlock];
    for (size_t at = 0; at + kBlock <= x.size(); at += kBlock) {
      std::transform(x.begin() + at, x.begin() + at + kBlock, block, [](double v) { return static_cast<float>(v); });
      const float scale = round_block(block, rounded);
      for (size_t i = 0; i < kBlock; ++i) x[at + i] = static_cast<double>(scale) * rounded[i];
    }
  }
  const std::vector<double> w = weights_of(arguments, k);
  std::vector<double> sums(static_cast<size_t>(y.type().elements()), 0.0);
  for (size_t i = 0; i < sums.size(); ++i) {
    const double* row = x.data() + static_cast<int64_t>(i) / n * k;
    const double* other = w.data() + static_cast<int64_t>(i) % n * k;
    for (int64_t j = 0; j < k; ++j) sums[i] += row[j] * other[j];
  }
  store(y, sums);
}

}  // namespace

const Op kMixedLinear{
    .name = "mixed_linear",
    .formula = "y[..., n] = sum_k x[..., k] w[n, k], w widened as it is read; of blocks, x rounded to 8 bits",
    .infer = infer,
    .cost = cost,
    .reference = reference,
    .matrix_product = true,
};

std::span<const Op* const> mixed_linear_ops() {
  static constexpr const Op* kOps[] = {&kMixedLinear};
  return kOps;
}

ValueId mixed_linear(GraphBuilder& builder, ValueId x, ValueId w, ValueId scales) {
  std::vector<ValueId> inputs{x, w};
  if (scales != kNoValue) inputs.push_back(scales);
  return builder.append1(kMixedLinear, std::move(inputs));
}

}  // namespace engine::ops
