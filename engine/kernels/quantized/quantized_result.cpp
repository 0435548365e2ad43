// SPDX-License-Identifier: Apache-2.0
// Scales, zero points and biases of quantised products, and how sums are written by them.
#include "engine/kernels/quantized/quantized_result.h"

#include <algorithm>

#include "engine/tensor/element.h"

namespace engine::cpu {

QuantizedPlaces QuantizedPlaces::of(bool quantized) {
  QuantizedPlaces places;
  if (quantized) {
    places.b = 3;
    places.b_zero = 5;
  }
  return places;
}

double quantized_parameter(const Tensor& tensor, int64_t i) {
  const int64_t at = tensor.type().elements() == 1 ? 0 : i * tensor.strides()[0];
  return load_element(tensor.dtype(), tensor.data() + at * size_bytes(tensor.dtype()));
}

QuantizedResult::QuantizedResult(const PrepareRequest& request, bool quantized, int64_t channels)
    : arguments_(request.arguments), quantized_(quantized), channels_(channels) {
  const QuantizedPlaces p = QuantizedPlaces::of(true);
  for (const size_t input : {p.a_scale, p.b_scale, p.y_scale, p.y_zero, p.bias}) {
    if (input >= arguments_.inputs.size()) continue;
    reads_once_ = reads_once_ && input < request.inputs_constant.size() && request.inputs_constant[input];
  }
}

void QuantizedResult::read() {
  if (!quantized_ || (reads_once_ && has_read_)) return;
  has_read_ = true;
  const auto& in = arguments_.inputs;
  const QuantizedPlaces p = QuantizedPlaces::of(true);
  factors_.resize(static_cast<size_t>(channels_));
  bias_.assign(static_cast<size_t>(channels_), 0.0);
  const double a_scale = quantized_parameter(in[p.a_scale], 0), y_scale = quantized_parameter(in[p.y_scale], 0);
  for (int64_t o = 0; o < channels_; ++o) {
    factors_[static_cast<size_t>(o)] = a_scale * quantized_parameter(in[p.b_scale], o) / y_scale;
    if (in.size() > p.bias) bias_[static_cast<size_t>(o)] = quantized_parameter(in[p.bias], o);
  }
  y_zero_ = quantized_parameter(in[p.y_zero], 0);
}

void QuantizedResult::write(int64_t to, int64_t channel, int64_t count, const int32_t* sums) const {
  const Tensor& y = arguments_.outputs[0];
  if (!quantized_) {
    std::copy_n(sums, count, y.data_as<int32_t>() + to);
    return;
  }
  const double low = y.dtype() == DType::int8 ? -128 : 0;
  quantize_(sums, bias_.data() + channel, factors_.data() + channel, y_zero_, low, count, y.data_as<uint8_t>() + to);
}

}  // namespace engine::cpu
