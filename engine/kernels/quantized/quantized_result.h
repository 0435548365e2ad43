// SPDX-License-Identifier: Apache-2.0
// The end of quantised products, whoever summed them: sums in i32 become 8-bit integers again.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/kernels/core/kernels.h"
#include "engine/kernels/quantized/quantized_simd.h"

namespace engine::cpu {

/// Operands of a product of 8-bit integers, by number; scales only where the result is quantised.
struct QuantizedPlaces {
  size_t a = 0, b = 1, a_zero = 2, b_zero = 3;
  size_t a_scale = 1, b_scale = 4, y_scale = 6, y_zero = 7, bias = 8;

  /// Of the ops qlinear_*, or of those whose result is i32.
  static QuantizedPlaces of(bool quantized);
};

/// Element `i` of a vector, or the one number that stands for all.
double quantized_parameter(const Tensor&, int64_t i);

class QuantizedResult {
 public:
  QuantizedResult(const PrepareRequest& request, bool quantized, int64_t channels);

  /// Scales and zero points: before each run, as other ops may have made them. Constant ones are read once.
  void read();
  /// `count` sums to y from element `to` on, of which the first is of output channel `channel`.
  void write(int64_t to, int64_t channel, int64_t count, const int32_t* sums) const;

 private:
  KernelArguments arguments_;
  bool quantized_;
  int64_t channels_;
  bool reads_once_ = true, has_read_ = false;
  QuantizeSums quantize_ = quantize_sums();
  double y_zero_ = 0;
  std::vector<double> factors_, bias_;
};

/// The product by our own loops (quantized.cpp), whatever the zero points; null: not for these operands.
std::unique_ptr<PreparedOp> prepare_integer_product(Context&, const PrepareRequest&);
int64_t integer_product_workspace(Context&, const Node&, const Call&);

// By oneDNN (matmul_quantized.cpp, convolution_quantized.cpp).
std::unique_ptr<PreparedOp> prepare_dnnl_integer_matmul(Context&, const PrepareRequest&);
int64_t dnnl_integer_matmul_workspace(Context&, const Node&, const Call&);
std::unique_ptr<PreparedOp> prepare_dnnl_integer_convolution(Context&, const PrepareRequest&);
int64_t dnnl_integer_convolution_workspace(Context&, const Node&, const Call&);

}  // namespace engine::cpu
