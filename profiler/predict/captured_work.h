// SPDX-License-Identifier: Apache-2.0
// GEMMs and convolutions of a capture as extents. A file may hold anything: shapes are checked against each other
// first.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "profiler/capture/capture.h"
#include "profiler/predict/gpu_convolution.h"

namespace profiler {

/// What one op is made of: tensors in and out, as far as the capture has them.
struct CapturedOperands {
  std::vector<const TensorRecord*> in, out;
};
CapturedOperands captured_operands(const Capture&, const OpRecord&);

/// All extents positive, fewer than 2^40 elements.
bool countable(const std::vector<int64_t>& shape);

/// matmul, linear and the ladder's products.
bool is_product(std::string_view op_type);
std::optional<ConvolutionPass> convolution_pass(std::string_view op_type);

/// Types may be those of fused ops ("linear+relu"), whose product comes first. Row-major c = a b as BLAS sees it:
/// columns are a's rows. Nothing for other ops and for shapes that are not those of such an op.
std::optional<GpuProduct> captured_product(const Capture&, const OpRecord&);
std::optional<GpuConvolution> captured_convolution(const Capture&, const OpRecord&);

}  // namespace profiler
