// SPDX-License-Identifier: Apache-2.0
// Rows of weights of 16, 8 or 4 bits times rows of numbers, compiled for every vector width (Highway) and chosen at run
// time; with VNNI products of bytes add up in one instruction.
#pragma once

#include <cstdint>

namespace engine::cpu {

/// Rows of x: of f32, and, for weights in blocks, rounded to blocks of 8 bits.
struct MixedRows {
  int64_t count = 0, length = 0;    ///< rows, and numbers in each
  const float* x = nullptr;         ///< rows `length` apart
  const int8_t* rounded = nullptr;  ///< the same
  const float* scales = nullptr;    ///< of blocks: length / 32 per row
  const float* sums = nullptr;      ///< of the rounded numbers of each block
};

/// `rows` rows of weights that lie side by side: bytes of the matrix, scales of its blocks.
struct MixedWeights {
  const void* w = nullptr;
  const uint16_t* scales = nullptr;
  int64_t rows = 0;
};

struct MixedLoops {
  /// y[m * y_row + n] = x_m . w_n
  void (*products)(const MixedRows&, const MixedWeights&, float* y, int64_t y_row) = nullptr;
  /// A row of weights as f32.
  void (*widen)(const MixedWeights&, int64_t length, float* to) = nullptr;
  const char* unit = "";  ///< what of the processor it uses beyond vectors: "VNNI"
};

enum class MixedFormat : uint8_t { bf16, f16, q8, q4 };
MixedLoops mixed_loops(MixedFormat);

}  // namespace engine::cpu
