// SPDX-License-Identifier: Apache-2.0
// Matrix products in 8-bit floats: both operands are rounded on the GPU with a scale per tensor, cuBLASLt multiplies
// what that gave and sums in f32. The result has the op's own dtype.
#pragma once

#include <cstdint>
#include <string>

#include "engine/cuda/data.h"
#include "engine/cuda/kernels.h"
#include "engine/cuda/launch.h"
#include "engine/cuda/product.h"

namespace engine::cuda {

/// Which 8 bits.
enum class Fp8Format : uint8_t { e4m3, e5m2 };
/// The largest finite number: 448, 57344.
constexpr float fp8_largest(Fp8Format format) { return format == Fp8Format::e4m3 ? 448.0F : 57344.0F; }

/// A matrix (or a batch of them) rounded to 8 bits. Code of element (z, row, l) is that of x / scale, to nearest,
/// halves to even, held in the finite range; NaN stays NaN. It stands at (z * rows + row) * padded_depth + l; codes
/// from depth on are 0.
struct Fp8Operand {
  static constexpr int64_t kPiece = 16;  ///< codes that one thread writes at once
  static constexpr int64_t kMostParts = 1024;

  Data x;
  int64_t batches = 1, rows = 0, depth = 0;
  int64_t strides[3] = {};   ///< of x: [batch, row, depth]
  int64_t padded_depth = 0;  ///< depth, rounded up to whole pieces
  Fp8Format format = Fp8Format::e4m3;
  Walk<1> all;  ///< each element of x once, in the order of memory
  uint8_t* codes = nullptr;
  float* scale = nullptr;  ///< written: largest |x| / largest finite number; what a code stands for is code * scale
  float* parts = nullptr;  ///< scratch: the largest |x| of each part
  int64_t part_count() const;
};
/// Three launches: largest magnitudes of parts, the scale, the codes.
cudaError_t launch(const Launcher&, const Fp8Operand&);

/// Why a product cannot be done in FP8, in words: "its 10 columns are no multiple of 16"; empty: it can, by what is
/// known ahead.
std::string fp8_obstacle(const Context&, const Product&);
/// How a kernel's name says so: "; not fp8: its 10 columns are no multiple of 16"; empty where there is no obstacle.
std::string not_fp8_words(const std::string& obstacle);
/// Scratch bytes of prepare_fp8(); 0 where there is an obstacle.
int64_t fp8_workspace(const Context&, const Product&);
/// The product made ready as context.fp8 says. Null, with the reason in `why`, where it cannot be.
PreparedKernel prepare_fp8(Context&, const PrepareRequest&, const Product&, std::string& why);

}  // namespace engine::cuda
