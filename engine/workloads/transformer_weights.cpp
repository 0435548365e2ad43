// SPDX-License-Identifier: Apache-2.0
// Parameters in each format, and the ops that read them.
#include "engine/workloads/transformer_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/ops/casting.h"
#include "engine/ops/indexing.h"
#include "engine/ops/mixed_linear.h"
#include "engine/ops/ops.h"
#include "engine/tensor/quantization.h"

namespace engine {
namespace {

constexpr std::array<std::string_view, 5> kNames{"dtype", "bf16", "f16", "q8_0", "q4_0"};
const Fill kSmall{Fill::Kind::normal, 0, 0.02};

bool in_blocks(WeightFormat format) { return format == WeightFormat::q8_0 || format == WeightFormat::q4_0; }

/// Tables whose rows are looked up keep 8 bits.
WeightFormat format_of(WeightFormat format, const WeightMatrix& m) {
  return m.table && format == WeightFormat::q4_0 ? WeightFormat::q8_0 : format;
}

/// ops::linear over the last axis of x [..., inputs].
ValueId linear_rows(GraphBuilder& builder, ValueId x, ValueId weight, ValueId bias) {
  if (builder.failed()) return kNoValue;
  Shape shape = builder.type(x).shape;
  const ValueId rows = ops::reshape(builder, x, {-1, shape.back()});
  shape.back() = builder.type(weight).shape[0];
  return ops::reshape(builder, ops::linear(builder, rows, weight, bias), shape);
}

}  // namespace

std::string_view name(WeightFormat format) { return kNames[static_cast<size_t>(format)]; }

std::optional<WeightFormat> parse_weight_format(std::string_view text) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == text) return static_cast<WeightFormat>(i);
  }
  return std::nullopt;
}

namespace {

/// Of one weight.
double bytes_each(WeightFormat format, DType dtype) {
  switch (format) {
    case WeightFormat::as_dtype: return static_cast<double>(size_bytes(dtype));
    case WeightFormat::bf16:
    case WeightFormat::f16: return 2;
    case WeightFormat::q8_0: return static_cast<double>(kBlock + 2) / kBlock;
    case WeightFormat::q4_0: return static_cast<double>(kBlock / 2 + 2) / kBlock;
  }
  return 0;
}

}  // namespace

double weight_bytes(const LanguageModel& m, WeightFormat format, DType dtype) {
  const ParameterKinds kinds = parameter_kinds(m);
  const double of_rest = static_cast<double>(size_bytes(dtype));
  return static_cast<double>(kinds.matrices) * bytes_each(format, dtype) +
         static_cast<double>(kinds.tables) *
             bytes_each(format == WeightFormat::q4_0 ? WeightFormat::q8_0 : format, dtype) +
         static_cast<double>(kinds.rest) * of_rest + static_cast<double>(kinds.norms) * std::max(of_rest, 4.0);
}

TransformerWeights::Stored TransformerWeights::stored(const WeightMatrix& m) {
  if (b_.failed()) return {};
  if (const auto found = known_.find(m.name); found != known_.end()) return found->second;
  const std::string name = m.name + std::string(m.transposed ? kTransposed : "");
  const WeightFormat format = format_of(format_, m);
  const auto shape = [&](int64_t row) {
    return m.experts > 0 ? Shape{m.experts, m.outputs, row} : Shape{m.outputs, row};
  };
  const auto parameter = [&](DType dtype) {
    return b_.parameter(name, TensorType::contiguous(dtype, shape(m.inputs)), kSmall);
  };
  Stored s;
  if (format == WeightFormat::as_dtype) s.values = parameter(dtype_);
  if (format == WeightFormat::bf16) s.values = parameter(DType::bfloat16);
  if (format == WeightFormat::f16) s.values = parameter(DType::float16);
  if (in_blocks(format)) {
    if (m.inputs % kBlock != 0) {
      b_.fail(usage_error(fmt::format("[llm] weights = {}: {} has rows of {}, and blocks of {} must divide them",
                                      engine::name(format_), m.name, m.inputs, kBlock)));
      return {};
    }
    const bool eight = format == WeightFormat::q8_0;
    const Fill bits = eight ? Fill{Fill::Kind::integers, -127, 128} : Fill{Fill::Kind::integers, 0, 256};
    // As wide as the normal weights of the other formats.
    const Fill scales{Fill::Kind::constant, eight ? 0.02 / 73.3 : 0.02 / 4.6, 0};
    s.values = b_.parameter(
        name, TensorType::contiguous(eight ? DType::int8 : DType::uint8, shape(eight ? m.inputs : m.inputs / 2)), bits);
    s.scales = b_.parameter(name + std::string(kScales),
                            TensorType::contiguous(DType::float16, shape(m.inputs / kBlock)), scales);
  }
  known_.emplace(m.name, s);
  return s;
}

ValueId TransformerWeights::product(ValueId x, const WeightMatrix& m) {
  const Stored s = stored(m);
  if (b_.failed()) return kNoValue;
  ValueId bias = kNoValue;
  if (!m.bias.empty())
    bias = b_.parameter(m.bias, TensorType::contiguous(dtype_, {m.outputs}), Fill{Fill::Kind::zeros});
  if (format_ == WeightFormat::as_dtype) return linear_rows(b_, x, s.values, bias);
  const ValueId y = ops::mixed_linear(b_, x, s.values, s.scales);
  return bias == kNoValue ? y : ops::add(b_, y, bias);
}

ValueId TransformerWeights::expert_product(ValueId x, ValueId experts, const WeightMatrix& m) {
  const Stored s = stored(m);
  return b_.failed() ? kNoValue : ops::expert_linear(b_, x, s.values, experts, s.scales);
}

ValueId TransformerWeights::plain_product(ValueId x, const std::string& name, int64_t outputs, int64_t inputs) {
  return linear_rows(b_, x, plain(name, outputs, inputs), kNoValue);
}

ValueId TransformerWeights::rows(ValueId indices, const WeightMatrix& m) {
  const Stored s = stored(m);
  if (b_.failed()) return kNoValue;
  ValueId x = ops::gather(b_, s.values, indices, 0);
  if (format_ == WeightFormat::as_dtype) return x;
  x = ops::cast(b_, x, dtype_);
  if (s.scales == kNoValue || b_.failed()) return x;
  const Shape shape = b_.type(x).shape;
  Shape blocks = shape;
  blocks.back() /= kBlock;
  blocks.push_back(kBlock);
  const ValueId scales = ops::cast(b_, ops::gather(b_, s.scales, indices, 0), dtype_);
  x = ops::multiply(b_, ops::reshape(b_, x, blocks), ops::unsqueeze(b_, scales, static_cast<int64_t>(shape.size())));
  return ops::reshape(b_, x, shape);
}

ValueId TransformerWeights::plain(const std::string& name, int64_t outputs, int64_t inputs) {
  return b_.parameter(name, TensorType::contiguous(dtype_, {outputs, inputs}), kSmall);
}

}  // namespace engine
