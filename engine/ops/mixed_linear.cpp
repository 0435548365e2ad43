// SPDX-License-Identifier: Apache-2.0
// mixed_linear, expert_linear: types, cost, truth.
#include "engine/ops/mixed_linear.h"

#include <algorithm>

#include "engine/ops/check.h"
#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/ops/indexing_common.h"
#include "engine/tensor/quantization.h"

namespace engine::ops {
namespace {

bool is_half(DType dtype) { return dtype == DType::bfloat16 || dtype == DType::float16; }

/// Whether w, whose last axes are N and K, and its scales fit rows of K. `same`: w may have x's dtype.
bool check_weights(OperandCheck& check, std::span<const TensorType> inputs, size_t scales, bool same) {
  const TensorType &x = inputs[0], &w = inputs[1];
  if (!check.that(x.rank() >= 1, "x must have rank 1 or more, got rank 0")) return false;
  const int64_t k = x.shape.back();
  const bool blocks = inputs.size() > scales;
  if (!check.that(
          blocks ? w.dtype == DType::int8 || w.dtype == DType::uint8 : is_half(w.dtype) || (same && w.dtype == x.dtype),
          "w must be {}, got {}",
          blocks ? "i8 or u8 where there are scales"
          : same ? "of x's dtype, bf16 or f16 without scales"
                 : "bf16 or f16 without scales",
          name(w.dtype)) ||
      !check.that(!blocks || k % kBlock == 0, "x has K = {}: blocks are {} long and must divide it", k, kBlock))
    return false;
  Shape wanted = w.shape;
  wanted.back() = w.dtype == DType::uint8 ? k / 2 : k;
  if (!check.shape(1, wanted, w.dtype == DType::uint8 ? "rows of K / 2 bytes" : "rows of K")) return false;
  if (!blocks) return true;
  wanted.back() = k / kBlock;
  return check.that(inputs[scales].dtype == DType::float16, "scales must be f16, got {}", name(inputs[scales].dtype)) &&
         check.shape(scales, wanted, "one scale per block");
}

InferResult infer(std::span<const TensorType> inputs, const Attributes&) {
  OperandCheck check("mixed_linear", inputs, {"x", "w", "scales"}, 1);
  if (!check.operand_count() || !check.floating(0) || !check.rank(1, 2) || !check_weights(check, inputs, 2, false))
    return check.error();
  Shape shape = inputs[0].shape;
  shape.back() = inputs[1].shape[0];
  if (!check.addressable("the result", inputs[0].dtype, shape)) return check.error();
  return std::vector{TensorType::contiguous(inputs[0].dtype, shape)};
}

InferResult infer_experts(std::span<const TensorType> inputs, const Attributes&) {
  OperandCheck check("expert_linear", inputs, {"x", "w", "experts", "scales"}, 1);
  if (!check.operand_count() || !check.floating(0) || !check.rank(1, 3) ||
      !check_indices(check, inputs[2], "experts") || !check.rank(2, 2) || !check_weights(check, inputs, 3, true))
    return check.error();
  const Shape &x = inputs[0].shape, &chosen = inputs[2].shape;
  const Shape of_tokens{chosen[0], x.back()}, of_pairs{chosen[0], chosen[1], x.back()};
  if (!check.shape(0, x.size() == 3 ? of_pairs : of_tokens, "a row for each token, or for each of its experts"))
    return check.error();
  const Shape shape{chosen[0], chosen[1], inputs[1].shape[1]};
  if (!check.addressable("the result", inputs[0].dtype, shape)) return check.error();
  return std::vector{TensorType::contiguous(inputs[0].dtype, shape)};
}

/// A multiply-add per weight and row of x.
Cost cost(const Call& call) {
  const auto rows = static_cast<double>(call.outputs[0].elements());
  return full_cost(call, 2 * rows * static_cast<double>(call.inputs[0].shape.back()));
}

/// As mixed_linear; of the matrices, as many as the choices can name.
Cost cost_of_experts(const Call& call) {
  const auto pairs = static_cast<double>(call.inputs[2].elements());
  Cost sum = cost(call);
  for (const size_t i : {size_t{1}, size_t{3}}) {
    if (i >= call.inputs.size()) continue;
    const TensorType& w = call.inputs[i];
    const auto of_one = static_cast<double>(w.elements() / std::max<int64_t>(1, w.shape[0]));
    sum.read_bytes[i] = std::min(sum.read_bytes[i], named_bytes(w, pairs * of_one));
  }
  return sum;
}

/// Row-major weights as doubles.
std::vector<double> weights_of(const KernelArguments& arguments, size_t of_scales) {
  const Tensor& w = arguments.inputs[1];
  std::vector<double> values = load(w);
  if (arguments.inputs.size() <= of_scales) return values;
  const std::vector<double> scales = load(arguments.inputs[of_scales]);
  if (w.dtype() == DType::uint8) {
    std::vector<double> both(values.size() * 2);
    for (size_t i = 0; i < both.size(); ++i) {
      const size_t block = i / kBlock, at = i % kBlock, half = kBlock / 2;
      const auto byte = static_cast<int>(values[block * half + at % half]);
      both[i] = (at < half ? byte & 15 : byte >> 4) - 8;
    }
    values = std::move(both);
  }
  for (size_t i = 0; i < values.size(); ++i) values[i] *= scales[i / kBlock];
  return values;
}

/// Rows of x as doubles; rounded to blocks of 8 bits where weights are in blocks.
std::vector<double> rows_of(const KernelArguments& arguments, size_t of_scales) {
  std::vector<double> x = load(arguments.inputs[0]);
  if (arguments.inputs.size() <= of_scales) return x;
  float block[kBlock];
  int8_t rounded[kBlock];
  for (size_t at = 0; at + kBlock <= x.size(); at += kBlock) {
    std::transform(x.begin() + at, x.begin() + at + kBlock, block, [](double v) { return static_cast<float>(v); });
    const float scale = round_block(block, rounded);
    for (size_t i = 0; i < kBlock; ++i) x[at + i] = static_cast<double>(scale) * rounded[i];
  }
  return x;
}

double product(const double* a, const double* b, int64_t k) {
  double sum = 0;
  for (int64_t j = 0; j < k; ++j) sum += a[j] * b[j];
  return sum;
}

void reference(KernelArguments& arguments) {
  const Tensor& y = arguments.outputs[0];
  const int64_t k = arguments.inputs[0].shape().back(), n = y.shape().back();
  const std::vector<double> x = rows_of(arguments, 2), w = weights_of(arguments, 2);
  std::vector<double> sums(static_cast<size_t>(y.type().elements()), 0.0);
  for (size_t i = 0; i < sums.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    sums[i] = product(x.data() + at / n * k, w.data() + at % n * k, k);
  }
  store(y, sums);
}

void reference_experts(KernelArguments& arguments) {
  const Tensor& y = arguments.outputs[0];
  const int64_t k = arguments.inputs[0].shape().back(), n = y.shape().back(),
                each = arguments.inputs[0].shape().size() == 2 ? arguments.inputs[2].shape()[1] : 1;
  if (y.type().elements() == 0) return;
  const std::vector<int64_t> experts = load_indices(arguments.inputs[2], arguments.inputs[1].shape()[0]);
  const std::vector<double> x = rows_of(arguments, 3), w = weights_of(arguments, 3);
  std::vector<double> sums;
  for (int64_t pair = 0; pair < static_cast<int64_t>(experts.size()); ++pair) {
    const int64_t expert = experts[static_cast<size_t>(pair)];
    for (int64_t i = 0; i < n; ++i)
      sums.push_back(expert == kNoElement ? outside_value(y.dtype())
                                          : product(x.data() + pair / each * k, w.data() + (expert * n + i) * k, k));
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

const Op kExpertLinear{
    .name = "expert_linear",
    .formula = "y[t, j, n] = sum_k x[t, k] w[experts[t, j], n, k]; weights and x as mixed_linear has them",
    .infer = infer_experts,
    .cost = cost_of_experts,
    .reference = reference_experts,
    .matrix_product = true,
};

std::span<const Op* const> mixed_linear_ops() {
  static constexpr const Op* kOps[] = {&kMixedLinear, &kExpertLinear};
  return kOps;
}

ValueId mixed_linear(GraphBuilder& builder, ValueId x, ValueId w, ValueId scales) {
  std::vector<ValueId> inputs{x, w};
  if (scales != kNoValue) inputs.push_back(scales);
  return builder.append1(kMixedLinear, std::move(inputs));
}

ValueId expert_linear(GraphBuilder& builder, ValueId x, ValueId w, ValueId experts, ValueId scales) {
  std::vector<ValueId> inputs{x, w, experts};
  if (scales != kNoValue) inputs.push_back(scales);
  return builder.append1(kExpertLinear, std::move(inputs));
}

}  // namespace engine::ops
